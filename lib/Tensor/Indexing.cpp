//===- Indexing.cpp - parts of tensors by position ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Slices are movement operations. A tensor of positions selects by summing
/// what is zero at all other positions, which the compiler turns into a load
/// from the position.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::detail;

static constexpr int64_t furthest = std::numeric_limits<int64_t>::max();

/// The sum along the last axis, of which one element at most is not zero.
static Tensor sumOfOne(const Tensor &x) {
  const std::vector<int64_t> axis = {x.ndim() - 1};
  // There is no arithmetic on fp8; float16 holds all of its values.
  const DType dtype = isFloat8(x.dtype()) ? DType::Float16 : x.dtype();
  Tensor sum = prim::reduce(ReduceOp::Add, prim::cast(x, dtype), axis);
  Shape shape = x.shape();
  shape.pop_back();
  return prim::cast(prim::reshape(sum, shape), x.dtype());
}

/// \p index with positions from the end made positions from the start, in a
/// type that holds all positions.
static Tensor fromStart(const Tensor &index, SymInt size) {
  if (isUnsigned(index.dtype()) &&
      uint64_t(size.max()) <= integerMax(index.dtype()))
    return index;
  Tensor wide = index.cast(promote(index.dtype(), DType::Int32));
  if (size.max() > 0x7fffffff)
    wide = wide.cast(DType::Int64);
  if (isUnsigned(index.dtype()))
    return wide;
  return (wide < 0).where(wide + size, wide);
}

static void checkIndexTensor(const Tensor &index, const char *what) {
  if (!isInteger(index.dtype()))
    throw DTypeError(std::string(what) + ": the index tensor is " +
                     describe(index) + ", not of integers");
}

/// Elements of \p x along its last axis: result[.., i] = x[.., index[.., i]].
/// \p x has the shape of \p index but for the last axis, which is selected
/// from.
static Tensor selectLast(const Tensor &x, const Tensor &index) {
  const SymInt size = x.shape().back();
  Shape shape = index.shape();
  shape.push_back(size);
  Tensor position = fromStart(index, size).unsqueeze(-1).expand(shape);
  Tensor isSelected = prim::iota(x, int64_t(shape.size()) - 1, position.dtype(),
                                 shape) == position;
  return sumOfOne(isSelected.where(x, prim::constant(x, 0, x.dtype(), shape)));
}

Tensor Tensor::gather(int64_t dim, const Tensor &index) const {
  checkIndexTensor(index, "gather");
  checkOperands({this, &index});
  dim = normalizeAxis(dim, ndim(), "gather");
  bool fits = index.ndim() == ndim();
  std::vector<Part> parts;
  for (int64_t axis = 0; fits && axis < ndim(); ++axis) {
    fits = axis == dim || isAtMost(index.shape()[axis], shape()[axis]);
    parts.emplace_back(0, axis == dim ? shape()[axis] : index.shape()[axis]);
  }
  if (!fits)
    throw ShapeError("gather: an index of shape " + toString(index.shape()) +
                     " does not fit a tensor of shape " + toString(shape()) +
                     " along axis " + std::to_string(dim));
  return selectLast(shrink(parts).unsqueeze(-1).transpose(-1, dim), index);
}

Tensor Tensor::indexSelect(int64_t dim, const Tensor &index) const {
  checkIndexTensor(index, "indexSelect");
  checkOperands({this, &index});
  dim = normalizeAxis(dim, ndim(), "indexSelect");
  // The axes before dim, those of the index, those after dim; then dim.
  Shape ours, theirs;
  for (int64_t axis = 0; axis < ndim(); ++axis) {
    if (axis == dim) {
      ours.insert(ours.end(), index.ndim(), 1);
      theirs.insert(theirs.end(), index.shape().begin(), index.shape().end());
    } else {
      ours.push_back(shape()[axis]);
      theirs.push_back(1);
    }
  }
  ours.push_back(shape()[dim]);
  std::vector<int64_t> order;
  for (int64_t axis = 0; axis < ndim(); ++axis)
    if (axis != dim)
      order.push_back(axis);
  order.push_back(dim);
  Shape result = theirs;
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = ours[i] == 1 ? result[i] : ours[i];
  return selectLast(permute(order).reshape(ours),
                    index.reshape(theirs).expand(result));
}

//===----------------------------------------------------------------------===//
// Index expressions
//===----------------------------------------------------------------------===//

/// A slice with all bounds given: `count` positions from `start` on.
namespace {
struct Range {
  SymInt start;
  int64_t step;
  SymInt count;
};
} // namespace

/// A position counted from the start. Throws IndexError for one that may be
/// either.
static SymInt fromStart(SymInt position, SymInt size) {
  if (position.min() >= 0)
    return position;
  if (position.max() >= 0)
    throw IndexError("index: position " + position.str() +
                     " is from the start for some values and from the end for "
                     "others");
  // Far outside, which a sum of both may not be able to say.
  if (position.min() < -size.max() && !position.isSymbolic())
    return -1;
  return position + size;
}

static Range resolve(const Slice &slice, SymInt size) {
  const int64_t step =
      constantOf(slice.step.get().value_or(1), "index: the step of a slice");
  if (step == 0)
    throw IndexError("index: the step of a slice is 0");
  const bool isForward = step > 0;
  // Going backwards, -1 stands for "before the first".
  const SymInt least = isForward ? 0 : -1, most = isForward ? size : size - 1;
  auto bound = [&](const SliceBound &given, SymInt otherwise) {
    if (!given.get())
      return otherwise;
    return symMin(symMax(fromStart(*given.get(), size), least), most);
  };
  const SymInt start = bound(slice.start, isForward ? SymInt(0) : size - 1);
  const SymInt stop = bound(slice.stop, isForward ? size : SymInt(-1));
  const SymInt distance = symMax(isForward ? stop - start : start - stop, 0);
  if (distance == 0)
    return {0, 1, 0};
  // A step beyond the axis is as good as the greatest number.
  int64_t stride = step;
  if (!isForward)
    stride = step < -furthest ? furthest : -step;
  if (stride == 1)
    return {start, step, distance};
  // Written so that no step is too large to divide by.
  return {start, step, (distance - 1) / stride + 1};
}

/// Every step-th element of \p axis from \p range.start on.
static Tensor slice(const Tensor &x, int64_t axis, const Range &range) {
  std::vector<Part> parts;
  for (SymInt size : x.shape())
    parts.emplace_back(0, size);
  if (range.count == 0) {
    parts[axis] = {0, 0};
    return x.shrink(parts);
  }
  // From the first to the last element; nothing if a symbolic count is 0.
  const SymInt length = symMax((range.count - 1) * std::abs(range.step) + 1, 0);
  if (range.step > 0)
    parts[axis] = {range.start, range.start + length};
  else
    parts[axis] = {range.start + 1 - length, range.start + 1};
  Tensor result = x.shrink(parts);
  if (range.step < 0)
    result = result.flip(axis);
  // With two positions or more, the step is no longer than the axis.
  const int64_t stride = range.count == 1 ? 1 : std::abs(range.step);
  if (stride == 1)
    return result;
  // [count * stride] becomes [count, stride], of which the first column.
  Shape none(x.ndim(), 0), high = none;
  high[axis] = range.count * stride - result.shape()[axis];
  Shape rows = result.shape(), column;
  rows[axis] = range.count;
  rows.insert(rows.begin() + axis + 1, stride);
  result = prim::padView(result, none, high).reshape(rows);
  parts.clear();
  for (SymInt size : rows)
    parts.emplace_back(0, size);
  parts[axis + 1] = {0, 1};
  rows.erase(rows.begin() + axis + 1);
  return result.shrink(parts).reshape(rows);
}

/// \p x indexed at \p axes with one tensor of positions each. The new axes come
/// where the first of \p axes is, or in front if they are apart.
static Tensor selectMany(Tensor x, std::vector<int64_t> axes,
                         const std::vector<const Tensor *> &indices) {
  if (axes.size() == 1)
    return x.indexSelect(axes[0], *indices[0]);
  bool areAdjacent = true;
  for (std::size_t i = 1; i < axes.size(); ++i)
    areAdjacent &= axes[i] == axes[i - 1] + 1;
  if (!areAdjacent) {
    std::vector<int64_t> order = axes;
    for (int64_t axis = 0; axis < x.ndim(); ++axis)
      if (std::find(axes.begin(), axes.end(), axis) == axes.end())
        order.push_back(axis);
    x = x.permute(order);
    for (std::size_t i = 0; i < axes.size(); ++i)
      axes[i] = int64_t(i);
  }
  Shape shape;
  for (const Tensor *index : indices) {
    if (!canBroadcast(shape, index->shape()))
      throw ShapeError("index: positions of shapes " + toString(shape) +
                       " and " + toString(index->shape()) +
                       " cannot be broadcast together");
    shape = broadcastShapes({&shape, &index->shape()}, "index");
  }
  // The axes become one and the positions one position in it; outside of the
  // one axis if a position is out of range.
  const int64_t first = axes.front();
  Shape sizes;
  for (int64_t axis : axes)
    sizes.push_back(x.shape()[axis]);
  const SymInt total = checkedNumElements(sizes, DType::Bool, "index");
  const DType dtype = total.max() > 0x7fffffff ? DType::Int64 : DType::Int32;
  Tensor position, isInside;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const SymInt size = x.shape()[axes[i]];
    Tensor index = fromStart(*indices[i], size);
    Tensor fits = index < size;
    if (!isUnsigned(index.dtype()))
      fits = fits & (index >= 0);
    index = index.cast(dtype);
    isInside = isInside.defined() ? isInside & fits : fits;
    position = position.defined() ? position * size + index : index;
  }
  position = isInside.where(position, total);
  return x.flatten(first, first + int64_t(axes.size()) - 1)
      .indexSelect(first, position);
}

Tensor Tensor::index(const std::vector<Index> &entries) const {
  int64_t taken = 0;
  bool hasEllipsis = false;
  for (const Index &entry : entries) {
    if (std::holds_alternative<EllipsisType>(entry.get())) {
      if (hasEllipsis)
        throw IndexError("index: more than one Ellipsis");
      hasEllipsis = true;
    } else if (!std::holds_alternative<NoneType>(entry.get())) {
      ++taken;
    }
  }
  if (taken > ndim())
    throw IndexError("index: " + std::to_string(taken) +
                     " entries for a tensor of shape " + toString(shape()));

  // First slices, integers as slices of one element, and new axes.
  Tensor result = prim::wholeView(*this);
  std::vector<int64_t> dropped, selectedAxes;
  std::vector<const Tensor *> selections;
  int64_t axis = 0;
  for (const Index &entry : entries) {
    if (std::holds_alternative<EllipsisType>(entry.get())) {
      axis += ndim() - taken;
      continue;
    }
    if (std::holds_alternative<NoneType>(entry.get())) {
      result = result.unsqueeze(axis++);
      continue;
    }
    const SymInt size = result.shape()[axis];
    if (const SymInt *position = std::get_if<SymInt>(&entry.get())) {
      const SymInt start = fromStart(*position, size);
      if (start.min() < 0 || start.max() == furthest ||
          !isAtMost(start + 1, size))
        throw IndexError("index: position " + position->str() +
                         " is out of range for axis " + std::to_string(axis) +
                         " of " + toString(result.shape()) +
                         explainExcess(0, start) +
                         explainExcess(start, size - 1));
      result = slice(result, axis, {start, 1, 1});
      dropped.push_back(axis);
    } else if (const Slice *part = std::get_if<Slice>(&entry.get())) {
      result = slice(result, axis, resolve(*part, size));
    } else {
      const Tensor *index = std::get<const Tensor *>(entry.get());
      checkIndexTensor(*index, "index");
      checkOperands({this, index});
      selectedAxes.push_back(axis);
      selections.push_back(index);
    }
    ++axis;
  }

  Shape kept = result.shape();
  for (auto it = dropped.rbegin(); it != dropped.rend(); ++it) {
    kept.erase(kept.begin() + *it);
    for (int64_t &selected : selectedAxes)
      selected -= selected > *it;
  }
  result = prim::reshape(result, kept);
  return selections.empty() ? result
                            : selectMany(result, selectedAxes, selections);
}

Tensor Tensor::operator[](const Index &entry) const { return index({entry}); }

//===----------------------------------------------------------------------===//
// By comparison of positions
//===----------------------------------------------------------------------===//

Tensor Tensor::oneHot(SymInt numClasses) const {
  checkIndexTensor(*this, "oneHot");
  if (numClasses.min() < 0)
    throw ShapeError("oneHot: the number of classes is " + numClasses.str());
  Shape result = shape();
  result.push_back(numClasses);
  checkedNumElements(result, DType::Int64, "oneHot");
  Tensor index = cast(promote(dtype(), DType::Int32));
  return (prim::iota(index, ndim(), index.dtype(), result) ==
          index.unsqueeze(-1))
      .cast(DType::Int32);
}

Tensor Tensor::maskedFill(const Tensor &mask, const Operand &value) const {
  if (!canBroadcast(shape(), mask.shape()))
    throw ShapeError("maskedFill: a mask of shape " + toString(mask.shape()) +
                     " does not fit a tensor of shape " + toString(shape()));
  return mask.where(value, *this);
}

/// Where column - row <= or >= a bound.
static Tensor triangle(const Tensor &x, int64_t diagonal, bool isLower) {
  if (x.ndim() < 2)
    throw ShapeError(std::string(isLower ? "tril" : "triu") +
                     ": a tensor of shape " + toString(x.shape()) +
                     " has no matrix");
  const DType position = positionDType(x.shape());
  Tensor row = prim::iota(x, x.ndim() - 2, position, x.shape());
  Tensor column = prim::iota(x, x.ndim() - 1, position, x.shape());
  // Diagonals further out are as empty, or as full.
  Tensor limit = row + std::clamp(diagonal, -x.shape()[x.ndim() - 2].max(),
                                  x.shape().back().max());
  return (isLower ? column <= limit : column >= limit).where(x, same(x, 0));
}

Tensor Tensor::tril(int64_t diagonal) const {
  return triangle(*this, diagonal, true);
}

Tensor Tensor::triu(int64_t diagonal) const {
  return triangle(*this, diagonal, false);
}
