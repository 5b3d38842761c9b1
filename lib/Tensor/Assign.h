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

/// Emits, for the in-place assignment \p assign, a tg.assign of only the part
/// that changes, and returns the contents of the memory afterwards. \p old is
/// the operation that the rest of the memory keeps the values of, if known.
/// Returns null if all of the memory is written or no such part is found.
mlir::Value emitPartialAssign(mlir::OpBuilder &builder, mlir::Operation *assign,
                              mlir::Operation *old, mlir::IRMapping &mapping);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_ASSIGN_H
