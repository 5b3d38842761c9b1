//===- TgIntRanges.cpp - bounds of integer results ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bounds of the results of integer operations, from the bounds of their
/// operands. Computed on mathematical integers; a result that may leave its
/// type wraps around, so that only the bounds of the type remain.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgInterval.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tg;

Interval mlir::tg::inferInterval(Operation *op, ArrayRef<Interval> x) {
  const Type type = op->getResult(0).getType();
  const bool isBool = getElementTypeOrSelf(type).isInteger(1);
  const Interval all = Interval::getAll(type);
  // Bits are known to upstream's functions.
  auto inferBits = [&](auto infer) {
    auto range = infer({x[0].getRange(type), x[1].getRange(type)});
    return *Interval::get(range, type);
  };
  auto toBool = [](std::optional<bool> known) {
    return known ? Interval(*known) : Interval(0, 1);
  };
  Interval result =
      llvm::TypeSwitch<Operation *, Interval>(op)
          .Case([&](ConstOp constant) {
            auto number = dyn_cast<IntegerAttr>(constant.getValue());
            return number ? *Interval::get(
                                ConstantIntRanges::constant(number.getValue()),
                                type)
                          : all;
          })
          .Case([&](DimOp dim) {
            return Interval(Dim(dim.getDim()).getMin(),
                            Dim(dim.getDim()).getMax());
          })
          .Case([&](RangeOp range) {
            // Without positions nothing is computed: any bounds will do.
            return Interval(
                0, std::max<int64_t>(Dim(range.getExtent()).getMax(), 1) - 1);
          })
          .Case([&](NegOp) { return -x[0]; })
          // The sum of bools is their disjunction.
          .Case([&](AddOp) { return isBool ? x[0].max(x[1]) : x[0] + x[1]; })
          .Case([&](SubOp) { return x[0] - x[1]; })
          .Case([&](MulOp) { return x[0] * x[1]; })
          .Case([&](MulAccOp) { return x[0] * x[1] + x[2]; })
          .Case([&](IDivOp) { return x[0].truncDiv(x[1]); })
          .Case([&](FloorDivOp) { return x[0].floorDiv(x[1]); })
          .Case([&](ModOp) { return x[0].truncMod(x[1]); })
          .Case([&](FloorModOp) { return x[0].floorMod(x[1]); })
          .Case([&](MaxOp) { return x[0].max(x[1]); })
          .Case([&](AndOp) { return inferBits(intrange::inferAnd); })
          .Case([&](OrOp) { return inferBits(intrange::inferOr); })
          .Case([&](XorOp) { return inferBits(intrange::inferXor); })
          .Case([&](CastOp) {
            return isBool ? Interval(!x[0].contains(0), x[0] != 0) : x[0];
          })
          .Case([&](CmpLtOp) { return toBool(x[0].isLess(x[1])); })
          .Case([&](CmpEqOp) { return toBool(x[0].isEqual(x[1])); })
          .Case(
              [&](CmpNeOp) { return Interval(1) - toBool(x[0].isEqual(x[1])); })
          .Case([&](WhereOp) {
            std::optional<int64_t> chosen = x[0].getSingle();
            return chosen ? x[*chosen ? 1 : 2] : x[1].unite(x[2]);
          })
          .Default(all);
  return all.contains(result) ? result : all;
}

void mlir::tg::inferRanges(Operation *op, ArrayRef<ConstantIntRanges> ranges,
                           SetIntRangeFn set) {
  Value result = op->getResult(0);
  if (!getElementTypeOrSelf(result).isIntOrIndex())
    return;
  SmallVector<Interval, 3> operands;
  for (auto [range, operand] : llvm::zip_equal(ranges, op->getOperands()))
    operands.push_back(
        Interval::get(range, operand.getType()).value_or(Interval()));
  set(result, inferInterval(op, operands).getRange(result.getType()));
}
