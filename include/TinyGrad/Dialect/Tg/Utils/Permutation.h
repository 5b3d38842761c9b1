//===- Permutation.h - orders of the elements of a tile ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tiles for matrix units are permuted by an exclusive or (see GroupLayout).
/// Here such an index is recognized after `convert-tg-to-gpu`.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_PERMUTATION_H
#define TINYGRAD_DIALECT_TG_UTILS_PERMUTATION_H

#include "mlir/IR/Value.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace mlir::tg {

/// x -> x xor (flipped << chunkBits), where row = x >> rowBits and flipped =
/// (row & rowMask) | ((row >> 1) & farMask). A chunk are the elements whose
/// numbers differ in the lowest `chunkBits` bits only.
struct Permutation {
  unsigned rowBits = 0, chunkBits = 0;
  uint64_t rowMask = 0, farMask = 0;

  bool operator==(const Permutation &other) const {
    return rowBits == other.rowBits && chunkBits == other.chunkBits &&
           rowMask == other.rowMask && farMask == other.farMask;
  }
  int64_t getChunk() const { return int64_t(1) << chunkBits; }
  /// The bits that are changed, of a number.
  uint64_t getFlipped(uint64_t number) const {
    const uint64_t row = number >> rowBits;
    return ((row & rowMask) | ((row >> 1) & farMask)) << chunkBits;
  }
  /// After so many elements, rows are permuted as the first ones: a power of
  /// two.
  uint64_t getPeriod() const {
    return llvm::NextPowerOf2(std::max(rowMask, farMask << 1)) << rowBits;
  }
};

/// An index that is computed so, and of what.
struct PermutedIndex {
  Permutation permutation;
  OpOperand *original;
};

/// None if the index does not have this form.
std::optional<PermutedIndex> matchPermutation(Value index);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_PERMUTATION_H
