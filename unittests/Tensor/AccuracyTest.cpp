//===- AccuracyTest.cpp - accuracy of tensor functions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The errors of functions of one tensor in units in the last place, for a
/// sample of all f32, with subnormal numbers, overflow, signs of zeros,
/// infinities and NaN.
///
//===----------------------------------------------------------------------===//

#include "FunctionAccuracy.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::testing;

class Accuracies : public ::testing::TestWithParam<ExactFunction> {};

TEST_P(Accuracies, AreWithinTheBounds) {
  const ExactFunction &function = GetParam();
  Accuracy usual, all;
  measure(function, 16411, usual, all);
  EXPECT_LE(usual.error, function.usualBound) << "at " << usual.at;
  EXPECT_LE(all.error, function.bound) << "at " << all.at;
  // If every result were exact, the measurement would be broken.
  EXPECT_GT(usual.error, 0.3);
}

INSTANTIATE_TEST_SUITE_P(All, Accuracies, ::testing::ValuesIn(exactFunctions()),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

/// Numbers near which the rounding errors of a simpler formula, of units that
/// are larger than those of the result, add up to more than two units.
TEST(Accuracy, OfHardNumbers) {
  const std::pair<std::string, float> hard[] = {{"tan", 474700.15625f},
                                                {"acosh", 1.00726449f}};
  for (const auto &[name, x] : hard)
    for (const ExactFunction &function : exactFunctions())
      if (function.name == name) {
        // A vector of them, and a scalar.
        for (std::size_t count : {64, 1}) {
          Tensor y =
              function.compute(Tensor::from(std::vector<float>(count, x)));
          EXPECT_LE(ulpDistance(y.tolist<float>()[0], function.exact(x)), 1.5)
              << name;
        }
      }
}

TEST(UlpDistance, CountsInUnitsOfTheExactResult) {
  EXPECT_EQ(ulpDistance(1.0f, 1.0 + 0x1p-24), 0.5);
  EXPECT_EQ(ulpDistance(1.0f, 1.0 - 0x1p-24), 1);
  EXPECT_EQ(ulpDistance(0x1p-149f, 0), 1);
  EXPECT_EQ(ulpDistance(0.0f, 0x1p-149), 1);
  EXPECT_EQ(ulpDistance(INFINITY, 0x1p130), 0);
  EXPECT_EQ(ulpDistance(NAN, NAN), 0);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ulpDistance(-0.0f, 0), infinity);
  EXPECT_EQ(ulpDistance(1e30f, infinity), infinity);
  EXPECT_EQ(ulpDistance(NAN, 1), infinity);
}
