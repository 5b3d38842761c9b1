//===- MathBuilder.h - short names for elementwise operations ---*- C++ -*-===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// MLIR builder calls make numerical code hard to read. MathBuilder names
/// operations by their arithmetic, and gives constants and conversions the
/// shape of its prototype.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_MATHTOPOLYNOMIAL_MATHBUILDER_H
#define TINYGRAD_LIB_CONVERSION_MATHTOPOLYNOMIAL_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <limits>

namespace mlir::tg {

/// Emits elementwise operations on values of one shape. Floating-point helpers
/// work on f32 and f64, integer helpers on all widths; operand types decide.
/// What has no operands is of the builder's own type: f64 if the prototype is,
/// else f32.
class MathBuilder {
public:
  MathBuilder(ImplicitLocOpBuilder &b, Value prototype)
      : b(b), shape(dyn_cast<VectorType>(prototype.getType())),
        wide(getElementTypeOrSelf(prototype.getType()).isF64()) {}

  ImplicitLocOpBuilder &builder() { return b; }
  /// Whether the builder's own type is f64.
  bool isWide() const { return wide; }

  /// `element`, or a vector of it with the prototype's shape.
  Type like(Type element) {
    return shape ? Type(shape.clone(element)) : element;
  }
  Type f32() { return like(b.getF32Type()); }
  Type f64() { return like(b.getF64Type()); }
  Type i32() { return like(b.getI32Type()); }
  Type i64() { return like(b.getI64Type()); }

  /// Constants, splat over the shape.
  Value constF32(float value) {
    return splat(b.getF32FloatAttr(value), b.getF32Type());
  }
  Value constF64(double value) {
    return splat(b.getF64FloatAttr(value), b.getF64Type());
  }
  Value constI32(uint32_t value) {
    return splat(b.getI32IntegerAttr(static_cast<int32_t>(value)),
                 b.getI32Type());
  }
  Value constI64(uint64_t value) {
    return splat(b.getI64IntegerAttr(static_cast<int64_t>(value)),
                 b.getI64Type());
  }

  /// Constants of the builder's own type, and of the integers of its width.
  Value constant(double value) {
    return wide ? constF64(value) : constF32(static_cast<float>(value));
  }
  Value nan() { return constant(std::numeric_limits<double>::quiet_NaN()); }
  Value infinity(bool negative = false) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return constant(negative ? -infinity : infinity);
  }
  Value bits(uint64_t value) {
    return wide ? constI64(value) : constI32(static_cast<uint32_t>(value));
  }

  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, x); }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  Value floor(Value x) { return math::FloorOp::create(b, x); }
  Value sqrt(Value x) { return math::SqrtOp::create(b, x); }
  /// x * y + z, rounded once, or twice where the processor has no instruction
  /// for it (`afn`): then with more bits than those of the type at first, so
  /// that a result which needs no more bits than the type has is exact. That
  /// is all that functions rely on.
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z, arith::FastMathFlags::afn);
  }

  Value addi(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value subi(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value muli(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value andi(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value ori(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value xori(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  Value shl(Value x, Value y) { return arith::ShLIOp::create(b, x, y); }
  Value shru(Value x, Value y) { return arith::ShRUIOp::create(b, x, y); }
  Value shrs(Value x, Value y) { return arith::ShRSIOp::create(b, x, y); }

  Value cmp(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value lt(Value x, Value y) { return cmp(arith::CmpFPredicate::OLT, x, y); }
  Value gt(Value x, Value y) { return cmp(arith::CmpFPredicate::OGT, x, y); }
  Value ge(Value x, Value y) { return cmp(arith::CmpFPredicate::OGE, x, y); }
  Value eq(Value x, Value y) { return cmp(arith::CmpFPredicate::OEQ, x, y); }
  /// Differs or is NaN.
  Value ne(Value x, Value y) { return cmp(arith::CmpFPredicate::UNE, x, y); }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  /// min(x, limit) and max(x, limit) that keep a NaN in x; x86 has exactly
  /// these as single instructions.
  Value atMost(Value x, Value limit) { return select(lt(limit, x), limit, x); }
  Value atLeast(Value x, Value limit) { return select(gt(limit, x), limit, x); }

  Value bitcast(Type type, Value x) {
    return arith::BitcastOp::create(b, type, x);
  }
  /// The bits of a number of the builder's own type, and back.
  Value toBits(Value x) { return bitcast(wide ? i64() : i32(), x); }
  Value fromBits(Value x) { return bitcast(wide ? f64() : f32(), x); }
  Value signBit() { return bits(uint64_t(1) << (wide ? 63 : 31)); }
  /// The sign bit of a number, as an integer.
  Value signOf(Value x) { return andi(toBits(x), signBit()); }
  /// x with the sign bit set where that of `signs`, from signOf, is set.
  Value withSign(Value x, Value signs) {
    return fromBits(ori(toBits(x), signs));
  }
  /// x with its sign changed where `signs` has the bit set.
  Value flipSign(Value x, Value signs) {
    return fromBits(xori(toBits(x), signs));
  }
  /// Whether bit 0 is set in an integer as wide as the builder's own type. It
  /// moves to the sign bit, where a select is cheap.
  Value isOdd(Value x) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                 shl(x, bits(wide ? 63 : 31)), bits(0));
  }
  Value extf(Type type, Value x) { return arith::ExtFOp::create(b, type, x); }
  Value truncf(Type type, Value x) {
    return arith::TruncFOp::create(b, type, x);
  }
  Value sitofp(Type type, Value x) {
    return arith::SIToFPOp::create(b, type, x);
  }
  Value extui(Type type, Value x) { return arith::ExtUIOp::create(b, type, x); }
  Value trunci(Type type, Value x) {
    return arith::TruncIOp::create(b, type, x);
  }

  /// Evaluates a polynomial, lowest power first, at x by Horner's scheme.
  /// Kernels hide its latency behind independent iterations, so the number of
  /// operations is what counts.
  Value polynomial(llvm::ArrayRef<float> coefficients, Value x) {
    Value result = constF32(coefficients.back());
    for (float coefficient : llvm::reverse(coefficients.drop_back()))
      result = fma(result, x, constF32(coefficient));
    return result;
  }
  Value polynomial(llvm::ArrayRef<double> coefficients, Value x) {
    Value result = constF64(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      result = fma(result, x, constF64(coefficient));
    return result;
  }

private:
  Value splat(TypedAttr value, Type element) {
    if (!shape)
      return arith::ConstantOp::create(b, value);
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(shape.clone(element), Attribute(value)));
  }

  ImplicitLocOpBuilder &b;
  /// Null for a scalar.
  VectorType shape;
  bool wide;
};

/// \name The functions on f32, without the widening of narrower types.
/// @{
/// A positive finite number as 2^exponent * (1 + fraction), where 1 + fraction
/// is in [sqrt(1/2), sqrt(2)); both as f32. Meaningless for other numbers.
struct SplitFloat {
  Value exponent;
  Value fraction;
};
SplitFloat splitFloat(MathBuilder &e, Value x);
/// The same of an f64.
SplitFloat splitWide(MathBuilder &e, Value x);

/// `value`, the logarithm of x, with the results for zeros, negative numbers,
/// +inf and NaN put in. On f64, too.
Value withSpecialLogs(MathBuilder &e, Value x, Value value);

/// e^x for x from -87 to 88, where it is a normal number: without the code for
/// other arguments.
Value emitExpOfModerate(MathBuilder &e, Value x);
Value emitExp2(MathBuilder &e, Value x);
Value emitExp(MathBuilder &e, Value x);
Value emitExpM1(MathBuilder &e, Value x);
Value emitLog2(MathBuilder &e, Value x);
Value emitLog(MathBuilder &e, Value x);
Value emitLog1p(MathBuilder &e, Value x);
Value emitSin(MathBuilder &e, Value x);
Value emitCos(MathBuilder &e, Value x);
Value emitTan(MathBuilder &e, Value x);
Value emitAtan(MathBuilder &e, Value x);
Value emitTanh(MathBuilder &e, Value x);
Value emitErf(MathBuilder &e, Value x);
/// @}

/// \name The functions on f64
/// @{
Value emitWideExp(MathBuilder &e, Value x);
Value emitWideExp2(MathBuilder &e, Value x);
Value emitWideExpM1(MathBuilder &e, Value x);
Value emitWideLog(MathBuilder &e, Value x);
Value emitWideLog2(MathBuilder &e, Value x);
Value emitWideLog1p(MathBuilder &e, Value x);
Value emitWideTanh(MathBuilder &e, Value x);
Value emitWideErf(MathBuilder &e, Value x);
Value emitWideSin(MathBuilder &e, Value x);
Value emitWideCos(MathBuilder &e, Value x);
Value emitWideTan(MathBuilder &e, Value x);
Value emitWideAtan(MathBuilder &e, Value x);
/// e^(high + low), where low is at most 2^-13, or high is out of range.
Value emitWideExpOfSum(MathBuilder &e, Value high, Value low);
/// @}

/// \name The functions on either
/// @{
Value emitAsin(MathBuilder &e, Value x);
Value emitAcos(MathBuilder &e, Value x);
Value emitPow(MathBuilder &e, Value x, Value y);
/// @}

} // namespace mlir::tg

#endif // TINYGRAD_LIB_CONVERSION_MATHTOPOLYNOMIAL_MATHBUILDER_H
