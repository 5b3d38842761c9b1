//===- SplitProducts.h - deep products for few groups -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which products of matrices tg-split-reduce splits.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SPLITPRODUCTS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SPLITPRODUCTS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include <optional>

namespace mlir::tg {

/// How the elements of a value lie in the tensor that it is moved, or
/// converted, from. With \p view, of a product with the value, how those read
/// through it do.
ViewChain getChain(Value value, StridedOp view = {});

/// How the sum of a product is split: along one axis into parts, and along
/// another, if there is one, into its single positions.
struct ProductSplit {
  int64_t axis, parts;
  std::optional<int64_t> positions = std::nullopt;
};

/// Splits the sum of a product of matrices along its only axis, because the
/// blocks of its results are too few groups for the device, or because panels
/// of its columns exceed the cache; that of a convolution's gradient by its
/// weights along the images, or their rows, or both, for the same reasons. None
/// if it stays whole.
std::optional<ProductSplit> splitDeepProduct(ReduceOp op);

/// Whether the sum of a product is stored before anything is computed with it:
/// the depth of a kernel that does nothing else is divided into passes, so that
/// the panels of a long sum fit into a cache (DivideDepth.cpp).
bool storesDeepProduct(ReduceOp op);

/// How many results of a sum of products use each element of its left factor,
/// or of its right one, whichever are fewer; none if the shape is not known.
std::optional<int64_t> getFewestUses(ReduceOp op);

/// If part of a sum is discarded after reshapes, moves the tg.shrink before
/// them, and before one conversion: the sums of parts are then shrunk, too.
void shrinkFirst(ReduceOp op);

/// Replaces a sum of products of a type with fewer than 32 bits by one of f32,
/// so that the sums of parts are not rounded. Returns the sum to split.
ReduceOp widenProduct(ReduceOp op);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SPLITPRODUCTS_H
