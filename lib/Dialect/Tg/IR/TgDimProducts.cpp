//===- TgDimProducts.cpp - products of polynomials ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Products of sums: expanded, or kept as products if that would be too long.
///
//===----------------------------------------------------------------------===//

#include "TgDimPolynomial.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <numeric>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::dim;

/// The most terms to which a product of sums is expanded.
constexpr size_t kMaxTerms = 64;
/// The same limit in operators and operands, for few but long terms.
constexpr size_t kMaxLength = 1 << 10;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static size_t getLength(const Monomial &monomial) {
  size_t length = 1;
  for (Attribute factor : monomial)
    length += dim::getLength(factor);
  return length;
}

size_t Polynomial::getLength() const {
  size_t length = 0;
  for (const auto &[monomial, coefficient] : terms)
    length += ::getLength(monomial);
  return length;
}

Polynomial Polynomial::expandProduct(const Polynomial &lhs,
                                     const Polynomial &rhs) {
  Polynomial product;
  for (const auto &[a, aCoefficient] : lhs.terms)
    for (const auto &[b, bCoefficient] : rhs.terms)
      product.addTerm(::multiply(a, b),
                      dim::multiply(aCoefficient, bCoefficient));
  return product;
}

bool Polynomial::hasSumFactors() const {
  for (const auto &[monomial, coefficient] : terms)
    for (Attribute factor : monomial)
      if (isSum(factor))
        return true;
  return false;
}

/// Expands products of sums that have become short, such as after a division by
/// a factor.
Polynomial Polynomial::withShortProducts() const {
  if (!hasSumFactors())
    return *this;
  Polynomial sum;
  for (const auto &[monomial, coefficient] : terms) {
    Polynomial term;
    term.addTerm(monomial, coefficient);
    sum += getProduct(term);
  }
  return sum;
}

/// Appends the factors of a single term; false for a sum.
bool Polynomial::addFactors(std::vector<Polynomial> &sums, Monomial &others,
                            int64_t &coefficient) const {
  if (terms.size() != 1)
    return false;
  const auto &[monomial, number] = *terms.begin();
  coefficient = dim::multiply(coefficient, number);
  for (Attribute factor : monomial) {
    if (isSum(factor))
      sums.push_back(Polynomial(factor));
    else
      others.push_back(factor);
  }
  return true;
}

Polynomial Polynomial::getProduct(ArrayRef<Polynomial> factors) {
  int64_t coefficient = 1;
  Monomial others;
  // The factors of products are known; sums may have to be factored.
  std::vector<Polynomial> known, sums;
  for (const Polynomial &factor : factors) {
    if (factor.terms.empty())
      return Polynomial();
    if (!factor.addFactors(known, others, coefficient))
      sums.push_back(factor);
  }
  auto addOthers = [&] {
    llvm::sort(others, dim::isBefore);
    Polynomial product;
    product.addTerm(others, coefficient);
    return product;
  };
  // The expanded length, which does not depend on the order of the factors.
  const size_t numSums = known.size() + sums.size();
  size_t numTerms = 1, length = others.empty() ? 0 : ::getLength(others);
  bool isShort = true;
  for (const auto *list : {&known, &sums})
    for (const Polynomial &sum : *list) {
      length = length * sum.terms.size() + numTerms * sum.getLength();
      numTerms *= sum.terms.size();
      isShort &= numSums == 1 || numTerms <= kMaxTerms;
      isShort &= (numSums == 1 && others.empty()) || length <= kMaxLength;
      if (!isShort)
        break;
    }
  if (isShort) {
    Polynomial product = addOthers();
    for (const auto *list : {&known, &sums})
      for (const Polynomial &sum : *list)
        product = expandProduct(product, sum);
    return product;
  }
  for (const Polynomial &sum : sums)
    for (Polynomial &factor : sum.getSumFactors(others, coefficient))
      known.push_back(std::move(factor));
  MLIRContext *context = nullptr;
  for (const Polynomial &sum : known)
    for (const auto &[monomial, number] : sum.terms)
      if (!monomial.empty())
        context = monomial.front().getContext();
  for (const Polynomial &sum : known)
    others.push_back(sum.getDim(context).getAttr());
  return addOthers();
}

Polynomial dim::operator*(const Polynomial &lhs, const Polynomial &rhs) {
  // Multiplying by a number adds no terms.
  for (const auto &[number, other] :
       {std::pair{lhs.getNumber(), &rhs}, std::pair{rhs.getNumber(), &lhs}})
    if (number)
      return other->scale(*number);
  const Polynomial factors[] = {lhs, rhs};
  return Polynomial::getProduct(factors);
}

/// Factors a sum as far as possible: into a number (the other factors then have
/// no common divisor and a positive last coefficient), the common factors of
/// all terms, and sums without common variables.
std::vector<Polynomial> Polynomial::getSumFactors(Monomial &others,
                                                  int64_t &coefficient) const {
  int64_t divisor = 0;
  Monomial common = terms.begin()->first;
  for (const auto &[monomial, number] : terms) {
    divisor = number == saturate(false) ? 1 : std::gcd(divisor, number);
    if (divisor == 1 && number == saturate(false))
      break;
    Monomial both;
    std::set_intersection(common.begin(), common.end(), monomial.begin(),
                          monomial.end(), std::back_inserter(both),
                          dim::isBefore);
    common.swap(both);
  }
  for (const auto &[monomial, number] : terms)
    if (number == saturate(false))
      return {*this};
  if (terms.rbegin()->second < 0)
    divisor = -divisor;
  coefficient = dim::multiply(coefficient, divisor);
  others.insert(others.end(), common.begin(), common.end());
  Polynomial primitive;
  for (const auto &[monomial, number] : terms) {
    Monomial rest;
    ::divide(monomial, common, rest);
    primitive.addTerm(rest, number / divisor);
  }
  std::vector<Polynomial> factors = primitive.getIndependentFactors();
  for (Polynomial &factor : factors)
    if (factor.terms.rbegin()->second < 0) {
      factor = factor.scale(-1);
      coefficient = dim::multiply(coefficient, -1);
    }
  return factors;
}

/// Factors a sum without common divisor into sums without common variables. Two
/// variables x and y are in different factors if and only if a * d == b * c in
/// a*x*y + b*x + c*y + d. Only for sums in which no variable is multiplied by
/// itself.
std::vector<Polynomial> Polynomial::getIndependentFactors() const {
  if (terms.size() < 4 || terms.size() > kMaxTermsToFactor)
    return {*this};
  std::map<Attribute, unsigned, decltype(&dim::isBefore)> numbers(
      dim::isBefore);
  std::vector<std::pair<uint64_t, int64_t>> masks;
  for (const auto &[monomial, coefficient] : terms) {
    uint64_t mask = 0;
    for (Attribute factor : monomial) {
      const unsigned number =
          numbers.try_emplace(factor, unsigned(numbers.size())).first->second;
      if (number >= 64 || mask >> number & 1)
        return {*this};
      mask |= uint64_t(1) << number;
    }
    masks.emplace_back(mask, coefficient);
  }
  auto areInOneFactor = [&](uint64_t x, uint64_t y) {
    std::map<std::pair<uint64_t, uint64_t>, int64_t> difference;
    for (auto [first, a] : masks)
      for (auto [second, b] : masks) {
        const bool isOuter =
            (first & (x | y)) == (x | y) && !(second & (x | y));
        const bool isInner = (first & (x | y)) == x && (second & (x | y)) == y;
        if (!isOuter && !isInner)
          continue;
        int64_t &sum = difference[{first & second, first | second}];
        int64_t product;
        if (llvm::MulOverflow(a, b, product) ||
            (isOuter ? llvm::AddOverflow(sum, product, sum)
                     : llvm::SubOverflow(sum, product, sum)))
          return true;
      }
    return llvm::any_of(difference,
                        [](const auto &entry) { return entry.second != 0; });
  };
  llvm::EquivalenceClasses<unsigned> classes;
  for (unsigned i = 0; i < numbers.size(); ++i)
    classes.insert(i);
  for (unsigned i = 0; i < numbers.size(); ++i)
    for (unsigned k = 0; k < i; ++k)
      if (!classes.isEquivalent(i, k) &&
          areInOneFactor(uint64_t(1) << i, uint64_t(1) << k))
        classes.unionSets(i, k);
  // The terms of one factor, times a number: those terms of the sum in which
  // the variables of the other factors are the same as in one sample term.
  std::vector<Polynomial> factors;
  const uint64_t sample = masks.back().first;
  for (const auto &[atom, number] : numbers) {
    if (classes.getLeaderValue(number) != number)
      continue;
    uint64_t own = 0;
    for (unsigned i = 0; i < numbers.size(); ++i)
      if (classes.isEquivalent(i, number))
        own |= uint64_t(1) << i;
    Polynomial factor;
    int64_t divisor = 0;
    size_t position = 0;
    for (const auto &[monomial, coefficient] : terms) {
      if ((masks[position++].first & ~own) != (sample & ~own))
        continue;
      Monomial part;
      for (Attribute other : monomial)
        if (own >> numbers[other] & 1)
          part.push_back(other);
      divisor = std::gcd(divisor, coefficient);
      factor.addTerm(part, coefficient);
    }
    for (auto &[monomial, coefficient] : factor.terms)
      coefficient /= divisor;
    factors.push_back(std::move(factor));
  }
  return factors;
}
