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
/// Common factors of a sum that are tried.
static constexpr size_t kMaxTried = 8;

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

/// What replaces the operation whose result is `root`.
static Value make(Rewriter &rewriter, Value root, const LinearForm &form) {
  return buildSum(getRewriter(rewriter), root.getLoc(), form);
}
static Value make(Rewriter &rewriter, Value root, Dim number) {
  return make(rewriter, root, LinearForm(number));
}
static Value make(Rewriter &rewriter, Value root, int64_t number) {
  return make(rewriter, root, Dim(rewriter.getContext(), number));
}
static Value make(Rewriter &rewriter, Value root, bool value) {
  return ConstOp::create(rewriter, root.getLoc(), root.getType(),
                         TypedAttr(rewriter.getBoolAttr(value)));
}
static Value make(Rewriter &rewriter, Value root,
                  const SumComparison &comparison) {
  Value lhs = make(rewriter, root, comparison.lhs),
        rhs = make(rewriter, root, comparison.rhs);
  OperationState state(root.getLoc(), root.getDefiningOp()->getName(),
                       {lhs, rhs}, root.getType());
  return rewriter.create(state)->getResult(0);
}
/// The conjunction of clauses; of none, which exclude each other, false.
static Value make(Rewriter &rewriter, Value root, ArrayRef<Value> clauses) {
  if (clauses.empty())
    return make(rewriter, root, false);
  Value result = clauses.front();
  for (Value clause : clauses.drop_front())
    result = AndOp::create(rewriter, root.getLoc(), result, clause);
  return result;
}

//===----------------------------------------------------------------------===//
// Parts of sums
//===----------------------------------------------------------------------===//

static std::optional<Dim> getPositive(Rewriter &rewriter, Value value) {
  return getFacts(rewriter).getPositive(value);
}

/// The only quotient of a division of an index by a positive number or
/// dimension.
static std::optional<int64_t> getOneQuotient(Rewriter &rewriter,
                                             Value division) {
  ValueRange operands = division.getDefiningOp()->getOperands();
  std::optional<Dim> divisor = getPositive(rewriter, operands[1]);
  return divisor ? getFacts(rewriter).getOnlyQuotient(
                       getForm(rewriter, operands[0]), *divisor)
                 : std::nullopt;
}
/// What that leaves of the index.
static std::optional<LinearForm> getOneRemainder(Rewriter &rewriter,
                                                 Value division) {
  std::optional<int64_t> quotient = getOneQuotient(rewriter, division);
  if (!quotient)
    return std::nullopt;
  ValueRange operands = division.getDefiningOp()->getOperands();
  LinearForm form = getForm(rewriter, operands[0]);
  form.add(LinearForm(*getPositive(rewriter, operands[1])), -*quotient);
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

/// Numbers that divide some coefficient and c, which is not divided itself, and
/// the number that divides all of them; the largest first. All divide a c of 0.
/// Of a form with dimensions as coefficients, also these.
static SmallVector<Dim, 4> getCommonFactors(const LinearForm &form, Dim c) {
  SmallVector<Dim, 4> factors;
  auto add = [&](Dim factor) {
    if (factor.getMin() > 1 && factor != c &&
        !llvm::is_contained(factors, factor))
      factors.push_back(factor);
  };
  const std::optional<int64_t> number = c.getStatic();
  for (auto [atom, coefficient] : form.terms) {
    if (std::optional<int64_t> multiple = coefficient.getStatic();
        multiple && number)
      add(Dim(c.getContext(), getCommonDivisor(*multiple, *number)));
    else
      add(coefficient);
    if (factors.size() == kMaxTried)
      break;
  }
  if (number)
    add(Dim(c.getContext(), getCommonDivisor(form, *number)));
  llvm::stable_sort(factors,
                    [](Dim a, Dim b) { return a.getMax() > b.getMax(); });
  return factors;
}

namespace {
/// x = large * divisor + rest with 0 <= rest < divisor, where the divisor times
/// `quotientOfC` is c.
struct SmallRest {
  Dim divisor, quotientOfC;
  LinearForm large, rest;
};
} // namespace

static std::optional<SmallRest> getSmallRest(Rewriter &rewriter, Value value,
                                             Value cValue) {
  IndexAnalysis &facts = getFacts(rewriter);
  const LinearForm &x = facts.getForm(value);
  std::optional<Dim> c = facts.getPositive(cValue);
  if (!c || !facts.isExact(x))
    return std::nullopt;
  for (Dim g : getCommonFactors(x, *c)) {
    std::optional<Dim> quotientOfC = divideExactly(*c, g);
    if (!quotientOfC)
      continue;
    auto [large, rest] = splitTerms(x, g);
    std::tie(large.constant, rest.constant) = divideTerms(x.constant, g);
    std::optional<int64_t> q = facts.getOnlyQuotient(rest, g);
    // A quotient that no constant brings would make the expression longer.
    if (!q || (*q != 0 && x.constant.is(0)))
      continue;
    large.addConstant(*q);
    rest.add(LinearForm(g), -*q);
    return SmallRest{g, *quotientOfC, large, rest};
  }
  return std::nullopt;
}

/// What a sum is congruent to modulo c: terms x floormod (c*d) become x, and
/// coefficients are reduced. None if that changes nothing.
static std::optional<LinearForm> getReduced(Rewriter &rewriter, Value x,
                                            Value cValue) {
  IndexAnalysis &facts = getFacts(rewriter);
  std::optional<Dim> c = facts.getPositive(cValue);
  if (!c)
    return std::nullopt;
  const LinearForm &form = facts.getForm(x);
  LinearForm whole(form.constant);
  for (auto [atom, coefficient] : form.terms) {
    auto mod = atom.getDefiningOp<FloorModOp>();
    std::optional<Dim> divisor =
        mod ? facts.getPositive(mod.getRhs()) : std::nullopt;
    if (divisor && divideExactly(*divisor, *c) &&
        facts.isExact(facts.getForm(mod.getLhs())))
      whole.add(facts.getForm(mod.getLhs()), coefficient);
    else
      whole.addTerm(atom, coefficient);
  }
  for (const LinearForm *from :
       {static_cast<const LinearForm *>(&whole), &form})
    if (LinearForm reduced = reduceTerms(*from, *c);
        !(reduced == form) && facts.isExact(form) && facts.isExact(*from) &&
        facts.isExact(reduced))
      return reduced;
  return std::nullopt;
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
  SumComparison comparison(*difference, isa<CmpLtOp>(op));
  if (!facts.isExact(comparison.lhs) || !facts.isExact(comparison.rhs))
    return std::nullopt;
  rewriter.measure.forget(compare);
  const uint64_t measure = IndexMeasure::ofOperation(
      op->getName().getTypeID(), {measureSum(rewriter, comparison.lhs),
                                  measureSum(rewriter, comparison.rhs)});
  return measure < rewriter.measure.get(compare) ? std::optional(comparison)
                                                 : std::nullopt;
}
static std::optional<bool> getDecision(Rewriter &rewriter, Value compare) {
  return getFacts(rewriter).decide(compare);
}

/// c*d, or the last before c*(d+1): what x is compared with instead of
/// x floordiv c with d.
static std::optional<Dim> getBound(Rewriter &rewriter, Value c, Value d,
                                   bool isLast) {
  const LinearForm &form = getForm(rewriter, d);
  if (!form.isDim())
    return std::nullopt;
  const Dim last(rewriter.getContext(), isLast);
  Dim bound = (form.constant + last) * *getPositive(rewriter, c) - last;
  return isModest(bound) ? std::optional(bound) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Conjunctions
//===----------------------------------------------------------------------===//

/// The clauses of a conjunction that others do not imply, none if they exclude
/// each other.
static std::optional<SmallVector<Value>> getNeededClauses(Rewriter &rewriter,
                                                          Value conjunction) {
  auto isInner = [](Value value) {
    return value.hasOneUse() && isa<AndOp>(*value.user_begin());
  };
  if (!conjunction.getType().isInteger(1) || isInner(conjunction))
    return std::nullopt;
  SmallVector<Value> stack{conjunction};
  llvm::SetVector<Value, SmallVector<Value>> clauses;
  bool changed = false;
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    auto op = value.getDefiningOp<AndOp>();
    if (op && (value == conjunction || isInner(value)))
      stack.append({op.getRhs(), op.getLhs()});
    else
      changed |= !clauses.insert(value);
  }
  SmallVector<Value> needed = clauses.takeVector();
  if (needed.size() > kMaxClauses)
    return changed ? std::optional(needed) : std::nullopt;
  // The last ones first: what came first is what others build on.
  for (size_t i = needed.size(); i-- > 0;) {
    Operation *op = needed[i].getDefiningOp();
    if (!isa_and_nonnull<CmpLtOp, CmpEqOp, CmpNeOp>(op) ||
        !op->getOperand(0).getType().isIntOrIndex())
      continue;
    IndexAnalysis others;
    bool isNew = false;
    for (auto [j, clause] : llvm::enumerate(needed))
      isNew |= i != j && others.assume(clause);
    std::optional<bool> known = isNew ? others.decide(needed[i]) : std::nullopt;
    if (known == false)
      return SmallVector<Value>();
    if (known)
      needed.erase(needed.begin() + i);
    changed |= known.has_value();
  }
  return changed ? std::optional(needed) : std::nullopt;
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

/// The form, if it is smaller than the value.
static std::optional<LinearForm> getIfSmaller(Rewriter &rewriter, Value value,
                                              const LinearForm &form) {
  IndexRewriter &own = getRewriter(rewriter);
  return measureSum(own, form) < measureAsWritten(own, value)
             ? std::optional(form)
             : std::nullopt;
}

/// The sum with its terms collected.
static std::optional<LinearForm> getSimplerSum(Rewriter &rewriter, Value sum) {
  if (!sum.getType().isIndex() || isInnerSum(sum))
    return std::nullopt;
  const LinearForm &form = getForm(rewriter, sum);
  // The sum itself stands for what cannot be added up.
  return form.getAtom() != sum ? getIfSmaller(rewriter, sum, form)
                               : std::nullopt;
}

static bool isNegativeConstant(Value c) {
  APInt number;
  return matchPattern(c, m_ConstantInt(&number)) && number.isNegative() &&
         number.getSExtValue() > -Interval::kModestEnd;
}

static bool isExact(Rewriter &rewriter, Value x) {
  return getFacts(rewriter).isExact(getForm(rewriter, x));
}
/// Whether the negated value fits as well.
static bool isNegatable(Rewriter &rewriter, Value x) {
  return isExact(rewriter, x) &&
         getFacts(rewriter).isExact(getForm(rewriter, x).negated());
}
static bool isNotNegative(Rewriter &rewriter, Value x) {
  return isExact(rewriter, x) &&
         getFacts(rewriter).isAtLeast(getForm(rewriter, x), 0);
}
static bool isNotPositive(Rewriter &rewriter, Value x) {
  return isNegatable(rewriter, x) &&
         getFacts(rewriter).isAtMost(getForm(rewriter, x), 0);
}
static bool isNotLess(Rewriter &rewriter, Value x, Value y) {
  if (!isExact(rewriter, x) || !isExact(rewriter, y))
    return false;
  LinearForm difference = getForm(rewriter, x);
  difference.subtract(getForm(rewriter, y));
  return getFacts(rewriter).isAtLeast(difference, 0);
}

/// What an integer that is cast to an index is.
static std::optional<LinearForm> getIndexNumber(Rewriter &rewriter,
                                                Value cast) {
  Value x = cast.getDefiningOp<CastOp>().getX();
  if (!cast.getType().isIndex() || !x.getType().isInteger())
    return std::nullopt;
  std::optional<LinearForm> number = getFacts(rewriter).getNumber(x);
  return number ? getIfSmaller(rewriter, cast, *number) : std::nullopt;
}

namespace {
#include "TinyGrad/Dialect/Tg/Transforms/IndexRules.inc"
} // namespace

FrozenRewritePatternSet mlir::tg::getIndexRules(MLIRContext *context) {
  RewritePatternSet patterns(context);
  populateWithGenerated(patterns);
  return std::move(patterns);
}
