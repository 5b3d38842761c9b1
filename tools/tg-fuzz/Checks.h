//===- Checks.h - differential tests of a graph -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The checks of a graph and their outcomes.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_CHECKS_H
#define TINYGRAD_TOOLS_TGFUZZ_CHECKS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace mlir::tg {

/// Exit codes of a guarded child process.
enum class Outcome : int {
  Good = 0,
  /// The graph's results are not comparable.
  Useless = 10,
  /// The IR, or the output of a pass, does not verify.
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
  /// The device that runs the compiled graph; empty to skip that.
  std::string device = "CPU";
  /// Compare canonicalized graphs too.
  bool canonicalize = true;
  /// Also compile with optimization off.
  bool noOpt = true;
  /// Make a C library of the graph and call it, instead of anything else.
  bool library = false;
  /// As C source, which the system's C compiler compiles with checks of
  /// undefined behavior.
  bool librarySource = false;
  /// Save the compiled graph as an artifact, load and run it, instead of
  /// anything else.
  bool artifact = false;
  /// Also compile with this number of random schedules.
  unsigned randomSchedules = 0;
  uint64_t seed = 0;
  /// The target for which schedules are compared with the kernels they belong
  /// to, instead of anything else; empty to skip that.
  std::string schedulesFor;
  /// Print how many schedules were compared.
  bool printCounts = false;
  /// The values of a graph's variables; if empty, several are tried.
  llvm::StringMap<int64_t> binding;
};

/// Checks a graph whose arguments have `tg.input` values, of their maximal
/// shapes if these are symbolic. A graph with variables is compiled once and
/// compared for several values of them. Of a graph with `derivativesAttrName`,
/// the derivatives are checked instead (see Derivatives.h). `message` describes
/// the failure. May crash: call it in a child process.
Outcome check(ModuleOp module, const CheckOptions &options,
              std::string &message);

/// Runs `body` in a child process with a time limit and returns the outcome;
/// `message` is the body's message or the name of the signal. This process must
/// not have started threads.
Outcome runGuarded(unsigned seconds, std::string &message,
                   llvm::function_ref<Outcome(std::string &)> body);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_CHECKS_H
