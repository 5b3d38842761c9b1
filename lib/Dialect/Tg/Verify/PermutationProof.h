//===- PermutationProof.h - permutations in bit vectors ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the proofs assume of permuted tiles. As a permutation is one-to-one,
/// accesses have an element in common if and only if they do before it, where
/// there is only linear arithmetic.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_VERIFY_PERMUTATIONPROOF_H
#define TINYGRAD_LIB_DIALECT_TG_VERIFY_PERMUTATIONPROOF_H

#include "TinyGrad/Dialect/Tg/Utils/Permutation.h"
#include "mlir/IR/Builders.h"

namespace mlir::tg {

/// Asserts that, of numbers of 64 bits, some of this does not hold: the
/// function is one-to-one; it has a number less than \p size exactly for such
/// numbers; what was a chunk is a chunk, in the same order.
void assertIsNoPermutation(OpBuilder &builder, Location loc,
                           const Permutation &permutation, int64_t size);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_VERIFY_PERMUTATIONPROOF_H
