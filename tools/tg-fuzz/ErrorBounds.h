//===- ErrorBounds.h - error bounds of operations ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How far a correct result of an operation can be from the interpreter's. Both
/// functions fill in the bounds of `result`, whose values are there, and return
/// false if some element has none.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_ERRORBOUNDS_H
#define TINYGRAD_TOOLS_TGFUZZ_ERRORBOUNDS_H

#include "Tracker.h"

namespace mlir::tg {

class ReduceOp;

bool boundElementwise(Operation *op, ArrayRef<const TrackedTensor *> operands,
                      TrackedTensor &result);
bool boundReduce(ReduceOp op, const TrackedTensor &x, TrackedTensor &result);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_ERRORBOUNDS_H
