//===- SimTarget.cpp - GPU kernels for the simulator ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The target of the SIM device: kernels are scheduled and lowered to the `gpu`
/// dialect as for a GPU, and run on the host one work item at a time. The
/// option is the GPU: "sim:sm_90", or "sim:sm_90:tf32" as for "cuda".
///
//===----------------------------------------------------------------------===//

#include "../Cpu/Backend.h"
#include "../TargetKind.h"
#include "TinyGrad/Conversion/GPUToSim/GPUToSim.h"
#include "TinyGrad/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "TinyGrad/Conversion/TgToGPU/TgToGPU.h"
#include "TinyGrad/Target/GPUChip.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::tg;

/// The GPU that the simulator has the limits of if none is named.
static constexpr llvm::StringLiteral kDefaultChip = "sm_90";

static void registerDialects(DialectRegistry &registry) {
  registerCpuTarget(registry);
  registry.insert<amdgpu::AMDGPUDialect, gpu::GPUDialect, nvgpu::NVGPUDialect,
                  NVVM::NVVMDialect>();
}

/// LLVM's passes. Code runs once or a few times, and spends most of its time in
/// functions of the simulator, which these passes do not change. Without "licm"
/// and "instcombine", and with the fast code generator, tests of the tensor API
/// and random graphs take a fifth less.
static constexpr llvm::StringLiteral kPasses =
    "always-inline,function(sroa,early-cse,simplifycfg)";

/// The host, without conversions to bf16 that flush subnormals to zero.
static const CpuTargetOptions &getHost() {
  static const CpuTargetOptions host = [] {
    CpuTargetOptions options = CpuTargetOptions::host();
    options.codegenLevel = 0;
    options.llvmPasses = kPasses.str();
    if (StringRef(options.triple).starts_with("x86_64"))
      options.features += ",-avx512bf16,-avxneconvert";
    return options;
  }();
  return host;
}

namespace {
class SimTarget : public Target {
public:
  SimTarget(std::string name, const GPUOptions &options)
      : Target(std::move(name)), facts(tg::getFacts(options)) {}

  std::string getCacheKey(const CompileFlags &flags) const override {
    return getName() + ";" + getHost().str() +
           (flags.flushSubnormals ? ";ftz" : "");
  }
  TargetFacts getFacts() const override { return facts; }
  void registerDialects(DialectRegistry &registry) const override {
    ::registerDialects(registry);
  }
  LaunchShape getLaunch(KernelOp kernel) const override {
    return getGroupLaunch(kernel, facts);
  }
  ArrayRef<CompileStage> getStages() const override {
    static constexpr CompileStage stages[] = {
        {"gpu", "functions of work items in the gpu dialect", 6},
        {"sim", "functions for the simulator", 7},
        {"mlir", "MLIR's LLVM dialect", 7},
        {"llvm", "LLVM IR after LLVM's passes", 6},
        {"asm", "assembly of the host", 7}};
    return stages;
  }
  FailureOr<std::vector<char>> compile(ArrayRef<KernelOp> kernels,
                                       const CompileFlags &flags,
                                       StageTexts *texts) const override;

private:
  TargetFacts facts;
};
} // namespace

FailureOr<std::vector<char>> SimTarget::compile(ArrayRef<KernelOp> kernels,
                                                const CompileFlags &flags,
                                                StageTexts *texts) const {
  if (kernels.empty())
    return std::vector<char>();
  MLIRContext *context = KernelOp(kernels.front()).getContext();
  loadCpuTarget(*context);
  context->getOrLoadDialect<amdgpu::AMDGPUDialect>();
  context->getOrLoadDialect<gpu::GPUDialect>();
  context->getOrLoadDialect<nvgpu::NVGPUDialect>();
  context->getOrLoadDialect<NVVM::NVVMDialect>();
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(context), "kernels");
  auto print = [&](StringRef stage) {
    if (!texts)
      return;
    if (auto text = texts->find(stage); text != texts->end()) {
      llvm::raw_string_ostream stream(text->second);
      module->print(stream);
    }
  };
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto functions =
      gpu::GPUModuleOp::create(builder, module->getLoc(), "kernels");
  for (KernelOp kernel : kernels) {
    builder.setInsertionPointToEnd(functions.getBody());
    if (failed(convertKernelToGPU(builder, kernel, facts)))
      return failure();
  }
  print("gpu");
  // As in code for GPUs, so that it is run, too.
  functions.walk([](gpu::GPUFuncOp func) {
    distributePermutations(func);
    carryBuffers(func);
  });
  if ((flags.verifyEach && failed(verify(*module))) ||
      failed(convertGPUToSim(*module)))
    return failure();
  print("sim");
  if (flags.verifyEach && failed(verify(*module)))
    return failure();
  PassManager passes(context);
  passes.enableVerifier(flags.verifyEach);
  if (!flags.reproducer.empty())
    passes.enableCrashReproducerGeneration(flags.reproducer);
  buildKernelToLLVMPipeline(passes);
  if (failed(passes.run(*module)))
    return failure();
  print("mlir");
  CpuCompileTimes times;
  return cpu::emitObject(*module, getHost(), flags, texts, times);
}

namespace mlir::tg {
TargetKind describeSimTarget() {
  return {"sim",
          [](StringRef name, std::string &error) -> std::unique_ptr<Target> {
            const std::optional<GPUOptions> options =
                parseGPUOptions(name, kDefaultChip, error);
            if (!options)
              return nullptr;
            return std::make_unique<SimTarget>(
                name.empty() ? std::string("sim") : "sim:" + options->str(),
                *options);
          },
          registerDialects};
}
} // namespace mlir::tg
