//===- RandomSchedule.h - kernels with arbitrary schedules ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Schedules that no heuristic would choose: what a step admits has to be right
/// after any other steps.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_RANDOMSCHEDULE_H
#define TINYGRAD_TOOLS_TGFUZZ_RANDOMSCHEDULE_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// Gives the kernel a list (`schedule`) of up to ten steps, each of which it
/// admits. Fails, with an error, if a step that was said to be admitted is not.
LogicalResult setRandomSchedule(KernelOp kernel, uint64_t seed);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_RANDOMSCHEDULE_H
