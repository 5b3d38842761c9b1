//===- SymbolicShapeTest.h - tensors with every size ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Shared by tests of symbolic shapes: variables, inputs, and the comparison of
/// a program for all values of its variables.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_TENSOR_SYMBOLICSHAPETEST_H
#define TINYGRAD_UNITTESTS_TENSOR_SYMBOLICSHAPETEST_H

#include "TensorTest.h"

namespace tinygrad::testing {

/// The bounds of the variables n and m.
inline constexpr int64_t kMinN = 1, kMaxN = 6, kMinM = 2, kMaxM = 5;

/// Computes a tensor from two sizes.
using Body = std::function<Tensor(SymInt n, SymInt m)>;

class SymbolicShapeTest : public ::testing::Test {
protected:
  Variable n{"n", kMinN, kMaxN}, m{"m", kMinM, kMaxM};

  /// The first part of a tensor of irregular numbers: the same elements whether
  /// the size is symbolic or not. Maximal sizes are given for both.
  static Tensor input(const Shape &shape, const Shape &greatest,
                      unsigned seed = 1) {
    std::vector<Part> parts;
    for (const SymInt &size : shape)
      parts.emplace_back(0, size);
    return noiseTensor(greatest, seed).shrink(parts);
  }
  static Tensor rows(SymInt n, unsigned seed = 1) {
    return input({n, 4}, {kMaxN, 4}, seed);
  }
  static Tensor columns(SymInt n, unsigned seed = 1) {
    return input({3, n}, {3, kMaxN}, seed);
  }
  static Tensor both(SymInt n, SymInt m, unsigned seed = 1) {
    return input({n, m}, {kMaxN, kMaxM}, seed);
  }

  /// Checks all values of n, and of m if it is used.
  void check(const Body &body, double tolerance = 1e-6, bool usesM = false) {
    Graph symbolicGraph, concreteGraph;
    std::size_t programs = 0;
    for (int64_t a = kMinN; a <= kMaxN; ++a)
      for (int64_t b = kMinM; b <= (usesM ? kMaxM : kMinM); ++b) {
        SCOPED_TRACE("n = " + std::to_string(a) + ", m = " + std::to_string(b));
        Tensor concrete, symbolic;
        {
          GraphScope scope(concreteGraph);
          concrete = body(a, b);
          EXPECT_FALSE(concrete.isSymbolic());
        }
        GraphScope scope(symbolicGraph);
        symbolic = body(n.bind(a), m.bind(b));
        ASSERT_EQ(symbolic.concreteShape(), concrete.concreteShape())
            << toString(symbolic.shape());
        ASSERT_EQ(symbolic.dtype(), concrete.dtype());
        const std::vector<double> found = values(symbolic),
                                  expected = values(concrete);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
          if (std::isnan(expected[i]))
            ASSERT_TRUE(std::isnan(found[i])) << "at " << i;
          else if (std::isinf(expected[i]))
            ASSERT_EQ(found[i], expected[i]) << "at " << i;
          else
            ASSERT_NEAR(found[i], expected[i],
                        tolerance * std::max(1.0, std::fabs(expected[i])))
                << "at " << i;
        }
        if (programs == 0)
          programs = symbolicGraph.numPrograms();
        ASSERT_EQ(symbolicGraph.numPrograms(), programs);
      }
  }
  void checkBoth(const Body &body, double tolerance = 1e-6) {
    check(body, tolerance, true);
  }
};

} // namespace tinygrad::testing

#endif // TINYGRAD_UNITTESTS_TENSOR_SYMBOLICSHAPETEST_H
