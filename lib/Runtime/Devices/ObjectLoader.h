//===- ObjectLoader.h - linking object code into the process ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to devices that run code of the host: turns relocatable objects into
/// executable memory.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_OBJECTLOADER_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_OBJECTLOADER_H

#include <cstddef>
#include <memory>
#include <string>

namespace tinygrad::detail {

/// One linked object file. Destruction removes its code.
class LoadedObject {
public:
  virtual ~LoadedObject();
  /// The address of an exported symbol. Throws CompileError if there is none,
  /// or if the object refers to a symbol that this process does not have.
  virtual void *lookup(const std::string &symbol) = 0;
};

/// Links position-independent object code of the host's format. Undefined
/// symbols are resolved in the process (libc, libm), to a few conversion
/// routines that LLVM relies on, and to the functions of the simulator. Throws
/// CompileError for an invalid object. Thread-safe.
std::unique_ptr<LoadedObject> loadObject(const void *code, std::size_t bytes);

/// The target triple of the process.
std::string hostTriple();

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_OBJECTLOADER_H
