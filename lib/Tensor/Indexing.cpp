//===- Indexing.cpp - parts of tensors by position ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Slices are movement operations. An index tensor selects by a sum of terms of
/// which all but one are zero, which the compiler turns into a load.
/// SetItem.cpp implements indices with several index tensors or masks.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"
#include "SetItem.h"
#include "TinyGrad/Tensor/Margins.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::detail;

static constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();

/// The sum along the last axis, where at most one element is not zero.
static Tensor sumOfSingle(const Tensor &x) {
  const std::vector<int64_t> axis = {x.ndim() - 1};
  // fp8 has no arithmetic; float16 represents all of its values.
  const DType dtype = isFloat8(x.dtype()) ? DType::Float16 : x.dtype();
  Tensor sum = prim::reduce(ReduceOp::Add, prim::cast(x, dtype), axis);
  Shape shape = x.shape();
  shape.pop_back();
  return prim::cast(prim::reshape(sum, shape), x.dtype());
}

void tinygrad::detail::checkIndexTensor(const Tensor &index, const char *what) {
  if (!isInteger(index.dtype()))
    throw DTypeError(std::string(what) + ": the index tensor is " +
                     describe(index) + ", not of integers");
}

/// Elements of \p x along its last axis: result[.., i] = x[.., index[.., i]].
/// \p x has the shape of \p index except for the last axis.
static Tensor selectLast(const Tensor &x, const Tensor &index) {
  const SymInt size = x.shape().back();
  Shape shape = index.shape();
  shape.push_back(size);
  Tensor position = positionFromStart(index, size).unsqueeze(-1).expand(shape);
  Tensor isSelected = prim::iota(x, int64_t(shape.size()) - 1, position.dtype(),
                                 shape) == position;
  return sumOfSingle(
      isSelected.where(x, prim::constant(x, 0, x.dtype(), shape)));
}

Tensor Tensor::gather(int64_t dim, const Tensor &index) const {
  const MethodScope method("gather");
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
  const MethodScope method("indexSelect");
  checkIndexTensor(index, "indexSelect");
  checkOperands({this, &index});
  dim = normalizeAxis(dim, ndim(), "indexSelect");
  // The axes before dim, those of the index, those after dim, and dim at the
  // end.
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

/// A slice in normal form: `length` consecutive positions from `start` in the
/// direction of `step`, of which every |step|-th is taken.
namespace {
struct Range {
  SymInt start;
  int64_t step;
  SymInt length;
};
} // namespace

/// A position counted from the start. Throws IndexError if the sign of a
/// symbolic one is unknown.
static SymInt fromStart(SymInt position, SymInt size) {
  if (position.min() >= 0)
    return position;
  if (position.max() >= 0)
    throw IndexError("index: position " + position.str() +
                     " is from the start for some values and from the end for "
                     "others");
  // Positions far outside, for which the sum could overflow.
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
  // When stepping backwards, -1 means before the first element.
  const SymInt least = isForward ? 0 : -1, most = isForward ? size : size - 1;
  auto bound = [&](const SliceBound &given, SymInt otherwise) {
    if (!given.get())
      return otherwise;
    return symMin(symMax(fromStart(*given.get(), size), least), most);
  };
  const SymInt start = bound(slice.start, isForward ? SymInt(0) : size - 1);
  const SymInt stop = bound(slice.stop, isForward ? size : SymInt(-1));
  const SymInt length = symMax(isForward ? stop - start : start - stop, 0);
  // A larger step selects the same elements and might overflow below.
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

/// The elements of \p axis in \p range. \p entry appears in messages.
static Tensor slice(const Tensor &x, int64_t axis, const Range &range,
                    const std::string &entry) {
  const SymInt size = x.shape()[axis];
  std::vector<Part> parts;
  for (const SymInt &extent : x.shape())
    parts.emplace_back(0, extent);
  if (range.length == 0) {
    parts[axis] = {0, 0};
    return x.shrink(parts);
  }
  const int64_t stride = std::abs(range.step);
  // This form of the rounding division cannot overflow.
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
  // Reshapes [count * stride] to [count, stride] and takes the first column.
  Shape none(x.ndim(), 0), high = none;
  high[axis] = rest;
  Shape rows = result.shape();
  rows[axis] = count;
  rows.insert(rows.begin() + axis + 1, stride);
  result = prim::padView(result, none, high).reshape(rows);
  parts.clear();
  for (const SymInt &extent : rows)
    parts.emplace_back(0, extent);
  parts[axis + 1] = {0, 1};
  rows.erase(rows.begin() + axis + 1);
  return result.shrink(parts).reshape(rows);
}

/// The number of axes that an entry indexes.
static int64_t axesOf(const Index &entry) {
  if (const auto *tensor = std::get_if<const Tensor *>(&entry.get()))
    return (*tensor)->dtype() == DType::Bool ? (*tensor)->ndim() : 1;
  return std::holds_alternative<NoneType>(entry.get()) ? 0 : 1;
}

static void checkMask(const Tensor &mask, const Tensor &x, int64_t axis) {
  bool fits = true;
  for (int64_t i = 0; fits && i < mask.ndim(); ++i)
    fits = mask.shape()[i] == x.shape()[axis + i];
  if (!fits)
    throw IndexError("index: a mask of shape " + toString(mask.shape()) +
                     " does not fit axis " + std::to_string(axis) + " of " +
                     toString(x.shape()) + " and those after it");
}

Tensor tinygrad::detail::withMargins(const Tensor &x, const Shape &low,
                                     const Shape &high) {
  return prim::padView(x, low, high);
}

IndexedTensor Tensor::index(const std::vector<Index> &entries) const {
  const Tensor &x = *this;
  int64_t taken = 0;
  bool hasEllipsis = false;
  for (const Index &entry : entries) {
    if (std::holds_alternative<EllipsisType>(entry.get())) {
      if (hasEllipsis)
        throw IndexError("index: more than one Ellipsis; a single ellipsis "
                         "stands for all other axes");
      hasEllipsis = true;
    } else {
      taken += axesOf(entry);
    }
  }
  if (taken > x.ndim())
    throw IndexError("index: " + std::to_string(taken) +
                     " entries are too many for a tensor of shape " +
                     toString(x.shape()));

  // First slices, integers (as slices of one element), and new axes.
  Tensor result = prim::wholeView(x);
  std::vector<int64_t> dropped;
  IndexTarget target;
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
    const auto *tensor = std::get_if<const Tensor *>(&entry.get());
    if (tensor && (*tensor)->dtype() == DType::Bool && !(*tensor)->ndim()) {
      // As in NumPy, one truth value is a mask of a new axis.
      checkOperands({&x, *tensor});
      result = result.unsqueeze(axis);
      target.axes.push_back(axis++);
      target.indices.push_back((*tensor)->reshape({1}));
      continue;
    }
    const SymInt size = result.shape()[axis];
    if (const SymInt *position = std::get_if<SymInt>(&entry.get())) {
      const SymInt start = fromStart(*position, size);
      if (start.min() < 0 || start.max() == kInt64Max ||
          !isAtMost(start + 1, size))
        throw IndexError("index: position " + position->str() +
                         " is out of bounds for axis " + std::to_string(axis) +
                         " of " + toString(result.shape()) +
                         explainExcess(0, start) +
                         explainExcess(start, size - 1));
      result = slice(result, axis, {start, 1, 1}, position->str());
      dropped.push_back(axis);
    } else if (const Slice *part = std::get_if<Slice>(&entry.get())) {
      result = slice(result, axis, resolve(*part, size), describe(*part));
    } else {
      const Tensor &index = **tensor;
      checkOperands({&x, &index});
      if (index.dtype() == DType::Bool)
        checkMask(index, result, axis);
      else
        checkIndexTensor(index, "index");
      target.axes.push_back(axis);
      target.indices.push_back(index);
    }
    axis += axesOf(entry);
  }

  Shape kept = result.shape();
  for (auto it = dropped.rbegin(); it != dropped.rend(); ++it) {
    kept.erase(kept.begin() + *it);
    for (int64_t &selected : target.axes)
      selected -= selected > *it;
  }
  target.view = prim::reshape(result, kept);
  if (target.axes.empty())
    return {std::move(target.view), nullptr};
  Tensor selected = target.select();
  return {std::move(selected),
          std::make_shared<IndexTarget>(std::move(target))};
}

IndexedTensor Tensor::operator[](const Index &entry) const {
  return index({entry});
}

//===----------------------------------------------------------------------===//
// Comparisons of positions
//===----------------------------------------------------------------------===//

Tensor Tensor::oneHot(SymInt numClasses) const {
  const MethodScope method("oneHot");
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

/// A mask: column - row <= or >= diagonal.
static Tensor triangle(const Tensor &x, int64_t diagonal, bool isLower) {
  if (x.ndim() < 2)
    throw ShapeError(std::string(isLower ? "tril" : "triu") +
                     ": a tensor of shape " + toString(x.shape()) +
                     " has no matrix");
  const DType position = positionDType(x.shape());
  Tensor row = prim::iota(x, x.ndim() - 2, position, x.shape());
  Tensor column = prim::iota(x, x.ndim() - 1, position, x.shape());
  // All diagonals beyond the corners are equivalent.
  Tensor limit = row + std::clamp(diagonal, -x.shape()[x.ndim() - 2].max(),
                                  x.shape().back().max());
  return (isLower ? column <= limit : column >= limit).where(x, same(x, 0));
}

Tensor Tensor::tril(int64_t diagonal) const {
  const MethodScope method("tril");
  return triangle(*this, diagonal, true);
}

Tensor Tensor::triu(int64_t diagonal) const {
  const MethodScope method("triu");
  return triangle(*this, diagonal, false);
}
