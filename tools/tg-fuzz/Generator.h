//===- Generator.h - random tensor graphs -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes a function from a number. The same number gives the same function, on
/// every machine.
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

namespace mlir::tg {

/// Random numbers that do not depend on the C++ library.
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
  /// Operations, not counting constants.
  int64_t maxOps = 12;
  /// How many of a hundred graphs have variables, one to three.
  int64_t symbolicPercent = 20;
  /// Elements of a tensor. One graph of fifty takes the large bound, one of
  /// twenty of those with variables.
  int64_t maxElements = 2048;
  int64_t largeElements = 100000;
  /// Some hundred positions along an axis and mostly float32, to be timed; no
  /// values: nothing is evaluated, arguments have no `tg.input`.
  bool forTiming = false;
};

/// A module with one function, @main, whose arguments have their values in a
/// `tg.input` attribute. Its results are comparable (see Tracker.h), unless the
/// graph is for timing.
OwningOpRef<ModuleOp> generateGraph(MLIRContext *context, uint64_t seed,
                                    const GeneratorOptions &options);

/// The `tg.input` values of a function's arguments; fails, with a diagnostic,
/// if one has none.
FailureOr<std::vector<HostTensor>> getInputs(func::FuncOp function);

/// Random contents in one of several styles: small whole numbers, fractions,
/// special values, any bits.
void fillRandom(HostTensor &tensor, Random &random);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_GENERATOR_H
