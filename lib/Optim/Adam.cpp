//===- Adam.cpp - Adam and AdamW ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Optim/Adam.h"

#include <utility>

using namespace tinygrad;
using namespace tinygrad::optim;

Adam::Adam(std::vector<Tensor> parameters, const AdamOptions &options)
    : Adam(std::vector<ParameterGroup<AdamOptions>>{
          {std::move(parameters), options}}) {}

Adam::Adam(const std::vector<ParameterGroup<AdamOptions>> &groups)
    : Moments("Adam", groups) {
  for (const ParameterGroup<AdamOptions> &group : groups)
    decays.push_back(group.options.weightDecay);
}

Tensor Adam::update(const ParameterUpdate &parameter, Step &step) {
  const double decay = decays[parameter.group];
  const Tensor gradient = decay == 0
                              ? parameter.gradient
                              : parameter.gradient + parameter.value * decay;
  return parameter.value - getDirection(parameter, gradient, true, step);
}

AdamW::AdamW(std::vector<Tensor> parameters, const AdamWOptions &options)
    : AdamW(std::vector<ParameterGroup<AdamWOptions>>{
          {std::move(parameters), options}}) {}

AdamW::AdamW(const std::vector<ParameterGroup<AdamWOptions>> &groups)
    : Moments("AdamW", groups) {
  for (const ParameterGroup<AdamWOptions> &group : groups)
    decays.push_back(group.options.weightDecay);
}

Tensor AdamW::update(const ParameterUpdate &parameter, Step &step) {
  const double decay = decays[parameter.group];
  const Tensor direction =
      getDirection(parameter, parameter.gradient, true, step);
  if (decay == 0)
    return parameter.value - direction;
  return parameter.value * (1 - parameter.learningRate * decay) - direction;
}
