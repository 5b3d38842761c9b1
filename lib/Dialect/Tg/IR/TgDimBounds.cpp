//===- TgDimBounds.cpp - what values dimensions can take ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The least and the greatest value of an expression.
///
//===----------------------------------------------------------------------===//

#include "TgDimPolynomial.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::dim;

/// The most factors for which all corners of the box are evaluated.
constexpr size_t kMaxFactors = 6;
/// How many nested quotients and minima are replaced by bounds.
constexpr unsigned kMaxQuotients = 4;

static Interval computeBounds(DimExprAttr expr) {
  if (expr.getSize().isLinear)
    return Polynomial(expr).getBounds();
  const DimOpKind kind = expr.getKind();
  if (kind == DimOpKind::add || kind == DimOpKind::mul) {
    // Of this form, and of forms in which more may cancel.
    const Polynomial shown(expr, /*expand=*/false), full(expr);
    const Polynomial shortest = full.withRemainders();
    Interval bounds = shown.getBounds();
    if (!(full == shown))
      bounds = bounds.intersect(full.getBounds());
    if (!(shortest == shown) && !(shortest == full))
      bounds = bounds.intersect(shortest.getBounds());
    return bounds;
  }
  Interval bounds = dim::getBounds(expr.getOperands().front());
  for (Attribute operand : expr.getOperands().drop_front())
    bounds = evaluate(kind, bounds, dim::getBounds(operand)).saturated();
  return bounds;
}

Interval dim::getBounds(Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return integer.getInt();
  if (auto var = dyn_cast<VarAttr>(attr))
    return {var.getMin(), var.getMax()};
  auto expr = cast<DimExprAttr>(attr);
  return DimFacts::of(attr).bounds.get(attr,
                                       [&] { return computeBounds(expr); });
}

/// The bounds of \p base multiplied by itself: a square is not negative.
static Interval getPower(Interval base, size_t exponent) {
  int64_t least = 1, most = 1;
  for (size_t i = 0; i < exponent; ++i) {
    least = dim::multiply(least, base.getMin());
    most = dim::multiply(most, base.getMax());
  }
  if (exponent % 2 == 1)
    return {least, most};
  const bool hasZero = base.getMin() <= 0 && base.getMax() >= 0;
  return {hasZero ? 0 : std::min(least, most), std::max(least, most)};
}

/// Bounds that treat all factors as independent.
Interval Polynomial::getBoxBounds() const {
  // Factors as indices into the box.
  llvm::SmallDenseMap<Attribute, size_t, 8> numbers;
  SmallVector<Interval, 8> box;
  SmallVector<std::pair<int64_t, SmallVector<size_t, 4>>, 8> products;
  bool isMultilinear = true;
  Interval sum(0);
  for (const auto &[monomial, coefficient] : terms) {
    Interval product(coefficient);
    auto &[times, factors] = products.emplace_back();
    times = coefficient;
    // Equal factors are neighbors.
    for (size_t i = 0, next = 0; i < monomial.size(); i = next) {
      while (next < monomial.size() && monomial[next] == monomial[i])
        ++next;
      auto [it, isNew] = numbers.try_emplace(monomial[i], box.size());
      if (isNew)
        box.push_back(dim::getBounds(monomial[i]));
      product = (product * getPower(box[it->second], next - i)).saturated();
      isMultilinear &= next - i == 1;
      factors.push_back(it->second);
    }
    sum = (sum + product).saturated();
  }
  // A sum of single factors is exact already.
  if (!isMultilinear || box.size() < 2 || box.size() > kMaxFactors ||
      llvm::none_of(products,
                    [](const auto &p) { return p.second.size() > 1; }))
    return sum;
  // Linear in each factor, so the extremes are at corners of the box.
  Interval ends = Interval::getEmpty();
  for (size_t corner = 0; corner < size_t(1) << box.size(); ++corner) {
    int64_t value = 0;
    for (const auto &[times, factors] : products) {
      int64_t product = times;
      for (size_t i : factors)
        product = dim::multiply(product, corner >> i & 1 ? box[i].getMax()
                                                         : box[i].getMin());
      value = dim::add(value, product);
    }
    ends = ends.unite(value);
  }
  // Sums that saturate depend on their order.
  return ends.intersect(sum);
}

/// A bound in which quotients are replaced by bounds that may cancel with other
/// terms: x - c + 1 <= (x floordiv c) * c <= x. Minima and maxima are replaced
/// by each of their operands: n - min(n, 3) is n - n or n - 3, and at least the
/// greater of these.
int64_t Polynomial::getRelaxedBound(bool upper, unsigned depth) const {
  const Interval box = getBoxBounds();
  int64_t bound = upper ? box.getMax() : box.getMin();
  if (depth == 0)
    return bound;
  // The longest quotient first: it is an outer one, and replacing a nested one
  // would change it. Extremes whose operands all have to satisfy the bound come
  // before those of which one is enough, which may differ from case to case.
  const Monomial *longest = nullptr, *choice = nullptr;
  bool isEither = false;
  for (const auto &[monomial, coefficient] : terms) {
    if (monomial.size() != 1)
      continue;
    const bool isMin = getExpr(monomial[0], DimOpKind::min) != nullptr;
    if (isMin || getExpr(monomial[0], DimOpKind::max)) {
      const bool willEitherDo = ((coefficient > 0) == upper) == isMin;
      if (!choice || (isEither && !willEitherDo)) {
        choice = &monomial;
        isEither = willEitherDo;
      }
    }
    DimExprAttr quotient = getExpr(monomial[0], DimOpKind::floordiv);
    std::optional<int64_t> divisor =
        quotient ? Dim(quotient.getDivisor()).getStatic() : std::nullopt;
    if (divisor && *divisor > 0 &&
        (!longest ||
         dim::getLength(monomial[0]) > dim::getLength(longest->front())))
      longest = &monomial;
  }
  // A quotient may contain the extreme, and then comes first.
  if (choice && (!longest || dim::getLength(longest->front()) <
                                 dim::getLength(choice->front()))) {
    auto boundWith = [&](Attribute chosen) {
      Polynomial rest = *this;
      rest.setCoefficient(*choice, 0);
      rest += Polynomial(chosen).scale(getCoefficient(*choice));
      const Polynomial shortest = rest.withRemainders();
      int64_t best = rest.getRelaxedBound(upper, depth - 1);
      if (shortest == rest)
        return best;
      int64_t other = shortest.getRelaxedBound(upper, depth - 1);
      return upper ? std::min(best, other) : std::max(best, other);
    };
    // All are bounds, or the one that is furthest out.
    int64_t other = saturate(isEither == upper);
    for (Attribute operand : cast<DimExprAttr>(choice->front()).getOperands()) {
      const int64_t end = boundWith(operand);
      other = isEither == upper ? std::min(other, end) : std::max(other, end);
    }
    return upper ? std::min(bound, other) : std::max(bound, other);
  }
  if (!longest)
    return bound;
  const int64_t coefficient = getCoefficient(*longest);
  auto quotient = cast<DimExprAttr>(longest->front());
  const int64_t divisor = *Dim(quotient.getDivisor()).getStatic();
  Polynomial x(quotient.getDividend());
  if ((coefficient > 0) != upper)
    x.addTerm({}, 1 - divisor);
  Polynomial relaxed = scale(divisor);
  relaxed.setCoefficient(*longest, 0);
  relaxed += x.scale(coefficient);
  int64_t scaled = relaxed.getRelaxedBound(upper, depth - 1);
  if (scaled == saturate(upper))
    return bound;
  const int64_t other =
      evaluate(DimOpKind::floordiv,
               upper ? scaled : dim::add(scaled, divisor - 1), divisor);
  return upper ? std::min(bound, other) : std::max(bound, other);
}

Interval Polynomial::getBounds() const {
  // Bounds of x give bounds of c * x: 2 * (n - (n + 3) floordiv 4) is not
  // negative, which the bounds of (6 * n - 6) floordiv 4 would not show.
  const int64_t factor = getCommonFactor();
  auto isExact = [](const auto &term) {
    return term.second != saturate(false);
  };
  if (factor > 1 && llvm::all_of(terms, isExact)) {
    Polynomial part;
    for (const auto &[monomial, coefficient] : terms)
      if (!monomial.empty())
        part.addTerm(monomial, coefficient / factor);
    return ((part.getBounds() * factor).saturated() + getConstant())
        .saturated();
  }
  return {getRelaxedBound(false, kMaxQuotients),
          getRelaxedBound(true, kMaxQuotients)};
}
