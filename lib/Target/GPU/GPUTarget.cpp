//===- GPUTarget.cpp - what targets for GPUs share ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Scheduled kernels to LLVM IR for a GPU.
///
//===----------------------------------------------------------------------===//

#include "GPUTarget.h"
#include "ResidentGroups.h"
#include "TinyGrad/Conversion/GPUToLLVM/GPUToLLVM.h"
#include "TinyGrad/Conversion/TgToGPU/TgToGPU.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "TinyGrad/Dialect/Tg/Transforms/ScheduleSteps.h"
#include "TinyGrad/Support/TensorMap.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::tg;

void GPUTarget::registerGPUDialects(DialectRegistry &registry) {
  registry.insert<TgDialect, amdgpu::AMDGPUDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, nvgpu::NVGPUDialect,
                  NVVM::NVVMDialect, ROCDL::ROCDLDialect, scf::SCFDialect,
                  ub::UBDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
}

/// Loads the dialects, unless they are: that would modify the context, which
/// other threads may use.
static void loadDialects(MLIRContext &context) {
  if (context.getLoadedDialect<NVVM::NVVMDialect>() &&
      context.getLoadedDialect<ROCDL::ROCDLDialect>() &&
      context.getLoadedDialect<ub::UBDialect>() &&
      context.getLoadedDialect<amdgpu::AMDGPUDialect>() &&
      context.getLoadedDialect<nvgpu::NVGPUDialect>() &&
      context.getLoadedDialect<gpu::GPUDialect>())
    return;
  DialectRegistry registry;
  GPUTarget::registerGPUDialects(registry);
  context.appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context.getOrLoadDialect(name);
}

GPUTarget::GPUTarget(std::string name, const GPUOptions &options,
                     codegen::Processor processor)
    : Target(std::move(name)), chip(options.chip), facts(tg::getFacts(options)),
      processor(std::move(processor)) {}

std::string GPUTarget::getCacheKey(const CompileFlags &flags) const {
  return getName() + ";" + processor.triple + ";" + processor.cpu + ";" +
         processor.features + ";" + std::to_string(processor.level) + ";" +
         getPasses() + (flags.flushSubnormals ? ";ftz" : "");
}

LaunchShape GPUTarget::getLaunch(KernelOp kernel) const {
  LaunchShape launch = getGroupLaunch(kernel, facts);
  // The code has the memory that it declares.
  const int64_t most = getMaxStaticBytes(chip.name);
  if (launch.sharedBytes.getAttr() &&
      (most == 0 || launch.sharedBytes.getMax() <= most))
    launch.sharedBytes = Dim();
  return launch;
}

FailureOr<std::vector<char>> GPUTarget::compile(ArrayRef<KernelOp> kernels,
                                                const CompileFlags &flags,
                                                StageTexts *texts) const {
  if (kernels.empty())
    return std::vector<char>();
  MLIRContext *context = KernelOp(kernels.front()).getContext();
  loadDialects(*context);
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(context), "kernels");
  auto print = [&](StringRef stage, auto &&printTo) {
    if (!texts)
      return;
    if (auto text = texts->find(stage); text != texts->end()) {
      llvm::raw_string_ostream stream(text->second);
      printTo(stream);
    }
  };
  auto printModule = [&](llvm::raw_ostream &os) { module->print(os); };
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto functions =
      gpu::GPUModuleOp::create(builder, module->getLoc(), "kernels");
  // Functions whose registers are bounded: their items and resident groups.
  struct Bound {
    std::string name;
    int64_t items, groups;
  };
  SmallVector<Bound> bounds;
  // A kernel that copies boxes, and then the same without: which one runs is
  // up to the launch.
  SmallVector<KernelOp> all;
  SmallVector<OwningOpRef<KernelOp>> copies;
  for (KernelOp kernel : kernels) {
    all.push_back(kernel);
    if (!hasBoxTiles(kernel))
      continue;
    OwningOpRef<KernelOp> copy = kernel.clone();
    if (fillWithoutBoxes(*copy, facts))
      continue;
    copy->setSymName(
        (kernel.getSymName() + StringRef(tinygrad::kWithoutTensorMapsSuffix))
            .str());
    all.push_back(*copy);
    copies.push_back(std::move(copy));
  }
  for (KernelOp kernel : all) {
    builder.setInsertionPointToEnd(functions.getBody());
    FailureOr<gpu::GPUFuncOp> function =
        convertKernelToGPU(builder, kernel, facts);
    if (failed(function))
      return failure();
    if (auto groups =
            (*function)->getAttrOfType<IntegerAttr>(residentGroupsAttrName)) {
      int64_t items = 1;
      const std::optional<ArrayRef<int32_t>> size =
          function->getKnownBlockSize();
      for (int32_t extent : *size)
        items *= extent;
      bounds.push_back({function->getName().str(), items, groups.getInt()});
    }
  }
  print("gpu", printModule);
  if (flags.verifyEach && failed(verify(*module)))
    return failure();
  PassManager passes(context);
  passes.enableVerifier(flags.verifyEach);
  if (!flags.reproducer.empty())
    passes.enableCrashReproducerGeneration(flags.reproducer);
  buildGPUToLLVMPipeline(passes, chip.name);
  if (failed(passes.run(*module)))
    return failure();
  print("mlir", printModule);

  auto fail = [&](const std::string &error) {
    return KernelOp(kernels.front()).emitError("cannot compile for ")
           << getName() << ": " << error;
  };
  std::string error;
  FailureOr<codegen::Machine> machine =
      codegen::Machine::create(processor, error);
  if (failed(machine))
    return fail(error);
  llvm::LLVMContext llvmContext;
  // LLVM ends the process after an error that nobody handles.
  std::string reported;
  llvmContext.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *reported) {
        if (info->getSeverity() != llvm::DS_Error)
          return;
        llvm::raw_string_ostream stream(*static_cast<std::string *>(reported));
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info->print(printer);
      },
      &reported);
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(functions, llvmContext, "kernels",
                              /*disableVerification=*/!flags.verifyEach);
  if (!llvmModule)
    return fail("the kernels cannot be translated to LLVM IR");
  codegen::setProcessor(*llvmModule, *machine);
  // Instructions with `.ftz` for NVIDIA's GPUs, and a mode of AMD's that the
  // code object asks for.
  if (flags.flushSubnormals)
    for (llvm::Function &function : *llvmModule)
      if (!function.isDeclaration())
        function.addFnAttr("denormal-fp-math-f32",
                           "preserve-sign,preserve-sign");
  prepare(*llvmModule);
  if (failed(codegen::runPasses(*llvmModule, *machine, getPasses(), error)))
    return fail(error);
  for (const Bound &bound : bounds)
    if (llvm::Function *function = llvmModule->getFunction(bound.name))
      lowerResidentGroups(*function, chip, bound.items, bound.groups);
  for (const llvm::Function &function : *llvmModule)
    if (function.isDeclaration() && !function.isIntrinsic())
      return fail("there is no code for the function '" +
                  function.getName().str() + "'");
  print("llvm", [&](llvm::raw_ostream &os) { llvmModule->print(os, nullptr); });
  FailureOr<std::vector<char>> code =
      generate(*llvmModule, *machine, texts, error);
  if (!reported.empty())
    return fail(reported);
  if (failed(code))
    return fail(error);
  return code;
}
