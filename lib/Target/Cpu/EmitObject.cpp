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

#include "../CodeGen/CodeGen.h"
#include "Backend.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <chrono>

using namespace mlir;
using namespace mlir::tg;

static constexpr llvm::StringLiteral kDefaultPasses =
    "always-inline,function(sroa,early-cse<memssa>,loop-mssa(licm),"
    "instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg)";

/// What is the same in each turn of a loop is computed once.
static constexpr llvm::StringLiteral kPassesAfterExpansion =
    "function(early-cse,loop-mssa(licm))";

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

static LogicalResult optimize(llvm::Module &module,
                              const codegen::Machine &machine,
                              const CpuTargetOptions &target,
                              std::string &error) {
  StringRef pipeline =
      target.llvmPasses.empty() ? StringRef(kDefaultPasses) : target.llvmPasses;
  if (failed(codegen::runPasses(module, machine, pipeline, error)))
    return failure();
  cpu::avoidMiscompilations(module, target);
  return success();
}

LogicalResult cpu::linkBitcode(llvm::Module &module, ArrayRef<char> bitcode,
                               std::string &error) {
  llvm::Expected<std::unique_ptr<llvm::Module>> parsed = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(StringRef(bitcode.data(), bitcode.size()),
                            "bitcode"),
      module.getContext());
  if (!parsed) {
    error = llvm::toString(parsed.takeError());
    return failure();
  }
  llvm::Module &added = **parsed;
  added.setTargetTriple(module.getTargetTriple());
  added.setDataLayout(module.getDataLayout());
  // Which options it was compiled with, and by which compiler.
  for (StringRef name : {"llvm.module.flags", "llvm.ident"})
    if (llvm::NamedMDNode *list = added.getNamedMetadata(name))
      added.eraseNamedMetadata(list);
  SmallVector<std::string> names;
  for (llvm::Function &function : added) {
    for (StringRef attribute : {"target-cpu", "target-features", "tune-cpu"})
      function.removeFnAttr(attribute);
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      names.push_back(function.getName().str());
  }
  if (llvm::Linker::linkModules(module, std::move(*parsed))) {
    error = "its names are those of other things";
    return failure();
  }
  for (const std::string &name : names)
    module.getFunction(name)->setLinkage(llvm::GlobalValue::InternalLinkage);
  return success();
}

/// Attributes of all functions for the code generator.
static void prepareFunctions(llvm::Module &module,
                             const codegen::Machine &machine,
                             const CpuTargetOptions &target,
                             const CompileFlags &flags) {
  codegen::setProcessor(module, machine);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    // The stacks of a library's callers may be small: their end is met by the
    // guard page behind it, and not stepped over.
    if (!flags.mayAllocate)
      function.addFnAttr("probe-stack", "inline-asm");
    if (target.preferVectorWidth)
      function.addFnAttr("prefer-vector-width",
                         std::to_string(target.preferVectorWidth));
  }
}

/// Leaves nothing that the processor does not have to other libraries.
static LogicalResult completeCode(llvm::Module &module,
                                  const codegen::Machine &machine,
                                  const CpuTargetOptions &target,
                                  const CompileFlags &flags,
                                  std::string &error) {
  const bool hasPolynomials = cpu::expandPolynomials(module, target);
  bool isExpanded = false;
  if (failed(cpu::expandArithmetic(module, target, isExpanded, error)))
    return failure();
  if (!isExpanded && !hasPolynomials)
    return success();
  prepareFunctions(module, machine, target, flags);
  return codegen::runPasses(module, machine, kPassesAfterExpansion, error);
}

/// Translates the module and runs LLVM's passes.
static FailureOr<std::unique_ptr<llvm::Module>>
makeIR(ModuleOp module, const CpuTargetOptions &target,
       const CompileFlags &flags, llvm::LLVMContext &context,
       FailureOr<codegen::Machine> &machine, CpuCompileTimes &times,
       ArrayRef<char> bitcode = {}) {
  std::string error;
  std::unique_ptr<llvm::Module> llvmModule;
  {
    StageTimer timer(times.translate);
    machine = codegen::Machine::create(
        {target.triple, target.cpu, target.features, target.codegenLevel},
        error);
    if (failed(machine))
      return module.emitError("cannot compile for the CPU: ") << error;
    llvmModule = translateModuleToLLVMIR(module, context, "kernels",
                                         /*disableVerification=*/true);
    if (!llvmModule)
      return module.emitError("cannot be translated to LLVM IR");
    if (!bitcode.empty() &&
        failed(cpu::linkBitcode(*llvmModule, bitcode, error)))
      return module.emitError("cannot be linked with bitcode: ") << error;
    prepareFunctions(*llvmModule, *machine, target, flags);
    if (flags.flushSubnormals &&
        failed(cpu::flushSubnormals(*llvmModule, target, error)))
      return emitError(module.getLoc(), "cannot compile for the CPU: ")
             << error;
  }
  StageTimer timer(times.optimize);
  if (failed(optimize(*llvmModule, *machine, target, error)))
    return module.emitError("cannot compile for the CPU: ") << error;
  return llvmModule;
}

FailureOr<std::unique_ptr<llvm::Module>>
cpu::emitIR(ModuleOp module, const CpuTargetOptions &target,
            const CompileFlags &flags, llvm::LLVMContext &context) {
  FailureOr<codegen::Machine> machine = failure();
  CpuCompileTimes times;
  FailureOr<std::unique_ptr<llvm::Module>> ir =
      makeIR(module, target, flags, context, machine, times);
  std::string error;
  // Functions that were inlined everywhere.
  if (succeeded(ir) &&
      failed(codegen::runPasses(**ir, *machine, "globaldce", error)))
    return module.emitError("cannot compile for the CPU: ") << error;
  return ir;
}

FailureOr<std::vector<char>>
cpu::emitObject(ModuleOp module, const CpuTargetOptions &target,
                const CompileFlags &flags, StageTexts *texts,
                CpuCompileTimes &times, CodeCounter *counter,
                ArrayRef<char> bitcode) {
  auto findText = [&](StringRef stage) -> std::string * {
    if (!texts)
      return nullptr;
    auto text = texts->find(stage);
    return text == texts->end() ? nullptr : &text->second;
  };
  llvm::LLVMContext context;
  FailureOr<codegen::Machine> machine = failure();
  FailureOr<std::unique_ptr<llvm::Module>> made =
      makeIR(module, target, flags, context, machine, times, bitcode);
  if (failed(made))
    return failure();
  std::unique_ptr<llvm::Module> llvmModule = std::move(*made);
  {
    StageTimer timer(times.optimize);
    std::string error;
    if (failed(completeCode(*llvmModule, *machine, target, flags, error)))
      return module.emitError("cannot compile for the CPU: ") << error;
  }
  if (std::string *llvmIR = findText("llvm")) {
    llvm::raw_string_ostream stream(*llvmIR);
    llvmModule->print(stream, nullptr);
  }
  if (std::string *assembly = findText("asm")) {
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*llvmModule);
    llvm::SmallString<0> text;
    if (failed(codegen::generate(*copy, *machine,
                                 llvm::CodeGenFileType::AssemblyFile, text)))
      return module.emitError("no assembly text can be made for ")
             << target.triple;
    *assembly += text.str();
  }
  StageTimer timer(times.codegen);
  llvm::SmallVector<char, 0> bytes;
  if (failed(codegen::generate(
          *llvmModule, *machine, llvm::CodeGenFileType::ObjectFile, bytes,
          counter ? createCountCodePass(*counter) : nullptr)))
    return module.emitError("no object file can be made for ") << target.triple;
  return std::vector<char>(bytes.begin(), bytes.end());
}
