//===- OptimizerGroup.cpp - several optimizers as one ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Optim/OptimizerGroup.h"

#include "TinyGrad/Tensor/Training.h"

using namespace tinygrad;
using namespace tinygrad::optim;

void OptimizerGroup::zeroGrad() const {
  for (Optimizer *optimizer : optimizers)
    optimizer->zeroGrad();
}

std::vector<Tensor>
OptimizerGroup::scheduleStep(const StepOptions &options) const {
  const NoGradScope noGradient;
  std::vector<Optimizer::Step> steps;
  for (Optimizer *optimizer : optimizers)
    steps.push_back(optimizer->prepareStep(options));
  std::vector<Tensor> pending;
  for (std::size_t i = 0; i < optimizers.size(); ++i) {
    Optimizer::apply(steps[i], options.skip);
    optimizers[i]->finishStep(options, pending);
  }
  pending.insert(pending.end(), options.also.begin(), options.also.end());
  return pending;
}

void OptimizerGroup::step(const StepOptions &options,
                          std::source_location where) const {
  realize(scheduleStep(options), where);
}
