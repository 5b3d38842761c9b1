//===- Cliffs.h - performance cliffs ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A program should never be many times slower than the same program with every
/// reduction stored. If it is, scheduling has placed a reduction where it
/// cannot run fast: a cliff.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_CLIFFS_H
#define TINYGRAD_TOOLS_TGFUZZ_CLIFFS_H

#include "Generator.h"

#include <functional>
#include <string>

namespace mlir::tg {

/// Options with which `generateGraph` generates programs for timing: tensors
/// with some hundred positions along an axis, without values.
GeneratorOptions getTimingOptions(int64_t maxOps);

/// Requests a buffer for the result of each reduction.
void storeReductions(ModuleOp module);

/// The approximate number of positions computed without sharing: the work.
double countPositions(ModuleOp module);

/// Seconds of CPU time of one run.
struct ProgramTimes {
  /// As scheduled, and with every reduction stored.
  double asItIs = 0, stored = 0;

  double getRatio() const { return stored > 0 ? asItIs / stored : 1; }
};

/// Whether the difference is a cliff: at least `factor` times, and more than
/// the measurement error of short runs.
bool isCliff(const ProgramTimes &times, double factor);

/// Compiles and runs both variants of the program, a few times each,
/// alternating, and returns the minimal times. The program has a function @main
/// whose arguments need no values. Throws tinygrad::Error.
ProgramTimes timeProgram(ModuleOp module, StringRef device);

/// Measures, and repeats the measurement if it looks like a cliff. Returns the
/// times with the smallest ratio.
ProgramTimes confirm(const std::function<ProgramTimes()> &measure,
                     double factor);

/// `12.3 times slower: 45.6 ms, 3.7 ms with every reduction stored`.
std::string toString(const ProgramTimes &times);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_CLIFFS_H
