//===- Cliffs.h - programs that are slow without reason ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A program should never be many times slower than the same program with every
/// reduction stored. Where it is, scheduling has put a reduction at a place
/// where it cannot run fast: a cliff.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_CLIFFS_H
#define TINYGRAD_TOOLS_TGFUZZ_CLIFFS_H

#include "Generator.h"

#include <functional>
#include <string>

namespace mlir::tg {

/// Options with which `generateGraph` makes programs to time: of tensors of
/// some hundred positions along an axis, without values.
GeneratorOptions getTimingOptions(int64_t maxOps);

/// Asks for a buffer for the result of each reduction.
void storeReductions(ModuleOp module);

/// Positions that the program computes when nothing is shared, about: its work.
double countPositions(ModuleOp module);

/// Seconds of CPU time of one run.
struct ProgramTimes {
  /// As it is, and with every reduction stored.
  double asItIs = 0, stored = 0;

  double getRatio() const { return stored > 0 ? asItIs / stored : 1; }
};

/// Whether the difference is a cliff: at least `factor` times, and more than
/// what measuring short runs is off by.
bool isCliff(const ProgramTimes &times, double factor);

/// Compiles and runs the program in both ways, a few times each in turn; each
/// time is the least. The program has a function @main whose arguments need no
/// values. Throws tinygrad::Error.
ProgramTimes timeProgram(ModuleOp module, StringRef device);

/// Measures; measures again where it looks like a cliff, and takes the times of
/// the smaller ratio.
ProgramTimes confirm(const std::function<ProgramTimes()> &measure,
                     double factor);

/// `12.3 times slower: 45.6 ms, 3.7 ms with every reduction stored`.
std::string toString(const ProgramTimes &times);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_CLIFFS_H
