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
#include "llvm/Support/MathExtras.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGCOLLAPSEREDUCE
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Whether `value` is the position of `range` in an integer type that holds all
/// of its positions.
static bool isPositionOf(Value value, RangeOp range, IndexAnalysis &analysis) {
  std::optional<LinearForm> number = analysis.getNumber(value);
  return number && number->getAtom() == range.getResult();
}

static bool isZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}
static bool isOne(Value value) {
  return matchPattern(value, m_One()) || matchPattern(value, m_OneFloat());
}

/// The integer that `range` must equal in a conjunction; the other clauses go
/// to `rest`.
static Value findSelected(Value condition, RangeOp range,
                          IndexAnalysis &analysis,
                          SmallVectorImpl<Value> &rest) {
  const SmallVector<Value> clauses = getConjuncts(condition);
  Value selected;
  for (Value clause : llvm::reverse(clauses)) {
    auto equal = clause.getDefiningOp<CmpEqOp>();
    Value candidate;
    if (equal && !selected) {
      if (isPositionOf(equal.getLhs(), range, analysis))
        candidate = equal.getRhs();
      else if (isPositionOf(equal.getRhs(), range, analysis))
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

namespace {
/// The summand: a value where a condition holds, else zero.
struct Body {
  Value condition, value;
  /// Inverted: the value where the condition does not hold.
  bool isInverted = false;
};
} // namespace

static Value createNumber(OpBuilder &builder, Location loc, Type type,
                          int64_t value) {
  return ConstOp::create(builder, loc, type, value);
}

/// A number that is 1 where a condition holds, else 0.
static Value getIndicator(Value value) {
  if (auto cast = value.getDefiningOp<CastOp>())
    return cast.getX().getType().isInteger(1) ? cast.getX() : Value();
  auto where = value.getDefiningOp<WhereOp>();
  return where && isOne(where.getX()) && isZero(where.getY())
             ? where.getCondition()
             : Value();
}

static std::optional<Body> getBody(Value value, OpBuilder &builder) {
  if (auto where = value.getDefiningOp<WhereOp>()) {
    if (isZero(where.getY()))
      return Body{where.getCondition(), where.getX()};
    if (isZero(where.getX()))
      return Body{where.getCondition(), where.getY(), /*isInverted=*/true};
    return std::nullopt;
  }
  if (Value condition = getIndicator(value))
    return Body{condition,
                createNumber(builder, value.getLoc(), value.getType(), 1)};
  // An indicator times a number. Not for floats: 0 times an infinity is not 0.
  auto product = value.getDefiningOp<MulOp>();
  if (!product || !isa<IntegerType>(value.getType()))
    return std::nullopt;
  if (Value condition = getIndicator(product.getRhs()))
    return Body{condition, product.getLhs()};
  if (Value condition = getIndicator(product.getLhs()))
    return Body{condition, product.getRhs()};
  return std::nullopt;
}

/// Replaces a sum by one without one of its ranges.
static void replaceReduce(RangedReduceOp reduce, Value range, Value result,
                          OpBuilder &builder) {
  SmallVector<Value> ranges;
  for (Value other : reduce.getRanges())
    if (other != range)
      ranges.push_back(other);
  if (!ranges.empty())
    result = RangedReduceOp::create(builder, reduce.getLoc(), reduce.getKind(),
                                    result, ranges);
  reduce.replaceAllUsesWith(result);
  reduce.erase();
}

//===----------------------------------------------------------------------===//
// Positions that are counted
//===----------------------------------------------------------------------===//

/// One side of a comparison as a linear form; none if it may wrap around.
static std::optional<LinearForm> getSide(Value side, RangeOp range,
                                         IndexAnalysis &analysis,
                                         OpBuilder &builder) {
  if (std::optional<LinearForm> number = analysis.getNumber(side))
    return analysis.isExact(*number) ? number : std::nullopt;
  auto type = dyn_cast<IntegerType>(side.getType());
  if (!type || type.getWidth() < 8 ||
      !Interval::getInt64().contains(Interval::getAll(type)) ||
      llvm::is_contained(analysis.getRanges(side), range.getResult()))
    return std::nullopt;
  Value index =
      CastOp::create(builder, side.getLoc(), builder.getIndexType(), side);
  return LinearForm(index);
}

namespace {
/// The positions of a range for which a conjunction holds: from the maximum of
/// `first` to the minimum of `last`, exclusive.
struct Span {
  SmallVector<LinearForm> first, last;
  /// Clauses that do not depend on the range.
  SmallVector<Value> others;
};
} // namespace

/// Adds the bounds that a clause sets; false if they are not known.
static bool addClause(Value clause, RangeOp range, IndexAnalysis &analysis,
                      OpBuilder &builder, Span &span) {
  Value position = range.getResult();
  auto dependsOnRange = [&](Value value) {
    return llvm::is_contained(analysis.getRanges(value), position);
  };
  if (!dependsOnRange(clause)) {
    span.others.push_back(clause);
    return true;
  }
  bool isNegated = false;
  if (auto negation = clause.getDefiningOp<XorOp>();
      negation && isOne(negation.getRhs())) {
    isNegated = true;
    clause = negation.getLhs();
  }
  auto less = clause.getDefiningOp<CmpLtOp>();
  if (!less)
    return false;
  std::optional<LinearForm> lhs =
      getSide(less.getLhs(), range, analysis, builder);
  std::optional<LinearForm> rhs =
      getSide(less.getRhs(), range, analysis, builder);
  if (!lhs || !rhs)
    return false;
  // For a value without bounds, only whether it is a position counts.
  for (auto [side, other] :
       {std::pair(&*lhs, &*rhs), std::pair(&*rhs, &*lhs)}) {
    if (analysis.getInterval(*side).isModest())
      continue;
    if (other->getAtom() != position)
      return false;
    Location loc = less.getLoc();
    Value number = side->terms[0].first;
    Value extent = builder.createOrFold<DimOp>(loc, builder.getIndexType(),
                                               range.getExtent());
    Value isSmall = CmpLtOp::create(builder, loc, number, extent);
    Value low = WhereOp::create(builder, loc, extent.getType(), isSmall, number,
                                extent);
    Value both =
        MaxOp::create(builder, loc, low,
                      createNumber(builder, loc, builder.getIndexType(), -1));
    *side = LinearForm(both);
  }
  // rhs - lhs > 0, or lhs - rhs + 1 > 0.
  LinearForm form = isNegated ? *lhs : *rhs;
  form.subtract(isNegated ? *rhs : *lhs);
  form.addConstant(isNegated);
  int64_t factor = form.getCoefficient(position);
  form.addTerm(position, -factor);
  if (factor == 0 ||
      llvm::AbsoluteValue(factor) > uint64_t(Interval::kModestEnd / 2) ||
      llvm::any_of(form.terms,
                   [&](auto &term) { return dependsOnRange(term.first); }))
    return false;
  IndexBuilder index(builder, less.getLoc());
  LinearForm end(builder.getContext());
  if (factor > 0) {
    // position >= ceil((1 - form) / factor)
    end.addConstant(factor);
    end.subtract(form);
  } else {
    // position < ceil(form / -factor)
    end = form;
    end.addConstant(-factor - 1);
  }
  if (llvm::AbsoluteValue(factor) > 1) {
    if (!analysis.getInterval(end).isModest())
      return false;
    end = index.getAnalysis().getLinear(
        index.floorDiv(index.get(end), int64_t(llvm::AbsoluteValue(factor))));
  }
  (factor > 0 ? span.first : span.last).push_back(end);
  return true;
}

/// Whether a sum of at most `count` equal values may become a product, and
/// `type` can count them.
static bool isExactProduct(Type type, int64_t count, Value value) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return isa<IntegerType>(type) && !type.isInteger(1);
  unsigned digits = floatType.getFPMantissaWidth();
  if (digits < 62 && count > (int64_t(1) << digits))
    return false;
  // Sums of ones are exact. For other values the product may be rounded
  // differently, as sums may, but not in narrow types, which round each
  // operation.
  return isOne(value) || type.isF32() || type.isF64();
}

/// Replaces one range over which a sum adds up an invariant value where
/// comparisons with the range hold: by the value times the number of such
/// positions.
static bool collapseCount(RangedReduceOp reduce, IndexAnalysis &analysis) {
  OpBuilder builder(reduce);
  std::optional<Body> body = getBody(reduce.getValue(), builder);
  if (!body)
    return false;
  Location loc = reduce.getLoc();
  Type indexType = builder.getIndexType(), type = reduce.getType();
  for (Value rangeValue : reduce.getRanges()) {
    auto range = rangeValue.getDefiningOp<RangeOp>();
    if (llvm::is_contained(analysis.getRanges(body->value), rangeValue) ||
        !isExactProduct(type, range.getLargestExtent(), body->value))
      continue;
    Span span;
    bool isKnown = true;
    const SmallVector<Value> clauses = getConjuncts(body->condition);
    for (Value clause : llvm::reverse(clauses))
      isKnown = isKnown && addClause(clause, range, analysis, builder, span);
    if (!isKnown || (span.first.empty() && span.last.empty()) ||
        (body->isInverted && !span.others.empty()))
      continue;

    IndexBuilder index(builder, loc);
    Value zero = createNumber(builder, loc, indexType, 0);
    Value extent =
        builder.createOrFold<DimOp>(loc, indexType, range.getExtent());
    auto larger = [&](Value x, Value y) -> Value {
      return MaxOp::create(builder, loc, x, y);
    };
    auto negated = [&](Value x) -> Value {
      return NegOp::create(builder, loc, x);
    };
    Value first = zero, last = extent;
    for (const LinearForm &end : span.first)
      first = larger(first, index.get(end));
    for (const LinearForm &end : span.last) // the minimum
      last = negated(larger(negated(last), negated(index.get(end))));
    Value count =
        larger(SubOp::create(builder, loc, last, first).getResult(), zero);
    if (body->isInverted)
      count = SubOp::create(builder, loc, extent, count);

    // An index converts to integers only.
    Value number = count;
    if (isa<FloatType>(type))
      number = CastOp::create(builder, loc, builder.getI64Type(), number);
    number = CastOp::create(builder, loc, type, number);
    Value result = number;
    if (!isOne(body->value))
      result = MulOp::create(builder, loc, body->value, number);
    Value condition;
    for (Value clause : span.others)
      condition =
          condition ? AndOp::create(builder, loc, condition, clause).getResult()
                    : clause;
    // A count of 0 must give 0, also for an infinite value.
    if (isa<FloatType>(type) && !isOne(body->value)) {
      Value some = CmpLtOp::create(builder, loc, zero, count);
      condition = condition
                      ? AndOp::create(builder, loc, condition, some).getResult()
                      : some;
    }
    if (condition)
      result = WhereOp::create(builder, loc, type, condition, result,
                               createNumber(builder, loc, type, 0));
    replaceReduce(reduce, rangeValue, result, builder);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Positions that are selected
//===----------------------------------------------------------------------===//

/// Replaces one range of a reduce by the position that the value selects.
static bool collapseSelection(RangedReduceOp reduce, IndexAnalysis &analysis) {
  OpBuilder bodyBuilder(reduce);
  std::optional<Body> body = getBody(reduce.getValue(), bodyBuilder);
  if (!body || body->isInverted)
    return false;
  for (Value rangeValue : reduce.getRanges()) {
    auto range = rangeValue.getDefiningOp<RangeOp>();
    SmallVector<Value> rest;
    Value selected = findSelected(body->condition, range, analysis, rest);
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
    // An out-of-range position must not reach index arithmetic that assumes
    // bounds.
    Value safe =
        WhereOp::create(builder, loc, indexType, inside, position, number(0));

    // Recompute what depends on the range at the selected position.
    IRMapping mapping;
    mapping.map(rangeValue, safe);
    llvm::SetVector<Operation *> slice;
    SmallVector<Value> roots(rest);
    roots.push_back(body->value);
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
        WhereOp::create(builder, loc, reduce.getType(), condition,
                        mapping.lookupOrDefault(body->value),
                        createNumber(builder, loc, reduce.getType(), 0));
    replaceReduce(reduce, rangeValue, result, builder);
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
        if (reduce.getKind() == ReduceKind::add &&
            (collapseSelection(reduce, analysis) ||
             collapseCount(reduce, analysis))) {
          changed = true;
          break;
        }
    }
    // Erase what has no uses any more, including ranges.
    for (Operation &op : llvm::make_early_inc_range(
             llvm::reverse(getOperation().getBody().front())))
      if (op.use_empty() && !isa<StoreOp>(op))
        op.erase();
  }
};
} // namespace
