//===- Pipelines.cpp - the order of the passes ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds and registers the pipelines from tensor graphs to scheduled kernels.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/Transforms/RewriteVerifier.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// Functions and kernels have a single block, so region simplification has
/// nothing to do.
static std::unique_ptr<Pass>
createCanonicalizer(const tg::PipelineOptions &options) {
  static tg::RewriteVerifier verifier;
  GreedyRewriteConfig config;
  if (options.verifyRewrites)
    config.setListener(&verifier);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return createCanonicalizerPass(config);
}

void tg::buildSchedulePipeline(OpPassManager &pm,
                               const PipelineOptions &options) {
  pm.addPass(createTgRequireLevel({ModuleLevel::TensorGraph}));
  pm.addNestedPass<func::FuncOp>(createTgResolveAssigns());
  // Some rules match operands that are the same value.
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createCanonicalizer(options));
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createTgJoinSums());
  pm.addNestedPass<func::FuncOp>(createTgMergeReduces());
  pm.addNestedPass<func::FuncOp>(createTgScatterSums());
  pm.addNestedPass<func::FuncOp>(createTgPackWeights());
  pm.addNestedPass<func::FuncOp>(createTgSplitReduce());
  TgScheduleOptions schedule;
  schedule.device = options.device;
  pm.addPass(createTgSchedule(schedule));
  // Fuse while launches still use whole buffers.
  pm.addPass(createTgFuseKernels());
  pm.addPass(createTgStageCopies());
  pm.addPass(createTgNarrowBuffers());
  // Merge equal kernels early, so that later passes see each only once.
  pm.addPass(createTgDedupKernels());
  // No launch gets smaller buffers later.
  pm.addPass(createTgSizeBuffers());
  OpPassManager &kernel = pm.nest<KernelOp>();
  // Collapsing reduces matches comparisons in their simplest form.
  kernel.addPass(createTgSimplifyIndex());
  kernel.addPass(createTgCollapseReduce());
  kernel.addPass(createTgUnmaskFactors());
  kernel.addPass(createCanonicalizer(options));
  kernel.addPass(createCSEPass());
  // Share kernels only after constants have been folded.
  pm.addPass(createTgShareKernels());
  pm.addPass(createTgForwardCopies());
  pm.addPass(createTgOrderLaunches());
  pm.addNestedPass<func::FuncOp>(createTgPlanMemory());
}

void tg::buildOptimizePipeline(OpPassManager &pm,
                               const PipelineOptions &options) {
  pm.addPass(createTgRequireLevel({ModuleLevel::Kernels}));
  pm.addPass(createTgAlignBuffers());
  OpPassManager &kernel = pm.nest<KernelOp>();
  TgOptimizeKernelsOptions optimize;
  optimize.noOpt = options.noOpt;
  optimize.checkSteps = options.verifyRewrites;
  optimize.firstSchedule = options.firstSchedule;
  optimize.fallBack = options.fallBack;
  kernel.addPass(createTgOptimizeKernels(optimize, options.observer));
  kernel.addPass(createTgExpandComposed());
  kernel.addPass(createTgSimplifyIndex());
  kernel.addPass(createCanonicalizer(options));
  kernel.addPass(createCSEPass());
}

namespace {

/// PipelineOptions as options of a textual pipeline.
struct TextualOptions : PassPipelineOptions<TextualOptions> {
  tg::PipelineOptions defaults;
  // Options refer to their texts.
  const std::string deviceText = "Device of arguments that name none "
                                 "(default: \"" +
                                 defaults.device + "\")";
  const std::string noOptText =
      describe("Skip schedule optimization", defaults.noOpt);
  const std::string verifyRewritesText =
      describe("Verify after every rewrite pattern, and check lists of "
               "schedule steps; a schedule that is not valid is an error",
               defaults.verifyRewrites);
  Option<std::string> device{*this, "device", llvm::cl::desc(deviceText),
                             llvm::cl::init(defaults.device)};
  Option<bool> noOpt{*this, "no-opt", llvm::cl::desc(noOptText),
                     llvm::cl::init(defaults.noOpt)};
  Option<bool> verifyRewrites{*this, "verify-rewrites",
                              llvm::cl::desc(verifyRewritesText),
                              llvm::cl::init(defaults.verifyRewrites)};

  static std::string describe(StringRef text, bool isDefault) {
    return (text + " (default: " + (isDefault ? "true" : "false") + ")").str();
  }

  tg::PipelineOptions get() const {
    tg::PipelineOptions options = defaults;
    options.device = device;
    options.noOpt = noOpt;
    options.verifyRewrites = verifyRewrites;
    options.fallBack = !verifyRewrites;
    return options;
  }
};

} // namespace

void tg::registerTgPipelines() {
  PassPipelineRegistration<TextualOptions>(
      "tg-schedule-pipeline", "From a tensor graph (level 1) to kernels (2)",
      [](OpPassManager &pm, const TextualOptions &options) {
        buildSchedulePipeline(pm, options.get());
      });
  PassPipelineRegistration<TextualOptions>(
      "tg-optimize-pipeline", "From kernels (level 2) to scheduled ones (3)",
      [](OpPassManager &pm, const TextualOptions &options) {
        buildOptimizePipeline(pm, options.get());
      });
}
