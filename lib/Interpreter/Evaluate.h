//===- Evaluate.h - parts of the interpreter --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that evaluate groups of operations, each group in a file of its
/// own. `result` has the operation's result type and is initialized to zero.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_INTERPRETER_EVALUATE_H
#define TINYGRAD_LIB_INTERPRETER_EVALUATE_H

#include "TinyGrad/Interpreter/Interpreter.h"

namespace mlir::tg {

class ArgsortOp;
class ReduceOp;
class ScanOp;
class ScatterOp;

/// Evaluates unary, binary, compare and ternary operations, casts and threefry.
/// Returns false for other operations.
bool evaluateElementwise(Operation *op, ArrayRef<const HostTensor *> operands,
                         HostTensor &result);
void evaluateCast(const HostTensor &x, HostTensor &result);
void evaluateReduce(ReduceOp op, const HostTensor &x, HostTensor &result);

void evaluateScan(ScanOp op, const HostTensor &x, HostTensor &result);
void evaluateScatter(ScatterOp op, const HostTensor &base,
                     const HostTensor &index, const HostTensor &updates,
                     HostTensor &result);
void evaluateArgsort(ArgsortOp op, const HostTensor &x, HostTensor &result);

/// Row-major strides in elements.
SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape);

/// Advances `index` to the next position of `shape` in row-major order.
void nextIndex(MutableArrayRef<int64_t> index, ArrayRef<int64_t> shape);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_INTERPRETER_EVALUATE_H
