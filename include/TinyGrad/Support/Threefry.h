//===- Threefry.h - counter-based random numbers ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The random function of tg.threefry, on the host. Like GPUChips.h, this
/// header belongs to no library.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SUPPORT_THREEFRY_H
#define TINYGRAD_SUPPORT_THREEFRY_H

#include <cstdint>

namespace tinygrad {

/// Threefry-2x32 with 20 rounds: 64 random bits for each counter. The lower
/// words of counter, key and result are the first ones of the paper.
inline uint64_t threefry(uint64_t counter, uint64_t key) {
  constexpr unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  uint32_t keys[3] = {static_cast<uint32_t>(key),
                      static_cast<uint32_t>(key >> 32), 0};
  keys[2] = 0x1BD11BDA ^ keys[0] ^ keys[1];
  uint32_t x0 = static_cast<uint32_t>(counter) + keys[0];
  uint32_t x1 = static_cast<uint32_t>(counter >> 32) + keys[1];
  // A part of the key is added after every fourth round.
  for (uint32_t group = 0; group < 5; ++group) {
    for (unsigned rotation : rotations[group % 2]) {
      x0 += x1;
      x1 = (x1 << rotation) | (x1 >> (32 - rotation));
      x1 ^= x0;
    }
    x0 += keys[(group + 1) % 3];
    x1 += keys[(group + 2) % 3] + group + 1;
  }
  return static_cast<uint64_t>(x1) << 32 | x0;
}

} // namespace tinygrad

#endif // TINYGRAD_SUPPORT_THREEFRY_H
