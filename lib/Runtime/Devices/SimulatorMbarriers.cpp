//===- SimulatorMbarriers.cpp - copies of boxes that mbarriers count ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Mbarriers (PTX ISA, "Parallel Synchronization and Communication
/// Instructions: mbarrier") and copies of boxes of tensors (TMA).
///
/// A copy comes as late as it can: when all items wait, and one of them for the
/// mbarrier that counts it. Until then its destination holds other values, and
/// whoever accesses it is reported. What has come may be accessed by items that
/// waited for that phase of the mbarrier, or that met one of these at a barrier
/// of the group. An arrival releases: what its item did before, and what was
/// ordered before that, is ordered before what items do that have seen the
/// phase end (SimulatorOrder.h).
///
//===----------------------------------------------------------------------===//

#include "SimulatorGroup.h"

#include <algorithm>
#include <cstring>
#include <string>

using namespace tinygrad;
using namespace tinygrad::detail;
using State = SimItem::State;

/// The most bytes that an mbarrier counts.
static constexpr int64_t kMostBytes = (int64_t(1) << 20) - 1;

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

/// Null after an error: there is no such mbarrier, or the item cannot rely on
/// it.
SimGroup::Mbarrier *SimGroup::findMbarrier(const SimItem &item,
                                           const MbarrierName &name,
                                           const char *does) {
  const auto describe = [&] {
    return nameOf(item.number) + " of " + nameOfGroup(group) + " " + does +
           " mbarrier " + std::to_string(name.first + name.number);
  };
  if (name.number < 0 || name.number >= name.count) {
    record(describe() + ", which is not one of the " +
           std::to_string(name.count) + " from " + std::to_string(name.first) +
           " on");
    return nullptr;
  }
  const std::size_t number = name.get();
  if (number >= mbarriers.size() || !mbarriers[number].isInitialized) {
    record(describe() + ", which no work item has initialized");
    return nullptr;
  }
  Mbarrier &mbarrier = mbarriers[number];
  if (mbarrier.initializer != item.number &&
      (!mbarrier.isFenced || mbarrier.fencedIn == phase)) {
    record(describe() + ", which " + nameOf(mbarrier.initializer) +
           " initialized without a fence.mbarrier_init and a barrier in "
           "between");
    return nullptr;
  }
  return &mbarrier;
}

void SimGroup::initMbarrier(SimItem &item, const MbarrierName &name,
                            int64_t arrivals) {
  const bool isKnown = name.number >= 0 && name.number < name.count;
  if (!isKnown || arrivals < 1 ||
      (name.get() < mbarriers.size() && mbarriers[name.get()].isInitialized)) {
    record(nameOf(item.number) + " of " + nameOfGroup(group) +
           " initializes mbarrier " + std::to_string(name.first + name.number) +
           (!isKnown       ? ", which is not one of its array"
            : arrivals < 1 ? " for " + std::to_string(arrivals) + " arrivals"
                           : " a second time"));
    stop(item);
  }
  if (mbarriers.size() <= name.get())
    mbarriers.resize(name.get() + 1);
  arrived.resize(launch().sharedBytes);
  sharedShadow.keepReaders();
  Mbarrier &mbarrier = mbarriers[name.get()];
  mbarrier.isInitialized = true;
  mbarrier.initializer = item.number;
  mbarrier.arrivals = mbarrier.missing = arrivals;
}

void SimGroup::fenceMbarriers(SimItem &item) {
  for (Mbarrier &mbarrier : mbarriers)
    if (mbarrier.isInitialized && !mbarrier.isFenced &&
        mbarrier.initializer == item.number) {
      mbarrier.isFenced = true;
      mbarrier.fencedIn = phase;
    }
}

void SimGroup::endPhaseIfComplete(Mbarrier &mbarrier) {
  if (mbarrier.missing > 0 || mbarrier.bytes != 0)
    return;
  ++mbarrier.ended;
  mbarrier.missing = mbarrier.arrivals;
  mbarrier.endedBefore.join(mbarrier.arrivedBefore);
  mbarrier.arrivedBefore.clear();
}

void SimGroup::arrive(SimItem &item, const MbarrierName &name, int64_t bytes) {
  Mbarrier *mbarrier = findMbarrier(item, name, "arrives at");
  if (!mbarrier)
    stop(item);
  if (mbarrier->missing == 0 || bytes < 0 ||
      mbarrier->bytes + bytes > kMostBytes) {
    record(nameOf(item.number) + " of " + nameOfGroup(group) +
           " arrives at mbarrier " + std::to_string(name.get()) +
           (mbarrier->missing == 0
                ? " once more than its " + std::to_string(mbarrier->arrivals) +
                      " arrivals"
                : ", which cannot count " +
                      std::to_string(mbarrier->bytes + bytes) + " bytes"));
    stop(item);
  }
  mbarrier->bytes += bytes;
  --mbarrier->missing;
  releaseOrder(item, mbarrier->arrivedBefore);
  endPhaseIfComplete(*mbarrier);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// Whether the phase has ended that an item waits for: the one of its parity
/// that is not the current one.
bool SimGroup::isPhaseOver(const SimItem &item) const {
  return (mbarriers[std::size_t(item.bits)].ended & 1) !=
         uint64_t(item.operand);
}

/// The item has seen the end of all phases that have ended.
void SimGroup::acquirePhases(SimItem &item, std::size_t number) {
  const Mbarrier &mbarrier = mbarriers[number];
  item.order.join(mbarrier.endedBefore);
  SimOrder::raise(item.order.phases, number, mbarrier.ended);
}

void SimGroup::waitForPhase(SimItem &item, const MbarrierName &name,
                            int64_t parity, int64_t site) {
  if (!findMbarrier(item, name, "waits for"))
    stop(item);
  item.bits = int64_t(name.get());
  item.operand = parity & 1;
  if (isPhaseOver(item))
    acquirePhases(item, name.get());
  else
    wait(item, State::AtMbarrier, site);
}

/// Lets items go on whose phases have ended; if no item can go on otherwise,
/// copies come. Returns false after an error.
bool SimGroup::releaseMbarriers() {
  const auto release = [&] {
    for (uint32_t i = 0; i < numItems; ++i)
      if (items[i].state == State::AtMbarrier && isPhaseOver(items[i])) {
        acquirePhases(items[i], std::size_t(items[i].bits));
        setReady(items[i]);
      }
    return !turn.empty();
  };
  if (release())
    return true;
  bool isStuck = false;
  for (uint32_t i = 0; i < numItems; ++i) {
    if (items[i].state != State::AtMbarrier)
      continue;
    const auto number = std::size_t(items[i].bits);
    Mbarrier &mbarrier = mbarriers[number];
    if (mbarrier.missing == 0 && !mbarrier.copies.empty()) {
      landBoxes(number);
      endPhaseIfComplete(mbarrier);
      if (release())
        return true;
    }
    isStuck = true;
  }
  if (!isStuck)
    return true;
  if (!recordIncomplete())
    recordStuck();
  return false;
}

/// What an item misses that waits for ever.
std::string SimGroup::describeStuck(const SimItem &item) const {
  const Mbarrier &mbarrier = mbarriers[std::size_t(item.bits)];
  std::string reason;
  if (mbarrier.missing > 0)
    reason = "misses " + std::to_string(mbarrier.missing) + " of " +
             std::to_string(mbarrier.arrivals) + " arrivals";
  else if (mbarrier.bytes > 0)
    reason = "expects " + std::to_string(mbarrier.bytes) +
             " bytes more than copies bring";
  else
    reason = "expects " + std::to_string(-mbarrier.bytes) +
             " bytes less than copies bring";
  return nameOf(item.number) + " of " + nameOfGroup(group) + " " +
         describeWait(item) + ", whose phase " +
         std::to_string(mbarrier.ended) + " " + reason;
}

/// Items may wait for one another: one is named for each mbarrier.
void SimGroup::recordStuck() {
  std::string text;
  std::vector<bool> isNamed(mbarriers.size());
  for (uint32_t i = 0; i < numItems; ++i) {
    if (items[i].state != State::AtMbarrier ||
        isNamed[std::size_t(items[i].bits)])
      continue;
    isNamed[std::size_t(items[i].bits)] = true;
    text += (text.empty() ? "" : "; ") + describeStuck(items[i]);
  }
  record(text);
}

/// At the end of a group. Its memory is another group's from then on.
bool SimGroup::endMbarriers() {
  for (std::size_t i = 0; i < mbarriers.size(); ++i)
    if (!mbarriers[i].copies.empty()) {
      record(nameOfGroup(group) +
             " ends before a copy has come that mbarrier " + std::to_string(i) +
             " counts, for which no work item waited");
      return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Records that a copy will write bytes of shared memory. Returns false after
/// an error.
bool SimGroup::writeBox(const SimItem &item, std::size_t begin,
                        std::size_t bytes) {
  const auto what = [&](std::size_t offset) {
    return nameOf(item.number) + " of " + nameOfGroup(group) +
           " copies a box to byte " + std::to_string(offset) +
           " of shared memory";
  };
  for (std::size_t offset = begin; offset < begin + bytes; ++offset) {
    if (copying[offset] != 0) {
      record(what(offset) + ", which a copy writes that " +
             nameOf(copying[offset] - 1u) + " has not waited for");
      return false;
    }
    const bool isStored = !reading.empty() && reading[offset] != 0;
    if (isStored || !isProductOver(offset, item)) {
      record(what(offset) + ", which " +
             (isStored ? "a store of a box" : "a matrix operation") +
             " reads that was not waited for");
      return false;
    }
    if (!hasSeenArrival(offset, item)) {
      record(what(offset) + ", " + nameOfArrival(offset) + nameOf(item.number) +
             " has not waited");
      return false;
    }
    const auto [writer, writtenIn] = sharedShadow.getWriter(offset);
    if (const uint32_t since = items[writer].unfencedSince;
        since != 0 && since <= writtenIn) {
      record(what(offset) + ", which " + nameOf(writer) +
             " wrote without a fence.proxy.async before a barrier");
      return false;
    }
    Conflict conflict;
    if (!sharedShadow.access(offset, 1, {false, true}, toShadow(item),
                             conflict)) {
      record("race: " + what(offset) + ", which " +
             (conflict.isOneOfSeveral ? "several work items of the group"
                                      : nameOf(conflict.item)) +
             (conflict.isWrite ? " wrote" : " read") +
             " without a barrier in between");
      return false;
    }
    arrived[offset] = {};
  }
  return true;
}

void SimGroup::copyBox(SimItem &item, const SimTensorMap &map, int64_t x,
                       int64_t y, int64_t destination, const MbarrierName &name,
                       int64_t site) {
  Mbarrier *mbarrier = findMbarrier(item, name, "copies a box for");
  if (!mbarrier)
    stop(item);
  if (!mbarrier->isFenced) {
    record(nameOf(item.number) + " of " + nameOfGroup(group) +
           " copies a box for mbarrier " + std::to_string(name.get()) +
           ", which it initialized without a fence.mbarrier_init");
    stop(item);
  }
  if (!checkMap(item, map, /*isWrite=*/false) ||
      !accessBox(item, map, x, y, /*isWrite=*/false, site) ||
      !findBox(item, map, destination, /*isWrite=*/false))
    stop(item);
  const int64_t bytes = map.box[0] * map.box[1] * map.elementBytes;
  const auto begin = std::size_t(destination), size = std::size_t(bytes);
  if (!writeBox(item, begin, size))
    stop(item);
  std::memset(shared.get() + begin, kPoison, size);
  std::fill_n(copying.begin() + std::ptrdiff_t(begin), size,
              uint16_t(item.number + 1));
  numCopying += size;
  mbarrier->copies.push_back({map, x, y, begin, item.number});
}

/// All copies of an mbarrier come.
void SimGroup::landBoxes(std::size_t number) {
  Mbarrier &mbarrier = mbarriers[number];
  for (const auto &[map, x, y, destination, item] : mbarrier.copies) {
    const auto *from = reinterpret_cast<const char *>(map.base);
    const auto size = std::size_t(map.elementBytes);
    std::size_t next = destination;
    for (int64_t row = y; row < y + map.box[1]; ++row)
      for (int64_t column = x; column < x + map.box[0]; ++column) {
        const bool isInside = row >= 0 && row < map.sizes[1] && column >= 0 &&
                              column < map.sizes[0];
        char *to = shared.get() + map.getPlace(next);
        if (isInside)
          std::memcpy(to, from + (row * map.stride + column) * map.elementBytes,
                      size);
        else
          std::memset(to, 0, size);
        next += size;
      }
    const std::size_t bytes = next - destination;
    std::fill_n(copying.begin() + std::ptrdiff_t(destination), bytes,
                uint16_t(0));
    numCopying -= bytes;
    sharedShadow.setWritten(destination, bytes);
    std::fill_n(arrived.begin() + std::ptrdiff_t(destination), bytes,
                Arrival{uint32_t(number + 1), mbarrier.ended + 1});
    mbarrier.bytes -= int64_t(bytes);
  }
  mbarrier.copies.clear();
}

//===----------------------------------------------------------------------===//
// What has come
//===----------------------------------------------------------------------===//

bool SimGroup::hasSeenArrival(std::size_t offset, const SimItem &item) const {
  const auto &[mbarrier, ended] = arrived[offset];
  return mbarrier == 0 ||
         SimOrder::reaches(item.order.phases, mbarrier - 1, ended);
}

std::string SimGroup::nameOfArrival(std::size_t offset) const {
  const auto &[mbarrier, ended] = arrived[offset];
  return "which came in phase " + std::to_string(ended - 1) + " of mbarrier " +
         std::to_string(mbarrier - 1) + ", for which ";
}

/// Whether an item may access bytes that copies may have written. Otherwise
/// records an error.
bool SimGroup::checkArrivals(std::size_t offset, std::size_t bytes,
                             const SimItem &item, const Access &access) {
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    if (!hasSeenArrival(i, item)) {
      record(nameOf(item.number) + " of " + nameOfGroup(group) + " " +
             (access.flags & SimWrite ? "writes " : "reads ") +
             nameOfElement(access, access.index + int64_t(i - offset) /
                                                      access.elementBytes) +
             ", " + nameOfArrival(i) + "it has not waited");
      return false;
    }
    if (access.flags & SimWrite)
      arrived[i] = {};
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Functions that kernels call
//===----------------------------------------------------------------------===//

void tg_sim_init_mbarrier(int64_t item, int64_t first, int64_t count,
                          int64_t number, int64_t arrivals) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->initMbarrier(self, {first, count, number}, arrivals);
}

void tg_sim_fence_mbarriers(int64_t item) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->fenceMbarriers(self);
}

void tg_sim_arrive(int64_t item, int64_t first, int64_t count, int64_t number,
                   int64_t bytes) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->arrive(self, {first, count, number}, bytes);
}

void tg_sim_wait_for_phase(int64_t item, int64_t first, int64_t count,
                           int64_t number, int64_t parity, int64_t site) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->waitForPhase(self, {first, count, number}, parity, site);
}

void tg_sim_copy_box(int64_t item, int64_t map, int64_t x, int64_t y,
                     int64_t destination, int64_t first, int64_t count,
                     int64_t number, int64_t site) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->copyBox(self, *reinterpret_cast<const SimTensorMap *>(map), x, y,
                      destination, {first, count, number}, site);
}
