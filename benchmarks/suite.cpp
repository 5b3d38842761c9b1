//===- suite.cpp - performance of tensor programs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Times tensor programs, and memcpy and OpenBLAS in the same process.
///
///   suite                    all rows, as a table
///   suite --first NAME       one program in a fresh process: how long its
///                            first result takes, and where that time goes
///   suite --serve            for the scripts: reads "time ROW COUNT", "replay
///                            ROW COUNT" (a captured step, which builds no
///                            graph), "kernels ROW COUNT" (only the time of
///                            kernels, by the device's events) or "sample ROW",
///                            answers with a line of numbers
///   suite --graph NAME       prints the program's graph, for tg-compile
///
/// Each repetition rebuilds the graph and realizes it, so that it includes all
/// costs that a program has in a steady state.
///
//===----------------------------------------------------------------------===//

#include "BlasLibrary.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Profile.h"
#include "TinyGrad/Tensor/Jit.h"
#include "Usage.h"
#include "Workloads.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::benchmark;

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Finds a row: a workload of Workloads.h, or a reference.
static std::function<void()> findRow(const std::string &name) {
  if (const Workload *workload = findWorkload(name)) {
    auto inputs = std::make_shared<std::vector<Tensor>>(makeInputs(*workload));
    if (workload->buildAll)
      return [workload, inputs] { realize(workload->buildAll(*inputs)); };
    return [workload, inputs] { workload->build(*inputs).realize(); };
  }
  // memcpy-THREADS and sgemm-SIZE.
  if (name.rfind("memcpy-", 0) == 0) {
    const unsigned threads = std::stoi(name.substr(7));
    const std::size_t bytes = std::size_t(4096) * 4096 * sizeof(float);
    Device &cpu = Device::get("CPU");
    // Allocated in the same way as tensors, for the same kind of pages.
    Buffer from = Buffer::allocate(cpu, bytes), to = from.copyTo(cpu);
    std::memset(from.address(), 1, bytes);
    return [=] {
      const std::size_t part = bytes / threads;
      auto copy = [&](unsigned i) {
        std::memcpy(static_cast<char *>(to.address()) + i * part,
                    static_cast<char *>(from.address()) + i * part, part);
      };
      std::vector<std::thread> others;
      for (unsigned i = 1; i < threads; ++i)
        others.emplace_back(copy, i);
      copy(0);
      for (std::thread &other : others)
        other.join();
    };
  }
  if (name.rfind("sgemm-", 0) == 0 && BlasLibrary::get()) {
    const Workload *workload = findWorkload("matmul-" + name.substr(6));
    if (!workload)
      return {};
    std::vector<Tensor> inputs = makeInputs(*workload);
    Tensor result = Tensor::zeros(inputs[0].shape()).contiguous();
    const Buffer a = inputs[0].buffer(), b = inputs[1].buffer(),
                 c = result.buffer();
    const int n = int(inputs[0].size(0));
    return [=] {
      BlasLibrary::get()->multiply(n, static_cast<float *>(a.address()),
                                   static_cast<float *>(b.address()),
                                   static_cast<float *>(c.address()));
    };
  }
  return {};
}

/// The same as a captured step: only its launches are left.
static std::function<void()> captureRow(const std::string &name) {
  const Workload *workload = findWorkload(name);
  if (!workload || workload->buildAll)
    return {};
  auto step = std::make_shared<Jit<Tensor(const std::vector<Tensor> &)>>(
      [workload](const std::vector<Tensor> &inputs) {
        return workload->build(inputs);
      });
  return [step, inputs = makeInputs(*workload)] { (*step)(inputs); };
}

static std::vector<double> timeRow(const std::function<void()> &row,
                                   int count) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    const Clock::time_point begin = Clock::now();
    row();
    Device::getDefault().synchronize();
    times.push_back(secondsSince(begin));
  }
  return times;
}

/// The time that kernels take on the device, without anything between them.
static std::vector<double> timeKernels(const std::function<void()> &row,
                                       int count) {
  const Context profiling({{"PROFILE", 1}});
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    const double before = GlobalCounters::timeSumSeconds;
    row();
    times.push_back(GlobalCounters::timeSumSeconds - before);
  }
  resetProfile();
  return times;
}

static double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + times.size() / 2,
                   times.end());
  return times[times.size() / 2];
}

//===----------------------------------------------------------------------===//
// First results
//===----------------------------------------------------------------------===//

/// Milliseconds of the stages of a compilation, as "name=value" words. Caches
/// are not used.
static std::string measureParts(const Tensor &tensor) {
  Context uncached({{"CACHELEVEL", 0}});
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  prepareContext(context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(tensor.graph(), &context);
  if (!module)
    throw Error("the printed graph cannot be read back");
  const CompileTimes times = compile(*module, Device::getDefault())->getTimes();
  char text[128];
  std::snprintf(text, sizeof text, "schedule=%.3f optimize=%.3f kernels=%.3f",
                times.schedule, times.optimize, times.kernels);
  return text;
}

/// In a fresh process: times the first result, a second one, and one for which
/// only kernels are cached.
static int measureFirst(const std::string &name) {
  const Workload *workload = findWorkload(name);
  if (!workload) {
    std::fprintf(stderr, "suite: no program '%s'\n", name.c_str());
    return 1;
  }
  const std::vector<Tensor> inputs = makeInputs(*workload);
  auto once = [&] {
    const Clock::time_point begin = Clock::now();
    Tensor result = workload->build(inputs);
    const double built = secondsSince(begin);
    result.realize();
    return std::pair(built * 1e3, secondsSince(begin) * 1e3);
  };
  const auto [built, first] = once();
  double again = once().second;
  for (int i = 0; i < 4; ++i)
    again = std::min(again, once().second);
  double kept = 1e9;
  {
    const Context noPrograms({{"PROGRAMS", 0}});
    once();
    for (int i = 0; i < 5; ++i)
      kept = std::min(kept, once().second);
  }
  std::printf(
      "first=%.3f build=%.3f again=%.3f kernels-kept=%.3f operations=%zu",
      first, built, again, kept, countOperations(*workload, inputs));
  std::printf(" %s\n", measureParts(workload->build(inputs)).c_str());
  return 0;
}

//===----------------------------------------------------------------------===//
// Main programs
//===----------------------------------------------------------------------===//

/// The answer to a line of the scripts; a command that is not known or does not
/// apply has none.
static void answer(const std::string &line,
                   std::map<std::string, std::function<void()>> &rows) {
  std::istringstream words(line);
  std::string command, name;
  int count = 0;
  words >> command >> name >> count;
  if (command == "time" || command == "replay" || command == "kernels") {
    const bool isCaptured = command == "replay";
    auto [it, isNew] = rows.try_emplace(isCaptured ? line : name);
    if (isNew && (it->second = isCaptured ? captureRow(name) : findRow(name)))
      timeRow(it->second, 2);
    if (it->second)
      for (double seconds : command == "kernels"
                                ? timeKernels(it->second, count)
                                : timeRow(it->second, count))
        std::printf("%.9g ", seconds);
  } else if (command == "sample") {
    if (const Workload *workload = findWorkload(name)) {
      Tensor result = workload->build(makeInputs(*workload));
      TensorData<float> values = result.toFloat().data<float>();
      for (std::size_t i = 0; i < 16; ++i)
        std::printf("%.9g ", values[i * (values.size() - 1) / 15]);
    }
  } else if (command == "info" && name == "device") {
    std::printf("%s", Device::getDefault().information().target.c_str());
  } else if (command == "info" && name == "blas") {
    std::printf("%s", BlasLibrary::get()
                          ? BlasLibrary::get()->describe().c_str()
                          : "none");
  }
}

static int serve() {
  std::map<std::string, std::function<void()>> rows;
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      answer(line, rows);
    } catch (const Error &error) {
      std::fprintf(stderr, "suite: %s: %s\n", line.c_str(), error.what());
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}

static int printGraph(const std::string &name) {
  const Workload *workload = findWorkload(name);
  if (!workload) {
    std::fprintf(stderr, "suite: no program '%s'\n", name.c_str());
    return 1;
  }
  std::printf("%s\n", workload->build(makeInputs(*workload)).graph().c_str());
  return 0;
}

static int printTable() {
  if (BlasLibrary::get())
    std::printf("%s\n", BlasLibrary::get()->describe().c_str());
  std::printf("%d threads; each time the median of 9, in ms\n\n",
              threadCount());
  const double copy =
      median(timeRow(findRow("memcpy-" + std::to_string(threadCount())), 9));
  const double copyRate = 2 * 4096. * 4096 * 4 / copy;
  std::printf("%-14s %9.3f  %8.1f GB/s\n", "memcpy", copy * 1e3,
              copyRate * 1e-9);
  for (const Workload &workload : getWorkloads()) {
    if (!workload.isTimed)
      continue;
    std::function<void()> row = findRow(workload.name);
    timeRow(row, 2);
    const double time = median(timeRow(row, 9));
    std::printf("%-14s %9.3f  ", workload.name.c_str(), time * 1e3);
    if (workload.bytes)
      std::printf("%8.1f GB/s   %.2f of memcpy", workload.bytes / time * 1e-9,
                  workload.bytes / time / copyRate);
    else
      std::printf("%8.1f GFLOPS", workload.operations / time * 1e-9);
    if (workload.name.rfind("matmul-", 0) == 0)
      if (auto blas = findRow("sgemm-" + workload.name.substr(7))) {
        timeRow(blas, 2);
        std::printf(" %.2f of OpenBLAS", median(timeRow(blas, 9)) / time);
      }
    std::printf("\n");
  }
  return 0;
}

static constexpr const char *kUsage =
    "usage: suite [--serve | --first PROGRAM | --graph PROGRAM]\n"
    "\n"
    "Times tensor programs, and memcpy and OpenBLAS in the same process.\n"
    "--first: one program in a fresh process. --graph: its graph, for "
    "tg-compile.\n"
    "--serve: for scripts, which ask for rows.\n";

int main(int argc, char **argv) {
  if (const int code = handleUsage(argc, argv, kUsage, 2); code >= 0)
    return code;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.empty())
      return printTable();
    if (arguments.size() == 1 && arguments[0] == "--serve")
      return serve();
    if (arguments.size() == 2 && arguments[0] == "--first")
      return measureFirst(arguments[1]);
    if (arguments.size() == 2 && arguments[0] == "--graph")
      return printGraph(arguments[1]);
  } catch (const Error &error) {
    std::fprintf(stderr, "suite: %s\n", error.what());
    return 1;
  }
  std::fputs(kUsage, stderr);
  return 2;
}
