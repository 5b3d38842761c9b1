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
#include "TinyGrad/Dialect/Tg/Validate/Passes.h"
#include "TinyGrad/Dialect/Tg/Verify/Passes.h"
#include "TinyGrad/Target/All/Passes.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

void mlir::tg::registerAllDialects(DialectRegistry &registry) {
  registry.insert<TgDialect>();
}

void mlir::tg::registerAllPasses() {
  registerTgPasses();
  registerTgPipelines();
  registerTgValidatePasses();
  registerTgVerifyPasses();
  registerTgConversionPasses();
  registerKernelToLLVMPipeline();
  registerGPUToLLVMPipeline();
  registerTgTargetPasses();
}
