//===- GPUGraphTest.cpp - launch lists as graphs of the driver ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How captured lists become graphs, and how these are changed, with mock
/// drivers.
///
//===----------------------------------------------------------------------===//

#include "MockTest.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;

namespace {
/// A list of three commands over the buffers 0, 1 and 2, of variable 0:
///   1 = 0 + variable; 2 = 0 + 1; 1 = 2 (a copy)
class GPUGraphs : public MockTest {
protected:
  std::unique_ptr<CommandList> capture(Device &device,
                                       const Expression &extent = kExtent) {
    std::vector<Command> commands(3);
    commands[0].kernel = load(device, "add_value 3");
    commands[0].buffers = {1, 0};
    commands[0].variables = {0};
    commands[0].dims = dimsOf(extent, 2, 1);
    commands[1].kernel = load(device, "add 3");
    commands[1].buffers = {2, 0, 1};
    commands[1].dims = dimsOf(kExtent, 3, 0);
    commands[2].kind = Command::Kind::Copy;
    commands[2].buffers = {1, 2};
    commands[2].bytes = kExtent * 8;
    return device.capture(std::move(commands));
  }

  static std::vector<Buffer> allocate(Device &device, int count) {
    std::vector<Buffer> buffers;
    for (int i = 0; i < count; ++i)
      buffers.push_back(Buffer::allocate(device, kExtent * 8));
    return buffers;
  }

  /// Replays with new buffers or those of `arguments`, and checks the results.
  void replay(Device &device, CommandList &list, int64_t value,
              std::vector<Buffer> *arguments = nullptr) {
    std::vector<int64_t> numbers(kExtent);
    std::iota(numbers.begin(), numbers.end(), value * 3);
    std::vector<Buffer> buffers = arguments ? *arguments : allocate(device, 3);
    buffers[0].copyIn(numbers.data(), kExtent * 8);
    void *addresses[] = {buffers[0].address(), buffers[1].address(),
                         buffers[2].address()};
    list.replay(addresses, &value);
    std::vector<int64_t> expected(kExtent);
    for (std::size_t i = 0; i < kExtent; ++i)
      expected[i] = 2 * numbers[i] + value;
    EXPECT_EQ(download(buffers[1]), expected);
    EXPECT_EQ(download(buffers[2]), expected);
  }

  std::size_t count(const std::string &call) {
    return std::size_t(std::count(log.begin(), log.end(), call));
  }
  void takeLog() { log = control->takeLog(); }

  std::string launchGraph() const {
    return either("cuGraphLaunch", "hipGraphLaunch");
  }
  std::string launchKernel() const {
    return either("cuLaunchKernel", "hipModuleLaunchKernel");
  }
  std::string instantiate() const {
    return either("cuGraphInstantiateWithFlags", "hipGraphInstantiate");
  }
  std::string setKernel() const {
    return either("cuGraphExecKernelNodeSetParams_v2",
                  "hipGraphExecKernelNodeSetParams");
  }
  std::string setCopy() const {
    return either("cuGraphExecMemcpyNodeSetParams",
                  "hipGraphExecMemcpyNodeSetParams1D");
  }

  static constexpr int64_t kExtent = 100;
  std::vector<std::string> log;
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Mock, GPUGraphs, ::testing::Values("CUDA", "AMD"),
                         [](const auto &info) { return info.param; });

TEST_P(GPUGraphs, theSecondReplayBuildsTheGraph) {
  Device &device = get(0);
  std::unique_ptr<CommandList> list = capture(device);
  std::vector<Buffer> buffers = allocate(device, 3);
  replay(device, *list, 1);
  takeLog();
  EXPECT_EQ(count(launchKernel()), 2u);
  EXPECT_EQ(count(launchGraph()), 0u);
  replay(device, *list, 2, &buffers);
  takeLog();
  EXPECT_EQ(count(launchKernel()), 0u);
  EXPECT_EQ(count(instantiate()), 1u);
  EXPECT_EQ(count("graph of 3"), 1u);
  replay(device, *list, 3, &buffers);
  takeLog();
  EXPECT_EQ(count(instantiate()), 0u);
  EXPECT_EQ(count("graph of 3"), 1u);
}

TEST_P(GPUGraphs, onlyNodesWithOtherArgumentsAreChanged) {
  Device &device = get(0);
  std::unique_ptr<CommandList> list = capture(device);
  std::vector<Buffer> buffers = allocate(device, 4);
  for (int i = 0; i < 2; ++i)
    replay(device, *list, 1, &buffers);
  takeLog();
  // The same.
  replay(device, *list, 1, &buffers);
  takeLog();
  EXPECT_EQ(count(setKernel()), 0u);
  EXPECT_EQ(count(setCopy()), 0u);
  EXPECT_EQ(count(launchGraph()), 1u);
  // Another value, which only the first kernel takes.
  replay(device, *list, 5, &buffers);
  takeLog();
  EXPECT_EQ(count(setKernel()), 1u);
  EXPECT_EQ(count(setCopy()), 0u);
  // Another input, which the copy does not see.
  std::swap(buffers[0], buffers[3]);
  replay(device, *list, 5, &buffers);
  takeLog();
  EXPECT_EQ(count(setKernel()), 2u);
  EXPECT_EQ(count(setCopy()), 0u);
  // Another output of the last kernel, which is copied. HIP's function for
  // copies is not called: the commands run one by one.
  std::swap(buffers[2], buffers[3]);
  replay(device, *list, 5, &buffers);
  takeLog();
  const bool isCuda = GetParam() == "CUDA";
  EXPECT_EQ(count(setKernel()), isCuda ? 1u : 0u);
  EXPECT_EQ(count(setCopy()), isCuda ? 1u : 0u);
  EXPECT_EQ(count(launchGraph()), isCuda ? 1u : 0u);
  EXPECT_EQ(count(launchKernel()), isCuda ? 0u : 2u);
  // The graph has what it had.
  std::swap(buffers[2], buffers[3]);
  replay(device, *list, 5, &buffers);
  takeLog();
  EXPECT_EQ(count(setKernel()), isCuda ? 1u : 0u);
  EXPECT_EQ(count(launchGraph()), 1u);
}

TEST_P(GPUGraphs, manyChangesMakeTheGraphAnew) {
  Device &device = get(0);
  std::unique_ptr<CommandList> list = capture(device);
  std::vector<Buffer> buffers = allocate(device, 3);
  // One node changes each time. HIP takes memory for each change.
  constexpr std::size_t kReplays = 10000;
  for (std::size_t i = 0; i < kReplays; ++i) {
    void *addresses[] = {buffers[0].address(), buffers[1].address(),
                         buffers[2].address()};
    const auto value = int64_t(i);
    list->replay(addresses, &value);
  }
  replay(device, *list, 7, &buffers);
  takeLog();
  EXPECT_EQ(count(instantiate()), GetParam() == "CUDA" ? 1u : 3u);
  EXPECT_GT(count(setKernel()), kReplays - 10);
  EXPECT_EQ(count(launchGraph()), kReplays);
}

TEST_P(GPUGraphs, changesDoNotReachEnqueuedReplays) {
  Device &device = get(0);
  std::unique_ptr<CommandList> list = capture(device);
  std::vector<Buffer> sets[2];
  std::vector<int64_t> numbers(kExtent, 10);
  for (std::vector<Buffer> &set : sets)
    for (int i = 0; i < 3; ++i)
      set.push_back(upload(device, numbers));
  for (int round = 0; round < 3; ++round)
    for (int64_t i = 0; i < 2; ++i) {
      void *addresses[] = {sets[i][0].address(), sets[i][1].address(),
                           sets[i][2].address()};
      const int64_t value = 100 * i + round;
      list->replay(addresses, &value);
    }
  EXPECT_EQ(download(sets[0][1]), std::vector<int64_t>(kExtent, 22));
  EXPECT_EQ(download(sets[1][1]), std::vector<int64_t>(kExtent, 122));
}

TEST_P(GPUGraphs, sizesOfGridsAreChanged) {
  Device &device = get(0);
  std::vector<Command> commands(2);
  commands[0].kernel = commands[1].kernel = load(device, "count 1");
  commands[0].buffers = commands[1].buffers = {0};
  commands[0].variables = {0};
  // The kernel takes no value, but its grid does.
  commands[0].dims = dimsOf(Expression::Builder().variable(0).build(), 1, 1);
  commands[1].dims = dimsOf(10, 1, 0);
  std::unique_ptr<CommandList> list = device.capture(std::move(commands));
  Buffer buffer = upload(device, std::vector<int64_t>(20, 0));
  void *address = buffer.address();
  // Without work for the first one, both run without the graph.
  for (const int64_t value : {3, 3, 20, 0, 1}) {
    list->replay(&address, &value);
    device.synchronize();
  }
  takeLog();
  EXPECT_EQ(count("graph of 2"), 3u);
  EXPECT_EQ(count("run count 20 1 1 x 1 1 1 + 0"), 1u);
  EXPECT_EQ(count("run count 1 1 1 x 1 1 1 + 0"), 1u);
  std::vector<int64_t> expected(20, 1);
  std::fill(expected.begin(), expected.begin() + 10, 6);
  std::fill(expected.begin(), expected.begin() + 3, 8);
  expected[0] = 9;
  EXPECT_EQ(download(buffer), expected);
}

TEST_P(GPUGraphs, threadsShareAList) {
  Device &device = get(0);
  std::unique_ptr<CommandList> list = capture(device);
  std::vector<std::thread> threads;
  for (int64_t id = 0; id < 4; ++id)
    threads.emplace_back([&, id] {
      for (int64_t i = 0; i < 25; ++i)
        replay(device, *list, id * 100 + i);
    });
  for (std::thread &thread : threads)
    thread.join();
  takeLog();
  EXPECT_EQ(count(instantiate()), 1u);
}

TEST_P(GPUGraphs, otherListsRunOneByOne) {
  Device &device = get(0);
  // A single command.
  std::vector<Command> commands(1);
  commands[0].kernel = load(device, "count 1");
  commands[0].buffers = {0};
  commands[0].dims = dimsOf(5, 1, 0);
  std::unique_ptr<CommandList> one = device.capture(commands);
  // A sort, for which the host waits.
  commands.push_back(commands[0]);
  commands[1].kind = Command::Kind::Sort;
  commands[1].buffers = {1, 2};
  commands[1].sort.keys = commands[1].sort.positions = DType::Int64;
  commands[1].sort.rows = 1;
  commands[1].sort.rowElements = commands[1].sort.rowPositions = 5;
  commands[1].sort.length = 5;
  std::unique_ptr<CommandList> sorting = device.capture(commands);
  // A copy onto itself, which changes nothing.
  commands[1].kind = Command::Kind::Copy;
  commands[1].buffers = {0, 0};
  commands[1].bytes = 40;
  std::unique_ptr<CommandList> copying = device.capture(commands);
  Buffer buffer = upload(device, std::vector<int64_t>(5, 0));
  Buffer positions = upload(device, std::vector<int64_t>(5, -1));
  Buffer keys = upload(device, {40, -1, 7, 7, 2});
  void *addresses[] = {buffer.address(), positions.address(), keys.address()};
  for (int i = 0; i < 3; ++i) {
    one->replay(addresses, nullptr);
    copying->replay(addresses, nullptr);
    sorting->replay(addresses, nullptr);
  }
  EXPECT_EQ(download(buffer), std::vector<int64_t>(5, 9));
  EXPECT_EQ(download(positions), (std::vector<int64_t>{1, 4, 2, 3, 0}));
  takeLog();
  EXPECT_EQ(count(launchGraph()), 0u);
}

TEST_P(GPUGraphs, failingGraphsAreReplacedByLaunches) {
  Device &device = get(0);
  std::vector<Buffer> buffers = allocate(device, 3);
  for (const std::string &call : {instantiate(), setKernel(), setCopy()}) {
    // HIP's function for copies is never called.
    if (call == setCopy() && GetParam() == "AMD")
      continue;
    std::unique_ptr<CommandList> list = capture(device);
    control->fail(call, 801);
    for (int64_t i = 0; i < 4; ++i)
      replay(device, *list, i, call == setCopy() ? nullptr : &buffers);
    takeLog();
    // One graph was launched before arguments could not be changed.
    EXPECT_EQ(count(launchGraph()), call == instantiate() ? 0u : 1u) << call;
    EXPECT_EQ(count(launchKernel()), call == instantiate() ? 8u : 6u) << call;
  }
}

TEST_P(GPUGraphs, buildingRetriesWithoutCachedMemory) {
  Device &device = get(0);
  std::unique_ptr<CommandList> list = capture(device);
  replay(device, *list, 1);
  control->fail(instantiate(), 2);
  replay(device, *list, 2);
  takeLog();
  EXPECT_EQ(count(instantiate()), 2u);
  EXPECT_EQ(count(launchGraph()), 1u);
}

TEST_P(GPUGraphs, graphsEndAfterTheirWork) {
  Device &device = get(0);
  std::unique_ptr<CommandList> list = capture(device);
  Buffer buffers[3];
  void *addresses[3];
  for (int i = 0; i < 3; ++i) {
    buffers[i] = upload(device, std::vector<int64_t>(kExtent, 1));
    addresses[i] = buffers[i].address();
  }
  const int64_t value = 40;
  for (int i = 0; i < 3; ++i)
    list->replay(addresses, &value);
  list.reset();
  EXPECT_EQ(download(buffers[1]), std::vector<int64_t>(kExtent, 42));
}

TEST_P(GPUGraphs, errorsNameTheList) {
  Device &device = takeDevice();
  std::vector<Command> commands(2);
  commands[0].kernel = load(device, "recorded 0");
  commands[1].kernel = load(device, "broken 0");
  commands[0].dims = commands[1].dims = dimsOf(1, 0, 0);
  commands[0].dims.sharedBytes = Expression::Builder().variable(0).build();
  commands[0].variables = {0};
  commands[0].dims.numValues = 1;
  commands[0].kernel = load(device, "recorded 1");
  std::unique_ptr<CommandList> list = device.capture(commands);
  // A limit is exceeded: nothing is launched, and the list is usable.
  const int64_t tooMuch = 10 << 20;
  EXPECT_THAT(messageOf<DeviceError>([&] { list->replay(nullptr, &tooMuch); }),
              HasSubstr("kernel recorded cannot be launched"));
  takeLog();
  EXPECT_EQ(count(launchKernel()), 0u);
  std::vector<Command> second(2, commands[0]);
  std::unique_ptr<CommandList> fine = device.capture(second);
  const int64_t none = 0;
  for (int i = 0; i < 2; ++i)
    fine->replay(nullptr, &none);
  device.synchronize();
  second[1] = commands[1];
  second[0].kernel = load(device, "first 1");
  list = device.capture(second);
  list->replay(nullptr, &none);
  const std::string message =
      messageOf<DeviceError>([&] { device.synchronize(); });
  EXPECT_THAT(message, HasSubstr(device.name() + " is lost"));
  EXPECT_THAT(message, HasSubstr("launched last: first, broken"));
  EXPECT_EQ(messageOf<DeviceError>([&] { list->replay(nullptr, &none); }),
            message);
}
