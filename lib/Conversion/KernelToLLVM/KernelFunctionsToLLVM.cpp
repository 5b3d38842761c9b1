//===- KernelFunctionsToLLVM.cpp - vector code to LLVM's dialect ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the convert-kernel-functions-to-llvm pass, and the pipeline that
/// it is part of.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "TinyGrad/Conversion/MathToPolynomial/MathToPolynomial.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::tg {
#define GEN_PASS_DEF_CONVERTKERNELFUNCTIONSTOLLVM
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

namespace {
struct ConvertKernelFunctionsToLLVMPass
    : tg::impl::ConvertKernelFunctionsToLLVMBase<
          ConvertKernelFunctionsToLLVMPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns),
                                   config)))
      signalPassFailure();
  }
};
} // namespace

void tg::buildKernelToLLVMPipeline(OpPassManager &pm) {
  pm.addPass(createTgRequireFunctions());
  pm.addNestedPass<func::FuncOp>(createTgAnnotateKernelFunctions());
  pm.addPass(createTgExpandMath());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertKernelFunctionsToLLVM());
  pm.addPass(createTgAddKernelInterface());
}

void tg::registerKernelToLLVMPipeline() {
  PassPipelineRegistration<>(
      "tg-kernel-to-llvm-pipeline",
      "From what convert-tg-to-vector makes to LLVM's dialect, with a C "
      "interface",
      buildKernelToLLVMPipeline);
}
