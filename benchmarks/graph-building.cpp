//===- graph-building.cpp - the cost of graphs and of changing numbers ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// CPU time of building graphs with numbers and with variables, of steps in
/// which numbers change, and of programs with very many outputs.
///
///   graph-building
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Tensor/SymInt.h"
#include "TinyGrad/Tensor/Tensor.h"
#include "Usage.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>

using namespace tinygrad;

/// CPU time of the process in microseconds.
static double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e6 + double(time.tv_nsec) * 1e-3;
}

/// The minimal time per step of several rounds of many steps.
static double measure(const std::function<void(int64_t)> &step) {
  constexpr int64_t steps = 1000;
  double best = 1e30;
  for (int round = 0; round < 5; ++round) {
    const double begin = now();
    for (int64_t i = 0; i < steps; ++i)
      step(i);
    best = std::min(best, (now() - begin) / steps);
  }
  return best;
}

/// Prints the time of building with numbers and with a variable.
static void compare(const char *name, int64_t largest,
                    const std::function<void(SymInt)> &build) {
  Variable position("position", 0, largest - 1);
  const double fixed = measure([&](int64_t i) { build(i % largest); });
  const double symbolic =
      measure([&](int64_t i) { build(position.bind(i % largest)); });
  // Each value is new, except those for which programs are compiled.
  Variable fresh("fresh", 0, 2 * largest);
  for (int64_t i = 0; i < 3; ++i)
    build(fresh.bind(2 * largest - i));
  double begin = now();
  for (int64_t i = 0; i < largest; ++i)
    build(fresh.bind(i));
  const double first = (now() - begin) / double(largest);
  std::printf("%-24s %8.2f us %8.2f us %6.2f %8.2f us\n", name, fixed, symbolic,
              symbolic / fixed, first);
}

static constexpr const char *kUsage =
    "usage: graph-building\n"
    "\n"
    "CPU time of building graphs, of steps in which numbers change, and of "
    "programs\n"
    "with very many outputs.\n";

int main(int argc, char **argv) {
  if (const int code = handleUsage(argc, argv, kUsage, 0); code >= 0)
    return code;
  constexpr int64_t heads = 4, depth = 16, most = 256;
  Tensor keys = Tensor::rand({heads, 4 * most, depth}).realize();
  Tensor queries = Tensor::rand({heads, 1, depth}).realize();
  std::printf("%-24s %11s %11s %6s %11s\n", "building", "numbers", "variable",
              "ratio", "new values");
  compare("shrink by p + 1", most,
          [&](SymInt p) { keys.shrink({{0, heads}, {p, p + 1}, {0, depth}}); });
  compare("attention", most, [&](SymInt p) {
    Tensor part = keys.shrink({{0, heads}, {0, p + 1}, {0, depth}});
    (queries.matmul(part.transpose(1, 2)) * 0.25).softmax().matmul(part);
  });
  Tensor cache = keys.contiguous().realize();
  compare("write to a cache", most, [&](SymInt p) {
    cache.shrink({{0, heads}, {p, p + 1}, {0, depth}}).assign(queries);
    cache.realize();
  });

  std::printf("\n");
  Tensor x = Tensor::rand({16}).realize();
  int64_t steps = 0, compiled = GlobalCounters::kernelsCompiled;
  double step = measure(
      [&](int64_t) { x.assign(x - x * (0.1 / double(++steps))).realize(); });
  std::printf("a step with another number  %8.2f us, %lld kernels compiled\n",
              step, (long long)(GlobalCounters::kernelsCompiled - compiled));
  compiled = GlobalCounters::kernelsCompiled;
  step = measure([&](int64_t i) {
    keys.shrink({{0, heads}, {i, i + 1}, {0, depth}}).sum().realize();
  });
  std::printf("a step at another position  %8.2f us, %lld kernels compiled\n",
              step, (long long)(GlobalCounters::kernelsCompiled - compiled));

  for (int64_t count : {5000, 50000}) {
    std::vector<Tensor> inputs, outputs;
    for (int64_t i = 0; i < count; ++i)
      inputs.push_back(Tensor::from({1.0f, 2.0f, 3.0f, float(i)}));
    for (const Tensor &input : inputs)
      outputs.push_back(input * 2 + 1);
    const double begin = now();
    realize(outputs);
    std::printf("%6lld outputs of a kernel    %8.2f us each\n",
                (long long)count, (now() - begin) / double(count));
  }
  for (int64_t count : {1000, 5000}) {
    std::vector<Tensor> outputs;
    for (int64_t i = 0; i < count; ++i)
      outputs.push_back(x + (double(i) + 0.25));
    compiled = GlobalCounters::kernelsCompiled;
    const double begin = now();
    realize(outputs);
    std::printf("%6lld outputs, a number each  %8.2f us each, %lld kernels "
                "compiled\n",
                (long long)count, (now() - begin) / double(count),
                (long long)(GlobalCounters::kernelsCompiled - compiled));
  }
  for (int64_t count : {60, 240}) {
    const std::string suffix = std::to_string(count);
    Variable s("s" + suffix, 1, 100), v("v" + suffix, 1, 100);
    SymInt mean = s, least = v;
    double begin = now();
    for (int64_t i = 0; i < count; ++i)
      mean = (mean + v) / 2;
    const double quotients = now() - begin;
    begin = now();
    for (int64_t i = 0; i < count; ++i)
      least = symMin(
          least, Variable("m" + suffix + "_" + std::to_string(i), 1, 101 + i));
    std::printf("%6lld nested quotients, a minimum of as many variables "
                "%8.2f us, %8.2f us each\n",
                (long long)count, quotients / double(count),
                (now() - begin) / double(count));
  }
  for (int64_t count : {1000, 5000}) {
    Tensor sum = x;
    const double begin = now();
    for (int64_t i = 0; i < count; ++i)
      sum = sum + (double(i) + 0.5);
    sum.realize();
    std::printf("%6lld different constants    %8.2f us each\n",
                (long long)count, (now() - begin) / double(count));
  }
  return 0;
}
