//===- RandomGraph.cpp - random graphs and special values -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds graphs with the operations' builders from seeded random choices.
///
//===----------------------------------------------------------------------===//

#include "RandomGraph.h"
#include "TinyGrad/Dialect/Tg/IR/TgConstantFold.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include <random>

using namespace mlir;
using namespace mlir::tg;
using llvm::APFloat;
using llvm::APInt;

//===----------------------------------------------------------------------===//
// Types and values
//===----------------------------------------------------------------------===//

SmallVector<Type> getFloatTypes(MLIRContext *context) {
  return {Float16Type::get(context), BFloat16Type::get(context),
          Float32Type::get(context), Float64Type::get(context)};
}

SmallVector<Type> getIntegerTypes(MLIRContext *context) {
  SmallVector<Type> types;
  for (unsigned width : {8, 16, 32, 64}) {
    types.push_back(IntegerType::get(context, width));
    types.push_back(IntegerType::get(context, width, IntegerType::Unsigned));
  }
  return types;
}

SmallVector<Type> getFp8Types(MLIRContext *context) {
  return {Float8E4M3FNType::get(context), Float8E5M2Type::get(context),
          Float8E4M3FNUZType::get(context), Float8E5M2FNUZType::get(context)};
}

SmallVector<Attribute> getInterestingValues(Type type) {
  SmallVector<Attribute> values;
  auto add = [&](Attribute value) {
    if (!llvm::is_contained(values, value))
      values.push_back(value);
  };
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    for (double number : {0.0, 1.0, -1.0, 2.0, -0.0, -0.5, 3.0, 300.7, -2.9})
      add(FloatAttr::get(type, number));
    if (APFloat::semanticsHasInf(semantics))
      for (bool negative : {false, true})
        add(FloatAttr::get(type, APFloat::getInf(semantics, negative)));
    add(FloatAttr::get(type, APFloat::getQNaN(semantics)));
    add(FloatAttr::get(type, APFloat::getLargest(semantics)));
    add(FloatAttr::get(type, APFloat::getSmallest(semantics)));
    add(FloatAttr::get(type, APFloat::getSmallestNormalized(semantics, true)));
    return values;
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1)
    return {IntegerAttr::get(type, 0), IntegerAttr::get(type, 1)};
  for (int64_t number : {0, 1, -1, 2, 3, 7, -7, 8, 100, -100})
    add(IntegerAttr::get(type, APInt(64, number, true).trunc(width)));
  add(IntegerAttr::get(type, APInt::getSignedMinValue(width)));
  add(IntegerAttr::get(type, APInt::getSignedMaxValue(width)));
  add(IntegerAttr::get(type, APInt(width, width)));
  add(IntegerAttr::get(type, APInt::getLowBitsSet(width, width / 2 + 1)));
  return values;
}

std::string debugType(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type << ' ';
  return text;
}

std::string findDifference(const HostTensor &actual, const HostTensor &expected,
                           ZeroSigns zeroSigns) {
  if (actual.shape != expected.shape ||
      actual.elementType != expected.elementType)
    return "other types";
  DenseElementsAttr a = getDenseElements(actual),
                    b = getDenseElements(expected);
  int64_t position = 0;
  for (auto [x, y] :
       llvm::zip_equal(a.getValues<Attribute>(), b.getValues<Attribute>())) {
    bool same = x == y;
    if (auto number = dyn_cast<FloatAttr>(x)) {
      APFloat p = number.getValue(), q = cast<FloatAttr>(y).getValue();
      same |= p.isNaN() && q.isNaN();
      same |= zeroSigns == ZeroSigns::same && p.isZero() && q.isZero();
    }
    if (!same) {
      std::string text;
      llvm::raw_string_ostream os(text);
      os << "position " << position << ": " << x << ", expected " << y;
      return text;
    }
    ++position;
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {
class GraphMaker {
public:
  GraphMaker(MLIRContext *context, unsigned seed)
      : random(seed), builder(context), loc(builder.getUnknownLoc()) {}

  OwningOpRef<ModuleOp> make();

private:
  unsigned pick(unsigned count) { return random() % count; }
  template <typename Range> auto pickFrom(const Range &range) {
    return range[pick(range.size())];
  }

  Value pickValue() {
    // Prefer recent values, since rules match chains of operations.
    if (pick(2))
      return values[values.size() - 1 -
                    pick(std::min<size_t>(4, values.size()))];
    return pickFrom(values);
  }
  RankedTensorType typeOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }
  Value makeConstant(RankedTensorType type);
  Value pickLike(Value value);

  Value makeUnary(Value x);
  Value makeBinary(Value x);
  Value makeCompareOrWhere(Value x);
  Value makeDistinction(Value x, Value y);
  Value makeMovement(Value x);
  Value makeReduce(Value x);
  Value makeValue();

  std::mt19937 random;
  OpBuilder builder;
  Location loc;
  SmallVector<Value> values;
  SmallVector<Type> elementTypes;
  /// The sign of a zero that `max` returns is unspecified. In graphs with a
  /// maximum of floats, no operation may depend on signs of zeros.
  bool hasFloatMax = false;
};
} // namespace

Value GraphMaker::makeConstant(RankedTensorType type) {
  SmallVector<Attribute> numbers = getInterestingValues(type.getElementType());
  // The first values are those that identities involve.
  if (numbers.size() > 4 && pick(4))
    numbers.resize(4);
  if (pick(4))
    return ConstOp::create(builder, loc, type,
                           cast<TypedAttr>(Attribute(pickFrom(numbers))));
  SmallVector<Attribute> elements;
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i)
    elements.push_back(pickFrom(numbers));
  return ConstOp::create(
      builder, loc, type,
      cast<TypedAttr>(DenseElementsAttr::get(type, elements)));
}

/// Another operand for an operation on `value`.
Value GraphMaker::pickLike(Value value) {
  SmallVector<Value> alike;
  for (Value other : values)
    if (other.getType() == value.getType())
      alike.push_back(other);
  if (pick(3) == 0)
    return makeConstant(typeOf(value));
  return pickFrom(alike);
}

Value GraphMaker::makeUnary(Value x) {
  Type type = typeOf(x).getElementType();
  if (pick(3) == 0) {
    Type to = pickFrom(elementTypes);
    return CastOp::create(builder, loc, typeOf(x).clone(to), x);
  }
  if (type.isInteger(1))
    return {};
  // The bits of floats show the unspecified payloads of NaNs, unless the floats
  // came from integers.
  if (pick(3) == 0 && (isIntLike(type) || x.getDefiningOp<BitcastOp>())) {
    unsigned width = type.getIntOrFloatBitWidth();
    SmallVector<Type> alike = {
        builder.getIntegerType(width),
        IntegerType::get(builder.getContext(), width, IntegerType::Unsigned)};
    for (Type other : getFloatTypes(builder.getContext()))
      if (other.getIntOrFloatBitWidth() == width)
        alike.push_back(other);
    return BitcastOp::create(builder, loc, typeOf(x).clone(pickFrom(alike)), x);
  }
  if (pick(2) || isIntLike(type))
    return NegOp::create(builder, loc, x);
  switch (pick(17)) {
  case 0:
    return hasFloatMax ? Value() : RecipOp::create(builder, loc, x).getResult();
  case 1:
    return SqrtOp::create(builder, loc, x);
  case 2:
    return Exp2Op::create(builder, loc, x);
  case 3:
    return ExpOp::create(builder, loc, x);
  case 4:
    return ExpM1Op::create(builder, loc, x);
  case 5:
    return Log2Op::create(builder, loc, x);
  case 6:
    return LogOp::create(builder, loc, x);
  case 7:
    return Log1pOp::create(builder, loc, x);
  case 8:
    return SinOp::create(builder, loc, x);
  case 9:
    return CosOp::create(builder, loc, x);
  case 10:
    return TanOp::create(builder, loc, x);
  case 11:
    return AsinOp::create(builder, loc, x);
  case 12:
    return AcosOp::create(builder, loc, x);
  case 13:
    return AtanOp::create(builder, loc, x);
  case 14:
    return TanhOp::create(builder, loc, x);
  case 15:
    return ErfOp::create(builder, loc, x);
  default:
    return TruncOp::create(builder, loc, x);
  }
}

Value GraphMaker::makeBinary(Value x) {
  Type type = typeOf(x).getElementType();
  // Repeats the operation that defines x, with another constant.
  if (Operation *op = x.getDefiningOp();
      op && pick(3) == 0 && op->getNumOperands() == 2 &&
      op->getOperand(1).getDefiningOp<ConstOp>() &&
      op->getOperand(1).getType() == x.getType())
    return builder
        .create(loc, op->getName().getIdentifier(),
                {x, makeConstant(typeOf(x))}, TypeRange(x.getType()))
        ->getResult(0);
  Value lhs = x, rhs = pickLike(x);
  if (pick(2))
    std::swap(lhs, rhs);
  if (type.isInteger(1)) {
    switch (pick(6)) {
    case 0:
      return AddOp::create(builder, loc, lhs, rhs);
    case 1:
      return MulOp::create(builder, loc, lhs, rhs);
    case 2:
      return MaxOp::create(builder, loc, lhs, rhs);
    case 3:
      return AndOp::create(builder, loc, lhs, rhs);
    case 4:
      return OrOp::create(builder, loc, lhs, rhs);
    default:
      return XorOp::create(builder, loc, lhs, rhs);
    }
  }
  switch (pick(6)) {
  case 0:
    return AddOp::create(builder, loc, lhs, rhs);
  case 1:
  case 2:
    return SubOp::create(builder, loc, lhs, rhs);
  case 3:
    return MulOp::create(builder, loc, lhs, rhs);
  default:
    break;
  }
  if (isFloatLike(type)) {
    switch (pick(4)) {
    case 0:
      return hasFloatMax ? MaxOp::create(builder, loc, lhs, rhs).getResult()
                         : Value();
    case 1:
    case 2:
      // std::pow in double is not correctly rounded, but the square is.
      return hasFloatMax || type.isF64()
                 ? Value()
                 : PowOp::create(builder, loc, lhs, rhs).getResult();
    default:
      return hasFloatMax ? Value()
                         : FDivOp::create(builder, loc, lhs, rhs).getResult();
    }
  }
  switch (pick(10)) {
  case 0:
    return MaxOp::create(builder, loc, lhs, rhs);
  case 1:
    return IDivOp::create(builder, loc, lhs, rhs);
  case 2:
    return FloorDivOp::create(builder, loc, lhs, rhs);
  case 3:
    return ModOp::create(builder, loc, lhs, rhs);
  case 4:
    return FloorModOp::create(builder, loc, lhs, rhs);
  case 5:
    return AndOp::create(builder, loc, lhs, rhs);
  case 6:
    return OrOp::create(builder, loc, lhs, rhs);
  case 7:
    return XorOp::create(builder, loc, lhs, rhs);
  case 8:
    return ShlOp::create(builder, loc, lhs, rhs);
  default:
    return ShrOp::create(builder, loc, lhs, rhs);
  }
}

/// where(x == y, v, where(d, w, v)), where d does not hold for equal operands,
/// as in gradients of maxima.
Value GraphMaker::makeDistinction(Value x, Value y) {
  Value v = pickLike(x), w = pickLike(x);
  Value isEqual = CmpEqOp::create(builder, loc, x, y);
  Value from = x, to = y;
  if (pick(2)) {
    std::swap(from, to);
    const bool hasMax =
        isFloatLike(typeOf(x))
            ? hasFloatMax && typeOf(x).getElementTypeBitWidth() > 8
            : true;
    if (hasMax && pick(2))
      to = MaxOp::create(builder, loc, x, y);
  }
  Value isLess = CmpLtOp::create(builder, loc, from, to);
  Value inner = WhereOp::create(builder, loc, x.getType(), isLess, w, v);
  return WhereOp::create(builder, loc, x.getType(), isEqual, v, inner);
}

Value GraphMaker::makeCompareOrWhere(Value x) {
  Value lhs = x, rhs = pickLike(x);
  if (pick(2))
    std::swap(lhs, rhs);
  if (pick(16) == 0)
    return makeDistinction(lhs, rhs);
  switch (pick(6)) {
  case 0:
    return CmpLtOp::create(builder, loc, lhs, rhs);
  case 1:
    if (pick(3) == 0)
      return CmpNeOp::create(builder, loc, x, makeConstant(typeOf(x)));
    if (pick(2))
      return CmpEqOp::create(builder, loc, x, makeConstant(typeOf(x)));
    return CmpEqOp::create(builder, loc, lhs, rhs);
  case 2:
    return CmpNeOp::create(builder, loc, lhs, rhs);
  default:
    break;
  }
  // A condition of the same shape: possibly the one of an operand, or a
  // comparison of the operands.
  Type boolType = typeOf(x).clone(builder.getI1Type());
  for (Value operand : {lhs, rhs})
    if (auto inner = operand.getDefiningOp<WhereOp>(); inner && pick(2)) {
      Value other = pick(2) ? inner.getX() : inner.getY();
      Value condition = pick(2) ? inner.getCondition() : pickFrom(values);
      if (condition.getType() != boolType)
        condition = inner.getCondition();
      if (pick(2))
        std::swap(operand, other);
      return WhereOp::create(builder, loc, x.getType(), condition, operand,
                             other);
    }
  for (Value condition : llvm::reverse(values))
    if (condition.getType() == boolType && pick(3))
      return WhereOp::create(builder, loc, x.getType(), condition, lhs, rhs);
  Value condition = CmpLtOp::create(builder, loc, rhs, lhs);
  return WhereOp::create(builder, loc, x.getType(), condition, lhs, rhs);
}

Value GraphMaker::makeMovement(Value x) {
  RankedTensorType type = typeOf(x);
  ArrayRef<int64_t> shape = type.getShape();
  auto withShape = [&](ArrayRef<int64_t> sizes) {
    return RankedTensorType::get(sizes, type.getElementType());
  };
  int64_t rank = type.getRank();
  switch (pick(7)) {
  case 6: {
    // The identity, a window of two, or every second element in reverse.
    const int64_t count = type.getNumElements();
    ViewChain chain(type);
    View view = View::getRowMajor(builder.getContext(),
                                  {Dim(builder.getContext(), count)});
    auto number = [&](int64_t n) { return Dim(builder.getContext(), n); };
    const bool isWindow = pick(2);
    if (isWindow && count > 1 && count <= 8) {
      view.shape = {number(count - 1), number(2)};
      view.strides = {number(1), number(1)};
      chain.append(view);
    } else if (!isWindow && count > 2) {
      view.shape = {number(count / 2)};
      view.strides = {number(-2)};
      view.offset = number(count - 1);
      chain.append(view);
    }
    return StridedOp::create(
        builder, loc, getTensorType(chain.getShape(), type.getElementType()), x,
        chain.getAttr());
  }
  case 0: {
    // Insert or remove an axis of size 1, or merge all axes.
    SmallVector<int64_t> sizes(shape);
    unsigned axis = pick(rank + 1);
    if (pick(3) == 0)
      sizes = {type.getNumElements()};
    else if (axis < sizes.size() && sizes[axis] == 1)
      sizes.erase(sizes.begin() + axis);
    else if (rank < 4)
      sizes.insert(sizes.begin() + axis, 1);
    return ReshapeOp::create(builder, loc, withShape(sizes), x);
  }
  case 1: {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::shuffle(order.begin(), order.end(), random);
    return PermuteOp::create(builder, loc, x, order);
  }
  case 2: {
    SmallVector<int64_t> sizes(shape);
    for (int64_t &size : sizes)
      if (size == 1 && pick(2))
        size = pick(8) ? 1 + pick(3) : 0;
    return ExpandOp::create(builder, loc, withShape(sizes), x);
  }
  case 3: {
    SmallVector<int64_t> low, high;
    for (int64_t size : shape) {
      bool grows = size < 4;
      low.push_back(grows ? pick(3) / 2 : 0);
      high.push_back(grows ? pick(3) / 2 : 0);
    }
    return PadOp::create(builder, loc, x, low, high);
  }
  case 4: {
    SmallVector<int64_t> from, to;
    for (int64_t size : shape) {
      int64_t first = pick(3) ? 0 : pick(size + 1);
      from.push_back(first);
      to.push_back(pick(3) ? size : first + pick(size - first + 1));
    }
    return ShrinkOp::create(builder, loc, x, from, to);
  }
  default: {
    SmallVector<int64_t> axes;
    for (int64_t axis = 0; axis < rank; ++axis)
      if (pick(2))
        axes.push_back(axis);
    return FlipOp::create(builder, loc, x, axes);
  }
  }
}

Value GraphMaker::makeReduce(Value x) {
  RankedTensorType type = typeOf(x);
  SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (pick(2))
      axes.push_back(axis);
  ReduceKind kind = static_cast<ReduceKind>(pick(3));
  // Rules may reassociate sums of floats, whose rounding is not tested here.
  if (isFloatLike(type)) {
    if (!hasFloatMax)
      return {};
    kind = ReduceKind::max;
  }
  return ReduceOp::create(builder, loc, kind, x, axes);
}

Value GraphMaker::makeValue() {
  Value x = pickValue();
  switch (pick(8)) {
  case 0:
    return makeUnary(x);
  case 1:
  case 2:
    return makeBinary(x);
  case 3:
    return makeCompareOrWhere(x);
  case 4:
    return makeReduce(x);
  case 5:
    return pick(3) ? makeBinary(x) : makeConstant(typeOf(x));
  default:
    return makeMovement(x);
  }
}

OwningOpRef<ModuleOp> GraphMaker::make() {
  MLIRContext *context = builder.getContext();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  hasFloatMax = pick(2);
  SmallVector<Type> all = getFloatTypes(context);
  llvm::append_range(all, getIntegerTypes(context));
  // Few types, so that many values have the same type.
  for (unsigned i = 0; i < 2; ++i)
    elementTypes.push_back(pickFrom(all));
  elementTypes.push_back(builder.getI1Type());
  static const SmallVector<int64_t> shapes[] = {
      {2, 3}, {2, 1}, {1, 3}, {1, 1}, {3}, {1}, {2, 1, 2}, {0, 2}};
  SmallVector<Type> argTypes;
  for (unsigned i = 0; i < 4; ++i)
    argTypes.push_back(
        RankedTensorType::get(pick(12) ? shapes[pick(7)] : shapes[7],
                              elementTypes[pick(elementTypes.size())]));
  auto function = func::FuncOp::create(builder, loc, "f",
                                       builder.getFunctionType(argTypes, {}));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  llvm::append_range(values, block->getArguments());
  for (unsigned count = 4 + pick(16), tries = 0; count && tries < 200; ++tries)
    if (Value value = makeValue()) {
      values.push_back(value);
      --count;
    }
  // Few results, since some rules apply only to values with a single use.
  SmallVector<Value> results = {values.back()};
  for (unsigned i = 0; i < 2; ++i)
    results.push_back(pickFrom(values));
  func::ReturnOp::create(builder, loc, results);
  function.setType(
      builder.getFunctionType(argTypes, ValueRange(results).getTypes()));
  return module;
}

OwningOpRef<ModuleOp> makeRandomGraph(MLIRContext *context, unsigned seed) {
  return GraphMaker(context, seed).make();
}

SmallVector<HostTensor> makeRandomInputs(ModuleOp module, unsigned seed) {
  std::mt19937 random(seed);
  SmallVector<HostTensor> inputs;
  for (Type type : module.lookupSymbol<func::FuncOp>("f").getArgumentTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<Attribute> numbers =
        getInterestingValues(tensor.getElementType());
    SmallVector<Attribute> elements;
    for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i)
      elements.push_back(numbers[random() % numbers.size()]);
    inputs.push_back(*makeHostTensor(
        module.getLoc(), tensor,
        cast<TypedAttr>(DenseElementsAttr::get(tensor, elements))));
  }
  return inputs;
}
