//===- Shards.cpp - tensors on several devices ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Along which axis the results of operations are parts, and what moves
/// between devices: the sum over parts, copies put together, other axes.
///
//===----------------------------------------------------------------------===//

#include "Shards.h"
#include "Aliasing.h"
#include "GraphImpl.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::detail;

static const Shards &shardsOf(const Tensor &x) { return *x.impl().shards; }

static std::vector<Device *> devicesOf(const Tensor &x) {
  std::vector<Device *> devices;
  if (!isSharded(x))
    return {x.impl().device};
  for (const Tensor &part : shardsOf(x).parts)
    devices.push_back(part.impl().device);
  return devices;
}

static std::string nameOf(const std::vector<Device *> &devices) {
  std::string names;
  for (Device *device : devices)
    names += (names.empty() ? "" : ", ") + device->name();
  return devices.size() == 1 ? names : "(" + names + ")";
}

/// "(CPU:1, CPU:2) along axis 0", for messages.
static std::string placeOf(const Tensor &x) {
  const std::string axis =
      shardsOf(x).axis ? "parts along axis " + std::to_string(*shardsOf(x).axis)
                       : "copies";
  return axis + " on " + nameOf(devicesOf(x));
}

//===----------------------------------------------------------------------===//
// Making and putting together
//===----------------------------------------------------------------------===//

Tensor shards::make(std::vector<Tensor> parts, std::optional<int64_t> axis) {
  const TensorImpl &first = parts.front().impl();
  Shape shape = first.shape;
  if (axis)
    shape[*axis] = shape[*axis] * int64_t(parts.size());
  auto impl = std::make_shared<TensorImpl>(first.graph, first.dtype,
                                           std::move(shape), first.device);
  auto shards = std::make_shared<Shards>();
  shards->parts = std::move(parts);
  shards->axis = axis;
  shards->gathered.isInternal = true;
  impl->shards = std::move(shards);
  return Tensor(std::move(impl));
}

static Tensor copyTo(const Tensor &x, Device &device) {
  return x.impl().device == &device ? prim::alias(x) : prim::copy(x, device);
}

/// The part number \p i of \p count along an axis.
static Tensor slice(const Tensor &x, int64_t axis, std::size_t i,
                    std::size_t count) {
  Shape from(x.shape().size(), 0), to = x.shape();
  const SymInt size = to[axis] / int64_t(count);
  from[axis] = size * int64_t(i);
  to[axis] = size * int64_t(i + 1);
  return prim::Movements(x).shrink(from, to).tensor();
}

static void checkDivisible(const Shape &shape, int64_t axis, std::size_t count,
                           const char *what) {
  const SymInt &size = shape[axis];
  if (size.isSymbolic() || size.value() % int64_t(count) != 0)
    throw Error(std::string(what) + ": axis " + std::to_string(axis) +
                " of a tensor of shape " + toString(shape) +
                " has no equal parts for " + std::to_string(count) +
                " devices");
}

/// Copies on all devices. None is an operand of another one, so that gradients
/// by one are not those by others.
static Tensor copyToAll(const Tensor &x, const std::vector<Device *> &devices) {
  std::vector<Tensor> copies;
  for (Device *device : devices) {
    if (x.impl().device != device) {
      copies.push_back(prim::copy(x, *device));
      continue;
    }
    // An operation of its own, which needs no memory if the tensor has some:
    // tg.contiguous of memory would be folded.
    Shape shape = x.shape();
    shape.insert(shape.begin(), 1);
    const Tensor own =
        prim::contiguous(prim::Movements(x).reshape(shape).tensor());
    copies.push_back(prim::Movements(own).reshape(x.shape()).tensor());
  }
  return shards::make(std::move(copies), std::nullopt);
}

Tensor shards::distribute(const Tensor &x, const std::vector<Device *> &devices,
                          std::optional<int64_t> axis) {
  if (!axis)
    return copyToAll(x, devices);
  checkDivisible(x.shape(), *axis, devices.size(), "shard");
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < devices.size(); ++i)
    parts.push_back(copyTo(slice(x, *axis, i, devices.size()), *devices[i]));
  return make(std::move(parts), axis);
}

/// Parts along an axis as one tensor on a device.
static Tensor join(const std::vector<Tensor> &parts, int64_t axis,
                   Device &device) {
  std::vector<Tensor> copies;
  for (const Tensor &part : parts)
    copies.push_back(copyTo(part, device));
  return Tensor::cat(copies, axis);
}

Tensor shards::gather(const Tensor &x, Device &device) {
  if (!isSharded(x))
    return copyTo(x, device);
  const Shards &shards = shardsOf(x);
  if (shards.axis)
    return join(shards.parts, *shards.axis, device);
  // A copy that is there already, if there is one.
  for (const Tensor &part : shards.parts)
    if (part.impl().device == &device)
      return prim::alias(part);
  return prim::copy(shards.parts.front(), device);
}

Tensor shards::withAxis(const Tensor &x, std::optional<int64_t> axis) {
  const Shards &shards = shardsOf(x);
  const std::size_t count = shards.parts.size();
  if (axis == shards.axis)
    return x;
  if (axis)
    checkDivisible(x.shape(), *axis, count, "shard");
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < count; ++i) {
    if (!shards.axis) {
      parts.push_back(slice(shards.parts[i], *axis, i, count));
      continue;
    }
    // Only what the device needs is copied to it.
    std::vector<Tensor> pieces = shards.parts;
    if (axis)
      for (Tensor &piece : pieces)
        piece = slice(piece, *axis, i, count);
    parts.push_back(join(pieces, *shards.axis, *shards.parts[i].impl().device));
  }
  return make(std::move(parts), axis);
}

Tensor shards::withWholeAxis(const Tensor &x, int64_t axis) {
  return shardsOf(x).axis == axis ? withAxis(x, std::nullopt) : x;
}

//===----------------------------------------------------------------------===//
// Operations on parts
//===----------------------------------------------------------------------===//

Tensor shards::map(const Tensor &x, std::optional<int64_t> axis,
                   const Function &function) {
  std::vector<Tensor> parts;
  for (const Tensor &part : shardsOf(x).parts)
    parts.push_back(function(part));
  return make(std::move(parts), axis);
}

Tensor shards::map(const Tensor &x, const Function &function) {
  return map(x, shardsOf(x).axis, function);
}

Tensor shards::asView(Tensor view, const Tensor &x) {
  view.impl().shards->isPicked = shardsOf(x).isPicked;
  return view;
}

/// Whether the value of a tensor depends on no memory: it is the same on all
/// devices.
static bool isOfNumbers(const Tensor &x) {
  // Masks and positions take a few; the walk must not cost more than they do.
  constexpr unsigned kMostOps = 1024;
  GraphImpl &graph = *x.impl().graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  llvm::SmallSetVector<mlir::Operation *, 16> seen;
  seen.insert(graph.operation(x.impl()));
  for (unsigned i = 0; i < seen.size(); ++i) {
    if (i == kMostOps ||
        llvm::isa<mlir::tg::BufferOp, mlir::tg::CopyOp>(seen[i]))
      return false;
    for (mlir::Value operand : seen[i]->getOperands())
      seen.insert(operand.getDefiningOp());
  }
  return true;
}

static bool hasOneElement(const Tensor &x) {
  const SymInt count = x.numel();
  return !count.isSymbolic() && count.value() == 1;
}

/// The element of a tensor whose other axes were expanded from it.
static bool isExpanded(const Tensor &x) {
  GraphImpl &graph = *x.impl().graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  mlir::Operation *op = graph.operation(x.impl());
  while (llvm::isa<mlir::tg::ExpandOp, mlir::tg::ReshapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto type = llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  return type.hasStaticShape() && type.getNumElements() == 1;
}

/// Copies of a tensor on one device.
static Tensor spread(const Tensor &x, const std::vector<Device *> &devices) {
  GraphImpl &graph = *x.impl().graph;
  std::vector<Tensor> parts;
  if (isOfNumbers(x)) {
    std::lock_guard<GraphMutex> lock(graph.mutex);
    mlir::Operation *op = graph.operation(x.impl());
    for (Device *device : devices)
      parts.push_back(graph.wrap(op, device));
  } else {
    for (Device *device : devices)
      parts.push_back(copyTo(x, *device));
  }
  return shards::make(std::move(parts), std::nullopt);
}

static bool canSpread(const Tensor &x) {
  return hasOneElement(x) || isExpanded(x) || isOfNumbers(x);
}

void tinygrad::detail::checkShards(
    std::initializer_list<const Tensor *> operands) {
  const Tensor *first = nullptr;
  for (const Tensor *operand : operands)
    if (!first && isSharded(*operand))
      first = operand;
  const std::vector<Device *> devices = devicesOf(*first);
  for (const Tensor *operand : operands) {
    if (operand->impl().graph != first->impl().graph)
      throw Error("operands are tensors of different graphs");
    if (isSharded(*operand) ? devicesOf(*operand) != devices
                            : !canSpread(*operand))
      throw DeviceError(
          "operands are on different devices: " + nameOf(devices) + " and " +
          nameOf(devicesOf(*operand)) + "; use shard() of the latter");
  }
}

Tensor shards::combine(
    std::initializer_list<const Tensor *> operands,
    const std::function<Tensor(const std::vector<Tensor> &)> &function) {
  checkShards(operands);
  std::vector<Device *> devices;
  std::optional<int64_t> axis;
  for (const Tensor *operand : operands)
    if (isSharded(*operand)) {
      devices = devicesOf(*operand);
      if (!axis)
        axis = shardsOf(*operand).axis;
    }
  std::vector<Tensor> aligned;
  for (const Tensor *operand : operands)
    aligned.push_back(withAxis(
        isSharded(*operand) ? *operand : spread(*operand, devices), axis));
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    std::vector<Tensor> ofDevice;
    for (const Tensor &operand : aligned)
      ofDevice.push_back(shardsOf(operand).parts[i]);
    parts.push_back(function(ofDevice));
  }
  return make(std::move(parts), axis);
}

static BinaryOp binaryOf(ReduceOp op) {
  switch (op) {
  case ReduceOp::Add:
    return BinaryOp::Add;
  case ReduceOp::Mul:
    return BinaryOp::Mul;
  case ReduceOp::Max:
    break;
  }
  return BinaryOp::Max;
}

/// Parts combined in the order in which they are given.
static Tensor combineOn(Device &device, ReduceOp op,
                        const std::vector<Tensor> &parts) {
  Tensor all;
  for (const Tensor &part : parts) {
    const Tensor here = copyTo(part, device);
    all = all.defined() ? prim::binary(binaryOf(op), all, here) : here;
  }
  return all;
}

/// From this many elements on, each device combines only a part of them, and
/// gets the others combined: it receives about two tensors instead of one from
/// each other device.
static constexpr int64_t kCombinedInParts = 1 << 14;

/// The axis along which the devices divide up the work of combining tensors;
/// none if each should do all of it.
static std::optional<int64_t> getCombinedAxis(const Shape &shape,
                                              std::size_t count) {
  SymInt elements = 1;
  for (const SymInt &size : shape)
    elements *= size;
  // Two devices exchange as much either way.
  if (count < 3 || elements.isSymbolic() || elements.value() < kCombinedInParts)
    return std::nullopt;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis].value() % int64_t(count) == 0)
      return int64_t(axis);
  return std::nullopt;
}

/// On each device, the same: all parts combined in the order of the devices.
static Tensor allReduce(ReduceOp op, std::vector<Tensor> parts,
                        const std::vector<Device *> &devices) {
  const std::size_t count = devices.size();
  const std::optional<int64_t> axis =
      getCombinedAxis(parts.front().shape(), count);
  std::vector<Tensor> results;
  if (!axis) {
    for (Device *device : devices)
      results.push_back(combineOn(*device, op, parts));
    return shards::make(std::move(results), std::nullopt);
  }
  // Computed at once, not a piece at a time.
  for (Tensor &part : parts)
    part = prim::contiguous(part);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Tensor> pieces;
    for (const Tensor &part : parts)
      pieces.push_back(slice(part, *axis, i, count));
    results.push_back(combineOn(*devices[i], op, pieces));
  }
  return shards::withAxis(shards::make(std::move(results), axis), std::nullopt);
}

Tensor shards::reduce(ReduceOp op, const Tensor &x,
                      const std::vector<int64_t> &axes) {
  Tensor partial =
      map(x, [&](const Tensor &part) { return prim::reduce(op, part, axes); });
  const Shards &shards = shardsOf(partial);
  if (!shards.axis ||
      std::find(axes.begin(), axes.end(), *shards.axis) == axes.end())
    return partial;
  return allReduce(op, shards.parts, devicesOf(x));
}

void shards::checkAxis(const Tensor &x, int64_t axis, const char *what) {
  if (shardsOf(x).axis == axis)
    throw ShapeError(std::string(what) + ": along axis " +
                     std::to_string(axis) + " of a tensor " +
                     toString(x.shape()) + " that is " + placeOf(x) +
                     "; move it to one device, or shard it along another axis");
}

Tensor shards::scatter(UpdateOp op, const Tensor &base, const Tensor &index,
                       const Tensor &updates, int64_t axis) {
  if (isSharded(base))
    checkAxis(base, axis, "scatter");
  auto getWhole = [&](const Tensor &x) {
    return isSharded(x) ? withWholeAxis(x, axis) : x;
  };
  const Tensor positions = getWhole(index), values = getWhole(updates);
  return combine({&base, &positions, &values},
                 [&](const std::vector<Tensor> &parts) {
                   return prim::scatter(op, parts[0], parts[1], parts[2], axis);
                 });
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// The axis that begins where \p axis of \p from does and has equal parts for
/// \p count devices.
static std::optional<int64_t> findAxis(const Shape &from, int64_t axis,
                                       const Shape &to, std::size_t count) {
  SymInt before = 1, product = 1;
  for (int64_t i = 0; i < axis; ++i)
    before *= from[i];
  std::optional<int64_t> found;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (product == before && !to[i].isSymbolic() &&
        to[i].value() % int64_t(count) == 0)
      found = int64_t(i);
    product *= to[i];
  }
  return found;
}

Tensor shards::reshape(const Tensor &x, const Shape &shape,
                       const Reshape &function) {
  const Shards &shards = shardsOf(x);
  if (!shards.axis)
    return asView(
        map(x, [&](const Tensor &part) { return function(part, shape); }), x);
  const std::optional<int64_t> axis =
      findAxis(x.shape(), *shards.axis, shape, shards.parts.size());
  if (!axis)
    throw ShapeError(
        "reshape: of " + toString(x.shape()) + " to " + toString(shape) +
        " would move elements between devices, the tensor is " + placeOf(x));
  Shape part = shape;
  part[*axis] = part[*axis] / int64_t(shards.parts.size());
  return asView(
      map(x, axis, [&](const Tensor &y) { return function(y, part); }), x);
}

Tensor shards::expand(const Tensor &x, const Shape &shape,
                      const Reshape &function) {
  const Shards &shards = shardsOf(x);
  Shape part = shape;
  if (shards.axis)
    part[*shards.axis] = part[*shards.axis] / int64_t(shards.parts.size());
  return asView(map(x, [&](const Tensor &y) { return function(y, part); }), x);
}

Tensor shards::permute(const Tensor &x, const std::vector<int64_t> &order,
                       const Function &function) {
  std::optional<int64_t> axis = shardsOf(x).axis;
  if (axis)
    axis = std::find(order.begin(), order.end(), *axis) - order.begin();
  return asView(map(x, axis, function), x);
}

Tensor shards::shrink(const Tensor &x, const Shape &from, const Shape &to,
                      const Range &function) {
  const Shards &shards = shardsOf(x);
  if (!shards.axis)
    return asView(
        map(x, [&](const Tensor &part) { return function(part, from, to); }),
        x);
  const int64_t axis = *shards.axis;
  const SymInt &begin = from[axis], &end = to[axis];
  Shape first = from, last = to;
  first[axis] = 0;
  last[axis] = shards.parts.front().shape()[axis];
  const bool isAll = begin == SymInt(0) && end == x.shape()[axis];
  if (isAll)
    return asView(
        map(x, [&](const Tensor &part) { return function(part, first, last); }),
        x);
  // One part is copied to all devices.
  for (std::size_t i = 0; i < shards.parts.size(); ++i)
    if (begin == last[axis] * int64_t(i) &&
        end == last[axis] * int64_t(i + 1)) {
      Tensor picked =
          copyToAll(function(shards.parts[i], first, last), devicesOf(x));
      picked.impl().shards->isPicked = true;
      return picked;
    }
  throw ShapeError("shrink: from " + begin.str() + " to " + end.str() +
                   " along axis " + std::to_string(axis) +
                   " is no device's part of a tensor " + toString(x.shape()) +
                   " that is " + placeOf(x));
}

Tensor shards::pad(const Tensor &x, const Shape &low, const Shape &high,
                   const Function &function) {
  if (const std::optional<int64_t> axis = shardsOf(x).axis)
    if (!(low[*axis] == SymInt(0)) || !(high[*axis] == SymInt(0)))
      checkAxis(x, *axis, "pad");
  return asView(map(x, function), x);
}

Tensor shards::strided(const Tensor &x, const Shape &shape,
                       const Shape &strides, const Range &function) {
  const Shards &shards = shardsOf(x);
  if (!shards.axis)
    return map(
        x, [&](const Tensor &part) { return function(part, shape, strides); });
  // The axis whose positions are those of the first axis, if others do not
  // reach beyond one of them.
  SymInt inner = 1;
  for (std::size_t i = 1; i < x.shape().size(); ++i)
    inner *= x.shape()[i];
  std::optional<std::size_t> axis;
  SymInt reach = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!axis && strides[i] == inner && shape[i] == x.shape()[0])
      axis = i;
    else
      reach += (shape[i] - 1) * strides[i];
  }
  if (*shards.axis != 0 || !axis || reach.max() > inner.min())
    throw ShapeError("windows: of a tensor " + toString(x.shape()) +
                     " that is " + placeOf(x) +
                     "; only parts along the first axis have windows of "
                     "their own");
  Shape part = shape;
  part[*axis] = part[*axis] / int64_t(shards.parts.size());
  return map(x, int64_t(*axis),
             [&](const Tensor &y) { return function(y, part, strides); });
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

Tensor shards::seed(const Tensor &x, const OptionalTensor &cotangent,
                    const char *method) {
  if (!cotangent && !hasOneElement(x))
    throw ShapeError(std::string(method) + ": a tensor of shape " +
                     toString(x.shape()) +
                     " needs a cotangent of this shape; only one with a "
                     "single element has a gradient by itself");
  Tensor product =
      cotangent ? prim::binary(BinaryOp::Mul, x, cotangent->detach()) : x;
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < x.ndim(); ++i)
    axes.push_back(i);
  // One copy stands for all.
  return shardsOf(prim::reduce(ReduceOp::Add, product, axes)).parts.front();
}

Tensor shards::joinGradients(const Tensor &x, std::vector<Tensor> gradients) {
  const Shards &shards = shardsOf(x);
  if (!shards.axis) {
    // What each copy contributes is a part of the sum.
    std::vector<Tensor> found;
    for (Tensor &gradient : gradients)
      if (gradient.defined())
        found.push_back(std::move(gradient));
    return allReduce(ReduceOp::Add, found, devicesOf(x));
  }
  for (std::size_t i = 0; i < gradients.size(); ++i)
    if (!gradients[i].defined())
      gradients[i] = shards.parts[i].zerosLike();
  return make(std::move(gradients), shards.axis);
}

Tensor shards::takeGradient(const Tensor &x) {
  TensorImpl &tensor = x.impl();
  std::lock_guard<GraphMutex> lock(tensor.graph->mutex);
  std::vector<Tensor> gradients;
  bool isNew = false;
  for (const Tensor &part : tensor.shards->parts) {
    gradients.push_back(part.grad());
    isNew |= gradients.back().defined();
  }
  if (!isNew)
    return tensor.grad;
  const Tensor added = joinGradients(x, std::move(gradients));
  tensor.grad = tensor.grad.defined() ? tensor.grad + added : added;
  for (Tensor &part : tensor.shards->parts)
    part.setGrad({});
  return tensor.grad;
}

std::vector<Tensor> shards::gradient(const Tensor &output,
                                     const std::vector<Tensor> &wrt,
                                     const OptionalTensor &cotangent) {
  std::vector<Tensor> parts;
  for (const Tensor &tensor : wrt)
    for (const Tensor &part : tensor.shards())
      parts.push_back(part);
  // Not every copy contributes.
  const bool isOnOne = !isSharded(output);
  const std::vector<Tensor> gradients =
      (isOnOne ? output : seed(output, cotangent, "gradient"))
          .gradient(parts, isOnOne ? cotangent : OptionalTensor(),
                    /*allowUnused=*/true);
  std::vector<Tensor> results;
  auto next = gradients.begin();
  for (const Tensor &tensor : wrt) {
    const std::size_t count = tensor.shards().size();
    std::vector<Tensor> ofParts(next, next + int64_t(count));
    next += int64_t(count);
    results.push_back(isSharded(tensor)
                          ? joinGradients(tensor, std::move(ofParts))
                          : ofParts.front());
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

void shards::assign(const Tensor &target, const Operand &value) {
  if (!isSharded(target))
    throw DeviceError("assign: a value on " +
                      nameOf(devicesOf(*value.tensor())) + " to a tensor on " +
                      target.device());
  if (shardsOf(target).isPicked)
    throw Error("assign: the tensor " + describe(target) +
                " consists of copies of one device's part; assign to the whole "
                "tensor, or to a part along another axis");
  std::vector<Tensor> parts = shardsOf(target).parts;
  if (!value.tensor()) {
    for (Tensor &part : parts)
      part.assign(value);
    return;
  }
  checkShards({&target, value.tensor()});
  Tensor source = broadcastTo(*value.tensor(), target.shape(), "assign");
  if (!isSharded(source))
    source = spread(source, devicesOf(target));
  source = withAxis(source, shardsOf(target).axis);
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i].assign(shardsOf(source).parts[i]);
}

void shards::replace(Tensor target, const Tensor &value) {
  TensorImpl &tensor = target.impl(), &source = value.impl();
  GraphImpl &graph = *tensor.graph;
  std::shared_ptr<Shards> parts;
  if (source.shards)
    parts = prim::alias(value).impl().shards;
  const bool requiresGrad = target.requiresGrad();
  target.setRequiresGrad(false);
  Storage::leave(tensor);
  graph.release(tensor);
  if (tensor.shards)
    graph.release(tensor.shards->gathered);
  tensor.shards = std::move(parts);
  tensor.dtype = source.dtype;
  tensor.shape = source.shape;
  tensor.device = source.device;
  if (!source.shards) {
    graph.rebind(tensor, graph.operation(source));
    if (source.storage && !source.storage->isRoot(source))
      Storage::add(source.storage, tensor, source.movement);
  }
  target.setRequiresGrad(requiresGrad);
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

static std::vector<Device *>
findDevices(const std::vector<std::string> &names) {
  if (names.empty())
    throw DeviceError("shard: there are no devices");
  std::vector<Device *> devices;
  for (const std::string &name : names)
    devices.push_back(&Device::get(name));
  for (std::size_t i = 0; i < devices.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (devices[i] == devices[j])
        throw DeviceError("shard: device " + devices[i]->name() +
                          " is given twice");
  return devices;
}

Tensor Tensor::shard(const std::vector<std::string> &devices,
                     std::optional<int64_t> axis) const {
  const MethodScope method("shard");
  const std::vector<Device *> targets = findDevices(devices);
  if (isSharded(*this))
    throw Error("shard: the tensor " + toString(shape()) + " is " +
                placeOf(*this) + " already; move it to one device first");
  if (axis)
    axis = normalizeAxis(*axis, ndim(), "shard");
  if (targets.size() == 1)
    return to(targets.front()->name());
  return shards::distribute(*this, targets, axis);
}

Tensor Tensor::shardLike(const Tensor &other) const {
  if (!isSharded(other))
    return isSharded(*this) || device() != other.device() ? to(other.device())
                                                          : *this;
  if (isSharded(*this)) {
    if (devicesOf(*this) == devicesOf(other) &&
        shardAxis() == other.shardAxis())
      return *this;
    throw Error("shardLike: the tensor " + toString(shape()) + " is " +
                placeOf(*this) + ", the other one " + placeOf(other) +
                "; move it to one device first");
  }
  return shard(other.devices(), other.shardAxis());
}

std::vector<std::string> Tensor::devices() const {
  std::vector<std::string> names;
  for (Device *device : devicesOf(*this))
    names.push_back(device->name());
  return names;
}

std::optional<int64_t> Tensor::shardAxis() const {
  return isSharded(*this) ? shardsOf(*this).axis : std::nullopt;
}

std::vector<Tensor> Tensor::shards() const {
  return isSharded(*this) ? shardsOf(*this).parts : std::vector<Tensor>{*this};
}
