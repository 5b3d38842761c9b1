//===- LAMB.cpp - layer-wise adaptive moments -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Optim/LAMB.h"

#include <utility>

using namespace tinygrad;
using namespace tinygrad::optim;

LAMB::LAMB(std::vector<Tensor> parameters, const LAMBOptions &options)
    : LAMB(std::vector<ParameterGroup<LAMBOptions>>{
          {std::move(parameters), options}}) {}

LAMB::LAMB(const std::vector<ParameterGroup<LAMBOptions>> &groups)
    : Moments("LAMB", groups) {
  for (const ParameterGroup<LAMBOptions> &group : groups)
    decays.push_back(group.options.weightDecay);
}

Tensor LAMB::update(const ParameterUpdate &parameter, Step &step) {
  const double decay = decays[parameter.group];
  Tensor direction = getDirection(parameter, parameter.gradient, false, step);
  if (decay != 0)
    direction = direction + parameter.value * decay;
  const Tensor weights = parameter.value.square().sum().sqrt(),
               norm = direction.square().sum().sqrt();
  const Tensor trust =
      weights.gt(0).where(norm.gt(0).where(weights / norm, 1), 1);
  return parameter.value -
         direction * (trust * parameter.learningRate).contiguous();
}
