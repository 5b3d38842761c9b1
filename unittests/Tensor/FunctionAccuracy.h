//===- FunctionAccuracy.h - accuracy of tensor functions --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares functions of one f32 tensor with exact results for all of f32.
/// Shared by the unit test, which takes a sample, and the program that makes
/// the table of docs/math-functions.md.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_TENSOR_FUNCTIONACCURACY_H
#define TINYGRAD_UNITTESTS_TENSOR_FUNCTIONACCURACY_H

#include "TinyGrad/Tensor/Tensor.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace tinygrad::testing {

struct ExactFunction {
  const char *name;
  Tensor (*compute)(const Tensor &);
  /// The function in f64, which is sufficiently accurate.
  double (*exact)(double);
  /// Largest error for |x| <= usual, and for all x, in units in the last place.
  double usual, usualBound, bound;
  /// Results smaller than the least normal number may be zeros.
  bool hasZeroTail = false;
};

/// All functions that are measured.
const std::vector<ExactFunction> &exactFunctions();

/// The largest error found, and where.
struct Accuracy {
  double error = 0;
  float at = 0;
};

/// Tests every \p stride-th f32 and special values. Arguments are in blocks of
/// 2^18; the last block is filled from the beginning.
void measure(const ExactFunction &function, uint32_t stride, Accuracy &usual,
             Accuracy &all);

/// The distance of an f32 from the exact result, in units in the last place of
/// the latter (below the smallest normal number: of that number). Infinite if
/// one of the two is NaN or infinite and the other is not, or if the sign of a
/// zero differs.
double ulpDistance(float found, double exact);

} // namespace tinygrad::testing

#endif // TINYGRAD_UNITTESTS_TENSOR_FUNCTIONACCURACY_H
