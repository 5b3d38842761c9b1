//===- SimulatorTest.cpp - the simulated GPU ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Right kernels with all orders of items, limits of GPUs, and counts.
///
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "HostThreads.h"
#include "TinyGrad/Runtime/Buffer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;
using namespace tinygrad::testing::simulator;
using ::testing::AllOf;
using ::testing::HasSubstr;

//===----------------------------------------------------------------------===//
// Right kernels
//===----------------------------------------------------------------------===//

TEST(Simulator, itemsKnowTheirPlaceInTheGrid) {
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t unused) {
    Item self(buffers, item);
    const SimItem &it = self.self;
    EXPECT_EQ(unused, 0);
    EXPECT_EQ(values[1], 77);
    int64_t place[3];
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_LT(it.group[axis], it.groups[axis]);
      EXPECT_LT(it.local[axis], it.size[axis]);
      place[axis] = int64_t(it.group[axis]) * it.size[axis] + it.local[axis];
    }
    const uint32_t number =
        it.local[0] + it.size[0] * (it.local[1] + it.size[1] * it.local[2]);
    EXPECT_EQ(it.lane, number % 32);
    EXPECT_EQ(it.subgroup, number / 32);
    const int64_t width = int64_t(it.groups[0]) * it.size[0];
    const int64_t height = int64_t(it.groups[1]) * it.size[1];
    const int64_t i = place[0] + width * (place[1] + height * place[2]);
    const int64_t size = values[0];
    self.store<int32_t>(0, i, size,
                        self.load<int32_t>(1, i, size) +
                            self.load<int32_t>(2, i, size));
  };
  const Shape shape = {{3, 4, 5}, {6, 5, 4}, 0};
  const std::size_t count = 3 * 4 * 5 * 6 * 5 * 4;
  std::vector<int32_t> a = iota<int32_t>(count), b = a;
  std::reverse(b.begin(), b.end());
  for (int64_t seed : kSeeds)
    for (Device *device : {&sim(), &simWithThreads()}) {
      Context order({{"SIMSEED", seed}});
      std::vector<int32_t> sum(count, -1);
      launch(*device, function, shape, {sum.data(), a.data(), b.data()},
             {int64_t(count), 77});
      EXPECT_EQ(sum, std::vector<int32_t>(count, int32_t(count) - 1));
    }
}

TEST(Simulator, groupsReduceInSharedMemory) {
  for (uint32_t size : {1, 2, 32, 64, 256, 1024}) {
    const std::size_t count = 3000;
    const std::vector<float> in(count, 0.5f);
    const int64_t groups = (int64_t(count) + size - 1) / size;
    for (int64_t seed : kSeeds)
      for (Device *device : {&sim(), &simWithThreads()}) {
        Context order({{"SIMSEED", seed}});
        std::vector<float> sums(std::size_t(groups), -1);
        launch(*device, reduceGroup, line(groups, size, size * 4),
               {sums.data(), const_cast<float *>(in.data())},
               {int64_t(count), 0});
        for (int64_t group = 0; group < groups; ++group)
          ASSERT_EQ(sums[std::size_t(group)],
                    0.5f * float(std::min<int64_t>(size, int64_t(count) -
                                                             group * size)));
      }
  }
}

/// Adds up the values of each subgroup with shuffles. values: mode.
static void reduceSubgroup(void **buffers, const int64_t *values, int64_t item,
                           int64_t) {
  Item self(buffers, item);
  const int64_t width = values[1], size = values[2];
  const int64_t lane = self.self.lane;
  int64_t value = self.load<int64_t>(1, self.position(), size);
  for (int64_t distance = width / 2; distance > 0; distance /= 2) {
    int64_t other = 0;
    switch (values[0]) {
    case detail::SimXor:
    case detail::SimDown:
      other = self.shuffle(value, distance, values[0], width);
      value += other;
      break;
    case detail::SimUp:
      other = self.shuffle(value, distance, values[0], width);
      if (lane >= distance)
        value += other;
      break;
    case detail::SimIdx:
      other = self.shuffle(value, (lane + distance) % width, values[0], width);
      value += other;
      break;
    }
  }
  self.store<int64_t>(0, self.position(), size, value);
}

TEST(Simulator, subgroupsReduceWithShuffles) {
  for (Device *device : {&sim(), &simOfAmd()}) {
    const int64_t full = device == &sim() ? 32 : 64;
    EXPECT_EQ(detail::describeSimChip(
                  device->information().target.substr(std::strlen("sim:")))
                  .subgroupSize,
              full);
    for (int64_t mode = 0; mode < 4; ++mode)
      for (int64_t width : {full, full / 2, int64_t(8)})
        for (int64_t seed : kSeeds) {
          Context order({{"SIMSEED", seed}});
          std::vector<int64_t> in = iota<int64_t>(256), out(256, -1);
          launch(*device, reduceSubgroup, line(2, 128), {out.data(), in.data()},
                 {mode, width, 256});
          for (int64_t i = 0; i < 256; i += full) {
            const int64_t sum = width * i + width * (width - 1) / 2;
            // Those that have the sum of the first `width` lanes.
            const bool isInAll =
                mode == detail::SimXor || mode == detail::SimIdx;
            for (int64_t lane = 0; lane < full; ++lane) {
              const int64_t value = out[std::size_t(i + lane)];
              if (lane >= width)
                // Takes no part: its own value, doubled at each step.
                EXPECT_EQ(value % (i + lane), 0);
              else if (isInAll ||
                       lane == (mode == detail::SimUp ? width - 1 : 0))
                EXPECT_EQ(value, sum) << mode << " " << width << " " << lane;
            }
          }
        }
  }
}

TEST(Simulator, shufflesReturnTheLaneThatModeAndOperandSay) {
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
    Item self(buffers, item);
    self.store<int64_t>(
        0, self.local(), 48,
        self.shuffle(self.local() + 100, values[1], values[0], values[2]));
  };
  // The second subgroup has 16 of 32 lanes.
  auto lanes = [&](int64_t mode, int64_t operand, int64_t width) {
    std::vector<int64_t> out(48, -1);
    launch(sim(), function, line(1, 48), {out.data()}, {mode, operand, width});
    return out;
  };
  auto expected = [](auto source) {
    std::vector<int64_t> out(48);
    for (int64_t i = 0; i < 48; ++i) {
      const int64_t from = source(i % 32), numLanes = i < 32 ? 32 : 16;
      out[std::size_t(i)] =
          100 + (from >= 0 && from < numLanes ? i / 32 * 32 + from : i);
    }
    return out;
  };
  EXPECT_EQ(lanes(detail::SimXor, 5, 32),
            expected([](int64_t lane) { return lane ^ 5; }));
  EXPECT_EQ(lanes(detail::SimXor, 16, 32),
            expected([](int64_t lane) { return lane ^ 16; }));
  EXPECT_EQ(lanes(detail::SimUp, 3, 32),
            expected([](int64_t lane) { return lane - 3; }));
  EXPECT_EQ(lanes(detail::SimDown, 3, 32),
            expected([](int64_t lane) { return lane + 3; }));
  EXPECT_EQ(lanes(detail::SimDown, 3, 8), expected([](int64_t lane) {
              return lane + 3 < 8 ? lane + 3 : lane;
            }));
  EXPECT_EQ(lanes(detail::SimIdx, 9, 32), expected([](int64_t) { return 9; }));
  EXPECT_EQ(lanes(detail::SimIdx, 9, 8),
            expected([](int64_t lane) { return lane; }));
  EXPECT_EQ(lanes(detail::SimIdx, 9, 16),
            expected([](int64_t lane) { return lane < 16 ? 9 : lane; }));
}

TEST(Simulator, bitsOfShufflesAreAll64) {
  constexpr auto function = [](void **buffers, const int64_t *, int64_t item,
                               int64_t) {
    Item self(buffers, item);
    const int64_t bits = int64_t(0x8000000000000001) + self.local() * 2;
    EXPECT_EQ(self.shuffle(bits, 1, detail::SimXor, 32),
              bits + (self.local() % 2 ? -2 : 2));
  };
  launch(sim(), function, line(1, 32), {});
}

// One subgroup may be at a barrier while another one shuffles.
TEST(Simulator, subgroupsShuffleIndependently) {
  constexpr auto function = [](void **buffers, const int64_t *, int64_t item,
                               int64_t) {
    Item self(buffers, item);
    int64_t value = self.local();
    for (uint32_t i = 0; i < self.self.subgroup * 3; ++i)
      value = self.shuffle(value, 1, detail::SimXor, 32, i);
    self.storeShared<int64_t>(1, self.local(), 128, value);
    self.barrier(0);
    const uint32_t other = 127 - self.local();
    self.store<int64_t>(0, self.local(), 128,
                        self.loadShared<int64_t>(1, other, 128));
  };
  for (int64_t seed : kSeeds) {
    Context order({{"SIMSEED", seed}});
    std::vector<int64_t> out(128, -1);
    launch(sim(), function, line(1, 128, 1024), {out.data()});
    for (int64_t i = 0; i < 128; ++i) {
      const int64_t other = 127 - i;
      EXPECT_EQ(out[std::size_t(i)], other / 32 % 2 ? other ^ 1 : other);
    }
  }
}

TEST(Simulator, orderOfItemsFollowsTheSeed) {
  // One stack is enough for items that do not wait, so they may share a log.
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
    Item self(buffers, item);
    auto &log = *static_cast<std::vector<uint32_t> *>(buffers[0]);
    log.push_back(self.local());
    if (values[0])
      self.barrier(0);
    log.push_back(self.local());
  };
  auto order = [&](int64_t seed, bool hasBarrier) {
    Context context({{"SIMSEED", seed}});
    std::vector<uint32_t> log;
    launch(sim(), function, line(1, 16), {&log}, {hasBarrier});
    return log;
  };
  std::vector<uint32_t> forward = iota<uint32_t>(16);
  std::vector<uint32_t> backward(forward.rbegin(), forward.rend());
  auto twice = [](std::vector<uint32_t> list) {
    list.insert(list.end(), list.begin(), list.end());
    return list;
  };
  EXPECT_EQ(order(0, true), twice(forward));
  EXPECT_EQ(order(1, true), twice(backward));
  const std::vector<uint32_t> random = order(2, true);
  EXPECT_EQ(random, order(2, true));
  EXPECT_NE(random, order(3, true));
  // Another order at each turn, of the same items.
  std::vector<uint32_t> first(random.begin(), random.begin() + 16);
  std::vector<uint32_t> second(random.begin() + 16, random.end());
  EXPECT_NE(first, second);
  EXPECT_NE(first, forward);
  EXPECT_TRUE(std::is_permutation(first.begin(), first.end(), forward.begin()));
  EXPECT_TRUE(
      std::is_permutation(second.begin(), second.end(), forward.begin()));
  // Without a barrier, an item ends before the next one begins.
  const std::vector<uint32_t> whole = order(2, false);
  for (std::size_t i = 0; i < whole.size(); i += 2)
    EXPECT_EQ(whole[i], whole[i + 1]);
}

TEST(Simulator, groupsRunOnSeveralThreads) {
  static std::atomic<int> numRunning, mostRunning;
  numRunning = mostRunning = 0;
  constexpr auto function = [](void **buffers, const int64_t *, int64_t item,
                               int64_t) {
    Item self(buffers, item);
    if (self.local() == 0) {
      const int running = ++numRunning;
      int most = mostRunning;
      while (running > most &&
             !mostRunning.compare_exchange_weak(most, running))
        ;
      // Time for another thread to begin.
      for (int i = 0; i < 1000 && mostRunning < 2; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    self.barrier(0);
    if (self.local() == 0)
      --numRunning;
    self.store<int64_t>(0, self.position(), 64 * 100, self.position());
  };
  std::vector<int64_t> out(64 * 100, -1);
  launch(simWithThreads(), function, line(100, 64), {out.data()});
  EXPECT_EQ(out, iota<int64_t>(64 * 100));
  EXPECT_GE(mostRunning, 2);
}

TEST(Simulator, launchesFromSeveralThreadsDoNotMix) {
  std::vector<std::thread> threads;
  std::atomic<int> numWrong{0};
  for (int id = 0; id < 4; ++id)
    threads.emplace_back([&, id] {
      const std::vector<float> in(1000, float(id));
      for (int round = 0; round < 20; ++round) {
        std::vector<float> sums(8, -1);
        launch(sim(), reduceGroup, line(8, 128, 512),
               {sums.data(), const_cast<float *>(in.data())}, {1000, 0});
        numWrong += sums[0] != float(id * 128);
        numWrong += sums[7] != float(id * 104);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numWrong, 0);
}

TEST(Simulator, noGroupsDoNothing) {
  for (int64_t axis = 0; axis < 3; ++axis)
    for (int64_t extent : {0, -5}) {
      Shape shape = line(8, 32);
      shape.groups[std::size_t(axis)] = extent;
      launch(sim(),
             [](void **, const int64_t *, int64_t, int64_t) {
               ADD_FAILURE() << "an item ran";
             },
             shape, {});
    }
}

TEST(Simulator, dimensionsMayDependOnValues) {
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
    Item self(buffers, item);
    self.storeShared<uint8_t>(1, self.local() * 4 + 3, values[0] * 16, 1);
    if (self.self.local[0] == 0)
      self.store<int64_t>(0, self.self.group[1], values[0] + 1,
                          self.self.groups[1]);
  };
  LaunchDims dims;
  dims.groups[1] = Expression::Builder()
                       .variable(0)
                       .number(1)
                       .apply(Expression::Operator::Add)
                       .build();
  dims.groupSize = {16, 1, 1};
  dims.sharedBytes = Expression::Builder()
                         .variable(0)
                         .number(16)
                         .apply(Expression::Operator::Mul)
                         .build();
  dims.numBuffers = 1;
  const Kernel kernel = kernelOf(sim(), function);
  for (int64_t value : {4, 9}) {
    std::vector<int64_t> out(std::size_t(value) + 2, -1);
    void *buffers[] = {out.data()};
    sim().launch(kernel, buffers, &value, dims);
    std::vector<int64_t> expected(std::size_t(value) + 2, value + 1);
    expected.back() = -1;
    EXPECT_EQ(out, expected);
  }
  // 48 bytes are too few for 16 items.
  const int64_t three = 3;
  std::vector<int64_t> out(5, -1);
  void *buffers[] = {out.data()};
  EXPECT_THAT(messageOf<IndexError>(
                  [&] { sim().launch(kernel, buffers, &three, dims); }),
              HasSubstr("element 51 of the tile at byte 0 of shared memory, "
                        "which has 48 elements"));
}

// The address of shared memory follows the buffers of a launch list.
TEST(Simulator, launchListsPassSharedMemory) {
  Device &device = sim();
  LaunchList list;
  for (Slot::Kind kind : {Slot::Kind::Output, Slot::Kind::Input}) {
    Slot slot;
    slot.kind = kind;
    slot.bytes = 512;
    slot.dtype = DType::Int64;
    list.slots.push_back(slot);
  }
  Step step;
  step.kernel = kernelOf(device, [](void **buffers, const int64_t *,
                                    int64_t item, int64_t) {
    Item self(buffers, item);
    const uint32_t local = self.local();
    self.storeShared<int64_t>(2, local, 64, self.load<int64_t>(1, local, 64));
    self.barrier(0);
    self.store<int64_t>(0, local, 64,
                        self.loadShared<int64_t>(2, 63 - local, 64));
  });
  step.slots = {0, 1};
  step.dims.groupSize = {64, 1, 1};
  step.dims.sharedBytes = 512;
  list.steps = {step};
  list.inputs = {1};
  list.outputs = {0};
  const std::vector<int64_t> in = iota<int64_t>(64);
  Executable program(device, std::move(list));
  for (int debug : {0, 2}) {
    Context context({{"DEBUG", debug}});
    setDebugSink([](std::string_view) {});
    std::vector<Buffer> results =
        program.run({Buffer::fromHost(device, in.data(), 512, DType::Int64)});
    setDebugSink({});
    std::vector<int64_t> out(64);
    results[0].copyOut(out.data(), 512);
    EXPECT_EQ(out, std::vector<int64_t>(in.rbegin(), in.rend()));
  }
}

TEST(Simulator, sortsAsTheCpuDoes) {
  const std::vector<int32_t> keys = {3, 1, 2, 1, 9, 9, 0, 5};
  SortShape shape;
  shape.keys = DType::Int32;
  shape.rows = 2;
  shape.rowElements = shape.rowPositions = 4;
  shape.length = 4;
  std::vector<int32_t> positions(8, -1);
  sim().sort(positions.data(), keys.data(), shape, nullptr);
  EXPECT_EQ(positions, (std::vector<int32_t>{1, 3, 2, 0, 2, 3, 0, 1}));
}

//===----------------------------------------------------------------------===//
// Limits and failures
//===----------------------------------------------------------------------===//

TEST(Simulator, limitsOfTheChipAreKept) {
  constexpr auto nothing = [](void **, const int64_t *, int64_t, int64_t) {};
  auto error = [&](Device &device, const Shape &shape) {
    return messageOf<DeviceError>([&] { launch(device, nothing, shape, {}); });
  };
  launch(sim(), nothing, line(1, 1024, 227 << 10), {});
  EXPECT_EQ(error(sim(), line(1, 1025)),
            "kernel k cannot be launched on SIM: 1025 items of a group in x, "
            "but sm_90 has at most 1024");
  EXPECT_THAT(error(sim(), {{1, 1, 1}, {64, 17, 1}, 0}),
              HasSubstr("1088 items of a group, but sm_90 has at most 1024"));
  EXPECT_THAT(error(sim(), {{1, 1, 1}, {1, 1, 65}, 0}),
              HasSubstr("65 items of a group in z"));
  EXPECT_THAT(error(sim(), line(1, 0)), HasSubstr("groups have no items"));
  EXPECT_THAT(error(sim(), line(1, 1, (227 << 10) + 1)),
              HasSubstr("232449 bytes of shared memory, but sm_90 has at most "
                        "232448"));
  EXPECT_THAT(error(sim(), line(int64_t(1) << 31, 1)),
              HasSubstr("2147483648 groups in x, but sm_90 has at most"));
  for (std::size_t axis : {1, 2}) {
    Shape shape;
    shape.groups[axis] = 65535;
    launch(sim(), nothing, shape, {});
    shape.groups[axis] = 65536;
    EXPECT_THAT(error(sim(), shape), HasSubstr("65536 groups in "));
  }
  // More groups than records can tell apart.
  EXPECT_THAT(error(sim(), {{65536 * 2, 65535, 1}, {1, 1, 1}, 0}),
              HasSubstr("8589803520 groups"));

  launch(simOfAmd(), nothing, line(1, 1024, 64 << 10), {});
  launch(simOfAmd(), nothing, {{1, 1, 1}, {1, 1, 1024}, 0}, {});
  EXPECT_THAT(error(simOfAmd(), line(1, 1, (64 << 10) + 1)),
              HasSubstr("gfx942 has at most 65536"));
}

TEST(Simulator, chipsAreKnownByName) {
  using detail::describeSimChip;
  EXPECT_EQ(sim().information().target, "sim:sm_90");
  EXPECT_EQ(sim().information().architecture, "sim:sm_90");
  EXPECT_EQ(simOfAmd().information().target, "sim:gfx942");
  for (const char *name :
       {"sm_70", "sm_90", "sm_90a", "sm_120", "gfx1030", "gfx1201"})
    EXPECT_EQ(describeSimChip(name).subgroupSize, 32u) << name;
  for (const char *name : {"gfx90a", "gfx942"})
    EXPECT_EQ(describeSimChip(name).subgroupSize, 64u) << name;
  EXPECT_EQ(describeSimChip("sm_80").limits.sharedBytes, 163 << 10);
  EXPECT_EQ(describeSimChip("gfx950").limits.sharedBytes, 160 << 10);
  for (const char *name :
       {"", "sm_", "sm_x", "gfx", "gfx9z", "cpu", "sm_90 ", "sm_90b"})
    EXPECT_THAT(messageOf<DeviceError>([&] { describeSimChip(name); }),
                AllOf(HasSubstr("SIMCHIP=" + std::string(name) +
                                ": there is no GPU called"),
                      HasSubstr(" sm_120 "), HasSubstr(" gfx1201")));
  const detail::SimChip small = describeSimChip("gfx942,items=64,shared=100");
  EXPECT_EQ(small.name, "gfx942,items=64,shared=100");
  EXPECT_EQ(small.subgroupSize, 64u);
  EXPECT_EQ(small.limits.items, 64);
  EXPECT_EQ(small.limits.sharedBytes, 100);
  for (const char *limit :
       {"", "items", "items=", "items=0", "items=1025", "items=8x", "shared=-1",
        "shared=233473", "units=0", "matrix=2", "lanes=8", "items=8,"})
    EXPECT_THAT(messageOf<DeviceError>(
                    [&] { describeSimChip("sm_90," + std::string(limit)); }),
                HasSubstr("of sm_90"))
        << limit;
  Context wrong({{"SIMCHIP", "voodoo"}});
  EXPECT_THAT(messageOf<DeviceError>([] { Device::get("SIM:60"); }),
              HasSubstr("SIMCHIP=voodoo"));
}

TEST(Simulator, failedLaunchesKeepNoStacks) {
  detail::HostThreads threads(2);
  detail::Simulator simulator(threads);
  // Half of the items wait, one fails, others did not begin.
  constexpr auto function = [](void **buffers, const int64_t *values,
                               int64_t item, int64_t) {
    Item self(buffers, item);
    self.barrier(0);
    if (self.local() == 40 && values[0])
      self.load<int32_t>(0, 5, 1);
    self.barrier(1);
    self.store<int32_t>(0, 0, 1, 1);
  };
  const std::string name = "failing";
  int32_t data = 0;
  void *buffers[] = {&data};
  std::size_t numStacks = 0;
  for (int64_t round = 0; round < 1000; ++round) {
    const int64_t fails = 1;
    EXPECT_THAT(messageOf<IndexError>([&] {
                  simulator.launch({name,
                                    function,
                                    {8, 1, 1},
                                    {64, 1, 1},
                                    32,
                                    0,
                                    buffers,
                                    1,
                                    &fails,
                                    uint64_t(round)});
                }),
                HasSubstr("kernel failing: work item (40, 0, 0) of group ("));
    numStacks = simulator.numStacks();
    ASSERT_LE(numStacks, 2 * 64u);
  }
  EXPECT_GE(numStacks, 64u);
  EXPECT_EQ(data, 0);
}

TEST(Simulator, groupsHave1024Items) {
  constexpr auto function = [](void **buffers, const int64_t *, int64_t item,
                               int64_t) {
    Item self(buffers, item);
    const uint32_t number = self.local() + 32 * self.self.local[1];
    for (int64_t round = 0; round < 10; ++round) {
      self.storeShared<int32_t>(1, number, 1024, int32_t(number + round));
      self.barrier(2 * round);
      const int32_t other = self.loadShared<int32_t>(1, 1023 - number, 1024);
      EXPECT_EQ(other, int32_t(1023 - number + round));
      self.barrier(2 * round + 1);
    }
    self.store<int32_t>(0, number, 1024, int32_t(number));
  };
  for (int64_t seed : kSeeds) {
    Context order({{"SIMSEED", seed}});
    std::vector<int32_t> out(1024, -1);
    launch(sim(), function, {{1, 1, 1}, {32, 32, 1}, 4096}, {out.data()});
    EXPECT_EQ(out, iota<int32_t>(1024));
  }
}

TEST(Simulator, itemsHaveStacksOfTheirOwn) {
  constexpr auto function = [](void **buffers, const int64_t *, int64_t item,
                               int64_t) {
    Item self(buffers, item);
    volatile char local[32 << 10];
    for (std::size_t i = 0; i < sizeof(local); i += 256)
      local[i] = char(self.local() + i / 256);
    self.barrier(0);
    for (std::size_t i = 0; i < sizeof(local); i += 256)
      EXPECT_EQ(local[i], char(self.local() + i / 256));
  };
  launch(simWithThreads(), function, line(16, 100), {});
}

TEST(Simulator, settingsAreRead) {
  EXPECT_EQ(simulatedChip(), "sm_90");
  EXPECT_EQ(simulatorSeed(), 0u);
  Context context({{"SIMCHIP", "gfx1100"}, {"SIMSEED", 12}});
  EXPECT_EQ(simulatedChip(), "gfx1100");
  EXPECT_EQ(simulatorSeed(), 12u);
  EXPECT_THROW(Context({{"SIMSEED", -1}}), Error);
  EXPECT_EQ(simulatorCount(), 0);
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

TEST(Simulator, accessesOfSubgroupsAreCounted) {
  detail::AccessCounter counter;
  MemoryUnit memory;
  auto read = [&](uint64_t address, uint32_t step, uint32_t bytes,
                  bool isShared) {
    for (uint32_t item = 0; item < 64; ++item)
      counter.record(item, item / 32, /*site=*/0, address + item * step, bytes,
                     /*isWrite=*/false, isShared);
    detail::SimCounts counts;
    counter.finish(counts, memory);
    EXPECT_EQ(counts.groups, 1);
    EXPECT_EQ(counts.stores.accesses, 0);
    return counts;
  };
  // 32 neighboring words are one line, 32 words 128 bytes apart are 32.
  detail::SimCounts counts = read(4096, 4, 4, false);
  EXPECT_EQ(counts.loads.accesses, 2);
  EXPECT_EQ(counts.loads.bytes, 256);
  EXPECT_EQ(counts.loads.lines, 2);
  EXPECT_EQ(counts.loads.sectors, 8);
  counts = read(4096, 128, 4, false);
  EXPECT_EQ(counts.loads.lines, 64);
  EXPECT_EQ(counts.loads.sectors, 64);
  // A row that does not begin at a sector.
  counts = read(4100, 4, 4, false);
  EXPECT_EQ(counts.loads.lines, 4);
  EXPECT_EQ(counts.loads.sectors, 10);
  counts = read(4096, 16, 16, false);
  EXPECT_EQ(counts.loads.lines, 8);
  EXPECT_EQ(counts.loads.sectors, 32);
  // Banks: neighbors, one word, a column, a padded column, vectors.
  EXPECT_EQ(read(0, 4, 4, true).sharedConflicts, 0);
  EXPECT_EQ(read(0, 0, 4, true).sharedConflicts, 0);
  EXPECT_EQ(read(0, 128, 4, true).sharedConflicts, 2 * 31);
  EXPECT_EQ(read(0, 132, 4, true).sharedConflicts, 0);
  EXPECT_EQ(read(0, 16, 16, true).sharedConflicts, 0);
  EXPECT_EQ(read(0, 8, 4, true).sharedConflicts, 2);
  EXPECT_EQ(read(0, 8, 4, true).sharedAccesses, 2);
  // With more banks, larger sectors and shorter lines.
  memory = {16, 64, 64, 64};
  EXPECT_EQ(read(4096, 4, 4, false).loads.sectors, 4);
  EXPECT_EQ(read(4096, 4, 4, false).loads.lines, 4);
  EXPECT_EQ(read(0, 8, 4, true).sharedConflicts, 0);
  EXPECT_EQ(read(0, 16, 4, true).sharedConflicts, 2);

  // The second time at an instruction, and another instruction.
  for (uint32_t item = 0; item < 2; ++item) {
    counter.record(item, 0, 0, 0, 4, false, false);
    counter.record(item, 0, 0, 4, 4, false, false);
    counter.record(item, 0, 1, 8, 4, true, false);
  }
  counts = detail::SimCounts();
  counter.finish(counts, memory);
  EXPECT_EQ(counts.loads.accesses, 2);
  EXPECT_EQ(counts.stores.accesses, 1);
  EXPECT_EQ(counts.scaledTo(10).loads.bytes, 160);
}

// Each of 32 items reads four elements of two bytes, of which two are known to
// be aligned, and copies none of four.
TEST(Simulator, misalignedVectorsAreCountedInPieces) {
  constexpr auto function = [](void **buffers, const int64_t *, int64_t item,
                               int64_t) {
    const auto base = reinterpret_cast<int64_t>(buffers[0]);
    const int64_t lane = reinterpret_cast<SimItem *>(item)->lane;
    tg_sim_access(item, base, 4 * lane, /*count=*/4, /*size=*/128,
                  /*elementBytes=*/2, int64_t(2) << detail::kSimAlignmentBit,
                  0);
    tg_sim_access(item, base, 4 * lane, /*count=*/0, /*size=*/128,
                  /*elementBytes=*/2, int64_t(1) << detail::kSimSiteBit, 0);
  };
  std::vector<uint16_t> elements(128 + 64);
  // A line begins at the first element.
  void *begin = elements.data();
  std::size_t space = elements.size() * sizeof(uint16_t);
  void *buffers[] = {std::align(128, 256, begin, space)};
  detail::HostThreads threads(1);
  detail::Simulator simulator(threads);
  auto count = [&](const MemoryUnit &memory) {
    const std::string name = "k";
    detail::SimLaunch launch = {name,
                                function,
                                {1, 1, 1},
                                {32, 1, 1},
                                32,
                                /*sharedBytes=*/0,
                                buffers,
                                1,
                                {},
                                /*seed=*/0};
    launch.countedGroups = 1;
    launch.memory = memory;
    return simulator.launch(launch);
  };
  MemoryUnit memory;
  detail::SimCounts counts = count(memory);
  EXPECT_EQ(counts.loads.accesses, 3);
  EXPECT_EQ(counts.loads.sectors, 16);
  EXPECT_EQ(counts.loads.bytes, 256);
  memory.mayMisalign = true;
  counts = count(memory);
  EXPECT_EQ(counts.loads.accesses, 2);
  EXPECT_EQ(counts.loads.sectors, 8);
}
