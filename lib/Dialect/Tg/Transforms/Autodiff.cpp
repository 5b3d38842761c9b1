//===- Autodiff.cpp - gradients of functions ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-autodiff pass.
///
//===----------------------------------------------------------------------===//

#include "DifferentiatedFunction.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Transforms/Differentiate.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGAUTODIFF
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// One for a result of one element, else a new argument.
static Value makeSeed(OpBuilder &builder, DifferentiatedFunction &function,
                      Value result) {
  auto type = dyn_cast<RankedTensorType>(result.getType());
  Type element = getElementTypeOrSelf(result);
  if (type && isa<FloatType>(element) && type.hasStaticShape() &&
      type.getNumElements() == 1)
    return ConstOp::create(builder, result.getLoc(), type,
                           getNumberAttr(element, 1.0));
  return function.addArgument(result);
}

namespace {
struct Autodiff : tg::impl::TgAutodiffBase<Autodiff> {
  using TgAutodiffBase::TgAutodiffBase;

  void runOnOperation() override {
    FailureOr<DifferentiatedFunction> function = DifferentiatedFunction::find(
        getOperation(), entry, result, wrt, of, /*onlyFirst=*/true);
    if (failed(function))
      return signalPassFailure();
    Operation *end = function->getReturn();
    OpBuilder builder(end);
    const SmallVector<Value> arguments = function->getWrt(),
                             outputs = function->getOf();
    SmallVector<Value> seeds, results;
    for (Value output : outputs)
      seeds.push_back(makeSeed(builder, *function, output));
    FailureOr<SmallVector<Value>> gradients =
        differentiate(builder, outputs, seeds, arguments);
    if (failed(gradients))
      return signalPassFailure();
    if (!onlyGradients)
      llvm::append_range(results, end->getOperands());
    for (auto [gradient, argument] : llvm::zip_equal(*gradients, arguments))
      results.push_back(gradient ? gradient
                                 : createZeroGradient(builder, argument));
    function->setResults(results);
  }
};
} // namespace
