//===- Checks.h - running a graph in two ways -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a graph is put through, and what can go wrong with it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_CHECKS_H
#define TINYGRAD_TOOLS_TGFUZZ_CHECKS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace mlir::tg {

/// Exit codes of a guarded child process, which a parent reads.
enum class Outcome : int {
  Good = 0,
  /// Not a comparable graph: nothing can be said.
  Useless = 10,
  /// The IR, or what a pass made of it, does not verify.
  Invalid = 11,
  /// Compilation or execution failed with an error.
  Failed = 12,
  /// A wrong value.
  Mismatch = 13,
  /// A signal ended the process.
  Crash = 14,
  /// It took too long.
  Timeout = 15,
};

StringRef getName(Outcome outcome);

struct CheckOptions {
  /// Where the compiled graph runs; empty to leave that out.
  std::string device = "CPU";
  /// Compare canonicalized graphs too.
  bool canonicalize = true;
  /// Also compile with optimization off.
  bool noOpt = true;
  /// Also compile with so many random schedules, of a series.
  unsigned randomSchedules = 0;
  uint64_t seed = 0;
  /// The values of a graph's variables; without, several are tried.
  llvm::StringMap<int64_t> binding;
};

/// Checks a graph whose arguments have `tg.input` values, of their largest
/// shapes where these are symbolic. A graph with variables is compiled once and
/// compared for several values of them. `message` says what is wrong. May
/// crash: run it in a process of its own.
Outcome check(ModuleOp module, const CheckOptions &options,
              std::string &message);

/// Runs `body` in a child process with a time limit and returns how it ended;
/// `message` is what the body left there, or the name of the signal. This
/// process must not have started threads.
Outcome runGuarded(unsigned seconds, std::string &message,
                   llvm::function_ref<Outcome(std::string &)> body);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_CHECKS_H
