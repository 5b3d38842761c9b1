//===- TgOpDefinitions.h - what generated operations use --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the definitions of operations that tablegen writes call. CMake makes
/// the sources that include them, one for each part.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_IR_TGOPDEFINITIONS_H
#define TINYGRAD_LIB_DIALECT_TG_IR_TGOPDEFINITIONS_H

#include "GradientAlgebra.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include <numbers>

namespace mlir::tg {

/// A dimension; a number stands without its type.
inline ParseResult parseDim(OpAsmParser &parser, Attribute &dim) {
  return parser.parseAttribute(dim);
}

inline void printDim(OpAsmPrinter &printer, Operation *, Attribute dim) {
  printer.printAttributeWithoutType(dim);
}

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_IR_TGOPDEFINITIONS_H
