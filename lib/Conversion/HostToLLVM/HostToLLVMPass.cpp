//===- HostToLLVMPass.cpp - the convert-tg-host-to-llvm pass --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lowers the host programs of a module, and its kernels if it is asked to.
///
//===----------------------------------------------------------------------===//

#include "CallGraphs.h"
#include "TinyGrad/Conversion/HostToLLVM/HostToLLVM.h"
#include "TinyGrad/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "TinyGrad/Conversion/TgToVector/TgToVector.h"
#include "TinyGrad/Dialect/Tg/IR/TgHostFunctions.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include <algorithm>

namespace mlir::tg {
#define GEN_PASS_DEF_CONVERTTGHOSTTOLLVM
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Whether a function is to be lowered: unless it is one of other dialects,
/// which has no buffers as arguments or results only.
static bool isHost(func::FuncOp function) {
  if (function.isExternal())
    return false;
  if (getLevels(function))
    return true;
  auto isBuffer = [](Type type) { return isBufferType(type); };
  FunctionType type = function.getFunctionType();
  return llvm::all_of(type.getInputs(), isBuffer) &&
         llvm::all_of(type.getResults(), isBuffer) &&
         function.getBody().hasOneBlock() &&
         llvm::hasSingleElement(function.getBody().front());
}

namespace {
struct ConvertTgHostToLLVMPass
    : tg::impl::ConvertTgHostToLLVMBase<ConvertTgHostToLLVMPass> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    OpPassManager pipeline = getKernelPipeline();
    pipeline.getDependentDialects(registry);
  }

  void runOnOperation() override;

private:
  static OpPassManager getKernelPipeline() {
    OpPassManager pipeline(ModuleOp::getOperationName());
    pipeline.addPass(createConvertTgToVector());
    buildKernelToLLVMPipeline(pipeline);
    return pipeline;
  }
  LogicalResult lowerKernels(ModuleOp lowered);
};
} // namespace

/// Adds the code of the kernels in the place of their declarations.
LogicalResult ConvertTgHostToLLVMPass::lowerKernels(ModuleOp lowered) {
  ModuleOp module = getOperation();
  // Pipelines run on what is in the module.
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto nested = ModuleOp::create(builder, module.getLoc());
  if (Attribute target = module->getAttr(targetAttrName))
    nested->setAttr(targetAttrName, target);
  for (KernelOp kernel : llvm::make_early_inc_range(module.getOps<KernelOp>()))
    kernel->moveBefore(nested.getBody(), nested.getBody()->end());
  OpPassManager pipeline = getKernelPipeline();
  const bool isEmpty = nested.getBody()->empty();
  if (!isEmpty && failed(runPipeline(pipeline, nested)))
    return failure();
  for (auto function : nested.getOps<LLVM::LLVMFuncOp>())
    if (auto declared =
            lowered.lookupSymbol<LLVM::LLVMFuncOp>(function.getSymName()))
      declared.erase();
  lowered.getBody()->getOperations().splice(lowered.getBody()->end(),
                                            nested.getBody()->getOperations());
  nested.erase();
  // It was for the kernels, and is nothing that other tools know.
  module->removeAttr(targetAttrName);
  return success();
}

void ConvertTgHostToLLVMPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(requireLevel(
          module, {ModuleLevel::Kernels, ModuleLevel::ScheduledKernels})))
    return signalPassFailure();
  HostToLLVMOptions options;
  options.threads = threads;
  // The calls of each function.
  llvm::StringMap<SmallVector<func::FuncOp>> calls;
  for (auto function : module.getOps<func::FuncOp>())
    if (auto graph =
            function->getAttrOfType<FlatSymbolRefAttr>(graphAttrName)) {
      if (!module.lookupSymbol<func::FuncOp>(graph.getAttr())) {
        function.emitOpError("calls '@")
            << graph.getValue() << "', which is no function of the module";
        return signalPassFailure();
      }
      calls[graph.getValue()].push_back(function);
    }
  // Functions have the names of what they come from: those of a new module.
  OwningOpRef<ModuleOp> lowered = ModuleOp::create(module.getLoc());
  SmallVector<std::pair<func::FuncOp, HostFunction>, 0> called;
  {
    const SymbolTable kernelTable(module);
    for (auto host :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      const auto ownCalls = calls.lookup(host.getSymName());
      if (!isHost(host) && ownCalls.empty())
        continue;
      // Optimization may have found out that a size has a single value.
      options.variables.clear();
      for (func::FuncOp call : ownCalls)
        if (auto list = call->getAttrOfType<ArrayAttr>(variablesAttrName))
          for (auto variable : list.getAsRange<VarAttr>())
            if (!llvm::is_contained(options.variables, variable))
              options.variables.push_back(variable);
      FailureOr<HostFunction> function =
          convertHostToLLVM(*lowered, host, kernelTable, options);
      if (failed(function))
        return signalPassFailure();
      if (ownCalls.empty())
        function->function->setAttr(
            scratchBytesAttrName,
            Builder(&getContext()).getI64IntegerAttr(function->scratchBytes));
      else
        function->function.setLinkage(LLVM::Linkage::Internal);
      for (func::FuncOp call : ownCalls)
        called.emplace_back(call, *function);
      host.erase();
    }
  }
  if (kernels && failed(lowerKernels(*lowered)))
    return signalPassFailure();
  for (KernelOp kernel : llvm::make_early_inc_range(module.getOps<KernelOp>()))
    kernel.erase();
  module.getBody()->getOperations().splice(module.getBody()->end(),
                                           lowered->getBody()->getOperations());
  int64_t scratchBytes = 0;
  for (auto &[call, host] : called)
    scratchBytes = std::max(scratchBytes, host.scratchBytes);
  LLVM::GlobalOp scratch;
  if (staticScratch && scratchBytes != 0)
    scratch = addStaticScratch(module, scratchBytes);
  for (auto &[call, host] : called) {
    call->removeAttr(graphAttrName);
    call->removeAttr(variablesAttrName);
    if (failed(buildCallBody(call, host, threads, scratch)))
      return signalPassFailure();
  }
}
