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
/// In a register, bool is `i1`, integers are signless, `f32` and `f64` are
/// themselves, and the narrower floats are integers that hold their bits, since
/// nothing but loads, stores and conversions works on those directly. In memory
/// bool is a byte.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_TGTOVECTOR_ARITHMETIC_H
#define TINYGRAD_LIB_CONVERSION_TGTOVECTOR_ARITHMETIC_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/Builders.h"

namespace mlir::tg::tovector {

using B = ImplicitLocOpBuilder;

/// The type that an element of a tg type has in registers, and in memory.
Type getRegisterType(Type element);
Type getMemoryType(Type element);

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
/// The constant that `attr`, a number of a tg type, is in registers.
Value buildNumber(B &b, TypedAttr attr, int64_t lanes);

/// f16 and bf16 bits to f32, and f32 rounded to their bits.
Value buildWiden(B &b, Value bits, Type element);
Value buildNarrow(B &b, Value x, Type element);

/// tg.cast from tg type `from` to tg type `to`.
Value buildCast(B &b, Value x, Type from, Type to);
/// The larger value; NaN if one is. The chain through `y` is the shorter one.
Value buildMax(B &b, Value x, Value y, bool isUnsigned);
/// The smaller one, NaN if there is one.
Value buildMin(B &b, Value x, Value y, bool isUnsigned);

/// The elementwise operation `op` on operands in registers. `element` is the
/// tg type of its first operand (of the chosen ones for tg.where).
/// Returns null for an operation that is not elementwise.
Value buildElementwise(B &b, Operation *op, ValueRange operands);

} // namespace mlir::tg::tovector

#endif // TINYGRAD_LIB_CONVERSION_TGTOVECTOR_ARITHMETIC_H
