//===- TileBoxes.h - tiles as boxes of matrices -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How copies of boxes fill a tile of a group (`buffer ... as tma`).
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_TILEBOXES_H
#define TINYGRAD_DIALECT_TG_UTILS_TILEBOXES_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/Contraction.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "TinyGrad/Support/TensorMap.h"

namespace mlir::tg {

/// A tile that is one box, or several that follow one another in it.
struct TileBoxes {
  tinygrad::TensorMap map;
  /// The column and the row of the box at the first positions of the tile's
  /// ranges.
  LinearForm column, row;
  /// How far each box is from the first one, in columns and rows, in the order
  /// in which they are in the tile.
  SmallVector<std::pair<int64_t, int64_t>> boxes;

  int64_t getBoxElements() const { return int64_t(map.box[0]) * map.box[1]; }
};

/// Describes the boxes of a tile. Otherwise sets \p obstacle to why it has
/// none.
std::optional<TileBoxes> getTileBoxes(KernelOp kernel, StageOp tile,
                                      IndexAnalysis &analysis,
                                      std::string &obstacle);

/// The results of a group, as boxes that are one after the other in memory of
/// the group before they are copied to a buffer.
struct ResultBoxes {
  TileBoxes boxes;
  /// How many rows and columns of the results one position of a range is. A
  /// range of kind `local` or `upcast` does not cross the end of a box's row.
  struct Digit {
    RangeOp range;
    int64_t rows, columns;
  };
  SmallVector<Digit> digits;
  int64_t rows = 0, columns = 0; ///< of all results
};

/// Describes what a store of a sum's results, or of what is computed from them,
/// stores in a group. Otherwise sets \p obstacle to why it stores no boxes.
std::optional<ResultBoxes> getResultBoxes(KernelOp kernel, StoreOp store,
                                          const Contraction &contraction,
                                          IndexAnalysis &analysis,
                                          std::string &obstacle);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_TILEBOXES_H
