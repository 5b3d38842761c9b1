//===- Transpose.cpp - loads and tiles across the lanes of kernels --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A load that is strided along the lanes but contiguous along an unrolled
/// range with as many positions reads a square: one contiguous vector for each
/// lane. The square is transposed in registers, so that every cache line is
/// read once and in full. Tiles that are strided along the lanes are written in
/// the same way.
///
/// A load whose lanes are as far apart as the unrolled range has positions (the
/// weights of a convolution's gradient by its input, with the window unrolled)
/// reads a strip: lanes and positions together are contiguous. For an odd
/// number of positions, the elements of one position are in different lanes of
/// the strip's vectors, so that these are blended, and the result permuted.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/Strips.h"
#include "VectorEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::tovector;

/// A square with this many rows, and as many temporaries, fits in registers.
static constexpr int64_t kMaxRows = 16;

/// Swaps rows and lanes, with one step of shuffles for each bit of their
/// numbers.
static void transpose(B &b, MutableArrayRef<Value> rows) {
  int64_t size = rows.size();
  for (int64_t bit = size / 2; bit > 0; bit /= 2) {
    SmallVector<int64_t> first, second;
    for (int64_t lane = 0; lane < size; ++lane) {
      // The lanes of x have the lower numbers, those of y follow.
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

std::optional<unsigned> VectorEmitter::findSquare(LoadOp op,
                                                  const Access &access) {
  int64_t size = access.width;
  if (access.mask || !access.lanes.irregular.empty() || size > kMaxRows ||
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
      IndexForm step = getForm(op.getIndex());
      step.subtract(access.index);
      isSquare &= step.isConstant() &&
                  step.constant == ranges[index].position - here &&
                  (!op.getMask() || getKnown(op.getMask()) == true);
    });
    if (isSquare)
      return index;
  }
  return std::nullopt;
}

Value VectorEmitter::createSquare(LoadOp op, const Access &access,
                                  unsigned square, Type memory,
                                  unsigned depth) {
  Location loc = op.getLoc();
  int64_t size = access.width, here = ranges[square].position;
  auto type = VectorType::get(size, memory);
  IndexForm start = access.lanes.scalar;
  start.addConstant(-here);
  SmallVector<Value> rows;
  for (int64_t lane = 0; lane < size; ++lane) {
    Value index = getScalar(start, loc);
    B &b = at(depth, loc);
    rows.push_back(vector::LoadOp::create(b, type, access.buffer, index));
    if (access.prefetch != 0)
      createPrefetch(access, index, memory, /*isWrite=*/false, b);
    start.addConstant(access.lanes.stride);
  }
  B &b = at(depth, loc);
  transpose(b, rows);
  forEachPosition(setOf(square), [&] {
    Value &row = rows[ranges[square].position];
    row = arithmetic.buildFromMemory(b, row, access.element);
    Key key(op.getResult(), getKey(op.getResult()));
    scopes[depth].values[key] = row;
  });
  return rows[here];
}

std::optional<VectorEmitter::Strip>
VectorEmitter::findStrip(LoadOp op, const Access &access) {
  const int64_t count = access.lanes.stride, width = access.width;
  const unsigned memoryBits =
      getElementTypeOrSelf(access.buffer.getType()).getIntOrFloatBitWidth();
  if (access.mask || !access.lanes.irregular.empty() ||
      !isStrip(count, width, memoryBits))
    return std::nullopt;
  for (RangeSet rest = getDeps(op.getResult()) & unrollSet; rest;
       rest &= rest - 1) {
    const unsigned index = llvm::countr_zero(rest);
    const int64_t here = ranges[index].position;
    if (ranges[index].extent != count || here < 0)
      continue;
    bool isForward = true, isBackward = true;
    forEachPosition(setOf(index), [&] {
      IndexForm step = getForm(op.getIndex());
      step.subtract(access.index);
      const bool isKnown = step.isConstant() &&
                           (!op.getMask() || getKnown(op.getMask()) == true);
      const int64_t distance = ranges[index].position - here;
      isForward &= isKnown && step.constant == distance;
      isBackward &= isKnown && step.constant == -distance;
    });
    if (isForward || isBackward)
      return Strip{index, isBackward};
  }
  return std::nullopt;
}

Value VectorEmitter::createStrip(LoadOp op, const Access &access, Strip strip,
                                 Type memory, unsigned depth) {
  const Location loc = op.getLoc();
  const int64_t width = access.width, count = access.lanes.stride;
  auto getPlace = [&](int64_t position) {
    return strip.isBackward ? count - 1 - position : position;
  };
  const int64_t here = ranges[strip.range].position;
  const auto type = VectorType::get(width, memory);
  IndexForm start = access.lanes.scalar;
  start.addConstant(-getPlace(here));
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < count; ++i) {
    Value index = getScalar(start, loc);
    B &b = at(depth, loc);
    vectors.push_back(vector::LoadOp::create(b, type, access.buffer, index));
    if (access.prefetch != 0)
      createPrefetch(access, index, memory, /*isWrite=*/false, b);
    start.addConstant(width);
  }
  Value result;
  forEachPosition(setOf(strip.range), [&] {
    const int64_t place = getPlace(ranges[strip.range].position);
    // Element `count * lane + place` of the strip is to be in each lane.
    SmallVector<int64_t> order, vectorOf(width);
    for (int64_t lane = 0; lane < width; ++lane) {
      const int64_t element = count * lane + place;
      order.push_back(element % width);
      vectorOf[element % width] = element / width;
    }
    B &b = at(depth, loc);
    Value value = vectors[vectorOf.front()];
    for (int64_t i = 0; i < count; ++i) {
      if (i == vectorOf.front() || !llvm::is_contained(vectorOf, i))
        continue;
      SmallVector<int64_t> blend;
      for (int64_t lane = 0; lane < width; ++lane)
        blend.push_back(vectorOf[lane] == i ? width + lane : lane);
      value = vector::ShuffleOp::create(b, value, vectors[i], blend);
    }
    value = vector::ShuffleOp::create(b, value, value, order);
    value = arithmetic.buildFromMemory(b, value, access.element);
    const Key key(op.getResult(), getKey(op.getResult()));
    scopes[depth].values[key] = value;
    if (ranges[strip.range].position == here)
      result = value;
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

std::optional<unsigned> VectorEmitter::findWrittenSquare(StageOp op,
                                                         const Access &access,
                                                         RangeSet unrolled) {
  if (access.width < 4 || !llvm::isPowerOf2_64(access.width))
    return std::nullopt;
  for (; unrolled; unrolled &= unrolled - 1) {
    unsigned index = llvm::countr_zero(unrolled);
    Range &range = ranges[index];
    if (range.extent < 2)
      continue;
    int64_t saved = std::exchange(range.position, 0);
    IndexForm first = getTileIndex(op);
    range.position = 1;
    IndexForm step = getTileIndex(op);
    range.position = saved;
    step.subtract(first);
    if (step.isConstant() && step.constant == 1 && splitLanes(first).stride > 1)
      return index;
  }
  return std::nullopt;
}

void VectorEmitter::writeSquare(StageOp op, Access access, unsigned square) {
  Location loc = op.getLoc();
  SmallVector<Value> values;
  SmallVector<IndexForm> places;
  forEachPosition(setOf(square), [&] {
    Value value = get(op.getValue());
    B &b = at(top(), loc);
    values.push_back(arithmetic.buildToMemory(
        b, toLanes(b, value, access.width), access.element));
    places.push_back(getTileIndex(op));
  });
  const int64_t count = values.size();
  const int64_t size = std::min<int64_t>(
      {kMaxRows, access.width, int64_t(llvm::PowerOf2Ceil(count))});
  for (int64_t row = 0; row < count; row += size) {
    const int64_t valid = std::min(size, count - row);
    const LaneForm place = splitLanes(places[row]);
    for (int64_t lane = 0; lane < access.width; lane += size) {
      B &b = at(top(), loc);
      auto part = llvm::to_vector(llvm::seq<int64_t>(lane, lane + size));
      SmallVector<Value> rows;
      for (int64_t i = 0; i < size; ++i) {
        // Missing rows repeat the last one; the store masks them out.
        Value value = values[row + std::min(i, valid - 1)];
        if (size != access.width)
          value = vector::ShuffleOp::create(b, value, value, part);
        rows.push_back(value);
      }
      transpose(b, rows);
      for (int64_t i = 0; i < size; ++i) {
        IndexForm start = place.scalar;
        start.addConstant(mulWrapped(lane + i, place.stride));
        Value index = getScalar(start, loc);
        B &b = at(top(), loc);
        if (valid == size) {
          vector::StoreOp::create(b, rows[i], access.buffer, index);
          continue;
        }
        SmallVector<bool> bits(size, false);
        std::fill_n(bits.begin(), valid, true);
        auto type = VectorType::get(size, b.getI1Type());
        Value mask = arith::ConstantOp::create(
            b, DenseElementsAttr::get(type, ArrayRef<bool>(bits)));
        vector::MaskedStoreOp::create(b, access.buffer, index, mask, rows[i]);
      }
    }
  }
}
