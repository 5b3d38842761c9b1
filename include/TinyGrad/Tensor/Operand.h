//===- Operand.h - operands that may be numbers -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Types of parameters that are a tensor or something else. They refer to the
/// tensor, which must outlive them: use them only for parameters.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_OPERAND_H
#define TINYGRAD_TENSOR_OPERAND_H

#include "TinyGrad/Tensor/Scalar.h"

#include <concepts>
#include <optional>

namespace tinygrad {

class Tensor;

/// A tensor or a number.
class Operand {
public:
  Operand(const Tensor &tensor) : tensor_(&tensor) {}
  template <ElementType E> Operand(E value) : scalar_(value) {}
  Operand(SymInt value) : scalar_(value) {}
  Operand(Scalar value) : scalar_(value) {}

  const Tensor *tensor() const { return tensor_; }
  const Scalar &scalar() const { return scalar_; }

private:
  const Tensor *tensor_ = nullptr;
  Scalar scalar_ = 0;
};

/// A tensor or none: a Tensor (an undefined one is none), a
/// std::optional<Tensor>, `{}` or std::nullopt.
class OptionalTensor {
public:
  OptionalTensor() = default;
  OptionalTensor(std::nullopt_t) {}
  OptionalTensor(const Tensor &tensor);
  template <std::same_as<Tensor> T>
  OptionalTensor(const std::optional<T> &tensor)
      : OptionalTensor(tensor ? OptionalTensor(*tensor) : OptionalTensor()) {}

  explicit operator bool() const { return tensor_ != nullptr; }
  const Tensor &operator*() const { return *tensor_; }
  const Tensor *operator->() const { return tensor_; }

private:
  const Tensor *tensor_ = nullptr;
};

namespace detail {
enum class BinaryOperator {
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge
};
/// At least one of the operands is a tensor.
Tensor apply(BinaryOperator op, const Operand &lhs, const Operand &rhs);
} // namespace detail
} // namespace tinygrad

#endif // TINYGRAD_TENSOR_OPERAND_H
