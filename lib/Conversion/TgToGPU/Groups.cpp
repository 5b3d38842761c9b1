//===- Groups.cpp - what the items of a group share -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tiles in the memory of a group, and reductions over its items.
///
//===----------------------------------------------------------------------===//

#include "GPUEmitter.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::togpu;

Value GPUEmitter::getItemNumber(ArrayRef<unsigned> axes, unsigned depth,
                                Location loc) {
  Value number;
  for (unsigned axis : axes) {
    if (layout.axes[axis].extent == 1)
      continue;
    if (!number) {
      number = axisNumbers[axis];
      continue;
    }
    Value extent = getIndexConstant(layout.axes[axis].extent, loc);
    B &b = at(depth, loc);
    number = arith::AddIOp::create(b, arith::MulIOp::create(b, number, extent),
                                   axisNumbers[axis]);
  }
  return number ? number : getIndexConstant(0, loc);
}

Value GPUEmitter::getIsFirst(ArrayRef<unsigned> axes, unsigned depth,
                             Location loc) {
  Value zero = getIndexConstant(0, loc), condition;
  for (unsigned axis : axes) {
    if (layout.axes[axis].extent == 1)
      continue;
    B &b = at(depth, loc);
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                          axisNumbers[axis], zero);
    condition = condition ? Value(arith::AndIOp::create(b, condition, isFirst))
                          : isFirst;
  }
  return condition;
}

void GPUEmitter::separateFromReads(Operation *op, unsigned depth, Location loc,
                                   int64_t part) {
  Block *block = scopes[depth].anchor->block;
  const bool isFirst = written.insert({op, part}).second;
  const bool isFirstOfBlock = writtenIn.insert({op, block}).second;
  // In a loop, the previous iteration has read it. If another part was written
  // in this one, a barrier has come since then.
  if (isFirst && (block == scopes[0].anchor->block || !isFirstOfBlock))
    return;
  if (separated.insert(block).second)
    createBarrier(depth, loc);
}

void GPUEmitter::separateFromWrites(Location loc) {
  bool isOuter = false;
  llvm::erase_if(unread, [&](unsigned depth) {
    // What is computed further out does not read it.
    if (depth > top())
      return false;
    separateProxies(depth, loc);
    createBarrier(depth, loc);
    return isOuter = true;
  });
  if (isOuter)
    separated.clear();
}

void GPUEmitter::separateLoads(ArrayRef<StoreOp> stores) {
  if (llvm::any_of(stores, [&](StoreOp store) {
        return llvm::any_of(layout.axes, [&](const GroupLayout::Axis &axis) {
          return axis.extent > 1 &&
                 llvm::none_of(axis.ranges, [&](RangeOp range) {
                   return getStoreSet(store) & setOf(rangeIndex.lookup(range));
                 });
        });
      }))
    createBarrier(top(), kernel.getLoc());
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void GPUEmitter::fillOthers(StageOp op) {
  if (isFillingOthers)
    return;
  isFillingOthers = true;
  // Work items and their groups are the same everywhere.
  auto getLoops = [&](StageOp stage) {
    return getDeps(stage.getResult()) & ~parallelSet;
  };
  const RangeSet set = getLoops(op);
  for (auto other : kernel.getBody().getOps<StageOp>()) {
    if (other == op || !live.contains(other) ||
        other.getMemory() != TileMemory::group || getLoops(other) != set ||
        (set & (unrollSet | upcastSet)))
      continue;
    // Tiles that are computed from other tiles or sums need their own order.
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    (void)getBackwardSlice(other.getOperation(), &slice, options);
    if (llvm::none_of(slice,
                      llvm::IsaPred<StageOp, RangedReduceOp, RangedScanOp>))
      getBuffer(other);
  }
  isFillingOthers = false;
}

Value GPUEmitter::createStage(StageOp op, unsigned depth) {
  // The loop around fills it ahead.
  if (starts.contains(op))
    return memories.lookup(op);
  const Location loc = op.getLoc();
  const bool isGroup = op.getMemory() == TileMemory::group;
  Access access;
  access.element = op.getValue().getType();
  access.width = getStageLanes(op);
  if (isGroup) {
    access.buffer = memories.lookup(op);
    access.memory = llvm::find_if(
        layout.memories, [&](const auto &memory) { return memory.op == op; });
  } else
    access.buffer = memref::AllocaOp::create(
        at(0, loc), MemRefType::get({op.getTile().getType().getNumElements()},
                                    arithmetic.getMemoryType(access.element)));
  SmallVector<unsigned> others;
  if (isGroup) {
    separateFromReads(op, depth, loc);
    // One item of those with the same positions writes.
    for (auto [i, axis] : llvm::enumerate(layout.axes))
      if (llvm::none_of(axis.ranges, [&](RangeOp range) {
            return llvm::is_contained(op.getRanges(), range.getResult());
          }))
        others.push_back(i);
  }
  forEachStaged(op, [&](RangeSet unrolled) {
    forEachPosition(unrolled, [&] {
      access.index = getTileIndex(op);
      access.lanes = splitLanes(access.index);
      Value value = get(op.getValue());
      emitGuarded(getIsFirst(others, top(), loc), loc,
                  [&] { emitWrite(access, value, loc, std::nullopt); });
    });
  });
  if (isGroup) {
    if (!llvm::is_contained(unread, depth))
      unread.push_back(depth);
    fillOthers(op);
  }
  return access.buffer;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Integers of less than 32 bits are shuffled as i32.
Value GPUEmitter::shuffle(B &b, Value value, int64_t offset) {
  Type type = value.getType(), wide = type;
  if (type.isInteger() && type.getIntOrFloatBitWidth() < 32)
    wide = b.getI32Type();
  if (wide != type)
    value = arith::ExtUIOp::create(b, wide, value);
  value = gpu::ShuffleOp::create(b, value, static_cast<int32_t>(offset),
                                 static_cast<int32_t>(target.subgroupItems),
                                 gpu::ShuffleMode::XOR)
              .getShuffleResult();
  if (wide != type)
    value = arith::TruncIOp::create(b, type, value);
  return value;
}

Value GPUEmitter::combineScalar(const GroupLayout::Exchange &exchange,
                                Value value, int64_t position, unsigned depth) {
  RangedReduceOp op = exchange.op;
  const Location loc = op.getLoc();
  const bool isUnsigned = op.getType().isUnsignedInteger();
  auto combine = [&](B &b, Value x, Value y) {
    return buildCombine(b, op.getKind(), x, y, isUnsigned);
  };
  // Both items of a pair combine the same two values, in a different order: all
  // items get the same bits.
  for (int64_t offset = exchange.shuffled / 2; offset > 0; offset /= 2) {
    B &b = at(depth, loc);
    value =
        combine(b, value, shuffle(b, value, offset * int64_t(exchange.stride)));
  }
  if (exchange.partials == 1)
    return value;

  // memory[result][partial][row]: items that are neighbors along the rows
  // access neighbors.
  Type element = isNarrowFloat(op.getType())
                     ? Type(Float32Type::get(op.getContext()))
                     : op.getType();
  SmallVector<unsigned> others;
  for (unsigned axis = 0; axis < layout.axes.size(); ++axis)
    if (!llvm::is_contained(exchange.axes, axis))
      others.push_back(axis);
  Value memory = memories.lookup(op);
  Value first =
      getIndexConstant(position * exchange.rows * exchange.partials, loc);
  Value item = getItemNumber(exchange.axes, depth, loc);
  if (exchange.rows > 1) {
    Value row = getItemNumber(others, depth, loc);
    B &b = at(depth, loc);
    first = arith::AddIOp::create(b, first, row);
  }
  // One of the items that have the same partial result writes it.
  Value number = item, isWriter;
  if (exchange.shuffled > 1) {
    Value shuffled = getIndexConstant(exchange.shuffled, loc),
          zero = getIndexConstant(0, loc);
    B &b = at(depth, loc);
    number = arith::DivUIOp::create(b, item, shuffled);
    isWriter =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                              arith::RemUIOp::create(b, item, shuffled), zero);
  }
  separateFromReads(op, depth, loc, position);
  Value end = getIndexConstant(exchange.partials, loc),
        one = getIndexConstant(1, loc),
        rows = getIndexConstant(exchange.rows, loc);
  B &b = at(depth, loc);
  auto getPlace = [&](Value partial) -> Value {
    if (exchange.rows > 1)
      partial = arith::MulIOp::create(b, partial, rows);
    return arith::AddIOp::create(b, first, partial);
  };
  Value place = getPlace(number);
  auto write = [&] {
    memref::StoreOp::create(b, arithmetic.buildToMemory(b, value, element),
                            memory, place);
  };
  if (isWriter) {
    auto branch = scf::IfOp::create(b, isWriter, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    write();
  } else {
    write();
  }
  unread.push_back(depth);
  separateFromWrites(loc);
  at(depth, loc);
  auto read = [&](Value index) {
    return arithmetic.buildFromMemory(
        b, memref::LoadOp::create(b, memory, index), element);
  };
  Value total = read(first);
  auto loop = scf::ForOp::create(b, one, end, one, total);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  Value next = read(getPlace(loop.getInductionVar()));
  scf::YieldOp::create(b, combine(b, loop.getRegionIterArg(0), next));
  return loop.getResult(0);
}

Value GPUEmitter::combineItems(RangedReduceOp op, RangeSet, Value value,
                               unsigned depth) {
  const auto *exchange =
      llvm::find_if(layout.exchanges,
                    [&](const auto &exchange) { return exchange.op == op; });
  auto vector = dyn_cast<VectorType>(value.getType());
  const int64_t lanes = vector ? vector.getNumElements() : 1;
  // The number of the result among the unrolled positions.
  int64_t position = 0;
  for (RangeSet set = getDeps(op.getResult()) & unrollSet; set;
       set &= set - 1) {
    const Range &range = ranges[llvm::countr_zero(set)];
    position = position * range.extent + range.position;
  }
  if (!vector)
    return combineScalar(*exchange, value, position, depth);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value element =
        vector::ExtractOp::create(at(depth, op.getLoc()), value, lane);
    elements.push_back(
        combineScalar(*exchange, element, position * lanes + lane, depth));
  }
  return vector::FromElementsOp::create(at(depth, op.getLoc()), vector,
                                        elements);
}
