//===- Generator.h - random tensor graphs -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Generates a function from a seed. Equal seeds give equal functions on every
/// machine.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_GENERATOR_H
#define TINYGRAD_TOOLS_TGFUZZ_GENERATOR_H

#include "TinyGrad/Interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <iterator>
#include <random>
#include <string>

namespace mlir::tg {

/// A random number generator that does not depend on the C++ library.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  uint64_t bits() { return engine(); }
  /// In [0, count).
  int64_t below(int64_t count) {
    return static_cast<int64_t>(engine() % static_cast<uint64_t>(count));
  }
  /// In [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }
  bool percent(int64_t chance) { return below(100) < chance; }
  /// In [0, 1).
  double unit() { return static_cast<double>(engine() >> 11) / 0x1p53; }
  template <typename Range> auto &pick(Range &&range) {
    return range[below(std::size(range))];
  }

private:
  std::mt19937_64 engine;
};

struct GeneratorOptions {
  /// The number of operations, not counting constants.
  int64_t maxOps = 12;
  /// The percentage of graphs with variables (one to three of them).
  int64_t symbolicPercent = 20;
  /// The maximal number of elements of a tensor. The larger limit applies to
  /// one graph in fifty, with variables to one in twenty.
  int64_t maxElements = 2048;
  int64_t largeElements = 100000;
  /// The percentage of graphs whose derivatives are checked: they have
  /// `derivativesAttrName` (see Derivatives.h). All floats of every second one
  /// are of type f64 and of moderate size.
  int64_t gradientsPercent = 0;
  /// Generates programs for timing: some hundred positions along an axis,
  /// mostly float32. Nothing is evaluated, and arguments have no `tg.input`.
  bool forTiming = false;
  /// The device that the graph is for: operands of `tg.copy` go there.
  std::string device = "CPU";
};

/// A module with one function, @main, whose arguments have values in `tg.input`
/// attributes. Its results are comparable (see Tracker.h), unless the graph is
/// for timing.
OwningOpRef<ModuleOp> generateGraph(MLIRContext *context, uint64_t seed,
                                    const GeneratorOptions &options);

/// The `tg.input` values of a function's arguments. Emits an error if one is
/// missing.
FailureOr<std::vector<HostTensor>> getInputs(func::FuncOp function);

/// Random contents in one of several styles: small integers, fractions, special
/// values, random bits. Floats are finite and of moderate size if `isModerate`.
void fillRandom(HostTensor &tensor, Random &random, bool isModerate = false);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_GENERATOR_H
