//===- PartitionUpdates.cpp - work items that own elements ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The step `partition`, for updates of elements whose numbers are read from
/// memory. They have an order, so that their positions cannot be work items.
/// Work items can own elements instead: each goes through all positions and
/// updates what it owns, in that order. Results do not depend on the number of
/// owners.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// Work items per unit of `parallelItems` that owners are added up to. Each of
/// them reads the numbers of all elements.
constexpr int64_t kItemsPerUnit = 256;
/// With fewer positions, owners are not worth their own reads.
constexpr int64_t kLeastPositions = 32;
/// Numbers that an owner reads together.
constexpr int64_t kAtOnce = 8;

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

/// The only part of an update's index that is no range; null if there is none
/// or several.
static Value findKeyOf(StoreOp store, IndexAnalysis &analysis) {
  const LinearForm &index = analysis.getLinear(store.getIndex());
  Value key;
  for (auto &[atom, coefficient] : index.terms) {
    if (atom.getDefiningOp<RangeOp>())
      continue;
    if (key || !coefficient.isStatic())
      return Value();
    key = atom;
  }
  return index.saturated || !store.getUpdate() ? Value() : key;
}

Value KernelSchedule::findKey() {
  Value key;
  for (auto store : kernel.getBody().getOps<StoreOp>()) {
    const Value own = findKeyOf(store, analysis);
    if (!own || (key && own != key))
      return Value();
    key = own;
  }
  return key;
}

std::optional<std::string>
KernelSchedule::findObstacleToPartition(int64_t count) {
  const Value key = findKey();
  if (!key)
    return "not all stores are updates of elements that the same value numbers";
  if (ranges.empty())
    return "the kernel has no range";
  if (count > kMaxOwners)
    return "there are at most " + std::to_string(kMaxOwners) + " owners";
  if (!kernel.getBody().getOps<StageOp>().empty() ||
      !kernel.getBody().getOps<RangedScanOp>().empty())
    return "the kernel has a tile or a scan";
  for (Operation *op : getSlice(key))
    for (Value operand : op->getOperands())
      if (operand.getDefiningOp<RangedReduceOp>())
        return "the number of the element is a sum";
  for (Operation &op : kernel.getBody().front())
    if (auto load = dyn_cast<LoadOp>(op); load && readsOutput(load.getResult()))
      return "the kernel combines elements that it overwrites";
  for (RangeOp range : ranges)
    if (range.getKind() != RangeKind::loop)
      return "range " + std::to_string(range.getId()) + " is " +
             stringifyRangeKind(range.getKind()).str() + ", not loop";
  return std::nullopt;
}

RangeOp KernelSchedule::partition(int64_t count) {
  Recording step(*this, StepKind::partition, {}, {}, count);
  const Value key = findKey();
  SmallVector<std::pair<StoreOp, LinearForm>> updates;
  for (auto store : kernel.getBody().getOps<StoreOp>())
    updates.emplace_back(store, analysis.getLinear(store.getIndex()));
  RangeOp owner = createRange(Dim(kernel.getContext(), count), ranges.front());
  // The number comes first, so that it can mask loads of values.
  const auto ofKey = getSlice(key);
  SmallVector<Operation *> inOrder;
  for (Operation &op : kernel.getBody().front())
    if (ofKey.contains(&op) && !isa<RangeOp>(op))
      inOrder.push_back(&op);
  Operation *last = ranges.back();
  for (Operation *op : inOrder) {
    op->moveAfter(last);
    last = op;
  }
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfterValue(key);
  IndexBuilder index(builder, key.getLoc());
  Value residue = index.floorMod(key, count), part = index.floorDiv(key, count);
  Value isOwned = CmpEqOp::create(builder, key.getLoc(), residue, owner);
  auto mask = [&](Operation *op, Value earlier, MutableOperandRange operand) {
    OpBuilder builder(op);
    operand.assign(earlier
                       ? AndOp::create(builder, op->getLoc(), earlier, isOwned)
                       : isOwned);
  };
  for (Operation &op : kernel.getBody().front())
    if (auto load = dyn_cast<LoadOp>(op); load && !ofKey.contains(load))
      mask(load, load.getMask(), load.getMaskMutable());
  for (auto &[store, form] : updates) {
    mask(store, store.getMask(), store.getMaskMutable());
    // The same element, so that the index shows whose it is.
    const int64_t stride = form.getCoefficient(key);
    form.addTerm(key, -stride);
    form.addTerm(part, stride * count);
    form.addTerm(owner, stride);
    builder.setInsertionPoint(store);
    store.getIndexMutable().assign(index.get(form));
  }
  changed();
  return owner;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

void Heuristic::partitionUpdates() {
  const Value key = schedule.findKey();
  if (!key || schedule.getRanges().empty())
    return;
  // How many elements are updated, and by how many items without owners.
  StoreOp store = *schedule.getKernel().getBody().getOps<StoreOp>().begin();
  const LinearForm &index = schedule.getAnalysis().getLinear(store.getIndex());
  const uint64_t stride = llvm::AbsoluteValue(index.getCoefficient(key));
  auto elements = static_cast<double>(
      cast<MemRefType>(store.getBuffer().getType()).getNumElements());
  double items = 1, positions = 1;
  for (RangeOp range : schedule.getResultRanges()) {
    const auto extent = static_cast<double>(range.getLargestExtent());
    if (!admits(range, RangeKind::global)) {
      positions *= extent;
      continue;
    }
    items *= extent;
    if (llvm::AbsoluteValue(index.getCoefficient(range)) > stride)
      elements /= extent;
  }
  elements /= static_cast<double>(stride);
  int64_t owners = 1;
  while (owners < KernelSchedule::kMaxOwners &&
         static_cast<double>(owners) < elements &&
         items * static_cast<double>(owners) <
             static_cast<double>(target.parallelItems * kItemsPerUnit))
    owners *= 2;
  if (owners == 1 || positions < static_cast<double>(kLeastPositions) ||
      schedule.findObstacleToPartition(owners))
    return;
  RangeOp owner = schedule.partition(owners);
  report("owners", owner, owners);
  // Several numbers are read at once.
  RangeOp innermost;
  for (RangeOp range : schedule.getResultRanges())
    if (range.getLargestExtent() > 1 && !admits(range, RangeKind::global))
      innermost = range;
  if (innermost && isMultiple(innermost, kAtOnce)) {
    RangeOp inner = schedule.split(innermost, kAtOnce).second;
    if (admits(inner, RangeKind::unroll))
      schedule.setKind(inner, RangeKind::unroll);
  }
}
