//===- OptimizerJitTest.cpp - captured steps of training ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Steps that are replayed give the same bits as steps that are not: numbers of
/// steps, learning rates and scales are tensors.
///
//===----------------------------------------------------------------------===//

#include "HeapUse.h"
#include "OptimTest.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Optim/Clip.h"
#include "TinyGrad/Optim/GradScaler.h"
#include "TinyGrad/Optim/LRScheduler.h"
#include "TinyGrad/Optim/SGD.h"
#include "TinyGrad/Tensor/Jit.h"

using namespace tinygrad;
using namespace tinygrad::optim;
using namespace tinygrad::testing;

namespace {
/// A step of everything: scaled and clipped gradients, Adam, a schedule.
struct Trainer {
  Tensor w, b;
  AdamW optimizer;
  CosineAnnealingLR schedule;
  GradScaler scaler;

  explicit Trainer(DType dtype)
      : w(noiseTensor({4, 3}, 7).cast(dtype).parameter()),
        b(Tensor::zeros({3}, dtype).parameter()),
        optimizer({w, b}, {.learningRate = 0.1}),
        schedule(optimizer, {.steps = 10, .warmUpSteps = 3}),
        scaler({.initialScale = 256, .growthInterval = 3}) {}

  Tensor step(const Tensor &x, const Tensor &y) {
    optimizer.zeroGrad();
    Tensor loss =
        (x.cast(w.dtype()).linear(w, b).toFloat() - y).square().mean();
    scaler.scale(loss).backward();
    clipGradNorm({w, b}, scaler.scale(0.5));
    scaler.step(optimizer, {.also = {loss}});
    schedule.step();
    return loss;
  }

  TINYGRAD_MEMBERS(w, b, optimizer, schedule, scaler)
};
} // namespace

// Memory of devices, operations of the graph, and (where no sanitizer replaces
// the allocator) memory of the host.
TEST_F(OptimTest, MemoryStaysFlatOverManySteps) {
  Trainer trainer(DType::Float32);
  Jit step(
      [&](const Tensor &x, const Tensor &y) { return trainer.step(x, y); });
  const Tensor x = noiseTensor({5, 4}, 20).realize(),
               y = noiseTensor({5, 3}, 40).realize();
  int64_t used = 0, peak = 0;
  std::size_t operations = 0;
  constexpr int steps = 10000;
  HeapUse host(steps);
  for (int i = 0; i < steps; ++i) {
    step(x, y);
    host.note(i);
    if (i == 100) {
      GlobalCounters::reset();
    } else if (i == 200) {
      used = GlobalCounters::memUsed;
      peak = GlobalCounters::memPeak;
      operations = graph.numOperations();
    } else if (i > 200) {
      ASSERT_EQ(GlobalCounters::memUsed, used) << "step " << i;
      ASSERT_EQ(GlobalCounters::memPeak, peak) << "step " << i;
      ASSERT_EQ(graph.numOperations(), operations) << "step " << i;
    }
  }
  // Less than a byte per step.
  EXPECT_LT(host.growth(), steps / 4);
}

TEST_F(OptimTest, ReplayedSteps) {
  for (DType dtype : {DType::Float32, DType::BFloat16, DType::Float16}) {
    SCOPED_TRACE(name(dtype));
    Trainer plain(dtype), captured(dtype);
    Jit step(
        [&](const Tensor &x, const Tensor &y) { return captured.step(x, y); });
    for (unsigned i = 0; i < 8; ++i) {
      // An infinity in one batch: the step is skipped, also in a replay.
      Tensor x = noiseTensor({5, 4}, 20 + i), y = noiseTensor({5, 3}, 40 + i);
      if (i == 4)
        x[0] = double(INFINITY);
      realize({x, y});
      const std::vector<double> loss = values(plain.step(x, y));
      expectTensor(step(x, y), {}, loss);
    }
    EXPECT_TRUE(step.isCaptured());
    std::vector<std::vector<double>> expected;
    forEachTensor(plain, [&](const std::string &, Tensor &tensor) {
      expected.push_back(values(tensor));
    });
    std::size_t i = 0;
    forEachTensor(captured, [&](const std::string &key, Tensor &tensor) {
      SCOPED_TRACE(key);
      expectTensor(tensor, tensor.shape(), expected[i++]);
    });
    EXPECT_EQ(captured.scaler.currentScale().item<float>(), 512);
  }
}

TEST_F(OptimTest, LearningRatesOfReplayedSteps) {
  Tensor w = Tensor::zeros({2}).parameter();
  SGD optimizer({w}, {.learningRate = 1});
  Jit step([&](const Tensor &x) {
    optimizer.zeroGrad();
    Tensor loss = (w * x).sum();
    loss.backward();
    optimizer.step({.also = {loss}, .releaseGradients = true});
    return loss;
  });
  const Tensor x = Tensor::from({1.0f, -2.0f}).realize();
  double sum = 0;
  for (int i = 0; i < 6; ++i) {
    const double rate = 0.25 * (i + 1);
    optimizer.setLearningRate(rate);
    step(x);
    sum += rate;
    expectTensor(w, {2}, {-sum, 2 * sum});
  }
}

TEST_F(OptimTest, AccumulationInReplayedSteps) {
  Tensor w = Tensor::zeros({2}).parameter();
  SGD optimizer({w}, {.learningRate = 1});
  Jit accumulate([&](const Tensor &x) {
    Tensor loss = (w * x).sum();
    loss.backward();
    optimizer.accumulate({loss});
    return loss;
  });
  double sum = 0;
  for (int i = 0; i < 5; ++i) {
    const Tensor x = Tensor::from({1.0f + float(i), -1.0f}).realize();
    accumulate(x);
    sum += 1 + i;
    // Each call adds to the gradients of the calls before.
    expectTensor(w.grad(), {2}, {sum, -1.0 * (i + 1)});
  }
  optimizer.step();
  expectTensor(w, {2}, {-15, 5});
}
