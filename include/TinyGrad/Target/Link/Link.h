//===- Link.h - shared objects ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Links object files.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_LINK_LINK_H
#define TINYGRAD_TARGET_LINK_LINK_H

#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace mlir::tg {

/// Links object files to a shared object, with further arguments for LLVM's
/// linker. Returns the reason if that fails.
FailureOr<std::vector<char>> linkShared(ArrayRef<ArrayRef<char>> objects,
                                        ArrayRef<std::string> arguments,
                                        std::string &error);

} // namespace mlir::tg

#endif // TINYGRAD_TARGET_LINK_LINK_H
