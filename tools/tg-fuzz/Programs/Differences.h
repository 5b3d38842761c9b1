//===- Differences.h - gradients of programs by differences -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares gradients that a graph computes with differences of sums that it
/// computes as well, all in the interpreter: whether the gradients that the
/// tensor API builds are right.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_DIFFERENCES_H
#define TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_DIFFERENCES_H

#include "../Checks.h"

namespace mlir::tg {

/// An array attribute of the function @main: for each function whose gradients
/// are checked, the number of the result that is its value (of one element),
/// then pairs of an argument and the result that is the gradient by it.
inline constexpr llvm::StringLiteral differencesAttrName = "check_differences";

/// Compares derivatives along random directions with central differences.
/// Points at which the function may not be smooth are skipped: those where a
/// comparison, or anything else that is not a float, has another value nearby,
/// and those where differences with half of the step are not closer together.
/// Returns Useless if nothing is left.
Outcome checkDifferences(ModuleOp module, std::string &message);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_DIFFERENCES_H
