//===- GroupOrder.cpp - which block of results a group computes -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Binds the ranges of the grid to the number of a group. Groups begin in the
/// order of their numbers, x first. They go through the blocks of results one
/// row after the other, or through bands of several rows, column by column:
/// those that run at the same time then have about as many rows of blocks as
/// columns, and read less between them.
///
//===----------------------------------------------------------------------===//

#include "GPUEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::togpu;

static constexpr gpu::Dimension kDirections[] = {
    gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z};

void GPUEmitter::bindGrid() {
  for (auto [direction, own] : llvm::enumerate(layout.gridRanges)) {
    if (layout.band > 0 && direction < 2)
      continue;
    SmallVector<unsigned> indices;
    for (RangeOp range : own)
      indices.push_back(rangeIndex.lookup(range));
    if (indices.empty())
      continue;
    Value number = layout.groups[direction].is(1)
                       ? Value()
                       : getNumber(kDirections[direction], /*isItem=*/false);
    if (layout.foldedGroups.getAttr() && direction == 0) {
      Value y = getNumber(gpu::Dimension::y, /*isItem=*/false);
      Value width = getDimValue(layout.groups[0], kernel.getLoc());
      B &b = at(0, kernel.getLoc());
      number =
          arith::AddIOp::create(b, arith::MulIOp::create(b, y, width), number);
    }
    bindParallelRanges(indices, number);
  }
  if (layout.band > 0) {
    Value y = getNumber(gpu::Dimension::y, /*isItem=*/false);
    if (layout.groups[0].is(1))
      return bindBands(y);
    Value x = getNumber(gpu::Dimension::x, /*isItem=*/false);
    Value width = getDimValue(layout.groups[0], kernel.getLoc());
    B &b = at(0, kernel.getLoc());
    bindBands(
        arith::AddIOp::create(b, arith::MulIOp::create(b, y, width), x));
  }
}

void GPUEmitter::bindBands(Value number) {
  const Location loc = kernel.getLoc();
  RangeOp rows = layout.gridRanges[1].front(),
          columns = layout.gridRanges[0].front();
  const int64_t count = rows.getLargestExtent(), band = layout.band,
                last = count % band; // rows of a band that has fewer
  auto constant = [&](int64_t value) { return getIndexConstant(value, loc); };
  Value size = constant(band * columns.getLargestExtent()),
        height = constant(band);
  // In a band, neighbors are one below the other.
  auto split = [&](B &b, Value inBand, Value height) {
    return std::pair<Value, Value>(
        arith::RemUIOp::create(b, inBand, height),
        arith::DivUIOp::create(b, inBand, height));
  };
  Value row, column;
  if (band == count) {
    std::tie(row, column) = split(at(top(), loc), number, height);
  } else {
    Value lastHeight, lastBand;
    if (last > 0) {
      lastHeight = constant(last);
      lastBand = constant(count / band);
    }
    B &b = at(top(), loc);
    Value which = arith::DivUIOp::create(b, number, size),
          inBand = arith::RemUIOp::create(b, number, size);
    std::tie(row, column) = split(b, inBand, height);
    if (lastHeight) {
      auto [lastRow, lastColumn] = split(b, inBand, lastHeight);
      Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, which,
                                           lastBand);
      row = arith::SelectOp::create(b, isLast, lastRow, row);
      column = arith::SelectOp::create(b, isLast, lastColumn, column);
    }
    row = arith::AddIOp::create(b, arith::MulIOp::create(b, which, height),
                                row);
  }
  bindParallelRanges(rangeIndex.lookup(rows), row);
  bindParallelRanges(rangeIndex.lookup(columns), column);
}
