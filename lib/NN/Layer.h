//===- Layer.h - what layers have in common ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parameters of layers, and the checks of their sizes.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_NN_LAYER_H
#define TINYGRAD_LIB_NN_LAYER_H

#include "TinyGrad/Tensor/Tensor.h"

#include <cstdint>
#include <string>

namespace tinygrad::nn::detail {

/// A value that training changes by its gradient.
inline Tensor makeParameter(const Tensor &initial) {
  return initial.parameter();
}
/// A value that changes in training without a gradient.
inline Tensor makeBuffer(const Tensor &initial) {
  return initial.parameter(/*requiresGrad=*/false);
}

/// Throws ShapeError, naming the layer and the size, for a negative one.
void checkSize(const char *layer, const char *what, int64_t size);
/// Throws DTypeError unless the parameters are floats.
void checkParameters(const char *layer, const TensorOptions &options);

/// Parameters that are uniform in +-1/sqrt(\p fanIn).
Tensor uniformParameter(const Shape &shape, double fanIn,
                        const TensorOptions &options);
Tensor onesParameter(const Shape &shape, const TensorOptions &options);
Tensor zerosParameter(const Shape &shape, const TensorOptions &options);

/// Throws ShapeError "LAYER: an input of shape [..] does not fit WHAT".
[[noreturn]] void throwInput(const char *layer, const Tensor &x,
                             const std::string &what);

/// Throws ShapeError unless \p x has two or more axes, of which the second one
/// has the size \p channels.
void checkChannels(const char *layer, const Tensor &x, int64_t channels);

/// x * weight + bias along the channels, axis 1; undefined ones are left out.
Tensor scaleChannels(const Tensor &x, const Tensor &weight, const Tensor &bias);

/// x.matmul(weight.T()) + bias, for a weight of shape (out, in).
Tensor applyLinear(const Tensor &x, const Tensor &weight, const Tensor &bias);

} // namespace tinygrad::nn::detail

#endif // TINYGRAD_LIB_NN_LAYER_H
