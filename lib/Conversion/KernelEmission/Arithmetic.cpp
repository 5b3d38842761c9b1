//===- Arithmetic.cpp - tg's scalar arithmetic in arith and math ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds the elementwise operations other than casts, with the semantics that
/// the dialect documents.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelEmission/Arithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;

static Value select(B &b, Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, condition, x, y);
}

static Value compare(B &b, arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(b, predicate, x, y);
}

static Value compareFloat(B &b, arith::CmpFPredicate predicate, Value x,
                          Value y) {
  return arith::CmpFOp::create(b, predicate, x, y);
}

static bool isFloat(Value x) { return isa<FloatType>(getElementTypeOrSelf(x)); }

static bool isBool(Value x) { return getElementTypeOrSelf(x).isInteger(1); }

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

namespace {
/// How a quotient is rounded and whether the remainder is wanted instead.
enum class DivKind { Idiv, Floordiv, Mod, Floormod };
} // namespace

/// x / y rounded towards zero, for y != 0 and no overflow. Vectors of up to 32
/// bits divide as floats, since processors have no vector integer division. A
/// float type that holds both operands exactly cannot round the quotient up to
/// the next integer.
static Value buildPlainDiv(B &b, Value x, Value y, bool isUnsigned,
                           bool isConstant) {
  Type type = x.getType();
  Type element = getElementTypeOrSelf(type);
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (isConstant || width == 64 || !isa<VectorType>(type)) {
    if (isUnsigned)
      return arith::DivUIOp::create(b, x, y);
    return arith::DivSIOp::create(b, x, y);
  }
  Type floatType = withElement(type, width == 32 ? Type(b.getF64Type())
                                                 : Type(b.getF32Type()));
  auto toFloat = [&](Value v) -> Value {
    if (isUnsigned)
      return arith::UIToFPOp::create(b, floatType, v);
    return arith::SIToFPOp::create(b, floatType, v);
  };
  Value quotient = arith::DivFOp::create(b, toFloat(x), toFloat(y));
  if (width == 32) {
    if (isUnsigned)
      return arith::FPToUIOp::create(b, type, quotient);
    return arith::FPToSIOp::create(b, type, quotient);
  }
  Value wide =
      arith::FPToSIOp::create(b, withElement(type, b.getI32Type()), quotient);
  return arith::TruncIOp::create(b, type, wide);
}

static Value buildDivision(B &b, DivKind kind, Value x, Value y,
                           bool isUnsigned) {
  Type type = x.getType();
  Value zero = buildInt(b, type, 0);
  bool isMod = kind == DivKind::Mod || kind == DivKind::Floormod;
  bool isFloor = kind == DivKind::Floordiv || kind == DivKind::Floormod;
  APInt constant;
  bool isConstant = matchPattern(y, m_ConstantInt(&constant));
  Value isZero, safe = y;
  if (isConstant) {
    if (constant.isZero())
      return zero;
    if (isFloor && !isUnsigned && constant.isStrictlyPositive() &&
        constant.isPowerOf2()) {
      if (isMod)
        return arith::AndIOp::create(b, x, buildInt(b, type, constant - 1));
      return arith::ShRSIOp::create(
          b, x, buildInt(b, type, int64_t(constant.logBase2())));
    }
    if (!isUnsigned && constant.isAllOnes())
      return isMod ? zero : Value(arith::SubIOp::create(b, zero, x));
  } else {
    Value one = buildInt(b, type, 1);
    isZero = compare(b, arith::CmpIPredicate::eq, y, zero);
    Value isUnsafe = isZero;
    if (!isUnsigned) {
      Type element = getElementTypeOrSelf(type);
      unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
      Value least = buildInt(b, type, APInt::getSignedMinValue(width));
      Value overflows = arith::AndIOp::create(
          b, compare(b, arith::CmpIPredicate::eq, x, least),
          compare(b, arith::CmpIPredicate::eq, y, buildInt(b, type, -1)));
      isUnsafe = arith::OrIOp::create(b, isUnsafe, overflows);
    }
    safe = select(b, isUnsafe, one, y);
  }
  Value quotient = buildPlainDiv(b, x, safe, isUnsigned, isConstant);
  Value result = quotient;
  if (isMod || (isFloor && !isUnsigned)) {
    Value remainder =
        arith::SubIOp::create(b, x, arith::MulIOp::create(b, quotient, y));
    if (isMod)
      result = remainder;
    if (isFloor && !isUnsigned) {
      Value differs = compare(b, arith::CmpIPredicate::slt,
                              arith::XOrIOp::create(b, remainder, y), zero);
      Value adjust = arith::AndIOp::create(
          b, differs, compare(b, arith::CmpIPredicate::ne, remainder, zero));
      Value adjusted =
          isMod
              ? Value(arith::AddIOp::create(b, remainder, y))
              : Value(arith::SubIOp::create(b, quotient, buildInt(b, type, 1)));
      result = select(b, adjust, adjusted, result);
    }
  }
  return isZero ? select(b, isZero, zero, result) : result;
}

Value emission::buildFloorDivision(B &b, Value x, Value y, bool wantRemainder) {
  return buildDivision(b, wantRemainder ? DivKind::Floormod : DivKind::Floordiv,
                       x, y, /*isUnsigned=*/false);
}

//===----------------------------------------------------------------------===//
// Shifts, max, comparisons, rounding
//===----------------------------------------------------------------------===//

static Value buildShift(B &b, bool isLeft, Value x, Value amount,
                        bool isUnsigned) {
  Type type = x.getType();
  int64_t width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value isIn =
      compare(b, arith::CmpIPredicate::ult, amount, buildInt(b, type, width));
  if (!isLeft && !isUnsigned) {
    Value most = buildInt(b, type, width - 1);
    return arith::ShRSIOp::create(b, x, select(b, isIn, amount, most));
  }
  // Lanes that the select discards still need a defined shift.
  Value zero = buildInt(b, type, 0);
  Value safe = select(b, isIn, amount, zero);
  Value shifted = isLeft ? Value(arith::ShLIOp::create(b, x, safe))
                         : Value(arith::ShRUIOp::create(b, x, safe));
  return select(b, isIn, shifted, zero);
}

Value emission::buildMax(B &b, Value x, Value y, bool isUnsigned) {
  if (isBool(x))
    return arith::OrIOp::create(b, x, y);
  if (!isFloat(x)) {
    if (isUnsigned)
      return arith::MaxUIOp::create(b, x, y);
    return arith::MaxSIOp::create(b, x, y);
  }
  // Compare and select in this order are one instruction. They yield y if
  // either operand is NaN, which is wrong only for a NaN in x alone.
  Value larger =
      select(b, compareFloat(b, arith::CmpFPredicate::OGT, x, y), x, y);
  return select(b, compareFloat(b, arith::CmpFPredicate::UNO, x, x), x, larger);
}

Value emission::buildMin(B &b, Value x, Value y, bool isUnsigned) {
  if (isBool(x))
    return arith::AndIOp::create(b, x, y);
  if (!isFloat(x)) {
    if (isUnsigned)
      return arith::MinUIOp::create(b, x, y);
    return arith::MinSIOp::create(b, x, y);
  }
  Value smaller =
      select(b, compareFloat(b, arith::CmpFPredicate::OLT, x, y), x, y);
  return select(b, compareFloat(b, arith::CmpFPredicate::UNO, x, x), x,
                smaller);
}

Value emission::buildCombine(B &b, ReduceKind kind, Value x, Value y,
                             bool isUnsigned) {
  Type element = getElementTypeOrSelf(x);
  bool isFloat = isa<FloatType>(element), isBool = element.isInteger(1);
  switch (kind) {
  case ReduceKind::add:
    if (isFloat)
      return arith::AddFOp::create(b, x, y);
    if (isBool)
      return arith::OrIOp::create(b, x, y);
    return arith::AddIOp::create(b, x, y);
  case ReduceKind::mul:
    if (isFloat)
      return arith::MulFOp::create(b, x, y);
    if (isBool)
      return arith::AndIOp::create(b, x, y);
    return arith::MulIOp::create(b, x, y);
  case ReduceKind::max:
    return buildMax(b, x, y, isUnsigned);
  }
  llvm_unreachable("unknown reduction");
}

static Value buildCompare(B &b, Operation *op, Value x, Value y,
                          bool isUnsigned) {
  bool isLess = isa<CmpLtOp>(op), isEqual = isa<CmpEqOp>(op);
  if (isFloat(x))
    return compareFloat(b,
                        isLess    ? arith::CmpFPredicate::OLT
                        : isEqual ? arith::CmpFPredicate::OEQ
                                  : arith::CmpFPredicate::UNE,
                        x, y);
  return compare(b,
                 isLess    ? (isUnsigned ? arith::CmpIPredicate::ult
                                         : arith::CmpIPredicate::slt)
                 : isEqual ? arith::CmpIPredicate::eq
                           : arith::CmpIPredicate::ne,
                 x, y);
}

/// Clears the fraction bits of an f16. In f32 truncation is one instruction,
/// but LLVM narrows it to f16, which processors truncate one element at a time.
static Value buildTruncF16(B &b, Value bits) {
  Type type = bits.getType();
  Value magnitude = arith::AndIOp::create(b, bits, buildInt(b, type, 0x7fff));
  Value exponent = arith::ShRUIOp::create(b, magnitude, buildInt(b, type, 10));
  // 1.0 has the biased exponent 15. For smaller exponents the difference wraps
  // around, and the result is not used.
  Value whole = arith::MinUIOp::create(
      b, arith::SubIOp::create(b, exponent, buildInt(b, type, 15)),
      buildInt(b, type, 15));
  Value kept = arith::ShRSIOp::create(b, buildInt(b, type, 0xfc00), whole);
  Value isFraction = compare(b, arith::CmpIPredicate::ult, magnitude,
                             buildInt(b, type, 0x3c00));
  return arith::AndIOp::create(
      b, bits, select(b, isFraction, buildInt(b, type, 0x8000), kept));
}

//===----------------------------------------------------------------------===//
// Threefry
//===----------------------------------------------------------------------===//

/// Threefry-2x32 with 20 rounds on vectors of its two words.
static Value buildThreefry(B &b, Value counter, Value key) {
  Type wide = counter.getType();
  Type word = withElement(wide, b.getI32Type());
  auto low = [&](Value v) -> Value {
    return arith::TruncIOp::create(b, word, v);
  };
  auto high = [&](Value v) -> Value {
    return low(arith::ShRUIOp::create(b, v, buildInt(b, wide, 32)));
  };
  Value keys[3] = {low(key), high(key), Value()};
  keys[2] = arith::XOrIOp::create(b, arith::XOrIOp::create(b, keys[0], keys[1]),
                                  buildInt(b, word, 0x1BD11BDA));
  Value x0 = arith::AddIOp::create(b, low(counter), keys[0]);
  Value x1 = arith::AddIOp::create(b, high(counter), keys[1]);
  static constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  for (int block = 0; block < 5; ++block) {
    for (int amount : rotations[block % 2]) {
      x0 = arith::AddIOp::create(b, x0, x1);
      Value left = arith::ShLIOp::create(b, x1, buildInt(b, word, amount));
      Value right =
          arith::ShRUIOp::create(b, x1, buildInt(b, word, 32 - amount));
      x1 = arith::XOrIOp::create(b, arith::OrIOp::create(b, left, right), x0);
    }
    x0 = arith::AddIOp::create(b, x0, keys[(block + 1) % 3]);
    x1 = arith::AddIOp::create(
        b, x1,
        arith::AddIOp::create(b, keys[(block + 2) % 3],
                              buildInt(b, word, block + 1)));
  }
  Value upper = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, wide, x1),
                                      buildInt(b, wide, 32));
  return arith::OrIOp::create(b, upper, arith::ExtUIOp::create(b, wide, x0));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// An operation on types that processors compute with directly: f32, f64,
/// integers, index, bool.
static Value buildPlain(B &b, Operation *op, ValueRange v, bool isUnsigned) {
  bool floats = isFloat(v[0]), bools = isBool(v[0]);
  Type type = v[0].getType();
  auto pick = [&](auto forFloat, auto forInt) -> Value {
    return floats ? forFloat() : forInt();
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](NegOp) {
        return pick([&]() -> Value { return arith::NegFOp::create(b, v[0]); },
                    [&]() -> Value {
                      return arith::SubIOp::create(b, buildInt(b, type, 0),
                                                   v[0]);
                    });
      })
      .Case([&](RecipOp) -> Value {
        return arith::DivFOp::create(b, buildFloat(b, type, 1.0), v[0]);
      })
      .Case([&](SqrtOp) -> Value { return math::SqrtOp::create(b, v[0]); })
      .Case([&](Exp2Op) -> Value { return math::Exp2Op::create(b, v[0]); })
      .Case([&](ExpOp) -> Value { return math::ExpOp::create(b, v[0]); })
      .Case([&](ExpM1Op) -> Value { return math::ExpM1Op::create(b, v[0]); })
      .Case([&](Log2Op) -> Value { return math::Log2Op::create(b, v[0]); })
      .Case([&](LogOp) -> Value { return math::LogOp::create(b, v[0]); })
      .Case([&](Log1pOp) -> Value { return math::Log1pOp::create(b, v[0]); })
      .Case([&](SinOp) -> Value { return math::SinOp::create(b, v[0]); })
      .Case([&](CosOp) -> Value { return math::CosOp::create(b, v[0]); })
      .Case([&](TanOp) -> Value { return math::TanOp::create(b, v[0]); })
      .Case([&](AsinOp) -> Value { return math::AsinOp::create(b, v[0]); })
      .Case([&](AcosOp) -> Value { return math::AcosOp::create(b, v[0]); })
      .Case([&](AtanOp) -> Value { return math::AtanOp::create(b, v[0]); })
      .Case([&](TanhOp) -> Value { return math::TanhOp::create(b, v[0]); })
      .Case([&](ErfOp) -> Value { return math::ErfOp::create(b, v[0]); })
      .Case([&](TruncOp) -> Value { return math::TruncOp::create(b, v[0]); })
      .Case([&](PowOp) -> Value { return math::PowFOp::create(b, v[0], v[1]); })
      .Case([&](AddOp) {
        return pick(
            [&]() -> Value { return arith::AddFOp::create(b, v[0], v[1]); },
            [&]() -> Value {
              if (bools)
                return arith::OrIOp::create(b, v[0], v[1]);
              return arith::AddIOp::create(b, v[0], v[1]);
            });
      })
      .Case([&](SubOp) {
        return pick(
            [&]() -> Value { return arith::SubFOp::create(b, v[0], v[1]); },
            [&]() -> Value { return arith::SubIOp::create(b, v[0], v[1]); });
      })
      .Case([&](MulOp) {
        return pick(
            [&]() -> Value { return arith::MulFOp::create(b, v[0], v[1]); },
            [&]() -> Value {
              if (bools)
                return arith::AndIOp::create(b, v[0], v[1]);
              return arith::MulIOp::create(b, v[0], v[1]);
            });
      })
      .Case([&](MulAccOp) {
        return pick(
            [&]() -> Value { return math::FmaOp::create(b, v[0], v[1], v[2]); },
            [&]() -> Value {
              return arith::AddIOp::create(
                  b, arith::MulIOp::create(b, v[0], v[1]), v[2]);
            });
      })
      .Case(
          [&](FDivOp) -> Value { return arith::DivFOp::create(b, v[0], v[1]); })
      .Case([&](IDivOp) {
        return buildDivision(b, DivKind::Idiv, v[0], v[1], isUnsigned);
      })
      .Case([&](FloorDivOp) {
        return buildDivision(b, DivKind::Floordiv, v[0], v[1], isUnsigned);
      })
      .Case([&](ModOp) {
        return buildDivision(b, DivKind::Mod, v[0], v[1], isUnsigned);
      })
      .Case([&](FloorModOp) {
        return buildDivision(b, DivKind::Floormod, v[0], v[1], isUnsigned);
      })
      .Case([&](MaxOp) { return buildMax(b, v[0], v[1], isUnsigned); })
      .Case(
          [&](AndOp) -> Value { return arith::AndIOp::create(b, v[0], v[1]); })
      .Case([&](OrOp) -> Value { return arith::OrIOp::create(b, v[0], v[1]); })
      .Case(
          [&](XorOp) -> Value { return arith::XOrIOp::create(b, v[0], v[1]); })
      .Case([&](ShlOp) {
        return buildShift(b, /*isLeft=*/true, v[0], v[1], isUnsigned);
      })
      .Case([&](ShrOp) {
        return buildShift(b, /*isLeft=*/false, v[0], v[1], isUnsigned);
      })
      .Case<CmpLtOp, CmpEqOp, CmpNeOp>([&](Operation *) {
        return buildCompare(b, op, v[0], v[1], isUnsigned || bools);
      })
      .Case([&](ThreefryOp) { return buildThreefry(b, v[0], v[1]); })
      .Default([](Operation *) { return Value(); });
}

Value Arithmetic::buildElementwise(B &b, Operation *op,
                                   ValueRange operands) const {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1)
    return Value();
  Type element = getElementTypeOrSelf(op->getOperand(0));
  Type result = getElementTypeOrSelf(op->getResult(0));
  if (isa<CastOp>(op))
    return buildCast(b, operands[0], element, result);
  if (isa<WhereOp>(op))
    return select(b, operands[0], operands[1], operands[2]);
  if (isa<BitcastOp>(op)) {
    Type type = withElement(operands[0].getType(), getRegisterType(result));
    if (type == operands[0].getType())
      return operands[0];
    return arith::BitcastOp::create(b, type, operands[0]);
  }
  if (!isNarrowFloat(element))
    return buildPlain(b, op, operands, element.isUnsignedInteger());
  if (isa<NegOp>(op) && !isBits(element))
    return arith::NegFOp::create(b, operands[0]);
  if (isa<NegOp>(op))
    return arith::XOrIOp::create(b, operands[0],
                                 buildInt(b, operands[0].getType(), 0x8000));
  if (isa<TruncOp>(op) && element.isF16() && isBits(element))
    return buildTruncF16(b, operands[0]);
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(buildWiden(b, operand, element));
  Value value = buildPlain(b, op, wide, false);
  if (!value || result.isInteger(1))
    return value;
  return buildNarrow(b, value, element);
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

Value Arithmetic::buildUpdate(B &b, UpdateKind kind, Value old, Value value,
                              Type element) const {
  if (isNarrowFloat(element)) {
    old = buildWiden(b, old, element);
    value = buildWiden(b, value, element);
  }
  const bool isUnsigned = element.isUnsignedInteger();
  switch (kind) {
  case UpdateKind::set:
    break;
  case UpdateKind::add:
    value = buildCombine(b, ReduceKind::add, old, value, isUnsigned);
    break;
  case UpdateKind::mul:
    value = buildCombine(b, ReduceKind::mul, old, value, isUnsigned);
    break;
  case UpdateKind::max:
    value = buildCombine(b, ReduceKind::max, old, value, isUnsigned);
    break;
  case UpdateKind::min:
    value = buildMin(b, old, value, isUnsigned);
    break;
  }
  return isNarrowFloat(element) ? buildNarrow(b, value, element) : value;
}
