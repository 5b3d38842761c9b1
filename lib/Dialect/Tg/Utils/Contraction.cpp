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
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using tinygrad::FragmentDigit;

SmallVector<AccumulatorDigit, 4>
tg::getAccumulatorDigits(const tinygrad::MatrixUnit &unit, bool ofColumns) {
  SmallVector<AccumulatorDigit, 4> digits;
  auto add = [&](const FragmentDigit &digit, bool isLane) {
    const int64_t stride = ofColumns ? digit.column : digit.row;
    // Registers of neighboring columns are one vector.
    if (digit.extent > 1 && stride > 0)
      digits.push_back({digit.extent, stride, isLane,
                        isLane                     ? RangeKind::local
                        : ofColumns && stride == 1 ? RangeKind::upcast
                                                   : RangeKind::unroll});
  };
  for (const FragmentDigit &digit : unit.c.lanes)
    add(digit, /*isLane=*/true);
  for (const FragmentDigit &digit : unit.c.registers)
    add(digit, /*isLane=*/false);
  llvm::sort(digits, [](auto &x, auto &y) { return x.stride > y.stride; });
  return digits;
}

SmallVector<RangeOp, 2> Contraction::getLanes(const Factor &factor) {
  SmallVector<RangeOp, 2> lanes;
  for (RangeOp range : factor.ranges)
    if (range.getKind() == RangeKind::local)
      lanes.push_back(range);
  return lanes;
}

RangeOp Contraction::getVector(const Factor &factor) {
  for (RangeOp range : factor.ranges)
    if (range.getKind() == RangeKind::upcast)
      return range;
  return RangeOp();
}

/// Why wgmma cannot read the elements of a factor from its tile by a
/// descriptor; empty if it can. A row of the tile has 128 bytes along the depth
/// or along the rows (columns) of the result, and eight of them are what the
/// order of chunks repeats after.
static std::string findObstacleToDescriptor(Contraction::Factor &factor,
                                            RangeOp depth,
                                            const tinygrad::MatrixUnit &unit,
                                            IndexAnalysis &analysis) {
  const int64_t row = unit.getRowElements(),
                repeat = tinygrad::kWarpgroupRows * row;
  const bool isAlongDepth = factor.depthStride == 1;
  const std::string of = " of the tile with the range " +
                         std::to_string(factor.ranges.back().getId());
  if (isAlongDepth ? factor.stride != row
                   : factor.stride != 1 || factor.depthStride != row)
    return "rows" + of + " do not have " + std::to_string(row) +
           " elements along the depth or along the result";
  // Only elements of 16 bits can be transposed.
  if (!isAlongDepth && tinygrad::getBytes(unit.element) != 2)
    return "rows" + of + " are not along the depth, as they have to be for " +
           std::string(unit.name);
  if (isAlongDepth && factor.blockStride != 0 &&
      factor.blockStride != tinygrad::kWarpgroupBlock * row)
    return "rows" + of + " do not follow one another";
  const LinearForm &index = analysis.getLinear(factor.load.getIndex());
  // Positions in a row.
  int64_t last = depth.getLargestExtent() - 1;
  bool isWhole = factor.blockStride % repeat == 0 &&
                 index.constant.isStatic() &&
                 *index.constant.getStatic() % repeat == 0;
  for (auto [atom, coefficient] : index.terms) {
    auto range = atom.getDefiningOp<RangeOp>();
    if (range == depth || llvm::is_contained(factor.ranges, range))
      continue;
    const int64_t step = coefficient.getStatic().value_or(1);
    if (step % repeat == 0)
      continue;
    int64_t reach = row;
    isWhole &= isAlongDepth && range && !range.isSymbolic() && step > 0 &&
               step % depth.getLargestExtent() == 0 &&
               !llvm::MulOverflow(step, range.getLargestExtent() - 1, reach) &&
               reach < row;
    last += std::min(reach, row);
  }
  if (!isWhole || (isAlongDepth && last >= row))
    return "matrices" + of + " do not begin at a multiple of " +
           std::to_string(tinygrad::kWarpgroupRows) + " rows";
  return {};
}

/// Sets the ranges and strides of a factor: its innermost ranges that the other
/// factor does not depend on must be the digits. Returns what is wrong, or an
/// empty string.
static std::string findRanges(Contraction::Factor &factor, LoadOp other,
                              RangeOp depth, const tinygrad::MatrixUnit &unit,
                              bool ofColumns, IndexAnalysis &analysis) {
  const auto digits = getAccumulatorDigits(unit, ofColumns);
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
    if (range.isSymbolic() || range.getLargestExtent() != digit.extent ||
        range.getKind() != digit.kind)
      return "range " + std::to_string(range.getId()) + " is not " +
             stringifyRangeKind(digit.kind).str() + " " +
             std::to_string(digit.extent) + ", as for the " + what +
             " of the operation";
  }
  const LinearForm &index = analysis.getLinear(factor.load.getIndex());
  factor.stride =
      index.getCoefficient(factor.ranges.back()) / digits.back().stride;
  factor.depthStride = index.getCoefficient(depth);
  // A factor that is the same along the depth could be read too, but the order
  // of a tile in memory goes by the distance of its rows (permuteTransposed),
  // and a product of a sum and a number needs no matrix operation.
  bool isLinear = factor.stride > 0 && factor.depthStride > 0;
  for (auto [range, digit] : llvm::zip_equal(factor.ranges, digits)) {
    const int64_t coefficient = index.getCoefficient(range);
    if (unit.readsMemory() && digit.stride == tinygrad::kWarpgroupBlock)
      factor.blockStride = coefficient;
    else
      isLinear &= coefficient == factor.stride * digit.stride;
  }
  for (auto [atom, coefficient] : index.terms)
    for (Value value : analysis.getRanges(atom))
      isLinear &=
          atom == value ||
          (value != depth.getResult() &&
           !llvm::is_contained(factor.ranges, value.getDefiningOp<RangeOp>()));
  if (!isLinear)
    return "the index of the factor with the " + what +
           " is not linear in the ranges of the operation";
  return unit.readsMemory()
             ? findObstacleToDescriptor(factor, depth, unit, analysis)
             : std::string();
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
  auto lhs = factors.lhs.getDefiningOp<LoadOp>();
  auto rhs = factors.rhs.getDefiningOp<LoadOp>();
  std::string reason;
  for (auto [a, b] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
    contraction.rows = {a, getGroupTile(a.getResult()), {}};
    contraction.columns = {b, getGroupTile(b.getResult()), {}};
    std::string wrong = findRanges(contraction.rows, b, depth, unit,
                                   /*ofColumns=*/false, analysis);
    if (wrong.empty())
      wrong = findRanges(contraction.columns, a, depth, unit,
                         /*ofColumns=*/true, analysis);
    if (wrong.empty())
      return contraction;
    if (reason.empty())
      reason = std::move(wrong);
  }
  return op.emitOpError("cannot be computed by ")
         << StringRef(unit.name) << ": " << reason;
}
