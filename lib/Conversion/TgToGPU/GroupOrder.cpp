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
/// columns, and read less between them. Where groups compute several blocks,
/// the number of a block is what that of a group is otherwise.
///
//===----------------------------------------------------------------------===//

#include "GPUEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::togpu;

void GPUEmitter::bindGrid() {
  // The number of a group in rows of those along x.
  auto addRows = [&](Value x) -> Value {
    Value y = getNumber(gpu::Dimension::y, /*isItem=*/false);
    Value width = getDimValue(layout.groups[0], kernel.getLoc());
    B &b = at(0, kernel.getLoc());
    return arith::AddIOp::create(b, arith::MulIOp::create(b, y, width), x);
  };
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
    if (layout.foldedGroups.getAttr() && direction == 0)
      number = addRows(number);
    bindParallelRanges(indices, number);
  }
  if (layout.band > 0) {
    bindBands(layout.groups[0].is(1)
                  ? getNumber(gpu::Dimension::y, /*isItem=*/false)
                  : addRows(getNumber(gpu::Dimension::x, /*isItem=*/false)));
  }
}

void GPUEmitter::bindBlock(Value number) {
  const Location loc = kernel.getLoc();
  SmallVector<unsigned> indices;
  auto add = [&](unsigned direction) {
    for (RangeOp range : layout.gridRanges[direction])
      indices.push_back(rangeIndex.lookup(range));
  };
  add(2);
  if (layout.band == 0) {
    add(1);
    add(0);
    return bindParallelRanges(indices, number);
  }
  Value inMatrix = number;
  if (!indices.empty()) {
    int64_t size = 1;
    for (unsigned direction : {0, 1})
      size *= layout.gridRanges[direction].front().getLargestExtent();
    Value blocks = getIndexConstant(size, loc);
    B &b = at(top(), loc);
    inMatrix = arith::RemUIOp::create(b, number, blocks);
    bindParallelRanges(indices, arith::DivUIOp::create(b, number, blocks));
  }
  bindBands(inMatrix);
}

void GPUEmitter::forEachBlock(Location loc, llvm::function_ref<void()> body) {
  if (layout.blocks == 0)
    return body();
  Value first = getNumber(gpu::Dimension::x, /*isItem=*/false),
        end = getIndexConstant(layout.blocks, loc);
  // Launches may have fewer groups than the layout says.
  Value count =
      gpu::GridDimOp::create(at(0, loc), gpu::Dimension::x,
                             builder.getIndexAttr(layout.groups[0].getMax()));
  auto loop = scf::ForOp::create(at(top(), loc), first, end, count);
  emitInRegion(loop, loop.getBody(), [&] {
    if (!layout.boxTiles.empty()) {
      const int64_t positions = ranges[getBoxLoop()].extent;
      Value length = getIndexConstant(positions, loc);
      B &b = at(top(), loc);
      Value before = arith::DivUIOp::create(b, loop.getInductionVar(), count);
      positionsBefore = arith::MulIOp::create(b, before, length);
    }
    bindBlock(loop.getInductionVar());
    body();
  });
  positionsBefore = Value();
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
    Value row = arith::RemUIOp::create(b, inBand, height),
          column = arith::DivUIOp::create(b, inBand, height);
    return std::pair(row, column);
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
      Value isLast =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, which, lastBand);
      row = arith::SelectOp::create(b, isLast, lastRow, row);
      column = arith::SelectOp::create(b, isLast, lastColumn, column);
    }
    row =
        arith::AddIOp::create(b, arith::MulIOp::create(b, which, height), row);
  }
  bindParallelRanges(rangeIndex.lookup(rows), row);
  bindParallelRanges(rangeIndex.lookup(columns), column);
}
