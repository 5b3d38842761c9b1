//===- TileBoxes.cpp - tiles as boxes of matrices -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the matrix and the boxes of a tile in the index of what it loads.
///
/// The index is `row * distance + column`, where terms whose coefficient is a
/// multiple of the distance of rows belong to the row, and all others, of which
/// no position reaches the end of a row, to the column.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/TileBoxes.h"
#include "TinyGrad/Dialect/Tg/Utils/GroupLayout.h"

using namespace mlir;
using namespace mlir::tg;
using tinygrad::kBoxRowBytes;
using tinygrad::kMaxBoxRows;
using tinygrad::kTensorMapAlignment;

namespace {
/// A range of a tile: how many positions it has, and how far apart they are in
/// memory.
struct Digit {
  int64_t extent, step;
};
} // namespace

/// Takes the digits of a box off the end of a list: those of a row, and then
/// those of rows that have one distance. Returns false if there is no such box.
static bool takeBox(SmallVectorImpl<Digit> &digits, int64_t rowSize,
                    tinygrad::TensorMap &map, int64_t &distance) {
  int64_t columns = 1, rows = 1;
  while (columns < rowSize && !digits.empty() &&
         digits.back().step == columns) {
    columns *= digits.back().extent;
    digits.pop_back();
  }
  if (columns != rowSize || digits.empty())
    return false;
  distance = digits.back().step;
  while (!digits.empty() && digits.back().step == distance * rows &&
         rows * digits.back().extent <= kMaxBoxRows) {
    rows *= digits.back().extent;
    digits.pop_back();
  }
  map.box = {uint32_t(columns), uint32_t(rows)};
  return rows > 1 && distance >= rowSize;
}

std::optional<TileBoxes> tg::getTileBoxes(KernelOp kernel, StageOp tile,
                                          IndexAnalysis &analysis,
                                          std::string &obstacle) {
  auto fail = [&](const Twine &reason) {
    obstacle = reason.str();
    return std::nullopt;
  };
  auto load = tile.getValue().getDefiningOp<LoadOp>();
  auto buffer = load ? dyn_cast<BlockArgument>(load.getBuffer()) : nullptr;
  if (!buffer)
    return fail("what the tile holds is computed");
  if (load.getMask())
    return fail("loads are masked");
  const int64_t bytes =
      llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8);
  if (getAlignment(kernel, buffer) % kTensorMapAlignment != 0)
    return fail("the address of the buffer is not a multiple of 16 bytes");
  const LinearForm &index = analysis.getLinear(load.getIndex());
  if (index.saturated || !index.constant.isStatic())
    return fail("the index is not a sum of ranges");
  SmallVector<Digit> digits;
  for (Value value : tile.getRanges()) {
    auto range = value.getDefiningOp<RangeOp>();
    if (range.isSymbolic() || (range.getKind() != RangeKind::loop &&
                               range.getKind() != RangeKind::unroll))
      return fail("range " + Twine(range.getId()) +
                  " of the tile is not a loop of known length");
    if (range.getLargestExtent() != 1)
      digits.push_back({range.getLargestExtent(), index.getCoefficient(value)});
  }
  TileBoxes result{{},
                   LinearForm(kernel.getContext()),
                   LinearForm(kernel.getContext()),
                   {{0, 0}}};
  int64_t distance = 0;
  if (!takeBox(digits, kBoxRowBytes / bytes, result.map, distance))
    return fail("the tile has no rows of 128 bytes that have one distance in "
                "memory");
  if (distance * bytes % kTensorMapAlignment != 0)
    return fail("rows are " + Twine(distance * bytes) +
                " bytes apart, which is not a multiple of 16");
  const int64_t elements = cast<MemRefType>(buffer.getType()).getNumElements();
  if (elements % distance != 0)
    return fail("the buffer of " + Twine(elements) +
                " elements has no rows of " + Twine(distance));
  result.map.buffer = buffer.getArgNumber();
  result.map.elementBytes = uint32_t(bytes);
  result.map.sizes = {distance, elements / distance};
  result.map.rowBytes = distance * bytes;

  int64_t last = result.map.box[0] - 1;
  // Whether a position of a term, from 0 to \p largest, stays in the row.
  auto isInRow = [&](int64_t step, int64_t largest) {
    int64_t reach = 0;
    if (step < 0 || llvm::MulOverflow(step, largest, reach) ||
        llvm::AddOverflow(last, reach, last))
      return false;
    return last < distance;
  };
  // Other boxes of the tile.
  for (const auto &[extent, step] : llvm::reverse(digits)) {
    const bool isRow = step % distance == 0;
    if (!isRow && !isInRow(step, extent - 1))
      return fail("rows of the tile cross the end of those in memory");
    SmallVector<std::pair<int64_t, int64_t>> inner = std::move(result.boxes);
    result.boxes.clear();
    for (int64_t i = 0; i < extent; ++i)
      for (auto [column, row] : inner)
        result.boxes.push_back({column + (isRow ? 0 : i * step),
                                row + (isRow ? i * step / distance : 0)});
  }
  const int64_t constant = *index.constant.getStatic();
  if (constant < 0)
    return fail("the index is not a sum of ranges");
  result.row.addConstant(constant / distance);
  result.column.addConstant(constant % distance);
  if (!isInRow(1, constant % distance))
    return fail("rows of the tile cross the end of those in memory");
  for (auto [atom, coefficient] : index.terms) {
    const std::optional<int64_t> step = coefficient.getStatic();
    const bool isOfTile = llvm::is_contained(tile.getRanges(), atom);
    if (!step ||
        (!isOfTile && llvm::any_of(analysis.getRanges(atom), [&](Value range) {
          return llvm::is_contained(tile.getRanges(), range);
        })))
      return fail("the index is not a sum of ranges");
    if (isOfTile)
      continue;
    if (*step % distance == 0) {
      result.row.addTerm(atom, *step / distance);
      continue;
    }
    const Interval interval = analysis.getAtomInterval(atom);
    if (interval.lo < 0 || interval.hi > elements ||
        !isInRow(*step, int64_t(interval.hi)))
      return fail("rows of the tile cross the end of those in memory");
    result.column.addTerm(atom, *step);
  }
  return result;
}
