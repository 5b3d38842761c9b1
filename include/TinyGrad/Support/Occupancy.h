//===- Occupancy.h - groups resident on a compute unit ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How many groups of work items a compute unit holds at once. Schedules, code
/// generators and benchmarks use the same rule. Like GPUChips.h, this header
/// belongs to no library.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SUPPORT_OCCUPANCY_H
#define TINYGRAD_SUPPORT_OCCUPANCY_H

#include "TinyGrad/Support/ComputeUnit.h"
#include <algorithm>
#include <cstdint>

namespace tinygrad {

/// What keeps a unit from holding more groups.
enum class OccupancyLimit { subgroups, groups, registers, memory };

/// The name of a limit, for remarks.
constexpr const char *getLimitName(OccupancyLimit limit) {
  switch (limit) {
  case OccupancyLimit::subgroups:
    return "subgroups";
  case OccupancyLimit::groups:
    return "groups";
  case OccupancyLimit::registers:
    return "registers";
  case OccupancyLimit::memory:
    return "memory";
  }
  return "";
}

/// Groups that are resident on a unit at once, and their subgroups. There are
/// none if one group needs more than a unit has.
struct Occupancy {
  int64_t groups = 0, subgroups = 0;
  OccupancyLimit limit = OccupancyLimit::subgroups;
};

/// The subgroups of a group.
constexpr int64_t countSubgroups(const ComputeUnit &unit, int64_t groupItems) {
  return std::max<int64_t>(
      (groupItems + unit.subgroupItems - 1) / unit.subgroupItems, 1);
}

/// How many groups of \p groupItems items, each with \p registers registers,
/// and \p bytes of memory for each group, a unit holds. The unit must have
/// subgroups.
constexpr Occupancy getOccupancy(const ComputeUnit &unit, int64_t groupItems,
                                 int64_t registers, int64_t bytes) {
  auto roundUp = [](int64_t value, int64_t step) {
    return (value + step - 1) / step * step;
  };
  const int64_t subgroups = countSubgroups(unit, groupItems);
  Occupancy result{unit.unitSubgroups / subgroups, 0,
                   OccupancyLimit::subgroups};
  auto limit = [&](int64_t groups, OccupancyLimit by) {
    if (groups < result.groups)
      result = {groups, 0, by};
  };
  limit(subgroups > 1 ? unit.unitBarriers : unit.unitGroups,
        OccupancyLimit::groups);
  // Of each part, as many subgroups as its registers suffice for.
  if (const int64_t needed =
          roundUp(registers, unit.registerStep) * unit.subgroupItems;
      needed > 0)
    limit(registers > unit.itemRegisters ? 0
                                         : unit.unitRegisters / kUnitParts /
                                               needed * kUnitParts / subgroups,
          OccupancyLimit::registers);
  if (const int64_t needed =
          roundUp(bytes + unit.reservedBytes, unit.memoryStep);
      needed > 0)
    limit(unit.unitBytes / needed, OccupancyLimit::memory);
  result.subgroups = result.groups * subgroups;
  return result;
}

/// The most registers that each item may have if \p groups groups are to be
/// resident; 0 if a unit does not have as many groups at all.
constexpr int64_t getMostRegisters(const ComputeUnit &unit, int64_t groupItems,
                                   int64_t groups) {
  const int64_t subgroups = groups * countSubgroups(unit, groupItems);
  if (subgroups > unit.unitSubgroups)
    return 0;
  const int64_t ofPart =
      std::max<int64_t>((subgroups + kUnitParts - 1) / kUnitParts, 1);
  return std::min(unit.unitRegisters / kUnitParts / ofPart /
                      unit.subgroupItems / unit.registerStep *
                      unit.registerStep,
                  unit.itemRegisters);
}

/// What the items of a kernel do between two accesses of global memory, which
/// decides how many subgroups hide the time that these take.
enum class KernelKind {
  /// Few operations on each value that is read.
  streaming,
  /// A block of results in registers, for which values are read from the memory
  /// of the group many times.
  blocked
};

/// The most groups that a unit of every NVIDIA GPU holds, for code that may be
/// compiled for a newer GPU: compilers ignore a bound that this one cannot
/// meet.
inline constexpr int64_t kPortableGroups = 16;

/// The fewest resident groups of a blocked kernel.
inline constexpr int64_t kBlockedGroups = 2;

/// How many groups of \p groupItems items, and \p bytes of memory for each, a
/// unit should hold at once, as far as subgroups and memory admit.
///
/// A streaming kernel has to keep memory busy: the published bandwidths of GPUs
/// times a latency of about 800 ns are 5 to 45 KiB in flight for each unit.
/// Half of the most subgroups give that with one to three accesses of 16 bytes
/// by each item, and leave room for items that are not waiting for memory but
/// at a barrier, in an exchange, or at the end of their group.
///
/// A blocked kernel has its parallelism within each item: independent sums. Two
/// subgroups on each part are enough to compute while one reads factors from
/// the group's memory, and two groups to compute while one waits at a barrier.
constexpr int64_t getWantedGroups(const ComputeUnit &unit, KernelKind kind,
                                  int64_t groupItems, int64_t bytes) {
  const int64_t subgroups = countSubgroups(unit, groupItems);
  const int64_t wanted =
      kind == KernelKind::streaming ? unit.unitSubgroups / 2 : 2 * kUnitParts;
  const int64_t groups =
      std::max<int64_t>((wanted + subgroups - 1) / subgroups,
                        kind == KernelKind::blocked ? kBlockedGroups : 1);
  // Registers do not count: those that are left follow from this.
  return std::clamp<int64_t>(
      getOccupancy(unit, groupItems, /*registers=*/0, bytes).groups, 1, groups);
}

} // namespace tinygrad

#endif // TINYGRAD_SUPPORT_OCCUPANCY_H
