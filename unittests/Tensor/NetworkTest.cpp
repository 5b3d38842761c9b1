//===- NetworkTest.cpp - building blocks of neural networks ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Products, convolution, pooling, normalization and attention compared with
/// loops.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::testing;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static std::vector<double> product(const std::vector<double> &x,
                                   const std::vector<double> &y, int n, int k,
                                   int m) {
  std::vector<double> result(std::size_t(n) * m);
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < k; ++l)
      for (int j = 0; j < m; ++j)
        result[i * m + j] += x[i * k + l] * y[l * m + j];
  return result;
}

TEST(Matmul, Matrices) {
  for (auto [n, k, m] : {std::array{3, 4, 5}, std::array{1, 1, 1},
                         std::array{33, 17, 65}, std::array{64, 128, 96}}) {
    Tensor a = noiseTensor({n, k}, 1), b = noiseTensor({k, m}, 2);
    expectTensor(a.matmul(b), {n, m}, product(values(a), values(b), n, k, m),
                 1e-5);
  }
}

/// One or a few rows times matrices of more than 32 MiB, whose rows are summed
/// in groups of 64, or 30 out of 3000. All sums are exact.
TEST(Matmul, RowsTimesLargeMatrices) {
  auto makeInput = [](const Shape &shape, int64_t count, int factor,
                      DType dtype) {
    return ((Tensor::arange(count, DType::Int32) * factor) % 7 - 3)
        .cast(dtype)
        .reshape(shape)
        .contiguous()
        .realize();
  };
  for (auto [n, k, m, isBrain] :
       {std::tuple{1, 3000, 3001, false}, std::tuple{2, 4096, 2080, false},
        std::tuple{1, 4160, 4128, true}}) {
    const DType dtype = isBrain ? DType::BFloat16 : DType::Float32;
    SCOPED_TRACE(::testing::Message() << n << " x " << k << " x " << m);
    Tensor x = makeInput({n, k}, int64_t(n) * k, 3, dtype),
           y = makeInput({k, m}, int64_t(k) * m, 5, dtype),
           bias = makeInput({m}, m, 2, dtype);
    std::vector<double> expected = product(values(x), values(y), n, k, m);
    expectTensor(x.matmul(y, DType::Float32), {n, m}, expected);
    const std::vector<double> added = values(bias);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = std::max(expected[i] + added[i % m], 0.0);
    if (!isBrain)
      expectTensor(x.linear(y, bias).relu(), {n, m}, expected);
  }
}

/// A left matrix that is larger than a second-level cache, for which narrow
/// register tiles form blocks, with and without remainders. All sums are exact.
TEST(Matmul, LargeLeftMatrices) {
  auto makeInput = [](const Shape &shape, int64_t count, int factor) {
    return ((Tensor::arange(count, DType::Int32) * factor) % 7 - 3)
        .cast(DType::Float32)
        .reshape(shape)
        .contiguous()
        .realize();
  };
  for (auto [n, k, m] :
       {std::array{265, 1000, 1010}, std::array{288, 1000, 1024}}) {
    SCOPED_TRACE(::testing::Message() << n << " x " << k << " x " << m);
    Tensor x = makeInput({n, k}, int64_t(n) * k, 3),
           y = makeInput({k, m}, int64_t(k) * m, 5),
           bias = makeInput({m}, m, 2);
    std::vector<double> expected = product(values(x), values(y), n, k, m);
    expectTensor(x.matmul(y), {n, m}, expected);
    const std::vector<double> added = values(bias);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = std::max(expected[i] + added[i % m], 0.0);
    expectTensor(x.linear(y, bias).relu(), {n, m}, expected);
  }
}

/// Sizes below and above the limits for tiles, with and without remainders.
TEST(Matmul, TransposedOperands) {
  for (auto [n, k, m] :
       {std::array{64, 64, 64}, std::array{16, 16, 16}, std::array{15, 40, 33},
        std::array{37, 53, 45}, std::array{130, 100, 70},
        std::array{48, 260, 530}, std::array{140, 33, 129}})
    for (bool turnX : {false, true})
      for (bool turnY : {false, true}) {
        Tensor x = turnX ? noiseTensor({k, n}, 1).T() : noiseTensor({n, k}, 1);
        Tensor y = turnY ? noiseTensor({m, k}, 2).T() : noiseTensor({k, m}, 2);
        SCOPED_TRACE(::testing::Message() << n << " x " << k << " x " << m
                                          << ", " << turnX << turnY);
        expectTensor(x.matmul(y), {n, m},
                     product(values(x), values(y), n, k, m), 1e-5);
      }
}

TEST(Matmul, TransposedOfEachType) {
  for (DType dtype : {DType::Float64, DType::Float16, DType::BFloat16,
                      DType::Int64, DType::Int32, DType::Int16, DType::UInt8}) {
    SCOPED_TRACE(name(dtype));
    const int n = 40, k = 36, m = 50;
    auto small = [&](int rows, int columns) {
      return Tensor::arange(rows * columns)
          .reshape({rows, columns})
          .mod(3)
          .cast(dtype)
          .contiguous()
          .realize();
    };
    Tensor x = small(n, k), y = small(m, k).T();
    expectTensor(x.matmul(y), {n, m}, product(values(x), values(y), n, k, m));
  }
}

TEST(Matmul, AllRanks) {
  Tensor vector = counting({3}), matrix = counting({3, 2});
  expectTensor(vector.matmul(vector), {}, {5});
  expectTensor(vector.matmul(matrix), {2}, {10, 13});
  expectTensor(matrix.T().matmul(vector), {2}, {10, 13});
  expectTensor(matrix.dot(counting({2})), {3}, {1, 3, 5});
  Tensor batch = counting({2, 1, 3});
  expectTensor(batch.matmul(matrix), {2, 1, 2}, {10, 13, 28, 40});
  Tensor many = Tensor::ones({4, 1, 2, 3}).matmul(Tensor::ones({5, 3, 2}));
  EXPECT_EQ(many.shape(), (Shape{4, 5, 2, 2}));
  expectTensor(many.sum(), {}, {4 * 5 * 4 * 3});
  expectTensor(Tensor::ones({2, 0}).matmul(Tensor::ones({0, 2})), {2, 2},
               {0, 0, 0, 0});
  EXPECT_ERROR(matrix.matmul(matrix), ShapeError,
               "matmul: shapes [3, 2] and [3, 2] do not fit");
  EXPECT_ERROR(Tensor(1).matmul(matrix), ShapeError, "[]");
  EXPECT_ERROR(Tensor::ones({2, 2, 3}).matmul(Tensor::ones({3, 3, 2})),
               ShapeError, "broadcast");
}

TEST(Matmul, Types) {
  Tensor a = Tensor::full({2, 300}, 100, DType::Int8),
         b = Tensor::full({300, 2}, 1, DType::Int8);
  EXPECT_EQ(a.matmul(b).dtype(), DType::Int8);
  expectTensor(a.matmul(b, DType::Int32), {2, 2}, {30000, 30000, 30000, 30000});
  Tensor h = Tensor::ones({1, 4096}, DType::Float16);
  EXPECT_EQ(h.matmul(h.T()).dtype(), DType::Float16);
  expectTensor(h.matmul(h.T()), {1, 1}, {4096});
  EXPECT_EQ(a.matmul(b.toHalf()).dtype(), DType::Float16);
}

TEST(Matmul, Linear) {
  Tensor x = counting({2, 3}), weight = counting({3, 2}),
         bias = Tensor::from({100.0f, 200.0f});
  expectTensor(x.linear(weight, bias), {2, 2}, {110, 213, 128, 240});
  expectTensor(x.linear(Tensor::from({1.0f, 2.0f, 3.0f})), {2, 3},
               {0, 2, 6, 3, 8, 15});
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
struct ConvCase {
  Shape input, weight;
  int64_t groups;
  std::vector<int64_t> stride, dilation, before, after;
};
} // namespace

static std::vector<double> convReference(const ConvCase &c,
                                         const std::vector<double> &x,
                                         const std::vector<double> &w,
                                         Shape &shape) {
  const int64_t batch = c.input[0], inputs = c.input[1], height = c.input[2],
                width = c.input[3], channels = c.weight[0],
                inPerGroup = c.weight[1], rows = c.weight[2],
                columns = c.weight[3], outPerGroup = channels / c.groups;
  auto outputs = [&](int axis) {
    return (c.input[2 + axis] + c.before[axis] + c.after[axis] -
            c.dilation[axis] * (c.weight[2 + axis] - 1) - 1) /
               c.stride[axis] +
           1;
  };
  const int64_t down = outputs(0), across = outputs(1);
  shape = {batch, channels, down, across};
  std::vector<double> result;
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t out = 0; out < channels; ++out)
      for (int64_t i = 0; i < down; ++i)
        for (int64_t j = 0; j < across; ++j) {
          double sum = 0;
          for (int64_t in = 0; in < inPerGroup; ++in)
            for (int64_t a = 0; a < rows; ++a)
              for (int64_t b = 0; b < columns; ++b) {
                const int64_t row =
                    i * c.stride[0] + a * c.dilation[0] - c.before[0];
                const int64_t column =
                    j * c.stride[1] + b * c.dilation[1] - c.before[1];
                if (row < 0 || row >= height || column < 0 || column >= width)
                  continue;
                const int64_t channel = out / outPerGroup * inPerGroup + in;
                sum += x[((n * inputs + channel) * height + row) * width +
                         column] *
                       w[((out * inPerGroup + in) * rows + a) * columns + b];
              }
          result.push_back(sum);
        }
  return result;
}

TEST(Conv2d, LikeLoops) {
  const ConvCase cases[] = {
      {{1, 1, 4, 4}, {1, 1, 3, 3}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{2, 3, 7, 6}, {4, 3, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 3, 8, 9}, {4, 3, 3, 2}, 1, {2, 3}, {1, 1}, {1, 0}, {1, 0}},
      {{1, 2, 9, 9}, {2, 2, 3, 3}, 1, {1, 1}, {2, 3}, {2, 1}, {0, 3}},
      {{1, 4, 6, 6}, {6, 2, 3, 3}, 2, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 4, 5, 5}, {4, 1, 3, 3}, 4, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 5, 4, 4}, {3, 5, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 2, 8, 8}, {3, 2, 2, 2}, 1, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 1, 3, 3}, {1, 1, 3, 3}, 1, {5, 5}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 1, 10, 3}, {1, 1, 2, 3}, 1, {9, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 1, 8, 8}, {1, 1, 1, 2}, 1, {3, 4}, {1, 5}, {0, 0}, {0, 0}},
      // Channels as lanes, because strides leave gaps between columns: with
      // remainders of channels and columns, padding, dilation and groups.
      {{2, 5, 11, 11}, {20, 5, 3, 3}, 1, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 6, 15, 13}, {33, 6, 3, 5}, 1, {3, 2}, {1, 1}, {1, 2}, {0, 1}},
      {{1, 4, 17, 14}, {16, 4, 3, 3}, 1, {2, 2}, {2, 2}, {2, 2}, {2, 1}},
      {{1, 4, 17, 14}, {16, 4, 2, 3}, 1, {2, 3}, {3, 2}, {0, 0}, {0, 0}},
      {{2, 8, 10, 9}, {48, 4, 3, 3}, 2, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 16, 12, 31}, {40, 16, 1, 1}, 1, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 3, 14, 37}, {64, 3, 7, 7}, 1, {2, 2}, {1, 1}, {3, 3}, {3, 3}},
      {{2, 3, 47, 43}, {48, 3, 11, 11}, 1, {4, 4}, {1, 1}, {2, 2}, {2, 2}},
      // Columns do not fill lanes: images or groups of rows share the windows
      // of their rows.
      {{2, 6, 13, 14}, {24, 6, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 20, 7, 7}, {40, 20, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{3, 5, 12, 20}, {16, 5, 5, 3}, 1, {1, 1}, {2, 3}, {4, 3}, {3, 2}},
      {{1, 64, 40, 30}, {16, 64, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 48, 33, 29}, {32, 48, 3, 3}, 1, {2, 1}, {1, 1}, {1, 1}, {1, 1}},
      // Consecutive work items share the windows of all rows.
      {{1, 110, 28, 27}, {136, 110, 3, 3}, 1, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
  };
  for (const ConvCase &c : cases) {
    SCOPED_TRACE(toString(c.input) + " * " + toString(c.weight));
    Tensor x = noiseTensor(c.input, 3), w = noiseTensor(c.weight, 4);
    Shape shape;
    const std::vector<double> expected =
        convReference(c, values(x), values(w), shape);
    Tensor y = x.conv2d(
        w, {},
        {.groups = c.groups,
         .stride = c.stride,
         .dilation = c.dilation,
         .padding = {c.before[1], c.after[1], c.before[0], c.after[0]}});
    const double terms = static_cast<double>(values(w).size()) /
                         static_cast<double>(c.weight[0]);
    expectTensor(y, shape, expected, std::max(1e-5, 1e-6 * std::sqrt(terms)));
  }
}

// Rows of padding are skipped in sums, but zero times infinity must be NaN.
TEST(Conv2d, PaddingTimesInfinity) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const Shape &shape : {Shape{2, 6, 13, 14}, Shape{1, 20, 7, 7}}) {
    const int64_t channels = shape[1], size = 24 * channels * 9;
    Tensor x = (noiseTensor(shape, 3) + 2.0).realize();
    Shape padded = {shape[0], channels, shape[2] + 2, shape[3] + 2};
    const std::vector<double> rows =
        values(x.pad({{0, 0}, {0, 0}, {1, 1}, {1, 1}}));
    for (int64_t place : {int64_t(0), size / 2 + 4, size - 1})
      for (float special : {infinity, -infinity, std::nanf(""), 1e38f}) {
        SCOPED_TRACE(::testing::Message() << special << " at " << place);
        std::vector<float> numbers = noise(size, 4);
        numbers[place] = special;
        Tensor w = Tensor::from(numbers, {24, channels, 3, 3});
        Shape result;
        const std::vector<double> expected = convReference(
            {padded, {24, channels, 3, 3}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
            rows, values(w), result);
        expectTensor(x.conv2d(w, {}, {.padding = 1}), result, expected, 1e-5);
      }
  }
}

// So are padded columns in the unrolled positions at both ends: a non-finite
// number must count at any position of the window and in any lane.
TEST(Conv2d, PaddedColumnsTimesInfinity) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const ConvCase cases[] = {
      {{1, 2, 13, 14}, {20, 2, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{4, 3, 7, 7}, {20, 3, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 2, 7, 56}, {16, 2, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 2, 19, 20}, {20, 2, 3, 3}, 1, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 2, 15, 14}, {16, 2, 3, 3}, 1, {1, 1}, {2, 2}, {2, 2}, {2, 2}},
      {{1, 2, 15, 14}, {16, 2, 3, 3}, 1, {1, 1}, {1, 3}, {1, 1}, {1, 4}},
      {{1, 2, 15, 14}, {16, 2, 5, 5}, 1, {1, 1}, {1, 1}, {2, 2}, {2, 2}},
      {{1, 4, 15, 14}, {32, 2, 3, 3}, 2, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 2, 16, 15}, {17, 2, 1, 3}, 1, {1, 1}, {1, 1}, {0, 1}, {0, 1}},
      {{1, 1, 25, 30}, {16, 1, 7, 7}, 1, {2, 2}, {1, 1}, {3, 3}, {3, 3}},
  };
  for (const ConvCase &c : cases) {
    Shape input = c.input;
    for (int axis : {0, 1})
      input[2 + axis] += c.before[axis] + c.after[axis];
    const ConvCase whole = {input,      c.weight, c.groups, c.stride,
                            c.dilation, {0, 0},   {0, 0}};
    Tensor x = (noiseTensor(c.input, 3) + 2.0).realize();
    const std::vector<double> padded =
        values(x.pad({{0, 0},
                      {0, 0},
                      {c.before[0], c.after[0]},
                      {c.before[1], c.after[1]}}));
    const int64_t positions = c.weight[2] * c.weight[3],
                  depth = positions * c.weight[1], channels = c.weight[0];
    auto check = [&](const std::vector<float> &numbers) {
      Tensor w = Tensor::from(numbers, c.weight);
      Shape shape;
      const std::vector<double> expected =
          convReference(whole, padded, values(w), shape);
      expectTensor(x.conv2d(w, {},
                            {.groups = c.groups,
                             .stride = c.stride,
                             .dilation = c.dilation,
                             .padding = {c.before[1], c.after[1], c.before[0],
                                         c.after[0]}}),
                   shape, expected, 1e-5);
    };
    const std::vector<float> numbers = noise(channels * depth, 4);
    check(numbers);
    // Each position of the window at some lane, and each lane at some position.
    const float specials[] = {infinity, -infinity, std::nanf("")};
    for (int64_t i = 0; i < std::max(positions, channels); ++i) {
      const int64_t channel = i % channels, place = i * 5 % depth;
      SCOPED_TRACE(toString(c.input) + " * " + toString(c.weight) + " at " +
                   std::to_string(channel) + ", " + std::to_string(place));
      std::vector<float> special = numbers;
      special[channel * depth + place] = specials[i % 3];
      check(special);
    }
  }
}

// Skipped padding is not multiplied with infinities of the input.
TEST(Conv2d, InfiniteInputBesidePadding) {
  const ConvCase c = {{1, 6, 13, 14}, {24, 6, 3, 3}, 1,     {1, 1},
                      {1, 1},         {1, 1},        {1, 1}};
  for (int64_t place : {0, 13, 14, 13 * 14 - 1, 6 * 13 * 14 - 1}) {
    std::vector<float> numbers = noise(6 * 13 * 14, 3);
    numbers[place] = std::numeric_limits<float>::infinity();
    std::vector<float> weights = noise(24 * 6 * 9, 4);
    for (std::size_t i = 0; i < weights.size(); i += 7)
      weights[i] = 0;
    Tensor x = Tensor::from(numbers, c.input),
           w = Tensor::from(weights, c.weight);
    Shape shape;
    const std::vector<double> expected =
        convReference(c, values(x), values(w), shape);
    expectTensor(x.conv2d(w, {}, {.padding = 1}), shape, expected, 1e-5);
  }
}

TEST(Conv2d, PaddedIntegers) {
  Tensor x = ((Tensor::arange(2 * 6 * 13 * 14, DType::Int32) * 3) % 7 - 3)
                 .reshape({2, 6, 13, 14})
                 .contiguous(),
         w = ((Tensor::arange(24 * 6 * 9, DType::Int32) * 3) % 5 - 2)
                 .reshape({24, 6, 3, 3})
                 .contiguous();
  Shape shape;
  const std::vector<double> expected = convReference(
      {{2, 6, 13, 14}, {24, 6, 3, 3}, 1, {2, 1}, {1, 1}, {1, 1}, {1, 1}},
      values(x), values(w), shape);
  expectTensor(x.conv2d(w, {}, {.stride = {2, 1}, .padding = 1}), shape,
               expected);
}

// Channels that are contiguous in memory, in the input and in the result.
TEST(Conv2d, ChannelsLast) {
  for (int64_t stride : {1, 2}) {
    const ConvCase c = {
        {2, 10, 14, 15}, {24, 10, 3, 3}, 1,     {stride, stride},
        {1, 1},          {1, 1},         {1, 1}};
    Tensor x = noiseTensor(c.input, 3), w = noiseTensor(c.weight, 4);
    Tensor last = x.permute({0, 2, 3, 1}).contiguous().realize();
    Shape shape;
    const std::vector<double> expected =
        convReference(c, values(x), values(w), shape);
    Tensor y = last.permute({0, 3, 1, 2})
                   .conv2d(w, {}, {.stride = stride, .padding = 1})
                   .permute({0, 2, 3, 1})
                   .contiguous()
                   .realize();
    expectTensor(y.permute({0, 3, 1, 2}), shape, expected, 1e-5);
  }
}

// One program for all batch sizes.
TEST(Conv2d, SymbolicBatch) {
  const int64_t most = 5;
  Variable n("n", 1, most);
  for (int64_t stride : {1, 2})
    for (int64_t batch : {1, 2, 5}) {
      const ConvCase c = {{most, 6, 14, 14},
                          {24, 6, 3, 3},
                          1,
                          {stride, stride},
                          {1, 1},
                          {1, 1},
                          {1, 1}};
      Tensor x = noiseTensor(c.input, 3), w = noiseTensor(c.weight, 4);
      Shape shape;
      std::vector<double> expected =
          convReference(c, values(x), values(w), shape);
      expected.resize(expected.size() / most * batch);
      Tensor y = x.shrink({{0, n.bind(batch)}, {}, {}, {}})
                     .conv2d(w, {}, {.stride = stride, .padding = 1});
      const std::vector<double> found = values(y);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 1e-5) << "at " << i;
    }
}

// Two convolutions in one kernel, each with its own loops.
TEST(Conv2d, Shortcut) {
  const ConvCase main = {{2, 20, 6, 5}, {20, 20, 3, 3}, 1,     {1, 1},
                         {1, 1},        {1, 1},         {1, 1}};
  const ConvCase shortcut = {{2, 7, 12, 10}, {20, 7, 1, 1}, 1,     {2, 2},
                             {1, 1},         {0, 0},        {0, 0}};
  Tensor x = noiseTensor(main.input, 1), w = noiseTensor(main.weight, 2),
         y = noiseTensor(shortcut.input, 3),
         v = noiseTensor(shortcut.weight, 4);
  Shape shape;
  std::vector<double> expected =
      convReference(main, values(x), values(w), shape);
  const std::vector<double> added =
      convReference(shortcut, values(y), values(v), shape);
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] = std::max(expected[i] + added[i], 0.0);
  expectTensor(
      (x.conv2d(w, {}, {.padding = 1}) + y.conv2d(v, {}, {.stride = 2})).relu(),
      shape, expected, 1e-5);
}

TEST(Conv2d, PaddingAndBias) {
  Tensor x = Tensor::ones({1, 1, 3, 3}), w = Tensor::ones({2, 1, 3, 3});
  Tensor bias = Tensor::from({0.0f, 10.0f});
  Tensor y = x.conv2d(w, bias, {.padding = 1});
  expectTensor(y, {1, 2, 3, 3},
               {4, 6, 4, 6, 9, 6, 4, 6, 4, 14, 16, 14, 16, 19, 16, 14, 16, 14});
  EXPECT_EQ(x.conv2d(w, {}, {.padding = {1, 0}}).shape(), (Shape{1, 2, 3, 1}));
}

TEST(Conv2d, OtherNumbersOfSpatialAxes) {
  Tensor line = counting({1, 1, 5}), w = Tensor::ones({1, 1, 2});
  expectTensor(line.conv2d(w), {1, 1, 4}, {1, 3, 5, 7});
  Tensor volume = Tensor::ones({1, 2, 3, 3, 3});
  expectTensor(volume.conv2d(Tensor::ones({1, 2, 2, 2, 2})), {1, 1, 2, 2, 2},
               std::vector<double>(8, 16));
}

TEST(Conv2d, Errors) {
  Tensor x = Tensor::ones({1, 4, 5, 5});
  EXPECT_ERROR(
      x.conv2d(Tensor::ones({2, 3, 3, 3})), ShapeError,
      "input of shape [1, 4, 5, 5] and a weight of shape [2, 3, 3, 3]");
  EXPECT_ERROR(x.conv2d(Tensor::ones({3, 2, 3, 3}), {}, {.groups = 2}),
               ShapeError, "2 groups");
  EXPECT_ERROR(x.conv2d(Tensor::ones({2, 4, 6, 6})), ShapeError,
               "extent 6 is larger");
  EXPECT_ERROR(x.conv2d(Tensor::ones({2, 4, 3, 3}), {}, {.stride = 0}),
               ShapeError, "positive");
  EXPECT_ERROR(x.conv2d(Tensor::ones({2, 4, 3, 3}), {}, {.stride = {1, 1, 1}}),
               ShapeError, "3 numbers for the stride");
  EXPECT_ERROR(x.conv2d(Tensor::ones({2, 4, 3, 3}), Tensor::ones({3})),
               ShapeError, "bias of shape [3]");
  EXPECT_ERROR(x.conv2d(Tensor::ones({2, 4, 3})), ShapeError, "conv2d");
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

TEST(Pooling, Max) {
  Tensor x = counting({1, 1, 4, 4});
  expectTensor(x.maxPool2d(), {1, 1, 2, 2}, {5, 7, 13, 15});
  expectTensor(x.maxPool2d(3, {.stride = 1}), {1, 1, 2, 2}, {10, 11, 14, 15});
  expectTensor((-x).maxPool2d(2, {.padding = 1}), {1, 1, 3, 3},
               {0, -1, -3, -4, -5, -7, -12, -13, -15});
  expectTensor(x.maxPool2d({1, 4}), {1, 1, 4, 1}, {3, 7, 11, 15});
  expectTensor(x.maxPool2d(2, {.stride = 1, .dilation = 2}), {1, 1, 2, 2},
               {10, 11, 14, 15});
  expectTensor(x.maxPool2d(3, {.ceilMode = true}), {1, 1, 2, 2},
               {10, 11, 14, 15});
  Tensor n = x.toInt() - 100;
  expectTensor(n.maxPool2d(2, {.padding = 1}), {1, 1, 3, 3},
               {-100, -98, -97, -92, -90, -89, -88, -86, -85});
  expectTensor((x > 14).maxPool2d(), {1, 1, 2, 2}, {0, 0, 0, 1});
}

// Rows long enough for vectors, where every second element is a lane.
TEST(Pooling, MaxOfEverySecondElement) {
  const int64_t channels = 3, size = 75;
  Tensor x = noiseTensor({channels, size, size}, 5);
  const std::vector<double> elements = values(x);
  const int64_t count = (size + 2 - 3) / 2 + 1;
  std::vector<double> expected;
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = 0; j < count; ++j) {
        double most = -1e30;
        for (int64_t a = std::max<int64_t>(2 * i - 1, 0);
             a < std::min(2 * i + 2, size); ++a)
          for (int64_t b = std::max<int64_t>(2 * j - 1, 0);
               b < std::min(2 * j + 2, size); ++b)
            most = std::max(most, elements[(c * size + a) * size + b]);
        expected.push_back(most);
      }
  expectTensor(x.maxPool2d(3, {.stride = 2, .padding = 1}),
               {channels, count, count}, expected);
}

TEST(Pooling, Average) {
  Tensor x = counting({1, 1, 4, 4});
  expectTensor(x.avgPool2d(), {1, 1, 2, 2}, {2.5, 4.5, 10.5, 12.5});
  expectTensor(x.avgPool2d(3, {.stride = 1}), {1, 1, 2, 2}, {5, 6, 9, 10},
               1e-6);
  Tensor ones = Tensor::ones({1, 1, 3, 3});
  expectTensor(ones.avgPool2d(2, {.padding = 1}), {1, 1, 2, 2},
               {0.25, 0.5, 0.5, 1});
  expectTensor(ones.avgPool2d(2, {.padding = 1, .countIncludePad = false}),
               {1, 1, 2, 2}, {1, 1, 1, 1});
  expectTensor(ones.avgPool2d(2, {.ceilMode = true}), {1, 1, 2, 2},
               {1, 1, 1, 1});
  EXPECT_ERROR(x.avgPool2d(5), ShapeError, "larger than the padded input");
  EXPECT_ERROR(Tensor::ones({4}).maxPool2d(), ShapeError, "2 spatial axes");
}

//===----------------------------------------------------------------------===//
// Normalization and attention
//===----------------------------------------------------------------------===//

TEST(Normalization, LayerAndRms) {
  Tensor x = noiseTensor({4, 33});
  const std::vector<double> v = values(x);
  std::vector<double> layer, rms;
  for (int row = 0; row < 4; ++row) {
    double mean = 0, var = 0, squares = 0;
    for (int i = 0; i < 33; ++i) {
      mean += v[row * 33 + i] / 33;
      squares += v[row * 33 + i] * v[row * 33 + i] / 33;
    }
    for (int i = 0; i < 33; ++i)
      var += std::pow(v[row * 33 + i] - mean, 2) / 33;
    for (int i = 0; i < 33; ++i) {
      layer.push_back((v[row * 33 + i] - mean) / std::sqrt(var + 1e-5));
      rms.push_back(v[row * 33 + i] / std::sqrt(squares + 1e-6));
    }
  }
  expectTensor(x.layernorm(), {4, 33}, layer, 1e-5);
  expectTensor(x.rmsnorm(), {4, 33}, rms, 1e-5);
  expectTensor(x.reshape({2, 2, 33}).layernorm({-1}), {2, 2, 33}, layer, 1e-5);
  EXPECT_ERROR(x.layernorm(2), IndexError, "layernorm");
}

TEST(Normalization, Batch) {
  Tensor x = counting({2, 3, 2});
  Tensor weight = Tensor::from({1.0f, 2.0f, 3.0f}), bias = weight * 10,
         mean = weight * 100, invstd = weight;
  std::vector<double> expected;
  for (int i = 0; i < 12; ++i) {
    const int c = i / 2 % 3 + 1;
    expected.push_back((i - c * 100) * c * c + c * 10);
  }
  expectTensor(x.batchnorm(weight, bias, mean, invstd), {2, 3, 2}, expected,
               1e-6);
  EXPECT_EQ(x.batchnorm({}, {}, mean, invstd).shape(), x.shape());
  EXPECT_ERROR(x.batchnorm(weight, bias, Tensor::ones({2}), invstd), ShapeError,
               "mean of shape [2]");
}

TEST(Attention, LikeLoops) {
  const int length = 5, keys = 7, depth = 8, width = 3;
  Tensor q = noiseTensor({2, length, depth}, 1),
         k = noiseTensor({2, keys, depth}, 2),
         v = noiseTensor({2, keys, width}, 3);
  const std::vector<double> qs = values(q), ks = values(k), vs = values(v);
  auto reference = [&](auto isAllowed) {
    std::vector<double> result;
    for (int b = 0; b < 2; ++b)
      for (int i = 0; i < length; ++i) {
        std::vector<double> weight(keys);
        double total = 0;
        for (int j = 0; j < keys; ++j) {
          if (!isAllowed(i, j))
            continue;
          double score = 0;
          for (int d = 0; d < depth; ++d)
            score += qs[(b * length + i) * depth + d] *
                     ks[(b * keys + j) * depth + d];
          total += weight[j] = std::exp(score / std::sqrt(depth));
        }
        for (int w = 0; w < width; ++w) {
          double sum = 0;
          for (int j = 0; j < keys; ++j)
            sum += weight[j] / total * vs[(b * keys + j) * width + w];
          result.push_back(sum);
        }
      }
    return result;
  };
  const Shape shape = {2, length, width};
  expectTensor(q.scaledDotProductAttention(k, v), shape,
               reference([](int, int) { return true; }), 1e-5);
  expectTensor(q.scaledDotProductAttention(k, v, {}, true), shape,
               reference([](int i, int j) { return j <= i; }), 1e-5);
  Tensor mask = Tensor::from({true, false, true, true, false, false, true});
  auto masked = reference(
      [](int, int j) { return j == 0 || j == 2 || j == 3 || j == 6; });
  expectTensor(q.scaledDotProductAttention(k, v, mask), shape, masked, 1e-5);
  expectTensor(q.scaledDotProductAttention(k, v, mask.where(0.0, -INFINITY)),
               shape, masked, 1e-5);
  EXPECT_EQ(
      q.toHalf().scaledDotProductAttention(k.toHalf(), v.toHalf()).dtype(),
      DType::Float16);
  EXPECT_ERROR(q.scaledDotProductAttention(v, v), ShapeError, "do not fit");
  EXPECT_ERROR(q.scaledDotProductAttention(k, v, mask, true), Error,
               "exclude each other");
}
