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
/// other list begins with steps of a heuristic. Emits an error if a step that
/// was reported as admitted cannot be applied.
LogicalResult setRandomSchedule(KernelOp kernel, uint64_t seed);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_RANDOMSCHEDULE_H
