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
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::tg {

#define GEN_PASS_DECL
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"

/// How the pipelines below compile.
struct PipelineOptions {
  /// Device of arguments without a device of their own.
  std::string device = "CPU";
  /// Skip schedule optimization (NOOPT).
  bool noOpt = false;
  /// Verify after every rewrite pattern (SPEC).
  bool verifyRewrites = false;
};

/// Level 1 to level 2: canonicalization, scheduling, memory plan.
void buildSchedulePipeline(OpPassManager &pm, const PipelineOptions &options);

/// Level 2 to level 3: schedules of the kernels.
void buildOptimizePipeline(OpPassManager &pm, const PipelineOptions &options);

/// Registers both for textual pipelines, as tg-schedule-pipeline and
/// tg-optimize-pipeline, once per process.
void registerTgPipelines();

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_PASSES_H
