//===- BoxCopies.cpp - copies of boxes for the simulator ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A tensor map is a SimTensorMap (Devices/Simulator.h) in memory of the item.
/// Mbarriers take no memory: the simulator numbers them.
///
//===----------------------------------------------------------------------===//

#include "BoxCopies.h"
#include "SimCalls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tg;

Value tg::callSimulator(OpBuilder &builder, Location loc, ModuleOp module,
                        StringRef name, ValueRange operands, Type result) {
  auto type = builder.getFunctionType(operands.getTypes(),
                                      result ? TypeRange(result) : TypeRange());
  if (!module.lookupSymbol(name)) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    func::FuncOp::create(top, module.getLoc(), name, type).setPrivate();
  }
  auto call =
      func::CallOp::create(builder, loc, name, type.getResults(), operands);
  return result ? call.getResult(0) : Value();
}

Value tg::toI64(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType(), wide = builder.getI64Type();
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, wide, value);
  if (isa<FloatType>(type)) {
    type = builder.getIntegerType(type.getIntOrFloatBitWidth());
    value = arith::BitcastOp::create(builder, loc, type, value);
  }
  return type == wide ? value
                      : arith::ExtUIOp::create(builder, loc, wide, value);
}

bool BoxConverter::isOne(Operation *op) {
  return isa<nvgpu::MBarrierCreateOp, nvgpu::MBarrierInitOp,
             nvgpu::MBarrierArriveOp, nvgpu::MBarrierArriveExpectTxOp,
             nvgpu::MBarrierTryWaitParityOp, nvgpu::TmaCreateDescriptorOp,
             nvgpu::TmaAsyncLoadOp, nvgpu::TmaAsyncStoreOp,
             NVVM::FenceMbarrierInitOp, NVVM::CpAsyncBulkCommitGroupOp,
             NVVM::CpAsyncBulkWaitGroupOp>(op);
}

Value BoxConverter::i64(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

void BoxConverter::call(StringRef name, ArrayRef<Value> operands) {
  SmallVector<Value> numbers{toI64(builder, loc, item)};
  for (Value operand : operands)
    numbers.push_back(toI64(builder, loc, operand));
  callSimulator(builder, loc, module, name, numbers);
}

SmallVector<Value> BoxConverter::getMbarrier(Value group, Value number) {
  return {i64(firstOf.lookup(group)),
          i64(cast<nvgpu::MBarrierGroupType>(group.getType()).getNumBarriers()),
          number};
}

LogicalResult BoxConverter::convertMap(nvgpu::TmaCreateDescriptorOp op) {
  auto cast = op.getTensor().getDefiningOp<memref::CastOp>();
  auto matrix =
      cast ? cast.getSource().getDefiningOp<memref::ReinterpretCastOp>()
           : nullptr;
  auto buffer = matrix ? dyn_cast<BlockArgument>(matrix.getSource()) : nullptr;
  auto type = op.getTensorMap().getType();
  SmallVector<int64_t> box;
  for (Value size : op.getBoxDimensions()) {
    APInt number;
    if (matchPattern(size, m_ConstantInt(&number)))
      box.push_back(number.getSExtValue());
  }
  auto swizzle = type.getSwizzle();
  if (!buffer || matrix.getType().getRank() != 2 || box.size() != 2 ||
      !matrix.getType().hasStaticShape() ||
      llvm::any_of(matrix.getStaticStrides(), ShapedType::isDynamic) ||
      matrix.getStaticStrides()[1] != 1 || matrix.getStaticOffsets()[0] != 0 ||
      (swizzle != nvgpu::TensorMapSwizzleKind::SWIZZLE_NONE &&
       swizzle != nvgpu::TensorMapSwizzleKind::SWIZZLE_128B) ||
      type.getOob() != nvgpu::TensorMapOOBKind::OOB_ZERO ||
      type.getInterleave() != nvgpu::TensorMapInterleaveKind::INTERLEAVE_NONE)
    return op.emitOpError("is no matrix of a buffer that the simulator knows");
  auto flat = mlir::cast<MemRefType>(buffer.getType());
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  const Value members[] = {
      i64(buffer.getArgNumber()),
      toI64(builder, loc, base),
      i64(flat.getNumElements()),
      i64(flat.getElementTypeBitWidth() / 8),
      i64(matrix.getType().getDimSize(1)),
      i64(matrix.getType().getDimSize(0)),
      i64(matrix.getStaticStrides()[0]),
      i64(box[1]),
      i64(box[0]),
      i64(swizzle == nvgpu::TensorMapSwizzleKind::SWIZZLE_128B ? 128 : 0)};
  OpBuilder top = OpBuilder::atBlockBegin(&func.getBody().front());
  Value memory = memref::AllocaOp::create(
      top, loc,
      MemRefType::get({int64_t(std::size(members))}, builder.getI64Type()));
  for (auto [i, member] : llvm::enumerate(members)) {
    Value place =
        arith::ConstantIndexOp::create(builder, loc, static_cast<int64_t>(i));
    memref::StoreOp::create(builder, loc, member, memory, place);
  }
  maps[op.getTensorMap()] =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memory);
  for (Operation *part :
       {matrix.getOperation(), cast.getOperation(), op.getOperation()})
    unused.insert(part);
  return success();
}

/// The operands that copies in both directions have: the map, the place in the
/// matrix, and the byte of the group's memory; none if the copy is of another
/// kind.
SmallVector<Value> BoxConverter::getPlaces(Value tile, Value descriptor,
                                           ValueRange coordinates) {
  auto box = tile.getDefiningOp<memref::ReinterpretCastOp>();
  auto offset = box ? memoryOffsets.find(box.getSource()) : memoryOffsets.end();
  Value map = maps.lookup(descriptor);
  if (offset == memoryOffsets.end() || !map || coordinates.size() != 2)
    return {};
  Value first =
      getValueOrCreateConstantIndexOp(builder, loc, box.getMixedOffsets()[0]);
  const int64_t bytes = box.getType().getElementTypeBitWidth() / 8;
  Value place = arith::AddIOp::create(
      builder, loc, i64(offset->second),
      arith::MulIOp::create(builder, loc, toI64(builder, loc, first),
                            i64(bytes)));
  unused.insert(box);
  return {map, coordinates[0], coordinates[1], place};
}

LogicalResult BoxConverter::convertLoad(nvgpu::TmaAsyncLoadOp op,
                                        int64_t site) {
  SmallVector<Value> operands =
      getPlaces(op.getDst(), op.getTensorMapDescriptor(), op.getCoordinates());
  if (operands.empty() || op.getMulticastMask() || op.getPredicate())
    return op.emitOpError("is not supported by the simulator");
  llvm::append_range(operands, getMbarrier(op.getBarriers(), op.getMbarId()));
  operands.push_back(i64(site));
  call("tg_sim_copy_box", operands);
  op.erase();
  return success();
}

LogicalResult BoxConverter::convertStore(nvgpu::TmaAsyncStoreOp op,
                                         int64_t site) {
  SmallVector<Value> operands =
      getPlaces(op.getSrc(), op.getTensorMapDescriptor(), op.getCoordinates());
  if (operands.empty() || op.getPredicate())
    return op.emitOpError("is not supported by the simulator");
  operands.push_back(i64(site));
  call("tg_sim_store_box", operands);
  op.erase();
  return success();
}

LogicalResult BoxConverter::convert(Operation *op, int64_t &numSites) {
  builder.setInsertionPoint(op);
  loc = op->getLoc();
  auto replace = [&](StringRef name, ArrayRef<Value> operands) {
    call(name, operands);
    op->erase();
    return success();
  };
  auto with = [](SmallVector<Value> operands, Value last) {
    operands.push_back(last);
    return operands;
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](nvgpu::MBarrierCreateOp create) {
        firstOf[create.getBarriers()] = numMbarriers;
        numMbarriers += create.getBarriers().getType().getNumBarriers();
        unused.insert(op);
        return success();
      })
      .Case([&](nvgpu::MBarrierInitOp init) -> LogicalResult {
        if (init.getPredicate())
          return op->emitOpError("is not supported by the simulator");
        return replace("tg_sim_init_mbarrier",
                       with(getMbarrier(init.getBarriers(), init.getMbarId()),
                            init.getCount()));
      })
      .Case([&](NVVM::FenceMbarrierInitOp) {
        return replace("tg_sim_fence_mbarriers", {});
      })
      .Case([&](nvgpu::MBarrierArriveExpectTxOp arrive) -> LogicalResult {
        if (arrive.getPredicate())
          return op->emitOpError("is not supported by the simulator");
        return replace("tg_sim_arrive", with(getMbarrier(arrive.getBarriers(),
                                                         arrive.getMbarId()),
                                             arrive.getTxcount()));
      })
      .Case([&](nvgpu::MBarrierArriveOp arrive) -> LogicalResult {
        if (!arrive.getToken().use_empty())
          return op->emitOpError("is not supported by the simulator");
        return replace("tg_sim_arrive", with(getMbarrier(arrive.getBarriers(),
                                                         arrive.getMbarId()),
                                             i64(0)));
      })
      .Case([&](nvgpu::MBarrierTryWaitParityOp wait) {
        SmallVector<Value> operands =
            with(getMbarrier(wait.getBarriers(), wait.getMbarId()),
                 wait.getPhaseParity());
        return replace("tg_sim_wait_for_phase",
                       with(operands, i64(numSites++)));
      })
      .Case([&](nvgpu::TmaCreateDescriptorOp map) { return convertMap(map); })
      .Case([&](nvgpu::TmaAsyncLoadOp load) {
        return convertLoad(load, numSites++);
      })
      .Case([&](nvgpu::TmaAsyncStoreOp store) {
        return convertStore(store, numSites++);
      })
      .Case([&](NVVM::CpAsyncBulkCommitGroupOp) {
        return replace("tg_sim_commit_stores", {});
      })
      .Case([&](NVVM::CpAsyncBulkWaitGroupOp wait) {
        return replace("tg_sim_wait_for_stores", {i64(wait.getGroup())});
      });
}

void BoxConverter::finish() {
  for (Operation *op : llvm::reverse(unused.getArrayRef()))
    if (op->use_empty())
      op->erase();
}
