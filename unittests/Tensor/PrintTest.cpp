//===- PrintTest.cpp - values as text -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Nesting, alignment, numbers of all kinds, and omitted elements.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <sstream>

using namespace tinygrad;
using namespace tinygrad::testing;

TEST(Print, Integers) {
  EXPECT_EQ(Tensor(7).str(), "7");
  EXPECT_EQ(Tensor::from({1, -20, 300}).str(), "[  1 -20 300]");
  EXPECT_EQ(Tensor::from({{1, 2}, {3, 4}}).str(), "[[1 2]\n [3 4]]");
  EXPECT_EQ(Tensor::from({{{1}, {2}}, {{3}, {4}}}).str(),
            "[[[1]\n  [2]]\n\n [[3]\n  [4]]]");
  EXPECT_EQ(Tensor::from(std::vector<int8_t>{65, -1}).str(), "[65 -1]");
  EXPECT_EQ(Tensor::from({true, false}).str(), "[ true false]");
  EXPECT_EQ(Tensor::zeros({0}).str(), "[]");
  EXPECT_EQ(Tensor::zeros({2, 0}).str(), "[[]\n []]");
  EXPECT_EQ(Tensor::zeros({int64_t(1) << 40, 0}).str(),
            "[[]\n []\n []\n ...\n []\n []\n []]");
}

TEST(Print, Floats) {
  EXPECT_EQ(Tensor::from({1.0f, -2.0f}).str(), "[ 1. -2.]");
  EXPECT_EQ(Tensor::from({0.1f, 2.25f, 10.0f}).str(), "[ 0.1   2.25 10.  ]");
  EXPECT_EQ(Tensor(0.5).str(), "0.5");
  EXPECT_EQ(Tensor::from({NAN, INFINITY, -INFINITY, 1.5f}).str(),
            "[ nan  inf -inf  1.5]");
  EXPECT_EQ(Tensor::from({1e10f, 1.0f}).str(), "[1.e+10 1.e+00]");
  EXPECT_EQ(Tensor::from({1.5e-7f}).str(), "[1.5e-07]");
  EXPECT_EQ(Tensor::from({1.0 / 3}).str(), "[0.33333333]");
  EXPECT_EQ(Tensor::from({0.1f}).toHalf().str(), "[0.1]");
  EXPECT_EQ(Tensor::from({0.5f}).cast(DType::Float8E4M3).str(), "[0.5]");
}

TEST(Print, EachNumberInItsOwnDigits) {
  // 0.4 is 0.40000000596 in float32, 0.9000000358 is not 0.9.
  EXPECT_EQ(Tensor::from({0.4f, 0.90000004f, -0.0f}).str(),
            "[ 0.4         0.90000004 -0.        ]");
  EXPECT_EQ(Tensor::from({0.1f, 1.5e9f}).str(), "[1.0e-01 1.5e+09]");
  EXPECT_EQ(Tensor::from({0.1f}).cast(DType::BFloat16).str(), "[0.1]");
  EXPECT_EQ(Tensor::from({1.0f, NAN, 1e30f}).str(), "[1.e+00    nan 1.e+30]");
}

TEST(Print, LargeTensorsAreCut) {
  const std::string line = Tensor::arange(5000).str();
  EXPECT_EQ(line, "[   0    1    2 ... 4997 4998 4999]");
  const std::string square = Tensor::arange(10000).reshape({100, 100}).str();
  EXPECT_THAT(square, ::testing::HasSubstr("[   0    1    2 ...   97   98   "
                                           "99]\n [ 100"));
  EXPECT_THAT(square, ::testing::HasSubstr("\n ...\n"));
  // Short axes are printed completely.
  EXPECT_THAT(Tensor::arange(4000).reshape({4, 1000}).str(),
              ::testing::HasSubstr("[1000 1001"));
}

TEST(Print, LongLinesAreBroken) {
  std::istringstream lines(Tensor::arange(100).str());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_LE(line.size(), 76u);
  EXPECT_GT(count, 2);
}

TEST(Print, Stream) {
  std::ostringstream stream;
  stream << Tensor::from({1, 2}) + 1;
  EXPECT_EQ(stream.str(), "[2 3]");
}
