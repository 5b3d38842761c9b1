//===- Arithmetic.h - tg's scalar arithmetic in arith and math --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How the element types of the dialect live in registers and in memory, and
/// builders of its arithmetic on them. All builders take scalars or 1-D
/// vectors, and operands of one operation have one shape.
///
/// In a register, bool is `i1`, integers are signless, and floats are
/// themselves, but for the 8-bit ones, which are integers that hold their bits:
/// nothing but conversions works on those. In memory bool is a byte. f16 and
/// bf16 are held as floats or as bits, which the code generator chooses (see
/// NarrowFloats).
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_KERNELEMISSION_ARITHMETIC_H
#define TINYGRAD_CONVERSION_KERNELEMISSION_ARITHMETIC_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/Builders.h"

namespace mlir::tg::emission {

/// The builder of all functions here; it has a location.
using B = ImplicitLocOpBuilder;

/// What f16 and bf16 are in registers and in memory.
enum class NarrowFloats {
  /// Values of the float types, for targets that convert them. Arithmetic is
  /// done in f32 and rounded (`arith.extf`, `arith.truncf`); where the target
  /// has the operation itself, LLVM uses it, since the result is the same.
  floats,
  /// Integers that hold their bits, for targets without such values. bf16 is
  /// converted by integer arithmetic, so that no library is called.
  bits
};

/// Whether values of this tg type are computed with in f32 and rounded.
inline bool isNarrowFloat(Type element) {
  return element.isF16() || element.isBF16();
}

/// `element`, in the shape of `like` (a scalar or vector type).
Type withElement(Type like, Type element);
/// The vector of `lanes` elements, or the element for 0 lanes.
Type withLanes(Type element, int64_t lanes);

/// A constant of a register type or a vector of it, in every lane.
Value buildInt(B &b, Type type, int64_t value);
Value buildInt(B &b, Type type, const APInt &value);
Value buildFloat(B &b, Type type, const APFloat &value);
Value buildFloat(B &b, Type type, double value);
/// 0 of a register type or a vector of it.
Value buildZero(B &b, Type type);

/// The larger value; NaN if one is. The chain through `y` is the shorter one.
Value buildMax(B &b, Value x, Value y, bool isUnsigned);
/// The smaller one, NaN if there is one.
Value buildMin(B &b, Value x, Value y, bool isUnsigned);
/// x and y combined as the reduction does. Narrow floats have been widened.
Value buildCombine(B &b, ReduceKind kind, Value x, Value y, bool isUnsigned);

/// The arithmetic of the dialect for one choice of types in registers.
class Arithmetic {
public:
  explicit Arithmetic(NarrowFloats narrowFloats = NarrowFloats::floats)
      : narrowFloats(narrowFloats) {}

  /// The type that an element of a tg type has in registers, and in memory.
  Type getRegisterType(Type element) const;
  Type getMemoryType(Type element) const;

  /// The constant that `attr`, a number of a tg type, is in registers.
  Value buildNumber(B &b, TypedAttr attr, int64_t lanes) const;

  /// f16 and bf16 in registers to f32, and f32 rounded to them.
  Value buildWiden(B &b, Value x, Type element) const;
  Value buildNarrow(B &b, Value x, Type element) const;

  /// tg.cast from tg type `from` to tg type `to`.
  Value buildCast(B &b, Value x, Type from, Type to) const;

  /// The elementwise operation `op` on operands in registers. Returns null for
  /// an operation that is not elementwise.
  Value buildElementwise(B &b, Operation *op, ValueRange operands) const;

  /// An element as loaded, of the tg type `element`, as a register holds it.
  Value buildFromMemory(B &b, Value value, Type element) const;
  /// The converse of buildFromMemory.
  Value buildToMemory(B &b, Value value, Type element) const;

  /// What an element of the tg type holds after an update by `value`.
  Value buildUpdate(B &b, UpdateKind kind, Value old, Value value,
                    Type element) const;

private:
  Value buildFloatToFloat(B &b, Value x, Type from, Type to) const;
  Value buildIntToFloat(B &b, Value x, bool isUnsigned, Type to) const;
  Value buildIntToInt(B &b, Value x, Type from, Type to) const;
  Value buildToBool(B &b, Value x, Type from) const;
  /// A float of any type as f32 (f64 stays).
  Value buildComputeFloat(B &b, Value x, Type from) const;
  bool isBits(Type element) const {
    return isNarrowFloat(element) && narrowFloats == NarrowFloats::bits;
  }

  NarrowFloats narrowFloats;
};

} // namespace mlir::tg::emission

#endif // TINYGRAD_CONVERSION_KERNELEMISSION_ARITHMETIC_H
