//===- CheckGraph.h - checks before scheduling ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the functions of a module that are tensor graphs, and emits errors for
/// those that cannot be scheduled.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_CHECKGRAPH_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_CHECKGRAPH_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::tg {

/// The functions to schedule: those with tensors as arguments or results,
/// except functions that consist only of operations of other dialects.
SmallVector<func::FuncOp> findGraphs(ModuleOp module);

/// Checks that nothing calls a function whose tensors will become buffers.
LogicalResult checkCalls(ModuleOp module, ArrayRef<func::FuncOp> graphs);

/// Checks the operations and types of a graph.
LogicalResult checkGraph(Block &block);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_CHECKGRAPH_H
