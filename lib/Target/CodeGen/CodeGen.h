//===- CodeGen.h - from LLVM's dialect to code ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM's passes and code generators, for all targets that use them.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TARGET_CODEGEN_CODEGEN_H
#define TINYGRAD_LIB_TARGET_CODEGEN_CODEGEN_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CodeGen.h"

#include <memory>
#include <string>
#include <utility>

namespace llvm {
class Module;
class Pass;
class Target;
class TargetMachine;
class Triple;
} // namespace llvm

namespace mlir::tg::codegen {

/// A processor, and the effort to make for it.
struct Processor {
  std::string triple;
  std::string cpu;
  /// In LLVM's syntax: "+avx2,-avx512f".
  std::string features;
  /// 0 to 3.
  unsigned level = 1;
};

/// Registers all of LLVM's code generators that are linked into the program:
/// those of LLVM's shared library, or those that a static link asked for.
void initializeTargets();

/// LLVM's description of an architecture, after initializeTargets(). Null, and
/// an error that names those that there are, if it is not linked in.
const llvm::Target *lookupArchitecture(const llvm::Triple &triple,
                                       std::string &error);

/// A target machine. They are kept for reuse: creating one takes a tenth of the
/// time of compiling a small kernel. Two threads never share one.
class Machine {
public:
  /// None, and an error, if the program has no code generator for the
  /// processor.
  static FailureOr<Machine> create(const Processor &processor,
                                   std::string &error);
  Machine(Machine &&) = default;
  Machine &operator=(Machine &&other) {
    std::swap(key, other.key);
    std::swap(machine, other.machine);
    return *this;
  }
  ~Machine();

  llvm::TargetMachine *get() const { return machine.get(); }
  llvm::TargetMachine *operator->() const { return machine.get(); }

private:
  Machine(std::string key, std::unique_ptr<llvm::TargetMachine> machine);

  std::string key;
  std::unique_ptr<llvm::TargetMachine> machine;
};

/// Makes a module ready for the machine: its layout, and the processor as an
/// attribute of all functions.
void setProcessor(llvm::Module &module, const Machine &machine);

/// Runs LLVM's passes, given as text.
LogicalResult runPasses(llvm::Module &module, const Machine &machine,
                        StringRef pipeline, std::string &error);

/// Runs the code generator, which modifies the module. \p last is run on the
/// functions when their machine code is complete.
LogicalResult generate(llvm::Module &module, const Machine &machine,
                       llvm::CodeGenFileType type,
                       llvm::SmallVectorImpl<char> &output,
                       llvm::Pass *last = nullptr);

} // namespace mlir::tg::codegen

#endif // TINYGRAD_LIB_TARGET_CODEGEN_CODEGEN_H
