//===- Schedules.h - schedules of random graphs -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks the schedules of a graph's kernels without compiling or running them.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_SCHEDULES_H
#define TINYGRAD_TOOLS_TGFUZZ_SCHEDULES_H

#include "Checks.h"

namespace mlir::tg {

/// Compares the kernels of a graph for `options.schedulesFor` with what they
/// are after the steps of the heuristics, and after `options.randomSchedules`
/// lists of random steps (`tg-verify-schedules`). A module without graphs has
/// kernels of its own.
Outcome checkSchedules(ModuleOp module, const CheckOptions &options,
                       std::string &message);

/// Prints the kernels of a graph with the lists of `options.randomSchedules`
/// random schedules, or one, in parts as for tg-opt's -split-input-file.
LogicalResult printSchedules(ModuleOp module, const CheckOptions &options,
                             raw_ostream &os);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_SCHEDULES_H
