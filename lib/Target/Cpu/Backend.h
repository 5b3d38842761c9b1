//===- Backend.h - from LLVM's dialect to machine code ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Code generation by LLVM for the CPU target.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TARGET_CPU_BACKEND_H
#define TINYGRAD_LIB_TARGET_CPU_BACKEND_H

#include "TinyGrad/Target/Cpu/CodeCounts.h"
#include "TinyGrad/Target/Cpu/CpuTarget.h"

#include "llvm/ADT/StringRef.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
class Pass;
} // namespace llvm

namespace mlir::tg::cpu {

/// Compiles a module in LLVM's dialect to an object file. Fills in the texts
/// and times of the stages; `texts` and `counter` may be null.
/// Functions of the bitcode become internal ones of the module.
FailureOr<std::vector<char>>
emitObject(ModuleOp module, const CpuTargetOptions &target,
           const CompileFlags &flags, StageTexts *texts, CpuCompileTimes &times,
           CodeCounter *counter = nullptr, ArrayRef<char> bitcode = {});

/// A pass for the end of code generation that fills in the counter, which
/// outlives it.
llvm::Pass *createCountCodePass(CodeCounter &counter);

/// The same up to LLVM IR, after LLVM's passes.
FailureOr<std::unique_ptr<llvm::Module>> emitIR(ModuleOp module,
                                                const CpuTargetOptions &target,
                                                const CompileFlags &flags,
                                                llvm::LLVMContext &context);

/// Adds functions, which become internal, of bitcode for no special processor.
LogicalResult linkBitcode(llvm::Module &module, ArrayRef<char> bitcode,
                          std::string &error);

/// An attribute of functions without loops that the code of others calls as
/// often as they like: counts of a caller include each call.
inline constexpr llvm::StringLiteral kHelperAttrName = "tg-helper";

/// Writes products with a sum that may be rounded twice (`afn`), as those of
/// polynomials, in arithmetic that the processor has, if it has no FMA: in f64
/// for f32, and in two numbers for f64. Tells whether there were any.
bool expandPolynomials(llvm::Module &module, const CpuTargetOptions &target);

/// Writes operations for which LLVM would call a library, because the processor
/// does not have them, as others that it has. Says whether there were any.
/// Fails, with the reason, if what they need cannot be added.
LogicalResult expandArithmetic(llvm::Module &module,
                               const CpuTargetOptions &target, bool &isExpanded,
                               std::string &error);

/// Rewrites IR for which LLVM selects wrong instructions.
void avoidMiscompilations(llvm::Module &module, const CpuTargetOptions &target);

/// Makes kernels compute with zeros in place of subnormal numbers. Their
/// interfaces call internal functions, which are no longer inlined. Fails, with
/// the reason, if the processor has no such mode.
LogicalResult flushSubnormals(llvm::Module &module,
                              const CpuTargetOptions &target,
                              std::string &error);

} // namespace mlir::tg::cpu

#endif // TINYGRAD_LIB_TARGET_CPU_BACKEND_H
