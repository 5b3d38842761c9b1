//===- Link.h - code objects for AMD's GPUs ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Links object files.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TARGET_AMD_LINK_H
#define TINYGRAD_LIB_TARGET_AMD_LINK_H

#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace mlir::tg::amd {

/// Makes an object file a code object: a shared object, which AMD's runtimes
/// load. Returns the reason if that fails.
FailureOr<std::vector<char>> link(ArrayRef<char> object, std::string &error);

} // namespace mlir::tg::amd

#endif // TINYGRAD_LIB_TARGET_AMD_LINK_H
