//===- Tiles.h - reductions that need lanes along the result ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds reductions that are fast only with lanes and register tiles along
/// their results, and estimates the slowdown at other indices.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_TILES_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_TILES_H

#include "KernelBuilder.h"

namespace mlir::tg {

/// Whether a reduction is slow unless adjacent results are computed together:
/// everything it reads is used for several results, as in a matrix product, or
/// is contiguous along the results and not along the reduced axes.
bool needsTile(ReduceOp reduce);

/// The slowdown of such a reduction at the positions of the access, compared
/// with the positions of its own result.
double getSlowdown(const Access &access);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_TILES_H
