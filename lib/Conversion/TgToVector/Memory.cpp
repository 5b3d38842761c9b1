//===- Memory.cpp - loads and stores of kernels ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Picks the kind of access by the stride of an index along the lanes.
/// Masked-out elements are never accessed: a masked scalar load reads element 0
/// instead if the buffer has one for all sizes, and nothing otherwise.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "VectorEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::tovector;

/// The number of elements of a buffer for the largest sizes; 0 if unknown.
static int64_t getLargestSize(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return type.hasStaticShape() ? type.getNumElements() : 0;
}

static bool isEmpty(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return type.hasStaticShape() && type.getNumElements() == 0;
}

int64_t VectorEmitter::getReadable(Value buffer) const {
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || argument.getArgNumber() >= kernel.getArgumentTypes().size())
    return getLargestSize(buffer);
  return getLeastElements(kernel, argument.getArgNumber());
}

static Type getMemoryElement(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

/// Whether processors can gather and scatter elements of this type.
static bool isGatherable(Type element) {
  return element.getIntOrFloatBitWidth() >= 32;
}

static Value reverse(B &b, Value vector) {
  int64_t width = cast<VectorType>(vector.getType()).getNumElements();
  SmallVector<int64_t> order;
  for (int64_t i = width; i-- > 0;)
    order.push_back(i);
  return vector::ShuffleOp::create(b, vector, vector, order);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

bool VectorEmitter::isAligned(const Access &access, Type memory) const {
  // Outputs are aligned to a cache line, except in kernels that work in place.
  auto argument = dyn_cast<BlockArgument>(access.buffer);
  if (!argument || argument.getArgNumber() >= uint64_t(kernel.getOutputs()) ||
      kernel.getInPlace() || access.lanes.stride != 1)
    return false;
  int64_t bytes = memory.getIntOrFloatBitWidth() / 8;
  auto isMultiple = [&](int64_t elements) {
    return elements * bytes % kBufferAlignment == 0;
  };
  return isMultiple(access.width) && isMultiple(access.lanes.scalar.constant) &&
         llvm::all_of(access.lanes.scalar.terms,
                      [&](auto &term) { return isMultiple(term.second); });
}

void VectorEmitter::createPrefetch(const Access &access, Value start,
                                   Type memory, bool isWrite, B &b) {
  int64_t line = 64 / (memory.getIntOrFloatBitWidth() / 8);
  // Reads are prefetched into the L2 cache, since the L1 line-fill buffers are
  // few. Lines to be written are prefetched for writing.
  for (int64_t lane = 0; lane < access.width; lane += line) {
    Value index = arith::AddIOp::create(
        b, start, buildInt(b, start.getType(), access.prefetch + lane));
    memref::PrefetchOp::create(b, access.buffer, index, isWrite,
                               /*localityHint=*/isWrite ? 3 : 2,
                               /*isDataCache=*/true);
  }
}

void VectorEmitter::prefetchLine(Access access, unsigned depth, Location loc) {
  Type memory = getMemoryElement(access.buffer);
  const int64_t line = target.lineBytes / (memory.getIntOrFloatBitWidth() / 8);
  IndexForm start = access.lanes.scalar;
  auto *inner = llvm::find_if(start.terms, [&](const IndexForm::Term &term) {
    Value value = term.first.getPointer();
    return rangeIndex.contains(value) && getDepth(value) == depth &&
           !(setOf(rangeIndex.lookup(value)) & parallelSet);
  });
  if (inner == start.terms.end())
    return;
  const Range &range = ranges[rangeIndex.lookup(inner->first.getPointer())];
  const int64_t factor = inner->second, length = range.hi - range.lo;
  if (factor < 1 || factor >= line || length * factor >= line)
    return;
  start.constant += factor * range.lo;
  start.terms.erase(inner);
  unsigned outer = 0;
  for (auto [atom, coefficient] : start.terms)
    outer = std::max(outer, getDepth(atom.getPointer()));
  if (outer >= depth)
    return;
  access.width = 1;
  Value index = getScalar(start, loc);
  createPrefetch(access, index, memory, /*isWrite=*/false, at(outer, loc));
}

Value VectorEmitter::getStart(const Access &access, Location loc) {
  IndexForm start = access.lanes.scalar;
  if (access.lanes.stride == -1)
    start.constant -= access.width - 1;
  return getScalar(start, loc);
}

Value VectorEmitter::getOffsets(const Access &access, unsigned depth,
                                Location loc, Value &start) {
  // Gathers with 32-bit offsets are twice as fast. If the buffer is small
  // enough for them, so is every index that the mask admits.
  int64_t size = getLargestSize(access.buffer);
  bool isSmall = size != 0 && size <= INT32_MAX;
  if (access.lanes.irregular.empty()) {
    start = getScalar(access.lanes.scalar, loc);
    B &b = at(depth, loc);
    // The base address may be far outside of the buffer while a lane is inside:
    // the distance has to fit into 32 bits, too.
    const int64_t longest = std::numeric_limits<int32_t>::max() / access.width;
    isSmall &=
        access.lanes.stride >= -longest && access.lanes.stride <= longest;
    return getIota(b, access.width, access.lanes.stride,
                   isSmall ? Type(b.getI32Type()) : Type(b.getI64Type()));
  }
  start = getScalar(IndexForm(), loc);
  Value index = getIndex(access.index, loc);
  B &b = at(depth, loc);
  Type element = isSmall ? b.getI32Type() : b.getI64Type();
  return arith::IndexCastOp::create(b, VectorType::get(access.width, element),
                                    index);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Value VectorEmitter::createLoad(LoadOp op, unsigned depth) {
  Location loc = op.getLoc();
  Access access;
  access.element = op.getType();
  access.buffer = getBuffer(op.getBuffer());
  bool isNever = isEmpty(access.buffer);
  if (Value mask = op.getMask()) {
    std::optional<bool> known = getKnown(mask);
    if (known == false)
      isNever = true;
    if (!known && !isNever)
      access.mask = get(mask);
  }
  if (isNever) {
    B &b = at(depth, loc);
    return buildZero(b, arithmetic.getRegisterType(access.element));
  }
  access.index = getForm(op.getIndex());
  access.lanes = splitLanes(access.index);
  access.width = 0;
  bool isVector = access.lanes.stride != 0 || !access.lanes.irregular.empty() ||
                  (access.mask && isa<VectorType>(access.mask.getType()));
  if (arePrefetched || !getShortRows(op).getAttr())
    access.prefetch = op.getPrefetch().value_or(0);
  if (!isVector) {
    if (access.prefetch != 0)
      prefetchLine(access, depth, loc);
    return createScalarLoad(access, depth, loc);
  }
  access.width = ranges[*getLaneRange(getDeps(op.getResult()))].extent;
  if (access.lanes.stride > 1 || access.lanes.stride < -1)
    if (std::optional<unsigned> square = findSquare(op, access))
      return createSquare(op, access, *square, getMemoryElement(access.buffer),
                          depth);
  if (access.lanes.stride > 1)
    if (std::optional<Strip> strip = findStrip(op, access))
      return createStrip(op, access, *strip, getMemoryElement(access.buffer),
                         depth);
  return createVectorLoad(access, depth, loc);
}

Value VectorEmitter::loadWhere(Value buffer, Value mask, Value index, B &b) {
  if (!mask)
    return memref::LoadOp::create(b, buffer, index);
  if (getReadable(buffer) > 0 ||
      !cast<MemRefType>(buffer.getType()).hasStaticShape()) {
    index = arith::SelectOp::create(b, mask, index,
                                    buildInt(b, index.getType(), 0));
    return memref::LoadOp::create(b, buffer, index);
  }
  const Type type = getMemoryElement(buffer);
  auto branch = scf::IfOp::create(b, type, mask, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  Value value = memref::LoadOp::create(b, buffer, index);
  scf::YieldOp::create(b, value);
  b.setInsertionPointToEnd(branch.elseBlock());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  scf::YieldOp::create(b, zero);
  return branch.getResult(0);
}

Value VectorEmitter::createScalarLoad(const Access &access, unsigned depth,
                                      Location loc) {
  Value index = getScalar(access.lanes.scalar, loc);
  B &b = at(depth, loc);
  Value value = loadWhere(access.buffer, access.mask, index, b);
  value = arithmetic.buildFromMemory(b, value, access.element);
  if (!access.mask)
    return value;
  return arith::SelectOp::create(b, access.mask, value,
                                 buildZero(b, value.getType()));
}

Value VectorEmitter::createVectorLoad(const Access &access, unsigned depth,
                                      Location loc) {
  Type memory = getMemoryElement(access.buffer);
  auto type = VectorType::get(access.width, memory);
  int64_t stride = access.lanes.stride;
  bool isRegular = access.lanes.irregular.empty();
  bool isLaneMask = access.mask && isa<VectorType>(access.mask.getType());

  if (isRegular && stride == 0) {
    // All lanes read one element; only the mask differs between them.
    Value index = getScalar(access.lanes.scalar, loc);
    B &b = at(depth, loc);
    Value any =
        vector::ReductionOp::create(b, vector::CombiningKind::OR, access.mask);
    Value value = loadWhere(access.buffer, any, index, b);
    value = arithmetic.buildFromMemory(b, toLanes(b, value, access.width),
                                       access.element);
    return arith::SelectOp::create(b, access.mask, value,
                                   buildZero(b, value.getType()));
  }

  if (isRegular && (stride == 1 || stride == -1)) {
    Value start = getStart(access, loc);
    B &b = at(depth, loc);
    Value mask = access.mask, value;
    bool isGuarded =
        mask && !isLaneMask && getReadable(access.buffer) >= access.width;
    if (isGuarded)
      start = arith::SelectOp::create(b, mask, start,
                                      buildInt(b, start.getType(), 0));
    if (!mask || isGuarded) {
      value = vector::LoadOp::create(b, type, access.buffer, start);
    } else {
      mask = toLanes(b, mask, access.width);
      if (stride == -1)
        mask = reverse(b, mask);
      value = vector::MaskedLoadOp::create(b, type, access.buffer, start, mask,
                                           buildZero(b, type));
    }
    if (access.prefetch != 0)
      createPrefetch(access, start, memory, /*isWrite=*/false, b);
    if (stride == -1)
      value = reverse(b, value);
    value = arithmetic.buildFromMemory(b, value, access.element);
    if (!isGuarded)
      return value;
    return arith::SelectOp::create(b, access.mask, value,
                                   buildZero(b, value.getType()));
  }

  if (isRegular && stride == 2 && access.width > 1 && access.width % 2 == 0)
    return createEvenLoad(access, type, depth, loc);

  if (std::optional<Turns> turns = findTurns(access))
    return createTurnsLoad(access, *turns, depth, loc);

  if (isGatherable(memory) && (access.mask || !isRegular)) {
    Value start;
    Value offsets = getOffsets(access, depth, loc, start);
    B &b = at(depth, loc);
    Value mask =
        access.mask
            ? toLanes(b, access.mask, access.width)
            : buildInt(b, VectorType::get(access.width, b.getI1Type()), 1);
    return vector::GatherOp::create(b, type, access.buffer, start, offsets,
                                    mask, buildZero(b, type));
  }

  // One load for each lane.
  Value start, vectorIndex;
  if (isRegular)
    start = getScalar(access.lanes.scalar, loc);
  else
    vectorIndex = getIndex(access.index, loc);
  B &b = at(depth, loc);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < access.width; ++lane) {
    Value index;
    if (vectorIndex)
      index = vector::ExtractOp::create(b, vectorIndex, lane);
    else
      index = arith::AddIOp::create(
          b, start, buildInt(b, start.getType(), mulWrapped(lane, stride)));
    Value bit = access.mask;
    if (isLaneMask)
      bit = vector::ExtractOp::create(b, access.mask, lane);
    elements.push_back(loadWhere(access.buffer, bit, index, b));
  }
  Value value = vector::FromElementsOp::create(b, type, elements);
  value = arithmetic.buildFromMemory(b, value, access.element);
  if (!access.mask)
    return value;
  return arith::SelectOp::create(b, access.mask, value,
                                 buildZero(b, value.getType()));
}

/// Loads every second element by two contiguous loads that start at the first
/// lane and end at the last one, so that nothing outside is read.
Value VectorEmitter::createEvenLoad(const Access &access, VectorType type,
                                    unsigned depth, Location loc) {
  const int64_t width = access.width;
  IndexForm last = access.lanes.scalar;
  last.constant += width - 1;
  Value starts[] = {getScalar(access.lanes.scalar, loc), getScalar(last, loc)};
  B &b = at(depth, loc);
  Value mask = access.mask ? toLanes(b, access.mask, width) : Value();
  SmallVector<Value> halves;
  for (int64_t half : {0, 1}) {
    if (!mask) {
      halves.push_back(
          vector::LoadOp::create(b, type, access.buffer, starts[half]));
      continue;
    }
    SmallVector<int64_t> lanes;
    for (int64_t i = half * (width - 1), end = i + width; i < end; ++i)
      lanes.push_back(i % 2 == 0 ? i / 2 : width);
    Value none = buildInt(b, mask.getType(), 0);
    Value valid = vector::ShuffleOp::create(b, mask, none, lanes);
    halves.push_back(vector::MaskedLoadOp::create(
        b, type, access.buffer, starts[half], valid, buildZero(b, type)));
  }
  SmallVector<int64_t> even;
  for (int64_t i = 0; i < width; ++i)
    even.push_back(2 * i < width ? 2 * i : 2 * i + 1);
  Value value = vector::ShuffleOp::create(b, halves[0], halves[1], even);
  return arithmetic.buildFromMemory(b, value, access.element);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void VectorEmitter::emitStore(StoreOp op) {
  Location loc = op.getLoc();
  const RangeSet set = getStoreSet(op);
  Access access;
  access.element = op.getValue().getType();
  access.buffer = getBuffer(op.getBuffer());
  access.nontemporal = op.getNontemporal() && isLarge;
  access.update = op.getUpdate();
  access.first = firstValues.lookup(op);
  access.prefetch = op.getPrefetch().value_or(0);
  if (isEmpty(access.buffer))
    return;
  if (Value mask = op.getMask()) {
    std::optional<bool> known = getKnown(mask);
    if (known == false)
      return;
    if (!known)
      access.mask = get(mask);
  }
  access.index = getForm(op.getIndex());
  access.lanes = splitLanes(access.index);
  access.width = 0;
  if (std::optional<unsigned> lanes = getLaneRange(set))
    access.width = ranges[*lanes].extent;
  Value value = get(op.getValue());

  Value guard;
  if (!findFirstPosition(op, guard))
    return;
  if (access.mask && !isa<VectorType>(access.mask.getType())) {
    B &b = at(top(), loc);
    guard = guard ? Value(arith::AndIOp::create(b, guard, access.mask))
                  : access.mask;
    access.mask = Value();
  }
  emitGuarded(guard, loc, [&] { emitWrite(access, value, loc); });
}

void VectorEmitter::emitWrite(const Access &access, Value value, Location loc) {
  bool isVector = access.lanes.stride != 0 || !access.lanes.irregular.empty() ||
                  (access.mask && isa<VectorType>(access.mask.getType()));
  if (access.update && *access.update != UpdateKind::set)
    value = combineWithOld(access, value, loc);
  if (isVector)
    return emitVectorWrite(access, value, loc);
  Value index = getScalar(access.lanes.scalar, loc);
  B &b = at(top(), loc);
  // If several lanes write the same element, the last one wins.
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    value = vector::ExtractOp::create(b, value, vector.getNumElements() - 1);
  memref::StoreOp::create(b, arithmetic.buildToMemory(b, value, access.element),
                          access.buffer, index);
}

Value VectorEmitter::combineWithOld(const Access &access, Value value,
                                    Location loc) {
  bool isVector = access.lanes.stride != 0 || !access.lanes.irregular.empty() ||
                  access.mask;
  // The store prefetches.
  Access oldAccess = access;
  oldAccess.prefetch = 0;
  auto load = [&] {
    return isVector ? createVectorLoad(oldAccess, top(), loc)
                    : createScalarLoad(oldAccess, top(), loc);
  };
  Value old;
  if (access.first) {
    // The index and the mask are needed on both sides of the branch.
    Value first = arithmetic.buildNumber(at(top(), loc), access.first,
                                         isVector ? access.width : 0);
    auto branch = scf::IfOp::create(at(top(), loc), first.getType(),
                                    isLaterPass, /*withElseRegion=*/true);
    for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
      OpBuilder atEnd = OpBuilder::atBlockEnd(block);
      scf::YieldOp::create(atEnd, loc, first);
    }
    emitInRegion(branch, branch.thenBlock(),
                 [&] { branch.thenYield()->setOperands(load()); });
    old = branch.getResult(0);
  } else {
    old = load();
  }
  B &b = at(top(), loc);
  if (isVector)
    value = toLanes(b, value, access.width);
  return arithmetic.buildUpdate(b, *access.update, old, value, access.element);
}

bool VectorEmitter::isNonTemporal(const Access &access) {
  return access.nontemporal &&
         isAligned(access, getMemoryElement(access.buffer));
}

void VectorEmitter::createVectorStore(const Access &access, Value value,
                                      Value start, B &b) {
  auto store = vector::StoreOp::create(b, value, access.buffer, start);
  if (!isNonTemporal(access))
    return;
  store.setNontemporal(true);
  store.setAlignment(kBufferAlignment);
}

void VectorEmitter::emitVectorWrite(const Access &access, Value value,
                                    Location loc) {
  int64_t stride = access.lanes.stride;
  bool isRegular = access.lanes.irregular.empty();
  if (isRegular && (stride == 1 || stride == -1)) {
    Value start = getStart(access, loc);
    B &b = at(top(), loc);
    value = arithmetic.buildToMemory(b, toLanes(b, value, access.width),
                                     access.element);
    Value mask = access.mask;
    if (stride == -1) {
      value = reverse(b, value);
      mask = mask ? reverse(b, mask) : mask;
    }
    if (mask)
      vector::MaskedStoreOp::create(b, access.buffer, start, mask, value);
    else
      createVectorStore(access, value, start, b);
    if (access.prefetch != 0 && (mask || !isNonTemporal(access)))
      createPrefetch(access, start, getMemoryElement(access.buffer),
                     /*isWrite=*/true, b);
    return;
  }

  if (access.mask) {
    Value start;
    Value offsets = getOffsets(access, top(), loc, start);
    B &b = at(top(), loc);
    value = arithmetic.buildToMemory(b, toLanes(b, value, access.width),
                                     access.element);
    vector::ScatterOp::create(b, /*resultType=*/Type(), access.buffer, start,
                              offsets, access.mask, value);
    return;
  }

  Value start, vectorIndex;
  if (isRegular)
    start = getScalar(access.lanes.scalar, loc);
  else
    vectorIndex = getIndex(access.index, loc);
  B &b = at(top(), loc);
  value = arithmetic.buildToMemory(b, value, access.element);
  for (int64_t lane = 0; lane < access.width; ++lane) {
    Value index;
    if (vectorIndex)
      index = vector::ExtractOp::create(b, vectorIndex, lane);
    else
      index = arith::AddIOp::create(
          b, start, buildInt(b, start.getType(), mulWrapped(lane, stride)));
    Value element = isa<VectorType>(value.getType())
                        ? Value(vector::ExtractOp::create(b, value, lane))
                        : value;
    memref::StoreOp::create(b, element, access.buffer, index);
  }
}
