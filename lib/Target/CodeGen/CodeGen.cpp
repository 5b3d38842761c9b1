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
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
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

// LLVM's functions that register its code generators. Weak: LLVM's shared
// library has them all; a program that links its archives only has those that
// the link asks for (cmake/TinyGradStatic.cmake), and the others are null.
extern "C" {
#define LLVM_TARGET(NAME)                                                      \
  [[gnu::weak]] void LLVMInitialize##NAME##TargetInfo();                       \
  [[gnu::weak]] void LLVMInitialize##NAME##Target();                           \
  [[gnu::weak]] void LLVMInitialize##NAME##TargetMC();
#include "llvm/Config/Targets.def"
#define LLVM_ASM_PRINTER(NAME)                                                 \
  [[gnu::weak]] void LLVMInitialize##NAME##AsmPrinter();
#include "llvm/Config/AsmPrinters.def"
#define LLVM_ASM_PARSER(NAME)                                                  \
  [[gnu::weak]] void LLVMInitialize##NAME##AsmParser();
#include "llvm/Config/AsmParsers.def"
}

static void callIfLinked(void (*initialize)()) {
  if (initialize)
    initialize();
}

void codegen::initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
#define LLVM_TARGET(NAME)                                                      \
  callIfLinked(LLVMInitialize##NAME##TargetInfo);                              \
  callIfLinked(LLVMInitialize##NAME##Target);                                  \
  callIfLinked(LLVMInitialize##NAME##TargetMC);
#include "llvm/Config/Targets.def"
#define LLVM_ASM_PRINTER(NAME) callIfLinked(LLVMInitialize##NAME##AsmPrinter);
#include "llvm/Config/AsmPrinters.def"
#define LLVM_ASM_PARSER(NAME) callIfLinked(LLVMInitialize##NAME##AsmParser);
#include "llvm/Config/AsmParsers.def"
  });
}

const llvm::Target *codegen::lookupArchitecture(const llvm::Triple &triple,
                                                std::string &error) {
  initializeTargets();
  std::string ignored;
  if (const llvm::Target *found =
          llvm::TargetRegistry::lookupTarget(triple, ignored))
    return found;
  SmallVector<StringRef> names;
  for (const llvm::Target &target : llvm::TargetRegistry::targets())
    names.push_back(target.getName());
  llvm::sort(names);
  error = "this program has no code generator for " +
          triple.getArchName().str() +
          "; LLVM's code generators in it: " + llvm::join(names, ", ");
  return nullptr;
}

Machine::Machine(std::string key, std::unique_ptr<llvm::TargetMachine> machine)
    : key(std::move(key)), machine(std::move(machine)) {}

Machine::~Machine() {
  if (machine)
    MachinePool::get().giveBack(key, std::move(machine));
}

FailureOr<Machine> Machine::create(const Processor &processor,
                                   std::string &error) {
  std::string key = processor.triple + ";" + processor.cpu + ";" +
                    processor.features + ";" + std::to_string(processor.level);
  std::unique_ptr<llvm::TargetMachine> machine = MachinePool::get().take(key);
  if (!machine) {
    llvm::Triple triple(processor.triple);
    const llvm::Target *found = lookupArchitecture(triple, error);
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
