//===- ModuleLevel.h - the level of a module --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Recognizes how far a module has been compiled, so that what takes modules of
/// one level refuses those of others instead of leaving them as they are.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_MODULELEVEL_H
#define TINYGRAD_DIALECT_TG_UTILS_MODULELEVEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include <optional>

namespace mlir::tg {

/// The levels of a program.
enum class ModuleLevel {
  TensorGraph = 1,      ///< functions over tensors
  Kernels = 2,          ///< host programs, and kernels without a schedule
  ScheduledKernels = 3, ///< the same with schedules
  Functions = 4,        ///< kernels converted to functions of other dialects
};

/// The levels that an operation at the top of a module can belong to. A host
/// program looks the same at levels 2 and 3, as does a kernel without ranges.
struct LevelRange {
  ModuleLevel first, last;

  bool operator==(const LevelRange &) const = default;
};

/// The levels of an operation at the top of a module: of a `tg.kernel`, of a
/// function that contains operations of the dialect, or of one that a kernel
/// was converted to. None for everything else, which compilation ignores.
std::optional<LevelRange> getLevels(Operation *op);

/// Emits an error, which names the level found and the one needed, and returns
/// failure if
/// - something in the module is below the levels `needed`: it would be left
///   behind;
/// - something is above them, and nothing is at them: nothing would be done.
///
/// A module in which only some functions or kernels were compiled further is
/// accepted: the rest of it is still to be compiled. So is one without anything
/// to compile.
LogicalResult requireLevel(ModuleOp module, LevelRange needed);

/// The same for a single level.
LogicalResult requireLevel(ModuleOp module, ModuleLevel needed);

/// Whether the module has scheduled kernels and none that is still to be
/// scheduled.
bool isScheduled(ModuleOp module);

/// Emits the error of requireLevel() at an operation whose levels are `found`.
LogicalResult emitLevelError(Operation *op, LevelRange found,
                             LevelRange needed);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_MODULELEVEL_H
