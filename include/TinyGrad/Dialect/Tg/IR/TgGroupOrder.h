//===- TgGroupOrder.h - the order of a kernel's groups ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Groups of a launch begin in the order of their numbers. The order decides
/// how much of what they read those that run at the same time share.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGGROUPORDER_H
#define TINYGRAD_DIALECT_TG_IR_TGGROUPORDER_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// An i64 attribute of a tg.range of kind `global`, of which there is one
/// further in: the positions of both are rows and columns of a matrix of
/// groups. Groups go through so many rows at once, one column after the other,
/// before they go on with the next rows. The last rows may be fewer. Without
/// it, they go through one row after the other.
inline constexpr llvm::StringLiteral bandAttrName = "tg.band";

/// The amount of a step `set_kind` is the kind and, times this, the number of
/// rows.
inline constexpr int64_t kBandUnit = int64_t(1) << 32;

/// The rows of a band; 0 if there are none.
inline int64_t getBand(RangeOp range) {
  auto band = range->getAttrOfType<IntegerAttr>(bandAttrName);
  return band ? band.getInt() : 0;
}

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGGROUPORDER_H
