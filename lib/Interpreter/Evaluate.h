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

#include <vector>

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

/// Stands for the position of no element.
constexpr int64_t kNothing = -1;

/// Calls `body` for each index, in row-major order, with a sum of one number
/// for each axis: axes[i][index[i]]. It is kNothing where one of them is.
template <typename Body>
void forEachSum(ArrayRef<std::vector<int64_t>> axes, const Body &body,
                int64_t start = 0) {
  if (axes.empty())
    return body(start);
  // A loop, and no call, for each element.
  const bool isLast = axes.size() == 1;
  for (int64_t number : axes.front()) {
    const int64_t sum =
        start == kNothing || number == kNothing ? kNothing : start + number;
    if (isLast)
      body(sum);
    else
      forEachSum(axes.drop_front(), body, sum);
  }
}

} // namespace mlir::tg

#endif // TINYGRAD_LIB_INTERPRETER_EVALUATE_H
