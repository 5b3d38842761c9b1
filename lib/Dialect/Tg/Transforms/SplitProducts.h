//===- SplitProducts.h - deep products for few groups -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which products of matrices tg-split-reduce splits on targets with groups.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SPLITPRODUCTS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SPLITPRODUCTS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// Into how many parts the sum of a product of matrices along its only axis is
/// split, because the blocks of its results are too few groups for the device;
/// 1 if it stays whole.
int64_t countProductParts(ReduceOp op);

/// Replaces a sum of products of a type with fewer than 32 bits by one of f32,
/// so that the sums of parts are not rounded. Returns the sum to split.
ReduceOp widenProduct(ReduceOp op);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SPLITPRODUCTS_H
