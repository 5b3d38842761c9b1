//===- ScheduleSteps.h - schedules as lists of steps ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface for heuristics, searches and users of the steps (`#tg.step`)
/// from a kernel to a scheduled kernel: check whether a kernel admits a step,
/// apply a list, and enumerate the steps that it admits.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_TRANSFORMS_SCHEDULESTEPS_H
#define TINYGRAD_DIALECT_TG_TRANSFORMS_SCHEDULESTEPS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

#include <optional>
#include <string>

namespace mlir::tg {

/// Whether \p kernel, as it is, admits a step: the step preserves what the
/// kernel computes, except for the order in which sums add up. If not, \p
/// reason says why.
LogicalResult canApply(KernelOp kernel, StepAttr step, std::string &reason);

/// Applies the steps one after the other, and appends them to the kernel's
/// `scheduled`. If the kernel does not admit one of them, or the last one
/// leaves something unfinished, restores the kernel and emits an error with the
/// step and the reason. Between two steps, the kernel may need larger groups,
/// or more of their memory, than the target has.
LogicalResult applySteps(KernelOp kernel, ArrayRef<StepAttr> steps);

/// Applies steps that the kernel, which may be in no module, is known to admit,
/// such as the list in `scheduled` of a copy. Calls \p visit after each with
/// how many were applied, and whether these leave nothing unfinished; ends
/// where it returns false.
void visitSteps(KernelOp kernel, const TargetFacts &target,
                ArrayRef<StepAttr> steps,
                function_ref<bool(size_t count, bool isComplete)> visit);

/// How many schedules tg-optimize-kernels has for a target, see its option
/// `first-schedule`.
unsigned countSchedules(const TargetFacts &target);

/// Steps that are applied together: mostly one, but some leave something
/// unfinished, such as a tile with padded rows without a split.
using StepList = SmallVector<StepAttr, 1>;

/// What \p kernel admits next, for a search: of all kinds of steps, or of one.
/// Splits are by powers of two, and by and into divisors of an extent up to 64;
/// ranges move by one place, or to either end; bands have 2, 3, 8 or all
/// positions; tiles of loaded or costly values are along one range or along one
/// of a reduction and one of the result, those of other values along all
/// ranges. Together with the step before them are proposed: the split of padded
/// rows; what `skip_masked` needs (lanes, a tile and `check_finite`); the
/// buffers that copies of boxes fill for both factors of a sum. Other amounts
/// and combinations can still be applied. Takes about quadratic time in the
/// size of the kernel, but cubic time for windows and skipped products.
SmallVector<StepList>
enumerateSteps(KernelOp kernel, std::optional<StepKind> kind = std::nullopt);

/// Whether copies of boxes fill a tile of a scheduled kernel (the step `buffer
/// ... as tma`).
bool hasBoxTiles(KernelOp kernel);

/// Changes a scheduled kernel, which may be in no module: the items of a group
/// fill the tiles that copies of boxes do, with as many groups, items, and no
/// more memory. Returns why that cannot be, and the kernel is of no use then;
/// none if it can. Results have the same bits.
std::optional<std::string> fillWithoutBoxes(KernelOp kernel,
                                            const TargetFacts &target);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_SCHEDULESTEPS_H
