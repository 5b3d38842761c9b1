//===- GradientAlgebra.h - builders for derivatives -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Short names for the operations that derivatives consist of.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_IR_GRADIENTALGEBRA_H
#define TINYGRAD_LIB_DIALECT_TG_IR_GRADIENTALGEBRA_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

namespace mlir::tg {

/// Builds operations on values of one type, or one shape.
struct Algebra {
  OpBuilder &b;
  Location loc;
  Type type; ///< of the constants

  Algebra(OpBuilder &builder, Value like)
      : b(builder), loc(like.getLoc()), type(like.getType()) {}

  Value constant(double value) const {
    return ConstOp::create(b, loc, type,
                           getNumberAttr(getElementTypeOrSelf(type), value));
  }
  Value neg(Value x) const { return NegOp::create(b, loc, x); }
  Value add(Value x, Value y) const { return AddOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) const { return SubOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) const { return MulOp::create(b, loc, x, y); }
  Value mul(Value x, double y) const { return mul(x, constant(y)); }
  Value div(Value x, Value y) const { return FDivOp::create(b, loc, x, y); }
  Value square(Value x) const { return mul(x, x); }
  Value exp(Value x) const { return ExpOp::create(b, loc, x); }
  Value log(Value x) const { return LogOp::create(b, loc, x); }
  Value sqrt(Value x) const { return SqrtOp::create(b, loc, x); }
  Value sin(Value x) const { return SinOp::create(b, loc, x); }
  Value cos(Value x) const { return CosOp::create(b, loc, x); }
  Value cast(Value x, Type result) const {
    return CastOp::create(b, loc, result, x);
  }
  Value both(Value x, Value y) const { return AndOp::create(b, loc, x, y); }
  Value equal(Value x, Value y) const { return CmpEqOp::create(b, loc, x, y); }
  Value less(Value x, Value y) const { return CmpLtOp::create(b, loc, x, y); }
  Value select(Value condition, Value x, Value y) const {
    return WhereOp::create(b, loc, x.getType(), condition, x, y);
  }
  /// y / sqrt(1 - x^2), with factors that keep their digits near 1.
  Value divByArc(Value y, Value x) const {
    Value one = constant(1), less = sub(one, x), more = add(one, x);
    return div(y, sqrt(mul(less, more)));
  }
  /// x where \p own is the greater one of two operands; half of it where both
  /// are equal.
  Value ofGreater(Value x, Value own, Value other) const {
    Value half = mul(x, 0.5), isEqual = equal(own, other);
    Value ofOwn = select(less(other, own), x, constant(0));
    return select(isEqual, half, ofOwn);
  }
  Value expand(Value x, Type result) const {
    return x.getType() == result ? x
                                 : Value(ExpandOp::create(b, loc, result, x));
  }
  Value reshape(Value x, Type result) const {
    return x.getType() == result ? x
                                 : Value(ReshapeOp::create(b, loc, result, x));
  }
  Value flip(Value x, int64_t axis) const {
    return FlipOp::create(b, loc, x, b.getDenseI64ArrayAttr({axis}));
  }
  Value scan(ScanKind kind, Value x, int64_t axis) const {
    return ScanOp::create(b, loc, x.getType(), kind, x, axis);
  }
  Value scatter(UpdateKind kind, Value base, Value index, Value updates,
                int64_t axis) const {
    return ScatterOp::create(b, loc, kind, base, index, updates, axis);
  }
  Value reduce(ReduceKind kind, Value x, ArrayRef<int64_t> axes) const {
    return ReduceOp::create(b, loc, kind, x, b.getDenseI64ArrayAttr(axes));
  }
};

/// Numbers of elements. They are counted in a type that has all numbers up to
/// the greatest: f16 ends at 65504, and a sum of ones in f32 at 2^24.
struct Counter {
  const Algebra &a;
  Type type;

  /// Counts up to \p most, for gradients with elements of type \p element.
  Counter(const Algebra &algebra, Type element, int64_t most) : a(algebra) {
    constexpr int64_t mostF32 = int64_t(1) << 24;
    const bool isWide = element.getIntOrFloatBitWidth() > 32;
    if (isWide || most <= mostF32)
      type = isWide ? element : a.b.getF32Type();
    else
      type = most > std::numeric_limits<int32_t>::max() ? a.b.getI64Type()
                                                        : a.b.getI32Type();
  }
  /// A number, in the shape of \p like.
  Value constant(Value like, int64_t value) const {
    Type result = cast<RankedTensorType>(like.getType()).clone(type);
    if (isa<FloatType>(type))
      return ConstOp::create(a.b, a.loc, result,
                             getNumberAttr(type, double(value)));
    return ConstOp::create(a.b, a.loc, result, value);
  }
  /// One where the condition holds, else zero.
  Value indicate(Value condition) const {
    return a.select(condition, constant(condition, 1), constant(condition, 0));
  }
  /// \p gradient divided by \p count, in f32 or wider: see narrow().
  Value divide(Value gradient, Value count) const {
    Type wide = getElementTypeOrSelf(gradient);
    if (wide.getIntOrFloatBitWidth() < 32)
      wide = a.b.getF32Type();
    auto widen = [&](Value x) {
      return getElementTypeOrSelf(x) == wide
                 ? x
                 : a.cast(x, cast<RankedTensorType>(x.getType()).clone(wide));
    };
    return a.div(widen(gradient), widen(count));
  }
  /// \p share, a value from divide(), where \p isCounted holds, else zero, as a
  /// gradient with elements of type \p element. It is rounded at the end, so
  /// that a gradient of it is divided before it is rounded, too.
  Value narrow(Value isCounted, Value share, Type element) const {
    auto type = cast<RankedTensorType>(share.getType());
    Value zero = ConstOp::create(a.b, a.loc, type,
                                 getNumberAttr(type.getElementType(), 0.0));
    Value result = a.select(isCounted, share, zero);
    return type.getElementType() == element
               ? result
               : a.cast(result, type.clone(element));
  }
};

/// The number of elements along some axes, at most.
inline int64_t getMostElements(Value x, ArrayRef<int64_t> axes) {
  const SmallVector<Dim> sizes = getDims(cast<RankedTensorType>(x.getType()));
  int64_t most = 1;
  for (int64_t axis : axes)
    if (llvm::MulOverflow(most, sizes[axis].getMax(), most))
      return std::numeric_limits<int64_t>::max();
  return most;
}

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_IR_GRADIENTALGEBRA_H
