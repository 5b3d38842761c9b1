//===- SumBuilder.h - sums of index values as operations --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes sums and comparisons of sums in the one form that rules leave behind,
/// and says how large that would be.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_INDEX_SUMBUILDER_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_INDEX_SUMBUILDER_H

#include "TinyGrad/Dialect/Tg/Transforms/SimplifyIndex.h"

namespace mlir::tg {

/// The sum: positive terms first, then negative ones, the constant last, with
/// equal factors taken out.
Value buildSum(IndexRewriter &rewriter, Location loc, const LinearForm &form);
uint64_t measureSum(IndexRewriter &rewriter, const LinearForm &form);

/// difference > 0, or == 0 or != 0, as a comparison of sums without negative
/// terms.
struct SumComparison {
  LinearForm lhs, rhs;

  SumComparison(const LinearForm &difference, bool isLess);
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_INDEX_SUMBUILDER_H
