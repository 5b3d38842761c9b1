//===- NarrowBuffers.cpp - kernels get the part that they read ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-narrow-buffers pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGNARROWBUFFERS
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// The elements that loads of the buffer can reach, ignoring masks; all of them
/// unless they are known to be a part.
static Interval getReadPart(BlockArgument buffer, IndexAnalysis &analysis) {
  const Interval all{0,
                     cast<MemRefType>(buffer.getType()).getNumElements() - 1};
  Interval part = Interval::getEmpty();
  for (Operation *user : buffer.getUsers()) {
    auto load = dyn_cast<LoadOp>(user);
    if (!load)
      return all;
    // Bounds each range by itself: a range without positions may be removed,
    // and with it what its extent implies for others.
    const LinearForm form = analysis.getLinear(load.getIndex());
    part = part.unite(analysis.getSumOfIntervals(form));
  }
  return !part.isEmpty() && all.contains(part) ? part : all;
}

namespace {
struct TgNarrowBuffersPass
    : public tg::impl::TgNarrowBuffersBase<TgNarrowBuffersPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  void narrow(KernelOp kernel, ArrayRef<LaunchOp> launches);
};
} // namespace

void TgNarrowBuffersPass::narrow(KernelOp kernel, ArrayRef<LaunchOp> launches) {
  Block &body = kernel.getBody().front();
  OpBuilder builder(kernel.getContext());
  IndexAnalysis analysis;
  // Take all bounds before anything changes.
  SmallVector<std::pair<unsigned, Interval>> parts;
  for (BlockArgument buffer : body.getArguments().drop_front(
           static_cast<size_t>(kernel.getOutputs()))) {
    auto type = cast<MemRefType>(buffer.getType());
    if (!type.hasStaticShape() || buffer.use_empty())
      continue;
    Interval part = getReadPart(buffer, analysis);
    if (part.hi - part.lo + 1 < type.getNumElements())
      parts.push_back({buffer.getArgNumber(), part});
  }
  if (parts.empty())
    return;
  for (auto [number, part] : parts) {
    BlockArgument buffer = body.getArgument(number);
    auto old = cast<MemRefType>(buffer.getType());
    MemRefType type =
        getBufferType(old.getElementType(), part.getMax() - part.getMin() + 1,
                      old.getMemorySpace());
    // Rebuild indices even if they do not change, so that kernels that become
    // equal have equal operations.
    for (Operation *user : buffer.getUsers()) {
      auto load = cast<LoadOp>(user);
      LinearForm form = analysis.getLinear(load.getIndex());
      form.addConstant(-part.getMin());
      builder.setInsertionPoint(load);
      IndexBuilder index(builder, load.getLoc());
      load.getIndexMutable().assign(index.get(form));
    }
    buffer.setType(type);
    const int64_t bytes = llvm::divideCeil(old.getElementTypeBitWidth(), 8);
    for (LaunchOp launch : launches) {
      builder.setInsertionPoint(launch);
      OpOperand &operand = launch.getBuffersMutable()[number];
      operand.set(SubbufferOp::create(builder, launch.getLoc(), type,
                                      operand.get(), part.lo * bytes));
    }
    ++numNarrowed;
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  kernel.setFunctionType(
      builder.getFunctionType(body.getArgumentTypes(), TypeRange()));
}

void TgNarrowBuffersPass::runOnOperation() {
  llvm::MapVector<Attribute, SmallVector<LaunchOp, 1>> launches;
  for (auto func : getOperation().getOps<func::FuncOp>())
    func.walk([&](LaunchOp launch) {
      launches[launch.getKernelAttr().getAttr()].push_back(launch);
    });
  for (auto kernel : getOperation().getOps<KernelOp>()) {
    auto it = launches.find(kernel.getSymNameAttr());
    if (it != launches.end())
      narrow(kernel, it->second);
  }
}
