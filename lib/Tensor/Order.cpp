//===- Order.cpp - scans, scatters and sorts ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Methods whose results depend on the order of elements, and methods based on
/// them.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"
#include "SetItem.h"
#include "Shards.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/Profile.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <limits>

using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// The axis to scan; none for a scalar, which is its own scan.
static std::optional<int64_t> scanAxis(const Tensor &x, int64_t axis,
                                       const char *what) {
  if (x.ndim() != 0)
    return normalizeAxis(axis, x.ndim(), what);
  normalizeAxes(axis, 0, what);
  return std::nullopt;
}

/// A sum or product in the accumulation type of sum(): at least float32 or
/// int32.
static Tensor accumulate(const Tensor &x, ScanOp op, int64_t axis,
                         const char *what) {
  const std::optional<int64_t> dim = scanAxis(x, axis, what);
  const DType wide = sumAccumulationDType(x.dtype());
  Tensor result = x.cast(isFloat8(wide) ? DType::Float32 : wide);
  if (dim)
    result = prim::scan(op, result, *dim);
  return result.cast(isFloat(x.dtype()) ? x.dtype() : wide);
}

Tensor Tensor::cumsum(int64_t axis) const {
  const MethodScope method("cumsum");
  return accumulate(*this, ScanOp::Add, axis, "cumsum");
}

Tensor Tensor::cumprod(int64_t axis) const {
  const MethodScope method("cumprod");
  return accumulate(*this, ScanOp::Mul, axis, "cumprod");
}

/// The type of positions along an axis.
static DType axisDType(SymInt size) {
  return size.max() > 0x7fffffff ? DType::Int64 : DType::Int32;
}

std::pair<Tensor, Tensor> Tensor::cummax(int64_t axis) const {
  const MethodScope method("cummax");
  const std::optional<int64_t> dim = scanAxis(*this, axis, "cummax");
  if (!dim)
    return {clone(), prim::constant(*this, 0, DType::Int32, {})};
  const SymInt size = shape()[*dim];
  const DType position = axisDType(size);
  Tensor x = isFloat8(dtype()) ? toFloat() : *this;
  Tensor values = prim::scan(ScanOp::Max, x, *dim);
  // The running maximum before each element; an element is new if it exceeds
  // it.
  Shape low(ndim(), 0), high = low;
  low[*dim] = 1;
  std::vector<Part> parts;
  for (const SymInt &extent : shape())
    parts.emplace_back(0, extent);
  Tensor before = prim::pad(values, low, high).shrink(parts);
  Tensor place = prim::iota(x, *dim, position, shape());
  Tensor isNew = (place == 0) | (before < x);
  if (isFloat(dtype()))
    isNew = isNew | (x.isnan() & before.isnan().logicalNot());
  Tensor positions =
      prim::scan(ScanOp::Max, isNew.where(place, same(place, 0)), *dim);
  return {values.cast(dtype()), positions};
}

std::pair<Tensor, Tensor> Tensor::cummin(int64_t axis) const {
  const MethodScope method("cummin");
  // Negation would lose the minimum integer.
  auto reversed = [](const Tensor &x) {
    return isFloat(x.dtype()) ? x.neg() : x.bitwiseNot();
  };
  auto [values, positions] = reversed(*this).cummax(axis);
  return {reversed(values), positions};
}

/// log(cumsum(exp(x))) of floats. Each step takes transcendental functions. So
/// a few long rows are split into blocks, which are scanned in parallel and
/// then combined with the blocks before them. Many short blocks are also more
/// accurate: each of the lanes that scan blocks adds to an f32. Only the shape
/// decides on the split.
static Tensor scanLogAddExp(const Tensor &x, int64_t axis) {
  constexpr int64_t longRow = 1 << 13, fewRows = 64, maxBlocks = 2048,
                    minBlock = 32;
  const SymInt length = x.shape()[axis];
  int64_t others = 1;
  for (int64_t i = 0; i < x.ndim(); ++i)
    others *= i == axis ? 1 : std::max<int64_t>(x.shape()[i].max(), 1);
  if (length.isSymbolic() || length.value() < longRow || others >= fewRows)
    return prim::scan(ScanOp::LogAddExp, x, axis);
  const int64_t block =
      std::max((length.value() - 1) / maxBlocks + 1, minBlock);
  const int64_t blocks = (length.value() - 1) / block + 1;
  const int64_t last = x.ndim() - 1;
  const Scalar nothing = -std::numeric_limits<double>::infinity();
  std::vector<PadAmount> amounts(std::size_t(x.ndim()));
  amounts[last].second = blocks * block - length;
  Shape split = x.transpose(axis, -1).shape(), joined = split;
  joined[last] = blocks * block;
  split[last] = blocks;
  split.push_back(block);
  Tensor rows = x.transpose(axis, -1).pad(amounts, nothing).reshape(split);
  // [.., element, block]
  Tensor inBlock = prim::scan(ScanOp::LogAddExp, rows.transpose(-1, -2), last);
  std::vector<Part> end(std::size_t(x.ndim() + 1));
  end[last] = {block - 1, block};
  Tensor totals = prim::scan(ScanOp::LogAddExp, inBlock.shrink(end), last + 1);
  amounts.assign(std::size_t(x.ndim() + 1), {});
  amounts[last + 1] = {1, -1};
  std::vector<Part> part(std::size_t(x.ndim()));
  part[last] = {0, length};
  return inBlock.logaddexp(totals.pad(amounts, nothing))
      .transpose(-1, -2)
      .reshape(joined)
      .shrink(part)
      .transpose(axis, -1);
}

Tensor Tensor::logcumsumexp(int64_t axis) const {
  const MethodScope method("logcumsumexp");
  const std::optional<int64_t> dim = scanAxis(*this, axis, "logcumsumexp");
  return inFloat(
      *this, [&](const Tensor &x) { return dim ? scanLogAddExp(x, *dim) : x; });
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

/// The first \p count positions along an axis in sorted order.
static Tensor firstPositions(const Tensor &x, SymInt count, int64_t dim,
                             bool descending) {
  // fp8 has no ordering; float16 represents all of its values.
  Tensor keys = isFloat8(x.dtype()) ? x.toHalf() : x;
  return prim::argsort(keys.transpose(dim, -1), descending,
                       axisDType(x.shape()[dim]), count)
      .transpose(dim, -1);
}

Tensor Tensor::argsort(int64_t dim, bool descending) const {
  const MethodScope method("argsort");
  if (ndim() == 0) {
    normalizeAxes(dim, 0, "argsort");
    return prim::constant(*this, 0, DType::Int32, {});
  }
  dim = normalizeAxis(dim, ndim(), "argsort");
  return firstPositions(*this, shape()[dim], dim, descending);
}

std::pair<Tensor, Tensor> Tensor::sort(int64_t dim, bool descending) const {
  const MethodScope method("sort");
  if (ndim() == 0) {
    normalizeAxes(dim, 0, "sort");
    return {clone(), prim::constant(*this, 0, DType::Int32, {})};
  }
  dim = normalizeAxis(dim, ndim(), "sort");
  Tensor positions = firstPositions(*this, shape()[dim], dim, descending);
  return {gather(dim, positions), positions};
}

std::pair<Tensor, Tensor> Tensor::topk(SymInt k, int64_t dim,
                                       bool largest) const {
  const MethodScope method("topk");
  if (ndim() == 0)
    return unsqueeze(0).topk(k, 0, largest);
  dim = normalizeAxis(dim, ndim(), "topk");
  if (k.min() < 0 || !isAtMost(k, shape()[dim]))
    throw ShapeError("topk: there are no " + k.str() + " elements along axis " +
                     std::to_string(dim) + " of " + toString(shape()) +
                     explainExcess(0, k) + explainExcess(k, shape()[dim]));
  Tensor positions = firstPositions(*this, k, dim, largest);
  return {gather(dim, positions), positions};
}

Tensor Tensor::randperm(SymInt n, const TensorOptions &options) {
  const MethodScope method("randperm");
  const DType dtype = options.dtype.value_or(DType::Int32);
  if (!isInteger(dtype))
    throw DTypeError(std::string("randperm: ") + name(dtype) +
                     " is not an integer type");
  if (n.max() > 0 && uint64_t(n.max() - 1) > integerMax(dtype))
    throw DTypeError("randperm: the numbers up to " + n.str() + " do not fit " +
                     std::string(name(dtype)));
  TensorOptions keys = options;
  keys.dtype = DType::Float32;
  return rand({n}, keys).argsort().cast(dtype);
}

Tensor Tensor::multinomial(int64_t numSamples, bool replacement) const {
  const MethodScope method("multinomial");
  if (ndim() != 1 && ndim() != 2)
    throw ShapeError("multinomial: weights of shape " + toString(shape()) +
                     " are neither a row nor rows");
  if (ndim() == 1)
    return unsqueeze(0).multinomial(numSamples, replacement).squeeze(0);
  const SymInt rows = shape()[0], size = shape()[1];
  const int64_t wanted =
      replacement ? std::min<int64_t>(numSamples, 1) : numSamples;
  if (numSamples < 0 || !isAtMost(wanted, size))
    throw ShapeError("multinomial: there are no " + std::to_string(numSamples) +
                     " positions in rows of " + size.str());
  TensorOptions options;
  options.device = device();
  Tensor weights = toFloat();
  if (replacement || numSamples == 1) {
    // The number of partial sums that are at most a random fraction of the
    // total. A product that is rounded up to the total selects the last
    // positive weight.
    Tensor sums = weights.cumsum(1);
    Tensor whole = maxOrLowest(sums, {1}, true);
    Tensor place =
        rand({numSamples, rows}, options).transpose().shardLike(sums) * whole;
    Tensor isBelow = (sums.unsqueeze(1) <= place.unsqueeze(-1)) &
                     (sums < whole).unsqueeze(1);
    return isBelow.sum(-1).cast(DType::Int32);
  }
  // Arrival times of events with these rates: infinite for a rate of 0, and
  // only for that.
  options.dtype = DType::Float32;
  Tensor uniform = rand({rows, size}, options).shardLike(weights);
  Tensor times = uniform.maximum(0x1p-24).log2().neg() / weights;
  return firstPositions(times, numSamples, 1, false).cast(DType::Int32);
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// Updates elements of \p x. If the index is smaller than \p x along axes other
/// than \p dim, the leading part is updated.
static Tensor update(UpdateOp op, const Tensor &x, int64_t dim,
                     const Tensor &index, const Tensor &src) {
  Tensor positions = positionFromStart(index, x.shape()[dim]);
  bool isWhole = true;
  std::vector<Part> parts;
  Shape low(x.ndim(), 0), high = low;
  for (int64_t axis = 0; axis < x.ndim(); ++axis) {
    const SymInt size = axis == dim ? x.shape()[axis] : index.shape()[axis];
    isWhole &= size == x.shape()[axis];
    parts.emplace_back(0, size);
    high[axis] = x.shape()[axis] - size;
  }
  if (isWhole)
    return prim::scatter(op, x, positions, src, dim);
  Tensor part = prim::scatter(op, x.shrink(parts), positions, src, dim);
  Tensor inside = prim::constant(x, true, DType::Bool, part.shape());
  return prim::pad(inside, low, high).where(prim::pad(part, low, high), x);
}

/// The source values for an index, after checks.
static Tensor sourceOf(const Tensor &x, int64_t dim, const Tensor &index,
                       const Operand &src, const char *what) {
  checkIndexTensor(index, what);
  checkOperands({&x, &index});
  bool fits = index.ndim() == x.ndim();
  for (int64_t axis = 0; fits && axis < x.ndim(); ++axis)
    fits = axis == dim || isAtMost(index.shape()[axis], x.shape()[axis]);
  if (!fits)
    throw ShapeError(std::string(what) + ": an index of shape " +
                     toString(index.shape()) +
                     " does not fit a tensor of shape " + toString(x.shape()) +
                     " along axis " + std::to_string(dim));
  const Tensor *tensor = src.tensor();
  if (!tensor) {
    checkFits(src.scalar(), x.dtype(), what);
    return prim::constant(x, src.scalar(), x.dtype(), index.shape());
  }
  checkOperands({&x, tensor});
  if (tensor->dtype() != x.dtype())
    throw DTypeError(std::string(what) + ": values of " +
                     name(tensor->dtype()) + " for a tensor of " +
                     name(x.dtype()) + "; cast them first");
  fits = tensor->ndim() == x.ndim();
  std::vector<Part> parts;
  for (int64_t axis = 0; fits && axis < x.ndim(); ++axis) {
    fits = isAtMost(index.shape()[axis], tensor->shape()[axis]);
    parts.emplace_back(0, index.shape()[axis]);
  }
  if (!fits)
    throw ShapeError(
        std::string(what) + ": values of shape " + toString(tensor->shape()) +
        " are too few for an index of shape " + toString(index.shape()));
  return tensor->shrink(parts);
}

Tensor Tensor::scatter(int64_t dim, const Tensor &index, const Operand &src,
                       std::optional<ScatterReduction> reduction) const {
  const MethodScope method("scatter");
  if (reduction)
    return scatterReduce(dim, index, src, *reduction);
  dim = normalizeAxis(dim, ndim(), "scatter");
  return update(UpdateOp::Set, *this, dim, index,
                sourceOf(*this, dim, index, src, "scatter"));
}

Tensor Tensor::scatterReduce(int64_t dim, const Tensor &index,
                             const Operand &src, ScatterReduction reduction,
                             bool includeSelf) const {
  const MethodScope method("scatterReduce");
  dim = normalizeAxis(dim, ndim(), "scatterReduce");
  Tensor source = sourceOf(*this, dim, index, src, "scatterReduce");
  // Sums of narrow floats are rounded once, at the end.
  const DType wide =
      isFloat(dtype()) && itemsize() < 4 ? DType::Float32 : dtype();
  Tensor base = cast(wide);
  source = source.cast(wide);
  const bool isMean = reduction == ScatterReduction::Mean;
  UpdateOp op = UpdateOp::Add;
  if (reduction == ScatterReduction::Prod)
    op = UpdateOp::Mul;
  else if (reduction == ScatterReduction::AMax)
    op = UpdateOp::Max;
  else if (reduction == ScatterReduction::AMin)
    op = UpdateOp::Min;
  Tensor isWritten;
  if (!includeSelf) {
    // Old values of written elements do not count: the identity of the
    // reduction, or the first written value, replaces them.
    isWritten = update(
        UpdateOp::Set, prim::constant(base, false, DType::Bool, shape()), dim,
        index, prim::constant(base, true, DType::Bool, index.shape()));
    Tensor first;
    if (op == UpdateOp::Add)
      first = same(base, 0);
    else if (op == UpdateOp::Mul)
      first = same(base, 1);
    else
      first = update(UpdateOp::Set, base, dim, index, source);
    base = isWritten.where(first, base);
  }
  Tensor result = update(op, base, dim, index, source);
  if (isMean) {
    Tensor counts = update(
        UpdateOp::Add,
        prim::constant(base, includeSelf ? 1 : 0, DType::Int32, shape()), dim,
        index, prim::constant(base, 1, DType::Int32, index.shape()));
    // Elements that are not written keep their values.
    if (!includeSelf)
      counts = isWritten.where(counts, same(counts, 1));
    counts = counts.cast(wide);
    result = isFloat(wide) ? result / counts : result.floordiv(counts);
  }
  return result.cast(dtype());
}

//===----------------------------------------------------------------------===//
// Selection by condition
//===----------------------------------------------------------------------===//

/// For each element of a mask, its index among the elements that are true, or
/// -1 if it is false. Counts the true elements.
static Tensor placesOf(const Tensor &mask, int64_t &count) {
  const DType dtype = positionDType(mask.shape());
  Tensor held = mask.contiguous();
  Tensor total = held.cast(DType::Int64).sum();
  realize({held, total}, std::source_location());
  count = total.item<int64_t>(std::source_location());
  Tensor places = held.cast(dtype).cumsum() - 1;
  return held.where(places.cast(dtype), -1);
}

Tensor Tensor::maskedSelect(const Tensor &mask,
                            std::source_location where) const {
  const CallSite site(where.file_name(), where.line());
  const MethodScope method("maskedSelect");
  if (mask.dtype() != DType::Bool)
    throw DTypeError(std::string("maskedSelect: the mask is of ") +
                     name(mask.dtype()) + ", not of bool");
  checkOperands({this, &mask});
  if (isSharded({this, &mask})) {
    const Tensor &other = isSharded(*this) ? *this : mask;
    Device &first = *other.impl().device;
    return prim::copy(*this, first)
        .maskedSelect(prim::copy(mask, first), where)
        .shard(other.devices());
  }
  Tensor all = broadcastTo(mask, shape(), "maskedSelect").flatten();
  int64_t count = 0;
  Tensor places = placesOf(all, count);
  const SymInt size = countAsVariable(count, all.numel().max());
  return computeRows(prim::scatter(UpdateOp::Set,
                                   prim::constant(*this, 0, dtype(), {size}),
                                   places, flatten(), 0),
                     count);
}

Tensor Tensor::nonzero(std::source_location where) const {
  const CallSite site(where.file_name(), where.line());
  const MethodScope method("nonzero");
  if (isSharded(*this))
    return prim::copy(*this, *impl().device).nonzero(where).shard(devices());
  const DType dtype = positionDType(shape());
  Tensor all = toBool().flatten();
  int64_t count = 0;
  Tensor places = placesOf(all, count);
  if (ndim() == 0)
    return prim::constant(*this, 0, dtype, {count, 0});
  const SymInt rows = countAsVariable(count, all.numel().max());
  Tensor positions =
      prim::scatter(UpdateOp::Set, prim::constant(*this, 0, dtype, {rows}),
                    places, prim::iota(*this, 0, dtype, all.shape()), 0);
  std::vector<Tensor> columns(ndim());
  for (int64_t axis = ndim(); axis-- > 0;) {
    const SymInt size = shape()[axis];
    columns[axis] = axis == 0 ? positions : positions.mod(size);
    positions = positions.floordiv(size);
  }
  return computeRows(stack(columns, 1), count);
}
