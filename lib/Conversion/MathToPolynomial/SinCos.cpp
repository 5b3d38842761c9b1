//===- SinCos.cpp - sin, cos and tan --------------------------------------===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sine, cosine and tangent. In f32, |x| = n pi / 2 + r with |r| <= pi / 4; the
/// quadrant n decides between the polynomials of sin r and cos r, and the sign;
/// tan x is tan r or -1 / tan r. Working on |x| and giving the result the sign
/// of x in the end keeps sin(-0) = -0.
///
/// Below 2^19, r is |x| less n times pi / 2 in three parts. The first
/// difference is exact: both terms are multiples of 2^-24 and it is below 1.
///
/// From 2^19 on, x = m 2^E with a 24-bit integer m. The bits of 1 / (2 pi) with
/// a weight of 2^-E or more contribute whole turns to x / (2 pi) and are
/// skipped; the product of m with the next 96 bits is x in turns, exact to
/// 2^-64 of a turn. No f32 comes closer than 2^-33 to a multiple of a quarter
/// turn, so r keeps more than the 24 bits it needs. Selects pick the words that
/// hold these bits, since there is no table to gather from.
///
/// f64: r is the sum of two numbers, and tan x the quotient of sin x and cos x,
/// which are such sums, too. Below 2^40, |x| less n times the first part of
/// pi / 2 is exact again. From there on, lanes are reduced one by one, with the
/// product of m and 256 bits of 2 / pi; LLVM has integers of that size. No f64
/// comes closer than 2^-62 to a multiple of pi / 2.
///
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "MathBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::coefficients;

namespace {
/// A reduced argument.
struct Reduced {
  /// In f32 or f64, within [-pi / 4, pi / 4] or a little more.
  Value r;
  /// In i32; only the low two bits count.
  Value quadrant;
};
} // namespace

/// Reduces arguments from 0 to below 2^19.
static Reduced reduceSmall(MathBuilder &e, Value x) {
  // The nearest integer to 2 x / pi, which is also left in the low bits.
  Value magic = e.constF32(0x1.8p23f);
  Value biased = e.fma(x, e.constF32(0x1.45f306p-1f), magic);
  Value n = e.sub(biased, magic);
  Value r = x;
  for (float part : kHalfPi)
    r = e.fma(n, e.constF32(-part), r);
  return {r, e.bitcast(e.i32(), biased)};
}

/// The same in f64, good to 2^-50 in absolute terms, and n is the nearest
/// integer.
static Reduced reduceSmallWide(MathBuilder &e, Value x) {
  Value magic = e.constF64(0x1.8p52);
  Value r = e.extf(e.f64(), x);
  Value biased = e.fma(r, e.constF64(0x1.45f306dc9c883p-1), magic);
  Value n = e.sub(biased, magic);
  for (double part : llvm::ArrayRef(kWideHalfPi).take_front(2))
    r = e.fma(n, e.constF64(-part), r);
  return {r, e.trunci(e.i32(), e.bitcast(e.i64(), biased))};
}

/// Reduces arguments of 2^19 and more, in f64. Meaningless for others.
static Reduced reduceLarge(MathBuilder &e, Value x) {
  Value bits = e.bitcast(e.i32(), x);
  Value mantissa =
      e.ori(e.andi(bits, e.constI32(0x7fffffu)), e.constI32(0x800000u));
  // The position of the first bit needed: E + 4, E >= -4.
  Value position = e.subi(e.shru(bits, e.constI32(23)), e.constI32(150 - 4));
  Value word = e.shru(position, e.constI32(5));
  Value c31 = e.constI32(31);
  Value shift = e.andi(position, c31);
  Value unshift = e.subi(c31, shift);

  // Four consecutive words, starting with the one the position is in.
  constexpr unsigned numStarts = 4;
  Value isStart[numStarts];
  for (unsigned start = 1; start < numStarts; ++start)
    isStart[start] = arith::CmpIOp::create(
        e.builder(), arith::CmpIPredicate::eq, word, e.constI32(start));
  Value words[4];
  for (unsigned i = 0; i < 4; ++i) {
    Value chosen = e.constI32(kInvTwoPiBits[i]);
    for (unsigned start = 1; start < numStarts; ++start)
      chosen = e.select(isStart[start], e.constI32(kInvTwoPiBits[start + i]),
                        chosen);
    words[i] = chosen;
  }
  // Three words that start at the position. The right shift by 32 - shift is
  // split in two, since a shift by 32 is undefined.
  Value aligned[3];
  for (unsigned i = 0; i < 3; ++i)
    aligned[i] = e.ori(e.shl(words[i], shift),
                       e.shru(e.shru(words[i + 1], e.constI32(1)), unshift));
  // x in turns, in units of 2^-64; whole turns overflow. Most of it is done in
  // 32 bits, which is half the work for vectors.
  auto widened = [&](Value value) { return e.extui(e.i64(), value); };
  Value c32 = e.constI64(32);
  Value wideMantissa = widened(mantissa);
  Value turns = e.shl(widened(e.muli(mantissa, aligned[0])), c32);
  turns = e.addi(turns, e.muli(wideMantissa, widened(aligned[1])));
  turns = e.addi(turns, e.shru(e.muli(wideMantissa, widened(aligned[2])), c32));
  // Round to the nearest quarter turn.
  Value c62 = e.constI64(62);
  Value quarters = e.shru(e.addi(turns, e.constI64(uint64_t(1) << 61)), c62);
  Value rest = e.subi(turns, e.shl(quarters, c62));
  Value r =
      e.mul(e.sitofp(e.f64(), rest), e.constF64(0x1.921fb54442d18p1 * 0x1p-63));
  return {r, e.trunci(e.i32(), quarters)};
}

/// `value`, a scalar or vector, as a scalar or vector of rank 1.
static Value flatten(ImplicitLocOpBuilder &b, Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type || type.getRank() == 1)
    return value;
  auto flat = VectorType::get(type.getNumElements(), type.getElementType());
  return vector::ShapeCastOp::create(b, flat, value);
}

/// Whether any element of a scalar or vector of i1 is set.
static Value any(ImplicitLocOpBuilder &b, Value condition) {
  if (!isa<VectorType>(condition.getType()))
    return condition;
  return vector::ReductionOp::create(b, vector::CombiningKind::OR,
                                     flatten(b, condition));
}

/// Reduces |x| of any size, in f64 if `isWide`.
static Reduced reduce(MathBuilder &e, Value magnitude, bool isWide) {
  ImplicitLocOpBuilder &b = e.builder();
  Reduced small =
      isWide ? reduceSmallWide(e, magnitude) : reduceSmall(e, magnitude);
  Type type = small.r.getType();
  Value isLarge = e.ge(magnitude, e.constF32(0x1p19f));
  auto ifOp = scf::IfOp::create(b, TypeRange{type, e.i32()}, any(b, isLarge),
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(ifOp.thenBlock());
  Reduced large = reduceLarge(e, magnitude);
  // The sine of an infinity is NaN.
  Value isInfinite = e.eq(magnitude, e.infinity());
  Value nan = isWide ? e.extf(e.f64(), e.nan()) : e.nan();
  Value largeR = isWide ? large.r : e.truncf(e.f32(), large.r);
  largeR = e.select(isInfinite, nan, largeR);
  Value r = e.select(isLarge, largeR, small.r);
  Value quadrant = e.select(isLarge, large.quadrant, small.quadrant);
  scf::YieldOp::create(b, ValueRange{r, quadrant});
  b.setInsertionPointToEnd(ifOp.elseBlock());
  scf::YieldOp::create(b, ValueRange{small.r, small.quadrant});
  return {ifOp.getResult(0), ifOp.getResult(1)};
}

/// sin x or cos x from the sine and the cosine of what is left of |x|.
static Value chooseByQuadrant(MathBuilder &e, Value x, Value quadrant,
                              Value sine, Value cosine, bool isCos) {
  // cos(x) = sin(x + pi / 2).
  if (isCos)
    quadrant = e.addi(quadrant, e.bits(1));
  Value result = e.select(e.isOdd(quadrant), cosine, sine);
  Value sign = e.shl(quadrant, e.bits(e.isWide() ? 62 : 30));
  if (!isCos)
    sign = e.xori(sign, e.toBits(x));
  return e.flipSign(result, e.andi(sign, e.signBit()));
}

static Value emitSinOrCos(MathBuilder &e, Value x, bool isCos) {
  auto [r, quadrant] = reduce(e, e.abs(x), /*isWide=*/false);
  Value square = e.mul(r, r);
  Value sine = e.fma(e.mul(square, r), e.polynomial(kSin, square), r);
  Value cosine = e.fma(square, e.polynomial(kCos, square), e.constF32(1.0f));
  return chooseByQuadrant(e, x, quadrant, sine, cosine, isCos);
}

Value tg::emitSin(MathBuilder &e, Value x) {
  return emitSinOrCos(e, x, /*isCos=*/false);
}

Value tg::emitCos(MathBuilder &e, Value x) {
  return emitSinOrCos(e, x, /*isCos=*/true);
}

Value tg::emitTan(MathBuilder &e, Value x) {
  auto [wideR, quadrant] = reduce(e, e.abs(x), /*isWide=*/true);
  Value r = e.truncf(e.f32(), wideR);
  Value rest = e.truncf(e.f32(), e.sub(wideR, e.extf(e.f64(), r)));
  Value square = e.mul(r, r);
  // The derivative, 1 + tan^2 r, is about 1 + 3/2 r^2, since the rest is small.
  rest = e.fma(e.mul(rest, square), e.constF32(1.5f), rest);
  rest = e.fma(e.mul(square, r), e.polynomial(kTan, square), rest);
  Value tangent = e.add(r, rest);
  Value inverse = e.div(e.constF32(-1.0f), tangent);
  Value result = e.select(e.isOdd(quadrant), inverse, tangent);
  return e.flipSign(result, e.signOf(x));
}

//===----------------------------------------------------------------------===//
// f64
//===----------------------------------------------------------------------===//

namespace {
/// What is left of an f64.
struct WideReduced {
  /// The sum is within [-pi / 4, pi / 4] or a little more; `low` is a small
  /// part of `high`.
  Value high, low;
  /// In i64; only the low two bits count.
  Value quadrant;

  WideReduced(Value high, Value low, Value quadrant)
      : high(high), low(low), quadrant(quadrant) {}
  explicit WideReduced(ValueRange values)
      : WideReduced(values[0], values[1], values[2]) {}
  std::array<Value, 3> values() const { return {high, low, quadrant}; }
};
} // namespace

/// The reduction of arguments from 0 to below 2^40.
static WideReduced reduceModerate(MathBuilder &e, Value x) {
  // The nearest integer to 2 x / pi, and that in the low bits.
  Value magic = e.constF64(0x1.8p52);
  Value biased = e.fma(x, e.constF64(0x1.45f306dc9c883p-1), magic);
  Value n = e.sub(biased, magic);
  Value first = e.fma(n, e.constF64(-kWideHalfPi[0]), x); // exact
  Value factor = e.constF64(kWideHalfPi[1]);
  Value product = e.mul(n, factor);
  Value productLow = e.fma(n, factor, e.neg(product));
  // If the product is larger than `first`, whose unit is, no bit is lost.
  Value high = e.sub(first, product);
  Value low = e.sub(e.sub(first, high), product);
  low = e.sub(low, productLow);
  low = e.fma(n, e.constF64(-kWideHalfPi[2]), low);
  return {high, low, e.toBits(biased)};
}

/// The reduction of one number of 2^40 or more.
static WideReduced reduceHuge(MathBuilder &e, Value x) {
  ImplicitLocOpBuilder &b = e.builder();
  auto integer = [&](const APInt &value) -> Value {
    Type type = b.getIntegerType(value.getBitWidth());
    return arith::ConstantOp::create(b, IntegerAttr::get(type, value));
  };
  Value bits = e.toBits(x);
  Value mantissa = e.ori(e.andi(bits, e.constI64(0xfffffffffffffu)),
                         e.constI64(0x10000000000000u));
  // x is the mantissa times 2^E. Bits of 2 / pi worth 2^(2 - E) or more
  // contribute multiples of 4 to 2 x / pi; the others start at E + 12.
  Value position = e.subi(e.shru(bits, e.constI64(52)), e.constI64(1075 - 12));
  constexpr unsigned numUsed = 256, numKept = numUsed + 64;
  // Whole words first, as choices between words: for a shift of all bits by any
  // number of words, LLVM writes them to memory and reads them from another
  // place. Words that no later choice can reach are dropped.
  SmallVector<Value> words;
  for (uint64_t word : kTwoOverPiBits)
    words.push_back(e.constI64(word));
  for (unsigned amount = 8; amount >= 1; amount /= 2) {
    Value isSet = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne, e.andi(position, e.constI64(64 * amount)),
        e.constI64(0));
    SmallVector<Value> chosen;
    for (unsigned i = 0; i < numKept / 64 + amount - 1; ++i) {
      auto word = [&](unsigned i) {
        return i < words.size() ? words[i] : e.constI64(0);
      };
      chosen.push_back(e.select(isSet, word(i + amount), word(i)));
    }
    words = std::move(chosen);
  }
  Type kept = b.getIntegerType(numKept), used = b.getIntegerType(numUsed);
  auto count = [&](unsigned width, unsigned value) {
    return integer(APInt(width, value));
  };
  Value window = e.extui(kept, words[0]);
  for (Value word : ArrayRef(words).drop_front())
    window = e.ori(e.shl(window, count(numKept, 64)), e.extui(kept, word));
  window = e.shl(window, e.extui(kept, e.andi(position, e.constI64(63))));
  window = e.shru(window, count(numKept, 64));
  // 2 x / pi in units of 2^-254, without multiples of 4.
  Value quarters = e.muli(e.trunci(used, window), e.extui(used, mantissa));
  Value nearest =
      e.addi(quarters, integer(APInt::getOneBitSet(numUsed, numUsed - 3)));
  nearest = e.shru(nearest, count(numUsed, numUsed - 2));
  Value rest = e.subi(quarters, e.shl(nearest, count(numUsed, numUsed - 2)));
  // Three numbers of 48 bits. The first one has the sign.
  auto part = [&](unsigned end) {
    Value bits =
        e.trunci(e.i64(), e.shrs(rest, count(numUsed, numUsed - 2 - end)));
    if (end != 48)
      bits = e.andi(bits, e.constI64((uint64_t(1) << 48) - 1));
    return e.mul(e.sitofp(e.f64(), bits),
                 e.constF64(std::ldexp(1.0, -int(end))));
  };
  Value first = part(48), second = part(96), third = part(144);
  Value sum = e.add(first, second);
  Value sumLow = e.add(e.sub(second, e.sub(sum, first)), third);
  // Times pi / 2.
  Value factor = e.constF64(kWideHalfPi[0]);
  Value high = e.mul(sum, factor);
  Value low = e.fma(sum, factor, e.neg(high));
  low = e.fma(sum, e.constF64(kWideHalfPi[1]), low);
  low = e.fma(sumLow, factor, low);
  // An infinite argument has no result.
  high = e.select(e.eq(x, e.infinity()), e.nan(), high);
  return {high, low, e.trunci(e.i64(), nearest)};
}

/// From here on, arguments are reduced one by one.
static constexpr double kHuge = 0x1p40;

/// \p small, but for the elements of 2^40 and more of the vector \p x.
static WideReduced reduceHugeElements(MathBuilder &e, Value x,
                                      const WideReduced &small) {
  ImplicitLocOpBuilder &b = e.builder();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  x = flatten(b, x);
  SmallVector<Value> initial;
  for (Value value : small.values())
    initial.push_back(flatten(b, value));
  auto loop = scf::ForOp::create(
      b, index(0), index(cast<VectorType>(x.getType()).getNumElements()),
      index(1), initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  OpFoldResult i = loop.getInductionVar();
  Value element = vector::ExtractOp::create(b, x, i);
  ValueRange before = loop.getRegionIterArgs();
  MathBuilder scalar(b, element);
  auto ifOp = scf::IfOp::create(b, before.getTypes(),
                                scalar.ge(element, scalar.constant(kHuge)),
                                /*withElseRegion=*/true);
  scf::YieldOp::create(b, ifOp.getResults());
  b.setInsertionPointToEnd(ifOp.elseBlock());
  scf::YieldOp::create(b, before);
  b.setInsertionPointToEnd(ifOp.thenBlock());
  SmallVector<Value> inserted;
  for (auto [value, old] :
       llvm::zip_equal(reduceHuge(scalar, element).values(), before))
    inserted.push_back(vector::InsertOp::create(b, value, old, i));
  scf::YieldOp::create(b, inserted);
  b.setInsertionPointAfter(loop);
  SmallVector<Value> results;
  for (auto [result, like] : llvm::zip_equal(loop.getResults(), small.values()))
    results.push_back(
        b.createOrFold<vector::ShapeCastOp>(like.getType(), result));
  return WideReduced(results);
}

/// The reduction of |x| from a number of any size.
static WideReduced reduceWide(MathBuilder &e, Value magnitude) {
  ImplicitLocOpBuilder &b = e.builder();
  WideReduced small = reduceModerate(e, magnitude);
  Value isHuge = any(b, e.ge(magnitude, e.constF64(kHuge)));
  auto ifOp = scf::IfOp::create(b, TypeRange(small.values()), isHuge,
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(ifOp.elseBlock());
  scf::YieldOp::create(b, small.values());
  b.setInsertionPointToEnd(ifOp.thenBlock());
  WideReduced all = isa<VectorType>(magnitude.getType())
                        ? reduceHugeElements(e, magnitude, small)
                        : reduceHuge(e, magnitude);
  scf::YieldOp::create(b, all.values());
  return WideReduced(ifOp.getResults());
}

namespace {
/// Sine and cosine of what is left of an argument, as sums of two numbers.
struct SineCosine {
  /// The larger parts, r and 1 - r^2 / 2.
  Value r, base;
  Value sineRest, cosineRest;
  Value quadrant;

  SineCosine(MathBuilder &e, Value x) {
    auto [high, low, n] = reduceWide(e, e.abs(x));
    r = high, quadrant = n;
    Value square = e.mul(r, r), one = e.constF64(1.0);
    Value minusHalf = e.constF64(kWideCos[0]);
    base = e.fma(square, minusHalf, one);
    // `low` counts by the derivative, which is nearly the base.
    Value cubic = e.mul(e.mul(square, r), e.polynomial(kWideSin, square));
    sineRest = e.fma(low, base, cubic);
    Value lost = e.fma(square, minusHalf, e.sub(one, base));
    lost = e.fma(e.neg(r), low, lost);
    Value series = e.polynomial(llvm::ArrayRef(kWideCos).drop_front(), square);
    cosineRest = e.fma(e.mul(square, square), series, lost);
  }

  Value sine(MathBuilder &e) { return e.add(r, sineRest); }
  Value cosine(MathBuilder &e) { return e.add(base, cosineRest); }
};
} // namespace

static Value emitWideSinOrCos(MathBuilder &e, Value x, bool isCos) {
  SineCosine parts(e, x);
  return chooseByQuadrant(e, x, parts.quadrant, parts.sine(e), parts.cosine(e),
                          isCos);
}

Value tg::emitWideSin(MathBuilder &e, Value x) {
  return emitWideSinOrCos(e, x, /*isCos=*/false);
}

Value tg::emitWideCos(MathBuilder &e, Value x) {
  return emitWideSinOrCos(e, x, /*isCos=*/true);
}

Value tg::emitWideTan(MathBuilder &e, Value x) {
  SineCosine parts(e, x);
  Value sine = parts.sine(e), cosine = parts.cosine(e);
  Value sineLow = e.sub(parts.sineRest, e.sub(sine, parts.r));
  Value cosineLow = e.sub(parts.cosineRest, e.sub(cosine, parts.base));
  // -cos / sin in odd quadrants.
  Value isOdd = e.isOdd(parts.quadrant);
  Value dividend = e.select(isOdd, cosine, sine);
  Value divisor = e.select(isOdd, sine, cosine);
  Value dividendLow = e.select(isOdd, cosineLow, sineLow);
  Value divisorLow = e.select(isOdd, sineLow, cosineLow);
  Value inverse = e.div(e.constF64(1.0), divisor);
  Value quotient = e.mul(dividend, inverse), minus = e.neg(quotient);
  Value left = e.add(e.fma(minus, divisor, dividend), dividendLow);
  left = e.fma(minus, divisorLow, left);
  Value result = e.fma(left, inverse, quotient);
  Value sign = e.shl(parts.quadrant, e.constI64(63));
  return e.flipSign(result, e.xori(sign, e.signOf(x)));
}
