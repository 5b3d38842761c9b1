//===- Residency.h - groups resident on a compute unit ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a group of a scheduled kernel takes of a compute unit, and how many
/// groups should be resident there (Support/Occupancy.h). Schedules refuse
/// blocks by it, and code generation bounds registers.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_RESIDENCY_H
#define TINYGRAD_DIALECT_TG_UTILS_RESIDENCY_H

#include "TinyGrad/Dialect/Tg/Utils/GroupLayout.h"
#include "TinyGrad/Support/Occupancy.h"
#include <optional>

namespace mlir::tg {

/// What a group of a scheduled kernel takes of a compute unit.
struct GroupNeeds {
  tinygrad::KernelKind kind = tinygrad::KernelKind::streaming;
  int64_t items = 1;
  /// Memory of the group.
  int64_t bytes = 0;
  /// An estimate of the fewest registers with which an item does without
  /// memory of its own.
  int64_t registers = 0;
  /// Whether no other group has to compute while items wait at a barrier:
  /// matrix operations go on then, or other subgroups of this one multiply.
  bool isAsynchronous = false;
};

/// The needs of a kernel with this layout.
GroupNeeds getGroupNeeds(KernelOp kernel, const GroupLayout &layout);

/// Why fewer groups would be resident than a kernel of this kind should have;
/// none if there are enough, or if the target has no compute units.
std::optional<std::string> findCrowding(const GroupNeeds &needs,
                                        const TargetFacts &target);

/// For how many resident groups code has to leave registers: as many as are
/// wanted, and as memory and the estimated registers admit. At least 1; 0 if
/// the target has no compute units.
int64_t getResidentGroups(const GroupNeeds &needs, const TargetFacts &target);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_RESIDENCY_H
