//===- TgDimProducts.cpp - products of polynomials ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Products of sums: written out, or kept where that would be too long.
///
//===----------------------------------------------------------------------===//

#include "TgDimPolynomial.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SmallVector.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::dim;

/// Terms that a product of sums is written out to. More are a product of sums.
constexpr size_t kMaxTerms = 64;
/// The same in operators and operands, for few terms that are long.
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

Polynomial Polynomial::writtenOut(const Polynomial &lhs,
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

/// The factors of each product of sums, written out if that is short, as for
/// one out of which a factor was divided.
Polynomial Polynomial::withShortProducts() const {
  if (!hasSumFactors())
    return *this;
  Polynomial sum;
  for (const auto &[monomial, coefficient] : terms) {
    Polynomial term;
    term.addTerm(monomial, coefficient);
    sum = sum + getProduct(term);
  }
  return sum;
}

/// Adds the factors of a single term. False for a sum.
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
  // Those of products are taken apart already.
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
  // How long it would be, however it is multiplied.
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
        product = writtenOut(product, sum);
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
  // A product with a number is never longer.
  for (const auto &[number, other] :
       {std::pair{lhs.getNumber(), &rhs}, std::pair{rhs.getNumber(), &lhs}})
    if (number)
      return other->scale(*number);
  const Polynomial factors[] = {lhs, rhs};
  return Polynomial::getProduct(factors);
}

/// The factors of a sum, as far as they are found: a number, so that the others
/// have no common divisor and a positive last coefficient, what all terms have
/// in common, and sums that have no variable in common.
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
  auto getPart = [](const Terms &from, const Monomial &without,
                    int64_t divisor) {
    Polynomial part;
    for (const auto &[monomial, number] : from) {
      Monomial rest;
      ::divide(monomial, without, rest);
      part.addTerm(rest, number / divisor);
    }
    return part;
  };
  if (terms.rbegin()->second < 0)
    divisor = -divisor;
  coefficient = dim::multiply(coefficient, divisor);
  others.insert(others.end(), common.begin(), common.end());
  std::vector<Polynomial> factors =
      getPart(terms, common, divisor).getIndependentFactors();
  for (Polynomial &factor : factors)
    if (factor.terms.rbegin()->second < 0) {
      factor = factor.scale(-1);
      coefficient = dim::multiply(coefficient, -1);
    }
  return factors;
}

/// A sum without common divisor as a product of sums that have no variable in
/// common. Two variables x and y are in different factors if and only if a * d
/// == b * c in a*x*y + b*x + c*y + d. Just for sums in which no variable is
/// multiplied by itself.
std::vector<Polynomial> Polynomial::getIndependentFactors() const {
  if (terms.size() < 4 || terms.size() > kMaxTermsToFactor)
    return {*this};
  std::map<Attribute, unsigned, Before> numbers;
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
  // The terms with the variables of one factor are those of the product in
  // which the other variables are as in one term, times a number.
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
