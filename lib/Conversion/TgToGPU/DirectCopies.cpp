//===- DirectCopies.cpp - tiles that subgroups copy at once ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Copies from global memory to that of the group, without registers between,
/// which AMD's GPUs call loads to LDS. The items of a subgroup give addresses
/// of their own to read from and one address to write to: what they copy
/// follows one another there. So a tile that is permuted is permuted by what
/// they read.
///
//===----------------------------------------------------------------------===//

#include "GPUEmitter.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::togpu;

void GPUEmitter::atPermutedChunk(StageOp op, RangeOp chunks, int64_t width,
                                 llvm::function_ref<void()> body) {
  const Location loc = op.getLoc();
  const auto *memory = llvm::find_if(
      layout.memories, [&](const auto &entry) { return entry.op == op; });
  // The row of the tile. What does not change the lower bits of its number is
  // left out.
  const int64_t period = int64_t(memory->order.getPeriod());
  const IndexAtom chunk(chunks.getResult());
  IndexForm row;
  const IndexForm place = splitLanes(getTileIndex(op)).scalar;
  for (auto [atom, coefficient] : place.terms)
    if (atom != chunk && coefficient % period != 0)
      row.addTerm(atom, coefficient);
  row.addConstant(place.constant % period);
  Value number = getScalar(row, loc);
  Range &range = ranges[rangeIndex.lookup(chunks.getResult())];
  const Range saved = range;
  // Chunks of a copy may be smaller than those that change places.
  std::optional<unsigned> shift;
  if (const unsigned bits = memory->order.chunkBits - llvm::Log2_64(width))
    shift = bits;
  number = getFlipped(*memory, number, shift, top(), loc);
  range.value = arith::XOrIOp::create(at(top(), loc), saved.value, number);
  range.depth = scopes.size();
  Scope scope;
  scope.anchor = scopes.back().anchor;
  scopes.push_back(std::move(scope));
  body();
  closeScope();
  ranges[rangeIndex.lookup(chunks.getResult())] = saved;
}

void GPUEmitter::beginDirectCopies(StageOp op, const DirectCopy &copy,
                                   Value start) {
  const Location loc = op.getLoc();
  auto load = op.getValue().getDefiningOp<LoadOp>();
  Access from;
  from.element = load.getType();
  from.width = copy.width;
  from.buffer = getBuffer(load.getBuffer());
  Value memory = memories.lookup(op);
  auto type = VectorType::get(
      copy.width, cast<MemRefType>(memory.getType()).getElementType());
  forEachStaged(op, [&](RangeSet unrolled) {
    forEachPosition(unrolled, [&] {
      // Where the first item of the subgroup writes.
      const IndexForm own = splitLanes(getTileIndex(op)).scalar;
      IndexForm first = own;
      for (auto [atom, coefficient] : own.terms)
        if (llvm::any_of(copy.lanes, [&, atom = atom](RangeOp range) {
              return atom == IndexAtom(range.getResult());
            }))
          first.addTerm(atom, -coefficient);
      Value destination = getScalar(first, loc);
      destination = arith::AddIOp::create(at(top(), loc), destination, start);
      auto begin = [&] {
        if (!findPlace(from, load.getIndex(), /*mask=*/Value()))
          return;
        Value source = getElementIndex(from, /*lane=*/0, top(), loc);
        amdgpu::GatherToLDSOp::create(at(top(), loc), from.buffer,
                                      ValueRange(source), memory,
                                      ValueRange(destination), type);
        ++numDirectCopies;
      };
      if (copy.chunks)
        atPermutedChunk(op, copy.chunks, copy.width, begin);
      else
        begin();
    });
  });
}

void GPUEmitter::waitForDirectCopies(int64_t positions, Location loc) {
  // Copies are complete in the order in which they began, and are counted one
  // by one.
  amdgpu::MemoryCounterWaitOp::create(
      at(top(), loc),
      builder.getI32IntegerAttr(
          static_cast<int32_t>(positions * numDirectCopies)),
      IntegerAttr(), IntegerAttr(), IntegerAttr(), IntegerAttr());
}

/// A position of the loop begins to fill the buffer that the one before it has
/// read. All positions that a buffer has in turn are in one iteration, so that
/// the places of buffers are constants, and only as many copies are counted as
/// were begun: the last positions, which begin none, follow the loop.
void GPUEmitter::emitDirectlyAhead(std::array<StageOp, 2> tiles, unsigned loop,
                                   SmallVectorImpl<Value> &sums, Location loc,
                                   Multiply multiply) {
  const auto buffers = static_cast<int64_t>(*tiles[0].getBuffers());
  const int64_t distance = buffers - 1,
                positions = getExtent(ranges[loop]).getMax(),
                looped = (positions - distance) / buffers * buffers;
  for (StageOp tile : tiles)
    separateFromReads(tile, top(), loc);
  auto getStarts = [&](int64_t position) {
    SmallVector<Value, 2> starts;
    for (StageOp tile : tiles)
      starts.push_back(
          getIndexConstant(position % buffers * getBufferSize(tile), loc));
    return starts;
  };
  auto fill = [&](int64_t position) {
    numDirectCopies = 0;
    for (auto [tile, start] : llvm::zip_equal(tiles, getStarts(position)))
      beginCopies(tile, start);
  };
  // Waits for the copies of this position, for all items; all of them have read
  // the buffer that is filled next.
  auto begin = [&](int64_t running) {
    waitForDirectCopies(running, loc);
    createBarrier(top(), loc);
  };
  auto atNumber = [&](int64_t position, llvm::function_ref<void()> body) {
    atPosition(loop, Value(), getNumber(position), getNumber(position + 1),
               body);
  };

  for (int64_t position = 0; position < distance; ++position)
    atNumber(position, [&] { fill(position); });
  if (looped > 0) {
    const unsigned depth = top();
    auto all = scf::ForOp::create(at(depth, loc), getIndexConstant(0, loc),
                                  getIndexConstant(looped, loc),
                                  getIndexConstant(buffers, loc), sums);
    const Range saved = ranges[loop];
    std::shared_ptr<Anchor> parent = scopes.back().anchor;
    Operation *before = std::exchange(parent->before, all);
    ranges[loop].value = all.getInductionVar();
    setPart(ranges[loop], getNumber(0), getNumber(looped));
    ranges[loop].depth = scopes.size();
    Scope scope;
    scope.anchor = std::make_shared<Anchor>();
    scope.anchor->block = all.getBody();
    scopes.push_back(std::move(scope));
    SmallVector<Value> values(all.getRegionIterArgs());
    // Calls `body` so many positions after that of the iteration.
    auto atNext = [&](int64_t number, llvm::function_ref<void()> body) {
      Value by = getIndexConstant(number, loc);
      Value position =
          arith::AddIOp::create(at(top(), loc), all.getInductionVar(), by);
      atPosition(loop, position, getNumber(number), getNumber(looped + number),
                 body);
    };
    for (int64_t number = 0; number < buffers; ++number) {
      begin(distance - 1);
      atNext(number + distance, [&] { fill(number + distance); });
      atNext(number, [&] { multiply(getStarts(number), values); });
    }
    scf::YieldOp::create(at(top(), loc), values);
    closeScope();
    parent->before = before;
    ranges[loop] = saved;
    sums.assign(all.getResults().begin(), all.getResults().end());
  }
  for (int64_t position = looped; position < positions; ++position) {
    begin(std::min(distance - 1, positions - 1 - position));
    if (position + distance < positions)
      atNumber(position + distance, [&] { fill(position + distance); });
    atNumber(position, [&] { multiply(getStarts(position), sums); });
  }
}
