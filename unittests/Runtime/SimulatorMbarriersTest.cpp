//===- SimulatorMbarriersTest.cpp - copies of boxes on the simulated GPU --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Copies of boxes that mbarriers count, and what kernels may forget around
/// them.
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
using ::testing::HasSubstr;

namespace {
/// What a kernel leaves out or does otherwise.
enum Mistake : int64_t {
  None,
  NoInit,
  SecondInit,
  NoArrivals,   ///< an mbarrier for none
  NoFence,      ///< after the initialization
  FenceTooLate, ///< after the barrier
  NoInitBarrier,
  OtherMbarrier, ///< one behind the array
  NoWait,        ///< of one item, which reads what has come
  WaitForOther,  ///< the mbarrier of the next copy
  NoWaitAtAll,   ///< what has not come is read
  OldParity,     ///< the wait is for the phase before
  MoreBytes,     ///< are announced than come
  FewerBytes,
  NoBytes, ///< an arrival that announces none
  NoArrival,
  SecondArrival, ///< by another item
  HugeArrival,   ///< more bytes than an mbarrier counts
  NoBarrier,     ///< between reads and the next copy
  WriteBefore,   ///< of an item, to what is copied
  WriteUnfenced, ///< the same, a barrier before the copy
  SameTarget,    ///< two copies to the same bytes
  NotRead,       ///< nobody waits for the last copy
  TargetOff,     ///< to an address that is no multiple of 128
  TargetBehind,  ///< of shared memory
  MapBehind,     ///< the map is larger than the buffer
  MapStride,     ///< of rows
  MapBase,
  MapBox,
  MapSwizzle,
  MapSwizzledRow,
  OneWaits, ///< the others meet it at a barrier
};

constexpr int64_t kRows = 40, kBoxes = 5, kStages = 2;
constexpr uint32_t kItems = 64;

/// Copies boxes of buffer 0, one after the other to one of two stages, to
/// buffer 1. The values are a mistake and whether boxes are swizzled.
void copyBoxes(void **buffers, const int64_t *values, int64_t item, int64_t) {
  const int64_t mistake = values[0];
  const bool isSwizzled = values[1] != 0;
  auto *self = reinterpret_cast<SimItem *>(item);
  const int64_t number = self->local[0];
  auto *shared = static_cast<uint16_t *>(buffers[2]);
  auto *result = static_cast<uint16_t *>(buffers[1]);
  SimTensorMap map = getMap(buffers[0], kRows, isSwizzled);
  if (mistake == MapBehind)
    ++map.sizes[1];
  if (mistake == MapStride)
    map.stride = map.sizes[0] = kColumns - 4;
  if (mistake == MapBase)
    map.base += 2;
  if (mistake == MapBox)
    map.box[1] = 257;
  if (mistake == MapSwizzle)
    map.swizzleBytes = 64;
  if (mistake == MapSwizzledRow)
    map.box[0] = 32;
  // The second array of two.
  constexpr int64_t first = 3;
  auto write = [&](int64_t index) {
    tg_sim_access(item, address(shared), index, 1, kStages * kBoxElements, 2,
                  SimShared | SimWrite, -1);
    shared[index] = 7;
  };
  if (number == 0) {
    for (int64_t i = 0; i < kStages && mistake != NoInit; ++i)
      tg_sim_init_mbarrier(item, first, kStages, i, mistake != NoArrivals);
    if (mistake == SecondInit)
      tg_sim_init_mbarrier(item, first, kStages, 1, 1);
    if (mistake != NoFence && mistake != FenceTooLate)
      tg_sim_fence_mbarriers(item);
  }
  if (mistake == WriteBefore && number == 5)
    write(11);
  if (mistake == WriteUnfenced && number == 5)
    write(11);
  if (mistake == WriteUnfenced)
    tg_sim_barrier(item, 8);
  if (mistake != NoInitBarrier)
    tg_sim_barrier(item, 0);
  if (mistake == FenceTooLate && number == 0)
    tg_sim_fence_mbarriers(item);
  auto begin = [&](int64_t box) {
    if (number != 0 || box >= kBoxes)
      return;
    const int64_t stage = box % kStages;
    const int64_t to = mistake == SameTarget ? 0 : stage;
    if (mistake != NoArrival)
      tg_sim_arrive(item, first, kStages,
                    mistake == OtherMbarrier ? kStages : stage,
                    mistake == MoreBytes     ? kBoxBytes + 128
                    : mistake == FewerBytes  ? kBoxBytes - 128
                    : mistake == NoBytes     ? 0
                    : mistake == HugeArrival ? 1 << 20
                                             : kBoxBytes);
    // The last rows and columns are not all in the matrix.
    tg_sim_copy_box(
        item, address(&map), box % 2 * kBoxColumns, box / 2 * kBoxRows,
        to * kBoxBytes + (mistake == TargetOff      ? 64
                          : mistake == TargetBehind ? kStages * kBoxBytes
                                                    : 0),
        first, kStages, stage, 9);
    if (mistake == SecondArrival)
      tg_sim_arrive(item, first, kStages, stage, 0);
  };
  begin(0);
  for (int64_t box = 0; box < kBoxes; ++box) {
    const bool isFirst = box == 0;
    if (isFirst ? mistake != NoInitBarrier && mistake != FenceTooLate
                : mistake != NoBarrier)
      tg_sim_barrier(item, 1);
    begin(box + 1);
    const int64_t stage = box % kStages;
    const bool isLast = box + 1 == kBoxes;
    if (mistake == NotRead && isLast)
      return;
    const bool waits = mistake == NoWaitAtAll ? false
                       : mistake == NoWait    ? number != 40
                       : mistake == OneWaits  ? number == 3
                                              : true;
    const int64_t awaited =
        mistake == WaitForOther && number == 40 && isFirst ? box + 1 : box;
    if (waits)
      tg_sim_wait_for_phase(item, first, kStages, awaited % kStages,
                            (awaited / kStages + (mistake == OldParity)) & 1,
                            2);
    if (mistake == OneWaits)
      tg_sim_barrier(item, 3);
    for (int64_t i = number; i < kBoxElements; i += kItems) {
      const int64_t place = stage * kBoxElements + getPlace(i, isSwizzled);
      tg_sim_access(item, address(shared), place, 1, kStages * kBoxElements, 2,
                    SimShared, -1);
      result[box * kBoxElements + i] = shared[place];
    }
  }
}

/// Runs it; returns the error, if there is one. Otherwise the result is right.
std::string run(Mistake mistake = None, bool isSwizzled = true,
                uint64_t seed = 3) {
  auto *from = static_cast<uint16_t *>(
      std::aligned_alloc(64, std::size_t(kRows * kColumns) * 2));
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    from[i] = uint16_t(i + 1);
  std::vector<uint16_t> to(std::size_t(kBoxes * kBoxElements), 0xffff);
  static HostThreads threads(1);
  static Simulator simulator(threads);
  const std::string name = "k";
  std::vector<void *> buffers = {from, to.data()};
  const std::vector<int64_t> values = {mistake, isSwizzled};
  std::string error;
  try {
    simulator.launch({name,
                      copyBoxes,
                      {1, 1, 1},
                      {kItems, 1, 1},
                      32,
                      std::size_t(kStages * kBoxBytes),
                      buffers.data(),
                      buffers.size(),
                      values.data(),
                      seed});
    for (int64_t box = 0; box < kBoxes; ++box)
      for (int64_t i = 0; i < kBoxElements; ++i) {
        const int64_t row = box / 2 * kBoxRows + i / kBoxColumns,
                      column = box % 2 * kBoxColumns + i % kBoxColumns;
        const uint16_t wanted = row < kRows && column < kColumns
                                    ? from[row * kColumns + column]
                                    : 0;
        EXPECT_EQ(to[std::size_t(box * kBoxElements + i)], wanted)
            << box << " " << i;
      }
  } catch (const Error &caught) {
    error = caught.what();
  }
  std::free(from);
  return error;
}
} // namespace

TEST(Mbarriers, countBytesOfBoxes) {
  for (uint64_t seed : {0, 1, 2, 3, 4})
    for (bool isSwizzled : {false, true}) {
      EXPECT_EQ(run(None, isSwizzled, seed), "");
      EXPECT_EQ(run(OneWaits, isSwizzled, seed), "");
    }
}

TEST(Mbarriers, areInitialized) {
  EXPECT_THAT(run(NoInit), HasSubstr("which no work item has initialized"));
  EXPECT_THAT(run(SecondInit), HasSubstr("initializes mbarrier 4 a second "
                                         "time"));
  EXPECT_THAT(run(NoArrivals), HasSubstr("mbarrier 3 for 0 arrivals"));
  EXPECT_THAT(run(NoFence),
              HasSubstr("copies a box for mbarrier 3, which it initialized "
                        "without a fence.mbarrier_init"));
  const char *const missing =
      "work item (0, 0, 0) initialized without a fence.mbarrier_init and a "
      "barrier in between";
  EXPECT_THAT(run(FenceTooLate), HasSubstr(missing));
  EXPECT_THAT(run(NoInitBarrier, true, 0), HasSubstr(missing));
  EXPECT_THAT(run(OtherMbarrier),
              HasSubstr("arrives at mbarrier 5, which is not one of the 2 from "
                        "3 on"));
}

TEST(Mbarriers, areWaitedFor) {
  EXPECT_THAT(run(NoWait),
              AllOf(HasSubstr("work item (40, 0, 0) of group (0, 0, 0) reads "
                              "element"),
                    HasSubstr("which a copy writes that")));
  EXPECT_THAT(run(WaitForOther),
              AllOf(HasSubstr("work item (40, 0, 0) of group (0, 0, 0) reads "
                              "element"),
                    HasSubstr("which came in phase 0 of mbarrier 3, for which "
                              "it has not waited")));
  EXPECT_THAT(run(NoWaitAtAll),
              HasSubstr("which a copy writes that work item (0, 0, 0) has not "
                        "waited for"));
  EXPECT_THAT(run(OldParity), HasSubstr("which a copy writes that"));
  EXPECT_THAT(run(NotRead),
              HasSubstr("ends before a copy has come that mbarrier 3 counts"));
}

TEST(Mbarriers, countArrivalsAndBytes) {
  EXPECT_THAT(run(MoreBytes),
              HasSubstr("waits for mbarrier 3 at 2, whose phase "
                        "0 expects 128 bytes more than copies "
                        "bring"));
  EXPECT_THAT(run(FewerBytes), HasSubstr("whose phase 0 expects 128 bytes less "
                                         "than copies bring"));
  EXPECT_THAT(run(NoBytes), HasSubstr("which a copy writes that"));
  EXPECT_THAT(run(NoArrival),
              HasSubstr("whose phase 0 misses 1 of 1 arrivals"));
  EXPECT_THAT(run(SecondArrival),
              HasSubstr("arrives at mbarrier 3 once more than its 1 arrivals"));
  EXPECT_THAT(run(HugeArrival), HasSubstr("cannot count 1048576 bytes"));
}

TEST(Mbarriers, separateReadsFromCopies) {
  EXPECT_NE(run(NoBarrier), "");
  EXPECT_THAT(run(WriteBefore),
              HasSubstr("wrote without a fence.proxy.async before a barrier"));
  EXPECT_THAT(run(WriteUnfenced),
              HasSubstr("wrote without a fence.proxy.async before a barrier"));
  EXPECT_THAT(run(SameTarget), HasSubstr("which a copy writes that"));
}

TEST(Mbarriers, copyWhatTheHardwareTakes) {
  EXPECT_THAT(run(TargetOff), HasSubstr("is not a multiple of 128"));
  EXPECT_THAT(run(TargetBehind), HasSubstr("of shared memory, which has 4096"));
  EXPECT_THAT(
      run(MapBehind),
      HasSubstr("whose tensor map has 41 rows of 96, but which has 3840 "
                "elements"));
  EXPECT_THAT(run(MapStride), HasSubstr("distance of rows is not a multiple of "
                                        "16 bytes"));
  EXPECT_THAT(run(MapBase), HasSubstr("address of the buffer is not a multiple "
                                      "of 16 bytes"));
  EXPECT_THAT(run(MapBox), HasSubstr("boxes of 257x64"));
  EXPECT_THAT(run(MapSwizzle), HasSubstr("does not know"));
  EXPECT_THAT(run(MapSwizzledRow), HasSubstr("permuted rows of 64 bytes"));
}
