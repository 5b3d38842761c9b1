//===- CpuTarget.h - object code for CPUs -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiles scheduled kernels (level 3 of the `tg` dialect) to an object file
/// in memory.
///
/// For each kernel `NAME` the object exports the C function
///
///     void NAME(void **buffers, const int64_t *vars,
///               int64_t begin, int64_t end);
///
/// which runs the positions [begin, end) of the kernel's parallel ranges; calls
/// on disjoint parts may run at the same time. `buffers` holds the addresses of
/// the kernel's arguments in order, aligned to their element type; outputs of
/// kernels that do not work in place are aligned to 64 bytes and overlap no
/// other argument.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_CPU_CPUTARGET_H
#define TINYGRAD_TARGET_CPU_CPUTARGET_H

#include "TinyGrad/Target/Cpu/CodeCounts.h"
#include "TinyGrad/Target/Target.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::tg {

/// The processor and options of the code generator.
struct CpuTargetOptions {
  std::string triple;
  std::string cpu;
  /// In LLVM's syntax: "+avx2,-avx512f".
  std::string features;
  /// The widest vectors to use, in bits; 0 leaves the choice to LLVM.
  unsigned preferVectorWidth = 0;
  /// Effort of LLVM's code generator, 0 to 3.
  unsigned codegenLevel = 1;
  /// LLVM's pass pipeline in textual form; empty for the default.
  std::string llvmPasses;

  /// The host processor. Detected once.
  static const CpuTargetOptions &host();
  /// A processor that LLVM knows, of the host's architecture ("x86-64-v3",
  /// "znver4") or of another one ("aarch64:neoverse-v1"); "native" or nothing
  /// is the host. None and an error if LLVM does not know it.
  static std::optional<CpuTargetOptions> forProcessor(StringRef name,
                                                      std::string &error);

  /// Whether the processor has what LLVM calls so ("avx2").
  bool hasFeature(StringRef feature) const;
  /// Whether a product with a sum that is rounded once is an instruction.
  bool hasFma() const;

  /// Everything above as text, for cache keys.
  std::string str() const;

  /// The registers and instructions of the processor; the other facts are the
  /// same for all CPUs. This LLVM must be built with the target.
  TargetFacts getFacts() const;
};

/// What the runtime needs to know about a compiled kernel.
struct CpuKernelInfo {
  std::string name;
  /// Positions that can run in parallel: the valid values of [begin, end).
  int64_t parallelExtent = 1; ///< the maximum, if it is symbolic
};

/// Times in milliseconds.
struct CpuCompileTimes {
  double lowering = 0;  ///< MLIR passes
  double translate = 0; ///< to LLVM IR
  double optimize = 0;  ///< LLVM's passes
  double codegen = 0;   ///< machine code
  double total() const { return lowering + translate + optimize + codegen; }
};

/// The result of compileToObject.
struct CpuObject {
  /// An object file in the target's format (ELF on Linux).
  std::vector<char> bytes;
  std::vector<CpuKernelInfo> kernels;
  CpuCompileTimes times;
};

/// Adds the dialects that the compilation goes through, and their translation
/// to LLVM IR, to a registry.
void registerCpuTarget(DialectRegistry &registry);

/// Makes a context ready for compileToObject: registers and loads the same.
void loadCpuTarget(MLIRContext &context);

/// Compiles all `tg.kernel`s of `module` (nested ones are not looked for; the
/// host program is ignored). `module` is not changed. Errors are reported as
/// diagnostics at the operations at fault. Calls for different contexts may run
/// at the same time; so may calls for one context that was made ready by
/// loadCpuTarget and has multithreading enabled. The target has to be one of
/// those that this LLVM was built for. Texts are "vector", "mlir", "llvm" and
/// "asm".
FailureOr<CpuObject>
compileToObject(ModuleOp module,
                const CpuTargetOptions &target = CpuTargetOptions::host(),
                const CompileFlags &flags = {}, StageTexts *texts = nullptr);

/// The same for a selection of kernels, which may be of different modules of
/// one context; the names must differ.
FailureOr<CpuObject>
compileToObject(ArrayRef<KernelOp> kernels,
                const CpuTargetOptions &target = CpuTargetOptions::host(),
                const CompileFlags &flags = {}, StageTexts *texts = nullptr);

/// The same with further functions: \p complete adds them to the lowered
/// kernels, a module in LLVM's dialect. There may be no kernels. \p counter is
/// filled in if it is not null; \p complete may say in it what to count.
/// \p bitcode is LLVM bitcode of any target whose functions become internal
/// ones of the object.
FailureOr<CpuObject>
compileToObject(MLIRContext *context, ArrayRef<KernelOp> kernels,
                const CpuTargetOptions &target, const CompileFlags &flags,
                StageTexts *texts,
                function_ref<LogicalResult(ModuleOp)> complete,
                CodeCounter *counter = nullptr, ArrayRef<char> bitcode = {});

/// The same up to LLVM IR, after LLVM's passes and without internal functions
/// that nothing calls.
FailureOr<std::unique_ptr<llvm::Module>>
compileToIR(MLIRContext *context, ArrayRef<KernelOp> kernels,
            const CpuTargetOptions &target, const CompileFlags &flags,
            llvm::LLVMContext &llvmContext,
            function_ref<LogicalResult(ModuleOp)> complete);

} // namespace mlir::tg

#endif // TINYGRAD_TARGET_CPU_CPUTARGET_H
