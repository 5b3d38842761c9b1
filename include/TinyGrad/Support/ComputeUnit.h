//===- ComputeUnit.h - what groups of work items share ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a compute unit of a GPU has for groups of work items. A compute unit is
/// what all subgroups of a group share: a multiprocessor of NVIDIA's GPUs, a
/// compute unit of AMD's CDNA, and a work-group processor (two compute units)
/// of AMD's RDNA. Like GPUChips.h, this header belongs to no library.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SUPPORT_COMPUTEUNIT_H
#define TINYGRAD_SUPPORT_COMPUTEUNIT_H

#include <cstdint>

namespace tinygrad {

/// The parts of a compute unit, on every GPU: its processing blocks or SIMDs.
/// The registers of a subgroup are those of one part.
inline constexpr int64_t kUnitParts = 4;

/// What a compute unit has for the groups that are resident on it.
struct ComputeUnit {
  /// Work items of a subgroup (a warp or wavefront), which exchange values
  /// without memory; a power of two.
  int64_t subgroupItems = 1;
  /// The most resident subgroups; 0 for processors without groups.
  int64_t unitSubgroups = 0;
  /// The most resident groups, and the most of those that consist of several
  /// subgroups, which need a barrier.
  int64_t unitGroups = 0, unitBarriers = 0;
  /// Registers of 32 bits for all items.
  int64_t unitRegisters = 0;
  /// The most registers that an item may have. They are allocated in multiples
  /// of `registerStep`.
  int64_t itemRegisters = 0, registerStep = 1;
  /// Bytes of memory for all groups. It is allocated in multiples of
  /// `memoryStep`, after `reservedBytes` that the system takes of each group.
  int64_t unitBytes = 0, reservedBytes = 0, memoryStep = 1;

  bool operator==(const ComputeUnit &) const = default;
};

/// Bytes of a bank of the memory of a group, on every GPU.
inline constexpr int64_t kBankBytes = 4;

/// How a compute unit accesses memory.
struct MemoryUnit {
  /// The most bytes that an item accesses at once.
  int64_t accessBytes = 16;
  /// Bytes of the smallest transaction with the memory of the device, and of a
  /// line of its caches.
  int64_t sectorBytes = 32, lineBytes = 128;
  /// Banks of the memory of a group, each of which gives one word in a turn.
  int64_t banks = 32;
  /// Whether an access of global memory may begin at any element. Otherwise,
  /// compilers divide it into pieces as large as the alignment that is known.
  bool mayMisalign = false;

  bool operator==(const MemoryUnit &) const = default;
};

} // namespace tinygrad

#endif // TINYGRAD_SUPPORT_COMPUTEUNIT_H
