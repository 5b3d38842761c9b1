//===- LARS.cpp - layer-wise adaptive rates -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Optim/LARS.h"

#include "Momentum.h"

#include <utility>

using namespace tinygrad;
using namespace tinygrad::optim;

LARS::LARS(std::vector<Tensor> parameters, const LARSOptions &options)
    : LARS(std::vector<ParameterGroup<LARSOptions>>{
          {std::move(parameters), options}}) {}

LARS::LARS(const std::vector<ParameterGroup<LARSOptions>> &groups)
    : Optimizer("LARS", groups) {
  for (const ParameterGroup<LARSOptions> &group : groups) {
    const std::size_t number = this->groups.size();
    checkNotNegative(number, group.options.momentum, "momentum");
    checkNotNegative(number, group.options.weightDecay, "weightDecay");
    checkNotNegative(number, group.options.trustCoefficient,
                     "trustCoefficient");
    if (group.options.nesterov && group.options.momentum == 0)
      fail(number, "nesterov needs a momentum");
    this->groups.push_back(group.options);
  }
  addState("momentum", [&](std::size_t group) {
    return this->groups[group].momentum != 0;
  });
}

Tensor LARS::update(const ParameterUpdate &parameter, Step &step) {
  const LARSOptions &options = groups[parameter.group];
  Tensor gradient = parameter.gradient;
  const Tensor weights = parameter.value.square().sum().sqrt(),
               gradients = gradient.square().sum().sqrt();
  Tensor rate = weights.gt(0).where(
      gradients.gt(0).where(weights * options.trustCoefficient /
                                (gradients + weights * options.weightDecay),
                            1),
      1);
  rate = (rate * parameter.learningRate).contiguous();
  if (options.weightDecay != 0)
    gradient = gradient + parameter.value * options.weightDecay;
  if (options.classic)
    gradient = gradient * rate;
  const Tensor &old = getState("momentum", parameter.index);
  auto [sum, direction] =
      addToMomentum(old, gradient, options.momentum, options.nesterov);
  if (old.defined())
    step.assign(old, sum);
  if (!options.classic)
    direction = direction * rate;
  return parameter.value - direction;
}
