//===- HostArray.h - an array in host memory --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The arrays that file readers return and file writers take.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_HOSTARRAY_H
#define TINYGRAD_RUNTIME_HOSTARRAY_H

#include "TinyGrad/Runtime/Buffer.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace tinygrad {

/// A dense array in C order. `data` lives on the CPU device, so that a tensor
/// there can take it over without a copy.
struct HostArray {
  DType dtype = DType::Float32;
  std::vector<int64_t> shape;
  Buffer data;

  int64_t numElements() const {
    // If one size is 0, the product of the others may overflow.
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
      return 0;
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return count;
  }
  /// The elements; T must be the type that stores `dtype`.
  template <typename T> const T *as() const {
    return static_cast<const T *>(data.address());
  }
  template <typename T> T *as() { return static_cast<T *>(data.address()); }
};

/// New array with undefined contents. Throws ShapeError for a negative size or
/// a product that overflows, OutOfMemoryError.
HostArray makeHostArray(DType dtype, std::vector<int64_t> shape);

/// Size in bytes of a dense array, or nothing if a size is negative or the
/// product does not fit int64_t.
std::optional<int64_t> denseByteSize(DType dtype,
                                     const std::vector<int64_t> &shape);

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_HOSTARRAY_H
