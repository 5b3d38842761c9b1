//===- AttachTarget.cpp - the target of a module --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The tg-attach-target pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Target/All/AllTargets.h"
#include "TinyGrad/Target/All/Passes.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGATTACHTARGET
#include "TinyGrad/Target/All/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;

namespace {
struct TgAttachTargetPass
    : public tg::impl::TgAttachTargetBase<TgAttachTargetPass> {
  using Base::Base;

  void runOnOperation() override {
    std::string error;
    const tg::Target *found = tg::lookupTarget(target, error);
    if (!found) {
      getOperation().emitError() << error;
      return signalPassFailure();
    }
    getOperation()->setAttr(tg::targetAttrName, found->getAttr(&getContext()));
  }
};
} // namespace
