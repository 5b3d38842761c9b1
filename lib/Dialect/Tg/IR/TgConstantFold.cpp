//===- TgConstantFold.cpp - evaluation of constants -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates operations on constants, one scalar at a time, and provides
/// predicates on constants.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgConstantFold.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "TinyGrad/Support/Threefry.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tg;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

//===----------------------------------------------------------------------===//
// Predicates on types
//===----------------------------------------------------------------------===//

bool mlir::tg::isBoolLike(Type type) {
  return getElementTypeOrSelf(type).isInteger(1);
}

bool mlir::tg::isIntLike(Type type) {
  return isIntOrBoolLike(type) && !isBoolLike(type);
}

bool mlir::tg::isIntOrBoolLike(Type type) {
  return isa<IntegerType, IndexType>(getElementTypeOrSelf(type));
}

bool mlir::tg::isSignedIntLike(Type type) {
  type = getElementTypeOrSelf(type);
  return isa<IndexType>(type) || isSignedInteger(type);
}

bool mlir::tg::isFloatLike(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

std::optional<int64_t> mlir::tg::getStaticNumElements(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return 1;
  // Check for 0 first, since the product of the others may overflow.
  if (llvm::is_contained(shaped.getShape(), 0))
    return 0;
  if (!shaped.hasStaticShape())
    return std::nullopt;
  int64_t count = 1;
  for (int64_t size : shaped.getShape())
    if (llvm::MulOverflow(count, size, count))
      return std::nullopt;
  return count;
}

/// The width of an integer type; `index` counts as i64.
static unsigned getIntWidth(Type type) {
  return isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
}

bool mlir::tg::isLosslessCast(Type from, Type to) {
  if (from == to || from.isInteger(1))
    return true;
  if (to.isInteger(1))
    return false;
  if (isIntLike(from) && isIntLike(to)) {
    unsigned fromWidth = getIntWidth(from), toWidth = getIntWidth(to);
    if (isSignedIntLike(from) == isSignedIntLike(to))
      return fromWidth <= toWidth;
    return isSignedIntLike(to) && fromWidth < toWidth;
  }
  auto toFloat = dyn_cast<FloatType>(to);
  if (!toFloat)
    return false;
  const llvm::fltSemantics &semantics = toFloat.getFloatSemantics();
  if (auto fromFloat = dyn_cast<FloatType>(from))
    // A format without infinity or -0.0 cannot represent all floats.
    return !isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2FNUZType>(to) &&
           APFloat::isRepresentableBy(fromFloat.getFloatSemantics(), semantics);
  if (!isIntLike(from))
    return false;
  unsigned magnitude = getIntWidth(from) - isSignedIntLike(from);
  return APFloat::semanticsPrecision(semantics) >= magnitude &&
         APFloat::semanticsMaxExponent(semantics) >=
             static_cast<int>(magnitude);
}

bool mlir::tg::isCastThroughRedundant(Type a, Type b, Type c) {
  // There are no conversions between index and floats.
  if ((isa<IndexType>(a) && !isIntLike(c)) ||
      (isa<IndexType>(c) && !isIntLike(a)))
    return false;
  if (isLosslessCast(a, b)) {
    // Float to integer saturates, while integer to integer wraps. They agree
    // only for integers that fit.
    if (isIntLike(a) && isFloatLike(b) && isIntLike(c))
      return isLosslessCast(a, c);
    return true;
  }
  // Truncation of a truncation.
  return isIntLike(a) && isIntLike(b) && isIntLike(c) &&
         getIntWidth(b) >= getIntWidth(c);
}

//===----------------------------------------------------------------------===//
// Predicates on constants
//===----------------------------------------------------------------------===//

bool mlir::tg::isSplat(Attribute attr) {
  return isa_and_nonnull<IntegerAttr, FloatAttr>(attr);
}

bool mlir::tg::isInt(Attribute attr, int64_t value) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attr);
  if (!integer)
    return false;
  APInt bits = integer.getValue();
  return bits ==
         APInt(64, static_cast<uint64_t>(value)).trunc(bits.getBitWidth());
}

bool mlir::tg::isFloat(Attribute attr, double value) {
  auto number = dyn_cast_or_null<FloatAttr>(attr);
  if (!number)
    return false;
  APFloat expected(value);
  bool losesInfo = false;
  expected.convert(number.getValue().getSemantics(),
                   APFloat::rmNearestTiesToEven, &losesInfo);
  return !losesInfo && number.getValue().bitwiseIsEqual(expected);
}

bool mlir::tg::isIntOrFloat(Attribute attr, int64_t value) {
  return isInt(attr, value) || isFloat(attr, static_cast<double>(value));
}

bool mlir::tg::isIntAllOnes(Attribute attr) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attr);
  return integer && integer.getValue().isAllOnes();
}

bool mlir::tg::isIntMin(Attribute attr) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attr);
  return integer && (isSignedIntLike(integer.getType())
                         ? integer.getValue().isMinSignedValue()
                         : integer.getValue().isZero());
}

bool mlir::tg::isIntMax(Attribute attr) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attr);
  return integer && (isSignedIntLike(integer.getType())
                         ? integer.getValue().isMaxSignedValue()
                         : integer.getValue().isAllOnes());
}

bool mlir::tg::isPositiveZero(Attribute attr) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getValue().isZero();
  auto number = dyn_cast_or_null<FloatAttr>(attr);
  return number && number.getValue().isPosZero();
}

bool mlir::tg::isAdditiveIdentity(Attribute attr) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getValue().isZero();
  auto number = dyn_cast_or_null<FloatAttr>(attr);
  return number && number.getValue().isNegZero();
}

bool mlir::tg::hasExactReciprocal(Attribute attr) {
  auto number = dyn_cast_or_null<FloatAttr>(attr);
  return number && number.getValue().getExactInverse(nullptr);
}

//===----------------------------------------------------------------------===//
// Scalars: integers
//===----------------------------------------------------------------------===//

static APInt getInt(Attribute attr) {
  return cast<IntegerAttr>(attr).getValue();
}
static APFloat getFloat(Attribute attr) {
  return cast<FloatAttr>(attr).getValue();
}

/// Division that rounds toward zero or toward negative infinity. Division by
/// zero gives 0; the minimum divided by -1 wraps.
static APInt divide(const APInt &a, const APInt &b, bool isSigned, bool floor) {
  if (b.isZero())
    return APInt::getZero(a.getBitWidth());
  if (!isSigned)
    return a.udiv(b);
  APInt quotient = a.sdiv(b), rest = a - quotient * b;
  if (floor && !rest.isZero() && rest.isNegative() != b.isNegative())
    --quotient;
  return quotient;
}

static APInt remainder(const APInt &a, const APInt &b, bool isSigned,
                       bool floor) {
  if (b.isZero())
    return b;
  return a - divide(a, b, isSigned, floor) * b;
}

/// A shift by an unsigned amount that may exceed the width.
static APInt shift(const APInt &x, const APInt &amount, bool left,
                   bool isSigned) {
  unsigned width = x.getBitWidth();
  unsigned bits = static_cast<unsigned>(amount.getLimitedValue(width));
  if (left)
    return x.shl(bits);
  return isSigned ? x.ashr(bits) : x.lshr(bits);
}

static APInt maximum(const APInt &a, const APInt &b, bool isSigned) {
  return (isSigned ? a.sgt(b) : a.ugt(b)) ? a : b;
}

/// Evaluates an operation on integers (including bool and index) whose result
/// has the same type.
static std::optional<APInt> evaluateInt(Operation *op, ArrayRef<APInt> x,
                                        Type type) {
  bool isSigned = isSignedIntLike(type), isBool = type.isInteger(1);
  return llvm::TypeSwitch<Operation *, std::optional<APInt>>(op)
      .Case([&](NegOp) { return -x[0]; })
      .Case([&](AddOp) { return isBool ? x[0] | x[1] : x[0] + x[1]; })
      .Case([&](SubOp) { return x[0] - x[1]; })
      .Case([&](MulOp) { return x[0] * x[1]; })
      .Case([&](IDivOp) { return divide(x[0], x[1], isSigned, false); })
      .Case([&](FloorDivOp) { return divide(x[0], x[1], isSigned, true); })
      .Case([&](ModOp) { return remainder(x[0], x[1], isSigned, false); })
      .Case([&](FloorModOp) { return remainder(x[0], x[1], isSigned, true); })
      .Case([&](MaxOp) { return maximum(x[0], x[1], isSigned); })
      .Case([&](AndOp) { return x[0] & x[1]; })
      .Case([&](OrOp) { return x[0] | x[1]; })
      .Case([&](XorOp) { return x[0] ^ x[1]; })
      .Case([&](ShlOp) { return shift(x[0], x[1], true, isSigned); })
      .Case([&](ShrOp) { return shift(x[0], x[1], false, isSigned); })
      .Case([&](MulAccOp) { return x[0] * x[1] + x[2]; })
      .Case([&](ThreefryOp) {
        return APInt(
            64, tinygrad::threefry(x[0].getZExtValue(), x[1].getZExtValue()));
      })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Scalars: floats
//===----------------------------------------------------------------------===//

static APFloat convert(APFloat x, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  x.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return x;
}

/// Computes in double and rounds to the operands' format.
template <typename Function, typename... Operands>
static APFloat computeInDouble(Function function, const APFloat &x,
                               const Operands &...rest) {
  double result = function(x.convertToDouble(), rest.convertToDouble()...);
  return convert(APFloat(result), x.getSemantics());
}

using UnaryFunction = double (*)(double);

UnaryFunction tg::getMathFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, UnaryFunction>(op)
      .Case([](Exp2Op) { return static_cast<UnaryFunction>(std::exp2); })
      .Case([](ExpOp) { return static_cast<UnaryFunction>(std::exp); })
      .Case([](ExpM1Op) { return static_cast<UnaryFunction>(std::expm1); })
      .Case([](Log2Op) { return static_cast<UnaryFunction>(std::log2); })
      .Case([](LogOp) { return static_cast<UnaryFunction>(std::log); })
      .Case([](Log1pOp) { return static_cast<UnaryFunction>(std::log1p); })
      .Case([](SinOp) { return static_cast<UnaryFunction>(std::sin); })
      .Case([](CosOp) { return static_cast<UnaryFunction>(std::cos); })
      .Case([](TanOp) { return static_cast<UnaryFunction>(std::tan); })
      .Case([](AsinOp) { return static_cast<UnaryFunction>(std::asin); })
      .Case([](AcosOp) { return static_cast<UnaryFunction>(std::acos); })
      .Case([](AtanOp) { return static_cast<UnaryFunction>(std::atan); })
      .Case([](TanhOp) { return static_cast<UnaryFunction>(std::tanh); })
      .Case([](ErfOp) { return static_cast<UnaryFunction>(std::erf); })
      .Default([](Operation *) { return nullptr; });
}

/// Evaluates an operation on floats of one format, f32 or f64.
static std::optional<APFloat> evaluateFloat(Operation *op,
                                            ArrayRef<APFloat> x) {
  const llvm::fltSemantics &semantics = x[0].getSemantics();
  const auto rounding = APFloat::rmNearestTiesToEven;
  APFloat r = x[0];
  if (UnaryFunction function = getMathFunction(op))
    return computeInDouble(function, r);
  return llvm::TypeSwitch<Operation *, std::optional<APFloat>>(op)
      .Case([&](NegOp) { return -r; })
      .Case([&](RecipOp) {
        r = APFloat(semantics, 1);
        r.divide(x[0], rounding);
        return r;
      })
      // Double is wide enough that rounding twice gives the correct result.
      .Case([&](SqrtOp) {
        return computeInDouble([](double v) { return std::sqrt(v); }, r);
      })
      .Case([&](PowOp) {
        return computeInDouble(
            [](double a, double b) { return std::pow(a, b); }, r, x[1]);
      })
      .Case([&](TruncOp) {
        r.roundToIntegral(APFloat::rmTowardZero);
        return r;
      })
      .Case([&](AddOp) {
        r.add(x[1], rounding);
        return r;
      })
      .Case([&](SubOp) {
        r.subtract(x[1], rounding);
        return r;
      })
      .Case([&](MulOp) {
        r.multiply(x[1], rounding);
        return r;
      })
      .Case([&](FDivOp) {
        r.divide(x[1], rounding);
        return r;
      })
      .Case([&](MaxOp) { return llvm::maximum(x[0], x[1]); })
      .Case([&](MulAccOp) {
        r.fusedMultiplyAdd(x[1], x[2], rounding);
        return r;
      })
      .Default([](Operation *) { return std::nullopt; });
}

static Attribute getFloatAttr(FloatType type, const APFloat &value) {
  // NaN payloads are unspecified; a single NaN makes equal graphs identical.
  if (value.isNaN())
    return FloatAttr::get(type, APFloat::getQNaN(type.getFloatSemantics()));
  return FloatAttr::get(type, value);
}

//===----------------------------------------------------------------------===//
// Scalars: comparisons and conversions
//===----------------------------------------------------------------------===//

static Attribute getBoolAttr(Operation *op, bool value) {
  return BoolAttr::get(op->getContext(), value);
}

static bool compare(Operation *op, Attribute lhs, Attribute rhs) {
  if (isa<FloatAttr>(lhs)) {
    APFloat::cmpResult order = getFloat(lhs).compare(getFloat(rhs));
    if (isa<CmpLtOp>(op))
      return order == APFloat::cmpLessThan;
    return (order == APFloat::cmpEqual) == isa<CmpEqOp>(op);
  }
  APInt a = getInt(lhs), b = getInt(rhs);
  if (isa<CmpLtOp>(op))
    return isSignedIntLike(cast<TypedAttr>(lhs).getType()) ? a.slt(b)
                                                           : a.ult(b);
  return (a == b) == isa<CmpEqOp>(op);
}

static Attribute castScalar(Operation *op, Attribute attr, Type to) {
  Type from = cast<TypedAttr>(attr).getType();
  if (from == to)
    return attr;
  auto toFloat = dyn_cast<FloatType>(to);
  if (auto number = dyn_cast<FloatAttr>(attr)) {
    APFloat x = number.getValue();
    if (toFloat)
      return getFloatAttr(toFloat, convert(x, toFloat.getFloatSemantics()));
    if (to.isInteger(1))
      return getBoolAttr(op, !x.isZero());
    // Saturates; NaN becomes 0.
    APSInt result(getIntWidth(to), !isSignedIntLike(to));
    bool isExact;
    x.convertToInteger(result, APFloat::rmTowardZero, &isExact);
    return IntegerAttr::get(to, result);
  }
  APInt x = getInt(attr);
  if (to.isInteger(1))
    return getBoolAttr(op, !x.isZero());
  if (toFloat) {
    APFloat result(toFloat.getFloatSemantics());
    result.convertFromAPInt(x, isSignedIntLike(from),
                            APFloat::rmNearestTiesToEven);
    return getFloatAttr(toFloat, result);
  }
  unsigned width = getIntWidth(to);
  return IntegerAttr::get(to, isSignedIntLike(from) ? x.sextOrTrunc(width)
                                                    : x.zextOrTrunc(width));
}

static Attribute bitcastScalar(Attribute attr, Type to) {
  APInt bits =
      isa<FloatAttr>(attr) ? getFloat(attr).bitcastToAPInt() : getInt(attr);
  if (auto toFloat = dyn_cast<FloatType>(to))
    return FloatAttr::get(toFloat, APFloat(toFloat.getFloatSemantics(), bits));
  return IntegerAttr::get(to, bits);
}

/// Evaluates the operations of a composition one by one.
static Attribute evaluateComposed(ComposedOpInterface op,
                                  ArrayRef<Attribute> operands) {
  Block block;
  for (Value operand : op->getOperands())
    block.addArgument(getElementTypeOrSelf(operand.getType()), op.getLoc());
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&block);
  Value result = op.compose(builder, block.getArguments());
  DenseMap<Value, Attribute> values;
  for (auto [argument, operand] :
       llvm::zip_equal(block.getArguments(), operands))
    values[argument] = operand;
  for (Operation &inner : block) {
    Attribute &value = values[inner.getResult(0)];
    if (auto constant = dyn_cast<ConstOp>(inner))
      value = constant.getValue();
    else
      value = evaluateScalar(
          &inner, llvm::map_to_vector(inner.getOperands(), [&](Value operand) {
            return values.lookup(operand);
          }));
    if (!value)
      return {};
  }
  return values.lookup(result);
}

Attribute mlir::tg::evaluateScalar(Operation *op,
                                   ArrayRef<Attribute> operands) {
  if (auto composed = dyn_cast<ComposedOpInterface>(op))
    return evaluateComposed(composed, operands);
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (isa<CastOp>(op))
    return castScalar(op, operands[0], type);
  if (isa<BitcastOp>(op))
    return bitcastScalar(operands[0], type);
  if (isa<WhereOp>(op))
    return getInt(operands[0]).isOne() ? operands[1] : operands[2];
  if (isa<CmpLtOp, CmpEqOp, CmpNeOp>(op))
    return getBoolAttr(op, compare(op, operands[0], operands[1]));

  if (auto floatType = dyn_cast<FloatType>(type)) {
    // Small formats are computed in f32.
    bool isSmall = floatType.getWidth() < 32;
    auto values = llvm::map_to_vector(operands, [&](Attribute attr) {
      APFloat value = getFloat(attr);
      return isSmall ? convert(value, APFloat::IEEEsingle()) : value;
    });
    std::optional<APFloat> result = evaluateFloat(op, values);
    if (!result)
      return {};
    return getFloatAttr(floatType,
                        convert(*result, floatType.getFloatSemantics()));
  }
  std::optional<APInt> result =
      evaluateInt(op, llvm::map_to_vector(operands, getInt), type);
  return result ? IntegerAttr::get(type, *result) : Attribute();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The elements of a constant. A splat has the same element at each position.
namespace {
class Elements {
public:
  explicit Elements(Attribute attr) {
    if (auto dense = dyn_cast<DenseElementsAttr>(attr))
      values = llvm::to_vector(dense.getValues<Attribute>());
    else
      values = {attr};
  }
  Attribute operator[](int64_t position) const {
    return values.size() == 1 ? values[0] : values[position];
  }

private:
  SmallVector<Attribute> values;
};
} // namespace

static Attribute getZero(Type type) {
  return getNumberAttr(getElementTypeOrSelf(type), int64_t(0));
}

/// A constant of `type` with these elements; a splat if they are all equal.
static Attribute getConstant(Type type, ArrayRef<Attribute> elements) {
  if (!elements.empty() && llvm::all_equal(elements))
    return elements.front();
  return DenseElementsAttr::get(cast<ShapedType>(type), elements);
}

static bool isFoldableConstant(Attribute attr) {
  return isSplat(attr) || isa_and_nonnull<DenseElementsAttr>(attr);
}

Attribute mlir::tg::foldElementwise(Operation *op,
                                    ArrayRef<Attribute> operands) {
  Type type = op->getResult(0).getType();
  std::optional<int64_t> count = getStaticNumElements(type);
  if (count == 0)
    return getZero(type);
  if (!llvm::all_of(operands, isFoldableConstant))
    return {};
  if (llvm::all_of(operands, isSplat))
    return evaluateScalar(op, operands);
  if (!count || *count > kMaxFoldedElements)
    return {};
  auto elements = llvm::map_to_vector(
      operands, [](Attribute attr) { return Elements(attr); });
  SmallVector<Attribute> results;
  for (int64_t i = 0; i < *count; ++i) {
    auto scalars = llvm::map_to_vector(
        elements, [&](const Elements &operand) { return operand[i]; });
    Attribute result = evaluateScalar(op, scalars);
    if (!result)
      return {};
    results.push_back(result);
  }
  return getConstant(type, results);
}

/// Whether an assignment may write through `op`. Then its target must remain a
/// view of memory, even without elements.
static bool isViewOfMemory(Operation *op) {
  for (auto movement = dyn_cast<MovementOpInterface>(op);
       movement && movement.mayBeTarget();
       movement = dyn_cast<MovementOpInterface>(op)) {
    op = op->getOperand(0).getDefiningOp();
    if (!op || isa<BufferOp, AssignOp>(op))
      return true;
  }
  return false;
}

Attribute mlir::tg::foldMovement(Operation *op, Attribute x) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto sourceType = cast<RankedTensorType>(op->getOperand(0).getType());
  std::optional<int64_t> count = getStaticNumElements(type);
  // The result has no elements, or only padding.
  if (count == 0 || getStaticNumElements(sourceType) == 0)
    return isViewOfMemory(op) ? Attribute() : getZero(type);
  auto movement = cast<MovementOpInterface>(op);
  if (isSplat(x))
    return movement.mayAddZeros() && !isPositiveZero(x) ? Attribute() : x;
  auto dense = dyn_cast_or_null<DenseElementsAttr>(x);
  if (!dense || !count || *count > kMaxFoldedElements ||
      dense.getNumElements() > kMaxFoldedElements)
    return {};
  if (movement.keepsOrder())
    return dense.reshape(type);
  ViewChain chain(sourceType);
  chain.apply(op);
  // The position of a static part may still be symbolic.
  std::optional<ViewEvaluator> evaluator = ViewEvaluator::get(chain);
  if (!evaluator)
    return {};

  Elements elements(dense);
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<Attribute> results;
  SmallVector<int64_t> position(shape.size(), 0);
  for (int64_t i = 0; i < *count; ++i) {
    if (auto source = evaluator->getPosition(position))
      results.push_back(elements[*source]);
    else
      results.push_back(getZero(type));
    // Advance to the next position in row-major order.
    for (int64_t axis = shape.size() - 1; axis >= 0; --axis) {
      if (++position[axis] < shape[axis])
        break;
      position[axis] = 0;
    }
  }
  return getConstant(type, results);
}

/// `value` times `count`, rounded once.
static Attribute multiply(FloatAttr value, int64_t count) {
  APFloat product = value.getValue(), factor(APFloat::IEEEquad());
  bool losesInfo;
  product.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  factor.convertFromAPInt(APInt(64, count), true, APFloat::rmNearestTiesToEven);
  product.multiply(factor, APFloat::rmNearestTiesToEven);
  product.convert(value.getValue().getSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return FloatAttr::get(value.getType(), product);
}

Attribute mlir::tg::foldReduceOfSplat(ReduceKind kind, Attribute value,
                                      int64_t count) {
  if (!isSplat(value))
    return {};
  Type type = cast<TypedAttr>(value).getType();
  if (count == 0)
    return getReduceIdentity(kind, type);
  bool isBool = type.isInteger(1);
  if (count == 1 || kind == ReduceKind::max || isBool)
    return value;
  if (auto number = dyn_cast<FloatAttr>(value)) {
    if (kind == ReduceKind::add)
      return multiply(number, count);
    return isFloat(value, 1) ? value : Attribute();
  }
  APInt x = getInt(value);
  if (kind == ReduceKind::add)
    return IntegerAttr::get(type, x * APInt(64, count).trunc(x.getBitWidth()));
  // x to the power `count`; wraps.
  APInt result(x.getBitWidth(), 1);
  for (uint64_t rest = count; rest; rest >>= 1, x *= x)
    if (rest & 1)
      result *= x;
  return IntegerAttr::get(type, result);
}
