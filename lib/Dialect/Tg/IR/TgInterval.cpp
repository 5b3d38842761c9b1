//===- TgInterval.cpp - bounds of integers --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Arithmetic of intervals, and conversions to and from upstream's ranges.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgInterval.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include <string>

using namespace mlir;
using namespace mlir::tg;

using Number = Interval::Number;
static constexpr Number kUnbounded = Interval::kUnbounded;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static bool isUnbounded(Number end) {
  return end == kUnbounded || end == -kUnbounded;
}
static bool fitsInt64(Number number) {
  return number == static_cast<int64_t>(number);
}

/// The least number of 128 bits is further out than the unbounded end.
static Number getEnd(bool overflows, Number end, bool isPositive) {
  if (overflows)
    return isPositive ? kUnbounded : -kUnbounded;
  return std::max(end, -kUnbounded);
}

static Number add(Number x, Number y) {
  if (fitsInt64(x) && fitsInt64(y))
    return x + y;
  if (isUnbounded(x) || isUnbounded(y))
    return isUnbounded(x) ? x : y;
  Number sum;
  const bool overflows = __builtin_add_overflow(x, y, &sum);
  return getEnd(overflows, sum, x > 0);
}

static Number multiply(Number x, Number y) {
  if (fitsInt64(x) && fitsInt64(y))
    return x * y;
  Number product;
  const bool overflows = __builtin_mul_overflow(x, y, &product);
  return getEnd(overflows, product, (x > 0) == (y > 0));
}

template <bool isFloor> static Number divide(Number x, Number y) {
  if (isUnbounded(x))
    return y > 0 ? x : -x;
  Number quotient = x / y;
  return quotient - (isFloor && quotient * y != x && (x < 0) != (y < 0));
}

template <bool isFloor> static Number getRest(Number x, Number y) {
  Number rest = x % y;
  return isFloor && rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The ends of what is monotone in each operand while the other stays.
template <typename Fn> static Interval corners(Interval x, Interval y, Fn fn) {
  const Number first = fn(x.lo, y.lo), second = fn(x.hi, y.lo);
  const Interval result(std::min(first, second), std::max(first, second));
  if (y.lo == y.hi)
    return result;
  const Number third = fn(x.lo, y.hi), fourth = fn(x.hi, y.hi);
  return result.unite({std::min(third, fourth), std::max(third, fourth)});
}

Interval Interval::operator+(Interval other) const {
  return {add(lo, other.lo), add(hi, other.hi)};
}

Interval Interval::addWrapped(Interval other) const {
  if (*this == 0)
    return other;
  return other == 0 ? *this : (*this + other).wrapped();
}

Interval Interval::operator*(Interval other) const {
  return corners(*this, other, multiply);
}

/// The results for divisors of each sign, and for 0.
template <typename Fn>
static Interval uniteBySign(Interval divisor, Fn getPart) {
  Interval result = divisor.contains(0) ? Interval(0) : Interval::getEmpty();
  if (divisor.lo < 0)
    result = result.unite(getPart(divisor.min(-1)));
  if (divisor.hi > 0)
    result = result.unite(getPart(divisor.max(1)));
  return result;
}

template <bool isFloor>
static Interval getQuotient(Interval x, Interval divisor) {
  return uniteBySign(divisor, [&](Interval part) {
    return corners(x, part, divide<isFloor>);
  });
}

template <bool isFloor>
static Interval getRemainder(Interval x, Interval divisor) {
  return uniteBySign(divisor, [&](Interval part) -> Interval {
    // With one quotient, the remainder grows with the dividend.
    const Interval quotient = corners(x, part, divide<isFloor>);
    if (quotient.lo == quotient.hi && (part.lo == part.hi || quotient.lo == 0))
      return {getRest<isFloor>(x.lo, part.lo), getRest<isFloor>(x.hi, part.lo)};
    // It is smaller than the divisor and no larger than the dividend, whose
    // sign it has, or that of the divisor if rounded towards that side.
    const Number reach = add(std::max(-part.lo, part.hi), -1);
    if (!isFloor)
      return x.unite(0).intersect({-reach, reach});
    const bool isPositive = part.lo > 0;
    const Interval all = isPositive ? Interval(0, reach) : Interval(-reach, 0);
    const bool isSameSign = isPositive ? x.lo >= 0 : x.hi <= 0;
    return isSameSign ? x.unite(0).intersect(all) : all;
  });
}

Interval Interval::floorDiv(Interval divisor) const {
  return getQuotient</*isFloor=*/true>(*this, divisor);
}
Interval Interval::truncDiv(Interval divisor) const {
  return getQuotient</*isFloor=*/false>(*this, divisor);
}
Interval Interval::floorMod(Interval divisor) const {
  return getRemainder</*isFloor=*/true>(*this, divisor);
}
Interval Interval::truncMod(Interval divisor) const {
  return getRemainder</*isFloor=*/false>(*this, divisor);
}

std::optional<bool> Interval::isLess(Interval other) const {
  if (hi < other.lo)
    return true;
  return lo >= other.hi ? std::optional(false) : std::nullopt;
}

std::optional<bool> Interval::isEqual(Interval other) const {
  if (intersect(other).isEmpty())
    return false;
  return lo == hi && *this == other ? std::optional(true) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Whether numbers of a type are read as signed; bool is 0 or 1.
static bool isSigned(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() || isSignedInteger(element);
}

Interval Interval::getAll(Type type) {
  const unsigned width =
      ConstantIntRanges::getStorageBitwidth(getElementTypeOrSelf(type));
  const Number size = Number(1) << width;
  return isSigned(type) ? Interval(-size / 2, size / 2 - 1)
                        : Interval(0, size - 1);
}

std::optional<Interval> Interval::get(const ConstantIntRanges &range,
                                      Type type) {
  const unsigned width = range.smin().getBitWidth();
  if (width == 0 || width > 64)
    return std::nullopt;
  if (isSigned(type))
    return Interval(range.smin().getSExtValue(), range.smax().getSExtValue());
  return Interval(range.umin().getZExtValue(), range.umax().getZExtValue());
}

ConstantIntRanges Interval::getRange(Type type) const {
  const unsigned width =
      ConstantIntRanges::getStorageBitwidth(getElementTypeOrSelf(type));
  if (!getAll(type).contains(*this))
    return ConstantIntRanges::maxRange(width);
  const bool hasSign = isSigned(type);
  auto toAPInt = [&](Number end) {
    return APInt(width, static_cast<uint64_t>(end), hasSign,
                 /*implicitTrunc=*/true);
  };
  return ConstantIntRanges::range(toAPInt(lo), toAPInt(hi), hasSign);
}

static std::string toText(Number number) {
  if (isUnbounded(number))
    return number < 0 ? "-inf" : "inf";
  std::string digits;
  for (Number rest = number < 0 ? -number : number; rest || digits.empty();
       rest /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + int(rest % 10)));
  return (number < 0 ? "-" : "") + digits;
}

std::string Interval::str() const { return toText(lo) + " to " + toText(hi); }
