//===- ForwardCopies.cpp - results written where they are copied to -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-forward-copies pass.
///
//===----------------------------------------------------------------------===//

#include "HostAccess.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGFORWARDCOPIES
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Whether the kernel stores elements of its second argument at the same
/// positions of the first one, and does nothing else.
static bool isCopy(KernelOp kernel) {
  if (kernel.getOutputs() != 1 || kernel.getInPlace() ||
      kernel.getArgumentTypes().size() != 2 ||
      kernel.getArgumentTypes()[0] != kernel.getArgumentTypes()[1])
    return false;
  Block &body = kernel.getBody().front();
  StoreOp store;
  for (StoreOp op : body.getOps<StoreOp>()) {
    if (store)
      return false;
    store = op;
  }
  if (!store || store.getMask() || store.getUpdate())
    return false;
  auto load = store.getValue().getDefiningOp<LoadOp>();
  return load && !load.getMask() && load.getBuffer() == body.getArgument(1) &&
         store.getBuffer() == body.getArgument(0) &&
         load.getIndex() == store.getIndex();
}

namespace {
/// A copy of a whole buffer to a part of another one.
struct ForwardedCopy {
  LaunchOp launch;
  AllocOp source, target;
  int64_t begin, end; ///< the bytes of the target
};

struct TgForwardCopiesPass
    : public tg::impl::TgForwardCopiesBase<TgForwardCopiesPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  bool isForwardable(ForwardedCopy copy);
  void forward(ForwardedCopy copy);
  void runOnFunction(func::FuncOp func);

  KernelOp getKernel(LaunchOp launch) {
    return symbols->lookup<KernelOp>(launch.getKernel());
  }

  std::optional<SymbolTable> symbols;
  /// Kernels of copies that were removed.
  DenseSet<Operation *> forwarded;
  /// By the memory that they belong to, in order.
  DenseMap<Value, SmallVector<HostAccess>> accesses;
};
} // namespace

/// Whether nothing reads or writes these bytes of the target before the copy,
/// and nothing writes them or the source after it.
bool TgForwardCopiesPass::isForwardable(ForwardedCopy copy) {
  Operation *at = copy.launch;
  BufferPart bytes{copy.target, std::pair(copy.begin, copy.end)};
  for (const HostAccess &access : accesses.lookup(copy.target)) {
    if (access.op == at || !access.part.mayOverlap(bytes))
      continue;
    if (access.isWrite || access.op->isBeforeInBlock(at))
      return false;
  }
  return llvm::all_of(
      accesses.lookup(copy.source), [&](const HostAccess &access) {
        return isa<LaunchOp>(access.op) &&
               (!access.isWrite || access.op->isBeforeInBlock(at));
      });
}

void TgForwardCopiesPass::forward(ForwardedCopy copy) {
  AllocOp target = copy.target, source = copy.source;
  if (source->isBeforeInBlock(target))
    target->moveBefore(source);
  OpBuilder builder(source);
  Value part = SubbufferOp::create(builder, source.getLoc(), source.getType(),
                                   target, copy.begin);
  SmallVector<HostAccess> moved;
  for (const HostAccess &access : accesses.lookup(source)) {
    if (access.op == copy.launch)
      continue;
    BufferPart own = access.part;
    own.root = target;
    // Unknown bytes of the source are unknown ones of the target.
    if (own.bytes)
      own.bytes = std::pair(own.bytes->first + copy.begin,
                            own.bytes->second + copy.begin);
    moved.push_back({access.op, own, access.isWrite});
  }
  accesses.erase(source);
  SmallVector<HostAccess> &known = accesses[target];
  llvm::erase_if(known, [&](const HostAccess &access) {
    return access.op == copy.launch.getOperation();
  });
  llvm::append_range(known, moved);
  source.replaceAllUsesWith(part);
  source.erase();
  auto view = copy.launch.getBuffers()[0].getDefiningOp<SubbufferOp>();
  forwarded.insert(getKernel(copy.launch));
  copy.launch.erase();
  if (view && view->use_empty())
    view.erase();
  ++numForwarded;
}

void TgForwardCopiesPass::runOnFunction(func::FuncOp func) {
  if (func.isExternal() || !func.getBody().hasOneBlock())
    return;
  Block &block = func.getBody().front();
  accesses.clear();
  for (Operation &op : block)
    if (!isa<SubbufferOp>(op))
      for (const HostAccess &access : getAccesses(&op, *symbols))
        accesses[access.part.root].push_back(access);
  llvm::MapVector<Operation *, SmallVector<ForwardedCopy>> copiesTo;
  DenseSet<Operation *> sources;
  for (auto launch : block.getOps<LaunchOp>()) {
    if (!isCopy(getKernel(launch)))
      continue;
    const BufferPart to = getBufferPart(launch.getBuffers()[0]);
    ForwardedCopy copy{launch, launch.getBuffers()[1].getDefiningOp<AllocOp>(),
                       to.root.getDefiningOp<AllocOp>(), 0, 0};
    if (!copy.source || !copy.target || copy.source == copy.target ||
        !to.bytes || !getBufferPart(copy.source).bytes ||
        !getBufferPart(copy.target).bytes)
      continue;
    std::tie(copy.begin, copy.end) = *to.bytes;
    // What writes and reads the source relies on all of its memory.
    if (copy.end > getAvailableBytes(copy.target).getMin())
      continue;
    if (copy.begin % kBufferAlignment == 0 &&
        copy.source.getDevice() == copy.target.getDevice() &&
        copy.source.getType().getMemorySpace() ==
            copy.target.getType().getMemorySpace() &&
        isForwardable(copy) && sources.insert(copy.source).second)
      copiesTo[copy.target].push_back(copy);
  }
  DenseSet<Operation *> erased;
  for (auto &[target, copies] : copiesTo) {
    if (erased.contains(target))
      continue;
    int64_t bytes = 0;
    for (const ForwardedCopy &copy : copies)
      bytes += copy.end - copy.begin;
    // Memory that is written from its first part on lives longer than if the
    // parts were copied to it at the end. At least one half of it has to be
    // parts that need no memory of their own any more.
    if (bytes < getBufferBytes(cast<AllocOp>(target).getType()) / 2)
      continue;
    for (ForwardedCopy copy : copies) {
      Operation *source = copy.source;
      // What was forwarded to this target may overlap.
      if (erased.contains(source) || !isForwardable(copy))
        continue;
      forward(copy);
      erased.insert(source);
    }
  }
}

void TgForwardCopiesPass::runOnOperation() {
  symbols.emplace(getOperation());
  forwarded.clear();
  for (auto func : getOperation().getOps<func::FuncOp>())
    runOnFunction(func);
  // Kernels that nothing launches any more.
  getOperation().walk(
      [&](LaunchOp launch) { forwarded.erase(getKernel(launch)); });
  for (Operation *kernel : forwarded)
    symbols->erase(kernel);
}
