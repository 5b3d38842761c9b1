//===- GroupNumbers.h - the order of the groups of a launch -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which block of results a group computes may be a permutation of numbers, by
/// divisions of these. All numbers are tried: a solver takes too long for what
/// several divisions have in common.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_VERIFY_GROUPNUMBERS_H
#define TINYGRAD_LIB_DIALECT_TG_VERIFY_GROUPNUMBERS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <array>

namespace mlir::tg {

/// What a function computes from the number of its group along x and y alone by
/// divisions, as far as anything else is computed from it.
struct GroupNumbers {
  /// One such value, and its smallest and largest number.
  struct Number {
    Value value;
    int64_t least, most;
  };
  /// Of different groups with the same number along z, one of these differs.
  /// Empty if there are none, or not few enough groups to try all.
  SmallVector<Number, 4> numbers;
  /// If groups compute several blocks of results, the loop over these: of the
  /// same number along z, two groups differ in one of the numbers wherever they
  /// are in it, and nothing is said of what is outside.
  scf::ForOp blocks;
};

/// Emits an error if two groups have the same numbers, and nothing else is
/// computed from the numbers along x and y: they compute the same.
/// If groups compute several blocks of results, \p blocks is the loop over
/// these, and its counter takes the place of both numbers: that is one that no
/// other group has, if there is one group along y. It is an error if not.
FailureOr<GroupNumbers> findGroupNumbers(gpu::GPUFuncOp func,
                                         scf::ForOp blocks);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_VERIFY_GROUPNUMBERS_H
