//===- SimulatorExchange.cpp - what work items exchange -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Barriers, shuffles and matrix operations, at which items wait for others,
/// and asynchronous copies, for which an item waits itself.
///
//===----------------------------------------------------------------------===//

#include "SimulatorGroup.h"
#include "SimulatorMatrix.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::detail;
using State = SimItem::State;

//===----------------------------------------------------------------------===//
// Barriers and shuffles
//===----------------------------------------------------------------------===//

void SimGroup::wait(SimItem &item, State newState, int64_t site) {
  item.state = newState;
  item.site = site;
  item.fiber->suspend();
}

void SimGroup::barrier(SimItem &item, int64_t site) {
  wait(item, State::AtBarrier, site);
}

int64_t SimGroup::shuffle(SimItem &item, int64_t bits, int64_t operand,
                          int64_t mode, int64_t width, int64_t site) {
  item.bits = bits;
  item.operand = operand;
  item.mode = mode;
  item.width = width;
  ++numAtShuffle[item.subgroup];
  wait(item, State::AtShuffle, site);
  return item.result;
}

void SimGroup::setReady(SimItem &item) {
  item.state = State::Ready;
  turn.push_back(item.number);
}

/// Lets those items go on that wait for nothing more. Returns false after an
/// error: there are none.
bool SimGroup::release() {
  turn.clear();
  for (uint32_t i = 0; i < numAtShuffle.size(); ++i)
    if (numAtShuffle[i] > 0 && !releaseSubgroup(i))
      return false;
  if ((numAtNamedBarriers > 0 && !releaseNamedBarriers()) ||
      (numAtRegisters > 0 && !releaseRegisters()) ||
      (!mbarriers.empty() && !releaseMbarriers()))
    return false;
  if (!turn.empty())
    return true;
  if (recordIncomplete())
    return false;
  // All others wait at a barrier.
  const SimItem *waiting =
      std::find_if(items.get(), items.get() + numItems, [](const SimItem &i) {
        return i.state == State::AtBarrier;
      });
  for (uint32_t i = 0; i < numItems; ++i)
    if (items[i].state != State::AtBarrier || items[i].site != waiting->site) {
      recordMissing(*waiting, items[i]);
      return false;
    }
  for (uint32_t i = 0; i < numItems; ++i)
    setReady(items[i]);
  ++phase;
  orderAll();
  return true;
}

/// The numbers of a subgroup's first item and the first that follows it.
std::pair<uint32_t, uint32_t> SimGroup::itemsOf(uint32_t subgroup) const {
  const uint32_t width = launch().subgroupSize;
  return {subgroup * width, std::min((subgroup + 1) * width, numItems)};
}

/// The item whose value a shuffle returns.
int64_t SimGroup::sourceOf(const SimItem &item) const {
  int64_t lane = item.lane;
  if (lane >= item.width)
    return item.number;
  switch (item.mode) {
  case SimXor:
    lane ^= item.operand;
    break;
  case SimUp:
    lane -= item.operand;
    break;
  case SimDown:
    lane += item.operand;
    break;
  default:
    lane = item.operand;
    break;
  }
  const auto [begin, end] = itemsOf(item.subgroup);
  return lane >= 0 && lane < item.width && lane < end - begin ? begin + lane
                                                              : item.number;
}

/// Lets the items of a subgroup go on that wait for one another. Returns false
/// after an error.
bool SimGroup::releaseSubgroup(uint32_t subgroup) {
  const auto [begin, end] = itemsOf(subgroup);
  const SimItem *waiting = std::find_if(
      items.get() + begin, items.get() + end,
      [](const SimItem &i) { return i.state == State::AtShuffle; });
  if (waiting->mode == SimMultiplyShared)
    return releaseWarpgroup(*waiting);
  for (uint32_t i = begin; i < end; ++i) {
    const SimItem &item = items[i];
    if (mayStillCome(item))
      return true;
    if (item.state != State::AtShuffle || item.site != waiting->site ||
        item.mode != waiting->mode || item.width != waiting->width) {
      recordMissing(*waiting, item);
      return false;
    }
  }
  if (waiting->mode >= SimMultiply) {
    if (!exchangeMatrices(*waiting, begin, end))
      return false;
  } else {
    for (uint32_t i = begin; i < end; ++i)
      items[i].result = items[sourceOf(items[i])].bits;
  }
  for (uint32_t i = begin; i < end; ++i)
    setReady(items[i]);
  numAtShuffle[subgroup] = 0;
  return true;
}

//===----------------------------------------------------------------------===//
// Matrix operations
//===----------------------------------------------------------------------===//

/// Does a matrix operation of items that all wait for it. Returns false after
/// an error.
bool SimGroup::exchangeMatrices(const SimItem &first, uint32_t begin,
                                uint32_t end) {
  const uint32_t numLanes = launch().subgroupSize;
  if (end - begin < numLanes) {
    record(nameOf(first.number) + " of " + nameOfGroup(group) + " " +
           describeWait(first) + ", but its subgroup has only " +
           std::to_string(end - begin) + " of " + std::to_string(numLanes) +
           " lanes");
    return false;
  }
  if (first.mode == SimMultiply) {
    const MatrixUnit &unit = kMatrixUnits[first.width];
    if (unit.getColumnLanes() * unit.getRowLanes() != numLanes) {
      record(nameOf(first.number) + " " + describeWait(first) +
             ", which no subgroup of " + std::to_string(numLanes) +
             " lanes can do");
      return false;
    }
    std::vector<MatrixRegisters> lanes(numLanes);
    const int64_t bytes = unit.a.getNumRegisters() * getBytes(unit.element);
    for (uint32_t i = 0; i < numLanes; ++i) {
      const SimItem &item = items[begin + i];
      lanes[i].a = reinterpret_cast<const char *>(item.bits);
      lanes[i].b = lanes[i].a + bytes;
      lanes[i].c = reinterpret_cast<char *>(item.operand);
    }
    multiplyMatrices(unit, lanes.data());
    return true;
  }
  if (first.mode == SimReadTransposed) {
    std::vector<const char *> pieces(numLanes);
    std::vector<char *> results(numLanes);
    for (uint32_t i = 0; i < numLanes; ++i) {
      pieces[i] = reinterpret_cast<const char *>(items[begin + i].bits);
      results[i] = reinterpret_cast<char *>(items[begin + i].operand);
    }
    readTransposed(std::size_t(first.width), pieces, results);
    return true;
  }
  std::array<const char *, 32> rows{};
  std::array<char *, 32> results{};
  if (numLanes != rows.size()) {
    record(nameOf(first.number) + " " + describeWait(first) +
           ", which no subgroup of " + std::to_string(numLanes) +
           " lanes can do");
    return false;
  }
  for (uint32_t i = 0; i < numLanes; ++i) {
    rows[i] = reinterpret_cast<const char *>(items[begin + i].bits);
    results[i] = reinterpret_cast<char *>(items[begin + i].operand);
  }
  loadMatrices(first.width, first.mode == SimLoadTransposed, rows, results);
  return true;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Until the copy is waited for, what it will write may be anything.
void SimGroup::copy(SimItem &item, const SimItem::Copy &copy) {
  std::memset(copy.destination, kPoison, copy.bytes);
  item.copies.push_back(copy);
}

void SimGroup::waitForCopies(SimItem &item, std::size_t count) {
  std::size_t done = 0;
  while (item.copyGroups.size() > count) {
    done += item.copyGroups.front();
    item.copyGroups.erase(item.copyGroups.begin());
  }
  for (std::size_t i = 0; i < done; ++i) {
    const auto &[destination, source, bytes, sourceBytes] = item.copies[i];
    std::memcpy(destination, source, sourceBytes);
    std::memset(destination + sourceBytes, 0, bytes - sourceBytes);
    const auto offset = std::size_t(destination - shared.get());
    std::fill_n(copying.begin() + std::ptrdiff_t(offset), bytes, uint16_t(0));
    numCopying -= bytes;
    // Other items see it only after another barrier. Nobody has accessed it
    // since the copy began.
    Conflict conflict;
    sharedShadow.access(offset, bytes, {false, true}, toShadow(item), conflict);
    noteWrite(item);
  }
  item.copies.erase(item.copies.begin(),
                    item.copies.begin() + std::ptrdiff_t(done));
}

//===----------------------------------------------------------------------===//
// Functions that kernels call
//===----------------------------------------------------------------------===//

void tg_sim_barrier(int64_t item, int64_t site) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->barrier(self, site);
}

int64_t tg_sim_shuffle(int64_t item, int64_t bits, int64_t operand,
                       int64_t mode, int64_t width, int64_t site) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  return self.owner->shuffle(self, bits, operand, mode, width, site);
}

void tg_sim_multiply(int64_t item, int64_t unit, int64_t factors, int64_t sum,
                     int64_t site) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->shuffle(self, factors, sum, SimMultiply, unit, site);
}

void tg_sim_load_matrices(int64_t item, int64_t row, int64_t count,
                          int64_t mode, int64_t result, int64_t site) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->shuffle(self, row, result, mode, count, site);
}

void tg_sim_read_transposed(int64_t item, int64_t piece, int64_t bytes,
                            int64_t result, int64_t site) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->shuffle(self, piece, result, SimReadTransposed, bytes, site);
}

void tg_sim_copy(int64_t item, int64_t destination, int64_t source,
                 int64_t bytes, int64_t sourceBytes) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->copy(self, {reinterpret_cast<char *>(destination),
                          reinterpret_cast<const char *>(source),
                          std::size_t(bytes), std::size_t(sourceBytes)});
}

void tg_sim_commit_copies(int64_t item) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  std::size_t grouped = 0;
  for (std::size_t count : self.copyGroups)
    grouped += count;
  self.copyGroups.push_back(self.copies.size() - grouped);
}

void tg_sim_wait_for_copies(int64_t item, int64_t count) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->waitForCopies(self, std::size_t(count));
}
