//===- IndexBuilder.cpp - index arithmetic in simplified form -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Creates sums, quotients and remainders of index values.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include <tuple>

using namespace mlir;
using namespace mlir::tg;

/// Quotients that are tried with a remainder.
static constexpr size_t kMaxTried = 8;

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
    LinearForm x = analysis.getLinear(div.dividend);
    const LinearForm y = analysis.getLinear(mod.dividend);
    LinearForm difference = x;
    difference.subtract(y);
    Split split = splitTerms(difference, mod.divisor);
    if (!split.rest.isDim() ||
        !divideTerms(split.rest.constant, mod.divisor).second.is(0) ||
        difference.saturated || !analysis.isExact(x) || !analysis.isExact(y))
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

//===----------------------------------------------------------------------===//
// IndexBuilder
//===----------------------------------------------------------------------===//

template <typename OpT> Value IndexBuilder::create(Value lhs, Value rhs) {
  Value &result = operations[{TypeID::get<OpT>(), lhs, rhs}];
  if (!result)
    result = OpT::create(builder, loc, lhs, rhs);
  return result;
}

Value IndexBuilder::dim(Dim value) {
  std::optional<int64_t> number = value.getStatic();
  Value &result =
      number ? dims[{Attribute(), *number}] : dims[{value.getAttr(), 0}];
  Type type = builder.getIndexType();
  if (!result && number)
    result = ConstOp::create(builder, loc, type, *number);
  else if (!result)
    result = DimOp::create(builder, loc, type, value.getAttr());
  return result;
}

Value IndexBuilder::get(const LinearForm &unordered) {
  LinearForm form = unordered;
  while (std::optional<LinearForm> joined = recombine(analysis, form))
    form = *joined;
  if (Value atom = form.getAtom())
    return atom;
  auto getOrdinal = [&](const auto &term) {
    return ordinals.try_emplace(term.first, ordinals.size()).first->second;
  };
  for (const auto &term : form.terms)
    getOrdinal(term);
  llvm::sort(form.terms, [&](const auto &a, const auto &b) {
    return getOrdinal(a) < getOrdinal(b);
  });
  Value sum;
  for (auto [atom, coefficient] : form.terms) {
    Value term =
        coefficient.is(1) ? atom : create<MulOp>(atom, dim(coefficient));
    sum = sum ? create<AddOp>(sum, term) : term;
  }
  if (sum && form.constant.is(0))
    return sum;
  Value constant = dim(form.constant);
  return sum ? create<AddOp>(sum, constant) : constant;
}

Value IndexBuilder::sum(Dim constant, ArrayRef<std::pair<Value, Dim>> terms) {
  LinearForm form(constant);
  for (auto [value, factor] : terms)
    form.add(analysis.getLinear(value), factor);
  if (!form.saturated)
    return get(form);
  // Some factor may be too large to be taken into the sums that it is of.
  Value sum = dim(constant);
  for (auto [value, factor] : terms)
    sum = AddOp::create(builder, loc, sum, create<MulOp>(value, dim(factor)));
  return sum;
}

Value IndexBuilder::floorDiv(Value lhs, Dim c) {
  if (c.is(1))
    return lhs;
  // x / c = q + rest / c, where q collects what c divides.
  auto [quotient, rest] = splitTerms(analysis.getLinear(lhs), c);
  std::tie(quotient.constant, rest.constant) = divideTerms(rest.constant, c);
  if (std::optional<int64_t> only = analysis.getOnlyQuotient(rest, c)) {
    quotient.addConstant(*only);
    return get(quotient);
  }
  quotient.addTerm(create<FloorDivOp>(get(rest), dim(c)), 1);
  return get(quotient);
}

Value IndexBuilder::floorMod(Value lhs, Dim c) {
  if (c.is(1))
    return constant(0);
  // Terms that c divides vanish; small negative coefficients stay small.
  LinearForm rest = reduceTerms(analysis.getLinear(lhs), c);
  rest.constant = divideTerms(analysis.getLinear(lhs).constant, c).second;
  if (std::optional<int64_t> only = analysis.getOnlyQuotient(rest, c)) {
    // Both within the bounds, so that no product overflows.
    rest.addConstant(c * number(-*only));
    return get(rest);
  }
  return create<FloorModOp>(get(rest), dim(c));
}

Value IndexBuilder::atLeast(Value index, Dim bound) {
  const LinearForm form = analysis.getLinear(index);
  if (analysis.isExact(form) && analysis.isAtLeast(form, bound))
    return {};
  return create<CmpLtOp>(dim(bound - number(1)), index);
}

Value IndexBuilder::lessThan(Value index, Dim bound) {
  const LinearForm form = analysis.getLinear(index);
  if (analysis.isExact(form) && analysis.isAtMost(form, bound - number(1)))
    return {};
  return create<CmpLtOp>(index, dim(bound));
}

Value IndexBuilder::conjunction(Value lhs, Value rhs) {
  if (!lhs || !rhs || lhs == rhs)
    return lhs ? lhs : rhs;
  return create<AndOp>(lhs, rhs);
}
