//===- KernelCountTest.cpp - how few kernels programs take ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Counts the kernels that common expressions launch, next to the numbers that
/// tinygrad 0.13 has for the same expressions, which are never to be exceeded.
/// The number of this project is checked exactly, so that losing a fusion
/// shows.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Tensor/Tensor.h"
#include "gtest/gtest.h"
#include <functional>

using namespace tinygrad;

namespace {

/// Shapes with a lot of elements would be split into two steps on purpose;
/// these are small.
Tensor input(const Shape &shape) { return Tensor::rand(shape).realize(); }

int64_t countKernels(const std::function<std::vector<Tensor>()> &build) {
  std::vector<Tensor> results = build();
  int64_t before = GlobalCounters::kernelCount;
  realize(results);
  return GlobalCounters::kernelCount - before;
}

struct Row {
  const char *name;
  int64_t tinygrad;
  int64_t ours;
  std::function<std::vector<Tensor>()> build;
};

std::vector<Row> makeRows() {
  auto one = [](std::function<Tensor()> build) {
    return [build] { return std::vector<Tensor>{build()}; };
  };
  Tensor a = input({16, 16}), b = input({16, 16}), c = input({16, 16}),
         d = input({16, 16});
  Tensor image = input({2, 4, 12, 12}), weight = input({8, 4, 3, 3}),
         weight2 = input({8, 8, 3, 3}), channel = input({8});
  Tensor q = input({2, 4, 16, 8}), k = input({2, 4, 16, 8}),
         v = input({2, 4, 16, 8});
  Tensor table = input({100, 8});
  Tensor rows = Tensor::from(std::vector<int32_t>{3, 1, 99, 0, 3}).realize();
  auto batchnorm = [=](const Tensor &x) {
    Tensor mean = x.mean({0, 2, 3}, true);
    Tensor centered = x - mean;
    Tensor variance = centered.square().mean({0, 2, 3}, true);
    return centered * (variance + 1e-5).rsqrt() * channel.reshape({1, 8, 1, 1});
  };
  return {
      {"a+b+c+d", 1, 1, one([=] { return a + b + c + d; })},
      {"(a*b).sum().relu()", 1, 1, one([=] { return (a * b).sum().relu(); })},
      {"(a+b).reshape.sum(0)", 1, 1,
       one([=] { return (a + b).reshape({8, 32}).sum({0}); })},
      {"a.sum(0)+b", 1, 1, one([=] { return a.sum({0}) + b[{0}]; })},
      {"x.sum(-1)+y.max(-1)", 1, 1,
       one([=] { return a.sum({-1}) + b.max({-1}); })},
      {"a@b+c@d", 1, 1, one([=] { return a.matmul(b) + c.matmul(d); })},
      {"a.sum(0)+a.max(0)+a.max(1)+a.sum(1)+2", 1, 1, one([=] {
         return a.sum({0}) + a.max({0}) + a.max({1}) + a.sum({1}) + 2;
       })},
      {"a-a.mean(0, keepdim)", 2, 2,
       one([=] { return a - a.mean({0}, true); })},
      {"conv+relu", 1, 1, one([=] { return image.conv2d(weight).relu(); })},
      {"conv+BN(eval)+relu", 1, 1, one([=] {
         Tensor scale = channel.reshape({1, 8, 1, 1});
         return ((image.conv2d(weight) - scale) * scale + scale).relu();
       })},
      {"conv relu conv relu", 2, 2,
       one([=] { return image.conv2d(weight).relu().conv2d(weight2).relu(); })},
      {"arange(N)", 1, 1,
       one([=] { return Tensor::arange(100).contiguous(); })},
      {"eye", 1, 1, one([=] { return Tensor::eye(16).contiguous(); })},
      {"triu", 1, 1, one([=] { return a.triu(); })},
      {"contiguous of a contiguous view", 0, 0,
       one([=] { return a.reshape({256}).shrink({{32, 64}}).contiguous(); })},
      {"softmax", 3, 1, one([=] { return a.softmax(); })},
      {"LayerNorm", 3, 1, one([=] { return a.layernorm(); })},
      {"RMSNorm", 2, 1, one([=] { return a.rmsnorm(); })},
      {"GroupNorm", 3, 1, one([=] {
         return image.reshape({2, 2, 288}).layernorm().reshape({2, 4, 12, 12});
       })},
      {"attention", 4, 3,
       one([=] { return q.scaledDotProductAttention(k, v); })},
      {"attention, causal", 4, 3,
       one([=] { return q.scaledDotProductAttention(k, v, {}, true); })},
      {"argmax", 2, 1, one([=] { return a.argmax(1); })},
      {"x.std(-1)", 2, 1, one([=] { return a.std({-1}); })},
      {"sparse cross entropy", 3, 2, one([=] {
         Tensor scores = a[{Slice(0, 5)}].logSoftmax();
         Tensor labels = rows.mod(16);
         return -(scores.gather(1, labels.reshape({5, 1}))).mean();
       })},
      {"conv+BN(train)+relu", 4, 4,
       one([=] { return batchnorm(image.conv2d(weight)).relu(); })},
      {"X[idx] from a table", 1, 1,
       one([=] { return table.indexSelect(0, rows); })},
  };
}

TEST(KernelCount, IsNeverAboveTinygrads) {
  for (const Row &row : makeRows()) {
    int64_t count = countKernels(row.build);
    std::printf("%-40s tinygrad %ld  here %ld\n", row.name,
                static_cast<long>(row.tinygrad), static_cast<long>(count));
    EXPECT_LE(count, row.tinygrad) << row.name;
    EXPECT_EQ(count, row.ours) << row.name;
  }
}

/// Work is linear in what is produced, not in what is selected from.
TEST(KernelCount, SelectionsDoNoNeedlessWork) {
  auto countOps = [](const std::function<Tensor()> &build) {
    Tensor result = build();
    int64_t before = GlobalCounters::globalOps;
    result.realize();
    return GlobalCounters::globalOps - before;
  };
  Tensor rows = Tensor::from(std::vector<int32_t>{3, 1, 99, 0, 3}).realize();
  Tensor small = input({100, 8}), large = input({10000, 8});
  EXPECT_EQ(countOps([&] { return small.indexSelect(0, rows); }),
            countOps([&] { return large.indexSelect(0, rows); }));
  EXPECT_LE(countOps([&] { return Tensor::arange(5000).contiguous(); }), 20000);
  Tensor square = input({64, 64});
  EXPECT_LE(countOps([&] { return square.triu(); }), 10 * 64 * 64);
}

} // namespace
