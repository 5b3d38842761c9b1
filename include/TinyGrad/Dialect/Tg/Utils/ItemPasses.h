//===- ItemPasses.h - loops around the work items of a thread ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Ranges whose loop may run around the work items of a thread.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_ITEMPASSES_H
#define TINYGRAD_DIALECT_TG_UTILS_ITEMPASSES_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

class IndexAnalysis;

/// Whether a thread may run the loop over \p range around its work items: for
/// each position, all of its items, each of which adds to results of its own.
/// That holds if the kernel reads none of its outputs, and stores a constant to
/// each of them and then updates it (as the step `accumulate` makes them), and
/// each update names the range, which its index does not depend on. The range,
/// and others that updates repeat at one index, are loops of a static extent of
/// at least 2 without peeled positions. Whether the loop does run around the
/// items is a matter of order: it does if all of these come before the ranges
/// of work items.
bool mayRunAroundItems(RangeOp range, IndexAnalysis &analysis);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_ITEMPASSES_H
