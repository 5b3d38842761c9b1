//===- LaunchListTest.cpp - executable launch lists -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Execution, all kinds of slots, checks, counters, the line per kernel.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/LaunchList.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/Profile.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;

namespace {
class LaunchListTest : public ::testing::Test {
protected:
  static constexpr std::size_t kCount = 16, kBytes = kCount * 8;

  static Kernel kernel(const std::string &symbol,
                       const std::string &device = "CPU") {
    return Kernel(Device::get(device).loadProgram(
                      cpuTestKernels().data(), cpuTestKernels().size(), "test"),
                  symbol);
  }
  static Slot slot(Slot::Kind kind, std::size_t offset = 0) {
    Slot slot;
    slot.kind = kind;
    slot.bytes = kBytes;
    slot.offset = offset;
    slot.dtype = DType::Int64;
    return slot;
  }
  static Step launch(const std::string &symbol, std::vector<uint32_t> slots,
                     std::vector<uint32_t> variables = {},
                     const std::string &device = "CPU") {
    Step step;
    step.displayName = symbol;
    step.kernel = kernel(symbol, device);
    step.slots = std::move(slots);
    step.variables = std::move(variables);
    step.dims.parallelExtent = int64_t(kCount);
    step.opCount = 10;
    step.memBytes = 100;
    return step;
  }
  static Step copy(uint32_t to, uint32_t from) {
    Step step;
    step.kind = Step::Kind::Copy;
    step.displayName = "copy";
    step.slots = {to, from};
    return step;
  }
  /// out = (in + v0) + in, with an intermediate in the arena.
  static LaunchList sample(const std::string &device = "CPU") {
    LaunchList list;
    list.slots = {slot(Slot::Kind::Input), slot(Slot::Kind::Arena, 64),
                  slot(Slot::Kind::Output)};
    list.steps = {launch("add_value", {1, 0}, {0}, device),
                  launch("add", {2, 1, 0}, {}, device)};
    list.inputs = {0};
    list.outputs = {2};
    list.arenaBytes = 64 + kBytes;
    list.variables = {{"n", -1000, 1000}};
    return list;
  }
  static Buffer iota(int64_t first = 0, const std::string &device = "CPU") {
    std::vector<int64_t> values(kCount);
    std::iota(values.begin(), values.end(), first);
    return Buffer::fromHost(Device::get(device), values.data(), kBytes,
                            DType::Int64);
  }
  static int64_t at(const Buffer &buffer, std::size_t index) {
    int64_t value = 0;
    buffer.view(index * 8, 8).copyOut(&value, 8);
    return value;
  }
  static std::string problem(const LaunchList &list) {
    return messageOf<Error>([&] { Executable(Device::get("CPU"), list); });
  }

  Device &cpu = Device::get("CPU");
};
} // namespace

TEST_F(LaunchListTest, runsStepsOverInputsArenaAndOutputs) {
  Executable program(cpu, sample());
  for (int64_t value : {0, 5, -3}) {
    std::vector<Buffer> results = program.run({iota(7)}, {value});
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].size(), kBytes);
    EXPECT_EQ(results[0].dtype(), DType::Int64);
    for (std::size_t i = 0; i < kCount; ++i)
      EXPECT_EQ(at(results[0], i), 2 * (7 + int64_t(i)) + value);
  }
}

TEST_F(LaunchListTest, outputsOfRunsAreDifferentMemory) {
  Executable program(cpu, sample());
  Buffer in = iota();
  Buffer first = program.run({in}, {1})[0];
  Buffer second = program.run({in}, {2})[0];
  EXPECT_FALSE(first.sharesMemoryWith(second));
  EXPECT_EQ(at(first, 0), 1);
  EXPECT_EQ(at(second, 0), 2);
}

TEST_F(LaunchListTest, memoryComesBackAfterRuns) {
  Executable program(cpu, sample());
  Buffer in = iota();
  program.run({in}, {1});
  const std::size_t inUse = cpu.memory().bytesInUse();
  const std::size_t cached = cpu.memory().bytesCached();
  for (int i = 0; i < 10; ++i)
    program.run({in}, {1});
  EXPECT_EQ(cpu.memory().bytesInUse(), inUse);
  EXPECT_EQ(cpu.memory().bytesCached(), cached);
  program.keepArena(true);
  program.run({in}, {1});
  EXPECT_EQ(cpu.memory().bytesInUse(), inUse + 64 + kBytes);
  program.run({in}, {1});
  EXPECT_EQ(cpu.memory().bytesInUse(), inUse + 64 + kBytes);
  program.keepArena(false);
  EXPECT_EQ(cpu.memory().bytesInUse(), inUse);
}

TEST_F(LaunchListTest, constantsAndViews) {
  // out[8..16) = in[0..8) + constant[0..8), out[0..8) = in[8..16) + 100.
  LaunchList list;
  list.slots = {slot(Slot::Kind::Input),    slot(Slot::Kind::Constant),
                slot(Slot::Kind::Output),   slot(Slot::Kind::View, 0),
                slot(Slot::Kind::View, 64), slot(Slot::Kind::View, 64),
                slot(Slot::Kind::View, 8)};
  list.slots[1].constant = iota(1000);
  for (uint32_t view : {3, 4, 5, 6})
    list.slots[view].bytes = 64;
  list.slots[3].base = 2;
  list.slots[4].base = 2;
  list.slots[5].base = 0;
  list.slots[6].base = 4; // a view of a view
  list.slots[6].bytes = 16;
  list.steps = {launch("add", {4, 0, 1}), launch("add_value", {3, 5}, {0})};
  for (Step &step : list.steps)
    step.dims.parallelExtent = 8;
  list.inputs = {0};
  list.outputs = {2, 6, 1, 0, 5};
  list.variables = {{"n", -1000, 1000}};
  Executable program(cpu, list);
  Buffer in = iota();
  std::vector<Buffer> results = program.run({in}, {100});
  ASSERT_EQ(results.size(), 5u);
  EXPECT_EQ(at(results[0], 0), 108);
  EXPECT_EQ(at(results[0], 8), 1000);
  EXPECT_EQ(at(results[0], 15), 1014);
  EXPECT_EQ(results[1].size(), 16u);
  EXPECT_EQ(at(results[1], 0), 1002);
  EXPECT_TRUE(results[1].sharesMemoryWith(results[0]));
  EXPECT_TRUE(results[2].sharesMemoryWith(list.slots[1].constant));
  EXPECT_TRUE(results[3].sharesMemoryWith(in));
  EXPECT_TRUE(results[4].sharesMemoryWith(in));
  EXPECT_EQ(at(results[4], 0), 8);
}

TEST_F(LaunchListTest, inputsMayBeWrittenInPlace) {
  LaunchList list;
  list.slots = {slot(Slot::Kind::Input)};
  list.slots[0].isWritten = true;
  list.steps = {launch("count", {0})};
  list.inputs = {0};
  list.outputs = {0};
  Executable program(cpu, list);
  Buffer in = iota();
  std::vector<Buffer> results = program.run({in});
  EXPECT_TRUE(results[0].sharesMemoryWith(in));
  EXPECT_EQ(at(in, 3), 4);
}

TEST_F(LaunchListTest, writtenInputsShareNoMemory) {
  LaunchList list;
  list.slots = {slot(Slot::Kind::Input), slot(Slot::Kind::Input)};
  list.slots[0].isWritten = true;
  list.steps = {launch("add_value", {0, 1}, {0})};
  list.inputs = {0, 1};
  list.outputs = {0};
  list.variables = {{"n", -1000, 1000}};
  Executable program(cpu, list);
  std::vector<int64_t> memory(64);
  auto part = [&](std::size_t first) {
    return Buffer::external(cpu, memory.data() + first, kBytes, {});
  };
  const char *text = "input 0, which is assigned to, shares memory with input "
                     "1: pass a copy of one of them";
  for (std::size_t first : {0, 1, 15})
    EXPECT_THAT(messageOf<DeviceError>(
                    [&] { program.run({part(0), part(first)}, {7}); }),
                HasSubstr(text));
  program.run({part(0), part(16)}, {7});
  EXPECT_EQ(memory[3], 7);
  // Inputs that are only read may overlap.
  list.slots[0].isWritten = false;
  list.slots.push_back(slot(Slot::Kind::Output));
  list.steps = {launch("add", {2, 0, 1})};
  list.outputs = {2};
  EXPECT_EQ(at(Executable(cpu, list).run({part(0), part(1)}, {0})[0], 3), 14);
}

TEST_F(LaunchListTest, manyWrittenInputsShareNoMemory) {
  constexpr uint32_t count = 20, numWritten = 10;
  LaunchList list;
  for (uint32_t i = 0; i < count; ++i) {
    list.slots.push_back(slot(Slot::Kind::Input));
    list.slots.back().isWritten = i < numWritten;
    list.inputs.push_back(i);
  }
  list.steps = {launch("add_value", {0, 1}, {0})};
  list.outputs = {0};
  list.variables = {{"n", -1000, 1000}};
  Executable program(cpu, list);
  constexpr std::size_t elements = kBytes / sizeof(int64_t);
  std::vector<int64_t> memory(3 * count * elements);
  // The first element of each input, in no order.
  std::vector<std::size_t> begins;
  for (uint32_t i = 0; i < count; ++i)
    begins.push_back(2 * elements * ((i * 7) % count));
  auto run = [&] {
    std::vector<Buffer> inputs;
    for (std::size_t begin : begins)
      inputs.push_back(
          Buffer::external(cpu, memory.data() + begin, kBytes, {}));
    program.run(inputs, {7});
  };
  run();
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t j = 0; j < count; ++j) {
      if (i == j)
        continue;
      const std::vector<std::size_t> apart = begins;
      begins[i] = begins[j] + elements - 1;
      if (i >= numWritten && j >= numWritten) {
        run();
      } else {
        const std::string message = messageOf<DeviceError>(run);
        EXPECT_THAT(message, HasSubstr(", which is assigned to, shares memory "
                                       "with input "));
        EXPECT_THAT(message, HasSubstr("input " + std::to_string(i)));
        EXPECT_THAT(message, HasSubstr("input " + std::to_string(j)));
      }
      begins = apart;
    }
}

TEST_F(LaunchListTest, inputsAreAlignedToTheirElements) {
  LaunchList list;
  list.slots = {slot(Slot::Kind::Input), slot(Slot::Kind::Output)};
  list.slots[0].dtype = DType::Int64;
  list.steps = {launch("add_value", {1, 0}, {0})};
  list.inputs = {0};
  list.outputs = {1};
  list.variables = {{"n", -1000, 1000}};
  Executable program(cpu, list);
  std::vector<char> memory(kBytes + 16);
  char *aligned = reinterpret_cast<char *>(
      (reinterpret_cast<uintptr_t>(memory.data()) + 7) / 8 * 8);
  program.run({Buffer::external(cpu, aligned, kBytes, {})}, {1});
  EXPECT_THAT(
      messageOf<DeviceError>([&] {
        program.run({Buffer::external(cpu, aligned + 4, kBytes, {})}, {1});
      }),
      HasSubstr("input 0 is at an address that is not a multiple of the 8 "
                "bytes of an element of int64"));
}

TEST_F(LaunchListTest, inputsThatAreNotAlignedAreCopied) {
  // Adds to the input in place, and returns the input and a result.
  LaunchList list;
  list.slots = {slot(Slot::Kind::Input), slot(Slot::Kind::Output)};
  list.slots[0].isWritten = true;
  list.slots[0].alignment = 16;
  list.steps = {launch("add_value", {0, 0}, {0}), launch("add", {1, 0, 0})};
  list.inputs = {0};
  list.outputs = {0, 1};
  list.variables = {{"n", -1000, 1000}};
  Executable program(cpu, list);
  std::vector<char> memory(kBytes + 32);
  char *aligned = reinterpret_cast<char *>(
      (reinterpret_cast<uintptr_t>(memory.data()) + 15) / 16 * 16);
  for (std::size_t offset : {0, 8}) {
    auto *elements = reinterpret_cast<int64_t *>(aligned + offset);
    std::fill_n(elements, kCount, 5);
    Buffer input = Buffer::external(cpu, elements, kBytes, {});
    std::vector<Buffer> results = program.run({input}, {2});
    EXPECT_EQ(results[0].address(), elements);
    EXPECT_EQ(elements[0], 7);
    EXPECT_EQ(elements[kCount - 1], 7);
    EXPECT_EQ(at(results[1], 3), 14);
  }
  for (std::size_t alignment :
       {std::size_t(0), std::size_t(12), std::size_t(128)}) {
    list.slots[0].alignment = alignment;
    EXPECT_THAT(messageOf<Error>([&] { Executable(cpu, list); }),
                HasSubstr("launch list: slot 0 has an alignment of " +
                          std::to_string(alignment) + " bytes"));
  }
}

TEST_F(LaunchListTest, copiesWithinAndBetweenDevices) {
  Device &other = Device::get("CPU:1");
  LaunchList list;
  list.slots = {slot(Slot::Kind::Input), slot(Slot::Kind::Arena),
                slot(Slot::Kind::Output), slot(Slot::Kind::Output)};
  list.slots[0].device = &other;
  list.slots[3].device = &other;
  list.steps = {copy(1, 0), launch("add_value", {2, 1}, {0}), copy(3, 2)};
  list.inputs = {0};
  list.outputs = {2, 3};
  list.arenaBytes = kBytes;
  list.variables = {{"n", -1000, 1000}};
  Executable program(cpu, list);
  std::vector<Buffer> results = program.run({iota(0, "CPU:1")}, {30});
  EXPECT_EQ(at(results[0], 5), 35);
  EXPECT_EQ(at(results[1], 5), 35);
  EXPECT_EQ(&results[1].device(), &other);
  EXPECT_THAT(messageOf<DeviceError>([&] { program.run({iota()}, {30}); }),
              HasSubstr("input 0 is on CPU, not on CPU:1"));

  list.slots[0].device = nullptr;
  list.slots[3].device = nullptr;
  results = Executable(cpu, list).run({iota()}, {31});
  EXPECT_EQ(at(results[1], 5), 36);
}

TEST_F(LaunchListTest, runsOnTheNullDevice) {
  GlobalCounters::reset();
  Executable program(Device::get("NULL"), sample("NULL"));
  std::vector<Buffer> results = program.run({iota(0, "NULL")}, {1});
  EXPECT_EQ(at(results[0], 3), 0);
  EXPECT_EQ(GlobalCounters::kernelCount, 2);
}

TEST_F(LaunchListTest, countsWhatRan) {
  Executable program(cpu, sample());
  GlobalCounters::reset();
  Context quiet({{"DEBUG", 0}});
  program.run({iota()}, {1});
  program.run({iota()}, {1});
  EXPECT_EQ(GlobalCounters::kernelCount, 4);
  EXPECT_EQ(GlobalCounters::globalOps, 40);
  EXPECT_EQ(GlobalCounters::globalMem, 400);
  EXPECT_EQ(GlobalCounters::timeSumSeconds, 0);
}

TEST_F(LaunchListTest, printsALinePerKernel) {
  Executable program(cpu, sample());
  GlobalCounters::reset();
  std::vector<std::string> lines;
  setDebugSink([&](std::string_view line) { lines.emplace_back(line); });
  {
    Context verbose({{"DEBUG", 2}});
    EXPECT_EQ(at(program.run({iota()}, {1})[0], 2), 5);
  }
  {
    Context quiet({{"DEBUG", 1}});
    program.run({iota()}, {1});
  }
  setDebugSink(nullptr);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], ::testing::StartsWith("*** CPU        1 add_value  "));
  EXPECT_THAT(lines[0], HasSubstr(" arg  2 mem "));
  EXPECT_THAT(lines[0], HasSubstr("GFLOPS"));
  EXPECT_THAT(lines[1], ::testing::StartsWith("*** CPU        2 add  "));
  EXPECT_THAT(lines[1], HasSubstr(" arg  3 mem "));
  EXPECT_GT(GlobalCounters::timeSumSeconds, 0);
  EXPECT_EQ(GlobalCounters::kernelCount, 4);
}

TEST_F(LaunchListTest, linesSayWhatAndForWhom) {
  LaunchList list = sample();
  list.steps[0].description = "[add, relu]";
  Executable program(cpu, std::move(list));
  std::vector<std::string> lines;
  setDebugSink([&](std::string_view line) { lines.emplace_back(line); });
  Context verbose({{"DEBUG", 2}});
  {
    const CallSite site("/home/someone/model.cpp", 12);
    // Kernels of nested calls are attributed to the outermost call site.
    const CallSite inner("inner.cpp", 1);
    program.run({iota()}, {1});
  }
  program.run({iota()}, {1});
  setDebugSink(nullptr);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[0],
              ::testing::EndsWith("GB/s) [add, relu] at model.cpp:12"));
  EXPECT_THAT(lines[1], ::testing::EndsWith("GB/s) at model.cpp:12"));
  EXPECT_THAT(lines[2], ::testing::EndsWith("GB/s) [add, relu]"));
}

TEST_F(LaunchListTest, profilesWithoutLines) {
  Executable program(cpu, sample());
  std::vector<std::string> lines;
  setDebugSink([&](std::string_view line) { lines.emplace_back(line); });
  resetProfile();
  program.run({iota()}, {1});
  EXPECT_EQ(profileSummary(), "");
  {
    Context profiling({{"PROFILE", 1}});
    program.run({iota()}, {1});
    program.run({iota()}, {1});
  }
  setDebugSink(nullptr);
  EXPECT_EQ(lines.size(), 0u);
  const std::string summary = profileSummary();
  EXPECT_THAT(summary, ::testing::StartsWith("profile: 2 kernels, "));
  EXPECT_THAT(summary, ::testing::ContainsRegex("\nadd_value +2 "));
  EXPECT_THAT(summary, ::testing::ContainsRegex("\nadd +2 "));
  resetProfile();
  EXPECT_EQ(profileSummary(), "");
}

TEST(Profile, rowsAreInTheOrderOfTheirTime) {
  resetProfile();
  recordStep({"short", "[add]", 1.0, 0, 1e9});
  for (int i = 0; i < 3; ++i)
    recordStep({"long", "[matmul]", 1.0, 2e9, 1e6});
  const std::string summary = profileSummary();
  EXPECT_THAT(summary, HasSubstr("2 kernels, 4000.000 ms; roofline: "));
  // Count, total, share, rates, and the share of the roofline.
  EXPECT_THAT(summary, ::testing::ContainsRegex(
                           "\nlong +3 +3000.000 +75.0% +2.0 +0.0 +[0-9]+%  "
                           ".matmul.\nshort +1 +1000.000 +25.0% +0.0 +1.0 +"
                           "[0-9]+%  .add.\n$"));
  resetProfile();
}

TEST(Profile, kernelsOfGpusHaveNoRoof) {
  resetProfile();
  recordStep({"there", "[add]", 1.0, 0, 1e9, false});
  EXPECT_EQ(profileSummary(),
            "profile: 1 kernels, 1000.000 ms\n"
            "kernel    count    total ms  share    GFLOPS     GB/s  roof  "
            "operations\n"
            "there         1    1000.000 100.0%       0.0      1.0        "
            "[add]\n");
  recordStep({"here", "[mul]", 1.0, 0, 1e9});
  const std::string summary = profileSummary();
  EXPECT_THAT(summary, HasSubstr("; roofline: "));
  EXPECT_THAT(summary,
              ::testing::ContainsRegex("\nhere .*[0-9]%  .mul.\nthere .* 1.0  "
                                       "      .add."));
  resetProfile();
}

TEST(KernelLine, hasTheFamiliarForm) {
  EXPECT_EQ(
      formatKernelLine("CPU", 12, "r_4_16", 3, 2.5e9, 1.5e-3, 0.25, 3e9, 6e6),
      "*** CPU       12 r_4_16" + std::string(40, ' ') +
          " arg  3 mem   2.50 GB tm   1500.00us/   250.00ms (   2000 "
          "GFLOPS    4.0 GB/s)");
  EXPECT_THAT(formatKernelLine("CPU", 1, "k", 1, 0, 0.02, 1, 1e9, 1e9),
              HasSubstr("20.00ms"));
  EXPECT_THAT(formatKernelLine("CPU", 1, "k", 1, 0, 1, 1, 2e14, 0),
              HasSubstr("200 TFLOPS"));
  // Without a time there is no rate, and no division by zero.
  EXPECT_THAT(formatKernelLine("NULL", 1, "k", 1, 0, 0, 0, 1e9, 1e9),
              HasSubstr("0.0 GFLOPS"));
  const std::string longName(80, 'n');
  EXPECT_THAT(formatKernelLine("CPU", 1, longName, 1, 0, 0, 0, 0, 0),
              HasSubstr(longName + " arg"));
}

TEST_F(LaunchListTest, threadsMayRunAtOnce) {
  Executable program(cpu, sample());
  program.keepArena(true);
  std::atomic<int> numWrong{0};
  std::vector<std::thread> threads;
  for (int64_t id = 0; id < 4; ++id)
    threads.emplace_back([&, id] {
      Buffer in = iota(id);
      for (int64_t round = 0; round < 200; ++round) {
        Buffer out = program.run({in}, {round})[0];
        for (std::size_t i = 0; i < kCount; ++i)
          numWrong += at(out, i) != 2 * (id + int64_t(i)) + round;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numWrong, 0);
}

TEST_F(LaunchListTest, wrongArgumentsAreRefused) {
  Executable program(cpu, sample());
  Buffer in = iota();
  EXPECT_THAT(messageOf<ShapeError>([&] { program.run({}, {1}); }),
              HasSubstr("takes 1 inputs, not 0"));
  EXPECT_THAT(messageOf<ShapeError>([&] { program.run({in}, {}); }),
              HasSubstr("takes 1 variable values, not 0"));
  EXPECT_THAT(messageOf<ShapeError>([&] { program.run({in.view(0, 8)}, {1}); }),
              HasSubstr("input 0 has 8 bytes, not 128"));
  EXPECT_THAT(messageOf<DTypeError>([&] {
                program.run({in.view(0, kBytes, DType::Float64)}, {1});
              }),
              HasSubstr("input 0 is float64, not int64"));
  EXPECT_THROW(program.run({iota(0, "NULL")}, {1}), DeviceError);
  EXPECT_THROW(program.run({Buffer()}, {1}), DeviceError);
  EXPECT_EQ(at(program.run({in}, {1})[0], 0), 1);
}

/// A size that a value gives.
static Expression value(uint32_t index) {
  return Expression::Builder().variable(index).build();
}

TEST_F(LaunchListTest, inputsMayHaveTheirActualSize) {
  // Rows of two numbers, at most eight: copied to an output, and returned.
  LaunchList list;
  list.slots = {slot(Slot::Kind::Input), slot(Slot::Kind::Output),
                slot(Slot::Kind::View, 16)};
  list.slots[0].sizes = {value(0), 2};
  list.slots[2].base = 0;
  list.slots[2].bytes = kBytes - 16;
  list.steps = {copy(1, 0)};
  list.inputs = {0};
  list.outputs = {1, 0, 2};
  list.variables = {{"n", 0, 8}};
  Executable program(cpu, list);
  const Buffer whole = iota();
  for (int64_t n : {1, 3, 8}) {
    const Buffer in =
        Buffer::fromHost(cpu, whole.address(), std::size_t(n) * 16);
    const std::vector<Buffer> results = program.run({in}, {n});
    ASSERT_EQ(results[0].size(), kBytes);
    for (int64_t i = 0; i < 2 * n; ++i)
      EXPECT_EQ(at(results[0], std::size_t(i)), i);
    EXPECT_EQ(results[1].size(), in.size());
    EXPECT_EQ(results[2].size(), in.size() - 16);
    // More is taken, too.
    EXPECT_EQ(at(program.run({whole}, {n})[0], 15), 15);
  }
  EXPECT_EQ(
      messageOf<ShapeError>([&] { program.run({whole.view(0, 32)}, {3}); }),
      "input 0 has 32 bytes, not from 48, for its shape [3, 2] of int64, "
      "to 128, for the largest one");
  EXPECT_EQ(
      messageOf<ShapeError>([&] { program.run({whole.view(0, 32)}, {8}); }),
      "input 0 has 32 bytes, not 128");
  list.slots[0].sizes = {value(1)};
  EXPECT_THAT(problem(list), HasSubstr("slot 0 has a size over variables"));
}

TEST_F(LaunchListTest, inconsistentListsAreRefused) {
  LaunchList list = sample();
  list.inputs = {};
  EXPECT_THAT(problem(list), HasSubstr("slot 0 is given 0 times"));
  list.inputs = {0, 0};
  EXPECT_THAT(problem(list), HasSubstr("slot 0 is given 2 times"));
  list.inputs = {0, 2};
  EXPECT_THAT(problem(list), HasSubstr("input 2 is not an input slot"));
  list.inputs = {9};
  EXPECT_THAT(problem(list), HasSubstr("input 9 is not an input slot"));

  list = sample();
  list.arenaBytes = kBytes;
  EXPECT_THAT(problem(list), HasSubstr("slot 1 reaches beyond the arena"));
  list = sample();
  list.slots[1].offset = SIZE_MAX;
  EXPECT_THAT(problem(list), HasSubstr("slot 1 reaches beyond the arena"));

  list = sample();
  list.slots[1].kind = Slot::Kind::Constant;
  EXPECT_THAT(problem(list), HasSubstr("slot 1 has no constant"));
  list.slots[1].constant = iota(0, "NULL");
  EXPECT_THAT(problem(list), HasSubstr("slot 1 has a constant on NULL"));

  list = sample();
  list.slots[1].kind = Slot::Kind::View;
  list.slots[1].base = 1;
  EXPECT_THAT(problem(list), HasSubstr("slot 1 is a view of a slot"));
  list.slots[1].base = 0;
  EXPECT_THAT(problem(list), HasSubstr("slot 1 reaches beyond slot 0"));

  list = sample();
  list.steps[1].slots[2] = 3;
  EXPECT_THAT(problem(list), HasSubstr("step 1 (add) uses slot 3 of 3"));
  list = sample();
  list.variables.clear();
  EXPECT_THAT(problem(list), HasSubstr("uses variable 0 of 0"));
  list = sample();
  list.steps[0].kernel = Kernel();
  EXPECT_THAT(problem(list), HasSubstr("step 0 (add_value) has no kernel"));
  list = sample();
  list.steps[0].kernel = kernel("add_value", "NULL");
  EXPECT_THAT(problem(list), HasSubstr("kernel of device NULL"));
  list = sample();
  list.steps[0].dims.parallelExtent = -1;
  EXPECT_THAT(problem(list), HasSubstr("negative extent"));
  list = sample();
  list.slots[0].device = &Device::get("NULL");
  EXPECT_THAT(problem(list), HasSubstr("uses slot 0, which is on NULL"));
  list = sample();
  list.slots[1].device = &Device::get("NULL");
  EXPECT_THAT(problem(list), HasSubstr("slot 1 cannot be on another device"));

  list = sample();
  list.outputs = {1};
  EXPECT_THAT(problem(list), HasSubstr("output slot 1 is in the arena"));
  list.outputs = {5};
  EXPECT_THAT(problem(list), HasSubstr("output 5 is not a slot"));

  list = sample();
  list.steps.push_back(copy(2, 1));
  list.steps[2].slots.pop_back();
  EXPECT_THAT(problem(list), HasSubstr("does not copy between two slots"));
  list.steps[2] = copy(2, 1);
  list.steps[2].numWritten = 3;
  EXPECT_THAT(problem(list), HasSubstr("writes 3 slots, but uses 2"));
  list.steps[2] = copy(2, 1);
  list.slots[1].bytes = 8;
  EXPECT_THAT(problem(list), HasSubstr("does not copy between two slots"));
}

TEST_F(LaunchListTest, valuesHaveToBeInTheirBounds) {
  Executable program(cpu, sample());
  EXPECT_EQ(messageOf<ShapeError>([&] { program.run({iota()}, {1001}); }),
            "variable n cannot be 1001, which is not in [-1000, 1000]");
  EXPECT_EQ(messageOf<ShapeError>([&] { program.run({iota()}, {}); }),
            "program takes 1 variable values, not 0");
  EXPECT_EQ(program.run({iota()}, {1000}).size(), 1u);
}

TEST_F(LaunchListTest, numbersFollowTheValues) {
  // out = ((in + 7) + v0) + 40
  LaunchList list;
  list.slots = {slot(Slot::Kind::Input), slot(Slot::Kind::Arena),
                slot(Slot::Kind::Arena, kBytes), slot(Slot::Kind::Output)};
  list.steps = {launch("add_value", {1, 0}, {1}),
                launch("add_value", {2, 1}, {0}),
                launch("add_value", {3, 2}, {2})};
  list.inputs = {0};
  list.outputs = {3};
  list.arenaBytes = 2 * kBytes;
  list.variables = {{"n", -1000, 1000}};
  list.numbers = {7, 40};
  Executable program(cpu, list);
  for (int64_t value : {0, 100}) {
    std::vector<Buffer> results = program.run({iota()}, {value});
    for (std::size_t i = 0; i < kCount; ++i)
      EXPECT_EQ(at(results[0], i), int64_t(i) + 47 + value);
  }
  EXPECT_THROW(program.run({iota()}, {1, 7, 40}), ShapeError);
  list.numbers.pop_back();
  EXPECT_THAT(problem(list), HasSubstr("uses variable 2 of 2"));
}

namespace {
/// Sorts rows of int64 keys, of which the first n are sorted.
LaunchList sorted(std::size_t bytes, int64_t rows, bool isDescending) {
  Slot keys, positions;
  keys.kind = Slot::Kind::Input;
  keys.bytes = bytes;
  keys.dtype = DType::Int64;
  positions.kind = Slot::Kind::Output;
  positions.bytes = bytes / 2;
  positions.dtype = DType::Int32;
  Step step;
  step.kind = Step::Kind::Sort;
  step.displayName = "sort";
  step.slots = {1, 0};
  step.variables = {0};
  step.sort.keys = DType::Int64;
  step.sort.rows = rows;
  step.sort.rowElements = int64_t(bytes / 8) / rows;
  step.sort.rowPositions = step.sort.rowElements;
  step.sort.length = Expression::Builder().variable(0).build();
  step.sort.isDescending = isDescending;
  LaunchList list;
  list.slots = {keys, positions};
  list.steps = {step};
  list.inputs = {0};
  list.outputs = {1};
  list.variables = {{"n", 0, step.sort.rowElements}};
  return list;
}
} // namespace

TEST_F(LaunchListTest, shortInputsAreAlignedAndSorted) {
  // Copied to aligned memory, and back after the copy of rows to it.
  LaunchList list;
  list.slots = {slot(Slot::Kind::Input), slot(Slot::Kind::Input)};
  for (Slot &slot : list.slots)
    slot.sizes = {value(0), 2};
  list.slots[0].isWritten = true;
  list.slots[0].alignment = 64;
  list.steps = {copy(0, 1)};
  list.inputs = {0, 1};
  list.outputs = {0};
  list.variables = {{"n", 1, 8}};
  std::vector<int64_t> memory(kCount, -1);
  const Buffer to = Buffer::external(cpu, memory.data() + 1, 48, {});
  const Buffer from = iota();
  Executable(cpu, list).run({to, from.view(0, 48)}, {3});
  EXPECT_EQ(memory[6], 5);
  EXPECT_EQ(memory[7], -1);
  EXPECT_EQ(memory[0], -1);

  LaunchList sorts = sorted(kBytes, 8, false);
  sorts.slots[0].sizes = {value(1), 2};
  sorts.variables.push_back({"m", 1, 8});
  const std::vector<int64_t> keys = {5, 1, 0, 2, 4, 3};
  const Buffer in = Buffer::fromHost(cpu, keys.data(), 48, DType::Int64);
  std::vector<int32_t> found(6);
  Executable(cpu, sorts).run({in}, {2, 3})[0].copyOut(found.data(), 24);
  EXPECT_THAT(found, ::testing::ElementsAre(1, 0, 0, 1, 1, 0));
  // A part of a further row is none: its last element would not be there.
  sorts.slots[1].kind = Slot::Kind::Input;
  sorts.slots[1].isWritten = true;
  sorts.inputs = {0, 1};
  const std::vector<int32_t> unknown(kCount, -1);
  const Buffer part = Buffer::fromHost(cpu, keys.data(), 40, DType::Int64),
               written = Buffer::fromHost(cpu, unknown.data(), kBytes / 2,
                                          DType::Int32);
  Executable(cpu, sorts).run({part, written}, {2, 2});
  written.copyOut(found.data(), 24);
  EXPECT_THAT(found, ::testing::ElementsAre(1, 0, 0, 1, -1, -1));
}

TEST_F(LaunchListTest, sortsRows) {
  const std::vector<int64_t> keys = {5, -1, 5, 0, 9, 9, -7, 3,
                                     2, 2,  2, 1, 8, 0, 0,  4};
  const Buffer in = Buffer::fromHost(cpu, keys.data(), kBytes, DType::Int64);
  for (const bool isDescending : {false, true}) {
    Executable program(cpu, sorted(kBytes, 2, isDescending));
    for (int64_t length : {8, 5, 1, 0}) {
      std::vector<Buffer> results = program.run({in}, {length});
      std::vector<int32_t> found(kCount);
      results[0].copyOut(found.data(), kCount * 4);
      for (std::size_t row = 0; row < 2; ++row) {
        const int64_t *own = keys.data() + row * 8;
        std::vector<int32_t> expected(std::size_t(length), 0);
        std::iota(expected.begin(), expected.end(), 0);
        std::sort(expected.begin(), expected.end(), [&](int32_t a, int32_t b) {
          if (own[a] == own[b])
            return a < b;
          return isDescending ? own[a] > own[b] : own[a] < own[b];
        });
        const auto begin = found.begin() + std::ptrdiff_t(row * 8);
        EXPECT_EQ(std::vector<int32_t>(begin, begin + length), expected);
      }
    }
  }
}

TEST_F(LaunchListTest, sortsForTheFirstPositionsAlone) {
  const std::vector<int64_t> keys = {5, -1, 5, 0, 9, 9, -7, 3,
                                     2, 2,  2, 1, 8, 0, 0,  4};
  const Buffer in = Buffer::fromHost(cpu, keys.data(), kBytes, DType::Int64);
  LaunchList list = sorted(kBytes, 2, false);
  list.steps[0].sort.rowPositions = 3;
  list.slots[1].bytes = 6 * sizeof(int32_t);
  Executable program(cpu, list);
  std::vector<int32_t> found(6);
  program.run({in}, {8})[0].copyOut(found.data(), 24);
  EXPECT_THAT(found, ::testing::ElementsAre(6, 1, 3, 5, 6, 3));
  // Shorter rows leave the rest of the output unchanged.
  program.run({in}, {1})[0].copyOut(found.data(), 24);
  EXPECT_EQ(found[0], 0);
  EXPECT_EQ(found[3], 0);
}

TEST_F(LaunchListTest, inconsistentSortsAreRefused) {
  const LaunchList good = sorted(kBytes, 2, false);
  EXPECT_NO_THROW(Executable(cpu, good));
  LaunchList list = good;
  list.steps[0].slots = {1};
  EXPECT_THAT(problem(list), HasSubstr("does not sort one slot into another"));
  list = good;
  list.steps[0].sort.rows = 3;
  EXPECT_THAT(problem(list), HasSubstr("sorts more elements than its slots"));
  list = good;
  list.steps[0].sort.rowPositions = 9;
  EXPECT_THAT(problem(list), HasSubstr("sorts more elements than its slots"));
  list = good;
  list.steps[0].sort.rowPositions = -1;
  EXPECT_NE(problem(list), "");
  list = good;
  list.steps[0].sort.positions = DType::Float32;
  EXPECT_THAT(problem(list), HasSubstr("has positions of type float32"));
  list = good;
  list.steps[0].variables = {};
  EXPECT_THAT(problem(list), HasSubstr("length over more variables"));
  list = good;
  list.steps[0].sort.length = 9;
  EXPECT_THAT(problem(list), HasSubstr("more elements than a row has"));
}

TEST_F(LaunchListTest, viewsBeginAtSymbolicOffsets) {
  LaunchList list;
  list.slots = {slot(Slot::Kind::Input), slot(Slot::Kind::View, 16)};
  list.slots[1].bytes = 16;
  list.slots[1].symbolicOffset = Expression::Builder()
                                     .variable(0)
                                     .number(8)
                                     .apply(Expression::Operator::Mul)
                                     .build();
  list.inputs = {0};
  list.outputs = {1};
  list.variables = {{"n", 0, 1 << 20}};
  Executable program(cpu, list);
  EXPECT_EQ(at(program.run({iota()}, {3})[0], 0), 5);
  EXPECT_THROW(program.run({iota()}, {1 << 20}), Error);
}

TEST(ExpressionTest, computesWithVariables) {
  using Operator = Expression::Operator;
  auto make = [](Operator op) {
    return Expression::Builder().variable(0).variable(1).apply(op).build();
  };
  auto at = [](const Expression &expression, int64_t a, int64_t b) {
    const int64_t values[] = {a, b};
    return expression.evaluate(values);
  };
  EXPECT_EQ(at(make(Operator::Add), 3, -5), -2);
  EXPECT_EQ(at(make(Operator::Mul), 3, -5), -15);
  EXPECT_EQ(at(make(Operator::Min), 3, -5), -5);
  EXPECT_EQ(at(make(Operator::Max), 3, -5), 3);
  EXPECT_EQ(at(make(Operator::FloorDiv), -7, 2), -4);
  EXPECT_EQ(at(make(Operator::Mod), -7, 2), 1);
  EXPECT_EQ(at(make(Operator::FloorDiv), 7, -2), -4);
  EXPECT_EQ(at(make(Operator::Mod), 7, -2), -1);
  EXPECT_EQ(at(make(Operator::FloorDiv), 7, 0), 0);
  EXPECT_EQ(at(make(Operator::Mod), 7, 0), 0);
  EXPECT_EQ(at(make(Operator::FloorDiv), INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(at(make(Operator::Mod), INT64_MIN, -1), 0);
  EXPECT_EQ(make(Operator::Add).numVariables(), 2u);
}

TEST(ExpressionTest, constantsAreNumbers) {
  Expression five = Expression::Builder()
                        .number(2)
                        .number(3)
                        .apply(Expression::Operator::Add)
                        .build();
  EXPECT_TRUE(five.isConstant());
  EXPECT_EQ(five.constant(), 5);
  EXPECT_EQ(Expression(7).evaluate(nullptr), 7);
}

TEST(ExpressionTest, incompleteOnesAreRejected) {
  EXPECT_THROW(Expression::Builder().build(), Error);
  EXPECT_THROW(Expression::Builder().number(1).variable(0).build(), Error);
  EXPECT_THROW(Expression::Builder().number(1).apply(Expression::Operator::Add),
               Error);
}
