//===- SetItem.cpp - tensors as indices -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Several index tensors are combined into one for a joint axis, which
/// indexSelect reads. A mask becomes the positions of its true elements.
///
//===----------------------------------------------------------------------===//

#include "SetItem.h"
#include "Primitives.h"
#include "Shards.h"

#include <algorithm>
#include <bit>
#include <numeric>

using namespace tinygrad;
using namespace tinygrad::detail;

Tensor detail::positionFromStart(const Tensor &index, SymInt size) {
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

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

SymInt detail::countAsVariable(int64_t count, int64_t most) {
  // Powers of two limit the number of bounds; memory is at most doubled.
  constexpr uint64_t minBound = 16;
  const uint64_t bound = std::bit_ceil(std::max(uint64_t(count), minBound));
  if (uint64_t(count) == uint64_t(most))
    return count;
  // A name that no variable of the source has.
  return Variable("~selected", 0, int64_t(std::min(bound, uint64_t(most))))
      .bind(count);
}

Tensor detail::computeRows(const Tensor &x, int64_t count) {
  Shape shape = x.shape();
  if (!shape[0].isSymbolic())
    return x;
  const uint64_t cutBits = prim::beginCut(x);
  const Buffer memory = x.buffer();
  // Rows are contiguous in memory whatever the sizes of the other axes.
  const std::size_t row = memory.size() / std::size_t(shape[0].max());
  shape[0] = count;
  Tensor rows = prim::buffer(
      Graph(x.impl().graph),
      memory.view(0, row * std::size_t(count), x.dtype()), x.dtype(), shape);
  prim::markCut(x, rows, cutBits);
  return rows;
}

/// The positions of the true elements of a mask, by axis. Computes the mask.
static std::vector<std::vector<int64_t>> listPositions(const Tensor &mask) {
  const std::vector<int64_t> sizes = mask.concreteShape();
  const std::vector<bool> holds = mask.tolist<bool>(std::source_location());
  std::vector<std::vector<int64_t>> positions(sizes.size());
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (!holds[i])
      continue;
    int64_t rest = int64_t(i);
    for (std::size_t axis = sizes.size(); axis-- > 0; rest /= sizes[axis])
      positions[axis].push_back(rest % sizes[axis]);
  }
  return positions;
}

/// listPositions() as tensors, on the devices of the mask.
static std::vector<Tensor> positionsOf(const Tensor &mask) {
  GraphScope scope{Graph(mask.impl().graph)};
  const TensorOptions options{positionDType(mask.shape()), mask.device()};
  std::vector<Tensor> result;
  for (const std::vector<int64_t> &list : listPositions(mask))
    result.push_back(Tensor::from(list, options));
  if (isSharded(mask))
    for (Tensor &positions : result)
      positions = positions.shard(mask.devices());
  return result;
}

namespace {
/// The axes that several tensors select from, joined into one.
struct Joined {
  /// A view in which they are one axis.
  Tensor x;
  int64_t axis;
  /// Positions in that axis, out of range if one of the given positions was.
  Tensor position;
};
} // namespace

/// Joins the selected axes. The joint axis is at the place of the first one, or
/// in front if they are not adjacent.
static Joined join(Tensor x, std::vector<int64_t> axes,
                   const std::vector<Tensor> &indices) {
  if (axes.size() == 1)
    return {x, axes[0], indices[0]};
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
  for (const Tensor &index : indices) {
    if (!canBroadcast(shape, index.shape()))
      throw ShapeError("index: positions of shapes " + toString(shape) +
                       " and " + toString(index.shape()) +
                       " cannot be broadcast together");
    shape = broadcastShapes({&shape, &index.shape()}, "index");
  }
  const int64_t first = axes.front();
  Shape sizes;
  for (int64_t axis : axes)
    sizes.push_back(x.shape()[axis]);
  const SymInt total = checkedNumElements(sizes, DType::Bool, "index");
  const DType dtype = total.max() > 0x7fffffff ? DType::Int64 : DType::Int32;
  Tensor position, isInside;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const SymInt size = x.shape()[axes[i]];
    Tensor index = positionFromStart(indices[i], size);
    Tensor fits = index < size;
    if (!isUnsigned(index.dtype()))
      fits = fits & (index >= 0);
    index = index.cast(dtype);
    isInside = isInside.defined() ? isInside & fits : fits;
    position = position.defined() ? position * size + index : index;
  }
  return {x.flatten(first, first + int64_t(axes.size()) - 1), first,
          isInside.where(position, total)};
}

/// Joins after replacing masks by positions.
static Joined joinAll(const IndexTarget &target) {
  std::vector<int64_t> axes;
  std::vector<Tensor> indices;
  for (std::size_t i = 0; i < target.axes.size(); ++i) {
    int64_t axis = target.axes[i];
    if (target.indices[i].dtype() != DType::Bool) {
      axes.push_back(axis);
      indices.push_back(target.indices[i]);
      continue;
    }
    for (const Tensor &positions : positionsOf(target.indices[i])) {
      axes.push_back(axis++);
      indices.push_back(positions);
    }
  }
  return join(target.view, axes, indices);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The elements of \p x selected by a mask of the axes from \p axis on,
/// computed by a program that takes their number as a variable.
static Tensor selectByMask(const Tensor &x, const Tensor &mask, int64_t axis) {
  const std::vector<std::vector<int64_t>> lists = listPositions(mask);
  const auto count = int64_t(lists[0].size());
  int64_t most = 1;
  for (const SymInt &extent : mask.shape())
    most *= extent.max();
  const SymInt size = countAsVariable(count, most);
  const DType dtype = positionDType(mask.shape());
  Device &device = *mask.impl().device;
  std::vector<int64_t> axes;
  std::vector<Tensor> positions;
  for (const std::vector<int64_t> &list : lists) {
    axes.push_back(axis + int64_t(axes.size()));
    Buffer memory = Buffer::allocate(
        device, std::size_t(size.max()) * itemSize(dtype), dtype);
    if (dtype == DType::Int64) {
      memory.copyIn(list.data(), list.size() * sizeof(int64_t));
    } else {
      const std::vector<int32_t> narrow(list.begin(), list.end());
      memory.copyIn(narrow.data(), narrow.size() * sizeof(int32_t));
    }
    positions.push_back(
        prim::buffer(Graph(x.impl().graph), memory, dtype, {size}));
  }
  const Joined joined = join(x, axes, positions);
  std::vector<int64_t> order(std::size_t(joined.x.ndim())), back;
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + axis, order.begin() + axis + 1);
  for (int64_t i = 0; i < joined.x.ndim(); ++i)
    back.push_back(i == axis ? 0 : i < axis ? i + 1 : i);
  return computeRows(joined.x.indexSelect(axis, joined.position).permute(order),
                     count)
      .permute(back);
}

TensorImpl &Selection::get() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (result.defined())
      return result.impl();
  }
  // Not under this lock, because the graph's lock is taken. If two threads both
  // compute it, the results are equal.
  Tensor selected = selectByMask(source, mask, axis);
  std::lock_guard<std::mutex> lock(mutex);
  if (!result.defined())
    result = selected;
  return result.impl();
}

/// Reads the elements at the positions; masks are computed.
static Tensor selectPositions(const IndexTarget &target) {
  const Joined joined = joinAll(target);
  return joined.x.indexSelect(joined.axis, joined.position);
}

Tensor IndexTarget::select() const {
  if (!isMask())
    return selectPositions(*this);
  if (isSharded({&view, &indices[0]})) {
    // Computed on the first device, and copied to all.
    const Tensor &other = isSharded(view) ? view : indices[0];
    Device &first = *other.impl().device;
    return selectByMask(prim::copy(view, first), prim::copy(indices[0], first),
                        axes[0])
        .shard(other.devices());
  }
  // Takes both values now, in case they are assigned to later.
  Tensor mask = prim::alias(indices[0]);
  mask.impl().selection = std::make_shared<Selection>(
      prim::alias(view), prim::alias(mask), axes[0]);
  return mask;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Assigns \p values to the elements of \p target at \p position, of rank 1,
/// along \p axis. \p values has the shape of the target except for that axis.
static void assignAt(Tensor target, int64_t axis, const Tensor &position,
                     const Tensor &values) {
  Shape ones(target.ndim(), 1);
  ones[axis] = position.shape()[0];
  const Tensor index = positionFromStart(position, target.shape()[axis])
                           .reshape(ones)
                           .expand(values.shape());
  target.assign(prim::scatter(UpdateOp::Set, target, index, values, axis));
}

/// The mask of an index, broadcast to the indexed shape.
static Tensor maskOf(const IndexTarget &target) {
  const Tensor &mask = target.indices[0];
  Shape shape(target.axes[0], 1);
  shape.insert(shape.end(), mask.shape().begin(), mask.shape().end());
  shape.resize(std::size_t(target.view.ndim()), 1);
  return mask.reshape(shape);
}

/// Whether \p value is the same for all positions that a mask selects: no axis
/// of it counts them.
static bool isUniform(const Operand &value, const IndexTarget &target) {
  const int64_t inner =
      target.view.ndim() - target.axes[0] - target.indices[0].ndim();
  return !value.tensor() || value.tensor()->ndim() <= inner;
}

void IndexTarget::assign(const Operand &value) const {
  const MethodScope method("setitem");
  Tensor target = view;
  if (const Tensor *tensor = value.tensor()) {
    if (tensor->dtype() != view.dtype())
      throw DTypeError(std::string("assign: a value of ") +
                       name(tensor->dtype()) + " to a tensor of " +
                       name(view.dtype()) + "; cast it first");
    checkOperands({&view, tensor});
  } else {
    checkFits(value.scalar(), view.dtype(), "assign");
  }
  if (isMask() && isUniform(value, *this)) {
    if (value.tensor() && !canBroadcast(view.shape(), value.tensor()->shape()))
      throw ShapeError("assign: a value of shape " +
                       toString(value.tensor()->shape()) +
                       " does not fit what a mask selects of a tensor of "
                       "shape " +
                       toString(view.shape()));
    target.assign(maskOf(*this).where(value, view));
    return;
  }
  const Joined joined = joinAll(*this);
  // The shape of the selection, and its shape with all positions as one axis.
  const Shape &all = joined.x.shape(), &positions = joined.position.shape();
  Shape selected(all.begin(), all.begin() + joined.axis), flat = selected;
  selected.insert(selected.end(), positions.begin(), positions.end());
  flat.push_back(joined.position.numel());
  for (Shape *shape : {&selected, &flat})
    shape->insert(shape->end(), all.begin() + joined.axis + 1, all.end());
  const Tensor values =
      value.tensor()
          ? broadcastTo(*value.tensor(), selected, "assign").reshape(flat)
          : prim::constant(view, value.scalar(), view.dtype(), flat);
  assignAt(joined.x, joined.axis, joined.position.flatten(), values);
}

Tensor IndexedTensor::assign(const Operand &value) && {
  if (!target)
    return Tensor::assign(value);
  target->assign(value);
  return target->select();
}

Tensor IndexedTensor::update(BinaryOperator op, const Operand &operand) && {
  // A mask with a uniform value needs no count of its elements.
  if (target && target->isMask() && isUniform(operand, *target)) {
    Tensor view = target->view;
    Tensor value = apply(op, view, operand);
    if (value.shape() == view.shape()) {
      view.assign(maskOf(*target).where(value, view));
      return target->select();
    }
  }
  // For a mask, selectPositions() makes reading the selected elements a part of
  // the program that assigns.
  const Tensor value = apply(
      op, target && target->isMask() ? selectPositions(*target) : Tensor(*this),
      operand);
  return std::move(*this).assign(value);
}

Tensor &Tensor::setitem(const std::vector<Index> &entries,
                        const Operand &value) {
  index(entries) = value;
  return *this;
}
