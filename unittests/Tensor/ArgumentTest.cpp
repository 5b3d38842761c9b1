//===- ArgumentTest.cpp - forms of arguments ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Shapes, axes, padding, options, data and optional operands in every form
/// that methods accept.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Npy.h"

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <sstream>
#include <string>

#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::testing;

TEST(Arguments, ShapesFromAnyContainer) {
  const Shape expected = {2, 3};
  Tensor x = counting({6});
  const std::vector<int64_t> wide = {2, 3};
  const std::vector<int> narrow = {2, 3};
  const std::vector<std::size_t> sizes = {2, 3};
  const int array[] = {2, 3};
  EXPECT_EQ(x.reshape({2, 3}).shape(), expected);
  EXPECT_EQ(x.reshape(wide).shape(), expected);
  EXPECT_EQ(x.reshape(narrow).shape(), expected);
  EXPECT_EQ(x.reshape(sizes).shape(), expected);
  EXPECT_EQ(x.reshape(std::array{2, 3}).shape(), expected);
  EXPECT_EQ(x.reshape(std::span(wide)).shape(), expected);
  EXPECT_EQ(x.reshape(array).shape(), expected);
  EXPECT_EQ(x.reshape(std::vector<SymInt>{2, 3}).shape(), expected);
  EXPECT_EQ(x.reshape(2, 3).shape(), expected);
  EXPECT_EQ(x.view(2, -1).shape(), expected);
  EXPECT_EQ(x.reshape(6).shape(), (Shape{6}));
  EXPECT_EQ(x.reshape(x.concreteShape()).shape(), x.shape());
  expectTensor(Tensor::zeros(3), {3}, {0, 0, 0});
  EXPECT_EQ(Tensor::ones(wide).shape(), expected);
  EXPECT_EQ(Tensor::full(narrow, 1.5).shape(), expected);
  EXPECT_EQ(Tensor::zeros({}).shape(), Shape{});
  EXPECT_EQ(counting({3}).expand(2, 3).shape(), expected);
  // Sizes of parts may be given as a std::vector.
  EXPECT_EQ(x.split(std::vector<int>{2, 4}).at(1).shape(), (Shape{4}));
}

TEST(Arguments, SymbolicShapes) {
  Variable n("n", 1, 8);
  const SymInt three = n.bind(3);
  EXPECT_EQ(Tensor::zeros(three).concreteShape(), std::vector<int64_t>{3});
  EXPECT_EQ(Tensor::zeros(n).shape(), Shape{n});
  EXPECT_EQ(Tensor::zeros(std::vector<SymInt>{three, 2}).shape(),
            (Shape{three, 2}));
  EXPECT_EQ(Tensor::zeros({three, 2}).reshape(2, three).shape(),
            (Shape{2, three}));
}

TEST(Arguments, ShapesAreComparedWithContainers) {
  const Shape shape = {2, 3};
  EXPECT_TRUE(shape == (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE((std::array{2, 3}) == shape);
  EXPECT_TRUE(shape != (std::vector<int>{3, 2}));
  // Like a vector: a number of axes and one size.
  EXPECT_EQ(Shape(2, 3), (Shape{3, 3}));
}

TEST(Arguments, Axes) {
  Tensor x = counting({2, 3});
  expectTensor(x.permute(1, 0), {3, 2}, {0, 3, 1, 4, 2, 5});
  expectTensor(x.permute({1, 0}), {3, 2}, {0, 3, 1, 4, 2, 5});
  expectTensor(x.permute(std::array{1, 0}), {3, 2}, {0, 3, 1, 4, 2, 5});
  expectTensor(Tensor(2.0f).permute({}), {}, {2});
  expectTensor(x.flip(0, 1), {2, 3}, {5, 4, 3, 2, 1, 0});
  expectTensor(x.sum(std::vector<int>{0, 1}), {}, {15});
  expectTensor(x.roll(std::vector<int>{1, 1}, std::array{0, 1}), {2, 3},
               {5, 3, 4, 2, 0, 1});
  EXPECT_ERROR(x.permute(0, 0), ShapeError, "[0, 0] is not an order");
}

TEST(Arguments, Repeat) {
  expectTensor(counting({2}).repeat(2), {4}, {0, 1, 0, 1});
  expectTensor(counting({2}).repeat(2, 1), {2, 2}, {0, 1, 0, 1});
  EXPECT_ERROR(counting({2, 2}).repeat(2), ShapeError, "1 numbers");
}

TEST(Arguments, Padding) {
  Tensor x = counting({2, 2});
  // In a flat list the last axis comes first.
  expectTensor(x.pad({1, 0}), {2, 3}, {0, 0, 1, 0, 2, 3});
  expectTensor(x.pad({0, 0, 1, 0}), {3, 2}, {0, 0, 0, 1, 2, 3});
  expectTensor(x.pad(std::vector<int>{1, 0}), {2, 3}, {0, 0, 1, 0, 2, 3});
  expectTensor(x.pad({{1, 0}, {}}), {3, 2}, {0, 0, 0, 1, 2, 3});
  expectTensor(x.pad(std::vector<std::pair<int, int>>{{1, 0}, {0, 0}}), {3, 2},
               {0, 0, 0, 1, 2, 3});
  expectTensor(x.pad({{}, {}}), {2, 2}, {0, 1, 2, 3});
  expectTensor(x.pad({-1, 1}, 9), {2, 2}, {1, 9, 3, 9});
  EXPECT_ERROR(x.pad({1, 2, 3}), ShapeError, "pad: 3 numbers");
  EXPECT_ERROR(x.pad({1, 1, 1, 1, 1, 1}), ShapeError, "pad: 6 numbers");
  EXPECT_ERROR(x.pad({{1, 1}}), ShapeError, "1 pairs");
}

TEST(Arguments, AnEmptyPartIsAll) {
  Tensor x = counting({3, 2});
  expectTensor(x.shrink({{0, 2}, {}}), {2, 2}, {0, 1, 2, 3});
  expectTensor(x.shrink({{}, {1, 2}}), {3, 1}, {1, 3, 5});
  expectTensor(x.shrink({None, {0, 1}}), {3, 1}, {0, 2, 4});
  expectTensor(x.shrink({{}, {}}), {3, 2}, {0, 1, 2, 3, 4, 5});
  // An empty part must be explicit; {} means the whole axis.
  EXPECT_EQ(x.shrink({{0, 0}, {}}).shape(), (Shape{0, 2}));
}

TEST(Arguments, OptionsByName) {
  const DType half = DType::Float16;
  EXPECT_EQ(Tensor::rand({2}, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::randn(2, {.dtype = half, .device = "CPU"}).dtype(), half);
  EXPECT_EQ(Tensor::zeros(2, {.device = "CPU"}).device(), "CPU");
  EXPECT_EQ(Tensor::zeros(2, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::ones(2, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::empty(2, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::full(2, 1, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::arange(2, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::arange(0, 2, 1, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::linspace(0, 2, 3, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::eye(2, {}, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::uniform(2, 0, 1, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::normal(2, 0, 1, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::randint(2, 0, 9, {.dtype = DType::Int64}).dtype(),
            DType::Int64);
  EXPECT_EQ(Tensor(1, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::from({1, 2}, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::from({{1, 2}}, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::from({1, 2}, {2, 1}, {.dtype = half}).dtype(), half);
  EXPECT_EQ(Tensor::from(std::vector{1, 2}, {.dtype = half}).dtype(), half);
  // The other forms.
  EXPECT_EQ(Tensor::zeros(2, half).dtype(), half);
  EXPECT_EQ(Tensor::zeros(2, {half, "CPU"}).dtype(), half);
  EXPECT_EQ(Tensor::zeros(2, "CPU").dtype(), DType::Float32);
  EXPECT_EQ(Tensor::zeros(2, {}).dtype(), DType::Float32);
}

TEST(Arguments, Data) {
  expectTensor(Tensor::from({1, 2, 3, 4}, {2, 2}), {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(Tensor::from({1, 2}, {2}).dtype(), DType::Int32);
  EXPECT_ERROR(Tensor::from({1, 2, 3}, {2, 2}), ShapeError,
               "3 elements do not fill the shape [2, 2]");
  const std::vector<std::vector<float>> rows = {{1, 2}, {3, 4}, {5, 6}};
  expectTensor(Tensor::from(rows), {3, 2}, {1, 2, 3, 4, 5, 6});
  const std::vector<std::array<double, 2>> pairs = {{1, 2}, {3, 4}};
  expectTensor(Tensor::from(pairs), {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(Tensor::from(pairs).dtype(), DType::Float64);
  const int8_t matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
  expectTensor(Tensor::from(matrix), {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Tensor::from(matrix).dtype(), DType::Int8);
  expectTensor(Tensor::from(matrix[1], {3, 1}), {3, 1}, {4, 5, 6});
  // The length of an array is checked, unlike that of a pointer's target.
  EXPECT_ERROR(Tensor::from(matrix[1], {4}), ShapeError, "3 elements");
  expectTensor(Tensor::from(&matrix[0][0], {6}), {6}, {1, 2, 3, 4, 5, 6});
  const std::array<float, 4> four = {1, 2, 3, 4};
  expectTensor(Tensor::from(four), {4}, {1, 2, 3, 4});
  expectTensor(Tensor::from(std::span(four), {2, 2}), {2, 2}, {1, 2, 3, 4});
  expectTensor(Tensor::from({{{{1, 2}, {3, 4}}}}), {1, 1, 2, 2}, {1, 2, 3, 4});
  expectTensor(Tensor::from(std::vector<bool>{true, false}, {2, 1}), {2, 1},
               {1, 0});
  expectTensor(Tensor::from({{true, false}, {false, true}}), {2, 2},
               {1, 0, 0, 1});
  const std::vector<std::vector<bool>> flags = {{true}, {false}};
  EXPECT_EQ(Tensor::from(flags).dtype(), DType::Bool);
  // Nested lists without elements.
  EXPECT_EQ(Tensor::from(std::vector<std::vector<float>>{}).shape(),
            (Shape{0, 0}));
  EXPECT_ERROR(Tensor::from(std::vector<std::vector<int>>{{1}, {1, 2}}),
               ShapeError, "different lengths: 1 and 2");
}

TEST(Arguments, NumbersOfSeveralTypes) {
  Tensor x = Tensor::from({1, 2.5, -3});
  expectTensor(x, {3}, {1, 2.5, -3});
  EXPECT_EQ(x.dtype(), DType::Float32);
  Tensor y = Tensor::from({{1, -2L}, {true, 3}});
  expectTensor(y, {2, 2}, {1, -2, 1, 3});
  EXPECT_EQ(y.dtype(), DType::Int32);
  expectTensor(Tensor::from({1, INT64_MAX})[1] == INT64_MAX, {}, {1});
  EXPECT_EQ(Tensor::from({1, 2.5}, DType::Float64).dtype(), DType::Float64);
  EXPECT_ERROR(Tensor::from({1, 300L}, DType::Int8), DTypeError, "300");
  EXPECT_ERROR(Tensor::from({{1, 2.5}, {3}}), ShapeError, "2 and 1");
}

TEST(Arguments, OptionalOperands) {
  Tensor x = counting({1, 1, 2, 2}), weight = Tensor::ones({1, 1, 1, 1});
  const std::optional<Tensor> none, bias = Tensor::from({10.0f});
  const std::vector<double> plain = {0, 1, 2, 3}, biased = {10, 11, 12, 13};
  expectTensor(x.conv2d(weight, none), {1, 1, 2, 2}, plain);
  expectTensor(x.conv2d(weight, std::nullopt), {1, 1, 2, 2}, plain);
  expectTensor(x.conv2d(weight, {}), {1, 1, 2, 2}, plain);
  expectTensor(x.conv2d(weight, Tensor()), {1, 1, 2, 2}, plain);
  expectTensor(x.conv2d(weight, bias), {1, 1, 2, 2}, biased);
  expectTensor(x.conv2d(weight, *bias, {.padding = 0}), {1, 1, 2, 2}, biased);
  EXPECT_EQ(x.conv2d(weight, {.padding = 1}).shape(), (Shape{1, 1, 4, 4}));
  EXPECT_EQ(x.conv2d(weight, {.padding = std::array{1, 0}}).shape(),
            (Shape{1, 1, 4, 2}));
  EXPECT_EQ(x.conv2d(weight, none, {.stride = 2}).shape(), (Shape{1, 1, 1, 1}));
  Tensor row = counting({2});
  expectTensor(row.linear(Tensor::ones({2, 1}), bias), {1}, {11});
  expectTensor(row.linear(Tensor::ones({2, 1}), none), {1}, {1});
  Tensor scale = Tensor::ones(2), mean = Tensor::zeros(2);
  expectTensor(counting({1, 2}).batchnorm(none, scale, mean, scale), {1, 2},
               {1, 2});
  Tensor query = counting({1, 2});
  const std::optional<Tensor> mask = Tensor::from({true});
  EXPECT_EQ(query.scaledDotProductAttention(query, query, mask).shape(),
            (Shape{1, 2}));
  EXPECT_EQ(query.scaledDotProductAttention(query, query, none, true).shape(),
            (Shape{1, 2}));
}

TEST(Arguments, ElementTypes) {
  Tensor x = Tensor::from({1.5f});
  EXPECT_EQ(x.cast<int64_t>().dtype(), DType::Int64);
  EXPECT_EQ(x.cast<Half>().dtype(), DType::Float16);
  EXPECT_EQ(x.to(DType::Int32).item<int>(), 1);
  EXPECT_EQ(x.to("CPU").device(), "CPU");
}

TEST(Arguments, TensorsToFiles) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) /
      ("argument-test-" + std::to_string(::getpid()) + ".npy");
  writeNpy(path.string(), counting({2, 2}) + 1);
  expectTensor(Tensor::fromHost(readNpy(path.string())), {2, 2}, {1, 2, 3, 4});
  std::filesystem::remove(path);
}

TEST(Arguments, Printing) {
  std::ostringstream text;
  text << Tensor::zeros({2, 3}).shape() << " " << DType::BFloat16 << " "
       << Shape{} << " " << Shape{Variable("n", 1, 8), 2};
  EXPECT_EQ(text.str(), "[2, 3] bfloat16 [] [n, 2]");
}
