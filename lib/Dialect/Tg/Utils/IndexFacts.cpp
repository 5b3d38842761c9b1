//===- IndexFacts.cpp - index values with symbolic sizes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums with dimensions as coefficients, their bounds, and what conditions say
/// of them.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/IndexFacts.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgConstantFold.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tg;

/// Conditions of more clauses are not looked at to the end.
static constexpr size_t kMaxFacts = 32;
/// How far integers of other types are followed to index values.
static constexpr unsigned kMaxCasts = 16;
/// Sums of more terms say nothing of each of them.
static constexpr size_t kMaxNarrowed = 8;

static bool isModest(const LinearForm &form) {
  return !form.saturated && tg::isModest(form.constant) &&
         llvm::all_of(form.terms,
                      [](auto &term) { return tg::isModest(term.second); });
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

const LinearForm &IndexFacts::getForm(Value index) {
  if (auto it = forms.find(index); it != forms.end())
    return *it->second;
  // A copy: intervals may be added to what the analysis knows.
  const LinearForm linear = analysis.getLinear(index);
  auto form = std::make_unique<LinearForm>(linear.constant);
  for (auto [atom, coefficient] : linear.terms) {
    if (std::optional<int64_t> number =
            analysis.getAtomInterval(atom).getSingle())
      form->addConstant(form->product(getDim(*number), coefficient));
    else
      form->terms.emplace_back(atom, coefficient);
  }
  if (!::isModest(*form)) {
    *form = LinearForm(context);
    form->addTerm(index, 1);
  }
  return *(forms[index] = std::move(form));
}

std::optional<LinearForm> IndexFacts::getNumber(Value integer) {
  return getNumber(integer, 0);
}

std::optional<LinearForm> IndexFacts::getNumber(Value integer, unsigned depth) {
  Type type = integer.getType();
  if (type.isIndex())
    return getForm(integer);
  if (!type.isInteger() || type.isInteger(1) || depth > kMaxCasts)
    return std::nullopt;
  APInt constant;
  if (matchPattern(integer, m_ConstantInt(&constant))) {
    if (isSignedInteger(type) ? !constant.isSignedIntN(61)
                              : !constant.isIntN(60))
      return std::nullopt;
    return LinearForm(context, isSignedInteger(type)
                                   ? constant.getSExtValue()
                                   : int64_t(constant.getZExtValue()));
  }
  Operation *op = integer.getDefiningOp();
  if (!isa_and_nonnull<CastOp, AddOp, SubOp, NegOp, MulOp>(op) ||
      !op->getOperand(0).getType().isIntOrIndex())
    return std::nullopt;
  std::optional<LinearForm> result = getNumber(op->getOperand(0), depth + 1);
  if (!result)
    return std::nullopt;
  if (isa<NegOp>(op))
    result = result->negated();
  if (op->getNumOperands() == 2) {
    std::optional<LinearForm> rhs = getNumber(op->getOperand(1), depth + 1);
    if (!rhs)
      return std::nullopt;
    if (isa<MulOp>(op)) {
      if (!rhs->isDim())
        std::swap(*result, *rhs);
      if (!rhs->isDim())
        return std::nullopt;
      LinearForm product(context);
      product.add(*result, rhs->constant);
      result = product;
    } else {
      result->add(*rhs, getDim(isa<AddOp>(op) ? 1 : -1));
    }
  }
  Interval interval = getInterval(*result);
  if (!::isModest(*result) || !interval.isModest() ||
      !Interval::getAll(type).contains(interval))
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Bounds
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

IndexFacts::Fact *IndexFacts::findFact(const LinearForm &form) {
  for (Fact &fact : facts)
    if (fact.form == form)
      return &fact;
  return nullptr;
}

std::pair<Dim, Dim> IndexFacts::getFactBounds(const LinearForm &part) {
  if (facts.empty() || part.terms.empty())
    return {};
  auto [form, divisor] = normalize(part);
  const Fact *fact = findFact(form);
  if (!fact)
    return {};
  auto times = [&](Dim end) {
    return end.getAttr() ? end * getDim(divisor) : end;
  };
  if (divisor > 0)
    return {times(fact->lo), times(fact->hi)};
  return {times(fact->hi), times(fact->lo)};
}

Interval IndexFacts::getInterval(const LinearForm &form) {
  auto withFacts = [&](const LinearForm &part) {
    Interval interval = analysis.getSumOfIntervals(part);
    auto [lo, hi] = getFactBounds(part);
    if (lo.getAttr())
      interval.lo = std::max(interval.lo, getBounds(lo).lo);
    if (hi.getAttr())
      interval.hi = std::min(interval.hi, getBounds(hi).hi);
    return interval;
  };
  if (facts.empty() || form.terms.size() > kMaxNarrowed)
    return analysis.getSumOfIntervals(form);
  const Interval constant = getBounds(form.constant);
  LinearForm whole(context);
  whole.terms = form.terms;
  Interval result = withFacts(whole);
  if (form.terms.size() > 2) {
    // Parts of one coefficient, such as a row and a column of an image.
    Interval sum(0);
    SmallVector<std::pair<Value, Dim>, 4> left(form.terms);
    while (!left.empty()) {
      Dim coefficient = left[0].second, opposite = coefficient * getDim(-1);
      LinearForm part(context);
      for (auto [atom, other] : left)
        if (other == coefficient || other == opposite)
          part.terms.emplace_back(atom, other);
      llvm::erase_if(left, [&](auto &term) {
        return term.second == coefficient || term.second == opposite;
      });
      sum = sum.addWrapped(withFacts(part));
    }
    result = result.intersect(sum);
  }
  return constant.addWrapped(result);
}

/// The end that is known to be the tighter one; `a` if neither is.
static Dim tighter(Dim a, Dim b, bool lower) {
  if (!a.getAttr() || !b.getAttr())
    return a.getAttr() ? a : b;
  Dim difference = lower ? b - a : a - b;
  return difference.getMin() >= 0 && !difference.is(0) ? b : a;
}

std::pair<Dim, Dim> IndexFacts::getAtomDimBounds(Value atom) {
  if (auto it = dimBounds.find(atom); it != dimBounds.end())
    return it->second;
  std::pair<Dim, Dim> bounds = computeAtomDimBounds(atom);
  return dimBounds[atom] = bounds;
}

std::pair<Dim, Dim> IndexFacts::computeAtomDimBounds(Value atom) {
  Interval interval = analysis.getAtomInterval(atom);
  auto getEnd = [&](Interval::Number end) {
    return Interval(end).isModest() ? getDim(static_cast<int64_t>(end)) : Dim();
  };
  Dim lo = getEnd(interval.lo), hi = getEnd(interval.hi);
  Operation *op = atom.getDefiningOp();
  if (auto range = dyn_cast_or_null<RangeOp>(op)) {
    Dim extent(range.getExtent());
    if (!extent.isStatic())
      hi = tighter(extent - getDim(1), hi, /*lower=*/false);
  } else if (isa_and_nonnull<FloorDivOp, FloorModOp>(op)) {
    const LinearForm &divisor = getForm(op->getOperand(1));
    if (divisor.isDim() && divisor.constant.getMin() > 0) {
      Dim by = divisor.constant;
      if (isa<FloorModOp>(op)) {
        if (!by.isStatic())
          hi = tighter(by - getDim(1), hi, /*lower=*/false);
      } else {
        auto [low, high] = getDimBounds(getForm(op->getOperand(0)));
        if (low.getAttr())
          lo = tighter(Dim::get(DimOpKind::floordiv, low, by), lo, true);
        if (high.getAttr())
          hi = tighter(Dim::get(DimOpKind::floordiv, high, by), hi, false);
      }
    }
  }
  LinearForm self(context);
  self.addTerm(atom, 1);
  auto [low, high] = getFactBounds(self);
  return {tighter(low, lo, /*lower=*/true), tighter(high, hi, false)};
}

std::pair<Dim, Dim> IndexFacts::getDimBounds(const LinearForm &form) {
  Dim lo = form.constant, hi = form.constant;
  for (auto [atom, coefficient] : form.terms) {
    auto [low, high] = getAtomDimBounds(atom);
    if (coefficient.getMax() <= 0)
      std::swap(low, high);
    else if (coefficient.getMin() < 0)
      low = high = Dim();
    lo = lo.getAttr() && low.getAttr() ? lo + low * coefficient : Dim();
    hi = hi.getAttr() && high.getAttr() ? hi + high * coefficient : Dim();
  }
  auto [low, high] = getFactBounds(form);
  if (low.getAttr())
    lo = tighter(low + form.constant, lo, /*lower=*/true);
  if (high.getAttr())
    hi = tighter(high + form.constant, hi, /*lower=*/false);
  if (lo.getAttr() && !tg::isModest(lo))
    lo = Dim();
  if (hi.getAttr() && !tg::isModest(hi))
    hi = Dim();
  return {lo, hi};
}

bool IndexFacts::isExact(const LinearForm &form) {
  if (form.getAtom())
    return true;
  return getInterval(form).isModest();
}

bool IndexFacts::isAtLeast(const LinearForm &form, Dim bound) {
  LinearForm difference = form;
  difference.constant = difference.constant - bound;
  if (getInterval(difference).lo >= 0)
    return true;
  if (!symbolic)
    return false;
  Dim lo = getDimBounds(difference).first;
  return lo.getAttr() && lo.getMin() >= 0;
}

bool IndexFacts::isAtMost(const LinearForm &form, Dim bound) {
  return isAtLeast(form.negated(), bound * getDim(-1));
}

std::optional<LinearForm> IndexFacts::getDifference(Operation *comparison) {
  std::optional<LinearForm> lhs = getNumber(comparison->getOperand(0));
  std::optional<LinearForm> rhs = getNumber(comparison->getOperand(1));
  if (!lhs || !rhs || !isExact(*lhs) || !isExact(*rhs))
    return std::nullopt;
  rhs->subtract(*lhs);
  return rhs;
}

std::optional<bool> IndexFacts::decide(Value condition) {
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
  const bool isPositive = isAtLeast(*difference, getDim(1));
  if (isa<CmpLtOp>(op)) {
    if (isPositive || isAtMost(*difference, getDim(0)))
      return isPositive;
  } else if (isPositive || isAtMost(*difference, getDim(-1))) {
    return isa<CmpNeOp>(op);
  } else if (isAtLeast(*difference, getDim(0)) &&
             isAtMost(*difference, getDim(0))) {
    return isa<CmpEqOp>(op);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

bool IndexFacts::assume(Value condition, bool holds) {
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
  dimBounds.clear();
  return isNew;
}

bool IndexFacts::assumeNotNegative(LinearForm form) {
  if (form.terms.empty() || !::isModest(form))
    return false;
  auto [key, divisor] = normalize(form);
  // divisor * key + constant >= 0
  Dim end = form.constant * getDim(-1);
  if (std::abs(divisor) != 1) {
    std::optional<int64_t> number = end.getStatic();
    if (!number)
      return false;
    end = getDim(divisor > 0 ? llvm::divideCeilSigned(*number, divisor)
                             : llvm::divideFloorSigned(*number, divisor));
  } else {
    end = end * getDim(divisor);
  }
  Fact *fact = findFact(key);
  if (!fact) {
    facts.push_back({key, Dim(), Dim()});
    fact = &facts.back();
  }
  if (divisor > 0)
    fact->lo = tighter(end, fact->lo, /*lower=*/true);
  else
    fact->hi = tighter(end, fact->hi, /*lower=*/false);
  narrowAtoms(form);
  return true;
}

/// Each atom of form >= 0 has a bound where the others are at their ends.
void IndexFacts::narrowAtoms(const LinearForm &form) {
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
    const Interval known = analysis.getAtomInterval(atom);
    Interval narrow = known;
    if (*number > 0)
      narrow.lo = std::max<Interval::Number>(
          known.lo, llvm::divideCeilSigned(-most, *number));
    else
      narrow.hi = std::min<Interval::Number>(
          known.hi, llvm::divideFloorSigned(-most, *number));
    if (!(narrow == known) && !narrow.isEmpty())
      analysis.setInterval(atom, narrow);
  }
}

void IndexFacts::forget(Value value) {
  forms.erase(value);
  dimBounds.erase(value);
  analysis.forget(value);
}
