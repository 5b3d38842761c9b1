//===- ScheduleSteps.h - schedules as lists of steps ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What heuristics, searches and users do with the steps (`#tg.step`) from a
/// kernel to a scheduled kernel: ask whether a kernel admits one, apply a list,
/// and enumerate those that it admits.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_TRANSFORMS_SCHEDULESTEPS_H
#define TINYGRAD_DIALECT_TG_TRANSFORMS_SCHEDULESTEPS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// Whether \p kernel, as it is, admits a step: the step keeps what the kernel
/// computes, but for the order in which sums add up. If not, \p reason says
/// why.
LogicalResult canApply(KernelOp kernel, StepAttr step, std::string &reason);

/// Applies the steps one after the other, and lists them in the kernel's
/// `scheduled`, behind those that are there. If the kernel does not admit one
/// of them, or the last one leaves something to do, emits an error that names
/// the step and the reason; the kernel is then what it was.
LogicalResult applySteps(KernelOp kernel, ArrayRef<StepAttr> steps);

/// The steps that \p kernel admits, for a search: splits by powers of two and
/// by what divides an extent evenly up to 64, merges, moves of a range by one
/// place, reversals, the kinds of each range, ranges of their own for
/// reductions, tiles of each loaded or costly value along the ranges of a
/// reduction and of the result, and writes past the caches. Amounts and
/// combinations that are left out can be applied all the same. Takes about
/// quadratic time in the size of the kernel.
SmallVector<StepAttr> enumerateSteps(KernelOp kernel);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_SCHEDULESTEPS_H
