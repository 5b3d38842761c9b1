//===- CodeLoader.h - loading code of the host ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How devices that run code of the host make it executable. The runtime loads
/// shared objects by itself (those of artifacts). Relocatable objects, which
/// the compiler makes of single kernels, are linked by a library that uses
/// LLVM, TinyGradHostJit: it registers itself in every program that links it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_CODELOADER_H
#define TINYGRAD_RUNTIME_CODELOADER_H

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tinygrad {

/// Code in executable memory. Destruction removes it.
class LoadedCode {
public:
  virtual ~LoadedCode();
  /// The address of an exported symbol. Throws CompileError if there is none,
  /// or if the code refers to a symbol that this process does not have.
  virtual void *lookup(const std::string &symbol) = 0;
};

/// What links relocatable objects. All methods are thread-safe.
class CodeLoader {
public:
  virtual ~CodeLoader();
  /// Links position-independent object code of the host's format. Throws
  /// CompileError for an invalid object.
  virtual std::unique_ptr<LoadedCode> load(const void *code,
                                           std::size_t bytes) = 0;
  /// Throws DeviceError, which mentions MCPU, if \p processor is not known or
  /// the host lacks some of its instructions.
  virtual void checkProcessor(const std::string &processor) = 0;
};

/// Registers the loader of the process, which has to live as long as that.
class CodeLoaderRegistration {
public:
  explicit CodeLoaderRegistration(CodeLoader &loader);
};

/// A function of the runtime or of the C library that code of kernels may call.
struct KernelFunction {
  const char *name;
  void *address;
};

/// All of them. Code refers to them by name; a shared object that exports a
/// pointer with the name getImportName() finds the address there.
const std::vector<KernelFunction> &kernelFunctions();

/// The name of the pointer to a function that a shared object leaves to the
/// runtime.
std::string getImportName(const std::string &function);

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_CODELOADER_H
