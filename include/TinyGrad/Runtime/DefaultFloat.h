//===- DefaultFloat.h - the element types of new tensors --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_DEFAULTFLOAT_H
#define TINYGRAD_RUNTIME_DEFAULTFLOAT_H

#include "TinyGrad/Runtime/DType.h"

namespace tinygrad {

/// The element type of tensors that are made of C++ or Python floats, of those
/// that zeros(), rand() and so on make without a given type, and of quotients
/// and functions of integers: float32 unless setDefaultFloat() was called.
DType defaultFloat();

/// Sets what defaultFloat() returns, for all threads. Throws DTypeError if
/// \p dtype is no type of floats.
void setDefaultFloat(DType dtype);

/// The element type of tensors that are made of C++ or Python integers which it
/// can hold, and of ranges of integers: int32 unless setDefaultInt() was
/// called.
DType defaultInt();

/// Sets what defaultInt() returns, for all threads. Throws DTypeError if
/// \p dtype is no type of integers.
void setDefaultInt(DType dtype);

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_DEFAULTFLOAT_H
