//===- Arithmetic.cpp - upstream's arithmetic in operations of tg ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What operations of `arith` and `math` compute, in elementwise operations of
/// `tg`. Their integers are signless, and the operation says how they are read;
/// `tg` has signed and unsigned types. Where upstream's result is poison or
/// undefined (division by zero, a float out of range), that of `tg` is one of
/// those allowed.
///
//===----------------------------------------------------------------------===//

#include "Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>
#include <numbers>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::linalgtotg;

static Type withElement(Value like, Type element) {
  return cast<RankedTensorType>(like.getType()).clone(element);
}

static bool isBool(Value x) { return getElement(x).isInteger(1); }

Value linalgtotg::buildCast(B &b, Value x, Type element) {
  if (getElement(x) == element)
    return x;
  return CastOp::create(b, withElement(x, element), x);
}

Value linalgtotg::buildAsUnsigned(B &b, Value x) {
  auto type = dyn_cast<IntegerType>(getElement(x));
  if (!type || !type.isSignless() || type.getWidth() == 1)
    return x;
  return BitcastOp::create(
      b, withElement(x, b.getIntegerType(type.getWidth(), false)), x);
}

Value linalgtotg::buildAsSigned(B &b, Value x) {
  auto type = dyn_cast<IntegerType>(getElement(x));
  if (!type || !type.isUnsigned())
    return x;
  return BitcastOp::create(b, withElement(x, b.getIntegerType(type.getWidth())),
                           x);
}

Value linalgtotg::buildReversed(B &b, Value x) {
  if (isa<FloatType>(getElement(x)))
    return NegOp::create(b, x);
  // All bits, so that no number is its own counterpart.
  auto type = cast<IntegerType>(getElement(x));
  Value ones =
      buildConst(b, cast<RankedTensorType>(x.getType()),
                 IntegerAttr::get(type, APInt::getAllOnes(type.getWidth())));
  return XorOp::create(b, x, ones);
}

Value linalgtotg::buildIsNan(B &b, Value x) { return CmpNeOp::create(b, x, x); }

static Value buildNot(B &b, Value x) { return buildReversed(b, x); }

Value linalgtotg::buildMin(B &b, Value x, Value y) {
  return buildReversed(
      b, MaxOp::create(b, buildReversed(b, x), buildReversed(b, y)));
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static Value buildCompareInts(B &b, arith::CmpIPredicate predicate, Value x,
                              Value y) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return CmpEqOp::create(b, x, y);
  case P::ne:
    return CmpNeOp::create(b, x, y);
  case P::slt:
  case P::sle:
  case P::sgt:
  case P::sge:
    // true is -1 where bools are signed.
    if (isBool(x))
      std::swap(x, y);
    break;
  case P::ult:
  case P::ule:
  case P::ugt:
  case P::uge:
    x = buildAsUnsigned(b, x);
    y = buildAsUnsigned(b, y);
    break;
  }
  switch (predicate) {
  case P::sgt:
  case P::ugt:
    return CmpLtOp::create(b, y, x);
  case P::sle:
  case P::ule:
    return buildNot(b, CmpLtOp::create(b, y, x));
  case P::sge:
  case P::uge:
    return buildNot(b, CmpLtOp::create(b, x, y));
  default:
    return CmpLtOp::create(b, x, y);
  }
}

static Value buildCompareFloats(B &b, arith::CmpFPredicate predicate, Value x,
                                Value y) {
  using P = arith::CmpFPredicate;
  auto less = [&](Value l, Value r) -> Value {
    return CmpLtOp::create(b, l, r);
  };
  // Of numbers, with NaN false.
  auto lessOrEqual = [&](Value l, Value r) -> Value {
    return OrOp::create(b, less(l, r), CmpEqOp::create(b, l, r));
  };
  auto differs = [&]() -> Value {
    return OrOp::create(b, less(x, y), less(y, x));
  };
  auto isUnordered = [&]() -> Value {
    return OrOp::create(b, buildIsNan(b, x), buildIsNan(b, y));
  };
  auto always = [&](bool value) -> Value {
    return ConstOp::create(b, withElement(x, b.getI1Type()), int64_t(value));
  };
  switch (predicate) {
  case P::AlwaysFalse:
    return always(false);
  case P::AlwaysTrue:
    return always(true);
  case P::OEQ:
    return CmpEqOp::create(b, x, y);
  case P::UNE:
    return CmpNeOp::create(b, x, y);
  case P::ONE:
    return differs();
  case P::UEQ:
    return buildNot(b, differs());
  case P::OLT:
    return less(x, y);
  case P::OGT:
    return less(y, x);
  case P::OLE:
    return lessOrEqual(x, y);
  case P::OGE:
    return lessOrEqual(y, x);
  case P::ULT:
    return buildNot(b, lessOrEqual(y, x));
  case P::UGT:
    return buildNot(b, lessOrEqual(x, y));
  case P::ULE:
    return buildNot(b, less(y, x));
  case P::UGE:
    return buildNot(b, less(x, y));
  case P::ORD:
    return buildNot(b, isUnordered());
  case P::UNO:
    return isUnordered();
  }
  llvm_unreachable("unknown predicate");
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Applies an operation to operands read as unsigned.
template <typename OpTy> static Value buildUnsigned(B &b, ValueRange v) {
  return buildAsSigned(
      b, OpTy::create(b, buildAsUnsigned(b, v[0]), buildAsUnsigned(b, v[1])));
}

/// The quotient rounded up, of operands of one signedness.
static Value buildCeilDiv(B &b, Value x, Value y) {
  Value quotient = IDivOp::create(b, x, y), remainder = ModOp::create(b, x, y);
  Value zero = buildConst(b, x, 0.0);
  // The quotient was rounded down if it is positive and not exact.
  Value isInexact = CmpNeOp::create(b, remainder, zero);
  Value isNegative = XorOp::create(b, CmpLtOp::create(b, x, zero),
                                   CmpLtOp::create(b, y, zero));
  Value isDown = AndOp::create(b, isInexact, buildNot(b, isNegative));
  return WhereOp::create(
      b, isDown, AddOp::create(b, quotient, buildConst(b, x, 1.0)), quotient);
}

/// How many bits of an integer are 1: sums of neighboring groups of bits, which
/// double their width each time.
static Value buildCountOnes(B &b, Value signless) {
  Value x = buildAsUnsigned(b, signless);
  auto type = cast<RankedTensorType>(x.getType());
  const unsigned width = getElement(x).getIntOrFloatBitWidth();
  auto number = [&](const APInt &value) {
    return buildConst(b, type, IntegerAttr::get(getElement(x), value));
  };
  for (unsigned group = 1; group < width; group *= 2) {
    const Value mask =
        number(APInt::getSplat(width, APInt::getLowBitsSet(2 * group, group)));
    const Value shifted = ShrOp::create(b, x, number(APInt(width, group)));
    x = AddOp::create(b, AndOp::create(b, x, mask),
                      AndOp::create(b, shifted, mask));
  }
  return buildAsSigned(b, x);
}

/// How many of the highest bits are 0.
static Value buildLeadingZeros(B &b, Value signless) {
  Value x = buildAsUnsigned(b, signless);
  auto type = cast<RankedTensorType>(x.getType());
  const unsigned width = getElement(x).getIntOrFloatBitWidth();
  // All bits below the highest one are set.
  for (unsigned distance = 1; distance < width; distance *= 2)
    x = OrOp::create(
        b, x,
        ShrOp::create(b, x,
                      buildConst(b, type,
                                 IntegerAttr::get(getElement(x),
                                                  APInt(width, distance)))));
  return buildCountOnes(b, buildNot(b, buildAsSigned(b, x)));
}

static Value buildIntegers(B &b, Operation *op, ValueRange v) {
  auto bools = [&](auto forBools, auto forNumbers) -> Value {
    return isBool(v[0]) ? forBools() : forNumbers();
  };
  auto max = [&](bool isUnsigned) -> Value {
    // true is -1 where bools are signed.
    return bools(
        [&]() -> Value {
          return isUnsigned ? Value(OrOp::create(b, v[0], v[1]))
                            : Value(AndOp::create(b, v[0], v[1]));
        },
        [&]() -> Value {
          return isUnsigned ? buildUnsigned<MaxOp>(b, v)
                            : Value(MaxOp::create(b, v[0], v[1]));
        });
  };
  auto min = [&](bool isUnsigned) -> Value {
    return bools(
        [&]() -> Value {
          return isUnsigned ? Value(AndOp::create(b, v[0], v[1]))
                            : Value(OrOp::create(b, v[0], v[1]));
        },
        [&]() -> Value {
          if (!isUnsigned)
            return buildMin(b, v[0], v[1]);
          return buildAsSigned(b, buildMin(b, buildAsUnsigned(b, v[0]),
                                           buildAsUnsigned(b, v[1])));
        });
  };
  // Bools have one bit: sums wrap to "exclusive or".
  auto parity = [&]() -> Value { return XorOp::create(b, v[0], v[1]); };
  // What divides or shifts bools has no counterpart.
  auto numbers = [&](auto build) -> Value {
    return isBool(v[0]) ? Value() : Value(build());
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::AddIOp) {
        return bools(parity,
                     [&]() -> Value { return AddOp::create(b, v[0], v[1]); });
      })
      .Case([&](arith::SubIOp) {
        return bools(parity,
                     [&]() -> Value { return SubOp::create(b, v[0], v[1]); });
      })
      .Case(
          [&](arith::MulIOp) -> Value { return MulOp::create(b, v[0], v[1]); })
      .Case([&](arith::DivSIOp) {
        return numbers([&] { return IDivOp::create(b, v[0], v[1]); });
      })
      .Case([&](arith::DivUIOp) {
        return numbers([&] { return buildUnsigned<IDivOp>(b, v); });
      })
      .Case([&](arith::FloorDivSIOp) {
        return numbers([&] { return FloorDivOp::create(b, v[0], v[1]); });
      })
      .Case([&](arith::CeilDivSIOp) {
        return numbers([&] { return buildCeilDiv(b, v[0], v[1]); });
      })
      .Case([&](arith::CeilDivUIOp) {
        return numbers([&] {
          return buildAsSigned(b, buildCeilDiv(b, buildAsUnsigned(b, v[0]),
                                               buildAsUnsigned(b, v[1])));
        });
      })
      .Case([&](arith::RemSIOp) {
        return numbers([&] { return ModOp::create(b, v[0], v[1]); });
      })
      .Case([&](arith::RemUIOp) {
        return numbers([&] { return buildUnsigned<ModOp>(b, v); });
      })
      .Case(
          [&](arith::AndIOp) -> Value { return AndOp::create(b, v[0], v[1]); })
      .Case([&](arith::OrIOp) -> Value { return OrOp::create(b, v[0], v[1]); })
      .Case(
          [&](arith::XOrIOp) -> Value { return XorOp::create(b, v[0], v[1]); })
      .Case([&](arith::ShLIOp) {
        return numbers([&] { return ShlOp::create(b, v[0], v[1]); });
      })
      .Case([&](arith::ShRSIOp) {
        return numbers([&] { return ShrOp::create(b, v[0], v[1]); });
      })
      .Case([&](arith::ShRUIOp) {
        return numbers([&] { return buildUnsigned<ShrOp>(b, v); });
      })
      .Case([&](arith::MaxSIOp) { return max(/*isUnsigned=*/false); })
      .Case([&](arith::MaxUIOp) { return max(/*isUnsigned=*/true); })
      .Case([&](arith::MinSIOp) { return min(/*isUnsigned=*/false); })
      .Case([&](arith::MinUIOp) { return min(/*isUnsigned=*/true); })
      .Case([&](math::AbsIOp) {
        return numbers(
            [&] { return MaxOp::create(b, v[0], NegOp::create(b, v[0])); });
      })
      .Case([&](math::IPowIOp) {
        return numbers([&] { return buildIntegerPower(b, v[0], v[1]); });
      })
      .Case([&](math::CtPopOp) {
        return numbers([&] { return buildCountOnes(b, v[0]); });
      })
      .Case([&](math::CountLeadingZerosOp) {
        return numbers([&] { return buildLeadingZeros(b, v[0]); });
      })
      .Case([&](math::CountTrailingZerosOp) {
        return numbers([&] {
          // The zeros below the lowest one, as ones.
          const Value below =
              AndOp::create(b, buildNot(b, v[0]),
                            SubOp::create(b, v[0], buildConst(b, v[0], 1.0)));
          return buildCountOnes(b, below);
        });
      })
      .Case([&](arith::CmpIOp compare) {
        return buildCompareInts(b, compare.getPredicate(), v[0], v[1]);
      })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// Adding 0 makes +0.0 of -0.0 and changes nothing else.
Value linalgtotg::buildAbs(B &b, Value x) {
  Value zero = buildConst(b, x, 0.0);
  return WhereOp::create(b, CmpLtOp::create(b, x, zero), NegOp::create(b, x),
                         AddOp::create(b, x, zero));
}

/// The larger (or smaller) operand that is not a NaN.
static Value buildNumberOf(B &b, Value x, Value y, bool isMin) {
  Value both = isMin ? buildMin(b, x, y) : Value(MaxOp::create(b, x, y));
  Value first = WhereOp::create(b, buildIsNan(b, y), x, both);
  return WhereOp::create(b, buildIsNan(b, x), y, first);
}

/// The absolute value, and an infinity.
static std::pair<Value, Value> getMagnitude(B &b, Value x) {
  return {buildAbs(b, x),
          buildConst(b, x, std::numeric_limits<double>::infinity())};
}

/// As their bits say.
Value linalgtotg::buildCopySign(B &b, Value magnitude, Value sign) {
  const unsigned width = getElement(magnitude).getIntOrFloatBitWidth();
  auto type = cast<RankedTensorType>(magnitude.getType());
  auto bits = type.clone(b.getIntegerType(width));
  auto keep = [&](Value x, const APInt &mask) -> Value {
    return AndOp::create(
        b, BitcastOp::create(b, bits, x),
        buildConst(b, bits, IntegerAttr::get(bits.getElementType(), mask)));
  };
  const Value result =
      OrOp::create(b, keep(magnitude, APInt::getSignedMaxValue(width)),
                   keep(sign, APInt::getSignMask(width)));
  return BitcastOp::create(b, type, result);
}

/// The angle of the point (x, y). Where both are zero or infinite, it is that
/// of a point on an axis or a diagonal.
static Value buildAtan2(B &b, Value y, Value x) {
  if (getElement(x).getIntOrFloatBitWidth() == 16) {
    Type wide = b.getF32Type();
    return buildCast(
        b, buildAtan2(b, buildCast(b, y, wide), buildCast(b, x, wide)),
        getElement(x));
  }
  const Value zero = buildConst(b, x, 0.0), one = buildConst(b, x, 1.0);
  const Value infinity =
      buildConst(b, x, std::numeric_limits<double>::infinity());
  const Value width = buildAbs(b, x), height = buildAbs(b, y);
  auto areBoth = [&](Value number) -> Value {
    return AndOp::create(b, CmpEqOp::create(b, width, number),
                         CmpEqOp::create(b, height, number));
  };
  Value slope = FDivOp::create(b, height, width);
  slope = WhereOp::create(b, areBoth(zero), zero, slope);
  slope = WhereOp::create(b, areBoth(infinity), one, slope);
  const Value angle = AtanOp::create(b, slope);
  // pi in two parts, of which the first is rounded to the type.
  const auto &semantics = cast<FloatType>(getElement(x)).getFloatSemantics();
  APFloat high(std::numbers::pi);
  bool losesInfo = false;
  high.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  const double low = APFloat::semanticsPrecision(semantics) < 53
                         ? std::numbers::pi - double(high.convertToFloat())
                         : 0x1.1a62633145c07p-53;
  const Value left = AddOp::create(
      b, SubOp::create(b, buildConst(b, x, std::numbers::pi), angle),
      buildConst(b, x, low));
  const Value isLeft = CmpLtOp::create(b, buildCopySign(b, one, x), zero);
  return buildCopySign(b, WhereOp::create(b, isLeft, left, angle), y);
}

namespace {
/// To which integer a float is rounded.
enum class Rounding { Floor, Ceil, HalfAway, HalfEven };
} // namespace

/// `tg` rounds towards zero only: the result is that, or the next integer away
/// from zero. The difference is exact; that of infinities is NaN and compares
/// false.
static Value buildRounding(B &b, Value x, Rounding rounding) {
  Value t = TruncOp::create(b, x);
  Value one = buildConst(b, x, 1.0);
  Value up = AddOp::create(b, t, one), down = SubOp::create(b, t, one);
  if (rounding == Rounding::Floor)
    return WhereOp::create(b, CmpLtOp::create(b, x, t), down, t);
  if (rounding == Rounding::Ceil)
    return WhereOp::create(b, CmpLtOp::create(b, t, x), up, t);
  Value rest = SubOp::create(b, x, t);
  Value half = buildConst(b, x, 0.5), minusHalf = buildConst(b, x, -0.5);
  Value isUp = CmpLtOp::create(b, half, rest);
  Value isDown = CmpLtOp::create(b, rest, minusHalf);
  Value isTieUp = CmpEqOp::create(b, rest, half);
  Value isTieDown = CmpEqOp::create(b, rest, minusHalf);
  if (rounding == Rounding::HalfEven) {
    Value halved = MulOp::create(b, t, half);
    Value isOdd = CmpNeOp::create(b, halved, TruncOp::create(b, halved));
    isTieUp = AndOp::create(b, isTieUp, isOdd);
    isTieDown = AndOp::create(b, isTieDown, isOdd);
  }
  Value rounded =
      WhereOp::create(b, OrOp::create(b, isDown, isTieDown), down, t);
  return WhereOp::create(b, OrOp::create(b, isUp, isTieUp), up, rounded);
}

template <typename OpTy> static Value unary(B &b, ValueRange v) {
  return OpTy::create(b, v[0]);
}
template <typename OpTy> static Value binary(B &b, ValueRange v) {
  return OpTy::create(b, v[0], v[1]);
}

static Value buildFloats(B &b, Operation *op, ValueRange v) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::AddFOp) { return binary<AddOp>(b, v); })
      .Case([&](arith::SubFOp) { return binary<SubOp>(b, v); })
      .Case([&](arith::MulFOp) { return binary<MulOp>(b, v); })
      .Case([&](arith::DivFOp) { return binary<FDivOp>(b, v); })
      .Case([&](arith::RemFOp) { return buildRemainder(b, v[0], v[1]); })
      .Case([&](arith::NegFOp) { return unary<NegOp>(b, v); })
      .Case([&](arith::MaximumFOp) { return binary<MaxOp>(b, v); })
      .Case([&](arith::MinimumFOp) { return buildMin(b, v[0], v[1]); })
      .Case([&](arith::MaxNumFOp) {
        return buildNumberOf(b, v[0], v[1], /*isMin=*/false);
      })
      .Case([&](arith::MinNumFOp) {
        return buildNumberOf(b, v[0], v[1], /*isMin=*/true);
      })
      .Case([&](arith::CmpFOp compare) {
        return buildCompareFloats(b, compare.getPredicate(), v[0], v[1]);
      })
      .Case([&](math::AbsFOp) { return buildAbs(b, v[0]); })
      .Case([&](math::SqrtOp) { return unary<SqrtOp>(b, v); })
      .Case([&](math::RsqrtOp) -> Value {
        return RecipOp::create(b, unary<SqrtOp>(b, v));
      })
      .Case([&](math::ExpOp) { return unary<ExpOp>(b, v); })
      .Case([&](math::Exp2Op) { return unary<Exp2Op>(b, v); })
      .Case([&](math::ExpM1Op) { return unary<ExpM1Op>(b, v); })
      .Case([&](math::LogOp) { return unary<LogOp>(b, v); })
      .Case([&](math::Log2Op) { return unary<Log2Op>(b, v); })
      .Case([&](math::Log1pOp) { return unary<Log1pOp>(b, v); })
      .Case([&](math::Log10Op) -> Value {
        return MulOp::create(b, unary<LogOp>(b, v),
                             buildConst(b, v[0], std::numbers::log10e));
      })
      .Case([&](math::SinOp) { return unary<SinOp>(b, v); })
      .Case([&](math::CosOp) { return unary<CosOp>(b, v); })
      .Case([&](math::TanOp) { return unary<TanOp>(b, v); })
      .Case([&](math::AsinOp) { return unary<AsinOp>(b, v); })
      .Case([&](math::AcosOp) { return unary<AcosOp>(b, v); })
      .Case([&](math::AtanOp) { return unary<AtanOp>(b, v); })
      .Case([&](math::Atan2Op) { return buildAtan2(b, v[0], v[1]); })
      .Case([&](math::CopySignOp) { return buildCopySign(b, v[0], v[1]); })
      .Case([&](math::TanhOp) { return unary<TanhOp>(b, v); })
      .Case([&](math::ErfOp) { return unary<ErfOp>(b, v); })
      .Case([&](math::ErfcOp) { return buildErfc(b, v[0]); })
      .Case([&](math::CbrtOp) { return buildCbrt(b, v[0]); })
      .Case([&](math::PowFOp) { return binary<PowOp>(b, v); })
      .Case([&](math::FmaOp) -> Value {
        return MulAccOp::create(b, v[0], v[1], v[2]);
      })
      .Case([&](math::TruncOp) { return unary<TruncOp>(b, v); })
      .Case([&](math::FloorOp) {
        return buildRounding(b, v[0], Rounding::Floor);
      })
      .Case(
          [&](math::CeilOp) { return buildRounding(b, v[0], Rounding::Ceil); })
      .Case([&](math::RoundOp) {
        return buildRounding(b, v[0], Rounding::HalfAway);
      })
      .Case([&](math::RoundEvenOp) {
        return buildRounding(b, v[0], Rounding::HalfEven);
      })
      .Case([&](math::ClampFOp) {
        return buildMin(b, MaxOp::create(b, v[0], v[1]), v[2]);
      })
      .Case([&](math::IsNaNOp) { return buildIsNan(b, v[0]); })
      .Case([&](math::IsInfOp) -> Value {
        auto [magnitude, infinity] = getMagnitude(b, v[0]);
        return CmpEqOp::create(b, magnitude, infinity);
      })
      .Case([&](math::IsNormalOp) -> Value {
        auto [magnitude, infinity] = getMagnitude(b, v[0]);
        const APFloat least = APFloat::getSmallestNormalized(
            cast<FloatType>(getElement(v[0])).getFloatSemantics());
        const Value isLess = CmpLtOp::create(
            b, magnitude,
            buildConst(b, cast<RankedTensorType>(v[0].getType()),
                       FloatAttr::get(getElement(v[0]), least)));
        return AndOp::create(b, CmpLtOp::create(b, magnitude, infinity),
                             buildNot(b, isLess));
      })
      .Case([&](math::IsFiniteOp) -> Value {
        auto [magnitude, infinity] = getMagnitude(b, v[0]);
        return CmpLtOp::create(b, magnitude, infinity);
      })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// An integer to one of at most as many bits: the low bits.
static Value buildTruncate(B &b, Value x, Type to) {
  if (!to.isInteger(1) || isBool(x))
    return buildCast(b, x, to);
  return buildCast(b, AndOp::create(b, x, buildConst(b, x, 1.0)), to);
}

static Value buildFromSigned(B &b, Value x, Type to) {
  if (!isBool(x) || to.isInteger(1))
    return buildCast(b, x, to);
  // true is -1. Negated as an integer, so that false gives +0.0.
  return buildCast(b, NegOp::create(b, buildCast(b, x, b.getIntegerType(8))),
                   to);
}

static Value buildFromUnsigned(B &b, Value x, Type to) {
  return buildCast(b, buildAsUnsigned(b, x), to);
}

static Value buildConversions(B &b, Operation *op, Value x, Type to) {
  auto widthOf = [](Type type) { return type.getIntOrFloatBitWidth(); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::ExtFOp>([&](auto) { return buildCast(b, x, to); })
      .Case([&](arith::TruncFOp truncate) {
        auto rounding = truncate.getRoundingmode();
        if (rounding && *rounding != arith::RoundingMode::to_nearest_even)
          return Value();
        return buildCast(b, x, to);
      })
      .Case<arith::ExtSIOp, arith::SIToFPOp>(
          [&](auto) { return buildFromSigned(b, x, to); })
      .Case<arith::ExtUIOp, arith::UIToFPOp>(
          [&](auto) { return buildFromUnsigned(b, x, to); })
      .Case([&](arith::TruncIOp) { return buildTruncate(b, x, to); })
      .Case([&](arith::FPToSIOp) {
        if (to.isInteger(1))
          return buildTruncate(b, buildCast(b, x, b.getIntegerType(8)), to);
        return buildCast(b, x, to);
      })
      .Case([&](arith::FPToUIOp) {
        if (to.isInteger(1))
          return buildTruncate(b, buildCast(b, x, b.getIntegerType(8)), to);
        return buildAsSigned(
            b, buildCast(b, x, b.getIntegerType(widthOf(to), false)));
      })
      .Case([&](arith::IndexCastOp) {
        return widthOf(to) < widthOf(getElement(x)) ? buildTruncate(b, x, to)
                                                    : buildFromSigned(b, x, to);
      })
      .Case([&](arith::IndexCastUIOp) {
        return widthOf(to) < widthOf(getElement(x))
                   ? buildTruncate(b, x, to)
                   : buildFromUnsigned(b, x, to);
      })
      .Case([&](arith::BitcastOp) {
        if (getElement(x) == to)
          return x;
        if (isBool(x) || to.isInteger(1) || !isElementType(to) ||
            widthOf(to) != widthOf(getElement(x)))
          return Value();
        return Value(BitcastOp::create(b, withElement(x, to), x));
      })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

/// Whether `tg` computes with elements of this type. fp8 is stored only.
static bool hasArithmetic(Value x) {
  return !isFp8(getElement(x)) && !getElement(x).isUnsignedInteger();
}

Value linalgtotg::buildArithmetic(B &b, Operation *op, ValueRange operands,
                                  std::string &reason) {
  if (op->getNumResults() == 1 && !operands.empty()) {
    Type to = convertElementType(getElementTypeOrSelf(op->getResult(0)));
    if (!to) {
      reason = "has a result of a type that tensors of tg do not have";
      return {};
    }
    Value result;
    if (isa<arith::SelectOp>(op))
      return WhereOp::create(b, operands[0], operands[1], operands[2]);
    if (operands.size() == 1 && isa<arith::ArithDialect>(op->getDialect()))
      result = buildConversions(b, op, operands[0], to);
    if (!result && llvm::all_of(operands, hasArithmetic)) {
      bool isFloat = isa<FloatType>(getElement(operands[0]));
      result = isFloat ? buildFloats(b, op, operands)
                       : buildIntegers(b, op, operands);
    }
    if (result && getElement(result) == to)
      return result;
  }
  reason = "is not supported for these types; the description of "
           "convert-linalg-to-tg lists the operations that are";
  return {};
}
