//===- TgRewriteUtils.h - helpers of rewrite rules --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The C++ side of TgRewriteUtils.td: the algebra of movement operations.
/// Lists of positions are those of the operations (`low` and `high` of a pad,
/// `from` and `to` of a shrink, `axes` of a flip, `order` of a permute).
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGREWRITEUTILS_H
#define TINYGRAD_DIALECT_TG_IR_TGREWRITEUTILS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// `x xor true`.
Value createNot(OpBuilder &builder, Location loc, Value x);

/// A constant like `amount`: `first + second`, or the bit width where that is
/// smaller. Amounts are unsigned, whatever their type says.
Value createShiftAmount(OpBuilder &builder, Location loc, Value amount,
                        Attribute first, Attribute second);

/// The order of a permute by `outer` of a permute by `inner`.
DenseI64ArrayAttr composeOrders(DenseI64ArrayAttr inner,
                                DenseI64ArrayAttr outer);

/// Whether a permute only moves axes of size 1.
bool movesOnlyUnitAxes(Value x, DenseI64ArrayAttr order);

/// Positions by axis of a permuted tensor, by axis of the tensor itself.
ArrayAttr unpermute(ArrayAttr positions, DenseI64ArrayAttr order);

/// Axes of a permuted tensor as axes of the tensor itself.
DenseI64ArrayAttr unpermuteAxes(DenseI64ArrayAttr axes,
                                DenseI64ArrayAttr order);

/// The axes in both lists, in one of them only, in either, in the first only.
DenseI64ArrayAttr intersectAxes(DenseI64ArrayAttr a, DenseI64ArrayAttr b);
DenseI64ArrayAttr exclusiveAxes(DenseI64ArrayAttr a, DenseI64ArrayAttr b);
DenseI64ArrayAttr uniteAxes(DenseI64ArrayAttr a, DenseI64ArrayAttr b);
DenseI64ArrayAttr subtractAxes(DenseI64ArrayAttr a, DenseI64ArrayAttr b);

/// The axes along which an expand repeats.
DenseI64ArrayAttr getExpandedAxes(Value source, Value expanded);

/// `a + b`, axis by axis.
ArrayAttr addPositions(ArrayAttr a, ArrayAttr b);
/// Whether these, added to the amounts of a pad, are seen to be pads of its
/// operand, which bounds of symbolic amounts need not show.
bool canAddPads(Value pad, ArrayAttr low, ArrayAttr high);
/// The same of a part of a part.
bool canAddParts(Value x, ArrayAttr from, ArrayAttr from2, ArrayAttr to2);

/// The positions, with `value` on these axes.
ArrayAttr replacePositions(ArrayAttr positions, DenseI64ArrayAttr axes,
                           int64_t value);

/// `other`'s positions on these axes.
ArrayAttr mergePositions(ArrayAttr positions, ArrayAttr other,
                         DenseI64ArrayAttr axes);

/// `size - position` on these axes, taken from `other`; `positions` elsewhere.
ArrayAttr mirrorPositions(ArrayAttr positions, ArrayAttr other, Value tensor,
                          DenseI64ArrayAttr axes);

/// Whether all positions on these axes are 0.
bool areZeroOn(ArrayAttr positions, DenseI64ArrayAttr axes);

/// A shrink of a pad, as a pad of a shrink of the same tensor.
struct ShrinkThenPad {
  ArrayAttr from, to, low, high;
};
/// None where symbolic sizes leave it open.
std::optional<ShrinkThenPad> commuteShrinkOfPad(Value x, ArrayAttr low,
                                                ArrayAttr high, ArrayAttr from,
                                                ArrayAttr to);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGREWRITEUTILS_H
