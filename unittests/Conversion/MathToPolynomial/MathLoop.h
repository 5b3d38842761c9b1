//===- MathLoop.h - Runs a math operation over an array ---------*- C++ -*-===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiles a loop around one operation in process and measures how far results
/// are from exact ones. Shared by the unit test and the benchmark.
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
  /// Generate code for AVX2 with FMA, whatever else the machine has.
  bool avx2Only = false;
  /// MLIR before the function.
  std::string declarations = {};
};

/// A compiled loop.
class MathLoop {
public:
  virtual ~MathLoop() = default;

  /// Null when something failed; the reason went to stderr.
  static std::unique_ptr<MathLoop> compile(const MathLoopSpec &spec);

  /// Applies the body to `count` elements, a multiple of the lanes. `b` is not
  /// read by a body that does not mention %b, but must be valid.
  virtual void run(const void *a, const void *b, void *out,
                   int64_t count) const = 0;
};

/// Whether this machine can run the code that MathLoop makes.
bool hostHasFma();

/// The distance of an f32 from the exact result, in units in the last place of
/// the latter (of the smallest normal number, below it). Infinite when one of
/// the two is NaN, infinite or a zero of some sign and the other is not. A
/// result beyond the largest f32 may be either infinite or the largest f32.
double ulpDistance(float got, double exact);

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_CONVERSION_MATHTOPOLYNOMIAL_MATHLOOP_H
