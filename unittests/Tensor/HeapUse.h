//===- HeapUse.h - memory that steps keep -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Whether steps that are repeated keep memory of the heap.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_TENSOR_HEAPUSE_H
#define TINYGRAD_UNITTESTS_TENSOR_HEAPUSE_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include <malloc.h>

namespace tinygrad::testing {

/// The memory of the heap that is in use after quarters of so many steps.
///
/// Whatever else the process does changes it, too: other threads, lists of
/// freed blocks that the allocator counts as used, memory of the library that
/// is given back now and then. So growth is what two measurements agree on:
/// that within the second quarter and that within the second half. What steps
/// keep grows in both, also in a table that doubles, since both end with twice
/// the steps that they begin with. Nothing grows where a sanitizer replaces the
/// allocator.
class HeapUse {
public:
  enum class Measure {
    Ends,  ///< use after the last step
    Peaks, ///< largest use after a step: for memory that is given back in turns
  };

  /// \p steps are numbered from 0, and are four at least.
  explicit HeapUse(int64_t steps, Measure measure = Measure::Ends)
      : quarter(steps / 4), measure(measure) {}

  /// After each step.
  void note(int64_t step) {
    if (measure == Measure::Ends && step != 4 * quarter - 1 &&
        step != quarter - 1 && step != 2 * quarter - 1)
      return;
    const struct mallinfo2 heap = ::mallinfo2();
    // The latter is in blocks that are mapped by themselves.
    const auto used = int64_t(heap.uordblks + heap.hblkhd);
    int64_t &part = parts[step < quarter ? 0 : step < 2 * quarter ? 1 : 2];
    part = measure == Measure::Ends ? used : std::max(part, used);
  }

  /// The bytes that are surely kept; negative if none are.
  int64_t growth() const {
    return std::min(parts[1] - parts[0], parts[2] - parts[1]);
  }

  /// Runs the steps, and returns how much memory they keep.
  static int64_t growthOf(int64_t steps,
                          const std::function<void(int64_t)> &step,
                          Measure measure = Measure::Ends) {
    HeapUse use(steps, measure);
    for (int64_t i = 0; i < steps; ++i) {
      step(i);
      use.note(i);
    }
    return use.growth();
  }

private:
  const int64_t quarter;
  const Measure measure;
  /// Of the first quarter, the second one, and the second half.
  std::array<int64_t, 3> parts{};
};

} // namespace tinygrad::testing

#endif // TINYGRAD_UNITTESTS_TENSOR_HEAPUSE_H
