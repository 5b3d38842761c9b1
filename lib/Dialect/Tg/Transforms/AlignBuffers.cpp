//===- AlignBuffers.cpp - the alignment of what kernels access ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-align-buffers pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/Utils/LinearForm.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGALIGNBUFFERS
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Whether the buffer begins at a multiple of `bytes`, if all arguments of the
/// host program do.
static bool isAligned(Value buffer, int64_t bytes) {
  while (auto part = buffer.getDefiningOp<SubbufferOp>()) {
    if (!divideExactly(part.getOffsetDim(), Dim(part.getContext(), bytes)))
      return false;
    buffer = part.getSource();
  }
  return true;
}

namespace {
struct TgAlignBuffersPass
    : public tg::impl::TgAlignBuffersBase<TgAlignBuffersPass> {
  void runOnOperation() override {
    const TargetFacts &target = getTargetFacts(getOperation());
    if (target.groupItems == 0)
      return;
    const int64_t bytes = std::min(target.vectorBytes, kBufferAlignment);
    // By kernel, whether each argument is aligned in the launches so far.
    llvm::MapVector<Operation *, SmallVector<bool>> aligned;
    // Launches in a nested module are of its kernels.
    SymbolTableCollection symbols;
    getOperation().walk([&](LaunchOp launch) {
      auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(
          launch, launch.getKernelAttr());
      SmallVector<bool> &arguments =
          aligned.try_emplace(kernel, launch.getBuffers().size(), true)
              .first->second;
      for (auto [isSo, buffer] :
           llvm::zip_equal(arguments, launch.getBuffers()))
        isSo &= isAligned(buffer, bytes);
    });
    auto attr = IntegerAttr::get(IntegerType::get(&getContext(), 64), bytes);
    for (auto &[op, arguments] : aligned) {
      auto kernel = cast<KernelOp>(op);
      for (auto [i, isSo] : llvm::enumerate(arguments))
        if (isSo)
          kernel.setArgAttr(i, alignmentAttrName, attr);
    }
  }
};
} // namespace
