//===- External.h - strided memory as tensors -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Strided arrays of other libraries as tensors, and tensors as strided arrays,
/// without a copy.
///
/// \code
///   // Every second column of an array of 4 x 6 floats, which stays where it
///   // is, last row first.
///   Buffer memory = Buffer::external(Device::get("CPU"), data,
///                                    24 * sizeof(float), [owner] {});
///   Tensor x = fromStrided({memory, DType::Float32, {4, 3}, {-6, 2}, 18});
///   // And the other way: no kernel runs, and nothing is copied.
///   StridedView view = toStrided(x.permute({1, 0}));
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_EXTERNAL_H
#define TINYGRAD_TENSOR_EXTERNAL_H

#include "TinyGrad/Tensor/Tensor.h"

#include <source_location>

namespace tinygrad {

/// Elements in memory. The element at an index is at `offset` plus the sum of
/// each index times its stride, counted in elements from the beginning of the
/// buffer. Strides may be 0 or negative.
struct StridedView {
  /// Keeps the memory alive.
  Buffer buffer;
  DType dtype = DType::Float32;
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;

  /// The address of the element whose indices are all 0.
  void *data() const {
    return static_cast<char *>(buffer.address()) +
           offset * int64_t(itemSize(dtype));
  }
};

/// A tensor whose elements are those of the view. It keeps the memory alive and
/// reads it in each computation: earlier writes by the owner are visible; the
/// owner must not write while a computation runs. `realize` copies a view that
/// is not contiguous. Assigning to the tensor gives it other memory, unless it
/// is contiguous and was realized before: then the memory is written.
///
/// Throws ShapeError for negative sizes, a different number of sizes and
/// strides, and memory that is not aligned to the elements; IndexError if an
/// element is outside of the buffer; DTypeError if the buffer has another
/// element type.
Tensor fromStrided(const StridedView &view);

/// The elements of a tensor in its memory. A realized tensor, and the results
/// of permute, flip, expand, slices and reshape of one, are views of its
/// memory: no kernel runs, and nothing is copied. Anything else (padding, a
/// reshape of reordered elements, a computation) is realized first.
///
/// Throws DeviceError if the host cannot read the device's memory, and what
/// realize throws.
StridedView
toStrided(const Tensor &tensor,
          std::source_location where = std::source_location::current());

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_EXTERNAL_H
