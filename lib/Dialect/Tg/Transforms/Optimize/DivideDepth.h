//===- DivideDepth.h - deep products in passes ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// When the depth of a product is divided into passes. Other passes keep what
/// would be computed with the sum out of its kernel then.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_DIVIDEDEPTH_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_DIVIDEDEPTH_H

#include "KernelSchedule.h"
#include <optional>

namespace mlir::tg {

/// How many of \p depth positions each pass has, at most \p longest; none if no
/// number of passes divides them well, or if one suffices.
std::optional<int64_t> getPassLength(int64_t depth, int64_t longest);

/// The most positions of a pass for which the packed columns of a register tile
/// stay in the second-level cache; all of \p depth if they do anyway.
int64_t getLongestForPanel(int64_t depth, const TargetFacts &target);

/// Whether a transposed left factor of many lines is packed in short passes:
/// if the second-level cache delivers a vector of packed columns for each
/// product. Others that wait for columns pack it in longer ones; on a Zen 5,
/// products that read it where it is have 0.91 to 0.95 of the speed of others.
bool packsManyLines(const TargetFacts &target);

/// Whether \p depth cache lines at a distance of \p stride bytes are many more
/// than the second-level cache holds. There are \p results of the product along
/// the range that has fewer.
bool hasManyLines(int64_t depth, int64_t stride, int64_t results,
                  const TargetFacts &target);

/// The most positions of a pass for which such lines stay in the second-level
/// cache until the next tiles use the rest of them, or, if the factor is
/// packed, for which its packed rows stay in the first-level cache; all of \p
/// depth if there are not many lines.
int64_t getLongestForLines(int64_t depth, int64_t stride, int64_t results,
                           const TargetFacts &target);

/// How many positions of the depth a pass has in which a processor without
/// groups adds up a deep product; none if the sum stays whole, or is no product
/// of two matrices in memory. Along the last of the result ranges, stores are
/// contiguous.
std::optional<int64_t> getLongestPass(RangedReduceOp sum,
                                      ArrayRef<RangeOp> results,
                                      IndexAnalysis &analysis,
                                      const TargetFacts &target);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_DIVIDEDEPTH_H
