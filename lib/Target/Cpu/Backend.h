//===- Backend.h - from LLVM's dialect to machine code ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The two halves of the CPU target: MLIR passes, then LLVM.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TARGET_CPU_BACKEND_H
#define TINYGRAD_LIB_TARGET_CPU_BACKEND_H

#include "TinyGrad/Target/Cpu/CpuTarget.h"

namespace mlir::tg::cpu {

/// Lowers functions over scf, vector, arith, math and memref, as
/// convert-tg-to-vector makes them, to LLVM's dialect, and adds the functions
/// of the C interface.
LogicalResult lowerToLLVM(ModuleOp module, bool verifyEach);

/// Makes an object file of a module in LLVM's dialect. Fills in the texts and
/// times of its stages.
FailureOr<std::vector<char>> emitObject(ModuleOp module,
                                        const CpuTargetOptions &target,
                                        const CpuDumps &dumps,
                                        CpuCompileTimes &times);

} // namespace mlir::tg::cpu

#endif // TINYGRAD_LIB_TARGET_CPU_BACKEND_H
