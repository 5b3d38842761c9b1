//===- ResidentGroups.h - groups that code has registers for ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The number of groups that are resident at once is a bound for the registers
/// of an item. It is lowered where the code needs more registers than it
/// leaves.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TARGET_GPU_RESIDENTGROUPS_H
#define TINYGRAD_LIB_TARGET_GPU_RESIDENTGROUPS_H

#include "TinyGrad/Support/GPUChips.h"
#include "TinyGrad/Support/Occupancy.h"

namespace llvm {
class Function;
} // namespace llvm

namespace mlir::tg {

/// The most registers of 32 bits whose values are live at once, in the order of
/// the code as it is.
int64_t countLiveRegisters(const llvm::Function &function);

/// Lowers the number of groups of \p items work items, for which a kernel has
/// to leave registers, until these suffice for what is live at once.
void lowerResidentGroups(llvm::Function &function,
                         const tinygrad::GPUChipData &chip, int64_t items,
                         int64_t groups);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_TARGET_GPU_RESIDENTGROUPS_H
