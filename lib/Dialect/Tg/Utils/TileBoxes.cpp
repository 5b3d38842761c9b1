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
/// no position reaches the end of a row, to the column. Positions beyond the
/// edges of the matrix become zeros, as do those of masked loads: so a mask may
/// say just that, and columns may then reach beyond the end of a row.
///
/// The boxes of a result follow from the index of its store in the same way,
/// where the ranges of a group's items say what is in a box.
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

namespace {
/// The column and the row of an element.
struct Place {
  LinearForm column, row;
};
/// Which edges of the matrix a mask says.
struct Edges {
  bool ofColumns = false, ofRows = false;
};
} // namespace

/// Splits a linear index; none if a coefficient is not known.
static std::optional<Place> getPlace(const LinearForm &index,
                                     int64_t distance) {
  Place place{index.getZero(), index.getZero()};
  const int64_t constant = *index.constant.getStatic();
  place.row.addConstant(constant / distance);
  place.column.addConstant(constant % distance);
  for (auto [atom, coefficient] : index.terms) {
    const std::optional<int64_t> step = coefficient.getStatic();
    if (!step)
      return std::nullopt;
    if (*step % distance == 0)
      place.row.addTerm(atom, *step / distance);
    else
      place.column.addTerm(atom, *step);
  }
  return place;
}

/// Whether a mask says that elements are in a matrix, and nothing else.
static bool isMaskOf(Value mask, const Place &place,
                     const std::array<int64_t, 2> &sizes, Edges &edges,
                     IndexAnalysis &analysis) {
  if (auto both = mask.getDefiningOp<AndOp>())
    return llvm::all_of(both->getOperands(), [&](Value operand) {
      return isMaskOf(operand, place, sizes, edges, analysis);
    });
  auto less = mask.getDefiningOp<CmpLtOp>();
  if (!less || !less.getLhs().getType().isIndex())
    return false;
  const LinearForm form = analysis.getForm(less.getLhs());
  const std::optional<int64_t> bound =
      analysis.getForm(less.getRhs()).getNumber();
  if (form == place.column && bound == sizes[0])
    return edges.ofColumns = true;
  if (form == place.row && bound == sizes[1])
    return edges.ofRows = true;
  return false;
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
  const int64_t bytes =
      llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8);
  if (getAlignment(kernel, buffer) % kTensorMapAlignment != 0)
    return fail("the address of the buffer is not a multiple of 16 bytes");
  const LinearForm index = analysis.getForm(load.getIndex());
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

  const int64_t constant = *index.constant.getStatic();
  const std::optional<Place> place =
      constant < 0 ? std::nullopt : getPlace(index, distance);
  if (!place)
    return fail("the index is not a sum of ranges");
  Edges edges;
  if (load.getMask() &&
      !isMaskOf(load.getMask(), *place, result.map.sizes, edges, analysis))
    return fail("loads are masked by more than the edges of a matrix");

  int64_t last = result.map.box[0] - 1;
  // Whether a position of a term, from 0 to \p largest, stays in the row.
  auto isInRow = [&](int64_t step, int64_t largest) {
    int64_t reach = 0;
    if (step < 0 || llvm::MulOverflow(step, largest, reach) ||
        llvm::AddOverflow(last, reach, last))
      return false;
    return edges.ofColumns || last < distance;
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

/// Whether digits, (extent, step), reach each number below \p count once.
static bool countAll(ArrayRef<std::pair<int64_t, int64_t>> given,
                     int64_t &count) {
  auto digits = llvm::to_vector(given);
  llvm::sort(digits, llvm::less_second());
  count = 1;
  for (const auto &[extent, step] : digits) {
    if (step != count)
      return false;
    count *= extent;
  }
  return true;
}

std::optional<ResultBoxes> tg::getResultBoxes(KernelOp kernel, StoreOp store,
                                              const Contraction &contraction,
                                              IndexAnalysis &analysis,
                                              std::string &obstacle) {
  auto fail = [&](const Twine &reason) {
    obstacle = reason.str();
    return std::nullopt;
  };
  auto buffer = dyn_cast<BlockArgument>(store.getBuffer());
  if (!buffer || store.getUpdate() || store.getMask())
    return fail("it is masked, or updates elements");
  // Others may read the buffer; those of results are aligned.
  if (kernel.getInPlace())
    return fail("the kernel works in place");
  const int64_t bits = store.getValue().getType().getIntOrFloatBitWidth(),
                bytes = llvm::divideCeil(bits, 8);
  const LinearForm index = analysis.getForm(store.getIndex());
  if (index.saturated || !index.constant.isStatic() ||
      *index.constant.getStatic() < 0)
    return fail("the index is not a sum of ranges");
  // Neighboring rows are those of a lane and the next one.
  auto lanes = Contraction::getLanes(contraction.rows);
  const int64_t distance =
      lanes.empty() ? 0 : index.getCoefficient(lanes.back().getResult());
  const int64_t elements = cast<MemRefType>(buffer.getType()).getNumElements();
  if (distance <= 0 || distance * bytes % kTensorMapAlignment != 0 ||
      elements % distance != 0)
    return fail("rows are " + Twine(distance * bytes) +
                " bytes apart, which is not a multiple of 16, or do not fill "
                "the buffer of " +
                Twine(elements) + " elements");
  const int64_t rowSize = kBoxRowBytes / bytes,
                constant = *index.constant.getStatic();
  ResultBoxes result{{{},
                      LinearForm(kernel.getContext()),
                      LinearForm(kernel.getContext()),
                      {}},
                     {}};
  TileBoxes &boxes = result.boxes;
  boxes.row.addConstant(constant / distance);
  boxes.column.addConstant(constant % distance);
  SmallVector<std::pair<int64_t, int64_t>> rows, columns;
  // The largest column at which a group begins.
  int64_t last = constant % distance;
  for (auto [atom, coefficient] : index.terms) {
    const std::optional<int64_t> step = coefficient.getStatic();
    auto range = atom.getDefiningOp<RangeOp>();
    if (!step || *step < 0 || !range || range.isSymbolic())
      return fail("the index is not a sum of ranges of known length");
    const int64_t extent = range.getLargestExtent();
    if (extent == 1)
      continue;
    const bool isRow = *step % distance == 0;
    if (range.getKind() == RangeKind::global) {
      int64_t reach = 0;
      if (isRow) {
        boxes.row.addTerm(atom, *step / distance);
        continue;
      }
      if (llvm::MulOverflow(*step, extent - 1, reach) ||
          llvm::AddOverflow(last, reach, last))
        return fail("rows of the results cross the end of those in memory");
      boxes.column.addTerm(atom, *step);
      continue;
    }
    const bool isUnrolled = range.getKind() == RangeKind::unroll;
    if (!isUnrolled && range.getKind() != RangeKind::local &&
        range.getKind() != RangeKind::upcast)
      return fail("range " + Twine(range.getId()) +
                  " of the results is neither one of the groups nor one of the "
                  "items of a group");
    if (isRow) {
      rows.push_back({extent, *step / distance});
      result.digits.push_back({range, *step / distance, 0});
    } else {
      // Positions of an unrolled range are known, wherever they are.
      if (!isUnrolled && *step % rowSize != 0 && *step * extent > rowSize)
        return fail("range " + Twine(range.getId()) +
                    " crosses the end of a row of a box");
      columns.push_back({extent, *step});
      result.digits.push_back({range, 0, *step});
    }
  }
  if (!countAll(rows, result.rows) || !countAll(columns, result.columns) ||
      result.rows % tinygrad::kWarpgroupRows != 0 ||
      result.columns % rowSize != 0 ||
      (result.rows > kMaxBoxRows && result.rows % kMaxBoxRows != 0))
    return fail("the results of a group are no boxes of rows of 128 bytes");
  if (llvm::AddOverflow(last, result.columns, last) || last > distance)
    return fail("rows of the results cross the end of those in memory");
  const int64_t boxRows = std::min(result.rows, kMaxBoxRows);
  boxes.map.buffer = buffer.getArgNumber();
  boxes.map.elementBytes = uint32_t(bytes);
  boxes.map.sizes = {distance, elements / distance};
  boxes.map.rowBytes = distance * bytes;
  boxes.map.box = {uint32_t(rowSize), uint32_t(boxRows)};
  for (int64_t column = 0; column < result.columns; column += rowSize)
    for (int64_t row = 0; row < result.rows; row += boxRows)
      boxes.boxes.push_back({column, row});
  return result;
}
