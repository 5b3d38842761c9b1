//===- SortRow.h - the order of an array's elements -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sorting on the CPU.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_SORTROW_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_SORTROW_H

#include "TinyGrad/Runtime/DType.h"

#include <cstdint>

namespace tinygrad::detail {

/// Writes the positions (Int32 or Int64) of \p length keys in ascending order,
/// or descending. Equal keys, which -0 and +0 are, stay in order; NaNs are
/// equal, and greater than all numbers.
void sortRow(void *positions, DType positionType, const void *keys,
             DType keyType, int64_t length, bool isDescending);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_SORTROW_H
