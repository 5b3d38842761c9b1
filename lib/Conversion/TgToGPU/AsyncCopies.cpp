//===- AsyncCopies.cpp - tiles that are filled ahead ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tiles of a group with several buffers: while items read one of them, others
/// are filled by copies that no item waits for.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Support/AsyncCopies.h"
#include "GPUEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::togpu;

/// The largest copy in bytes.
static constexpr int64_t kMostBytes = 16;

bool GPUEmitter::isFilledAhead(StageOp rows, StageOp columns,
                               ArrayRef<unsigned> loops) {
  if (!target.asyncCopies || loops.size() != 1 || !rows || !columns)
    return false;
  IndexAnalysis analysis;
  if (rows == columns || !rows.getBuffers() ||
      rows.getBuffers() != columns.getBuffers())
    return false;
  if (target.asyncCopies == int64_t(tinygrad::AsyncCopies::ofItems))
    return !findObstacleToCopy(kernel, rows, analysis) &&
           !findObstacleToCopy(kernel, columns, analysis);
  std::string obstacle;
  const StageOp tiles[] = {rows, columns};
  std::optional<DirectCopy> copies[2];
  for (auto [copy, tile] : llvm::zip_equal(copies, tiles))
    copy = getDirectCopy(kernel, tile, layout, target, analysis, obstacle);
  const Dim positions = getExtent(ranges[loops.front()]);
  if (!copies[0] || !copies[1] || !positions.isStatic() ||
      positions.getMax() < int64_t(*rows.getBuffers()))
    return false;
  directCopies[rows] = *copies[0];
  directCopies[columns] = *copies[1];
  return true;
}

bool GPUEmitter::emitSum(RangedReduceOp op, ArrayRef<unsigned> loops,
                         SmallVectorImpl<Value> &sums, Body body) {
  const std::optional<ProductFactors> factors = getFactors(op.getValue());
  if (!factors)
    return false;
  StageOp rows = getGroupTile(factors->lhs),
          columns = getGroupTile(factors->rhs);
  if (!isFilledAhead(rows, columns, loops))
    return false;
  emitFilledAhead({rows, columns}, loops.front(), sums, op.getLoc(),
                  [&](ArrayRef<Value> places, SmallVectorImpl<Value> &values) {
                    starts[rows] = places[0];
                    starts[columns] = places[1];
                    body(values);
                    starts.clear();
                  });
  return true;
}

int64_t GPUEmitter::getBufferSize(StageOp tile) const {
  return getMemory(memories.lookup(tile))->size / int64_t(*tile.getBuffers());
}

void GPUEmitter::beginCopies(StageOp op, Value start) {
  if (auto direct = directCopies.find(op); direct != directCopies.end())
    return beginDirectCopies(op, direct->second, start);
  const Location loc = op.getLoc();
  auto load = op.getValue().getDefiningOp<LoadOp>();
  SmallVector<unsigned> others;
  for (auto [i, axis] : llvm::enumerate(layout.axes))
    if (llvm::none_of(axis.ranges, [&](RangeOp range) {
          return llvm::is_contained(op.getRanges(), range.getResult());
        }))
      others.push_back(i);
  Access to, from;
  from.element = to.element = load.getType();
  from.width = to.width = getStageLanes(op);
  const int64_t lanes = std::max<int64_t>(from.width, 1);
  IndexAnalysis analysis;
  const int64_t copiedLanes = countCopiedLanes(op, analysis);
  from.buffer = getBuffer(load.getBuffer());
  to.buffer = memories.lookup(op);
  to.memory = llvm::find_if(
      layout.memories, [&](const auto &memory) { return memory.op == op; });
  to.start = start;
  auto copy = [&] {
    to.index = getTileIndex(op);
    to.lanes = splitLanes(to.index);
    from.mask = Value();
    Value zero = getIndexConstant(0, loc);
    if (!findPlace(from, load.getIndex(), load.getMask())) {
      // Nothing is read; the elements become zeros.
      from.lanes = LaneForm();
      from.mask = buildInt(at(0, loc), builder.getI1Type(), 0);
    }
    const int64_t bytes =
        cast<MemRefType>(to.buffer.getType()).getElementTypeBitWidth() / 8;
    const int64_t atOnce =
        std::min({getAlignment(from), getAlignment(to), kMostBytes,
                  lanes * bytes, copiedLanes * bytes});
    const int64_t count = atOnce / bytes;
    for (int64_t lane = 0; lane < lanes; lane += count) {
      Value source = getElementIndex(from, lane, top(), loc);
      Value destination = getElementIndex(to, lane, top(), loc);
      Value all = getIndexConstant(count, loc), read;
      B &b = at(top(), loc);
      if (Value mask = from.mask) {
        if (isa<VectorType>(mask.getType()))
          mask = vector::ExtractOp::create(b, mask, lane);
        // An address outside of the buffer is not given either.
        source = arith::SelectOp::create(b, mask, source, zero);
        read = arith::SelectOp::create(b, mask, all, zero);
      }
      nvgpu::DeviceAsyncCopyOp::create(
          b, nvgpu::DeviceAsyncTokenType::get(b.getContext()), to.buffer,
          destination, from.buffer, source, b.getIndexAttr(count), read,
          atOnce == kMostBytes ? b.getUnitAttr() : UnitAttr());
    }
  };
  forEachStaged(op, [&](RangeSet unrolled) {
    forEachPosition(unrolled, [&] {
      emitGuarded(getIsFirst(others, top(), loc), loc, copy);
    });
  });
}

void GPUEmitter::atPosition(unsigned loop, Value value, Dim begin, Dim end,
                            llvm::function_ref<void()> body) {
  const Range outer = ranges[loop];
  ranges[loop].value = value;
  setPart(ranges[loop], begin, end);
  ranges[loop].depth = scopes.size();
  Scope scope;
  scope.anchor = scopes.back().anchor;
  scopes.push_back(std::move(scope));
  body();
  closeScope();
  ranges[loop] = outer;
}

SmallVector<Value, 2> GPUEmitter::getStarts(ArrayRef<StageOp> tiles,
                                            Value position, Location loc) {
  StageOp first = tiles[0];
  Value number = getIndexConstant(int64_t(*first.getBuffers()), loc);
  number = arith::RemUIOp::create(at(top(), loc), position, number);
  SmallVector<Value, 2> starts;
  for (StageOp tile : tiles) {
    Value size = getIndexConstant(getBufferSize(tile), loc);
    starts.push_back(arith::MulIOp::create(at(top(), loc), number, size));
  }
  return starts;
}

void GPUEmitter::emitPositions(
    unsigned loop, SmallVectorImpl<Value> &carried, Location loc,
    llvm::function_ref<void(Value, SmallVectorImpl<Value> &)> body) {
  const Dim extent = getExtent(ranges[loop]);
  const Range saved = ranges[loop];
  Value zero = getIndexConstant(0, loc), end = getDimValue(extent, loc),
        one = getIndexConstant(1, loc);
  auto all = scf::ForOp::create(at(top(), loc), zero, end, one, carried);
  std::shared_ptr<Anchor> parent = scopes.back().anchor;
  Operation *before = std::exchange(parent->before, all);
  ranges[loop].value = all.getInductionVar();
  setPart(ranges[loop], getNumber(0), extent);
  ranges[loop].depth = scopes.size();
  Scope scope;
  scope.anchor = std::make_shared<Anchor>();
  scope.anchor->block = all.getBody();
  // Without values, the loop has its end already.
  if (carried.empty())
    scope.anchor->before = all.getBody()->getTerminator();
  scopes.push_back(std::move(scope));
  SmallVector<Value> values(all.getRegionIterArgs());
  body(all.getInductionVar(), values);
  if (!carried.empty())
    scf::YieldOp::create(at(top(), loc), values);
  closeScope();
  parent->before = before;
  ranges[loop] = saved;
  carried.assign(all.getResults().begin(), all.getResults().end());
}

void GPUEmitter::emitFilledAhead(std::array<StageOp, 2> tiles, unsigned loop,
                                 SmallVectorImpl<Value> &sums, Location loc,
                                 Multiply multiply) {
  // Where there is such a loop already, in this block or one inside of it, that
  // has read the buffers since the last barrier.
  if (llvm::any_of(writtenIn, [&](std::pair<Operation *, Block *> place) {
        return llvm::is_contained(tiles, place.first);
      }))
    separated.erase(scopes[top()].anchor->block);
  if (isDirect(tiles[0]))
    return emitDirectlyAhead(tiles, loop, sums, loc, multiply);
  if (filling)
    return emitFilledByOthers(tiles, loop, sums, loc, multiply);
  const auto buffers = static_cast<int64_t>(*tiles[0].getBuffers());
  std::optional<BoxFilling> boxes;
  if (isBoxTile(tiles[0]))
    boxes = prepareBoxes(buffers, loc);
  // With three buffers or more, products go on while the next ones begin, and
  // the buffers of both are read.
  positionsInFlight = boxes && buffers > 2 ? 1 : 0;
  const int64_t distance = buffers - 1 - positionsInFlight;
  Dim extent = getExtent(ranges[loop]);
  Type token = nvgpu::DeviceAsyncTokenType::get(kernel.getContext());
  // Copies since the last group are the next one.
  auto commit = [&]() -> Value {
    B &b = at(top(), loc);
    auto group =
        nvgpu::DeviceAsyncCreateGroupOp::create(b, token, ValueRange());
    // In the text, the first name of the next line would be read as an operand
    // if nothing followed.
    group->setAttr("all", b.getUnitAttr());
    return group;
  };
  if (!boxes)
    for (StageOp tile : tiles)
      separateFromReads(tile, top(), loc);
  // Begins to fill the buffers of a position.
  auto fill = [&](Value position, ArrayRef<Value> starts) {
    if (boxes)
      return beginBoxes(*boxes, position, buffers, starts, loc);
    for (auto [tile, start] : llvm::zip_equal(tiles, starts))
      beginCopies(tile, start);
  };
  Value group;
  Value end = getDimValue(extent, loc);
  for (int64_t position = 0; position < distance; ++position) {
    if (position < extent.getMax()) {
      // An extent that is symbolic may be shorter.
      Value isInside;
      if (position >= extent.getMin()) {
        Value number = getIndexConstant(position, loc);
        isInside = arith::CmpIOp::create(
            at(top(), loc), arith::CmpIPredicate::slt, number, end);
      }
      emitGuarded(isInside, loc, [&] {
        atPosition(
            loop, Value(), getNumber(position), getNumber(position + 1), [&] {
              SmallVector<Value, 2> starts;
              for (StageOp tile : tiles)
                starts.push_back(
                    getIndexConstant(position * getBufferSize(tile), loc));
              fill(getIndexConstant(position, loc), starts);
            });
      });
    }
    if (!boxes)
      group = commit();
  }

  emitPositions(
      loop, sums, loc, [&](Value now, SmallVectorImpl<Value> &values) {
        // The copies of this position are complete, for all items (those of
        // boxes later), and all have read the buffer that is filled next.
        if (!boxes) {
          nvgpu::DeviceAsyncWaitOp::create(
              at(top(), loc), group,
              builder.getI32IntegerAttr(static_cast<int32_t>(buffers - 2)));
          separateProxies(top(), loc);
        }
        createBarrier(top(), loc);
        Value ahead = getIndexConstant(distance, loc);
        Value next = arith::AddIOp::create(at(top(), loc), now, ahead);
        Value isInside = arith::CmpIOp::create(
            at(top(), loc), arith::CmpIPredicate::ult, next, end);
        emitGuarded(isInside, loc, [&] {
          atPosition(loop, next, getNumber(distance), extent,
                     [&] { fill(next, getStarts(tiles, next, loc)); });
        });
        if (boxes)
          waitForBoxes(*boxes, now, buffers, loc);
        else
          commit();
        multiply(getStarts(tiles, now, loc), values);
      });
  if (std::exchange(positionsInFlight, 0) > 0)
    NVVM::WgmmaWaitGroupSyncOp::create(at(top(), loc), uint64_t(0));
}
