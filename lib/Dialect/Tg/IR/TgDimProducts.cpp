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
#include "llvm/ADT/SmallVector.h"

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

/// A sum as the term that it is in a product that is not expanded.
Polynomial Polynomial::getFactor() const {
  MLIRContext *context = terms.rbegin()->first.front().getContext();
  const Attribute attr = getDim(context).getAttr();
  // It may be a remainder or maximum, times other factors.
  const Polynomial shown(attr, /*expand=*/false);
  return shown.terms.size() == 1 ? shown : ofAtom(attr);
}

Polynomial Polynomial::getProduct(ArrayRef<Polynomial> factors) {
  int64_t coefficient = 1;
  Monomial atoms;
  // With their attributes, if they are factors of a product already.
  std::vector<std::pair<Polynomial, Attribute>> sums;
  for (const Polynomial &factor : factors) {
    if (factor.terms.empty())
      return Polynomial();
    if (factor.terms.size() > 1) {
      sums.emplace_back(factor, Attribute());
      continue;
    }
    const auto &[monomial, number] = *factor.terms.begin();
    coefficient = dim::multiply(coefficient, number);
    for (Attribute part : monomial) {
      if (isSum(part))
        sums.emplace_back(Polynomial(part), part);
      else
        atoms.push_back(part);
    }
  }
  // The expanded length, which does not depend on the order of the factors.
  size_t numTerms = 1, length = atoms.empty() ? 0 : ::getLength(atoms);
  bool isShort = true;
  for (const auto &[sum, attr] : sums) {
    length = length * sum.terms.size() + numTerms * sum.getLength();
    numTerms *= sum.terms.size();
    isShort &= sums.size() == 1 || numTerms <= kMaxTerms;
    isShort &= (sums.size() == 1 && atoms.empty()) || length <= kMaxLength;
    if (!isShort)
      break;
  }
  llvm::sort(atoms, dim::isBefore);
  Polynomial product;
  product.addTerm(atoms, coefficient);
  for (const auto &[sum, attr] : sums) {
    if (isShort)
      product = expandProduct(product, sum);
    else
      product = expandProduct(product, attr ? ofAtom(attr) : sum.getFactor());
  }
  return product;
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
