//===- ObjectLoader.h - linking object code into the process ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the CPU device: relocatable objects become code in memory.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_OBJECTLOADER_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_OBJECTLOADER_H

#include <cstddef>
#include <memory>
#include <string>

namespace tinygrad::detail {

/// One object file linked into the process, removed when destroyed.
class LoadedObject {
public:
  virtual ~LoadedObject();
  /// Address of an exported symbol. Throws CompileError if there is none, or
  /// if something the object refers to is not in this process.
  virtual void *lookup(const std::string &symbol) = 0;
};

/// Links position-independent object code of the host's format. Undefined
/// symbols come from the process (libc, libm) and from a few conversion
/// routines that compilers expect to be there. Throws CompileError when the
/// object is not valid. Thread-safe.
std::unique_ptr<LoadedObject> loadObject(const void *code, std::size_t bytes);

/// Target triple of the process.
std::string hostTriple();

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_OBJECTLOADER_H
