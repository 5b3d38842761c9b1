//===- BuilderValue.h - values for recipes ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the recipes of `Recipes.h` compute with in `TgBuilder`.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_BUILDER_BUILDERVALUE_H
#define TINYGRAD_LIB_DIALECT_TG_BUILDER_BUILDERVALUE_H

#include "TinyGrad/Dialect/Tg/Builder/TgBuilder.h"
#include <vector>

namespace mlir::tg {

/// A `Dim` that a number converts to, without a context.
class BuilderSize {
public:
  BuilderSize(int64_t size = 0) : number(size) {}
  BuilderSize(Dim size) : number(size.getStatic().value_or(0)) {
    if (!size.isStatic())
      symbolic = size;
  }
  Dim getDim(MLIRContext *context) const {
    return symbolic.getContext() ? symbolic : Dim(context, number);
  }
  bool operator==(const BuilderSize &) const = default;
  BuilderSize operator*(const BuilderSize &other) const;
  BuilderSize &operator*=(const BuilderSize &other) {
    return *this = *this * other;
  }

private:
  Dim symbolic;
  int64_t number;
};

/// The sizes of a tensor.
struct BuilderShape : std::vector<BuilderSize> {
  using std::vector<BuilderSize>::vector;
  explicit BuilderShape(ArrayRef<Dim> dims)
      : std::vector<BuilderSize>(dims.begin(), dims.end()) {}
  SmallVector<Dim> getDims(MLIRContext *context) const {
    return llvm::map_to_vector(
        *this, [&](const BuilderSize &size) { return size.getDim(context); });
  }
};

/// A value, or none after an error, which whatever is computed from it has
/// then, too.
class BuilderValue {
public:
  BuilderValue(TgBuilder &builder, FailureOr<Value> value)
      : builder(&builder), value(value) {}

  FailureOr<Value> get() const { return value; }

  int64_t ndim() const {
    return failed(value) ? 0 : cast<ShapedType>(value->getType()).getRank();
  }
  BuilderValue unsqueeze(int64_t axis) const;
  BuilderValue squeeze(int64_t axis) const;
  BuilderValue transpose(int64_t first, int64_t second) const;
  BuilderValue cast(Type element) const;
  /// The last one sums in an element type, that of the operand.
  BuilderValue sum(ArrayRef<int64_t> axes, bool keepAxes) const;
  BuilderValue sum(int64_t axis, bool keepAxes, Type) const {
    return sum(axis, keepAxes);
  }
  BuilderValue exp2() const { return apply<Exp2Op>(); }
  BuilderValue log() const { return apply<LogOp>(); }
  BuilderValue reciprocal() const { return apply<RecipOp>(); }
  BuilderValue rsqrt() const { return apply<SqrtOp>().apply<RecipOp>(); }
  BuilderValue detach() const { return apply<DetachOp>(); }
  BuilderValue square() const { return *this * *this; }
  BuilderValue minimum(double most) const;
  BuilderValue isfinite() const;
  /// As a condition.
  BuilderValue where(const BuilderValue &x, const BuilderValue &y) const;
  BuilderValue where(const BuilderValue &x, double y) const {
    return where(x, x.constant(y));
  }
  BuilderValue where(double x, const BuilderValue &y) const {
    return where(y.constant(x), y);
  }
  BuilderValue operator+(const BuilderValue &y) const {
    return apply<AddOp>(y);
  }
  BuilderValue operator-(const BuilderValue &y) const {
    return apply<SubOp>(y);
  }
  BuilderValue operator*(const BuilderValue &y) const {
    return apply<MulOp>(y);
  }
  BuilderValue operator/(const BuilderValue &y) const {
    return apply<FDivOp>(y);
  }
  BuilderValue operator+(double y) const { return *this + constant(y); }
  BuilderValue operator*(double y) const { return *this * constant(y); }
  /// Divided by a number of elements.
  BuilderValue operator/(Dim count) const;
  BuilderValue operator<(double y) const { return apply<CmpLtOp>(constant(y)); }
  BuilderValue operator==(double y) const {
    return apply<CmpEqOp>(constant(y));
  }
  /// A number in the shape and element type of this.
  BuilderValue constant(double number) const;

  template <typename OpTy> BuilderValue apply() const {
    return failed(value)
               ? *this
               : BuilderValue(*builder, builder->create<OpTy>(*value));
  }
  template <typename OpTy> BuilderValue apply(const BuilderValue &y) const {
    if (failed(value) || failed(y.value))
      return {*builder, failure()};
    return {*builder, builder->combine<OpTy>(*value, *y.value)};
  }

private:
  TgBuilder *builder;
  FailureOr<Value> value;
};

/// A chain of movements. Those without an effect add no operation.
class BuilderChain {
public:
  BuilderChain(TgBuilder &builder, Value x) : builder(builder), value(x) {}

  FailureOr<Value> get() const { return value; }
  BuilderChain &reshape(const BuilderShape &shape);
  BuilderChain &permute(ArrayRef<int64_t> order);
  BuilderChain &expand(const BuilderShape &shape);
  BuilderChain &pad(const BuilderShape &low, const BuilderShape &high);
  BuilderChain &shrink(const BuilderShape &from, const BuilderShape &to);
  BuilderChain &strided(const BuilderShape &shape, const BuilderShape &strides);

private:
  /// Whether there is a value of another shape.
  bool isOther(const BuilderShape &shape) const;
  SmallVector<Attribute> getAttrs(const BuilderShape &shape) const;
  /// Creates an operation with a result of this shape.
  template <typename OpTy, typename... Args>
  void create(const BuilderShape &shape, Args &&...args);

  TgBuilder &builder;
  FailureOr<Value> value;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_BUILDER_BUILDERVALUE_H
