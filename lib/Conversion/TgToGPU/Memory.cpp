//===- Memory.cpp - loads and stores of a work item -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Contiguous lanes are accessed as a vector, all others one after the other.
/// Masked-out elements are never accessed: a vector of which some are, at the
/// end of a row, is accessed one element after the other.
///
//===----------------------------------------------------------------------===//

#include "GPUEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::togpu;

/// The widest access of one instruction, in bytes.
static constexpr int64_t kMaxAccess = 16;

static MemRefType getMemoryType(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

static Value getLane(B &b, Value value, int64_t lane) {
  if (isa<VectorType>(value.getType()))
    return vector::ExtractOp::create(b, value, lane);
  return value;
}

static bool isVector(Value value) {
  return value && isa<VectorType>(value.getType());
}

bool GPUEmitter::findPlace(Access &access, Value index, Value mask) {
  MemRefType type = getMemoryType(access.buffer);
  if (type.hasStaticShape() && type.getNumElements() == 0)
    return false;
  if (mask) {
    std::optional<bool> known = getKnown(mask);
    if (known == false)
      return false;
    if (!known)
      access.mask = get(mask);
  }
  access.index = getForm(index);
  access.lanes = splitLanes(access.index);
  return true;
}

bool GPUEmitter::isContiguous(const Access &access) const {
  return access.width > 0 && access.lanes.stride == 1 &&
         access.lanes.irregular.empty();
}

/// Whether the mask holds in all lanes.
static Value isTrueInAll(B &b, Value mask) {
  return vector::ReductionOp::create(b, vector::CombiningKind::AND, mask);
}

int64_t GPUEmitter::getAlignment(const Access &access) const {
  const int64_t bytes =
      getMemoryType(access.buffer).getElementTypeBitWidth() / 8;
  auto argument = dyn_cast<BlockArgument>(access.buffer);
  if (!argument)
    return bytes;
  // Others are the memory of the group.
  int64_t alignment = kMaxAccess;
  if (argument.getArgNumber() < kernel.getArgumentTypes().size())
    alignment = std::min(
        alignment,
        tg::getAlignment(kernel, kernel.getArgument(argument.getArgNumber())));
  int64_t elements =
      access.lanes.scalar.getCommonDivisor(access.lanes.scalar.constant);
  // Unused elements move each row.
  if (const GroupLayout::Memory *memory = getMemory(access.buffer))
    elements = tg::getCommonDivisor(elements, memory->pad);
  while (alignment > bytes && elements * bytes % alignment != 0)
    alignment /= 2;
  return alignment;
}

Value GPUEmitter::getPaddedIndex(const GroupLayout::Memory &memory,
                                 IndexForm index, unsigned depth,
                                 Location loc) {
  // index = quotient * row + rest
  auto [quotient, rest] = splitTerms(index, memory.row);
  const int64_t rows = llvm::divideFloorSigned(rest.constant, memory.row);
  quotient.addConstant(rows);
  rest.constant -= rows * memory.row;
  if (Interval{0, memory.row - 1}.contains(getBounds(rest))) {
    index.add(quotient, memory.pad);
    return getScalar(index, loc);
  }
  Value position = getScalar(index, loc);
  Value row = getIndexConstant(memory.row, loc),
        pad = getIndexConstant(memory.pad, loc);
  B &b = at(depth, loc);
  Value number = arith::DivUIOp::create(b, position, row);
  return arith::AddIOp::create(b, position,
                               arith::MulIOp::create(b, number, pad));
}

Value GPUEmitter::getElementIndex(const Access &access, int64_t lane,
                                  unsigned depth, Location loc) {
  if (!access.lanes.irregular.empty()) {
    Value all = getIndex(access.index, loc);
    return getLane(at(depth, loc), all, lane);
  }
  IndexForm index = access.lanes.scalar;
  index.addConstant(mulWrapped(lane, access.lanes.stride));
  const GroupLayout::Memory *padded = getMemory(access.buffer);
  if (padded && padded->row == 0)
    padded = nullptr;
  Value place = padded ? getPaddedIndex(*padded, index, depth, loc)
                       : getScalar(index, loc);
  if (access.start)
    place = arith::AddIOp::create(at(depth, loc), place, access.start);
  return access.memory ? permute(*access.memory, place, depth, loc) : place;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The result of `read`, or zeros where the mask is false.
static Value readWhere(B &b, Value mask, Type type,
                       llvm::function_ref<Value()> read) {
  if (!mask)
    return read();
  auto branch = scf::IfOp::create(b, type, mask, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, read());
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, buildZero(b, type));
  return branch.getResult(0);
}

Value GPUEmitter::readVector(const Access &access, B &b, Value index) {
  Type memory = getMemoryType(access.buffer).getElementType();
  Value value = vector::LoadOp::create(
      b, VectorType::get(access.width, memory), access.buffer, index,
      /*nontemporal=*/false, llvm::MaybeAlign(uint64_t(getAlignment(access))));
  return arithmetic.buildFromMemory(b, value, access.element);
}

Value GPUEmitter::createRead(const Access &access, unsigned depth,
                             Location loc) {
  Type element = arithmetic.getRegisterType(access.element),
       type = withLanes(element, access.width);
  const int64_t count = std::max<int64_t>(access.width, 1);
  SmallVector<Value> indices;
  for (int64_t lane = 0; lane < count; ++lane)
    if (lane == 0 || !isContiguous(access) || isVector(access.mask))
      indices.push_back(getElementIndex(access, lane, depth, loc));
  B &b = at(depth, loc);
  auto readLane = [&](int64_t lane, Value mask) {
    return readWhere(b, mask, element, [&] {
      return arithmetic.buildFromMemory(
          b, memref::LoadOp::create(b, access.buffer, indices[lane]),
          access.element);
    });
  };
  if (access.width == 0)
    return readLane(0, access.mask);
  auto readLanes = [&]() -> Value {
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < count; ++lane)
      elements.push_back(readLane(
          lane, access.mask ? getLane(b, access.mask, lane) : Value()));
    return vector::FromElementsOp::create(b, type, elements);
  };
  if (!isContiguous(access))
    return readLanes();
  if (!isVector(access.mask))
    return readWhere(b, access.mask, type,
                     [&] { return readVector(access, b, indices[0]); });
  auto branch = scf::IfOp::create(b, type, isTrueInAll(b, access.mask),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, readVector(access, b, indices[0]));
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, readLanes());
  return branch.getResult(0);
}

std::pair<unsigned, int64_t> GPUEmitter::findNeighbors(LoadOp op,
                                                       const Access &access) {
  if (access.mask || access.width > 0)
    return {0, 1};
  const GroupLayout::Memory *memory = getMemory(access.buffer);
  const int64_t bytes =
      getMemoryType(access.buffer).getElementTypeBitWidth() / 8;
  for (RangeSet rest = getDeps(op.getIndex()) & unrollSet; rest;
       rest &= rest - 1) {
    const unsigned index = llvm::countr_zero(rest);
    Range &range = ranges[index];
    const int64_t position = range.position;
    int64_t count = std::min(kMaxAccess / bytes,
                             int64_t(llvm::bit_floor(uint64_t(range.extent))));
    for (; count > 1; count /= 2) {
      if (range.extent % count != 0 || memory->row % count != 0 ||
          memory->pad % count != 0)
        continue;
      Access first = access;
      bool isRow = true;
      for (int64_t i = 0; i < count && isRow; ++i) {
        range.position = position / count * count + i;
        isRow = !op.getMask() || getKnown(op.getMask()) == true;
        if (!isRow)
          break;
        IndexForm form = getForm(op.getIndex());
        if (i == 0) {
          first.lanes.scalar = form;
          isRow = getAlignment(first) >= count * bytes;
        }
        form.subtract(first.lanes.scalar);
        isRow &= form.isConstant() && form.constant == i;
      }
      range.position = position;
      if (isRow)
        return {index, count};
    }
  }
  return {0, 1};
}

Value GPUEmitter::createLoad(LoadOp op, unsigned depth) {
  Access access;
  access.element = op.getType();
  access.buffer = getBuffer(op.getBuffer());
  if (!findPlace(access, op.getIndex(), op.getMask()))
    return buildZero(at(depth, op.getLoc()),
                     arithmetic.getRegisterType(access.element));
  if (!access.lanes.isUniform() || isVector(access.mask))
    access.width = ranges[*getLaneRange(getDeps(op.getResult()))].extent;
  if (!isOfGroup(access.buffer))
    return createRead(access, depth, op.getLoc());
  separateFromWrites(op.getLoc());
  access.start = starts.lookup(getGroupTile(op.getResult()));
  auto [unrolled, count] = findNeighbors(op, access);
  if (count == 1)
    return createRead(access, depth, op.getLoc());
  const int64_t position = ranges[unrolled].position,
                first = position / count * count;
  ranges[unrolled].position = first;
  access.index = getForm(op.getIndex());
  access.lanes = splitLanes(access.index);
  access.lanes.stride = 1;
  access.width = count;
  Value all = createRead(access, depth, op.getLoc()), own;
  for (int64_t i = 0; i < count; ++i) {
    ranges[unrolled].position = first + i;
    Value element = vector::ExtractOp::create(at(depth, op.getLoc()), all, i);
    scopes[depth].values[{op.getResult(), getKey(op.getResult())}] = element;
    if (first + i == position)
      own = element;
  }
  ranges[unrolled].position = position;
  return own;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void GPUEmitter::emitWrite(const Access &access, Value value, Location loc,
                           std::optional<UpdateKind> update) {
  const bool isUpdate = update && *update != UpdateKind::set;
  Value rest; // where not all lanes are written at once
  if (isContiguous(access) && !isUpdate) {
    // A permutation leaves only the lanes of a chunk side by side.
    const GroupLayout::Memory *permuted =
        access.memory && access.memory->order.rowBits != 0 ? access.memory
                                                           : nullptr;
    const int64_t width =
        permuted ? std::min(access.width, permuted->order.getChunk())
                 : access.width;
    SmallVector<Value> indices;
    for (int64_t lane = 0; lane < access.width; lane += width)
      indices.push_back(getElementIndex(access, lane, top(), loc));
    const int64_t alignment = std::min(
        int64_t(getAlignment(access)),
        width * getMemoryType(access.buffer).getElementTypeBitWidth() / 8);
    Value all = access.mask;
    if (isVector(all)) {
      B &b = at(top(), loc);
      all = isTrueInAll(b, all);
      rest = arith::XOrIOp::create(b, all, buildInt(b, b.getI1Type(), 1));
    }
    emitGuarded(all, loc, [&] {
      B &b = at(top(), loc);
      Value lanes = arithmetic.buildToMemory(b, toLanes(b, value, access.width),
                                             access.element);
      for (auto [i, index] : llvm::enumerate(indices)) {
        Value piece = lanes;
        if (width < access.width) {
          SmallVector<Value> elements;
          for (int64_t lane = 0; lane < width; ++lane)
            elements.push_back(vector::ExtractOp::create(
                b, lanes, static_cast<int64_t>(i) * width + lane));
          piece = vector::FromElementsOp::create(
              b,
              VectorType::get(
                  width, cast<VectorType>(lanes.getType()).getElementType()),
              elements);
        }
        vector::StoreOp::create(b, piece, access.buffer, index,
                                /*nontemporal=*/false,
                                llvm::MaybeAlign(uint64_t(alignment)));
      }
    });
    if (!rest)
      return;
  }
  const int64_t count = std::max<int64_t>(access.width, 1);
  // Of lanes that write the same element, the last one wins.
  const bool isSame = access.lanes.isUniform() && !access.mask && !isUpdate;
  emitGuarded(rest, loc, [&] {
    for (int64_t lane = isSame ? count - 1 : 0; lane < count; ++lane) {
      Value index = getElementIndex(access, lane, top(), loc);
      Value mask =
          access.mask ? getLane(at(top(), loc), access.mask, lane) : Value();
      emitGuarded(mask, loc, [&] {
        B &b = at(top(), loc);
        Value number = getLane(b, value, lane);
        if (isUpdate) {
          Value old = memref::LoadOp::create(b, access.buffer, index);
          old = arithmetic.buildFromMemory(b, old, access.element);
          number =
              arithmetic.buildUpdate(b, *update, old, number, access.element);
        }
        memref::StoreOp::create(
            b, arithmetic.buildToMemory(b, number, access.element),
            access.buffer, index);
      });
    }
  });
}

void GPUEmitter::emitStore(StoreOp op) {
  if (layout.boxStore && layout.boxStore->store == op)
    return writeToBox(op);
  Access access;
  access.element = op.getValue().getType();
  access.buffer = getBuffer(op.getBuffer());
  if (!findPlace(access, op.getIndex(), op.getMask()))
    return;
  if (std::optional<unsigned> lanes = getLaneRange(getStoreSet(op)))
    access.width = ranges[*lanes].extent;
  Value value = get(op.getValue()), isFirst;
  if (!findFirstPosition(op, isFirst))
    return;
  emitGuarded(isFirst, op.getLoc(),
              [&] { emitWrite(access, value, op.getLoc(), op.getUpdate()); });
}
