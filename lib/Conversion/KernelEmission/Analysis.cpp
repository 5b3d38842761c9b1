//===- Analysis.cpp - what values of a kernel depend on -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Computes what each value depends on, and reports what cannot be compiled.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelEmission/KernelEmitter.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;

static bool isKernelOperation(Operation *op) {
  return isa<RangeOp, RangedReduceOp, RangedScanOp, LoadOp, StoreOp, StageOp,
             BarrierOp, ConstOp, DimOp>(op) ||
         (op->hasTrait<OpTrait::Elementwise>() &&
          !isa<ComposedOpInterface>(op));
}

/// With more, LLVM would take minutes; schedules use a few hundred at most.
static constexpr int64_t kMaxLanes = 4096, kMaxCopies = 1 << 16;

RangeSet KernelEmitter::getSet(ValueRange values) const {
  RangeSet set = 0;
  for (Value value : values)
    if (auto it = rangeIndex.find(value); it != rangeIndex.end())
      set |= setOf(it->second);
  return set;
}

LogicalResult KernelEmitter::checkLanes(Operation *op, RangeSet set) {
  if (llvm::popcount(set & upcastSet) <= 1)
    return success();
  InFlightDiagnostic error =
      op->emitOpError("depends on two upcast ranges; a vector has the lanes of "
                      "one range");
  for (const auto &[i, range] : llvm::enumerate(ranges))
    if (set & upcastSet & setOf(i))
      error.attachNote(range.op.getLoc()) << "upcast range";
  return error;
}

LogicalResult KernelEmitter::checkCopies(RangeSet set) {
  int64_t copies = 1;
  for (RangeSet rest = set & unrollSet; rest; rest &= rest - 1) {
    Range &range = ranges[llvm::countr_zero(rest)];
    if (llvm::MulOverflow(copies, std::max<int64_t>(range.extent, 1), copies) ||
        copies > kMaxCopies)
      return range.op.emitOpError("makes more than ")
             << kMaxCopies << " copies of a value, together with the other "
             << "unrolled ranges that it depends on";
  }
  return success();
}

LogicalResult KernelEmitter::analyzeRange(RangeOp op) {
  if (ranges.size() == 64)
    return op.emitOpError("is the 65th range that the kernel uses; 64 are "
                          "supported");
  const Dim extent(op.getExtent());
  const RangeSet set = setOf(ranges.size());
  Range range;
  range.op = op;
  range.kind = op.getKind();
  range.extent = extent.getMax();
  range.peel = op.getPeelDim();
  if (range.kind == RangeKind::upcast)
    upcastSet |= set;
  else if (range.kind == RangeKind::unroll)
    unrollSet |= set;
  else
    loopSet |= set;
  if (isParallel(range.kind))
    parallelSet |= set;
  if (!(set & loopSet)) {
    if (!extent.isStatic())
      return op.emitOpError("has a symbolic extent; lanes and unrolled "
                            "copies require a number");
    // Lanes make one wide vector.
    if (range.kind == RangeKind::upcast && range.extent > kMaxLanes)
      return op.emitOpError("has ")
             << range.extent << " lanes; a vector has at most " << kMaxLanes;
  }
  rangeIndex[op.getResult()] = ranges.size();
  ranges.push_back(range);
  return success();
}

/// Finds which reductions need which others.
void KernelEmitter::analyzeReduces() {
  if (reduces.size() <= 1)
    return;
  neededReduces.assign(reduces.size(), llvm::BitVector(reduces.size()));
  DenseMap<Value, llvm::BitVector> needs;
  for (Operation &op : kernel.getBody().front()) {
    if (!live.contains(&op))
      continue;
    llvm::BitVector set(reduces.size());
    for (Value operand : op.getOperands())
      if (auto it = needs.find(operand); it != needs.end())
        set |= it->second;
    if (auto it = reduceIndex.find(&op); it != reduceIndex.end()) {
      neededReduces[it->second] = set;
      set.set(it->second);
    }
    if (set.any())
      for (Value result : op.getResults())
        needs[result] = set;
  }
}

LogicalResult KernelEmitter::analyze() {
  Block &body = kernel.getBody().front();
  for (Operation &op : llvm::reverse(body)) {
    bool isLive = isa<StoreOp>(op);
    for (Operation *user : op.getUsers())
      isLive |= live.contains(user);
    if (isLive)
      live.insert(&op);
  }
  for (Operation &op : body) {
    if (isa<ComposedOpInterface>(op))
      return op.emitOpError("is composed of other operations; run "
                            "tg-expand-composed first");
    if (!isKernelOperation(&op))
      return op.emitOpError("is not an operation of scheduled kernels");
    if (failed(checkOperation(&op)))
      return failure();
    for (Value value : op.getResults())
      if (isa<VectorType>(value.getType()))
        return op.emitOpError("has a vector type; inside kernels vectors come "
                              "from upcast ranges");
    if (!live.contains(&op))
      continue;
    RangeSet set = 0;
    for (Value operand : op.getOperands())
      set |= getDeps(operand);
    if (auto range = dyn_cast<RangeOp>(op)) {
      set = setOf(ranges.size());
      if (failed(analyzeRange(range)))
        return failure();
    }
    if (failed(checkLanes(&op, set)) || failed(checkCopies(set)))
      return failure();
    auto close = [&](ValueRange closedRanges) -> LogicalResult {
      RangeSet closed = getSet(closedRanges);
      for (RangeSet rest = closed; rest; rest &= rest - 1)
        if (!mayClose(&op, ranges[llvm::countr_zero(rest)].kind))
          return op.emitOpError(
              "closes a parallel range, which is not supported");
      set &= ~closed;
      return success();
    };
    if (auto reduce = dyn_cast<RangedReduceOp>(op)) {
      if (failed(close(reduce.getRanges())))
        return failure();
      reduceIndex[&op] = reduces.size();
      reduces.push_back(reduce);
    }
    if (auto scan = dyn_cast<RangedScanOp>(op))
      scans.push_back(scan);
    if (auto stage = dyn_cast<StageOp>(op)) {
      if (failed(close(stage.getRanges())))
        return failure();
      if (set & upcastSet)
        return op.emitOpError("has a value that depends on an upcast range "
                              "other than those of the tile; elements of a "
                              "tile are scalars");
    }
    for (Value result : op.getResults())
      deps[result] = set;
  }

  if (failed(checkScans()) || failed(checkUpdates()))
    return failure();

  analyzeReduces();
  return success();
}

Dim KernelEmitter::getParallelExtent() const {
  Dim extent(kernel.getContext(), 1);
  for (const auto &[i, range] : llvm::enumerate(ranges))
    if (parallelSet & setOf(i))
      extent = extent * getExtent(range);
  return extent;
}

uint64_t KernelEmitter::getKey(Value value) const {
  uint64_t key = 0;
  RangeSet set = getDeps(value) & (unrollSet | upcastSet);
  for (; set; set &= set - 1) {
    const Range &range = ranges[llvm::countr_zero(set)];
    key = key * uint64_t(range.extent + 1) + uint64_t(range.position + 1);
  }
  return key;
}

unsigned KernelEmitter::getDepth(Value value) const {
  unsigned depth = 0;
  for (RangeSet set = getDeps(value) & loopSet; set; set &= set - 1)
    depth = std::max(depth, ranges[llvm::countr_zero(set)].depth);
  return depth;
}

std::optional<unsigned> KernelEmitter::getLaneRange(RangeSet set) const {
  set &= upcastSet;
  if (!set)
    return std::nullopt;
  unsigned range = llvm::countr_zero(set);
  if (ranges[range].position >= 0)
    return std::nullopt;
  return range;
}

RangeSet KernelEmitter::getStoreSet(StoreOp store) const {
  RangeSet set = 0;
  for (Value operand : StoreOp(store)->getOperands())
    set |= getDeps(operand);
  return set;
}

SmallVector<StoreOp> KernelEmitter::getStores() {
  SmallVector<StoreOp> stores;
  for (auto store : kernel.getBody().getOps<StoreOp>()) {
    bool isEmpty = false;
    for (RangeSet set = getStoreSet(store); set; set &= set - 1)
      isEmpty |= ranges[llvm::countr_zero(set)].extent == 0;
    if (!isEmpty)
      stores.push_back(store);
  }
  return stores;
}
