//===- Expression.h - integers over a program's variables -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Numbers that are computed when a program runs: those of a launch that depend
/// on symbolic sizes.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_EXPRESSION_H
#define TINYGRAD_RUNTIME_EXPRESSION_H

#include <cstdint>
#include <vector>

namespace tinygrad {

/// An integer expression over numbered variables, as plain data in postfix
/// order: `n * 4` is variable(0), number(4), apply(Mul).
class Expression {
public:
  enum class Operator : uint8_t { Add, Mul, FloorDiv, Mod, Min, Max };

  /// A number.
  Expression(int64_t value = 0) : value(value) {}

  /// Throws Error if an operator lacks an operand or an operand has no
  /// operator.
  class Builder;

  bool isConstant() const { return steps.empty(); }
  /// The value of a constant.
  int64_t constant() const { return value; }
  /// The highest number of a variable in the expression, plus one.
  uint32_t numVariables() const;

  /// Evaluates the expression for these values of the variables. Division
  /// rounds towards negative infinity and gives 0 for a divisor of 0; so does
  /// its remainder.
  int64_t evaluate(const int64_t *values) const {
    return steps.empty() ? value : evaluateSteps(values);
  }

  /// One entry in postfix order.
  struct Step {
    enum class Kind : uint8_t { Number, Variable, Apply };
    Kind kind;
    int64_t operand; ///< the number, a variable's number, an operator
  };
  /// All of them, for those who store expressions; none for a constant.
  const std::vector<Step> &getSteps() const { return steps; }

private:
  int64_t evaluateSteps(const int64_t *values) const;

  int64_t value = 0;
  std::vector<Step> steps; // in postfix order; empty for a number
  uint32_t depth = 0;      // the stack depth of evaluation
};

/// Builds an expression in postfix order.
class Expression::Builder {
public:
  Builder &number(int64_t value);
  Builder &variable(uint32_t index);
  Builder &apply(Operator op);
  /// Throws Error unless exactly one value is on the stack.
  Expression build();

private:
  Expression expression;
  uint32_t waiting = 0;
};

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_EXPRESSION_H
