//===- ErrorBounds.h - error bounds of operations ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How far a correct result of an operation may be from the interpreter's. The
/// functions fill in the bounds of `result`, whose values are given, and return
/// false if an element has no bound.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_ERRORBOUNDS_H
#define TINYGRAD_TOOLS_TGFUZZ_ERRORBOUNDS_H

#include "Tracker.h"

namespace mlir::tg {

class ReduceOp;
class ScanOp;
class ScatterOp;

bool boundElementwise(Operation *op, ArrayRef<const TrackedTensor *> operands,
                      TrackedTensor &result);
bool boundReduce(ReduceOp op, const TrackedTensor &x, TrackedTensor &result);
/// For scans other than those of logarithms, and for scatters.
bool boundScan(ScanOp op, const TrackedTensor &x, TrackedTensor &result);
bool boundScatter(ScatterOp op, ArrayRef<const TrackedTensor *> operands,
                  TrackedTensor &result);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_ERRORBOUNDS_H
