//===- ExamineSchedule.h - a kernel and its schedule ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares a scheduled kernel with what it was before its steps.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_VALIDATE_EXAMINESCHEDULE_H
#define TINYGRAD_DIALECT_TG_VALIDATE_EXAMINESCHEDULE_H

#include "TinyGrad/Dialect/Tg/Validate/CompareKernels.h"

namespace mlir::tg {

/// What was found about the schedule of a kernel.
struct ScheduleFinding {
  Verdict verdict;
  /// The number of steps after which it differs.
  size_t step = 0;
  uint64_t parts = 0; ///< how many beginnings of the list were compared
};

/// Compares \p kernel with \p scheduled, the same kernel after the steps that
/// its `scheduled` lists, and with itself after each beginning of this list
/// that is complete. The scheduled one is in a module, which names the target.
ScheduleFinding examineSchedule(KernelOp kernel, KernelOp scheduled);

/// Emits an error about a kernel that was found to differ, with a note that has
/// the list. Writes the kernel and the list to \p reproducer, from which the
/// pass tg-verify-schedules repeats it, unless that is empty; another note
/// names the file.
void emitDifference(KernelOp kernel, KernelOp scheduled,
                    const ScheduleFinding &finding, StringRef reproducer);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_VALIDATE_EXAMINESCHEDULE_H
