//===- SimulatorTest.cpp - the simulated GPU ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels as C++ functions that run one work item: right ones with all orders
/// of items, and wrong ones, each with the error that it has to end with. What
/// the right ones leave out to become wrong is a parameter.
///
//===----------------------------------------------------------------------===//

#include "Simulator.h"
#include "HostThreads.h"
#include "SimulatorShadow.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Buffer.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/ForkJoin.h"
#include "TinyGrad/Runtime/LaunchList.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;
using detail::SimItem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

namespace {
using Triple = std::array<int64_t, 3>;

/// What a kernel is written with.
class Item {
public:
  Item(void **buffers, int64_t item)
      : self(*reinterpret_cast<SimItem *>(item)), buffers(buffers), id(item) {}

  uint32_t local() const { return self.local[0]; }
  uint32_t group() const { return self.group[0]; }
  /// Number in the grid, along x.
  int64_t position() const {
    return int64_t(self.group[0]) * self.size[0] + self.local[0];
  }

  template <typename T> T load(int64_t buffer, int64_t index, int64_t size) {
    access(buffer, index, 1, size, sizeof(T), 0, buffer);
    return at<T>(buffer, index);
  }
  template <typename T>
  void store(int64_t buffer, int64_t index, int64_t size, T value) {
    access(buffer, index, 1, size, sizeof(T), detail::SimWrite, buffer);
    put(buffer, index, value);
  }
  template <typename T>
  void add(int64_t buffer, int64_t index, int64_t size, T value) {
    access(buffer, index, 1, size, sizeof(T), detail::SimUpdate, buffer);
    put(buffer, index, T(at<T>(buffer, index) + value));
  }
  /// Shared memory follows `numBuffers` buffers.
  template <typename T>
  T loadShared(int64_t numBuffers, int64_t index, int64_t size) {
    access(numBuffers, index, 1, size, sizeof(T), detail::SimShared, -1);
    return at<T>(numBuffers, index);
  }
  template <typename T>
  void storeShared(int64_t numBuffers, int64_t index, int64_t size, T value) {
    access(numBuffers, index, 1, size, sizeof(T),
           detail::SimShared | detail::SimWrite, -1);
    put(numBuffers, index, value);
  }
  void access(int64_t buffer, int64_t index, int64_t count, int64_t size,
              std::size_t bytes, int64_t flags, int64_t number) {
    EXPECT_EQ(tg_sim_access(id, reinterpret_cast<int64_t>(buffers[buffer]),
                            index, count, size, int64_t(bytes), flags, number),
              index);
  }
  void barrier(int64_t site) { tg_sim_barrier(id, site); }
  int64_t shuffle(int64_t value, int64_t operand, int64_t mode, int64_t width,
                  int64_t site = 0) {
    return tg_sim_shuffle(id, value, operand, mode, width, site);
  }

  const SimItem &self;

private:
  // Some kernels race on purpose.
  template <typename T>
  TINYGRAD_NO_THREAD_SANITIZER T at(int64_t buffer, int64_t index) {
    return static_cast<T *>(buffers[buffer])[index];
  }
  template <typename T>
  TINYGRAD_NO_THREAD_SANITIZER void put(int64_t buffer, int64_t index,
                                        T value) {
    static_cast<T *>(buffers[buffer])[index] = value;
  }

  void **buffers;
  int64_t id;
};

/// A program whose only kernel is a function.
class FunctionProgram : public Program {
public:
  FunctionProgram(Device &device, CpuKernelFunction function)
      : Program(device), function(function) {}

private:
  void *lookup(const std::string &) override {
    return reinterpret_cast<void *>(function);
  }
  CpuKernelFunction function;
};

/// How a kernel is launched.
struct Shape {
  Triple groups{1, 1, 1};
  std::array<uint32_t, 3> size{1, 1, 1};
  int64_t sharedBytes = 0;
};
} // namespace

static Shape line(int64_t groups, uint32_t size, int64_t sharedBytes = 0) {
  return {{groups, 1, 1}, {size, 1, 1}, sharedBytes};
}

static Kernel kernelOf(Device &device, CpuKernelFunction function,
                       const std::string &name = "k") {
  return Kernel(std::make_shared<FunctionProgram>(device, function), name);
}

static void launch(Device &device, CpuKernelFunction function,
                   const Shape &shape, std::vector<void *> buffers,
                   std::vector<int64_t> values = {}) {
  LaunchDims dims;
  for (std::size_t axis = 0; axis < 3; ++axis)
    dims.groups[axis] = shape.groups[axis];
  dims.groupSize = shape.size;
  dims.sharedBytes = shape.sharedBytes;
  dims.numBuffers = uint32_t(buffers.size());
  device.launch(kernelOf(device, function), buffers.data(), values.data(),
                dims);
}

static Device &sim() { return Device::get("SIM"); }
/// With four threads, however many CPUs there are.
static Device &simWithThreads() {
  Context four({{"THREADS", 4}});
  return Device::get("SIM:9");
}
/// With subgroups of 64 lanes.
static Device &simOfAmd() {
  Context chip({{"SIMCHIP", "gfx942"}});
  return Device::get("SIM:10");
}

/// The error of a launch; the device has to be usable afterwards.
template <typename ErrorType>
static std::string errorOf(Device &device, CpuKernelFunction function,
                           const Shape &shape, std::vector<void *> buffers,
                           std::vector<int64_t> values = {}) {
  const std::string message = messageOf<ErrorType>(
      [&] { launch(device, function, shape, buffers, values); });
  std::vector<int64_t> data(256, 0);
  launch(device,
         [](void **buffers, const int64_t *, int64_t item, int64_t) {
           Item self(buffers, item);
           self.storeShared<int64_t>(1, self.local(), 64, self.position());
           self.barrier(1);
           const int64_t other = self.local() ^ 63;
           self.store<int64_t>(0, self.position(), 256,
                               self.loadShared<int64_t>(1, other, 64));
         },
         line(4, 64, 512), {data.data()});
  for (int64_t i = 0; i < 256; ++i)
    EXPECT_EQ(data[std::size_t(i)], i ^ 63);
  return message;
}

template <typename T> static std::vector<T> iota(std::size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T(0));
  return values;
}

static constexpr int64_t kSeeds[] = {0, 1, 2, 3, 1234567};

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

/// Adds up the group's elements in shared memory. values: number of elements,
/// and whether to leave out the barriers.
static void reduceGroup(void **buffers, const int64_t *values, int64_t item,
                        int64_t) {
  Item self(buffers, item);
  const int64_t size = self.self.size[0], local = self.local();
  const bool hasBarriers = values[1] == 0;
  const int64_t i = self.position();
  self.storeShared<float>(
      2, local, size, i < values[0] ? self.load<float>(1, i, values[0]) : 0);
  for (int64_t distance = size / 2; distance > 0; distance /= 2) {
    if (hasBarriers)
      self.barrier(7);
    if (local < distance)
      self.storeShared<float>(
          2, local, size,
          self.loadShared<float>(2, local, size) +
              self.loadShared<float>(2, local + distance, size));
  }
  if (local == 0)
    self.store<float>(0, self.group(), self.self.groups[0],
                      self.loadShared<float>(2, 0, size));
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
  for (const char *name : {"sm_70", "sm_90", "sm_120", "gfx1030", "gfx1201"})
    EXPECT_EQ(describeSimChip(name).subgroupSize, 32u) << name;
  for (const char *name : {"gfx90a", "gfx942"})
    EXPECT_EQ(describeSimChip(name).subgroupSize, 64u) << name;
  EXPECT_EQ(describeSimChip("sm_80").limits.sharedBytes, 163 << 10);
  EXPECT_EQ(describeSimChip("gfx950").limits.sharedBytes, 160 << 10);
  for (const char *name :
       {"", "sm_", "sm_x", "gfx", "gfx9z", "cpu", "sm_90 ", "sm_90a"})
    EXPECT_THAT(messageOf<DeviceError>([&] { describeSimChip(name); }),
                AllOf(HasSubstr("SIMCHIP=" + std::string(name) + " is not"),
                      HasSubstr(" sm_120 "), HasSubstr(" gfx1201")));
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
  auto read = [&](uint64_t address, uint32_t step, uint32_t bytes,
                  bool isShared) {
    for (uint32_t item = 0; item < 64; ++item)
      counter.record(item, item / 32, /*site=*/0, address + item * step, bytes,
                     /*isWrite=*/false, isShared);
    detail::SimCounts counts;
    counter.finish(counts);
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

  // The second time at an instruction, and another instruction.
  for (uint32_t item = 0; item < 2; ++item) {
    counter.record(item, 0, 0, 0, 4, false, false);
    counter.record(item, 0, 0, 4, 4, false, false);
    counter.record(item, 0, 1, 8, 4, true, false);
  }
  counts = detail::SimCounts();
  counter.finish(counts);
  EXPECT_EQ(counts.loads.accesses, 2);
  EXPECT_EQ(counts.stores.accesses, 1);
  EXPECT_EQ(counts.scaledTo(10).loads.bytes, 160);
}
