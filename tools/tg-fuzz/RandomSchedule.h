//===- RandomSchedule.h - random schedules of kernels -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Schedules that no heuristic would choose: an admitted step must be correct
/// after any other steps.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_RANDOMSCHEDULE_H
#define TINYGRAD_TOOLS_TGFUZZ_RANDOMSCHEDULE_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// Gives the kernel a list (`schedule`) of up to ten admitted steps. Every
/// other list begins with steps of a heuristic. For GPUs, both are so only if
/// the list is compared (`tg-verify-schedules`) or proved: if its code
/// \p isExecuted, the steps are those of loops, kinds of ranges, and tiles
/// along one range. Emits an error if a step that was reported as admitted
/// cannot be applied.
LogicalResult setRandomSchedule(KernelOp kernel, uint64_t seed,
                                bool isExecuted = false);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_RANDOMSCHEDULE_H
