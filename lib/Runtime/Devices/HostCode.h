//===- HostCode.h - code of the host ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to devices that run code of the host: makes shared and relocatable
/// objects executable, and tells what the processor has.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_HOSTCODE_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_HOSTCODE_H

#include "TinyGrad/Runtime/CodeLoader.h"

#include <string_view>

namespace tinygrad::detail {

/// Loads a shared object by the system's loader, a relocatable object by the
/// registered one. Throws CompileError if it is neither, or there is no
/// registered loader. Thread-safe.
std::unique_ptr<LoadedCode> loadHostCode(const void *code, std::size_t bytes);

/// Whether there is a registered loader: this program has the compiler.
bool hasCodeLoader();

/// What code for a processor is checked by, as CodeLoader::checkProcessor;
/// without a registered loader nothing is compiled, and nothing checked.
void checkHostRuns(const std::string &processor);

/// The architecture of the process, as in a target triple: "x86_64".
std::string_view hostArchitecture();
/// A triple of the process.
std::string hostTriple();

/// Whether the processor, and the system, have what LLVM calls so ("avx2"). Of
/// x86-64; false for names that Support/ProcessorFeatures.h does not have.
bool hostHasFeature(std::string_view name);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_HOSTCODE_H
