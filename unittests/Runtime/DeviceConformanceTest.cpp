//===- DeviceConformanceTest.cpp - requirements on every device -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs on all registered kinds of devices and skips those that are not present
/// on the machine. A new device is tested as soon as it is registered; for
/// launches, testKernelsFor must provide its kernels.
///
//===----------------------------------------------------------------------===//

#include "TestKernels.h"
#include "TinyGrad/Runtime/Buffer.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/DType.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;

namespace {
class DeviceConformance : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    const std::vector<std::string> present = Device::available();
    if (std::find(present.begin(), present.end(), GetParam()) == present.end())
      GTEST_SKIP() << "no such device on this machine";
    device = &Device::get(GetParam());
    executes = device->information().executes;
  }

  /// A kernel of the test program, or an empty one if there is none for this
  /// kind of device.
  Kernel kernel(const std::string &symbol) {
    std::optional<std::vector<char>> code = testKernelsFor(*device);
    if (!code)
      return Kernel();
    return Kernel(device->loadProgram(code->data(), code->size(),
                                      device->information().architecture),
                  symbol);
  }

  Buffer upload(const std::vector<int64_t> &values) {
    return Buffer::fromHost(*device, values.data(), values.size() * 8,
                            DType::Int64);
  }
  /// The contents of the buffer; on a device that does not compute, \p
  /// pretended.
  std::vector<int64_t> download(const Buffer &buffer,
                                const std::vector<int64_t> &pretended) {
    std::vector<int64_t> values(buffer.size() / 8, -1);
    buffer.copyOut(values.data(), buffer.size());
    if (executes)
      return values;
    EXPECT_EQ(values, std::vector<int64_t>(values.size(), 0));
    return pretended;
  }

  Device *device = nullptr;
  bool executes = true;
};
} // namespace

static std::vector<int64_t> iota(std::size_t count, int64_t first = 0) {
  std::vector<int64_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// A launch of \p extent items, of a kernel with these arguments: on a GPU, of
/// groups of one item.
static LaunchDims dimsFor(int64_t extent, uint32_t numBuffers,
                          uint32_t numValues) {
  LaunchDims dims;
  dims.parallelExtent = extent;
  dims.numBuffers = numBuffers;
  dims.numValues = numValues;
  dims.groups[0] = extent;
  return dims;
}

//===----------------------------------------------------------------------===//
// Identity and memory
//===----------------------------------------------------------------------===//

TEST_P(DeviceConformance, isOneObjectUnderAllItsNames) {
  std::string lower = GetParam();
  for (char &c : lower)
    c = char(std::tolower(c));
  EXPECT_EQ(&Device::get(lower), device);
  EXPECT_EQ(&Device::get(GetParam() + ":0"), device);
  EXPECT_EQ(device->name(), GetParam());
  EXPECT_EQ(device->information().name, GetParam());
  EXPECT_FALSE(device->information().architecture.empty());
  EXPECT_GE(device->information().computeUnits, 1u);
}

TEST_P(DeviceConformance, canBeTheDefault) {
  Context context({{"DEV", GetParam()}});
  EXPECT_EQ(&Device::getDefault(), device);
}

TEST_P(DeviceConformance, allocationsAreAlignedAndDisjoint) {
  std::vector<std::pair<char *, std::size_t>> blocks;
  for (std::size_t bytes : {0, 1, 63, 64, 65, 1000, 4097, 1 << 20, 5 << 20})
    for (int i = 0; i < 3; ++i) {
      char *address = static_cast<char *>(device->allocate(bytes));
      ASSERT_NE(address, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(address) % 64, 0u);
      blocks.push_back({address, bytes});
    }
  std::sort(blocks.begin(), blocks.end());
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    EXPECT_NE(blocks[i - 1].first, blocks[i].first);
    EXPECT_LE(blocks[i - 1].first + blocks[i - 1].second, blocks[i].first);
  }
  for (auto [address, bytes] : blocks)
    device->free(address, bytes);
}

TEST_P(DeviceConformance, countsMemory) {
  const std::size_t before = device->memory().bytesInUse();
  const int64_t usedBefore = GlobalCounters::memUsed;
  void *address = device->allocate(12345);
  EXPECT_EQ(device->memory().bytesInUse(), before + 12345);
  EXPECT_EQ(GlobalCounters::memUsed, usedBefore + 12345);
  device->free(address, 12345);
  EXPECT_EQ(device->memory().bytesInUse(), before);
  EXPECT_EQ(GlobalCounters::memUsed, usedBefore);
  device->memory().releaseCached();
  EXPECT_EQ(device->memory().bytesCached(), 0u);
}

TEST_P(DeviceConformance, runsOutOfMemoryWithAnException) {
  const std::string message =
      messageOf<OutOfMemoryError>([&] { device->allocate(SIZE_MAX - 1000); });
  EXPECT_THAT(message, HasSubstr(GetParam()));
  EXPECT_THAT(message, HasSubstr(std::to_string(SIZE_MAX - 1000)));
  void *address = device->allocate(1000);
  device->free(address, 1000);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

TEST_P(DeviceConformance, copiesInAndOut) {
  for (std::size_t count : {0, 1, 7, 1000, 3000000}) {
    const std::vector<int64_t> values = iota(count, 5);
    EXPECT_EQ(download(upload(values), values), values);
  }
}

TEST_P(DeviceConformance, hostMemoryMayChangeAfterCopyIn) {
  std::vector<int64_t> values = iota(1 << 16);
  Buffer buffer = Buffer::allocate(*device, values.size() * 8);
  buffer.copyIn(values.data(), buffer.size());
  std::fill(values.begin(), values.end(), -1);
  EXPECT_EQ(download(buffer, iota(1 << 16)), iota(1 << 16));
}

TEST_P(DeviceConformance, copiesWithin) {
  const std::vector<int64_t> values = iota(1 << 20);
  Buffer from = upload(values);
  Buffer to = Buffer::allocate(*device, from.size());
  device->copy(to.address(), from.address(), from.size());
  EXPECT_EQ(download(to, values), values);
  // A part, given by addresses with an offset.
  device->copy(to.view(8, 16).address(), from.view(80, 16).address(), 16);
  std::vector<int64_t> expected = values;
  expected[1] = 10;
  expected[2] = 11;
  EXPECT_EQ(download(to, expected), expected);
}

TEST_P(DeviceConformance, copiesAcrossToAndFromTheCpu) {
  const std::vector<int64_t> values = iota(1000);
  Device &cpu = Device::get("CPU");
  Buffer here = Buffer::fromHost(cpu, values.data(), 8000);
  Buffer there = here.copyTo(*device);
  Buffer again = there.copyTo(*device);
  Buffer back = again.copyTo(cpu);
  std::vector<int64_t> result(1000);
  back.copyOut(result.data(), 8000);
  EXPECT_EQ(result, executes ? values : std::vector<int64_t>(1000, 0));
}

//===----------------------------------------------------------------------===//
// Programs and launches
//===----------------------------------------------------------------------===//

TEST_P(DeviceConformance, launchPassesBuffersAndValues) {
  Kernel addValue = kernel("add_value");
  if (!addValue)
    GTEST_SKIP() << "no test kernels for this device";
  EXPECT_EQ(&addValue.device(), device);
  Buffer from = upload(iota(1000)), to = upload(iota(1000));
  void *buffers[] = {to.address(), from.address()};
  const int64_t value = 100;
  LaunchDims dims = dimsFor(1000, 2, 1);
  device->launch(addValue, buffers, &value, dims);
  device->synchronize();
  EXPECT_EQ(download(to, iota(1000, 100)), iota(1000, 100));
}

TEST_P(DeviceConformance, everyWorkItemRunsOnce) {
  Kernel count = kernel("count");
  if (!count)
    GTEST_SKIP() << "no test kernels for this device";
  for (int64_t extent : {0, 1, 2, 3, 7, 64, 1001, 100000})
    for (int64_t grain : {1, 2, 1000, 1 << 30})
      for (double nanoseconds : {0.0, 1.0, 1e9}) {
        Buffer buffer =
            upload(std::vector<int64_t>(std::size_t(extent) + 1, 0));
        void *address = buffer.address();
        LaunchDims dims = dimsFor(extent, 1, 0);
        dims.grain = grain;
        dims.estimatedNanoseconds = nanoseconds;
        device->launch(count, &address, nullptr, dims);
        std::vector<int64_t> expected(std::size_t(extent) + 1, 1);
        expected.back() = 0;
        ASSERT_EQ(download(buffer, expected), expected)
            << extent << " by " << grain;
      }
}

TEST_P(DeviceConformance, launchesSeeEarlierOnes) {
  Kernel addValue = kernel("add_value");
  if (!addValue)
    GTEST_SKIP() << "no test kernels for this device";
  Buffer a = upload(iota(5000)), b = upload(iota(5000));
  LaunchDims dims = dimsFor(5000, 2, 1);
  for (int64_t i = 0; i < 50; ++i) {
    void *forth[] = {b.address(), a.address()};
    void *back[] = {a.address(), b.address()};
    const int64_t one = 1, step = i;
    device->launch(addValue, forth, &one, dims);
    device->launch(addValue, back, &step, dims);
  }
  EXPECT_EQ(download(a, iota(5000, 50 + 49 * 25)), iota(5000, 50 + 49 * 25));
}

TEST_P(DeviceConformance, memoryMayBeFreedWhileLaunchesAreQueued) {
  Kernel addValue = kernel("add_value");
  if (!addValue)
    GTEST_SKIP() << "no test kernels for this device";
  const int64_t value = 1;
  LaunchDims dims = dimsFor(1 << 18, 2, 1);
  Buffer result = upload(iota(1 << 18));
  {
    Buffer from = upload(iota(1 << 18, 41));
    void *buffers[] = {result.address(), from.address()};
    device->launch(addValue, buffers, &value, dims);
  }
  // The allocator probably returns the same memory again.
  upload(std::vector<int64_t>(1 << 18, -7));
  EXPECT_EQ(download(result, iota(1 << 18, 42)), iota(1 << 18, 42));
}

TEST_P(DeviceConformance, capturedListsReplayWithOtherBuffersAndValues) {
  Kernel addValue = kernel("add_value"), add = kernel("add");
  if (!addValue)
    GTEST_SKIP() << "no test kernels for this device";
  std::vector<Command> commands(3);
  commands[0].kernel = addValue;
  commands[0].buffers = {1, 0};
  commands[0].variables = {1};
  commands[0].dims = dimsFor(100, 2, 1);
  commands[1].kernel = add;
  commands[1].buffers = {2, 0, 1};
  commands[1].dims = dimsFor(100, 3, 0);
  commands[2].kind = Command::Kind::Copy;
  commands[2].buffers = {1, 2};
  commands[2].bytes = 800;
  std::unique_ptr<CommandList> list = device->capture(std::move(commands));
  // Replayed several times, as a device may prepare more for the later ones.
  for (int64_t value : {10, 1000, 7, 7, 30}) {
    Buffer from = upload(iota(100)), middle = upload(iota(100)),
           to = upload(iota(100));
    void *addresses[] = {from.address(), middle.address(), to.address()};
    const int64_t values[] = {-1, value};
    list->replay(addresses, values);
    std::vector<int64_t> expected(100);
    for (int64_t i = 0; i < 100; ++i)
      expected[std::size_t(i)] = 2 * i + value;
    EXPECT_EQ(download(to, expected), expected);
    EXPECT_EQ(download(middle, expected), expected);
  }
}

TEST_P(DeviceConformance, sortsRows) {
  // Two rows of six keys, of which the first five are sorted.
  const float nan = std::nanf("");
  const std::vector<float> keys = {2, nan,  -1, 2, -0.f, -9,
                                   0, -0.f, 0,  1, nan,  -9};
  SortShape shape;
  shape.rows = 2;
  shape.rowElements = 6;
  shape.rowPositions = 6;
  shape.length = Expression::Builder().variable(0).build();
  shape.positions = DType::Int64;
  Buffer from =
      Buffer::fromHost(*device, keys.data(), keys.size() * 4, DType::Float32);
  const int64_t length = 5;
  for (const bool isDescending : {false, true}) {
    shape.isDescending = isDescending;
    Buffer to = upload(std::vector<int64_t>(12, -1));
    device->sort(to.address(), from.address(), shape, &length);
    std::vector<int64_t> ascending = {2, 4, 0, 3, 1, -1, 0, 1, 2, 3, 4, -1};
    std::vector<int64_t> descending = {1, 0, 3, 4, 2, -1, 4, 3, 0, 1, 2, -1};
    const std::vector<int64_t> expected = isDescending ? descending : ascending;
    EXPECT_EQ(download(to, expected), expected);

    // The same as a command of a launch list, with another length.
    Command command;
    command.kind = Command::Kind::Sort;
    command.buffers = {1, 0};
    command.variables = {1};
    command.sort = shape;
    std::unique_ptr<CommandList> list = device->capture({command});
    Buffer again = upload(std::vector<int64_t>(12, -1));
    void *addresses[] = {from.address(), again.address()};
    const int64_t values[] = {-1, 1};
    list->replay(addresses, values);
    const std::vector<int64_t> first = {0, -1, -1, -1, -1, -1,
                                        0, -1, -1, -1, -1, -1};
    EXPECT_EQ(download(again, first), first);
  }
}

TEST_P(DeviceConformance, programsLiveAsLongAsTheirKernels) {
  Kernel addValue = kernel("add_value");
  if (!addValue)
    GTEST_SKIP() << "no test kernels for this device";
  std::weak_ptr<Program> program = addValue.program();
  // The handle in kernel() is gone, but this one keeps the program.
  EXPECT_FALSE(program.expired());
  Kernel second = addValue;
  addValue = Kernel();
  EXPECT_FALSE(program.expired());
  second = Kernel();
  EXPECT_TRUE(program.expired());
}

TEST_P(DeviceConformance, programsWithEqualNamesDoNotClash) {
  if (!testKernelsFor(*device))
    GTEST_SKIP() << "no test kernels for this device";
  for (int i = 0; i < 3; ++i) {
    Kernel first = kernel("count"), second = kernel("count");
    Buffer buffer = upload({0});
    void *address = buffer.address();
    device->launch(first, &address, nullptr, dimsFor(1, 1, 0));
    device->launch(second, &address, nullptr, dimsFor(1, 1, 0));
    EXPECT_EQ(download(buffer, {2}), std::vector<int64_t>{2});
  }
}

TEST_P(DeviceConformance, badProgramsAreCompileErrors) {
  if (!executes)
    GTEST_SKIP() << "accepts anything";
  const std::string junk = "this is no object code";
  std::vector<std::string> codes = {"", junk};
  if (std::optional<std::vector<char>> code = testKernelsFor(*device)) {
    codes.push_back(std::string(code->begin(), code->end()).substr(0, 40));
    codes.push_back(
        std::string(code->begin(), code->end()).substr(0, code->size() / 2));
  }
  for (const std::string &code : codes) {
    auto load = [&] {
      Kernel(device->loadProgram(code.data(), code.size(), "some target"),
             "add");
    };
    EXPECT_FALSE(messageOf<CompileError>(load).empty());
  }
}

TEST_P(DeviceConformance, missingKernelsAreNamed) {
  if (!executes)
    GTEST_SKIP() << "accepts anything";
  if (!testKernelsFor(*device))
    GTEST_SKIP() << "no test kernels for this device";
  EXPECT_THAT(messageOf<CompileError>([&] { kernel("no_such_kernel"); }),
              HasSubstr("no_such_kernel"));
  // The device is still usable.
  EXPECT_TRUE(bool(kernel("add")));
}

//===----------------------------------------------------------------------===//
// Time and threads
//===----------------------------------------------------------------------===//

TEST_P(DeviceConformance, eventsMeasureTime) {
  std::unique_ptr<Event> begin = device->record();
  std::vector<char> data(8 << 20);
  Buffer buffer = Buffer::allocate(*device, data.size());
  buffer.copyIn(data.data(), data.size());
  std::unique_ptr<Event> end = device->record();
  device->synchronize();
  const double seconds = device->secondsBetween(*begin, *end);
  if (executes)
    EXPECT_GT(seconds, 0);
  else
    EXPECT_EQ(seconds, 0);
  EXPECT_LT(seconds, 60);
}

TEST_P(DeviceConformance, threadsMayShareIt) {
  if (!testKernelsFor(*device))
    GTEST_SKIP() << "no test kernels for this device";
  std::atomic<int> numWrong{0};
  std::vector<std::thread> threads;
  for (int64_t id = 0; id < 4; ++id)
    threads.emplace_back([&, id] {
      for (int64_t round = 0; round < 20; ++round) {
        Kernel addValue = kernel("add_value");
        Buffer from = upload(iota(3000, id)), to = upload(iota(3000));
        void *buffers[] = {to.address(), from.address()};
        LaunchDims dims = dimsFor(3000, 2, 1);
        device->launch(addValue, buffers, &round, dims);
        const std::vector<int64_t> expected = iota(3000, id + round);
        numWrong += download(to, expected) != expected;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numWrong, 0);
}

INSTANTIATE_TEST_SUITE_P(All, DeviceConformance,
                         ::testing::ValuesIn(Device::registered()),
                         [](const auto &info) { return info.param; });

//===----------------------------------------------------------------------===//
// The registry
//===----------------------------------------------------------------------===//

TEST(DeviceRegistry, namesAreCanonical) {
  EXPECT_EQ(Device::canonicalName("cpu"), "CPU");
  EXPECT_EQ(Device::canonicalName("Cpu:0"), "CPU");
  EXPECT_EQ(Device::canonicalName("cuda:12"), "CUDA:12");
  for (const char *bad : {"", ":0", "CPU:", "CPU:x", "CPU:-1", "C PU",
                          "CPU:1:2", "CPU:99999999999"})
    EXPECT_THAT(messageOf<DeviceError>([&] { Device::canonicalName(bad); }),
                HasSubstr("'" + std::string(bad) + "'"));
}

TEST(DeviceRegistry, unknownDevicesListTheKnown) {
  const std::string message =
      messageOf<DeviceError>([] { Device::get("toaster"); });
  EXPECT_THAT(message, HasSubstr("'toaster'"));
  EXPECT_THAT(message, HasSubstr("CPU"));
  EXPECT_THAT(message, HasSubstr("NULL"));
  EXPECT_THAT(messageOf<DeviceError>([] { Device::get("CPU:1000"); }),
              HasSubstr("CPU:1000"));
}

TEST(DeviceRegistry, ordinalsAreSeparateDevices) {
  Device &second = Device::get("cpu:1");
  EXPECT_NE(&second, &Device::get("CPU"));
  EXPECT_EQ(second.name(), "CPU:1");
}

TEST(DeviceRegistry, theDefaultIsAGpuIfThereIsOne) {
  const std::vector<std::string> present = Device::available();
  std::string expected = "CPU";
  for (const char *name : {"AMD", "CUDA"})
    if (std::find(present.begin(), present.end(), name) != present.end())
      expected = name;
  Context unset({{"DEV", ""}});
  EXPECT_EQ(Device::getDefault().name(), expected);
}

TEST(DeviceRegistry, furtherKindsRegisterThemselves) {
  DeviceKind kind;
  kind.name = "ABSENT";
  kind.priority = 100;
  kind.count = [] { return 0u; };
  kind.open = [](unsigned) -> std::unique_ptr<Device> {
    throw DeviceError("the driver libabsent.so is missing");
  };
  DeviceRegistration registration(kind);
  const std::vector<std::string> known = Device::registered();
  EXPECT_NE(std::find(known.begin(), known.end(), "ABSENT"), known.end());
  const std::vector<std::string> present = Device::available();
  EXPECT_EQ(std::find(present.begin(), present.end(), "ABSENT"), present.end());
  EXPECT_THAT(messageOf<DeviceError>([] { Device::get("absent"); }),
              HasSubstr("libabsent.so is missing"));
  Context unset({{"DEV", ""}});
  EXPECT_NE(Device::getDefault().name(), "ABSENT");
  EXPECT_THROW(DeviceRegistration again(kind), DeviceError);
  kind.name = "lower";
  EXPECT_THROW(DeviceRegistration again(kind), DeviceError);
}

//===----------------------------------------------------------------------===//
// CPU only
//===----------------------------------------------------------------------===//

static Kernel cpuKernel(const std::vector<char> &code,
                        const std::string &symbol) {
  return Kernel(Device::get("CPU").loadProgram(code.data(), code.size(), "cpu"),
                symbol);
}

TEST(CpuDevice, kernelsCallTheMathLibrary) {
  Kernel exponential = cpuKernel(cpuTestKernels(), "exponential");
  float in[5] = {0, 1, -2, 10, 0.5f}, out[5] = {};
  void *buffers[] = {out, in};
  LaunchDims dims;
  dims.parallelExtent = 5;
  Device::get("CPU").launch(exponential, buffers, nullptr, dims);
  for (int i = 0; i < 5; ++i)
    EXPECT_FLOAT_EQ(out[i], std::exp(in[i]));
}

TEST(CpuDevice, kernelsCanRoundToBFloat16OnAnyCpu) {
  Kernel narrow = cpuKernel(cpuTestKernels(), "narrow");
  float in[6] = {1.0f, 3.14159f, -1e30f, 1e-40f, INFINITY, 65537.0f};
  uint16_t out[6] = {};
  void *buffers[] = {out, in};
  LaunchDims dims;
  dims.parallelExtent = 6;
  Device::get("CPU").launch(narrow, buffers, nullptr, dims);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(out[i], encodeBFloat16(in[i])) << in[i];
}

TEST(CpuDevice, unresolvedSymbolsAreNamed) {
  const std::string message = messageOf<CompileError>(
      [] { cpuKernel(unlinkableKernel(), "unlinkable"); });
  EXPECT_THAT(message, HasSubstr("no_such_function"));
}

TEST(CpuDevice, launchesNestInOtherThreadsWork) {
  Context two({{"THREADS", 2}});
  Device &device = Device::get("CPU:7");
  EXPECT_EQ(device.information().computeUnits, 2u);
  const std::vector<char> &code = cpuTestKernels();
  Kernel count(device.loadProgram(code.data(), code.size(), "cpu"), "count");
  std::vector<int64_t> data(1 << 20, 0);
  void *address = data.data();
  LaunchDims dims;
  dims.parallelExtent = int64_t(data.size());
  device.launch(count, &address, nullptr, dims);
  EXPECT_EQ(std::count(data.begin(), data.end(), 1), int64_t(data.size()));
}
