//===- LinearForm.h - sums of index values ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Index values as sums of terms whose coefficients are numbers or dimensions,
/// and the division of such sums by a number or dimension.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_LINEARFORM_H
#define TINYGRAD_DIALECT_TG_UTILS_LINEARFORM_H

#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <numeric>
#include <optional>
#include <utility>

namespace mlir::tg {

/// Whether a dimension was worked out without reaching the limits of 64 bits.
bool isModest(Dim dim);

/// Modulo 2^64, as kernels compute indices.
inline int64_t addWrapped(int64_t x, int64_t y) {
  return static_cast<int64_t>(uint64_t(x) + uint64_t(y));
}
inline int64_t mulWrapped(int64_t x, int64_t y) {
  return static_cast<int64_t>(uint64_t(x) * uint64_t(y));
}

/// The greatest common divisor; of 0 and a number, its absolute value. 1 if it
/// does not fit.
inline int64_t getCommonDivisor(int64_t a, int64_t b) {
  // Unsigned: the least int64_t has no absolute value.
  auto getMagnitude = [](int64_t x) {
    return x < 0 ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  };
  const uint64_t divisor = std::gcd(getMagnitude(a), getMagnitude(b));
  return divisor > static_cast<uint64_t>(INT64_MAX)
             ? 1
             : static_cast<int64_t>(divisor);
}

/// The number that a coefficient is, if it is one.
inline std::optional<int64_t> getNumber(int64_t number) { return number; }
inline std::optional<int64_t> getNumber(Dim dim) { return dim.getStatic(); }

/// constant + sum of coefficient * atom, with distinct atoms and coefficients
/// other than 0. `Form` derives from this sum; it has a constructor for a
/// constant, `getZero`, and `sum` and `product` of coefficients.
template <typename Form, typename Atom, typename Coefficient> struct LinearSum {
  Coefficient constant;
  SmallVector<std::pair<Atom, Coefficient>, 4> terms;

  /// Searching a larger sum for each term would take quadratic time.
  static constexpr size_t kFew = 16;

  explicit LinearSum(Coefficient constant) : constant(constant) {}

  void addConstant(Coefficient number) {
    constant = form().sum(constant, number);
  }

  void addTerm(Atom atom, Coefficient coefficient) {
    auto *term =
        llvm::find_if(terms, [&](auto &term) { return term.first == atom; });
    if (term == terms.end()) {
      if (getNumber(coefficient) != 0)
        terms.emplace_back(atom, coefficient);
      return;
    }
    term->second = form().sum(term->second, coefficient);
    if (getNumber(term->second) == 0)
      terms.erase(term);
  }

  /// Adds `factor` times the other form.
  void add(const Form &other, Coefficient factor) {
    constant = form().sum(constant, form().product(other.constant, factor));
    if (terms.empty() && getNumber(factor) == 1) {
      terms = other.terms;
      return;
    }
    const bool isLarge = terms.size() > kFew && other.terms.size() > 2;
    for (auto [atom, coefficient] : other.terms) {
      Coefficient product = form().product(coefficient, factor);
      if (isLarge)
        terms.emplace_back(atom, product);
      else
        addTerm(atom, product);
    }
    if (isLarge)
      mergeTerms();
  }
  void subtract(const Form &other) { form().add(other, -1); }
  Form negated() const {
    Form result = form().getZero();
    result.subtract(form());
    return result;
  }

  /// Adds up the coefficients of equal atoms, after terms were appended without
  /// a search.
  void mergeTerms() {
    if (terms.size() <= kFew) {
      for (auto [atom, coefficient] : std::exchange(terms, {}))
        addTerm(atom, coefficient);
      return;
    }
    DenseMap<Atom, size_t> positions;
    size_t count = 0;
    for (auto [atom, coefficient] : terms) {
      auto [it, isNew] = positions.try_emplace(atom, count);
      if (isNew)
        terms[count++] = {atom, coefficient};
      else
        terms[it->second].second =
            form().sum(terms[it->second].second, coefficient);
    }
    terms.truncate(count);
    llvm::erase_if(terms,
                   [](auto &term) { return getNumber(term.second) == 0; });
  }

  /// The greatest number that divides `number` and all coefficients.
  int64_t getCommonDivisor(int64_t number) const {
    for (auto [atom, coefficient] : terms)
      number = tg::getCommonDivisor(getNumber(coefficient).value_or(1), number);
    return number;
  }

private:
  Form &form() { return static_cast<Form &>(*this); }
  const Form &form() const { return static_cast<const Form &>(*this); }
};

/// A sum whose atoms are index values that are neither sums, nor dimensions,
/// nor products by a dimension (ranges, quotients, remainders, loaded values),
/// and whose coefficients are numbers or dimensions.
///
/// Numbers wrap, as those of kernels do, and no attributes are created for
/// them. Expressions saturate instead: a form in which one may have done so is
/// marked, and must not be used in place of the sum.
struct LinearForm : LinearSum<LinearForm, Value, Dim> {
  /// Whether an expression that was added up is not modest.
  bool saturated = false;

  explicit LinearForm(Dim constant)
      : LinearSum(constant),
        saturated(!constant.isStatic() && !isModest(constant)) {}
  explicit LinearForm(MLIRContext *context, int64_t number = 0)
      : LinearSum(Dim(context, number)) {}
  /// An atom alone.
  explicit LinearForm(Value atom) : LinearForm(atom.getContext()) {
    addTerm(atom, 1);
  }

  MLIRContext *getContext() const { return constant.getContext(); }
  /// A number or dimension.
  bool isDim() const { return terms.empty(); }
  /// The number, if it is one and nothing else.
  std::optional<int64_t> getNumber() const {
    return isDim() ? constant.getStatic() : std::nullopt;
  }
  /// The atom, if it is one and nothing else.
  Value getAtom() const;
  /// The number that the atom is multiplied by; 0 if it does not occur, or is
  /// multiplied by an expression.
  int64_t getCoefficient(Value atom) const;

  using LinearSum::addConstant;
  void addConstant(int64_t number) { addConstant(Dim(getContext(), number)); }
  using LinearSum::addTerm;
  void addTerm(Value atom, int64_t coefficient) {
    addTerm(atom, Dim(getContext(), coefficient));
  }
  void add(const LinearForm &other, Dim factor) {
    saturated |= other.saturated;
    LinearSum::add(other, factor);
  }
  void add(const LinearForm &other, int64_t factor = 1) {
    add(other, Dim(getContext(), factor));
  }
  LinearForm getZero() const { return LinearForm(getContext()); }
  /// Whether both are the same sum, in any order.
  bool operator==(const LinearForm &other) const;

  /// The sum and the product of coefficients of this form.
  Dim sum(Dim lhs, Dim rhs) {
    return lhs.isStatic() && rhs.isStatic()
               ? Dim(getContext(),
                     addWrapped(*lhs.getStatic(), *rhs.getStatic()))
               : marked(lhs + rhs);
  }
  Dim product(Dim lhs, Dim rhs) {
    return lhs.isStatic() && rhs.isStatic()
               ? Dim(getContext(),
                     mulWrapped(*lhs.getStatic(), *rhs.getStatic()))
               : marked(lhs * rhs);
  }

private:
  Dim marked(Dim result) {
    saturated |= !isModest(result);
    return result;
  }
};

/// Whether all of its numbers and dimensions are modest.
bool isModest(const LinearForm &form);

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// a / b, if b divides a for all values of the variables; nothing for a number
/// b that is not positive. The divisor is not 0 where the quotient is used:
/// what is divided by are sizes, and where one is 0 there is no index.
std::optional<Dim> divideExactly(Dim a, Dim b);
inline std::optional<int64_t> divideExactly(int64_t a, int64_t b) {
  return b > 0 && a % b == 0 ? std::optional(a / b) : std::nullopt;
}

/// A dimension as quotient * divisor + rest, term by term; the rest of a number
/// by a number is in [0, divisor).
std::pair<Dim, Dim> divideTerms(Dim dim, Dim divisor);

/// form = quotient * divisor + rest
template <typename Form> struct SplitForm {
  Form quotient, rest;
};
using Split = SplitForm<LinearForm>;

/// Splits the terms that the divisor divides from a sum. The constant stays in
/// the rest.
template <typename Form, typename Coefficient>
SplitForm<Form> splitTerms(const Form &form, Coefficient divisor) {
  SplitForm<Form> split{form.getZero(), Form(form.constant)};
  for (auto [atom, coefficient] : form.terms) {
    if (std::optional<Coefficient> times = divideExactly(coefficient, divisor))
      split.quotient.terms.emplace_back(atom, *times);
    else
      split.rest.terms.emplace_back(atom, coefficient);
  }
  return split;
}

/// The form with coefficients and constant reduced modulo a divisor, towards 0.
LinearForm reduceTerms(const LinearForm &form, Dim divisor);

/// The greatest number that divides all coefficients, all expressions in the
/// constant and `number`.
int64_t getCommonDivisor(const LinearForm &form, int64_t number);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_LINEARFORM_H
