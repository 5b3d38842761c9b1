//===- Contraction.h - sums on matrix units ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How the ranges of a kernel and the elements of its tiles are those of a
/// matrix operation.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_CONTRACTION_H
#define TINYGRAD_DIALECT_TG_UTILS_CONTRACTION_H

#include "TinyGrad/Dialect/Tg/IR/TgContraction.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"

namespace mlir::tg {

/// A range that is a digit of the number of a row or column in the accumulator
/// of a matrix operation.
struct AccumulatorDigit {
  int64_t extent;
  int64_t stride; ///< in rows or columns
  bool isLane;    ///< else of the number of a register
  RangeKind kind; ///< of its range
};

/// The digits of the rows, or of the columns, from the outermost on.
SmallVector<AccumulatorDigit, 4>
getAccumulatorDigits(const tinygrad::MatrixUnit &unit, bool ofColumns);

/// A sum that a matrix operation computes.
struct Contraction {
  /// A factor: rows by depth, or columns by depth.
  struct Factor {
    LoadOp load;
    StageOp tile;
    /// The ranges of the rows or columns of the accumulator.
    SmallVector<RangeOp, 4> ranges;
    /// Distances of neighboring rows (or columns), and along the depth.
    int64_t stride = 0, depthStride = 0;
    /// The distance of neighboring blocks of columns, for wgmma; 0 if there is
    /// one.
    int64_t blockStride = 0;

    Value getIndex() const { return LoadOp(load).getIndex(); }
    Value getBuffer() const { return LoadOp(load).getBuffer(); }
  };
  RangedReduceOp op;
  const tinygrad::MatrixUnit *unit = nullptr;
  RangeOp depth;
  Factor rows, columns;

  /// The ranges of the rows or columns among the lanes, from the outermost on.
  static SmallVector<RangeOp, 2> getLanes(const Factor &factor);
  /// The range of the lanes of a vector among the registers; null if there is
  /// none.
  static RangeOp getVector(const Factor &factor);
};

/// Finds out how a sum with a matrix operation uses it. Emits an error if the
/// ranges are not those of the operation.
FailureOr<Contraction> getContraction(RangedReduceOp op,
                                      IndexAnalysis &analysis);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_CONTRACTION_H
