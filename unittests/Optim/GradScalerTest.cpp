//===- GradScalerTest.cpp - dynamic loss scale ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Scaled gradients, steps that are skipped, and how the scale changes.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Optim/GradScaler.h"
#include "OptimTest.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Optim/Clip.h"
#include "TinyGrad/Optim/SGD.h"

using namespace tinygrad;
using namespace tinygrad::optim;
using namespace tinygrad::testing;

namespace {
double getScale(const GradScaler &scaler) {
  return scaler.currentScale().item<float>();
}
} // namespace

TEST_F(OptimTest, ScaleGrowsAndShrinks) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  SGD optimizer({w}, {.learningRate = 1});
  GradScaler scaler({.initialScale = 8, .growthInterval = 3});
  struct StepOfScale {
    double gradient, weight, scale;
    int32_t tracker, skipped;
  };
  const StepOfScale steps[] = {
      {1, 0, 8, 1, 0},    {INFINITY, 0, 4, 0, 1},   {NAN, 0, 2, 0, 2},
      {1, -1, 2, 1, 0},   {1, -2, 2, 2, 0},         {1, -3, 4, 0, 0}, // grows
      {1, -4, 4, 1, 0},   {-INFINITY, -4, 2, 0, 1}, {NAN, -4, 1, 0, 2},
      {NAN, -4, 1, 0, 3}, // the minimum
  };
  int i = 0;
  for (const StepOfScale &step : steps) {
    SCOPED_TRACE(i++);
    // The gradient of a scaled loss.
    const double scale = getScale(scaler);
    w.setGrad(Tensor::from({scale, scale * step.gradient}, DType::Float32));
    scaler.step(optimizer);
    EXPECT_EQ(values(w)[1], step.weight + 1);
    EXPECT_EQ(getScale(scaler), step.scale);
    EXPECT_EQ(scaler.numSkipped().item<int32_t>(), step.skipped);
    forEachTensor(scaler, [&](const std::string &name, Tensor &tensor) {
      EXPECT_FALSE(tensor.requiresGrad());
      if (name == "growth_tracker") {
        EXPECT_EQ(tensor.item<int32_t>(), step.tracker);
      }
    });
  }
}

// The loss itself is computed with the step, not the scaled one.
TEST_F(OptimTest, LossesAreComputedWithScaledSteps) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  SGD optimizer({w}, {.learningRate = 1});
  GradScaler scaler({.initialScale = 8});
  Tensor loss = w.square().sum();
  scaler.scale(loss).backward();
  scaler.step(optimizer);
  EXPECT_TRUE(loss.isRealized());
  EXPECT_EQ(loss.item<float>(), 5);
  expectTensor(w, {2}, {-1, -2});
}

TEST_F(OptimTest, ScaleStaysFinite) {
  Tensor w = Tensor::ones({1}).parameter();
  SGD optimizer({w});
  GradScaler scaler({.initialScale = 0x1p127, .growthInterval = 1});
  w.setGrad(Tensor::zeros({1}));
  scaler.step(optimizer);
  EXPECT_EQ(getScale(scaler), 0x1p127);
}

TEST_F(OptimTest, SmallGradientsOfFloat16) {
  // A gradient of 2^-27 is 0 in f16, whose least number is 2^-24.
  for (bool isScaled : {false, true}) {
    Tensor w = Tensor::ones({4}, DType::Float16).parameter();
    const Tensor x = Tensor::full({4}, 0x1p-20, DType::Float16).realize();
    SGD optimizer({w}, {.learningRate = 0x1p20});
    GradScaler scaler;
    auto makeLoss = [&] { return (w * x).toFloat().sum() * 0x1p-7; };
    for (int i = 0; i < 2; ++i) {
      optimizer.zeroGrad();
      Tensor loss = makeLoss();
      if (isScaled) {
        scaler.scale(loss).backward();
        scaler.step(optimizer, {.also = {loss}});
        EXPECT_TRUE(loss.isRealized());
      } else {
        loss.backward();
        optimizer.step();
      }
    }
    const double expected = isScaled ? 1 - 2 * 0x1p-7 : 1;
    expectTensor(w, {4}, {expected, expected, expected, expected});
  }
}

TEST_F(OptimTest, SameAsWithoutAScale) {
  Weights weights, scaled;
  AdamW optimizer(weights.all(), {.learningRate = 0.1}),
      other(scaled.all(), {.learningRate = 0.1});
  GradScaler scaler({.initialScale = 1024, .growthInterval = 2});
  for (int t = 1; t <= 5; ++t) {
    weights.setGradients(t);
    optimizer.step();
    scaled.setGradients(t);
    for (Tensor &parameter : scaled.all())
      parameter.setGrad(scaler.scale(parameter.grad()).realize());
    scaler.step(other);
  }
  EXPECT_EQ(getScale(scaler), 4096);
  expectWeights(scaled, values(weights.p), values(weights.q), 0);
}

TEST_F(OptimTest, ScaledClipping) {
  Weights weights, scaled;
  SGD optimizer(weights.all(), {.learningRate = 0.1}),
      other(scaled.all(), {.learningRate = 0.1});
  GradScaler scaler;
  weights.setGradients(2);
  const Tensor norm = clipGradNorm(weights.all(), 0.5);
  optimizer.step({.also = {norm}});
  scaled.setGradients(2);
  for (Tensor &parameter : scaled.all())
    parameter.setGrad(scaler.scale(parameter.grad()).realize());
  const Tensor scaledNorm = clipGradNorm(scaled.all(), scaler.scale(0.5));
  const double found = (scaledNorm / scaler.currentScale()).item<float>();
  scaler.step(other);
  EXPECT_NEAR(found, norm.item<float>(), 1e-5);
  expectWeights(scaled, values(weights.p), values(weights.q), 1e-6);
}

TEST_F(OptimTest, AllOptimizersSkipTogether) {
  Tensor w = Tensor::ones({1}).parameter(), v = Tensor::ones({2}).parameter();
  SGD first({w}), second({v});
  OptimizerGroup both(first, second);
  GradScaler scaler;
  w.setGrad(Tensor::ones({1}));
  v.setGrad(Tensor::from({0.0f, INFINITY}));
  scaler.step(both);
  expectTensor(w, {1}, {1});
  expectTensor(v, {2}, {1, 1});
  EXPECT_EQ(getScale(scaler), 32768);
}

TEST_F(OptimTest, GroupsOnTwoDevices) {
  Weights weights, same;
  Tensor there = Tensor::from({1.0f, 2.0f, 3.0f}, "SIM").parameter();
  AdamW optimizer(
      {{{weights.p}, {.learningRate = 0.1}}, {{there}, {.learningRate = 0.1}}}),
      other(same.all(), {.learningRate = 0.1});
  GradScaler scaler;
  for (int t = 1; t <= 3; ++t) {
    same.setGradients(t);
    clipGradNorm(same.all(), 1);
    other.step();
    weights.q.assign(there.detach().to(weights.q.device()));
    weights.setGradients(t);
    weights.p.setGrad(scaler.scale(weights.p.grad()).realize());
    there.setGrad(scaler.scale(weights.q.grad().to("SIM")).realize());
    clipGradNorm({weights.p, there}, scaler.scale(1));
    scaler.step(optimizer);
  }
  expectTensor(weights.p, {2, 3}, values(same.p), 1e-6);
  expectTensor(there, {3}, values(same.q), 1e-6);
}

TEST_F(OptimTest, LossesOfNaNAreReported) {
  Tensor w = Tensor::ones({1}).parameter();
  AdamW optimizer({w});
  GradScaler scaler({.initialScale = 4});
  for (int i = 0; i < 4; ++i) {
    EXPECT_NO_THROW(scaler.checkProgress(4));
    optimizer.zeroGrad();
    scaler.scale((w * NAN).sum()).backward();
    scaler.step(optimizer);
  }
  EXPECT_ERROR(scaler.checkProgress(4), Error,
               "GradScaler: the last 4 steps were skipped, since a gradient "
               "had an infinity or NaN; the scale is down to 1. The parameters "
               "have their values from before");
  // Nothing is lost, and the program can go on.
  expectTensor(w, {1}, {1});
  optimizer.zeroGrad();
  scaler.scale(w.sum()).backward();
  scaler.step(optimizer);
  EXPECT_NO_THROW(scaler.checkProgress(1));
  EXPECT_LT(values(w)[0], 1);
}

TEST_F(OptimTest, MistakesWithScales) {
  EXPECT_ERROR(GradScaler({.initialScale = 0}), Error,
               "GradScaler: initialScale is 0, but it has to be positive and "
               "finite");
  EXPECT_ERROR(GradScaler({.growthFactor = 1}), Error,
               "growthFactor is 1, but it has to be finite and more than 1");
  EXPECT_ERROR(GradScaler({.backoffFactor = 1}), Error, "backoffFactor is 1");
  EXPECT_ERROR(GradScaler({.growthInterval = 0}), Error,
               "growthInterval is 0, but it has to be at least 1");
  EXPECT_ERROR(GradScaler({.initialScale = 2, .minimumScale = 4}), Error,
               "minimumScale is 4, but it has to be positive and at most "
               "initialScale");
  Tensor w = Tensor::ones({1}).parameter();
  SGD optimizer({w});
  GradScaler scaler;
  EXPECT_ERROR(scaler.step(optimizer), Error,
               "SGD::step: parameter 0, [1] float32, has no gradient");
  EXPECT_ERROR(scaler.scheduleStep(optimizer, {.skip = Tensor(true)}), Error,
               "GradScaler::scheduleStep: gradientScale and skip are the "
               "scaler's");
  EXPECT_EQ(getScale(scaler), 65536);
}
