//===- BoxWrites.h - what copies of boxes access ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Copies of boxes (TMA) in both directions as accesses, and when mbarriers say
/// that they are complete.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_VERIFY_BOXWRITES_H
#define TINYGRAD_LIB_DIALECT_TG_VERIFY_BOXWRITES_H

#include "Intervals.h"
#include "Roles.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

namespace mlir::tg {

/// Emits an error unless the function uses its mbarriers as convert-tg-to-gpu
/// does: then each wait in position p of the loop ends after the copies of
/// position p are complete, whichever item waits. If some items only copy,
/// their loops and the arrival are added to \p roles.
LogicalResult checkMbarriers(gpu::GPUFuncOp func, Roles &roles);

/// What a copy writes, with its position; and the buffer that it reads, of
/// which all boxes are known to be inside. Emits an error if the copy is not
/// one as convert-tg-to-gpu makes it.
FailureOr<MemoryAccess> getBoxWrite(nvgpu::TmaAsyncLoadOp op,
                                    gpu::GPUFuncOp func, Value &source);

/// What a store of a box reads of the memory of a group, and what it writes.
/// Emits an error if it is not one as convert-tg-to-gpu makes it, or if its
/// block does not wait until the box has been read.
FailureOr<std::array<MemoryAccess, 2>> getBoxStore(nvgpu::TmaAsyncStoreOp op,
                                                   gpu::GPUFuncOp func);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_VERIFY_BOXWRITES_H
