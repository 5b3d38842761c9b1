//===- TgCopyingItems.h - work items that only copy -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tiles of a group that a further warpgroup fills: work items that no range
/// has.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGCOPYINGITEMS_H
#define TINYGRAD_DIALECT_TG_IR_TGCOPYINGITEMS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// A unit attribute of a tg.stage with `buffers`: the group has 128 work items
/// more, after those of all ranges, which begin the copies of boxes that fill
/// the tile, and do nothing where other items fill it.
inline constexpr llvm::StringLiteral byWarpgroupAttrName = "tg.by_warpgroup";

/// What is added to the amount of a step `buffer` that is `as tma`, if it is
/// `by warpgroup`.
inline constexpr int64_t kByWarpgroup = StepAttr::kAsTma << 1;

/// A unit attribute beside that one: there are as many groups as the device has
/// compute units, or fewer, and each computes several blocks of results. The
/// copies for the next block begin while the results of the last one are
/// stored.
inline constexpr llvm::StringLiteral acrossBlocksAttrName = "tg.across_blocks";

/// What is added to the amount of such a step if it is `by warpgroup across
/// blocks`.
inline constexpr int64_t kAcrossBlocks = kByWarpgroup << 1;

/// The work items of a warpgroup.
inline constexpr int64_t kWarpgroupItems = 128;

/// The registers of each of these items, at most.
inline constexpr int64_t kCopyingRegisters = 40;

inline bool isByWarpgroup(StageOp tile) {
  return tile->hasAttr(byWarpgroupAttrName);
}

inline bool isAcrossBlocks(StageOp tile) {
  return tile->hasAttr(acrossBlocksAttrName);
}

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGCOPYINGITEMS_H
