//===- TgHostFunctions.h - functions of other compilers ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Attributes of functions that mix the dialect with others: which arguments
/// are sizes, which sizes tensors have, and which tensor graph a call runs.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGHOSTFUNCTIONS_H
#define TINYGRAD_DIALECT_TG_IR_TGHOSTFUNCTIONS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::tg {

/// The variable (a `#tg.var`) whose value an argument is, an index or an
/// integer.
inline constexpr llvm::StringLiteral variableAttrName = "tg.variable";
/// The sizes (a `#tg.shape`) of an argument, a tensor with sizes `?`.
inline constexpr llvm::StringLiteral sizesAttrName = "tg.sizes";
/// On a declaration: the tensor graph (a symbol) that a call of it runs.
inline constexpr llvm::StringLiteral graphAttrName = "tg.graph";

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGHOSTFUNCTIONS_H
