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
#include "mlir/IR/TypeUtilities.h"

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

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_IR_GRADIENTALGEBRA_H
