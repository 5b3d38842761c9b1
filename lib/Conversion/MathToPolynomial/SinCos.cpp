//===- SinCos.cpp - sin, cos and tan --------------------------------------===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sine, cosine and tangent in f32: |x| = n pi / 2 + r with |r| <= pi / 4; the
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
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "MathBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

/// The same in f64, with an absolute error of 2^-50.
static Reduced reduceSmallWide(MathBuilder &e, Value x) {
  Value magic = e.constF32(0x1.8p23f);
  Value biased = e.fma(x, e.constF32(0x1.45f306p-1f), magic);
  Value n = e.extf(e.f64(), e.sub(biased, magic));
  Value r = e.extf(e.f64(), x);
  for (double part : kWideHalfPi)
    r = e.fma(n, e.constF64(-part), r);
  return {r, e.bitcast(e.i32(), biased)};
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

/// Whether any element of a scalar or vector of i1 is set.
static Value any(ImplicitLocOpBuilder &b, Value condition) {
  auto type = dyn_cast<VectorType>(condition.getType());
  if (!type)
    return condition;
  auto flat = VectorType::get(type.getNumElements(), type.getElementType());
  if (type != flat)
    condition = vector::ShapeCastOp::create(b, flat, condition);
  return vector::ReductionOp::create(b, vector::CombiningKind::OR, condition);
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
  Value largeR = large.r;
  if (!isWide)
    largeR = e.truncf(e.f32(), largeR);
  largeR =
      e.select(isInfinite, isWide ? e.extf(e.f64(), e.nan()) : e.nan(), largeR);
  Value r = e.select(isLarge, largeR, small.r);
  Value quadrant = e.select(isLarge, large.quadrant, small.quadrant);
  scf::YieldOp::create(b, ValueRange{r, quadrant});
  b.setInsertionPointToEnd(ifOp.elseBlock());
  scf::YieldOp::create(b, ValueRange{small.r, small.quadrant});
  return {ifOp.getResult(0), ifOp.getResult(1)};
}

/// Whether bit 0 is set. It moves to the sign bit, which selects test cheaply.
static Value isOdd(MathBuilder &e, Value quadrant) {
  return arith::CmpIOp::create(e.builder(), arith::CmpIPredicate::slt,
                               e.shl(quadrant, e.constI32(31)), e.constI32(0));
}

static Value emitSinOrCos(MathBuilder &e, Value x, bool isCos) {
  auto [r, quadrant] = reduce(e, e.abs(x), /*isWide=*/false);
  // cos(x) = sin(x + pi / 2).
  if (isCos)
    quadrant = e.addi(quadrant, e.constI32(1));

  Value square = e.mul(r, r);
  Value sine = e.fma(e.mul(square, r), e.polynomial(kSin, square), r);
  Value cosine = e.fma(square, e.polynomial(kCos, square), e.constF32(1.0f));
  Value result = e.select(isOdd(e, quadrant), cosine, sine);
  Value sign = e.shl(quadrant, e.constI32(30));
  if (!isCos)
    sign = e.xori(sign, e.bitcast(e.i32(), x));
  return e.flipSign(result, e.andi(sign, e.constI32(0x80000000u)));
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
  Value tangent = e.fma(e.mul(square, r), e.polynomial(kTan, square), rest);
  tangent = e.add(r, tangent);
  Value inverse = e.div(e.constF32(-1.0f), tangent);
  Value result = e.select(isOdd(e, quadrant), inverse, tangent);
  return e.flipSign(result, e.signOf(x));
}
