//===- Movement.cpp - other shapes of tensors -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Methods that move elements without computing with them.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tinygrad;
using namespace tinygrad::detail;

/// Where a new axis goes: like an axis of the tensor that has it.
static int64_t normalizeNewAxis(int64_t axis, int64_t rank, const char *what) {
  const int64_t result = axis < 0 ? axis + rank + 1 : axis;
  if (result < 0 || result > rank)
    throw IndexError(std::string(what) + ": there is no place for a new axis " +
                     std::to_string(axis) + " in a tensor of rank " +
                     std::to_string(rank));
  return result;
}

Tensor Tensor::reshape(Shape shape) const {
  const Shape asked = shape;
  int64_t *open = nullptr;
  int64_t known = 1;
  for (int64_t &size : shape) {
    if (size >= 0) {
      if (__builtin_mul_overflow(known, size, &known))
        throw ShapeError("reshape: " + toString(asked) + " is too large");
    } else if (size == -1 && !open) {
      open = &size;
    } else {
      throw ShapeError(
          "reshape: " + toString(asked) +
          (size == -1 ? " has more than one -1" : " has a negative size"));
    }
  }
  if (open && known != 0 && numel() % known == 0)
    *open = numel() / known;
  if ((open && *open < 0) ||
      checkedNumElements(shape, dtype(), "reshape") != numel())
    throw ShapeError("reshape: a tensor of shape " + toString(this->shape()) +
                     " has " + std::to_string(numel()) +
                     " elements, which do not fill " + toString(asked));
  return prim::reshape(*this, shape);
}

Tensor Tensor::expand(Shape shape) const {
  const int64_t added = int64_t(shape.size()) - ndim();
  for (int64_t i = 0; i < int64_t(shape.size()); ++i)
    if (shape[i] == -1 && i >= added)
      shape[i] = this->shape()[i - added];
  return broadcastTo(*this, shape, "expand");
}

Tensor Tensor::permute(std::vector<int64_t> order) const {
  std::vector<int64_t> sorted;
  for (int64_t &axis : order)
    sorted.push_back(axis = normalizeAxis(axis, ndim(), "permute"));
  std::sort(sorted.begin(), sorted.end());
  std::vector<int64_t> all(ndim());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all)
    throw ShapeError("permute: " + toString(order) +
                     " is not an order of the axes of a tensor of rank " +
                     std::to_string(ndim()));
  return order == all ? prim::alias(*this) : prim::permute(*this, order);
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

static bool allZero(const std::vector<int64_t> &values) {
  return std::all_of(values.begin(), values.end(),
                     [](int64_t value) { return value == 0; });
}

Tensor Tensor::pad(const std::vector<PadAmount> &amounts, Scalar value) const {
  checkPerAxis(amounts.size(), *this, "pad");
  std::vector<std::pair<int64_t, int64_t>> parts;
  std::vector<int64_t> low, high;
  Shape padded;
  for (int64_t axis = 0; axis < ndim(); ++axis) {
    const auto [before, after] = amounts[axis];
    const int64_t size = shape()[axis];
    // Neither amount is negated before it is known to be small.
    if (before < -size || after < -size ||
        std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0) < -size)
      throw ShapeError("pad: amounts " + std::to_string(before) + " and " +
                       std::to_string(after) + " cut more off axis " +
                       std::to_string(axis) + " of " + toString(shape()) +
                       " than it has");
    parts.emplace_back(std::max<int64_t>(-before, 0),
                       size - std::max<int64_t>(-after, 0));
    low.push_back(std::max<int64_t>(before, 0));
    high.push_back(std::max<int64_t>(after, 0));
    const int64_t kept = parts.back().second - parts.back().first;
    padded.push_back(
        checkedSum(checkedSum(kept, low.back(), "pad"), high.back(), "pad"));
  }
  checkedNumElements(padded, dtype(), "pad");
  Tensor part = shrink(parts);
  if (allZero(low) && allZero(high))
    return part;
  Tensor result = prim::pad(part, low, high);
  if (value.toDouble() == 0 && !std::signbit(value.toDouble()))
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

Tensor
Tensor::shrink(const std::vector<std::pair<int64_t, int64_t>> &parts) const {
  checkPerAxis(parts.size(), *this, "shrink");
  std::vector<int64_t> from, to;
  bool isWhole = true;
  for (int64_t axis = 0; axis < ndim(); ++axis) {
    const auto [begin, end] = parts[axis];
    if (begin < 0 || begin > end || end > shape()[axis])
      throw IndexError("shrink: axis " + std::to_string(axis) + " of " +
                       toString(shape()) + " has no part from " +
                       std::to_string(begin) + " to " + std::to_string(end));
    from.push_back(begin);
    to.push_back(end);
    isWhole &= begin == 0 && end == shape()[axis];
  }
  return isWhole ? prim::alias(*this) : prim::shrink(*this, from, to);
}

Tensor Tensor::squeeze() const {
  Shape kept;
  for (int64_t size : shape())
    if (size != 1)
      kept.push_back(size);
  return prim::reshape(*this, kept);
}

Tensor Tensor::squeeze(int64_t dim) const {
  dim = normalizeAxis(dim, ndim(), "squeeze");
  Shape kept = shape();
  if (kept[dim] != 1)
    return prim::alias(*this);
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
  int64_t known = 1;
  int64_t *open = nullptr;
  for (int64_t &size : inner) {
    if (size == -1 && !open)
      open = &size;
    else if (size < 0 || __builtin_mul_overflow(known, size, &known))
      throw ShapeError("unflatten: " + toString(sizes) +
                       " are not sizes for an axis");
  }
  if (open && known != 0)
    *open = shape()[dim] / known;
  if ((open && *open < 0) ||
      checkedNumElements(inner, DType::Bool, "unflatten") != shape()[dim])
    throw ShapeError("unflatten: an axis of size " +
                     std::to_string(shape()[dim]) +
                     " does not fall into axes of sizes " + toString(sizes));
  Shape result(shape().begin(), shape().begin() + dim);
  result.insert(result.end(), inner.begin(), inner.end());
  result.insert(result.end(), shape().begin() + dim + 1, shape().end());
  return prim::reshape(*this, result);
}

//===----------------------------------------------------------------------===//
// Parts and wholes
//===----------------------------------------------------------------------===//

/// The part [from, to) of one axis.
static Tensor partOf(const Tensor &x, int64_t dim, int64_t from, int64_t to) {
  std::vector<std::pair<int64_t, int64_t>> parts;
  for (int64_t size : x.shape())
    parts.emplace_back(0, size);
  parts[dim] = {from, to};
  return x.shrink(parts);
}

std::vector<Tensor> Tensor::split(const std::vector<int64_t> &sizes,
                                  int64_t dim) const {
  dim = normalizeAxis(dim, ndim(), "split");
  int64_t total = 0;
  for (int64_t size : sizes)
    if (size < 0 || __builtin_add_overflow(total, size, &total))
      throw ShapeError("split: " + toString(sizes) + " are not sizes of parts");
  if (total != shape()[dim])
    throw ShapeError("split: parts of sizes " + toString(sizes) +
                     " do not make up an axis of size " +
                     std::to_string(shape()[dim]));
  std::vector<Tensor> parts;
  int64_t from = 0;
  for (int64_t size : sizes) {
    parts.push_back(partOf(*this, dim, from, from + size));
    from += size;
  }
  return parts;
}

std::vector<Tensor> Tensor::split(int64_t size, int64_t dim) const {
  dim = normalizeAxis(dim, ndim(), "split");
  if (size <= 0)
    throw ShapeError("split: the size of a part is " + std::to_string(size));
  std::vector<int64_t> sizes;
  for (int64_t rest = shape()[dim]; rest > 0; rest -= size)
    sizes.push_back(std::min(size, rest));
  if (sizes.empty())
    sizes.push_back(0);
  return split(sizes, dim);
}

std::vector<Tensor> Tensor::chunk(int64_t chunks, int64_t dim) const {
  dim = normalizeAxis(dim, ndim(), "chunk");
  if (chunks <= 0)
    throw ShapeError("chunk: the number of chunks is " +
                     std::to_string(chunks));
  const int64_t size = shape()[dim];
  if (size == 0)
    return split(std::vector<int64_t>(chunks, 0), dim);
  return split((size - 1) / chunks + 1, dim);
}

Tensor Tensor::cat(const std::vector<Tensor> &tensors, int64_t dim) {
  if (tensors.empty())
    throw ShapeError("cat: there are no tensors to join");
  const Tensor &first = tensors.front();
  const int64_t rank = first.ndim();
  dim = normalizeAxis(dim, rank, "cat");
  DType dtype = first.dtype();
  int64_t total = 0;
  for (const Tensor &tensor : tensors) {
    checkOperands({&first, &tensor});
    dtype = promote(dtype, tensor.dtype());
    bool fits = tensor.ndim() == rank;
    for (int64_t axis = 0; fits && axis < rank; ++axis)
      fits = axis == dim || tensor.shape()[axis] == first.shape()[axis];
    if (!fits)
      throw ShapeError("cat: shapes " + toString(first.shape()) + " and " +
                       toString(tensor.shape()) + " differ in more than axis " +
                       std::to_string(dim));
    total = checkedSum(total, tensor.shape()[dim], "cat");
  }
  Shape whole = first.shape();
  whole[dim] = total;
  checkedNumElements(whole, dtype, "cat");

  // Each part padded to the whole; the position tells which one counts. From
  // the back, so that the condition of each part is one comparison. Scheduling
  // knows the pattern: many or large parts are copied one by one.
  Tensor result;
  Tensor position = prim::iota(first, dim, positionDType(whole), whole);
  int64_t end = total;
  for (auto it = tensors.rbegin(); it != tensors.rend(); ++it) {
    const int64_t size = it->shape()[dim], begin = end - size;
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

Tensor Tensor::repeat(const std::vector<int64_t> &repeats) const {
  const int64_t added = int64_t(repeats.size()) - ndim();
  if (added < 0)
    throw ShapeError("repeat: " + std::to_string(repeats.size()) +
                     " numbers for a tensor of shape " + toString(shape()));
  // [a, b] becomes [1, a, 1, b], that [r, a, s, b], and that [r * a, s * b].
  Shape split, expanded, merged;
  for (int64_t i = 0; i < int64_t(repeats.size()); ++i) {
    const int64_t size = i < added ? 1 : shape()[i - added];
    if (repeats[i] < 0)
      throw ShapeError("repeat: " + std::to_string(repeats[i]) +
                       " is not a number of repetitions");
    split.insert(split.end(), {1, size});
    expanded.insert(expanded.end(), {repeats[i], size});
    int64_t total;
    if (__builtin_mul_overflow(repeats[i], size, &total))
      throw ShapeError("repeat: an axis of size " + std::to_string(size) +
                       " cannot be repeated " + std::to_string(repeats[i]) +
                       " times");
    merged.push_back(total);
  }
  checkedNumElements(merged, dtype(), "repeat");
  return prim::reshape(prim::expand(prim::reshape(*this, split), expanded),
                       merged);
}

Tensor Tensor::roll(int64_t shift, int64_t dim) const {
  return roll(std::vector<int64_t>{shift}, std::vector<int64_t>{dim});
}

Tensor Tensor::roll(const std::vector<int64_t> &shifts,
                    const std::vector<int64_t> &dims) const {
  if (shifts.size() != dims.size())
    throw ShapeError("roll: " + std::to_string(shifts.size()) + " shifts for " +
                     std::to_string(dims.size()) + " axes");
  Tensor result = prim::alias(*this);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const int64_t dim = normalizeAxis(dims[i], ndim(), "roll");
    const int64_t size = shape()[dim];
    if (size == 0)
      continue;
    const int64_t shift = ((shifts[i] % size) + size) % size;
    if (shift == 0)
      continue;
    // A window on the tensor put behind itself.
    std::vector<int64_t> repeats(ndim(), 1);
    repeats[dim] = 2;
    result =
        partOf(result.repeat(repeats), dim, size - shift, 2 * size - shift);
  }
  return result;
}
