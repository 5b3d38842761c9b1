//===- IndexSizes.h - sizes computed as index values ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What operations of `arith` and `affine` compute from sizes, as dimensions.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_INDEXSIZES_H
#define TINYGRAD_DIALECT_TG_UTILS_INDEXSIZES_H

#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::tg {

/// The result of an operation on index values: a constant, sums, differences,
/// products, quotients, remainders, minima and maxima, and `affine.apply`.
/// `getSize` tells the dimension that an operand is. None if an operand is not
/// known, or the operation is another one, or might divide by zero.
std::optional<Dim>
computeSize(Operation *op,
            function_ref<std::optional<Dim>(OpFoldResult)> getSize);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_INDEXSIZES_H
