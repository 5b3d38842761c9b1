//===- WideCountTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Numbers of elements that narrow floats cannot represent, in values and in
/// gradients. f16 ends at 65504, bf16 has 8 digits, and sums of ones in f32 end
/// at 2^24.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Tensor/Training.h"

using namespace tinygrad;
using namespace tinygrad::testing;

/// More than the greatest number of f16, and no number of bf16.
static constexpr int64_t kCount = 70001;

/// A number as it is in the type.
static double rounded(double value, DType dtype) {
  return values(Tensor::full({1}, value, dtype))[0];
}

/// Expects that all elements are the same number, up to one unit of the type.
static void expectAll(const Tensor &tensor, double value) {
  const DType dtype = tensor.dtype();
  const double expected = rounded(value, dtype),
               unit = dtype == DType::Float16    ? 0x1p-10
                      : dtype == DType::BFloat16 ? 0x1p-7
                                                 : 0x1p-20;
  // Subnormal numbers of f16 have fewer digits.
  const double error = std::max(unit * std::fabs(expected),
                                dtype == DType::Float16 ? 0x1p-24 : 0);
  for (double element : values(tensor))
    ASSERT_NEAR(element, expected, error) << name(dtype);
}

class WideCountTest : public ::testing::TestWithParam<DType> {
protected:
  Tensor ones = Tensor::ones({kCount}, GetParam()).parameter();
};

TEST_P(WideCountTest, extrema) {
  ones.max().backward();
  expectAll(ones.grad(), 1.0 / kCount);
  expectAll(ones.min().gradient({ones})[0], 1.0 / kCount);
  // Along an axis, with a scale that keeps the result in range.
  Tensor rows = Tensor::ones({3, kCount}, GetParam()).parameter();
  Tensor seed = Tensor::from({1000.0f, 2000.0f, 3000.0f}).cast(GetParam());
  const Tensor gradient = rows.max(1).gradient({rows}, seed)[0];
  for (int64_t i = 0; i < 3; ++i)
    expectAll(gradient[i], 1000.0 * double(i + 1) / kCount);
  // Some of the elements are equal.
  Tensor half = (Tensor::arange(kCount, DType::Int32) % 2).cast(GetParam());
  half = half.parameter();
  EXPECT_NEAR(values(half.max().gradient({half})[0])[1], 2.0 / kCount, 1e-7);
  // The gradient of a gradient does not depend on the count.
  Tensor scale = Tensor::ones({}, GetParam()).parameter();
  Tensor first = (ones.max() * scale).gradient({ones})[0];
  expectAll(first.sum().gradient({scale})[0], 1);
}

TEST_P(WideCountTest, meansAndDeviations) {
  expectAll(ones.mean(), 1);
  expectAll(ones.mean().gradient({ones})[0], 1.0 / kCount);
  expectAll(ones.var(), 0);
  expectAll(ones.std(), 0);
  expectAll(ones.std().gradient({ones})[0], 0);
  // 0 and 2 by turns.
  Tensor x = (Tensor::arange(kCount, DType::Int32) % 2 * 2).cast(GetParam());
  x = x.parameter();
  const double mean = 2.0 * (kCount / 2) / kCount;
  expectAll(x.mean(), mean);
  const double variance = mean * (2 - mean) * kCount / (kCount - 1);
  expectAll(x.var(), variance);
  expectAll(x.std(), std::sqrt(variance));
  // In a unit that has digits: the derivative of the variance is 2 (x - mean)
  // / (n - 1).
  Tensor seed = Tensor::full({}, 1024, GetParam());
  const std::vector<double> ofVariance = values(x.var().gradient({x}, seed)[0]),
                            ofDeviation =
                                values(x.std().gradient({x}, seed)[0]);
  const double unit = GetParam() == DType::BFloat16 ? 0x1p-7 : 0x1p-10;
  for (int64_t i : {int64_t(0), int64_t(1), kCount - 1}) {
    const double expected =
        1024 * 2 * (double(i % 2 * 2) - mean) / double(kCount - 1);
    EXPECT_NEAR(ofVariance[i], expected, unit * std::fabs(expected));
    EXPECT_NEAR(ofDeviation[i], expected / 2, unit * std::fabs(expected));
  }
}

TEST_P(WideCountTest, products) {
  expectAll(ones.prod(), 1);
  expectAll(ones.prod().gradient({ones})[0], 1);
  // All zeros, of which there are more than two.
  Tensor zeros = Tensor::zeros({kCount}, GetParam()).parameter();
  expectAll(zeros.prod().gradient({zeros})[0], 0);
  Tensor some = (Tensor::arange(kCount, DType::Int32) != 7).cast(GetParam());
  some = some.parameter();
  const std::vector<double> gradient = values(some.prod().gradient({some})[0]);
  EXPECT_EQ(gradient[7], 1);
  EXPECT_EQ(gradient[8], 0);
}

TEST_P(WideCountTest, exponentials) {
  expectAll(ones.softmax(0), 1.0 / kCount);
  expectAll(ones.logSoftmax(0), -std::log(double(kCount)));
  expectAll(ones.logsumexp(), 1 + std::log(double(kCount)));
  expectAll(ones.logsumexp().gradient({ones})[0], 1.0 / kCount);
}

TEST_P(WideCountTest, scatterReduce) {
  Tensor base = Tensor::ones({2}, GetParam()).parameter();
  const Tensor index = Tensor::zeros({kCount}, DType::Int32);
  for (ScatterReduction reduction :
       {ScatterReduction::AMax, ScatterReduction::AMin,
        ScatterReduction::Mean}) {
    Tensor result = base.scatterReduce(0, index, ones, reduction);
    expectAll(result, 1);
    std::vector<Tensor> gradients = result.sum().gradient({base, ones});
    expectAll(gradients[0][0], 1.0 / (kCount + 1));
    expectAll(gradients[0][1], 1);
    expectAll(gradients[1], 1.0 / (kCount + 1));
  }
  Tensor product = base.scatterReduce(0, index, ones, ScatterReduction::Prod);
  expectAll(product.sum().gradient({ones})[0], 1);
}

TEST_P(WideCountTest, pooling) {
  // Windows of 90,000 elements.
  Tensor x = Tensor::ones({1, 1, 300, 301}, GetParam()).parameter();
  const Pool2dOptions options{.stride = 1};
  expectAll(x.avgPool2d(300, options), 1);
  expectAll(x.avgPool2d(300, {.stride = 1, .padding = 3}).max(), 1);
  expectAll(
      x.avgPool2d(300, {.stride = 1, .padding = 3, .countIncludePad = false}),
      1);
  const Tensor ofMax = x.maxPool2d(300, options).sum().gradient({x})[0],
               ofMean = x.avgPool2d(300, options).sum().gradient({x})[0];
  for (const Tensor &gradient : {ofMax, ofMean}) {
    expectAll(gradient[0][0][0][0], 1.0 / 90000);
    expectAll(gradient[0][0][5][5], 2.0 / 90000);
  }
}

TEST_P(WideCountTest, losses) {
  Tensor target = Tensor::zeros({kCount}, GetParam());
  expectAll(ones.mseLoss(target), 1);
  expectAll(ones.mseLoss(target).gradient({ones})[0], 2.0 / kCount);
  Tensor logits = Tensor::zeros({kCount, 2}, GetParam()).parameter();
  Tensor labels = Tensor::arange(kCount, DType::Int32) % 2;
  Tensor loss = logits.crossEntropy(labels, Reduction::Mean, 0, int64_t(5));
  expectAll(loss, std::log(2.0));
  expectAll(loss.gradient({logits})[0][0][1], 0.5 / kCount);
}

INSTANTIATE_TEST_SUITE_P(Types, WideCountTest,
                         ::testing::Values(DType::Float16, DType::BFloat16,
                                           DType::Float32, DType::Float64),
                         [](const auto &info) { return name(info.param); });

// fp8 types only store values: what is computed is float32.
TEST(WideCountFloat8Test, values) {
  for (DType dtype : {DType::Float8E4M3, DType::Float8E5M2}) {
    Tensor ones = Tensor::ones({kCount}, dtype).contiguous().realize();
    expectTensor(ones.mean(), {}, {1});
    expectTensor(ones.var(), {}, {0});
    expectTensor(ones.max(), {}, {1});
    expectTensor(
        ones.toFloat().reshape({1, 1, 1, kCount}).avgPool2d({1, kCount}),
        {1, 1, 1, 1}, {1});
    // By what they are multiplied with.
    Tensor scale = Tensor::ones({}).parameter();
    Tensor product = ones.toFloat() * scale;
    expectTensor(product.max().gradient({scale})[0], {}, {1}, 1e-5);
    expectAll(product.max().gradient({product})[0], 1.0 / kCount);
  }
}

// More elements than a sum of ones in float32 can count one by one. The values
// are sums of blocks: each block is far below 2^24, and so the error of their
// sum is that of a sum of a few numbers.
TEST(WideCountLargeTest, moreThanFloat32Counts) {
  constexpr int64_t rows = 8193, columns = 4097;
  constexpr double count = double(rows) * columns;
  static_assert(rows * columns > int64_t(1) << 25);
  for (DType dtype : {DType::Float32, DType::Float16, DType::BFloat16}) {
    Tensor row = Tensor::ones({columns}, dtype).parameter();
    Tensor all = row.reshape({1, columns}).expand({rows, columns});
    expectAll(all.mean(), 1);
    expectAll(all.var(), 0);
    // With a scale that keeps the shares in the range of f16.
    Tensor seed = Tensor::full({}, 4096, dtype);
    expectAll(all.max().gradient({all}, seed)[0].max(), 4096 / count);
    expectAll(all.max().gradient({row}, seed)[0], 4096 * double(rows) / count);
    expectAll(all.mean().gradient({row}, seed)[0], 4096 * double(rows) / count);
  }
}
