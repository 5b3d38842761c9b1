//===- Normalization.h - normalization layers -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Layers that give activations a mean of 0 and a variance of 1, over the
/// batch, the features, or groups of channels. Weights begin as ones and biases
/// as zeros, as in tinygrad. Narrow floats are normalized in float32.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_NN_NORMALIZATION_H
#define TINYGRAD_NN_NORMALIZATION_H

#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <cstdint>

namespace tinygrad::nn {

/// Options of the layers other than BatchNorm.
struct NormOptions {
  /// Added to the variance.
  double eps = 1e-5;
  /// Whether the result is multiplied by a weight and a bias is added.
  bool affine = true;
  /// Element type and device of the parameters.
  TensorOptions parameters = {};
};

/// Options of BatchNorm.
struct BatchNormOptions {
  double eps = 1e-5;
  bool affine = true;
  /// Without running statistics, those of the batch are also used in
  /// evaluation.
  bool trackRunningStats = true;
  /// The part of a batch in the running statistics.
  double momentum = 0.1;
  TensorOptions parameters = {};
};

// The constructors throw ShapeError for negative sizes, Error for options out
// of range and DTypeError for parameters that are not floats.

/// Normalizes each channel, axis 1, over all other axes; any number of spatial
/// axes. In a TrainingScope with the mean and variance of the batch, which also
/// enter the running statistics (the variance as an unbiased estimate), else
/// with the running statistics. S. Ioffe and C. Szegedy, "Batch normalization",
/// 2015; numbers as in tinygrad and PyTorch.
///
/// A call in training assigns to the running statistics. They are computed when
/// asked for: realize them in each step, with the result, or the graph keeps
/// every batch.
struct BatchNorm {
  explicit BatchNorm(int64_t channels, const BatchNormOptions &options = {});

  /// (batch, channels, ...). Throws ShapeError for another number of channels,
  /// and in training for fewer than two values in a channel.
  Tensor operator()(const Tensor &x) const;

  /// One element for each channel; undefined without `affine`.
  Tensor weight, bias;
  /// The statistics are float32, float64 if the parameters are, and undefined
  /// without `trackRunningStats`. Begin with 0 and 1.
  Tensor runningMean, runningVar;
  /// The number of calls in training: an int64 without axes.
  Tensor numBatchesTracked;
  BatchNormOptions options;
  TINYGRAD_MEMBERS(weight, bias, runningMean, runningVar, numBatchesTracked)
};

/// Normalizes over the last axes, those of \p shape. J. L. Ba and others,
/// "Layer normalization", 2016.
struct LayerNorm {
  explicit LayerNorm(const Shape &shape, const NormOptions &options = {});

  /// Throws ShapeError unless the last axes of \p x have this shape.
  Tensor operator()(const Tensor &x) const;

  Tensor weight, bias;
  /// The axes that are normalized.
  Shape shape;
  double eps;
  TINYGRAD_MEMBERS(weight, bias)
};

/// LayerNorm over the channels of images, (batch, channels, height, width), at
/// each position.
struct LayerNorm2d : LayerNorm {
  explicit LayerNorm2d(int64_t channels, const NormOptions &options = {});

  Tensor operator()(const Tensor &x) const;
};

/// Normalizes groups of channels, axis 1, over all their elements, for each
/// element of the batch. Y. Wu and K. He, "Group normalization", 2018.
struct GroupNorm {
  /// Throws ShapeError if \p groups does not divide \p channels.
  GroupNorm(int64_t groups, int64_t channels, const NormOptions &options = {});

  /// (batch, channels, ...). Throws ShapeError for another number of channels.
  Tensor operator()(const Tensor &x) const;

  Tensor weight, bias;
  int64_t groups, channels;
  double eps;
  TINYGRAD_MEMBERS(weight, bias)
};

/// Normalizes each channel of each element of the batch. D. Ulyanov and others,
/// "Instance normalization", 2016.
struct InstanceNorm {
  explicit InstanceNorm(int64_t channels, const NormOptions &options = {});

  /// (batch, channels, ...). Throws ShapeError for another number of channels.
  Tensor operator()(const Tensor &x) const;

  Tensor weight, bias;
  int64_t channels;
  double eps;
  TINYGRAD_MEMBERS(weight, bias)
};

/// Divides by the root of the mean of squares along the last axis, and
/// multiplies by a weight. B. Zhang and R. Sennrich, "Root mean square layer
/// normalization", 2019.
struct RMSNorm {
  explicit RMSNorm(int64_t size, const NormOptions &options = {.eps = 1e-6});

  /// Throws ShapeError unless the last axis of \p x has this size.
  Tensor operator()(const Tensor &x) const;

  Tensor weight;
  int64_t size;
  double eps;
  TINYGRAD_MEMBERS(weight)
};

} // namespace tinygrad::nn

#endif // TINYGRAD_NN_NORMALIZATION_H
