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
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::tg {

/// Builds gradients of `outputs`, tensors of floats, with respect to each of
/// `wrt`: for each element x, the sum over all elements y of all outputs of the
/// output's seed, which has its type, times dy/dx. Gradients have the types of
/// `wrt`, and are null where no output depends on the value. Nothing is built
/// for values that do not depend on `wrt`. No operand is computed after its
/// user, and the builder's insertion point is after `outputs` and `seeds`. The
/// gradients may be differentiated again.
///
/// Operations define their derivative by the `DifferentiableOpInterface`, or
/// their composition by the `ComposedOpInterface`. If an operation between
/// `wrt` and an output has neither, or a value is not a float, reports the
/// operation and the path from it to `wrt`, and fails; operations built so far
/// stay, unused.
///
/// No gradient flows through `tg.detach` and operations with the attribute
/// `noGradientAttrName`, nor from a value for which `isLeaf` returns true to
/// what it is computed from. Where `getOrigin` returns a value for one without
/// operands, that value is where it is stored: gradients flow on to it.
FailureOr<SmallVector<Value>>
differentiate(OpBuilder &builder, ValueRange outputs, ValueRange seeds,
              ValueRange wrt, llvm::function_ref<bool(Value)> isLeaf = {},
              llvm::function_ref<Value(Value)> getOrigin = {});

/// Zeros of the type of `value`: its gradient where differentiate() gives null.
Value createZeroGradient(OpBuilder &builder, Value value);

/// Builds the tangents of `outputs` for the tangents of `wrt`, which have the
/// types of these (forward mode): for each element y of an output, the sum over
/// all elements x of dy/dx times the tangent of x. They are null where an
/// output does not depend on `wrt`. Conditions and errors are those of
/// differentiate().
///
/// The gradient of an output is linear in its seed, and its own gradient by
/// the seed, with the tangents as seeds, is the tangent of the output
/// (J. Townsend, "A new trick for calculating Jacobian vector products", 2017).
/// So no operation needs a second rule. What only the first gradient needs is
/// unused afterwards.
FailureOr<SmallVector<Value>> linearize(OpBuilder &builder, ValueRange outputs,
                                        ValueRange wrt, ValueRange tangents);

/// Whether no gradient flows through an operation: it is `tg.detach`, or has
/// the attribute `noGradientAttrName`.
bool stopsGradient(Operation *op);

/// The operations that gradients of `outputs` flow through, each after its
/// operands. The values for which `isLeaf` returns true end the search, as does
/// what has no gradient. `getOrigin` is that of differentiate().
SmallVector<Operation *>
collectDifferentiated(ValueRange outputs,
                      llvm::function_ref<bool(Value)> isLeaf = {},
                      llvm::function_ref<Value(Value)> getOrigin = {});

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_DIFFERENTIATE_H
