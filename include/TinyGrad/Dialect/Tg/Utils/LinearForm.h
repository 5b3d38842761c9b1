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
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <utility>

namespace mlir::tg {

/// Whether a dimension was worked out without reaching the limits of 64 bits.
bool isModest(Dim dim);

/// constant + sum of coefficient * atom. Atoms are distinct index values that
/// are neither sums, nor dimensions, nor products by a dimension (ranges,
/// quotients, remainders, loaded values); coefficients are not 0.
///
/// Numbers wrap, as those of kernels do, and no attributes are created for
/// them. Expressions saturate instead: a form in which one may have done so is
/// marked, and must not be used in place of the sum.
struct LinearForm {
  Dim constant;
  SmallVector<std::pair<Value, Dim>, 4> terms;
  /// Whether an expression that was added up is not modest.
  bool saturated = false;

  explicit LinearForm(Dim constant)
      : constant(constant),
        saturated(!constant.isStatic() && !isModest(constant)) {}
  explicit LinearForm(MLIRContext *context, int64_t number = 0)
      : constant(context, number) {}

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

  void addConstant(Dim number);
  void addConstant(int64_t number) { addConstant(Dim(getContext(), number)); }
  void addTerm(Value atom, Dim coefficient);
  void addTerm(Value atom, int64_t coefficient) {
    addTerm(atom, Dim(getContext(), coefficient));
  }
  /// Adds `factor` times the other form.
  void add(const LinearForm &other, Dim factor);
  void add(const LinearForm &other, int64_t factor = 1) {
    add(other, Dim(getContext(), factor));
  }
  void subtract(const LinearForm &other) { add(other, -1); }
  /// Adds up terms of one atom, after terms were put in without a look at
  /// others.
  void mergeTerms();
  LinearForm negated() const;
  /// Whether both are the same sum, in any order.
  bool operator==(const LinearForm &other) const;

  /// The sum and the product of coefficients of this form.
  Dim sum(Dim lhs, Dim rhs) {
    return lhs.isStatic() && rhs.isStatic()
               ? Dim(getContext(), wrap(uint64_t(*lhs.getStatic()) +
                                        uint64_t(*rhs.getStatic())))
               : marked(lhs + rhs);
  }
  Dim product(Dim lhs, Dim rhs) {
    return lhs.isStatic() && rhs.isStatic()
               ? Dim(getContext(), wrap(uint64_t(*lhs.getStatic()) *
                                        uint64_t(*rhs.getStatic())))
               : marked(lhs * rhs);
  }

private:
  static int64_t wrap(uint64_t number) { return static_cast<int64_t>(number); }
  Dim marked(Dim result) {
    saturated |= !isModest(result);
    return result;
  }
};

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// a / b, if b divides a for all values of the variables; nothing for a number
/// b that is not positive. The divisor is not 0 where the quotient is used:
/// what is divided by are sizes, and where one is 0 there is no index.
std::optional<Dim> divideExactly(Dim a, Dim b);

/// A dimension as quotient * divisor + rest, term by term; the rest of a number
/// by a number is in [0, divisor).
std::pair<Dim, Dim> divideTerms(Dim dim, Dim divisor);

/// form = quotient * divisor + rest
struct Split {
  LinearForm quotient, rest;
};

/// Splits the terms that the divisor divides from a sum. The constant stays in
/// the rest.
Split splitTerms(const LinearForm &form, Dim divisor);

/// The form with coefficients and constant reduced modulo a divisor, towards 0.
LinearForm reduceTerms(const LinearForm &form, Dim divisor);

/// The greatest number that divides all coefficients, all expressions in the
/// constant and `number`.
int64_t getCommonDivisor(const LinearForm &form, int64_t number);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_LINEARFORM_H
