//===- SymInt.h - numbers and expressions over variables --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The sizes of tensors: integers, or expressions over named variables whose
/// values are known when a program runs. docs/symbolic-shapes.md explains
/// how they are used.
///
/// \code
///   Variable n("n", 1, 1024);
///   Tensor x = Tensor::ones({n.bind(17), 8});    // 17 of up to 1024 rows
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_SYMINT_H
#define TINYGRAD_TENSOR_SYMINT_H

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Not defined inside the library, where conversions of sizes to numbers must be
// explicit.
#ifndef TINYGRAD_SYMINT_EXPLICIT
#define TINYGRAD_SYMINT_EXPLICIT
#endif

namespace tinygrad {

namespace detail {
struct SymExpr;
enum class SymOp { Add, Sub, Mul, Div, Mod, Min, Max };
/// The C++ integers that can be operands of an expression.
template <typename T>
concept SymNumber = std::integral<T> && !std::same_as<T, bool>;
/// Count the references to an expression: the value of a variable is kept as
/// long as there are any.
void retain(const SymExpr *expr);
void release(const SymExpr *expr);
} // namespace detail

/// A variable of an expression: its name, its bounds (inclusive), and the value
/// that it was bound to, if it was.
struct SymVariable {
  std::string name;
  int64_t min, max;
  std::optional<int64_t> value;

  bool operator==(const SymVariable &) const = default;
};

/// An integer, or an expression over variables. Expressions are kept in a
/// normal form, so that `n * 4 + n` and `n * 5` are the same.
class SymInt {
public:
  constexpr SymInt() = default;
  template <detail::SymNumber T>
  constexpr SymInt(T number) : number(int64_t(number)) {}
  constexpr SymInt(const SymInt &other)
      : number(other.number), expr(other.expr) {
    if (expr)
      detail::retain(expr);
  }
  constexpr SymInt(SymInt &&other) noexcept
      : number(other.number), expr(std::exchange(other.expr, nullptr)) {}
  constexpr SymInt &operator=(const SymInt &other) {
    return *this = SymInt(other);
  }
  constexpr SymInt &operator=(SymInt &&other) noexcept {
    number = other.number;
    std::swap(expr, other.expr);
    return *this;
  }
  constexpr ~SymInt() {
    if (expr)
      detail::release(expr);
  }

  /// Whether it is an expression rather than a number.
  bool isSymbolic() const { return expr != nullptr; }
  /// The number. That of an expression with the values that its variables are
  /// bound to; throws ShapeError if one is not bound.
  int64_t value() const { return expr ? valueOfExpr() : number; }
  TINYGRAD_SYMINT_EXPLICIT operator int64_t() const { return value(); }
  /// Whether value() returns rather than throws.
  bool hasValue() const;
  /// Bounds of all values, for all values of the variables within their bounds.
  int64_t min() const { return expr ? boundsOfExpr(false) : number; }
  int64_t max() const { return expr ? boundsOfExpr(true) : number; }
  /// The variables, by name.
  std::vector<SymVariable> variables() const;
  /// "n * 4 + 1"; a variable with a value is "n=3".
  std::string str() const;

  /// Whether both have the same normal form, as most expressions do that are
  /// equal for all values of the variables. An expression with a value never
  /// equals that number.
  friend bool operator==(const SymInt &lhs, const SymInt &rhs) {
    return lhs.number == rhs.number && lhs.expr == rhs.expr;
  }

  SymInt &operator+=(const SymInt &other);
  SymInt &operator-=(const SymInt &other);
  SymInt &operator*=(const SymInt &other);
  SymInt &operator/=(const SymInt &other);
  SymInt &operator%=(const SymInt &other);

  explicit SymInt(const detail::SymExpr *expr) : expr(expr) {
    detail::retain(expr);
  }
  /// Takes over a reference that was retained before.
  static SymInt adopt(const detail::SymExpr *expr) {
    SymInt size;
    size.expr = expr;
    return size;
  }
  const detail::SymExpr *expression() const { return expr; }

private:
  int64_t valueOfExpr() const;
  int64_t boundsOfExpr(bool upper) const;

  int64_t number = 0; // 0 for an expression
  const detail::SymExpr *expr = nullptr;
};

/// A named integer between two bounds, both inclusive. It has no value until it
/// is bound: tensors built with it can be inspected but not computed. Names are
/// global: two variables with the same name and bounds are the same. As a size,
/// a variable whose bounds are equal is that number.
class Variable : public SymInt {
public:
  /// Throws ShapeError for an empty name and for bounds without a number
  /// between them.
  Variable(std::string_view name, int64_t min, int64_t max);

  /// The variable with a value. Programs are compiled for the variable, not for
  /// the value, so that all values share one. Throws ShapeError for a value
  /// that is out of bounds.
  SymInt bind(int64_t value) const;

  const std::string &name() const;

private:
  const detail::SymExpr *variable;
};

namespace detail {
/// Throws ShapeError for a result that does not fit into 64 bits, for a divisor
/// that may be 0, and if one variable has two bounds or two values.
SymInt combine(SymOp op, const SymInt &lhs, const SymInt &rhs);
} // namespace detail

inline SymInt operator+(const SymInt &lhs, const SymInt &rhs) {
  int64_t sum;
  if (!lhs.isSymbolic() && !rhs.isSymbolic() &&
      !__builtin_add_overflow(lhs.value(), rhs.value(), &sum))
    return sum;
  return detail::combine(detail::SymOp::Add, lhs, rhs);
}
inline SymInt operator-(const SymInt &lhs, const SymInt &rhs) {
  int64_t difference;
  if (!lhs.isSymbolic() && !rhs.isSymbolic() &&
      !__builtin_sub_overflow(lhs.value(), rhs.value(), &difference))
    return difference;
  return detail::combine(detail::SymOp::Sub, lhs, rhs);
}
inline SymInt operator*(const SymInt &lhs, const SymInt &rhs) {
  int64_t product;
  if (!lhs.isSymbolic() && !rhs.isSymbolic() &&
      !__builtin_mul_overflow(lhs.value(), rhs.value(), &product))
    return product;
  return detail::combine(detail::SymOp::Mul, lhs, rhs);
}
/// Rounded towards negative infinity.
inline SymInt operator/(const SymInt &lhs, const SymInt &rhs) {
  return detail::combine(detail::SymOp::Div, lhs, rhs);
}
/// The remainder of the division above, with the sign of the divisor.
inline SymInt operator%(const SymInt &lhs, const SymInt &rhs) {
  return detail::combine(detail::SymOp::Mod, lhs, rhs);
}
inline SymInt operator-(const SymInt &x) { return SymInt(0) - x; }
inline SymInt symMin(const SymInt &lhs, const SymInt &rhs) {
  return detail::combine(detail::SymOp::Min, lhs, rhs);
}
inline SymInt symMax(const SymInt &lhs, const SymInt &rhs) {
  return detail::combine(detail::SymOp::Max, lhs, rhs);
}

// Overloads for C++ integers, so that their conversion to SymInt does not
// compete with the conversion of the other operand to int64_t.
#define TINYGRAD_SYMINT_OPERATOR(SYMBOL)                                       \
  template <detail::SymNumber T>                                               \
  SymInt operator SYMBOL(const SymInt &lhs, T rhs) {                           \
    return lhs SYMBOL SymInt(rhs);                                             \
  }                                                                            \
  template <detail::SymNumber T>                                               \
  SymInt operator SYMBOL(T lhs, const SymInt &rhs) {                           \
    return SymInt(lhs) SYMBOL rhs;                                             \
  }
TINYGRAD_SYMINT_OPERATOR(+)
TINYGRAD_SYMINT_OPERATOR(-)
TINYGRAD_SYMINT_OPERATOR(*)
TINYGRAD_SYMINT_OPERATOR(/)
TINYGRAD_SYMINT_OPERATOR(%)
#undef TINYGRAD_SYMINT_OPERATOR

template <detail::SymNumber T> bool operator==(const SymInt &lhs, T rhs) {
  return lhs == SymInt(rhs);
}

inline SymInt &SymInt::operator+=(const SymInt &other) {
  return *this = *this + other;
}
inline SymInt &SymInt::operator-=(const SymInt &other) {
  return *this = *this - other;
}
inline SymInt &SymInt::operator*=(const SymInt &other) {
  return *this = *this * other;
}
inline SymInt &SymInt::operator/=(const SymInt &other) {
  return *this = *this / other;
}
inline SymInt &SymInt::operator%=(const SymInt &other) {
  return *this = *this % other;
}

std::ostream &operator<<(std::ostream &stream, const SymInt &value);

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_SYMINT_H
