//===- tensor-functions.cpp - accuracy of tensor functions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The largest errors of the functions of one f32 tensor, or their speed.
///
///   tensor-functions [--stride=N | --exhaustive] [function...]
///   tensor-functions --time [function...]
///
/// Tests every N-th f32 (default 257, which takes some seconds); --exhaustive
/// tests all 2^32, a minute or two per function on two cores. Times are for a
/// tensor that fits the second-level cache.
///
//===----------------------------------------------------------------------===//

#include "FunctionAccuracy.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

using namespace tinygrad::testing;

static constexpr char kUsage[] =
    "usage: tensor-functions [--stride=N | --exhaustive | --time] "
    "[function...]\n"
    "\n"
    "Prints the largest errors of the functions of one f32 tensor, over every\n"
    "N-th f32: 257 if not given, which takes some seconds. --exhaustive tries\n"
    "all of them, a minute or two per function on two cores.\n"
    "With --time, nanoseconds per element, of a tensor of 512 KiB. THREADS=1\n"
    "for those of one core.\n";

/// Nanoseconds per element: the best of many runs.
static double measureTime(const ExactFunction &function) {
  constexpr std::size_t count = std::size_t(1) << 17;
  // Moderate arguments for which the function is defined.
  std::vector<float> points(count);
  for (std::size_t i = 0; i < count; ++i) {
    const float x = float(i) / float(count) * 8 - 4;
    points[i] = 1.5f;
    for (float point : {0.5f, x})
      if (std::isfinite(function.exact(point)))
        points[i] = point;
  }
  const tinygrad::Tensor x = tinygrad::Tensor::from(points);
  double best = 1e30;
  for (int run = 0; run < 200; ++run) {
    tinygrad::Tensor y = function.compute(x);
    const auto start = std::chrono::steady_clock::now();
    y.realize();
    const std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / count);
  }
  return best;
}

int main(int argc, char **argv) {
  uint32_t stride = 257;
  bool isTimed = false;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0) {
      std::fputs(kUsage, stdout);
      return 0;
    }
    if (std::strncmp(argv[i], "--stride=", 9) == 0)
      stride = uint32_t(std::strtoul(argv[i] + 9, nullptr, 10));
    else if (std::strcmp(argv[i], "--exhaustive") == 0)
      stride = 1;
    else if (std::strcmp(argv[i], "--time") == 0)
      isTimed = true;
    else
      names.push_back(argv[i]);
  }
  if (stride == 0) {
    std::fprintf(stderr, "tensor-functions: --stride takes a number above 0\n");
    return 2;
  }
  for (const std::string &name : names) {
    if (std::none_of(exactFunctions().begin(), exactFunctions().end(),
                     [&](const ExactFunction &f) { return f.name == name; })) {
      std::fprintf(stderr, "tensor-functions: no function \"%s\"\n",
                   name.c_str());
      return 2;
    }
  }
  if (isTimed)
    std::printf("nanoseconds per element\n");
  else
    std::printf("largest error in units in the last place of an f32\n"
                "%-12s %10s %10s %14s %10s %14s\n",
                "", "|x| up to", "error", "at", "any x", "at");
  try {
    for (const ExactFunction &function : exactFunctions()) {
      if (!names.empty() &&
          std::find(names.begin(), names.end(), function.name) == names.end())
        continue;
      if (isTimed) {
        std::printf("%-12s %10.3f\n", function.name, measureTime(function));
        continue;
      }
      Accuracy usual, all;
      measure(function, stride, usual, all);
      std::printf("%-12s %10g %10.2f %14.9g %10.2f %14.9g\n", function.name,
                  function.usual, usual.error, double(usual.at), all.error,
                  double(all.at));
      std::fflush(stdout);
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "tensor-functions: %s\n", error.what());
    return 1;
  }
  return 0;
}
