//===- SimulatorBoxes.h - boxes for tests of their copies -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A matrix of elements of 16 bits and its boxes, whose rows are 128 bytes.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_RUNTIME_SIMULATORBOXES_H
#define TINYGRAD_UNITTESTS_RUNTIME_SIMULATORBOXES_H

#include "../../lib/Runtime/Devices/Simulator.h"

#include <cstdint>

namespace tinygrad::testing::simulator {

constexpr int64_t kColumns = 96, kBoxRows = 16, kBoxColumns = 64,
                  kBoxElements = kBoxRows * kBoxColumns,
                  kBoxBytes = 2 * kBoxElements;

inline int64_t address(const void *place) {
  return reinterpret_cast<int64_t>(place);
}

/// Of a matrix in buffer 0, which is at \p buffer.
inline detail::SimTensorMap getMap(const void *buffer, int64_t rows,
                                   bool isSwizzled) {
  return {0,
          address(buffer),
          rows * kColumns,
          2,
          {kColumns, rows},
          kColumns,
          {kBoxColumns, kBoxRows},
          isSwizzled ? 128 : 0};
}

/// Where element \p i of a box is in shared memory, behind the first one.
inline int64_t getPlace(int64_t i, bool isSwizzled) {
  const int64_t row = i / kBoxColumns, column = i % kBoxColumns;
  return isSwizzled
             ? row * kBoxColumns + (column / 8 ^ row % 8) * 8 + column % 8
             : i;
}

} // namespace tinygrad::testing::simulator

#endif // TINYGRAD_UNITTESTS_RUNTIME_SIMULATORBOXES_H
