//===- SortRow.h - sorting and selection in one row -------------*- C++ -*-===//
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

/// How work is divided into parts, which may run concurrently.
struct Parts {
  std::size_t number = 1;
  /// Calls the body with each part's number. If empty, the parts run
  /// sequentially.
  std::function<void(const std::function<void(std::size_t)> &body)> run;

  template <typename Body> void forEach(const Body &body) const {
    if (run)
      return run(body);
    for (std::size_t part = 0; part < number; ++part)
      body(part);
  }
};

/// What to sort. Only the first \p numPositions positions are computed, or all
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

/// Writes the positions of the keys in ascending or descending order. Equal
/// keys, such as -0 and +0, stay in order. NaNs are equal to each other and
/// greater than all numbers.
void sortRow(const RowOrder &row, const Parts &parts = {});

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_SORTROW_H
