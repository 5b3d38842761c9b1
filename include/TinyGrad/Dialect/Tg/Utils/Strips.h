//===- Strips.h - loads of lanes with whole vectors -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A strip: lanes whose elements are `positions` apart, and an unrolled range
/// with as many positions, along which they are contiguous. Heuristics unroll
/// such a range, and code for CPUs then loads whole vectors.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_STRIPS_H
#define TINYGRAD_DIALECT_TG_UTILS_STRIPS_H

#include "llvm/Support/MathExtras.h"
#include <cstdint>

namespace mlir::tg {

/// Whether a strip of this size has a cheap order of shuffles. Where the
/// numbers of positions and lanes have no common factor, the elements of one
/// position are in different lanes of the strip's vectors: one blend for each
/// of these, and one permutation. With fewer than 8 lanes, a load for each is
/// as fast.
inline bool isStrip(int64_t positions, int64_t lanes, int64_t elementBits) {
  return positions >= 3 && positions <= 15 && positions % 2 == 1 &&
         lanes >= 8 && lanes <= 16 && llvm::isPowerOf2_64(uint64_t(lanes)) &&
         elementBits >= 32;
}

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_STRIPS_H
