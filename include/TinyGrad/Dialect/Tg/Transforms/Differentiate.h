//===- Differentiate.h - gradients of tensor graphs -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reverse-mode differentiation of tensor graphs (level 1).
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_TRANSFORMS_DIFFERENTIATE_H
#define TINYGRAD_DIALECT_TG_TRANSFORMS_DIFFERENTIATE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::tg {

/// Builds the gradients of `output`, a tensor of floats, with respect to each
/// of `wrt`: for each element x, the sum over all elements y of `output` of
/// `seed` (which has the type of `output`) times dy/dx. Gradients have the
/// types of `wrt`, and are zero where `output` does not depend on it. Nothing
/// is built for values that do not depend on `wrt`. All values are in one
/// block, and the builder's insertion point is after `output` and `seed`. The
/// gradients may be differentiated again.
///
/// Operations define their derivative by the `DifferentiableOpInterface`, or
/// their composition by the `ComposedOpInterface`. If an operation between
/// `wrt` and `output` has neither, or a value is not a float, reports the
/// operation and the path from it to `wrt`, and fails; operations built so far
/// stay, unused.
FailureOr<SmallVector<Value>> differentiate(OpBuilder &builder, Value output,
                                            Value seed, ValueRange wrt);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_DIFFERENTIATE_H
