//===- SGD.cpp - stochastic gradient descent ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Optim/SGD.h"

#include "Momentum.h"

#include <utility>

using namespace tinygrad;
using namespace tinygrad::optim;

SGD::SGD(std::vector<Tensor> parameters, const SGDOptions &options)
    : SGD(std::vector<ParameterGroup<SGDOptions>>{
          {std::move(parameters), options}}) {}

SGD::SGD(const std::vector<ParameterGroup<SGDOptions>> &groups)
    : Optimizer("SGD", groups) {
  for (const ParameterGroup<SGDOptions> &group : groups) {
    const std::size_t number = this->groups.size();
    checkNotNegative(number, group.options.momentum, "momentum");
    checkNotNegative(number, group.options.weightDecay, "weightDecay");
    if (group.options.nesterov && group.options.momentum == 0)
      fail(number, "nesterov needs a momentum");
    this->groups.push_back(group.options);
  }
  addState("momentum", [&](std::size_t group) {
    return this->groups[group].momentum != 0;
  });
}

Tensor SGD::update(const ParameterUpdate &parameter, Step &step) {
  const SGDOptions &options = groups[parameter.group];
  Tensor gradient = parameter.gradient;
  if (options.weightDecay != 0)
    gradient = gradient + parameter.value * options.weightDecay;
  if (options.classic)
    gradient = gradient * parameter.learningRate;
  const Tensor &old = getState("momentum", parameter.index);
  auto [sum, direction] =
      addToMomentum(old, gradient, options.momentum, options.nesterov);
  if (old.defined())
    step.assign(old, sum);
  if (!options.classic)
    direction = direction * parameter.learningRate;
  return parameter.value - direction;
}
