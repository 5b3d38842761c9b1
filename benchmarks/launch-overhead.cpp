//===- launch-overhead.cpp - overhead of the runtime ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Times everything around a kernel: launches, replay of launch lists and of
/// captured steps, distribution to threads, allocation, loading of code. The
/// kernels do almost nothing. Steps are those of the default device (DEV), for
/// which each call waits.
///
//===----------------------------------------------------------------------===//

#include "CompileIr.h"
#include "TinyGrad/HostJit/KernelCache.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/LaunchList.h"
#include "TinyGrad/Tensor/Jit.h"
#include "Usage.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <limits>
#include <new>
#include <string>

using namespace tinygrad;

//===----------------------------------------------------------------------===//
// Counting of allocations
//===----------------------------------------------------------------------===//

static std::atomic<long> numAllocations{0};

void *operator new(std::size_t size) {
  ++numAllocations;
  if (void *address = std::malloc(size))
    return address;
  throw std::bad_alloc();
}
void operator delete(void *address) noexcept { std::free(address); }
void operator delete(void *address, std::size_t) noexcept {
  std::free(address);
}

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

/// The time of one call of \p body in nanoseconds: the median of several
/// rounds.
static double nanoseconds(int calls, const std::function<void()> &body) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> rounds;
  body();
  for (int round = 0; round < 15; ++round) {
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < calls; ++i)
      body();
    const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
    rounds.push_back(time.count() / calls);
  }
  std::nth_element(rounds.begin(), rounds.begin() + 7, rounds.end());
  return rounds[7];
}

static void report(const std::string &what, double value, const char *unit) {
  std::printf("%-58s %10.1f %s\n", what.c_str(), value, unit);
}

//===----------------------------------------------------------------------===//
// Measurements
//===----------------------------------------------------------------------===//

static const std::vector<char> &nothingKernel() {
  static const std::vector<char> code = testing::compileIr(
      "define void @nothing(ptr %buffers, ptr %vars, i64 %begin, i64 %end) {\n"
      "ret void\n}\n");
  return code;
}

static LaunchList listOf(const Kernel &kernel, int steps) {
  LaunchList list;
  list.slots.resize(3);
  list.slots[0].bytes = list.slots[1].bytes = list.slots[2].bytes = 4096;
  list.slots[1].kind = Slot::Kind::Arena;
  list.slots[2].kind = Slot::Kind::Output;
  list.inputs = {0};
  list.outputs = {2};
  list.arenaBytes = 4096;
  for (int i = 0; i < steps; ++i) {
    Step step;
    step.kernel = kernel;
    step.slots = {2, 1, 0};
    step.memBytes = 8;
    list.steps.push_back(std::move(step));
  }
  return list;
}

static void benchmarkLists(Device &device) {
  Kernel kernel(device.loadProgram(nothingKernel().data(),
                                   nothingKernel().size(), "host"),
                "nothing");
  const std::string on = " on " + device.name();
  LaunchDims dims;
  void *none[1] = {};
  report(
      "launch" + on,
      nanoseconds(100000, [&] { device.launch(kernel, none, nullptr, dims); }),
      "ns");
  for (int steps : {1, 10, 100, 1000}) {
    Executable program(device, listOf(kernel, steps));
    program.keepArena(true);
    const std::vector<Buffer> inputs = {Buffer::allocate(device, 4096)};
    const double time =
        nanoseconds(100000 / (steps + 9), [&] { program.run(inputs); });
    const long before = numAllocations;
    program.run(inputs);
    const long allocations = numAllocations - before;
    report("run of a list of " + std::to_string(steps) + on, time, "ns");
    report("  per launch", time / steps, "ns");
    report("  calls of operator new, for the outputs", double(allocations), "");
  }
}

/// Times a function that changes tensors, called and as a captured step.
template <typename Function>
static void benchmarkStep(const std::string &what, const Function &function,
                          const std::vector<Tensor> &changed) {
  const Tensor x = Tensor::ones({16}).parameter().realize();
  Device &device = Device::getDefault();
  auto call = [&] {
    function(x);
    realize(changed);
    device.synchronize();
  };
  call();
  const int64_t before = GlobalCounters::kernelCount;
  call();
  const auto launches = int(GlobalCounters::kernelCount - before);
  const std::string name =
      what + ", " + std::to_string(launches) + " launches: ";
  const int calls = 20000 / (launches + 9);
  report(name + "called", nanoseconds(calls / 4 + 1, call) / launches,
         "ns per launch");
  Jit step(function);
  step(x);
  step(x);
  auto replay = [&] {
    step(x);
    device.synchronize();
  };
  report(name + "replayed", nanoseconds(calls, replay) / launches,
         "ns per launch");
}

static void benchmarkSteps() {
  try {
    Device::getDefault();
  } catch (const DeviceError &error) {
    std::printf("steps skipped: %s\n", error.what());
    return;
  }
  for (int count : {1, 10, 100}) {
    // The kernels of one program, with two weights each.
    std::vector<Tensor> weights;
    for (int i = 0; i < 2 * count; ++i)
      weights.push_back(Tensor::full({16 + i}, double(i)).parameter(false));
    benchmarkStep(
        "step of one program",
        [&](const Tensor &x) {
          for (Tensor &weight : weights)
            weight.assign(weight * 0.5 + x[0]);
        },
        weights);
    // Programs of one kernel.
    Tensor sum = Tensor::zeros({16}).parameter(false);
    benchmarkStep("step of programs",
                  [&, count](const Tensor &x) {
                    Tensor y = x;
                    for (int i = 1; i < count; ++i)
                      y = (y + x).realize();
                    sum.assign(sum * 0.5 + y);
                  },
                  {sum});
  }
}

/// What a loop does around a captured call: new inputs, and values of results.
static void benchmarkAccess() {
  // CPU time, as this is work of one thread: the least of several rounds.
  auto time = [](const std::string &what, const std::function<void()> &body) {
    constexpr int calls = 1000;
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 15; ++round) {
      const std::clock_t begin = std::clock();
      for (int i = 0; i < calls; ++i)
        body();
      least = std::min(least, double(std::clock() - begin));
    }
    report(what, least * (1e9 / CLOCKS_PER_SEC) / calls, "ns of CPU time");
  };
  const std::vector<float> numbers(64, 1.5f);
  time("tensor from a vector", [&] { Tensor::from(numbers); });
  time("  reshaped", [&] { Tensor::from(numbers).reshape({8, 8}); });
  const Tensor x = Tensor::from(numbers).reshape({8, 8});
  const Tensor single = Tensor::from({2.0f});
  time("element of a tensor of one", [&] { single.item<float>(); });
  time("  of a view, x[3]", [&] { x[3]; });
  time("  x[3][5].item()", [&] { x[3][5].item<float>(); });
  time("  x.index({3, 5}).item()", [&] { x.index({3, 5}).item<float>(); });
  time("  x.reshape({64})[5].item()",
       [&] { x.reshape({64})[5].item<float>(); });
  time("values of 64 elements, toHost()", [&] { x.toHost(); });
  time("  tolist()", [&] { x.tolist<float>(); });
  Tensor state = Tensor::zeros({8, 8}).parameter(false);
  Jit step([&](const Tensor &input) {
    state.assign(state * 0.5f + input);
    return state.sum({}, true);
  });
  for (int i = 0; i < 3; ++i)
    step(x);
  time("captured call of two launches", [&] { step(x); });
  time("  with a new input and an element of the result", [&] {
    step(Tensor::from(numbers).reshape({8, 8}))[0][0].item<float>();
  });
}

static void benchmarkThreads(Device &cpu) {
  Kernel kernel(
      cpu.loadProgram(nothingKernel().data(), nothingKernel().size(), "host"),
      "nothing");
  void *none[1] = {};
  LaunchDims dims;
  dims.parallelExtent = 1000;
  dims.estimatedNanoseconds = 1e6;
  report("launch on " + std::to_string(cpu.information().computeUnits) +
             " threads, back to back",
         nanoseconds(2000, [&] { cpu.launch(kernel, none, nullptr, dims); }),
         "ns");
  dims.estimatedNanoseconds = 1;
  report("the same launch estimated as small",
         nanoseconds(100000, [&] { cpu.launch(kernel, none, nullptr, dims); }),
         "ns");
}

static void benchmarkMemory(Device &cpu) {
  for (std::size_t bytes : {std::size_t(4096), std::size_t(64) << 20}) {
    const std::string what = std::to_string(bytes >> 10) + " KiB";
    report("allocate and free " + what + ", cached",
           nanoseconds(10000, [&] { cpu.free(cpu.allocate(bytes), bytes); }),
           "ns");
    const bool isLarge = bytes > 1 << 20;
    auto touch = [&] {
      void *address = cpu.allocate(bytes);
      std::memset(address, 1, bytes);
      cpu.free(address, bytes);
    };
    report("allocate, write and free " + what + ", cached",
           nanoseconds(isLarge ? 3 : 10000, touch) * 1e-3, "us");
    Context uncached({{"LRU", 0}});
    report("allocate, write and free " + what + ", LRU=0",
           nanoseconds(isLarge ? 3 : 10000, touch) * 1e-3, "us");
  }
}

static void benchmarkCaches(Device &cpu) {
  std::string directory =
      (std::filesystem::temp_directory_path() / "launch-overhead-XXXXXX")
          .string();
  if (!::mkdtemp(directory.data())) {
    std::perror(directory.c_str());
    return;
  }
  {
    auto load = [&] {
      Kernel(cpu.loadProgram(nothingKernel().data(), nothingKernel().size(),
                             "host"),
             "nothing");
    };
    report("load and unload a program", nanoseconds(50, load) * 1e-3, "us");
    KernelCache cache(
        std::make_unique<DiskCache>(directory, "benchmark", 1 << 20));
    // About the length of a kernel's text.
    const std::string key(4000, 'k');
    auto get = [&] { Kernel(cache.get(cpu, key, nothingKernel), "nothing"); };
    report("find a program in memory", nanoseconds(1000, get) * 1e-3, "us");
    auto getFromDisk = [&] {
      cache.clearMemory();
      get();
    };
    report("find a program on disk and load it",
           nanoseconds(50, getFromDisk) * 1e-3, "us");
  }
  std::filesystem::remove_all(directory);
}

/// `launch-overhead access` only times what a loop does around captured calls.
static constexpr const char *kUsage =
    "usage: launch-overhead [access]\n"
    "\n"
    "Times everything around a kernel. access: that to elements of tensors "
    "alone.\n";

int main(int argc, char **argv) {
  if (const int code = handleUsage(argc, argv, kUsage, 1); code >= 0)
    return code;
  if (argc > 1 && std::strcmp(argv[1], "access") == 0) {
    benchmarkAccess();
    return 0;
  }
  if (argc > 1) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  Device &cpu = Device::get("CPU");
  benchmarkLists(cpu);
  benchmarkLists(Device::get("NULL"));
  benchmarkSteps();
  benchmarkAccess();
  benchmarkThreads(cpu);
  benchmarkMemory(cpu);
  benchmarkCaches(cpu);
  return 0;
}
