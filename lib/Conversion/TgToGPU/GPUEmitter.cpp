//===- GPUEmitter.cpp - functions of kernels for GPUs ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Emits the function of a kernel, and binds its parallel ranges to the numbers
/// of groups and work items.
///
//===----------------------------------------------------------------------===//

#include "GPUEmitter.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "TinyGrad/Dialect/Tg/IR/TgLaunchedElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"
#include "TinyGrad/Dialect/Tg/Utils/Residency.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <algorithm>

namespace mlir::tg {
#define GEN_PASS_DEF_CONVERTTGTOGPU
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::togpu;

bool GPUEmitter::isParallel(RangeKind kind) const {
  return kind == RangeKind::thread || kind == RangeKind::global ||
         kind == RangeKind::local || kind == RangeKind::group_reduce;
}

bool GPUEmitter::mayClose(Operation *op, RangeKind kind) const {
  return !isParallel(kind) || (isa<StageOp>(op) && kind == RangeKind::local) ||
         (isa<RangedReduceOp>(op) && kind == RangeKind::group_reduce);
}

Value GPUEmitter::getNumber(gpu::Dimension direction, bool isItem) {
  B &b = at(0, kernel.getLoc());
  if (isItem)
    return gpu::ThreadIdOp::create(b, direction);
  // The size of the grid, which bounds all indices that follow from it.
  const Dim &groups = layout.groups[static_cast<size_t>(direction)];
  return gpu::BlockIdOp::create(
      b, direction, b.getIndexAttr(std::max<int64_t>(groups.getMax(), 1)));
}

void GPUEmitter::bindItems() {
  const Location loc = kernel.getLoc();
  axisNumbers.assign(layout.axes.size(), Value());
  for (auto [direction, own] : llvm::enumerate(layout.itemAxes)) {
    Value rest;
    for (unsigned i : llvm::reverse(own)) {
      const GroupLayout::Axis &axis = layout.axes[i];
      if (axis.extent == 1) {
        axisNumbers[i] = getIndexConstant(0, loc);
      } else {
        if (!rest)
          rest = getNumber(kDirections[direction], /*isItem=*/true);
        axisNumbers[i] = rest;
        if (i != own.front()) {
          Value extent = getIndexConstant(axis.extent, loc);
          B &b = at(0, loc);
          axisNumbers[i] = arith::RemUIOp::create(b, rest, extent);
          rest = arith::DivUIOp::create(b, rest, extent);
        }
      }
      RangeSet all = 0;
      for (RangeOp range : axis.ranges)
        all |= setOf(rangeIndex.lookup(range));
      for (RangeOp range : axis.ranges) {
        const unsigned index = rangeIndex.lookup(range);
        bindParallelRanges({index}, axisNumbers[i]);
        ranges[index].alternatives = all & ~setOf(index);
      }
    }
  }
}

void GPUEmitter::emitItems(llvm::function_ref<void()> body) {
  const Location loc = kernel.getLoc();
  if (layout.copyingItems == 0) {
    bindItems();
    return body();
  }
  emitCopyingItems(loc);
  const unsigned direction = layout.copyingDirection;
  Value number = getNumber(kDirections[direction], /*isItem=*/true);
  Value end = getIndexConstant(layout.getFirstCopying(), loc);
  Value isOther = arith::CmpIOp::create(at(top(), loc),
                                        arith::CmpIPredicate::ult, number, end);
  // The numbers of the last items are none of ranges: what depends on these is
  // inside of the guard.
  emitGuarded(isOther, loc, [&] {
    setRegisters(/*ofCopyingItems=*/false, loc);
    bindItems();
    forEachBlock(loc, body);
    // The memory is another group's when this one ends.
    if (layout.blocks > 0 && layout.boxStore)
      waitForStores(loc);
  });
}

void GPUEmitter::createBarrier(unsigned depth, Location loc) {
  B &b = at(depth, loc);
  if (layout.copyingItems == 0) {
    gpu::BarrierOp::create(b);
    return;
  }
  auto number = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, value, 32);
  };
  // Number 0 is that of all items.
  Value id = number(1), count = number(layout.getRangeItems());
  NVVM::BarrierOp::create(b, TypeRange(), id, count,
                          NVVM::BarrierReductionAttr(), Value());
}

void GPUEmitter::emitInGroups(llvm::function_ref<void()> body) {
  if (!layout.foldedGroups.getAttr())
    return body();
  const Location loc = kernel.getLoc();
  Value total = getDimValue(layout.foldedGroups, loc);
  Value width = getDimValue(layout.groups[0], loc);
  Value x = getNumber(gpu::Dimension::x, /*isItem=*/false);
  Value y = getNumber(gpu::Dimension::y, /*isItem=*/false);
  B &b = at(0, loc);
  Value number =
      arith::AddIOp::create(b, arith::MulIOp::create(b, y, width), x);
  emitGuarded(
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, total), loc,
      body);
}

FailureOr<gpu::GPUFuncOp> GPUEmitter::emit() {
  FailureOr<GroupLayout> found = getGroupLayout(kernel, target);
  if (failed(found) || failed(analyze()))
    return failure();
  layout = std::move(*found);
  FailureOr<SmallVector<VarAttr>> variables = collectVariables(kernel);
  if (failed(variables))
    return failure();
  SmallVector<Type> arguments;
  for (Type type : kernel.getArgumentTypes()) {
    auto buffer = cast<MemRefType>(type);
    arguments.push_back(MemRefType::get(
        buffer.getShape(), arithmetic.getMemoryType(buffer.getElementType()),
        MemRefLayoutAttrInterface(), buffer.getMemorySpace()));
  }
  const size_t numBuffers = arguments.size();
  arguments.append(variables->size(), builder.getIndexType());
  SmallVector<Type> shared;
  auto space = gpu::AddressSpaceAttr::get(kernel.getContext(),
                                          gpu::AddressSpace::Workgroup);
  for (const GroupLayout::Memory &memory : layout.memories)
    shared.push_back(MemRefType::get({memory.size},
                                     arithmetic.getMemoryType(memory.element),
                                     MemRefLayoutAttrInterface(), space));
  func = gpu::GPUFuncOp::create(builder, kernel.getLoc(), kernel.getSymName(),
                                builder.getFunctionType(arguments, TypeRange()),
                                shared);
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                builder.getUnitAttr());
  SmallVector<int32_t> size(layout.groupSize.begin(), layout.groupSize.end());
  func.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr(size));
  // Registers are shared among the items of one group.
  if (const int64_t resident =
          layout.copyingItems > 0
              ? 1
              : getResidentGroups(getGroupNeeds(kernel, layout), target))
    func->setAttr(residentGroupsAttrName, builder.getI64IntegerAttr(resident));
  SmallVector<Attribute, 3> groups;
  for (const Dim &number : layout.groups)
    groups.push_back(number.getAttr());
  func->setAttr(groupsAttrName, builder.getArrayAttr(groups));
  func->setAttr(outputsAttrName,
                builder.getI64IntegerAttr(kernel.getOutputs()));
  if (kernel.getInPlace())
    func->setAttr(inPlaceAttrName, builder.getUnitAttr());
  copyElements(func);
  if (!variables->empty())
    func->setAttr(variablesAttrName,
                  builder.getArrayAttr(SmallVector<Attribute>(
                      variables->begin(), variables->end())));
  for (auto [memory, argument] :
       llvm::zip_equal(layout.memories, func.getWorkgroupAttributions()))
    memories[memory.op] = argument;
  if (layout.hasWarpgroups()) {
    SmallVector<Attribute> aligned;
    for (const GroupLayout::Memory &memory : layout.memories)
      aligned.push_back(builder.getDictionaryAttr(
          builder.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                               builder.getI64IntegerAttr(memory.alignment))));
    func.setWorkgroupAttribAttrsAttr(builder.getArrayAttr(aligned));
  }
  builder.setInsertionPointToEnd(&func.getBody().front());
  auto end = gpu::ReturnOp::create(builder);
  ValueRange given = func.getArguments();
  openFunction(end, given.take_front(numBuffers), *variables,
               given.slice(numBuffers, variables->size()));
  if (SmallVector<StoreOp> stores = getStores(); !stores.empty()) {
    // What depends on a range is inside the guard.
    emitInGroups([&] {
      if (layout.blocks == 0)
        bindGrid();
      emitItems([&] {
        emitStores(stores, parallelSet);
        if (layout.boxStore)
          storeBoxes(StoreOp(layout.boxStore->store).getLoc());
      });
    });
  }
  return func;
}

FailureOr<gpu::GPUFuncOp> tg::convertKernelToGPU(OpBuilder &builder,
                                                 KernelOp kernel,
                                                 const TargetFacts &target) {
  return GPUEmitter(kernel, builder, target).emit();
}

namespace {
struct ConvertTgToGPUPass : tg::impl::ConvertTgToGPUBase<ConvertTgToGPUPass> {
  void runOnOperation() override {
    if (failed(requireLevel(getOperation(), {ModuleLevel::Kernels,
                                             ModuleLevel::ScheduledKernels})))
      return signalPassFailure();
    SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
    if (kernels.empty())
      return;
    // Host programs refer to kernels, which are about to be replaced; what
    // they pass is noted for proofs.
    ModuleLaunches(getOperation()).note(getOperation());
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (func.walk([](LaunchOp) { return WalkResult::interrupt(); })
              .wasInterrupted())
        func.erase();
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    auto module =
        gpu::GPUModuleOp::create(builder, getOperation().getLoc(), "kernels");
    for (KernelOp kernel : kernels) {
      builder.setInsertionPointToEnd(module.getBody());
      if (failed(convertKernelToGPU(builder, kernel, getTargetFacts(kernel))))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace
