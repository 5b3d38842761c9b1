//===- CheckGraph.h - what can be scheduled ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which functions of a module are tensor graphs, and whether scheduling takes
/// them. What is wrong is reported where it is.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_CHECKGRAPH_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_CHECKGRAPH_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::tg {

/// The functions to schedule: those that take or return tensors, unless they
/// consist of operations of other dialects alone.
SmallVector<func::FuncOp> findGraphs(ModuleOp module);

/// Nothing may call a function whose tensors are about to become buffers.
LogicalResult checkCalls(ModuleOp module, ArrayRef<func::FuncOp> graphs);

/// Operations and types of a graph.
LogicalResult checkGraph(Block &block);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_CHECKGRAPH_H
