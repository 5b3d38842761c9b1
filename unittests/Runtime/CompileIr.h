//===- CompileIr.h - object code from LLVM IR text --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Generates object code for the runtime's tests and benchmarks.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_RUNTIME_COMPILEIR_H
#define TINYGRAD_UNITTESTS_RUNTIME_COMPILEIR_H

#include <string>
#include <vector>

namespace tinygrad::testing {

/// Compiles LLVM IR text for a generic CPU of the host's architecture. Throws
/// std::runtime_error.
std::vector<char> compileIr(const std::string &text);

/// Compiles LLVM IR text for a GPU: to PTX for "sm_90", to a linked code object
/// for "gfx942". Throws std::runtime_error.
std::vector<char> compileIrForGPU(const std::string &text,
                                  const std::string &chip);

} // namespace tinygrad::testing

#endif // TINYGRAD_UNITTESTS_RUNTIME_COMPILEIR_H
