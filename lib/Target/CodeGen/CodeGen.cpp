//===- CodeGen.cpp - from LLVM's dialect to code --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Target machines, passes and code generation.
///
//===----------------------------------------------------------------------===//

#include "CodeGen.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <map>
#include <mutex>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::codegen;

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
/// Idle target machines, by processor. Never destroyed, because kernels may be
/// compiled until the process exits, even in destructors of static objects.
class MachinePool {
public:
  static MachinePool &get() {
    static MachinePool *pool = new MachinePool;
    return *pool;
  }

  std::unique_ptr<llvm::TargetMachine> take(const std::string &key) {
    std::lock_guard<std::mutex> lock(mutex);
    auto &machines = idle[key];
    return machines.empty() ? nullptr : machines.pop_back_val();
  }

  void giveBack(const std::string &key,
                std::unique_ptr<llvm::TargetMachine> machine) {
    std::lock_guard<std::mutex> lock(mutex);
    idle[key].push_back(std::move(machine));
  }

private:
  std::mutex mutex;
  std::map<std::string, llvm::SmallVector<std::unique_ptr<llvm::TargetMachine>>>
      idle;
};
} // namespace

void codegen::initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
  });
}

Machine::Machine(std::string key, std::unique_ptr<llvm::TargetMachine> machine)
    : key(std::move(key)), machine(std::move(machine)) {}

Machine::~Machine() {
  if (machine)
    MachinePool::get().giveBack(key, std::move(machine));
}

FailureOr<Machine> Machine::create(const Processor &processor,
                                   std::string &error) {
  initializeTargets();
  std::string key = processor.triple + ";" + processor.cpu + ";" +
                    processor.features + ";" + std::to_string(processor.level);
  std::unique_ptr<llvm::TargetMachine> machine = MachinePool::get().take(key);
  if (!machine) {
    llvm::Triple triple(processor.triple);
    const llvm::Target *found =
        llvm::TargetRegistry::lookupTarget(triple, error);
    if (!found)
      return failure();
    llvm::TargetOptions options;
    // Multiplications and additions are fused only where the kernel says so.
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    machine.reset(found->createTargetMachine(
        triple, processor.cpu, processor.features, options, llvm::Reloc::PIC_,
        llvm::CodeModel::Small, getLevel(processor.level), /*JIT=*/false));
  }
  if (!machine) {
    error = "no code can be made for " + processor.triple;
    return failure();
  }
  return Machine(std::move(key), std::move(machine));
}

void codegen::setProcessor(llvm::Module &module, const Machine &machine) {
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("target-cpu", machine->getTargetCPU());
    function.addFnAttr("target-features", machine->getTargetFeatureString());
  }
}

LogicalResult codegen::runPasses(llvm::Module &module, const Machine &machine,
                                 StringRef pipeline, std::string &error) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cgscc;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cgscc);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cgscc, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error failed = builder.parsePassPipeline(passes, pipeline)) {
    error = "'" + pipeline.str() + "' is not a pipeline of LLVM passes: " +
            llvm::toString(std::move(failed));
    return failure();
  }
  passes.run(module, modules);
  return success();
}

LogicalResult codegen::generate(llvm::Module &module, const Machine &machine,
                                llvm::CodeGenFileType type,
                                llvm::SmallVectorImpl<char> &output,
                                llvm::Pass *last) {
  std::unique_ptr<llvm::Pass> owned(last);
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  if (!last) {
    if (machine->addPassesToEmitFile(passes, stream, nullptr, type))
      return failure();
  } else {
    // What addPassesToEmitFile does, with one pass more.
    auto *info = new llvm::MachineModuleInfoWrapperPass(machine.get());
    llvm::TargetPassConfig *config = machine->createPassConfig(passes);
    config->setDisableVerify(true);
    passes.add(config);
    passes.add(info);
    if (config->addISelPasses())
      return failure();
    config->addMachinePasses();
    config->setInitialized();
    passes.add(owned.release());
    if (machine->addAsmPrinter(passes, stream, nullptr, type,
                               info->getMMI().getContext()))
      return failure();
    passes.add(llvm::createFreeMachineFunctionPass());
  }
  passes.run(module);
  return success();
}
