//===- TgSharedUpdates.h - elements that several items update ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The condition C8 of tg.kernel for one store.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGSHAREDUPDATES_H
#define TINYGRAD_DIALECT_TG_IR_TGSHAREDUPDATES_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// Finds a range of work items of the kernel that the index of the store does
/// not depend on, or only through a loaded value: different work items might
/// update the same element. Null if there is none.
RangeOp findSharedRange(StoreOp store, KernelOp kernel);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGSHAREDUPDATES_H
