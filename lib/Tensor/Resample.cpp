//===- Resample.cpp - padding modes and interpolation ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Methods that resize an axis and fill it with elements of the tensor: padding
/// modes, interpolation.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::detail;

/// The part [from, to) of one axis.
static Tensor partOf(const Tensor &x, int64_t dim, SymInt from, SymInt to) {
  Parts parts(std::size_t(x.ndim()));
  parts[dim] = {from, to};
  return x.shrink(parts);
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// Throws ShapeError unless an axis has enough elements to pad with.
static void checkAmount(const Tensor &x, int64_t axis, PadMode mode,
                        SymInt amount) {
  const SymInt size = x.shape()[axis];
  const char *needed = nullptr;
  std::string excess;
  if (mode == PadMode::Reflect && !isAtMost(amount, size - 1)) {
    needed = "Reflect requires less than the size of the axis";
    excess = explainExcess(amount, size - 1);
  } else if (mode == PadMode::Circular && !isAtMost(amount, size)) {
    needed = "Circular requires at most the size of the axis";
    excess = explainExcess(amount, size);
  } else if (mode == PadMode::Replicate && size.min() == 0) {
    needed = "Replicate requires an axis with elements";
    excess = explainExcess(1, size);
  }
  if (needed)
    throw ShapeError("pad: " + amount.str() + " elements at axis " +
                     std::to_string(axis) + " of " + toString(x.shape()) +
                     ": " + needed + excess);
}

/// The padding before or after an axis.
static Tensor border(const Tensor &x, int64_t axis, PadMode mode, bool isAfter,
                     SymInt amount) {
  const SymInt size = x.shape()[axis];
  switch (mode) {
  case PadMode::Reflect: {
    const SymInt from = isAfter ? size - 1 - amount : SymInt(1);
    return partOf(x, axis, from, from + amount).flip(axis);
  }
  case PadMode::Replicate: {
    const SymInt from = isAfter ? size - 1 : SymInt(0);
    Shape shape = x.shape();
    shape[axis] = amount;
    return partOf(x, axis, from, from + 1).expand(shape);
  }
  default: {
    const SymInt from = isAfter ? SymInt(0) : size - amount;
    return partOf(x, axis, from, from + amount);
  }
  }
}

Tensor Tensor::pad(const Padding &padding, PadMode mode, Scalar value) const {
  if (mode == PadMode::Constant)
    return pad(padding, value);
  const MethodScope method("pad");
  const std::vector<PadAmount> amounts = padding.pairs(ndim());
  if (int64_t(amounts.size()) != ndim())
    throw ShapeError("pad: " + std::to_string(amounts.size()) +
                     " pairs for a tensor of shape " + toString(shape()));
  std::vector<PadAmount> cuts;
  Shape padded;
  for (int64_t axis = 0; axis < ndim(); ++axis) {
    padded.push_back(shape()[axis]);
    for (const SymInt &amount : {amounts[axis].first, amounts[axis].second})
      if (amount.max() > 0) {
        checkAmount(*this, axis, mode, amount);
        padded.back() = checkedSum(padded.back(), symMax(amount, 0), "pad");
      }
  }
  checkedNumElements(padded, dtype(), "pad");
  Tensor result = *this;
  for (int64_t axis = 0; axis < ndim(); ++axis) {
    const auto [before, after] = amounts[axis];
    cuts.emplace_back(symMin(before, 0), symMin(after, 0));
    std::vector<Tensor> parts;
    if (before.max() > 0)
      parts.push_back(border(result, axis, mode, false, symMax(before, 0)));
    parts.push_back(result);
    if (after.max() > 0)
      parts.push_back(border(result, axis, mode, true, symMax(after, 0)));
    if (parts.size() > 1)
      result = cat(parts, axis);
  }
  return result.pad(cuts);
}

//===----------------------------------------------------------------------===//
// Interpolation
//===----------------------------------------------------------------------===//

/// The quotient of two sizes, if they are known to divide evenly.
static std::optional<SymInt> quotient(const SymInt &size, const SymInt &part) {
  if (part.min() <= 0)
    return {};
  SymInt times = size / part;
  if (times * part != size)
    return {};
  return times;
}

/// Interpolates one axis of \p x to \p size.
static Tensor interpolateAxis(const Tensor &x, int64_t axis, SymInt size,
                              InterpolateMode mode, bool alignCorners) {
  const SymInt from = x.shape()[axis];
  if (from == size)
    return x;
  if (mode != InterpolateMode::Linear) {
    if (const std::optional<SymInt> times = quotient(size, from)) {
      Shape shape = x.shape();
      shape.insert(shape.begin() + axis + 1, *times);
      return x.unsqueeze(axis + 1).expand(shape).flatten(axis, axis + 1);
    }
    if (const std::optional<SymInt> step = quotient(from, size)) {
      const SymInt first =
          mode == InterpolateMode::Nearest ? SymInt(0) : *step / 2;
      return partOf(x.unflatten(axis, {size, *step}), axis + 1, first,
                    first + 1)
          .squeeze(axis + 1);
    }
  }
  // The position is a fraction of two integers, which is computed exactly.
  const DType dtype = positionDType({size * 2 + 1, from});
  const DType unsignedType =
      dtype == DType::Int32 ? DType::UInt32 : DType::UInt64;
  Tensor i = prim::iota(x, 0, dtype, {size});
  const auto at = [&](const Tensor &position) {
    return x.indexSelect(axis, position.cast(unsignedType));
  };
  if (mode == InterpolateMode::Nearest)
    return at((i * from).floordiv(size));
  if (mode == InterpolateMode::NearestExact)
    return at(((i * 2 + 1) * from).floordiv(size * 2));
  const SymInt whole = alignCorners ? symMax(size - 1, 1) : size * 2;
  Tensor position =
      alignCorners ? i * (from - 1) : ((i * 2 + 1) * from - size).maximum(0);
  Tensor low = position.floordiv(whole);
  Shape aligned(x.ndim(), 1);
  aligned[axis] = size;
  Tensor weight =
      ((position - low * whole).cast(x.dtype()) / whole).reshape(aligned);
  return at(low).lerp(at((low + 1).minimum(from - 1)), weight);
}

Tensor Tensor::interpolate(const Shape &size, InterpolateMode mode,
                           bool alignCorners) const {
  const MethodScope method("interpolate");
  const bool isLinear = mode == InterpolateMode::Linear;
  if (size.empty() || int64_t(size.size()) > ndim())
    throw ShapeError("interpolate: sizes " + toString(size) +
                     " are not of the last axes of a tensor of shape " +
                     toString(shape()));
  if (alignCorners && !isLinear)
    throw Error("interpolate: alignCorners is for InterpolateMode::Linear");
  const int64_t outer = ndim() - int64_t(size.size());
  Shape result = shape();
  for (std::size_t i = 0; i < size.size(); ++i) {
    const int64_t axis = outer + int64_t(i);
    const SymInt from = shape()[axis], &to = size[i];
    if (to.min() < 0 || (from.min() == 0 && to.max() > 0 && from != to))
      throw ShapeError(
          "interpolate: axis " + std::to_string(axis) + " of " +
          toString(shape()) + " cannot be brought to size " + to.str() +
          (to.min() < 0 ? explainExcess(0, to) : explainExcess(1, from)));
    result[axis] = to;
    int64_t steps;
    if (__builtin_mul_overflow(to.max(), 2, &steps) ||
        __builtin_add_overflow(steps, 1, &steps))
      throw ShapeError("interpolate: sizes " + toString(size) +
                       " are too large");
    checkedNumElements({to * 2 + 1, from}, DType::Bool, "interpolate");
  }
  checkedNumElements(result, dtype(), "interpolate");
  const auto all = [&](Tensor x) {
    for (std::size_t i = size.size(); i-- > 0;)
      x = interpolateAxis(x, outer + int64_t(i), size[i], mode, alignCorners);
    return x;
  };
  return prim::alias(isLinear ? inFloat(*this, all) : all(*this));
}
