//===- Convolution.cpp - convolutional layers -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/NN/Convolution.h"
#include "Layer.h"

#include <string>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::nn;
using namespace tinygrad::nn::detail;

/// One number for each of \p rank spatial axes.
static std::vector<int64_t> spatial(const char *layer, const char *what,
                                    const PerAxis &values, int64_t rank) {
  std::vector<int64_t> list = values.get();
  if (list.size() == 1)
    list.assign(rank, list[0]);
  if (int64_t(list.size()) != rank)
    throw ShapeError(std::string(layer) + ": " + std::to_string(list.size()) +
                     " numbers of the " + what + "; one, or one for each of " +
                     std::to_string(rank) + " spatial axes, is required");
  for (int64_t number : list)
    if (number < 1)
      throw ShapeError(std::string(layer) + ": a " + what + " of " +
                       std::to_string(number) + " is not positive");
  return list;
}

/// The axes of channels, each checked, and those of the kernel. The channels of
/// \p divided are divided by the groups.
static Shape weightShape(const char *layer, int64_t whole, int64_t divided,
                         const std::vector<int64_t> &kernel, int64_t groups) {
  for (int64_t channels : {whole, divided}) {
    checkSize(layer, "channels", channels);
    if (groups < 1 || channels % groups != 0)
      throw ShapeError(std::string(layer) + ": " + std::to_string(groups) +
                       " groups do not divide " + std::to_string(channels) +
                       " channels");
  }
  Shape shape = {whole, divided / groups};
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  return shape;
}

static double fanIn(int64_t inChannels, const std::vector<int64_t> &kernel) {
  double result = double(inChannels);
  for (int64_t size : kernel)
    result *= double(size);
  return result;
}

/// Pairs (before, after), the last axis first, that keep the sizes.
static PerAxis samePadding(const char *layer,
                           const std::vector<int64_t> &kernel,
                           const ConvOptions &options) {
  const int64_t rank = int64_t(kernel.size());
  for (int64_t stride : spatial(layer, "stride", options.stride, rank))
    if (stride != 1)
      throw ShapeError(std::string(layer) +
                       ": isSame requires a stride of 1, "
                       "not " +
                       std::to_string(stride));
  for (int64_t amount : options.padding.get())
    if (amount != 0)
      throw ShapeError(std::string(layer) +
                       ": isSame excludes a padding, here of " +
                       std::to_string(amount));
  const std::vector<int64_t> dilation =
      spatial(layer, "dilation", options.dilation, rank);
  std::vector<int64_t> pairs;
  for (int64_t axis = rank - 1; axis >= 0; --axis) {
    const int64_t total = dilation[axis] * (kernel[axis] - 1);
    pairs.push_back(total / 2);
    pairs.push_back(total - total / 2);
  }
  return pairs;
}

/// Initializes a Conv1d or Conv2d.
template <typename Layer>
static void initialize(Layer &self, const char *name, int64_t rank,
                       int64_t inChannels, int64_t outChannels,
                       const PerAxis &kernelSize, const ConvOptions &options) {
  const std::vector<int64_t> kernel = spatial(name, "kernel", kernelSize, rank);
  checkParameters(name, options.parameters);
  const Shape shape =
      weightShape(name, outChannels, inChannels, kernel, options.groups);
  self.options = {.groups = options.groups,
                  .stride = options.stride,
                  .dilation = options.dilation,
                  .padding = options.isSame ? samePadding(name, kernel, options)
                                            : options.padding};
  const double inputs = fanIn(inChannels, kernel);
  self.weight = uniformParameter(shape, inputs, options.parameters);
  if (options.bias)
    self.bias = uniformParameter(outChannels, inputs, options.parameters);
}

/// Initializes a ConvTranspose1d or ConvTranspose2d.
template <typename Layer>
static void initialize(Layer &self, const char *name, int64_t rank,
                       int64_t inChannels, int64_t outChannels,
                       const PerAxis &kernelSize,
                       const ConvTransposeOptions &options) {
  const std::vector<int64_t> kernel = spatial(name, "kernel", kernelSize, rank);
  checkParameters(name, options.parameters);
  const Shape shape =
      weightShape(name, inChannels, outChannels, kernel, options.groups);
  self.options = {.groups = options.groups,
                  .stride = options.stride,
                  .dilation = options.dilation,
                  .padding = options.padding,
                  .outputPadding = options.outputPadding};
  const double inputs = fanIn(inChannels, kernel);
  self.weight = uniformParameter(shape, inputs, options.parameters);
  if (options.bias)
    self.bias = uniformParameter(outChannels, inputs, options.parameters);
}

static void checkInput(const char *name, const Tensor &x, int64_t rank,
                       const SymInt &channels) {
  if (x.ndim() == rank + 2 && x.shape()[1] == channels)
    return;
  throwInput(name, x,
             channels.str() + " channels: the shape should be [batch, " +
                 channels.str() +
                 (rank == 1 ? ", length]" : ", height, width]"));
}

Conv1d::Conv1d(int64_t inChannels, int64_t outChannels,
               const PerAxis &kernelSize, const ConvOptions &options) {
  initialize(*this, "nn::Conv1d", 1, inChannels, outChannels, kernelSize,
             options);
}

Tensor Conv1d::operator()(const Tensor &x) const {
  checkInput("nn::Conv1d", x, 1, weight.size(1) * options.groups);
  return x.conv2d(weight, bias, options);
}

Conv2d::Conv2d(int64_t inChannels, int64_t outChannels,
               const PerAxis &kernelSize, const ConvOptions &options) {
  initialize(*this, "nn::Conv2d", 2, inChannels, outChannels, kernelSize,
             options);
}

Tensor Conv2d::operator()(const Tensor &x) const {
  checkInput("nn::Conv2d", x, 2, weight.size(1) * options.groups);
  return x.conv2d(weight, bias, options);
}

ConvTranspose1d::ConvTranspose1d(int64_t inChannels, int64_t outChannels,
                                 const PerAxis &kernelSize,
                                 const ConvTransposeOptions &options) {
  initialize(*this, "nn::ConvTranspose1d", 1, inChannels, outChannels,
             kernelSize, options);
}

Tensor ConvTranspose1d::operator()(const Tensor &x) const {
  checkInput("nn::ConvTranspose1d", x, 1, weight.size(0));
  return x.convTranspose2d(weight, bias, options);
}

ConvTranspose2d::ConvTranspose2d(int64_t inChannels, int64_t outChannels,
                                 const PerAxis &kernelSize,
                                 const ConvTransposeOptions &options) {
  initialize(*this, "nn::ConvTranspose2d", 2, inChannels, outChannels,
             kernelSize, options);
}

Tensor ConvTranspose2d::operator()(const Tensor &x) const {
  checkInput("nn::ConvTranspose2d", x, 2, weight.size(0));
  return x.convTranspose2d(weight, bias, options);
}
