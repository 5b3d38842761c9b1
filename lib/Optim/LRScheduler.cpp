//===- LRScheduler.cpp - schedules of learning rates ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Optim/LRScheduler.h"

#include "Checks.h"
#include "TinyGrad/Tensor/Training.h"

#include <cmath>
#include <numbers>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::optim;

LRScheduler::LRScheduler(const OptimizerGroup &optimizers, Curve curve)
    : curve(std::move(curve)) {
  if (!this->curve)
    throw Error("LRScheduler: the function is empty");
  const NoGradScope noGradient;
  for (std::size_t i = 0; i < optimizers.size(); ++i)
    for (std::size_t group = 0; group < optimizers[i].numGroups(); ++group)
      rates.push_back({optimizers[i].learningRate(group),
                       optimizers[i].initialLearningRate(group)});
  stepCount = Tensor::zeros({}, {DType::Int32, rates.front().tensor.device()})
                  .parameter(false);
  const std::vector<Tensor> first = evaluate(stepCount);
  for (std::size_t i = 0; i < rates.size(); ++i)
    rates[i].tensor.assign(first[i]);
}

std::vector<Tensor> LRScheduler::evaluate(const Tensor &count) const {
  std::vector<Tensor> result;
  for (const Rate &rate : rates) {
    const Tensor value =
        curve(count.toDouble().to(rate.tensor.device()), rate.initial);
    if (value.ndim() != 0)
      throw ShapeError("LRScheduler: the function returned a tensor of shape " +
                       toString(value.shape()) + ", not of rank 0");
    result.push_back(value.cast(rate.tensor.dtype()).to(rate.tensor.device()));
  }
  return result;
}

std::vector<Tensor> LRScheduler::scheduleStep() {
  const NoGradScope noGradient;
  const Tensor next = stepCount + 1;
  const std::vector<Tensor> values = evaluate(next);
  stepCount.assign(next);
  std::vector<Tensor> pending{stepCount};
  for (std::size_t i = 0; i < rates.size(); ++i) {
    rates[i].tensor.assign(values[i]);
    pending.push_back(rates[i].tensor);
  }
  return pending;
}

void LRScheduler::step(std::source_location where) {
  realize(scheduleStep(), where);
}

//===----------------------------------------------------------------------===//
// Curves
//===----------------------------------------------------------------------===//

/// initial * gamma^exponent
static Tensor decay(double initial, double gamma, const Tensor &exponent) {
  return (exponent * std::log2(gamma)).exp2() * initial;
}

/// From \p first to \p last while \p x goes from 0 to 1, with half a wave.
static Tensor goAlongCosine(double first, double last, const Tensor &x) {
  return ((x * std::numbers::pi).cos() + 1) * ((first - last) / 2) + last;
}

static Tensor goAlongLine(double first, double last, const Tensor &x) {
  return x * (last - first) + first;
}

static void checkGamma(double gamma, const char *name) {
  checkOption(gamma > 0 && std::isfinite(gamma), name, "gamma", gamma,
              "positive and finite");
}

static LRScheduler::Curve getCurve(const StepLROptions &options) {
  checkGamma(options.gamma, "StepLR");
  checkOption(options.stepSize > 0, "StepLR", "stepSize",
              double(options.stepSize), "positive");
  return [options](const Tensor &step, double initial) {
    return decay(initial, options.gamma,
                 (step / double(options.stepSize)).floor());
  };
}

static LRScheduler::Curve getCurve(const MultiStepLROptions &options) {
  checkGamma(options.gamma, "MultiStepLR");
  for (int64_t milestone : options.milestones)
    checkOption(milestone >= 0, "MultiStepLR", "a milestone", double(milestone),
                "at least 0");
  return [options](const Tensor &step, double initial) {
    Tensor passed = step.zerosLike();
    for (int64_t milestone : options.milestones)
      passed = passed + step.ge(double(milestone)).cast(step.dtype());
    return decay(initial, options.gamma, passed);
  };
}

static LRScheduler::Curve getCurve(const ExponentialLROptions &options) {
  checkGamma(options.gamma, "ExponentialLR");
  return [options](const Tensor &step, double initial) {
    return decay(initial, options.gamma, step);
  };
}

static LRScheduler::Curve getCurve(const CosineAnnealingLROptions &options) {
  const double warmUp = double(options.warmUpSteps),
               steps = double(options.steps), last = options.minimumRate;
  checkOption(warmUp >= 0, "CosineAnnealingLR", "warmUpSteps", warmUp,
              "at least 0");
  checkOption(steps > warmUp, "CosineAnnealingLR", "steps", steps,
              "more than warmUpSteps");
  checkOption(last >= 0 && std::isfinite(last), "CosineAnnealingLR",
              "minimumRate", last, "finite and not negative");
  return [=](const Tensor &step, double initial) {
    const Tensor x = ((step - warmUp) / (steps - warmUp)).clamp(0, 1);
    Tensor rate = goAlongCosine(initial, last, x);
    if (warmUp == 0)
      return rate;
    return step.lt(warmUp).where((step + 1) * (initial / warmUp), rate);
  };
}

static LRScheduler::Curve getCurve(const OneCycleLROptions &options) {
  auto check = [](double value, const char *option) {
    checkOption(value > 0 && std::isfinite(value), "OneCycleLR", option, value,
                "positive and finite");
  };
  check(options.maximumRate, "maximumRate");
  check(options.divFactor, "divFactor");
  check(options.finalDivFactor, "finalDivFactor");
  checkOption(options.steps >= 2, "OneCycleLR", "steps", double(options.steps),
              "at least 2");
  checkOption(options.risingPart >= 0 && options.risingPart <= 1, "OneCycleLR",
              "risingPart", options.risingPart, "between 0 and 1");
  const double most = options.maximumRate, first = most / options.divFactor,
               last = first / options.finalDivFactor;
  // The steps with the largest and the last rate.
  const double top = options.risingPart * double(options.steps) - 1,
               end = double(options.steps - 1);
  auto go =
      options.annealing == Annealing::Cosine ? goAlongCosine : goAlongLine;
  return [=](const Tensor &step, double /*initial*/) {
    if (top >= end)
      return go(first, most, (step / end).clamp(0, 1));
    Tensor falling = go(most, last, ((step - top) / (end - top)).clamp(0, 1));
    if (top <= 0)
      return falling;
    return step.le(top).where(go(first, most, step / top), falling);
  };
}

static LRScheduler::Curve getCurve(const LinearLROptions &options) {
  auto check = [](double factor, const char *option) {
    checkOption(factor >= 0 && std::isfinite(factor), "LinearLR", option,
                factor, "finite and not negative");
  };
  check(options.startFactor, "startFactor");
  check(options.endFactor, "endFactor");
  checkOption(options.steps >= 1, "LinearLR", "steps", double(options.steps),
              "at least 1");
  return [options](const Tensor &step, double initial) {
    const Tensor x = (step / double(options.steps)).clamp(0, 1);
    return goAlongLine(options.startFactor * initial,
                       options.endFactor * initial, x);
  };
}

StepLR::StepLR(const OptimizerGroup &optimizers, const StepLROptions &options)
    : LRScheduler(optimizers, getCurve(options)) {}

MultiStepLR::MultiStepLR(const OptimizerGroup &optimizers,
                         const MultiStepLROptions &options)
    : LRScheduler(optimizers, getCurve(options)) {}

ExponentialLR::ExponentialLR(const OptimizerGroup &optimizers,
                             const ExponentialLROptions &options)
    : LRScheduler(optimizers, getCurve(options)) {}

CosineAnnealingLR::CosineAnnealingLR(const OptimizerGroup &optimizers,
                                     const CosineAnnealingLROptions &options)
    : LRScheduler(optimizers, getCurve(options)) {}

OneCycleLR::OneCycleLR(const OptimizerGroup &optimizers,
                       const OneCycleLROptions &options)
    : LRScheduler(optimizers, getCurve(options)) {}

LinearLR::LinearLR(const OptimizerGroup &optimizers,
                   const LinearLROptions &options)
    : LRScheduler(optimizers, getCurve(options)) {}
