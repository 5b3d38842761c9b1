//===- Muon.cpp - momentum with orthogonal updates ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Optim/Muon.h"

#include "Checks.h"
#include "Momentum.h"

#include <utility>

using namespace tinygrad;
using namespace tinygrad::optim;

Muon::Muon(std::vector<Tensor> parameters, const MuonOptions &options)
    : Muon(std::vector<ParameterGroup<MuonOptions>>{
          {std::move(parameters), options}}) {}

Muon::Muon(const std::vector<ParameterGroup<MuonOptions>> &groups)
    : Optimizer("Muon", groups) {
  for (const ParameterGroup<MuonOptions> &group : groups) {
    const std::size_t number = this->groups.size();
    checkNotNegative(number, group.options.momentum, "momentum");
    checkNotNegative(number, group.options.weightDecay, "weightDecay");
    checkNotNegative(number, double(group.options.iterations), "iterations");
    if (group.options.nesterov && group.options.momentum == 0)
      fail(number, "nesterov needs a momentum");
    if (group.options.coefficients.empty())
      fail(number, "there are no coefficients");
    this->groups.push_back(group.options);
  }
  for (std::size_t i = 0; i < parameters().size(); ++i)
    if (parameters()[i].ndim() < 2)
      throw ShapeError("Muon: parameter " + std::to_string(i) + ", " +
                       describe(parameters()[i]) +
                       ", is not a matrix; use another optimizer for it, such "
                       "as AdamW, and an OptimizerGroup of both");
  addState("momentum", [&](std::size_t group) {
    return this->groups[group].momentum != 0;
  });
}

Tensor Muon::update(const ParameterUpdate &parameter, Step &step) {
  const MuonOptions &options = groups[parameter.group];
  const Tensor &old = getState("momentum", parameter.index);
  auto [sum, direction] = addToMomentum(old, parameter.gradient,
                                        options.momentum, options.nesterov);
  if (old.defined())
    step.assign(old, sum);
  direction = direction.flatten(1)
                  .newtonSchulz(options.iterations, options.coefficients)
                  .reshape(parameter.value.shape());
  if (options.weightDecay != 0)
    direction = direction + parameter.value * options.weightDecay;
  return parameter.value - direction * parameter.learningRate;
}
