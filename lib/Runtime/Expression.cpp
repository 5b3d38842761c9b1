//===- Expression.cpp - integers over a program's variables ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates expressions with a stack.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Expression.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <array>

using namespace tinygrad;

/// A limit for the evaluation stack; deeper expressions are rejected.
constexpr uint32_t kMaxDepth = 64;

static int64_t apply(Expression::Operator op, int64_t a, int64_t b) {
  // Wraps on overflow; valid sizes never overflow.
  switch (op) {
  case Expression::Operator::Add:
    return int64_t(uint64_t(a) + uint64_t(b));
  case Expression::Operator::Mul:
    return int64_t(uint64_t(a) * uint64_t(b));
  case Expression::Operator::FloorDiv:
  case Expression::Operator::Mod: {
    const bool wantsRemainder = op == Expression::Operator::Mod;
    if (b == 0)
      return 0;
    if (b == -1)
      return wantsRemainder ? 0 : int64_t(-uint64_t(a));
    int64_t quotient = a / b, remainder = a % b;
    if (remainder != 0 && (remainder < 0) != (b < 0)) {
      --quotient;
      remainder += b;
    }
    return wantsRemainder ? remainder : quotient;
  }
  case Expression::Operator::Min:
    return std::min(a, b);
  case Expression::Operator::Max:
    return std::max(a, b);
  }
  return 0;
}

uint32_t Expression::numVariables() const {
  uint32_t count = 0;
  for (const Step &step : steps)
    if (step.kind == Step::Kind::Variable)
      count = std::max(count, uint32_t(step.operand) + 1);
  return count;
}

int64_t Expression::evaluateSteps(const int64_t *values) const {
  std::array<int64_t, kMaxDepth> stack;
  std::size_t top = 0;
  for (const Step &step : steps) {
    switch (step.kind) {
    case Step::Kind::Number:
      stack[top++] = step.operand;
      break;
    case Step::Kind::Variable:
      stack[top++] = values[step.operand];
      break;
    case Step::Kind::Apply:
      --top;
      stack[top - 1] =
          apply(Operator(step.operand), stack[top - 1], stack[top]);
      break;
    }
  }
  return stack[0];
}

Expression::Builder &Expression::Builder::number(int64_t value) {
  expression.steps.push_back({Step::Kind::Number, value});
  expression.depth = std::max(expression.depth, ++waiting);
  return *this;
}

Expression::Builder &Expression::Builder::variable(uint32_t index) {
  expression.steps.push_back({Step::Kind::Variable, int64_t(index)});
  expression.depth = std::max(expression.depth, ++waiting);
  return *this;
}

Expression::Builder &Expression::Builder::apply(Operator op) {
  if (waiting < 2)
    throw Error("expression: an operator without two operands");
  expression.steps.push_back({Step::Kind::Apply, int64_t(op)});
  --waiting;
  return *this;
}

Expression Expression::Builder::build() {
  if (waiting != 1)
    throw Error("expression: " + std::to_string(waiting) +
                " values are left instead of one");
  if (expression.depth > kMaxDepth)
    throw Error("expression: more than " + std::to_string(kMaxDepth) +
                " operands wait for their operator");
  // An expression without variables is constant.
  if (expression.numVariables() == 0)
    return Expression(expression.evaluateSteps(nullptr));
  return std::move(expression);
}
