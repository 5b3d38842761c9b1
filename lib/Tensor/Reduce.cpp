//===- Reduce.cpp - reductions --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums, extrema, statistics, and methods composed of them.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::detail;
namespace recipes = mlir::tg::recipes;

/// Drops the axes of size 1 that a reduction leaves.
static Tensor finish(const Tensor &reduced, const std::vector<int64_t> &axes,
                     bool keepdim) {
  if (keepdim)
    return reduced;
  Shape shape;
  for (int64_t axis = 0; axis < reduced.ndim(); ++axis)
    if (!std::binary_search(axes.begin(), axes.end(), axis))
      shape.push_back(reduced.shape()[axis]);
  return prim::Movements(reduced).reshape(shape).tensor();
}

/// The default result type of a sum: floats stay, integers accumulate.
static DType sumDType(DType dtype) {
  return isFloat(dtype) ? dtype : sumAccumulationDType(dtype);
}

Tensor Tensor::sum(const Axes &axes, bool keepdim,
                   std::optional<DType> dtype) const {
  const MethodScope method("sum");
  const std::vector<int64_t> list = normalizeAxes(axes, ndim(), "sum");
  const DType accumulate = dtype.value_or(sumAccumulationDType(this->dtype()));
  const Tensor result = prim::reduce(
      ReduceOp::Add,
      inDType(*this, isFloat8(accumulate) ? DType::Float32 : accumulate), list);
  return finish(inDType(result, dtype.value_or(sumDType(this->dtype()))), list,
                keepdim);
}

Tensor Tensor::prod(const Axes &axes, bool keepdim,
                    std::optional<DType> dtype) const {
  const MethodScope method("prod");
  const std::vector<int64_t> list = normalizeAxes(axes, ndim(), "prod");
  const DType accumulate = dtype.value_or(sumAccumulationDType(this->dtype()));
  const Tensor result = prim::reduce(
      ReduceOp::Mul,
      inDType(*this, isFloat8(accumulate) ? DType::Float32 : accumulate), list);
  return finish(inDType(result, dtype.value_or(sumDType(this->dtype()))), list,
                keepdim);
}

/// Throws ShapeError if there is no element to choose along the axes.
static void checkNotEmpty(const Tensor &x, const std::vector<int64_t> &axes,
                          const char *what, bool isSymbolicAllowed = true) {
  for (int64_t axis : axes) {
    const SymInt size = x.shape()[axis];
    if (isSymbolicAllowed ? size.max() != 0 : size.min() != 0)
      continue;
    throw ShapeError(
        std::string(what) + ": axis " + std::to_string(axis) + " of " +
        toString(x.shape()) +
        (size.max() != 0 ? " may have no elements" : " has no elements"));
  }
}

Tensor detail::maxOrLowest(const Tensor &x, const std::vector<int64_t> &axes,
                           bool keepdim) {
  const DType dtype = x.dtype();
  Tensor result =
      prim::reduce(ReduceOp::Max, isFloat8(dtype) ? x.toFloat() : x, axes);
  // The maximum of no elements is -infinity, which some types lack.
  const bool mayBeEmpty =
      std::any_of(axes.begin(), axes.end(),
                  [&](int64_t axis) { return x.shape()[axis].min() == 0; });
  if (mayBeEmpty && isFloat8(dtype) && dtype != DType::Float8E5M2)
    result = result.maximum(-largestFinite(dtype));
  return finish(inDType(result, dtype), axes, keepdim);
}

Tensor Tensor::max(const Axes &axes, bool keepdim) const {
  const MethodScope method("max");
  const std::vector<int64_t> list = normalizeAxes(axes, ndim(), "max");
  checkNotEmpty(*this, list, "max");
  return maxOrLowest(*this, list, keepdim);
}

/// Reverses the order of the elements. Unlike negation, it is exact for the
/// minimum integer.
static Tensor reversed(const Tensor &x) {
  return isFloat(x.dtype()) ? x.neg() : x.bitwiseNot();
}

Tensor Tensor::min(const Axes &axes, bool keepdim) const {
  const MethodScope method("min");
  const std::vector<int64_t> list = normalizeAxes(axes, ndim(), "min");
  checkNotEmpty(*this, list, "min");
  return reversed(maxOrLowest(reversed(*this), list, keepdim));
}

Tensor Tensor::any(const Axes &axes, bool keepdim) const {
  const MethodScope method("any");
  return maxOrLowest(toBool(), normalizeAxes(axes, ndim(), "any"), keepdim);
}

Tensor Tensor::all(const Axes &axes, bool keepdim) const {
  const MethodScope method("all");
  return reversed(maxOrLowest(reversed(toBool()),
                              normalizeAxes(axes, ndim(), "all"), keepdim));
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

/// The number of elements per result less the correction for degrees of
/// freedom, at least 0.
static Scalar numReduced(const Tensor &x, const std::vector<int64_t> &axes,
                         int64_t correction = 0) {
  bool isNumber = true;
  double count = 1;
  SymInt symbolic = 1;
  for (int64_t axis : axes)
    isNumber &= !x.shape()[axis].isSymbolic();
  for (int64_t axis : axes) {
    if (isNumber)
      count *= double(x.shape()[axis].value());
    else
      symbolic *= x.shape()[axis];
  }
  if (isNumber)
    return std::max(count - double(correction), 0.0);
  return symMax(symbolic - correction, 0);
}

Tensor Tensor::mean(const Axes &axes, bool keepdim) const {
  const MethodScope method("mean");
  const std::vector<int64_t> list = normalizeAxes(axes, ndim(), "mean");
  return inFloat(*this, [&](const Tensor &x) {
    return x.sum(list, keepdim) / numReduced(x, list);
  });
}

Deviations detail::deviationsOf(const Tensor &x,
                                const std::vector<int64_t> &axes) {
  const Scalar count = numReduced(x, axes);
  return recipes::getDeviations(x, axes, count, largestFinite(x.dtype()));
}

Tensor Tensor::var(const Axes &axes, bool keepdim, int64_t correction) const {
  const MethodScope method("var");
  const std::vector<int64_t> list = normalizeAxes(axes, ndim(), "var");
  return inFloat(*this, [&](const Tensor &x) {
    return finish(deviationsOf(x, list).squares, list, keepdim) /
           numReduced(x, list, correction);
  });
}

Tensor Tensor::std(const Axes &axes, bool keepdim, int64_t correction) const {
  const MethodScope method("std");
  return inFloat(*this, [&](const Tensor &x) {
    // The gradient for equal numbers is 0, as in PyTorch.
    return constantAtZero(x.var(axes, keepdim, correction), 0,
                          [](const Tensor &v) { return v.sqrt(); });
  });
}

std::pair<Tensor, Tensor> Tensor::varMean(const Axes &axes, bool keepdim,
                                          int64_t correction) const {
  const MethodScope method("varMean");
  return {var(axes, keepdim, correction), mean(axes, keepdim)};
}

std::pair<Tensor, Tensor> Tensor::stdMean(const Axes &axes, bool keepdim,
                                          int64_t correction) const {
  const MethodScope method("stdMean");
  return {std(axes, keepdim, correction), mean(axes, keepdim)};
}

//===----------------------------------------------------------------------===//
// Positions of extrema
//===----------------------------------------------------------------------===//

/// The position of the first maximum.
static Tensor argmaxOf(const Tensor &x, std::optional<int64_t> axis,
                       bool keepdim, const char *what) {
  if (axis && x.ndim() == 0)
    normalizeAxes(*axis, 0, what);
  if (!axis || x.ndim() == 0) {
    Tensor position = argmaxOf(x.flatten(), 0, false, what);
    return keepdim ? position.reshape(Shape(x.ndim(), 1)) : position;
  }
  const int64_t dim = normalizeAxis(*axis, x.ndim(), what);
  const SymInt size = x.shape()[dim];
  checkNotEmpty(x, {dim}, what, /*isSymbolicAllowed=*/false);
  // Of the maximal elements, the first: the one with the largest distance from
  // the end.
  Tensor isLargest = x == x.max(dim, true);
  if (isFloat(x.dtype()))
    isLargest = isLargest | x.isnan();
  const DType counter = positionDType({size});
  Tensor fromEnd = size - prim::iota(x, dim, counter, x.shape());
  Tensor furthest = isLargest.where(fromEnd, 0).max(dim, keepdim);
  return size - furthest;
}

Tensor Tensor::argmax(std::optional<int64_t> axis, bool keepdim) const {
  const MethodScope method("argmax");
  return argmaxOf(*this, axis, keepdim, "argmax");
}

Tensor Tensor::argmin(std::optional<int64_t> axis, bool keepdim) const {
  const MethodScope method("argmin");
  return argmaxOf(reversed(*this), axis, keepdim, "argmin");
}

ValuesAndIndices Tensor::maxWithIndices(int64_t axis, bool keepdim) const {
  const char *name = "maxWithIndices";
  const MethodScope method(name);
  return {maxOrLowest(*this, normalizeAxes(axis, ndim(), name), keepdim),
          argmaxOf(*this, axis, keepdim, name)};
}

ValuesAndIndices Tensor::minWithIndices(int64_t axis, bool keepdim) const {
  const char *name = "minWithIndices";
  const MethodScope method(name);
  const Tensor x = reversed(*this);
  return {reversed(maxOrLowest(x, normalizeAxes(axis, ndim(), name), keepdim)),
          argmaxOf(x, axis, keepdim, name)};
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

Tensor Tensor::logsumexp(const Axes &axes, bool keepdim) const {
  const MethodScope method("logsumexp");
  const std::vector<int64_t> list = normalizeAxes(axes, ndim(), "logsumexp");
  return inFloat(*this, [&](const Tensor &x) {
    const auto logOfSum = [](const Tensor &sum) {
      return constantAtZero(sum, -std::numeric_limits<double>::infinity(),
                            [](const Tensor &s) { return s.log(); });
    };
    return finish(
        recipes::logSumExp(x, maxOrLowest(x, list, true), list, logOfSum), list,
        keepdim);
  });
}

Tensor Tensor::softmax(int64_t axis, std::optional<DType> dtype) const {
  const MethodScope method("softmax");
  const std::vector<int64_t> list = normalizeAxes(axis, ndim(), "softmax");
  Tensor result = inFloat(*this, [&](const Tensor &x) {
    return recipes::softmax(x, maxOrLowest(x, list, true), list);
  });
  return inDType(result, dtype.value_or(result.dtype()));
}

Tensor Tensor::logSoftmax(int64_t axis, std::optional<DType> dtype) const {
  const MethodScope method("logSoftmax");
  const std::vector<int64_t> list = normalizeAxes(axis, ndim(), "logSoftmax");
  Tensor result = inFloat(*this, [&](const Tensor &x) {
    return recipes::logSoftmax(x, maxOrLowest(x, list, true), list);
  });
  return inDType(result, dtype.value_or(result.dtype()));
}

Tensor Tensor::softmin(int64_t axis, std::optional<DType> dtype) const {
  const MethodScope method("softmin");
  Tensor result =
      inFloat(*this, [&](const Tensor &x) { return (-x).softmax(axis); });
  return inDType(result, dtype.value_or(result.dtype()));
}
