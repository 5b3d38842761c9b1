//===- Program.h - random programs of the tensor API ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Random compositions of methods of tinygrad::Tensor, with their gradients,
/// also by values between, and Hessian-vector products. A program is a list of
/// numbers, from which the tensors are built whenever they are needed: it can
/// be built again with parts left out and other sizes, which makes it small.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_PROGRAM_H
#define TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_PROGRAM_H

#include "../Checks.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tinygrad::fuzz {

/// One method call. What it is called with is drawn from the seed and from the
/// shapes of the operands when the program is built.
struct Step {
  unsigned function = 0;
  uint64_t seed = 0;
  /// Which value is the first operand: 0 for the first input, i + 1 for the
  /// result of step i.
  unsigned operand = 0;
  /// Left out: its result is its operand.
  bool isRemoved = false;
};

/// What a program computes from its last value y: y itself, the gradients g of
/// sum(y * w) by the inputs, and the gradients h of sum(g * v), which are
/// products of the Hessian and v. By a value between, the gradient and the
/// product are those of the rest of the program.
struct Outputs {
  bool value = true, gradients = true, products = true;
};

struct Program {
  uint64_t seed = 0;
  bool isDouble = true;
  /// The sizes of the first input.
  std::vector<int64_t> shape;
  /// Whether the program begins with the first `n` elements of the first axis
  /// of that input, for a variable n. Functions that need to know the size are
  /// left out.
  bool isSymbolic = false;
  std::vector<Step> steps;
  Outputs outputs;
  /// The step by whose result there is a gradient too.
  std::optional<unsigned> between;
  /// Whether gradients are compared with differences of the interpreter's
  /// values as well.
  bool withDifferences = false;
};

struct ProgramOptions {
  int64_t maxSteps = 6;
};

/// Program number \p seed; the same on every machine.
Program makeProgram(uint64_t seed, const ProgramOptions &options);

/// Calls \p stillFails, at most \p maxTries times, for programs with fewer
/// steps, smaller sizes and fewer outputs, and returns the smallest one that
/// does.
Program shrinkProgram(Program program,
                      llvm::function_ref<bool(const Program &)> stillFails,
                      unsigned maxTries);

/// The number of functions that programs consist of.
unsigned countFunctions();

/// The program as statements in C++.
std::string describe(const Program &program);

/// Builds a program and checks it. Every module that is about to be checked is
/// given to \p save first. `message` describes the failure. May crash: call it
/// in a child process.
mlir::tg::Outcome
checkProgram(const Program &program, const mlir::tg::CheckOptions &options,
             llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp)> save,
             std::string &message);

} // namespace tinygrad::fuzz

#endif // TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_PROGRAM_H
