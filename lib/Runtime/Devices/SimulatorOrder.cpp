//===- SimulatorOrder.cpp - order among some items of a group -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What orders accesses of some items of a group: barriers of these alone (PTX
/// ISA, "barrier{.cta}" with a number of threads), and arrivals at mbarriers,
/// which release what items that see the phase end acquire. Only barriers of
/// the whole group order accesses of global memory here.
///
/// Also the registers that warpgroups give back and take ("setmaxnreg"). A
/// group has the unit for itself: its items begin with an equal part of the
/// registers, and what they give back is all that others can take.
///
//===----------------------------------------------------------------------===//

#include "SimulatorGroup.h"

#include <algorithm>
#include <string>

using namespace tinygrad;
using namespace tinygrad::detail;
using State = SimItem::State;

/// PTX ISA: the numbers of barriers, of which 0 is that of the whole group
/// here; what setmaxnreg takes; items of a warpgroup.
static constexpr int64_t kNamedBarriers = 16, kFewestRegisters = 24,
                         kMostRegisters = 256, kRegisterStep = 8;
static constexpr uint32_t kWarpgroupItems = 128;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Adds what the item has done, and what is ordered before that, to an order.
/// What it does from now on is later.
void SimGroup::releaseOrder(SimItem &item, SimOrder &to) {
  to.join(item.order);
  SimOrder::raise(to.items, item.number, item.epoch);
  if (item.hasFencedProxy) {
    item.unfencedSince = 0;
    item.hasFencedProxy = false;
  }
  item.epoch = sharedShadow.getNext(item.epoch);
}

/// All items met: what any of them has done is ordered before what any does.
void SimGroup::orderAll() {
  SimOrder all;
  uint32_t last = 0;
  for (uint32_t i = 0; i < numItems; ++i) {
    SimItem &item = items[i];
    all.join(item.order);
    last = std::max(last, item.epoch);
    if (item.hasFencedProxy) {
      item.unfencedSince = 0;
      item.hasFencedProxy = false;
    }
  }
  if (launch().sharedBytes > 0)
    sharedShadow.nextPhase(last);
  all.items.clear();
  for (uint32_t i = 0; i < numItems; ++i) {
    items[i].order = all;
    items[i].epoch = sharedShadow.getPhase();
  }
}

//===----------------------------------------------------------------------===//
// Barriers of some items
//===----------------------------------------------------------------------===//

void SimGroup::namedBarrier(SimItem &item, int64_t number, int64_t count,
                            int64_t site) {
  if (number < 1 || number >= kNamedBarriers || count < 1 ||
      count > int64_t(numItems) || count % launch().subgroupSize != 0) {
    record(nameOf(item.number) + " of " + nameOfGroup(group) +
           " waits at barrier number " + std::to_string(number) + " of " +
           std::to_string(count) +
           " work items: numbers are from 1 to 15, and items are those of "
           "whole subgroups");
    stop(item);
  }
  item.bits = number;
  item.operand = count;
  ++numAtNamedBarriers;
  wait(item, State::AtNamedBarrier, site);
}

/// Lets the items go on that have all come to their barrier. Returns false
/// after an error.
bool SimGroup::releaseNamedBarriers() {
  for (int64_t number = 1; number < kNamedBarriers; ++number) {
    std::vector<SimItem *> waiting;
    for (uint32_t i = 0; i < numItems; ++i)
      if (items[i].state == State::AtNamedBarrier && items[i].bits == number)
        waiting.push_back(&items[i]);
    if (waiting.empty())
      continue;
    const SimItem &first = *waiting.front();
    for (const SimItem *item : waiting)
      if (item->site != first.site || item->operand != first.operand) {
        recordMissing(first, *item);
        return false;
      }
    const auto count = std::size_t(first.operand);
    if (waiting.size() < count)
      continue;
    if (waiting.size() > count) {
      record(nameOf(first.number) + " of " + nameOfGroup(group) + " " +
             describeWait(first) + ", to which " +
             std::to_string(waiting.size()) + " come");
      return false;
    }
    SimOrder all;
    for (SimItem *item : waiting)
      releaseOrder(*item, all);
    for (SimItem *item : waiting) {
      item->order.join(all);
      setReady(*item);
    }
    numAtNamedBarriers -= uint32_t(count);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// What each item has when its group begins.
int64_t SimGroup::getFirstRegisters() const {
  const int64_t width = launch().subgroupSize,
                all = (numItems + width - 1) / width * width;
  return std::min(launch().unitRegisters / all / kRegisterStep * kRegisterStep,
                  kMostRegisters);
}

void SimGroup::setRegisters(SimItem &item, int64_t count, bool isIncrease,
                            int64_t site) {
  const auto describe = [&] {
    return nameOf(item.number) + " of " + nameOfGroup(group) + " sets " +
           std::to_string(count) + " registers at " + std::to_string(site);
  };
  if (count < kFewestRegisters || count > kMostRegisters ||
      count % kRegisterStep != 0) {
    record(describe() + ", which is not a multiple of 8 between 24 and 256");
    stop(item);
  }
  if (isIncrease ? count < item.registers : count > item.registers) {
    record(describe() + " by " + (isIncrease ? "an increase" : "a decrease") +
           ", but has " + std::to_string(item.registers));
    stop(item);
  }
  item.bits = count;
  ++numAtRegisters;
  wait(item, State::AtRegisters, site);
}

/// Lets warpgroups go on that have come to set their registers, if there are
/// as many as they take. Returns false after an error.
bool SimGroup::releaseRegisters() {
  const auto change = [&](uint32_t begin, bool takes) {
    const SimItem *waiting = nullptr;
    const uint32_t end = std::min(begin + kWarpgroupItems, numItems);
    for (uint32_t i = begin; i < end && !waiting; ++i)
      if (items[i].state == State::AtRegisters)
        waiting = &items[i];
    if (!waiting)
      return true;
    for (uint32_t i = begin; i < end; ++i)
      if (items[i].state != State::AtRegisters ||
          items[i].site != waiting->site || items[i].bits != waiting->bits) {
        recordMissing(*waiting, items[i]);
        return false;
      }
    if (end - begin < kWarpgroupItems) {
      record(nameOf(waiting->number) + " of " + nameOfGroup(group) + " " +
             describeWait(*waiting) + ", but it is not one of 128");
      return false;
    }
    const int64_t more =
        (waiting->bits - waiting->registers) * int64_t(kWarpgroupItems);
    if ((more > 0) != takes || more > freeRegisters)
      return true;
    freeRegisters -= more;
    for (uint32_t i = begin; i < end; ++i) {
      items[i].registers = items[i].bits;
      setReady(items[i]);
    }
    numAtRegisters -= kWarpgroupItems;
    return true;
  };
  // Those that give some back come first.
  for (const bool takes : {false, true})
    for (uint32_t i = 0; i < numItems; i += kWarpgroupItems)
      if (!change(i, takes))
        return false;
  return true;
}

/// Whether items wait, for ever, for registers or at a barrier of some. Then
/// records an error.
bool SimGroup::recordIncomplete() {
  const SimItem *end = items.get() + numItems,
                *found = std::find_if(items.get(), items.get() + numItems,
                                      [](const SimItem &i) {
                                        return i.state == State::AtRegisters;
                                      });
  if (found != end) {
    record(nameOf(found->number) + " of " + nameOfGroup(group) + " " +
           describeWait(*found) +
           ", which its warpgroup does not get: it has " +
           std::to_string(found->registers) +
           " for each item, and others have "
           "given back " +
           std::to_string(freeRegisters) + " of the " +
           std::to_string((found->bits - found->registers) *
                          int64_t(kWarpgroupItems)) +
           " that it takes");
    return true;
  }
  found =
      std::find_if(items.get(), items.get() + numItems, [](const SimItem &i) {
        return i.state == State::AtNamedBarrier;
      });
  if (found == end)
    return false;
  const auto count =
      std::count_if(items.get(), items.get() + numItems, [&](const SimItem &i) {
        return i.state == State::AtNamedBarrier && i.bits == found->bits;
      });
  record(nameOf(found->number) + " of " + nameOfGroup(group) + " " +
         describeWait(*found) + ", to which only " + std::to_string(count) +
         " come");
  return true;
}

//===----------------------------------------------------------------------===//
// Functions that kernels call
//===----------------------------------------------------------------------===//

void tg_sim_named_barrier(int64_t item, int64_t number, int64_t count,
                          int64_t site) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->namedBarrier(self, number, count, site);
}

void tg_sim_set_registers(int64_t item, int64_t count, int64_t isIncrease,
                          int64_t site) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->setRegisters(self, count, isIncrease != 0, site);
}
