//===- Expressions.h - dimensions at run time -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converts dimensions of the dialect to expressions of the runtime.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_COMPILER_EXPRESSIONS_H
#define TINYGRAD_COMPILER_EXPRESSIONS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "TinyGrad/Runtime/Expression.h"

#include "llvm/ADT/ArrayRef.h"

namespace tinygrad {

/// Converts a dimension to an expression over variables given by their index in
/// the list. Throws CompileError for a variable that is not in the list.
Expression getExpression(mlir::tg::Dim dim,
                         llvm::ArrayRef<mlir::tg::VarAttr> variables);

} // namespace tinygrad

#endif // TINYGRAD_COMPILER_EXPRESSIONS_H
