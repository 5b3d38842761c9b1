//===- TgConstantFold.h - evaluation of constants ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What operations give for constant operands, and questions about constants
/// that folders and rewrite rules ask.
///
/// A constant is the value of a `tg.const` as its folder returns it: an integer
/// or float attribute when every element is the same (a "splat", of whatever
/// shape), else a dense attribute.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGCONSTANTFOLD_H
#define TINYGRAD_DIALECT_TG_IR_TGCONSTANTFOLD_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// Constants with more elements than this stay as operations, so that folding
/// never makes a program much larger.
inline constexpr int64_t kMaxFoldedElements = 256;

/// What the elementwise operation `op` gives for scalar operands, by the
/// documented semantics of its element types. Null if `op` has no evaluation.
Attribute evaluateScalar(Operation *op, ArrayRef<Attribute> operands);

/// The function of the C library that a transcendental operation on one operand
/// is; null for other operations.
double (*getMathFunction(Operation *op))(double);

/// The result of the elementwise operation `op` on constant operands. Null if
/// one is not constant or the result would not be small. A result without
/// elements is always constant.
Attribute foldElementwise(Operation *op, ArrayRef<Attribute> operands);

/// The result of the movement operation `op` on the constant `x`, or null.
Attribute foldMovement(Operation *op, Attribute x);

/// The reduction of `count` elements that are all `value`, where it is exact in
/// every order of combination; else null.
Attribute foldReduceOfSplat(ReduceKind kind, Attribute value, int64_t count);

/// How many elements a type holds; none if that is symbolic. A scalar holds 1.
std::optional<int64_t> getStaticNumElements(Type type);

/// Whether every value of type `from` is exactly a value of type `to`, such
/// that casting there and back changes nothing.
bool isLosslessCast(Type from, Type to);

/// Whether casting from `a` to `b` and on to `c` equals casting from `a` to
/// `c`. All are element types.
bool isCastThroughRedundant(Type a, Type b, Type c);

/// \name Questions about constants. A null attribute, and a constant that is
/// not a splat, answer no to all of them.
/// @{
bool isSplat(Attribute attr);
bool isInt(Attribute attr, int64_t value);
bool isFloat(Attribute attr, double value);
bool isIntOrFloat(Attribute attr, int64_t value);
bool isIntAllOnes(Attribute attr);
/// The least (or greatest) value of an integer type, bool included.
bool isIntMin(Attribute attr);
bool isIntMax(Attribute attr);
/// Zero with all bits clear: 0, false, +0.0.
bool isPositiveZero(Attribute attr);
/// The value that adding leaves everything unchanged: 0, false, -0.0.
bool isAdditiveIdentity(Attribute attr);
/// A float whose reciprocal is exact, both being normal numbers.
bool hasExactReciprocal(Attribute attr);
/// @}

/// \name Questions about types (of a value or an element).
/// @{
bool isBoolLike(Type type);
bool isIntLike(Type type);
bool isIntOrBoolLike(Type type);
bool isSignedIntLike(Type type);
bool isFloatLike(Type type);
/// @}

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGCONSTANTFOLD_H
