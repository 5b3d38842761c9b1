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
/// of `wrt`: for an element x of it, the sum over all elements y of `output` of
/// `seed` (which has the type of `output`) times dy/dx. They have the types of
/// `wrt`, zeros where `output` does not depend on it. Nothing is built for
/// values that lead to none of `wrt`. All values are of one block; the builder
/// stands behind `output` and `seed`. What is built may be differentiated
/// again.
///
/// Operations say what their derivative is by the `DifferentiableOpInterface`,
/// or what they are composed of by the `ComposedOpInterface`. Fails where one
/// that has neither lies between `wrt` and `output`, or a value is no float,
/// and reports the operation and the way from it to `wrt`; what was built until
/// then stays, unused.
FailureOr<SmallVector<Value>> differentiate(OpBuilder &builder, Value output,
                                            Value seed, ValueRange wrt);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_DIFFERENTIATE_H
