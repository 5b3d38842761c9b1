//===- TensorMap.h - matrices of which GPUs copy boxes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What NVIDIA's tensor memory accelerator (TMA) is told of a matrix in global
/// memory. Code is generated for such a description, and the launch makes the
/// hardware's form of it, with the address of the buffer.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SUPPORT_TENSORMAP_H
#define TINYGRAD_SUPPORT_TENSORMAP_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tinygrad {

/// A matrix in a buffer of a launch, and boxes of it whose rows of 128 bytes
/// are permuted in shared memory (a swizzle of 128 bytes). Index 0 is the
/// dimension of neighbors.
struct TensorMap {
  uint32_t buffer = 0;            ///< its number among those of the launch
  uint32_t elementBytes = 0;      ///< 1, 2, 4 or 8
  std::array<int64_t, 2> sizes{}; ///< in elements
  int64_t rowBytes = 0;           ///< from one row to the next
  std::array<uint32_t, 2> box{};  ///< in elements

  bool operator==(const TensorMap &) const = default;

  /// The members, one after the other.
  std::array<int64_t, 7> getNumbers() const {
    return {buffer, elementBytes, sizes[0], sizes[1], rowBytes, box[0], box[1]};
  }
  static TensorMap fromNumbers(const int64_t *numbers) {
    return {uint32_t(numbers[0]),
            uint32_t(numbers[1]),
            {numbers[2], numbers[3]},
            numbers[4],
            {uint32_t(numbers[5]), uint32_t(numbers[6])}};
  }
};

/// Code for a kernel whose last arguments are tensor maps has a constant array
/// of i64, with the numbers of all of them. Its name is that of the kernel and
/// this.
inline constexpr std::string_view kTensorMapsSuffix = "_tensor_maps";
inline constexpr std::size_t kTensorMapNumbers = 7;
/// It may have another kernel with the same buffers, values and launch, which
/// copies no boxes, for GPUs that refuse a map. Its name is that of the kernel
/// and this.
inline constexpr std::string_view kWithoutTensorMapsSuffix =
    "_without_tensor_maps";

/// What the address of the buffer and the distance of rows are multiples of, in
/// bytes, and the most that a box has of rows.
inline constexpr int64_t kTensorMapAlignment = 16, kMaxBoxRows = 256;
/// The rows of a box, and what the hardware's form of a map takes, in bytes.
inline constexpr int64_t kBoxRowBytes = 128, kEncodedMapBytes = 128;

} // namespace tinygrad

#endif // TINYGRAD_SUPPORT_TENSORMAP_H
