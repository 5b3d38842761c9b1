//===- GPUToSim.cpp - work items as functions of the host -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the convert-gpu-to-sim pass. Upstream's conversion to OpenCL's
/// built-in functions would do for the operations of the gpu dialect, but the
/// simulator also wants every access to memory, while that is still an access
/// to an element of a buffer, and the state of the item without a thread-local
/// variable.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/GPUToSim/GPUToSim.h"
#include "FunctionConverter.h"
#include "SimCalls.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "TinyGrad/Support/AsyncCopies.h"
#include "TinyGrad/Support/MatrixUnits.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tg {
#define GEN_PASS_DEF_CONVERTGPUTOSIM
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Alignment of the parts of a group's memory in bytes, as in a layout.
static constexpr int64_t kMemoryAlignment = 16;
/// Larger memory of an item is on the heap: its stack is small.
static constexpr int64_t kMaxStack = 4096;

static Type dropMemorySpace(MemRefType type) {
  return MemRefType::get(type.getShape(), type.getElementType(),
                         type.getLayout(), Attribute());
}

Value FunctionConverter::toI64(Value value) {
  return tg::toI64(builder, loc, value);
}

Value FunctionConverter::call(StringRef name, ValueRange operands,
                              Type result) {
  return callSimulator(builder, loc, module, name, operands, result);
}

Value FunctionConverter::readState(int word) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value state = LLVM::IntToPtrOp::create(builder, loc, pointer, toI64(item));
  Value place = LLVM::GEPOp::create(builder, loc, pointer, builder.getI32Type(),
                                    state, ArrayRef<LLVM::GEPArg>{word});
  Value number =
      LLVM::LoadOp::create(builder, loc, builder.getI32Type(), place);
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      number);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Whether the memory is a row of numbers, as all memory of kernels is.
static bool isFlat(Type type) {
  auto memory = dyn_cast<MemRefType>(type);
  return memory && memory.getRank() == 1 && memory.hasStaticShape() &&
         memory.getLayout().isIdentity() &&
         memory.getElementType().isIntOrFloat();
}

LogicalResult FunctionConverter::checkFunction() {
  if (source.getNumPrivateAttributions() != 0)
    return source.emitOpError("has private memory attributions, which the "
                              "simulator does not support");
  auto variables = source->getAttrOfType<ArrayAttr>(variablesAttrName);
  const size_t numVariables = variables ? variables.size() : 0;
  ArrayRef<Type> types = source.getFunctionType().getInputs();
  if (!source.isKernel() ||
      !source->getAttrOfType<IntegerAttr>(outputsAttrName) ||
      source.getFunctionType().getNumResults() != 0 ||
      types.size() < numVariables ||
      !llvm::all_of(types.drop_back(numVariables), isFlat) ||
      !llvm::all_of(types.take_back(numVariables), llvm::IsaPred<IndexType>) ||
      !llvm::all_of(source.getWorkgroupAttributions(),
                    [](Value memory) { return isFlat(memory.getType()); }))
    return source.emitOpError(
        "is not a function that convert-tg-to-gpu makes: a kernel with "
        "'tg.outputs' that takes buffers of one dimension and known size, and "
        "an index for each variable");
  return success();
}

/// The function, with the source's body. Parts of the group's memory are views
/// of one buffer.
func::FuncOp FunctionConverter::createFunction() {
  auto variables = source->getAttrOfType<ArrayAttr>(variablesAttrName);
  const size_t numVariables = variables ? variables.size() : 0;
  const size_t numBuffers =
      source.getFunctionType().getNumInputs() - numVariables;
  int64_t bytes = 0;
  SmallVector<int64_t> offsets;
  for (auto [i, memory] : llvm::enumerate(source.getWorkgroupAttributions())) {
    auto alignment =
        dyn_cast_if_present<IntegerAttr>(source.getWorkgroupAttributionAttr(
            i, LLVM::LLVMDialect::getAlignAttrName()));
    offsets.push_back(llvm::alignTo(
        bytes, alignment ? std::max(alignment.getInt(), kMemoryAlignment)
                         : kMemoryAlignment));
    auto type = cast<MemRefType>(memory.getType());
    bytes = offsets.back() +
            type.getNumElements() * type.getElementTypeBitWidth() / 8;
  }
  Type index = builder.getIndexType();
  ArrayRef<Type> inputs = source.getFunctionType().getInputs();
  SmallVector<Type> types(inputs.take_front(numBuffers));
  if (bytes > 0)
    types.push_back(MemRefType::get({bytes}, builder.getI8Type()));
  types.append({index, index});
  types.append(numVariables, index);
  builder.setInsertionPoint(source->getParentOp());
  auto result =
      func::FuncOp::create(builder, source.getLoc(), source.getName(),
                           builder.getFunctionType(types, TypeRange()));
  result->setAttr(parallelExtentAttrName,
                  Dim(builder.getContext(), 1).getAttr());
  result->setAttr(outputsAttrName, source->getAttr(outputsAttrName));
  // Other items write to the buffers while one waits.
  result->setAttr(inPlaceAttrName, builder.getUnitAttr());
  if (variables)
    result->setAttr(variablesAttrName, variables);
  for (unsigned i = 0; i < numBuffers; ++i)
    if (Attribute least = source.getArgAttr(i, leastElementsAttrName))
      result.setArgAttr(i, leastElementsAttrName, least);

  result.getBody().takeBody(source.getBody());
  Block *body = &result.getBody().front();
  SmallVector<BlockArgument> old(body->getArguments());
  loc = source.getLoc();
  SmallVector<Value> arguments;
  for (Type type : types)
    arguments.push_back(body->addArgument(type, loc));
  const size_t next = numBuffers + (bytes > 0 ? 1 : 0);
  item = arguments[next];
  builder.setInsertionPointToStart(body);
  for (size_t i = 0; i < numBuffers; ++i)
    old[i].replaceAllUsesWith(arguments[i]);
  for (size_t i = 0; i < numVariables; ++i)
    old[numBuffers + i].replaceAllUsesWith(arguments[next + 2 + i]);
  for (auto [i, offset] : llvm::enumerate(offsets)) {
    BlockArgument memory = old[numBuffers + numVariables + i];
    Value start = arith::ConstantIndexOp::create(builder, loc, offset);
    Value view = memref::ViewOp::create(
        builder, loc,
        cast<MemRefType>(dropMemorySpace(cast<MemRefType>(memory.getType()))),
        arguments[numBuffers], start, ValueRange());
    memory.replaceAllUsesWith(view);
    memoryFlags[view] = kOfGroup;
    memoryOffsets[view] = offset;
  }
  body->eraseArguments(0, old.size());
  return result;
}

void FunctionConverter::moveToHeap(memref::AllocaOp alloca) {
  builder.setInsertionPoint(alloca);
  loc = alloca.getLoc();
  Value memory = memref::AllocOp::create(builder, loc, alloca.getType());
  memoryFlags[memory] = kOfItem;
  alloca.replaceAllUsesWith(memory);
  alloca.erase();
  builder.setInsertionPoint(func.getBody().front().getTerminator());
  memref::DeallocOp::create(builder, loc, memory);
}

LogicalResult FunctionConverter::convert() {
  if (failed(checkFunction()))
    return failure();
  func = createFunction();
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](MemRefType type) { return dropMemorySpace(type); });
  replacer.recursivelyReplaceElementsIn(func, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  boxes.emplace(module, func, item, memoryOffsets);
  SmallVector<Operation *> ops;
  func.getBody().walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    builder.setInsertionPoint(op);
    loc = op->getLoc();
    if (failed(BoxConverter::isOne(op) ? boxes->convert(op, numSites)
                                       : convertOperation(op)))
      return failure();
  }
  boxes->finish();
  for (Operation *op : llvm::reverse(tokens))
    op->erase();
  for (auto alloca : llvm::to_vector(func.getOps<memref::AllocaOp>())) {
    MemRefType type = alloca.getType();
    if (type.getNumElements() * type.getElementTypeBitWidth() / 8 > kMaxStack)
      moveToHeap(alloca);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult FunctionConverter::announce(Operation *op, Value memory,
                                          ValueRange indices, Value count,
                                          int64_t access) {
  if (!isFlat(memory.getType()))
    return op->emitOpError("accesses memory of type ")
           << memory.getType()
           << "; the simulator supports one dimension of known size";
  auto type = cast<MemRefType>(memory.getType());
  int64_t flags = memoryFlags.lookup(memory) | access, number = -1;
  if (auto argument = dyn_cast<BlockArgument>(memory))
    number = argument.getArgNumber();
  else if (isa_and_nonnull<memref::AllocaOp>(memory.getDefiningOp()))
    flags |= kOfItem;
  flags |= numAccesses++ << kSiteBit;
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memory);
  call("tg_sim_access",
       {toI64(item), toI64(base), toI64(indices[0]), toI64(count),
        i64(type.getNumElements()), i64(type.getElementTypeBitWidth() / 8),
        i64(flags), i64(number)},
       builder.getI64Type());
  return success();
}

LogicalResult FunctionConverter::convertOperation(Operation *op) {
  auto replace = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<gpu::BlockIdOp>([&](auto id) {
        replace(readState(kGroupNumber + static_cast<int>(id.getDimension())));
        return success();
      })
      .Case<gpu::ThreadIdOp>([&](auto id) {
        replace(readState(kItemNumber + static_cast<int>(id.getDimension())));
        return success();
      })
      .Case<gpu::GridDimOp>([&](auto size) {
        replace(readState(kGridSize + static_cast<int>(size.getDimension())));
        return success();
      })
      .Case<gpu::BlockDimOp>([&](auto size) {
        replace(readState(kGroupSize + static_cast<int>(size.getDimension())));
        return success();
      })
      .Case<gpu::LaneIdOp>([&](auto) {
        replace(readState(kLaneNumber));
        return success();
      })
      .Case<gpu::SubgroupIdOp>([&](auto) {
        replace(readState(kSubgroupNumber));
        return success();
      })
      .Case<gpu::BarrierOp>([&](auto) {
        call("tg_sim_barrier", {toI64(item), i64(numSites++)});
        op->erase();
        return success();
      })
      .Case<NVVM::BarrierOp>([&](NVVM::BarrierOp barrier) -> LogicalResult {
        if (!barrier.getBarrierId() || !barrier.getNumberOfThreads() ||
            barrier.getReductionOp())
          return op->emitOpError("is not supported by the simulator");
        call("tg_sim_named_barrier",
             {toI64(item), toI64(barrier.getBarrierId()),
              toI64(barrier.getNumberOfThreads()), i64(numSites++)});
        op->erase();
        return success();
      })
      .Case<NVVM::SetMaxRegisterOp>([&](NVVM::SetMaxRegisterOp set) {
        const bool isIncrease =
            set.getAction() == NVVM::SetMaxRegisterAction::increase;
        call("tg_sim_set_registers", {toI64(item), i64(set.getRegCount()),
                                      i64(isIncrease), i64(numSites++)});
        op->erase();
        return success();
      })
      .Case<gpu::ShuffleOp>([&](gpu::ShuffleOp shuffle) -> LogicalResult {
        Type type = shuffle.getValue().getType();
        if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
          return op->emitOpError("shuffles values of type ")
                 << type << "; the simulator supports scalars";
        // The simulator's numbers of the modes.
        int64_t mode = 0;
        switch (shuffle.getMode()) {
        case gpu::ShuffleMode::XOR:
          mode = 0;
          break;
        case gpu::ShuffleMode::UP:
          mode = 1;
          break;
        case gpu::ShuffleMode::DOWN:
          mode = 2;
          break;
        case gpu::ShuffleMode::IDX:
          mode = 3;
          break;
        }
        Value bits = call("tg_sim_shuffle",
                          {toI64(item), toI64(shuffle.getValue()),
                           toI64(shuffle.getOffset()), i64(mode),
                           toI64(shuffle.getWidth()), i64(numSites++)},
                          builder.getI64Type());
        Type integer = builder.getIntegerType(type.getIntOrFloatBitWidth());
        if (integer != bits.getType())
          bits = arith::TruncIOp::create(builder, loc, integer, bits);
        if (type != integer)
          bits = arith::BitcastOp::create(builder, loc, type, bits);
        Value lane = readState(kLaneNumber);
        Value width = arith::IndexCastUIOp::create(
            builder, loc, builder.getIndexType(), shuffle.getWidth());
        shuffle.getValid().replaceAllUsesWith(arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ult, lane, width));
        shuffle.getShuffleResult().replaceAllUsesWith(bits);
        op->erase();
        return success();
      })
      .Case<nvgpu::MmaSyncOp>([&](nvgpu::MmaSyncOp mma) {
        return convertProduct(op, tinygrad::MatrixFamily::mma,
                              mma.getMmaShapeAsArray(), mma.getMatrixA(),
                              mma.getMatrixB(), mma.getMatrixC());
      })
      .Case<amdgpu::MFMAOp>([&](amdgpu::MFMAOp mfma) -> LogicalResult {
        if (mfma.getBlocks() != 1 || mfma.getCbsz() != 0 ||
            mfma.getBlgp() != amdgpu::MFMAPermB::none ||
            mfma.getReducePrecision() || mfma.getNegateA() ||
            mfma.getNegateB() || mfma.getNegateC())
          return op->emitOpError("is no matrix operation that the simulator "
                                 "knows");
        return convertProduct(op, tinygrad::MatrixFamily::mfma,
                              {mfma.getM(), mfma.getN(), mfma.getK()},
                              mfma.getSourceA(), mfma.getSourceB(),
                              mfma.getDestC());
      })
      .Case<amdgpu::WMMAOp>([&](amdgpu::WMMAOp wmma) -> LogicalResult {
        if (wmma.getSubwordOffset() != 0 || wmma.getUnsignedA() ||
            wmma.getUnsignedB() || wmma.getClamp())
          return op->emitOpError("is no matrix operation that the simulator "
                                 "knows");
        return convertProduct(op, tinygrad::MatrixFamily::wmma,
                              {wmma.getM(), wmma.getN(), wmma.getK()},
                              wmma.getSourceA(), wmma.getSourceB(),
                              wmma.getDestC());
      })
      .Case<nvgpu::LdMatrixOp>(
          [&](nvgpu::LdMatrixOp load) { return convertLoadMatrices(load); })
      .Case<amdgpu::TransposeLoadOp>([&](amdgpu::TransposeLoadOp load) {
        return convertTransposeLoad(load);
      })
      .Case<NVVM::ConvertFloatToTF32Op>(
          [&](NVVM::ConvertFloatToTF32Op op) { return convertRounding(op); })
      .Case<nvgpu::DeviceAsyncCopyOp>(
          [&](nvgpu::DeviceAsyncCopyOp copy) { return convertCopy(copy); })
      .Case<nvgpu::DeviceAsyncCreateGroupOp>([&](auto) {
        call("tg_sim_commit_copies", {toI64(item)});
        tokens.push_back(op);
        return success();
      })
      .Case<nvgpu::DeviceAsyncWaitOp>([&](nvgpu::DeviceAsyncWaitOp wait) {
        call("tg_sim_wait_for_copies",
             {toI64(item), i64(wait.getNumGroups().value_or(0))});
        tokens.push_back(op);
        return success();
      })
      .Case<amdgpu::GatherToLDSOp>(
          [&](amdgpu::GatherToLDSOp copy) { return convertDirectCopy(copy); })
      .Case<amdgpu::MemoryCounterWaitOp>(
          [&](amdgpu::MemoryCounterWaitOp wait) -> LogicalResult {
            if (!wait.getLoad() || wait.getStore() || wait.getDs() ||
                wait.getExp() || wait.getTensor())
              return op->emitOpError("waits for something else than loads, "
                                     "which the simulator does not support");
            call("tg_sim_wait_for_copies", {toI64(item), i64(*wait.getLoad())});
            op->erase();
            return success();
          })
      .Case<NVVM::WgmmaMmaAsyncOp>([&](NVVM::WgmmaMmaAsyncOp multiply) {
        return convertWarpgroupProduct(multiply);
      })
      .Case<NVVM::WgmmaFenceAlignedOp>([&](auto) {
        call("tg_sim_fence_registers", {toI64(item)});
        op->erase();
        return success();
      })
      .Case<NVVM::WgmmaGroupSyncAlignedOp>([&](auto) {
        call("tg_sim_commit_products", {toI64(item)});
        op->erase();
        return success();
      })
      .Case<NVVM::WgmmaWaitGroupSyncOp>([&](NVVM::WgmmaWaitGroupSyncOp wait) {
        call("tg_sim_wait_for_products",
             {toI64(item), i64(static_cast<int64_t>(wait.getGroup()))});
        op->erase();
        return success();
      })
      .Case<NVVM::FenceProxyOp>([&](NVVM::FenceProxyOp fence) -> LogicalResult {
        if (fence.getKind() != NVVM::ProxyKind::async_shared)
          return op->emitOpError("is not supported by the simulator");
        call("tg_sim_fence_proxy", {toI64(item)});
        op->erase();
        return success();
      })
      .Case<LLVM::ExtractValueOp>([&](auto) {
        call("tg_sim_read_sum", {toI64(item)});
        return success();
      })
      .Case<LLVM::InlineAsmOp>([&](LLVM::InlineAsmOp taken) -> LogicalResult {
        if (!taken.getAsmString().empty() || taken->getNumResults() != 1 ||
            !isa<LLVM::LLVMStructType>(taken.getResult(0).getType()))
          return op->emitOpError("is not supported by the simulator");
        convertTakenRegisters(taken);
        return success();
      })
      .Case<memref::ExtractAlignedPointerAsIndexOp>(
          [&](memref::ExtractAlignedPointerAsIndexOp address) {
            return convertAddress(address);
          })
      .Case<gpu::ReturnOp>([&](auto) {
        func::ReturnOp::create(builder, loc);
        op->erase();
        return success();
      })
      .Case<memref::LoadOp>([&](memref::LoadOp load) {
        return announce(op, load.getMemref(), load.getIndices(), 1,
                        /*isWrite=*/false);
      })
      .Case<memref::StoreOp>([&](memref::StoreOp store) {
        return announce(op, store.getMemref(), store.getIndices(), 1,
                        /*isWrite=*/true);
      })
      .Case<vector::LoadOp>([&](vector::LoadOp load) {
        return announce(op, load.getBase(), load.getIndices(),
                        getNumLanes(load.getType()), /*isWrite=*/false,
                        load.getAlignment());
      })
      .Case<vector::StoreOp>([&](vector::StoreOp store) {
        return announce(op, store.getBase(), store.getIndices(),
                        getNumLanes(store.getValueToStore().getType()),
                        /*isWrite=*/true, store.getAlignment());
      })
      .Default([&](Operation *op) -> LogicalResult {
        if (isa<gpu::GPUDialect, nvgpu::NVGPUDialect, NVVM::NVVMDialect,
                amdgpu::AMDGPUDialect>(op->getDialect()))
          return op->emitOpError("is not supported by the simulator");
        return success();
      });
}

LogicalResult tg::convertGPUToSim(ModuleOp module) {
  for (auto kernels : llvm::to_vector(module.getOps<gpu::GPUModuleOp>())) {
    for (auto func : llvm::to_vector(kernels.getOps<gpu::GPUFuncOp>()))
      if (failed(FunctionConverter(func, module).convert()))
        return failure();
    kernels.erase();
  }
  return success();
}

namespace {
struct ConvertGPUToSimPass
    : tg::impl::ConvertGPUToSimBase<ConvertGPUToSimPass> {
  void runOnOperation() override {
    if (failed(convertGPUToSim(getOperation())))
      signalPassFailure();
  }
};
} // namespace
