//===- Scan.cpp - scans as accumulators of loops --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A scan is an accumulator that is carried by the loops of the stores that
/// need it. Along lanes, a vector is first scanned in registers, by adding it
/// to itself shifted by 1, 2, 4, ... lanes. Only one operation per vector
/// depends on the previous vector.
///
/// A row may be long, and its accumulator is added to for every vector or
/// position: rounding errors would grow with the length. So the accumulator of
/// a sum or logaddexp of f32 is an f64 where it is one number, on processors
/// without groups (work items scan short blocks). A vector of accumulators, for
/// lanes along another axis, is f64 only for long rows: a sum in the caches
/// takes up to 1.8 times as long with it. Products stay f32, since their
/// relative errors do not depend on the sizes of factors.
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

/// How many numbers a vector of accumulators of f32, or one of a work item,
/// adds up at most. Those of more are f64.
static constexpr int64_t kMaxNarrowScan = 1 << 10, kMaxNarrowItem = 1 << 14;

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
  B &b = at(0, loc);
  for (RangedScanOp scan : scans) {
    const RangeSet set = getDeps(scan.getResult());
    // Skip scans over other ranges, and scans that need a loop that is not
    // open.
    if (!(getSet(scan.getRanges()) & setOf(range)) ||
        (set & loopSet & ~reached))
      continue;
    const ScanShape shape = getScanShape(scan);
    forEachPosition(set & unrollSet, [&] {
      const uint64_t key = getKey(scan.getResult());
      Value state = scanStates.lookup({scan.getResult(), key});
      states.push_back({scan, key, !state});
      carried.push_back(
          state ? state
                : buildScanIdentity(b, scan, shape.state,
                                    shape.isAcross ? 0 : shape.lanes));
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

/// log(exp(x) + exp(y)), from the larger operand and the difference. The
/// logarithm is at most ln 2, and computed in `element`, which may be narrower
/// than the operands.
static Value buildLogAddExp(B &b, Value x, Value y, Type element) {
  Arithmetic arithmetic;
  Type type = getElementTypeOrSelf(x);
  Value larger = buildMax(b, x, y, /*isUnsigned=*/false);
  Value distance = arithmetic.buildCast(
      b, math::AbsFOp::create(b, arith::SubFOp::create(b, x, y)), type,
      element);
  // Equal infinities have a NaN as their difference: then, and from this bound
  // on, the exponential is 0. A NaN as operand is the larger one.
  Value bound = buildFloat(b, distance.getType(), 1000.0);
  Value isNear =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, distance, bound);
  distance = arith::SelectOp::create(b, isNear, distance, bound);
  Value power = math::Exp2Op::create(
      b,
      arith::MulFOp::create(
          b, distance, buildFloat(b, distance.getType(), -1.4426950408889634)));
  Value log =
      arithmetic.buildCast(b, math::Log1pOp::create(b, power), element, type);
  return arith::AddFOp::create(b, larger, log);
}

static Value buildScanCombine(B &b, ScanKind kind, Value x, Value y,
                              Type element, bool isUnsigned) {
  switch (kind) {
  case ScanKind::add:
    return buildCombine(b, ReduceKind::add, x, y, isUnsigned);
  case ScanKind::mul:
    return buildCombine(b, ReduceKind::mul, x, y, isUnsigned);
  case ScanKind::max:
    return buildCombine(b, ReduceKind::max, x, y, isUnsigned);
  case ScanKind::logaddexp:
    return buildLogAddExp(b, x, y, element);
  }
  llvm_unreachable("unknown scan");
}

KernelEmitter::ScanShape KernelEmitter::getScanShape(RangedScanOp op) {
  ScanShape shape;
  if (std::optional<unsigned> lane = getLaneRange(getDeps(op.getResult()))) {
    shape.lanes = ranges[*lane].extent;
    shape.isAcross = getSet(op.getRanges()) & setOf(*lane);
  }
  // Narrow floats are combined in f32, as in reductions.
  Builder types(op.getContext());
  shape.element =
      isNarrowFloat(op.getType()) ? types.getF32Type() : op.getType();
  shape.state = shape.element;
  const bool isOne = shape.isAcross || shape.lanes == 0;
  const bool isSum =
      op.getKind() == ScanKind::add || op.getKind() == ScanKind::logaddexp;
  int64_t length = 1;
  for (RangeSet rest = getSet(op.getRanges()); rest; rest &= rest - 1)
    length *= ranges[llvm::countr_zero(rest)].extent;
  const bool isLong = target.groupItems == 0 ? isOne || length > kMaxNarrowScan
                                             : length > kMaxNarrowItem;
  if (op.getType().isF32() && isSum && isLong)
    shape.state = types.getF64Type();
  return shape;
}

Value KernelEmitter::buildScanIdentity(B &b, RangedScanOp op, Type element,
                                       int64_t lanes) {
  TypedAttr identity = tg::getScanIdentity(op.getKind(), element);
  // x + -0.0 is x, also for x = -0.0. And a shuffle with zeros takes LLVM two
  // instructions of AVX-512 that expand a vector under a mask, which are slow.
  if (auto floating = dyn_cast<FloatType>(element))
    if (op.getKind() == ScanKind::add)
      identity = FloatAttr::get(floating,
                                APFloat::getZero(floating.getFloatSemantics(),
                                                 /*Negative=*/true));
  return arithmetic.buildNumber(b, identity, lanes);
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
  const ScanShape shape = getScanShape(op);
  const bool isUnsigned = op.getType().isUnsignedInteger();
  Value value = get(op.getValue());
  Key key(op.getResult(), getKey(op.getResult()));
  Value state = scanStates.lookup(key);
  B &b = at(depth, loc);
  auto combine = [&](Value x, Value y) {
    return buildScanCombine(b, op.getKind(), x, y, shape.element, isUnsigned);
  };
  auto convert = [&](Value x, Type from, Type to) {
    return arithmetic.buildCast(b, x, from, to);
  };
  if (isNarrowFloat(op.getType()))
    value = arithmetic.buildWiden(b, value, op.getType());
  value = toLanes(b, value, shape.lanes);
  if (shape.isAcross) {
    Value identity = buildScanIdentity(b, op, shape.element, shape.lanes);
    for (int64_t distance = 1; distance < shape.lanes; distance *= 2) {
      SmallVector<int64_t> shifted;
      for (int64_t i = 0; i < shape.lanes; ++i)
        shifted.push_back(i < distance ? shape.lanes : i - distance);
      value = combine(vector::ShuffleOp::create(b, value, identity, shifted),
                      value);
    }
  }
  Value result = value;
  if (state && shape.isAcross) {
    result = combine(
        toLanes(b, convert(state, shape.state, shape.element), shape.lanes),
        value);
    Value total = vector::ExtractOp::create(b, value, shape.lanes - 1);
    scanStates[key] =
        combine(state, convert(total, shape.element, shape.state));
  } else if (state) {
    state = combine(state, convert(value, shape.element, shape.state));
    scanStates[key] = state;
    result = convert(state, shape.state, shape.element);
  }
  if (isNarrowFloat(op.getType()))
    result = arithmetic.buildNarrow(b, result, op.getType());
  return result;
}
