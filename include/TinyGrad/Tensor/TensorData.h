//===- TensorData.h - elements that the host reads --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What Tensor::data() gives.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_TENSORDATA_H
#define TINYGRAD_TENSOR_TENSORDATA_H

#include "TinyGrad/Runtime/Buffer.h"
#include "TinyGrad/Tensor/Scalar.h"

#include <cstddef>
#include <utility>

namespace tinygrad {

/// The elements of a realized tensor, row-major, where the host can read them:
/// a copy if the tensor's own memory has gaps, as that of symbolic shapes may.
/// Holds the memory alive; a tensor that is assigned to afterwards does not
/// change what is seen here.
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
