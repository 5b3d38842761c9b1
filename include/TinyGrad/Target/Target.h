//===- Target.h - code generators -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface between the compiler and its code generators. The compiler,
/// the tools and the tests use a Target for everything that differs between
/// processors, and mention no particular one. A code generator is a folder of
/// lib/Target and a line in its CMakeLists.txt.
///
/// Targets are found by name (All/AllTargets.h): the kind, optionally followed
/// by a colon and an option for its code generator: "cpu", "cpu:x86-64-v3",
/// "null".
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_TARGET_H
#define TINYGRAD_TARGET_TARGET_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"

#include "llvm/ADT/StringMap.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;

namespace tg {

/// Options of a compilation that are independent of the target.
struct CompileFlags {
  /// Verify the IR after every step.
  bool verifyEach = false;
  /// Check every memory access of kernels at run time.
  bool checkBounds = false;
  /// Compute with zeros in place of subnormal numbers: on CPUs those of f32 and
  /// f64, on GPUs those of f32.
  bool flushSubnormals = false;
  /// Kernels for CPUs may take memory from the heap for tiles that are too
  /// large for the stack. Otherwise such a kernel is an error.
  bool mayAllocate = true;
  /// The file to which a failing pass writes its input and the pipeline, for
  /// `tg-opt --run-reproducer`; empty: none.
  std::string reproducer;
};

/// How a kernel is launched. It follows from the scheduled kernel alone, since
/// the code may come from a cache. Sizes are over the kernel's variables.
struct LaunchShape {
  /// Work items that may run in parallel, for targets that distribute them over
  /// threads.
  Dim parallelExtent;
  /// For targets with groups: groups in each direction, work items of a group,
  /// and the bytes of memory that they share and the launch has to provide,
  /// beyond what the code declares; null `Dim`s are 1, and no bytes.
  std::array<Dim, 3> groups;
  std::array<uint32_t, 3> groupSize{1, 1, 1};
  Dim sharedBytes;
};

/// An intermediate form of kernels on the way to code.
struct CompileStage {
  /// As in `tg-compile --emit=NAME`.
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  /// The least verbosity (DEBUG) at which it is printed.
  int debugLevel;
};

/// Texts of stages, by name: a compilation fills in the entries that exist.
using StageTexts = llvm::StringMap<std::string>;

/// A code generator for one kind of processor. Objects live as long as the
/// process; all methods may be called from several threads at once, for
/// different contexts.
class Target {
public:
  virtual ~Target();

  /// The name by which lookupTarget finds it.
  const std::string &getName() const { return name; }

  /// Everything that the code depends on except the text of the kernel, as a
  /// part of cache keys.
  virtual std::string getCacheKey(const CompileFlags &flags) const = 0;

  /// The facts that schedules depend on.
  virtual TargetFacts getFacts() const = 0;
  /// The facts as an attribute for a module.
  TargetAttr getAttr(MLIRContext *context) const {
    return TargetAttr::get(context, name, getFacts());
  }

  /// Registers the dialects that compile() uses, and their translations.
  virtual void registerDialects(DialectRegistry &registry) const = 0;

  /// Level 2 to level 3. The default is buildOptimizePipeline.
  virtual void buildOptimizePipeline(OpPassManager &pm,
                                     const PipelineOptions &options) const;

  /// How a scheduled kernel is launched.
  virtual LaunchShape getLaunch(KernelOp kernel) const = 0;

  /// The stages of compile(), in order.
  virtual llvm::ArrayRef<CompileStage> getStages() const = 0;

  /// Generates code for scheduled kernels of one context with distinct names,
  /// in the form that `Device::loadProgram` takes. Does not modify the kernels.
  /// Emits errors at the operations that cannot be compiled. `texts` may be
  /// null.
  virtual FailureOr<std::vector<char>>
  compile(ArrayRef<KernelOp> kernels, const CompileFlags &flags,
          StageTexts *texts = nullptr) const = 0;

protected:
  explicit Target(std::string name) : name(std::move(name)) {}

  /// The groups and work items of a scheduled kernel, and the bytes of memory
  /// that a group shares. Only `parallelExtent` is set if the kernel has no
  /// layout, which compile() reports.
  static LaunchShape getGroupLaunch(KernelOp kernel, const TargetFacts &facts);
  /// The product of the extents of the kernel's `thread` and `global` ranges.
  static Dim getParallelExtent(KernelOp kernel);

private:
  std::string name;
};

} // namespace tg
} // namespace mlir

#endif // TINYGRAD_TARGET_TARGET_H
