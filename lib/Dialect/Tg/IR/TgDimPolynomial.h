//===- TgDimPolynomial.h - dimensions as polynomials ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Arithmetic that saturates, and sums of products: the normal form of a
/// dimension.
///
/// Arithmetic is on polynomials over variables, quotients and minima alone:
/// `x mod c` is `x - x floordiv c * c`, and `max(a, b)` is `a + b - min(a, b)`.
/// So everything that follows from these two equations is found to be equal.
/// The operands of a minimum have no common terms. Attributes are shorter: they
/// use remainders and maxima again where these replace several terms
/// (`Polynomial::getDim`), which depends on the polynomial alone.
///
/// A product of sums is expanded if that does not become too long, and kept as
/// a product of sums otherwise.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_IR_TGDIMPOLYNOMIAL_H
#define TINYGRAD_LIB_DIALECT_TG_IR_TGDIMPOLYNOMIAL_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "TinyGrad/Dialect/Tg/IR/TgInterval.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

namespace mlir::tg::dim {

int64_t saturate(bool positive);
int64_t add(int64_t a, int64_t b);
int64_t multiply(int64_t a, int64_t b);
/// An operator applied to intervals, without saturation.
Interval evaluate(DimOpKind kind, Interval a, Interval b);
/// The same for numbers, with saturation.
inline int64_t evaluate(DimOpKind kind, int64_t a, int64_t b) {
  // The most frequent, and faster so.
  if (kind == DimOpKind::add || kind == DimOpKind::mul)
    return kind == DimOpKind::add ? add(a, b) : multiply(a, b);
  return evaluate(kind, Interval(a), Interval(b)).getMin();
}

/// The order of factors, terms and operands: a total order of dimension
/// attributes by structure, not by address. Expressions come before variables,
/// variables before numbers.
bool isBefore(Attribute a, Attribute b);

/// The expression if it has this operator, else null.
DimExprAttr getExpr(Attribute attr, DimOpKind kind);

/// The number of operators and operands; more than that of any subexpression.
size_t getLength(Attribute attr);

/// The least and the greatest value of a dimension attribute, saturated.
Interval getBounds(Attribute attr);

/// What was computed before, for any number of threads.
template <typename Key, typename Value> class Cache {
public:
  /// The value of a key; computes it the first time.
  template <typename Fn> Value get(const Key &key, Fn compute) const {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (auto it = values.find(key); it != values.end())
        return it->second;
    }
    // Not locked: computing one value asks for others.
    const Value value = compute();
    std::lock_guard<std::mutex> lock(mutex);
    values.try_emplace(key, value);
    return value;
  }

private:
  mutable std::mutex mutex;
  mutable llvm::DenseMap<Key, Value> values;
};

/// The results and bounds of a context: graphs compute the same few dimensions
/// again and again. They live as long as the attributes themselves.
struct DimFacts : DialectInterface::Base<DimFacts> {
  explicit DimFacts(Dialect *dialect) : Base(dialect) {}
  /// Those of the context of a variable or expression.
  static const DimFacts &of(Attribute attr) {
    return *attr.getDialect().getRegisteredInterface<DimFacts>();
  }

  /// An operator with its operands, each an attribute or a number.
  using Operation =
      std::tuple<unsigned, const void *, int64_t, const void *, int64_t>;
  Cache<Operation, Dim> results;
  Cache<Attribute, Interval> bounds;
};

/// A sorted product of variables and of expressions that are neither sums nor
/// products. A product that is too long to be expanded has sums as factors.
using Monomial = SmallVector<Attribute, 2>;

/// Removes the factors of `b` from `a`; false if `a` does not have them all.
bool divide(const Monomial &a, const Monomial &b, Monomial &quotient);
Monomial multiply(const Monomial &a, const Monomial &b);
/// Whether an attribute is a sum, or a remainder or maximum that expands to
/// one.
bool isSum(Attribute attr);
/// Whether an expression contains this operator. Not for long expressions.
bool hasOperator(Attribute attr, DimOpKind kind);
/// Whether a remainder, minimum or maximum of these operands is an atom that is
/// not expanded: expansion repeats the operands, and again at each level of
/// nesting. True of long operands, of maxima of minima and maxima, and of
/// minima of maxima.
bool isOpaque(DimOpKind kind, ArrayRef<Attribute> operands);

/// The most terms of a sum that is factored.
inline constexpr size_t kMaxTermsToFactor = 256;

/// A sum of monomials with coefficients.
class Polynomial {
public:
  Polynomial() = default;
  /// Expands remainders and maxima if asked to.
  explicit Polynomial(Dim dim, bool expand = true);
  explicit Polynomial(Attribute attr, bool expand = true)
      : Polynomial(Dim(attr), expand) {}

  Polynomial &operator+=(const Polynomial &other);
  friend Polynomial operator+(Polynomial lhs, const Polynomial &rhs) {
    return std::move(lhs += rhs);
  }
  friend Polynomial operator-(const Polynomial &lhs, const Polynomial &rhs);
  friend Polynomial operator*(const Polynomial &lhs, const Polynomial &rhs);
  bool operator==(const Polynomial &other) const;
  void addTerm(const Monomial &monomial, int64_t coefficient);
  Polynomial scale(int64_t factor) const;

  /// `a * b * 2 + c + 4`: numbers are the last operands.
  Dim getDim(MLIRContext *context) const;

  /// The same value with remainders and maxima wherever they do not lengthen
  /// the sum. Not a normal form.
  Polynomial withRemainders() const;

  int64_t getConstant() const;
  /// Removes and returns the constant.
  int64_t takeConstant();
  /// The value of a polynomial without variables.
  std::optional<int64_t> getNumber() const;
  /// The greatest divisor of all coefficients but the constant.
  int64_t getCommonFactor() const;

  /// This as quotient * divisor + rest, where the quotient takes each term that
  /// is a multiple of the divisor. All or nothing for a divisor of several
  /// terms.
  std::pair<Polynomial, Polynomial>
  divideTerms(const Polynomial &divisor) const;

  Interval getBounds() const;

  /// The product of all, the same in any order.
  static Polynomial getProduct(ArrayRef<Polynomial> factors);

  /// Whether a term is a minimum times a number of this sign.
  bool hasMinimum(int sign) const;

  /// The minimum, without operands that are never less than another one.
  static Polynomial getMinimum(std::vector<Polynomial> operands,
                               MLIRContext *context);

private:
  /// Where a monomial is among the terms, or belongs.
  size_t find(const Monomial &monomial) const;
  /// The number that a monomial is multiplied by; 0 if it does not occur.
  int64_t getCoefficient(const Monomial &monomial) const;
  void setCoefficient(const Monomial &monomial, int64_t coefficient);

  static Polynomial ofAtom(Attribute attr);
  static Polynomial getCommonPart(const std::vector<Polynomial> &operands);
  static Polynomial getMinimumOf(std::vector<Polynomial> operands,
                                 MLIRContext *context);
  static Polynomial expandProduct(const Polynomial &lhs, const Polynomial &rhs);
  bool addFactors(std::vector<Polynomial> &sums, Monomial &others,
                  int64_t &coefficient) const;
  std::vector<Polynomial> getSumFactors(Monomial &others,
                                        int64_t &coefficient) const;
  size_t getLength() const;
  bool hasSumFactors() const;
  Polynomial withShortProducts() const;
  std::vector<Polynomial> getIndependentFactors() const;
  bool addIfShort(const Polynomial &change, size_t mostTerms);
  bool showRemainder(size_t mostTerms);
  bool showMaximum(size_t mostTerms);
  Dim getSum(MLIRContext *context) const;
  Interval getBoxBounds() const;
  int64_t getRelaxedBound(bool upper, unsigned depth) const;

  /// Monomials, ordered by their factors, with their coefficients.
  SmallVector<std::pair<Monomial, int64_t>, 2> terms;
};

} // namespace mlir::tg::dim

#endif // TINYGRAD_LIB_DIALECT_TG_IR_TGDIMPOLYNOMIAL_H
