//===- CollapseReduce.cpp - reductions that select one position -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-collapse-reduce pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGCOLLAPSEREDUCE
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Whether `value` is the position of `range` in an integer type that holds all
/// of its positions.
static bool isPositionOf(Value value, RangeOp range) {
  while (auto cast = value.getDefiningOp<CastOp>()) {
    auto type = dyn_cast<IntegerType>(cast.getType());
    if (!type || type.getWidth() < 8)
      return false;
    unsigned bits = type.getWidth() - (isSignedInteger(type) ? 1 : 0);
    if (bits < 62 && range.getLargestExtent() > (int64_t(1) << bits))
      return false;
    value = cast.getX();
  }
  return value == range.getResult();
}

static bool isZero(Value value) {
  auto constant = value.getDefiningOp<ConstOp>();
  if (!constant)
    return false;
  if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
    return number.getValue().isPosZero();
  if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
    return number.getValue().isZero();
  return false;
}

/// In a conjunction, the integer that `range` has to equal; the other clauses
/// go to `rest`.
static Value findSelected(Value condition, RangeOp range,
                          IndexAnalysis &analysis,
                          SmallVectorImpl<Value> &rest) {
  SmallVector<Value> clauses{condition};
  Value selected;
  while (!clauses.empty()) {
    Value clause = clauses.pop_back_val();
    if (auto conjunction = clause.getDefiningOp<AndOp>()) {
      clauses.push_back(conjunction.getLhs());
      clauses.push_back(conjunction.getRhs());
      continue;
    }
    auto equal = clause.getDefiningOp<CmpEqOp>();
    Value candidate;
    if (equal && !selected) {
      if (isPositionOf(equal.getLhs(), range))
        candidate = equal.getRhs();
      else if (isPositionOf(equal.getRhs(), range))
        candidate = equal.getLhs();
      if (candidate && (llvm::is_contained(analysis.getRanges(candidate),
                                           range.getResult()) ||
                        isa<FloatType>(candidate.getType())))
        candidate = nullptr;
    }
    if (candidate)
      selected = candidate;
    else
      rest.push_back(clause);
  }
  return selected;
}

/// Replaces one range of the reduce by the position that the value selects.
static bool collapse(RangedReduceOp reduce, IndexAnalysis &analysis) {
  if (reduce.getKind() != ReduceKind::add)
    return false;
  auto where = reduce.getValue().getDefiningOp<WhereOp>();
  if (!where || !isZero(where.getY()))
    return false;
  for (Value rangeValue : reduce.getRanges()) {
    auto range = rangeValue.getDefiningOp<RangeOp>();
    SmallVector<Value> rest;
    Value selected = findSelected(where.getCondition(), range, analysis, rest);
    if (!selected)
      continue;

    OpBuilder builder(reduce);
    Location loc = reduce.getLoc();
    Type indexType = builder.getIndexType();
    Value position =
        selected.getType() == indexType
            ? selected
            : CastOp::create(builder, loc, indexType, selected).getResult();
    auto number = [&](int64_t value) {
      return ConstOp::create(builder, loc, indexType, value);
    };
    Value inside = AndOp::create(
        builder, loc, CmpLtOp::create(builder, loc, number(-1), position),
        CmpLtOp::create(
            builder, loc, position,
            builder.createOrFold<DimOp>(loc, indexType, range.getExtent())));
    // A position outside must not reach index arithmetic that assumes bounds.
    Value safe =
        WhereOp::create(builder, loc, indexType, inside, position, number(0));

    // What the value needs of the range, again for the selected position.
    IRMapping mapping;
    mapping.map(rangeValue, safe);
    llvm::SetVector<Operation *> slice;
    SmallVector<Value> roots(rest);
    roots.push_back(where.getX());
    while (!roots.empty()) {
      Operation *op = roots.pop_back_val().getDefiningOp();
      if (!op || op == range || slice.contains(op) ||
          !llvm::is_contained(analysis.getRanges(op->getResult(0)), rangeValue))
        continue;
      slice.insert(op);
      llvm::append_range(roots, op->getOperands());
    }
    SmallVector<Operation *> ops(slice.begin(), slice.end());
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : ops) {
      Operation *copy = builder.clone(*op, mapping);
      if (auto load = dyn_cast<LoadOp>(copy)) {
        builder.setInsertionPoint(load);
        Value mask = inside;
        if (load.getMask())
          mask = AndOp::create(builder, loc, load.getMask(), inside);
        load.getMaskMutable().assign(mask);
        builder.setInsertionPointAfter(load);
      }
    }
    builder.setInsertionPoint(reduce);
    Value condition = inside;
    for (Value clause : rest)
      condition = AndOp::create(builder, loc, condition,
                                mapping.lookupOrDefault(clause));
    Value result =
        WhereOp::create(builder, loc, where.getType(), condition,
                        mapping.lookupOrDefault(where.getX()), where.getY());
    SmallVector<Value> ranges;
    for (Value other : reduce.getRanges())
      if (other != rangeValue)
        ranges.push_back(other);
    if (!ranges.empty())
      result = RangedReduceOp::create(builder, loc, reduce.getKind(), result,
                                      ranges);
    reduce.replaceAllUsesWith(result);
    reduce.erase();
    return true;
  }
  return false;
}

namespace {
struct TgCollapseReducePass
    : public tg::impl::TgCollapseReduceBase<TgCollapseReducePass> {
  using Base::Base;

  void runOnOperation() override {
    // Each collapse removes a range from a reduce, so this ends.
    bool changed = true;
    while (changed) {
      changed = false;
      IndexAnalysis analysis;
      for (auto reduce :
           llvm::make_early_inc_range(getOperation().getOps<RangedReduceOp>()))
        if (collapse(reduce, analysis)) {
          changed = true;
          break;
        }
    }
    // What is left without a use, ranges included.
    for (Operation &op : llvm::make_early_inc_range(
             llvm::reverse(getOperation().getBody().front())))
      if (op.use_empty() && !isa<StoreOp>(op))
        op.erase();
  }
};
} // namespace
