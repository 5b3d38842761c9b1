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
#include "TgDimSyntax.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgNameSizes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include <numbers>

namespace mlir::tg {

/// For the directive `custom<Dim>`.
inline void printDim(OpAsmPrinter &printer, Operation *, Attribute dim) {
  printDim(printer, dim);
}

/// For `custom<Dims>`.
inline ParseResult parseDims(OpAsmParser &parser, ArrayAttr &list) {
  SmallVector<Attribute> dims;
  if (parseDims(parser, dims))
    return failure();
  list = parser.getBuilder().getArrayAttr(dims);
  return success();
}

inline void printDims(OpAsmPrinter &printer, Operation *, ArrayAttr list) {
  printDims(printer, list.getValue());
}

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_IR_TGOPDEFINITIONS_H
