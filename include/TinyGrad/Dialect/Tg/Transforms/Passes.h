//===- Passes.h - passes inside the tg dialect ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the passes that stay inside the dialect, and their pipeline.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_TRANSFORMS_PASSES_H
#define TINYGRAD_DIALECT_TG_TRANSFORMS_PASSES_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::tg {

#define GEN_PASS_DECL
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"

/// Learns what tg-optimize-kernels does with the kernels that it chooses a
/// schedule for. Called from several threads at once, for different kernels.
class ScheduleObserver {
public:
  virtual ~ScheduleObserver();
  /// The kernel has its schedule; \p original is what it was before. If no code
  /// can be made of it, the pass makes something simpler of the original with
  /// \p next as its option `first-schedule`. Not called for kernels that have
  /// no steps, of which there is nothing simpler.
  virtual void scheduled(KernelOp kernel, OwningOpRef<KernelOp> original,
                         unsigned next) = 0;
  /// A schedule of the kernel was not valid, and the next one is tried.
  virtual void refused(KernelOp kernel, StringRef reason) = 0;
};

/// The pass tg-optimize-kernels, with an observer that outlives it, or null.
std::unique_ptr<Pass>
createTgOptimizeKernels(const TgOptimizeKernelsOptions &options,
                        ScheduleObserver *observer);

/// How the pipelines below compile.
struct PipelineOptions {
  /// Device of arguments without a device of their own.
  std::string device = "CPU";
  /// Skip schedule optimization (NOOPT).
  bool noOpt = false;
  /// Verify after every rewrite pattern (SPEC).
  bool verifyRewrites = false;
  /// Kernels whose schedule is not valid get a simpler one (FALLBACK).
  bool fallBack = true;
  /// The first one of the schedules to try.
  unsigned firstSchedule = 0;
  /// Learns about the schedules; may be null.
  ScheduleObserver *observer = nullptr;
};

/// Level 1 to level 2: canonicalization, scheduling, memory plan. A module of
/// another level is an error, see requireLevel().
void buildSchedulePipeline(OpPassManager &pm, const PipelineOptions &options);

/// Level 2 to level 3: schedules of the kernels. A module of another level is
/// an error, see requireLevel(); kernels that have a schedule beside others
/// that have none keep it.
void buildOptimizePipeline(OpPassManager &pm, const PipelineOptions &options);

/// Registers both for textual pipelines, as tg-schedule-pipeline and
/// tg-optimize-pipeline, once per process.
void registerTgPipelines();

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_PASSES_H
