//===- TgDimSyntax.h - dimensions as text -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How dimensions are read and printed: `#n * 2 + 1`, with the precedence of
/// `affine_map`, and `min(a, b)`, `max(a, b)`.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_IR_TGDIMSYNTAX_H
#define TINYGRAD_LIB_DIALECT_TG_IR_TGDIMSYNTAX_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::tg {

/// Reads an expression and brings it into normal form. What has no operator is
/// any attribute: the caller checks that it is a dimension.
ParseResult parseDim(AsmParser &parser, Attribute &dim);

/// A list of them in brackets.
ParseResult parseDims(AsmParser &parser, SmallVectorImpl<Attribute> &dims);

/// Prints a dimension such that `parseDim` reads it.
void printDim(AsmPrinter &printer, Attribute dim);
void printDims(AsmPrinter &printer, ArrayRef<Attribute> dims);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_IR_TGDIMSYNTAX_H
