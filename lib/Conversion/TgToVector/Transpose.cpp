//===- Transpose.cpp - loads across the lanes of kernels ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A load that is strided along the lanes but contiguous along an unrolled
/// range of as many positions reads a square: one vector of neighbours for each
/// lane, which is then transposed in registers. Every line is read once and
/// whole.
///
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::tovector;

/// A square of this many rows, and as many to exchange with, fits in registers.
static constexpr int64_t mostRows = 16;

/// Swaps rows and lanes, in one step of exchanges for each bit of their
/// numbers.
static void transpose(B &b, MutableArrayRef<Value> rows) {
  int64_t size = rows.size();
  for (int64_t bit = size / 2; bit > 0; bit /= 2) {
    SmallVector<int64_t> first, second;
    for (int64_t lane = 0; lane < size; ++lane) {
      // Lanes of the first row, then those of the second.
      first.push_back(lane & bit ? size + (lane ^ bit) : lane);
      second.push_back(lane & bit ? size + lane : lane ^ bit);
    }
    for (int64_t row = 0; row < size; ++row) {
      if (row & bit)
        continue;
      Value x = rows[row], y = rows[row | bit];
      rows[row] = vector::ShuffleOp::create(b, x, y, first);
      rows[row | bit] = vector::ShuffleOp::create(b, x, y, second);
    }
  }
}

std::optional<unsigned> Emitter::findSquare(LoadOp op, const Access &access) {
  int64_t size = access.width;
  if (access.mask || !access.lanes.irregular.empty() || size > mostRows ||
      size < 4 || !llvm::isPowerOf2_64(size))
    return std::nullopt;
  for (RangeSet rest = getDeps(op.getResult()) & unrollSet; rest;
       rest &= rest - 1) {
    unsigned index = llvm::countr_zero(rest);
    if (ranges[index].extent != size || ranges[index].position < 0)
      continue;
    bool isSquare = true;
    int64_t here = ranges[index].position;
    forEachPosition(setOf(index), [&] {
      Form step = getForm(op.getIndex());
      step.add(access.index, -1);
      isSquare &= step.isConstant() &&
                  step.constant == ranges[index].position - here &&
                  (!op.getMask() || getKnown(op.getMask()) == true);
    });
    if (isSquare)
      return index;
  }
  return std::nullopt;
}

Value Emitter::createSquare(LoadOp op, const Access &access, unsigned square,
                            Type memory, unsigned depth) {
  Location loc = op.getLoc();
  int64_t size = access.width, here = ranges[square].position;
  auto type = VectorType::get(size, memory);
  Form start = access.lanes.scalar;
  start.constant -= here;
  SmallVector<Value> rows;
  for (int64_t lane = 0; lane < size; ++lane) {
    Value index = getScalar(start, loc);
    B &b = at(depth, loc);
    rows.push_back(vector::LoadOp::create(b, type, access.buffer, index));
    start.constant += access.lanes.stride;
  }
  B &b = at(depth, loc);
  transpose(b, rows);
  forEachPosition(setOf(square), [&] {
    Value &row = rows[ranges[square].position];
    row = fromMemory(b, row, access.element);
    Key key(op.getResult(), getKey(op.getResult()));
    scopes[depth].values[key] = row;
  });
  return rows[here];
}
