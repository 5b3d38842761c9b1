//===- CpuTarget.cpp - object code for CPUs -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Entry points of the CPU target. Each kernel is compiled in a module of its
/// own.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Target/Cpu/CpuTarget.h"
#include "../TargetKind.h"
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
#include "llvm/IR/Module.h"
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

/// Prints the module if the stage's text is requested.
static void print(ModuleOp module, StageTexts *texts, StringRef stage) {
  if (!texts)
    return;
  auto text = texts->find(stage);
  if (text == texts->end())
    return;
  llvm::raw_string_ostream stream(text->second);
  module.print(stream);
}

/// Reports tiles that are too large for the stack.
static LogicalResult checkAllocations(func::FuncOp function, KernelOp kernel) {
  const bool allocates =
      function.walk([](memref::AllocOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!allocates)
    return success();
  return kernel.emitOpError(
      "has tiles that do not fit onto the stack, and must "
      "not allocate memory");
}

/// Lowers kernels to a module in LLVM's dialect, which \p complete adds to.
static FailureOr<OwningOpRef<ModuleOp>>
lower(MLIRContext *context, ArrayRef<KernelOp> kernels,
      const CpuTargetOptions &target, const CompileFlags &flags,
      StageTexts *texts, function_ref<LogicalResult(ModuleOp)> complete,
      std::vector<CpuKernelInfo> &infos) {
  // Loading a dialect modifies the context, which other threads may use; so a
  // context that has all dialects is not modified.
  if (!context->getLoadedDialect<LLVM::LLVMDialect>() ||
      !context->getLoadedDialect<ub::UBDialect>())
    loadCpuTarget(*context);
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(context), "kernels");
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  const TargetFacts facts = target.getFacts();
  for (KernelOp kernel : kernels) {
    builder.setInsertionPointToEnd(module->getBody());
    FailureOr<func::FuncOp> func =
        convertKernelToVector(builder, kernel, facts);
    if (failed(func) ||
        (!flags.mayAllocate && failed(checkAllocations(*func, kernel))))
      return failure();
    Dim extent((*func)->getAttr(parallelExtentAttrName));
    infos.push_back({func->getSymName().str(), extent.getMax()});
  }
  if (flags.checkBounds)
    insertBoundsChecks(*module);
  print(*module, texts, "vector");
  if (flags.verifyEach && failed(verify(*module)))
    return failure();
  PassManager passes(context);
  passes.enableVerifier(flags.verifyEach);
  if (!flags.reproducer.empty())
    passes.enableCrashReproducerGeneration(flags.reproducer);
  buildKernelToLLVMPipeline(passes);
  if (failed(passes.run(*module)) || (complete && failed(complete(*module))))
    return failure();
  if (complete && flags.verifyEach && failed(verify(*module)))
    return failure();
  print(*module, texts, "mlir");
  return module;
}

FailureOr<CpuObject>
tg::compileToObject(MLIRContext *context, ArrayRef<KernelOp> kernels,
                    const CpuTargetOptions &target, const CompileFlags &flags,
                    StageTexts *texts,
                    function_ref<LogicalResult(ModuleOp)> complete,
                    CodeCounter *counter, ArrayRef<char> bitcode) {
  CpuObject object;
  auto start = std::chrono::steady_clock::now();
  FailureOr<OwningOpRef<ModuleOp>> module =
      lower(context, kernels, target, flags, texts, complete, object.kernels);
  if (failed(module))
    return failure();
  object.times.lowering = std::chrono::duration<double, std::milli>(
                              std::chrono::steady_clock::now() - start)
                              .count();
  FailureOr<std::vector<char>> bytes = cpu::emitObject(
      **module, target, flags, texts, object.times, counter, bitcode);
  if (failed(bytes))
    return failure();
  object.bytes = std::move(*bytes);
  return object;
}

FailureOr<std::unique_ptr<llvm::Module>>
tg::compileToIR(MLIRContext *context, ArrayRef<KernelOp> kernels,
                const CpuTargetOptions &target, const CompileFlags &flags,
                llvm::LLVMContext &llvmContext,
                function_ref<LogicalResult(ModuleOp)> complete) {
  std::vector<CpuKernelInfo> infos;
  FailureOr<OwningOpRef<ModuleOp>> module = lower(
      context, kernels, target, flags, /*texts=*/nullptr, complete, infos);
  if (failed(module))
    return failure();
  return cpu::emitIR(**module, target, flags, llvmContext);
}

FailureOr<CpuObject> tg::compileToObject(ArrayRef<KernelOp> kernels,
                                         const CpuTargetOptions &target,
                                         const CompileFlags &flags,
                                         StageTexts *texts) {
  if (kernels.empty())
    return CpuObject();
  return compileToObject(KernelOp(kernels.front()).getContext(), kernels,
                         target, flags, texts, nullptr);
}

FailureOr<CpuObject> tg::compileToObject(ModuleOp module,
                                         const CpuTargetOptions &target,
                                         const CompileFlags &flags,
                                         StageTexts *texts) {
  SmallVector<KernelOp> kernels(module.getOps<KernelOp>());
  return compileToObject(kernels, target, flags, texts);
}

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

namespace {
class CpuTarget : public Target {
public:
  CpuTarget(std::string name, CpuTargetOptions options)
      : Target(std::move(name)), options(std::move(options)),
        facts(this->options.getFacts()) {}

  std::string getCacheKey(const CompileFlags &flags) const override {
    return options.str() + (flags.checkBounds ? ";bounds" : "") +
           (flags.flushSubnormals ? ";ftz" : "") +
           (flags.mayAllocate ? "" : ";stack");
  }
  TargetFacts getFacts() const override { return facts; }
  void registerDialects(DialectRegistry &registry) const override {
    registerCpuTarget(registry);
  }
  LaunchShape getLaunch(KernelOp kernel) const override {
    LaunchShape launch;
    launch.parallelExtent = getParallelExtent(kernel);
    return launch;
  }
  ArrayRef<CompileStage> getStages() const override {
    static constexpr CompileStage stages[] = {
        {"vector", "loops and vectors of upstream's dialects", 6},
        {"mlir", "MLIR's LLVM dialect", 7},
        {"llvm", "LLVM IR after LLVM's passes", 6},
        {"asm", "assembly", 7}};
    return stages;
  }
  FailureOr<std::vector<char>> compile(ArrayRef<KernelOp> kernels,
                                       const CompileFlags &flags,
                                       StageTexts *texts) const override {
    FailureOr<CpuObject> object =
        compileToObject(kernels, options, flags, texts);
    if (failed(object))
      return failure();
    return std::move(object->bytes);
  }

private:
  CpuTargetOptions options;
  TargetFacts facts;
};
} // namespace

namespace mlir::tg {
TargetKind describeCpuTarget() {
  return {
      "cpu",
      [](StringRef processor, std::string &error) -> std::unique_ptr<Target> {
        std::optional<CpuTargetOptions> options =
            CpuTargetOptions::forProcessor(processor, error);
        if (!options)
          return nullptr;
        return std::make_unique<CpuTarget>(
            processor.empty() ? "cpu" : "cpu:" + processor.str(),
            std::move(*options));
      },
      registerCpuTarget};
}
} // namespace mlir::tg
