//===- RealizeAlongTest.cpp - values computed along with others -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tensor::realizeAlong(), for the statistics of batches.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

using namespace tinygrad;
using namespace tinygrad::testing;

TEST(RealizeAlongTest, WithWhatSharesWork) {
  Tensor running = Tensor::zeros({3}).parameter(false);
  std::size_t operations = 0;
  for (int step = 0; step < 4; ++step) {
    Tensor x = noiseTensor({5, 3}, unsigned(step)).realize();
    Tensor h = x.exp(), other = noiseTensor({2}).realize() + 1;
    running.assign(running * 0.5 + h.mean(0) * 0.5);
    running.realizeAlong();
    running.realizeAlong();
    // Nothing in common.
    other.realize();
    EXPECT_FALSE(running.isRealized());
    GlobalCounters::reset();
    Tensor result = h.sum();
    result.realize();
    EXPECT_TRUE(running.isRealized());
    if (step == 0)
      operations = Graph::current().numOperations();
    EXPECT_LE(Graph::current().numOperations(), operations);
  }
  Tensor expected = Tensor::zeros({3});
  for (int step = 0; step < 4; ++step)
    expected = expected * 0.5 +
               noiseTensor({5, 3}, unsigned(step)).exp().mean(0) * 0.5;
  expectTensor(running, {3}, values(expected), 1e-5);
}

TEST(RealizeAlongTest, OfTensorsThatAreGone) {
  Tensor x = noiseTensor({5, 3}).realize();
  Tensor h = x.exp();
  {
    Tensor gone = h.mean();
    gone.realizeAlong();
  }
  Tensor kept = h.mean();
  kept.realizeAlong();
  h.sum().realize();
  EXPECT_TRUE(kept.isRealized());
}

// The counter and the initial value of another tensor without memory share
// nothing, but are wanted at once.
TEST(RealizeAlongTest, CountersBesideParametersWithoutMemory) {
  Tensor w = Tensor::randn({4}).parameter();
  Tensor count = Tensor::zeros({}, DType::Int64).parameter(false);
  count.assignAdd(1);
  count.realizeAlong();
  Tensor y = w * 2;
  realize({y, count});
  EXPECT_EQ(count.item<int64_t>(), 1);
  expectTensor(y, {4}, values(w * 2));

  // Not asked for, but cheap.
  Tensor other = Tensor::randn({4}).parameter(),
         also = Tensor::zeros({}, DType::Int64).parameter(false);
  also.assignAdd(1);
  also.realizeAlong();
  (other * 2).realize();
  EXPECT_TRUE(also.isRealized());
  EXPECT_EQ(also.item<int64_t>(), 1);
}

TEST(RealizeAlongTest, InitialValuesThatAreWantedToo) {
  Tensor x = noiseTensor({5, 3}).realize();
  Tensor h = x.exp(), start = h.sum(0);
  Tensor running = start.parameter(false);
  running.assign(running + h.mean(0));
  running.realizeAlong();
  start.realize();
  expectTensor(running, {3}, values(start + h.mean(0)), 1e-5);
}

TEST(RealizeAlongTest, OnceAfterAnError) {
  Tensor w = Tensor::randn({4}).parameter();
  Tensor count = Tensor::zeros({}, DType::Int64).parameter(false);
  const Variable n("n", 1, 4);
  for (int step = 1; step <= 3; ++step) {
    count.assignAdd(1);
    count.realizeAlong();
    Tensor unbound = w.shrink({{0, n}}) * step;
    EXPECT_ERROR(realize({unbound, count}), ShapeError, "has no value");
    realize({w * step, count});
    EXPECT_EQ(count.item<int64_t>(), step);
  }
}
