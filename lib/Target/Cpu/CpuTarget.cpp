//===- CpuTarget.cpp - object code for CPUs -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The entry points: kernels go into a module of their own, and through the
/// stages.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Target/Cpu/CpuTarget.h"
#include "Backend.h"
#include "TinyGrad/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "TinyGrad/Conversion/TgToVector/TgToVector.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir;
using namespace mlir::tg;

void tg::registerCpuTarget(DialectRegistry &registry) {
  registry.insert<TgDialect, arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, ub::UBDialect,
                  vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void tg::loadCpuTarget(MLIRContext &context) {
  DialectRegistry registry;
  registerCpuTarget(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<TgDialect, arith::ArithDialect, cf::ControlFlowDialect,
                      func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                      memref::MemRefDialect, scf::SCFDialect, ub::UBDialect,
                      vector::VectorDialect>();
}

Dim tg::getParallelExtent(Operation *kernel) {
  Dim extent(kernel->getContext(), 1);
  for (auto range : cast<KernelOp>(kernel).getBody().getOps<RangeOp>())
    if (range.getKind() == RangeKind::thread ||
        range.getKind() == RangeKind::global)
      extent = extent * Dim(range.getExtent());
  return extent;
}

static void print(ModuleOp module, std::string *text) {
  if (!text)
    return;
  llvm::raw_string_ostream stream(*text);
  module.print(stream);
}

FailureOr<CpuObject> tg::compileToObject(ArrayRef<Operation *> kernels,
                                         const CpuTargetOptions &target,
                                         const CpuDumps &dumps,
                                         bool verifyEach) {
  CpuObject object;
  if (kernels.empty())
    return object;
  auto start = std::chrono::steady_clock::now();
  MLIRContext *context = kernels.front()->getContext();
  // Loading changes the context; one that is ready is left alone, others may
  // be using it.
  if (!context->getLoadedDialect<LLVM::LLVMDialect>() ||
      !context->getLoadedDialect<ub::UBDialect>())
    loadCpuTarget(*context);
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(context), "kernels");
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  for (Operation *kernel : kernels) {
    builder.setInsertionPointToEnd(module->getBody());
    FailureOr<func::FuncOp> func =
        convertKernelToVector(builder, cast<KernelOp>(kernel));
    if (failed(func))
      return failure();
    Dim extent((*func)->getAttr(parallelExtentAttrName));
    object.kernels.push_back({func->getSymName().str(), extent.getMax()});
  }
  if (target.checkBounds)
    insertBoundsChecks(*module);
  print(*module, dumps.vector);
  if (verifyEach && failed(verify(*module)))
    return failure();
  PassManager passes(context);
  passes.enableVerifier(verifyEach);
  buildKernelToLLVMPipeline(passes);
  if (failed(passes.run(*module)))
    return failure();
  print(*module, dumps.llvmDialect);
  object.times.lowering = std::chrono::duration<double, std::milli>(
                              std::chrono::steady_clock::now() - start)
                              .count();
  FailureOr<std::vector<char>> bytes =
      cpu::emitObject(*module, target, dumps, object.times);
  if (failed(bytes))
    return failure();
  object.bytes = std::move(*bytes);
  return object;
}

FailureOr<CpuObject> tg::compileToObject(ModuleOp module,
                                         const CpuTargetOptions &target,
                                         const CpuDumps &dumps,
                                         bool verifyEach) {
  SmallVector<Operation *> kernels;
  for (Operation &op : *module.getBody())
    if (isa<KernelOp>(op))
      kernels.push_back(&op);
  return compileToObject(kernels, target, dumps, verifyEach);
}
