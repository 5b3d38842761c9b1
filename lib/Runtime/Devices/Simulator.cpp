//===- Simulator.cpp - GPU kernels on threads of the host -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Schedules the items of a group and checks barriers, shuffles and accesses.
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
#include "SimulatorMatrix.h"
#include "SimulatorShadow.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
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

/// What shared memory holds at the beginning of a group, so that kernels that
/// rely on zeros fail.
static constexpr int kPoison = 0xFE;
static constexpr std::size_t kSharedAlignment = 128;

/// A stack takes two mappings, of which Linux allows a process 65,530.
static constexpr int64_t kMaxStacks = 16384;

using Triple = std::array<uint32_t, 3>;

static std::string format(const Triple &triple) {
  return "(" + std::to_string(triple[0]) + ", " + std::to_string(triple[1]) +
         ", " + std::to_string(triple[2]) + ")";
}

/// The coordinates of a number, with x fastest.
static Triple coordinatesOf(uint64_t number, const Triple &extents) {
  return {uint32_t(number % extents[0]),
          uint32_t(number / extents[0] % extents[1]),
          uint32_t(number / extents[0] / extents[1])};
}

//===----------------------------------------------------------------------===//
// Launches and groups
//===----------------------------------------------------------------------===//

namespace {
/// What the groups of a launch have in common.
struct LaunchState {
  LaunchState(const SimLaunch &launch, StampMemory &memory)
      : launch(launch), shadow(memory) {}

  const SimLaunch &launch;
  GlobalShadow shadow;
  /// The first group with an error so far; those after it stop, so that the
  /// same error is reported however many threads there are.
  static constexpr uint64_t kNone = UINT64_MAX;
  std::atomic<uint64_t> failedGroup{kNone};
  /// Of each `countedStep` groups, the first one is counted; 0: none.
  uint64_t countedStep = 0;
  std::mutex mutex; // guards the members below
  SimCounts counts;
  // Of the error.
  std::string error;
  bool isBoundsError = false;
};

/// Random numbers (SplitMix64).
class Random {
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

struct FreeAligned {
  void operator()(char *memory) const {
    ::operator delete[](memory, std::align_val_t(kSharedAlignment));
  }
};
} // namespace

/// Runs one group at a time. Its items, stacks and memory are reused.
class tinygrad::detail::SimGroup {
public:
  /// The parameters of tg_sim_access.
  struct Access {
    int64_t base, index, count, size, elementBytes, flags, buffer;
  };

  /// Runs groups of a launch, by their numbers.
  void run(LaunchState &launchState, int64_t begin, int64_t end);

  std::size_t numStacks() const { return fibers.size(); }

  // For the functions that kernels call.
  void barrier(SimItem &item, int64_t site);
  int64_t shuffle(SimItem &item, int64_t bits, int64_t operand, int64_t mode,
                  int64_t width, int64_t site);
  void access(SimItem &item, const Access &access);
  void copy(SimItem &item, const SimItem::Copy &copy);
  void waitForCopies(SimItem &item, std::size_t count);

private:
  void prepare(LaunchState &launchState);
  void runGroup();
  void permute(Random &random);
  void takeTurns();
  static void runItems(Fiber &fiber, void *argument);
  Fiber &takeFiber();
  void abandon();
  bool mayGoOn() const;
  bool release();
  bool releaseSubgroup(uint32_t subgroup);
  bool exchangeMatrices(const SimItem &first, uint32_t begin, uint32_t end);
  bool checkCopies(std::size_t offset, std::size_t bytes, const SimItem &item,
                   const Access &access);
  void setReady(SimItem &item);
  int64_t sourceOf(const SimItem &item) const;

  std::pair<uint32_t, uint32_t> itemsOf(uint32_t subgroup) const;
  void wait(SimItem &item, State state, int64_t site);
  // Errors. Nothing that owns memory may be on the stack of an item that stops.
  void record(const std::string &error, bool isBoundsError = false);
  void recordMissing(const SimItem &waiting, const SimItem &missing);
  void recordBounds(const SimItem &item, const Access &access);
  void recordMisaligned(const SimItem &item, const Access &access,
                        std::uintptr_t alignment);
  void recordConflict(const SimItem &item, const Access &access,
                      const Conflict &conflict);
  [[noreturn]] void stop(SimItem &item);
  std::string nameOf(uint32_t item) const;
  std::string nameOfGroup(uint64_t number) const;
  std::string nameOfElement(const Access &access, int64_t element) const;

  const SimLaunch &launch() const { return state->launch; }

  LaunchState *state = nullptr;
  void **arguments = nullptr;     // buffers and shared memory
  std::vector<void *> withShared; // those of a launch that has shared memory
  std::unique_ptr<char[], FreeAligned> shared;
  std::size_t sharedCapacity = 0;

  uint32_t numItems = 0;
  std::unique_ptr<SimItem[]> items;
  uint32_t itemCapacity = 0;
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<Fiber *> idleFibers;

  // The current group.
  uint64_t group = 0;
  uint64_t phase = 0;         // barriers passed
  std::vector<uint32_t> turn; // the items that run in this turn, in order
  std::size_t position = 0;   // in `turn`, of the next item
  SimItem *current = nullptr; // the item that runs
  std::vector<uint32_t> numAtShuffle; // by subgroup
  uint32_t numEnded = 0;

  /// The bytes of shared memory that copies have not written yet: the number of
  /// the item, plus one.
  std::vector<uint16_t> copying;
  std::size_t numCopying = 0;

  bool isCounted = false;
  AccessCounter counter;

  SharedShadow sharedShadow;
  GlobalShadow::Cache cache;
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
    const Triple local = coordinatesOf(i, launch().groupSize);
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
    isCounted = state->countedStep != 0 && group % state->countedStep == 0;
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
  const Triple coordinates = coordinatesOf(group, launch().groups);
  for (uint32_t i = 0; i < numItems; ++i) {
    std::copy_n(coordinates.begin(), 3, items[i].group);
    items[i].state = State::Fresh;
    items[i].copies.clear();
    items[i].copyGroups.clear();
  }
  if (launch().sharedBytes > 0) {
    std::memset(shared.get(), kPoison, launch().sharedBytes);
    sharedShadow.begin(launch().sharedBytes);
    numCopying = 0;
    copying.assign(launch().sharedBytes, 0);
  }
  Random random(launch().seed + (group << 32));
  turn.resize(numItems);
  std::iota(turn.begin(), turn.end(), 0u);
  do {
    permute(random);
    takeTurns();
  } while (mayGoOn() && numEnded < numItems && release());
  if (isCounted) {
    SimCounts counts;
    counter.finish(counts);
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
  if (!turn.empty())
    return true;
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
  if (launch().sharedBytes > 0)
    sharedShadow.nextPhase();
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

bool SimGroup::releaseSubgroup(uint32_t subgroup) {
  const auto [begin, end] = itemsOf(subgroup);
  const SimItem *waiting = std::find_if(
      items.get() + begin, items.get() + end,
      [](const SimItem &i) { return i.state == State::AtShuffle; });
  for (uint32_t i = begin; i < end; ++i) {
    const SimItem &item = items[i];
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

static std::string describeWait(const SimItem &item);

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
// Accesses
//===----------------------------------------------------------------------===//

/// Whether no copy is about to write the bytes. Otherwise records an error.
bool SimGroup::checkCopies(std::size_t offset, std::size_t bytes,
                           const SimItem &item, const Access &access) {
  const auto begin = copying.begin() + std::ptrdiff_t(offset),
             end = begin + std::ptrdiff_t(bytes);
  const auto found =
      std::find_if(begin, end, [](uint16_t i) { return i != 0; });
  if (found == end)
    return true;
  record(nameOf(item.number) + " of " + nameOfGroup(group) + " " +
         (access.flags & SimWrite ? "writes " : "reads ") +
         nameOfElement(access, access.index + int64_t(found - begin) /
                                                  access.elementBytes) +
         ", which a copy writes that " + nameOf(*found - 1u) +
         " has not waited for");
  return false;
}

inline void SimGroup::access(SimItem &item, const Access &access) {
  const auto &[base, index, count, size, elementBytes, flags, buffer] = access;
  if (index < 0 || count < 0 || index > size - count) [[unlikely]] {
    recordBounds(item, access);
    stop(item);
  }
  if (flags & SimPrivate)
    return;
  const bool isUpdate = flags & SimUpdate;
  const AccessKind kind = {isUpdate || !(flags & SimWrite),
                           isUpdate || flags & SimWrite};
  const auto address = std::uintptr_t(base + index * elementBytes);
  const auto bytes = std::size_t(count * elementBytes);
  if (const auto alignment = std::uintptr_t(1)
                             << (flags >> kSimAlignmentBit & 63);
      address % alignment != 0) [[unlikely]] {
    recordMisaligned(item, access, alignment);
    stop(item);
  }
  if (isCounted) [[unlikely]] {
    // As on a GPU, where memory begins at a line, whatever the host's does.
    const auto begin = std::uintptr_t(base) % kMemoryAlignment;
    const std::uintptr_t place =
        flags & SimShared
            ? address
            : (std::uintptr_t(buffer) << 48) + begin + index * elementBytes;
    counter.record(item.number, item.subgroup, uint32_t(flags >> kSimSiteBit),
                   place, uint32_t(bytes), kind.writes, flags & SimShared);
  }
  Conflict conflict;
  if (flags & SimShared) {
    const std::uintptr_t offset =
        address - reinterpret_cast<std::uintptr_t>(shared.get());
    const std::size_t sharedBytes = launch().sharedBytes;
    if (offset > sharedBytes || bytes > sharedBytes - offset) [[unlikely]] {
      record(nameOf(item.number) + " of " + nameOfGroup(group) +
                 " accesses a tile that is not in the " +
                 std::to_string(sharedBytes) + " bytes of shared memory",
             /*isBoundsError=*/true);
      stop(item);
    }
    if (numCopying > 0 && !checkCopies(offset, bytes, item, access))
      stop(item);
    if (sharedShadow.access(offset, bytes, kind, item.number, conflict))
        [[likely]] {
      if (flags & SimAsync) {
        std::fill_n(copying.begin() + std::ptrdiff_t(offset), bytes,
                    uint16_t(item.number + 1));
        numCopying += bytes;
      }
      return;
    }
  } else if (state->shadow.access(
                 cache, address, bytes, std::size_t(elementBytes), kind,
                 GlobalShadow::stamp(group, phase, item.number), conflict))
      [[likely]] {
    return;
  }
  recordConflict(item, access, conflict);
  stop(item);
}

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
    sharedShadow.access(offset, bytes, {false, true}, item.number, conflict);
  }
  item.copies.erase(item.copies.begin(),
                    item.copies.begin() + std::ptrdiff_t(done));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void SimGroup::record(const std::string &error, bool isBoundsError) {
  std::lock_guard<std::mutex> lock(state->mutex);
  if (!mayGoOn())
    return;
  state->error = "kernel " + launch().kernel + ": " + error;
  state->isBoundsError = isBoundsError;
  state->failedGroup = group;
}

/// Stops an item after an error was recorded: its group will be abandoned.
void SimGroup::stop(SimItem &item) {
  item.fiber->suspend();
  std::abort();
}

std::string SimGroup::nameOf(uint32_t item) const {
  return "work item " + format(coordinatesOf(item, launch().groupSize));
}

std::string SimGroup::nameOfGroup(uint64_t number) const {
  return "group " + format(coordinatesOf(number, launch().groups));
}

std::string SimGroup::nameOfElement(const Access &access,
                                    int64_t element) const {
  std::string name = "element " + std::to_string(element) + " of ";
  if (access.flags & SimShared)
    return name + "the tile at byte " +
           std::to_string(access.base -
                          reinterpret_cast<int64_t>(shared.get())) +
           " of shared memory";
  if (access.buffer >= 0)
    return name + "buffer " + std::to_string(access.buffer);
  return name + (access.flags & SimPrivate ? "a private tile" : "a tile");
}

static std::string describeWait(const SimItem &item) {
  switch (item.state) {
  case State::AtBarrier:
    return "waits at barrier " + std::to_string(item.site);
  case State::AtShuffle: {
    if (item.mode == SimMultiply)
      return "waits at matrix operation " + std::to_string(item.site) + " (" +
             std::string(kMatrixUnits[item.width].name) + ")";
    if (item.mode > SimMultiply)
      return "waits at ldmatrix " + std::to_string(item.site);
    static constexpr const char *modes[] = {"xor", "up", "down", "idx"};
    return "waits at shuffle " + std::to_string(item.site) + " (" +
           modes[item.mode & 3] + ", width " + std::to_string(item.width) + ")";
  }
  default:
    return "has ended";
  }
}

void SimGroup::recordMissing(const SimItem &waiting, const SimItem &missing) {
  const bool isShuffle = waiting.state == State::AtShuffle;
  record(nameOf(waiting.number) + " of " + nameOfGroup(group) + " " +
         describeWait(waiting) + ", but " + nameOf(missing.number) +
         (isShuffle ? " of its subgroup" : "") + " does not come: it " +
         describeWait(missing));
}

void SimGroup::recordBounds(const SimItem &item, const Access &access) {
  const bool isBefore = access.index < 0 || access.count < 0;
  const int64_t element =
      isBefore ? access.index : std::max(access.index, access.size);
  record(nameOf(item.number) + " of " + nameOfGroup(group) + " " +
             (access.flags & SimWrite ? "writes " : "reads ") +
             nameOfElement(access, element) + ", which has " +
             std::to_string(access.size) + " elements",
         /*isBoundsError=*/true);
}

void SimGroup::recordMisaligned(const SimItem &item, const Access &access,
                                std::uintptr_t alignment) {
  record(nameOf(item.number) + " of " + nameOfGroup(group) + " " +
         (access.flags & SimWrite ? "writes " : "reads ") +
         std::to_string(access.count) + " elements at once from " +
         nameOfElement(access, access.index) +
         " on, whose address is not a multiple of " +
         std::to_string(alignment) + " bytes");
}

void SimGroup::recordConflict(const SimItem &item, const Access &access,
                              const Conflict &conflict) {
  std::string text =
      nameOf(item.number) + " of " + nameOfGroup(group) + " " +
      (access.flags & SimUpdate  ? "updates "
       : access.flags & SimWrite ? "writes "
                                 : "reads ") +
      nameOfElement(access, access.index +
                                int64_t(conflict.offset) / access.elementBytes);
  switch (conflict.kind) {
  case Conflict::Kind::NoMemory:
    text += ": no memory is left to record it for finding races";
    break;
  case Conflict::Kind::Uninitialized:
    text += ", which no work item of the group has written";
    break;
  case Conflict::Kind::Race:
    text += ", which ";
    if (conflict.isOtherGroup && conflict.isOneOfSeveral)
      text += "other groups read as well (" + nameOf(conflict.item) + " of " +
              nameOfGroup(conflict.group) +
              " was the first): groups are not ordered";
    else if (conflict.isOtherGroup)
      text += nameOf(conflict.item) + " of " + nameOfGroup(conflict.group) +
              (conflict.isWrite ? " writes" : " reads") +
              " as well: groups are not ordered";
    else
      text += (conflict.isOneOfSeveral ? "several work items of the group"
                                       : nameOf(conflict.item)) +
              (conflict.isWrite ? " wrote" : " read") +
              " without a barrier in between";
    text = "race: " + text;
    break;
  }
  record(text);
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
  if (launch.countedGroups > 0)
    state.countedStep = uint64_t((numGroups - 1) / launch.countedGroups + 1);
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

int64_t tg_sim_access(int64_t item, int64_t base, int64_t index, int64_t count,
                      int64_t size, int64_t elementBytes, int64_t flags,
                      int64_t buffer) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->access(self,
                     {base, index, count, size, elementBytes, flags, buffer});
  return index;
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
