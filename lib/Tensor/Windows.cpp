//===- Windows.cpp - convolution and pooling ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Windows of a tensor as views, for convolution and pooling. Operands are not
/// copied to rearrange them.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"

#include <algorithm>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::detail;
namespace recipes = mlir::tg::recipes;
using recipes::Window;

static constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

static std::vector<int64_t> perAxis(const PerAxis &given, int64_t count,
                                    const char *what, const char *name) {
  const std::vector<int64_t> &list = given.get();
  if (list.size() == 1)
    return std::vector<int64_t>(count, list[0]);
  if (int64_t(list.size()) != count)
    throw ShapeError(std::string(what) + ": " + std::to_string(list.size()) +
                     " numbers for the " + name + " of " +
                     std::to_string(count) + " spatial axes");
  return list;
}

/// Padding before and after each spatial axis.
static std::vector<std::pair<int64_t, int64_t>>
padPairs(const PerAxis &padding, int64_t count, const char *what) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  const std::vector<int64_t> &list = padding.get();
  if (int64_t(list.size()) != 2 * count || count == 0) {
    for (int64_t amount : perAxis(padding, count, what, "padding"))
      pairs.emplace_back(amount, amount);
    return pairs;
  }
  // Padding is given for the last axis first.
  for (int64_t i = count; i-- > 0;)
    pairs.emplace_back(list[2 * i], list[2 * i + 1]);
  return pairs;
}

static std::vector<Window> makeWindows(const Tensor &x, const Shape &kernel,
                                       const PerAxis &stride,
                                       const PerAxis &dilation,
                                       const PerAxis &padding, bool ceilMode,
                                       const char *what) {
  const int64_t count = int64_t(kernel.size());
  const auto strides = perAxis(stride, count, what, "stride");
  const auto dilations = perAxis(dilation, count, what, "dilation");
  const auto pads = padPairs(padding, count, what);
  std::vector<Window> windows;
  for (int64_t i = 0; i < count; ++i) {
    Window window;
    window.size = constantOf(kernel[i], what);
    window.stride = strides[i];
    window.dilation = dilations[i];
    window.before = pads[i].first;
    window.after = pads[i].second;
    const int64_t axis = x.ndim() - count + i;
    const std::string fault = recipes::fitWindow(
        window, constantOf(x.shape()[axis], what), ceilMode, [&] {
          return " on axis " + std::to_string(axis) + " of " +
                 toString(x.shape());
        });
    if (!fault.empty())
      throw ShapeError(std::string(what) + ": " + fault);
    windows.push_back(window);
  }
  return windows;
}

/// Padding amounts for the last axes; none for the others.
static std::vector<PadAmount> padAmounts(const Tensor &x,
                                         const std::vector<Window> &windows,
                                         bool explicitly, bool extra) {
  std::vector<PadAmount> amounts(x.ndim() - windows.size());
  for (const Window &window : windows)
    amounts.emplace_back(explicitly ? window.before : 0,
                         (explicitly ? window.after : 0) +
                             (extra ? window.extra : 0));
  return amounts;
}

/// All windows of a padded tensor, output axes after the outer axes.
static Tensor windowsOf(const Tensor &padded,
                        const std::vector<Window> &windows) {
  prim::Movements x(padded);
  recipes::takeWindows(x,
                       Shape(padded.shape().begin(),
                             padded.shape().end() - int64_t(windows.size())),
                       windows, 0);
  return x.tensor();
}

//===----------------------------------------------------------------------===//
// Convolution and pooling
//===----------------------------------------------------------------------===//

Tensor Tensor::conv2d(const Tensor &weight, const OptionalTensor &bias,
                      const Conv2dOptions &options) const {
  const MethodScope method("conv2d");
  checkOperands({this, &weight});
  const int64_t groups = options.groups;
  if (ndim() < 3 || weight.ndim() != ndim() || groups <= 0 ||
      weight.shape()[1].max() > kInt64Max / groups ||
      weight.shape()[1] * groups != shape()[1] ||
      weight.shape()[0] % groups != 0)
    throw ShapeError("conv2d: an input of shape " + toString(shape()) +
                     " and a weight of shape " + toString(weight.shape()) +
                     " do not fit with " + std::to_string(groups) + " groups");
  const Shape kernel(weight.shape().begin() + 2, weight.shape().end());
  const std::vector<Window> windows =
      makeWindows(*this, kernel, options.stride, options.dilation,
                  options.padding, false, "conv2d");
  const SymInt batch = shape()[0], inPerGroup = weight.shape()[1],
               outPerGroup = weight.shape()[0] / groups;
  if (bias && bias->shape() != Shape{weight.shape()[0]})
    throw ShapeError("conv2d: a bias of shape " + toString(bias->shape()) +
                     " does not fit a weight of shape " +
                     toString(weight.shape()));

  const auto shapes = recipes::getConvolutionShapes<Shape>(
      batch, groups, inPerGroup, outPerGroup, weight.shape()[0], windows);
  const DType common = promote(dtype(), weight.dtype());
  const DType accumulate = sumAccumulationDType(options.dtype.value_or(common));
  prim::Movements x(*this), w(weight);
  recipes::expandFactors(x, w, shapes, windows);
  const Tensor sums = prim::reduce(
      ReduceOp::Add,
      prim::binary(BinaryOp::Mul, prim::cast(x.tensor(), accumulate),
                   prim::cast(w.tensor(), accumulate)),
      shapes.summed);
  const Tensor result =
      prim::Movements(prim::cast(sums, options.dtype.value_or(common)))
          .reshape(shapes.output)
          .tensor();
  return bias ? result + bias->reshape(shapes.bias) : result;
}

namespace {
/// A transposed convolution along one spatial axis.
struct Transposed {
  int64_t input, kernel, stride, dilation;
  /// The range of output positions that are kept, out of all sums of an input
  /// position times the stride and a kernel position times the dilation.
  int64_t from, to;
};
} // namespace

static std::vector<Transposed>
makeTransposed(const Tensor &x, const Tensor &weight,
               const ConvTranspose2dOptions &options) {
  const char *what = "convTranspose2d";
  const int64_t count = x.ndim() - 2;
  const auto strides = perAxis(options.stride, count, what, "stride");
  const auto dilations = perAxis(options.dilation, count, what, "dilation");
  const auto pads = padPairs(options.padding, count, what);
  const auto more =
      perAxis(options.outputPadding, count, what, "output padding");
  // A limit for each number below, so that positions, which are sums of a few
  // products of two of them, fit 64 bits.
  constexpr int64_t limit = int64_t(1) << 30;
  std::vector<Transposed> axes;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t axis = i + 2;
    const auto [before, after] = pads[i];
    Transposed t;
    t.input = constantOf(x.shape()[axis], what);
    t.kernel = constantOf(weight.shape()[axis], what);
    t.stride = strides[i];
    t.dilation = dilations[i];
    if (t.kernel <= 0 || t.stride <= 0 || t.dilation <= 0 || before < 0 ||
        after < 0)
      throw ShapeError("convTranspose2d: kernel, stride and dilation must be "
                       "positive, padding not negative");
    if (more[i] < 0 || more[i] >= std::max(t.stride, t.dilation))
      throw ShapeError(
          "convTranspose2d: an output padding of " + std::to_string(more[i]) +
          " is not less than a stride of " + std::to_string(t.stride) +
          " or a dilation of " + std::to_string(t.dilation));
    for (int64_t number :
         {t.input, t.kernel, t.stride, t.dilation, before, after})
      if (number > limit)
        throw ShapeError("convTranspose2d: " + std::to_string(number) +
                         " is too large for a size, stride, dilation or "
                         "padding");
    const int64_t whole =
        (t.input - 1) * t.stride + t.dilation * (t.kernel - 1) + 1;
    t.from = before;
    t.to = whole - after + more[i];
    if (t.input == 0 || t.from >= t.to)
      throw ShapeError("convTranspose2d: nothing is left of axis " +
                       std::to_string(axis) + " of " + toString(x.shape()) +
                       " with a kernel of shape " + toString(weight.shape()) +
                       " and a padding of " + std::to_string(before) + " and " +
                       std::to_string(after));
    axes.push_back(t);
  }
  return axes;
}

Tensor Tensor::convTranspose2d(const Tensor &weight, const OptionalTensor &bias,
                               const ConvTranspose2dOptions &options) const {
  const MethodScope method("convTranspose2d");
  checkOperands({this, &weight});
  const int64_t groups = options.groups;
  if (ndim() < 3 || weight.ndim() != ndim() || groups <= 0 ||
      weight.shape()[1].max() > kInt64Max / groups ||
      weight.shape()[0] != shape()[1] || shape()[1] % groups != 0)
    throw ShapeError("convTranspose2d: an input of shape " + toString(shape()) +
                     " and a weight of shape " + toString(weight.shape()) +
                     " do not fit with " + std::to_string(groups) + " groups");
  const SymInt outPerGroup = weight.shape()[1], outputs = outPerGroup * groups;
  if (bias && bias->shape() != Shape{outputs})
    throw ShapeError(
        "convTranspose2d: a bias of shape " + toString(bias->shape()) +
        " does not fit a weight of shape " + toString(weight.shape()));
  std::vector<Transposed> axes = makeTransposed(*this, weight, options);
  const int64_t count = int64_t(axes.size());

  // Computed as a convolution with the reversed kernel. A stride would put
  // zeros between the elements of the input. Instead, since each residue class
  // of output positions modulo `stride` uses its own subset of the kernel, the
  // classes become output channels of a convolution of the original input, and
  // are interleaved afterwards.
  Tensor x = *this;
  std::vector<PadAmount> kernelPad(std::size_t(count) + 3), inputPad(2);
  Shape split{groups, outPerGroup, shape()[1] / groups}, merged;
  Shape apart{shape()[0], outputs}, joined = apart;
  std::vector<int64_t> order{0, 1}, dilation, flipped, interleaved{0, 1};
  Parts part(2);
  for (int64_t i = 0; i < count; ++i) {
    Transposed &t = axes[i];
    if (t.stride > 1 && t.dilation > 1) {
      const int64_t axis = 2 + i, size = (t.input - 1) * t.stride + 1;
      std::vector<PadAmount> zeros(std::size_t(x.ndim()) + 1);
      zeros[axis + 1] = {0, t.stride - 1};
      Parts inside(std::size_t(x.ndim()));
      inside[axis] = {0, size};
      // Stored in memory: overlapping windows would repeat the division that
      // finds the zeros.
      x = x.unsqueeze(axis + 1)
              .pad(zeros)
              .flatten(axis, axis + 1)
              .shrink(inside)
              .contiguous();
      t.input = size;
      t.stride = 1;
    }
    const int64_t steps = (t.kernel + t.stride - 1) / t.stride;
    kernelPad[3 + i] = {0, steps * t.stride - t.kernel};
    split.insert(split.end(), {steps, t.stride});
    flipped.push_back(3 + 2 * i);
    order.push_back(4 + 2 * i);
    dilation.push_back(t.dilation);
    // The first and last group of `stride` outputs that the result needs.
    const int64_t first = t.from / t.stride,
                  last = (t.to + t.stride - 1) / t.stride;
    inputPad.emplace_back(t.dilation * (steps - 1) - first, last - t.input);
    apart.push_back(t.stride);
    joined.push_back((last - first) * t.stride);
    interleaved.insert(interleaved.end(), {2 + count + i, 2 + i});
    part.emplace_back(t.from - first * t.stride, t.to - first * t.stride);
  }
  order.push_back(2);
  for (int64_t i = 0; i < count; ++i)
    order.push_back(3 + 2 * i);
  SymInt channels = outputs;
  for (const Transposed &t : axes)
    channels *= t.stride;
  merged = {channels, shape()[1] / groups};
  for (int64_t i = 0; i < count; ++i)
    merged.push_back(split[3 + 2 * i]);
  Tensor kernel = weight.unflatten(0, {groups, shape()[1] / groups})
                      .transpose(1, 2)
                      .pad(kernelPad)
                      .reshape(split)
                      .flip(flipped)
                      .permute(order)
                      .reshape(merged);
  x = x.pad(inputPad);
  Tensor result = x.conv2d(
      kernel, {},
      {.groups = groups, .dilation = dilation, .dtype = options.dtype});
  // Interleaved by a copy: a kernel that computes in the order of the result
  // cannot use a register tile.
  if (channels != outputs)
    result = result.contiguous();
  apart.insert(apart.end(), result.shape().begin() + 2, result.shape().end());
  result =
      result.reshape(apart).permute(interleaved).reshape(joined).shrink(part);
  if (!bias)
    return result;
  Shape biasShape(std::size_t(count) + 1, 1);
  biasShape[0] = outputs;
  return result + bias->reshape(biasShape);
}

static std::vector<Window> poolWindows(const Tensor &x,
                                       const PerAxis &kernelSize,
                                       const Pool2dOptions &options,
                                       const char *what) {
  std::vector<int64_t> kernel = kernelSize.get();
  if (kernel.size() == 1)
    kernel.push_back(kernel[0]);
  if (x.ndim() < int64_t(kernel.size()))
    throw ShapeError(std::string(what) + ": a tensor of shape " +
                     toString(x.shape()) + " has no " +
                     std::to_string(kernel.size()) + " spatial axes");
  return makeWindows(x, Shape(kernel.begin(), kernel.end()),
                     options.stride.value_or(PerAxis(kernel)), options.dilation,
                     options.padding, options.ceilMode, what);
}

/// The window axes: the last ones.
static Axes lastAxes(std::size_t count) {
  std::vector<int64_t> axes;
  for (int64_t axis = -int64_t(count); axis < 0; ++axis)
    axes.push_back(axis);
  return axes;
}

Tensor Tensor::avgPool2d(const PerAxis &kernelSize,
                         const Pool2dOptions &options) const {
  const MethodScope method("avgPool2d");
  const std::vector<Window> windows =
      poolWindows(*this, kernelSize, options, "avgPool2d");
  const Axes axes = lastAxes(windows.size());
  return inFloat(*this, [&](const Tensor &x) {
    auto sums = [&](const Tensor &padded) {
      return windowsOf(padded, windows).sum(axes);
    };
    Tensor total = sums(x.pad(padAmounts(x, windows, true, true)));
    bool isPadded = false, isExtended = false;
    double count = 1;
    for (const Window &window : windows) {
      isPadded |= window.before > 0 || window.after > 0;
      isExtended |= window.extra > 0;
      count *= double(window.size);
    }
    if (!isExtended && (!isPadded || options.countIncludePad))
      return total / count;
    // The number of elements in each window.
    Tensor ones = x.onesLike().pad(padAmounts(x, windows, true, false),
                                   options.countIncludePad ? 1 : 0);
    return total / sums(ones.pad(padAmounts(x, windows, false, true)));
  });
}

/// All windows, padded with the minimum of the type.
static Tensor maxWindows(const Tensor &x, const std::vector<Window> &windows) {
  Scalar lowest = -std::numeric_limits<double>::infinity();
  if (x.dtype() == DType::Bool)
    lowest = false;
  else if (!isFloat(x.dtype()))
    lowest = integerMin(x.dtype());
  Tensor wide = isFloat8(x.dtype()) ? x.toFloat() : x;
  return windowsOf(wide.pad(padAmounts(x, windows, true, true), lowest),
                   windows);
}

Tensor Tensor::maxPool2d(const PerAxis &kernelSize,
                         const Pool2dOptions &options) const {
  const MethodScope method("maxPool2d");
  const std::vector<Window> windows =
      poolWindows(*this, kernelSize, options, "maxPool2d");
  return maxWindows(*this, windows).max(lastAxes(windows.size())).cast(dtype());
}

ValuesAndIndices
Tensor::maxPool2dWithIndices(const PerAxis &kernelSize,
                             const Pool2dOptions &options) const {
  const char *name = "maxPool2dWithIndices";
  const MethodScope method(name);
  const std::vector<Window> windows =
      poolWindows(*this, kernelSize, options, name);
  const Axes axes = lastAxes(windows.size());
  Tensor elements = maxWindows(*this, windows);
  // Of the maximal elements, the one furthest from the end. Padding has
  // distance 0.
  const int64_t outer = ndim() - int64_t(windows.size());
  const Shape spatial(shape().begin() + outer, shape().end());
  const DType counter = positionDType(spatial);
  SymInt total = 1;
  Tensor fromEnd;
  for (int64_t axis = ndim() - 1; axis >= outer; --axis) {
    Tensor step = prim::iota(*this, axis, counter, shape()) * total;
    fromEnd = fromEnd.defined() ? fromEnd - step : -step;
    total *= shape()[axis];
  }
  fromEnd = windowsOf(
      (fromEnd + total).pad(padAmounts(*this, windows, true, true)), windows);
  Tensor isLargest = elements == elements.max(axes, true);
  if (isFloat(dtype()))
    isLargest = isLargest | elements.isnan();
  return {elements.max(axes).cast(dtype()),
          total - isLargest.where(fromEnd, 0).max(axes)};
}

Tensor Tensor::maxUnpool2d(const Tensor &indices, const PerAxis &kernelSize,
                           const MaxUnpool2dOptions &options) const {
  const MethodScope method("maxUnpool2d");
  checkOperands({this, &indices});
  checkIndexTensor(indices, "maxUnpool2d");
  if (indices.shape() != shape())
    throw ShapeError("maxUnpool2d: indices of shape " +
                     toString(indices.shape()) +
                     " are not one for each element of a tensor of shape " +
                     toString(shape()));
  std::vector<int64_t> kernel = kernelSize.get();
  if (kernel.size() == 1)
    kernel.push_back(kernel[0]);
  const int64_t count = int64_t(kernel.size()), outer = ndim() - count;
  if (outer < 0)
    throw ShapeError("maxUnpool2d: a tensor of shape " + toString(shape()) +
                     " has no " + std::to_string(count) + " spatial axes");
  Shape result(shape().begin(), shape().begin() + outer);
  if (options.outputSize) {
    const Shape &given = *options.outputSize;
    if (int64_t(given.size()) < count)
      throw ShapeError("maxUnpool2d: an output of size " + toString(given) +
                       " does not have " + std::to_string(count) +
                       " spatial axes");
    result.insert(result.end(), given.end() - count, given.end());
  } else {
    const auto strides = perAxis(options.stride.value_or(PerAxis(kernel)),
                                 count, "maxUnpool2d", "stride");
    const auto dilations =
        perAxis(options.dilation, count, "maxUnpool2d", "dilation");
    const auto pads = padPairs(options.padding, count, "maxUnpool2d");
    for (int64_t i = 0; i < count; ++i) {
      const auto [before, after] = pads[i];
      if (kernel[i] <= 0 || strides[i] <= 0 || dilations[i] <= 0 ||
          before < 0 || after < 0)
        throw ShapeError("maxUnpool2d: kernel, stride and dilation must be "
                         "positive, padding not negative");
      result.push_back((shape()[outer + i] - 1) * strides[i] - before - after +
                       SymInt(dilations[i]) * (kernel[i] - 1) + 1);
    }
  }
  checkedNumElements(result, dtype(), "maxUnpool2d");
  Tensor flat = prim::constant(*this, 0, dtype(), result).flatten(outer);
  // Negative indices are out of range; they do not count from the end.
  Tensor position = indices;
  if (!isUnsigned(indices.dtype())) {
    const SymInt size = flat.shape().back();
    position = indices.cast(promote(indices.dtype(), positionDType({size})));
    position = (position < 0).where(size, position);
  }
  return flat.scatter(outer, position.flatten(outer), flatten(outer))
      .reshape(result);
}
