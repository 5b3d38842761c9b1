//===- ComparedSums.h - sums that maxima are chosen from --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A sum of floats may have other bits where it is computed again, in another
/// order. So a maximum of values that depend on it has to be compared with
/// these values, not with such that were computed from another copy of the sum.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_TRANSFORMS_COMPAREDSUMS_H
#define TINYGRAD_DIALECT_TG_TRANSFORMS_COMPAREDSUMS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// Whether the result depends on the order in which elements are reduced.
bool dependsOnOrder(ReduceOp reduce);

/// The operands with which elements of the result can share their bits. Not
/// sums: a value is not expected to be equal to one that adds elements of it.
SmallVector<Value> getCarriedOperands(Operation *op);

/// Whether the result has elements that are no less, or no greater, than those
/// that it was chosen from.
bool isExtreme(Operation *op);

/// The sums from which a value is computed by way of a maximum or minimum,
/// through operations that have the same bits wherever they are computed. The
/// search ends at sums, at tg.buffer and at arguments.
SmallVector<ReduceOp> findSumsOfExtremes(Value value);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_COMPAREDSUMS_H
