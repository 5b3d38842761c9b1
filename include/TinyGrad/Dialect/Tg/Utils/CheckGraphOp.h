//===- CheckGraphOp.h - what tensor graphs consist of -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_CHECKGRAPHOP_H
#define TINYGRAD_DIALECT_TG_UTILS_CHECKGRAPHOP_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace mlir::tg {

/// Checks that an operation belongs to the dialect, with one result, or
/// implements its interfaces. The error says what to do: which operation of the
/// dialect computes the same, which pass converts it, or what it lacks.
LogicalResult checkGraphOp(Operation &op);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_CHECKGRAPHOP_H
