//===- TgKernelFunctions.h - kernels as functions ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What is known of a function that was a kernel, as attributes of the dialect:
/// convert-tg-to-vector and convert-tg-to-gpu write them, everything after
/// these reads them.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGKERNELFUNCTIONS_H
#define TINYGRAD_DIALECT_TG_IR_TGKERNELFUNCTIONS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mlir::tg {

/// How many positions run in parallel, a dimension.
inline constexpr llvm::StringLiteral parallelExtentAttrName =
    "tg.parallel_extent";
/// How many groups of work items there are in each direction of the grid: x, y
/// and z, three dimensions.
inline constexpr llvm::StringLiteral groupsAttrName = "tg.groups";
/// How many leading arguments are written.
inline constexpr llvm::StringLiteral outputsAttrName = "tg.outputs";
/// Outputs may be among the other arguments.
inline constexpr llvm::StringLiteral inPlaceAttrName = "tg.in_place";
/// The variables of symbolic sizes whose values are the last arguments.
inline constexpr llvm::StringLiteral variablesAttrName = "tg.variables";
/// For how many groups that are resident on a compute unit at once a function
/// of a work item has to leave registers.
inline constexpr llvm::StringLiteral residentGroupsAttrName =
    "tg.resident_groups";
inline constexpr int64_t kMaxResidentGroups = 1 << 10;
/// All indices of a function of a work item fit into 32 bits.
inline constexpr llvm::StringLiteral narrowIndicesAttrName =
    "tg.narrow_indices";

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGKERNELFUNCTIONS_H
