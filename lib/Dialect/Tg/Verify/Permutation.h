//===- Permutation.h - orders of the elements of a buffer -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tiles for matrix units are permuted by an exclusive or. As it is one-to-one,
/// accesses have an element in common if and only if they do before it, where
/// there is only linear arithmetic.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_VERIFY_PERMUTATION_H
#define TINYGRAD_LIB_DIALECT_TG_VERIFY_PERMUTATION_H

#include "mlir/IR/Builders.h"

#include <optional>

namespace mlir::tg {

/// x -> x xor (((x >> rowBits) and rowMask) << chunkBits). A chunk are the
/// elements whose numbers differ in the lowest `chunkBits` bits only.
struct Permutation {
  unsigned rowBits = 0, chunkBits = 0;
  uint64_t rowMask = 0;

  bool operator==(const Permutation &other) const {
    return rowBits == other.rowBits && chunkBits == other.chunkBits &&
           rowMask == other.rowMask;
  }
  int64_t getChunk() const { return int64_t(1) << chunkBits; }
};

/// An index that is computed so, and of what.
struct PermutedIndex {
  Permutation permutation;
  OpOperand *original;
};

/// None if the index does not have this form.
std::optional<PermutedIndex> matchPermutation(Value index);

/// Asserts that, of numbers of 64 bits, some of this does not hold: the
/// function is one-to-one; it has a number less than \p size exactly for such
/// numbers; what was a chunk is a chunk, in the same order.
void assertIsNoPermutation(OpBuilder &builder, Location loc,
                           const Permutation &permutation, int64_t size);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_VERIFY_PERMUTATION_H
