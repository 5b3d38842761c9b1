//===- ExpandComposed.cpp - operations of other dialects in kernels -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-expand-composed pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGEXPANDCOMPOSED
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

namespace {
struct TgExpandComposedPass
    : public tg::impl::TgExpandComposedBase<TgExpandComposedPass> {
  void runOnOperation() override {
    Block &body = getOperation().getBody().front();
    for (auto it = body.begin(); it != body.end();) {
      auto composed = dyn_cast<ComposedOpInterface>(*it);
      if (!composed) {
        ++it;
        continue;
      }
      OpBuilder builder(composed);
      Operation *before = composed->getPrevNode();
      Value result = composed.compose(builder, composed->getOperands());
      if (Type type = composed->getResult(0).getType();
          !result || result.getType() != type) {
        InFlightDiagnostic error = composed->emitOpError("of type ") << type;
        if (result)
          error << " is composed as a value of type " << result.getType();
        else
          error << " is composed as no value";
        return signalPassFailure();
      }
      composed->getResult(0).replaceAllUsesWith(result);
      composed.erase();
      // The new operations may be composed as well.
      it = before ? std::next(before->getIterator()) : body.begin();
    }
  }
};
} // namespace
