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
#include "TinyGrad/Dialect/Tg/IR/TgConstantFold.h"
#include "TinyGrad/Dialect/Tg/IR/TgRewriteUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tg;

/// Clauses of a conjunction that are compared with each other.
static constexpr size_t kMostClauses = 16;
/// Remainders and quotients of a sum that are tried with each other.
static constexpr size_t kMostPairs = 8;

/// Rules are applied with an IndexRewriter alone.
static IndexRewriter &getRewriter(PatternRewriter &rewriter) {
  return static_cast<IndexRewriter &>(rewriter);
}
static IndexFacts &getFacts(PatternRewriter &rewriter) {
  return *getRewriter(rewriter).facts;
}

//===----------------------------------------------------------------------===//
// Parts of sums
//===----------------------------------------------------------------------===//

/// The positive number or dimension that a value is.
static std::optional<Dim> getPositive(IndexFacts &facts, Value value) {
  if (!value.getType().isIndex())
    return std::nullopt;
  const IndexForm &form = facts.getForm(value);
  if (!form.isDim() || form.constant.getMin() <= 0)
    return std::nullopt;
  return form.constant;
}

/// Bits of a quotient that are less to write down than a division.
static constexpr int kMostQuotientBits = 22;

/// Whether a quotient makes an expression smaller: bounds of values that may be
/// anything can give large numbers that stand nowhere in the expression.
static bool isShort(int64_t quotient, Dim constant) {
  auto getBits = [](int64_t number) {
    return llvm::bit_width(llvm::AbsoluteValue(number));
  };
  return getBits(quotient) <=
         kMostQuotientBits + getBits(constant.getStatic().value_or(0));
}

/// The q with q*c <= form < (q+1)*c.
static std::optional<int64_t> getOneQuotient(IndexFacts &facts,
                                             const IndexForm &form, Dim c) {
  if (!facts.isExact(form))
    return std::nullopt;
  if (std::optional<int64_t> number = c.getStatic()) {
    Interval interval = facts.getInterval(form);
    std::optional<int64_t> only = interval.floorDiv(*number).getSingle();
    if (only && interval.isModest() && isShort(*only, form.constant))
      return only;
  }
  Dim one = facts.getDim(1);
  if (facts.isAtLeast(form, facts.getDim(0)) && facts.isAtMost(form, c - one))
    return 0;
  if (facts.isAtLeast(form, c * facts.getDim(-1)) &&
      facts.isAtMost(form, facts.getDim(-1)))
    return -1;
  return std::nullopt;
}

namespace {
/// form = quotient * c + rest
struct Split {
  IndexForm quotient, rest;
};
} // namespace

/// Splits what c divides from a sum, the constant apart.
static Split splitTerms(const IndexForm &form, Dim c) {
  Split split{IndexForm(form.getContext(), 0), IndexForm(form.getContext(), 0)};
  for (auto [atom, coefficient] : form.terms) {
    if (std::optional<Dim> quotient = divideExactly(coefficient, c))
      split.quotient.terms.emplace_back(atom, *quotient);
    else
      split.rest.terms.emplace_back(atom, coefficient);
  }
  split.rest.constant = form.constant;
  return split;
}

/// The constant of the rest as a multiple of c and what is left, if either
/// vanishes or the quotient is a sum anyway.
static void splitConstant(Split &split, Dim c) {
  Dim constant = split.rest.constant;
  if (constant.is(0))
    return;
  Dim multiple = Dim::get(DimOpKind::floordiv, constant, c);
  Dim left = constant - multiple * c;
  if (!left.isStatic() || (!left.is(0) && split.quotient.terms.empty()))
    return;
  split.quotient.constant = split.quotient.constant + multiple;
  split.rest.constant = left;
}

/// (a*c + b) with something in a.
static std::optional<Split> getMultiples(IndexFacts &facts, Value x, Value c) {
  std::optional<Dim> divisor = getPositive(facts, c);
  if (!divisor || divisor->is(1))
    return std::nullopt;
  IndexForm form = facts.getForm(x);
  Split split = splitTerms(form, *divisor);
  splitConstant(split, *divisor);
  if (split.quotient.isDim() && split.quotient.constant.is(0))
    return std::nullopt;
  if (!facts.isExact(form) || !facts.isExact(split.rest))
    return std::nullopt;
  return split;
}

namespace {
/// x = a*g + b, where q*g <= b < (q+1)*g and g divides c.
struct SmallRest {
  Dim divisor, quotientOfC;
  int64_t q;
  IndexForm large, rest; // a, b
};
} // namespace

static std::optional<SmallRest> getSmallRest(IndexFacts &facts, Value x,
                                             Value cValue) {
  std::optional<Dim> c = getPositive(facts, cValue);
  if (!c || c->is(1))
    return std::nullopt;
  IndexForm form = facts.getForm(x);
  if (form.isDim() || !facts.isExact(form))
    return std::nullopt;
  // Divisors of c that divide some coefficient, the largest first.
  SmallVector<Dim, 4> candidates;
  for (auto [atom, coefficient] : form.terms) {
    Dim candidate = coefficient.isStatic() && c->isStatic()
                        ? facts.getDim(getCommonDivisor(coefficient, *c))
                        : coefficient;
    if (candidate.getMin() > 1 && candidate != *c &&
        !llvm::is_contained(candidates, candidate))
      candidates.push_back(candidate);
    if (candidates.size() == kMostPairs)
      break;
  }
  llvm::stable_sort(candidates,
                    [](Dim a, Dim b) { return a.getMax() > b.getMax(); });
  for (Dim g : candidates) {
    std::optional<Dim> other = divideExactly(*c, g);
    if (!other)
      continue;
    Split split = splitTerms(form, g);
    if (split.quotient.terms.empty())
      continue;
    std::optional<int64_t> q = getOneQuotient(facts, split.rest, g);
    // A quotient that no constant brings would make the expression longer.
    if (!q || (*q != 0 && split.rest.constant.is(0)))
      continue;
    return SmallRest{g, *other, *q, split.quotient, split.rest};
  }
  return std::nullopt;
}

/// The form with coefficients and constant reduced modulo c.
static IndexForm reduce(const IndexForm &form, Dim c) {
  IndexForm reduced(form.getContext(), 0);
  std::optional<int64_t> number = c.getStatic();
  auto reduceDim = [&](Dim dim) {
    std::optional<int64_t> value = dim.getStatic();
    if (number && value)
      return Dim(form.getContext(), *value % *number);
    std::optional<Dim> quotient = divideExactly(dim, c);
    return quotient ? Dim(form.getContext(), 0) : dim;
  };
  reduced.constant = reduceDim(form.constant);
  for (auto [atom, coefficient] : form.terms)
    reduced.addTerm(atom, reduceDim(coefficient));
  return reduced;
}

/// (x floormod (c*d)) in a sum becomes x.
static std::optional<IndexForm> getWithoutMods(IndexFacts &facts, Value x,
                                               Value cValue) {
  std::optional<Dim> c = getPositive(facts, cValue);
  if (!c)
    return std::nullopt;
  IndexForm form = facts.getForm(x), result(facts.getContext(), 0);
  result.constant = form.constant;
  bool changed = false;
  for (auto [atom, coefficient] : form.terms) {
    auto mod = atom.getDefiningOp<FloorModOp>();
    std::optional<Dim> divisor =
        mod ? getPositive(facts, mod.getRhs()) : std::nullopt;
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

//===----------------------------------------------------------------------===//
// Recombination
//===----------------------------------------------------------------------===//

namespace {
/// A term: coefficient * (dividend op divisor).
struct DivisionTerm {
  Value atom, dividend;
  Dim coefficient, divisor;
};
} // namespace

/// The sum that coefficient * (x floormod d) is part of a quotient times d, as
/// a multiple of the coefficient.
static std::optional<IndexForm>
combine(IndexFacts &facts, const DivisionTerm &mod, const DivisionTerm &div) {
  if (div.coefficient != mod.coefficient * mod.divisor)
    return std::nullopt;
  if (div.divisor == mod.divisor) {
    if (div.dividend == mod.dividend)
      return facts.getForm(div.dividend);
    // Of sums that differ by a multiple of the divisor.
    IndexForm x = facts.getForm(div.dividend), difference = x;
    difference.subtract(facts.getForm(mod.dividend));
    Split split = splitTerms(difference, mod.divisor);
    splitConstant(split, mod.divisor);
    if (!split.rest.isDim() || !split.rest.constant.is(0) ||
        !facts.isExact(x) || !facts.isExact(facts.getForm(mod.dividend)))
      return std::nullopt;
    return x;
  }
  // ((x floordiv c) floormod d) + (x floordiv (c*d)) * d is x floordiv c.
  auto inner = mod.dividend.getDefiningOp<FloorDivOp>();
  if (!inner || inner.getLhs() != div.dividend)
    return std::nullopt;
  std::optional<Dim> c = getPositive(facts, inner.getRhs());
  if (!c || *c * mod.divisor != div.divisor)
    return std::nullopt;
  return facts.getForm(mod.dividend);
}

static std::optional<IndexForm> getRecombined(IndexFacts &facts, Value sum) {
  IndexForm form = facts.getForm(sum);
  SmallVector<DivisionTerm> mods;
  // Quotients by what a remainder has to have in common with them.
  DenseMap<Attribute, SmallVector<DivisionTerm, 2>> divs;
  for (auto [atom, coefficient] : form.terms) {
    Operation *op = atom.getDefiningOp();
    if (!isa_and_nonnull<FloorDivOp, FloorModOp>(op))
      continue;
    std::optional<Dim> divisor = getPositive(facts, op->getOperand(1));
    if (!divisor)
      continue;
    DivisionTerm term{atom, op->getOperand(0), coefficient, *divisor};
    if (isa<FloorModOp>(op))
      mods.push_back(term);
    else
      divs[coefficient.getAttr()].push_back(term);
  }
  // All pairs at once: one after the other would take time of their number
  // times the length of the sum.
  DenseSet<Value> combined;
  IndexForm wholes(facts.getContext(), 0);
  for (const DivisionTerm &mod : llvm::reverse(mods)) {
    auto it = divs.find((mod.coefficient * mod.divisor).getAttr());
    if (it == divs.end())
      continue;
    SmallVector<DivisionTerm, 2> &candidates = it->second;
    size_t end = candidates.size();
    size_t begin = end - std::min(end, kMostPairs);
    for (size_t i = end; i-- > begin;) {
      std::optional<IndexForm> whole = combine(facts, mod, candidates[i]);
      if (!whole)
        continue;
      combined.insert(mod.atom);
      combined.insert(candidates[i].atom);
      wholes.constant = wholes.constant + whole->constant * mod.coefficient;
      for (auto [atom, coefficient] : whole->terms)
        wholes.terms.emplace_back(atom, coefficient * mod.coefficient);
      candidates.erase(candidates.begin() + i);
      break;
    }
  }
  if (combined.empty())
    return std::nullopt;
  llvm::erase_if(form.terms,
                 [&](auto &term) { return combined.contains(term.first); });
  form.constant = form.constant + wholes.constant;
  form.terms.append(wholes.terms);
  form.mergeTerms();
  return form;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// rhs - lhs of a comparison of integers; none where it does not say what the
/// comparison of 64 bits says.
static std::optional<IndexForm> getDifference(IndexFacts &facts,
                                              Operation *op) {
  std::optional<IndexForm> lhs = facts.getNumber(op->getOperand(0));
  std::optional<IndexForm> rhs = facts.getNumber(op->getOperand(1));
  if (!lhs || !rhs || !facts.isExact(*lhs) || !facts.isExact(*rhs))
    return std::nullopt;
  rhs->subtract(*lhs);
  return rhs;
}

/// The part of a constant that g divides for sure.
static Dim getMultiplePart(Dim constant, int64_t g) {
  Dim divisor(constant.getContext(), g);
  Dim rest = Dim::get(DimOpKind::mod, constant, divisor);
  if (rest.isStatic())
    return constant - rest;
  return Dim(constant.getContext(), 0);
}

/// difference > 0 (or == 0), divided by a factor that some terms have in common
/// and the others stay below.
static std::optional<IndexForm>
divideDifference(IndexFacts &facts, const IndexForm &difference, bool isLess) {
  SmallVector<int64_t, 4> factors;
  for (auto [atom, coefficient] : difference.terms) {
    std::optional<int64_t> number = coefficient.getStatic();
    if (number && std::abs(*number) > 1 &&
        !llvm::is_contained(factors, std::abs(*number)))
      factors.push_back(std::abs(*number));
    if (factors.size() == kMostPairs)
      break;
  }
  // What all have in common, for coefficients such as 4 and 6.
  int64_t common = 0;
  for (auto [atom, coefficient] : difference.terms)
    common = std::gcd(common, coefficient.getStatic().value_or(1));
  if (common > 1 && !llvm::is_contained(factors, common))
    factors.push_back(common);
  llvm::sort(factors, std::greater<>());
  for (int64_t g : factors) {
    Split split = splitTerms(difference, facts.getDim(g));
    Dim multiple = getMultiplePart(split.rest.constant, g);
    split.rest.constant = split.rest.constant - multiple;
    split.quotient.constant = *divideExactly(multiple, facts.getDim(g));
    Interval rest = facts.getInterval(split.rest);
    if (!rest.isModest())
      continue;
    if (isLess) {
      // g*a + b >= 1, so a + floor((b - 1) / g) >= 0
      std::optional<int64_t> only = (rest - 1).floorDiv(g).getSingle();
      if (!only)
        continue;
      split.quotient.constant =
          split.quotient.constant + facts.getDim(1 + *only);
      return split.quotient;
    }
    if (rest == 0)
      return split.quotient;
  }
  return std::nullopt;
}

/// The comparison as one of shorter sums.
static std::optional<SumComparison> getSimplerCompare(IndexRewriter &rewriter,
                                                      Operation *op) {
  IndexFacts &facts = *rewriter.facts;
  std::optional<IndexForm> difference = getDifference(facts, op);
  if (!difference || difference->isDim())
    return std::nullopt;
  if (std::optional<IndexForm> divided =
          divideDifference(facts, *difference, isa<CmpLtOp>(op)))
    difference = divided;
  SumComparison comparison(op->getName(), *difference);
  if (!facts.isExact(comparison.lhs) || !facts.isExact(comparison.rhs))
    return std::nullopt;
  rewriter.measure.forget(op->getResult(0));
  if (comparison.measure(rewriter, op->getName()) >=
      rewriter.measure.get(op->getResult(0)))
    return std::nullopt;
  return comparison;
}

namespace {
/// x floordiv c < d (`isFirst`), or d < x floordiv c, as a comparison of x.
struct QuotientCompare {
  Value dividend;
  Dim bound;
  bool isFirst;
};
} // namespace

static std::optional<QuotientCompare> getQuotientCompare(IndexFacts &facts,
                                                         Value lessThan) {
  auto op = lessThan.getDefiningOp<CmpLtOp>();
  if (!op || !op.getLhs().getType().isIndex())
    return std::nullopt;
  for (bool isFirst : {true, false}) {
    Value side = isFirst ? op.getLhs() : op.getRhs();
    const IndexForm &other = facts.getForm(isFirst ? op.getRhs() : op.getLhs());
    auto div = facts.getForm(side).getAtom()
                   ? facts.getForm(side).getAtom().getDefiningOp<FloorDivOp>()
                   : FloorDivOp();
    if (!div || !other.isDim())
      continue;
    std::optional<Dim> c = getPositive(facts, div.getRhs());
    if (!c || !facts.isExact(facts.getForm(div.getLhs())))
      continue;
    Dim bound = other.constant * *c;
    if (!isFirst)
      bound = (other.constant + facts.getDim(1)) * *c - facts.getDim(1);
    if (isModest(bound))
      return QuotientCompare{div.getLhs(), bound, isFirst};
  }
  return std::nullopt;
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

static std::optional<Clauses> getNeededClauses(IndexRewriter &rewriter,
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
  if (clauses.needed.size() <= kMostClauses) {
    // The last ones first: what came first is what others build on.
    for (size_t i = clauses.needed.size(); i-- > 0;) {
      Operation *op = clauses.needed[i].getDefiningOp();
      if (!isa_and_nonnull<CmpLtOp, CmpEqOp, CmpNeOp>(op) ||
          !op->getOperand(0).getType().isIntOrIndex())
        continue;
      IndexFacts others(rewriter.getContext(), rewriter.symbolic);
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

//===----------------------------------------------------------------------===//
// What IndexRules.td calls
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

namespace mlir::tg::index_rules {
using Rewriter = PatternRewriter;

static Value sumAt(Rewriter &rewriter, Value root, const IndexForm &form) {
  return buildSum(getRewriter(rewriter), root.getLoc(), form);
}
static Value numberAt(Rewriter &rewriter, Value root, Dim number) {
  return sumAt(rewriter, root, IndexForm(number));
}

static bool isSimplerSum(Rewriter &rewriter, Value sum) {
  if (!sum.getType().isIndex() || isInnerSum(sum))
    return false;
  IndexRewriter &own = getRewriter(rewriter);
  const IndexForm &form = own.facts->getForm(sum);
  // The sum itself stands for what cannot be added up.
  return form.getAtom() != sum &&
         measureSum(own, form) < measureAsWritten(own, sum);
}
static Value makeSum(Rewriter &rewriter, Value sum) {
  return sumAt(rewriter, sum, getFacts(rewriter).getForm(sum));
}

static bool canRecombine(Rewriter &rewriter, Value sum) {
  return sum.getType().isIndex() && !isInnerSum(sum) &&
         getRecombined(getFacts(rewriter), sum).has_value();
}
static Value recombine(Rewriter &rewriter, Value sum) {
  return sumAt(rewriter, sum, *getRecombined(getFacts(rewriter), sum));
}

static bool hasOneValue(Rewriter &rewriter, Value value) {
  if (!value.getType().isIndex() || isInnerSum(value))
    return false;
  const IndexForm &form = getFacts(rewriter).getForm(value);
  return form.isDim() && form.constant.isStatic();
}
static Value makeOneValue(Rewriter &rewriter, Value value) {
  return numberAt(rewriter, value, getFacts(rewriter).getForm(value).constant);
}

static bool hasOneQuotient(Rewriter &rewriter, Value x, Value c) {
  IndexFacts &facts = getFacts(rewriter);
  std::optional<Dim> divisor = getPositive(facts, c);
  return divisor && getOneQuotient(facts, facts.getForm(x), *divisor);
}
static Value makeOneQuotient(Rewriter &rewriter, Value root, Value x, Value c) {
  IndexFacts &facts = getFacts(rewriter);
  return numberAt(rewriter, root,
                  facts.getDim(*getOneQuotient(facts, facts.getForm(x),
                                               *getPositive(facts, c))));
}
static Value makeOneRemainder(Rewriter &rewriter, Value root, Value x,
                              Value c) {
  IndexFacts &facts = getFacts(rewriter);
  IndexForm form = facts.getForm(x);
  Dim divisor = *getPositive(facts, c);
  int64_t quotient = *getOneQuotient(facts, form, divisor);
  form.constant = form.constant - divisor * facts.getDim(quotient);
  return sumAt(rewriter, root, form);
}

static bool hasMultiples(Rewriter &rewriter, Value x, Value c) {
  return getMultiples(getFacts(rewriter), x, c).has_value();
}
static Value makeMultiplesOver(Rewriter &rewriter, Value root, Value x,
                               Value c) {
  return sumAt(rewriter, root,
               getMultiples(getFacts(rewriter), x, c)->quotient);
}
static Value makeRest(Rewriter &rewriter, Value root, Value x, Value c) {
  return sumAt(rewriter, root, getMultiples(getFacts(rewriter), x, c)->rest);
}

static bool hasSmallRest(Rewriter &rewriter, Value x, Value c) {
  return getSmallRest(getFacts(rewriter), x, c).has_value();
}
static Value makeLargeTerms(Rewriter &rewriter, Value root, Value x, Value c) {
  IndexFacts &facts = getFacts(rewriter);
  SmallRest split = *getSmallRest(facts, x, c);
  split.large.constant = facts.getDim(split.q);
  return sumAt(rewriter, root, split.large);
}
static Value makeSmallerDivisor(Rewriter &rewriter, Value root, Value x,
                                Value c) {
  return numberAt(rewriter, root,
                  getSmallRest(getFacts(rewriter), x, c)->quotientOfC);
}
static Value makeCommonDivisor(Rewriter &rewriter, Value root, Value x,
                               Value c) {
  return numberAt(rewriter, root,
                  getSmallRest(getFacts(rewriter), x, c)->divisor);
}
static Value makeSmallRest(Rewriter &rewriter, Value root, Value x, Value c) {
  IndexFacts &facts = getFacts(rewriter);
  SmallRest split = *getSmallRest(facts, x, c);
  split.rest.constant =
      split.rest.constant - split.divisor * facts.getDim(split.q);
  return sumAt(rewriter, root, split.rest);
}

static bool isPositiveDim(Rewriter &rewriter, Value c) {
  return getPositive(getFacts(rewriter), c).has_value();
}
static bool isNegativeConstant(Rewriter &rewriter, Value c) {
  APInt number;
  return matchPattern(c, m_ConstantInt(&number)) && number.isNegative() &&
         number.getSExtValue() > -Interval::kModestEnd;
}
static bool fitsProduct(Rewriter &rewriter, Value c, Value d) {
  IndexFacts &facts = getFacts(rewriter);
  return isModest(*getPositive(facts, c) * *getPositive(facts, d));
}
static Value makeProduct(Rewriter &rewriter, Value root, Value c, Value d) {
  IndexFacts &facts = getFacts(rewriter);
  return numberAt(rewriter, root,
                  *getPositive(facts, c) * *getPositive(facts, d));
}
static bool divides(Rewriter &rewriter, Value c, Value cd) {
  IndexFacts &facts = getFacts(rewriter);
  std::optional<Dim> divisor = getPositive(facts, c);
  return divisor && !divisor->is(1) &&
         divideExactly(*getPositive(facts, cd), *divisor);
}
static Value makeExactQuotient(Rewriter &rewriter, Value root, Value cd,
                               Value c) {
  IndexFacts &facts = getFacts(rewriter);
  return numberAt(
      rewriter, root,
      *divideExactly(*getPositive(facts, cd), *getPositive(facts, c)));
}
static bool isExact(Rewriter &rewriter, Value x) {
  IndexFacts &facts = getFacts(rewriter);
  const IndexForm &form = facts.getForm(x);
  // Also what it is negated.
  return facts.isExact(form) && facts.isExact(form.negated());
}
static Value makeNegated(Rewriter &rewriter, Value root, Value x) {
  return sumAt(rewriter, root, getFacts(rewriter).getForm(x).negated());
}

static bool hasReducibleTerms(Rewriter &rewriter, Value x, Value c) {
  IndexFacts &facts = getFacts(rewriter);
  std::optional<Dim> divisor = getPositive(facts, c);
  if (!divisor)
    return false;
  const IndexForm &form = facts.getForm(x);
  IndexForm reduced = reduce(form, *divisor);
  return !(reduced == form) && facts.isExact(form) && facts.isExact(reduced);
}
static Value makeReduced(Rewriter &rewriter, Value root, Value x, Value c) {
  IndexFacts &facts = getFacts(rewriter);
  return sumAt(rewriter, root,
               reduce(facts.getForm(x), *getPositive(facts, c)));
}
static bool hasMods(Rewriter &rewriter, Value x, Value c) {
  return getWithoutMods(getFacts(rewriter), x, c).has_value();
}
static Value makeWithoutMods(Rewriter &rewriter, Value root, Value x, Value c) {
  return sumAt(rewriter, root, *getWithoutMods(getFacts(rewriter), x, c));
}

static bool isNotNegative(Rewriter &rewriter, Value x) {
  IndexFacts &facts = getFacts(rewriter);
  const IndexForm &form = facts.getForm(x);
  return facts.isExact(form) && facts.isAtLeast(form, facts.getDim(0));
}
static bool isNotPositive(Rewriter &rewriter, Value x) {
  IndexFacts &facts = getFacts(rewriter);
  const IndexForm &form = facts.getForm(x);
  return isExact(rewriter, x) && facts.isAtMost(form, facts.getDim(0));
}

static bool isDecided(Rewriter &rewriter, Value comparison) {
  return getFacts(rewriter).decide(comparison).has_value();
}
static Value makeBool(Rewriter &rewriter, Value root, bool value) {
  return ConstOp::create(rewriter, root.getLoc(), root.getType(),
                         TypedAttr(rewriter.getBoolAttr(value)));
}
static Value makeDecision(Rewriter &rewriter, Value comparison) {
  return makeBool(rewriter, comparison, *getFacts(rewriter).decide(comparison));
}
static bool isSimplerCompare(Rewriter &rewriter, Value comparison) {
  return getSimplerCompare(getRewriter(rewriter), comparison.getDefiningOp())
      .has_value();
}
static Value makeSimplerCompare(Rewriter &rewriter, Value comparison) {
  Operation *op = comparison.getDefiningOp();
  IndexRewriter &own = getRewriter(rewriter);
  return getSimplerCompare(own, op)->build(own, op->getLoc(), op->getName());
}
static bool comparesQuotient(Rewriter &rewriter, Value comparison) {
  return getQuotientCompare(getFacts(rewriter), comparison).has_value();
}
static Value makeCompareDividend(Rewriter &rewriter, Value comparison) {
  QuotientCompare compare = *getQuotientCompare(getFacts(rewriter), comparison);
  Value bound = numberAt(rewriter, comparison, compare.bound);
  Value lhs = compare.isFirst ? compare.dividend : bound;
  Value rhs = compare.isFirst ? bound : compare.dividend;
  return CmpLtOp::create(rewriter, comparison.getLoc(), lhs, rhs);
}

static bool isNotLess(Rewriter &rewriter, Value x, Value y) {
  IndexFacts &facts = getFacts(rewriter);
  IndexForm lhs = facts.getForm(x), rhs = facts.getForm(y);
  if (!facts.isExact(lhs) || !facts.isExact(rhs))
    return false;
  lhs.subtract(rhs);
  return facts.isAtLeast(lhs, facts.getDim(0));
}

static bool hasImpliedClause(Rewriter &rewriter, Value conjunction) {
  return getNeededClauses(getRewriter(rewriter), conjunction).has_value();
}
static Value makeNeededClauses(Rewriter &rewriter, Value conjunction) {
  Clauses clauses = *getNeededClauses(getRewriter(rewriter), conjunction);
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

static bool isIndexNumber(Rewriter &rewriter, Value cast) {
  if (!cast.getType().isIndex())
    return false;
  IndexRewriter &own = getRewriter(rewriter);
  Value x = cast.getDefiningOp<CastOp>().getX();
  std::optional<IndexForm> number =
      x.getType().isInteger() ? own.facts->getNumber(x) : std::nullopt;
  return number && measureSum(own, *number) < measureAsWritten(own, cast);
}
static Value makeIndexNumber(Rewriter &rewriter, Value cast) {
  Value x = cast.getDefiningOp<CastOp>().getX();
  return sumAt(rewriter, cast, *getFacts(rewriter).getNumber(x));
}

} // namespace mlir::tg::index_rules

namespace {
#include "TinyGrad/Dialect/Tg/Transforms/IndexRules.inc"
} // namespace

void mlir::tg::populateIndexRules(RewritePatternSet &patterns) {
  populateWithGenerated(patterns);
}
