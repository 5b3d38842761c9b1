//===- External.h - strided memory as tensors -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Arrays of other libraries as tensors and tensors as such arrays, without a
/// copy: memory with strides.
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

namespace tinygrad {

/// Elements in memory. The one at an index is at the sum of `offset` and of
/// each index times its stride, counted in elements from the beginning of the
/// buffer. Strides may be 0 or negative.
struct StridedView {
  /// Keeps the memory as long as it lives.
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

/// A tensor whose elements are those of the view: it holds on to the memory and
/// reads it when it is computed with. What the owner writes there before shows,
/// and must not be written while a computation runs. `realize` of what is not
/// contiguous copies; assigning to the tensor does not change the memory.
///
/// Throws ShapeError for sizes that are negative or not as many as strides, and
/// for memory that is not aligned to the size of an element; IndexError if some
/// element is not in the buffer; DTypeError if the buffer says that it holds
/// elements of another type.
Tensor fromStrided(const StridedView &view);

/// The elements of a tensor where they are. A realized tensor, and what
/// permute, flip, expand, slices and reshape make of one, are views of its
/// memory: no kernel runs, and nothing is copied. Anything else (padding, a
/// reshape of what is not in order any more, a computation) is realized first.
///
/// Throws DeviceError if the host cannot read the device's memory, and what
/// realize throws.
StridedView toStrided(const Tensor &tensor);

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_EXTERNAL_H
