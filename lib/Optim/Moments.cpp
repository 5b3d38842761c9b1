//===- Moments.cpp - estimates of moments of gradients --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Optim/Moments.h"

#include "Checks.h"

#include <cmath>
#include <string>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::optim;

void Moments::addFactors(double beta1, double beta2, double eps,
                         double weightDecay) {
  const std::size_t group = factors.size();
  auto checkBeta = [&](double beta, const char *option) {
    if (!(beta >= 0 && beta < 1))
      fail(group, std::string(option) + " is " + toText(beta) +
                      ", but it has to be at least 0 and less than 1");
  };
  checkBeta(beta1, "beta1");
  checkBeta(beta2, "beta2");
  checkNotNegative(group, eps, "eps");
  checkNotNegative(group, weightDecay, "weightDecay");
  factors.push_back({beta1, beta2, eps});
}

void Moments::addMoments() {
  auto isNeeded = [](std::size_t /*group*/) { return true; };
  addState("first_moments", isNeeded);
  addState("second_moments", isNeeded);
  addCount("step_count");
}

/// Positions in Step::groupValues: 1 / (1 - beta1^t), the learning rate times
/// that, and 1 / sqrt(1 - beta2^t).
enum : std::size_t { kFirst, kRate, kSecond };

void Moments::beginStep(Step &step) {
  const Tensor &count = getState("step_count", 0), next = count + 1;
  step.assign(count, next);
  for (std::size_t group = 0; group < factors.size(); ++group) {
    const Tensor &rate = learningRate(group);
    // 1 - beta^t would lose half of the digits in float32.
    auto getPart = [&](double beta) {
      return 1 - (next.toDouble().to(rate.device()) * std::log2(beta)).exp2();
    };
    const Tensor first = 1 / getPart(factors[group].beta1);
    std::vector<Tensor> values(3);
    values[kFirst] = first;
    values[kRate] = first * rate;
    values[kSecond] = getPart(factors[group].beta2).rsqrt();
    // In memory: one small kernel computes all of them.
    for (Tensor &value : values)
      value = value.cast(rate.dtype()).contiguous();
    step.groupValues.push_back(std::move(values));
  }
}

Tensor Moments::getDirection(const ParameterUpdate &parameter,
                             const Tensor &gradient, bool isScaled,
                             Step &step) {
  const Factors &factor = factors[parameter.group];
  const std::vector<Tensor> &values = step.groupValues[parameter.group];
  const Tensor &first = getState("first_moments", parameter.index),
               &second = getState("second_moments", parameter.index);
  const Tensor nextFirst = first * factor.beta1 + gradient * (1 - factor.beta1);
  const Tensor nextSecond =
      second * factor.beta2 + gradient.square() * (1 - factor.beta2);
  step.assign(first, nextFirst);
  step.assign(second, nextSecond);
  const DType dtype = gradient.dtype();
  return nextFirst * values[isScaled ? kRate : kFirst].cast(dtype) /
         (nextSecond.sqrt() * values[kSecond].cast(dtype) + factor.eps);
}
