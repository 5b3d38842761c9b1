//===- Convolution.h - convolutional layers ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Convolutions and transposed convolutions over one or two spatial axes.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_NN_CONVOLUTION_H
#define TINYGRAD_NN_CONVOLUTION_H

#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Options.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <cstdint>

namespace tinygrad::nn {

/// Options of Conv1d and Conv2d, as those of Tensor::conv2d.
struct ConvOptions {
  PerAxis stride = 1;
  PerAxis padding = 0;
  PerAxis dilation = 1;
  int64_t groups = 1;
  bool bias = true;
  /// Pads so that the spatial axes keep their sizes; if an odd number of
  /// elements is added, the larger part comes after the axis. Requires a stride
  /// of 1 and no other padding.
  bool isSame = false;
  /// Element type and device of the parameters.
  TensorOptions parameters = {};
};

/// Options of ConvTranspose1d and ConvTranspose2d, as those of
/// Tensor::convTranspose2d.
struct ConvTransposeOptions {
  PerAxis stride = 1;
  PerAxis padding = 0;
  PerAxis outputPadding = 0;
  PerAxis dilation = 1;
  int64_t groups = 1;
  bool bias = true;
  /// Element type and device of the parameters.
  TensorOptions parameters = {};
};

// All parameters are uniform in +-1/sqrt(in * product of kernel sizes), as in
// tinygrad: the number of groups does not count (in PyTorch it does). The
// constructors throw ShapeError for sizes that are negative, kernels with
// another number of axes, and channels that are no multiple of the groups, and
// DTypeError for parameters that are not floats. Calls throw ShapeError for an
// input with other axes or channels.

/// A convolution over one axis: (batch, in, length) becomes (batch, out,
/// length').
struct Conv1d {
  Conv1d(int64_t inChannels, int64_t outChannels, const PerAxis &kernelSize,
         const ConvOptions &options = {});

  Tensor operator()(const Tensor &x) const;

  /// (out, in / groups, kernel) and (out); no bias is an undefined tensor.
  Tensor weight, bias;
  Conv2dOptions options;
  TINYGRAD_MEMBERS(weight, bias)
};

/// A convolution over two axes: (batch, in, height, width) becomes (batch, out,
/// height', width').
struct Conv2d {
  Conv2d(int64_t inChannels, int64_t outChannels, const PerAxis &kernelSize,
         const ConvOptions &options = {});

  Tensor operator()(const Tensor &x) const;

  /// (out, in / groups, kernel height, kernel width) and (out).
  Tensor weight, bias;
  Conv2dOptions options;
  TINYGRAD_MEMBERS(weight, bias)
};

/// The transpose of a convolution over one axis.
struct ConvTranspose1d {
  ConvTranspose1d(int64_t inChannels, int64_t outChannels,
                  const PerAxis &kernelSize,
                  const ConvTransposeOptions &options = {});

  Tensor operator()(const Tensor &x) const;

  /// (in, out / groups, kernel) and (out).
  Tensor weight, bias;
  ConvTranspose2dOptions options;
  TINYGRAD_MEMBERS(weight, bias)
};

/// The transpose of a convolution over two axes.
struct ConvTranspose2d {
  ConvTranspose2d(int64_t inChannels, int64_t outChannels,
                  const PerAxis &kernelSize,
                  const ConvTransposeOptions &options = {});

  Tensor operator()(const Tensor &x) const;

  /// (in, out / groups, kernel height, kernel width) and (out).
  Tensor weight, bias;
  ConvTranspose2dOptions options;
  TINYGRAD_MEMBERS(weight, bias)
};

} // namespace tinygrad::nn

#endif // TINYGRAD_NN_CONVOLUTION_H
