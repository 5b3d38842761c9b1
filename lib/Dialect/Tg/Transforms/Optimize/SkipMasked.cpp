//===- SkipMasked.cpp - positions that add nothing to a sum ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lets sums of products with a masked factor skip the products that are zero.
///
//===----------------------------------------------------------------------===//

#include "KernelSchedule.h"

using namespace mlir;
using namespace mlir::tg;

/// A branch pays off if a bound skips at least one in this many products, and
/// one in this many of those where a copy of the body must check it.
static constexpr int64_t kMaxProducts = 500, kMaxChecks = 16;
/// Ranges with more positions in all are not examined.
static constexpr int64_t kMaxPositions = 1 << 16;

/// Whether the condition bounds the columns together with a range of the
/// reduction, and skips enough of their positions.
static bool boundsColumns(KernelSchedule &schedule, Value condition,
                          RangedReduceOp reduce, RangeOp columns) {
  auto less = condition.getDefiningOp<CmpLtOp>();
  if (!less || !less.getLhs().getType().isIndex())
    return false;
  LinearForm form = schedule.getAnalysis().getLinear(less.getLhs());
  form.subtract(schedule.getAnalysis().getLinear(less.getRhs()));
  const std::optional<int64_t> constant = form.constant.getStatic();
  RangeOp window;
  for (auto [atom, coefficient] : form.terms) {
    auto range = atom.getDefiningOp<RangeOp>();
    if (range == columns && coefficient.isStatic())
      continue;
    if (!range || !coefficient.isStatic() || window ||
        !llvm::is_contained(reduce.getRanges(), atom))
      return false;
    window = range;
  }
  if (!window || !constant || columns.isSymbolic())
    return false;
  const int64_t count = columns.getLargestExtent(),
                size = window.getLargestExtent(),
                step = form.getCoefficient(columns),
                dilation = form.getCoefficient(window);
  constexpr int64_t largest = int64_t(1) << 40;
  if (count <= 0 || size <= 0 || count > kMaxPositions / size ||
      llvm::any_of(ArrayRef({step, dilation, *constant}), [](int64_t factor) {
        return factor < -largest || factor > largest;
      }))
    return false;
  int64_t outside = 0, checks = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t ofColumn = 0;
    for (int64_t j = 0; j < size; ++j)
      ofColumn += *constant + step * i + dilation * j >= 0;
    outside += ofColumn;
    checks += ofColumn > 0 && ofColumn < size ? size : 0;
  }
  return outside * kMaxProducts >= count * size &&
         outside * kMaxChecks >= checks;
}

/// The only range of the reduction that the condition depends on, if it is a
/// bound of that range, the same for all copies of the body.
static RangeOp findBounded(KernelSchedule &schedule, Value condition,
                           RangedReduceOp reduce) {
  auto less = condition.getDefiningOp<CmpLtOp>();
  if (!less || !less.getLhs().getType().isIndex())
    return RangeOp();
  LinearForm form = schedule.getAnalysis().getLinear(less.getLhs());
  form.subtract(schedule.getAnalysis().getLinear(less.getRhs()));
  if (!form.constant.isStatic())
    return RangeOp();
  RangeOp bounded;
  for (auto [atom, coefficient] : form.terms) {
    auto range = atom.getDefiningOp<RangeOp>();
    if (!range || !coefficient.isStatic() ||
        range.getKind() == RangeKind::unroll)
      return RangeOp();
    if (!llvm::is_contained(reduce.getRanges(), atom))
      continue;
    if (bounded || (!coefficient.is(1) && !coefficient.is(-1)))
      return RangeOp();
    bounded = range;
  }
  return bounded;
}

SmallVector<Value> KernelSchedule::findSkippable(RangedReduceOp reduce,
                                                 LoadOp load,
                                                 ArrayRef<RangeOp> columns,
                                                 RangeOp lanes) {
  auto product = reduce.getValue().getDefiningOp<MulOp>();
  if (!product || !load.getMask() || reduce.getKind() != ReduceKind::add ||
      (product.getLhs() != load.getResult() &&
       product.getRhs() != load.getResult()))
    return {};
  if (isa<FloatType>(reduce.getType())) {
    Value factor = product.getLhs() == load.getResult() ? product.getRhs()
                                                        : product.getLhs();
    auto other = factor.getDefiningOp<LoadOp>();
    if (!other || !dependsOn(other.getIndex(), lanes) ||
        llvm::any_of(reduce.getRanges(), [](Value range) {
          return range.getDefiningOp<RangeOp>().isSymbolic();
        }))
      return {};
  }
  RangeOp bounded;
  SmallVector<Value> conditions;
  for (Value condition : getConjuncts(load.getMask())) {
    // The product is zero whatever the condition depends on, but all lanes take
    // a branch together.
    if (dependsOn(condition, lanes))
      continue;
    const RangeOp *along = llvm::find_if(
        columns, [&](RangeOp range) { return dependsOn(condition, range); });
    if (along != columns.end()) {
      if (!isa<FloatType>(reduce.getType()) ||
          !boundsColumns(*this, condition, reduce, *along))
        continue;
    } else {
      RangeOp range = findBounded(*this, condition, reduce);
      if (!range || (bounded && range != bounded))
        continue;
      bounded = range;
    }
    conditions.push_back(condition);
  }
  return conditions;
}

bool KernelSchedule::skipMasked(RangedReduceOp reduce, LoadOp load,
                                ArrayRef<RangeOp> columns, RangeOp lanes) {
  const SmallVector<Value> conditions =
      findSkippable(reduce, load, columns, lanes);
  if (conditions.empty())
    return false;
  SmallVector<RangeOp> along(columns);
  along.push_back(lanes);
  Recording step(*this, StepKind::skip_masked,
                 {reduce.getOperation(), load.getOperation()}, along);
  OpBuilder builder(reduce);
  Value bounds = conditions.front();
  for (Value condition : ArrayRef(conditions).drop_front())
    bounds = AndOp::create(builder, reduce.getLoc(), bounds, condition);
  Value zero =
      ConstOp::create(builder, reduce.getLoc(), reduce.getType(),
                      getReduceIdentity(reduce.getKind(), reduce.getType()));
  auto where = WhereOp::create(builder, reduce.getLoc(), reduce.getType(),
                               bounds, reduce.getValue(), zero);
  if (isa<FloatType>(reduce.getType()))
    where->setAttr(uncheckedAttrName, builder.getUnitAttr());
  reduce.getValueMutable().assign(where);
  return true;
}

LoadOp KernelSchedule::findPacked(RangedReduceOp reduce, RangeOp lanes) {
  auto where = reduce.getValue().getDefiningOp<WhereOp>();
  if (!where || !where->hasAttr(uncheckedAttrName))
    return LoadOp();
  auto product = where.getX().getDefiningOp<MulOp>();
  for (Value factor : {product.getLhs(), product.getRhs()})
    if (auto load = factor.getDefiningOp<LoadOp>();
        load && dependsOn(load.getIndex(), lanes) &&
        load.getBuffer().getDefiningOp<BarrierOp>())
      return load;
  return LoadOp();
}

SmallVector<RangedReduceOp> KernelSchedule::checkFinite(RangedReduceOp reduce,
                                                        RangeOp lanes,
                                                        int64_t laneCount) {
  auto type = dyn_cast<FloatType>(reduce.getType());
  if (!type)
    return {};
  Recording step(*this, StepKind::check_finite, reduce.getOperation(), lanes,
                 laneCount);
  auto where = reduce.getValue().getDefiningOp<WhereOp>();
  Value tile = findPacked(reduce, lanes).getBuffer();
  const int64_t depth =
      cast<MemRefType>(tile.getType()).getNumElements() / laneCount;

  // A tile with the largest magnitude of each lane in parts of the packed tile,
  // filled when that one is.
  MLIRContext *context = reduce.getContext();
  int64_t parts = 2;
  while (parts < depth && depth % parts != 0)
    ++parts;
  parts = std::min(parts, depth);
  RangeOp part = createRange(Dim(context, parts), lanes);
  RangeOp lane = createRange(Dim(context, laneCount), lanes);
  RangeOp row = createRange(Dim(context, depth / parts), lanes);
  RangeOp savedPart = createRange(Dim(context, parts), lanes);
  RangeOp savedLane = createRange(Dim(context, laneCount), lanes);
  lane.setKind(RangeKind::upcast);
  savedLane.setKind(RangeKind::upcast);

  OpBuilder builder(where);
  const Location loc = reduce.getLoc();
  IndexBuilder index(builder, loc);
  // Without their sign bit, floats are ordered like integers.
  const unsigned width = type.getWidth();
  Type bits = builder.getIntegerType(width);
  auto constant = [&](const APInt &value) -> Value {
    return ConstOp::create(builder, loc, bits, IntegerAttr::get(bits, value));
  };
  const APInt infinity =
      APFloat::getInf(type.getFloatSemantics()).bitcastToAPInt();
  Value position = index.add(index.mul(part, depth / parts), row);
  position = index.add(index.mul(position, laneCount), lane);
  Value number = BitcastOp::create(
      builder, loc, bits,
      LoadOp::create(builder, loc, tile, position, /*mask=*/Value()));
  number = AndOp::create(builder, loc, number,
                         constant(APInt::getSignedMaxValue(width)));
  auto ofPart = RangedReduceOp::create(builder, loc, ReduceKind::max, number,
                                       ValueRange{row.getResult()});
  Value greatestTile =
      StageOp::create(builder, loc, MemRefType::get({parts * laneCount}, bits),
                      ofPart, ValueRange{part.getResult(), lane.getResult()});
  greatestTile = BarrierOp::create(builder, loc, greatestTile);
  position = index.add(index.mul(savedPart, laneCount), savedLane);
  number = LoadOp::create(builder, loc, greatestTile, position,
                          /*mask=*/Value());
  auto ofAll = RangedReduceOp::create(
      builder, loc, ReduceKind::max, number,
      ValueRange{savedPart.getResult(), savedLane.getResult()});
  Value isInfinite =
      CmpLtOp::create(builder, loc, constant(infinity - 1), ofAll);
  Value condition;
  for (Value bound : getConjuncts(where.getCondition())) {
    bound = OrOp::create(builder, loc, bound, isInfinite);
    condition =
        condition ? AndOp::create(builder, loc, condition, bound) : bound;
  }
  where.getConditionMutable().assign(condition);
  where->removeAttr(uncheckedAttrName);
  changed();
  return {ofPart, ofAll};
}
