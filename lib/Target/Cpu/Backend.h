//===- Backend.h - from LLVM's dialect to machine code ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What LLVM does for the CPU target.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TARGET_CPU_BACKEND_H
#define TINYGRAD_LIB_TARGET_CPU_BACKEND_H

#include "TinyGrad/Target/Cpu/CpuTarget.h"

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::tg::cpu {

/// Makes an object file of a module in LLVM's dialect. Fills in the texts and
/// times of its stages; `texts` may be null.
FailureOr<std::vector<char>> emitObject(ModuleOp module,
                                        const CpuTargetOptions &target,
                                        StageTexts *texts,
                                        CpuCompileTimes &times);

/// Rewrites what LLVM would select wrong instructions for.
void avoidMiscompilations(llvm::Module &module, const CpuTargetOptions &target);

/// Makes all processors that this LLVM was built for known to it.
void initializeTargets();

} // namespace mlir::tg::cpu

#endif // TINYGRAD_LIB_TARGET_CPU_BACKEND_H
