//===- SumAccuracyTest.cpp - accuracy of sums -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums of many numbers, and functions of sums, compared with exact results.
/// The numbers are equal, so that rounding errors accumulate instead of
/// canceling.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"

using namespace tinygrad;
using namespace tinygrad::testing;

/// A tensor in memory, since sums of constants become products.
static Tensor stored(const Shape &shape, double value,
                     DType dtype = DType::Float32) {
  return Tensor::full(shape, value, dtype).contiguous().realize();
}

static void expectNear(const Tensor &tensor, double expected, double relative) {
  for (double value : values(tensor))
    ASSERT_NEAR(value, expected, relative * std::abs(expected));
}

TEST(SumAccuracy, AlongAllKindsOfAxes) {
  for (float value : {0.1f, 0.7f, 1.1f}) {
    for (int64_t length : {999, 4096, 65536, 70000, 200003})
      expectNear(stored({length}, value).sum(), double(value) * length, 6e-7);
    // Rows, columns, columns that do not fill a vector, the middle axis.
    expectNear(stored({8, 70000}, value).sum(1), double(value) * 70000, 6e-7);
    expectNear(stored({70000, 8}, value).sum(0), double(value) * 70000, 6e-7);
    expectNear(stored({70000, 3}, value).sum(0), double(value) * 70000, 6e-7);
    expectNear(stored({3, 9000, 7}, value).sum(1), double(value) * 9000, 6e-7);
    expectNear(stored({300, 4, 300}, value).sum({0, 2}), double(value) * 90000,
               6e-7);
    // In two kernels.
    expectNear(stored({1 << 23}, value).sum(), double(value) * (1 << 23), 6e-7);
    expectNear(stored({1 << 15, 256}, value).sum(0), double(value) * (1 << 15),
               6e-7);
  }
}

TEST(SumAccuracy, WithoutOptimization) {
  Context plain({{"NOOPT", 1}});
  expectNear(stored({70000}, 0.1f).sum(), double(0.1f) * 70000, 6e-7);
  expectNear(stored({70000, 3}, 0.1f).sum(0), double(0.1f) * 70000, 6e-7);
}

TEST(SumAccuracy, SymbolicLengths) {
  Variable n("n", 1, 100000);
  Tensor x = stored({100000}, 0.1f);
  for (int64_t length : {50, 4096, 70001, 100000})
    expectNear(x.shrink({{0, n.bind(length)}}).sum(), double(0.1f) * length,
               6e-7);
}

TEST(SumAccuracy, Types) {
  expectNear(stored({200000}, 0.1, DType::Float64).sum(), 0.1 * 200000, 2e-15);
  // Summed in float32 and rounded once.
  const double half = stored({1}, 0.1, DType::Float16).toFloat().item<float>();
  expectNear(stored({100000}, 0.1, DType::Float16).sum(), half * 100000,
             0x1p-11);
  const double brain =
      stored({1}, 0.1, DType::BFloat16).toFloat().item<float>();
  expectNear(stored({100000}, 0.1, DType::BFloat16).sum(), brain * 100000,
             0x1p-8);
}

// A single running sum of ones would stop at 2^24.
TEST(SumAccuracy, Ones) {
  Tensor one = stored({1}, 1);
  const int64_t count = int64_t(1) << 29;
  // Each element is computed, so that it is not known to be constant.
  Tensor ones =
      Tensor::arange(count, DType::Int32).cast(DType::Float32) * 0 + one;
  EXPECT_EQ(ones.sum().item<float>(), float(count));
}

TEST(SumAccuracy, ProductsOfMatrices) {
  const int64_t depth = 20000;
  const double exact = double(0.1f) * double(0.7f) * depth;
  // 256 additions per block.
  constexpr double bound = 4e-6;
  Tensor vector = stored({depth}, 0.7f);
  expectNear(stored({8, depth}, 0.1f).matmul(stored({depth, 64}, 0.7f)), exact,
             bound);
  expectNear(stored({16, depth}, 0.1f).matmul(stored({32, depth}, 0.7f).T()),
             exact, bound);
  expectNear(stored({8, depth}, 0.1f).matmul(vector), exact, bound);
  expectNear(stored({1, depth}, 0.1f).matmul(stored({depth, 64}, 0.7f)), exact,
             bound);
  expectNear(stored({depth}, 0.1f).matmul(vector), exact, bound);
  // In two kernels.
  expectNear(stored({1, 8192}, 0.1f).matmul(stored({8192, 1024}, 0.7f)),
             double(0.1f) * double(0.7f) * 8192, 6e-7);
}

TEST(SumAccuracy, Convolutions) {
  Tensor x = stored({1, 1024, 6, 6}, 0.1f), w = stored({16, 1024, 3, 3}, 0.7f);
  expectNear(x.conv2d(w), double(0.1f) * double(0.7f) * 1024 * 9, 4e-6);
}

TEST(SumAccuracy, Means) {
  for (double value : {0.1, 32767.0, 1e30}) {
    expectNear(stored({70000}, value).mean(), float(value), 6e-7);
    expectNear(stored({4, 70000}, value).mean(1), float(value), 6e-7);
  }
}

// Numbers differ from their rounded mean, even if all of them are equal.
TEST(SumAccuracy, VariancesOfEqualNumbers) {
  for (float value : {0.1f, 32767.f, 1e15f}) {
    // The variance that a relative error of 1e-6 in the mean would cause.
    const double square = std::pow(1e-6 * value, 2);
    for (int64_t length : {5, 768, 70000, 1 << 20}) {
      const double var = stored({length}, value).var().item<float>();
      EXPECT_GE(var, 0);
      EXPECT_LE(var, 1e-5 * square) << value << " " << length;
    }
    for (double deviation : values(stored({3, 999}, value).std(1)))
      EXPECT_LE(deviation, 3e-9 * value);
  }
  EXPECT_LT(stored({70000}, 32767.f).var().item<float>(), 4e-6);
}

TEST(SumAccuracy, VariancesOfLargeNumbers) {
  const int64_t count = 50000;
  std::vector<float> data;
  for (float value : noise(count))
    data.push_back(1e6f + std::round(value * 64));
  double sum = 0, squares = 0;
  for (float value : data)
    sum += value;
  for (float value : data)
    squares += std::pow(value - sum / count, 2);
  Tensor x = Tensor::from(data);
  // With fewer lanes, sums are longer: 2.3e-6 with 128-bit vectors.
  EXPECT_NEAR(x.var().item<float>() / (squares / (count - 1)), 1, 3e-6);
  EXPECT_NEAR(x.mean().item<float>() / (sum / count), 1, 3e-7);
  // Squares that overflow, and non-finite numbers.
  EXPECT_EQ(Tensor::from({3e38f, -3e38f, 1.0f}).var().item<float>(), INFINITY);
  EXPECT_TRUE(std::isnan(Tensor::from({INFINITY, 1.0f}).var().item<float>()));
  EXPECT_TRUE(std::isnan(Tensor::from({NAN, 1.0f}).var().item<float>()));
}

TEST(SumAccuracy, LayernormOfEqualNumbers) {
  for (float value : {0.1f, 3.3f, 32767.f})
    for (int64_t length : {33, 768, 70000})
      for (double result : values(stored({2, length}, value).layernorm()))
        ASSERT_NEAR(result, 0, 1e-6) << value << " " << length;
}

/// The largest difference from the sums of `data` in f64, relative to the
/// largest of these.
static double scanError(const std::vector<double> &sums,
                        const std::vector<float> &data) {
  EXPECT_EQ(sums.size(), data.size());
  double sum = 0, largest = 0, error = 0;
  for (size_t i = 0; i < data.size(); ++i) {
    sum += data[i];
    largest = std::max(largest, std::abs(sum));
    error = std::max(error, std::abs(sums[i] - sum));
  }
  return error / largest;
}

// Rows shorter and longer than a block, with and without a shorter last block.
TEST(SumAccuracy, Scans) {
  for (size_t length : {1000, 16384, 70001, 1 << 20}) {
    const std::vector<float> random = noise(length);
    std::vector<float> equal(length, 0.1f), alternating;
    for (size_t i = 0; i < length; ++i)
      alternating.push_back((i % 2 ? 1 : -1) * (1000 + random[i]));
    for (const std::vector<float> &data : {random, equal, alternating})
      EXPECT_LT(scanError(values(Tensor::from(data).cumsum(0)), data), 2.5e-7)
          << length;
  }
}

// Columns, of which a vector has several, and a length that is a variable, so
// that rows are not divided into blocks.
TEST(SumAccuracy, ScansOfColumns) {
  for (const char *device : {Device::getDefault().name().c_str(), "SIM"})
    for (int64_t rows : {1100, 16000, 20000}) {
      SCOPED_TRACE(device + std::string(" ") + std::to_string(rows));
      Context on({{"DEV", device}});
      const bool isGPU = device != std::string("CPU");
      // Work items add up shorter rows, and blocks, in f32.
      const double bound = !isGPU ? 2e-7 : rows > 1 << 14 ? 3e-6 : 3e-4;
      const Tensor x = stored({20000, 3}, 0.1f);
      Variable variable("rows", 1, rows);
      const std::vector<float> data(rows, 0.1f);
      for (SymInt length : {SymInt(rows), SymInt(variable.bind(rows))}) {
        const std::vector<double> sums =
            values(x.shrink({{0, length}, {0, 3}}).cumsum(0));
        std::vector<double> column;
        for (size_t i = 1; i < sums.size(); i += 3)
          column.push_back(sums[i]);
        EXPECT_LT(scanError(column, data), bound);
      }
    }
}

// Results grow to 14: rounding them at each step of a row would cost more than
// 1e-6 of that, as it does on GPUs.
TEST(SumAccuracy, LogarithmsOfScans) {
  const double bound = Device::getDefault().name() == "CPU" ? 5e-7 : 3e-6;
  for (size_t length : {1000, 5000, 70001, 1 << 20}) {
    const std::vector<float> data = noise(length);
    std::vector<double> found = values(Tensor::from(data).logcumsumexp(0));
    ASSERT_EQ(found.size(), length);
    double sum = 0, error = 0;
    for (size_t i = 0; i < length; ++i) {
      sum += std::exp(double(data[i]));
      error = std::max(error, std::abs(found[i] - std::log(sum)));
    }
    EXPECT_LT(error / std::log(sum), bound) << length;
  }
  for (double value : values(
           Tensor::full({9}, -INFINITY).contiguous().realize().logcumsumexp(0)))
    EXPECT_EQ(value, -INFINITY);
  const std::vector<double> ends =
      values(Tensor::from({-INFINITY, 0.0f, -INFINITY, INFINITY, INFINITY, 1.0f,
                           NAN, 1.0f})
                 .logcumsumexp(0));
  for (size_t i = 0; i < ends.size(); ++i)
    EXPECT_TRUE(i < 6 ? ends[i] == (i == 0  ? -INFINITY
                                    : i < 3 ? 0.0
                                            : INFINITY)
                      : std::isnan(ends[i]))
        << i;
}

TEST(SumAccuracy, ScansWithoutOptimization) {
  Context plain({{"NOOPT", 1}});
  const std::vector<float> equal(100000, 0.1f);
  EXPECT_LT(scanError(values(Tensor::from(equal).cumsum(0)), equal), 2.5e-7);
}

// Rounded once: the totals of blocks are float32.
TEST(SumAccuracy, ScansOfNarrowFloats) {
  const size_t length = 200000;
  std::vector<float> data;
  for (size_t i = 0; i < length; ++i)
    data.push_back(i % 4 == 0 ? 0.125f : 0.0f);
  for (DType dtype : {DType::Float16, DType::BFloat16}) {
    const double ulp = dtype == DType::Float16 ? 0x1p-11 : 0x1p-8;
    Tensor x = Tensor::from(data).cast(dtype).contiguous().realize();
    EXPECT_LT(scanError(values(x.cumsum(0)), data), ulp);
  }
}
