//===- Layer.cpp - what layers have in common -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layer.h"

#include <cmath>
#include <string>

using namespace tinygrad;

namespace tinygrad::nn::detail {

void checkSize(const char *layer, const char *what, int64_t size) {
  if (size < 0)
    throw ShapeError(std::string(layer) + ": " + std::to_string(size) + " " +
                     what + "; the number must not be negative");
}

void checkParameters(const char *layer, const TensorOptions &options) {
  const DType dtype = options.dtype.value_or(DType::Float32);
  if (!isFloat(dtype))
    throw DTypeError(std::string(layer) + ": parameters cannot be " +
                     name(dtype) + "; a float type is required");
}

Tensor uniformParameter(const Shape &shape, double fanIn,
                        const TensorOptions &options) {
  const double bound = fanIn == 0 ? 0 : 1 / std::sqrt(fanIn);
  return makeParameter(Tensor::uniform(shape, -bound, bound, options));
}

Tensor onesParameter(const Shape &shape, const TensorOptions &options) {
  return makeParameter(Tensor::ones(shape, options));
}

Tensor zerosParameter(const Shape &shape, const TensorOptions &options) {
  return makeParameter(Tensor::zeros(shape, options));
}

void throwInput(const char *layer, const Tensor &x, const std::string &what) {
  throw ShapeError(std::string(layer) + ": an input of shape " +
                   toString(x.shape()) + " does not fit " + what);
}

void checkChannels(const char *layer, const Tensor &x, int64_t channels) {
  if (x.ndim() < 2 || x.shape()[1] != SymInt(channels))
    throwInput(layer, x,
               std::to_string(channels) +
                   " channels: the shape should be [batch, " +
                   std::to_string(channels) + ", ...]");
}

Tensor scaleChannels(const Tensor &x, const Tensor &weight,
                     const Tensor &bias) {
  Shape aligned(x.ndim(), 1);
  aligned[1] = x.shape()[1];
  Tensor result = x;
  if (weight.defined())
    result = result * weight.reshape(aligned);
  if (bias.defined())
    result = result + bias.reshape(aligned);
  return result;
}

Tensor applyLinear(const Tensor &x, const Tensor &weight, const Tensor &bias) {
  return x.linear(weight.transpose(), bias);
}

} // namespace tinygrad::nn::detail
