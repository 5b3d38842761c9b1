//===- RandomCounters.h - the state of random numbers -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How many random numbers a graph has made on each device, and the key of the
/// next ones. They are those of tinygrad.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_RANDOMCOUNTERS_H
#define TINYGRAD_LIB_TENSOR_RANDOMCOUNTERS_H

#include <cstdint>
#include <vector>

namespace tinygrad {
class Device;
} // namespace tinygrad

namespace tinygrad::detail {

class RandomCounters {
public:
  struct Entry {
    Device *device = nullptr;
    uint64_t count = 0; ///< words of 32 bits

    bool operator==(const Entry &) const = default;
  };

  /// In the order in which the devices were first used.
  std::vector<Entry> entries;

  /// The counter of a device, 0 for a new one.
  uint64_t &of(Device &device) { return entries[indexOf(device)].count; }
  uint64_t countOf(Device &device) const;
  /// The key of the words that begin with word number \p count of the device:
  /// word j and word j + n/2 of n are the halves of the Threefry block with
  /// the counter (j, j + n/2) and this key. The key is itself the block with
  /// the counter \p count, under a key made of the seed (modulo 2^32) and the
  /// device's place in the order.
  uint64_t keyOf(Device &device, uint64_t seed, uint64_t count);
  /// The lower word of the key made of seed and device.
  uint32_t deviceWord(Device &device);

private:
  std::size_t indexOf(Device &device);
};

/// The generator's key for a word that seed and device determine.
inline uint64_t seedKey(uint64_t seed, uint32_t deviceWord) {
  return seed << 32 | deviceWord;
}

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_RANDOMCOUNTERS_H
