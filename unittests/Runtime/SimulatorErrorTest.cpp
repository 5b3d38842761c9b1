//===- SimulatorErrorTest.cpp - errors that the simulated GPU finds -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Wrong kernels, each with the error that it has to end with. What right ones
/// leave out to become wrong is a parameter.
///
//===----------------------------------------------------------------------===//

#include "SimulatorShadow.h"
#include "SimulatorTest.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;
using namespace tinygrad::testing::simulator;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

//===----------------------------------------------------------------------===//
// Accesses out of bounds
//===----------------------------------------------------------------------===//

TEST(Simulator, wildStoresAreFound) {
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
    Item self(buffers, item);
    self.store<int32_t>(0, self.position() + values[0], 100, 1);
  };
  std::vector<int32_t> data(100, 0);
  // 96 items, so that one that is shifted by 4 is still within.
  const Shape shape = {{3, 1, 1}, {8, 4, 1}, 0};
  launch(sim(),
         [](void **buffers, const int64_t *, int64_t item, int64_t) {
           Item self(buffers, item);
           const int64_t row = self.self.local[1] * 24;
           self.store<int32_t>(0, row + self.position() + 4, 100, 1);
         },
         shape, {data.data()});
  EXPECT_EQ(
      errorOf<IndexError>(sim(), function, line(3, 32), {data.data()}, {5}),
      "kernel k: work item (31, 0, 0) of group (2, 0, 0) writes element "
      "100 of buffer 0, which has 100 elements");
  EXPECT_EQ(
      errorOf<IndexError>(sim(), function, line(3, 32), {data.data()}, {-1}),
      "kernel k: work item (0, 0, 0) of group (0, 0, 0) writes element "
      "-1 of buffer 0, which has 100 elements");
  for (int64_t far : {INT64_MAX, INT64_MIN})
    EXPECT_THAT(
        errorOf<IndexError>(sim(), function, line(1, 1), {data.data()}, {far}),
        HasSubstr("writes element " + std::to_string(far)));
}

TEST(Simulator, vectorsAndTilesHaveBoundsToo) {
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
    Item self(buffers, item);
    self.access(0, values[0], values[1], 16, 4, values[2], values[3]);
  };
  std::vector<float> data(16, 0);
  auto error = [&](int64_t index, int64_t count, int64_t flags,
                   int64_t buffer) {
    return errorOf<IndexError>(sim(), function, line(1, 1), {data.data()},
                               {index, count, flags, buffer});
  };
  const std::vector<void *> buffers = {data.data()};
  launch(sim(), function, line(1, 1), buffers, {12, 4, 0, 0});
  launch(sim(), function, line(1, 1), buffers, {16, 0, 0, 0});
  launch(sim(), function, line(1, 1), buffers, {15, 1, detail::SimPrivate, -1});
  EXPECT_THAT(error(13, 4, 0, 0), HasSubstr("reads element 16 of buffer 0"));
  EXPECT_THAT(error(-2, 4, 0, 0), HasSubstr("reads element -2 of buffer 0"));
  EXPECT_THAT(error(15, 2, detail::SimPrivate | detail::SimWrite, -1),
              HasSubstr("writes element 16 of a private tile, which has 16"));
  // A tile that is not in the group's memory.
  EXPECT_THAT(error(0, 4, detail::SimShared, -1),
              HasSubstr("a tile that is not in the 0 bytes of shared memory"));
}

TEST(Simulator, vectorsThatAreNotAlignedAreFound) {
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
    Item self(buffers, item);
    self.access(0, values[0], 4, 16, 4,
                values[1] << detail::kSimAlignmentBit | values[2], 0);
  };
  alignas(16) float data[16] = {};
  const std::vector<void *> buffers = {data};
  auto error = [&](int64_t index, int64_t alignment, int64_t flags) {
    return errorOf<DeviceError>(sim(), function, line(1, 1), buffers,
                                {index, alignment, flags});
  };
  launch(sim(), function, line(1, 1), buffers, {4, 4, 0});
  launch(sim(), function, line(1, 1), buffers, {5, 2, 0});
  EXPECT_THAT(error(5, 4, 0),
              HasSubstr("reads 4 elements at once from element 5 of buffer 0 "
                        "on, whose address is not a multiple of 16 bytes"));
  EXPECT_THAT(error(1, 3, detail::SimWrite),
              HasSubstr("writes 4 elements at once from element 1 of buffer 0 "
                        "on, whose address is not a multiple of 8 bytes"));
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

TEST(Simulator, sharedMemoryIsUninitializedInEachGroup) {
  // values: the group that does not write.
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
    Item self(buffers, item);
    if (self.group() != values[0])
      self.storeShared<int32_t>(0, self.local(), 32, 1);
    self.barrier(0);
    if (self.local() == 3)
      self.loadShared<int32_t>(0, 17, 32);
  };
  launch(sim(), function, line(5, 32, 128), {}, {-1});
  for (int64_t group : {0, 4})
    EXPECT_EQ(
        errorOf<DeviceError>(sim(), function, line(5, 32, 128), {}, {group}),
        "kernel k: work item (3, 0, 0) of group (" + std::to_string(group) +
            ", 0, 0) reads element 17 of the tile at byte 0 of shared "
            "memory, which no work item of the group has written");
}

TEST(Simulator, sharedMemoryIsPoisoned) {
  constexpr auto function = [](void **buffers, const int64_t *, int64_t item,
                               int64_t) {
    Item self(buffers, item);
    auto *bytes = static_cast<uint8_t *>(buffers[0]);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes) % 128, 0u);
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(bytes[i], 0xFE);
      bytes[i] = 0;
    }
  };
  launch(sim(), function, line(3, 1, 100), {});
}

TEST(Simulator, missingBarriersAreRaces) {
  std::vector<float> in(64, 1), out(1, 0);
  for (int64_t seed : kSeeds) {
    Context order({{"SIMSEED", seed}});
    EXPECT_THAT(
        errorOf<DeviceError>(sim(), reduceGroup, line(1, 64, 256),
                             {out.data(), in.data()}, {64, 1}),
        AnyOf(HasSubstr("without a barrier in between"),
              // An item that runs before the one that writes.
              HasSubstr("which no work item of the group has written")));
  }
}

/// Two items access elements of shared memory that all wrote before. values:
/// the element and its size of each, whether the second one writes, whether
/// there is a barrier in between.
static void accessPair(void **buffers, const int64_t *values, int64_t item,
                       int64_t) {
  Item self(buffers, item);
  for (int64_t i = 0; i < 16; ++i)
    self.storeShared<uint8_t>(0, self.local() * 16 + i, 64, 0);
  self.barrier(0);
  if (self.local() == 1)
    self.access(0, values[0], 1, 64 / values[1], std::size_t(values[1]),
                detail::SimShared | detail::SimWrite, -1);
  if (values[5])
    self.barrier(1);
  if (self.local() == 2)
    self.access(0, values[2], 1, 64 / values[3], std::size_t(values[3]),
                detail::SimShared | values[4], -1);
}

TEST(Simulator, racesInSharedMemoryAreFoundByElement) {
  auto error = [](std::vector<int64_t> values) {
    return errorOf<DeviceError>(sim(), accessPair, line(2, 4, 64), {}, values);
  };
  auto run = [](std::vector<int64_t> values) {
    launch(sim(), accessPair, line(2, 4, 64), {}, values);
  };
  for (int64_t seed : {0, 1, 5}) {
    Context order({{"SIMSEED", seed}});
    // Neighbors do not race, nor accesses before and after a barrier.
    run({4, 4, 5, 4, detail::SimWrite, 0});
    run({4, 4, 5, 4, 0, 0});
    run({4, 4, 4, 4, detail::SimWrite, 1});
    run({4, 4, 4, 4, 0, 1});
    // Elements of other sizes.
    run({3, 2, 2, 4, detail::SimWrite, 1});
    run({3, 2, 8, 1, detail::SimWrite, 0});
  }
  EXPECT_EQ(error({4, 4, 4, 4, detail::SimWrite, 0}),
            "kernel k: race: work item (2, 0, 0) of group (0, 0, 0) writes "
            "element 4 of the tile at byte 0 of shared memory, which work item "
            "(1, 0, 0) wrote without a barrier in between");
  EXPECT_THAT(error({4, 4, 4, 4, 0, 0}),
              AllOf(HasSubstr("work item (2, 0, 0) of group (0, 0, 0) reads "),
                    HasSubstr("(1, 0, 0) wrote without a barrier")));
  EXPECT_THAT(error({4, 4, 4, 4, detail::SimUpdate, 0}),
              HasSubstr("(0, 0, 0) updates element 4 of"));
  EXPECT_THAT(error({9, 2, 19, 1, detail::SimWrite, 0}),
              HasSubstr("writes element 19 of the tile"));
  Context backward({{"SIMSEED", 1}});
  EXPECT_THAT(error({4, 4, 4, 4, 0, 0}),
              AllOf(HasSubstr("work item (1, 0, 0) of group (0, 0, 0) writes "),
                    HasSubstr("(2, 0, 0) read without a barrier")));
}

TEST(Simulator, writesAfterSeveralReadsRace) {
  // All read an element of shared and one of global memory, then one of them
  // writes. values: who, and whether there is a barrier in between; a shuffle
  // is none. Whether that is to shared memory.
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
    Item self(buffers, item);
    if (self.local() == 0)
      self.storeShared<int32_t>(1, 0, 1, 1);
    self.barrier(0);
    self.loadShared<int32_t>(1, 0, 1);
    self.load<int32_t>(0, 0, 1);
    self.shuffle(0, 1, detail::SimXor, 32);
    if (values[1])
      self.barrier(1);
    if (self.local() != values[0])
      return;
    if (values[2])
      self.storeShared<int32_t>(1, 0, 1, 2);
    else
      self.store<int32_t>(0, 0, 1, 2);
  };
  int32_t data = 0;
  for (int64_t seed : kSeeds)
    for (int64_t writer : {0, 15, 31})
      for (int64_t isShared : {0, 1}) {
        Context order({{"SIMSEED", seed}});
        launch(sim(), function, line(1, 32, 4), {&data}, {writer, 1, isShared});
        EXPECT_THAT(errorOf<DeviceError>(sim(), function, line(1, 32, 4),
                                         {&data}, {writer, 0, isShared}),
                    HasSubstr("which several work items of the group read "
                              "without a barrier in between"));
        launch(sim(), function, line(1, 1, 4), {&data}, {0, 0, isShared});
      }
}

//===----------------------------------------------------------------------===//
// Barriers and shuffles
//===----------------------------------------------------------------------===//

TEST(Simulator, barriersThatAnItemMissesAreFound) {
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
    Item self(buffers, item);
    self.barrier(2);
    if (self.self.local[1] == 1 && self.local() == 3 && values[0])
      return;
    self.barrier(5);
  };
  const Shape shape = {{2, 1, 1}, {4, 8, 1}, 0};
  launch(sim(), function, shape, {}, {0});
  EXPECT_EQ(errorOf<DeviceError>(sim(), function, shape, {}, {1}),
            "kernel k: work item (0, 0, 0) of group (0, 0, 0) waits at barrier "
            "5, but work item (3, 1, 0) does not come: it has ended");
}

TEST(Simulator, differentBarriersDoNotMeet) {
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
    Item self(buffers, item);
    self.barrier(self.local() < 20 ? 1 : values[0]);
  };
  launch(sim(), function, line(1, 64), {}, {1});
  EXPECT_EQ(errorOf<DeviceError>(sim(), function, line(1, 64), {}, {2}),
            "kernel k: work item (0, 0, 0) of group (0, 0, 0) waits at barrier "
            "1, but work item (20, 0, 0) does not come: it waits at barrier 2");
}

TEST(Simulator, shufflesThatALaneMissesAreFound) {
  enum Miss { None, Returns, Waits, OtherSite, OtherMode, OtherWidth };
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
    Item self(buffers, item);
    int64_t mode = detail::SimXor, site = 4, width = 32;
    if (self.local() == 33)
      switch (values[0]) {
      case Returns:
        return;
      case Waits:
        self.barrier(1);
        break;
      case OtherSite:
        site = 6;
        break;
      case OtherMode:
        mode = detail::SimDown;
        break;
      case OtherWidth:
        width = 16;
        break;
      default:
        break;
      }
    self.shuffle(1, 1, mode, width, site);
    if (self.local() != 33 || values[0] != Waits)
      self.barrier(1);
  };
  launch(sim(), function, line(2, 96), {}, {None});
  auto error = [&](Miss miss) {
    return errorOf<DeviceError>(sim(), function, line(2, 96), {}, {miss});
  };
  EXPECT_EQ(error(Returns),
            "kernel k: work item (32, 0, 0) of group (0, 0, 0) waits at "
            "shuffle 4 (xor, width 32), but work item (33, 0, 0) of its "
            "subgroup does not come: it has ended");
  EXPECT_THAT(error(Waits), HasSubstr("(33, 0, 0) of its subgroup does not "
                                      "come: it waits at barrier 1"));
  EXPECT_THAT(error(OtherSite), HasSubstr("it waits at shuffle 6 (xor"));
  EXPECT_THAT(error(OtherMode), HasSubstr("it waits at shuffle 4 (down"));
  EXPECT_THAT(error(OtherWidth),
              HasSubstr("it waits at shuffle 4 (xor, width 16)"));
}

//===----------------------------------------------------------------------===//
// Races in global memory
//===----------------------------------------------------------------------===//

/// Writes the item's element, then reads a neighbor's. values: whether there is
/// a barrier in between, the neighbor's distance.
static void readNeighbor(void **buffers, const int64_t *values, int64_t item,
                         int64_t) {
  Item self(buffers, item);
  const int64_t size = int64_t(self.self.groups[0]) * self.self.size[0];
  self.store<int32_t>(0, self.position(), size, 1);
  if (values[0])
    self.barrier(0);
  const int64_t other = (self.position() + values[1]) % size;
  self.store<int32_t>(1, self.position(), size,
                      self.load<int32_t>(0, other, size));
}

TEST(Simulator, racesWithinAGroupAreFound) {
  std::vector<int32_t> data(64, 0), out(64, 0);
  launch(sim(), readNeighbor, line(1, 64), {data.data(), out.data()}, {1, 1});
  launch(sim(), readNeighbor, line(1, 64), {data.data(), out.data()}, {0, 0});
  EXPECT_EQ(errorOf<DeviceError>(sim(), readNeighbor, line(1, 64),
                                 {data.data(), out.data()}, {0, 1}),
            "kernel k: race: work item (1, 0, 0) of group (0, 0, 0) writes "
            "element 1 of buffer 0, which work item (0, 0, 0) read without a "
            "barrier in between");
  Context backward({{"SIMSEED", 1}});
  EXPECT_EQ(errorOf<DeviceError>(sim(), readNeighbor, line(1, 64),
                                 {data.data(), out.data()}, {0, 1}),
            "kernel k: race: work item (62, 0, 0) of group (0, 0, 0) reads "
            "element 63 of buffer 0, which work item (63, 0, 0) wrote without "
            "a barrier in between");
}

TEST(Simulator, racesBetweenGroupsAreFound) {
  std::vector<int32_t> data(64 * 64, 0), out(64 * 64, 0);
  for (Device *device : {&sim(), &simWithThreads()}) {
    // A barrier does not order groups.
    for (int64_t groups : {2, 64})
      EXPECT_THAT(errorOf<DeviceError>(*device, readNeighbor, line(groups, 64),
                                       {data.data(), out.data()}, {1, 1}),
                  AllOf(HasSubstr("race: work item "), HasSubstr("of buffer 0"),
                        HasSubstr("as well: groups are not ordered")));
    launch(*device, readNeighbor, line(64, 64), {data.data(), out.data()},
           {1, 0});
  }
}

/// Items of different groups access one element. values: whether group 0 and
/// whether the others write, 2 for an update; whether all elements are
/// different.
static void meetInGlobalMemory(void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
  Item self(buffers, item);
  const int64_t kind = values[self.group() == 0 ? 0 : 1];
  const int64_t index = values[2] ? self.group() : 3;
  if (kind == 0)
    self.load<int16_t>(0, index, 64);
  else if (kind == 1)
    self.store<int16_t>(0, index, 64, 1);
  else
    self.add<int16_t>(0, index, 64, 1);
}

TEST(Simulator, racesBetweenGroupsAreOfAnyKind) {
  std::vector<int16_t> data(64, 0);
  for (Device *device : {&sim(), &simWithThreads()})
    for (int64_t first : {0, 1, 2})
      for (int64_t others : {0, 1, 2}) {
        const Shape shape = line(40, 1);
        const std::vector<void *> buffers = {data.data()};
        launch(*device, meetInGlobalMemory, shape, buffers, {first, others, 1});
        if (first == 0 && others == 0)
          launch(*device, meetInGlobalMemory, shape, buffers, {0, 0, 0});
        else
          EXPECT_THAT(errorOf<DeviceError>(*device, meetInGlobalMemory, shape,
                                           buffers, {first, others, 0}),
                      AllOf(HasSubstr("element 3 of buffer 0"),
                            HasSubstr("groups are not ordered")));
      }
  // A group that writes what several others read before.
  Context one({{"THREADS", 1}});
  Device &serial = Device::get("SIM:11");
  EXPECT_THAT(
      errorOf<DeviceError>(
          serial,
          [](void **buffers, const int64_t *, int64_t item, int64_t) {
            Item self(buffers, item);
            if (self.group() < 5)
              self.load<int16_t>(0, 3, 64);
            if (self.group() == 0 || self.group() == 4)
              self.access(0, 3, 1, 64, 2,
                          self.group() == 4 ? int64_t(detail::SimWrite) : 0, 0);
          },
          line(8, 1), {data.data()}),
      HasSubstr("work item (0, 0, 0) of group (4, 0, 0) writes element 3 of "
                "buffer 0, which other groups read as well"));
}

TEST(Simulator, racesAreFoundByAddress) {
  // Item i writes its element of buffer 0 and reads that of buffer 1, which
  // begins `shift` elements later in the same memory.
  constexpr auto function = [](void **buffers, const int64_t *, int64_t item,
                               int64_t) {
    Item self(buffers, item);
    const int64_t i = self.position();
    self.store<int32_t>(0, i, 1000, self.load<int32_t>(1, i, 1000));
  };
  std::vector<int32_t> data(4000, 0);
  for (std::size_t shift : {0, 1000})
    launch(sim(), function, line(10, 100), {data.data(), data.data() + shift});
  for (std::size_t shift : {1, 50, 999})
    EXPECT_THAT(errorOf<DeviceError>(sim(), function, line(10, 100),
                                     {data.data(), data.data() + shift}),
                HasSubstr("race: "));
}

// Records become finer when an access has smaller elements.
TEST(Simulator, racesAreFoundBetweenElementsOfAllSizes) {
  // values: size and index of one group's element, then of the other's; the
  // index of 64 elements that begin the launch with the largest size.
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
    Item self(buffers, item);
    const int64_t *mine = values + (self.group() == 0 ? 0 : 2);
    self.access(0, mine[1], 1, 4096 / mine[0], std::size_t(mine[0]),
                detail::SimWrite, 0);
  };
  alignas(64) char data[4096] = {};
  for (int64_t size : {1, 2, 4, 8, 16})
    for (int64_t other : {1, 2, 4, 8, 16})
      for (int64_t index : {0, 1, 5})
        for (int64_t otherIndex = 0; otherIndex < 96; ++otherIndex) {
          const bool isOverlap = index * size < (otherIndex + 1) * other &&
                                 otherIndex * other < (index + 1) * size;
          bool isRace = false;
          try {
            launch(sim(), function, line(2, 1), {data},
                   {size, index, other, otherIndex});
          } catch (const DeviceError &) {
            isRace = true;
          }
          ASSERT_EQ(isRace, isOverlap)
              << size << " " << index << " " << other << " " << otherIndex;
        }
}

TEST(Simulator, largeAccessesSpanPagesOfRecords) {
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
    Item self(buffers, item);
    if (self.group() == 0)
      self.access(0, 1, 300000, 400000, 4, detail::SimWrite, 0);
    else
      self.access(0, values[0], 1, 400000, 4, 0, 0);
  };
  std::vector<float> data(400000);
  for (int64_t index : {0, 300001, 399999})
    launch(sim(), function, line(2, 1), {data.data()}, {index});
  for (int64_t index : {1, 17000, 131072, 300000})
    EXPECT_THAT(errorOf<DeviceError>(sim(), function, line(2, 1), {data.data()},
                                     {index}),
                HasSubstr("element " + std::to_string(index) + " of buffer 0"));
}

TEST(Simulator, racesArePerLaunch) {
  std::vector<int16_t> data(64, 0);
  for (int64_t kind : {1, 0, 2, 1})
    launch(sim(), meetInGlobalMemory, line(1, 1), {data.data()}, {kind, 0, 0});
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static constexpr detail::AccessKind kRead = {true, false};
static constexpr detail::AccessKind kWrite = {false, true};

// Numbers of phases are finite.
TEST(Simulator, recordsOfSharedMemoryOutliveTheirNumbers) {
  detail::SharedShadow shadow;
  detail::Conflict conflict;
  shadow.begin(8);
  EXPECT_TRUE(shadow.access(0, 4, kWrite, 7, conflict));
  // Every possible number of the phase at the end.
  for (int64_t phase = 0; phase < (1 << 21) + 100; ++phase) {
    shadow.nextPhase();
    ASSERT_TRUE(shadow.access(0, 4, kRead, 6, conflict)) << phase;
    ASSERT_FALSE(shadow.access(4, 1, kRead, 6, conflict)) << phase;
    ASSERT_EQ(conflict.kind, detail::Conflict::Kind::Uninitialized);
    ASSERT_FALSE(shadow.access(0, 1, kWrite, 5, conflict)) << phase;
    ASSERT_EQ(conflict.kind, detail::Conflict::Kind::Race);
  }
  for (int64_t group = 0; group < (1 << 21) + 100; ++group) {
    shadow.begin(8);
    ASSERT_FALSE(shadow.access(0, 1, kRead, 6, conflict)) << group;
    ASSERT_TRUE(shadow.access(0, 1, kWrite, 6, conflict)) << group;
  }
}

TEST(Simulator, recordsOfGlobalMemoryOutliveTheirNumbers) {
  using detail::GlobalShadow;
  detail::StampMemory memory;
  GlobalShadow shadow(memory);
  GlobalShadow::Cache cache;
  detail::Conflict conflict;
  for (uint64_t phase = 0; phase < (1 << 20) + 100; ++phase) {
    const bool isKnown = phase < (1 << 20) - 1;
    ASSERT_TRUE(shadow.access(cache, 1 << 20, 4, 4, kWrite,
                              GlobalShadow::stamp(0, phase, 1), conflict));
    ASSERT_EQ(shadow.access(cache, 1 << 20, 4, 4, kRead,
                            GlobalShadow::stamp(0, phase, 2), conflict),
              !isKnown);
  }
  EXPECT_FALSE(shadow.access(cache, 1 << 20, 4, 4, kRead,
                             GlobalShadow::stamp(1, 0, 1), conflict));
  EXPECT_TRUE(conflict.isOtherGroup);
  // The last group and item.
  const auto last = uint64_t(detail::kMaxSimulatedGroups - 1);
  EXPECT_TRUE(shadow.access(cache, 1 << 21, 4, 4, kWrite,
                            GlobalShadow::stamp(last, 5, 1023), conflict));
  EXPECT_FALSE(shadow.access(cache, 1 << 21, 4, 4, kWrite,
                             GlobalShadow::stamp(0, 5, 1023), conflict));
  EXPECT_EQ(conflict.group, last);
  EXPECT_EQ(conflict.item, 1023u);
}

// Of two accesses at the same time, one finds the other.
TEST(Simulator, racesOfThreadsAreFoundByOneOfThem) {
  using detail::GlobalShadow;
  constexpr std::size_t count = 200000;
  detail::StampMemory memory;
  for (const detail::AccessKind &second : {kRead, kWrite}) {
    GlobalShadow shadow(memory);
    std::vector<char> found[2];
    std::atomic<int> numReady{0};
    auto run = [&](uint64_t group, detail::AccessKind kind) {
      GlobalShadow::Cache cache;
      found[group].resize(count);
      ++numReady;
      while (numReady < 2)
        ;
      for (std::size_t i = 0; i < count; ++i) {
        detail::Conflict conflict;
        found[group][i] =
            !shadow.access(cache, (1 << 20) + 4 * i, 4, 4, kind,
                           GlobalShadow::stamp(group, 0, 0), conflict);
      }
    };
    std::thread other([&] { run(1, second); });
    run(0, kWrite);
    other.join();
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_TRUE(found[0][i] || found[1][i]) << i;
  }
}
