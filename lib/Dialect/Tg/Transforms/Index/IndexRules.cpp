//===- IndexRules.cpp - rules of index arithmetic -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The conditions of the rules of IndexRules.td, and the sums that they create.
///
//===----------------------------------------------------------------------===//

#include "SumBuilder.h"
#include "TinyGrad/Dialect/Tg/IR/TgRewriteUtils.h"
#include "mlir/IR/Matchers.h"
#include <tuple>

using namespace mlir;
using namespace mlir::tg;

/// Clauses of a conjunction that are compared with each other.
static constexpr size_t kMaxClauses = 16;

// IndexRules.td calls functions of this file: those that give nothing where a
// rule does not apply, and those that make sums and numbers of what they give.
using Rewriter = PatternRewriter;

/// Rules are applied with an IndexRewriter alone.
static IndexRewriter &getRewriter(Rewriter &rewriter) {
  return static_cast<IndexRewriter &>(rewriter);
}
static IndexAnalysis &getFacts(Rewriter &rewriter) {
  return *getRewriter(rewriter).facts;
}
static const LinearForm &getForm(Rewriter &rewriter, Value index) {
  return getFacts(rewriter).getForm(index);
}

static Value makeSum(Rewriter &rewriter, Value root, const LinearForm &form) {
  return buildSum(getRewriter(rewriter), root.getLoc(), form);
}
static Value makeNumber(Rewriter &rewriter, Value root, Dim number) {
  return makeSum(rewriter, root, LinearForm(number));
}

//===----------------------------------------------------------------------===//
// Parts of sums
//===----------------------------------------------------------------------===//

static std::optional<Dim> getPositive(Rewriter &rewriter, Value value) {
  return getFacts(rewriter).getPositive(value);
}

/// The only quotient of an index by a positive number or dimension.
static std::optional<int64_t> getOneQuotient(Rewriter &rewriter, Value x,
                                             Value c) {
  std::optional<Dim> divisor = getPositive(rewriter, c);
  return divisor ? getFacts(rewriter).getOnlyQuotient(getForm(rewriter, x),
                                                      *divisor)
                 : std::nullopt;
}
/// What that leaves of the index.
static LinearForm getOneRemainder(Rewriter &rewriter, Value x, Value c) {
  LinearForm form = getForm(rewriter, x);
  form.add(LinearForm(*getPositive(rewriter, c)),
           -*getOneQuotient(rewriter, x, c));
  return form;
}

/// The number that an index always is.
static std::optional<int64_t> getOneValue(Rewriter &rewriter, Value value) {
  if (!value.getType().isIndex() || isInnerSum(value))
    return std::nullopt;
  return getForm(rewriter, value).getNumber();
}

/// The product of two positive numbers or dimensions, if it fits.
static std::optional<Dim> getProduct(Rewriter &rewriter, Value c, Value d) {
  Dim product = *getPositive(rewriter, c) * *getPositive(rewriter, d);
  return isModest(product) ? std::optional(product) : std::nullopt;
}
/// cd / c, where c is not 1.
static std::optional<Dim> getExactQuotient(Rewriter &rewriter, Value cd,
                                           Value c) {
  std::optional<Dim> divisor = getPositive(rewriter, c);
  return divisor && !divisor->is(1)
             ? divideExactly(*getPositive(rewriter, cd), *divisor)
             : std::nullopt;
}

/// The constant of the rest as a multiple of c and what is left, if either
/// vanishes or the quotient is a sum anyway.
static void splitConstant(Split &split, Dim c) {
  auto [multiple, left] = divideTerms(split.rest.constant, c);
  if (multiple.is(0) || !left.isStatic() ||
      (!left.is(0) && split.quotient.terms.empty()))
    return;
  split.quotient.constant = split.quotient.constant + multiple;
  split.rest.constant = left;
}

/// (a*c + b) with something in a.
static std::optional<Split> getMultiples(Rewriter &rewriter, Value x, Value c) {
  IndexAnalysis &facts = getFacts(rewriter);
  std::optional<Dim> divisor = facts.getPositive(c);
  if (!divisor || divisor->is(1))
    return std::nullopt;
  LinearForm form = facts.getForm(x);
  Split split = splitTerms(form, *divisor);
  splitConstant(split, *divisor);
  if (split.quotient.isDim() && split.quotient.constant.is(0))
    return std::nullopt;
  if (!facts.isExact(form) || !facts.isExact(split.rest))
    return std::nullopt;
  return split;
}

static std::optional<SmallRest> getSmallRest(Rewriter &rewriter, Value x,
                                             Value c) {
  IndexAnalysis &facts = getFacts(rewriter);
  std::optional<Dim> divisor = facts.getPositive(c);
  return divisor && facts.isExact(facts.getForm(x))
             ? findSmallRest(facts, facts.getForm(x), *divisor)
             : std::nullopt;
}

/// Terms reduced modulo c, if that changes any.
static std::optional<LinearForm> getReduced(Rewriter &rewriter, Value x,
                                            Value c) {
  IndexAnalysis &facts = getFacts(rewriter);
  std::optional<Dim> divisor = facts.getPositive(c);
  if (!divisor)
    return std::nullopt;
  const LinearForm &form = facts.getForm(x);
  LinearForm reduced = reduceTerms(form, *divisor);
  if (reduced == form || !facts.isExact(form) || !facts.isExact(reduced))
    return std::nullopt;
  return reduced;
}

/// (x floormod (c*d)) in a sum becomes x.
static std::optional<LinearForm> getWithoutMods(Rewriter &rewriter, Value x,
                                                Value cValue) {
  IndexAnalysis &facts = getFacts(rewriter);
  std::optional<Dim> c = facts.getPositive(cValue);
  if (!c)
    return std::nullopt;
  LinearForm form = facts.getForm(x), result(form.constant);
  bool changed = false;
  for (auto [atom, coefficient] : form.terms) {
    auto mod = atom.getDefiningOp<FloorModOp>();
    std::optional<Dim> divisor =
        mod ? facts.getPositive(mod.getRhs()) : std::nullopt;
    if (divisor && divideExactly(*divisor, *c) &&
        facts.isExact(facts.getForm(mod.getLhs()))) {
      result.add(facts.getForm(mod.getLhs()), coefficient);
      changed = true;
    } else {
      result.addTerm(atom, coefficient);
    }
  }
  if (!changed || !facts.isExact(form) || !facts.isExact(result))
    return std::nullopt;
  return result;
}

static std::optional<LinearForm> getRecombined(Rewriter &rewriter, Value sum) {
  return sum.getType().isIndex() && !isInnerSum(sum)
             ? recombine(getFacts(rewriter), getForm(rewriter, sum))
             : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// difference > 0 (or == 0), divided by a factor that some terms have in common
/// and the others stay below.
static std::optional<LinearForm> divideDifference(IndexAnalysis &facts,
                                                  const LinearForm &difference,
                                                  bool isLess) {
  const Dim zero(difference.getContext(), 0);
  for (Dim factor : getCommonFactors(difference, zero)) {
    std::optional<int64_t> g = factor.getStatic();
    if (!g)
      continue;
    Split split = splitTerms(difference, factor);
    std::tie(split.quotient.constant, split.rest.constant) =
        divideTerms(difference.constant, factor);
    Interval rest = facts.getInterval(split.rest);
    if (!rest.isModest())
      continue;
    if (isLess) {
      // g*a + b >= 1, so a + floor((b - 1) / g) >= 0
      std::optional<int64_t> only = (rest - 1).floorDiv(*g).getSingle();
      if (!only)
        continue;
      split.quotient.addConstant(1 + *only);
      return split.quotient;
    }
    if (rest == 0)
      return split.quotient;
  }
  return std::nullopt;
}

/// The comparison as one of shorter sums.
static std::optional<SumComparison> getSimplerCompare(Rewriter &of,
                                                      Value compare) {
  IndexRewriter &rewriter = getRewriter(of);
  IndexAnalysis &facts = *rewriter.facts;
  Operation *op = compare.getDefiningOp();
  std::optional<LinearForm> difference = facts.getDifference(op);
  if (!difference || difference->isDim())
    return std::nullopt;
  if (std::optional<LinearForm> divided =
          divideDifference(facts, *difference, isa<CmpLtOp>(op)))
    difference = divided;
  SumComparison comparison(op->getName(), *difference);
  if (!facts.isExact(comparison.lhs) || !facts.isExact(comparison.rhs))
    return std::nullopt;
  rewriter.measure.forget(compare);
  if (comparison.measure(rewriter, op->getName()) >=
      rewriter.measure.get(compare))
    return std::nullopt;
  return comparison;
}
static Value makeSimplerCompare(Rewriter &rewriter, Value compare) {
  return getSimplerCompare(rewriter, compare)
      ->build(getRewriter(rewriter), compare.getLoc(),
              compare.getDefiningOp()->getName());
}

namespace {
/// x floordiv c < d (`isFirst`), or d < x floordiv c, as a comparison of x.
struct QuotientCompare {
  Value dividend;
  Dim bound;
  bool isFirst;
};
} // namespace

static std::optional<QuotientCompare> getQuotientCompare(Rewriter &rewriter,
                                                         Value lessThan) {
  IndexAnalysis &facts = getFacts(rewriter);
  auto op = lessThan.getDefiningOp<CmpLtOp>();
  if (!op || !op.getLhs().getType().isIndex())
    return std::nullopt;
  const Dim one(rewriter.getContext(), 1);
  for (bool isFirst : {true, false}) {
    Value side = isFirst ? op.getLhs() : op.getRhs();
    const LinearForm &other =
        facts.getForm(isFirst ? op.getRhs() : op.getLhs());
    auto div = facts.getForm(side).getAtom()
                   ? facts.getForm(side).getAtom().getDefiningOp<FloorDivOp>()
                   : FloorDivOp();
    if (!div || !other.isDim())
      continue;
    std::optional<Dim> c = facts.getPositive(div.getRhs());
    if (!c || !facts.isExact(facts.getForm(div.getLhs())))
      continue;
    Dim bound = other.constant * *c;
    if (!isFirst)
      bound = (other.constant + one) * *c - one;
    if (isModest(bound))
      return QuotientCompare{div.getLhs(), bound, isFirst};
  }
  return std::nullopt;
}
static Value makeCompareDividend(Rewriter &rewriter, Value lessThan) {
  QuotientCompare compare = *getQuotientCompare(rewriter, lessThan);
  Value bound = makeNumber(rewriter, lessThan, compare.bound);
  Value lhs = compare.isFirst ? compare.dividend : bound;
  Value rhs = compare.isFirst ? bound : compare.dividend;
  return CmpLtOp::create(rewriter, lessThan.getLoc(), lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Conjunctions
//===----------------------------------------------------------------------===//

namespace {
struct Clauses {
  SmallVector<Value> needed;
  bool isFalse = false;
};
} // namespace

static std::optional<Clauses> getNeededClauses(Rewriter &rewriter,
                                               Value conjunction) {
  auto isInner = [](Value value) {
    return value.hasOneUse() && isa<AndOp>(*value.user_begin());
  };
  if (!conjunction.getType().isInteger(1) || isInner(conjunction))
    return std::nullopt;
  Clauses clauses;
  SmallVector<Value> stack{conjunction};
  DenseSet<Value> seen;
  bool changed = false;
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    auto op = value.getDefiningOp<AndOp>();
    if (op && (value == conjunction || isInner(value))) {
      stack.push_back(op.getRhs());
      stack.push_back(op.getLhs());
      continue;
    }
    if (seen.insert(value).second)
      clauses.needed.push_back(value);
    else
      changed = true;
  }
  if (clauses.needed.size() <= kMaxClauses) {
    // The last ones first: what came first is what others build on.
    for (size_t i = clauses.needed.size(); i-- > 0;) {
      Operation *op = clauses.needed[i].getDefiningOp();
      if (!isa_and_nonnull<CmpLtOp, CmpEqOp, CmpNeOp>(op) ||
          !op->getOperand(0).getType().isIntOrIndex())
        continue;
      IndexAnalysis others;
      bool isNew = false;
      for (auto [j, clause] : llvm::enumerate(clauses.needed))
        if (i != j)
          isNew |= others.assume(clause);
      std::optional<bool> known =
          isNew ? others.decide(clauses.needed[i]) : std::nullopt;
      if (known && !*known) {
        clauses.isFalse = true;
        return clauses;
      }
      if (known) {
        clauses.needed.erase(clauses.needed.begin() + i);
        changed = true;
      }
    }
  }
  if (!changed)
    return std::nullopt;
  return clauses;
}

static Value makeBool(Rewriter &rewriter, Value root, bool value) {
  return ConstOp::create(rewriter, root.getLoc(), root.getType(),
                         TypedAttr(rewriter.getBoolAttr(value)));
}
static Value makeNeededClauses(Rewriter &rewriter, Value conjunction) {
  Clauses clauses = *getNeededClauses(rewriter, conjunction);
  if (clauses.isFalse)
    return makeBool(rewriter, conjunction, false);
  Value result;
  for (Value clause : clauses.needed)
    result = result
                 ? AndOp::create(rewriter, conjunction.getLoc(), result, clause)
                       .getResult()
                 : clause;
  return result;
}

//===----------------------------------------------------------------------===//
// Other conditions
//===----------------------------------------------------------------------===//

/// The measure of a value as it is written now: the parts of sums may have been
/// replaced since they were measured.
static uint64_t measureAsWritten(IndexRewriter &rewriter, Value value) {
  SmallVector<Value> stack{value};
  while (!stack.empty()) {
    Value current = stack.pop_back_val();
    rewriter.measure.forget(current);
    if (Operation *op = current.getDefiningOp())
      for (Value operand : op->getOperands())
        if (isInnerSum(operand))
          stack.push_back(operand);
  }
  return rewriter.measure.get(value);
}

static bool isSimplerSum(Rewriter &rewriter, Value sum) {
  if (!sum.getType().isIndex() || isInnerSum(sum))
    return false;
  IndexRewriter &own = getRewriter(rewriter);
  const LinearForm &form = own.facts->getForm(sum);
  // The sum itself stands for what cannot be added up.
  return form.getAtom() != sum &&
         measureSum(own, form) < measureAsWritten(own, sum);
}

static bool isNegativeConstant(Value c) {
  APInt number;
  return matchPattern(c, m_ConstantInt(&number)) && number.isNegative() &&
         number.getSExtValue() > -Interval::kModestEnd;
}

/// Whether the value fits, and what it is negated.
static bool isExact(Rewriter &rewriter, Value x) {
  IndexAnalysis &facts = getFacts(rewriter);
  const LinearForm &form = facts.getForm(x);
  return facts.isExact(form) && facts.isExact(form.negated());
}

static bool isNotNegative(Rewriter &rewriter, Value x) {
  IndexAnalysis &facts = getFacts(rewriter);
  const LinearForm &form = facts.getForm(x);
  return facts.isExact(form) && facts.isAtLeast(form, 0);
}
static bool isNotPositive(Rewriter &rewriter, Value x) {
  IndexAnalysis &facts = getFacts(rewriter);
  return isExact(rewriter, x) && facts.isAtMost(facts.getForm(x), 0);
}

static bool isNotLess(Rewriter &rewriter, Value x, Value y) {
  IndexAnalysis &facts = getFacts(rewriter);
  LinearForm lhs = facts.getForm(x), rhs = facts.getForm(y);
  if (!facts.isExact(lhs) || !facts.isExact(rhs))
    return false;
  lhs.subtract(rhs);
  return facts.isAtLeast(lhs, 0);
}

/// What an integer that is cast to an index is, if that is shorter.
static std::optional<LinearForm> getIndexNumber(Rewriter &rewriter,
                                                Value cast) {
  IndexRewriter &own = getRewriter(rewriter);
  Value x = cast.getDefiningOp<CastOp>().getX();
  if (!cast.getType().isIndex() || !x.getType().isInteger())
    return std::nullopt;
  std::optional<LinearForm> number = own.facts->getNumber(x);
  if (!number || measureSum(own, *number) >= measureAsWritten(own, cast))
    return std::nullopt;
  return number;
}

namespace {
#include "TinyGrad/Dialect/Tg/Transforms/IndexRules.inc"
} // namespace

void mlir::tg::populateIndexRules(RewritePatternSet &patterns) {
  populateWithGenerated(patterns);
}
