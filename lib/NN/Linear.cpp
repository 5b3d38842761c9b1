//===- Linear.cpp - linear layer ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/NN/Linear.h"
#include "Layer.h"

using namespace tinygrad;
using namespace tinygrad::nn;
using namespace tinygrad::nn::detail;

Linear::Linear(int64_t inFeatures, int64_t outFeatures,
               const LinearOptions &options) {
  checkSize("nn::Linear", "input features", inFeatures);
  checkSize("nn::Linear", "output features", outFeatures);
  checkParameters("nn::Linear", options.parameters);
  weight = uniformParameter({outFeatures, inFeatures}, double(inFeatures),
                            options.parameters);
  if (options.bias)
    bias =
        uniformParameter(outFeatures, double(inFeatures), options.parameters);
}

Tensor Linear::operator()(const Tensor &x) const {
  if (x.ndim() == 0 || x.shape().back() != weight.size(1))
    throwInput("nn::Linear", x,
               "a weight of shape " + toString(weight.shape()) +
                   ": the last axis should have the size " +
                   weight.size(1).str());
  return applyLinear(x, weight, bias);
}
