//===- TgReifyShapes.h - sizes as values ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Computes dimensions of tensors in operations of other dialects.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGREIFYSHAPES_H
#define TINYGRAD_DIALECT_TG_IR_TGREIFYSHAPES_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace mlir::tg {

/// The value of a dimension, an `index`, by operations of `arith`. \p getValue
/// gives the values of variables; the result is null if it gives null for one.
Value createDimValue(OpBuilder &builder, Location loc, Dim dim,
                     function_ref<Value(VarAttr)> getValue);

/// The sizes of the results of an operation on ranked tensors: numbers,
/// `tensor.dim` of an operand that has the size, arithmetic with these, or
/// `tg.dim` of a size that follows from no operand. Fails if a result is no
/// tensor of known dimensions. Operations of other dialects use it to implement
/// `ReifyRankedShapedTypeOpInterface`; those of `tg` do so.
LogicalResult reifyResultShapes(Operation *op, OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes);

/// Implements `ReifyRankedShapedTypeOpInterface` for the operations of the
/// dialect.
void attachReifiedShapes(TgDialect &dialect);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGREIFYSHAPES_H
