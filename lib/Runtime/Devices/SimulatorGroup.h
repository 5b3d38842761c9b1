//===- SimulatorGroup.h - a group of a simulated launch ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A group while it runs: the turns of its items, what they exchange and
/// access, and errors.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORGROUP_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORGROUP_H

#include "Fibers.h"
#include "Simulator.h"
#include "SimulatorCounts.h"
#include "SimulatorShadow.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad::detail {

/// What memory holds that the kernel may not rely on, so that kernels that
/// expect zeros fail.
inline constexpr int kPoison = 0xFE;

/// The coordinates of a group or an item, or extents.
using SimTriple = std::array<uint32_t, 3>;

/// The coordinates of a number, with x fastest.
inline SimTriple coordinatesOf(uint64_t number, const SimTriple &extents) {
  return {uint32_t(number % extents[0]),
          uint32_t(number / extents[0] % extents[1]),
          uint32_t(number / extents[0] / extents[1])};
}

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
  /// Of each `countedStep` groups, one is counted; 0: none. It is the first one
  /// of the first step and a later one in each of the `countedGroups` steps:
  /// groups at equal distances often compute the same columns, such as those at
  /// the edge of an image.
  uint64_t countedStep = 0, countedGroups = 0;
  bool isCounted(uint64_t group) const {
    return countedStep != 0 && group % countedStep == group / countedStep *
                                                          countedStep /
                                                          countedGroups;
  }
  std::mutex mutex; // guards the members below
  SimCounts counts;
  // Of the error.
  std::string error;
  bool isBoundsError = false;
};

/// Runs one group at a time. Its items, stacks and memory are reused.
class SimGroup {
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
  void namedBarrier(SimItem &item, int64_t number, int64_t count, int64_t site);
  void setRegisters(SimItem &item, int64_t count, bool isIncrease,
                    int64_t site);
  int64_t shuffle(SimItem &item, int64_t bits, int64_t operand, int64_t mode,
                  int64_t width, int64_t site);
  void access(SimItem &item, const Access &access);
  void copy(SimItem &item, const SimItem::Copy &copy);
  void waitForCopies(SimItem &item, std::size_t count);
  void multiplyShared(SimItem &item, int64_t unit, int64_t transposed,
                      int64_t a, int64_t b, int64_t sum, int64_t site);
  void commitProducts(SimItem &item);
  void waitForProducts(SimItem &item, std::size_t count);
  void readSum(SimItem &item);
  /// An mbarrier as kernels name it: one of an array.
  struct MbarrierName {
    int64_t first, count, number;
    std::size_t get() const { return std::size_t(first + number); }
  };
  void initMbarrier(SimItem &item, const MbarrierName &name, int64_t arrivals);
  void fenceMbarriers(SimItem &item);
  void arrive(SimItem &item, const MbarrierName &name, int64_t bytes);
  void waitForPhase(SimItem &item, const MbarrierName &name, int64_t parity,
                    int64_t site);
  void copyBox(SimItem &item, const SimTensorMap &map, int64_t x, int64_t y,
               int64_t destination, const MbarrierName &name, int64_t site);
  void storeBox(SimItem &item, const SimTensorMap &map, int64_t x, int64_t y,
                int64_t source, int64_t site);
  void commitStores(SimItem &item);
  void waitForStores(SimItem &item, std::size_t count);

private:
  void prepare(LaunchState &launchState);
  void runGroup();
  class Random;
  void permute(Random &random);
  void takeTurns();
  static void runItems(Fiber &fiber, void *argument);
  Fiber &takeFiber();
  void abandon();
  bool mayGoOn() const;
  bool release();
  bool releaseSubgroup(uint32_t subgroup);
  bool exchangeMatrices(const SimItem &first, uint32_t begin, uint32_t end);
  /// What the subgroups of a warpgroup do: products that read shared memory.
  bool releaseWarpgroup(const SimItem &waiting);
  bool multiplyWarpgroup(uint32_t begin);
  bool readProductElement(std::size_t offset, std::size_t bytes, uint32_t begin,
                          int64_t site);
  bool isProductOver(std::size_t offset, const SimItem &item) const;
  bool checkReads(std::size_t offset, std::size_t bytes, const SimItem &item,
                  const Access &access);
  /// Notes that the item wrote shared memory.
  void noteWrite(SimItem &item) {
    if (item.unfencedSince == 0)
      item.unfencedSince = item.epoch;
    item.hasFencedProxy = false;
  }
  bool checkCopies(std::size_t offset, std::size_t bytes, const SimItem &item,
                   const Access &access);
  // Mbarriers and what they count.
  struct Mbarrier;
  Mbarrier *findMbarrier(const SimItem &item, const MbarrierName &name,
                         const char *does);
  bool checkMap(const SimItem &item, const SimTensorMap &map, bool isWrite);
  bool writeBox(const SimItem &item, std::size_t begin, std::size_t bytes);
  bool accessBox(const SimItem &item, const SimTensorMap &map, int64_t x,
                 int64_t y, bool isWrite, int64_t site);
  bool findBox(const SimItem &item, const SimTensorMap &map, int64_t place,
               bool isWrite);
  // Stores of boxes.
  bool readStoredElement(const SimItem &item, std::size_t offset,
                         std::size_t bytes);
  bool checkFencedProxy(std::size_t offset, const std::string &what);
  void landStore(std::size_t number);
  bool endStores();
  void endPhaseIfComplete(Mbarrier &mbarrier);
  bool isPhaseOver(const SimItem &item) const;
  void acquirePhases(SimItem &item, std::size_t number);
  bool releaseMbarriers();
  void landBoxes(std::size_t number);
  std::string describeStuck(const SimItem &item) const;
  void recordStuck();
  bool hasSeenArrival(std::size_t offset, const SimItem &item) const;
  bool checkArrivals(std::size_t offset, std::size_t bytes, const SimItem &item,
                     const Access &access);
  std::string nameOfArrival(std::size_t offset) const;
  bool endMbarriers();
  // Order among some items, and registers.
  ShadowItem toShadow(const SimItem &item) const {
    return {item.number, item.epoch,
            item.order.items.empty() ? nullptr : &item.order.items};
  }
  void releaseOrder(SimItem &item, SimOrder &to);
  void orderAll();
  bool releaseNamedBarriers();
  int64_t getFirstRegisters() const;
  bool releaseRegisters();
  bool recordIncomplete();
  /// Whether an item waits for something else than for others at the place of
  /// its subgroup or warpgroup, or for all.
  static bool mayStillCome(const SimItem &item) {
    return item.state == SimItem::State::AtMbarrier ||
           item.state == SimItem::State::AtNamedBarrier ||
           item.state == SimItem::State::AtRegisters;
  }
  void setReady(SimItem &item);
  int64_t sourceOf(const SimItem &item) const;

  std::pair<uint32_t, uint32_t> itemsOf(uint32_t subgroup) const;
  void wait(SimItem &item, SimItem::State state, int64_t site);
  // Errors. Nothing that owns memory may be on the stack of an item that stops.
  void record(const std::string &error, bool isBoundsError = false);
  void recordMissing(const SimItem &waiting, const SimItem &missing);
  void recordBounds(const SimItem &item, const Access &access);
  void recordMisaligned(const SimItem &item, const Access &access,
                        std::uintptr_t alignment);
  void recordConflict(const SimItem &item, const Access &access,
                      const Conflict &conflict);
  [[noreturn]] void stop(SimItem &item);
  static std::string describeWait(const SimItem &item);
  std::string nameOf(uint32_t item) const;
  std::string nameOfGroup(uint64_t number) const;
  std::string nameOfElement(const Access &access, int64_t element) const;

  const SimLaunch &launch() const { return state->launch; }

  static constexpr std::size_t kSharedAlignment = 128;
  struct FreeAligned {
    void operator()(char *memory) const {
      ::operator delete[](memory, std::align_val_t(kSharedAlignment));
    }
  };

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
  uint32_t numAtNamedBarriers = 0, numAtRegisters = 0;
  int64_t freeRegisters = 0; ///< that warpgroups have given back

  /// The bytes of shared memory that copies have not written yet: the number of
  /// the item, plus one.
  std::vector<uint16_t> copying;
  std::size_t numCopying = 0;

  /// The products that have begun, and by warpgroup, for each byte of shared
  /// memory, how many had when the last one of the warpgroup that reads it had;
  /// empty as long as there was none.
  uint32_t numProducts = 0;
  std::vector<std::vector<uint32_t>> productReads;
  /// By byte of shared memory, how many stores of boxes read it; empty as long
  /// as the group has had none.
  std::vector<uint16_t> reading;

  /// A copy that has begun.
  struct BoxCopy {
    SimTensorMap map;
    int64_t x, y;
    std::size_t destination;
    uint32_t item;
  };
  struct Mbarrier {
    bool isInitialized = false, isFenced = false;
    uint32_t initializer = 0; ///< an item
    uint64_t fencedIn = 0;    ///< phase of the group
    /// Arrivals that end a phase, and those that the current one misses.
    int64_t arrivals = 0, missing = 0;
    int64_t bytes = 0; ///< that are still to come
    uint32_t ended = 0;
    /// What is ordered before the end of the current phase, by arrivals so far,
    /// and before those that have ended.
    SimOrder arrivedBefore, endedBefore;
    std::vector<BoxCopy> copies;
  };
  std::vector<Mbarrier> mbarriers;
  /// By byte of shared memory, the mbarrier that counted it when it came, plus
  /// one, and how many phases had ended then; empty as long as the group has no
  /// mbarrier.
  struct Arrival {
    uint32_t mbarrier = 0, ended = 0;
  };
  std::vector<Arrival> arrived;

  /// A store of a box that its item has not waited for.
  struct BoxStore {
    SimTensorMap map;
    int64_t x, y;
    std::size_t source;
    uint32_t item;
    std::size_t storeGroup; ///< the number of its group among the item's
  };
  std::vector<BoxStore> stores;

  bool isCounted = false;
  AccessCounter counter;

  SharedShadow sharedShadow;
  GlobalShadow::Cache cache;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORGROUP_H
