//===- Assign.h - assignments to parts of memory ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Emits assignments that change a part of memory.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_ASSIGN_H
#define TINYGRAD_LIB_TENSOR_ASSIGN_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tinygrad::detail {

/// Emits a tg.assign to just the part that \p assign, one in place, gives other
/// values, and returns what the memory holds then. \p old is the operation
/// whose values the rest of the memory keeps, as far as it is known. Null if
/// all of the memory, or no such part, is written.
mlir::Value emitPartialAssign(mlir::OpBuilder &builder, mlir::Operation *assign,
                              mlir::Operation *old, mlir::IRMapping &mapping);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_ASSIGN_H
