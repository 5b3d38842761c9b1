//===- Arithmetic.h - tg's scalar arithmetic in arith and math --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How registers and memory represent the element types of the dialect, and
/// builders of its arithmetic. All builders take scalars or 1-D vectors; the
/// operands of one operation have the same shape.
///
/// In registers, bool is `i1`, integers are signless, and floats keep their
/// type, except for 8-bit floats: these are integers that hold their bits, and
/// only conversions operate on them. In memory, bool is a byte. The code
/// generator chooses whether f16 and bf16 are held as floats or as bits (see
/// NarrowFloats).
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_KERNELEMISSION_ARITHMETIC_H
#define TINYGRAD_CONVERSION_KERNELEMISSION_ARITHMETIC_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/Builders.h"

namespace mlir::tg::emission {

/// The builder of all functions here; it carries a location.
using B = ImplicitLocOpBuilder;

/// How f16 and bf16 are held in registers and in memory.
enum class NarrowFloats {
  /// As floats, for targets that convert them. Arithmetic is done in f32 and
  /// rounded (`arith.extf`, `arith.truncf`). LLVM uses a native operation where
  /// the target has one, since the result is the same.
  floats,
  /// As integers that hold their bits, for other targets. bf16 is converted by
  /// integer arithmetic, so that no library is called.
  bits
};

/// Whether arithmetic on this tg type is done in f32 and rounded.
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

/// x / y or x mod y of signed integers, rounded towards negative infinity; by 0
/// it is 0.
Value buildFloorDivision(B &b, Value x, Value y, bool wantRemainder);

/// The larger value; NaN if either is NaN. The dependence chain through `y` is
/// the shorter one.
Value buildMax(B &b, Value x, Value y, bool isUnsigned);
/// The smaller value; NaN if either is NaN.
Value buildMin(B &b, Value x, Value y, bool isUnsigned);
/// Combines x and y as the reduction does. Narrow floats are already widened.
Value buildCombine(B &b, ReduceKind kind, Value x, Value y, bool isUnsigned);

/// The arithmetic of the dialect for one representation of narrow floats.
class Arithmetic {
public:
  explicit Arithmetic(NarrowFloats narrowFloats = NarrowFloats::floats)
      : narrowFloats(narrowFloats) {}

  /// The type that an element of a tg type has in registers, and in memory.
  Type getRegisterType(Type element) const;
  Type getMemoryType(Type element) const;

  /// The register constant for `attr`, a number of a tg type.
  Value buildNumber(B &b, TypedAttr attr, int64_t lanes) const;

  /// f16 and bf16 in registers to f32, and f32 rounded to them.
  Value buildWiden(B &b, Value x, Type element) const;
  Value buildNarrow(B &b, Value x, Type element) const;

  /// tg.cast from tg type `from` to tg type `to`.
  Value buildCast(B &b, Value x, Type from, Type to) const;

  /// The elementwise operation `op` on operands in registers. Returns null for
  /// an operation that is not elementwise.
  Value buildElementwise(B &b, Operation *op, ValueRange operands) const;

  /// Converts a loaded element of the tg type `element` to its register type.
  Value buildFromMemory(B &b, Value value, Type element) const;
  /// The converse of buildFromMemory.
  Value buildToMemory(B &b, Value value, Type element) const;

  /// The new value of an element of the tg type after an update by `value`.
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
