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

#include "TinyGrad/Dialect/Tg/IR/TgBufferPart.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGFORWARDCOPIES
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Memory that is written from its first part on lives longer than if the parts
/// were copied to it at the end. At least one half of it has to be parts that
/// need no memory of their own any more.
constexpr int64_t kPartsOfHalf = 2;

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
/// What an operation of the host program does to a part of a buffer.
struct Access {
  Operation *op;
  BufferPart part;
  bool isWrite;
};

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
  void collect(Block &block);
  bool isForwardable(ForwardedCopy copy);
  void forward(ForwardedCopy copy);
  void runOnFunction(func::FuncOp func);

  DenseMap<Attribute, KernelOp> kernels;
  /// Kernels of copies that were removed.
  DenseSet<Attribute> forwarded;
  /// By the memory that they belong to, in order.
  DenseMap<Value, SmallVector<Access>> accesses;
};
} // namespace

void TgForwardCopiesPass::collect(Block &block) {
  accesses.clear();
  for (Operation &op : block) {
    if (isa<SubbufferOp>(op))
      continue;
    auto launch = dyn_cast<LaunchOp>(op);
    const auto outputs =
        launch
            ? static_cast<size_t>(
                  kernels.lookup(launch.getKernelAttr().getAttr()).getOutputs())
            : 0;
    for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      const BufferPart part = getBufferPart(operand);
      // Copies between devices and sorting count as writes of all operands.
      accesses[part.root].push_back(
          {&op, part,
           launch ? i < outputs : !op.hasTrait<OpTrait::IsTerminator>()});
    }
  }
}

/// Whether nothing reads or writes these bytes of the target before the copy,
/// and nothing writes them or the source after it.
bool TgForwardCopiesPass::isForwardable(ForwardedCopy copy) {
  Operation *at = copy.launch;
  BufferPart bytes{copy.target, std::pair(copy.begin, copy.end)};
  for (const Access &access : accesses.lookup(copy.target)) {
    if (access.op == at || !access.part.mayOverlap(bytes))
      continue;
    if (access.isWrite || access.op->isBeforeInBlock(at))
      return false;
  }
  return llvm::all_of(accesses.lookup(copy.source), [&](const Access &access) {
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
  SmallVector<Access> moved;
  for (const Access &access : accesses.lookup(source)) {
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
  SmallVector<Access> &known = accesses[target];
  llvm::erase_if(known, [&](const Access &access) {
    return access.op == copy.launch.getOperation();
  });
  llvm::append_range(known, moved);
  source.replaceAllUsesWith(part);
  source.erase();
  auto view = copy.launch.getBuffers()[0].getDefiningOp<SubbufferOp>();
  forwarded.insert(copy.launch.getKernelAttr().getAttr());
  copy.launch.erase();
  if (view && view->use_empty())
    view.erase();
  ++numForwarded;
}

void TgForwardCopiesPass::runOnFunction(func::FuncOp func) {
  if (func.isExternal() || !func.getBody().hasOneBlock())
    return;
  Block &block = func.getBody().front();
  collect(block);
  llvm::MapVector<Operation *, SmallVector<ForwardedCopy>> copiesTo;
  DenseSet<Operation *> sources;
  for (auto launch : block.getOps<LaunchOp>()) {
    KernelOp kernel = kernels.lookup(launch.getKernelAttr().getAttr());
    if (!isCopy(kernel))
      continue;
    const BufferPart to = getBufferPart(launch.getBuffers()[0]);
    ForwardedCopy copy{launch, launch.getBuffers()[1].getDefiningOp<AllocOp>(),
                       to.root.getDefiningOp<AllocOp>(), 0, 0};
    if (!copy.source || !copy.target || copy.source == copy.target ||
        !to.bytes || !getBufferPart(copy.source).bytes ||
        !getBufferPart(copy.target).bytes)
      continue;
    std::tie(copy.begin, copy.end) = *to.bytes;
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
    if (bytes * kPartsOfHalf < getBufferBytes(cast<AllocOp>(target).getType()))
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
  kernels.clear();
  forwarded.clear();
  for (auto kernel : getOperation().getOps<KernelOp>())
    kernels[kernel.getSymNameAttr()] = kernel;
  for (auto func : getOperation().getOps<func::FuncOp>())
    runOnFunction(func);
  // Kernels that nothing launches any more.
  getOperation().walk([&](LaunchOp launch) {
    forwarded.erase(launch.getKernelAttr().getAttr());
  });
  for (Attribute name : forwarded)
    kernels.lookup(name).erase();
}
