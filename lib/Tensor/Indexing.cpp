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

Tensor tinygrad::detail::fromStart(const Tensor &index, SymInt size) {
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

void tinygrad::detail::checkIndexTensor(const Tensor &index, const char *what) {
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

/// A slice with all bounds given: of `length` positions from `start` on, in the
/// direction of `step`, each that is a multiple of it away from `start`.
namespace {
struct Range {
  SymInt start;
  int64_t step;
  SymInt length;
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
  const SymInt length = symMax(isForward ? stop - start : start - stop, 0);
  // A step beyond the part is as good as one of its length, which can be
  // computed with.
  const int64_t furthestStep = std::max<int64_t>(length.max(), 1);
  return {start, std::clamp(step, -furthestStep, furthestStep), length};
}

static std::string describe(const Slice &slice) {
  auto describeBound = [](const SliceBound &bound) {
    return bound.get() ? bound.get()->str() : std::string("None");
  };
  return "Slice(" + describeBound(slice.start) + ", " +
         describeBound(slice.stop) + ", " + describeBound(slice.step) + ")";
}

/// The elements of \p axis that are in \p range. \p entry is for messages.
static Tensor slice(const Tensor &x, int64_t axis, const Range &range,
                    const std::string &entry) {
  const SymInt size = x.shape()[axis];
  std::vector<Part> parts;
  for (SymInt extent : x.shape())
    parts.emplace_back(0, extent);
  if (range.length == 0) {
    parts[axis] = {0, 0};
    return x.shrink(parts);
  }
  const int64_t stride = std::abs(range.step);
  // Written so that no step is too large to divide by.
  const SymInt count = (range.length - 1) / stride + 1;
  if (stride > 1 && count == 1)
    return slice(x, axis, {range.start, 1, 1}, entry);
  const SymInt first =
      range.step > 0 ? range.start : range.start + 1 - range.length;
  const SymInt last = first + range.length;
  const SymInt rest = count * stride - range.length;
  if (first.min() < 0 || !isAtMost(last, size) || rest.min() < 0)
    throw IndexError(
        "index: " + entry + " of axis " + std::to_string(axis) + " of " +
        toString(x.shape()) + ", from " + first.str() + " to " + last.str() +
        (stride == 1 ? "" : " in " + count.str() + " steps") +
        ", is not known to be in the axis" + explainExcess(0, first) +
        explainExcess(last, size) + explainExcess(0, rest));
  parts[axis] = {first, last};
  Tensor result = x.shrink(parts);
  if (range.step < 0)
    result = result.flip(axis);
  if (stride == 1)
    return result;
  // [count * stride] becomes [count, stride], of which the first column.
  Shape none(x.ndim(), 0), high = none;
  high[axis] = rest;
  Shape rows = result.shape();
  rows[axis] = count;
  rows.insert(rows.begin() + axis + 1, stride);
  result = prim::padView(result, none, high).reshape(rows);
  parts.clear();
  for (SymInt extent : rows)
    parts.emplace_back(0, extent);
  parts[axis + 1] = {0, 1};
  rows.erase(rows.begin() + axis + 1);
  return result.shrink(parts).reshape(rows);
}

/// Makes the axes of \p x that are indexed with one tensor of positions each
/// one axis, \p axes[0], and returns the positions in it. That axis is where
/// the first of them is, or in front if they are apart.
static Tensor joinAxes(Tensor &x, std::vector<int64_t> &axes,
                       const std::vector<const Tensor *> &indices) {
  if (axes.size() == 1)
    return *indices[0];
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
  x = x.flatten(first, first + int64_t(axes.size()) - 1);
  axes = {first};
  return isInside.where(position, total);
}

/// \p x with the elements at \p axes that the positions tell replaced.
static void assignMany(Tensor x, std::vector<int64_t> axes,
                       const std::vector<const Tensor *> &indices,
                       const Operand &value) {
  Tensor position = joinAxes(x, axes, indices);
  const int64_t axis = axes[0];
  const DType dtype = x.dtype();
  Shape selected = x.shape();
  selected.erase(selected.begin() + axis);
  selected.insert(selected.begin() + axis, position.shape().begin(),
                  position.shape().end());
  Tensor source;
  if (const Tensor *tensor = value.tensor()) {
    if (tensor->dtype() != dtype)
      throw DTypeError(std::string("setitem: a value of ") +
                       name(tensor->dtype()) + " to a tensor of " +
                       name(dtype) + "; cast it first");
    checkOperands({&x, tensor});
    source = broadcastTo(*tensor, selected, "setitem");
  } else {
    checkFits(value.scalar(), dtype, "setitem");
    source = prim::constant(x, value.scalar(), dtype, selected);
  }
  // [before, positions, after]
  Shape rows = x.shape(), ones(x.ndim(), 1);
  rows[axis] = ones[axis] =
      checkedNumElements(position.shape(), DType::Bool, "setitem");
  Tensor index =
      fromStart(position, x.shape()[axis]).reshape(ones).expand(rows);
  x.assign(prim::scatter(UpdateOp::Set, x, index, source.reshape(rows), axis));
}

/// The part of \p x that is indexed by all \p entries but tensors. The axes
/// that those index are added to \p selectedAxes, they to \p selections.
static Tensor selectParts(const Tensor &x, const std::vector<Index> &entries,
                          std::vector<int64_t> &selectedAxes,
                          std::vector<const Tensor *> &selections) {
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
  if (taken > x.ndim())
    throw IndexError("index: " + std::to_string(taken) +
                     " entries for a tensor of shape " + toString(x.shape()));

  // First slices, integers as slices of one element, and new axes.
  Tensor result = prim::wholeView(x);
  std::vector<int64_t> dropped;
  int64_t axis = 0;
  for (const Index &entry : entries) {
    if (std::holds_alternative<EllipsisType>(entry.get())) {
      axis += x.ndim() - taken;
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
      result = slice(result, axis, {start, 1, 1}, position->str());
      dropped.push_back(axis);
    } else if (const Slice *part = std::get_if<Slice>(&entry.get())) {
      result = slice(result, axis, resolve(*part, size), describe(*part));
    } else {
      const Tensor *index = std::get<const Tensor *>(entry.get());
      checkIndexTensor(*index, "index");
      checkOperands({&x, index});
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
  return prim::reshape(result, kept);
}

Tensor Tensor::index(const std::vector<Index> &entries) const {
  std::vector<int64_t> axes;
  std::vector<const Tensor *> indices;
  Tensor result = selectParts(*this, entries, axes, indices);
  if (indices.empty())
    return result;
  Tensor position = joinAxes(result, axes, indices);
  return result.indexSelect(axes[0], position);
}

Tensor &Tensor::setitem(const std::vector<Index> &entries,
                        const Operand &value) {
  std::vector<int64_t> axes;
  std::vector<const Tensor *> indices;
  Tensor part = selectParts(*this, entries, axes, indices);
  if (indices.empty())
    part.assign(value);
  else
    assignMany(part, axes, indices, value);
  return *this;
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
