//===- tg-test-print-c.cpp - LLVM IR as C, for tests ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tg-test-print-c file.ll` prints the module in C. Its functions are static,
/// but for those that begin with `main`, which are declared as
/// `int NAME(void *p0, ...)`, with a pointer for each parameter.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Target/C/PrintC.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 1;
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseIRFile(argv[1], diagnostic, context);
  if (!module) {
    diagnostic.print(argv[0], llvm::errs());
    return 1;
  }
  mlir::tg::PrintCOptions options;
  options.name = "test";
  for (const llvm::Function &function : *module) {
    if (!function.getName().starts_with("main"))
      continue;
    mlir::tg::PrintCOptions::Declaration declaration;
    declaration.text = "int " + function.getName().str() + "(";
    for (unsigned i = 0; i < function.arg_size(); ++i) {
      declaration.parameters.push_back("p" + std::to_string(i));
      declaration.text += (i ? ", void *p" : "void *p") + std::to_string(i);
    }
    declaration.text += function.arg_empty() ? "void)" : ")";
    options.declarations[function.getName()] = std::move(declaration);
  }
  mlir::tg::PrintCError error;
  const std::optional<std::string> text =
      mlir::tg::printC(*module, options, error);
  if (!text) {
    llvm::errs() << "error: '" << error.function << "' has " << error.reason
                 << "\n";
    return 1;
  }
  llvm::outs() << *text;
  return 0;
}
