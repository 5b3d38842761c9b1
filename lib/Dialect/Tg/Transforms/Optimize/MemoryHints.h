//===- MemoryHints.h - prefetches and non-temporal stores -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Hints for memory that is larger than the caches. They come last: the loops
/// are known then.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_MEMORYHINTS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_MEMORYHINTS_H

#include "KernelSchedule.h"

namespace mlir::tg {

/// Results larger than the caches are written past them, which saves reading
/// the lines that are overwritten.
void writePastCaches(KernelSchedule &schedule);

/// Rows that are apart in memory are read ahead of time, where the processor
/// does not see them coming: each row while the one before it is computed on.
void prefetchRows(KernelSchedule &schedule);

/// A reduction that goes down the columns of a matrix, a few vectors wide,
/// reads a piece of each row. What lies on another page each time is fetched
/// some rows ahead.
void prefetchColumns(KernelSchedule &schedule);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_MEMORYHINTS_H
