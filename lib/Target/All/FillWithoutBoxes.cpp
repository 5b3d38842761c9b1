//===- FillWithoutBoxes.cpp - kernels that copy no boxes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The tg-fill-without-boxes pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/ScheduleSteps.h"
#include "TinyGrad/Target/All/Passes.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGFILLWITHOUTBOXES
#include "TinyGrad/Target/All/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;

namespace {
struct TgFillWithoutBoxesPass
    : public tg::impl::TgFillWithoutBoxesBase<TgFillWithoutBoxesPass> {
  void runOnOperation() override {
    tg::KernelOp kernel = getOperation();
    if (!tg::hasBoxTiles(kernel))
      return;
    OwningOpRef<tg::KernelOp> copy = kernel.clone();
    if (std::optional<std::string> obstacle =
            tg::fillWithoutBoxes(*copy, tg::getTargetFacts(kernel))) {
      kernel.emitError("items cannot fill its tiles: ") << *obstacle;
      return signalPassFailure();
    }
    kernel.getBody().takeBody(copy->getBody());
  }
};
} // namespace
