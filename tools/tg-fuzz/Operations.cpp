//===- Operations.cpp - random operations ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One random operation on suitable operands.
///
//===----------------------------------------------------------------------===//

#include "GraphGenerator.h"

using namespace mlir;
using namespace mlir::tg;

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

Value GraphGenerator::unary() {
  switch (random.below(19)) {
  case 0:
    if (Value x = pick(Class::Num))
      return emit<NegOp>(x);
    return {};
  case 1:
    if (Value x = pick(Class::Float))
      return emit<RecipOp>(x);
    return {};
  case 2:
    if (Value x = pick(Class::Float))
      return emit<SqrtOp>(x);
    return {};
  case 3:
    if (Value x = pick(Class::Float))
      return emit<Exp2Op>(x);
    return {};
  case 4:
    if (Value x = pick(Class::Float))
      return emit<ExpOp>(x);
    return {};
  case 5:
    if (Value x = pick(Class::Float))
      return emit<ExpM1Op>(x);
    return {};
  case 6:
    if (Value x = pick(Class::Float))
      return emit<Log2Op>(x);
    return {};
  case 7:
    if (Value x = pick(Class::Float))
      return emit<LogOp>(x);
    return {};
  case 8:
    if (Value x = pick(Class::Float))
      return emit<Log1pOp>(x);
    return {};
  case 9:
    if (Value x = pick(Class::Float))
      return emit<SinOp>(x);
    return {};
  case 10:
    if (Value x = pick(Class::Float))
      return emit<CosOp>(x);
    return {};
  case 11:
    if (Value x = pick(Class::Float))
      return emit<TanOp>(x);
    return {};
  case 12:
    if (Value x = pick(Class::Float))
      return emit<AsinOp>(x);
    return {};
  case 13:
    if (Value x = pick(Class::Float))
      return emit<AcosOp>(x);
    return {};
  case 14:
    if (Value x = pick(Class::Float))
      return emit<AtanOp>(x);
    return {};
  case 15:
    if (Value x = pick(Class::Float))
      return emit<TanhOp>(x);
    return {};
  case 16:
    if (Value x = pick(Class::Float))
      return emit<ErfOp>(x);
    return {};
  case 17:
    if (Value x = pick(Class::Float))
      return emit<TruncOp>(x);
    return {};
  default:
    if (Value x = pick(Class::Num))
      return emit<NegOp>(x);
    return {};
  }
}

Value GraphGenerator::binary() {
  static const Class classes[] = {
      Class::Arith,     Class::Num,   Class::Arith,     Class::Float,
      Class::Int,       Class::Int,   Class::Int,       Class::Int,
      Class::Arith,     Class::Float, Class::IntOrBool, Class::IntOrBool,
      Class::IntOrBool, Class::Int,   Class::Int};
  int64_t kind = random.below(std::size(classes));
  while (isDifferentiated && !isIn(commonFloat(), classes[kind]))
    kind = random.below(std::size(classes));
  Value a = pick(classes[kind]);
  Value b = a ? similar(a, elementOf(a)) : Value();
  if (!b)
    return {};
  if (random.percent(50))
    std::swap(a, b);
  switch (kind) {
  case 0:
    return emit<AddOp>(a, b);
  case 1:
    return emit<SubOp>(a, b);
  case 2:
    return emit<MulOp>(a, b);
  case 3:
    return emit<FDivOp>(a, b);
  case 4:
    return emit<IDivOp>(a, b);
  case 5:
    return emit<FloorDivOp>(a, b);
  case 6:
    return emit<ModOp>(a, b);
  case 7:
    return emit<FloorModOp>(a, b);
  case 8:
    return emit<MaxOp>(a, b);
  case 9:
    return emit<PowOp>(a, b);
  case 10:
    return emit<AndOp>(a, b);
  case 11:
    return emit<OrOp>(a, b);
  case 12:
    return emit<XorOp>(a, b);
  case 13:
    return emit<ShlOp>(a, b);
  default:
    return emit<ShrOp>(a, b);
  }
}

Value GraphGenerator::compare() {
  Value a = pick(Class::Arith);
  Value b = a ? similar(a, elementOf(a)) : Value();
  if (!b)
    return {};
  switch (random.below(3)) {
  case 0:
    return emit<CmpLtOp>(a, b);
  case 1:
    return emit<CmpEqOp>(a, b);
  default:
    return emit<CmpNeOp>(a, b);
  }
}

Value GraphGenerator::ternary() {
  bool isWhere = random.percent(60);
  Value a = pick(isWhere ? Class::Element : Class::Num);
  Value b = a ? similar(a, elementOf(a)) : Value();
  Value c = !b        ? Value()
            : isWhere ? similar(a, builder.getI1Type())
                      : similar(a, elementOf(a));
  if (!c)
    return {};
  if (isWhere)
    return emit<WhereOp>(a.getType(), c, a, b);
  return emit<MulAccOp>(a, b, c);
}

Value GraphGenerator::cast() {
  Value x = pick(Class::Element);
  if (!x)
    return {};
  auto type = ::mlir::cast<RankedTensorType>(x.getType());
  return emit<CastOp>(type.clone(randomElementType(Class::Element)), x);
}

Value GraphGenerator::bitcast() {
  Value x = pick(Class::Element);
  if (!x || elementOf(x).isInteger(1))
    return {};
  Type to = randomElementType(Class::Element);
  if (to.getIntOrFloatBitWidth() != elementOf(x).getIntOrFloatBitWidth())
    return {};
  return emit<BitcastOp>(::mlir::cast<RankedTensorType>(x.getType()).clone(to),
                         x);
}

Value GraphGenerator::threefry() {
  Value counter = pick(Class::U64);
  Value key = counter ? similar(counter, elementOf(counter)) : Value();
  return key ? emit<ThreefryOp>(counter, key) : Value();
}

Value GraphGenerator::reduce() {
  Value x = pick(Class::Arith);
  if (!x)
    return {};
  SmallVector<int64_t> axes;
  for (int64_t axis = 0,
               rank = ::mlir::cast<RankedTensorType>(x.getType()).getRank();
       axis < rank; ++axis)
    if (random.percent(50))
      axes.push_back(axis);
  static const ReduceKind kinds[] = {ReduceKind::add, ReduceKind::add,
                                     ReduceKind::max, ReduceKind::mul};
  return emit<ReduceOp>(random.pick(kinds), x, axes);
}

/// Two factors whose product is the size; null if there are none.
static std::pair<Dim, Dim> factorize(Dim size, Random &random) {
  if (auto product = dyn_cast<DimExprAttr>(size.getAttr());
      product && product.getKind() == DimOpKind::mul && random.percent(60))
    return {
        Dim::get(DimOpKind::mul, getDims(product.getOperands().drop_back())),
        Dim(product.getOperands().back())};
  Dim factor(size.getContext(),
             random.between(2, std::min<int64_t>(size.getMax(), 9)));
  if (!Dim::get(DimOpKind::mod, size, factor).is(0))
    return {};
  return {Dim::get(DimOpKind::floordiv, size, factor), factor};
}

/// The same elements in a random shape.
Value GraphGenerator::reshape(Value x) {
  auto type = ::mlir::cast<RankedTensorType>(x.getType());
  SmallVector<Dim> shape = getDims(type);
  for (int64_t step = random.between(1, 4); step > 0; --step) {
    size_t rank = shape.size();
    size_t axis = rank > 0 ? random.below(rank) : 0;
    switch (random.below(4)) {
    case 0: // merge with the next axis
      if (axis + 1 < rank) {
        shape[axis] = shape[axis] * shape[axis + 1];
        shape.erase(shape.begin() + axis + 1);
      }
      break;
    case 1: // split
      if (rank > 0 && rank < 5 && shape[axis].getMax() > 1) {
        auto [first, second] = factorize(shape[axis], random);
        if (first.getAttr()) {
          if (random.percent(50))
            std::swap(first, second);
          shape[axis] = first;
          shape.insert(shape.begin() + axis + 1, second);
        }
      }
      break;
    case 2: // insert an axis of size 1
      if (rank < 5)
        shape.insert(shape.begin() + random.below(rank + 1), number(1));
      break;
    default: // remove an axis of size 1
      if (rank > 0 && shape[axis].is(1))
        shape.erase(shape.begin() + axis);
      break;
    }
  }
  if (!areSizes(shape))
    return {};
  return emit<ReshapeOp>(getTensorType(shape, type.getElementType()), x);
}

/// A view with strides of any sign that stays within `space` positions; none if
/// no such view is found, or it is empty.
std::optional<View> GraphGenerator::randomView(Dim space) {
  if (space.getMin() < 1)
    return std::nullopt;
  static const int64_t sizes[] = {1, 2, 3, 4, 5, 8, 16, 17, 33};
  View view;
  view.offset = number(0);
  int64_t count = 1;
  for (int64_t rank = random.below(4); rank > 0; --rank) {
    Dim size = randomSize(sizes, std::max<int64_t>(1, maxElements / count));
    // Mostly contiguous, or rows of something.
    Dim stride = number(random.below(2));
    if (random.percent(40))
      stride = number(random.between(0, std::min<int64_t>(40, space.getMin())));
    else if (isSymbolic() && random.percent(20))
      stride = randomDim(space.getMax());
    else if (!view.shape.empty() && random.percent(50))
      stride = view.shape.back();
    if (random.percent(30))
      stride = stride * number(-1);
    view.shape.push_back(size);
    view.strides.push_back(stride);
    count *= std::max<int64_t>(1, size.getMax());
  }
  // Masks some axes, whose positions may then be out of range.
  if (random.percent(40))
    for (Dim size : view.shape) {
      Dim begin = random.percent(50) ? number(0) : randomPosition(size);
      Dim end =
          random.percent(50) ? size : begin + randomPosition(size - begin);
      if (!areSizes({begin, end - begin, size - end}))
        return std::nullopt;
      view.mask.push_back({begin, end});
    }
  // A random offset that keeps the view inside.
  auto touched = view.getTouched();
  if (!touched)
    return std::nullopt;
  Dim room = space - (touched->second - touched->first) - number(1);
  if (room.getMin() < 0)
    return std::nullopt;
  view.offset = randomPosition(room) - touched->first;
  view.normalize();
  if (!view.isWithin(space))
    return std::nullopt;
  return view;
}

/// Views of x that movement operations need not be able to express.
Value GraphGenerator::strided(Value x) {
  auto type = ::mlir::cast<RankedTensorType>(x.getType());
  SmallVector<Attribute> views;
  Dim space = getNumElements(context, getDims(type));
  SmallVector<Dim, 4> shape;
  for (int64_t links = random.percent(25) ? 2 : 1; links > 0; --links) {
    std::optional<View> view;
    for (int tries = 0; !view && tries < 8; ++tries)
      view = randomView(space);
    if (!view)
      return {};
    views.push_back(view->getAttr());
    shape = view->shape;
    space = getNumElements(context, shape);
  }
  return emit<StridedOp>(getTensorType(shape, type.getElementType()), x,
                         builder.getArrayAttr(views));
}

/// A random movement operation on x. If `isTarget`, only those that an
/// assignment's target may consist of.
Value GraphGenerator::movement(Value x, bool isTarget) {
  auto type = ::mlir::cast<RankedTensorType>(x.getType());
  SmallVector<Dim> dims = getDims(type), low, high;
  SmallVector<int64_t> axes;
  int64_t rank = type.getRank();
  int64_t count = std::max<int64_t>(1, getBufferSize(type));
  switch (random.below(isTarget ? 4 : 6)) {
  case 0:
    return reshape(x);
  case 1: {
    for (int64_t axis = 0; axis < rank; ++axis)
      axes.insert(axes.begin() + random.below(axis + 1), axis);
    return emit<PermuteOp>(x, axes);
  }
  case 2: {
    for (Dim size : dims) {
      Dim from = random.percent(50) ? number(0) : randomPosition(size);
      Dim to = random.percent(50) ? size : from + randomPosition(size - from);
      // Mostly not empty.
      if (from == to && random.percent(90)) {
        from = number(0);
        to = size;
      }
      // Bounds cannot always prove valid positions.
      if (!areSizes({from, to - from, size - to}))
        return {};
      low.push_back(from);
      high.push_back(to);
    }
    return emit<ShrinkOp>(x, dimArray(low), dimArray(high));
  }
  case 3: {
    for (int64_t axis = 0; axis < rank; ++axis)
      if (random.percent(50))
        axes.push_back(axis);
    return emit<FlipOp>(x, axes);
  }
  case 4: {
    auto amount = [&](Dim size) {
      if (random.percent(50))
        return number(0);
      if (!isSymbolic() || random.percent(50))
        return number(random.below(4));
      // Up to a fixed size, or any amount.
      Dim rest = number(size.getMax() + random.below(3)) - size;
      return random.percent(40) ? rest : randomDim(70);
    };
    for (Dim size : dims) {
      low.push_back(amount(size));
      high.push_back(amount(size));
      Dim sum = size + low.back() + high.back();
      if (!areSizes(sum))
        return {};
      count *= sum.getMax();
    }
    if (count > maxElements * std::max<int64_t>(1, getBufferSize(type)))
      return {};
    return emit<PadOp>(x, dimArray(low), dimArray(high));
  }
  default: {
    static const int64_t longSizes[] = {16, 64, 256, 512, 1024};
    for (Dim &size : dims) {
      Dim to = size;
      if (size.is(1) && random.percent(70))
        to = random.percent(4) ? number(0)
             : isSymbolic() && random.percent(50)
                 ? randomDim(maxElements / count)
             : options.forTiming && random.percent(50)
                 ? number(random.pick(longSizes))
                 : number(random.between(1, 9));
      if (count * to.getMax() > maxElements)
        to = size;
      count *= std::max<int64_t>(1, to.getMax() /
                                        std::max<int64_t>(1, size.getMax()));
      size = to;
    }
    return emit<ExpandOp>(getTensorType(dims, type.getElementType()), x);
  }
  }
}

Value GraphGenerator::assign() {
  // Memory: an argument, or the result of an assignment to one.
  SmallVector<Value> memory;
  for (Value value : pool)
    if (isa<BlockArgument>(value) || value.getDefiningOp<AssignOp>())
      memory.push_back(value);
  if (memory.empty())
    return {};
  Value target = random.pick(memory);
  for (int64_t i = random.below(4); i > 0; --i) {
    Value view = movement(target, /*isTarget=*/true);
    if (view)
      target = view;
  }
  Value value = similar(target, elementOf(target));
  if (!value)
    return {};
  Value assign = emit<AssignOp>(target, value);
  if (!assign || !random.percent(40))
    return assign;
  // The whole memory after the assignment.
  Value root = target;
  while (Operation *op = root.getDefiningOp())
    root = op->getOperand(0);
  return emit<AfterOp>(root.getType(), root, assign);
}

Value GraphGenerator::identity() {
  Value x = pick(Class::Element);
  if (!x)
    return {};
  switch (random.below(3)) {
  case 0:
    return emit<ContiguousOp>(x);
  case 1:
    return isSmooth ? Value() : emit<DetachOp>(x);
  default:
    return emit<CopyOp>(x, builder.getStringAttr(options.device));
  }
}
