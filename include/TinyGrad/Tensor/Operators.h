//===- Operators.h - operators on tensors -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// C++ operators between two tensors or a tensor and a number. Each calls the
/// method of its meaning: `/` is div (true division), `%` is mod (with the sign
/// of the divisor), `==` is eq, elementwise, ...
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_OPERATORS_H
#define TINYGRAD_TENSOR_OPERATORS_H

#include "TinyGrad/Tensor/Operand.h"
#include "TinyGrad/Tensor/Scalar.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <concepts>

namespace tinygrad {

/// Operands that no operator accepts. An overload for them explains the error;
/// otherwise the compiler would list all operators.
template <typename T>
concept NotAnOperand = !NumberType<T> && !std::convertible_to<T, Tensor>;

#define TINYGRAD_OPERATOR(SYMBOL, NAME)                                        \
  inline Tensor operator SYMBOL(const Tensor &lhs, const Tensor &rhs) {        \
    return detail::apply(detail::BinaryOperator::NAME, lhs, rhs);              \
  }                                                                            \
  template <NumberType E> Tensor operator SYMBOL(const Tensor &lhs, E rhs) {   \
    return detail::apply(detail::BinaryOperator::NAME, lhs, rhs);              \
  }                                                                            \
  template <NumberType E> Tensor operator SYMBOL(E lhs, const Tensor &rhs) {   \
    return detail::apply(detail::BinaryOperator::NAME, lhs, rhs);              \
  }                                                                            \
  template <NotAnOperand T>                                                    \
  Tensor operator SYMBOL(const Tensor &lhs, const T &) {                       \
    static_assert(NumberType<T>,                                               \
                  "next to a tensor an operator takes a tensor or a number");  \
    return lhs;                                                                \
  }
TINYGRAD_OPERATOR(+, Add)
TINYGRAD_OPERATOR(-, Sub)
TINYGRAD_OPERATOR(*, Mul)
TINYGRAD_OPERATOR(/, Div)
TINYGRAD_OPERATOR(%, Mod)
TINYGRAD_OPERATOR(&, And)
TINYGRAD_OPERATOR(|, Or)
TINYGRAD_OPERATOR(^, Xor)
TINYGRAD_OPERATOR(<<, Shl)
TINYGRAD_OPERATOR(>>, Shr)
TINYGRAD_OPERATOR(==, Eq)
TINYGRAD_OPERATOR(!=, Ne)
TINYGRAD_OPERATOR(<, Lt)
TINYGRAD_OPERATOR(<=, Le)
TINYGRAD_OPERATOR(>, Gt)
TINYGRAD_OPERATOR(>=, Ge)
#undef TINYGRAD_OPERATOR

inline Tensor operator-(const Tensor &x) { return x.neg(); }
inline Tensor operator~(const Tensor &x) { return x.bitwiseNot(); }
inline Tensor operator!(const Tensor &x) { return x.logicalNot(); }

/// `x += y` makes x refer to another value; copies of the handle keep the old
/// one. assign() changes all of them.
#define TINYGRAD_COMPOUND(SYMBOL, NAME)                                        \
  inline Tensor &operator SYMBOL(Tensor &lhs, const Operand &rhs) {            \
    return lhs = detail::apply(detail::BinaryOperator::NAME, lhs, rhs);        \
  }
TINYGRAD_COMPOUND(+=, Add)
TINYGRAD_COMPOUND(-=, Sub)
TINYGRAD_COMPOUND(*=, Mul)
TINYGRAD_COMPOUND(/=, Div)
TINYGRAD_COMPOUND(%=, Mod)
TINYGRAD_COMPOUND(&=, And)
TINYGRAD_COMPOUND(|=, Or)
TINYGRAD_COMPOUND(^=, Xor)
TINYGRAD_COMPOUND(<<=, Shl)
TINYGRAD_COMPOUND(>>=, Shr)
#undef TINYGRAD_COMPOUND

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_OPERATORS_H
