//===- CompileIr.cpp - object code from LLVM IR text ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs LLVM's code generator on a module in text form.
///
//===----------------------------------------------------------------------===//

#include "CompileIr.h"
#include "TinyGrad/Target/Link/Link.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <memory>
#include <stdexcept>

using namespace llvm;

static std::vector<char> compile(const std::string &text, const Triple &triple,
                                 const std::string &cpu,
                                 CodeGenFileType fileType) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(text, diagnostic, context);
  if (!module)
    throw std::runtime_error(diagnostic.getMessage().str());
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    throw std::runtime_error(error);
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, cpu, "", TargetOptions(), Reloc::PIC_));
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  SmallVector<char, 0> object;
  raw_svector_ostream stream(object);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, fileType))
    throw std::runtime_error("no such files on this target");
  passes.run(*module);
  return {object.begin(), object.end()};
}

std::vector<char> tinygrad::testing::compileIr(const std::string &text) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  return compile(text, Triple(sys::getDefaultTargetTriple()), "",
                 CodeGenFileType::ObjectFile);
}

/// Links an object file for an AMD GPU.
static std::vector<char> link(const std::vector<char> &object) {
  std::string reason;
  mlir::FailureOr<std::vector<char>> linked =
      mlir::tg::linkShared(ArrayRef<char>(object), {}, reason);
  if (failed(linked))
    throw std::runtime_error("cannot link: " + reason);
  return *linked;
}

std::vector<char> tinygrad::testing::compileIrForGPU(const std::string &text,
                                                     const std::string &chip) {
  if (StringRef(chip).starts_with("sm_")) {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return compile(text, Triple("nvptx64-nvidia-cuda"), chip,
                   CodeGenFileType::AssemblyFile);
  }
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmPrinter();
  return link(compile(text, Triple("amdgcn-amd-amdhsa"), chip,
                      CodeGenFileType::ObjectFile));
}
