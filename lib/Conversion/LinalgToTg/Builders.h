//===- Builders.h - tg operations that stand for upstream's -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Types of converted values, movement operations that are left out where they
/// would change nothing, and the arithmetic of upstream's `arith` and `math` in
/// operations of `tg`.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_LINALGTOTG_BUILDERS_H
#define TINYGRAD_LIB_CONVERSION_LINALGTOTG_BUILDERS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/Twine.h"
#include <optional>
#include <string>

namespace mlir::tg::linalgtotg {

/// A builder that carries a location.
using B = ImplicitLocOpBuilder;

/// The element type of a converted value: `index` is i64. Null if `tg` has no
/// such elements.
Type convertElementType(Type type);

/// An attribute of numbers with converted element types: `index` is i64.
TypedAttr convertNumbers(TypedAttr attr, Type type);

SmallVector<Dim> getDims(Value tensor);
Type getElement(Value tensor);

/// The tensor with these dimensions: an operation unless it has them already,
/// and a constant of them if it is one number.
Value buildReshape(B &b, Value x, ArrayRef<Dim> dims);
/// The same, with axes of size 1 repeated.
Value buildExpand(B &b, Value x, ArrayRef<Dim> dims);
Value buildPermute(B &b, Value x, ArrayRef<int64_t> order);
/// Positions [from, to) of each axis.
Value buildShrink(B &b, Value x, ArrayRef<Dim> from, ArrayRef<Dim> to);
Value buildPad(B &b, Value x, ArrayRef<Dim> low, ArrayRef<Dim> high);

/// Elements of a tensor at indices along some of its axes. `x` has an axis of
/// size 1 for each dimension of `dims`, or that of the dimension, and then the
/// axes that are indexed; there is one index for each of these, with an axis
/// for each of `dims`. All elements of a row but one count as zero in a sum,
/// which schedules recognize as an indexed load. An index out of range selects
/// 0. Null, with a reason, if there are more elements than can be counted, or
/// of a type that tg does not compute with.
Value buildSelected(B &b, Value x, ArrayRef<Dim> dims, ValueRange indices,
                    std::string &reason);

/// Whether a tensor of these dimensions has more elements than 63 bits count,
/// as verifiers of tg see it: sizes of 0 do not make it smaller.
bool isTooLarge(ArrayRef<Dim> dims);

/// A tensor in which each element is this number.
Value buildConst(B &b, RankedTensorType type, TypedAttr number);
/// The same in the type of another tensor.
Value buildConst(B &b, Value like, double number);

/// The number that each element of a tensor is, if a constant says so.
TypedAttr getNumber(Value tensor);

/// What a tensor of this integer type is with its bits read as unsigned or as
/// signless numbers. Bools stay as they are.
Value buildAsUnsigned(B &b, Value x);
Value buildAsSigned(B &b, Value x);

/// The operand that orders as the negated one, so that its maximum is the
/// minimum. Its own inverse.
Value buildReversed(B &b, Value x);

/// The same numbers as elements of another type.
Value buildCast(B &b, Value x, Type element);

/// The smaller operand; NaN if one is.
Value buildMin(B &b, Value x, Value y);
/// Magnitude of a float.
Value buildAbs(B &b, Value x);
/// The magnitude of a float with the sign of another one.
Value buildCopySign(B &b, Value magnitude, Value sign);

/// The remainder of floats, exactly, with the sign of the dividend.
Value buildRemainder(B &b, Value x, Value y);
Value buildCbrt(B &b, Value x);
Value buildErfc(B &b, Value x);
/// The power of an integer by one of the same type, without the bits that the
/// type does not have.
Value buildIntegerPower(B &b, Value x, Value y);

/// Whether each float is a NaN.
Value buildIsNan(B &b, Value x);

/// What an operation of `arith` or `math` computes, on tensors of one shape
/// that hold the elements of its operands. Null, with a reason, if that is not
/// supported.
Value buildArithmetic(B &b, Operation *op, ValueRange operands,
                      std::string &reason);

} // namespace mlir::tg::linalgtotg

#endif // TINYGRAD_LIB_CONVERSION_LINALGTOTG_BUILDERS_H
