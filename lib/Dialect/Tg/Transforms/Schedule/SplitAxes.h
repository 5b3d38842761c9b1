//===- SplitAxes.h - several ranges for an axis of a result -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A matrix product whose result is flattened is computed at positions (i /
/// 512, i mod 512) of the stored axis, which prevents a register tile. With two
/// ranges for this axis, the product is computed at (i, j).
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_SPLITAXES_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_SPLITAXES_H

#include "KernelBuilder.h"

namespace mlir::tg {

/// The ranges for a kernel that stores the part of `value` that begins at
/// `from` and has the given extents. They are chosen so that reductions read
/// through views of `value` are computed at indices without divisions, if sizes
/// permit. Follows operands for which `isTiled` holds. Empty if one range per
/// axis is sufficient.
SmallVector<InnerSizes> findSplits(Location loc, Value value,
                                   ArrayRef<Dim> from, ArrayRef<Dim> extents,
                                   function_ref<bool(Value)> isTiled);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_SPLITAXES_H
