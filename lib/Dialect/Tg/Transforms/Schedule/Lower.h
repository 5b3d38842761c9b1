//===- Lower.h - tensor operations at an index position ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Computes one element of a tensor operation inside a kernel from elements of
/// its operands.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_LOWER_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_LOWER_H

#include "KernelBuilder.h"

namespace mlir::tg {

/// Requests an element of an operand: (operand, indices, mask, scope).
using RequestFn =
    function_ref<Value(Value, ArrayRef<Value>, Value, ArrayRef<Value>)>;

/// The value of `op` at an access.
Value lowerAccess(Operation *op, Access &access, RequestFn request);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_LOWER_H
