//===- RequireLevel.cpp - checks the level of a module --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-require-level pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGREQUIRELEVEL
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;

namespace {
struct TgRequireLevelPass
    : public tg::impl::TgRequireLevelBase<TgRequireLevelPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(tg::requireLevel(getOperation(), level)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
