//===- DirectCopies.h - copies of subgroups for LLVM ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What LLVM has to know of `amdgpu.gather_to_lds` beside what upstream's
/// patterns tell it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_GPUTOLLVM_DIRECTCOPIES_H
#define TINYGRAD_LIB_CONVERSION_GPUTOLLVM_DIRECTCOPIES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::tg {

/// Computes the addresses to which subgroups copy in scalar registers: those of
/// the first item, which are the ones that count.
void makeAddressesUniform(gpu::GPUFuncOp func);

/// Waits for copies where the code says so, and nowhere else: LLVM would wait
/// for all that are running at each barrier, and before each load of the
/// group's memory unless it knows that this reads nothing that they write.
void waitForCopiesOnce(LLVM::LLVMFuncOp func);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_CONVERSION_GPUTOLLVM_DIRECTCOPIES_H
