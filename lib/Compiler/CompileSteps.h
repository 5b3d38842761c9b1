//===- CompileSteps.h - what compilation consists of ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that those of Compiler.h and Checked.h are made of. They emit
/// what is wrong with a module as errors, and throw what the runtime throws:
/// Compiler.h turns errors into exceptions, Checked.h exceptions into errors.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_COMPILER_COMPILESTEPS_H
#define TINYGRAD_LIB_COMPILER_COMPILESTEPS_H

#include "TinyGrad/Compiler/Compiler.h"

namespace tinygrad::detail {

llvm::LogicalResult schedule(mlir::ModuleOp module, Device &device,
                             const CompileOptions &options);
llvm::LogicalResult optimize(mlir::ModuleOp module, Device &device,
                             const CompileOptions &options);
mlir::FailureOr<std::vector<char>> generateCode(mlir::ModuleOp module,
                                                Device &device,
                                                const CompileOptions &options,
                                                mlir::tg::StageTexts *texts);
mlir::FailureOr<std::vector<char>> generateCode(mlir::ModuleOp module,
                                                Device &device,
                                                const CompileOptions &options,
                                                CodeGenerator generate);
mlir::FailureOr<Artifact> compileToArtifact(mlir::ModuleOp module,
                                            const mlir::tg::Target &target,
                                            const CompileOptions &options);
/// Emits an error if kernels of the module were scheduled for another target.
llvm::LogicalResult checkTarget(mlir::ModuleOp module,
                                const mlir::tg::Target &target);
/// The target with that name. Throws CompileError if there is none.
const mlir::tg::Target &findTarget(llvm::StringRef name);
/// The kind of device that runs code for a target: "CPU".
std::string getDeviceKind(const mlir::tg::Target &target);
/// Puts the code of all kernels into an artifact, with what it needs: for CPUs
/// as a shared object, for which what it calls is completed. Emits an error if
/// that fails.
llvm::LogicalResult setCode(Artifact &artifact, mlir::ModuleOp module,
                            std::vector<char> code,
                            const mlir::tg::Target &target);
mlir::FailureOr<std::shared_ptr<CompiledProgram>>
compile(mlir::ModuleOp module, Device &device, const CompileOptions &options);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_COMPILER_COMPILESTEPS_H
