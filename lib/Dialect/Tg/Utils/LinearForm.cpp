//===- LinearForm.cpp - sums of index values ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums with numbers and dimensions as coefficients, and their division.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/LinearForm.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgInterval.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tg;

bool mlir::tg::isModest(Dim dim) {
  return Interval(dim.getMin(), dim.getMax()).isModest();
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Value LinearForm::getAtom() const {
  if (terms.size() == 1 && constant.is(0) && terms[0].second.is(1))
    return terms[0].first;
  return {};
}

int64_t LinearForm::getCoefficient(Value atom) const {
  for (auto [value, coefficient] : terms)
    if (value == atom)
      return coefficient.getStatic().value_or(0);
  return 0;
}

void LinearForm::addConstant(Dim number) { constant = sum(constant, number); }

void LinearForm::addTerm(Value atom, Dim coefficient) {
  for (auto &term : terms) {
    if (term.first != atom)
      continue;
    term.second = sum(term.second, coefficient);
    if (term.second.is(0))
      llvm::erase(terms, term);
    return;
  }
  if (!coefficient.is(0))
    terms.emplace_back(atom, coefficient);
}

void LinearForm::add(const LinearForm &other, Dim factor) {
  saturated |= other.saturated;
  constant = sum(constant, product(other.constant, factor));
  if (terms.empty() && factor.is(1)) {
    terms = other.terms;
    return;
  }
  // Of large sums, a search for each term would take the product of the sizes.
  constexpr size_t kFew = 16;
  if (terms.size() <= kFew || other.terms.size() <= 2) {
    for (auto [atom, coefficient] : other.terms)
      addTerm(atom, product(coefficient, factor));
    return;
  }
  for (auto [atom, coefficient] : other.terms)
    terms.emplace_back(atom, product(coefficient, factor));
  mergeTerms();
}

void LinearForm::mergeTerms() {
  DenseMap<Value, size_t> positions;
  size_t count = 0;
  for (auto [atom, coefficient] : terms) {
    auto [it, isNew] = positions.try_emplace(atom, count);
    if (isNew)
      terms[count++] = {atom, coefficient};
    else
      terms[it->second].second = sum(terms[it->second].second, coefficient);
  }
  terms.truncate(count);
  llvm::erase_if(terms, [](auto &term) { return term.second.is(0); });
}

LinearForm LinearForm::negated() const {
  LinearForm result(getContext());
  result.add(*this, -1);
  return result;
}

bool LinearForm::operator==(const LinearForm &other) const {
  if (constant != other.constant || terms.size() != other.terms.size())
    return false;
  if (terms == other.terms)
    return true;
  auto sorted = [](auto list) {
    llvm::sort(list, [](auto &a, auto &b) {
      return a.first.getAsOpaquePointer() < b.first.getAsOpaquePointer();
    });
    return list;
  };
  return sorted(terms) == sorted(other.terms);
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

std::optional<Dim> mlir::tg::divideExactly(Dim a, Dim b) {
  std::optional<int64_t> x = a.getStatic(), y = b.getStatic();
  if (x && y) {
    if (*y <= 0 || *x % *y != 0)
      return std::nullopt;
    return Dim(a.getContext(), *x / *y);
  }
  if (x)
    return *x == 0 ? std::optional(a) : std::nullopt;
  if ((y && *y <= 0) || !isModest(a) || !isModest(b))
    return std::nullopt;
  std::optional<Dim> quotient = a.divideExactly(b);
  return quotient && isModest(*quotient) ? quotient : std::nullopt;
}

/// Calls the function for each term of a sum, with the number that it is
/// multiplied by.
static void walkTerms(Dim dim, function_ref<void(Dim, int64_t)> visit) {
  SmallVector<Dim> sums{dim};
  while (!sums.empty()) {
    Dim term = sums.pop_back_val();
    auto expr =
        term.isStatic() ? DimExprAttr() : dyn_cast<DimExprAttr>(term.getAttr());
    if (expr && expr.getKind() == DimOpKind::add) {
      for (Attribute part : llvm::reverse(expr.getOperands()))
        sums.push_back(Dim(part));
      continue;
    }
    std::optional<int64_t> factor = term.getStatic();
    if (expr && expr.getKind() == DimOpKind::mul)
      factor = Dim(expr.getOperands().back()).getStatic();
    visit(term, factor.value_or(1));
  }
}

std::pair<Dim, Dim> mlir::tg::divideTerms(Dim dim, Dim divisor) {
  Dim zero(dim.getContext(), 0), quotient = zero, rest = zero;
  if (std::optional<int64_t> x = dim.getStatic(), y = divisor.getStatic();
      x && y)
    return {Dim(dim.getContext(), llvm::divideFloorSigned(*x, *y)),
            Dim(dim.getContext(), llvm::mod(*x, *y))};
  if (std::optional<Dim> whole = divideExactly(dim, divisor))
    return {*whole, zero};
  if (dim.isStatic())
    return {zero, dim};
  walkTerms(dim, [&](Dim term, int64_t) {
    if (term.isStatic()) {
      auto [times, left] = divideTerms(term, divisor);
      quotient = quotient + times;
      rest = rest + left;
    } else if (std::optional<Dim> times = divideExactly(term, divisor)) {
      quotient = quotient + *times;
    } else {
      rest = rest + term;
    }
  });
  return {quotient, rest};
}

Split mlir::tg::splitTerms(const LinearForm &form, Dim divisor) {
  Split split{LinearForm(form.getContext()), LinearForm(form.constant)};
  for (auto [atom, coefficient] : form.terms) {
    if (std::optional<Dim> quotient = divideExactly(coefficient, divisor))
      split.quotient.terms.emplace_back(atom, *quotient);
    else
      split.rest.terms.emplace_back(atom, coefficient);
  }
  return split;
}

LinearForm mlir::tg::reduceTerms(const LinearForm &form, Dim divisor) {
  auto reduce = [&](Dim dim) {
    std::optional<int64_t> x = dim.getStatic(), y = divisor.getStatic();
    if (x && y)
      return Dim(form.getContext(), *x % *y);
    return divideExactly(dim, divisor) ? Dim(form.getContext(), 0) : dim;
  };
  LinearForm reduced(reduce(form.constant));
  for (auto [atom, coefficient] : form.terms)
    if (Dim rest = reduce(coefficient); !rest.is(0))
      reduced.terms.emplace_back(atom, rest);
  return reduced;
}

int64_t mlir::tg::getCommonDivisor(const LinearForm &form, int64_t number) {
  // Of a coefficient's remainder, which has an absolute value.
  for (auto [atom, coefficient] : form.terms)
    number = std::gcd(number, coefficient.getStatic().value_or(1) % number);
  walkTerms(form.constant, [&](Dim term, int64_t factor) {
    if (!term.isStatic())
      number = std::gcd(number, factor % number);
  });
  return number;
}
