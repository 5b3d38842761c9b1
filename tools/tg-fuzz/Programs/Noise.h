//===- Noise.h - error bounds by random rounding ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Error bounds for graphs of which the Tracker has none, since an inexact
/// value decides something there, such as which element is the largest.
///
/// The interpreter executes the graph several times, and adds to the result of
/// each operation a random error of the size that this operation alone may
/// have. How far the results of these runs are apart shows how far a correct
/// result may be away, and which results have no bound: those that jump.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_NOISE_H
#define TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_NOISE_H

#include "../Tracker.h"

namespace mlir::tg {

/// An i64 attribute of the function @main of a graph whose error bounds are
/// found like this: the seed of the random errors.
inline constexpr llvm::StringLiteral noiseAttrName = "check_with_noise";

/// The expected results of a function with `noiseAttrName`; none if no result
/// has a bound, or if one is not finite.
std::optional<ExpectedRun> runWithNoise(func::FuncOp function,
                                        ArrayRef<HostTensor> inputs);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_NOISE_H
