//===- TgDimPolynomial.cpp - dimensions as polynomials --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums, products and division of polynomials, and their shortest form.
///
//===----------------------------------------------------------------------===//

#include "TgDimPolynomial.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::dim;

/// How many replacements by remainders and maxima that do not shorten a sum are
/// made to compute its bounds.
constexpr unsigned kMaxRemainders = 8;
/// The most operators and operands of a remainder or maximum that is expanded.
constexpr size_t kMaxToExpand = 80;
/// The most operands of a minimum into which nested minima are merged.
constexpr size_t kMaxOperands = 8;

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

Interval dim::evaluate(DimOpKind kind, Interval a, Interval b) {
  switch (kind) {
  case DimOpKind::add:
    return a + b;
  case DimOpKind::mul:
    return a * b;
  case DimOpKind::floordiv:
    return a.floorDiv(b);
  case DimOpKind::mod:
    return a.floorMod(b);
  case DimOpKind::min:
    return a.min(b);
  case DimOpKind::max:
    return a.max(b);
  }
  llvm_unreachable("unknown DimOpKind");
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

DimExprAttr dim::getExpr(Attribute attr, DimOpKind kind) {
  auto expr = dyn_cast<DimExprAttr>(attr);
  return expr && expr.getKind() == kind ? expr : nullptr;
}

size_t dim::getLength(Attribute attr) {
  auto expr = dyn_cast<DimExprAttr>(attr);
  return expr ? expr.getSize().parts : 1;
}

static bool isLess(const Monomial &a, const Monomial &b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      dim::isBefore);
}

bool dim::isBefore(Attribute a, Attribute b) {
  // Equal subexpressions are one attribute, so the first pair of different
  // operands decides.
  while (a != b) {
    auto x = dyn_cast<DimExprAttr>(a), y = dyn_cast<DimExprAttr>(b);
    if (!x || !y || x.getKind() != y.getKind())
      break;
    const auto [i, k] =
        std::mismatch(x.getOperands().begin(), x.getOperands().end(),
                      y.getOperands().begin(), y.getOperands().end());
    if (i == x.getOperands().end() || k == y.getOperands().end())
      return x.getOperands().size() < y.getOperands().size();
    a = *i;
    b = *k;
  }
  if (a == b)
    return false;
  auto getClass = [](Attribute attr) {
    return isa<DimExprAttr>(attr) ? 0 : isa<VarAttr>(attr) ? 1 : 2;
  };
  if (const int first = getClass(a), second = getClass(b); first != second)
    return first < second;
  if (auto number = dyn_cast<IntegerAttr>(a))
    return number.getInt() < cast<IntegerAttr>(b).getInt();
  if (auto expr = dyn_cast<DimExprAttr>(a))
    return expr.getKind() < cast<DimExprAttr>(b).getKind();
  auto x = cast<VarAttr>(a), y = cast<VarAttr>(b);
  if (x.getName() != y.getName())
    return x.getName().getValue() < y.getName().getValue();
  // Those with a value come first.
  auto getRest = [](VarAttr var) {
    return std::tuple(var.getMin(), var.getMax(), !var.getValue(),
                      var.getValue());
  };
  return getRest(x) < getRest(y);
}

Monomial dim::multiply(const Monomial &a, const Monomial &b) {
  Monomial product(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), product.begin(),
             dim::isBefore);
  return product;
}

bool dim::divide(const Monomial &a, const Monomial &b, Monomial &quotient) {
  size_t next = 0;
  for (Attribute factor : a) {
    if (next < b.size() && factor == b[next])
      ++next;
    else
      quotient.push_back(factor);
  }
  return next == b.size();
}

bool dim::isSum(Attribute attr) {
  auto expr = dyn_cast<DimExprAttr>(attr);
  if (!expr)
    return false;
  if (expr.getKind() == DimOpKind::add)
    return true;
  if (expr.getKind() != DimOpKind::max && expr.getKind() != DimOpKind::mod)
    return false;
  return !isOpaque(expr.getKind(), expr.getOperands()) &&
         (expr.getKind() == DimOpKind::max ||
          dim::getBounds(expr.getDivisor()).lo > 0);
}

bool dim::hasOperator(Attribute attr, DimOpKind kind) {
  auto expr = dyn_cast<DimExprAttr>(attr);
  return expr && (expr.getKind() == kind ||
                  llvm::any_of(expr.getOperands(), [&](Attribute operand) {
                    return hasOperator(operand, kind);
                  }));
}

bool dim::isOpaque(DimOpKind kind, ArrayRef<Attribute> operands) {
  size_t length = 0;
  for (Attribute operand : operands)
    length += getLength(operand);
  return length > kMaxToExpand ||
         llvm::any_of(operands, [&](Attribute operand) {
           return (kind != DimOpKind::mod &&
                   hasOperator(operand, DimOpKind::max)) ||
                  (kind == DimOpKind::max &&
                   hasOperator(operand, DimOpKind::min));
         });
}

/// x floordiv c for a remainder x mod c, as one division: (x floordiv a)
/// floordiv b is x floordiv (a * b).
static Attribute getQuotientOf(DimExprAttr remainder) {
  Attribute x = remainder.getDividend(), divisor = remainder.getDivisor();
  if (DimExprAttr inner = getExpr(x, DimOpKind::floordiv)) {
    std::optional<int64_t> a = Dim(inner.getDivisor()).getStatic(),
                           b = Dim(divisor).getStatic();
    int64_t product;
    if (a && b && *a > 0 && !llvm::MulOverflow(*a, *b, product)) {
      x = inner.getDividend();
      divisor = Dim(divisor.getContext(), product).getAttr();
    }
  }
  return DimExprAttr::get(x.getContext(), DimOpKind::floordiv, {x, divisor});
}

Polynomial Polynomial::ofAtom(Attribute attr) {
  Polynomial atom;
  atom.addTerm({attr}, 1);
  return atom;
}

Polynomial::Polynomial(Dim dim, bool expand) {
  if (std::optional<int64_t> number = dim.getStatic()) {
    addTerm({}, *number);
    return;
  }
  const Attribute attr = dim.getAttr();
  if (auto var = dyn_cast<VarAttr>(attr); var && var.getMin() == var.getMax()) {
    addTerm({}, var.getMin());
    return;
  }
  if (DimExprAttr sum = getExpr(attr, DimOpKind::add)) {
    for (Attribute operand : sum.getOperands())
      *this += Polynomial(operand, expand);
    return;
  }
  if (DimExprAttr product = getExpr(attr, DimOpKind::mul)) {
    int64_t coefficient = 1;
    Monomial factors;
    for (Attribute operand : product.getOperands()) {
      if (std::optional<int64_t> number = Dim(operand).getStatic())
        coefficient = dim::multiply(coefficient, *number);
      else
        factors.push_back(operand);
    }
    llvm::sort(factors, dim::isBefore);
    addTerm(factors, coefficient);
    if (expand)
      *this = withShortProducts();
    return;
  }
  if (expand && isSum(attr)) {
    if (DimExprAttr remainder = getExpr(attr, DimOpKind::mod)) {
      *this =
          Polynomial(remainder.getDividend()) -
          Polynomial(remainder.getDivisor()) * ofAtom(getQuotientOf(remainder));
      return;
    }
    // max(a, b) is -min(-a, -b).
    std::vector<Polynomial> operands;
    for (Attribute operand : cast<DimExprAttr>(attr).getOperands())
      operands.push_back(Polynomial(operand).scale(-1));
    *this = getMinimumOf(std::move(operands), attr.getContext()).scale(-1);
    return;
  }
  *this = ofAtom(attr);
}

size_t Polynomial::find(const Monomial &monomial) const {
  // Terms are mostly added in order.
  if (terms.empty() || isLess(terms.back().first, monomial))
    return terms.size();
  return llvm::lower_bound(terms, monomial,
                           [](const auto &term, const Monomial &monomial) {
                             return isLess(term.first, monomial);
                           }) -
         terms.begin();
}

int64_t Polynomial::getCoefficient(const Monomial &monomial) const {
  const size_t i = find(monomial);
  return i < terms.size() && terms[i].first == monomial ? terms[i].second : 0;
}

void Polynomial::setCoefficient(const Monomial &monomial, int64_t coefficient) {
  const size_t i = find(monomial);
  const bool isKnown = i < terms.size() && terms[i].first == monomial;
  if (isKnown && coefficient == 0)
    terms.erase(terms.begin() + i);
  else if (isKnown)
    terms[i].second = coefficient;
  else if (coefficient != 0)
    terms.insert(terms.begin() + i, {monomial, coefficient});
}

void Polynomial::addTerm(const Monomial &monomial, int64_t coefficient) {
  setCoefficient(monomial, dim::add(getCoefficient(monomial), coefficient));
}

bool Polynomial::operator==(const Polynomial &other) const {
  return terms == other.terms;
}

Polynomial &Polynomial::operator+=(const Polynomial &other) {
  for (const auto &[monomial, coefficient] : other.terms)
    addTerm(monomial, coefficient);
  return *this;
}

// Not a sum with the negative: that of the least int64_t does not fit.
Polynomial dim::operator-(const Polynomial &lhs, const Polynomial &rhs) {
  Polynomial difference = lhs;
  for (const auto &[monomial, coefficient] : rhs.terms) {
    int64_t rest;
    if (llvm::SubOverflow(lhs.getCoefficient(monomial), coefficient, rest))
      rest = saturate(coefficient < 0);
    difference.setCoefficient(monomial, rest);
  }
  return difference;
}

Polynomial Polynomial::scale(int64_t factor) const {
  Polynomial product;
  for (const auto &[monomial, coefficient] : terms)
    product.addTerm(monomial, dim::multiply(coefficient, factor));
  return product;
}

int64_t Polynomial::getConstant() const { return getCoefficient({}); }

int64_t Polynomial::takeConstant() {
  const int64_t constant = getConstant();
  setCoefficient({}, 0);
  return constant;
}

std::optional<int64_t> Polynomial::getNumber() const {
  if (terms.empty() || (terms.size() == 1 && terms.begin()->first.empty()))
    return getConstant();
  return std::nullopt;
}

int64_t Polynomial::getCommonFactor() const {
  int64_t factor = 0;
  for (const auto &[monomial, coefficient] : terms)
    if (!monomial.empty() && coefficient != saturate(false))
      factor = std::gcd(factor, coefficient);
  return factor;
}

//===----------------------------------------------------------------------===//
// Minima
//===----------------------------------------------------------------------===//

static Attribute combineAll(MLIRContext *context, DimOpKind kind,
                            ArrayRef<Polynomial> operands) {
  Monomial ordered;
  for (const Polynomial &operand : operands)
    ordered.push_back(operand.getDim(context).getAttr());
  llvm::sort(ordered, dim::isBefore);
  return DimExprAttr::get(context, kind, ordered);
}

/// The common part of all operands: the least coefficient of each term.
Polynomial Polynomial::getCommonPart(const std::vector<Polynomial> &operands) {
  Polynomial common;
  for (const Polynomial &operand : operands)
    for (const auto &[monomial, coefficient] : operand.terms) {
      int64_t least = coefficient;
      for (const Polynomial &other : operands)
        least = std::min(least, other.getCoefficient(monomial));
      common.setCoefficient(monomial, least);
    }
  return common;
}

/// The minimum of operands, none of which is redundant: the common part plus a
/// number times the minimum of what differs.
Polynomial Polynomial::getMinimumOf(std::vector<Polynomial> operands,
                                    MLIRContext *context) {
  if (operands.size() == 1)
    return operands.front();
  const Polynomial common = getCommonPart(operands);
  int64_t factor = 0;
  for (Polynomial &operand : operands) {
    operand = operand - common;
    // The least int64_t has no absolute value.
    for (const auto &[monomial, coefficient] : operand.terms)
      factor =
          coefficient == saturate(false) ? 1 : std::gcd(factor, coefficient);
  }
  for (Polynomial &operand : operands)
    for (auto &[monomial, coefficient] : operand.terms)
      coefficient /= factor;
  return common +
         ofAtom(combineAll(context, DimOpKind::min, operands)).scale(factor);
}

bool Polynomial::hasMinimum(int sign) const {
  return llvm::any_of(terms, [&](const auto &term) {
    return term.first.size() == 1 && (term.second > 0) == (sign > 0) &&
           getExpr(term.first[0], DimOpKind::min);
  });
}

Polynomial Polynomial::getMinimum(std::vector<Polynomial> operands,
                                  MLIRContext *context) {
  auto dropGreater = [&] {
    for (size_t i = 0; i < operands.size();) {
      bool isNeverLeast = false;
      for (size_t k = 0; k < operands.size() && !isNeverLeast; ++k)
        isNeverLeast =
            k != i && (operands[i] - operands[k]).getDim(context).getMin() >= 0;
      if (isNeverLeast)
        operands.erase(operands.begin() + ptrdiff_t(i));
      else
        ++i;
    }
  };
  dropGreater();
  const std::vector<Polynomial> given = operands;
  // x + min(a, b) is min(x + a, x + b).
  auto mergeNested = [&](size_t i) {
    for (const auto &[monomial, coefficient] : operands[i].terms) {
      DimExprAttr minimum = monomial.size() == 1
                                ? getExpr(monomial[0], DimOpKind::min)
                                : DimExprAttr();
      if (coefficient < 0 || !minimum)
        continue;
      const ArrayRef<Attribute> choices = minimum.getOperands();
      if (operands.size() + choices.size() - 1 > kMaxOperands)
        continue;
      const int64_t times = coefficient;
      Polynomial rest = operands[i];
      rest.setCoefficient(monomial, 0);
      operands.erase(operands.begin() + ptrdiff_t(i));
      for (Attribute choice : choices)
        operands.push_back(rest + Polynomial(choice).scale(times));
      return true;
    }
    return false;
  };
  for (size_t i = 0; i < operands.size();)
    if (!mergeNested(i))
      ++i;
  // A minimum next to a number is kept: it is the clamped end of a shrunk axis.
  for (int64_t sign : {1, -1}) {
    std::vector<Polynomial> differences;
    for (const Polynomial &operand : operands)
      differences.push_back(operand.scale(sign));
    const Polynomial common = getCommonPart(differences);
    if (llvm::any_of(differences, [&](const Polynomial &difference) {
          return (difference - common).getNumber().has_value();
        })) {
      operands = given;
      break;
    }
  }
  llvm::stable_sort(operands, [&](const Polynomial &a, const Polynomial &b) {
    return std::lexicographical_compare(
        a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
        [](const auto &x, const auto &y) {
          return isLess(x.first, y.first) ||
                 (x.first == y.first && x.second < y.second);
        });
  });
  dropGreater();
  return getMinimumOf(std::move(operands), context);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The monomial without one of its factors.
static Monomial without(const Monomial &monomial, size_t position) {
  Monomial rest = monomial;
  rest.erase(rest.begin() + static_cast<ptrdiff_t>(position));
  return rest;
}

/// Adds `change` if the result has at most `mostTerms` terms. Visits only the
/// terms of `change`: long sums have many candidates for a change.
bool Polynomial::addIfShort(const Polynomial &change, size_t mostTerms) {
  size_t count = terms.size();
  for (const auto &[monomial, coefficient] : change.terms) {
    const int64_t own = getCoefficient(monomial);
    if (own == 0)
      ++count;
    else if (dim::add(own, coefficient) == 0)
      --count;
  }
  if (count > mostTerms)
    return false;
  *this += change;
  return true;
}

/// Replaces x * k - (x floordiv c) * (c * k) by (x mod c) * k for positive c,
/// if the result has at most `mostTerms` terms. x may be a quotient that is
/// divided again.
bool Polynomial::showRemainder(size_t mostTerms) {
  struct Candidate {
    DimExprAttr quotient;
    Monomial rest;
    size_t length;
    int64_t coefficient;
    std::optional<int64_t> divisor; // where it is a number
  };
  std::vector<Candidate> candidates;
  for (const auto &[monomial, coefficient] : terms)
    for (const auto &[i, factor] : llvm::enumerate(monomial))
      if (DimExprAttr quotient = getExpr(factor, DimOpKind::floordiv);
          quotient && coefficient != saturate(false) &&
          dim::getBounds(quotient.getDivisor()).lo > 0)
        candidates.push_back({quotient, without(monomial, i),
                              dim::getLength(factor), coefficient,
                              Dim(quotient.getDivisor()).getStatic()});
  // Outer quotients first: replacing a nested one would hide them.
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.length > b.length;
  });
  llvm::DenseMap<Attribute, SmallVector<const Candidate *, 1>> byDividend;
  for (const Candidate &candidate : candidates)
    if (candidate.divisor)
      byDividend[candidate.quotient.getDividend()].push_back(&candidate);
  for (const Candidate &candidate : candidates) {
    DimExprAttr quotient = candidate.quotient;
    SmallVector<std::pair<Attribute, Attribute>> divisions{
        {quotient.getDividend(), quotient.getDivisor()}};
    if (std::optional<int64_t> whole = candidate.divisor)
      for (const Candidate *other : byDividend.at(quotient.getDividend()))
        if (*other->divisor < *whole && *whole % *other->divisor == 0)
          divisions.emplace_back(
              other->quotient,
              Dim(quotient.getContext(), *whole / *other->divisor).getAttr());
    for (auto [x, c] : divisions) {
      const Polynomial divisor(c), dividend(x);
      const auto &[leading, leadingCoefficient] = *divisor.terms.rbegin();
      Polynomial times;
      Monomial rest;
      if (candidate.coefficient % leadingCoefficient != 0 ||
          dividend.terms.size() > terms.size() ||
          !divide(candidate.rest, leading, rest))
        continue;
      times.addTerm(rest, -(candidate.coefficient / leadingCoefficient));
      Attribute remainder =
          DimExprAttr::get(quotient.getContext(), DimOpKind::mod, {x, c});
      if (addIfShort(
              expandProduct(times, expandProduct(divisor, ofAtom(quotient)) +
                                       ofAtom(remainder) - dividend),
              mostTerms))
        return true;
    }
  }
  return false;
}

/// Replaces (a + b) * k - min(a, b) * k by max(a, b) * k, if the result has at
/// most `mostTerms` terms.
bool Polynomial::showMaximum(size_t mostTerms) {
  for (const auto &[monomial, coefficient] : terms)
    for (const auto &[i, factor] : llvm::enumerate(monomial)) {
      DimExprAttr minimum = getExpr(factor, DimOpKind::min);
      if (!minimum || coefficient >= 0 || coefficient == saturate(false))
        continue;
      std::vector<Polynomial> operands;
      Polynomial greatest;
      for (Attribute operand : minimum.getOperands()) {
        operands.emplace_back(operand);
        for (const auto &[other, number] : operands.back().terms)
          greatest.setCoefficient(
              other, std::max(greatest.getCoefficient(other), number));
      }
      if (greatest.terms.size() > terms.size())
        continue;
      for (Polynomial &operand : operands)
        operand = greatest - operand;
      Polynomial times;
      times.addTerm(without(monomial, i), -coefficient);
      const Polynomial maximum =
          ofAtom(combineAll(minimum.getContext(), DimOpKind::max, operands));
      if (addIfShort(expandProduct(times, maximum + ofAtom(minimum) - greatest),
                     mostTerms))
        return true;
    }
  return false;
}

Dim Polynomial::getDim(MLIRContext *context) const {
  Polynomial shown = *this;
  while (!shown.terms.empty() && (shown.showRemainder(shown.terms.size() - 1) ||
                                  shown.showMaximum(shown.terms.size() - 1)))
    ;
  return shown.getSum(context);
}

/// Uses remainders and maxima also where they do not shorten the sum.
Polynomial Polynomial::withRemainders() const {
  Polynomial shown = *this;
  // Replacements of equal length could go on forever.
  for (unsigned step = 0; step < kMaxRemainders; ++step)
    if (!shown.showRemainder(shown.terms.size()) &&
        !shown.showMaximum(shown.terms.size()))
      break;
  return shown;
}

Dim Polynomial::getSum(MLIRContext *context) const {
  auto combine = [&](DimOpKind kind, ArrayRef<Attribute> operands) {
    return operands.size() == 1 ? operands[0]
                                : DimExprAttr::get(context, kind, operands);
  };
  Monomial sum;
  for (const auto &[monomial, coefficient] : terms) {
    if (monomial.empty())
      continue;
    Monomial product = monomial;
    if (coefficient != 1)
      product.push_back(Dim(context, coefficient).getAttr());
    sum.push_back(combine(DimOpKind::mul, product));
  }
  if (int64_t constant = getConstant(); sum.empty() || constant != 0)
    sum.push_back(Dim(context, constant).getAttr());
  return Dim(combine(DimOpKind::add, sum));
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

std::pair<Polynomial, Polynomial>
Polynomial::divideTerms(const Polynomial &divisor) const {
  if (divisor.terms.empty())
    return {Polynomial(), *this};
  // Divides products of sums by one factor after another.
  if (divisor.terms.size() > 1 && hasSumFactors()) {
    Monomial factors;
    int64_t coefficient = 1;
    for (const Polynomial &sum : divisor.getSumFactors(factors, coefficient))
      factors.push_back(
          sum.getDim(terms.rbegin()->first.front().getContext()).getAttr());
    llvm::sort(factors, dim::isBefore);
    Polynomial product;
    product.addTerm(factors, coefficient);
    return divideTerms(product);
  }
  const auto &[leading, leadingCoefficient] = *divisor.terms.rbegin();
  Polynomial quotient, rest;
  Polynomial left = *this;
  // Long division; a divisor of one term takes one pass.
  for (size_t steps = 4 * terms.size(); !left.terms.empty(); --steps) {
    const auto [monomial, coefficient] = *left.terms.rbegin();
    Monomial factor;
    if (steps == 0 || !divide(monomial, leading, factor) ||
        coefficient == saturate(false) ||
        coefficient % leadingCoefficient != 0) {
      if (divisor.terms.size() > 1)
        return {Polynomial(), *this};
      rest.addTerm(monomial, coefficient);
      left.terms.pop_back();
      continue;
    }
    const int64_t times = coefficient / leadingCoefficient;
    quotient.addTerm(factor, times);
    for (const auto &[other, otherCoefficient] : divisor.terms)
      left.addTerm(::multiply(factor, other),
                   dim::multiply(otherCoefficient, -times));
  }
  return {quotient.withShortProducts(), rest};
}
