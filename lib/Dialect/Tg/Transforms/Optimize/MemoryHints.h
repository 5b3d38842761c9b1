//===- MemoryHints.h - prefetches and non-temporal stores -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Hints for memory too large for a cache. This step comes last, when the
/// loops are known.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_MEMORYHINTS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_MEMORYHINTS_H

#include "KernelSchedule.h"

namespace mlir::tg {

/// Marks stores of results larger than the caches as non-temporal, which avoids
/// reading the cache lines that are overwritten.
void storeNonTemporally(KernelSchedule &schedule);

/// Prefetches rows with gaps between them, which the hardware prefetcher does
/// not anticipate: each row while the previous one is processed.
void prefetchRows(KernelSchedule &schedule);

/// Prefetches the rows of a reduction down the columns of a matrix some rows
/// ahead. Such a reduction, a few vectors wide, reads a short piece of each
/// row, each on another page.
void prefetchColumns(KernelSchedule &schedule);

/// Prefetches what is read from end to end where the target asks for it, unless
/// the kernel only adds it up: arithmetic in between leaves too few loads in
/// flight, and each page begins with a miss.
void prefetchStreams(KernelSchedule &schedule);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_MEMORYHINTS_H
