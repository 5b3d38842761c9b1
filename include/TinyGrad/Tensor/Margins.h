//===- Margins.h - views of tensors with zeros around them ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_MARGINS_H
#define TINYGRAD_TENSOR_MARGINS_H

#include "TinyGrad/Tensor/Tensor.h"

namespace tinygrad::detail {

/// \p x with \p low zeros before and \p high zeros after each axis, as a view:
/// assignments to it change \p x, and what is assigned to the zeros is lost.
/// For parts that lie beyond an axis for some values of variables.
Tensor withMargins(const Tensor &x, const Shape &low, const Shape &high);

} // namespace tinygrad::detail

#endif // TINYGRAD_TENSOR_MARGINS_H
