//===- SimulatorBoxesTest.cpp - stores of boxes ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Stores of boxes on the simulated GPU: what they write, and what kernels must
/// not do.
///
//===----------------------------------------------------------------------===//

#include "SimulatorBoxes.h"
#include "HostThreads.h"
#include "Simulator.h"
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
  NoFence,      ///< between writes and the barrier
  FenceTooLate, ///< after the barrier
  NoBarrier,
  NoCommit,
  NoWait,
  WaitForOlder, ///< all but one group of stores
  WriteBefore,  ///< to what is stored, before the wait
  WriteByOther, ///< the same by another item
  Unwritten,    ///< some element of the box
  SourceOff,    ///< from an address that is no multiple of 128
  SourceBehind, ///< of shared memory
  SamePlace,    ///< for all groups
  MapBehind,    ///< the map is larger than the buffer
  MapBase,
  CopyOver, ///< a copy comes to what is stored
  EndUnread ///< no wait, and nothing is written after it
};

/// Two groups store boxes next to each other; the last columns of the second
/// one, and rows, are not in the matrix.
constexpr int64_t kRows = 12, kSharedBytes = kBoxBytes + 128;
constexpr uint32_t kItems = 64;

uint16_t valueOf(int64_t group, int64_t element) {
  return uint16_t(group * kBoxElements + element + 1);
}

/// The values are a mistake and whether boxes are swizzled.
void storeBoxes(void **buffers, const int64_t *values, int64_t item, int64_t) {
  const int64_t mistake = values[0];
  const bool isSwizzled = values[1] != 0;
  auto *self = reinterpret_cast<SimItem *>(item);
  const int64_t number = self->local[0], group = self->group[0];
  auto *shared = static_cast<uint16_t *>(buffers[1]);
  SimTensorMap map = getMap(buffers[0], kRows, isSwizzled);
  if (mistake == MapBehind)
    ++map.sizes[1];
  if (mistake == MapBase)
    map.base += 2;
  auto write = [&](int64_t place, uint16_t value) {
    tg_sim_access(item, address(shared), place, 1, kBoxElements, 2,
                  SimShared | SimWrite, -1);
    shared[place] = value;
  };
  if (mistake == CopyOver && number == 0) {
    tg_sim_init_mbarrier(item, 0, 1, 0, 1);
    tg_sim_fence_mbarriers(item);
  }
  for (int64_t i = number; i < kBoxElements; i += kItems)
    if (mistake != Unwritten || i != 70)
      write(getPlace(i, isSwizzled), valueOf(group, i));
  if (mistake != NoFence && mistake != FenceTooLate)
    tg_sim_fence_proxy(item);
  if (mistake != NoBarrier)
    tg_sim_barrier(item, 0);
  if (mistake == FenceTooLate)
    tg_sim_fence_proxy(item);
  if (number == 0) {
    tg_sim_store_box(item, address(&map),
                     mistake == SamePlace ? 0 : group * kBoxColumns, 0,
                     mistake == SourceOff      ? 64
                     : mistake == SourceBehind ? kBoxBytes
                                               : 0,
                     1);
    if (mistake == CopyOver) {
      tg_sim_arrive(item, 0, 1, 0, kBoxBytes);
      tg_sim_copy_box(item, address(&map), 0, 0, 0, 0, 1, 0, 2);
    }
    if (mistake == WriteBefore)
      write(77, 7);
    if (mistake != NoCommit)
      tg_sim_commit_stores(item);
  }
  if (mistake == WriteByOther) {
    tg_sim_barrier(item, 3);
    if (number == 9)
      write(77, 7);
    tg_sim_barrier(item, 4);
  }
  if (number == 0 && mistake != NoWait && mistake != EndUnread)
    tg_sim_wait_for_stores(item, mistake == WaitForOlder);
  // What has been read may be written again.
  tg_sim_barrier(item, 5);
  if (number == 9 && mistake != EndUnread)
    write(77, 7);
}

/// Runs it; returns the error, if there is one. Otherwise the result is right.
std::string run(Mistake mistake = None, bool isSwizzled = true,
                uint64_t seed = 3) {
  auto *to = static_cast<uint16_t *>(
      std::aligned_alloc(64, std::size_t(kRows * kColumns) * 2));
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    to[i] = 0xffff;
  static HostThreads threads(1);
  static Simulator simulator(threads);
  const std::string name = "k";
  std::vector<void *> buffers = {to};
  const std::vector<int64_t> values = {mistake, isSwizzled};
  std::string error;
  try {
    simulator.launch({name,
                      storeBoxes,
                      {2, 1, 1},
                      {kItems, 1, 1},
                      32,
                      std::size_t(kSharedBytes),
                      buffers.data(),
                      buffers.size(),
                      values.data(),
                      seed});
    for (int64_t row = 0; row < kRows; ++row)
      for (int64_t column = 0; column < kColumns; ++column)
        EXPECT_EQ(to[row * kColumns + column],
                  valueOf(column / kBoxColumns,
                          row * kBoxColumns + column % kBoxColumns))
            << row << " " << column;
  } catch (const Error &caught) {
    error = caught.what();
  }
  std::free(to);
  return error;
}
} // namespace

TEST(BoxStores, writeWhatIsInTheMatrix) {
  for (uint64_t seed : {0, 1, 2, 3, 4})
    for (bool isSwizzled : {false, true})
      EXPECT_EQ(run(None, isSwizzled, seed), "");
}

TEST(BoxStores, readWhatIsFenced) {
  const char *const missing = "wrote without a fence.proxy.async before the "
                              "barrier";
  EXPECT_THAT(run(NoFence), HasSubstr(missing));
  EXPECT_THAT(run(FenceTooLate), HasSubstr(missing));
  EXPECT_THAT(run(NoBarrier, true, 1), HasSubstr("stores a box with byte"));
  EXPECT_THAT(run(Unwritten),
              HasSubstr("which no work item of the group has written"));
}

TEST(BoxStores, areWaitedFor) {
  EXPECT_THAT(run(EndUnread),
              HasSubstr("ends before a box has been read that work item (0, 0, "
                        "0) stores to buffer 0 and has not waited for"));
  // Of all others, an item writes what has not been read.
  for (Mistake mistake :
       {NoCommit, NoWait, WaitForOlder, WriteBefore, WriteByOther})
    EXPECT_THAT(run(mistake),
                AllOf(HasSubstr("writes element 77"),
                      HasSubstr("which a store of a box reads that was not "
                                "waited for")))
        << mistake;
  EXPECT_THAT(run(CopyOver),
              HasSubstr("which a store of a box reads that was not waited "
                        "for"));
}

TEST(BoxStores, areOfBoxesThatTheHardwareTakes) {
  EXPECT_THAT(run(SourceOff), HasSubstr("is not a multiple of 128"));
  EXPECT_THAT(run(SourceBehind),
              HasSubstr("stores 2048 bytes from byte 2048 of shared memory, "
                        "which has 2176"));
  EXPECT_THAT(run(MapBehind),
              HasSubstr("stores a box to buffer 0, whose tensor map has 13 "
                        "rows of 96, but which has 1152 elements"));
  EXPECT_THAT(run(MapBase), HasSubstr("copies to buffer 0 by a tensor map"));
  EXPECT_THAT(run(SamePlace),
              AllOf(HasSubstr("race"), HasSubstr("writes elements as well")));
}
