//===- LRSchedulerTest.cpp - schedules of learning rates ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The learning rates of twelve steps, compared with PyTorch 1.13. The numbers
/// were printed by
///
///   o = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.8)
///   s = torch.optim.lr_scheduler.StepLR(o, 3, gamma=0.5)   # and so on
///   for _ in range(12):
///     print(o.param_groups[0]["lr"])
///     o.step(); s.step()
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Optim/LRScheduler.h"
#include "OptimTest.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Optim/SGD.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::optim;
using namespace tinygrad::testing;

namespace {
class LRSchedulerTest : public OptimTest {
protected:
  /// The rates of steps 0, 1, ..
  template <typename Schedule>
  void expectRates(Schedule schedule, const std::vector<double> &expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(optimizer.learningRate().template item<double>(), expected[i],
                  1e-8 * expected[i] + 1e-12)
          << "step " << i;
      schedule.step();
    }
  }

  Tensor w = Tensor::zeros({2}, DType::Float64).parameter();
  SGD optimizer{{w}, {.learningRate = 0.8}};
};
} // namespace

TEST_F(LRSchedulerTest, Rates) {
  expectRates(StepLR(optimizer, {.stepSize = 3, .gamma = 0.5}),
              {0.8, 0.8, 0.8, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2, 0.1, 0.1, 0.1});
  expectRates(MultiStepLR(optimizer, {.milestones = {2, 5, 9}}),
              {0.8, 0.8, 0.08, 0.08, 0.08, 0.008, 0.008, 0.008, 0.008, 0.0008,
               0.0008, 0.0008});
  expectRates(ExponentialLR(optimizer, {.gamma = 0.9}),
              {0.8, 0.72, 0.648, 0.5832, 0.52488, 0.472392, 0.4251528,
               0.38263752, 0.344373768, 0.3099363912, 0.27894275208,
               0.251048476872});
  expectRates(CosineAnnealingLR(optimizer, {.steps = 11, .minimumRate = 0.05}),
              {0.8, 0.784809865, 0.740470075, 0.670572775, 0.58078063,
               0.478368064, 0.371631936, 0.26921937, 0.179427225, 0.109529925,
               0.0651901349, 0.05, 0.05, 0.05});
  // SequentialLR(o, [LinearLR(o, start_factor=0.25, total_iters=3),
  //                  CosineAnnealingLR(o, 8, eta_min=0.05)], [4])
  expectRates(
      CosineAnnealingLR(optimizer,
                        {.steps = 12, .warmUpSteps = 4, .minimumRate = 0.05}),
      {0.2, 0.4, 0.6, 0.8, 0.8, 0.771454825, 0.690165043, 0.568506287, 0.425,
       0.281493713, 0.159834957, 0.0785451753});
  expectRates(OneCycleLR(optimizer, {.maximumRate = 1, .steps = 12}),
              {0.04, 0.349789654, 0.879285159, 0.994415435, 0.93301297,
               0.811745654, 0.647378998, 0.462637103, 0.283060998, 0.13347753,
               0.0345669874, 4e-06, 4e-6});
  expectRates(OneCycleLR(optimizer, {.maximumRate = 1,
                                     .steps = 12,
                                     .risingPart = 0.5,
                                     .annealing = Annealing::Linear,
                                     .divFactor = 10,
                                     .finalDivFactor = 100}),
              {0.1, 0.28, 0.46, 0.64, 0.82, 1, 0.8335, 0.667, 0.5005, 0.334,
               0.1675, 0.001});
  expectRates(LinearLR(optimizer, {.startFactor = 0.25, .steps = 4}),
              {0.2, 0.35, 0.5, 0.65, 0.8, 0.8, 0.8});
}

TEST_F(LRSchedulerTest, OneCycleThatOnlyRisesOrFalls) {
  expectRates(OneCycleLR(optimizer, {.maximumRate = 1,
                                     .steps = 3,
                                     .risingPart = 1,
                                     .annealing = Annealing::Linear,
                                     .divFactor = 2}),
              {0.5, 0.75, 1, 1});
  // torch.optim.lr_scheduler.OneCycleLR(o, 1.0, 4, pct_start=0.25,
  //     anneal_strategy="linear", div_factor=2, final_div_factor=2), whose
  // first step divides by zero: it starts with the maximum.
  expectRates(OneCycleLR(optimizer, {.maximumRate = 1,
                                     .steps = 4,
                                     .risingPart = 0.25,
                                     .annealing = Annealing::Linear,
                                     .divFactor = 2,
                                     .finalDivFactor = 2}),
              {1, 0.75, 0.5, 0.25, 0.25});
}

TEST_F(LRSchedulerTest, LongSchedulesInFloat32) {
  Tensor v = Tensor::zeros({1}).parameter();
  SGD narrow({v}, {.learningRate = 1e-3});
  ExponentialLR schedule(narrow, {.gamma = 0.9999});
  forEachTensor(schedule, [](const std::string &name, Tensor &count) {
    EXPECT_EQ(name, "step_count");
    count.assign(99999);
  });
  schedule.step();
  EXPECT_NEAR(narrow.learningRate().item<float>() /
                  (1e-3 * std::pow(0.9999, 100000)),
              1, 1e-7);
}

TEST_F(LRSchedulerTest, GroupsKeepTheirProportions) {
  Tensor a = Tensor::zeros({1}).parameter(), b = Tensor::zeros({1}).parameter(),
         c = Tensor::zeros({1}).parameter();
  SGD groups({{{a}, {.learningRate = 1}}, {{b}, {.learningRate = 0.25}}});
  AdamW other({c}, {.learningRate = 4});
  OptimizerGroup all(groups, other);
  StepLR schedule(all, {.stepSize = 1, .gamma = 0.5});
  schedule.step();
  EXPECT_EQ(groups.learningRate(0).item<float>(), 0.5f);
  EXPECT_EQ(groups.learningRate(1).item<float>(), 0.125f);
  EXPECT_EQ(other.learningRate().item<float>(), 2.0f);
}

TEST_F(LRSchedulerTest, Functions) {
  expectRates(LRScheduler(optimizer,
                          [](const Tensor &step, double initial) {
                            return initial / (step + 1);
                          }),
              {0.8, 0.4, 0.8 / 3, 0.2});
  // A rate that does not depend on the step.
  expectRates(LRScheduler(optimizer,
                          [](const Tensor &, double) { return Tensor(0.5); }),
              {0.5, 0.5});
}

TEST_F(LRSchedulerTest, StepsUseTheRates) {
  Tensor v = Tensor::zeros({}).parameter();
  SGD sgd({v}, {.learningRate = 1});
  StepLR schedule(sgd, {.stepSize = 2, .gamma = 0.5});
  const double expected[] = {-1, -2, -2.5, -3, -3.25, -3.5};
  std::size_t programs = 0;
  for (int i = 0; i < 6; ++i) {
    v.setGrad(Tensor(1.0));
    if (i % 2) { // in one program
      std::vector<Tensor> pending = sgd.scheduleStep();
      const std::vector<Tensor> rates = schedule.scheduleStep();
      pending.insert(pending.end(), rates.begin(), rates.end());
      realize(pending);
    } else {
      sgd.step();
      // A single small kernel.
      EXPECT_LE(countKernels([&] { schedule.step(); }), 1);
    }
    EXPECT_EQ(v.item<float>(), expected[i]) << i;
    if (i == 3) // each kind of step, and its first one
      programs = graph.numPrograms();
  }
  EXPECT_EQ(graph.numPrograms(), programs);
}

TEST_F(LRSchedulerTest, Errors) {
  EXPECT_ERROR(LRScheduler(optimizer, {}), Error,
               "LRScheduler: the function is empty");
  EXPECT_ERROR(LRScheduler(optimizer, [](const Tensor &,
                                         double) { return Tensor::ones({2}); }),
               ShapeError,
               "LRScheduler: the function returned a tensor of shape [2]");
  EXPECT_ERROR(StepLR(optimizer, {.stepSize = 0}), Error,
               "StepLR: stepSize is 0, but it has to be positive");
  EXPECT_ERROR(StepLR(optimizer, {.stepSize = 1, .gamma = 0}), Error,
               "StepLR: gamma is 0, but it has to be positive and finite");
  EXPECT_ERROR(MultiStepLR(optimizer, {.milestones = {1, -3}}), Error,
               "MultiStepLR: a milestone is -3");
  EXPECT_ERROR(ExponentialLR(optimizer, {.gamma = -1}), Error,
               "ExponentialLR: gamma is -1");
  EXPECT_ERROR(CosineAnnealingLR(optimizer, {.steps = 5, .warmUpSteps = 5}),
               Error,
               "CosineAnnealingLR: steps is 5, but it has to be more than "
               "warmUpSteps");
  EXPECT_ERROR(CosineAnnealingLR(optimizer, {.steps = 5, .warmUpSteps = -1}),
               Error, "warmUpSteps is -1");
  EXPECT_ERROR(CosineAnnealingLR(optimizer, {.steps = 5, .minimumRate = -1}),
               Error, "minimumRate is -1");
  EXPECT_ERROR(OneCycleLR(optimizer, {.maximumRate = 0, .steps = 5}), Error,
               "OneCycleLR: maximumRate is 0");
  EXPECT_ERROR(OneCycleLR(optimizer, {.maximumRate = 1, .steps = 1}), Error,
               "steps is 1, but it has to be at least 2");
  EXPECT_ERROR(
      OneCycleLR(optimizer, {.maximumRate = 1, .steps = 5, .risingPart = 1.5}),
      Error, "risingPart is 1.5");
  EXPECT_ERROR(LinearLR(optimizer, {.startFactor = -1}), Error,
               "LinearLR: startFactor is -1");
  EXPECT_ERROR(LinearLR(optimizer, {.steps = 0}), Error, "steps is 0");
  EXPECT_EQ(optimizer.learningRate().item<double>(), 0.8);
}
