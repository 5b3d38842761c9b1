//===- LayoutBuilder.h - finds the layout of a group ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds what a GroupLayout says of a kernel.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_UTILS_LAYOUTBUILDER_H
#define TINYGRAD_LIB_DIALECT_TG_UTILS_LAYOUTBUILDER_H

#include "TinyGrad/Dialect/Tg/Utils/GroupLayout.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"

namespace mlir::tg {

/// Alignment of the parts of a group's memory in bytes.
inline constexpr int64_t kMemoryAlignment = 16;

class LayoutBuilder {
public:
  LayoutBuilder(KernelOp kernel, const TargetFacts &target)
      : kernel(kernel), target(target) {}

  FailureOr<GroupLayout> build();

private:
  //===--- Ranges and memory (GroupLayout.cpp) ---===//
  LogicalResult addGridRanges();
  /// The order of groups, if a range of the grid asks for another one.
  LogicalResult addBand();
  LogicalResult addRange(RangeOp range, bool fillsTile);
  LogicalResult addAxes();
  LogicalResult addExchange(RangedReduceOp reduce);
  LogicalResult addContraction(RangedReduceOp reduce);
  void permuteTile(StageOp tile);
  void permuteTransposed(GroupLayout::Memory &memory,
                         const Contraction::Factor &factor, int64_t bytes);
  LogicalResult addMemory(Operation *op, Type element, int64_t size,
                          int64_t alignment = kMemoryAlignment);
  LogicalResult addTile(StageOp stage);
  /// Adds the tile of a work item to its memory.
  LogicalResult addItemTile(StageOp stage);
  /// Whether neighboring items read elements of the tile that are in few banks,
  /// one after the other.
  bool hasBankConflicts(StageOp stage, int64_t row, int64_t bytes);
  /// The distance of what neighboring items write, one element each, if that is
  /// in few banks; 0 if it is not.
  int64_t getConflictingStep(StageOp stage, int64_t bytes);
  /// Whether no read of several lanes crosses the end of a row, after which the
  /// next one begins at a multiple of `pad` elements.
  bool readsWithinRows(StageOp stage, int64_t row, int64_t pad);
  /// Whether some operation is computed at every combination of positions of
  /// both ranges.
  bool meet(RangeOp a, RangeOp b);

  //===--- Warpgroups and copies of boxes (BoxLayout.cpp) ---===//
  /// Reports a tile that wgmma cannot read.
  LogicalResult checkWarpgroups();
  /// Finds the boxes of tiles that copies of boxes fill, and reports others.
  LogicalResult addBoxTiles();
  /// The same for a store of boxes.
  LogicalResult addBoxStore();
  /// What counts the copies of boxes.
  LogicalResult addMbarriers();
  /// The blocks of results, if groups compute several.
  LogicalResult addBlocks();
  /// The items that no range has, which copy boxes.
  LogicalResult addCopyingItems();

  KernelOp kernel;
  const TargetFacts &target;
  IndexAnalysis analysis;
  GroupLayout layout;
  /// Of the tiles of each work item, at most.
  int64_t itemBytes = 0;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_UTILS_LAYOUTBUILDER_H
