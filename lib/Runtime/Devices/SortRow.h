//===- SortRow.h - the order of an array's elements -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sorting on the CPU.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_SORTROW_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_SORTROW_H

#include "TinyGrad/Runtime/DType.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tinygrad::detail {

/// Work that is done in parts, perhaps at the same time.
struct Parts {
  std::size_t number = 1;
  /// Calls the body for each number of a part; if empty, one after the other.
  std::function<void(const std::function<void(std::size_t)> &body)> run;

  template <typename Body> void forEach(const Body &body) const {
    if (run)
      return run(body);
    for (std::size_t part = 0; part < number; ++part)
      body(part);
  }
};

/// What to sort. Only the first \p numPositions positions are asked for, or all
/// if there are fewer.
struct RowOrder {
  void *positions;
  DType positionType; ///< Int32 or Int64
  int64_t numPositions;
  const void *keys;
  DType keyType;
  int64_t length;
  bool isDescending;
};

/// Writes the positions of keys in ascending order, or descending. Equal keys,
/// which -0 and +0 are, stay in order; NaNs are equal, and greater than all
/// numbers.
void sortRow(const RowOrder &row, const Parts &parts = {});

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_SORTROW_H
