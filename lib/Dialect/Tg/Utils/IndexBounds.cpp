//===- IndexBounds.cpp - bounds of index values ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bounds of index values as numbers and as dimensions, and what conditions
/// imply for them.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tg;

/// Conditions of more clauses are not looked at to the end.
static constexpr size_t kMaxFacts = 32;
/// Sums of more terms say nothing of each of them.
static constexpr size_t kMaxNarrowed = 8;
/// Bits by which a quotient may be longer than what is divided: bounds of
/// values that may be anything can give large numbers that stand nowhere in the
/// expression.
static constexpr int kMaxQuotientBits = 22;

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

Interval mlir::tg::getBounds(Dim dim) {
  if (std::optional<int64_t> number = dim.getStatic())
    return *number;
  const Interval bounds(dim.getMin(), dim.getMax()), all = Interval::getInt64();
  return {bounds.lo > all.lo ? bounds.lo : -Interval::kUnbounded,
          bounds.hi < all.hi ? bounds.hi : Interval::kUnbounded};
}

static bool isKnown(Dim end) { return end.getContext(); }
static bool isSymbolic(Dim end) { return isKnown(end) && !end.isStatic(); }

void IndexAnalysis::Ends::tighten(const Ends &other) {
  // Whether x - y is known to be positive.
  auto isGreater = [](Dim x, Dim y) {
    Dim difference = x - y;
    return difference.getMin() >= 0 && !difference.is(0);
  };
  if (isKnown(other.lo) && isModest(other.lo) &&
      !(isKnown(lo) && isGreater(lo, other.lo)))
    lo = other.lo;
  if (isKnown(other.hi) && isModest(other.hi) &&
      !(isKnown(hi) && isGreater(other.hi, hi)))
    hi = other.hi;
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

const IndexAnalysis::Bounds &IndexAnalysis::getBounds(Value atom) {
  // Each atom once: quotients of sums of quotients go deep.
  return getOrCompute(bounds, atom, [&](Value current, auto need) -> Bounds {
    bool isReady = true;
    if (auto op = current.getDefiningOp<InferIntRangeInterface>())
      for (Value operand : op->getOperands()) {
        if (operand.getType().isIndex())
          for (auto [needed, coefficient] : getLinear(operand).terms)
            isReady &= need(needed) != nullptr;
        else if (operand.getType().isInteger())
          isReady &= need(operand) != nullptr;
      }
    return isReady ? computeBounds(current) : Bounds();
  });
}

/// The interval of a value that is used only where a condition holds, from
/// comparisons of the value itself.
Interval IndexAnalysis::getIntervalWhere(Value value, Value condition) {
  constexpr size_t kMaxClauses = 8;
  Interval result = getInterval(value);
  const SmallVector<Value> clauses = getConjuncts(condition);
  for (Value clause : ArrayRef(clauses).take_front(kMaxClauses)) {
    auto less = clause.getDefiningOp<CmpLtOp>();
    if (!less || !less.getLhs().getType().isIndex())
      continue;
    if (less.getLhs() == value)
      result.hi = std::min(result.hi, getInterval(less.getRhs()).hi - 1);
    if (less.getRhs() == value)
      result.lo = std::max(result.lo, getInterval(less.getLhs()).lo + 1);
  }
  // Never chosen: any bounds will do.
  return result.isEmpty() ? getInterval(value) : result;
}

/// The bounds of an atom whose operands' atoms have theirs.
IndexAnalysis::Bounds IndexAnalysis::computeBounds(Value atom) {
  Type type = atom.getType();
  Operation *op = atom.getDefiningOp();
  Bounds result{Interval::getAll(type), {}};
  if (auto it = narrowed.find(atom); it != narrowed.end()) {
    result.interval = it->second;
  } else if (isa_and_nonnull<InferIntRangeInterface>(op)) {
    SmallVector<Interval, 3> operands;
    for (Value operand : op->getOperands()) {
      Type operandType = operand.getType();
      operands.push_back(operandType.isIndex()     ? getInterval(operand)
                         : operandType.isInteger() ? getAtomInterval(operand)
                                                   : Interval());
    }
    if (auto where = dyn_cast<WhereOp>(op);
        where && type.isIndex() && where.getX() != where.getY())
      operands[1] = getIntervalWhere(where.getX(), where.getCondition());
    result.interval = inferInterval(op, operands);
  }
  if (!type.isIndex())
    return result;

  auto [lo, hi] = result.interval;
  const Dim one(atom.getContext(), 1);
  if (Interval(lo).isModest())
    result.ends.lo = Dim(atom.getContext(), static_cast<int64_t>(lo));
  if (Interval(hi).isModest())
    result.ends.hi = Dim(atom.getContext(), static_cast<int64_t>(hi));
  Ends symbolic;
  if (auto range = dyn_cast_or_null<RangeOp>(op)) {
    if (Dim extent(range.getExtent()); !extent.isStatic())
      symbolic.hi = extent - one;
  } else if (isa_and_nonnull<FloorDivOp, FloorModOp>(op)) {
    std::optional<Dim> divisor = getPositive(op->getOperand(1));
    if (divisor && isa<FloorModOp>(op) && !divisor->isStatic())
      symbolic.hi = *divisor - one;
    if (divisor && isa<FloorDivOp>(op)) {
      const LinearForm dividend = getLinear(op->getOperand(0));
      if ((!divisor->isStatic() || isSymbolic(dividend)) && isExact(dividend)) {
        symbolic = getEnds(dividend);
        for (Dim *end : {&symbolic.lo, &symbolic.hi})
          if (isKnown(*end))
            *end = Dim::get(DimOpKind::floordiv, *end, *divisor);
      }
    }
  }
  result.ends.tighten(symbolic);
  if (!facts.empty())
    result.ends.tighten(getFactEnds(LinearForm(atom)));
  return result;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

bool IndexAnalysis::isSymbolic(const LinearForm &form) {
  return !form.constant.isStatic() || llvm::any_of(form.terms, [&](auto &term) {
    const Ends &ends = getBounds(term.first).ends;
    return !term.second.isStatic() || ::isSymbolic(ends.lo) ||
           ::isSymbolic(ends.hi);
  });
}

IndexAnalysis::Ends IndexAnalysis::getEnds(const LinearForm &form) {
  Ends ends{form.constant, form.constant};
  for (auto [atom, coefficient] : form.terms) {
    Ends factor = getBounds(atom).ends;
    if (coefficient.getMax() <= 0)
      std::swap(factor.lo, factor.hi);
    else if (coefficient.getMin() < 0)
      return {};
    for (auto [end, step] :
         {std::pair(&ends.lo, factor.lo), std::pair(&ends.hi, factor.hi)}) {
      // No part of the sum may saturate.
      *end = isKnown(*end) && isKnown(step) ? *end + step * coefficient : Dim();
      if (isKnown(*end) && !isModest(*end))
        *end = Dim();
    }
  }
  ends.tighten(getFactEnds(form));
  return ends;
}

Interval IndexAnalysis::getSumOfIntervals(const LinearForm &form) {
  Interval sum = tg::getBounds(form.constant);
  for (const auto &[atom, coefficient] : form.terms) {
    Interval term = getAtomInterval(atom);
    if (!coefficient.is(1))
      term = term.mulWrapped(tg::getBounds(coefficient));
    sum = sum.addWrapped(term);
  }
  return sum;
}

Interval IndexAnalysis::getNumericInterval(const LinearForm &form) {
  Interval interval = getSumOfIntervals(form);
  if (facts.empty() || form.terms.size() > kMaxNarrowed)
    return interval;
  Ends known = getFactEnds(form);
  if (isKnown(known.lo))
    interval.lo = std::max(interval.lo, tg::getBounds(known.lo).lo);
  if (isKnown(known.hi))
    interval.hi = std::min(interval.hi, tg::getBounds(known.hi).hi);
  return interval;
}

Interval IndexAnalysis::getInterval(const LinearForm &form) {
  Interval interval = getNumericInterval(form);
  // A bound on one side does not exclude that the sum wraps around.
  if (!facts.empty() && !interval.isModest() && !form.getAtom())
    interval = getSumOfIntervals(form);
  if (!isSymbolic(form))
    return interval;
  auto [lo, hi] = getEnds(form);
  if (!isKnown(lo) || !isKnown(hi))
    return interval;
  Interval both = interval.intersect({lo.getMin(), hi.getMax()});
  return both.isEmpty() ? interval : both;
}

Interval IndexAnalysis::getInterval(Value index) {
  // A copy: computing the bounds of an atom may grow the cache.
  const LinearForm form = getLinear(index);
  return getInterval(form);
}

bool IndexAnalysis::isExact(const LinearForm &form) {
  return form.getAtom() || getInterval(form).isModest();
}

bool IndexAnalysis::isBounded(const LinearForm &form, Dim bound, bool isLower) {
  auto holds = [&](Interval interval, int64_t end) {
    return isLower ? interval.lo >= end : interval.hi <= end;
  };
  if (std::optional<int64_t> number = bound.getStatic()) {
    if (holds(getNumericInterval(form), *number))
      return true;
    if (!isSymbolic(form))
      return false;
  }
  LinearForm difference = form;
  difference.constant = difference.constant - bound;
  if (holds(getNumericInterval(difference), 0))
    return true;
  auto [lo, hi] = getEnds(difference);
  return isLower ? isKnown(lo) && lo.getMin() >= 0
                 : isKnown(hi) && hi.getMax() <= 0;
}

std::optional<int64_t> IndexAnalysis::getOnlyQuotient(const LinearForm &form,
                                                      Dim divisor) {
  if (!isExact(form))
    return std::nullopt;
  if (std::optional<int64_t> number = divisor.getStatic()) {
    Interval interval = getInterval(form);
    std::optional<int64_t> only = interval.floorDiv(*number).getSingle();
    auto getBits = [](int64_t number) {
      return llvm::bit_width(llvm::AbsoluteValue(number));
    };
    if (only && interval.isModest() &&
        getBits(*only) <=
            kMaxQuotientBits + getBits(form.constant.getStatic().value_or(0)))
      return only;
  }
  const Dim one(form.getContext(), 1);
  if (isAtLeast(form, 0) && isAtMost(form, divisor - one))
    return 0;
  if (isAtMost(form, -1) &&
      isAtLeast(form, divisor * Dim(form.getContext(), -1)))
    return -1;
  return std::nullopt;
}

std::optional<LinearForm> IndexAnalysis::getDifference(Operation *comparison) {
  std::optional<LinearForm> lhs = getNumber(comparison->getOperand(0));
  std::optional<LinearForm> rhs = getNumber(comparison->getOperand(1));
  if (!lhs || !rhs || !isExact(*lhs) || !isExact(*rhs))
    return std::nullopt;
  rhs->subtract(*lhs);
  return rhs;
}

std::optional<bool> IndexAnalysis::decide(Value condition) {
  Operation *op = condition.getDefiningOp();
  if (!op)
    return std::nullopt;
  APInt constant;
  if (matchPattern(condition, m_ConstantInt(&constant)))
    return constant.getBoolValue();
  if (!isa<CmpLtOp, CmpEqOp, CmpNeOp>(op))
    return std::nullopt;
  std::optional<LinearForm> difference = getDifference(op);
  if (!difference)
    return std::nullopt;
  const bool isPositive = isAtLeast(*difference, 1);
  if (isa<CmpLtOp>(op)) {
    if (isPositive || isAtMost(*difference, 0))
      return isPositive;
  } else if (isPositive || isAtMost(*difference, -1)) {
    return isa<CmpNeOp>(op);
  } else if (isAtLeast(*difference, 0) && isAtMost(*difference, 0)) {
    return isa<CmpEqOp>(op);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

bool IndexAnalysis::assume(Value condition, bool holds) {
  bool isNew = false;
  SmallVector<std::pair<Value, bool>> conditions{{condition, holds}};
  llvm::DenseSet<Value> seen[2];
  while (!conditions.empty() && facts.size() < kMaxFacts) {
    auto [value, isTrue] = conditions.pop_back_val();
    // Conditions may share operands.
    if (!seen[isTrue].insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (isTrue ? isa_and_nonnull<AndOp>(op) : isa_and_nonnull<OrOp>(op)) {
      for (Value operand : op->getOperands())
        conditions.push_back({operand, isTrue});
      continue;
    }
    if (auto negation = dyn_cast_or_null<XorOp>(op)) {
      if (matchPattern(negation.getRhs(), m_One()) &&
          negation.getType().isInteger(1))
        conditions.push_back({negation.getLhs(), !isTrue});
      continue;
    }
    if (!isa_and_nonnull<CmpLtOp, CmpEqOp, CmpNeOp>(op))
      continue;
    std::optional<LinearForm> difference = getDifference(op);
    if (!difference)
      continue;
    if (isa<CmpLtOp>(op)) {
      if (!isTrue)
        difference = difference->negated();
      else
        difference->addConstant(-1);
      isNew |= assumeNotNegative(*difference);
    } else if (isa<CmpEqOp>(op) == isTrue) {
      isNew |= assumeNotNegative(*difference);
      isNew |= assumeNotNegative(difference->negated());
    }
  }
  forms.clear();
  bounds.clear();
  return isNew;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// A form without constant, divided by what divides all coefficients and with a
/// positive coefficient for the first of the atoms in some fixed order; and
/// what it was divided by.
static std::pair<LinearForm, int64_t> normalize(const LinearForm &form) {
  LinearForm result(form.getContext());
  result.terms = form.terms;
  if (result.terms.empty())
    return {result, 1};
  int64_t divisor = 0;
  for (auto [atom, coefficient] : form.terms) {
    std::optional<int64_t> number = coefficient.getStatic();
    divisor = number ? std::gcd(divisor, *number) : 1;
    if (divisor == 1)
      break;
  }
  auto first =
      llvm::min_element(result.terms, [](const auto &a, const auto &b) {
        return a.first.getAsOpaquePointer() < b.first.getAsOpaquePointer();
      });
  if (first->second.getMax() < 0)
    divisor = -divisor;
  if (divisor != 1)
    for (auto &[atom, coefficient] : result.terms)
      coefficient =
          std::abs(divisor) == 1
              ? coefficient * Dim(form.getContext(), divisor)
              : Dim(form.getContext(), *coefficient.getStatic() / divisor);
  return {result, divisor};
}

IndexAnalysis::Fact *IndexAnalysis::findFact(const LinearForm &form) {
  auto *fact = llvm::find_if(facts, [&](Fact &f) { return f.form == form; });
  return fact == facts.end() ? nullptr : fact;
}

IndexAnalysis::Ends IndexAnalysis::getFactEnds(const LinearForm &part) {
  if (facts.empty() || part.terms.empty())
    return {};
  auto [form, divisor] = normalize(part);
  const Fact *fact = findFact(form);
  if (!fact)
    return {};
  Ends ends = fact->ends;
  for (Dim *end : {&ends.lo, &ends.hi})
    if (isKnown(*end))
      *end = *end * Dim(form.getContext(), divisor) + part.constant;
  if (divisor < 0)
    std::swap(ends.lo, ends.hi);
  return ends;
}

bool IndexAnalysis::assumeNotNegative(const LinearForm &form) {
  if (form.terms.empty() || !isModest(form))
    return false;
  auto [key, divisor] = normalize(form);
  // divisor * key + constant >= 0
  Dim end = form.constant * Dim(form.getContext(), -1);
  if (std::abs(divisor) != 1) {
    std::optional<int64_t> number = end.getStatic();
    if (!number)
      return false;
    end = Dim(form.getContext(),
              divisor > 0 ? llvm::divideCeilSigned(*number, divisor)
                          : llvm::divideFloorSigned(*number, divisor));
  } else {
    end = end * Dim(form.getContext(), divisor);
  }
  Fact *fact = findFact(key);
  if (!fact)
    fact = &facts.emplace_back(Fact{key, {}});
  fact->ends.tighten(divisor > 0 ? Ends{end, Dim()} : Ends{Dim(), end});
  narrowAtoms(form);
  return true;
}

/// Each atom of form >= 0 has a bound where the others are at their ends.
void IndexAnalysis::narrowAtoms(const LinearForm &form) {
  if (form.terms.size() > kMaxNarrowed)
    return;
  for (auto [atom, coefficient] : form.terms) {
    std::optional<int64_t> number = coefficient.getStatic();
    if (!number)
      continue;
    // coefficient * atom >= -most
    LinearForm others = form;
    others.addTerm(atom, -*number);
    const int64_t most = getInterval(others).getMax();
    if (!Interval(most).isModest())
      continue;
    const Interval known = getAtomInterval(atom);
    Interval narrow = known;
    if (*number > 0)
      narrow.lo = std::max<Interval::Number>(
          known.lo, llvm::divideCeilSigned(-most, *number));
    else
      narrow.hi = std::min<Interval::Number>(
          known.hi, llvm::divideFloorSigned(-most, *number));
    if (!(narrow == known) && !narrow.isEmpty())
      setInterval(atom, narrow);
  }
}
