//===- TgBoxTiles.h - tiles that copies of boxes fill -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tiles of a group with several buffers that NVIDIA's tensor memory
/// accelerator (TMA) fills, and results that it stores: the step `buffer ... as
/// tma`, and the attribute that it gives to a `tg.stage` or `tg.store`.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGBOXTILES_H
#define TINYGRAD_DIALECT_TG_IR_TGBOXTILES_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// A unit attribute. Of a `tg.stage` with buffers: copies of boxes fill the
/// tile. Of a `tg.store` without an update: the items of a group write their
/// results to memory of the group, of which copies of boxes go to the buffer.
inline constexpr llvm::StringLiteral boxTileAttrName = "tg.tma";

inline bool isBoxTile(StageOp tile) { return tile->hasAttr(boxTileAttrName); }
inline bool isBoxStore(StoreOp store) {
  return store->hasAttr(boxTileAttrName);
}

/// What is added to the amount of a step `buffer`, the number of buffers, if it
/// is `as tma`.
inline constexpr int64_t kAsTma = int64_t(1) << 32;

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGBOXTILES_H
