//===- Simulator.cpp - GPU kernels on threads of the host -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs the groups of a launch, and schedules the items of a group.
///
/// The items of a group take turns: each that can go on runs until it ends or
/// waits. After a turn, every item that has not ended waits, so what a barrier
/// or a shuffle still misses will never come.
///
/// Generated code has no unwind tables: an error inside of an item is recorded
/// and the item suspended, then the whole group is abandoned.
///
//===----------------------------------------------------------------------===//

#include "Simulator.h"
#include "Fibers.h"
#include "HostThreads.h"
#include "SimulatorGroup.h"
#include "SimulatorShadow.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::detail;
using State = SimItem::State;

// Part of the interface to generated code.
static_assert(offsetof(SimItem, group) == 0);
static_assert(offsetof(SimItem, local) == 12);
static_assert(offsetof(SimItem, groups) == 24);
static_assert(offsetof(SimItem, size) == 36);
static_assert(offsetof(SimItem, lane) == 48);
static_assert(offsetof(SimItem, subgroup) == 52);

/// A stack takes two mappings, of which Linux allows a process 65,530.
static constexpr int64_t kMaxStacks = 16384;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Random numbers (SplitMix64).
class SimGroup::Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t below(uint32_t limit) { return (next() >> 32) * limit >> 32; }

private:
  uint64_t state;
};

void SimGroup::prepare(LaunchState &launchState) {
  state = &launchState;
  const auto &[x, y, z] = launch().groupSize;
  numItems = x * y * z;
  arguments = const_cast<void **>(launch().buffers);
  if (launch().sharedBytes > 0) {
    if (sharedCapacity < launch().sharedBytes) {
      shared.reset(
          new (std::align_val_t(kSharedAlignment)) char[launch().sharedBytes]);
      sharedCapacity = launch().sharedBytes;
    }
    withShared.assign(launch().buffers, launch().buffers + launch().numBuffers);
    withShared.push_back(shared.get());
    arguments = withShared.data();
  }
  cache.clear();

  if (itemCapacity < numItems) {
    items = std::make_unique<SimItem[]>(numItems);
    itemCapacity = numItems;
  }
  const uint32_t width = launch().subgroupSize;
  for (uint32_t i = 0; i < numItems; ++i) {
    SimItem &item = items[i];
    const SimTriple local = coordinatesOf(i, launch().groupSize);
    for (int axis = 0; axis < 3; ++axis) {
      item.local[axis] = local[axis];
      item.groups[axis] = launch().groups[axis];
      item.size[axis] = launch().groupSize[axis];
    }
    item.lane = i % width;
    item.subgroup = i / width;
    item.owner = this;
    item.number = i;
  }
  numAtShuffle.assign((numItems + width - 1) / width, 0);
}

void SimGroup::run(LaunchState &launchState, int64_t begin, int64_t end) {
  prepare(launchState);
  for (group = uint64_t(begin); group < uint64_t(end) && mayGoOn(); ++group) {
    isCounted = state->isCounted(group);
    if (isCounted || !launch().skipsOthers)
      runGroup();
  }
}

bool SimGroup::mayGoOn() const {
  return group < state->failedGroup.load(std::memory_order_relaxed);
}

void SimGroup::runGroup() {
  phase = 0;
  numEnded = 0;
  const SimTriple coordinates = coordinatesOf(group, launch().groups);
  for (uint32_t i = 0; i < numItems; ++i) {
    std::copy_n(coordinates.begin(), 3, items[i].group);
    items[i].state = State::Fresh;
    items[i].copies.clear();
    items[i].copyGroups.clear();
    items[i].order.clear();
    items[i].registers = getFirstRegisters();
    items[i].products.clear();
    items[i].productGroups.clear();
    items[i].hasFencedRegisters = items[i].hasFencedProxy = false;
    items[i].unfencedSince = 0;
    items[i].numStoreGroups = 0;
  }
  numAtNamedBarriers = numAtRegisters = 0;
  freeRegisters = 0;
  numProducts = 0;
  productReads.clear();
  reading.clear();
  stores.clear();
  mbarriers.clear();
  arrived.clear();
  if (launch().sharedBytes > 0) {
    std::memset(shared.get(), kPoison, launch().sharedBytes);
    sharedShadow.begin(launch().sharedBytes);
    numCopying = 0;
    copying.assign(launch().sharedBytes, 0);
  }
  for (uint32_t i = 0; i < numItems; ++i)
    items[i].epoch = sharedShadow.getPhase();
  Random random(launch().seed + (group << 32));
  turn.resize(numItems);
  std::iota(turn.begin(), turn.end(), 0u);
  do {
    permute(random);
    takeTurns();
  } while (mayGoOn() && numEnded < numItems && release());
  if (mayGoOn())
    (void)(endMbarriers() && endStores());
  if (isCounted) {
    SimCounts counts;
    counter.finish(counts, launch().memory);
    std::lock_guard<std::mutex> lock(state->mutex);
    state->counts.add(counts);
  }
  if (!mayGoOn())
    abandon();
}

/// Orders the items of a turn, which are in ascending order.
void SimGroup::permute(Random &random) {
  if (launch().seed == 1)
    std::reverse(turn.begin(), turn.end());
  else if (launch().seed > 1)
    for (uint32_t i = uint32_t(turn.size()); i > 1; --i)
      std::swap(turn[i - 1], turn[random.below(i)]);
}

/// Runs each item of the turn until it ends or waits.
void SimGroup::takeTurns() {
  for (position = 0; position < turn.size() && mayGoOn();) {
    current = &items[turn[position++]];
    if (current->state != State::Fresh) {
      current->fiber->resume();
    } else {
      takeFiber().start(runItems, this);
    }
    if (Fiber &fiber = *current->fiber; fiber.isIdle())
      idleFibers.push_back(&fiber);
  }
}

/// Runs the current item, and then those that follow and have not begun: if
/// items do not wait, one stack is enough, and nothing is switched.
void SimGroup::runItems(Fiber &fiber, void *argument) {
  SimGroup &group = *static_cast<SimGroup *>(argument);
  for (;;) {
    SimItem &item = *group.current;
    item.fiber = &fiber;
    group.launch().function(group.arguments, group.launch().values,
                            reinterpret_cast<int64_t>(&item), 0);
    item.state = State::Ended;
    ++group.numEnded;
    if (group.position == group.turn.size())
      return;
    SimItem &next = group.items[group.turn[group.position]];
    if (next.state != State::Fresh)
      return;
    group.current = &next;
    ++group.position;
  }
}

Fiber &SimGroup::takeFiber() {
  if (idleFibers.empty()) {
    fibers.push_back(std::make_unique<Fiber>(unsigned(fibers.size())));
    return *fibers.back();
  }
  Fiber &fiber = *idleFibers.back();
  idleFibers.pop_back();
  return fiber;
}

/// Ends a group whose items may be anywhere.
void SimGroup::abandon() {
  idleFibers.clear();
  for (const std::unique_ptr<Fiber> &fiber : fibers) {
    if (!fiber->isIdle())
      fiber->abandon();
    idleFibers.push_back(fiber.get());
  }
  std::fill(numAtShuffle.begin(), numAtShuffle.end(), 0);
}

//===----------------------------------------------------------------------===//
// Simulator
//===----------------------------------------------------------------------===//

Simulator::Simulator(HostThreads &threads)
    : threads(threads), stamps(std::make_unique<StampMemory>()) {}
Simulator::~Simulator() = default;

/// The state of a group that ran last: its memory is most likely in a cache.
std::unique_ptr<SimGroup> Simulator::take() {
  std::lock_guard<std::mutex> lock(mutex);
  if (idle.empty())
    return std::make_unique<SimGroup>();
  std::unique_ptr<SimGroup> group = std::move(idle.back());
  idle.pop_back();
  return group;
}

std::size_t Simulator::numStacks() {
  std::lock_guard<std::mutex> lock(mutex);
  std::size_t number = 0;
  for (const std::unique_ptr<SimGroup> &group : idle)
    number += group->numStacks();
  return number;
}

SimCounts Simulator::launch(const SimLaunch &launch) {
  LaunchState state(launch, *stamps);
  const auto &[groupsX, groupsY, groupsZ] = launch.groups;
  const int64_t numGroups = int64_t(groupsX) * groupsY * groupsZ;
  if (launch.countedGroups > 0) {
    state.countedGroups = uint64_t(launch.countedGroups);
    state.countedStep = uint64_t((numGroups - 1) / launch.countedGroups + 1);
  }
  const auto &[x, y, z] = launch.groupSize;
  // No more groups at once than there may be stacks.
  const int64_t maxParts = std::max<int64_t>(kMaxStacks / (x * y * z), 1);
  const int64_t grain =
      threads.number() > maxParts ? numGroups / maxParts + 1 : 1;
  threads.parallel(numGroups, grain, [&](int64_t begin, int64_t end) {
    std::unique_ptr<SimGroup> group = take();
    group->run(state, begin, end);
    std::lock_guard<std::mutex> lock(mutex);
    idle.push_back(std::move(group));
  });
  if (state.failedGroup == LaunchState::kNone)
    return state.counts;
  if (state.isBoundsError)
    throw IndexError(state.error);
  throw DeviceError(state.error);
}
