//===- Casts.cpp - conversions between element types ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Register and memory types, constants, and tg.cast. Conversions of 8-bit
/// floats, and of bf16 where it is held as bits, are integer arithmetic, so
/// that they vectorize, keep subnormals and call no library.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelEmission/Arithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

Type Arithmetic::getRegisterType(Type element) const {
  if (element.isIndex() || element.isF32() || element.isF64() ||
      (isNarrowFloat(element) && !isBits(element)))
    return element;
  return IntegerType::get(element.getContext(),
                          element.getIntOrFloatBitWidth());
}

Type Arithmetic::getMemoryType(Type element) const {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  return getRegisterType(element);
}

Type emission::withLanes(Type element, int64_t lanes) {
  return lanes ? VectorType::get(lanes, element) : element;
}

Type emission::withElement(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return VectorType::get(vector.getShape(), element);
  return element;
}

static Value buildConstant(B &b, Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(vector, Attribute(element)));
  return arith::ConstantOp::create(b, element);
}

Value emission::buildInt(B &b, Type type, const APInt &value) {
  return buildConstant(b, type,
                       b.getIntegerAttr(getElementTypeOrSelf(type), value));
}

Value emission::buildInt(B &b, Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return buildConstant(b, type, b.getIndexAttr(value));
  return buildInt(b, type,
                  APInt(64, static_cast<uint64_t>(value))
                      .trunc(element.getIntOrFloatBitWidth()));
}

Value emission::buildFloat(B &b, Type type, const APFloat &value) {
  return buildConstant(b, type,
                       b.getFloatAttr(getElementTypeOrSelf(type), value));
}

Value emission::buildFloat(B &b, Type type, double value) {
  return buildConstant(b, type,
                       b.getFloatAttr(getElementTypeOrSelf(type), value));
}

Value emission::buildZero(B &b, Type type) {
  if (isa<FloatType>(getElementTypeOrSelf(type)))
    return buildFloat(b, type, 0.0);
  return buildInt(b, type, 0);
}

Value Arithmetic::buildNumber(B &b, TypedAttr attr, int64_t lanes) const {
  Type element = attr.getType();
  Type type = withLanes(getRegisterType(element), lanes);
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return element.isIndex() ? buildInt(b, type, number.getInt())
                             : buildInt(b, type, number.getValue());
  if (auto boolean = dyn_cast<BoolAttr>(attr))
    return buildInt(b, type, boolean.getValue());
  const APFloat &value = cast<FloatAttr>(attr).getValue();
  if (isa<FloatType>(getRegisterType(element)))
    return buildFloat(b, type, value);
  return buildInt(b, type, value.bitcastToAPInt());
}

//===----------------------------------------------------------------------===//
// Small helpers
//===----------------------------------------------------------------------===//

static Value toBits(B &b, Value x) {
  Type element = getElementTypeOrSelf(x);
  return arith::BitcastOp::create(
      b,
      withElement(x.getType(),
                  b.getIntegerType(element.getIntOrFloatBitWidth())),
      x);
}

static Value fromBits(B &b, Value bits, Type element) {
  return arith::BitcastOp::create(b, withElement(bits.getType(), element),
                                  bits);
}

static Value isNan(B &b, Value x) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
}

static Value select(B &b, Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, condition, x, y);
}

/// Integer arithmetic with constants, as chained calls on one value.
namespace {
struct Bits {
  Bits(B &b, Value v) : b(b), v(v) {}
  Bits(const Bits &) = default;
  Bits &operator=(const Bits &other) {
    v = other.v;
    return *this;
  }

  B &b;
  Value v;

  Bits with(Value value) const { return {b, value}; }
  Value c(int64_t value) const { return buildInt(b, v.getType(), value); }
  Bits operator+(int64_t n) const {
    return with(arith::AddIOp::create(b, v, c(n)));
  }
  Bits operator+(Bits n) const {
    return with(arith::AddIOp::create(b, v, n.v));
  }
  Bits operator-(int64_t n) const {
    return with(arith::SubIOp::create(b, v, c(n)));
  }
  Bits operator&(int64_t n) const {
    return with(arith::AndIOp::create(b, v, c(n)));
  }
  Bits operator|(int64_t n) const {
    return with(arith::OrIOp::create(b, v, c(n)));
  }
  Bits operator|(Bits n) const { return with(arith::OrIOp::create(b, v, n.v)); }
  Bits operator<<(int64_t n) const {
    return with(arith::ShLIOp::create(b, v, c(n)));
  }
  Bits operator>>(int64_t n) const {
    return with(arith::ShRUIOp::create(b, v, c(n)));
  }
  Value compare(arith::CmpIPredicate predicate, int64_t n) const {
    return arith::CmpIOp::create(b, predicate, v, c(n));
  }
};
} // namespace

static Value extend(B &b, Value bits, unsigned width) {
  return arith::ExtUIOp::create(
      b, withElement(bits.getType(), b.getIntegerType(width)), bits);
}

static Value truncate(B &b, Value bits, unsigned width) {
  return arith::TruncIOp::create(
      b, withElement(bits.getType(), b.getIntegerType(width)), bits);
}

//===----------------------------------------------------------------------===//
// f16 and bf16
//===----------------------------------------------------------------------===//

Value Arithmetic::buildWiden(B &b, Value x, Type element) const {
  Type f32 = withElement(x.getType(), b.getF32Type());
  if (!isBits(element))
    return arith::ExtFOp::create(b, f32, x);
  if (element.isF16())
    return arith::ExtFOp::create(b, f32, fromBits(b, x, element));
  Bits wide{b, extend(b, x, 32)};
  return fromBits(b, (wide << 16).v, b.getF32Type());
}

Value Arithmetic::buildNarrow(B &b, Value x, Type element) const {
  if (!isBits(element))
    return arith::TruncFOp::create(b, withElement(x.getType(), element), x);
  if (element.isF16()) {
    Value half =
        arith::TruncFOp::create(b, withElement(x.getType(), element), x);
    return toBits(b, half);
  }
  // Adding the rounding bias carries into the upper half: round to nearest
  // even. The carry could turn a NaN into an infinity, so a NaN is truncated
  // and made quiet instead.
  Bits bits{b, toBits(b, x)};
  Bits upper = bits >> 16;
  Bits rounded = (bits + 0x7fff + (upper & 1)) >> 16;
  Value result = select(b, isNan(b, x), (upper | 0x40).v, rounded.v);
  return truncate(b, result, 16);
}

/// f64 to f32, rounded to odd. Rounding the result again, to at most 22 bits of
/// precision, equals rounding `x` directly.
static Value buildRoundToOdd(B &b, Value x) {
  Type f32 = withElement(x.getType(), b.getF32Type());
  Value nearest = arith::TruncFOp::create(b, f32, x);
  Value back = arith::ExtFOp::create(b, x.getType(), nearest);
  Bits bits{b, toBits(b, nearest)};
  Value isLarger = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT,
                                         math::AbsFOp::create(b, back),
                                         math::AbsFOp::create(b, x));
  Value towardsZero = select(b, isLarger, (bits - 1).v, bits.v);
  Value isInexact =
      arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, x);
  Value odd = (Bits{b, towardsZero} | 1).v;
  return fromBits(b, select(b, isInexact, odd, bits.v), b.getF32Type());
}

//===----------------------------------------------------------------------===//
// fp8
//===----------------------------------------------------------------------===//

namespace {
/// The layout of an 8-bit float type.
struct Fp8Format {
  unsigned mantissa; ///< number of mantissa bits
  int bias;
  int maxFinite;       ///< bits of the largest finite value, without sign
  int overflow;        ///< bits that larger values become
  int nan;             ///< bits without sign
  bool isUnsignedZero; ///< no -0; 0x80 is the only NaN
  bool hasInfinity;
};
} // namespace

static Fp8Format getFormat(Type element) {
  if (isa<Float8E4M3FNType>(element))
    return {3, 7, 0x7e, 0x7f, 0x7f, false, false};
  if (isa<Float8E5M2Type>(element))
    return {2, 15, 0x7b, 0x7c, 0x7e, false, true};
  if (isa<Float8E4M3FNUZType>(element))
    return {3, 8, 0x7f, 0x80, 0x80, true, false};
  assert(isa<Float8E5M2FNUZType>(element) && "not an fp8 type");
  return {2, 16, 0x7f, 0x80, 0x80, true, false};
}

static Value buildFromFp8(B &b, Value code, Type element) {
  Fp8Format f = getFormat(element);
  Type f32 = b.getF32Type();
  Type floats = withElement(code.getType(), f32);
  Bits bits{b, extend(b, code, 32)};
  Bits magnitude = bits & 0x7f;
  // The bits of a normal number move to those of an f32; a subnormal number is
  // an integer times a power of two.
  Bits normal =
      (magnitude << (23 - f.mantissa)) + (int64_t(127 - f.bias) << 23);
  Value small = arith::MulFOp::create(
      b, arith::SIToFPOp::create(b, floats, magnitude.v),
      buildFloat(b, floats, std::ldexp(1.0, 1 - f.bias - int(f.mantissa))));
  Value isSmall =
      magnitude.compare(arith::CmpIPredicate::ult, int64_t(1) << f.mantissa);
  Value result = select(b, isSmall, toBits(b, small), normal.v);
  constexpr int64_t infinity = 0x7f800000, nan = 0x7fc00000;
  if (f.hasInfinity)
    result = select(b, magnitude.compare(arith::CmpIPredicate::eq, f.overflow),
                    magnitude.c(infinity), result);
  if (!f.isUnsignedZero)
    result = select(b,
                    magnitude.compare(f.hasInfinity ? arith::CmpIPredicate::ugt
                                                    : arith::CmpIPredicate::uge,
                                      f.overflow),
                    magnitude.c(nan), result);
  result = (Bits{b, result} | ((bits & 0x80) << 24)).v;
  if (f.isUnsignedZero)
    result = select(b, bits.compare(arith::CmpIPredicate::eq, 0x80),
                    bits.c(nan), result);
  return fromBits(b, result, f32);
}

static Value buildToFp8(B &b, Value x, Type element) {
  Fp8Format f = getFormat(element);
  Type floats = x.getType();
  Bits bits{b, toBits(b, x)};
  Bits magnitude = bits & 0x7fffffff;
  Value absolute = fromBits(b, magnitude.v, b.getF32Type());

  // Normal results: round to nearest even at the last bit kept, then change the
  // exponent bias.
  int64_t shift = 23 - f.mantissa;
  Bits rounded = (magnitude + ((int64_t(1) << (shift - 1)) - 1) +
                  ((magnitude >> shift) & 1)) >>
                 shift;
  Bits normal = rounded - (int64_t(127 - f.bias) << f.mantissa);
  // Subnormal results: add a number whose last place is the smallest subnormal,
  // so that the processor rounds there.
  int minExponent = 1 - f.bias;
  double anchor = std::ldexp(1.0, 23 + minExponent - int(f.mantissa));
  Value moved =
      arith::AddFOp::create(b, absolute, buildFloat(b, floats, anchor));
  Bits small = Bits{b, toBits(b, moved)} -
               int64_t(APFloat(float(anchor)).bitcastToAPInt().getZExtValue());
  Value isSmall = arith::CmpFOp::create(
      b, arith::CmpFPredicate::OLT, absolute,
      buildFloat(b, floats, std::ldexp(1.0, minExponent)));
  Bits code{b, select(b, isSmall, small.v, normal.v)};

  Value isOver = code.compare(arith::CmpIPredicate::sgt, f.maxFinite);
  code.v = select(b, isOver, code.c(f.overflow), code.v);
  if (!f.hasInfinity) {
    Value isInfinite = magnitude.compare(arith::CmpIPredicate::eq, 0x7f800000);
    code.v = select(b, isInfinite, code.c(f.nan), code.v);
  }
  code.v = select(b, isNan(b, x), code.c(f.nan), code.v);
  Bits sign = (bits >> 24) & 0x80;
  if (f.isUnsignedZero) {
    // 0 and NaN have no sign bit in these formats.
    Value isZero = code.compare(arith::CmpIPredicate::eq, 0);
    code.v = select(b, isZero, code.v, (code | sign).v);
  } else {
    code = code | sign;
  }
  return truncate(b, code.v, 8);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

Value Arithmetic::buildComputeFloat(B &b, Value x, Type from) const {
  if (isNarrowFloat(from))
    return buildWiden(b, x, from);
  if (isFp8(from))
    return buildFromFp8(b, x, from);
  return x;
}

Value Arithmetic::buildToBool(B &b, Value x, Type from) const {
  if (isa<FloatType>(getElementTypeOrSelf(x)))
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, x,
                                 buildFloat(b, x.getType(), 0.0));
  Bits bits{b, x};
  if (isNarrowFloat(from))
    bits = bits & 0x7fff;
  else if (isFp8(from) && !getFormat(from).isUnsignedZero)
    bits = bits & 0x7f;
  return bits.compare(arith::CmpIPredicate::ne, 0);
}

static Value buildFloatToInt(B &b, Value x, unsigned width, bool isUnsigned) {
  Type floats = x.getType();
  const llvm::fltSemantics &semantics =
      cast<FloatType>(getElementTypeOrSelf(x)).getFloatSemantics();
  auto number = [&](double value) {
    APFloat result(value);
    bool losesInfo;
    result.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    return result;
  };
  APFloat low = number(isUnsigned ? 0.0 : -std::ldexp(1.0, width - 1));
  APFloat limit = number(std::ldexp(1.0, isUnsigned ? width : width - 1));
  APFloat high = limit;
  high.next(/*nextDown=*/true);
  auto compare = [&](arith::CmpFPredicate predicate, Value value,
                     const APFloat &bound) {
    return arith::CmpFOp::create(b, predicate, value,
                                 buildFloat(b, floats, bound));
  };
  Value clamped = select(b, compare(arith::CmpFPredicate::OGT, x, low), x,
                         buildFloat(b, floats, low));
  clamped = select(b, compare(arith::CmpFPredicate::OLT, clamped, high),
                   clamped, buildFloat(b, floats, high));
  // Convert narrow integers via 32 bits: processors do not convert to them
  // directly.
  unsigned viaWidth = std::max(width, 32u);
  bool viaUnsigned = isUnsigned && width >= 32;
  Type via = withElement(floats, b.getIntegerType(viaWidth));
  Value result = viaUnsigned ? Value(arith::FPToUIOp::create(b, via, clamped))
                             : Value(arith::FPToSIOp::create(b, via, clamped));
  // If no float equals the type's largest value, clamping stopped below it.
  APInt most =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  if (width >= APFloat::semanticsPrecision(semantics))
    result = select(b, compare(arith::CmpFPredicate::OGE, x, limit),
                    buildInt(b, via, most), result);
  result = select(b, isNan(b, x), buildInt(b, via, 0), result);
  return viaWidth == width ? result : truncate(b, result, width);
}

Value Arithmetic::buildIntToFloat(B &b, Value x, bool isUnsigned,
                                  Type to) const {
  unsigned width = getElementTypeOrSelf(x).getIntOrFloatBitWidth();
  auto convert = [&](Type element) -> Value {
    Type type = withElement(x.getType(), element);
    if (isUnsigned)
      return arith::UIToFPOp::create(b, type, x);
    return arith::SIToFPOp::create(b, type, x);
  };
  if (to.isF32() || to.isF64())
    return convert(to);
  // Of the types narrower than f32, only bf16 reaches beyond 2^24, up to which
  // f32 is exact. Rounding to f32 first would round twice.
  if (!to.isBF16() || width <= 16) {
    Value wide = convert(b.getF32Type());
    return isFp8(to) ? buildToFp8(b, wide, to) : buildNarrow(b, wide, to);
  }
  if (width == 64) {
    // Keep the bits that f64 holds exactly, and a sticky bit for the rest.
    Bits bits{b, x};
    Bits low = bits & 0x7ff;
    Value sticky = select(b, low.compare(arith::CmpIPredicate::ne, 0),
                          bits.c(0x800), bits.c(0));
    Value magnitude = isUnsigned ? x : Value(math::AbsIOp::create(b, x));
    Value isLarge =
        Bits{b, magnitude}.compare(arith::CmpIPredicate::ugt, int64_t(1) << 53);
    x = select(b, isLarge, ((bits & ~int64_t(0x7ff)) | Bits{b, sticky}).v, x);
  }
  return buildNarrow(b, buildRoundToOdd(b, convert(b.getF64Type())), to);
}

Value Arithmetic::buildFloatToFloat(B &b, Value x, Type from, Type to) const {
  x = buildComputeFloat(b, x, from);
  bool isDouble = from.isF64();
  if (to.isF64())
    return isDouble ? x
                    : Value(arith::ExtFOp::create(
                          b, withElement(x.getType(), to), x));
  if (to.isF32())
    return isDouble ? Value(arith::TruncFOp::create(
                          b, withElement(x.getType(), to), x))
                    : x;
  if (isDouble)
    x = buildRoundToOdd(b, x);
  return isFp8(to) ? buildToFp8(b, x, to) : buildNarrow(b, x, to);
}

Value Arithmetic::buildIntToInt(B &b, Value x, Type from, Type to) const {
  Type type = withElement(x.getType(), getRegisterType(to));
  if (type == x.getType())
    return x;
  bool isUnsigned = from.isUnsignedInteger();
  if (from.isIndex() || to.isIndex()) {
    if (isUnsigned)
      return arith::IndexCastUIOp::create(b, type, x);
    return arith::IndexCastOp::create(b, type, x);
  }
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  if (fromWidth > toWidth)
    return arith::TruncIOp::create(b, type, x);
  if (isUnsigned)
    return arith::ExtUIOp::create(b, type, x);
  return arith::ExtSIOp::create(b, type, x);
}

Value Arithmetic::buildCast(B &b, Value x, Type from, Type to) const {
  if (from == to)
    return x;
  Type type = withElement(x.getType(), getRegisterType(to));
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (to.isInteger(1))
    return buildToBool(b, x, from);
  if (from.isInteger(1)) {
    if (to.isIndex())
      return arith::IndexCastUIOp::create(b, type, x);
    if (!toFloat)
      return arith::ExtUIOp::create(b, type, x);
    int64_t lanes = 0;
    if (auto vector = dyn_cast<VectorType>(type))
      lanes = vector.getNumElements();
    return select(b, x, buildNumber(b, getNumberAttr(to, 1.0), lanes),
                  buildNumber(b, getNumberAttr(to, 0.0), lanes));
  }
  if (fromFloat && toFloat)
    return buildFloatToFloat(b, x, from, to);
  if (fromFloat) {
    x = buildComputeFloat(b, x, from);
    if (to.isIndex())
      return arith::IndexCastOp::create(b, type,
                                        buildFloatToInt(b, x, 64, false));
    return buildFloatToInt(b, x, to.getIntOrFloatBitWidth(),
                           to.isUnsignedInteger());
  }
  if (!toFloat)
    return buildIntToInt(b, x, from, to);
  if (from.isIndex())
    x = arith::IndexCastOp::create(b, withElement(x.getType(), b.getI64Type()),
                                   x);
  return buildIntToFloat(b, x, from.isUnsignedInteger(), to);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value Arithmetic::buildFromMemory(B &b, Value value, Type element) const {
  if (!element.isInteger(1))
    return value;
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value,
                               buildInt(b, value.getType(), 0));
}

Value Arithmetic::buildToMemory(B &b, Value value, Type element) const {
  if (!element.isInteger(1))
    return value;
  return arith::ExtUIOp::create(b, withElement(value.getType(), b.getI8Type()),
                                value);
}
