//===- Elementwise.cpp - operations on two tensors ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Arithmetic, comparisons, bit operations, selection, and conversions.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"
#include "Recorder.h"
#include "Shards.h"
#include "TinyGrad/Runtime/Profile.h"

#include <cmath>
#include <numbers>

using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Tensor detail::arithmetic(BinaryOp op, const Pair &operands) {
  const DType dtype = operands.lhs.dtype();
  if (!isFloat8(dtype))
    return prim::binary(op, operands.lhs, operands.rhs);
  Tensor result = prim::binary(op, operands.lhs.cast(DType::Float32),
                               operands.rhs.cast(DType::Float32));
  return result.dtype() == DType::Float32 ? result.cast(dtype) : result;
}

static Tensor add(const Operand &lhs, const Operand &rhs) {
  return arithmetic(BinaryOp::Add, broadcast(lhs, rhs, "add"));
}

static Tensor sub(const Operand &lhs, const Operand &rhs) {
  if (promotedDType(lhs, rhs) == DType::Bool)
    throw DTypeError("sub: bool has no difference; cast to an integer, or use "
                     "bitwiseXor");
  return arithmetic(BinaryOp::Sub, broadcast(lhs, rhs, "sub"));
}

static Tensor mul(const Operand &lhs, const Operand &rhs) {
  return arithmetic(BinaryOp::Mul, broadcast(lhs, rhs, "mul"));
}

static Tensor div(const Operand &lhs, const Operand &rhs) {
  const DType dtype = promoteToFloat(promotedDType(lhs, rhs));
  return arithmetic(BinaryOp::FDiv, broadcast(lhs, rhs, dtype, "div"));
}

Tensor Tensor::add(const Operand &other) const { return ::add(*this, other); }
Tensor Tensor::sub(const Operand &other) const { return ::sub(*this, other); }
Tensor Tensor::mul(const Operand &other) const { return ::mul(*this, other); }
Tensor Tensor::div(const Operand &other) const { return ::div(*this, other); }

/// The common type for integer division: bool counts as int32.
static DType divisionDType(const Operand &lhs, const Operand &rhs) {
  const DType dtype = promotedDType(lhs, rhs);
  return dtype == DType::Bool ? DType::Int32 : dtype;
}

Tensor Tensor::floordiv(const Operand &other) const {
  const MethodScope method("floordiv");
  const DType dtype = divisionDType(*this, other);
  Pair operands = broadcast(*this, other, dtype, "floordiv");
  if (isFloat(dtype))
    return arithmetic(BinaryOp::FDiv, operands).floor();
  return prim::binary(BinaryOp::FloorDiv, operands.lhs, operands.rhs);
}

/// The remainder of truncated division of floats, with the sign of \p x. Exact,
/// like C's fmod, if the quotient is exact in the type.
static Tensor remainder(const Tensor &x, const Tensor &y) {
  // |x| with the derivative 1 at 0, where the result is x.
  Tensor negative = 0 - x, size = (x < 0).where(negative, 0 - negative);
  Tensor divisor = y.abs();
  // The fused operation does not round the product. The rounded quotient is off
  // by at most one, unless it is too large to be exact; the remainder is 0
  // then.
  Tensor rest = mulAdd((size / divisor).trunc(), -divisor, size);
  rest = (rest < 0).where(rest + divisor, rest);
  rest = (rest < divisor).where(rest, rest - divisor);
  rest = ((rest < 0) | (rest >= divisor)).where(0, rest);
  // In particular, an infinite divisor.
  rest = (size < divisor).where(size, rest);
  return (x < 0).where(-rest, rest);
}

static Tensor modulo(const Operand &lhs, const Operand &rhs) {
  const DType dtype = divisionDType(lhs, rhs);
  Pair operands = broadcast(lhs, rhs, dtype, "mod");
  if (!isFloat(dtype))
    return prim::binary(BinaryOp::FloorMod, operands.lhs, operands.rhs);
  const DType compute = promote(dtype, DType::Float32);
  Tensor divisor = operands.rhs.cast(compute);
  Tensor rest = remainder(operands.lhs.cast(compute), divisor);
  // Rounding down makes the quotient one less where the signs differ.
  Tensor isOther = ((rest < 0) & (divisor > 0)) | ((rest > 0) & (divisor < 0));
  return isOther.where(rest + divisor, rest).cast(dtype);
}

Tensor Tensor::mod(const Operand &other) const { return modulo(*this, other); }

Tensor Tensor::fmod(const Operand &other) const {
  const MethodScope method("fmod");
  const DType dtype = divisionDType(*this, other);
  Pair operands = broadcast(*this, other, dtype, "fmod");
  if (!isFloat(dtype))
    return prim::binary(BinaryOp::Mod, operands.lhs, operands.rhs);
  const DType compute = promote(dtype, DType::Float32);
  return remainder(operands.lhs.cast(compute), operands.rhs.cast(compute))
      .cast(dtype);
}

/// \p base to the power of a non-negative integer, by squaring.
static Tensor power(const Tensor &base, uint64_t exponent) {
  if (exponent == 0)
    return same(base, 1);
  Tensor result, square = base;
  for (;; square = square * square) {
    if (exponent & 1)
      result = result.defined() ? result * square : square;
    exponent >>= 1;
    if (exponent == 0)
      return result;
  }
}

/// For integers of one type: exact modulo 2^width.
static Tensor integerPower(const Tensor &base, const Tensor &exponent) {
  Tensor result = same(base, 1), square = base;
  const int bits = int(itemSize(base.dtype())) * 8;
  for (int i = 0; i < bits; ++i) {
    Tensor isSet = ((exponent >> i) & 1) != 0;
    result = isSet.where(result * square, result);
    if (i + 1 < bits)
      square = square * square;
  }
  if (!isSigned(base.dtype()))
    return result;
  // 1 / base^n truncates to 0 unless the base is 1 or -1.
  Tensor isOdd = (exponent & 1) != 0;
  Tensor negative = (base == 1).where(
      same(base, 1),
      (base == -1)
          .where(isOdd.where(same(base, -1), same(base, 1)), same(base, 0)));
  return (exponent < 0).where(negative, result);
}

static Tensor pow(const Operand &lhs, const Operand &rhs) {
  DType dtype = divisionDType(lhs, rhs);
  if (lhs.tensor() && !rhs.tensor() && !rhs.scalar().isSymbolic()) {
    const Scalar &exponent = rhs.scalar();
    const double value = exponent.toDouble();
    Tensor base = lhs.tensor()->cast(dtype);
    if (!isFloat(dtype)) {
      if (value < 0)
        throw DTypeError("pow: " + describe(base) + " to the negative power " +
                         exponent.str() + "; cast to a float type");
      return power(base, exponent.toBits());
    }
    // These are as accurate as pow() and take far fewer operations.
    if (value == 1)
      return base;
    if (value == 2)
      return base * base;
    if (value == -1)
      return base.reciprocal();
  }
  Pair operands = broadcast(lhs, rhs, dtype, "pow");
  if (isFloat(dtype))
    return arithmetic(BinaryOp::Pow, operands);
  return integerPower(operands.lhs, operands.rhs);
}

Tensor Tensor::pow(const Operand &exponent) const {
  const MethodScope method("pow");
  return ::pow(*this, exponent);
}

Tensor Tensor::maximum(const Operand &other) const {
  const MethodScope method("maximum");
  return arithmetic(BinaryOp::Max, broadcast(*this, other, "maximum"));
}

Tensor Tensor::minimum(const Operand &other) const {
  const MethodScope method("minimum");
  Pair operands = broadcast(*this, other, "minimum");
  const DType dtype = operands.lhs.dtype();
  if (dtype == DType::Bool)
    return prim::binary(BinaryOp::And, operands.lhs, operands.rhs);
  // Negation overflows for the minimum integer; the complement does not.
  if (!isFloat(dtype))
    return operands.lhs.bitwiseNot()
        .maximum(operands.rhs.bitwiseNot())
        .bitwiseNot();
  return operands.lhs.neg().maximum(operands.rhs.neg()).neg();
}

Tensor Tensor::copysign(const Operand &other) const {
  const MethodScope method("copysign");
  const DType dtype = promoteToFloat(promotedDType(*this, other));
  Pair operands = broadcast(*this, other, dtype, "copysign");
  Tensor magnitude = operands.lhs.abs();
  return isSignSet(operands.rhs).where(magnitude.neg(), magnitude);
}

Tensor Tensor::logaddexp(const Operand &other) const {
  const MethodScope method("logaddexp");
  const DType dtype = promoteToFloat(promotedDType(*this, other));
  Pair operands = broadcast(*this, other, dtype, "logaddexp");
  const DType compute = promote(dtype, DType::Float32);
  Tensor a = operands.lhs.cast(compute), b = operands.rhs.cast(compute);
  // inf - inf would be NaN. Of equal numbers, the difference has a derivative.
  Tensor isGreater = a > b, difference = a - b;
  difference = ((a == b) & difference.isnan()).where(0, difference);
  Tensor distance = isGreater.where(difference, 0 - difference);
  return (isGreater.where(a, b) + log1p((-distance).exp())).cast(dtype);
}

Tensor Tensor::lerp(const Operand &end, const Operand &weight) const {
  const MethodScope method("lerp");
  return *this + ::sub(end, *this) * ::mul(weight, onesLike());
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static Tensor bitwise(BinaryOp op, const Operand &lhs, const Operand &rhs,
                      const char *what) {
  const DType dtype = promotedDType(lhs, rhs);
  const bool isShift = op == BinaryOp::Shl || op == BinaryOp::Shr;
  if (isFloat(dtype) || (isShift && dtype == DType::Bool))
    throw DTypeError(std::string(what) + ": " + name(dtype) +
                     " has no such operation; operands must be integers" +
                     (isShift ? "" : " or bool"));
  Pair operands = broadcast(lhs, rhs, dtype, what);
  return prim::binary(op, operands.lhs, operands.rhs);
}

Tensor Tensor::bitwiseAnd(const Operand &other) const {
  const MethodScope method("bitwiseAnd");
  return bitwise(BinaryOp::And, *this, other, "bitwiseAnd");
}
Tensor Tensor::bitwiseOr(const Operand &other) const {
  const MethodScope method("bitwiseOr");
  return bitwise(BinaryOp::Or, *this, other, "bitwiseOr");
}
Tensor Tensor::bitwiseXor(const Operand &other) const {
  const MethodScope method("bitwiseXor");
  return bitwise(BinaryOp::Xor, *this, other, "bitwiseXor");
}
Tensor Tensor::lshift(const Operand &amount) const {
  const MethodScope method("lshift");
  return bitwise(BinaryOp::Shl, *this, amount, "lshift");
}
Tensor Tensor::rshift(const Operand &amount) const {
  const MethodScope method("rshift");
  return bitwise(BinaryOp::Shr, *this, amount, "rshift");
}

Tensor Tensor::bitwiseNot() const {
  const MethodScope method("bitwiseNot");
  if (dtype() == DType::Bool)
    return prim::binary(BinaryOp::Xor, *this, same(*this, true));
  if (isFloat(dtype()))
    throw DTypeError("bitwiseNot: " + describe(*this) + " has no bits to flip");
  const Scalar allBits =
      isUnsigned(dtype()) ? Scalar(integerMax(dtype())) : Scalar(-1);
  return prim::binary(BinaryOp::Xor, *this, same(*this, allBits));
}

Tensor Tensor::logicalNot() const {
  const MethodScope method("logicalNot");
  return dtype() == DType::Bool ? bitwiseNot() : *this == 0;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static Tensor compare(BinaryOp op, const Operand &lhs, const Operand &rhs,
                      const char *what) {
  return arithmetic(op, broadcast(lhs, rhs, what));
}

/// lhs <= rhs; false if one is NaN.
static Tensor lessOrEqual(const Operand &lhs, const Operand &rhs,
                          const char *what) {
  Pair operands = broadcast(lhs, rhs, what);
  if (!isFloat(operands.lhs.dtype()))
    return arithmetic(BinaryOp::CmpLt, {operands.rhs, operands.lhs})
        .bitwiseNot();
  return prim::binary(BinaryOp::Or, arithmetic(BinaryOp::CmpLt, operands),
                      arithmetic(BinaryOp::CmpEq, operands));
}

Tensor Tensor::eq(const Operand &other) const {
  const MethodScope method("eq");
  return compare(BinaryOp::CmpEq, *this, other, "eq");
}
Tensor Tensor::ne(const Operand &other) const {
  const MethodScope method("ne");
  return compare(BinaryOp::CmpNe, *this, other, "ne");
}
Tensor Tensor::lt(const Operand &other) const {
  const MethodScope method("lt");
  return compare(BinaryOp::CmpLt, *this, other, "lt");
}
Tensor Tensor::gt(const Operand &other) const {
  const MethodScope method("gt");
  return compare(BinaryOp::CmpLt, other, *this, "gt");
}
Tensor Tensor::le(const Operand &other) const {
  const MethodScope method("le");
  return lessOrEqual(*this, other, "le");
}
Tensor Tensor::ge(const Operand &other) const {
  const MethodScope method("ge");
  return lessOrEqual(other, *this, "ge");
}

/// a - b| of integers, exact up to the limit 2^64 - 1.
static Tensor distance(const Tensor &a, const Tensor &b) {
  auto subtract = [](const Tensor &x, const Tensor &y) {
    return x.cast(DType::UInt64) - y.cast(DType::UInt64);
  };
  if (a.dtype() == b.dtype())
    return (a < b).where(subtract(b, a), subtract(a, b));
  const bool isFirstSigned = a.dtype() == DType::Int64;
  const Tensor &x = isFirstSigned ? a : b, &y = isFirstSigned ? b : a;
  Tensor isNegative = x < 0;
  Tensor isLess = isNegative | (x.cast(DType::UInt64) < y);
  Tensor result = isLess.where(subtract(y, x), subtract(x, y));
  return (isNegative & (result < y))
      .where(std::numeric_limits<uint64_t>::max(), result);
}

static Tensor iscloseOfIntegers(const Operand &lhs, const Operand &rhs,
                                double rtol, double atol) {
  auto widen = [](const Operand &operand) {
    const bool isWide = operand.tensor()
                            ? operand.tensor()->dtype() == DType::UInt64
                            : !operand.scalar().fits(DType::Int64);
    return isWide ? DType::UInt64 : DType::Int64;
  };
  const Tensor &like = lhs.tensor() ? *lhs.tensor() : *rhs.tensor();
  const Shape shape =
      lhs.tensor() && rhs.tensor()
          ? broadcastShapes({&lhs.tensor()->shape(), &rhs.tensor()->shape()},
                            "isclose")
          : like.shape();
  if (lhs.tensor() && rhs.tensor())
    checkOperands({lhs.tensor(), rhs.tensor()});
  Tensor a = materialize(lhs, like, widen(lhs), shape, "isclose");
  Tensor b = materialize(rhs, like, widen(rhs), shape, "isclose");
  Tensor difference = distance(a, b);
  // An integer is at most the tolerance if it is at most floor(tolerance).
  constexpr double maxTolerance = 0x1.fffffffffffffp63;
  if (rtol == 0) {
    if (!(atol >= 0))
      return difference == 0;
    if (atol > maxTolerance)
      return difference.onesLike(DType::Bool);
    return difference <= uint64_t(atol);
  }
  Tensor tolerance = b.cast(DType::Float64).abs() * rtol + atol;
  Tensor isNear =
      (tolerance > maxTolerance) |
      (difference <=
       tolerance.maximum(0).minimum(maxTolerance).cast(DType::UInt64));
  return (difference == 0) | ((tolerance >= 0) & isNear);
}

Tensor Tensor::isclose(const Operand &other, double rtol, double atol,
                       bool equalNan) const {
  const MethodScope method("isclose");
  auto isWhole = [](const Operand &operand) {
    return operand.tensor() ? !isFloat(operand.tensor()->dtype())
                            : operand.scalar().kind() != Scalar::Kind::Float;
  };
  if (isWhole(*this) && isWhole(other))
    return iscloseOfIntegers(*this, other, rtol, atol);
  const DType dtype = promoteToFloat(promotedDType(*this, other));
  Pair operands = broadcast(*this, other, dtype, "isclose");
  const Tensor &a = operands.lhs, &b = operands.rhs;
  Tensor isNear = b.isfinite() & ((a - b).abs() <= b.abs() * rtol + atol);
  Tensor result = isNear | (a == b);
  return equalNan ? result | (a.isnan() & b.isnan()) : result;
}

bool Tensor::allclose(const Operand &other, double rtol, double atol,
                      bool equalNan, std::source_location where) const {
  const CallSite site(where.file_name(), where.line());
  Recorder::checkHostRead("allclose");
  return isclose(other, rtol, atol, equalNan).all().item<bool>(where);
}

Tensor detail::apply(BinaryOperator op, const Operand &lhs,
                     const Operand &rhs) {
  switch (op) {
  case BinaryOperator::Add:
    return ::add(lhs, rhs);
  case BinaryOperator::Sub:
    return ::sub(lhs, rhs);
  case BinaryOperator::Mul:
    return ::mul(lhs, rhs);
  case BinaryOperator::Div:
    return ::div(lhs, rhs);
  case BinaryOperator::Mod:
    return modulo(lhs, rhs);
  case BinaryOperator::And:
    return bitwise(BinaryOp::And, lhs, rhs, "bitwiseAnd");
  case BinaryOperator::Or:
    return bitwise(BinaryOp::Or, lhs, rhs, "bitwiseOr");
  case BinaryOperator::Xor:
    return bitwise(BinaryOp::Xor, lhs, rhs, "bitwiseXor");
  case BinaryOperator::Shl:
    return bitwise(BinaryOp::Shl, lhs, rhs, "lshift");
  case BinaryOperator::Shr:
    return bitwise(BinaryOp::Shr, lhs, rhs, "rshift");
  case BinaryOperator::Eq:
    return compare(BinaryOp::CmpEq, lhs, rhs, "eq");
  case BinaryOperator::Ne:
    return compare(BinaryOp::CmpNe, lhs, rhs, "ne");
  case BinaryOperator::Lt:
    return compare(BinaryOp::CmpLt, lhs, rhs, "lt");
  case BinaryOperator::Gt:
    return compare(BinaryOp::CmpLt, rhs, lhs, "gt");
  case BinaryOperator::Le:
    return lessOrEqual(lhs, rhs, "le");
  case BinaryOperator::Ge:
    break;
  }
  return lessOrEqual(rhs, lhs, "ge");
}

//===----------------------------------------------------------------------===//
// Selection and conversion
//===----------------------------------------------------------------------===//

Tensor Tensor::where(const Operand &x, const Operand &y) const {
  const MethodScope method("where");
  const DType dtype = promotedDType(x, y);
  Shape shape = this->shape();
  for (const Operand *operand : {&x, &y}) {
    if (!operand->tensor())
      continue;
    checkOperands({this, operand->tensor()});
    shape = broadcastShapes({&shape, &operand->tensor()->shape()}, "where");
  }
  return prim::where(broadcastTo(cast(DType::Bool), shape, "where"),
                     materialize(x, *this, dtype, shape, "where"),
                     materialize(y, *this, dtype, shape, "where"));
}

Tensor Tensor::cast(DType dtype) const {
  // A conversion to a narrow type would give its nearest value.
  if (isFloat(this->dtype()) && !isFloat(dtype) && dtype != DType::Bool &&
      itemSize(dtype) < itemSize(DType::Int32))
    return prim::cast(prim::cast(*this, DType::Int32), dtype);
  return prim::cast(*this, dtype);
}

Tensor Tensor::bitcast(DType dtype) const {
  const MethodScope method("bitcast");
  if (dtype == this->dtype())
    return prim::alias(*this);
  if (itemSize(dtype) != itemsize() || dtype == DType::Bool ||
      this->dtype() == DType::Bool)
    throw DTypeError("bitcast: " + describe(*this) +
                     " has no bits in common with " + name(dtype));
  return prim::bitcastView(*this, dtype);
}

Tensor Tensor::contiguous() const { return prim::contiguous(*this); }

Tensor Tensor::detach() const { return prim::detachView(*this); }

// A separate tensor with the same values. It may share memory: assign() does
// not overwrite memory that another tensor needs.
Tensor Tensor::clone() const { return prim::contiguous(*this); }

Tensor Tensor::to(std::string_view device) const {
  const MethodScope method("to");
  Device &target = Device::get(device);
  return &target == impl().device && !isSharded(*this)
             ? prim::alias(*this)
             : prim::copy(*this, target);
}
