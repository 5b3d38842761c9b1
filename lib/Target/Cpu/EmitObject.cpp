//===- EmitObject.cpp - compiling LLVM's dialect to object code -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Translation to LLVM IR, optimization, code generation. Loops and vectors of
/// kernels already have their final form, so that LLVM's vectorizers and loop
/// unroller, which take most of the time of its standard pipelines, are left
/// out.
///
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <chrono>
#include <map>
#include <mutex>

using namespace mlir;
using namespace mlir::tg;

static constexpr llvm::StringLiteral kDefaultPasses =
    "always-inline,function(sroa,early-cse<memssa>,loop-mssa(licm),"
    "instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg)";

namespace {
class StageTimer {
public:
  explicit StageTimer(double &milliseconds) : milliseconds(milliseconds) {}
  ~StageTimer() {
    milliseconds += std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - start)
                        .count();
  }

private:
  double &milliseconds;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};
} // namespace

static llvm::CodeGenOptLevel getLevel(unsigned level) {
  switch (level) {
  case 0:
    return llvm::CodeGenOptLevel::None;
  case 1:
    return llvm::CodeGenOptLevel::Less;
  case 2:
    return llvm::CodeGenOptLevel::Default;
  default:
    return llvm::CodeGenOptLevel::Aggressive;
  }
}

namespace {
/// A pool of idle target machines, by options: creating one takes a tenth of
/// the time of compiling a small kernel, and two threads must not share one.
/// Never destroyed, because kernels may be compiled until the process exits,
/// even in destructors of static objects.
class MachinePool {
public:
  static MachinePool &get() {
    static MachinePool *pool = new MachinePool;
    return *pool;
  }

  std::unique_ptr<llvm::TargetMachine> take(const std::string &options) {
    std::lock_guard<std::mutex> lock(mutex);
    auto &machines = idle[options];
    return machines.empty() ? nullptr : machines.pop_back_val();
  }

  void giveBack(const std::string &options,
                std::unique_ptr<llvm::TargetMachine> machine) {
    std::lock_guard<std::mutex> lock(mutex);
    idle[options].push_back(std::move(machine));
  }

private:
  std::mutex mutex;
  std::map<std::string, llvm::SmallVector<std::unique_ptr<llvm::TargetMachine>>>
      idle;
};
} // namespace

void cpu::initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
  });
}

/// Creates a target machine, or returns null and an error.
static std::unique_ptr<llvm::TargetMachine>
getTargetMachine(const CpuTargetOptions &target, std::string &error) {
  cpu::initializeTargets();
  std::unique_ptr<llvm::TargetMachine> machine =
      MachinePool::get().take(target.str());
  if (machine)
    return machine;
  llvm::Triple triple(target.triple);
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return nullptr;
  llvm::TargetOptions options;
  // Multiplications and additions are fused only where the kernel says so.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  machine.reset(found->createTargetMachine(
      triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, getLevel(target.codegenLevel), /*JIT=*/false));
  if (!machine)
    error = "no code can be made for " + target.triple;
  return machine;
}

static void setAttributes(llvm::Module &module,
                          const CpuTargetOptions &target) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    if (target.preferVectorWidth)
      function.addFnAttr("prefer-vector-width",
                         std::to_string(target.preferVectorWidth));
  }
}

static LogicalResult optimize(llvm::Module &module,
                              llvm::TargetMachine *machine,
                              const CpuTargetOptions &target,
                              std::string &error) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cgscc;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cgscc);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cgscc, modules);
  llvm::ModulePassManager passes;
  StringRef pipeline =
      target.llvmPasses.empty() ? StringRef(kDefaultPasses) : target.llvmPasses;
  if (llvm::Error failed = builder.parsePassPipeline(passes, pipeline)) {
    error = "'" + pipeline.str() + "' is not a pipeline of LLVM passes: " +
            llvm::toString(std::move(failed));
    return failure();
  }
  passes.run(module, modules);
  cpu::avoidMiscompilations(module, target);
  return success();
}

/// Runs the code generator, which modifies the module.
static LogicalResult generate(llvm::Module &module,
                              llvm::TargetMachine *machine,
                              llvm::CodeGenFileType type,
                              llvm::SmallVectorImpl<char> &output) {
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, type))
    return failure();
  passes.run(module);
  return success();
}

FailureOr<std::vector<char>> cpu::emitObject(ModuleOp module,
                                             const CpuTargetOptions &target,
                                             StageTexts *texts,
                                             CpuCompileTimes &times) {
  auto findText = [&](StringRef stage) -> std::string * {
    if (!texts)
      return nullptr;
    auto text = texts->find(stage);
    return text == texts->end() ? nullptr : &text->second;
  };
  std::string error;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule;
  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::scope_exit giveBack([&] {
    if (machine)
      MachinePool::get().giveBack(target.str(), std::move(machine));
  });
  {
    StageTimer timer(times.translate);
    machine = getTargetMachine(target, error);
    if (!machine)
      return module.emitError("cannot compile for the CPU: ") << error;
    llvmModule = translateModuleToLLVMIR(module, context, "kernels",
                                         /*disableVerification=*/true);
    if (!llvmModule)
      return module.emitError("cannot be translated to LLVM IR");
    llvmModule->setTargetTriple(machine->getTargetTriple());
    llvmModule->setDataLayout(machine->createDataLayout());
    setAttributes(*llvmModule, target);
  }
  {
    StageTimer timer(times.optimize);
    if (failed(optimize(*llvmModule, machine.get(), target, error)))
      return module.emitError("cannot compile for the CPU: ") << error;
  }
  if (std::string *llvmIR = findText("llvm")) {
    llvm::raw_string_ostream stream(*llvmIR);
    llvmModule->print(stream, nullptr);
  }
  if (std::string *assembly = findText("asm")) {
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*llvmModule);
    llvm::SmallString<0> text;
    if (failed(generate(*copy, machine.get(),
                        llvm::CodeGenFileType::AssemblyFile, text)))
      return module.emitError("no assembly text can be made for ")
             << target.triple;
    *assembly += text.str();
  }
  StageTimer timer(times.codegen);
  llvm::SmallVector<char, 0> bytes;
  if (failed(generate(*llvmModule, machine.get(),
                      llvm::CodeGenFileType::ObjectFile, bytes)))
    return module.emitError("no object file can be made for ") << target.triple;
  return std::vector<char>(bytes.begin(), bytes.end());
}
