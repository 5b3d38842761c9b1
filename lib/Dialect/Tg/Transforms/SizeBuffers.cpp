//===- SizeBuffers.cpp - how much memory kernels may rely on --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-size-buffers pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

namespace mlir::tg {
#define GEN_PASS_DEF_TGSIZEBUFFERS
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// How many elements the buffer has whatever the sizes are; as many as its type
/// says if that is not known to be less.
static int64_t getElements(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  const int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return getAvailableBytes(buffer).getMin() / bytes;
}

namespace {
struct TgSizeBuffersPass
    : public tg::impl::TgSizeBuffersBase<TgSizeBuffersPass> {
  void runOnOperation() override {
    // By kernel, the elements of each argument in the launches so far.
    llvm::MapVector<Operation *, SmallVector<int64_t>> elements;
    SymbolTableCollection symbols;
    getOperation().walk([&](LaunchOp launch) {
      auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(
          launch, launch.getKernelAttr());
      SmallVector<int64_t> &arguments =
          elements
              .try_emplace(kernel, launch.getBuffers().size(),
                           std::numeric_limits<int64_t>::max())
              .first->second;
      for (auto [least, buffer] :
           llvm::zip_equal(arguments, launch.getBuffers()))
        if (cast<MemRefType>(buffer.getType()).hasStaticShape())
          least = std::min(least, getElements(buffer));
    });
    const Type i64 = IntegerType::get(&getContext(), 64);
    for (auto &[op, arguments] : elements) {
      auto kernel = cast<KernelOp>(op);
      for (auto [i, least] : llvm::enumerate(arguments)) {
        auto type = cast<MemRefType>(kernel.getArgumentTypes()[i]);
        if (type.hasStaticShape() && least < type.getNumElements())
          kernel.setArgAttr(static_cast<unsigned>(i), leastElementsAttrName,
                            IntegerAttr::get(i64, least));
      }
    }
  }
};
} // namespace
