//===- TgDimPolynomial.h - dimensions as polynomials ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Arithmetic that saturates, and sums of products of variables: the normal
/// form of a dimension.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_IR_TGDIMPOLYNOMIAL_H
#define TINYGRAD_LIB_DIALECT_TG_IR_TGDIMPOLYNOMIAL_H

#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include <map>
#include <string>
#include <vector>

namespace mlir::tg::dim {

int64_t saturate(bool positive);
int64_t add(int64_t a, int64_t b);
int64_t multiply(int64_t a, int64_t b);
/// Rounded towards negative infinity; by 0 it is 0.
int64_t floorDiv(int64_t a, int64_t b);
int64_t evaluate(DimOpKind kind, int64_t a, int64_t b);

/// The full text, bounds included, by which variables and terms are ordered.
std::string getKey(Attribute attr);

/// Least and greatest value of a dimension attribute.
std::pair<int64_t, int64_t> getBounds(Attribute attr);

/// A product of variables, and of expressions that are neither sum nor product,
/// with their keys, by which they are ordered.
using Monomial = std::vector<std::pair<std::string, Attribute>>;

/// A sum of monomials with coefficients.
class Polynomial {
public:
  Polynomial() = default;
  explicit Polynomial(Attribute attr);

  friend Polynomial operator+(Polynomial lhs, const Polynomial &rhs);
  friend Polynomial operator*(const Polynomial &lhs, const Polynomial &rhs);
  void addTerm(const Monomial &monomial, int64_t coefficient);
  Polynomial scale(int64_t factor) const;

  /// `(a * b * 2 + c) + 4`: what is constant is on the right.
  Dim getDim(MLIRContext *context) const;

  int64_t getConstant() const;
  /// The greatest divisor of all coefficients but the constant.
  int64_t getCommonFactor() const;

  /// This as quotient * divisor + rest, where the quotient takes each term that
  /// is a multiple of the divisor. All or nothing for a divisor of several
  /// terms.
  std::pair<Polynomial, Polynomial>
  divideTerms(const Polynomial &divisor) const;

  std::pair<int64_t, int64_t> getBounds() const;

private:
  /// Orders monomials by the keys of their factors.
  struct Less {
    bool operator()(const Monomial &a, const Monomial &b) const;
  };

  void recombine();
  bool findRemainder();
  std::pair<int64_t, int64_t> getBoxBounds() const;
  int64_t getRelaxedBound(bool upper, unsigned depth) const;

  std::map<Monomial, int64_t, Less> terms;
};

} // namespace mlir::tg::dim

#endif // TINYGRAD_LIB_DIALECT_TG_IR_TGDIMPOLYNOMIAL_H
