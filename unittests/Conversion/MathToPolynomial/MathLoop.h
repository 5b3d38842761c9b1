//===- MathLoop.h - Runs a math operation over an array ---------*- C++ -*-===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiles a loop around one operation in-process and measures the error of
/// its results. Shared by the unit test and the benchmark.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_CONVERSION_MATHTOPOLYNOMIAL_MATHLOOP_H
#define TINYGRAD_UNITTESTS_CONVERSION_MATHTOPOLYNOMIAL_MATHLOOP_H

#include <cstdint>
#include <memory>
#include <string>

namespace tinygrad::test {

/// What to compile.
struct MathLoopSpec {
  /// MLIR that computes %r from %a and %b; $T stands for their type.
  std::string body;
  /// Element type of inputs and output.
  std::string element = "f32";
  /// Elements per iteration; 1 is a scalar loop.
  unsigned lanes = 1;
  /// Run tg-expand-math. Otherwise the operations become calls of libm.
  bool expand = true;
  /// Generate code for AVX2 with FMA even if the machine has more.
  bool avx2Only = false;
  /// MLIR before the function.
  std::string declarations = {};
};

/// A compiled loop.
class MathLoop {
public:
  virtual ~MathLoop() = default;

  /// Returns null on failure, with the reason on stderr.
  static std::unique_ptr<MathLoop> compile(const MathLoopSpec &spec);

  /// Applies the body to `count` elements, a multiple of the lanes. `b` must be
  /// valid even if the body does not mention %b.
  virtual void run(const void *a, const void *b, void *out,
                   int64_t count) const = 0;
};

/// Whether this machine can run the code that MathLoop makes.
bool hostHasFma();

/// The distance of a number from the exact result, in units in the last place
/// of the latter (below the smallest normal number: of that number). Infinite
/// if one of the two is NaN, infinite or a zero of some sign, and the other is
/// not. For a result beyond the largest number, both infinity and the largest
/// number are accepted.
double ulpDistance(float got, double exact);
double ulpDistance(double got, long double exact);

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_CONVERSION_MATHTOPOLYNOMIAL_MATHLOOP_H
