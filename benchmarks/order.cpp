//===- order.cpp - scans, scatters and sorts vs. plain loops --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Times operations that depend on an order, each compared with the loop that a
/// C++ programmer would write. Inputs are in memory; every repetition rebuilds
/// the graph and realizes it. Prints medians and their ratios.
/// benchmarks/numpy-sort.py has the corresponding times of NumPy.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/Tensor.h"
#include "Usage.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

using namespace tinygrad;

using Clock = std::chrono::steady_clock;

static double timeOnce(const std::function<void()> &body) {
  const Clock::time_point begin = Clock::now();
  body();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

static double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Times both, alternating.
static void compare(const char *name, const std::function<void()> &ours,
                    const std::function<void()> &loop) {
  ours();
  loop();
  std::vector<double> a, b;
  for (int i = 0; i < 11; ++i) {
    a.push_back(timeOnce(ours));
    b.push_back(timeOnce(loop));
  }
  std::printf("%-28s %9.3f ms   loop %9.3f ms   %6.2f of it\n", name,
              median(a) * 1e3, median(b) * 1e3, median(a) / median(b));
}

static constexpr const char *kUsage =
    "usage: order-benchmark\n"
    "\n"
    "Times scans, scatters and sorts, each compared with the loop that a C++\n"
    "programmer would write.\n";

int main(int argc, char **argv) {
  if (const int code = handleUsage(argc, argv, kUsage, 0); code >= 0)
    return code;
  {
    const int64_t count = 1 << 24;
    Tensor x = Tensor::rand({count}).realize();
    const std::vector<float> in = x.tolist<float>();
    std::vector<float> out(in.size());
    compare(
        "cumsum-16M", [&] { x.cumsum().realize(); },
        [&] {
          float sum = 0;
          for (std::size_t i = 0; i < in.size(); ++i)
            out[i] = sum += in[i];
        });
    Tensor rows = x.reshape({4096, 4096});
    for (int64_t axis : {0, 1})
      compare(
          axis == 0 ? "cumsum-4096x4096-columns" : "cumsum-4096x4096-rows",
          [&] { rows.cumsum(axis).realize(); },
          [&] {
            for (std::size_t row = 0; row < 4096; ++row)
              for (std::size_t i = 0; i < 4096; ++i) {
                const std::size_t at = row * 4096 + i;
                if (axis == 0)
                  out[at] = in[at] + (row == 0 ? 0 : out[at - 4096]);
                else
                  out[at] = in[at] + (i == 0 ? 0 : out[at - 1]);
              }
          });
  }
  for (int64_t bins : {256, 65536}) {
    const int64_t count = 1 << 22;
    Tensor x = Tensor::randint({count}, 0, bins).realize();
    const std::vector<int32_t> in = x.tolist<int32_t>();
    std::vector<int32_t> counts;
    compare(
        bins == 256 ? "histogram-4M-256" : "histogram-4M-65536",
        [&] { x.oneHot(bins).sum(0).realize(); },
        [&] {
          counts.assign(std::size_t(bins), 0);
          for (int32_t value : in)
            ++counts[std::size_t(value)];
        });
  }
  {
    const int64_t rows = 30000, width = 256, count = 20000;
    Tensor index = Tensor::randint({count}, 0, rows).realize();
    Tensor src = Tensor::rand({count, width}).realize();
    const std::vector<int32_t> at = index.tolist<int32_t>();
    const std::vector<float> in = src.tolist<float>();
    std::vector<float> table;
    Tensor positions = index.unsqueeze(1).expand({count, width});
    compare(
        "scatter-add-rows",
        [&] {
          Tensor::zeros({rows, width})
              .scatter(0, positions, src, ScatterReduction::Sum)
              .realize();
        },
        [&] {
          table.assign(std::size_t(rows * width), 0.f);
          for (std::size_t p = 0; p < at.size(); ++p)
            for (std::size_t i = 0; i < std::size_t(width); ++i)
              table[std::size_t(at[p]) * width + i] += in[p * width + i];
        });
    Tensor memory = Tensor::zeros({rows, width}).contiguous().realize();
    table.assign(std::size_t(rows * width), 0.f);
    compare(
        "setitem-rows",
        [&] {
          memory.setitem({index}, src);
          memory.realize();
        },
        [&] {
          for (std::size_t p = 0; p < at.size(); ++p)
            for (std::size_t i = 0; i < std::size_t(width); ++i)
              table[std::size_t(at[p]) * width + i] = in[p * width + i];
        });
  }
  {
    const int64_t count = 1000000;
    Tensor x = Tensor::rand({count}).realize();
    const std::vector<float> in = x.tolist<float>();
    std::vector<float> sorted;
    compare(
        "sort-1M", [&] { x.sort().first.realize(); },
        [&] {
          sorted = in;
          std::sort(sorted.begin(), sorted.end());
        });
    compare(
        "argsort-1M", [&] { x.argsort().realize(); },
        [&] {
          sorted = in;
          std::sort(sorted.begin(), sorted.end());
        });
    compare(
        "topk-10-of-1M", [&] { realize({x.topk(10).first}); },
        [&] {
          sorted = in;
          std::partial_sort(sorted.begin(), sorted.begin() + 10, sorted.end(),
                            std::greater<float>());
        });
  }
  return 0;
}
