//===- SymDim.h - expressions as dimensions of a graph ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Conversion between the process-wide expressions and the attributes of a
/// graph.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_SYMDIM_H
#define TINYGRAD_LIB_TENSOR_SYMDIM_H

#include "SymExpr.h"

#include "mlir/IR/Attributes.h"

namespace mlir::tg {
class VarAttr;
} // namespace mlir::tg

namespace tinygrad::detail {

/// The dimension attribute of an expression, in \p context.
mlir::Attribute copyExpression(mlir::MLIRContext *context, const SymExpr *expr);
/// The size that a dimension attribute of any context represents.
SymInt makeExpression(mlir::Attribute dim);
/// The variable for an attribute of any context. The number in the attribute is
/// the index of a value, not the value.
KnownVariable &findVariable(mlir::tg::VarAttr var);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_SYMDIM_H
