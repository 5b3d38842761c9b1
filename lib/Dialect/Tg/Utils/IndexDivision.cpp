//===- IndexDivision.cpp - quotients and remainders of sums ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the builder and the rules of index arithmetic know of quotients and
/// remainders.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include <numeric>
#include <tuple>

using namespace mlir;
using namespace mlir::tg;

/// Factors, remainders and quotients of a sum that are tried.
static constexpr size_t kMaxTried = 8;

//===----------------------------------------------------------------------===//
// Common factors
//===----------------------------------------------------------------------===//

SmallVector<Dim, 4> mlir::tg::getCommonFactors(const LinearForm &form, Dim c) {
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

std::optional<SmallRest> mlir::tg::findSmallRest(IndexAnalysis &analysis,
                                                 const LinearForm &x, Dim c) {
  for (Dim g : getCommonFactors(x, c)) {
    std::optional<Dim> quotientOfC = divideExactly(c, g);
    if (!quotientOfC)
      continue;
    auto [large, rest] = splitTerms(x, g);
    std::tie(large.constant, rest.constant) = divideTerms(x.constant, g);
    std::optional<int64_t> q = analysis.getOnlyQuotient(rest, g);
    // A quotient that no constant brings would make the expression longer.
    if (!q || (*q != 0 && x.constant.is(0)))
      continue;
    large.addConstant(*q);
    rest.add(LinearForm(g), -*q);
    return SmallRest{g, *quotientOfC, large, rest};
  }
  return std::nullopt;
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
static std::optional<LinearForm> combine(IndexAnalysis &analysis,
                                         const DivisionTerm &mod,
                                         const DivisionTerm &div) {
  if (div.coefficient != mod.coefficient * mod.divisor)
    return std::nullopt;
  if (div.divisor == mod.divisor) {
    if (div.dividend == mod.dividend)
      return analysis.getLinear(div.dividend);
    // Of sums that differ by a multiple of the divisor.
    LinearForm x = analysis.getLinear(div.dividend), difference = x;
    difference.subtract(analysis.getLinear(mod.dividend));
    Split split = splitTerms(difference, mod.divisor);
    if (!split.rest.isDim() ||
        !divideTerms(split.rest.constant, mod.divisor).second.is(0) ||
        difference.saturated || !analysis.isExact(x) ||
        !analysis.isExact(analysis.getLinear(mod.dividend)))
      return std::nullopt;
    return x;
  }
  // ((x floordiv c) floormod d) + (x floordiv (c*d)) * d is x floordiv c.
  auto inner = mod.dividend.getDefiningOp<FloorDivOp>();
  if (!inner || inner.getLhs() != div.dividend)
    return std::nullopt;
  std::optional<Dim> c = analysis.getPositive(inner.getRhs());
  if (!c || *c * mod.divisor != div.divisor)
    return std::nullopt;
  return analysis.getLinear(mod.dividend);
}

std::optional<LinearForm> mlir::tg::recombine(IndexAnalysis &analysis,
                                              LinearForm form) {
  SmallVector<DivisionTerm> mods, divs;
  for (auto [atom, coefficient] : form.terms) {
    Operation *op = atom.getDefiningOp();
    if (!isa_and_nonnull<FloorDivOp, FloorModOp>(op))
      continue;
    if (std::optional<Dim> divisor = analysis.getPositive(op->getOperand(1)))
      (isa<FloorModOp>(op) ? mods : divs)
          .push_back({atom, op->getOperand(0), coefficient, *divisor});
  }
  if (mods.empty() || divs.empty())
    return std::nullopt;
  // Quotients by what a remainder has to have in common with them.
  DenseMap<Attribute, SmallVector<DivisionTerm, 2>> byCoefficient;
  for (const DivisionTerm &div : divs)
    byCoefficient[div.coefficient.getAttr()].push_back(div);
  // All pairs at once: one after the other would take time of their number
  // times the length of the sum.
  DenseSet<Value> combined;
  LinearForm wholes(form.getContext());
  for (const DivisionTerm &mod : llvm::reverse(mods)) {
    Dim multiple = mod.coefficient * mod.divisor;
    auto it = byCoefficient.find(multiple.getAttr());
    if (it == byCoefficient.end() || !isModest(multiple))
      continue;
    SmallVector<DivisionTerm, 2> &candidates = it->second;
    size_t end = candidates.size();
    size_t begin = end - std::min(end, kMaxTried);
    for (size_t i = end; i-- > begin;) {
      std::optional<LinearForm> whole = combine(analysis, mod, candidates[i]);
      if (!whole)
        continue;
      combined.insert(mod.atom);
      combined.insert(candidates[i].atom);
      wholes.addConstant(wholes.product(whole->constant, mod.coefficient));
      for (auto [atom, coefficient] : whole->terms)
        wholes.terms.emplace_back(atom,
                                  wholes.product(coefficient, mod.coefficient));
      candidates.erase(candidates.begin() + i);
      break;
    }
  }
  if (combined.empty() || wholes.saturated)
    return std::nullopt;
  llvm::erase_if(form.terms,
                 [&](auto &term) { return combined.contains(term.first); });
  form.addConstant(wholes.constant);
  form.terms.append(wholes.terms);
  form.mergeTerms();
  return form;
}
