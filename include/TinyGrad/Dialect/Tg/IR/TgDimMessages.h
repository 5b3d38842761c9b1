//===- TgDimMessages.h - why dimensions differ ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What messages say of dimensions that are not known to be equal, and the
/// check that operands and results have one shape, which says it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGDIMMESSAGES_H
#define TINYGRAD_DIALECT_TG_IR_TGDIMMESSAGES_H

#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "mlir/IR/OpDefinition.h"
#include <string>

namespace mlir::tg {

/// Values of the variables for which \p isWanted holds of the values of two
/// dimensions: "m = 2, n = 1, as 2 and 1". Nothing if none were found. Looks at
/// the values that variables are bound to, the ends of their bounds, then
/// others. \p getValue gives the values of variables whose attributes do not
/// say them.
std::string
findValues(Dim lhs, Dim rhs, function_ref<bool(int64_t, int64_t)> isWanted,
           function_ref<std::optional<int64_t>(VarAttr)> getValue = nullptr);

/// Why two dimensions are not taken as equal: "m and n differ for m = 2, n = 1,
/// as 2 and 1", or that they could not be shown to be equal.
std::string explainDifference(Dim lhs, Dim rhs);

/// The same with "; " before it for the first of two lists of equal length in
/// which they differ. Empty if all are numbers or none differ.
std::string explainDifference(ArrayRef<Dim> lhs, ArrayRef<Dim> rhs);

/// Checks that all operands and results that are tensors and of one rank have
/// one shape, where a dimension is symbolic: MLIR's traits compare encodings
/// and do not say what is in them.
LogicalResult verifySameDims(Operation *op);

template <typename ConcreteType>
class SameDims : public OpTrait::TraitBase<ConcreteType, SameDims> {
public:
  static LogicalResult verifyTrait(Operation *op) { return verifySameDims(op); }
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGDIMMESSAGES_H
