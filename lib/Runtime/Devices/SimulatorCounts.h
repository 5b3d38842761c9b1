//===- SimulatorCounts.h - memory traffic of GPU kernels --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the simulator: what the accesses of a kernel cost a GPU. Accesses
/// are counted as the subgroups of a GPU make them: all lanes at once that come
/// to one instruction for the same time.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORCOUNTS_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORCOUNTS_H

#include "TinyGrad/Support/ComputeUnit.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tinygrad::detail {

/// What is counted of a launch.
struct SimCounts {
  /// Loads or stores of global memory: accesses by subgroups, the sectors and
  /// lines that each of them touches, and the bytes that items asked for.
  struct Global {
    int64_t accesses = 0, sectors = 0, lines = 0, bytes = 0;
  };
  Global loads, stores;
  /// Accesses of shared memory by subgroups, and how often some of their lanes
  /// have to wait for others, which access other words of one bank.
  int64_t sharedAccesses = 0, sharedBytes = 0, sharedConflicts = 0;
  /// The groups that were counted.
  int64_t groups = 0;

  void add(const SimCounts &other);
  /// The numbers for `allGroups` groups, if the others do the same.
  SimCounts scaledTo(int64_t allGroups) const;
  std::string str() const;
};

/// Counts the accesses of one group after the other.
class AccessCounter {
public:
  /// An access of an item of the current group. `site` is the instruction.
  void record(uint32_t item, uint32_t subgroup, uint32_t site, uint64_t address,
              uint32_t bytes, bool isWrite, bool isShared);
  /// Adds what the group did to `counts`, and begins the next group.
  void finish(SimCounts &counts, const MemoryUnit &memory);

private:
  struct Access {
    uint32_t subgroup, site, time, item;
    uint64_t address;
    uint32_t bytes;
    bool isWrite, isShared;
  };
  std::vector<Access> accesses;
  /// By item and site, how often the item came there.
  std::vector<std::vector<uint32_t>> times;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORCOUNTS_H
