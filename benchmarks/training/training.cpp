//===- training.cpp - times of training steps -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Times training steps of the networks of Models.cpp.
///
///   training                 all rows, as a table
///   training ROW [STEPS]     steps of one row, a line each: time, loss, and
///                            the memory of buffers and of the process, in MiB
///   training --serve ROW     for compare.py: prints a line when weights and
///                            data are in memory, then reads "step COUNT" and
///                            answers with the seconds and losses of that many
///                            steps, or "memory", the peak in KiB of the
///                            process since its start and since the last
///                            "memory"
///
//===----------------------------------------------------------------------===//

#include "../Usage.h"
#include "Models.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace tinygrad;
using namespace tinygrad::benchmark;

using Clock = std::chrono::steady_clock;

namespace {
struct Step {
  double seconds, loss;
};
} // namespace

static Step timeStep(TrainingRow &row) {
  const auto begin = Clock::now();
  const double loss = row.step().item<float>();
  return {std::chrono::duration<double>(Clock::now() - begin).count(), loss};
}

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A number of what the system knows of this process; 0 if it does not tell.
static long readStatus(const char *name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(name, 0) == 0)
      return std::atol(line.c_str() + std::strlen(name));
  return 0;
}

/// The peak of the resident memory, in KiB, since the last resetPeak().
static long peakMemory() { return readStatus("VmHWM:"); }

static void resetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

static std::unique_ptr<TrainingRow> findRow(const std::string &name) {
  std::unique_ptr<TrainingRow> row = makeTrainingRow(name);
  if (row)
    return row;
  std::string names;
  for (const std::string &known : trainingRows())
    names += (names.empty() ? "" : ", ") + known;
  std::fprintf(stderr, "training: no row '%s'; there are %s\n", name.c_str(),
               names.c_str());
  std::exit(2);
}

static int serve(const std::string &name) {
  const std::unique_ptr<TrainingRow> row = findRow(name);
  std::printf("ready\n");
  std::fflush(stdout);
  long peak = 0;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    long count = 0;
    words >> command >> count;
    if (command == "step") {
      for (long i = 0; i < count; ++i) {
        const Step step = timeStep(*row);
        std::printf("%s%.9g %.9g", i ? " " : "", step.seconds, step.loss);
      }
    } else if (command == "memory") {
      const long recent = peakMemory();
      peak = std::max(peak, recent);
      resetPeak();
      std::printf("%ld %ld", peak, recent);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}

static int printSteps(const std::string &name, long count) {
  const std::unique_ptr<TrainingRow> row = findRow(name);
  for (long i = 0; i < count; ++i) {
    GlobalCounters::reset();
    const Step step = timeStep(*row);
    std::printf("step %ld: %.3f ms, loss %.6f, %lld kernels, %.3f MiB in "
                "buffers, %.1f resident\n",
                i + 1, step.seconds * 1e3, step.loss,
                static_cast<long long>(GlobalCounters::kernelCount.load()),
                double(GlobalCounters::memUsed.load()) / (1 << 20),
                double(readStatus("VmRSS:")) / 1024);
    std::fflush(stdout);
  }
  return 0;
}

static int printTable() {
  std::printf("%-10s %12s %12s %9s %14s\n", "row", "first, ms", "median, ms",
              "kernels", "peak, MiB");
  for (const std::string &name : trainingRows()) {
    resetPeak();
    const std::unique_ptr<TrainingRow> row = findRow(name);
    const double first = timeStep(*row).seconds;
    std::vector<double> times;
    for (int i = 0; i < 10; ++i) {
      GlobalCounters::reset();
      const Step step = timeStep(*row);
      if (i >= 2)
        times.push_back(step.seconds);
    }
    std::printf("%-10s %12.1f %12.3f %9lld %14.1f\n", name.c_str(), first * 1e3,
                median(times) * 1e3,
                static_cast<long long>(GlobalCounters::kernelCount.load()),
                double(peakMemory()) / 1024);
    std::fflush(stdout);
  }
  return 0;
}

static constexpr const char *kUsage =
    "usage: training [ROW [STEPS] | --serve ROW]\n"
    "\n"
    "Times training steps. A row: its steps (10), a line each with the time, "
    "the loss,\n"
    "and the memory of buffers and of the process. --serve: for compare.py.\n";

int main(int argc, char **argv) {
  if (const int code = handleUsage(argc, argv, kUsage, 2); code >= 0)
    return code;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.empty())
      return printTable();
    if (arguments.size() == 2 && arguments[0] == "--serve")
      return serve(arguments[1]);
    if (arguments.size() <= 2 && arguments[0][0] != '-')
      return printSteps(arguments[0], arguments.size() == 2
                                          ? std::atol(arguments[1].c_str())
                                          : 10);
  } catch (const Error &error) {
    std::fprintf(stderr, "training: %s\n", error.what());
    return 1;
  }
  std::fputs(kUsage, stderr);
  return 2;
}
