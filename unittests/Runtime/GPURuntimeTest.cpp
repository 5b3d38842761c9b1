//===- GPURuntimeTest.cpp - devices that a GPU's driver runs --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Launches, memory, copies and several devices, with mock drivers.
///
//===----------------------------------------------------------------------===//

#include "MockTest.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {
class GPURuntime : public MockTest {};
} // namespace

INSTANTIATE_TEST_SUITE_P(Mock, GPURuntime, ::testing::Values("CUDA", "AMD"),
                         [](const auto &info) { return info.param; });

static std::vector<int64_t> iota(std::size_t count, int64_t first = 0) {
  std::vector<int64_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST_P(GPURuntime, tellsWhatTheDeviceIs) {
  const DeviceInfo &info = get(1).information();
  EXPECT_EQ(info.name, GetParam() + ":1");
  EXPECT_EQ(info.architecture, either("sm_90", "gfx942"));
  EXPECT_EQ(info.target, either("cuda:sm_90", "amd:gfx942"));
  EXPECT_EQ(info.computeUnits, isCuda() ? 132u : 304u);
  EXPECT_EQ(info.totalMemory, std::size_t(1) << 30);
  EXPECT_FALSE(info.hostVisible);
  EXPECT_TRUE(info.executes);
}

TEST_P(GPURuntime, compilesForTf32WhereThatIsAllowed) {
  Context allowed({{"ALLOW_TF32", 1}});
  EXPECT_EQ(takeDevice().information().target,
            either("cuda:sm_90:tf32", "amd:gfx942"));
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

TEST_P(GPURuntime, launchesWithTheSizesOfTheVariables) {
  Device &device = get(0);
  Kernel kernel = load(device, "recorded 1 shared=100");
  Buffer buffer = upload(device, {0});
  void *address = buffer.address();
  LaunchDims dims = dimsOf(Expression::Builder().variable(0).build(), 1, 1);
  dims.groups[1] = 7;
  dims.groups[2] = 3;
  dims.groupSize = {32, 4, 2};
  dims.sharedBytes = Expression::Builder()
                         .variable(0)
                         .number(16)
                         .apply(Expression::Operator::Mul)
                         .build();
  const int64_t value = 12;
  device.launch(kernel, &address, &value, dims);
  EXPECT_THAT(logged("run"), IsEmpty()); // it waits in the queue
  device.synchronize();
  EXPECT_THAT(logged("run"), ElementsAre("run recorded 12 7 3 x 32 4 2 + 192"));
  // Nothing to do.
  for (const int64_t none : {0, -1}) {
    device.launch(kernel, &address, &none, dims);
    device.synchronize();
    EXPECT_THAT(logged("run"), IsEmpty());
  }
}

TEST_P(GPURuntime, passesManyParameters) {
  Device &device = get(0);
  Kernel kernel = load(device, "recorded 100");
  std::vector<void *> buffers(60);
  std::vector<int64_t> values(40);
  device.launch(kernel, buffers.data(), values.data(), dimsOf(1, 60, 40));
  device.synchronize();
  EXPECT_EQ(logged("run").size(), 1u);
}

TEST_P(GPURuntime, refusesLaunchesBeyondTheLimits) {
  Device &device = get(0);
  Kernel kernel = load(device, "small 0 items=256 shared=1024");
  auto message = [&](const LaunchDims &dims) {
    return messageOf<DeviceError>(
        [&] { device.launch(kernel, nullptr, nullptr, dims); });
  };
  LaunchDims dims = dimsOf(1, 0, 0);
  dims.groupSize = {512, 1, 1};
  EXPECT_THAT(message(dims), HasSubstr("kernel small cannot be launched on " +
                                       GetParam() + ": 512 items of a group"));
  EXPECT_THAT(message(dims), HasSubstr("allow at most 256"));
  dims.groupSize = {64, 32, 1};
  EXPECT_THAT(message(dims), HasSubstr("2048 items of a group, but Mock GPU "
                                       "has at most 1024"));
  dims.groupSize = {1, 1, 2048};
  EXPECT_THAT(message(dims), HasSubstr("2048 items of a group in z"));
  dims.groupSize = {1, 1, 1};
  dims.sharedBytes = isCuda() ? 227 << 10 : 64 << 10;
  // With the 1024 of the kernel itself.
  EXPECT_EQ(message(dims), "kernel small cannot be launched on " + GetParam() +
                               ": " +
                               either("233472 bytes of shared memory, but Mock "
                                      "GPU has at most 232448",
                                      "66560 bytes of shared memory, but Mock "
                                      "GPU has at most 65536"));
  dims.sharedBytes = 1 << 20;
  EXPECT_EQ(message(dims), "kernel small cannot be launched on " + GetParam() +
                               ": 1048576 bytes of shared memory, but Mock GPU "
                               "has at most " +
                               either("232448", "65536"));
  dims.sharedBytes = 0;
  dims.groups[1] = int64_t(1) << 40;
  EXPECT_THAT(message(dims), HasSubstr("1099511627776 groups in y"));
  if (!isCuda()) {
    dims.groups[1] = INT32_MAX;
    dims.groupSize = {1, 4, 1};
    EXPECT_THAT(message(dims), HasSubstr("8589934588 items in y"));
  }
  // None reached the driver.
  EXPECT_THAT(logged(either("cuLaunchKernel", "hipModuleLaunchKernel")),
              IsEmpty());
}

TEST_P(GPURuntime, asksForLargeSharedMemory) {
  if (!isCuda())
    GTEST_SKIP() << "HIP needs no request";
  Device &device = get(0);
  Kernel kernel = load(device, "recorded 0 shared=1024");
  LaunchDims dims = dimsOf(1, 0, 0);
  for (const int64_t kib : {48, 100, 60, 200}) {
    dims.sharedBytes = kib << 10;
    device.launch(kernel, nullptr, nullptr, dims);
  }
  device.synchronize();
  const std::vector<std::string> log = control->takeLog();
  EXPECT_EQ(std::count(log.begin(), log.end(), "cuFuncSetAttribute"), 2);
  EXPECT_EQ(std::count(log.begin(), log.end(), "cuLaunchKernel"), 4);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

TEST_P(GPURuntime, uploadsDoNotWaitForTheQueue) {
  Device &device = get(0);
  Kernel kernel = load(device, "count 1");
  Buffer counted = upload(device, {0}), other = upload(device, {0});
  device.synchronize();
  control->takeLog();
  void *address = counted.address();
  device.launch(kernel, &address, nullptr, dimsOf(1, 1, 0));
  std::vector<int64_t> source = {5};
  for (int64_t i = 0; i < 1000; ++i) {
    source[0] = i;
    other.copyIn(source.data(), 8);
  }
  EXPECT_THAT(logged("run"), IsEmpty());
  EXPECT_EQ(download(other), std::vector<int64_t>{999});
  EXPECT_EQ(download(counted), std::vector<int64_t>{1});
}

TEST_P(GPURuntime, copiesMoreThanTheStagingMemory) {
  Device &device = get(0);
  // 40 MB in parts, after smaller copies that leave the ring at an odd place.
  upload(device, iota(12345));
  std::vector<int64_t> values = iota(5'000'000, 3);
  Buffer buffer = Buffer::allocate(device, values.size() * 8);
  buffer.copyIn(values.data(), buffer.size());
  std::fill(values.begin(), values.end(), 0);
  EXPECT_EQ(download(buffer), iota(5'000'000, 3));
  // Many small ones that fill the ring several times.
  Buffer small = Buffer::allocate(device, 100'000 * 8);
  for (int64_t i = 0; i < 100; ++i) {
    values = iota(100'000, i);
    small.copyIn(values.data(), small.size());
    if (i % 33 == 0)
      EXPECT_EQ(download(small), iota(100'000, i));
  }
  EXPECT_EQ(download(small), iota(100'000, 99));
}

TEST_P(GPURuntime, copiesWithoutPinnedMemory) {
  // Pinned memory is allocated once, and this device has none.
  Device &device = takeDevice();
  control->fail(either("cuMemHostAlloc", "hipHostMalloc"), 2, 0, 2);
  EXPECT_EQ(download(upload(device, iota(5000))), iota(5000));
  EXPECT_EQ(download(upload(device, iota(7))), iota(7));
}

TEST_P(GPURuntime, threadsCopyAtOnce) {
  Device &device = get(0);
  std::vector<std::thread> threads;
  for (int64_t id = 0; id < 4; ++id)
    threads.emplace_back([&, id] {
      for (int64_t i = 0; i < 20; ++i) {
        const std::vector<int64_t> values = iota(90'000, id * 1000 + i);
        EXPECT_EQ(download(upload(device, values)), values);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

//===----------------------------------------------------------------------===//
// Several devices
//===----------------------------------------------------------------------===//

TEST_P(GPURuntime, devicesHaveTheirOwnMemoryAndPrograms) {
  Device &first = get(0), &second = get(1);
  Buffer here = upload(first, {1, 2}), there = upload(second, {10, 20});
  Kernel count = load(second, "count 1");
  void *address = there.address();
  second.launch(count, &address, nullptr, dimsOf(2, 1, 0));
  EXPECT_EQ(download(there), (std::vector<int64_t>{11, 21}));
  EXPECT_EQ(download(here), (std::vector<int64_t>{1, 2}));
}

TEST_P(GPURuntime, copiesBetweenPeersAreOrderedInBothQueues) {
  Device &first = get(0), &second = get(1);
  Kernel count = load(first, "count 1");
  for (const bool arePeers : {true, false}) {
    control->setPeers(arePeers);
    Buffer from = upload(first, iota(1000)), to = upload(second, iota(1000));
    void *address = from.address();
    control->takeLog();
    // The copy comes after the first launch and before the second one.
    first.launch(count, &address, nullptr, dimsOf(1000, 1, 0));
    second.copyAcross(to.address(), first, from.address(), from.size());
    first.launch(count, &address, nullptr, dimsOf(1000, 1, 0));
    EXPECT_THAT(logged("run"), IsEmpty());
    // Whichever queue is waited for first.
    if (arePeers)
      EXPECT_EQ(download(to), iota(1000, 1));
    EXPECT_EQ(download(from), iota(1000, 2));
    EXPECT_EQ(download(to), iota(1000, 1));
  }
  control->setPeers(true);
}

TEST_P(GPURuntime, memoryMayBeFreedDuringAPeerCopy) {
  Device &first = get(0), &second = get(1);
  Context noCache({{"LRU", 0}});
  Buffer to = upload(second, iota(1000));
  {
    Buffer from = upload(first, iota(1000, 50));
    second.copyAcross(to.address(), first, from.address(), from.size());
  }
  EXPECT_EQ(download(to), iota(1000, 50));
}

TEST_P(GPURuntime, copiesToAnotherKindGoThroughTheHost) {
  Device &device = get(0);
  Device &other = Device::get(isCuda() ? "AMD" : "CUDA");
  Buffer there = upload(device, iota(1000)).copyTo(other);
  EXPECT_EQ(download(there), iota(1000));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_P(GPURuntime, memoryInUseByTheQueueIsNotFreed) {
  Device &device = get(0);
  Context noCache({{"LRU", 0}});
  Kernel addValue = load(device, "add_value 3");
  Buffer to = upload(device, iota(100));
  {
    Buffer from = upload(device, iota(100, 7));
    void *buffers[] = {to.address(), from.address()};
    const int64_t value = 1;
    device.launch(addValue, buffers, &value, dimsOf(100, 2, 1));
  }
  EXPECT_EQ(download(to), iota(100, 8));
}

TEST_P(GPURuntime, programsInUseByTheQueueAreNotUnloaded) {
  Device &device = get(0);
  Buffer buffer = upload(device, {0});
  void *address = buffer.address();
  {
    Kernel count = load(device, "count 1");
    device.launch(count, &address, nullptr, dimsOf(1, 1, 0));
  }
  EXPECT_EQ(download(buffer), std::vector<int64_t>{1});
}

TEST_P(GPURuntime, returnsCachedMemoryBeforeItRunsOut) {
  Device &device = takeDevice();
  control->setMemory(1 << 20);
  device.free(device.allocate(900'000), 900'000);
  void *address = device.allocate(500'000); // only without the cached block
  const std::string message =
      messageOf<OutOfMemoryError>([&] { device.allocate(800'000); });
  EXPECT_THAT(message, HasSubstr("out of memory on " + device.name()));
  EXPECT_THAT(message, HasSubstr("800000 bytes asked for"));
  EXPECT_THAT(message, HasSubstr("500000 bytes in use"));
  EXPECT_THAT(message, HasSubstr(either("cuMemAlloc_v2: "
                                        "CUDA_ERROR_OUT_OF_MEMORY",
                                        "hipMalloc: hipErrorOutOfMemory")));
  EXPECT_THAT(message, HasSubstr("bytes are free"));
  device.free(address, 500'000);
  device.free(device.allocate(800'000), 800'000);
  control->setMemory(std::size_t(1) << 30);
}

TEST_P(GPURuntime, hasALimitOfMemory) {
  Device &device = takeDevice();
  Context limit({{"MEMLIMIT", 1}});
  device.free(device.allocate(900'000), 900'000);
  void *address = device.allocate(500'000);
  EXPECT_THAT(messageOf<OutOfMemoryError>([&] { device.allocate(800'000); }),
              HasSubstr("MEMLIMIT allows 1048576 bytes"));
  EXPECT_THAT(messageOf<OutOfMemoryError>([&] { device.allocate(5'000'000); }),
              HasSubstr("MEMLIMIT"));
  device.free(address, 500'000);
}

TEST_P(GPURuntime, otherCallsRetryWithoutCachedMemory) {
  Device &device = takeDevice();
  Kernel count = load(device, "count 1");
  Buffer buffer = upload(device, {0});
  device.free(device.allocate(100'000), 100'000);
  void *address = buffer.address();
  const std::string launch = either("cuLaunchKernel", "hipModuleLaunchKernel");
  control->fail(launch, 2);
  device.launch(count, &address, nullptr, dimsOf(1, 1, 0));
  EXPECT_EQ(device.memory().bytesCached(), 0u);
  EXPECT_EQ(download(buffer), std::vector<int64_t>{1});
  control->fail(launch, 2, 0, 2);
  const std::string message = messageOf<OutOfMemoryError>(
      [&] { device.launch(count, &address, nullptr, dimsOf(1, 1, 0)); });
  EXPECT_THAT(message, HasSubstr("for the kernel count"));
  EXPECT_THAT(message, HasSubstr(launch));
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

TEST_P(GPURuntime, eventsCountTheTimeOfTheQueue) {
  Device &device = get(0);
  Kernel kernel = load(device, "recorded 0");
  device.synchronize();
  std::unique_ptr<Event> begin = device.record();
  for (int i = 0; i < 3; ++i)
    device.launch(kernel, nullptr, nullptr, dimsOf(1, 0, 0));
  std::unique_ptr<Event> end = device.record();
  // The mock takes one microsecond for each.
  EXPECT_NEAR(device.secondsBetween(*begin, *end), 4e-6, 1e-9);
}

//===----------------------------------------------------------------------===//
// Without the mocks
//===----------------------------------------------------------------------===//

/// What the conformance tests run on a real GPU.
TEST(GPUTestKernels, areCompiledForRealGPUs) {
  const std::vector<char> ptx = gpuTestKernels("sm_90");
  const std::string text(ptx.begin(), ptx.end());
  for (const char *name : {"add_value", "add", "count"})
    EXPECT_THAT(text, HasSubstr(".visible .entry " + std::string(name) + "("));
  for (const char *chip : {"gfx942", "gfx1100"}) {
    const std::vector<char> object = gpuTestKernels(chip);
    EXPECT_EQ(std::string(object.data(), 4), "\x7f"
                                             "ELF");
  }
}
