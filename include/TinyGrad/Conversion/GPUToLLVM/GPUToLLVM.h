//===- GPUToLLVM.h - GPU functions to LLVM's dialect ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lowers what convert-tg-to-gpu makes to LLVM's dialect and that of the
/// vendor, NVVM or ROCDL.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_GPUTOLLVM_GPUTOLLVM_H
#define TINYGRAD_CONVERSION_GPUTOLLVM_GPUTOLLVM_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir::tg {

#define GEN_PASS_DECL_TGPREPAREGPUFUNCTIONS
#define GEN_PASS_DECL_CONVERTGPUFUNCTIONSTOLLVM
#include "TinyGrad/Conversion/Passes.h.inc"

/// An `scf.for` has this attribute, an `#llvm.loop_annotation`, for its loop in
/// LLVM IR.
inline constexpr llvm::StringLiteral loopAnnotationAttrName =
    "llvm.loop_annotation";

/// The most bytes of memory of a group that code for a chip ("sm_90",
/// "gfx942") can declare; if a function uses more, the launch provides all of
/// it.
int64_t getMaxStaticBytes(StringRef chip);

/// Lowers the functions of every `gpu.module` for a chip.
void buildGPUToLLVMPipeline(OpPassManager &pm, StringRef chip);

/// Registers it as the textual pipeline tg-gpu-to-llvm-pipeline, once per
/// process.
void registerGPUToLLVMPipeline();

} // namespace mlir::tg

#endif // TINYGRAD_CONVERSION_GPUTOLLVM_GPUTOLLVM_H
