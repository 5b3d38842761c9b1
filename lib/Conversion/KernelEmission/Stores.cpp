//===- Stores.cpp - the order of stores, and positions of tiles -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Emits the loops around stores and around the values of a tile.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelEmission/KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;

/// Emits the stored value for all combinations of unrolled positions.
void KernelEmitter::prefetchValues(StoreOp store) {
  forEachPosition(getStoreSet(store) & unrollSet,
                  [&] { get(store.getValue()); });
}

/// Whether two stores behave differently in one loop than in consecutive loops:
/// an update reads what earlier positions wrote.
static bool dependOnOrder(StoreOp a, StoreOp b) {
  if (!a.getUpdate() && !b.getUpdate())
    return false;
  auto isLoaded = [](StoreOp store) {
    return llvm::any_of(store.getBuffer().getUsers(), llvm::IsaPred<LoadOp>);
  };
  return !a.getUpdate() || !b.getUpdate() || a.getBuffer() == b.getBuffer() ||
         isLoaded(a) || isLoaded(b);
}

/// The buffers that are loaded to compute what is stored, and where.
static DenseSet<Value> findLoaded(StoreOp store) {
  DenseSet<Value> loaded;
  DenseSet<Operation *> seen;
  SmallVector<Operation *> work{store};
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (auto load = dyn_cast<LoadOp>(op))
      loaded.insert(load.getBuffer());
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (seen.insert(producer).second)
          work.push_back(producer);
  }
  return loaded;
}

/// Takes the stores to be emitted next, which share a loop, from the list. In a
/// kernel that works in place, loads of later loops see what these overwrite.
static SmallVector<StoreOp>
takeGroup(SmallVector<StoreOp> &stores, bool inPlace,
          llvm::function_ref<bool(StoreOp, StoreOp)> isSameLoop) {
  // In the order of the kernel, as many as share the loop of the first one.
  auto makeGroup = [&](size_t first, bool skips) {
    SmallVector<StoreOp> group, skipped(ArrayRef(stores).take_front(first));
    for (StoreOp store : ArrayRef(stores).drop_front(first)) {
      auto depends = [&](StoreOp other) { return dependOnOrder(other, store); };
      const bool belongs =
          (skips || skipped.size() == first) &&
          (group.empty() || isSameLoop(group.front(), store)) &&
          llvm::none_of(group, depends) && llvm::none_of(skipped, depends);
      (belongs ? group : skipped).push_back(store);
    }
    return std::pair(group, skipped);
  };
  auto [group, rest] = makeGroup(0, /*skips=*/false);
  if (inPlace) {
    // Loops run one after the other: no later one may load what an earlier one
    // overwrites.
    for (size_t first = 0; first < stores.size(); ++first) {
      auto [candidates, others] = makeGroup(first, /*skips=*/true);
      if (candidates.empty())
        continue;
      const bool overwrites = llvm::any_of(others, [&](StoreOp other) {
        const DenseSet<Value> loaded = findLoaded(other);
        return llvm::any_of(candidates, [&](StoreOp store) {
          return loaded.contains(store.getBuffer());
        });
      });
      if (overwrites)
        continue;
      group = candidates;
      rest = others;
      break;
    }
  }
  stores = rest;
  return group;
}

void KernelEmitter::emitStores(ArrayRef<StoreOp> all, RangeSet open) {
  auto getNext = [&](StoreOp store) -> std::optional<unsigned> {
    RangeSet set = getStoreSet(store) & loopSet & ~open;
    if (!set)
      return std::nullopt;
    return llvm::countr_zero(set);
  };
  SmallVector<StoreOp> stores(all);
  while (!stores.empty()) {
    // Stores that share the next loop are emitted together.
    const SmallVector<StoreOp> group =
        takeGroup(stores, kernel.getInPlace(), [&](StoreOp a, StoreOp b) {
          return getNext(a) == getNext(b);
        });
    if (std::optional<unsigned> next = getNext(group.front())) {
      emitStoreLoops(group, *next, open);
      continue;
    }
    // Load before the first store: the kernel may read what it overwrites.
    if (kernel.getInPlace()) {
      for (StoreOp store : group)
        prefetchValues(store);
      separateLoads(group);
    }
    for (StoreOp store : group)
      forEachPosition(getStoreSet(store) & unrollSet,
                      [&] { emitStore(store); });
  }
}

bool KernelEmitter::findFirstPosition(StoreOp op, Value &condition) {
  for (RangeSet missing = parallelSet & ~getStoreSet(op); missing;
       missing &= missing - 1) {
    const Range &range = ranges[llvm::countr_zero(missing)];
    if ((!range.value && range.lo == 0) ||
        (range.alternatives & getStoreSet(op)))
      continue;
    if (range.lo > 0)
      return false;
    B &b = at(top(), op.getLoc());
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, range.value,
                              buildInt(b, b.getIndexType(), 0));
    condition = condition ? Value(arith::AndIOp::create(b, condition, isFirst))
                          : isFirst;
  }
  return true;
}

void KernelEmitter::emitGuarded(Value condition, Location loc,
                                llvm::function_ref<void()> write) {
  if (!condition)
    return write();
  auto branch = scf::IfOp::create(at(top(), loc), condition,
                                  /*withElseRegion=*/false);
  emitInRegion(branch, branch.thenBlock(), write);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

IndexForm KernelEmitter::getTileIndex(StageOp op) {
  // Row-major in the order of the ranges.
  IndexForm index;
  int64_t stride = 1;
  for (Value range : llvm::reverse(op.getRanges())) {
    index.add(getForm(range), stride);
    stride *= ranges[rangeIndex.lookup(range)].extent;
  }
  return index;
}

int64_t KernelEmitter::getStageLanes(StageOp op) const {
  const RangeSet lanes = getSet(op.getRanges()) & upcastSet;
  return lanes ? ranges[llvm::countr_zero(lanes)].extent : 0;
}

void KernelEmitter::forEachStaged(StageOp op,
                                  llvm::function_ref<void(RangeSet)> write) {
  const RangeSet set = getSet(op.getRanges());
  SmallVector<std::pair<unsigned, int64_t>> saved;
  SmallVector<unsigned> loops;
  for (RangeSet rest = set; rest; rest &= rest - 1) {
    const unsigned index = llvm::countr_zero(rest);
    if (ranges[index].extent == 0)
      return;
    if (loopSet & ~parallelSet & setOf(index))
      loops.push_back(index);
  }
  for (RangeSet rest = set & upcastSet; rest; rest &= rest - 1) {
    const unsigned index = llvm::countr_zero(rest);
    saved.push_back({index, std::exchange(ranges[index].position, -1)});
  }
  SmallVector<Value> none;
  emitLoops(loops, none, op.getLoc(),
            [&](SmallVectorImpl<Value> &) { write(set & unrollSet); });
  for (auto [index, position] : saved)
    ranges[index].position = position;
}
