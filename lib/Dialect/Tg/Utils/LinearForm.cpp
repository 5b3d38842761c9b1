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
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

bool mlir::tg::isModest(Dim dim) {
  return Interval(dim.getMin(), dim.getMax()).isModest();
}

bool mlir::tg::isModest(const LinearForm &form) {
  return !form.saturated && isModest(form.constant) &&
         llvm::all_of(form.terms,
                      [](auto &term) { return isModest(term.second); });
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
    std::optional<int64_t> quotient = divideExactly(*x, *y);
    return quotient ? std::optional(Dim(a.getContext(), *quotient))
                    : std::nullopt;
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
  number = form.getCommonDivisor(number);
  walkTerms(form.constant, [&](Dim term, int64_t factor) {
    if (!term.isStatic())
      number = getCommonDivisor(factor, number);
  });
  return number;
}
