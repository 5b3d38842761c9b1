//===- CodeCounts.h - what machine code does at most ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bounds of what a call of a compiled function executes, found from the
/// machine code and the bounds of its loops, without running it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_CPU_CODECOUNTS_H
#define TINYGRAD_TARGET_CPU_CODECOUNTS_H

#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::tg {

/// What a call executes at most. Each number is the greatest over all paths, so
/// that not all of them need to belong to one path.
struct CodeCounts {
  /// Machine instructions, with those of called functions of the module.
  uint64_t instructions = 0;
  /// Bytes that instructions load and store, the stack's included, but those of
  /// pushes, pops, calls and returns not.
  uint64_t bytesRead = 0, bytesWritten = 0;

  CodeCounts &operator+=(const CodeCounts &other);
  /// The greater number of each kind.
  void raise(const CodeCounts &other);
  CodeCounts operator*(uint64_t times) const;
};

/// The arguments of a call of a kernel through its C interface, as far as they
/// decide how often loops run.
struct KernelArguments {
  /// The values of its variables.
  std::vector<int64_t> variables;
  int64_t begin = 0, end = 0;

  bool operator==(const KernelArguments &) const = default;
};

/// A compiled function.
struct FunctionCounts {
  /// For each of the arguments that were asked for; of a function that is no
  /// kernel, one.
  std::vector<CodeCounts> counts;
  /// Whether each loop has a bound: the counts mean nothing otherwise.
  bool isBounded = true;
  /// Of its frame, with the address that it returns to.
  uint64_t stackBytes = 0;
  /// Functions that it calls, each once, by name.
  std::vector<std::string> callees;
  /// Places in the code of a kernel where a value that was loaded decides where
  /// the code goes on, and where it decides which address is loaded or stored.
  unsigned dataBranches = 0, dataAddresses = 0;
  /// A helper that code calls in place of an instruction: what it executes is
  /// in the counts of its callers, as often as they call it.
  bool isInCallers = false;
};

/// What is to be counted, and the result.
struct CodeCounter {
  /// The calls of kernels, by the name of the kernel.
  llvm::StringMap<std::vector<KernelArguments>> calls;
  /// All functions, by name.
  llvm::StringMap<FunctionCounts> functions;
};

} // namespace mlir::tg

#endif // TINYGRAD_TARGET_CPU_CODECOUNTS_H
