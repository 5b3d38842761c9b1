//===- Scalar.h - a number as an operand ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A C++ number given where a tensor is expected, or an integer expression over
/// variables. It has a kind (bool, integer or float), but no width: combined
/// with a tensor it takes the tensor's element type if that is of the same or a
/// higher kind.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_SCALAR_H
#define TINYGRAD_TENSOR_SCALAR_H

#include "TinyGrad/Runtime/DType.h"
#include "TinyGrad/Tensor/SymInt.h"

#include <string>
#include <type_traits>

namespace tinygrad {

/// The C++ types that store an element of some DType.
template <typename T>
concept ElementType = requires { detail::DTypeOf<T>::dtype; };

/// A number and its kind; any C++ number converts to one.
class Scalar {
public:
  enum class Kind : uint8_t { Bool, Int, Float };

  template <ElementType T> Scalar(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      kind_ = Kind::Bool;
      bits = value;
    } else if constexpr (std::is_integral_v<T>) {
      kind_ = Kind::Int;
      bits = uint64_t(value);
      isNegative_ = value < T(0);
    } else {
      kind_ = Kind::Float;
      number = double(value);
    }
  }
  Scalar(SymInt value)
      : Scalar(value.isSymbolic() ? value.min() : value.value()) {
    if (value.isSymbolic())
      symbolic_ = value;
  }

  Kind kind() const { return kind_; }
  /// Whether it is an expression over variables, for which access to the value
  /// throws ShapeError.
  bool isSymbolic() const { return symbolic_.isSymbolic(); }
  /// The expression, or the integer.
  SymInt toSymInt() const {
    return isSymbolic() ? symbolic_ : SymInt(int64_t(toBits()));
  }
  /// Whether the value is, or may be, less than 0.
  bool isNegative() const {
    return kind_ == Kind::Float ? number < 0 : isNegative_;
  }

  /// The value, rounded to the nearest double.
  double toDouble() const {
    if (isSymbolic())
      throwSymbolic();
    if (kind_ == Kind::Float)
      return number;
    return isNegative_ ? double(int64_t(bits)) : double(bits);
  }
  /// The low 64 bits of a bool or integer in two's complement. A float is
  /// truncated towards zero and saturates; NaN is 0.
  uint64_t toBits() const;

  /// The element type of a tensor made from it: bool, int32 (int64 or uint64
  /// if it needs that), defaultFloat().
  DType defaultDType() const;

  /// Whether every operand of element type \p dtype can take this scalar
  /// without a change of type.
  bool isWeakerThan(DType dtype) const;
  /// Whether the value is one of \p dtype, rounded towards zero if it is a
  /// float and \p dtype is not. All values fit the float types and bool.
  bool fits(DType dtype) const;

  std::string str() const;

private:
  [[noreturn]] void throwSymbolic() const;

  Kind kind_;
  bool isNegative_ = false;
  uint64_t bits = 0;
  double number = 0;
  SymInt symbolic_; // a number unless it is an expression
};

/// Operands that an operator accepts besides tensors.
template <typename T>
concept NumberType =
    ElementType<T> || std::is_same_v<T, Scalar> || std::derived_from<T, SymInt>;

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_SCALAR_H
