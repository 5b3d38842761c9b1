//===- Linearize.cpp - tangents of functions ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-linearize pass.
///
//===----------------------------------------------------------------------===//

#include "DifferentiatedFunction.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Transforms/Differentiate.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGLINEARIZE
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

namespace {
struct Linearize : tg::impl::TgLinearizeBase<Linearize> {
  using TgLinearizeBase::TgLinearizeBase;

  void runOnOperation() override {
    FailureOr<DifferentiatedFunction> function = DifferentiatedFunction::find(
        getOperation(), entry, result, wrt, of, /*onlyFirst=*/false);
    if (failed(function))
      return signalPassFailure();
    Operation *end = function->getReturn();
    OpBuilder builder(end);
    const SmallVector<Value> arguments = function->getWrt(),
                             outputs = function->getOf();
    SmallVector<Value> tangents;
    for (Value argument : arguments)
      tangents.push_back(function->addArgument(argument));
    FailureOr<SmallVector<Value>> computed =
        linearize(builder, outputs, arguments, tangents);
    if (failed(computed))
      return signalPassFailure();
    SmallVector<Value> results(end->getOperands());
    for (auto [tangent, output] : llvm::zip_equal(*computed, outputs))
      results.push_back(tangent ? tangent
                                : createZeroGradient(builder, output));
    function->setResults(results);
  }
};
} // namespace
