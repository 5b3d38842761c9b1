//===- Contraction.cpp - sums on matrix units -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the rows, columns and depth of a matrix operation among the ranges of
/// a kernel.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/Contraction.h"

using namespace mlir;
using namespace mlir::tg;
using tinygrad::FragmentDigit;

SmallVector<AccumulatorDigit, 2>
tg::getAccumulatorDigits(const tinygrad::MatrixUnit &unit, bool ofColumns) {
  SmallVector<AccumulatorDigit, 2> digits;
  auto add = [&](const FragmentDigit &digit, bool isLane) {
    const int64_t stride = ofColumns ? digit.column : digit.row;
    if (digit.extent > 1 && stride > 0)
      digits.push_back({digit.extent, stride, isLane});
  };
  for (const FragmentDigit &digit : unit.c.lanes)
    add(digit, /*isLane=*/true);
  for (const FragmentDigit &digit : unit.c.registers)
    add(digit, /*isLane=*/false);
  llvm::sort(digits, [](auto &x, auto &y) { return x.stride > y.stride; });
  return digits;
}

RangeOp Contraction::getLanes(const Factor &factor) {
  for (RangeOp range : factor.ranges)
    if (range.getKind() == RangeKind::local)
      return range;
  return RangeOp();
}

RangeOp Contraction::getRegisters(const Factor &factor) {
  for (RangeOp range : factor.ranges)
    if (range.getKind() != RangeKind::local)
      return range;
  return RangeOp();
}

/// Sets the ranges and strides of a factor: its innermost ranges that the other
/// factor does not depend on must be the digits. Returns what is wrong, or an
/// empty string.
static std::string findRanges(Contraction::Factor &factor, LoadOp other,
                              RangeOp depth, ArrayRef<AccumulatorDigit> digits,
                              bool ofColumns, IndexAnalysis &analysis) {
  const std::string what = ofColumns ? "columns" : "rows";
  SmallVector<RangeOp> own;
  SmallVector<Value> others(analysis.getRanges(other.getIndex()));
  for (Value value : analysis.getRanges(factor.load.getIndex()))
    if (!llvm::is_contained(others, value))
      own.push_back(value.getDefiningOp<RangeOp>());
  llvm::sort(own, [](RangeOp a, RangeOp b) { return a->isBeforeInBlock(b); });
  if (own.size() < digits.size())
    return "has too few ranges for the " + what + " of the operation";
  factor.ranges.assign(own.end() - digits.size(), own.end());
  for (auto [range, digit] : llvm::zip_equal(factor.ranges, digits)) {
    const RangeKind kind = digit.isLane ? RangeKind::local
                           : ofColumns  ? RangeKind::upcast
                                        : RangeKind::unroll;
    if (range.isSymbolic() || range.getLargestExtent() != digit.extent ||
        range.getKind() != kind)
      return "range " + std::to_string(range.getId()) + " is not " +
             stringifyRangeKind(kind).str() + " " +
             std::to_string(digit.extent) + ", as for the " + what +
             " of the operation";
  }
  const LinearForm &index = analysis.getLinear(factor.load.getIndex());
  factor.stride =
      index.getCoefficient(factor.ranges.back()) / digits.back().stride;
  factor.depthStride = index.getCoefficient(depth);
  bool isLinear = factor.stride > 0 && factor.depthStride > 0;
  for (auto [range, digit] : llvm::zip_equal(factor.ranges, digits))
    isLinear &= index.getCoefficient(range) == factor.stride * digit.stride;
  for (auto [atom, coefficient] : index.terms)
    for (Value value : analysis.getRanges(atom))
      isLinear &=
          atom == value ||
          (value != depth.getResult() &&
           !llvm::is_contained(factor.ranges, value.getDefiningOp<RangeOp>()));
  if (!isLinear)
    return "the index of the factor with the " + what +
           " is not linear in the ranges of the operation";
  return {};
}

FailureOr<Contraction> tg::getContraction(RangedReduceOp op,
                                          IndexAnalysis &analysis) {
  Contraction contraction;
  contraction.op = op;
  if (failed(verifyContraction(op)))
    return failure();
  contraction.unit = tinygrad::findMatrixUnit(op.getUnit().value_or(""));
  if (!contraction.unit)
    return op.emitOpError("has no matrix operation");
  const tinygrad::MatrixUnit &unit = *contraction.unit;
  auto depth = op.getRanges().back().getDefiningOp<RangeOp>();
  contraction.depth = depth;
  if (depth.isSymbolic() || depth.getKind() != RangeKind::loop ||
      depth.getLargestExtent() != unit.k)
    return op.emitOpError("range ")
           << depth.getId() << " is not loop " << unit.k
           << ", as for the depth of " << StringRef(unit.name);
  const ProductFactors factors = *getFactors(op.getValue());
  const auto rows = getAccumulatorDigits(unit, /*ofColumns=*/false),
             columns = getAccumulatorDigits(unit, /*ofColumns=*/true);
  auto lhs = factors.lhs.getDefiningOp<LoadOp>();
  auto rhs = factors.rhs.getDefiningOp<LoadOp>();
  std::string reason;
  for (auto [a, b] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
    contraction.rows = {a, getGroupTile(a.getResult()), {}};
    contraction.columns = {b, getGroupTile(b.getResult()), {}};
    std::string wrong = findRanges(contraction.rows, b, depth, rows,
                                   /*ofColumns=*/false, analysis);
    if (wrong.empty())
      wrong = findRanges(contraction.columns, a, depth, columns,
                         /*ofColumns=*/true, analysis);
    if (wrong.empty())
      return contraction;
    if (reason.empty())
      reason = std::move(wrong);
  }
  return op.emitOpError("cannot be computed by ")
         << StringRef(unit.name) << ": " << reason;
}
