//===- SplitAxes.h - several ranges for one axis of a result ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A matrix product whose result is flattened is computed at positions such as
/// (i / 512, i mod 512) of the stored axis, and there is no register tile along
/// i. With two ranges for this axis, it is computed at (i, j).
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_SPLITAXES_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_SPLITAXES_H

#include "KernelBuilder.h"

namespace mlir::tg {

/// The ranges for a kernel that stores the part of `value` that begins at
/// `from` and has the given extents, such that reductions behind views of
/// `value` are computed at indices without divisions where sizes allow. Follows
/// operands for which `isTiled` holds. Empty if one range for each axis is as
/// good.
SmallVector<InnerSizes> findSplits(Location loc, Value value,
                                   ArrayRef<Dim> from, ArrayRef<Dim> extents,
                                   function_ref<bool(Value)> isTiled);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_SPLITAXES_H
