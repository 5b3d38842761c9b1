//===- SimulatorOrderTest.cpp - items that only copy, simulated -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Boxes that one item copies and others read, with no barrier of the group in
/// between: mbarriers say which buffers are full, and others which are empty.
/// And the registers that warpgroups give back and take.
///
//===----------------------------------------------------------------------===//

#include "HostThreads.h"
#include "Simulator.h"
#include "SimulatorBoxes.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <string>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::detail;
using namespace tinygrad::testing::simulator;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

namespace {
/// What a kernel leaves out or does otherwise.
enum Mistake : int64_t {
  None,
  OneArrives,   ///< no mistake: for all, after a barrier of those that read
  NoBarrier,    ///< the same without that barrier
  NoWait,       ///< for an empty buffer
  OtherParity,  ///< of that wait: the buffer before is empty
  NoArrival,    ///< of one item that has read
  EarlyArrival, ///< of one item, before it reads
  FewArrivals,  ///< end a phase: one item fewer than read
  ManyArrivals,
  SmallBarrier, ///< of fewer items than come
  LargeBarrier,
  OddBarrier, ///< not of whole subgroups
  NoSuchBarrier,
  OtherBarrier, ///< for some of the items
};

constexpr int64_t kRows = 40, kBoxes = 7, kStages = 2;
/// Items that read, and those of the subgroup after them, one of which copies.
constexpr uint32_t kReaders = 64, kItems = kReaders + 32;

/// Copies boxes of buffer 0, one after the other to one of two stages, to
/// buffer 1. The value is a mistake.
void copyBoxes(void **buffers, const int64_t *values, int64_t item, int64_t) {
  const int64_t mistake = values[0];
  const bool oneArrives =
      mistake == OneArrives || mistake >= SmallBarrier || mistake == NoBarrier;
  const int64_t number = reinterpret_cast<SimItem *>(item)->local[0];
  auto *shared = static_cast<uint16_t *>(buffers[2]);
  auto *result = static_cast<uint16_t *>(buffers[1]);
  const SimTensorMap map = getMap(buffers[0], kRows, /*isSwizzled=*/true);
  constexpr int64_t full = 0, empty = kStages;
  if (number == kReaders) {
    for (int64_t i = 0; i < kStages; ++i) {
      tg_sim_init_mbarrier(item, full, kStages, i, 1);
      tg_sim_init_mbarrier(item, empty, kStages, i,
                           oneArrives                ? 1
                           : mistake == FewArrivals  ? kReaders - 1
                           : mistake == ManyArrivals ? kReaders + 1
                                                     : kReaders);
    }
    tg_sim_fence_mbarriers(item);
  }
  tg_sim_barrier(item, 0);
  if (number == kReaders)
    for (int64_t box = 0; box < kBoxes; ++box) {
      const int64_t stage = box % kStages, phase = box / kStages;
      if (mistake != NoWait)
        tg_sim_wait_for_phase(item, empty, kStages, stage,
                              (phase + (mistake != OtherParity)) & 1, 1);
      tg_sim_arrive(item, full, kStages, stage, kBoxBytes);
      tg_sim_copy_box(item, address(&map), box % 2 * kBoxColumns,
                      box / 2 * kBoxRows, stage * kBoxBytes, full, kStages,
                      stage, 2);
    }
  if (number >= kReaders)
    return;
  for (int64_t box = 0; box < kBoxes; ++box) {
    const int64_t stage = box % kStages;
    const bool isLast = number == 40;
    tg_sim_wait_for_phase(item, full, kStages, stage, box / kStages & 1, 3);
    if (mistake == EarlyArrival && isLast)
      tg_sim_arrive(item, empty, kStages, stage, 0);
    for (int64_t i = number; i < kBoxElements; i += kReaders) {
      const int64_t place =
          stage * kBoxElements + getPlace(i, /*isSwizzled=*/true);
      tg_sim_access(item, address(shared), place, 1, kStages * kBoxElements, 2,
                    SimShared, -1);
      result[box * kBoxElements + i] = shared[place];
    }
    if (oneArrives && mistake != NoBarrier)
      tg_sim_named_barrier(item,
                           mistake == NoSuchBarrier            ? 16
                           : mistake == OtherBarrier && isLast ? 2
                                                               : 1,
                           mistake == SmallBarrier   ? 32
                           : mistake == LargeBarrier ? kItems
                           : mistake == OddBarrier   ? 60
                                                     : kReaders,
                           4);
    if (oneArrives
            ? number == 0
            : !isLast || (mistake != NoArrival && mistake != EarlyArrival))
      tg_sim_arrive(item, empty, kStages, stage, 0);
  }
}

/// Launches one group; returns the error, if there is one.
std::string launch(CpuKernelFunction function, uint32_t items,
                   std::vector<void *> buffers,
                   const std::vector<int64_t> &values, uint64_t seed,
                   std::size_t bytes = std::size_t(kStages * kBoxBytes)) {
  static HostThreads threads(1);
  static Simulator simulator(threads);
  const std::string name = "k";
  try {
    simulator.launch({name,
                      function,
                      {1, 1, 1},
                      {items, 1, 1},
                      32,
                      bytes,
                      buffers.data(),
                      buffers.size(),
                      values.data(),
                      seed});
  } catch (const Error &caught) {
    return caught.what();
  }
  return "";
}

/// Runs it; returns the error, if there is one. Otherwise the result is right.
std::string run(Mistake mistake, uint64_t seed = 3) {
  auto *from = static_cast<uint16_t *>(
      std::aligned_alloc(64, std::size_t(kRows * kColumns) * 2));
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    from[i] = uint16_t(i + 1);
  std::vector<uint16_t> to(std::size_t(kBoxes * kBoxElements), 0xffff);
  std::string error =
      launch(copyBoxes, kItems, {from, to.data()}, {mistake}, seed);
  for (int64_t i = 0; error.empty() && i < kBoxes * kBoxElements; ++i) {
    const int64_t box = i / kBoxElements, place = i % kBoxElements;
    const int64_t row = box / 2 * kBoxRows + place / kBoxColumns,
                  column = box % 2 * kBoxColumns + place % kBoxColumns;
    EXPECT_EQ(to[std::size_t(i)], row < kRows && column < kColumns
                                      ? from[row * kColumns + column]
                                      : 0)
        << i;
  }
  std::free(from);
  return error;
}

/// How a kernel sets registers.
enum Registers : int64_t {
  Right,       ///< 40, 232 and 232
  TooMany,     ///< 40, 240 and 240
  NoDecrease,  ///< none is given back
  NotOfEight,  ///< 42
  TooFew,      ///< 16
  Above,       ///< 264
  Backwards,   ///< an increase to fewer
  Forwards,    ///< a decrease to more
  NotAllWarps, ///< one subgroup does not come
  Different,   ///< one subgroup sets another number
};

/// Three warpgroups; the last one gives registers back.
void setRegisters(void **, const int64_t *values, int64_t item, int64_t) {
  const int64_t mistake = values[0];
  const int64_t number = reinterpret_cast<SimItem *>(item)->local[0];
  if (number >= 256) {
    if (mistake != NoDecrease)
      tg_sim_set_registers(item,
                           mistake == NotOfEight ? 42
                           : mistake == TooFew   ? 16
                           : mistake == Forwards ? 176
                                                 : 40,
                           /*isIncrease=*/0, 5);
    return;
  }
  const bool isOther = number >= 32 && number < 64;
  if (mistake == NotAllWarps && isOther)
    return;
  tg_sim_set_registers(item,
                       mistake == TooMany                ? 240
                       : mistake == Above                ? 264
                       : mistake == Backwards            ? 160
                       : mistake == Different && isOther ? 224
                                                         : 232,
                       /*isIncrease=*/1, 6);
}

std::string set(Registers mistake, uint32_t items = 384, uint64_t seed = 3) {
  return launch(setRegisters, items, {}, {mistake}, seed, /*bytes=*/0);
}
} // namespace

TEST(Order, followsFromArrivals) {
  for (uint64_t seed : {0, 1, 2, 3, 4, 5, 6, 7}) {
    EXPECT_EQ(run(None, seed), "") << seed;
    EXPECT_EQ(run(OneArrives, seed), "") << seed;
  }
}

// In each order of items: what is missing is found even where items happen to
// run as if it were not.
TEST(Order, isMissed) {
  const char *const race = "copies a box to byte ";
  const auto isRace = AllOf(
      HasSubstr(race), AnyOf(HasSubstr("read without a barrier in between"),
                             HasSubstr("has not waited")));
  for (uint64_t seed : {0, 1, 2, 3, 4, 5, 6, 7}) {
    EXPECT_THAT(run(NoWait, seed),
                AnyOf(isRace, HasSubstr("arrives at mbarrier 0 once more than "
                                        "its 1 arrivals")))
        << seed;
    EXPECT_THAT(
        run(NoBarrier, seed),
        AllOf(HasSubstr(race), HasSubstr("read without a barrier in between")))
        << seed;
    EXPECT_THAT(
        run(EarlyArrival, seed),
        AllOf(HasSubstr(race), HasSubstr("read without a barrier in between")))
        << seed;
    EXPECT_THAT(run(FewArrivals, seed),
                AnyOf(isRace, HasSubstr("arrives at mbarrier")))
        << seed;
    EXPECT_NE(run(OtherParity, seed), "") << seed;
  }
}

TEST(Order, neverComes) {
  EXPECT_THAT(run(NoArrival),
              HasSubstr("waits for mbarrier 2 at 1, whose phase 0 misses 1 of "
                        "64 arrivals"));
  EXPECT_THAT(run(ManyArrivals),
              HasSubstr("whose phase 0 misses 1 of 65 arrivals"));
  EXPECT_THAT(
      run(OtherParity),
      HasSubstr("waits for mbarrier 2 at 1, whose phase 0 misses 64 of 64 "
                "arrivals"));
}

TEST(Order, followsFromBarriersOfSomeItems) {
  EXPECT_THAT(run(SmallBarrier),
              HasSubstr("waits at barrier 4 (number 1, of 32 work items), to "
                        "which 64 come"));
  EXPECT_THAT(run(LargeBarrier),
              HasSubstr("waits at barrier 4 (number 1, of 96 work items), to "
                        "which only 64 come"));
  EXPECT_THAT(run(OtherBarrier), HasSubstr("to which only 63 come"));
  EXPECT_THAT(run(OddBarrier),
              HasSubstr("waits at barrier number 1 of 60 work items: numbers "
                        "are from 1 to 15, and items are those of whole "
                        "subgroups"));
  EXPECT_THAT(run(NoSuchBarrier), HasSubstr("waits at barrier number 16"));
}

TEST(Registers, areGivenBackAndTaken) {
  for (uint64_t seed : {0, 1, 2, 3, 4})
    EXPECT_EQ(set(Right, 384, seed), "") << seed;
  EXPECT_THAT(set(TooMany),
              AllOf(HasSubstr("sets 240 registers at 6, which its warpgroup "
                              "does not get: it has 168 for each item"),
                    HasSubstr("of the 9216 that it takes")));
  EXPECT_THAT(set(NoDecrease),
              HasSubstr("others have given back 0 of the 8192 that it takes"));
}

TEST(Registers, areWhatTheHardwareTakes) {
  const char *const wrong = "which is not a multiple of 8 between 24 and 256";
  EXPECT_THAT(set(NotOfEight), HasSubstr(wrong));
  EXPECT_THAT(set(TooFew), HasSubstr(wrong));
  EXPECT_THAT(set(Above), HasSubstr(wrong));
  EXPECT_THAT(set(Backwards), HasSubstr("sets 160 registers at 6 by an "
                                        "increase, but has 168"));
  EXPECT_THAT(set(Forwards), HasSubstr("sets 176 registers at 5 by a decrease, "
                                       "but has 168"));
}

TEST(Registers, areThoseOfWarpgroups) {
  EXPECT_THAT(set(NotAllWarps),
              AllOf(HasSubstr("sets 232 registers at 6, but work item (32, 0, "
                              "0) does not come: it has ended")));
  EXPECT_THAT(set(Different), HasSubstr("does not come: it sets 224"));
  EXPECT_THAT(set(Right, 352), HasSubstr("but it is not one of 128"));
}
