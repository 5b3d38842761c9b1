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
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::dim;

/// Corners of a box that are looked at: of up to so many factors.
constexpr size_t kMostFactors = 6;
/// Quotients that are bounded by what they divide, one in the other.
constexpr unsigned kMostQuotients = 4;

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

using Interval64 = std::pair<int64_t, int64_t>;

const DimFacts &DimFacts::of(Attribute attr) {
  return *attr.getDialect().getRegisteredInterface<DimFacts>();
}

template <typename Map, typename Key>
static std::optional<typename Map::mapped_type>
find(std::mutex &mutex, const Map &map, const Key &key) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = map.find(key);
  if (it == map.end())
    return std::nullopt;
  return it->second;
}

std::optional<Dim> DimFacts::findResult(const Operation &operation) const {
  return find(mutex, results, operation);
}
void DimFacts::addResult(const Operation &operation, Dim result) const {
  std::lock_guard<std::mutex> lock(mutex);
  results[operation] = result;
}
std::optional<Interval64> DimFacts::findBounds(Attribute attr) const {
  return find(mutex, bounds, attr);
}
void DimFacts::addBounds(Attribute attr, Interval64 interval) const {
  std::lock_guard<std::mutex> lock(mutex);
  bounds[attr] = interval;
}
bool DimFacts::isShortExtreme(Attribute attr) const {
  std::lock_guard<std::mutex> lock(mutex);
  return shortExtremes.contains(attr);
}
void DimFacts::addShortExtreme(Attribute attr) const {
  std::lock_guard<std::mutex> lock(mutex);
  shortExtremes.insert(attr);
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static Interval64 multiplyIntervals(Interval64 a, Interval64 b) {
  int64_t corners[] = {
      dim::multiply(a.first, b.first), dim::multiply(a.first, b.second),
      dim::multiply(a.second, b.first), dim::multiply(a.second, b.second)};
  auto [least, greatest] = std::minmax_element(corners, corners + 4);
  return {*least, *greatest};
}

static Interval64 intersect(Interval64 a, Interval64 b) {
  return {std::max(a.first, b.first), std::min(a.second, b.second)};
}

static Interval64 getCorners(DimOpKind kind, Interval64 lhs, Interval64 rhs) {
  int64_t corners[] = {evaluate(kind, lhs.first, rhs.first),
                       evaluate(kind, lhs.first, rhs.second),
                       evaluate(kind, lhs.second, rhs.first),
                       evaluate(kind, lhs.second, rhs.second)};
  auto [least, greatest] = std::minmax_element(corners, corners + 4);
  return {*least, *greatest};
}

static Interval64 getQuotientBounds(Interval64 lhs, Interval64 rhs) {
  if (rhs.first > 0 || rhs.second < 0)
    return getCorners(DimOpKind::floordiv, lhs, rhs);
  // By what is below 0, by 0, which gives 0, and by what is above.
  Interval64 all{0, 0};
  auto join = [&](Interval64 other) {
    all = {std::min(all.first, other.first),
           std::max(all.second, other.second)};
  };
  if (rhs.first < 0)
    join(getCorners(DimOpKind::floordiv, lhs, {rhs.first, -1}));
  if (rhs.second > 0)
    join(getCorners(DimOpKind::floordiv, lhs, {1, rhs.second}));
  return all;
}

static Interval64 getRemainderBounds(Interval64 lhs, Interval64 rhs) {
  // A remainder has the sign of the divisor and is smaller than it, and not
  // larger than what is divided.
  if (rhs.first > 0 && lhs.first >= 0)
    return {lhs.second < rhs.first ? lhs.first : 0,
            std::min(rhs.second - 1, lhs.second)};
  return {rhs.first < 0 ? dim::add(rhs.first, 1) : 0,
          rhs.second > 0 ? rhs.second - 1 : 0};
}

/// Exact bounds of a linear sum that no order of its terms saturates.
static std::optional<Interval64> getLinearBounds(DimExprAttr expr) {
  if (!expr.getSize().isLinear)
    return std::nullopt;
  constexpr int64_t most = int64_t(1) << 62;
  int64_t lo = 0, hi = 0, largest = 0;
  for (Attribute rest = expr; rest;) {
    DimExprAttr sum = getExpr(rest, DimOpKind::add);
    Attribute term = sum ? sum.getRhs() : rest;
    rest = sum ? sum.getLhs() : Attribute();
    int64_t factor = 1;
    if (DimExprAttr product = getExpr(term, DimOpKind::mul)) {
      factor = cast<IntegerAttr>(product.getRhs()).getInt();
      term = product.getLhs();
    }
    Interval64 bounds = dim::getBounds(term);
    int64_t a, b;
    if (llvm::MulOverflow(bounds.first, factor, a) ||
        llvm::MulOverflow(bounds.second, factor, b) || a == saturate(false) ||
        b == saturate(false) ||
        llvm::AddOverflow(largest, std::max(std::abs(a), std::abs(b)),
                          largest) ||
        largest > most)
      return std::nullopt;
    lo += std::min(a, b);
    hi += std::max(a, b);
  }
  return Interval64{lo, hi};
}

static Interval64 computeBounds(DimExprAttr expr) {
  if (std::optional<Interval64> bounds = getLinearBounds(expr))
    return *bounds;
  const DimOpKind kind = expr.getKind();
  if (kind == DimOpKind::add || kind == DimOpKind::mul) {
    // As it is, and in the forms in which more may cancel.
    const Polynomial shown(expr, /*writeOut=*/false), full(expr);
    const Polynomial shortest = full.withRemainders();
    Interval64 bounds = shown.getBounds();
    if (!(full == shown))
      bounds = intersect(bounds, full.getBounds());
    if (!(shortest == shown) && !(shortest == full))
      bounds = intersect(bounds, shortest.getBounds());
    return bounds;
  }
  const Interval64 lhs = dim::getBounds(expr.getLhs()),
                   rhs = dim::getBounds(expr.getRhs());
  if (kind == DimOpKind::floordiv)
    return getQuotientBounds(lhs, rhs);
  if (kind == DimOpKind::mod)
    return getRemainderBounds(lhs, rhs);
  return getCorners(kind, lhs, rhs);
}

Interval64 dim::getBounds(Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return {integer.getInt(), integer.getInt()};
  if (auto var = dyn_cast<VarAttr>(attr))
    return {var.getMin(), var.getMax()};
  if (DimExprAttr sum = getExpr(attr, DimOpKind::add))
    if (auto var = dyn_cast<VarAttr>(sum.getLhs()))
      if (std::optional<int64_t> number = Dim(sum.getRhs()).getStatic())
        return {dim::add(var.getMin(), *number),
                dim::add(var.getMax(), *number)};
  const DimFacts &facts = DimFacts::of(attr);
  if (std::optional<Interval64> bounds = facts.findBounds(attr))
    return *bounds;
  const Interval64 bounds = computeBounds(cast<DimExprAttr>(attr));
  facts.addBounds(attr, bounds);
  return bounds;
}

/// Bounds with all factors independent of each other.
Interval64 Polynomial::getBoxBounds() const {
  // The factors by number, which is all that is looked at below.
  llvm::SmallDenseMap<Attribute, size_t, 8> numbers;
  SmallVector<Interval64, 8> box;
  SmallVector<std::pair<int64_t, SmallVector<size_t, 4>>, 8> products;
  bool isMultilinear = true;
  Interval64 sum{0, 0};
  for (const auto &[monomial, coefficient] : terms) {
    Interval64 product{coefficient, coefficient};
    auto &[times, factors] = products.emplace_back();
    times = coefficient;
    for (Attribute factor : monomial) {
      auto [it, isNew] = numbers.try_emplace(factor, box.size());
      if (isNew)
        box.push_back(dim::getBounds(factor));
      product = multiplyIntervals(product, box[it->second]);
      isMultilinear &= factors.empty() || factors.back() != it->second;
      factors.push_back(it->second);
    }
    sum = {dim::add(sum.first, product.first),
           dim::add(sum.second, product.second)};
  }
  // A sum of single factors has its ends where these have theirs.
  if (!isMultilinear || box.size() < 2 || box.size() > kMostFactors ||
      llvm::none_of(products,
                    [](const auto &p) { return p.second.size() > 1; }))
    return sum;
  // Linear in each factor, so that the ends are at corners of the box.
  Interval64 ends{saturate(true), saturate(false)};
  for (size_t corner = 0; corner < size_t(1) << box.size(); ++corner) {
    int64_t value = 0;
    for (const auto &[times, factors] : products) {
      int64_t product = times;
      for (size_t i : factors)
        product = dim::multiply(product,
                                corner >> i & 1 ? box[i].second : box[i].first);
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
  // They are longer. Minima and maxima of which each operand has to be
  // looked at come before those of which one will do: that may be another one
  // in each case.
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
        quotient ? Dim(quotient.getRhs()).getStatic() : std::nullopt;
    if (divisor && *divisor > 0 &&
        (!longest ||
         dim::getLength(monomial[0]) > dim::getLength(longest->front())))
      longest = &monomial;
  }
  // Nor does a choice come before a quotient that it may be in.
  if (choice && (!longest || dim::getLength(longest->front()) <
                                 dim::getLength(choice->front()))) {
    auto boundWith = [&](Attribute chosen) {
      Polynomial rest = *this;
      rest.terms.erase(*choice);
      rest = rest + Polynomial(chosen).scale(terms.at(*choice));
      const Polynomial shortest = rest.withRemainders();
      int64_t best = rest.getRelaxedBound(upper, depth - 1);
      if (shortest == rest)
        return best;
      int64_t other = shortest.getRelaxedBound(upper, depth - 1);
      return upper ? std::min(best, other) : std::max(best, other);
    };
    auto expr = cast<DimExprAttr>(choice->front());
    int64_t a = boundWith(expr.getLhs()), b = boundWith(expr.getRhs());
    // Both are bounds, or the one that is further out.
    int64_t other = isEither == upper ? std::min(a, b) : std::max(a, b);
    return upper ? std::min(bound, other) : std::max(bound, other);
  }
  if (!longest)
    return bound;
  const int64_t coefficient = terms.at(*longest);
  auto quotient = cast<DimExprAttr>(longest->front());
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
