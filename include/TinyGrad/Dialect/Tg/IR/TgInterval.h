//===- TgInterval.h - bounds of integers ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `Interval`: the bounds of an integer, and their arithmetic. All analyses of
/// integers use it: bounds of dimensions, of index values and of the results of
/// integer operations.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGINTERVAL_H
#define TINYGRAD_DIALECT_TG_IR_TGINTERVAL_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace mlir::tg {

/// The integers from `lo` to `hi`, both included; none if `lo > hi`. An end of
/// kUnbounded, with its sign, is no bound: all integers from there on belong to
/// the interval.
///
/// Arithmetic is on mathematical integers and does not overflow: 128 bits hold
/// whatever 64-bit numbers give, and ends further out become unbounded. Numbers
/// of a program wrap around or saturate instead, which `wrapped` and
/// `saturated` account for. The operands of arithmetic are not empty. Ends of a
/// result are attained, except those of remainders by divisors that are no
/// single number.
///
/// Upstream's ConstantIntRanges have a fixed width and wrap around in each
/// step, so that they are used only between operations of that width.
struct Interval {
  __extension__ typedef __int128 Number;
  static constexpr Number kUnbounded =
      static_cast<Number>(~static_cast<unsigned __int128>(0) >> 1);

  Number lo = -kUnbounded;
  Number hi = kUnbounded;

  /// All integers.
  constexpr Interval() = default;
  /// A single number; implicit, so that numbers are operands of arithmetic.
  constexpr Interval(Number number) : lo(number), hi(number) {}
  constexpr Interval(Number lo, Number hi) : lo(lo), hi(hi) {}

  /// Neutral in `unite`.
  static constexpr Interval getEmpty() { return {kUnbounded, -kUnbounded}; }
  static constexpr Interval getInt64() {
    return {std::numeric_limits<int64_t>::min(),
            std::numeric_limits<int64_t>::max()};
  }
  /// The numbers of an integer type or index, bool as 0 and 1.
  static Interval getAll(Type type);

  bool operator==(const Interval &other) const = default;
  bool isEmpty() const { return lo > hi; }
  bool contains(Interval other) const {
    return lo <= other.lo && other.hi <= hi;
  }
  bool fitsInt64() const { return getInt64().contains(*this); }
  /// Whether all numbers are so far inside of 64 bits, below 2^61, that sums
  /// and differences of a few such numbers do not overflow.
  bool isModest() const { return lo > -kModestEnd && hi < kModestEnd; }
  static constexpr int64_t kModestEnd = int64_t(1) << 61;

  /// The number, if it is a single one of 64 bits.
  std::optional<int64_t> getSingle() const {
    return lo == hi && fitsInt64() ? std::optional(static_cast<int64_t>(lo))
                                   : std::nullopt;
  }
  /// The ends, which saturate at the limits of 64 bits.
  int64_t getMin() const { return clampToInt64(lo); }
  int64_t getMax() const { return clampToInt64(hi); }

  /// The bounds of a dimension, whose arithmetic saturates at the limits of 64
  /// bits.
  Interval saturated() const { return {getMin(), getMax()}; }
  /// The bounds of an index value in a kernel, whose arithmetic wraps around at
  /// 64 bits. Nothing is known of those that are not modest: then the
  /// difference of index values has the sign that comparing these gives.
  Interval wrapped() const { return isModest() ? *this : getInt64(); }
  /// The same for one step of a sum: x + 0 and x * 1 are x, modest or not.
  Interval addWrapped(Interval other) const;
  Interval mulWrapped(Interval factor) const {
    return factor == 1 ? *this : (*this * factor).wrapped();
  }

  Interval operator-() const { return {-hi, -lo}; }
  Interval operator+(Interval other) const;
  Interval operator-(Interval other) const { return *this + -other; }
  Interval operator*(Interval other) const;
  /// Rounded towards negative infinity, or towards 0. Divided by 0, a number
  /// gives 0.
  Interval floorDiv(Interval divisor) const;
  Interval truncDiv(Interval divisor) const;
  /// The remainders of these divisions: of the sign of the divisor, or of the
  /// dividend. Divided by 0, a number leaves 0.
  Interval floorMod(Interval divisor) const;
  Interval truncMod(Interval divisor) const;
  Interval min(Interval other) const {
    return {std::min(lo, other.lo), std::min(hi, other.hi)};
  }
  Interval max(Interval other) const {
    return {std::max(lo, other.lo), std::max(hi, other.hi)};
  }

  /// The smallest interval that contains both.
  Interval unite(Interval other) const {
    return {std::min(lo, other.lo), std::max(hi, other.hi)};
  }
  /// May be empty.
  Interval intersect(Interval other) const {
    return {std::max(lo, other.lo), std::min(hi, other.hi)};
  }

  /// The result of a comparison, if it is the same for all numbers.
  std::optional<bool> isLess(Interval other) const;
  std::optional<bool> isEqual(Interval other) const;

  /// Bounds of a value of a type as upstream's interfaces have them. What
  /// leaves the type may be anything, since it wraps around. Ranges of values
  /// that are no integers of up to 64 bits have no interval.
  static std::optional<Interval> get(const ConstantIntRanges &range, Type type);
  ConstantIntRanges getRange(Type type) const;

  /// For messages: `0 to 7`.
  std::string str() const;

private:
  static constexpr int64_t clampToInt64(Number number) {
    return static_cast<int64_t>(
        std::clamp(number, getInt64().lo, getInt64().hi));
  }
};

/// The bounds of the result of an operation on integers, from those of its
/// operands; those of its type if no more is known. Operands that are no
/// integers have any interval.
Interval inferInterval(Operation *op, ArrayRef<Interval> operands);
/// The same as an implementation of InferIntRangeInterface.
void inferRanges(Operation *op, ArrayRef<ConstantIntRanges> ranges,
                 SetIntRangeFn set);

/// Operations that `inferInterval` knows.
template <typename ConcreteType>
class InfersRanges : public OpTrait::TraitBase<ConcreteType, InfersRanges> {};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGINTERVAL_H
