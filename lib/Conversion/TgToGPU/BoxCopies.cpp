//===- BoxCopies.cpp - tiles that copies of boxes fill --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Copies of boxes (TMA), which one item of a group begins, and which mbarriers
/// count. Each buffer has an mbarrier; a phase of it is one filling. Position p
/// of the loop reads buffer p mod n in phase p div n of its mbarrier.
///
/// Results that are stored as boxes are in the memory of one of the tiles, once
/// all items are done with these, in the order in which tiles are permuted.
///
/// Tensor maps are made of a buffer inside of the function. In code for a GPU
/// they are arguments that the launch makes.
///
//===----------------------------------------------------------------------===//

#include "GPUEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::togpu;

/// For how long the hardware suspends an item at once, in nanoseconds: any
/// number does, since it is repeated.
static constexpr int64_t kWaitNanoseconds = 10000000;

static MemRefType getBoxType(const tinygrad::TensorMap &map, Type element) {
  return MemRefType::get(
      {int64_t(map.box[1]), int64_t(map.box[0])}, element,
      MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(element.getContext(),
                                 gpu::AddressSpace::Workgroup));
}

Value GPUEmitter::createTensorMap(const tinygrad::TensorMap &map, Value buffer,
                                  Location loc) {
  MLIRContext *context = kernel.getContext();
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  SmallVector<Value, 2> sizes;
  for (uint32_t size : llvm::reverse(map.box))
    sizes.push_back(getIndexConstant(size, loc));
  const int64_t shape[] = {map.sizes[1], map.sizes[0]},
                strides[] = {map.rowBytes / map.elementBytes, 1};
  B &b = at(0, loc);
  Value matrix = memref::ReinterpretCastOp::create(
      b,
      MemRefType::get(shape, element,
                      StridedLayoutAttr::get(context, 0, strides)),
      buffer, /*offset=*/0, shape, strides);
  matrix = memref::CastOp::create(
      b, UnrankedMemRefType::get(element, Attribute()), matrix);
  return nvgpu::TmaCreateDescriptorOp::create(
      b,
      nvgpu::TensorMapDescriptorType::get(
          context, getBoxType(map, element),
          nvgpu::TensorMapSwizzleKind::SWIZZLE_128B,
          nvgpu::TensorMapL2PromoKind::L2PROMO_128B,
          nvgpu::TensorMapOOBKind::OOB_ZERO,
          nvgpu::TensorMapInterleaveKind::INTERLEAVE_NONE),
      matrix, sizes);
}

Value GPUEmitter::getBox(Operation *tile, const tinygrad::TensorMap &map,
                         Value first, Location loc) {
  Value memory = memories.lookup(tile);
  auto type =
      getBoxType(map, cast<MemRefType>(memory.getType()).getElementType());
  const int64_t strides[] = {int64_t(map.box[0]), 1};
  B &b = at(top(), loc);
  return memref::ReinterpretCastOp::create(
      b,
      MemRefType::get(
          type.getShape(), type.getElementType(),
          StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides),
          type.getMemorySpace()),
      memory, OpFoldResult(first),
      getAsIndexOpFoldResult(b.getContext(), type.getShape()),
      getAsIndexOpFoldResult(b.getContext(), strides));
}

Value GPUEmitter::getIsFirstItem(Location loc) {
  SmallVector<unsigned> axes;
  for (unsigned axis = 0; axis < layout.axes.size(); ++axis)
    axes.push_back(axis);
  return getIsFirst(axes, top(), loc);
}

Value GPUEmitter::getIsBeginner(Location loc) {
  if (layout.copyingItems == 0)
    return getIsFirstItem(loc);
  Value isFirst;
  for (unsigned direction : {0, 1, 2}) {
    if (layout.groupSize[direction] == 1)
      continue;
    const int64_t first =
        direction == layout.copyingDirection ? layout.getFirstCopying() : 0;
    Value number = getNumber(gpu::Dimension(direction), /*isItem=*/true),
          wanted = getIndexConstant(first, loc);
    B &b = at(0, loc);
    Value isEqual =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, wanted);
    isFirst =
        isFirst ? Value(arith::AndIOp::create(b, isFirst, isEqual)) : isEqual;
  }
  return isFirst;
}

GPUEmitter::BoxFilling GPUEmitter::prepareBoxes(int64_t buffers, Location loc) {
  MLIRContext *context = kernel.getContext();
  BoxFilling filling;
  for (const auto &[tile, boxes] : layout.boxTiles) {
    const tinygrad::TensorMap &map = boxes.map;
    filling.bytes +=
        int64_t(boxes.boxes.size()) * boxes.getBoxElements() * map.elementBytes;
    Value buffer =
        getBuffer(StageOp(tile).getValue().getDefiningOp<LoadOp>().getBuffer());
    filling.maps.push_back(createTensorMap(map, buffer, loc));
  }
  auto group = nvgpu::MBarrierGroupType::get(
      context,
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup),
      unsigned(buffers));
  filling.mbarriers = nvgpu::MBarrierCreateOp::create(at(0, loc), group);
  if (layout.copyingItems > 0)
    filling.emptied = nvgpu::MBarrierCreateOp::create(at(0, loc), group);
  filling.isBeginner = getIsBeginner(loc);
  SmallVector<Value> numbers;
  for (int64_t i = 0; i < buffers; ++i)
    numbers.push_back(getIndexConstant(i, loc));
  // One arrival: of the item that begins the copies. One of each warpgroup says
  // that it has read them.
  Value one = getIndexConstant(1, loc),
        warpgroups =
            getIndexConstant(layout.getRangeItems() / kWarpgroupItems, loc);
  emitGuarded(filling.isBeginner, loc, [&] {
    for (Value number : numbers)
      nvgpu::MBarrierInitOp::create(at(top(), loc), filling.mbarriers, one,
                                    number, Value());
    for (Value number : numbers)
      if (filling.emptied)
        nvgpu::MBarrierInitOp::create(at(top(), loc), filling.emptied,
                                      warpgroups, number, Value());
    NVVM::FenceMbarrierInitOp::create(at(top(), loc));
  });
  // Of all items.
  gpu::BarrierOp::create(at(top(), loc));
  return filling;
}

Value GPUEmitter::getScalar(const LinearForm &form, int64_t offset,
                            Location loc) {
  IndexForm sum(*form.constant.getStatic() + offset);
  for (const auto &[atom, coefficient] : form.terms)
    sum.add(getForm(atom), *coefficient.getStatic());
  return getScalar(sum, loc);
}

void GPUEmitter::beginBoxes(const BoxFilling &filling, Value position,
                            int64_t buffers, ArrayRef<Value> starts,
                            Location loc) {
  Value count = getIndexConstant(buffers, loc),
        bytes = getIndexConstant(filling.bytes, loc);
  emitGuarded(filling.isBeginner, loc, [&] {
    Value number = arith::RemUIOp::create(at(top(), loc), position, count);
    nvgpu::MBarrierArriveExpectTxOp::create(at(top(), loc), filling.mbarriers,
                                            bytes, number, Value());
    for (auto [entry, map, start] :
         llvm::zip_equal(layout.boxTiles, filling.maps, starts)) {
      const auto &[tile, boxes] = entry;
      for (auto [i, distance] : llvm::enumerate(boxes.boxes)) {
        Value offset =
            getIndexConstant(int64_t(i) * boxes.getBoxElements(), loc);
        // Neighbors first.
        SmallVector<Value, 2> place = {
            getScalar(boxes.column, distance.first, loc),
            getScalar(boxes.row, distance.second, loc)};
        Value first = arith::AddIOp::create(at(top(), loc), start, offset);
        Value box = getBox(tile, boxes.map, first, loc);
        nvgpu::TmaAsyncLoadOp::create(at(top(), loc), box, filling.mbarriers,
                                      map, place, number, Value(), Value());
      }
    }
  });
}

void GPUEmitter::waitForBoxes(const BoxFilling &filling, Value position,
                              int64_t buffers, Location loc) {
  waitForPhase(filling.mbarriers, position, buffers, /*isOther=*/false, loc);
}

void GPUEmitter::waitForPhase(Value mbarriers, Value position, int64_t buffers,
                              bool isOther, Location loc) {
  Value count = getIndexConstant(buffers, loc), two = getIndexConstant(2, loc),
        one = getIndexConstant(1, loc),
        time = getIndexConstant(kWaitNanoseconds, loc);
  B &b = at(top(), loc);
  Value number = arith::RemUIOp::create(b, position, count);
  Value phase = arith::DivUIOp::create(b, position, count);
  Value parity = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, arith::RemUIOp::create(b, phase, two), one);
  if (isOther)
    parity =
        arith::XOrIOp::create(b, parity, arith::ConstantIntOp::create(b, 1, 1));
  nvgpu::MBarrierTryWaitParityOp::create(b, mbarriers, parity, time, number);
}

void GPUEmitter::writeToBox(StoreOp op) {
  const Location loc = op.getLoc();
  const auto &[store, memory, result] = *layout.boxStore;
  Value value = get(op.getValue());
  // Other items may multiply what is in the tile; or the results of the last
  // block are still there.
  if (!std::exchange(hasBoxResults, true)) {
    if (layout.blocks > 0)
      waitForStores(loc);
    createBarrier(top(), loc);
  }
  const tinygrad::TensorMap &map = result.boxes.map;
  const int64_t rowSize = map.box[0],
                boxRows = result.rows; // those of boxes one below the other
  Access access;
  access.element = op.getValue().getType();
  access.buffer = memories.lookup(memory);
  access.memory = getMemory(access.buffer);
  for (const auto &[range, rows, columns] : result.digits) {
    const IndexForm position = getForm(Value(RangeOp(range).getResult()));
    access.index.add(position, rows * rowSize);
    if (columns == 0)
      continue;
    // Whole rows of boxes, and what is in one.
    if (position.isConstant()) {
      const int64_t column = position.constant * columns;
      access.index.addConstant(column / rowSize * boxRows * rowSize +
                               column % rowSize);
    } else {
      access.index.add(position, columns % rowSize == 0
                                     ? columns / rowSize * boxRows * rowSize
                                     : columns);
    }
  }
  access.lanes = splitLanes(access.index);
  if (std::optional<unsigned> lanes = getLaneRange(getStoreSet(op)))
    access.width = ranges[*lanes].extent;
  emitWrite(access, value, loc, std::nullopt);
}

void GPUEmitter::storeBoxes(Location loc) {
  const auto &[store, memory, result] = *layout.boxStore;
  const TileBoxes &boxes = result.boxes;
  Value map =
      createTensorMap(boxes.map, getBuffer(StoreOp(store).getBuffer()), loc);
  separateProxies(top(), loc);
  createBarrier(top(), loc);
  emitGuarded(getIsFirstItem(loc), loc, [&] {
    for (auto [i, distance] : llvm::enumerate(boxes.boxes)) {
      // Neighbors first.
      SmallVector<Value, 2> place = {
          getScalar(boxes.column, distance.first, loc),
          getScalar(boxes.row, distance.second, loc)};
      Value first = getIndexConstant(int64_t(i) * boxes.getBoxElements(), loc);
      Value box = getBox(memory, boxes.map, first, loc);
      nvgpu::TmaAsyncStoreOp::create(at(top(), loc), box, map, place, Value());
    }
    NVVM::CpAsyncBulkCommitGroupOp::create(at(top(), loc));
    // The memory is another group's when this one ends.
    if (layout.blocks == 0)
      waitForStores(loc);
  });
}

void GPUEmitter::waitForStores(Location loc) {
  NVVM::CpAsyncBulkWaitGroupOp::create(
      at(top(), loc), builder.getI32IntegerAttr(0), builder.getUnitAttr());
}
