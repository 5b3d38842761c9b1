//===- Functions.cpp - functions that tg has no operation for -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions of `math` and `arith` as several operations of `tg`. Those of
/// floats compute in f64, which has bits to spare for narrower types: their
/// results are rounded once, but for errors of f64.
///
//===----------------------------------------------------------------------===//

#include "Builders.h"
#include "Coefficients.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <iterator>
#include <limits>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::linalgtotg;
using namespace mlir::tg::linalgtotg::coefficients;

namespace {
/// Operations on numbers of f64.
class Wide {
public:
  Wide(B &b, Value like) : b(b), like(buildCast(b, like, b.getF64Type())) {}

  Value number(double value) { return buildConst(b, like, value); }
  Value add(Value x, Value y) { return AddOp::create(b, x, y); }
  Value sub(Value x, Value y) { return SubOp::create(b, x, y); }
  Value mul(Value x, Value y) { return MulOp::create(b, x, y); }
  Value div(Value x, Value y) { return FDivOp::create(b, x, y); }
  /// x y + z, rounded once.
  Value mulAcc(Value x, Value y, Value z) {
    return MulAccOp::create(b, x, y, z);
  }
  Value less(Value x, Value y) { return CmpLtOp::create(b, x, y); }
  Value where(Value condition, Value x, Value y) {
    return WhereOp::create(b, condition, x, y);
  }
  Value exp(Value x) { return ExpOp::create(b, x); }
  Value get() const { return like; }
  RankedTensorType getBitsType() {
    return cast<RankedTensorType>(like.getType()).clone(b.getI64Type());
  }
  Value bits(Value x) { return BitcastOp::create(b, getBitsType(), x); }
  Value fromBits(Value x) { return BitcastOp::create(b, like.getType(), x); }
  Value bitsNumber(int64_t value) {
    return buildConst(b, getBitsType(), b.getI64IntegerAttr(value));
  }

private:
  B &b;
  Value like;
};
} // namespace

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// The remainder of a long division, one step for each digit of the quotient.
/// It is exact: each rest is a multiple of the last bit of either operand, and
/// not larger than that operand.
///
/// The products of digits and divisor are rounded once, with the difference. A
/// shifted divisor that is larger than the rest, maybe infinite, has the digit
/// zero.
static Value buildWideRemainder(B &b, Value x, Value y) {
  // Rounding makes the quotient at most one more, up to 2^52.
  constexpr int kDigit = 52;
  // From the largest number to half of the least subnormal one.
  constexpr int kSteps = (1024 + 1075 + kDigit - 1) / kDigit;
  // Factors of more than one number: 2^kShift is one.
  constexpr int kGroup = 19, kShift = kGroup * kDigit;
  Wide wide(b, x);
  const Value zero = wide.number(0.0);
  SmallVector<Value> divisors = {buildAbs(b, y)};
  while (int(divisors.size()) * kGroup < kSteps)
    divisors.push_back(
        wide.mul(divisors.back(), wide.number(std::ldexp(1.0, kShift))));
  Value rest = buildAbs(b, x);
  for (int step = kSteps - 1; step >= 0; --step) {
    Value scaled = divisors[step / kGroup];
    if (const int shift = step % kGroup * kDigit)
      scaled = wide.mul(scaled, wide.number(std::ldexp(1.0, shift)));
    const Value quotient = TruncOp::create(b, wide.div(rest, scaled));
    Value next = wide.mulAcc(quotient, NegOp::create(b, scaled), rest);
    next = wide.where(wide.less(next, zero), wide.add(next, scaled), next);
    rest = wide.where(wide.less(rest, scaled), rest, next);
  }
  return buildCopySign(b, rest, x);
}

/// The same in f64 for narrower numbers, whose products with a digit are exact.
Value linalgtotg::buildRemainder(B &b, Value x, Value y) {
  if (getElement(x).isF64())
    return buildWideRemainder(b, x, y);
  const auto &semantics = cast<FloatType>(getElement(x)).getFloatSemantics();
  const int precision = int(APFloat::semanticsPrecision(semantics));
  const int end = APFloat::semanticsMaxExponent(semantics) + 1;
  const int begin = APFloat::semanticsMinExponent(semantics) - (precision - 1);
  constexpr int kWidePrecision = 53;
  const int digit = kWidePrecision - 1 - precision;
  Wide wide(b, x);
  const Value zero = wide.number(0.0);
  // Less than any infinite divisor, and more than any dividend.
  const Value divisor = buildMin(b, buildAbs(b, Wide(b, y).get()),
                                 wide.number(std::ldexp(1.0, end)));
  Value rest = buildAbs(b, wide.get());
  for (int step = int(llvm::divideCeil(end - begin, digit)) - 1; step >= 0;
       --step) {
    const Value scaled =
        step == 0
            ? divisor
            : wide.mul(divisor, wide.number(std::ldexp(1.0, step * digit)));
    // The quotient is rounded, maybe to the next integer.
    const Value quotient = TruncOp::create(b, wide.div(rest, scaled));
    rest = wide.sub(rest, wide.mul(quotient, scaled));
    rest = wide.where(wide.less(rest, zero), wide.add(rest, scaled), rest);
  }
  return buildCopySign(b, buildCast(b, rest, getElement(x)), x);
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// A third of the exponent, then steps of Halley's iteration, each of which
/// triples the number of correct bits.
Value linalgtotg::buildCbrt(B &b, Value x) {
  Wide wide(b, x);
  const bool isWide = getElement(x).isF64();
  const Value magnitude = buildAbs(b, wide.get());
  Value scaled = magnitude, isSmall;
  if (isWide) {
    // Subnormal numbers have no exponent; 2^54 is the cube of 2^18.
    isSmall = wide.less(magnitude, wide.number(0x1p-1022));
    scaled = wide.where(isSmall, wide.mul(magnitude, wide.number(0x1p54)),
                        magnitude);
  }
  // A third of the bits of a number is near those of its root, but for the bias
  // of the exponent: the error is at most 6 %.
  constexpr int64_t kTwoThirdsOfBias = 0x2A9F789300000000;
  Value root = wide.fromBits(
      AddOp::create(b, IDivOp::create(b, wide.bits(scaled), wide.bitsNumber(3)),
                    wide.bitsNumber(kTwoThirdsOfBias)));
  for (int i = 0; i < (isWide ? 3 : 2); ++i) {
    // The cube of a large number's root may be no number.
    const Value quotient = wide.div(scaled, wide.mul(root, root));
    const Value correction = wide.div(wide.sub(quotient, root),
                                      wide.add(wide.add(root, root), quotient));
    root = wide.add(root, wide.mul(root, correction));
  }
  if (isWide)
    root = wide.where(isSmall, wide.mul(root, wide.number(0x1p-18)), root);
  root = buildCopySign(b, buildCast(b, root, getElement(x)), x);
  // Zeros, infinities and NaN are their own roots.
  const Value zero = buildConst(b, x, 0.0);
  const Value infinity =
      buildConst(b, x, std::numeric_limits<double>::infinity());
  const Value narrow = buildAbs(b, x);
  const Value isOrdinary = AndOp::create(b, CmpLtOp::create(b, zero, narrow),
                                         CmpLtOp::create(b, narrow, infinity));
  return WhereOp::create(b, isOrdinary, root, x);
}

//===----------------------------------------------------------------------===//
// The error function's complement
//===----------------------------------------------------------------------===//

Value linalgtotg::buildErfc(B &b, Value x) {
  Wide wide(b, x);
  const Value magnitude =
      buildMin(b, buildAbs(b, wide.get()), wide.number(kErfcEnd));
  // The square of a narrower number is exact.
  Value power;
  if (!getElement(x).isF64()) {
    power = wide.exp(NegOp::create(b, wide.mul(magnitude, magnitude)));
  } else {
    constexpr int64_t kHighBits = -(int64_t(1) << 27);
    const Value high = wide.fromBits(
        AndOp::create(b, wide.bits(magnitude), wide.bitsNumber(kHighBits)));
    const Value low =
        wide.mul(wide.sub(magnitude, high), wide.add(magnitude, high));
    power = wide.mul(wide.exp(NegOp::create(b, wide.mul(high, high))),
                     wide.exp(NegOp::create(b, low)));
  }
  const Value center = wide.number(kErfcCenter);
  const Value place =
      wide.div(wide.sub(magnitude, center), wide.add(magnitude, center));
  Value sum = wide.number(std::end(kErfc)[-1]);
  for (double coefficient : llvm::drop_begin(llvm::reverse(kErfc)))
    sum = wide.add(wide.mul(sum, place), wide.number(coefficient));
  const Value divisor =
      wide.add(wide.mul(magnitude, wide.number(2.0)), wide.number(1.0));
  const Value right = wide.mul(power, wide.div(sum, divisor));
  const Value isLeft = wide.less(wide.get(), wide.number(0.0));
  Value result = wide.where(isLeft, wide.sub(wide.number(2.0), right), right);
  // Near 1, errors of both factors are more than that of a difference.
  if (getElement(x).isF64())
    result =
        wide.where(wide.less(magnitude, wide.number(0.8)),
                   wide.sub(wide.number(1.0), ErfOp::create(b, x)), result);
  return buildCast(b, result, getElement(x));
}

//===----------------------------------------------------------------------===//
// Powers of integers
//===----------------------------------------------------------------------===//

/// Products of squares of the base, one for each bit of the exponent. With a
/// negative exponent, the quotient 1 / x^-y is not zero for 1 and -1 alone.
Value linalgtotg::buildIntegerPower(B &b, Value x, Value y) {
  const unsigned width = getElement(x).getIntOrFloatBitWidth();
  const Value zero = buildConst(b, x, 0.0), one = buildConst(b, x, 1.0);
  unsigned bits = width - 1;
  bool mayBeNegative = true;
  if (auto number = dyn_cast_or_null<IntegerAttr>(getNumber(y))) {
    mayBeNegative = number.getValue().isNegative();
    bits = mayBeNegative ? 0 : number.getValue().getActiveBits();
  }
  auto isBitSet = [&](unsigned bit) -> Value {
    const Value mask =
        buildConst(b, cast<RankedTensorType>(y.getType()),
                   IntegerAttr::get(getElement(y), APInt(width, 1).shl(bit)));
    return CmpNeOp::create(b, AndOp::create(b, y, mask), zero);
  };
  Value result = one, square = x;
  for (unsigned bit = 0; bit < bits; ++bit) {
    result = WhereOp::create(b, isBitSet(bit), MulOp::create(b, result, square),
                             result);
    if (bit + 1 < bits)
      square = MulOp::create(b, square, square);
  }
  if (!mayBeNegative)
    return result;
  const Value minusOne = buildConst(b, x, -1.0);
  const Value sign = WhereOp::create(b, isBitSet(0), minusOne, one);
  Value quotient =
      WhereOp::create(b, CmpEqOp::create(b, x, minusOne), sign, zero);
  quotient = WhereOp::create(b, CmpEqOp::create(b, x, one), one, quotient);
  return WhereOp::create(b, CmpLtOp::create(b, y, zero), quotient, result);
}
