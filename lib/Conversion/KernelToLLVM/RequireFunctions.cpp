//===- RequireFunctions.cpp - checks the input of the last pipelines ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-require-functions pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGREQUIREFUNCTIONS
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

namespace {
struct TgRequireFunctionsPass
    : tg::impl::TgRequireFunctionsBase<TgRequireFunctionsPass> {
  void runOnOperation() override {
    if (failed(requireLevel(getOperation(), ModuleLevel::Functions)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
