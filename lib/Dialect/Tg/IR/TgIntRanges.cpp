//===- TgIntRanges.cpp - bounds of integer results ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements InferIntRangeInterface: the bounds of what integer operations
/// give, from the bounds of their operands. Numbers are worked out as integers
/// without a bound; what leaves the type may be anything, since it wraps.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgInterval.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"

using namespace mlir;
using namespace mlir::tg;

static bool isBool(Type type) {
  return getElementTypeOrSelf(type).isInteger(1);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

using Operands = ArrayRef<Interval>;

/// The interface for operations whose operands and result are of one type.
static void inferArithmetic(Operation *op, ArrayRef<ConstantIntRanges> ranges,
                            SetIntRangeFn set,
                            function_ref<Interval(Operands)> infer) {
  Value result = op->getResult(0);
  SmallVector<Interval, 3> operands;
  for (auto [range, operand] : llvm::zip_equal(ranges, op->getOperands())) {
    std::optional<Interval> known = Interval::get(range, operand.getType());
    if (!known)
      return;
    operands.push_back(*known);
  }
  set(result, infer(operands).getRange(result.getType()));
}

void NegOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set, [](Operands x) { return -x[0]; });
}

void AddOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  if (isBool(getType()))
    return set(getResult(), intrange::inferOr(ranges));
  inferArithmetic(*this, ranges, set, [](Operands x) { return x[0] + x[1]; });
}

void SubOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set, [](Operands x) { return x[0] - x[1]; });
}

void MulOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  if (isBool(getType()))
    return set(getResult(), intrange::inferAnd(ranges));
  inferArithmetic(*this, ranges, set, [](Operands x) { return x[0] * x[1]; });
}

void MulAccOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                 SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set,
                  [](Operands x) { return x[0] * x[1] + x[2]; });
}

void IDivOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                               SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set,
                  [](Operands x) { return x[0].truncDiv(x[1]); });
}

void FloorDivOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                   SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set,
                  [](Operands x) { return x[0].floorDiv(x[1]); });
}

void ModOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set,
                  [](Operands x) { return x[0].truncMod(x[1]); });
}

void FloorModOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                   SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set,
                  [](Operands x) { return x[0].floorMod(x[1]); });
}

void MaxOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set,
                  [](Operands x) { return x[0].max(x[1]); });
}

void AndOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  set(getResult(), intrange::inferAnd(ranges));
}

void OrOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                             SetIntRangeFn set) {
  set(getResult(), intrange::inferOr(ranges));
}

void XorOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  set(getResult(), intrange::inferXor(ranges));
}

//===----------------------------------------------------------------------===//
// Casts, comparisons and selection
//===----------------------------------------------------------------------===//

void CastOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                               SetIntRangeFn set) {
  Type type = getType();
  std::optional<Interval> x = Interval::get(ranges[0], getX().getType());
  unsigned width =
      ConstantIntRanges::getStorageBitwidth(getElementTypeOrSelf(type));
  if (width == 0)
    return;
  if (!x) // from a float
    return set(getResult(), ConstantIntRanges::maxRange(width));
  if (isBool(type))
    x = Interval(!x->contains(0), *x != 0);
  set(getResult(), x->getRange(type));
}

static void
inferComparison(Operation *op, ArrayRef<ConstantIntRanges> ranges,
                SetIntRangeFn set,
                function_ref<std::optional<bool>(Interval, Interval)> decide) {
  Type type = op->getOperand(0).getType();
  std::optional<Interval> x = Interval::get(ranges[0], type);
  std::optional<Interval> y = Interval::get(ranges[1], type);
  std::optional<bool> known = x && y ? decide(*x, *y) : std::nullopt;
  Value result = op->getResult(0);
  set(result,
      (known ? Interval(*known) : Interval(0, 1)).getRange(result.getType()));
}

void CmpLtOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                SetIntRangeFn set) {
  inferComparison(*this, ranges, set,
                  [](Interval x, Interval y) { return x.isLess(y); });
}

void CmpEqOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                SetIntRangeFn set) {
  inferComparison(*this, ranges, set,
                  [](Interval x, Interval y) { return x.isEqual(y); });
}

void CmpNeOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                SetIntRangeFn set) {
  inferComparison(*this, ranges, set,
                  [](Interval x, Interval y) -> std::optional<bool> {
                    std::optional<bool> equal = x.isEqual(y);
                    return equal ? std::optional(!*equal) : std::nullopt;
                  });
}

void WhereOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                SetIntRangeFn set) {
  std::optional<Interval> condition =
      Interval::get(ranges[0], getCondition().getType());
  std::optional<Interval> x = Interval::get(ranges[1], getX().getType());
  std::optional<Interval> y = Interval::get(ranges[2], getY().getType());
  if (!x || !y)
    return;
  Interval either = x->unite(*y);
  if (std::optional<int64_t> chosen =
          condition ? condition->getSingle() : std::nullopt)
    either = *chosen ? *x : *y;
  set(getResult(), either.getRange(getType()));
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

void ConstOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                SetIntRangeFn set) {
  if (auto number = dyn_cast<IntegerAttr>(getValue()))
    set(getResult(), ConstantIntRanges::constant(number.getValue()));
}

void DimOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  Dim dim(getDim());
  if (ConstantIntRanges::getStorageBitwidth(getElementTypeOrSelf(getType())))
    set(getResult(), Interval(dim.getMin(), dim.getMax()).getRange(getType()));
}

void RangeOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                SetIntRangeFn set) {
  // Without positions nothing is computed: any bounds will do.
  const int64_t last = std::max<int64_t>(Dim(getExtent()).getMax(), 1) - 1;
  set(getResult(), Interval(0, last).getRange(getType()));
}
