//===- InitAll.cpp - registers all of TinyGrad ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the registration of the project's dialects and passes.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/InitAll.h"
#include "TinyGrad/Conversion/Passes.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace {

/// tg::PipelineOptions as options of a textual pipeline.
struct TextualOptions : PassPipelineOptions<TextualOptions> {
  tg::PipelineOptions defaults;
  Option<std::string> device{
      *this, "device", llvm::cl::desc("Device of arguments that name none"),
      llvm::cl::init(defaults.device)};
  Option<int64_t> vectorBytes{
      *this, "vector-bytes",
      llvm::cl::desc("Size of a vector register of the target in bytes"),
      llvm::cl::init(defaults.vectorBytes)};
  Option<bool> noOpt{*this, "no-opt",
                     llvm::cl::desc("Skip schedule optimization"),
                     llvm::cl::init(defaults.noOpt)};
  Option<bool> verifyRewrites{
      *this, "verify-rewrites",
      llvm::cl::desc("Verify after every rewrite pattern"),
      llvm::cl::init(defaults.verifyRewrites)};

  tg::PipelineOptions get() const {
    return {device, vectorBytes, noOpt, verifyRewrites};
  }
};

} // namespace

void mlir::tg::registerAllDialects(DialectRegistry &registry) {
  registry.insert<TgDialect>();
}

void mlir::tg::registerAllPasses() {
  registerTgPasses();
  registerTgConversionPasses();
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
  PassPipelineRegistration<>(
      "tg-kernel-to-llvm-pipeline",
      "From what convert-tg-to-vector makes to LLVM's dialect, with a C "
      "interface",
      buildKernelToLLVMPipeline);
}
