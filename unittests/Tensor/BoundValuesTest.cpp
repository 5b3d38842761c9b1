//===- BoundValuesTest.cpp - lifetime of values of variables --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How long the value of a variable is kept, and that unused values leave
/// nothing behind.
///
//===----------------------------------------------------------------------===//

#include "HeapUse.h"
#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
class BoundValuesTest : public ::testing::Test {
protected:
  Graph graph;
  GraphScope scope{graph};
};
} // namespace

TEST_F(BoundValuesTest, newValuesKeepNothing) {
  constexpr int64_t steps = 100000;
  Variable n("n", 0, 2 * steps), m("m", 1, 2 * steps);
  Tensor x = Tensor::zeros({2 * steps + 1, 2}).contiguous().realize();
  auto build = [&](int64_t i) {
    const SymInt p = n.bind(i), q = m.bind(2 * steps - i);
    const SymInt size = symMin((p + 1) * 2, q) / 2 + 3;
    EXPECT_EQ(size.value(),
              std::min<int64_t>((i + 1) * 2, 2 * steps - i) / 2 + 3);
    Tensor part = x.shrink({{p, p + 1}, {0, 2}});
    (part.expand({q, 2}).exp() * p).sum(0);
  };
  // Less than a byte each.
  EXPECT_LT(HeapUse::growthOf(steps, build), steps / 10);
}

TEST_F(BoundValuesTest, aLoopOfNewValuesKeepsNothing) {
  constexpr int64_t steps = 100000;
  Variable n("n", 0, steps - 1);
  Tensor cache = Tensor::zeros({steps, 2}).contiguous().realize();
  Tensor row = Tensor::from({1.0f, 2.0f}).reshape({1, 2}).realize();
  Tensor last;
  auto step = [&](int64_t i) {
    const SymInt p = n.bind(i);
    cache.shrink({{p, p + 1}, {0, 2}}).assign(row * p);
    // Outlives the step, so that two values exist at a time.
    last = cache.shrink({{p, p + 1}, {0, 2}}).sum(0).realize();
    if (i % 1000 == 0) {
      expectTensor(last, {2}, {double(i), double(2 * i)});
    }
  };
  int64_t compiled = 0;
  auto count = [&](int64_t i) {
    step(i);
    if (i == steps / 2)
      compiled = GlobalCounters::kernelsCompiled;
  };
  // Programs and renewed contexts make it vary within the steps.
  EXPECT_LT(HeapUse::growthOf(steps, count, HeapUse::Measure::Peaks),
            steps / 10);
  EXPECT_EQ(GlobalCounters::kernelsCompiled, compiled);
  EXPECT_LE(graph.numPrograms(), 4u);
}

TEST_F(BoundValuesTest, valuesStayAsLongAsSizes) {
  Variable n("n", 0, 999), m("m", 0, 999);
  std::vector<SymInt> sizes, sums;
  // Twice, so that the values belong to other objects the second time.
  for (int64_t round = 0; round < 2; ++round) {
    for (int64_t i = 0; i < 1000; ++i) {
      sizes.push_back(n.bind((i * 7 + round) % 1000));
      sums.push_back(sizes.back() * 2 + m.bind(i));
    }
    for (int64_t i = 0; i < 1000; ++i) {
      const int64_t value = (i * 7 + round) % 1000;
      EXPECT_EQ(sizes[std::size_t(i)].value(), value);
      EXPECT_EQ(sums[std::size_t(i)].value(), 2 * value + i);
      EXPECT_TRUE(sizes[std::size_t(i)] == n.bind(value));
      EXPECT_TRUE(sums[std::size_t(i)] == n.bind(value) * 2 + m.bind(i));
      EXPECT_FALSE(sizes[std::size_t(i)] == n.bind((value + 1) % 1000));
      EXPECT_EQ(sizes[std::size_t(i)].str(), "n=" + std::to_string(value));
    }
    // An expression holds the values even without the sizes it was built from.
    sizes.clear();
    for (int64_t i = 0; i < 1000; i += 100)
      EXPECT_EQ(sums[std::size_t(i)].value(), 2 * ((i * 7 + round) % 1000) + i);
    sums.clear();
  }
  EXPECT_EQ(n.bind(5).variables().front().value, 5);
  EXPECT_EQ(n.variables().front().value, std::nullopt);
}

TEST_F(BoundValuesTest, sizesAreCopiedAndMoved) {
  Variable n("n", 0, 9);
  SymInt a = n.bind(1), b = a, c = n.bind(2);
  std::swap(a, c);
  EXPECT_EQ(a.value(), 2);
  EXPECT_EQ(c.value(), 1);
  a = std::move(c);
  EXPECT_EQ(a.value(), 1);
  const SymInt &same = a;
  a = same;
  a = a + 1;
  EXPECT_EQ(a.value(), 2);
  a = 7;
  b = n.bind(3);
  EXPECT_EQ(n.bind(4).value(), 4);
  EXPECT_EQ(b.value(), 3);
  EXPECT_EQ(a.value(), 7);
}

TEST_F(BoundValuesTest, allValuesOfSmallBounds) {
  Variable n("n", -1, 1);
  const SymInt a = n.bind(-1), b = n.bind(0), c = n.bind(1);
  EXPECT_EQ(a.value(), -1);
  EXPECT_EQ(b.value(), 0);
  EXPECT_EQ(c.value(), 1);
  EXPECT_EQ(n.bind(0), b);
  Variable wide("wide", std::numeric_limits<int64_t>::min() + 2,
                std::numeric_limits<int64_t>::max() - 2);
  EXPECT_EQ(wide.bind(wide.min()).value(), wide.min());
  EXPECT_EQ(wide.bind(wide.max()).value(), wide.max());
  EXPECT_EQ(wide.bind(0).value(), 0);
}

TEST_F(BoundValuesTest, graphsKeepValues) {
  Variable n("n", 0, 9);
  Tensor x = Tensor::arange(10).cast(DType::Float32).realize();
  auto at = [&](int64_t i) {
    const SymInt p = n.bind(i);
    return x.shrink({{p, p + 1}}).sum();
  };
  // Until they are computed, only the operations hold these values.
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < 10; ++i)
    parts.push_back(at(i));
  for (int64_t i = 0; i < 10; ++i)
    EXPECT_EQ(parts[std::size_t(i)].item<float>(), float(i));
  Tensor number = Tensor(n.bind(4)) + 1;
  Tensor written = Tensor::zeros({10}).contiguous().realize();
  const auto write = [&](int64_t i) {
    const SymInt p = n.bind(i);
    written.shrink({{p, p + 1}}).assign(float(i));
  };
  write(3);
  write(8);
  EXPECT_EQ(at(5).item<float>(), 5);
  EXPECT_EQ(number.item<int32_t>(), 5);
  expectTensor(written, {10}, {0, 0, 0, 3, 0, 0, 0, 0, 8, 0});
}

TEST_F(BoundValuesTest, graphsPrintValues) {
  Variable n("n", 1, 9);
  const SymInt other = n.bind(2);
  Tensor x = Tensor::ones({n.bind(7), 2}).exp() + Tensor::arange(2);
  EXPECT_NE(graph.str().find("\"n\", 1, 9, 7"), std::string::npos)
      << graph.str();
  EXPECT_EQ(graph.str().find("\"n\", 1, 9, 8"), std::string::npos)
      << graph.str();
  EXPECT_EQ(x.shape()[0].value(), 7);
}

TEST_F(BoundValuesTest, threadsShareVariables) {
  Variable n("n", 0, 63);
  std::vector<std::thread> threads;
  std::atomic<int64_t> wrong = 0;
  for (int64_t number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      Graph own;
      const GraphScope inOwn(own);
      SymInt kept = n.bind(number);
      for (int64_t i = 0; i < 2000; ++i) {
        const int64_t value = (i * (number + 1)) % 64;
        const SymInt size = n.bind(value), sum = size * 2 + 1;
        Tensor x = Tensor::ones({sum});
        wrong += sum.value() != 2 * value + 1 ||
                 x.size(0).value() != sum.value() ||
                 size.str() != "n=" + std::to_string(value);
        if (i % 3 == 0)
          kept = sum;
        wrong += kept.value() > 127;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}
