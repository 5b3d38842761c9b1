//===- TgInterfaces.h - what passes ask of operations -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interfaces of operations of a tensor graph, which other dialects may
/// implement: elementwise functions, movement operations, derivatives.
/// `TgInterfaces.td` describes them.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGINTERFACES_H
#define TINYGRAD_DIALECT_TG_IR_TGINTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::tg {
class ViewChain;
} // namespace mlir::tg

#include "TinyGrad/Dialect/Tg/IR/TgInterfaces.h.inc"

#endif // TINYGRAD_DIALECT_TG_IR_TGINTERFACES_H
