//===- Scan.cpp - scans as accumulators of loops --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A scan is an accumulator that is carried by the loops of the stores that
/// need it. Along lanes, a vector is first scanned in registers, by adding it
/// to itself shifted by 1, 2, 4, ... lanes. The accumulator has the same total
/// in every lane, so that only one operation per vector depends on the previous
/// vector.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelEmission/KernelEmitter.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;

//===----------------------------------------------------------------------===//
// What can be compiled
//===----------------------------------------------------------------------===//

/// The loops of a scan must be the innermost ones around everything that
/// depends on it, so that each position is visited once, in order.
LogicalResult KernelEmitter::checkScans() {
  if (scans.empty())
    return success();
  DenseMap<Value, SmallVector<RangedScanOp, 2>> needed;
  for (Operation &op : kernel.getBody().front()) {
    if (!live.contains(&op))
      continue;
    SmallVector<RangedScanOp, 2> found;
    for (Value operand : op.getOperands())
      for (RangedScanOp scan : needed.lookup(operand))
        if (!llvm::is_contained(found, scan))
          found.push_back(scan);
    for (RangedScanOp scan : found) {
      const RangeSet over = getSet(scan.getRanges()) & loopSet;
      if (auto store = dyn_cast<StoreOp>(op)) {
        const RangeSet others = getStoreSet(store) & loopSet & ~over;
        if (over && (others >> llvm::countr_zero(over)) != 0) {
          InFlightDiagnostic error = op.emitOpError(
              "requires a loop inside the loops of a tg.ranged_scan");
          error.attachNote(scan.getLoc()) << "the scan";
          return error;
        }
      }
      ValueRange closed;
      if (auto reduce = dyn_cast<RangedReduceOp>(op))
        closed = reduce.getRanges();
      else if (auto stage = dyn_cast<StageOp>(op))
        closed = stage.getRanges();
      if (getSet(closed) & getSet(scan.getRanges())) {
        InFlightDiagnostic error =
            op.emitOpError("closes a range of a tg.ranged_scan that it needs, "
                           "which is not supported");
        error.attachNote(scan.getLoc()) << "the scan";
        return error;
      }
    }
    if (auto scan = dyn_cast<RangedScanOp>(op))
      found.push_back(scan);
    if (!found.empty())
      for (Value result : op.getResults())
        needed[result] = found;
  }
  return success();
}

/// Requires that the lanes of an update write different elements.
LogicalResult KernelEmitter::checkUpdates() {
  IndexAnalysis analysis;
  for (auto store : kernel.getBody().getOps<StoreOp>()) {
    const RangeSet set = getStoreSet(store) & upcastSet;
    if (!store.getUpdate() || !set)
      continue;
    Value range = ranges[llvm::countr_zero(set)].op;
    if (analysis.getStep(store.getIndex(), range).value_or(0) == 0)
      return store.emitOpError(
          "updates elements at an unknown distance along "
          "the lanes; several lanes may update one element");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void KernelEmitter::emitStoreLoops(ArrayRef<StoreOp> group, unsigned range,
                                   RangeSet open) {
  Location loc = StoreOp(group.front()).getLoc();
  RangeSet reached = 0;
  for (StoreOp store : group)
    reached |= getStoreSet(store);
  SmallVector<ScanState> states;
  SmallVector<Value> carried;
  for (RangedScanOp scan : scans) {
    const RangeSet set = getDeps(scan.getResult());
    // Skip scans over other ranges, and scans that need a loop that is not
    // open.
    if (!(getSet(scan.getRanges()) & setOf(range)) ||
        (set & loopSet & ~reached))
      continue;
    std::optional<unsigned> lanes = getLaneRange(set);
    forEachPosition(set & unrollSet, [&] {
      const uint64_t key = getKey(scan.getResult());
      Value state = scanStates.lookup({scan.getResult(), key});
      states.push_back({scan, key, !state});
      carried.push_back(
          state
              ? state
              : getScanIdentity(scan, lanes ? ranges[*lanes].extent : 0, loc));
    });
  }
  emitLoops(range, carried, loc, [&](SmallVectorImpl<Value> &values) {
    for (auto [state, value] : llvm::zip_equal(states, values))
      scanStates[{state.op.getResult(), state.key}] = value;
    emitStores(group, open | setOf(range));
    // The scan advances at every position, even where no store needs its value.
    const bool isInnermost = llvm::none_of(states, [&](ScanState &state) {
      return getSet(RangedScanOp(state.op).getRanges()) & loopSet &
             ~(open | setOf(range));
    });
    if (isInnermost)
      for (RangedScanOp scan : scans)
        if (llvm::any_of(states,
                         [&](ScanState &state) { return state.op == scan; }))
          forEachPosition(getDeps(scan.getResult()) & unrollSet,
                          [&] { get(scan.getResult()); });
    for (auto [state, value] : llvm::zip_equal(states, values))
      value = scanStates.lookup({state.op.getResult(), state.key});
  });
  for (auto [state, value] : llvm::zip_equal(states, carried)) {
    Key key(state.op.getResult(), state.key);
    if (state.isNew)
      scanStates.erase(key);
    else
      scanStates[key] = value;
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// log(exp(x) + exp(y)), from the larger operand and the difference.
static Value buildLogAddExp(B &b, Value x, Value y) {
  auto number = [&](double value) {
    return arith::ConstantOp::create(
        b, b.getFloatAttr(getElementTypeOrSelf(x), value));
  };
  auto splat = [&](double value) -> Value {
    Value scalar = number(value);
    if (auto type = dyn_cast<VectorType>(x.getType()))
      return vector::BroadcastOp::create(b, type, scalar);
    return scalar;
  };
  constexpr double log2e = 1.4426950408889634, ln2 = 0.6931471805599453;
  Value larger = buildMax(b, x, y, /*isUnsigned=*/false);
  Value distance = math::AbsFOp::create(b, arith::SubFOp::create(b, x, y));
  Value power = math::Exp2Op::create(
      b, arith::MulFOp::create(b, distance, splat(-log2e)));
  Value log =
      math::Log2Op::create(b, arith::AddFOp::create(b, power, splat(1.0)));
  Value sum = arith::AddFOp::create(b, larger,
                                    arith::MulFOp::create(b, log, splat(ln2)));
  // Equal infinities have a NaN as their difference.
  Value twice = arith::AddFOp::create(b, larger, splat(ln2));
  Value isEqual = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, y);
  return arith::SelectOp::create(b, isEqual, twice, sum);
}

static Value buildScanCombine(B &b, ScanKind kind, Value x, Value y,
                              bool isUnsigned) {
  switch (kind) {
  case ScanKind::add:
    return buildCombine(b, ReduceKind::add, x, y, isUnsigned);
  case ScanKind::mul:
    return buildCombine(b, ReduceKind::mul, x, y, isUnsigned);
  case ScanKind::max:
    return buildCombine(b, ReduceKind::max, x, y, isUnsigned);
  case ScanKind::logaddexp:
    return buildLogAddExp(b, x, y);
  }
  llvm_unreachable("unknown scan");
}

/// Narrow floats accumulate in f32, as in reductions.
Value KernelEmitter::getScanIdentity(RangedScanOp op, int64_t lanes,
                                     Location loc) {
  Type element = op.getType();
  B &b = at(0, loc);
  return arithmetic.buildNumber(
      b,
      tg::getScanIdentity(op.getKind(), isNarrowFloat(element)
                                            ? Type(b.getF32Type())
                                            : element),
      lanes);
}

Value KernelEmitter::createScan(RangedScanOp op, unsigned depth) {
  Location loc = op.getLoc();
  const RangeSet set = getDeps(op.getResult());
  // Only one lane is requested, but the accumulator needs the whole vector.
  if ((set & upcastSet) && !getLaneRange(set)) {
    Range &range = ranges[llvm::countr_zero(set & upcastSet)];
    const int64_t lane = std::exchange(range.position, -1);
    Value all = get(op.getResult());
    range.position = lane;
    B &b = at(depth, loc);
    return vector::ExtractOp::create(b, all, lane);
  }
  std::optional<unsigned> lane = getLaneRange(set);
  const int64_t lanes = lane ? ranges[*lane].extent : 0;
  const bool isAcross = lane && (getSet(op.getRanges()) & setOf(*lane));
  const bool isUnsigned = op.getType().isUnsignedInteger();
  Value value = get(op.getValue());
  Value identity = getScanIdentity(op, lanes, loc);
  Key key(op.getResult(), getKey(op.getResult()));
  Value state = scanStates.lookup(key);
  B &b = at(depth, loc);
  auto combine = [&](Value x, Value y) {
    return buildScanCombine(b, op.getKind(), x, y, isUnsigned);
  };
  if (isNarrowFloat(op.getType()))
    value = arithmetic.buildWiden(b, value, op.getType());
  value = toLanes(b, value, lanes);
  Value total = value;
  if (isAcross) {
    for (int64_t distance = 1; distance < lanes; distance *= 2) {
      SmallVector<int64_t> shifted;
      for (int64_t i = 0; i < lanes; ++i)
        shifted.push_back(i < distance ? lanes : i - distance);
      value = combine(vector::ShuffleOp::create(b, value, identity, shifted),
                      value);
    }
    total = vector::ShuffleOp::create(b, value, value,
                                      SmallVector<int64_t>(lanes, lanes - 1));
  }
  Value result = value;
  if (state) {
    result = combine(state, value);
    scanStates[key] = isAcross ? combine(state, total) : result;
  }
  if (isNarrowFloat(op.getType()))
    result = arithmetic.buildNarrow(b, result, op.getType());
  return result;
}
