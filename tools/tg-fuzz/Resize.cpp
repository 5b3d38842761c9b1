//===- Resize.cpp - smaller shapes for a graph ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Changes the size of one axis and follows the consequences from operation to
/// operation, in both directions.
///
//===----------------------------------------------------------------------===//

#include "Shrinker.h"

#include "Generator.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Interpreter/Interpreter.h"
#include "support/ToolSupport.h"

#include <cstring>
#include <deque>

using namespace mlir;
using namespace mlir::tg;

namespace {
class Resizer {
public:
  explicit Resizer(func::FuncOp function) : function(function) {}

  bool run(Value value, int64_t axis, int64_t size);

private:
  ArrayRef<int64_t> shape(Value value);
  bool isFixed(Value value, int64_t axis);
  bool set(Value value, int64_t axis, int64_t size);
  bool same(Value a, int64_t axisA, Value b, int64_t axisB);
  bool enforce(Operation *op);
  bool enforceShrink(ShrinkOp op);
  bool enforceReshape(ReshapeOp op);
  bool apply();

  func::FuncOp function;
  DenseMap<Value, SmallVector<int64_t>> shapes;
  /// Axes that were given a size and keep it.
  DenseSet<std::pair<Value, int64_t>> fixed;
  std::deque<Operation *> queue;
};
} // namespace

/// The shape as decided so far.
ArrayRef<int64_t> Resizer::shape(Value value) {
  auto [it, isNew] = shapes.try_emplace(value);
  if (isNew)
    it->second.assign(
        cast<RankedTensorType>(value.getType()).getShape().begin(),
        cast<RankedTensorType>(value.getType()).getShape().end());
  return it->second;
}

bool Resizer::isFixed(Value value, int64_t axis) {
  return fixed.contains({value, axis});
}

bool Resizer::set(Value value, int64_t axis, int64_t size) {
  if (shape(value)[axis] == size)
    return true;
  if (size < 0 || isFixed(value, axis))
    return false;
  shapes[value][axis] = size;
  fixed.insert({value, axis});
  if (Operation *op = value.getDefiningOp())
    queue.push_back(op);
  for (Operation *user : value.getUsers())
    queue.push_back(user);
  return true;
}

/// Both axes have one size: the one that was changed decides.
bool Resizer::same(Value a, int64_t axisA, Value b, int64_t axisB) {
  int64_t sizeA = shape(a)[axisA], sizeB = shape(b)[axisB];
  if (sizeA == sizeB)
    return true;
  return isFixed(a, axisA) ? set(b, axisB, sizeA) : set(a, axisA, sizeB);
}

bool Resizer::enforceShrink(ShrinkOp op) {
  Value x = op.getX(), result = op.getResult();
  auto from = getStaticDims(op.getFrom()), to = getStaticDims(op.getTo());
  if (!from || !to)
    return false;
  for (size_t axis = 0; axis < from->size(); ++axis) {
    int64_t length = shape(result)[axis];
    if (!isFixed(result, axis))
      length = std::min(length, shape(x)[axis]);
    if (length > shape(x)[axis] || !set(result, axis, length))
      return false;
    (*from)[axis] = std::min((*from)[axis], shape(x)[axis] - length);
    (*to)[axis] = (*from)[axis] + length;
  }
  op.setFromAttr(getDimArrayAttr(op.getContext(), *from));
  op.setToAttr(getDimArrayAttr(op.getContext(), *to));
  return true;
}

/// Axes of both shapes in groups with equal products; within a group one axis
/// can be resized if that of the other side follows in whole numbers.
bool Resizer::enforceReshape(ReshapeOp op) {
  Value x = op.getX(), result = op.getResult();
  ArrayRef<int64_t> from = cast<RankedTensorType>(x.getType()).getShape();
  ArrayRef<int64_t> to = cast<RankedTensorType>(result.getType()).getShape();
  auto product = [](ArrayRef<int64_t> sizes) {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    return count;
  };
  if (product(from) == 0)
    return product(shape(x)) == product(shape(result));
  size_t a = 0, b = 0;
  while (a < from.size() || b < to.size()) {
    size_t beginA = a, beginB = b;
    int64_t productA = a < from.size() ? from[a++] : 1;
    int64_t productB = b < to.size() ? to[b++] : 1;
    while (productA != productB) {
      if (productA < productB && a < from.size())
        productA *= from[a++];
      else if (b < to.size())
        productB *= to[b++];
      else
        return false;
    }
    int64_t newA = product(shape(x).slice(beginA, a - beginA));
    int64_t newB = product(shape(result).slice(beginB, b - beginB));
    if (newA == newB)
      continue;
    // The side with an axis that is still free follows.
    auto follow = [&](Value value, size_t begin, size_t end, int64_t have,
                      int64_t want) {
      for (size_t axis = begin; axis < end; ++axis) {
        int64_t size = shape(value)[axis];
        int64_t rest = size == 0 ? 0 : have / size;
        if (!isFixed(value, axis) && rest != 0 && want % rest == 0)
          return set(value, axis, want / rest);
      }
      return false;
    };
    if (!follow(result, beginB, b, newB, newA) &&
        !follow(x, beginA, a, newA, newB))
      return false;
  }
  return true;
}

bool Resizer::enforce(Operation *op) {
  if (isa<func::ReturnOp, ConstOp, IotaOp>(op))
    return true;
  Value result = op->getResult(0);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return enforceReshape(reshape);
  if (auto shrink = dyn_cast<ShrinkOp>(op))
    return enforceShrink(shrink);
  for (Value x : op->getOperands())
    for (int64_t axis = 0, rank = shape(result).size(); axis < rank; ++axis) {
      bool isDone = true;
      if (auto permute = dyn_cast<PermuteOp>(op)) {
        isDone = same(x, permute.getOrder()[axis], result, axis);
      } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
        if (!llvm::is_contained(reduce.getAxes(), axis))
          isDone = same(x, axis, result, axis);
        else
          isDone = shape(result)[axis] == 1;
      } else if (isa<ExpandOp>(op)) {
        auto type = cast<RankedTensorType>(x.getType());
        if (type.getDimSize(axis) != 1)
          isDone = same(x, axis, result, axis);
      } else if (auto pad = dyn_cast<PadOp>(op)) {
        auto low = getStaticDims(pad.getLow()),
             high = getStaticDims(pad.getHigh());
        if (!low || !high)
          return false;
        int64_t added = (*low)[axis] + (*high)[axis];
        isDone = isFixed(x, axis) ? set(result, axis, shape(x)[axis] + added)
                                  : set(x, axis, shape(result)[axis] - added);
      } else {
        isDone = same(x, axis, result, axis);
      }
      if (!isDone)
        return false;
    }
  return true;
}

/// The leading part of a tensor, in a smaller shape.
static std::optional<HostTensor> cut(const HostTensor &tensor,
                                     ArrayRef<int64_t> shape) {
  HostTensor result;
  result.shape.assign(shape.begin(), shape.end());
  result.elementType = tensor.elementType;
  unsigned size = getElementSize(tensor.elementType);
  for (auto [from, to] : llvm::zip(tensor.shape, shape))
    if (to > from)
      return std::nullopt;
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0, e = result.numElements(); i < e; ++i) {
    int64_t source = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      source = source * tensor.shape[axis] + index[axis];
    result.bytes.insert(result.bytes.end(),
                        tensor.bytes.begin() + source * size,
                        tensor.bytes.begin() + (source + 1) * size);
    for (size_t axis = shape.size(); axis > 0; --axis) {
      if (++index[axis - 1] < shape[axis - 1])
        break;
      index[axis - 1] = 0;
    }
  }
  return result;
}

bool Resizer::apply() {
  for (auto &[value, newShape] : shapes) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getShape() == ArrayRef<int64_t>(newShape))
      continue;
    auto newType = RankedTensorType::get(newShape, type.getElementType());
    auto cutAttr = [&](TypedAttr attr) -> TypedAttr {
      FailureOr<HostTensor> tensor = makeHostTensor(value.getLoc(), type, attr);
      if (failed(tensor))
        return {};
      std::optional<HostTensor> part = cut(*tensor, newShape);
      return part ? TypedAttr(getDenseElements(*part)) : TypedAttr();
    };
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      unsigned index = argument.getArgNumber();
      auto input = function.getArgAttrOfType<TypedAttr>(index, inputAttrName);
      TypedAttr part = input ? cutAttr(input) : TypedAttr();
      if (!part)
        return false;
      function.setArgAttr(index, inputAttrName, part);
    } else if (auto constant = value.getDefiningOp<ConstOp>()) {
      if (isa<ElementsAttr>(constant.getValue())) {
        TypedAttr part = cutAttr(constant.getValue());
        if (!part)
          return false;
        constant.setValueAttr(part);
      }
    }
    value.setType(newType);
  }
  Block &block = function.getBody().front();
  function.setType(FunctionType::get(function.getContext(),
                                     block.getArgumentTypes(),
                                     block.getTerminator()->getOperandTypes()));
  return true;
}

bool Resizer::run(Value value, int64_t axis, int64_t size) {
  if (!set(value, axis, size))
    return false;
  while (!queue.empty()) {
    Operation *op = queue.front();
    queue.pop_front();
    if (!enforce(op))
      return false;
  }
  return apply();
}

bool mlir::tg::resizeAxis(func::FuncOp function, Value value, int64_t axis,
                          int64_t size) {
  return Resizer(function).run(value, axis, size);
}
