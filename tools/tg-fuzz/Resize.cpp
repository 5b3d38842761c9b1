//===- Resize.cpp - smaller shapes for a graph ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Changes the size of one axis and propagates the change through all
/// operations, in both directions. Symbolic sizes are kept.
///
//===----------------------------------------------------------------------===//

#include "Shrinker.h"

#include "Generator.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Interpreter/Interpreter.h"
#include "support/ToolSupport.h"

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
  bool isSymbolic(Value value, int64_t axis) {
    return ShapedType::isDynamic(shape(value)[axis]);
  }
  bool isFixed(Value value, int64_t axis);
  bool set(Value value, int64_t axis, int64_t size);
  bool same(Value a, int64_t axisA, Value b, int64_t axisB);
  bool enforce(Operation *op);
  bool enforceShrink(ShrinkOp op);
  bool enforceReshape(ReshapeOp op);
  bool apply();

  func::FuncOp function;
  DenseMap<Value, SmallVector<int64_t>> shapes;
  /// Axes whose size is final.
  DenseSet<std::pair<Value, int64_t>> fixed;
  std::deque<Operation *> queue;
};
} // namespace

/// The shape as determined so far.
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
  if (size < 0 || isFixed(value, axis) || isSymbolic(value, axis))
    return false;
  shapes[value][axis] = size;
  fixed.insert({value, axis});
  if (Operation *op = value.getDefiningOp())
    queue.push_back(op);
  for (Operation *user : value.getUsers())
    queue.push_back(user);
  return true;
}

/// Both axes must have one size; that of the changed axis is used.
bool Resizer::same(Value a, int64_t axisA, Value b, int64_t axisB) {
  int64_t sizeA = shape(a)[axisA], sizeB = shape(b)[axisB];
  if (sizeA == sizeB)
    return true;
  return isFixed(a, axisA) ? set(b, axisB, sizeA) : set(a, axisA, sizeB);
}

bool Resizer::enforceShrink(ShrinkOp op) {
  Value x = op.getX(), result = op.getResult();
  SmallVector<Attribute> from(op.getFrom().getValue()),
      to(op.getTo().getValue());
  for (size_t axis = 0; axis < from.size(); ++axis) {
    std::optional<int64_t> begin = Dim(from[axis]).getStatic(),
                           end = Dim(to[axis]).getStatic();
    if (!begin || !end || isSymbolic(x, axis)) {
      // The part's position is symbolic: the sizes of part and whole are kept.
      if (isFixed(x, axis) || isFixed(result, axis))
        return false;
      continue;
    }
    int64_t length = shape(result)[axis];
    if (!isFixed(result, axis))
      length = std::min(length, shape(x)[axis]);
    if (length > shape(x)[axis] || !set(result, axis, length))
      return false;
    begin = std::min(*begin, shape(x)[axis] - length);
    from[axis] = Dim(op.getContext(), *begin).getAttr();
    to[axis] = Dim(op.getContext(), *begin + length).getAttr();
  }
  op.setFromAttr(ArrayAttr::get(op.getContext(), from));
  op.setToAttr(ArrayAttr::get(op.getContext(), to));
  return true;
}

namespace {
/// Groups of axes of two shapes with the same number of elements.
struct ReshapeGroup {
  ArrayRef<Dim> from, to;
};
} // namespace

/// Divides two shapes with the same number of elements into the smallest groups
/// of adjacent axes with equal products, outermost first. Axes of size 1 belong
/// to the group before them.
static SmallVector<ReshapeGroup> getReshapeGroups(ArrayRef<Dim> from,
                                                  ArrayRef<Dim> to) {
  SmallVector<ReshapeGroup> groups;
  if (from.empty() && to.empty())
    return groups;
  MLIRContext *context =
      from.empty() ? to.front().getContext() : from.front().getContext();
  // Products of the axes up to each one; a group ends where two are equal.
  auto getProducts = [&](ArrayRef<Dim> dims) {
    SmallVector<Dim> products{Dim(context, 1)};
    for (Dim size : dims)
      products.push_back(products.back() * size);
    return products;
  };
  SmallVector<Dim> fromProducts = getProducts(from),
                   toProducts = getProducts(to);
  size_t i = 0, j = 0;
  auto findEnd = [&]() -> std::pair<size_t, size_t> {
    for (size_t fromEnd = i + 1; fromEnd <= from.size(); ++fromEnd)
      for (size_t toEnd = j + 1; toEnd <= to.size(); ++toEnd)
        if (fromProducts[fromEnd] == toProducts[toEnd])
          return {fromEnd, toEnd};
    return {from.size(), to.size()};
  };
  while (i < from.size() || j < to.size()) {
    auto [fromEnd, toEnd] = findEnd();
    while (fromEnd < from.size() && from[fromEnd].is(1))
      ++fromEnd;
    while (toEnd < to.size() && to[toEnd].is(1))
      ++toEnd;
    groups.push_back({from.slice(i, fromEnd - i), to.slice(j, toEnd - j)});
    i = fromEnd;
    j = toEnd;
  }
  return groups;
}

/// Groups of axes of both shapes must have equal products. One axis of a group
/// can be resized if an axis on the other side can be adjusted to an integer.
bool Resizer::enforceReshape(ReshapeOp op) {
  Value x = op.getX(), result = op.getResult();
  const SmallVector<Dim> from = getDims(cast<RankedTensorType>(x.getType()));
  const SmallVector<Dim> to = getDims(cast<RankedTensorType>(result.getType()));
  auto product = [](ArrayRef<int64_t> sizes) {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    return count;
  };
  for (ReshapeGroup group : getReshapeGroups(from, to)) {
    const size_t beginA = group.from.data() - from.data(),
                 countA = group.from.size(),
                 beginB = group.to.data() - to.data(), countB = group.to.size();
    auto isFixedIn = [&](Value value, size_t begin, size_t count) {
      for (size_t axis = begin; axis < begin + count; ++axis)
        if (isFixed(value, axis))
          return true;
      return false;
    };
    // Factors of a symbolic product are kept.
    auto isStatic = [](Dim dim) { return dim.isStatic(); };
    if (!llvm::all_of(group.from, isStatic) ||
        !llvm::all_of(group.to, isStatic)) {
      if (isFixedIn(x, beginA, countA) || isFixedIn(result, beginB, countB))
        return false;
      continue;
    }
    int64_t newA = product(shape(x).slice(beginA, countA));
    int64_t newB = product(shape(result).slice(beginB, countB));
    if (newA == newB)
      continue;
    // The side with an axis that is not final is adjusted.
    auto follow = [&](Value value, size_t begin, size_t count, int64_t have,
                      int64_t want) {
      for (size_t axis = begin; axis < begin + count; ++axis) {
        int64_t size = shape(value)[axis];
        int64_t rest = size == 0 ? 0 : have / size;
        if (!isFixed(value, axis) && rest != 0 && want % rest == 0)
          return set(value, axis, want / rest);
      }
      return false;
    };
    if (!follow(result, beginB, countB, newB, newA) &&
        !follow(x, beginA, countA, newA, newB))
      return false;
  }
  return true;
}

bool Resizer::enforce(Operation *op) {
  if (isa<func::ReturnOp, ConstOp, IotaOp, DimOp>(op))
    return true;
  Value result = op->getResult(0);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return enforceReshape(reshape);
  if (auto shrink = dyn_cast<ShrinkOp>(op))
    return enforceShrink(shrink);
  if (auto strided = dyn_cast<StridedOp>(op)) {
    // The views determine the sizes of both.
    auto hasFixed = [&](Value value) {
      for (int64_t axis = 0, rank = shape(value).size(); axis < rank; ++axis)
        if (isFixed(value, axis))
          return true;
      return false;
    };
    return !hasFixed(strided.getX()) && !hasFixed(result);
  }
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
      } else if (auto scatter = dyn_cast<ScatterOp>(op);
                 scatter && x != scatter.getBase() &&
                 axis == static_cast<int64_t>(scatter.getAxis())) {
        isDone = same(scatter.getIndex(), axis, scatter.getUpdates(), axis);
      } else if (isa<ExpandOp>(op)) {
        if (!getDim(cast<RankedTensorType>(x.getType()), axis).is(1))
          isDone = same(x, axis, result, axis);
      } else if (auto pad = dyn_cast<PadOp>(op)) {
        std::optional<int64_t> low = getDims(pad.getLow())[axis].getStatic(),
                               high = getDims(pad.getHigh())[axis].getStatic();
        if (!low || !high || isSymbolic(x, axis))
          isDone = !isFixed(x, axis) && !isFixed(result, axis);
        else if (isFixed(x, axis))
          isDone = set(result, axis, shape(x)[axis] + *low + *high);
        else
          isDone = set(x, axis, shape(result)[axis] - *low - *high);
      } else {
        isDone = same(x, axis, result, axis);
      }
      if (!isDone)
        return false;
    }
  return true;
}

bool Resizer::apply() {
  for (auto &[value, newShape] : shapes) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getShape() == ArrayRef<int64_t>(newShape))
      continue;
    // Symbolic sizes are kept.
    SmallVector<Dim> dims = getDims(type);
    for (auto [dim, size] : llvm::zip_equal(dims, newShape))
      if (!ShapedType::isDynamic(size))
        dim = Dim(value.getContext(), size);
    auto newType = getTensorType(dims, type.getElementType());
    auto largest =
        RankedTensorType::get(getLargestShape(type), type.getElementType());
    auto cutAttr = [&](TypedAttr attr) -> TypedAttr {
      FailureOr<HostTensor> tensor =
          makeHostTensor(value.getLoc(), largest, attr);
      SmallVector<int64_t> shape = getLargestShape(newType);
      for (auto [from, to] : llvm::zip(largest.getShape(), shape))
        if (to > from)
          return {};
      return failed(tensor)
                 ? TypedAttr()
                 : TypedAttr(getDenseElements(getLeadingPart(*tensor, shape)));
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
