//===- Compiler.h - compiling tensor graphs to executables ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiles a function over tensors for a device: the passes of the dialect,
/// the device's code generation, the kernel caches, and the launch list that
/// runs the result. Checked.h has the same functions without exceptions.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_COMPILER_COMPILER_H
#define TINYGRAD_COMPILER_COMPILER_H

#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/HostJit/KernelCache.h"
#include "TinyGrad/Runtime/Artifact.h"
#include "TinyGrad/Runtime/CompiledProgram.h"
#include "TinyGrad/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <memory>
#include <optional>

namespace tinygrad {

/// How far the code of kernels is kept for later compilations.
enum class CacheLevel {
  None,   ///< every kernel is compiled
  Memory, ///< in the process
  Disk,   ///< in the process and in the cache's directory
};

/// Where the code of kernels is kept.
struct CachePolicy {
  /// If not given, it is the setting CACHELEVEL of the thread that compiles.
  std::optional<CacheLevel> level = {};
  /// The caller's own cache, see KernelCache::inDirectory(). If null, it is
  /// that of the process, whose directory is CACHEDIR.
  std::shared_ptr<KernelCache> kernels = {};
};

/// Options of a compilation. The defaults come from the environment (NOOPT,
/// SPEC, FTZ, FALLBACK). Construction throws Error if a variable of it has a
/// value that is not valid; opening a device checks that before.
struct CompileOptions {
  /// The function to compile.
  std::string entry = "main";
  /// Do not vectorize or otherwise optimize loops.
  bool noOptimization = noOpt();
  /// Verify the module first. Callers whose modules are valid by construction
  /// may turn this off.
  bool verifyInput = true;
  /// Verify the IR after every rewrite pattern and every pass.
  bool verifyEach = verify();
  /// Check every memory access of kernels at run time: an out-of-bounds access
  /// makes the run throw IndexError.
  bool checkBounds = check();
  /// Compare what each kernel computes before and after it is scheduled
  /// (tg-verify-schedules). A kernel that differs is an error, and is written
  /// to a file that the message names: REPRODUCER, or a new temporary file.
  bool verifySchedules = verifySteps();
  /// Kernels compute with zeros in place of subnormal numbers.
  bool flushSubnormals = flush();
  /// A kernel whose schedule is not valid, or of which no code can be made,
  /// gets a simpler one, down to a schedule without steps. That is a fault of
  /// the compiler: a remark, a line at DEBUG >= 1, and counted in
  /// GlobalCounters::schedulesRefused. If false, or if no schedule helps,
  /// CompileError is thrown, as it is for a given list of steps.
  bool fallBack = mayFallBack();
  /// Kernels may take memory from the heap, see tg::CompileFlags.
  bool mayAllocate = true;
  /// Where the code of kernels is kept.
  CachePolicy cache = {};
  /// The target to compile for, instead of the device's. Kernels for another
  /// processor cannot be run.
  const mlir::tg::Target *target = nullptr;
  /// Called with each kernel before it is scheduled, if set. May give it a list
  /// of steps (`schedule`), which then takes the place of the heuristics.
  std::function<void(mlir::tg::KernelOp)> prepareKernel;
  /// The host's own passes between levels, if set: called with the module after
  /// it was scheduled (it is at level 2) and after its kernels were (level 3).
  /// A level that a module comes at has no call. The module is verified
  /// afterwards, and has to be at the same level. A failure is an error, with
  /// the diagnostics that were emitted. A kernel that `afterOptimize` changes
  /// has no simpler schedule to fall back to.
  std::function<llvm::LogicalResult(mlir::ModuleOp)> afterSchedule;
  std::function<llvm::LogicalResult(mlir::ModuleOp)> afterOptimize;

private:
  static bool noOpt();
  static bool verify();
  static bool check();
  static bool verifySteps();
  static bool flush();
  static bool mayFallBack();
};

/// The element type of the dialect that corresponds to a dtype, and back;
/// throws DTypeError for types that have no counterpart.
mlir::Type getElementType(mlir::MLIRContext *context, DType dtype);
DType getDType(mlir::Type elementType);

/// Registers and loads what compile() needs in a context: dialects and
/// translations.
void prepareContext(mlir::MLIRContext &context);

/// The target of kernels for a device. Throws DeviceError if there is no code
/// generator for it.
const mlir::tg::Target &getTarget(Device &device,
                                  const CompileOptions &options = {});

/// The pass options for a device.
mlir::tg::PipelineOptions getPipelineOptions(Device &device,
                                             const CompileOptions &options);

/// Level 1 to level 2 and level 2 to level 3, in place, for the target, which
/// is attached to the module. Throw CompileError with located diagnostics; a
/// module of another level is an error, see mlir::tg::requireLevel().
void schedule(mlir::ModuleOp module, Device &device,
              const CompileOptions &options = {});
void optimize(mlir::ModuleOp module, Device &device,
              const CompileOptions &options = {});

/// Level 2 or 3 to the code of all kernels, in the form that
/// `Device::loadProgram` takes. The module is left at level 3. One that is at
/// level 3 keeps its schedules: they have to be for the same target, and
/// `options.prepareKernel` is not called. \p texts are those of
/// Target::compile(). Throws CompileError.
std::vector<char> generateCode(mlir::ModuleOp module, Device &device,
                               const CompileOptions &options = {},
                               mlir::tg::StageTexts *texts = nullptr);

/// Makes the code of scheduled kernels. Returns failure, with diagnostics, if
/// there is none.
using CodeGenerator = llvm::function_ref<mlir::FailureOr<std::vector<char>>(
    llvm::ArrayRef<mlir::tg::KernelOp>)>;

/// The same, where \p generate makes the code of all kernels.
std::vector<char> generateCode(mlir::ModuleOp module, Device &device,
                               const CompileOptions &options,
                               CodeGenerator generate);

/// Whether a launch of the kernel is worth several threads, for the largest
/// values of its variables. As the runtime decides on CPUs.
bool isWorthThreads(mlir::tg::KernelOp kernel,
                    const mlir::tg::TargetFacts &target);

/// Compiles `options.entry`, a tensor graph (level 1) or a host program (2 or
/// 3), of a module for the device, and modifies the module. Does what is still
/// to be done: kernels that are scheduled keep their schedules, which have to
/// be for the same target. Throws CompileError (with located diagnostics about
/// everything invalid, unsupported or of level 4) or DeviceError. The context
/// must be prepared.
std::shared_ptr<CompiledProgram> compile(mlir::ModuleOp module, Device &device,
                                         const CompileOptions &options = {});

/// Compiles `options.entry` of a level-1 module, which is modified, to plain
/// data that a process without the compiler can run: Artifact::link(). No
/// device is needed: \p target is what Target/All/AllTargets.h finds by a name
/// such as "cpu", "cpu:x86-64-v3", "cpu:aarch64:neoverse-v1" or "cuda:sm_90",
/// and `options.target` has no effect. Nothing is kept in caches. Throws
/// CompileError, also for an unknown target and for "sim": simulated kernels
/// are not kept.
Artifact compileToArtifact(mlir::ModuleOp module,
                           const mlir::tg::Target &target,
                           const CompileOptions &options = {});
Artifact compileToArtifact(mlir::ModuleOp module, llvm::StringRef target,
                           const CompileOptions &options = {});

} // namespace tinygrad

#endif // TINYGRAD_COMPILER_COMPILER_H
