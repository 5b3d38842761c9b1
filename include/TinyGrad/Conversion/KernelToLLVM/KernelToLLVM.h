//===- KernelToLLVM.h - kernel functions to LLVM's dialect ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pipeline that lowers the output of convert-tg-to-vector to LLVM's
/// dialect.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H
#define TINYGRAD_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir::tg {

#define GEN_PASS_DECL_TGANNOTATEKERNELFUNCTIONS
#define GEN_PASS_DECL_TGCARRYBUFFERS
#define GEN_PASS_DECL_TGDISTRIBUTEPERMUTATIONS
#define GEN_PASS_DECL_CONVERTKERNELFUNCTIONSTOLLVM
#define GEN_PASS_DECL_TGADDKERNELINTERFACE
#define GEN_PASS_DECL_TGREQUIREFUNCTIONS
#include "TinyGrad/Conversion/Passes.h.inc"

/// What the passes tg-distribute-permutations and tg-carry-buffers do.
void distributePermutations(FunctionOpInterface func);
void carryBuffers(FunctionOpInterface func);

/// Lowers functions over scf, vector, arith, math and memref, as created by
/// convert-tg-to-vector, to LLVM's dialect, and adds the C interface.
void buildKernelToLLVMPipeline(OpPassManager &pm);

/// Registers it as the textual pipeline tg-kernel-to-llvm-pipeline, once per
/// process.
void registerKernelToLLVMPipeline();

} // namespace mlir::tg

#endif // TINYGRAD_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H
