//===- ItemPasses.cpp - loops around the work items of a thread -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds ranges whose loop may run around the work items of a thread.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/ItemPasses.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::tg;

/// Whether \p range is a loop that may run around work items, as far as it is
/// known without what is in it.
static bool isPass(RangeOp range) {
  return range.getKind() == RangeKind::loop && !range.isSymbolic() &&
         range.getLargestExtent() > 1 && range.getPeelDim().is(0);
}

/// Whether elements of \p type are as exact in memory as in a register.
static bool isExactInMemory(Type type) {
  return isa<IntegerType, Float32Type, Float64Type>(type) && !type.isInteger(1);
}

static bool readsOutputs(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<LoadOp>(), [&](LoadOp load) {
    auto argument = dyn_cast<BlockArgument>(load.getBuffer());
    return argument &&
           argument.getArgNumber() < static_cast<uint64_t>(kernel.getOutputs());
  });
}

/// Whether \p update adds to its elements once for each position of ranges that
/// are loops, among them \p range, and of no others.
static bool isRepeatedAlong(StoreOp update, RangeOp range,
                            IndexAnalysis &analysis) {
  // A copy: asking for the ranges of one value may move those of others.
  const SmallVector<Value> ofIndex(analysis.getRanges(update.getIndex()));
  auto isRepeated = [&](Value value) {
    auto other = value.getDefiningOp<RangeOp>();
    return !llvm::is_contained(ofIndex, value) &&
           (other.isSymbolic() || other.getLargestExtent() != 1);
  };
  auto mayRepeat = [&](Value value) {
    return !isRepeated(value) || isPass(value.getDefiningOp<RangeOp>());
  };
  if (update.getMask() &&
      llvm::any_of(analysis.getRanges(update.getMask()), isRepeated))
    return false;
  if (!llvm::all_of(analysis.getRanges(update.getValue()), mayRepeat) ||
      !llvm::all_of(update.getRanges(), mayRepeat))
    return false;
  return llvm::is_contained(update.getRanges(), range.getResult()) &&
         !llvm::is_contained(ofIndex, range.getResult());
}

bool tg::mayRunAroundItems(RangeOp range, IndexAnalysis &analysis) {
  auto kernel = range->getParentOfType<KernelOp>();
  if (!isPass(range) || readsOutputs(kernel) ||
      !kernel.getBody().getOps<RangedScanOp>().empty())
    return false;
  DenseSet<Value> constants, updated;
  for (auto store : kernel.getBody().getOps<StoreOp>()) {
    if (!store.getUpdate()) {
      if (!store.getValue().getDefiningOp<ConstOp>() ||
          !constants.insert(store.getBuffer()).second)
        return false;
      continue;
    }
    if (!constants.contains(store.getBuffer()) ||
        !updated.insert(store.getBuffer()).second ||
        store.getUpdate() == UpdateKind::set ||
        !isExactInMemory(store.getValue().getType()) ||
        !isRepeatedAlong(store, range, analysis))
      return false;
  }
  return !updated.empty() && updated.size() == constants.size();
}
