//===- ReduceTest.cpp - reductions ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums, extrema, statistics and positions along all kinds of axes.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <limits>

using namespace tinygrad;
using namespace tinygrad::testing;

TEST(Reduce, Axes) {
  Tensor x = counting({2, 3, 4});
  expectTensor(x.sum(), {}, {276});
  expectTensor(x.sum(0), {3, 4},
               {12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34});
  expectTensor(x.sum(-1), {2, 3}, {6, 22, 38, 54, 70, 86});
  expectTensor(x.sum({0, 2}), {3}, {60, 92, 124});
  expectTensor(x.sum({2, 0}), {3}, {60, 92, 124});
  expectTensor(x.sum({0, 2}, true), {1, 3, 1}, {60, 92, 124});
  EXPECT_EQ(x.sum({}, true).shape(), (Shape{1, 1, 1}));
  expectTensor(x.sum(std::vector<int64_t>{}), {2, 3, 4}, values(x));
  expectTensor(Tensor(3).sum(), {}, {3});
  EXPECT_ERROR(x.sum(3), IndexError, "sum: axis 3 is out of range");
  EXPECT_ERROR(x.max(-4), IndexError, "max: axis -4");
  EXPECT_ERROR(x.mean({1, -2}), IndexError, "given twice");
}

// Repeated elements are multiplied, not added one by one.
TEST(Reduce, SumsOfRepeatedNumbers) {
  expectTensor(Tensor::full({70000}, 1e5f).mean(), {}, {1e5});
  expectTensor(Tensor::full({20000000}, 0.1f).sum(), {}, {2e6});
  Tensor x = Tensor::from({1e5f, 0.1f}).reshape({2, 1});
  expectTensor(x.expand({2, 70000}).mean(1), {2}, {1e5, 0.1f});
}

// As in PyTorch and tinygrad, a scalar is treated as a row of one element.
TEST(Reduce, AxesOfScalars) {
  Tensor x(3.5f);
  expectTensor(x.sum(0), {}, {3.5});
  expectTensor(x.max(-1, true), {}, {3.5});
  expectTensor(x.softmax(), {}, {1});
  expectTensor(x.logSoftmax(0), {}, {0});
  expectTensor(x.argmax(-1), {}, {0});
  expectTensor(x.argmin(0, true), {}, {0});
  expectTensor(x.flip(0), {}, {3.5});
  EXPECT_ERROR(x.sum(1), IndexError,
               "axis 1 is out of range for a tensor of "
               "rank 0");
  EXPECT_ERROR(x.sum({0, -1}), IndexError, "given twice");
  EXPECT_ERROR(x.argmin(-2), IndexError, "argmin: axis -2");
}

TEST(Reduce, SumTypes) {
  auto type = [](DType dtype) {
    return Tensor::ones({2}, dtype).sum().dtype();
  };
  EXPECT_EQ(type(DType::Bool), DType::Int32);
  EXPECT_EQ(type(DType::Int8), DType::Int32);
  EXPECT_EQ(type(DType::UInt16), DType::UInt32);
  EXPECT_EQ(type(DType::Int64), DType::Int64);
  EXPECT_EQ(type(DType::Float16), DType::Float16);
  EXPECT_EQ(type(DType::Float64), DType::Float64);
  expectTensor(Tensor::ones({300}, DType::Bool).sum(), {}, {300});
  expectTensor(Tensor::full({300}, 100, DType::Int8).sum(), {}, {30000});
  // In float16 arithmetic, 2048 + 1 is 2048.
  expectTensor(Tensor::ones({4096}, DType::Float16).sum(), {}, {4096});
  expectTensor(Tensor::ones({1000}, DType::BFloat16).sum(), {}, {1000});
  EXPECT_EQ(Tensor::ones({2}).sum({}, false, DType::Float64).dtype(),
            DType::Float64);
  EXPECT_EQ(Tensor::ones({2}, DType::Int8).sum({}, false, DType::Int8).dtype(),
            DType::Int8);
}

TEST(Reduce, ProdMaxMin) {
  Tensor x = Tensor::from({{3.0f, -1.0f, 2.0f}, {0.5f, 4.0f, -6.0f}});
  expectTensor(x.prod(), {}, {72});
  expectTensor(x.prod(1), {2}, {-6, -12});
  expectTensor(x.max(0), {3}, {3, 4, 2});
  expectTensor(x.min(1, true), {2, 1}, {-1, -6});
  Tensor n = Tensor::from({5, std::numeric_limits<int>::min(), 7});
  expectTensor(n.min(), {}, {-2147483648.0});
  expectTensor(n.max(), {}, {7});
  Tensor bytes = Tensor::from(std::vector<uint8_t>{5, 0, 255});
  expectTensor(bytes.min(), {}, {0});
  expectTensor(bytes.max(), {}, {255});
  expectTensor(Tensor::from({1.0f, NAN}).max(), {}, {NAN});
  expectTensor(Tensor::from({1.0f, NAN}).min(), {}, {NAN});
}

TEST(Reduce, OverNothing) {
  Tensor x = Tensor::zeros({0, 3});
  expectTensor(x.sum(0), {3}, {0, 0, 0});
  expectTensor(x.prod(), {}, {1});
  EXPECT_ERROR(x.max(0), ShapeError, "max: axis 0 of [0, 3] has no elements");
  EXPECT_ERROR(x.min(), ShapeError, "min: axis 0 of [0, 3] has no elements");
  EXPECT_ERROR(x.argmax(0), ShapeError, "argmax: axis 0 of [0, 3] has no");
  EXPECT_ERROR(x.argmin(), ShapeError, "argmin: axis 0 of [0] has no elements");
  EXPECT_ERROR(x.maxWithIndices(0), ShapeError, "maxWithIndices: axis 0 of");
  EXPECT_ERROR(x.minWithIndices(0), ShapeError, "minWithIndices: axis 0 of");
  expectTensor(x.max(1), {0}, {});
  expectTensor(x.argmin(1), {0}, {});
  // What is composed of them has a value.
  expectTensor(x.logsumexp(0), {3}, {-INFINITY, -INFINITY, -INFINITY});
  expectTensor(x.softmax(0), {0, 3}, {});
  expectTensor(x.logSoftmax(0), {0, 3}, {});
  expectTensor(x.normalize(INFINITY, 0), {0, 3}, {});
  expectTensor(x.mean(), {}, {NAN});
  expectTensor(x.var(0, false, 0), {3}, {NAN, NAN, NAN});
  expectTensor(x.any(), {}, {0});
  expectTensor(x.all(), {}, {1});
  expectTensor(x.sum(1), {0}, {});
  // Nothing is known to be missing along a symbolic axis. Types without
  // infinity have a lowest number.
  const Variable length("length", 0, 4);
  auto extremesOf = [&](DType dtype) {
    Tensor none =
        Tensor::zeros({4, 2}, dtype).shrink({{0, length.bind(0)}, {}});
    return std::pair(values(none.max(0).toFloat()),
                     values(none.min(0).toFloat()));
  };
  auto both = [](double value) {
    return std::pair(std::vector<double>{-value, -value},
                     std::vector<double>{value, value});
  };
  EXPECT_EQ(extremesOf(DType::Float8E4M3), both(448));
  EXPECT_EQ(extremesOf(DType::Float8E4M3FNUZ), both(240));
  EXPECT_EQ(extremesOf(DType::Float8E5M2FNUZ), both(57344));
  EXPECT_EQ(extremesOf(DType::Float8E5M2), both(INFINITY));
}

TEST(Reduce, AnyAll) {
  Tensor x = Tensor::from({{0, 2}, {0, 0}, {1, 3}});
  expectTensor(x.any(1), {3}, {1, 0, 1});
  expectTensor(x.all(1), {3}, {0, 0, 1});
  EXPECT_EQ(x.any().dtype(), DType::Bool);
}

TEST(Reduce, Statistics) {
  const std::vector<float> data = noise(60);
  Tensor x = Tensor::from(data, {5, 12});
  std::vector<double> mean, var, population;
  for (int row = 0; row < 5; ++row) {
    double sum = 0, squares = 0;
    for (int i = 0; i < 12; ++i)
      sum += data[row * 12 + i];
    mean.push_back(sum / 12);
    for (int i = 0; i < 12; ++i)
      squares += std::pow(data[row * 12 + i] - sum / 12, 2);
    var.push_back(squares / 11);
    population.push_back(squares / 12);
  }
  expectTensor(x.mean(1), {5}, mean, 1e-6);
  expectTensor(x.var(1), {5}, var, 1e-6);
  expectTensor(x.var(1, true, 0), {5, 1}, population, 1e-6);
  for (double &value : var)
    value = std::sqrt(value);
  expectTensor(x.std(1), {5}, var, 1e-6);
  auto [deviation, average] = x.stdMean(1);
  expectTensor(deviation, {5}, var, 1e-6);
  expectTensor(average, {5}, mean, 1e-6);
  Tensor counts = Tensor::from({1, 2, 4});
  EXPECT_EQ(counts.mean().dtype(), DType::Float32);
  expectTensor(counts.mean(), {}, {7.0 / 3}, 1e-7);
  expectTensor(Tensor::from({true, false, true, true}).mean(), {}, {0.75});
  EXPECT_EQ(x.toHalf().mean().dtype(), DType::Float16);
  expectTensor(Tensor::from({2.0f}).var(), {}, {NAN});
}

TEST(Reduce, Argmax) {
  Tensor x = Tensor::from({{1.0f, 5.0f, 5.0f}, {-1.0f, -3.0f, -2.0f}});
  EXPECT_EQ(x.argmax().dtype(), DType::Int32);
  expectTensor(x.argmax(), {}, {1});
  expectTensor(x.argmax(1), {2}, {1, 0});
  expectTensor(x.argmax(0), {3}, {0, 0, 0});
  expectTensor(x.argmin(1), {2}, {0, 1});
  expectTensor(x.argmin(-1, true), {2, 1}, {0, 1});
  expectTensor(x.argmin(), {}, {4});
  EXPECT_EQ(x.argmax({}, true).shape(), (Shape{1, 1}));
  expectTensor(Tensor::from({0.0f, NAN, INFINITY, NAN}).argmax(), {}, {1});
  expectTensor(Tensor::from({0.0f, NAN, -INFINITY, NAN}).argmin(), {}, {1});
  expectTensor(Tensor::from({true, false, true}).argmin(), {}, {1});
  Tensor n = Tensor::from({3, std::numeric_limits<int>::min(), 3});
  expectTensor(n.argmin(), {}, {1});
  expectTensor(n.argmax(), {}, {0});
  // By the number of positions; the maximal number for symbolic sizes.
  const int64_t most = 0x7fffffff;
  auto typeOf = [](SymInt size) {
    return Tensor::zeros({size}, DType::Int8).argmax().dtype();
  };
  EXPECT_EQ(typeOf(most), DType::Int32);
  EXPECT_EQ(typeOf(most + 1), DType::Int64);
  EXPECT_EQ(Tensor::zeros({most + 1, 2}, DType::Int8).argmin(1).dtype(),
            DType::Int32);
  EXPECT_EQ(typeOf(Variable("n", 1, most + 1).bind(3)), DType::Int64);
  expectTensor(Tensor::from({1, 9, 3, 4})
                   .shrink({{0, Variable("n", 1, 4).bind(3)}})
                   .argmax(),
               {}, {1});
  EXPECT_ERROR(x.argmax(2), IndexError, "argmax: axis 2");
  EXPECT_ERROR(x.argmin(2), IndexError, "argmin: axis 2");
  EXPECT_ERROR(Tensor::zeros({0}).argmax(), ShapeError, "no elements");
}

TEST(Reduce, Softmax) {
  Tensor x = Tensor::from({{1.0f, 2.0f, 3.0f}, {1000.0f, 1000.0f, -1000.0f}});
  const double sum = std::exp(-2) + std::exp(-1) + 1;
  expectTensor(x.softmax(), {2, 3},
               {std::exp(-2) / sum, std::exp(-1) / sum, 1 / sum, 0.5, 0.5, 0},
               1e-6);
  expectTensor(x.softmax(0)[1], {3}, {1, 1, 0}, 1e-6);
  expectTensor(x.logSoftmax(), {2, 3},
               {-2 - std::log(sum), -1 - std::log(sum), -std::log(sum),
                -std::log(2), -std::log(2), -2000 - std::log(2)},
               1e-6);
  expectTensor(x.logsumexp(1), {2}, {3 + std::log(sum), 1000 + std::log(2)},
               1e-6);
  expectTensor(x.logsumexp({}, true), {1, 1}, {1000 + std::log(2)}, 1e-6);
  expectTensor(Tensor::full({2}, -INFINITY).logsumexp(), {}, {-INFINITY});
  expectTensor(Tensor::from({INFINITY, 0.0f}).logsumexp(), {}, {INFINITY});
  EXPECT_EQ(x.toHalf().softmax().dtype(), DType::Float16);
  EXPECT_EQ(x.toHalf().softmax(-1, DType::Float64).dtype(), DType::Float64);
  EXPECT_ERROR(x.softmax(2), IndexError, "softmax: axis 2");
}

TEST(Reduce, LargeSumsAreAccurate) {
  // Many partial sums: a single running sum would be inaccurate.
  const int64_t count = 1 << 22;
  Tensor x = Tensor::full({count}, 0.1).contiguous().realize();
  EXPECT_NEAR(x.sum().item<float>(), double(0.1f) * count, 2);
  std::vector<float> columns = x.reshape({2048, 2048}).sum(0).tolist<float>();
  for (float value : columns)
    EXPECT_NEAR(value, double(0.1f) * 2048, 1e-2);
}

TEST(Reduce, DeviationsOfOneElement) {
  Tensor x = Tensor::from({3.0f}).parameter();
  expectTensor(x.var(), {}, {NAN});
  expectTensor(x.std(), {}, {NAN});
  expectTensor(x.var({}, false, 0), {}, {0});
  expectTensor(x.std({}, false, 0), {}, {0});
  expectTensor(x.var().gradient({x})[0], {1}, {NAN});
  expectTensor(x.std().gradient({x})[0], {1}, {NAN});
  expectTensor(x.var({}, false, 0).gradient({x})[0], {1}, {0});
  expectTensor(x.std({}, false, 0).gradient({x})[0], {1}, {0});
  // What there is nothing of has a gradient without elements.
  Tensor none = Tensor::zeros({0, 3}).parameter();
  expectTensor(none.mean().gradient({none}, {}, true)[0], {0, 3}, {});
  expectTensor(none.logsumexp(0).sum().gradient({none}, {}, true)[0], {0, 3},
               {});
}
