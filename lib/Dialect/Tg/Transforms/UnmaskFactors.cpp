//===- UnmaskFactors.cpp - factors of products that are discarded ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-unmask-factors pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGUNMASKFACTORS
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Whether the elements that a load reads are there at all positions.
static bool isInBounds(LoadOp load, KernelOp kernel, IndexAnalysis &analysis) {
  auto buffer = dyn_cast<BlockArgument>(Value(load.getBuffer()));
  if (!buffer)
    return false;
  const Interval all{0, getLeastElements(kernel, buffer.getArgNumber()) - 1};
  // Bounds each range by itself, whatever else its positions imply.
  const LinearForm form = analysis.getLinear(load.getIndex());
  const Interval read = analysis.getSumOfIntervals(form);
  return !read.isEmpty() && all.contains(read);
}

namespace {
struct TgUnmaskFactorsPass
    : public tg::impl::TgUnmaskFactorsBase<TgUnmaskFactorsPass> {
  using Base::Base;

  void runOnOperation() override {
    IndexAnalysis analysis;
    for (auto reduce : getOperation().getBody().getOps<RangedReduceOp>()) {
      auto where = reduce.getValue().getDefiningOp<WhereOp>();
      auto product = where && where->hasOneUse()
                         ? where.getX().getDefiningOp<MulOp>()
                         : MulOp();
      if (!product || !product->hasOneUse())
        continue;
      const SmallVector<Value> known = getConjuncts(where.getCondition());
      for (Value factor : product->getOperands()) {
        auto load = factor.getDefiningOp<LoadOp>();
        if (!load || !load->hasOneUse() || !load.getMask() ||
            !llvm::all_of(getConjuncts(load.getMask()),
                          [&](Value condition) {
                            return llvm::is_contained(known, condition);
                          }) ||
            !isInBounds(load, getOperation(), analysis))
          continue;
        load.getMaskMutable().clear();
        ++numUnmasked;
      }
    }
  }
};
} // namespace
