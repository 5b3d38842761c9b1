//===- Movement.cpp - reshape, permute, pad, cat and others ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Methods that move elements without computing on them.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"
#include "TinyGrad/Runtime/Profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace tinygrad;
using namespace tinygrad::detail;

static constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();

/// The position of a new axis, counted as in the resulting tensor.
static int64_t normalizeNewAxis(int64_t axis, int64_t rank, const char *what) {
  const int64_t result = axis < 0 ? axis + rank + 1 : axis;
  if (result < 0 || result > rank)
    throw IndexError(std::string(what) + ": no position for a new axis " +
                     std::to_string(axis) + " in a tensor of rank " +
                     std::to_string(rank));
  return result;
}

/// Sets the one open size so that the product of all is \p total, if there is
/// such a size.
static bool inferSize(const Shape &shape, SymInt &open, SymInt total) {
  SymInt known = 1;
  for (const SymInt &size : shape)
    if (&size != &open)
      known *= size;
  if (known.min() <= 0)
    return false;
  const SymInt size = total / known;
  if (size * known != total)
    return false;
  open = size;
  return true;
}

Tensor Tensor::reshape(Shape shape) const {
  const Shape asked = shape;
  SymInt *open = nullptr;
  int64_t most = 1;
  for (SymInt &size : shape) {
    if (size.min() >= 0) {
      if (__builtin_mul_overflow(most, size.max(), &most))
        throw ShapeError("reshape: " + toString(asked) + " is too large");
    } else if (size == -1 && !open) {
      open = &size;
    } else {
      throw ShapeError(
          "reshape: " + toString(asked) +
          (size == -1 ? " has more than one -1" : " has a negative size"));
    }
  }
  const bool isFilled = !open || inferSize(shape, *open, numel());
  if (!isFilled || checkedNumElements(shape, dtype(), "reshape") != numel())
    throw ShapeError("reshape: a tensor of shape " + toString(this->shape()) +
                     " has " + numel().str() + " elements, which do not fill " +
                     toString(asked) +
                     (isFilled ? explainDifference(this->shape(), shape) : ""));
  return prim::reshape(*this, shape);
}

Tensor Tensor::expand(Shape shape) const {
  const int64_t added = int64_t(shape.size()) - ndim();
  for (int64_t i = 0; i < int64_t(shape.size()); ++i)
    if (shape[i] == -1 && i >= added)
      shape[i] = this->shape()[i - added];
  if (shape == this->shape())
    return prim::alias(*this);
  return prim::expandView(alignedTo(*this, shape, "expand"), shape);
}

Tensor Tensor::permute(const Axes &axes) const {
  std::vector<int64_t> order = axes.get(), sorted;
  for (int64_t &axis : order)
    sorted.push_back(axis = normalizeAxis(axis, ndim(), "permute"));
  std::sort(sorted.begin(), sorted.end());
  std::vector<int64_t> all(ndim());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all)
    throw ShapeError("permute: " + toString(order) +
                     " is not an order of the axes of a tensor of rank " +
                     std::to_string(ndim()));
  return order == all ? prim::wholeView(*this) : prim::permute(*this, order);
}

Tensor Tensor::transpose(int64_t dim0, int64_t dim1) const {
  std::vector<int64_t> order(ndim());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[normalizeAxis(dim0, ndim(), "transpose")],
            order[normalizeAxis(dim1, ndim(), "transpose")]);
  return permute(order);
}

Tensor Tensor::T() const {
  std::vector<int64_t> order(ndim());
  std::iota(order.rbegin(), order.rend(), 0);
  return permute(order);
}

Tensor Tensor::flip(const Axes &axes) const {
  return prim::flip(*this, normalizeAxes(axes, ndim(), "flip"));
}

static void checkPerAxis(std::size_t count, const Tensor &x, const char *what) {
  if (int64_t(count) != x.ndim())
    throw ShapeError(std::string(what) + ": " + std::to_string(count) +
                     " pairs for a tensor of shape " + toString(x.shape()));
}

std::vector<PadAmount> Padding::pairs(int64_t rank) const {
  if (!isFlat_)
    return pairs_;
  if (flat.size() % 2 != 0 || int64_t(flat.size() / 2) > rank)
    throw ShapeError("pad: " + std::to_string(flat.size()) +
                     " numbers are not two for each of some last axes of a "
                     "tensor of rank " +
                     std::to_string(rank));
  std::vector<PadAmount> result(static_cast<std::size_t>(rank));
  for (std::size_t i = 0; i < flat.size(); i += 2)
    result[result.size() - 1 - i / 2] = {flat[i], flat[i + 1]};
  return result;
}

static bool allZero(const Shape &values) {
  return std::all_of(values.begin(), values.end(),
                     [](SymInt value) { return value == 0; });
}

Tensor Tensor::pad(const Padding &padding, Scalar value) const {
  const std::vector<PadAmount> amounts = padding.pairs(ndim());
  checkPerAxis(amounts.size(), *this, "pad");
  Parts parts;
  Shape low, high, padded;
  for (int64_t axis = 0; axis < ndim(); ++axis) {
    const auto [before, after] = amounts[axis];
    const SymInt size = shape()[axis];
    const SymInt cutBefore = symMin(before, 0), cutAfter = symMin(after, 0);
    // Check the range before negation, which could overflow.
    const int64_t most = size.max();
    if (cutBefore.min() < -most || cutAfter.min() < -most ||
        !isAtMost(-(cutBefore + cutAfter), size))
      throw ShapeError("pad: amounts " + before.str() + " and " + after.str() +
                       " remove more from axis " + std::to_string(axis) +
                       " of " + toString(shape()) + " than it has");
    const SymInt from = -cutBefore, to = size + cutAfter;
    parts.emplace_back(from, to);
    low.push_back(symMax(before, 0));
    high.push_back(symMax(after, 0));
    padded.push_back(checkedSum(checkedSum(to - from, low.back(), "pad"),
                                high.back(), "pad"));
  }
  checkedNumElements(padded, dtype(), "pad");
  Tensor part = shrink(parts);
  if (allZero(low) && allZero(high))
    return prim::alias(part);
  Tensor result = prim::paddedView(part, low, high);
  if (!value.isSymbolic() && value.toDouble() == 0 &&
      !std::signbit(value.toDouble()))
    return result;
  if (!value.isWeakerThan(dtype())) {
    const DType common = promotedDType(*this, value);
    return cast(common).pad(amounts, value);
  }
  checkFits(value, dtype(), "pad");
  Tensor isInside = prim::pad(
      prim::constant(part, true, DType::Bool, part.shape()), low, high);
  return isInside.where(result, value);
}

Tensor Tensor::shrink(const Parts &parts) const {
  checkPerAxis(parts.size(), *this, "shrink");
  Shape from, to;
  bool isWhole = true;
  for (int64_t axis = 0; axis < ndim(); ++axis) {
    const SymInt begin = parts[axis].begin();
    const SymInt end = parts[axis].end(shape()[axis]);
    if (begin.min() < 0 || !isAtMost(begin, end) ||
        !isAtMost(end, shape()[axis]))
      throw IndexError("shrink: axis " + std::to_string(axis) + " of " +
                       toString(shape()) + " has no part from " + begin.str() +
                       " to " + end.str() + explainExcess(0, begin) +
                       explainExcess(begin, end) +
                       explainExcess(end, shape()[axis]));
    from.push_back(begin);
    to.push_back(end);
    isWhole &= begin == 0 && end == shape()[axis];
  }
  return isWhole ? prim::wholeView(*this) : prim::shrink(*this, from, to);
}

/// \p amount of the old and the new size of each axis; none where \p sizes is
/// -1.
template <typename Amount>
static std::vector<Amount> towards(const Tensor &x, const Shape &sizes,
                                   const char *what,
                                   Amount (*amount)(SymInt, SymInt)) {
  if (int64_t(sizes.size()) != x.ndim())
    throw ShapeError(std::string(what) + ": " + std::to_string(sizes.size()) +
                     " sizes for a tensor of shape " + toString(x.shape()));
  const bool isPadding = std::is_same_v<Amount, PadAmount>;
  std::vector<Amount> amounts;
  for (int64_t axis = 0; axis < x.ndim(); ++axis) {
    const SymInt wanted = sizes[axis] == -1 ? x.shape()[axis] : sizes[axis];
    const SymInt less = isPadding ? x.shape()[axis] : wanted;
    const SymInt more = isPadding ? wanted : x.shape()[axis];
    if (wanted.min() < 0 || !isAtMost(less, more))
      throw ShapeError(std::string(what) + ": axis " + std::to_string(axis) +
                       " of " + toString(x.shape()) + " has " +
                       (isPadding ? "more" : "fewer") + " than " +
                       wanted.str() + " elements" + explainExcess(less, more));
    amounts.push_back(amount(x.shape()[axis], wanted));
  }
  return amounts;
}

Tensor Tensor::padTo(const Shape &sizes) const {
  return pad(
      towards<PadAmount>(*this, sizes, "padTo", [](SymInt size, SymInt wanted) {
        return PadAmount(0, wanted - size);
      }));
}

Tensor Tensor::shrinkTo(const Shape &sizes) const {
  return shrink(
      towards<Part>(*this, sizes, "shrinkTo",
                    [](SymInt, SymInt wanted) { return Part(0, wanted); }));
}

Tensor Tensor::squeeze() const {
  Shape kept;
  for (const SymInt &size : shape())
    if (size != 1)
      kept.push_back(size);
  return prim::reshape(*this, kept);
}

Tensor Tensor::squeeze(int64_t dim) const {
  dim = normalizeAxis(dim, ndim(), "squeeze");
  Shape kept = shape();
  if (kept[dim] != 1)
    return prim::wholeView(*this);
  kept.erase(kept.begin() + dim);
  return prim::reshape(*this, kept);
}

Tensor Tensor::unsqueeze(int64_t dim) const {
  dim = normalizeNewAxis(dim, ndim(), "unsqueeze");
  Shape result = shape();
  result.insert(result.begin() + dim, 1);
  return prim::reshape(*this, result);
}

Tensor Tensor::flatten(int64_t startDim, int64_t endDim) const {
  if (ndim() == 0)
    return reshape({1});
  startDim = normalizeAxis(startDim, ndim(), "flatten");
  endDim = normalizeAxis(endDim, ndim(), "flatten");
  if (startDim > endDim)
    throw IndexError("flatten: axis " + std::to_string(startDim) +
                     " comes after axis " + std::to_string(endDim));
  Shape result(shape().begin(), shape().begin() + startDim);
  const Shape merged(shape().begin() + startDim, shape().begin() + endDim + 1);
  result.push_back(checkedNumElements(merged, DType::Bool, "flatten"));
  result.insert(result.end(), shape().begin() + endDim + 1, shape().end());
  return prim::reshape(*this, result);
}

Tensor Tensor::unflatten(int64_t dim, const Shape &sizes) const {
  dim = normalizeAxis(dim, ndim(), "unflatten");
  Shape inner = sizes;
  int64_t most = 1;
  SymInt *open = nullptr;
  for (SymInt &size : inner) {
    if (size == -1 && !open)
      open = &size;
    else if (size.min() < 0 || __builtin_mul_overflow(most, size.max(), &most))
      throw ShapeError("unflatten: " + toString(sizes) +
                       " are not sizes for an axis");
  }
  const bool isFilled = !open || inferSize(inner, *open, shape()[dim]);
  if (!isFilled ||
      checkedNumElements(inner, DType::Bool, "unflatten") != shape()[dim])
    throw ShapeError(
        "unflatten: an axis of size " + shape()[dim].str() +
        " does not fall into axes of sizes " + toString(sizes) +
        (isFilled ? explainDifference({shape()[dim]}, inner) : ""));
  Shape result(shape().begin(), shape().begin() + dim);
  result.insert(result.end(), inner.begin(), inner.end());
  result.insert(result.end(), shape().begin() + dim + 1, shape().end());
  return prim::reshape(*this, result);
}

//===----------------------------------------------------------------------===//
// Parts, windows and concatenation
//===----------------------------------------------------------------------===//

/// More parts than this are taken for a mistake: each is a tensor.
static constexpr int64_t kMaxParts = int64_t(1) << 24;

static void checkPartCount(int64_t count, const SymInt &size,
                           const char *what) {
  if (count > kMaxParts)
    throw ShapeError(std::string(what) + ": " + std::to_string(count) +
                     " parts of an axis of size " + size.str() +
                     "; there may be at most " + std::to_string(kMaxParts));
}

/// The part [from, to) of one axis.
static Tensor partOf(const Tensor &x, int64_t dim, SymInt from, SymInt to) {
  Parts parts(std::size_t(x.ndim()));
  parts[dim] = {from, to};
  return x.shrink(parts);
}

std::vector<Tensor> Tensor::split(const Shape &sizes, int64_t dim) const {
  dim = normalizeAxis(dim, ndim(), "split");
  SymInt total = 0;
  for (const SymInt &size : sizes) {
    int64_t most;
    if (size.min() < 0 ||
        __builtin_add_overflow(total.max(), size.max(), &most))
      throw ShapeError("split: " + toString(sizes) + " are not sizes of parts");
    total += size;
  }
  if (total != shape()[dim])
    throw ShapeError("split: parts of sizes " + toString(sizes) +
                     " do not make up an axis of size " + shape()[dim].str() +
                     explainDifference(total, shape()[dim]));
  std::vector<Tensor> parts;
  SymInt from = 0;
  for (const SymInt &size : sizes) {
    parts.push_back(partOf(*this, dim, from, from + size));
    from += size;
  }
  return parts;
}

std::vector<Tensor> Tensor::split(int64_t size, int64_t dim) const {
  dim = normalizeAxis(dim, ndim(), "split");
  if (size <= 0)
    throw ShapeError("split: the size of a part is " + std::to_string(size));
  const int64_t whole = constantOf(shape()[dim], "split");
  checkPartCount(whole / size, whole, "split");
  Shape sizes;
  for (int64_t rest = whole; rest > 0; rest -= size)
    sizes.push_back(std::min(size, rest));
  if (sizes.empty())
    sizes.push_back(0);
  return split(sizes, dim);
}

std::vector<Tensor> Tensor::splitEvenly(SymInt size, int64_t dim) const {
  if (!size.isSymbolic())
    return split(size.value(), dim);
  dim = normalizeAxis(dim, ndim(), "split");
  const SymInt whole = shape()[dim];
  if (size.min() <= 0)
    throw ShapeError("split: the size of a part is " + size.str() +
                     ", which may be 0");
  const SymInt count = whole / size;
  if (count.isSymbolic() || count * size != whole)
    throw ShapeError("split: parts of size " + size.str() +
                     " do not make up an axis of size " + whole.str());
  checkPartCount(count.value(), whole, "split");
  return split(Shape(std::size_t(count.value()), size), dim);
}

std::vector<Tensor> Tensor::chunk(int64_t chunks, int64_t dim) const {
  dim = normalizeAxis(dim, ndim(), "chunk");
  if (chunks <= 0)
    throw ShapeError("chunk: the number of chunks is " +
                     std::to_string(chunks));
  const SymInt size = shape()[dim];
  if (size == 0 || (size.isSymbolic() && size % chunks == 0)) {
    checkPartCount(chunks, size, "chunk");
    return split(Shape(std::size_t(chunks), size / chunks), dim);
  }
  return split((constantOf(size, "chunk") - 1) / chunks + 1, dim);
}

std::vector<Tensor> Tensor::unbind(int64_t dim) const {
  dim = normalizeAxis(dim, ndim(), "unbind");
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < constantOf(shape()[dim], "unbind"); ++i)
    parts.push_back(partOf(*this, dim, i, i + 1).squeeze(dim));
  return parts;
}

Tensor Tensor::unfold(int64_t dim, int64_t size, int64_t step) const {
  dim = normalizeAxis(dim, ndim(), "unfold");
  const SymInt length = shape()[dim];
  if (size < 0 || step <= 0 || !isAtMost(size, length))
    throw ShapeError("unfold: there are no windows of size " +
                     std::to_string(size) + ", " + std::to_string(step) +
                     " apart, in axis " + std::to_string(dim) + " of " +
                     toString(shape()) + explainExcess(size, length));
  // Larger steps are equivalent and could overflow below.
  if (step > length.max())
    step = length.max() + 1;
  const SymInt count = (length - size) / step + 1, reach = count * step;
  Shape result = shape();
  result[dim] = count;
  result.push_back(size);
  checkedNumElements(result, dtype(), "unfold");
  if (size == 0)
    return prim::constant(*this, 0, dtype(), result);
  // The axis is moved to the end, where [count, step] becomes [window,
  // position].
  Tensor x = permute([&] {
    std::vector<int64_t> order;
    for (int64_t axis = 0; axis < ndim(); ++axis)
      if (axis != dim)
        order.push_back(axis);
    order.push_back(dim);
    return order;
  }());
  const int64_t last = ndim() - 1;
  Shape rows = x.shape();
  if (size <= step) {
    std::vector<PadAmount> amounts(static_cast<std::size_t>(ndim()));
    amounts[last].second = reach - length;
    rows[last] = count;
    rows.push_back(step);
    x = partOf(x.pad(amounts).reshape(rows), last + 1, 0, size);
  } else {
    if (!isAtMost(reach, length + 1))
      throw ShapeError("unfold: windows " + std::to_string(step) +
                       " apart are not known to end within axis " +
                       std::to_string(dim) + " of " + toString(shape()) +
                       explainExcess(reach, length + 1));
    // Repeats the axis and cuts it into rows that are one longer than the axis,
    // so that each row begins one position later.
    Shape repeats(std::size_t(ndim()), 1);
    repeats[last] = size + 1;
    rows[last] = size;
    rows.push_back(length + 1);
    x = partOf(x.repeat(repeats), last, 0, (length + 1) * size).reshape(rows);
    rows[last + 1] = count;
    rows.push_back(step);
    x = partOf(x, last + 1, 0, reach).reshape(rows);
    rows.pop_back();
    x = partOf(x, last + 2, 0, 1).reshape(rows).transpose(last, last + 1);
  }
  std::vector<int64_t> order(static_cast<std::size_t>(ndim() + 1));
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + dim, order.begin() + last,
              order.begin() + last + 1);
  return x.permute(order);
}

Tensor Tensor::diagonal(int64_t offset, int64_t dim0, int64_t dim1) const {
  dim0 = normalizeAxis(dim0, ndim(), "diagonal");
  dim1 = normalizeAxis(dim1, ndim(), "diagonal");
  if (dim0 == dim1)
    throw IndexError("diagonal: axis " + std::to_string(dim0) +
                     " is given twice");
  std::vector<int64_t> order;
  for (int64_t axis = 0; axis < ndim(); ++axis)
    if (axis != dim0 && axis != dim1)
      order.push_back(axis);
  order.insert(order.end(), {dim0, dim1});
  Tensor x = permute(order);
  const int64_t row = ndim() - 2, column = row + 1;
  // Removes the rows or columns before the diagonal.
  const SymInt rows = x.shape()[row], columns = x.shape()[column];
  const SymInt below = symMin(-std::max(offset, -rows.max()), rows);
  const SymInt right = symMin(offset, columns);
  if (offset < 0)
    x = partOf(x, row, below, rows);
  else
    x = partOf(x, column, right, columns);
  const SymInt width = x.shape()[column];
  const SymInt length = symMin(x.shape()[row], width);
  // Flattens the matrix: consecutive diagonal elements are width + 1 apart.
  x = partOf(x, row, 0, length).flatten(row, column);
  Shape low(std::size_t(row + 1), 0), high = low, wide = x.shape();
  high[row] = length;
  wide[row] = length;
  wide.push_back(checkedSum(width, 1, "diagonal"));
  checkedNumElements(wide, dtype(), "diagonal");
  x = prim::padView(x, low, high).reshape(wide);
  wide.pop_back();
  return partOf(x, column, 0, 1).reshape(wide);
}

Tensor Tensor::diag(int64_t offset) const {
  const MethodScope method("diag");
  if (ndim() == 2)
    return prim::alias(diagonal(offset));
  if (ndim() != 1)
    throw ShapeError("diag: a tensor of shape " + toString(shape()) +
                     " is neither a row nor a matrix");
  const SymInt size = shape()[0];
  const Shape square = {size, size};
  checkedNumElements(square, dtype(), "diag");
  const DType position = positionDType(square);
  Tensor isOn = prim::iota(*this, 0, position, square) ==
                prim::iota(*this, 1, position, square);
  // Clamped so that negation cannot overflow; larger amounts exceed any shape.
  const SymInt above = std::max<int64_t>(offset, 0);
  const SymInt below = std::max(-std::max(offset, -kInt64Max), int64_t(0));
  return isOn.where(*this, same(*this, 0))
      .pad({PadAmount(below, above), PadAmount(above, below)});
}

Tensor Tensor::cat(const std::vector<Tensor> &tensors, int64_t dim) {
  const MethodScope method("cat");
  if (tensors.empty())
    throw ShapeError("cat: there are no tensors to join");
  const Tensor &first = tensors.front();
  const int64_t rank = first.ndim();
  dim = normalizeAxis(dim, rank, "cat");
  DType dtype = first.dtype();
  SymInt total = 0;
  for (const Tensor &tensor : tensors) {
    checkOperands({&first, &tensor});
    dtype = promote(dtype, tensor.dtype());
    bool fits = tensor.ndim() == rank;
    std::string why;
    for (int64_t axis = 0; fits && axis < rank; ++axis) {
      const SymInt size = tensor.shape()[axis], wanted = first.shape()[axis];
      fits = axis == dim || size == wanted;
      if (!fits)
        why = explainDifference(wanted, size);
    }
    if (!fits)
      throw ShapeError("cat: shapes " + toString(first.shape()) + " and " +
                       toString(tensor.shape()) + " differ in more than axis " +
                       std::to_string(dim) + why);
    total = checkedSum(total, tensor.shape()[dim], "cat");
  }
  Shape whole = first.shape();
  whole[dim] = total;
  checkedNumElements(whole, dtype, "cat");

  // Pads each part to the whole and selects by position. Going from the last
  // part to the first makes each condition one comparison. The scheduler
  // recognizes this pattern and copies many or large parts one by one.
  Tensor result;
  Tensor position = prim::iota(first, dim, positionDType(whole), whole);
  SymInt end = total;
  for (auto it = tensors.rbegin(); it != tensors.rend(); ++it) {
    const SymInt size = it->shape()[dim], begin = end - size;
    if (size == 0 && (result.defined() || it + 1 != tensors.rend()))
      continue;
    std::vector<PadAmount> amounts(rank);
    amounts[dim] = {begin, total - end};
    Tensor padded = it->cast(dtype).pad(amounts);
    result = result.defined() ? (position < end).where(padded, result) : padded;
    end = begin;
  }
  return result;
}

Tensor Tensor::stack(const std::vector<Tensor> &tensors, int64_t dim) {
  const MethodScope method("stack");
  std::vector<Tensor> parts;
  for (const Tensor &tensor : tensors) {
    if (tensor.shape() != tensors.front().shape())
      throw ShapeError("stack: shapes " + toString(tensors.front().shape()) +
                       " and " + toString(tensor.shape()) + " differ");
    dim = normalizeNewAxis(dim, tensor.ndim(), "stack");
    parts.push_back(tensor.unsqueeze(dim));
  }
  if (parts.empty())
    throw ShapeError("stack: there are no tensors to stack");
  return cat(parts, dim);
}

std::vector<Tensor> Tensor::meshgrid(const std::vector<Tensor> &rows,
                                     GridIndexing indexing) {
  if (rows.empty())
    throw ShapeError("meshgrid: there are no rows");
  Shape grid;
  for (const Tensor &row : rows) {
    checkOperands({&rows.front(), &row});
    if (row.ndim() > 1)
      throw ShapeError("meshgrid: a tensor of shape " + toString(row.shape()) +
                       " is not a row");
    grid.push_back(row.numel());
  }
  auto axisOf = [&](std::size_t number) {
    const bool isSwapped =
        indexing == GridIndexing::XY && rows.size() > 1 && number < 2;
    return isSwapped ? 1 - number : number;
  };
  if (indexing == GridIndexing::XY && rows.size() > 1)
    std::swap(grid[0], grid[1]);
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Shape along(grid.size(), 1);
    along[axisOf(i)] = rows[i].numel();
    result.push_back(broadcastTo(rows[i].reshape(along), grid, "meshgrid"));
  }
  return result;
}

Tensor Tensor::repeatInterleave(SymInt repeats,
                                std::optional<int64_t> dim) const {
  if (!dim)
    return flatten().repeatInterleave(repeats, 0);
  const int64_t axis = normalizeAxis(*dim, ndim(), "repeatInterleave");
  const SymInt size = shape()[axis];
  int64_t most;
  if (repeats.min() < 0 ||
      __builtin_mul_overflow(repeats.max(), size.max(), &most))
    throw ShapeError("repeatInterleave: an axis of size " + size.str() +
                     " cannot be repeated " + repeats.str() + " times");
  Shape expanded = shape(), result = shape();
  expanded.insert(expanded.begin() + axis + 1, repeats);
  result[axis] = size * repeats;
  checkedNumElements(result, dtype(), "repeatInterleave");
  return prim::reshape(unsqueeze(axis + 1).expand(expanded), result);
}

Tensor Tensor::repeatInterleave(const Tensor &repeats,
                                std::optional<int64_t> dim,
                                std::source_location where) const {
  const CallSite site(where.file_name(), where.line());
  const MethodScope method("repeatInterleave");
  if (!dim)
    return flatten().repeatInterleave(repeats, 0);
  const int64_t axis = normalizeAxis(*dim, ndim(), "repeatInterleave");
  checkIndexTensor(repeats, "repeatInterleave");
  checkOperands({this, &repeats});
  if (repeats.ndim() > 1 ||
      (repeats.numel() != 1 && repeats.numel() != shape()[axis]))
    throw ShapeError("repeatInterleave: numbers of shape " +
                     toString(repeats.shape()) + " for axis " +
                     std::to_string(axis) + " of " + toString(shape()));
  const std::vector<int64_t> counts =
      repeats.toLong().tolist<int64_t>(std::source_location());
  const int64_t size = shape()[axis].value();
  int64_t total = 0;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t count = counts[counts.size() == 1 ? 0 : std::size_t(i)];
    if (count < 0)
      throw ShapeError("repeatInterleave: " + std::to_string(count) +
                       " is not a number of repetitions");
    total = checkedSum(total, count, "repeatInterleave").value();
  }
  Shape result = shape();
  result[axis] = total;
  checkedNumElements(result, promote(dtype(), DType::Int64),
                     "repeatInterleave");
  std::vector<int64_t> positions;
  positions.reserve(std::size_t(total));
  for (int64_t i = 0; i < size; ++i)
    positions.insert(positions.end(),
                     std::size_t(counts[counts.size() == 1 ? 0 : i]), i);
  const GraphScope scope{Graph(impl().graph)};
  return indexSelect(
      axis, Tensor::from(positions, {positionDType(shape()), device()}));
}

Tensor Tensor::repeat(const Shape &repeats) const {
  const int64_t added = int64_t(repeats.size()) - ndim();
  if (added < 0)
    throw ShapeError("repeat: " + std::to_string(repeats.size()) +
                     " numbers for a tensor of shape " + toString(shape()));
  // Reshapes [a, b] to [1, a, 1, b], expands to [r, a, s, b], and reshapes to
  // [r * a, s * b].
  Shape split, expanded, merged;
  for (int64_t i = 0; i < int64_t(repeats.size()); ++i) {
    const SymInt size = i < added ? 1 : shape()[i - added];
    if (repeats[i].min() < 0)
      throw ShapeError("repeat: " + repeats[i].str() +
                       " is not a number of repetitions");
    split.insert(split.end(), {1, size});
    expanded.insert(expanded.end(), {repeats[i], size});
    int64_t most;
    if (__builtin_mul_overflow(repeats[i].max(), size.max(), &most))
      throw ShapeError("repeat: an axis of size " + size.str() +
                       " cannot be repeated " + repeats[i].str() + " times");
    merged.push_back(repeats[i] * size);
  }
  checkedNumElements(merged, dtype(), "repeat");
  return prim::reshape(prim::expand(prim::reshape(*this, split), expanded),
                       merged);
}

/// The equivalent shift in [0, \p size].
static SymInt shiftWithin(SymInt shift, SymInt size) {
  if (!shift.isSymbolic() && !size.isSymbolic())
    return shift % size;
  if (shift.min() >= 0 && isAtMost(shift, size))
    return shift;
  if (shift.max() <= 0 && isAtMost(-shift, size))
    return shift + size;
  if (size.min() > 0)
    if (const SymInt rest = shift % size; isAtMost(rest, size))
      return rest;
  throw ShapeError("roll: a shift by " + shift.str() +
                   " is not known to lie within an axis of size " + size.str());
}

Tensor Tensor::roll(SymInt shift, int64_t dim) const {
  const MethodScope method("roll");
  return roll(Shape{shift}, Axes{dim});
}

Tensor Tensor::roll(const Shape &shifts, const Axes &axes) const {
  const MethodScope method("roll");
  const std::vector<int64_t> &dims = axes.get();
  if (shifts.size() != dims.size())
    throw ShapeError("roll: " + std::to_string(shifts.size()) + " shifts for " +
                     std::to_string(dims.size()) + " axes");
  Tensor result = prim::alias(*this);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const int64_t dim = normalizeAxis(dims[i], ndim(), "roll");
    const SymInt size = shape()[dim];
    if (size.max() == 0)
      continue;
    const SymInt shift = shiftWithin(shifts[i], size);
    if (shift == 0)
      continue;
    // A window on the tensor concatenated with itself.
    Shape repeats(ndim(), 1);
    repeats[dim] = 2;
    result =
        partOf(result.repeat(repeats), dim, size - shift, 2 * size - shift);
  }
  return result;
}
