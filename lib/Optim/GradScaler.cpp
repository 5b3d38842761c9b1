//===- GradScaler.cpp - dynamic loss scale --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Optim/GradScaler.h"

#include "Checks.h"
#include "TinyGrad/Tensor/Training.h"

#include <cmath>

using namespace tinygrad;
using namespace tinygrad::optim;

GradScaler::GradScaler(const GradScalerOptions &options) : options(options) {
  auto check = [](bool isValid, const char *option, double value,
                  const char *rule) {
    checkOption(isValid && std::isfinite(value), "GradScaler", option, value,
                rule);
  };
  check(options.initialScale > 0, "initialScale", options.initialScale,
        "positive and finite");
  check(options.growthFactor > 1, "growthFactor", options.growthFactor,
        "finite and more than 1");
  check(options.backoffFactor > 0 && options.backoffFactor < 1, //
        "backoffFactor", options.backoffFactor, "between 0 and 1");
  check(options.growthInterval >= 1, "growthInterval",
        double(options.growthInterval), "at least 1");
  check(options.minimumScale > 0 &&
            options.minimumScale <= options.initialScale,
        "minimumScale", options.minimumScale,
        "positive and at most initialScale");
  auto make = [&](Scalar value, DType dtype) {
    return Tensor::full({}, value, {dtype, options.device}).parameter(false);
  };
  lossScale = make(options.initialScale, DType::Float32);
  growthTracker = make(0, DType::Int32);
  skippedSteps = make(0, DType::Int32);
}

Tensor GradScaler::scale(const Operand &value) const {
  if (const Tensor *tensor = value.tensor()) {
    // The gradient is that of the product, the value to show is this.
    detail::addLoss(*tensor);
    return *tensor * lossScale.to(tensor->device());
  }
  return lossScale * value.scalar();
}

std::vector<Tensor> GradScaler::scheduleStep(const OptimizerGroup &optimizers,
                                             const StepOptions &stepOptions) {
  if (stepOptions.gradientScale.defined() || stepOptions.skip.defined())
    throw Error("GradScaler::scheduleStep: gradientScale and skip are the "
                "scaler's, leave them undefined");
  const NoGradScope noGradient;
  Tensor found;
  for (std::size_t i = 0; i < optimizers.size(); ++i)
    for (const Tensor &parameter : optimizers[i].parameters())
      if (const Tensor gradient = parameter.grad(); gradient.defined()) {
        const Tensor here =
            gradient.isfinite().logicalNot().any().to(lossScale.device());
        found = found.defined() ? found.bitwiseOr(here) : here;
      }
  StepOptions all = stepOptions;
  // Without any gradient, the optimizers say which parameter needs one.
  if (found.defined()) {
    all.skip = found = found.contiguous();
    all.gradientScale = lossScale.reciprocal().contiguous();
  }
  std::vector<Tensor> pending = optimizers.scheduleStep(all);
  if (!found.defined())
    return pending;
  const Tensor tracker = growthTracker + 1,
               grown = lossScale * options.growthFactor,
               isDue = tracker.ge(options.growthInterval);
  const Tensor reduced =
      (lossScale * options.backoffFactor).maximum(options.minimumScale);
  const Tensor kept =
      isDue.bitwiseAnd(grown.isfinite()).where(grown, lossScale);
  const Tensor nextScale = found.where(reduced, kept),
               nextTracker = found.bitwiseOr(isDue).where(0, tracker),
               nextSkipped = found.where(skippedSteps + 1, 0);
  lossScale.assign(nextScale);
  growthTracker.assign(nextTracker);
  skippedSteps.assign(nextSkipped);
  pending.insert(pending.end(), {lossScale, growthTracker, skippedSteps});
  return pending;
}

void GradScaler::step(const OptimizerGroup &optimizers,
                      const StepOptions &stepOptions,
                      std::source_location where) {
  realize(scheduleStep(optimizers, stepOptions), where);
}

void GradScaler::checkProgress(int64_t limit,
                               std::source_location where) const {
  const int32_t skipped = skippedSteps.item<int32_t>(where);
  if (skipped < limit)
    return;
  throw Error("GradScaler: the last " + std::to_string(skipped) +
              " steps were skipped, since a gradient had an infinity or NaN; "
              "the scale is down to " +
              toText(lossScale.item<float>(where)) +
              ". The parameters have their values from before. A loss that is "
              "NaN or infinite by itself needs another remedy than a scale, "
              "such as a lower learning rate or a check of the data");
}
