//===- MatrixReads.h - what matrix operations read ---------------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The memory of a group that wgmma reads, by descriptors.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_VERIFY_MATRIXREADS_H
#define TINYGRAD_LIB_DIALECT_TG_VERIFY_MATRIXREADS_H

#include "Intervals.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <array>

namespace mlir::tg {

/// What the operation reads of both factors: more than that where it leaves
/// elements out in between, which belong to the same tiles. Emits an error if a
/// descriptor is not computed as convert-tg-to-gpu does, or if no operation is
/// waited for before anything that lets others write. They are asynchronous if
/// that may leave this one running.
FailureOr<std::array<MemoryAccess, 2>> getMatrixReads(NVVM::WgmmaMmaAsyncOp op,
                                                      gpu::GPUFuncOp func);

/// Emits an error if the address of memory is used for anything but
/// descriptors.
LogicalResult checkAddress(memref::ExtractAlignedPointerAsIndexOp op);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_VERIFY_MATRIXREADS_H
