//===- TgDimPolynomial.cpp - dimensions as polynomials --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums, products and division of polynomials, and what values they can take.
///
//===----------------------------------------------------------------------===//

#include "TgDimPolynomial.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::dim;

/// Corners of a box that are looked at: of up to so many factors.
constexpr size_t kMostFactors = 6;
/// Quotients that are bounded by what they divide, one in the other.
constexpr unsigned kMostQuotients = 4;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

int64_t dim::saturate(bool positive) {
  return positive ? std::numeric_limits<int64_t>::max()
                  : std::numeric_limits<int64_t>::min();
}

int64_t dim::add(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? saturate(a > 0) : sum;
}

int64_t dim::multiply(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? saturate((a > 0) == (b > 0))
                                          : product;
}

int64_t dim::floorDiv(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  if (b == -1)
    return multiply(a, -1);
  int64_t q = a / b;
  return q - (a % b != 0 && (a % b < 0) != (b < 0));
}

int64_t dim::evaluate(DimOpKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case DimOpKind::add:
    return add(a, b);
  case DimOpKind::mul:
    return multiply(a, b);
  case DimOpKind::floordiv:
    return floorDiv(a, b);
  case DimOpKind::mod:
    return b == 0 || b == -1 ? 0 : a - floorDiv(a, b) * b;
  case DimOpKind::min:
    return std::min(a, b);
  case DimOpKind::max:
    return std::max(a, b);
  }
  llvm_unreachable("unknown DimOpKind");
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

std::string dim::getKey(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  attr.print(os);
  return text;
}

bool Polynomial::Less::operator()(const Monomial &a, const Monomial &b) const {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const auto &x, const auto &y) { return x.first < y.first; });
}

static Monomial multiply(const Monomial &a, const Monomial &b) {
  Monomial product(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), product.begin(),
             [](const auto &x, const auto &y) { return x.first < y.first; });
  return product;
}

/// Takes the factors of `b` out of `a`; false if they are not all there.
static bool divide(const Monomial &a, const Monomial &b, Monomial &quotient) {
  size_t next = 0;
  for (const auto &factor : a) {
    if (next < b.size() && factor.first == b[next].first)
      ++next;
    else
      quotient.push_back(factor);
  }
  return next == b.size();
}

Polynomial::Polynomial(Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    addTerm({}, integer.getInt());
    return;
  }
  if (auto expr = dyn_cast<DimExprAttr>(attr)) {
    if (expr.getKind() == DimOpKind::add) {
      *this = Polynomial(expr.getLhs()) + Polynomial(expr.getRhs());
      return;
    }
    if (expr.getKind() == DimOpKind::mul) {
      *this = Polynomial(expr.getLhs()) * Polynomial(expr.getRhs());
      return;
    }
  }
  addTerm({{getKey(attr), attr}}, 1);
}

void Polynomial::addTerm(const Monomial &monomial, int64_t coefficient) {
  int64_t &sum = terms[monomial];
  sum = dim::add(sum, coefficient);
  if (sum == 0)
    terms.erase(monomial);
}

Polynomial dim::operator+(Polynomial lhs, const Polynomial &rhs) {
  for (const auto &[monomial, coefficient] : rhs.terms)
    lhs.addTerm(monomial, coefficient);
  lhs.recombine();
  return lhs;
}

Polynomial dim::operator*(const Polynomial &lhs, const Polynomial &rhs) {
  Polynomial product;
  for (const auto &[a, aCoefficient] : lhs.terms)
    for (const auto &[b, bCoefficient] : rhs.terms)
      product.addTerm(::multiply(a, b),
                      dim::multiply(aCoefficient, bCoefficient));
  product.recombine();
  return product;
}

Polynomial Polynomial::scale(int64_t factor) const {
  Polynomial product;
  for (const auto &[monomial, coefficient] : terms)
    product.addTerm(monomial, dim::multiply(coefficient, factor));
  return product;
}

/// The monomial without one of its factors.
static Monomial without(const Monomial &monomial, size_t position) {
  Monomial rest = monomial;
  rest.erase(rest.begin() + static_cast<ptrdiff_t>(position));
  return rest;
}

static DimExprAttr getExpr(Attribute attr, DimOpKind kind) {
  auto expr = dyn_cast<DimExprAttr>(attr);
  return expr && expr.getKind() == kind ? expr : nullptr;
}

/// x * k - (x floordiv c) * (c * k) is (x mod c) * k, where c is positive.
bool Polynomial::findRemainder() {
  for (const auto &[monomial, coefficient] : terms)
    for (const auto &[i, factor] : llvm::enumerate(monomial)) {
      DimExprAttr quotient = getExpr(factor.second, DimOpKind::floordiv);
      std::optional<int64_t> divisor =
          quotient ? Dim(quotient.getRhs()).getStatic() : std::nullopt;
      if (!divisor || *divisor <= 0 || coefficient % *divisor != 0)
        continue;
      const int64_t times = -(coefficient / *divisor);
      const Monomial rest = without(monomial, i);
      Polynomial result = *this;
      result.terms.erase(monomial);
      for (const auto &[x, xCoefficient] : Polynomial(quotient.getLhs()).terms)
        result.addTerm(::multiply(rest, x),
                       dim::multiply(xCoefficient, -times));
      Attribute remainder =
          DimExprAttr::get(quotient.getContext(), DimOpKind::mod,
                           quotient.getLhs(), quotient.getRhs());
      result.addTerm(::multiply(rest, {{getKey(remainder), remainder}}), times);
      if (result.terms.size() < terms.size()) {
        terms.swap(result.terms);
        return true;
      }
    }
  return false;
}

/// (x floordiv c) * (c * k) + (x mod c) * k is x * k.
void Polynomial::recombine() {
  while (findRemainder())
    ;
  for (const auto &[monomial, coefficient] : terms)
    for (const auto &[i, factor] : llvm::enumerate(monomial)) {
      DimExprAttr remainder = getExpr(factor.second, DimOpKind::mod);
      if (!remainder)
        continue;
      Attribute quotient =
          DimExprAttr::get(remainder.getContext(), DimOpKind::floordiv,
                           remainder.getLhs(), remainder.getRhs());
      Monomial rest = without(monomial, i);
      Polynomial product =
          Polynomial(remainder.getRhs()) * Polynomial(quotient);
      // The quotient times the divisor is one term unless the divisor is a sum.
      if (product.terms.size() != 1)
        continue;
      const auto &[whole, divisor] = *product.terms.begin();
      auto other = terms.find(::multiply(rest, whole));
      if (other == terms.end() ||
          other->second != dim::multiply(coefficient, divisor))
        continue;
      Polynomial x(remainder.getLhs());
      const int64_t factorOfX = coefficient;
      terms.erase(other);
      terms.erase(monomial);
      for (const auto &[xMonomial, xCoefficient] : x.terms)
        addTerm(::multiply(rest, xMonomial),
                dim::multiply(xCoefficient, factorOfX));
      return recombine();
    }
}

Dim Polynomial::getDim(MLIRContext *context) const {
  auto combine = [&](DimOpKind kind, Attribute lhs, Attribute rhs) {
    return lhs ? DimExprAttr::get(context, kind, lhs, rhs) : rhs;
  };
  Attribute sum;
  for (const auto &[monomial, coefficient] : terms) {
    if (monomial.empty())
      continue;
    Attribute product;
    for (const auto &[key, factor] : monomial)
      product = combine(DimOpKind::mul, product, factor);
    if (coefficient != 1)
      product =
          combine(DimOpKind::mul, product, Dim(context, coefficient).getAttr());
    sum = combine(DimOpKind::add, sum, product);
  }
  if (int64_t constant = getConstant(); !sum || constant != 0)
    sum = combine(DimOpKind::add, sum, Dim(context, constant).getAttr());
  return Dim(sum);
}

int64_t Polynomial::getConstant() const {
  auto it = terms.find({});
  return it == terms.end() ? 0 : it->second;
}

int64_t Polynomial::getCommonFactor() const {
  int64_t factor = 0;
  for (const auto &[monomial, coefficient] : terms)
    if (!monomial.empty() && coefficient != saturate(false))
      factor = std::gcd(factor, coefficient);
  return factor;
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

std::pair<Polynomial, Polynomial>
Polynomial::divideTerms(const Polynomial &divisor) const {
  if (divisor.terms.empty())
    return {Polynomial(), *this};
  const auto &[leading, leadingCoefficient] = *divisor.terms.rbegin();
  Polynomial quotient, rest;
  Polynomial left = *this;
  // Long division, which ends at once for a divisor of one term.
  for (size_t steps = 4 * terms.size(); !left.terms.empty(); --steps) {
    auto [monomial, coefficient] = *left.terms.rbegin();
    Monomial factor;
    if (steps == 0 || !divide(monomial, leading, factor) ||
        coefficient == saturate(false) ||
        coefficient % leadingCoefficient != 0) {
      if (divisor.terms.size() > 1)
        return {Polynomial(), *this};
      rest.addTerm(monomial, coefficient);
      left.terms.erase(monomial);
      continue;
    }
    const int64_t times = coefficient / leadingCoefficient;
    quotient.addTerm(factor, times);
    for (const auto &[other, otherCoefficient] : divisor.terms)
      left.addTerm(::multiply(factor, other),
                   dim::multiply(otherCoefficient, -times));
  }
  return {quotient, rest};
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

using Interval64 = std::pair<int64_t, int64_t>;

static Interval64 multiplyIntervals(Interval64 a, Interval64 b) {
  int64_t corners[] = {
      dim::multiply(a.first, b.first), dim::multiply(a.first, b.second),
      dim::multiply(a.second, b.first), dim::multiply(a.second, b.second)};
  auto [least, greatest] = std::minmax_element(corners, corners + 4);
  return {*least, *greatest};
}

Interval64 dim::getBounds(Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return {integer.getInt(), integer.getInt()};
  if (auto var = dyn_cast<VarAttr>(attr))
    return {var.getMin(), var.getMax()};
  auto expr = cast<DimExprAttr>(attr);
  if (expr.getKind() == DimOpKind::add || expr.getKind() == DimOpKind::mul)
    return Polynomial(attr).getBounds();
  auto [lhsMin, lhsMax] = getBounds(expr.getLhs());
  auto [rhsMin, rhsMax] = getBounds(expr.getRhs());
  if (expr.getKind() == DimOpKind::mod) {
    // A remainder has the sign of the divisor and is smaller than it, and not
    // larger than what is divided.
    if (rhsMin > 0 && lhsMin >= 0)
      return {lhsMax < rhsMin ? lhsMin : 0, std::min(rhsMax - 1, lhsMax)};
    return {rhsMin < 0 ? dim::add(rhsMin, 1) : 0, rhsMax > 0 ? rhsMax - 1 : 0};
  }
  int64_t corners[] = {evaluate(expr.getKind(), lhsMin, rhsMin),
                       evaluate(expr.getKind(), lhsMin, rhsMax),
                       evaluate(expr.getKind(), lhsMax, rhsMin),
                       evaluate(expr.getKind(), lhsMax, rhsMax)};
  auto [least, greatest] = std::minmax_element(corners, corners + 4);
  // Quotients are largest for divisors next to zero, which are no corners.
  if (expr.getKind() == DimOpKind::floordiv && rhsMin <= 0 && rhsMax >= 0) {
    int64_t bound = std::max(std::abs(std::max(lhsMin, -saturate(true))),
                             std::abs(std::max(lhsMax, -saturate(true))));
    return {-bound, bound};
  }
  return {*least, *greatest};
}

/// Bounds with all factors independent of each other.
Interval64 Polynomial::getBoxBounds() const {
  std::map<std::string, Interval64> box;
  bool isMultilinear = true;
  Interval64 sum{0, 0};
  for (const auto &[monomial, coefficient] : terms) {
    Interval64 product{coefficient, coefficient};
    const std::string *previous = nullptr;
    for (const auto &[key, factor] : monomial) {
      auto [it, isNew] = box.try_emplace(key);
      if (isNew)
        it->second = dim::getBounds(factor);
      product = multiplyIntervals(product, it->second);
      isMultilinear &= !previous || *previous != key;
      previous = &key;
    }
    sum = {dim::add(sum.first, product.first),
           dim::add(sum.second, product.second)};
  }
  if (!isMultilinear || box.size() < 2 || box.size() > kMostFactors)
    return sum;
  // Linear in each factor, so that the ends are at corners of the box.
  Interval64 ends{saturate(true), saturate(false)};
  for (size_t corner = 0; corner < size_t(1) << box.size(); ++corner) {
    int64_t value = 0;
    for (const auto &[monomial, coefficient] : terms) {
      int64_t product = coefficient;
      for (const auto &[key, factor] : monomial) {
        auto it = box.find(key);
        bool isHigh = corner >> std::distance(box.begin(), it) & 1;
        product = dim::multiply(product,
                                isHigh ? it->second.second : it->second.first);
      }
      value = dim::add(value, product);
    }
    ends = {std::min(ends.first, value), std::max(ends.second, value)};
  }
  // Sums that saturate depend on their order.
  return {std::max(ends.first, sum.first), std::min(ends.second, sum.second)};
}

/// A bound with quotients bounded by what they divide, which may cancel with
/// other terms: x - c + 1 <= (x floordiv c) * c <= x. So may minima and maxima:
/// n - min(n, 3) is n - n or n - 3, and at least the greater of these.
int64_t Polynomial::getRelaxedBound(bool upper, unsigned depth) const {
  auto [lo, hi] = getBoxBounds();
  int64_t bound = upper ? hi : lo;
  if (depth == 0)
    return bound;
  // Outer quotients come first, before what they divide changes in its turn.
  // Their texts are longer.
  const Monomial *longest = nullptr;
  for (const auto &[monomial, coefficient] : terms) {
    if (monomial.size() != 1)
      continue;
    DimExprAttr choice = getExpr(monomial[0].second, DimOpKind::min);
    const bool isMin = choice != nullptr;
    if (!isMin)
      choice = getExpr(monomial[0].second, DimOpKind::max);
    if (choice) {
      auto boundWith = [&](Attribute chosen) {
        Polynomial rest = *this;
        rest.terms.erase(monomial);
        return (rest + Polynomial(chosen).scale(coefficient))
            .getRelaxedBound(upper, depth - 1);
      };
      int64_t a = boundWith(choice.getLhs()), b = boundWith(choice.getRhs());
      // Both are bounds, or the one that is further out.
      const bool isEither = ((coefficient > 0) == upper) == isMin;
      int64_t other = isEither == upper ? std::min(a, b) : std::max(a, b);
      return upper ? std::min(bound, other) : std::max(bound, other);
    }
    DimExprAttr quotient = getExpr(monomial[0].second, DimOpKind::floordiv);
    std::optional<int64_t> divisor =
        quotient ? Dim(quotient.getRhs()).getStatic() : std::nullopt;
    if (divisor && *divisor > 0 &&
        (!longest || monomial[0].first.size() > longest->front().first.size()))
      longest = &monomial;
  }
  if (!longest)
    return bound;
  const int64_t coefficient = terms.at(*longest);
  auto quotient = cast<DimExprAttr>(longest->front().second);
  const int64_t divisor = *Dim(quotient.getRhs()).getStatic();
  Polynomial x(quotient.getLhs());
  if ((coefficient > 0) != upper)
    x.addTerm({}, 1 - divisor);
  Polynomial relaxed = scale(divisor);
  relaxed.terms.erase(*longest);
  relaxed = relaxed + x.scale(coefficient);
  int64_t scaled = relaxed.getRelaxedBound(upper, depth - 1);
  if (scaled == saturate(upper))
    return bound;
  int64_t other =
      upper ? dim::floorDiv(scaled, divisor) : -dim::floorDiv(-scaled, divisor);
  return upper ? std::min(bound, other) : std::max(bound, other);
}

Interval64 Polynomial::getBounds() const {
  // A multiple lies between multiples of bounds: 2 * (n - (n + 3) floordiv 4)
  // is not negative, which dividing 6 * n - 6 by 4 does not show.
  const int64_t factor = getCommonFactor();
  auto isExact = [](const auto &term) {
    return term.second != saturate(false);
  };
  if (factor > 1 && llvm::all_of(terms, isExact)) {
    Polynomial part;
    for (const auto &[monomial, coefficient] : terms)
      if (!monomial.empty())
        part.addTerm(monomial, coefficient / factor);
    auto [lo, hi] = part.getBounds();
    return {dim::add(dim::multiply(lo, factor), getConstant()),
            dim::add(dim::multiply(hi, factor), getConstant())};
  }
  return {getRelaxedBound(false, kMostQuotients),
          getRelaxedBound(true, kMostQuotients)};
}
