//===- MergeSteps.h - one host program for a step ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Host programs of steps from those of their programs.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_EXPORT_MERGESTEPS_H
#define TINYGRAD_LIB_EXPORT_MERGESTEPS_H

#include "TinyGrad/Export/Step.h"

#include "llvm/ADT/StringMap.h"

namespace tinygrad::detail {

/// Adds the programs of the steps to a module, a function for each. Variables
/// with fixed values get names of their own, which \p fixed maps to the values.
/// Throws CompileError.
void addPrograms(mlir::ModuleOp module, const std::vector<LibraryStep> &steps,
                 llvm::StringMap<int64_t> &fixed);

/// Replaces the host programs of these functions, after scheduling, by one for
/// each step. Intermediates of all programs of a step share memory.
void mergeSteps(mlir::ModuleOp module, const std::vector<LibraryStep> &steps,
                llvm::StringRef device);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_EXPORT_MERGESTEPS_H
