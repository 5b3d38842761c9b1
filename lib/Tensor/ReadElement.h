//===- ReadElement.h - single elements of memory ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the element of a tensor of one without building operations.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_READELEMENT_H
#define TINYGRAD_LIB_TENSOR_READELEMENT_H

#include "TensorImpl.h"

namespace tinygrad::detail {

/// Copies the element of a tensor of one to the host if it is memory, or a view
/// of memory; returns false otherwise.
bool readElement(TensorImpl &tensor, void *value);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_READELEMENT_H
