//===- TgDim.h - dimensions of tensors --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `Dim`: one dimension, a number or an expression over named variables, and
/// the functions through which inference, verification and lowering ask for the
/// dimensions of a tensor type.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGDIM_H
#define TINYGRAD_DIALECT_TG_IR_TGDIM_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace mlir::tg {

enum class DimOpKind : uint32_t;
class VarAttr;
namespace detail {
struct DimExprAttrStorage; // which keeps a DimSize
} // namespace detail

/// How large an expression is. Known when it is made: each step of a long chain
/// asks for that of a whole.
struct DimSize {
  /// Operators nested in each other. These numbers saturate.
  uint32_t nesting = 0;
  /// Operators and operands. What is used twice counts twice.
  uint32_t parts = 1;
  /// Characters of `Dim::str`.
  uint32_t characters = 0;
  /// Whether it is a sum of variables, each times a number, and a number.
  bool isLinear = true;
};
DimSize getDimSize(Attribute dim);

/// One dimension: an integer (as an i64 attribute), a `#tg.var`, or a `#tg.dim`
/// expression. Expressions are stored in one normal form: sums of products,
/// quotients and remainders by positive divisors with exact multiples factored
/// out, minima and maxima decided by bounds where possible. So equal attributes
/// mean equal dimensions, and different ones mostly different dimensions.
/// Arithmetic saturates at the int64 limits.
class Dim {
public:
  Dim() = default;
  explicit Dim(Attribute attr);
  Dim(MLIRContext *context, int64_t value) : context(context), number(value) {}

  /// Whether `attr` can stand for a dimension.
  static bool isDim(Attribute attr);

  Attribute getAttr() const;
  MLIRContext *getContext() const { return context; }

  /// The value, when the dimension is a number.
  std::optional<int64_t> getStatic() const {
    return isStatic() ? std::optional<int64_t>(number) : std::nullopt;
  }
  bool isStatic() const { return context && !attr; }
  bool is(int64_t value) const { return isStatic() && number == value; }

  /// The least and the greatest value it can take. Exact for an expression
  /// without quotients in which no variable is multiplied by itself; otherwise
  /// all values lie between these.
  int64_t getMin() const;
  int64_t getMax() const;

  Dim operator+(Dim other) const;
  Dim operator-(Dim other) const;
  Dim operator*(Dim other) const;
  bool operator==(const Dim &other) const {
    return attr == other.attr && context == other.context &&
           number == other.number;
  }
  bool operator!=(const Dim &other) const { return !(*this == other); }

  /// An operator applied to two dimensions, in normal form.
  static Dim get(DimOpKind kind, Dim lhs, Dim rhs);
  /// The same for any number of operands, from left to right.
  static Dim get(DimOpKind kind, ArrayRef<Dim> operands);

  /// The expression that times \p divisor is this one, if there is one that
  /// does not divide itself. Also where the divisor may be 0.
  std::optional<Dim> divideExactly(Dim divisor) const;

  /// With each variable replaced by what the function gives for it.
  Dim substitute(function_ref<Dim(VarAttr)> getValue) const;
  /// Calls the function for each variable.
  void walk(function_ref<void(VarAttr)> visit) const;

  /// For messages: `4`, `n`, `(n * 4)`; `n=3` for a variable with a value.
  /// \p getValue gives the values of variables whose attributes do not say
  /// them.
  std::string
  str(function_ref<std::optional<int64_t>(VarAttr)> getValue = nullptr) const;

private:
  /// Null for a number: most dimensions are, and arithmetic on these makes no
  /// attributes.
  Attribute attr;
  MLIRContext *context = nullptr;
  int64_t number = 0;
};

/// The dimensions of a tensor type, symbolic ones from its encoding.
SmallVector<Dim> getDims(RankedTensorType type);
Dim getDim(RankedTensorType type, int64_t axis);

/// Whether the dimensions of a tensor type are known: its shape is static and
/// it has no encoding, or the encoding is a `#tg.shape`.
bool hasDims(Type type);

/// The tensor type with these dimensions: static, or with a `#tg.shape`.
RankedTensorType getTensorType(ArrayRef<Dim> dims, Type elementType);

/// The shape with each dimension as large as it can be: that by which a tensor
/// lies in memory.
SmallVector<int64_t> getLargestShape(ArrayRef<Dim> dims);
SmallVector<int64_t> getLargestShape(RankedTensorType type);

/// How many elements the memory of a tensor has room for.
int64_t getBufferSize(RankedTensorType type);

/// The product of the dimensions: how many elements a tensor has.
Dim getNumElements(MLIRContext *context, ArrayRef<Dim> dims);

/// A list of dimension attributes as dimensions.
SmallVector<Dim> getDims(ArrayRef<Attribute> attrs);
SmallVector<Dim> getDims(ArrayAttr attr);

/// The numbers of a list of dimensions; none if any is symbolic.
std::optional<SmallVector<int64_t>> getStaticDims(ArrayAttr attr);

/// For messages: `[4, n]`.
std::string toString(ArrayRef<Dim> dims);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGDIM_H
