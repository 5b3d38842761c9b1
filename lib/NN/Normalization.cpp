//===- Normalization.cpp - normalization layers ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/NN/Normalization.h"
#include "Layer.h"
#include "TinyGrad/Tensor/Training.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::nn;
using namespace tinygrad::nn::detail;

static void checkEps(const char *layer, double eps) {
  if (!(eps >= 0))
    throw Error(std::string(layer) + ": an eps of " + std::to_string(eps) +
                " is negative");
}

//===----------------------------------------------------------------------===//
// Over the batch
//===----------------------------------------------------------------------===//

BatchNorm::BatchNorm(int64_t channels, const BatchNormOptions &options)
    : options(options) {
  checkSize("nn::BatchNorm", "channels", channels);
  checkEps("nn::BatchNorm", options.eps);
  if (!(options.momentum >= 0 && options.momentum <= 1))
    throw Error("nn::BatchNorm: a momentum of " +
                std::to_string(options.momentum) + " is not between 0 and 1");
  checkParameters("nn::BatchNorm", options.parameters);
  const TensorOptions &parameters = options.parameters;
  if (options.affine) {
    weight = onesParameter(channels, parameters);
    bias = zerosParameter(channels, parameters);
  }
  if (!options.trackRunningStats)
    return;
  const TensorOptions statistics(
      promote(parameters.dtype.value_or(DType::Float32), DType::Float32),
      parameters.device);
  runningMean = makeBuffer(Tensor::zeros(channels, statistics));
  runningVar = makeBuffer(Tensor::ones(channels, statistics));
  numBatchesTracked = makeBuffer(
      Tensor::zeros(Shape(), TensorOptions(DType::Int64, parameters.device)));
}

/// Adds the mean and variance of a batch of \p count values in each channel to
/// the running statistics of \p layer.
static void updateStatistics(const BatchNorm &layer, const Tensor &mean,
                             const Tensor &variance, const SymInt &count) {
  const NoGradScope noGrad;
  const double momentum = layer.options.momentum;
  // Handles: the layer is constant, its tensors are not.
  Tensor runningMean = layer.runningMean, runningVar = layer.runningVar,
         batches = layer.numBatchesTracked;
  auto update = [&](Tensor &running, const Tensor &batch) {
    running.assign((running * (1 - momentum) + batch.detach() * momentum)
                       .cast(running.dtype()));
  };
  update(runningMean, mean);
  // A batch of one value has a variance of 0.
  update(runningVar, variance * count / symMax(count - 1, 1));
  batches.assignAdd(1);
  for (const Tensor &state : {runningMean, runningVar, batches})
    state.realizeAlong();
}

Tensor BatchNorm::operator()(const Tensor &x) const {
  checkChannels("nn::BatchNorm", x,
                options.trackRunningStats ? runningMean.size(0).value()
                : options.affine          ? weight.size(0).value()
                                          : x.size(1).value());
  Tensor mean = runningMean, variance = runningVar;
  const DType compute = promote(promoteToFloat(x.dtype()),
                                mean.defined() ? mean.dtype() : DType::Float32);
  Tensor wide = x.cast(compute);
  if (TrainingScope::isActive() || !options.trackRunningStats) {
    std::vector<int64_t> axes = {0};
    SymInt count = x.shape()[0];
    for (int64_t axis = 2; axis < x.ndim(); ++axis) {
      axes.push_back(axis);
      count *= x.shape()[axis];
    }
    if (TrainingScope::isActive() && count.max() < 2)
      throwInput("nn::BatchNorm", x,
                 "training: two or more values in each channel are required, "
                 "not " +
                     count.str());
    std::tie(variance, mean) = wide.varMean(axes, false, 0);
    if (TrainingScope::isActive() && options.trackRunningStats)
      updateStatistics(*this, mean, variance, count);
  }
  Tensor result =
      wide.batchnorm(weight, bias, mean, (variance + options.eps).rsqrt());
  const DType given = promoteToFloat(x.dtype());
  return result.cast(weight.defined() ? promote(given, weight.dtype()) : given);
}

//===----------------------------------------------------------------------===//
// Over features
//===----------------------------------------------------------------------===//

LayerNorm::LayerNorm(const Shape &shape, const NormOptions &options)
    : shape(shape), eps(options.eps) {
  for (const SymInt &size : shape)
    checkSize("nn::LayerNorm", "features", size.min());
  if (shape.empty())
    throw ShapeError("nn::LayerNorm: no axes to normalize; a shape of one or "
                     "more axes is required");
  checkEps("nn::LayerNorm", options.eps);
  checkParameters("nn::LayerNorm", options.parameters);
  if (!options.affine)
    return;
  weight = onesParameter(shape, options.parameters);
  bias = zerosParameter(shape, options.parameters);
}

Tensor LayerNorm::operator()(const Tensor &x) const {
  const int64_t rank = int64_t(shape.size());
  if (x.ndim() < rank ||
      !std::equal(shape.begin(), shape.end(), x.shape().end() - rank))
    throwInput("nn::LayerNorm", x,
               "features of shape " + toString(shape) +
                   ": these should be its last axes");
  std::vector<int64_t> axes;
  for (int64_t axis = -rank; axis < 0; ++axis)
    axes.push_back(axis);
  Tensor result = x.layernorm(axes, eps);
  if (weight.defined())
    result = result * weight;
  return bias.defined() ? result + bias : result;
}

LayerNorm2d::LayerNorm2d(int64_t channels, const NormOptions &options)
    : LayerNorm(channels, options) {}

Tensor LayerNorm2d::operator()(const Tensor &x) const {
  if (x.ndim() != 4 || x.shape()[1] != shape[0])
    throwInput("nn::LayerNorm2d", x,
               shape[0].str() + " channels: the shape should be [batch, " +
                   shape[0].str() + ", height, width]");
  return LayerNorm::operator()(x.permute({0, 2, 3, 1})).permute({0, 3, 1, 2});
}

RMSNorm::RMSNorm(int64_t size, const NormOptions &options)
    : size(size), eps(options.eps) {
  checkSize("nn::RMSNorm", "features", size);
  checkEps("nn::RMSNorm", options.eps);
  checkParameters("nn::RMSNorm", options.parameters);
  if (options.affine)
    weight = onesParameter(size, options.parameters);
}

Tensor RMSNorm::operator()(const Tensor &x) const {
  if (x.ndim() == 0 || x.shape().back() != SymInt(size))
    throwInput("nn::RMSNorm", x,
               std::to_string(size) +
                   " features: the last axis should have this size");
  Tensor result = x.rmsnorm(-1, eps);
  return weight.defined() ? result * weight : result;
}

//===----------------------------------------------------------------------===//
// Over groups of channels
//===----------------------------------------------------------------------===//

/// Normalizes each of \p groups of channels, axis 1.
static Tensor normalizeGroups(const Tensor &x, int64_t groups, double eps) {
  SymInt size = 1;
  for (int64_t axis = 1; axis < x.ndim(); ++axis)
    size *= x.shape()[axis];
  size = groups == 0 ? SymInt(0) : size / groups;
  return x.reshape({x.shape()[0], groups, size})
      .layernorm(-1, eps)
      .reshape(x.shape());
}

GroupNorm::GroupNorm(int64_t groups, int64_t channels,
                     const NormOptions &options)
    : groups(groups), channels(channels), eps(options.eps) {
  checkSize("nn::GroupNorm", "channels", channels);
  if (groups < 1 || channels % groups != 0)
    throw ShapeError("nn::GroupNorm: " + std::to_string(groups) +
                     " groups do not divide " + std::to_string(channels) +
                     " channels");
  checkEps("nn::GroupNorm", options.eps);
  checkParameters("nn::GroupNorm", options.parameters);
  if (!options.affine)
    return;
  weight = onesParameter(channels, options.parameters);
  bias = zerosParameter(channels, options.parameters);
}

Tensor GroupNorm::operator()(const Tensor &x) const {
  checkChannels("nn::GroupNorm", x, channels);
  return scaleChannels(normalizeGroups(x, groups, eps), weight, bias);
}

InstanceNorm::InstanceNorm(int64_t channels, const NormOptions &options)
    : channels(channels), eps(options.eps) {
  checkSize("nn::InstanceNorm", "channels", channels);
  checkEps("nn::InstanceNorm", options.eps);
  checkParameters("nn::InstanceNorm", options.parameters);
  if (!options.affine)
    return;
  weight = onesParameter(channels, options.parameters);
  bias = zerosParameter(channels, options.parameters);
}

Tensor InstanceNorm::operator()(const Tensor &x) const {
  checkChannels("nn::InstanceNorm", x, channels);
  return scaleChannels(normalizeGroups(x, channels, eps), weight, bias);
}
