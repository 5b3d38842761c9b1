//===- TensorData.h - elements in host memory -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The result of Tensor::data().
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_TENSORDATA_H
#define TINYGRAD_TENSOR_TENSORDATA_H

#include "TinyGrad/Runtime/Buffer.h"
#include "TinyGrad/Tensor/Scalar.h"

#include <cstddef>
#include <utility>

namespace tinygrad {

/// The elements of a realized tensor, row-major, in memory that the host can
/// read: a copy if the tensor's own memory has gaps, as symbolic shapes may.
/// Keeps the memory alive; later assignments to the tensor do not change these
/// elements.
template <ElementType T> class TensorData {
public:
  TensorData(Buffer buffer, std::size_t count)
      : buffer(std::move(buffer)), count(count) {}

  std::size_t size() const { return count; }
  const T *data() const { return static_cast<const T *>(buffer.address()); }
  const T *begin() const { return data(); }
  const T *end() const { return data() + count; }
  const T &operator[](std::size_t i) const { return data()[i]; }

private:
  Buffer buffer;
  std::size_t count;
};

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_TENSORDATA_H
