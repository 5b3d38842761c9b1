//===- Expression.h - integers over a program's variables -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A number that is known when a program runs: what of a launch depends on
/// symbolic sizes.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_EXPRESSION_H
#define TINYGRAD_RUNTIME_EXPRESSION_H

#include <cstdint>
#include <vector>

namespace tinygrad {

/// An integer expression over variables that are known by their numbers, as
/// plain data. Made operand by operand, the operators after them:
/// `n * 4` is variable(0), number(4), apply(Mul).
class Expression {
public:
  enum class Operator : uint8_t { Add, Mul, FloorDiv, Mod, Min, Max };

  /// A number.
  Expression(int64_t value = 0) : value(value) {}

  /// Throws Error if an operator lacks an operand, or too many wait for one.
  class Builder;

  bool isConstant() const { return steps.empty(); }
  /// The value of a constant.
  int64_t constant() const { return value; }
  /// The highest number of a variable in it, plus one.
  uint32_t numVariables() const;

  /// The value for these values of the variables. Division rounds towards
  /// negative infinity and gives 0 for a divisor of 0, as its remainder does.
  int64_t evaluate(const int64_t *values) const {
    return steps.empty() ? value : evaluateSteps(values);
  }

private:
  struct Step {
    enum class Kind : uint8_t { Number, Variable, Apply };
    Kind kind;
    int64_t operand; // the number, a variable's number, an operator
  };
  int64_t evaluateSteps(const int64_t *values) const;

  int64_t value = 0;
  std::vector<Step> steps; // in postfix order; empty for a number
  uint32_t depth = 0;      // most operands that wait at once
};

/// Puts an expression together in postfix order.
class Expression::Builder {
public:
  Builder &number(int64_t value);
  Builder &variable(uint32_t index);
  Builder &apply(Operator op);
  /// Throws Error unless exactly one value is left.
  Expression build();

private:
  Expression expression;
  uint32_t waiting = 0;
};

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_EXPRESSION_H
