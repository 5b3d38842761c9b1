//===- TgDimCheck.h - which dimensions are valid ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What verifiers and inference ask of dimensions: that they fit into 64 bits,
/// are not negative, and name each variable with one pair of bounds.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGDIMCHECK_H
#define TINYGRAD_DIALECT_TG_IR_TGDIMCHECK_H

#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::tg {

class VarAttr;

/// Begins an error where the dimension stands.
using DimErrorFn = function_ref<InFlightDiagnostic()>;

/// Checks that no part of a dimension can leave 64 bits, for any values of the
/// variables: dimensions saturate there, kernels wrap. The error names the part
/// and its bounds.
LogicalResult checkFits(Attribute dim, DimErrorFn emitError);
LogicalResult checkFits(ArrayRef<Attribute> dims, DimErrorFn emitError);

/// The same for an operator applied to dimensions.
LogicalResult checkFits(DimOpKind kind, ArrayRef<Dim> operands,
                        DimErrorFn emitError);

/// Checks that `Dim::get` may apply an operator to these attributes: that they
/// are dimensions, as many as it takes, that the value fits, and that no
/// divisor can be 0.
LogicalResult checkOperator(DimOpKind kind, ArrayRef<Attribute> operands,
                            DimErrorFn emitError);

/// Operators of a dimension that are nested in each other, and operators and
/// operands of it written out, at most. What is used twice counts twice.
inline constexpr int64_t kMaxNesting = 512, kMaxParts = 1 << 16;

/// Checks these limits. Expressions grow twofold where one is used twice, and
/// are looked at recursively.
LogicalResult checkLength(Attribute dim, DimErrorFn emitError);

/// Checks that the elements of the largest shape can be counted in 63 bits.
LogicalResult checkNumElements(ArrayRef<Dim> dims, DimErrorFn emitError);

/// Whether it is shown to be at least 0 for all values of its variables. Where
/// bounds are not exact, parts of the variables' ranges are looked at, so many
/// that small ranges are decided in any case; fewer of long expressions.
bool isNeverNegative(Dim dim);

/// Tells variables of one name and different bounds in a kernel (C7 of it).
class VariableChecker {
public:
  LogicalResult check(Attribute dim, DimErrorFn emitError);

private:
  llvm::DenseMap<StringRef, VarAttr> known;
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGDIMCHECK_H
