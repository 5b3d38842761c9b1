//===- MovementTest.cpp - tests of movement methods -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each method on small tensors whose elements identify their positions.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

using namespace tinygrad;
using namespace tinygrad::testing;

TEST(Movement, Reshape) {
  Tensor x = counting({2, 6});
  EXPECT_EQ(x.reshape({3, 4}).shape(), (Shape{3, 4}));
  EXPECT_EQ(x.reshape({-1}).shape(), (Shape{12}));
  EXPECT_EQ(x.reshape({2, -1, 3}).shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(x.view({4, 3}).shape(), (Shape{4, 3}));
  expectTensor(x.T().reshape({3, 4}), {3, 4},
               {0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11});
  expectTensor(Tensor(5).reshape({1, 1}), {1, 1}, {5});
  EXPECT_EQ(Tensor::zeros({0, 4}).reshape({2, 0}).shape(), (Shape{2, 0}));
  EXPECT_ERROR(x.reshape({5, 2}), ShapeError, "[2, 6]");
  EXPECT_ERROR(x.reshape({5, -1}), ShapeError, "12 elements");
  EXPECT_ERROR(x.reshape({-1, -1}), ShapeError, "more than one -1");
  EXPECT_ERROR(x.reshape({-2, 6}), ShapeError, "negative");
  EXPECT_ERROR(Tensor::zeros({0}).reshape({0, -1}), ShapeError, "[0, -1]");
}

TEST(Movement, Expand) {
  Tensor x = counting({3, 1});
  expectTensor(x.expand({3, 2}), {3, 2}, {0, 0, 1, 1, 2, 2});
  expectTensor(x.expand({2, -1, -1}), {2, 3, 1}, {0, 1, 2, 0, 1, 2});
  expectTensor(Tensor(4).expand({2}), {2}, {4, 4});
  expectTensor(x.expand({3, 0}), {3, 0}, {});
  EXPECT_ERROR(x.expand({4, 2}), ShapeError, "[3, 1] cannot be broadcast");
  EXPECT_ERROR(x.expand({3}), ShapeError, "[3]");
  EXPECT_ERROR(x.expand({-1, 3, 1}), ShapeError, "[-1, 3, 1]");
}

TEST(Movement, Permute) {
  Tensor x = counting({2, 3, 1});
  expectTensor(x.permute({1, 2, 0}), {3, 1, 2}, {0, 3, 1, 4, 2, 5});
  expectTensor(x.permute({-1, 0, 1}), {1, 2, 3}, {0, 1, 2, 3, 4, 5});
  expectTensor(counting({2, 3}).T(), {3, 2}, {0, 3, 1, 4, 2, 5});
  expectTensor(counting({2, 3}).transpose(), {3, 2}, {0, 3, 1, 4, 2, 5});
  EXPECT_EQ(x.transpose(0, -1).shape(), (Shape{1, 3, 2}));
  EXPECT_EQ(Tensor(1).T().ndim(), 0);
  EXPECT_ERROR(x.permute({0, 1}), ShapeError, "rank 3");
  EXPECT_ERROR(x.permute({0, 1, 1}), ShapeError, "[0, 1, 1]");
  EXPECT_ERROR(x.permute({0, 1, 3}), IndexError, "axis 3");
  EXPECT_ERROR(x.transpose(0, 3), IndexError, "axis 3");
}

// The compile time must not double with each step.
TEST(Movement, LongChains) {
  Tensor x = counting({5, 7});
  std::vector<double> expected = values(x), previous;
  for (int i = 0; i < 64; ++i) {
    x = x.permute({1, 0}).reshape({5, 7});
    previous = expected;
    for (int j = 0; j < 35; ++j)
      expected[j] = previous[(j % 5) * 7 + j / 5];
  }
  expectTensor(x, {5, 7}, expected);
}

TEST(Movement, Flip) {
  Tensor x = counting({2, 3});
  expectTensor(x.flip(0), {2, 3}, {3, 4, 5, 0, 1, 2});
  expectTensor(x.flip(-1), {2, 3}, {2, 1, 0, 5, 4, 3});
  expectTensor(x.flip({0, 1}), {2, 3}, {5, 4, 3, 2, 1, 0});
  EXPECT_ERROR(x.flip({0, -2}), IndexError, "given twice");
  EXPECT_ERROR(x.flip(2), IndexError, "axis 2");
}

TEST(Movement, Pad) {
  Tensor x = counting({2, 2}) + 1;
  expectTensor(x.pad({{1, 0}, {0, 1}}), {3, 3}, {0, 0, 0, 1, 2, 0, 3, 4, 0});
  expectTensor(x.pad({{0, 0}, {1, 1}}, 9), {2, 4}, {9, 1, 2, 9, 9, 3, 4, 9});
  expectTensor(x.pad({{-1, 1}, {0, 0}}), {2, 2}, {3, 4, 0, 0});
  expectTensor(x.pad({{0, 0}, {1, -1}}, -INFINITY), {2, 2},
               {-INFINITY, 1, -INFINITY, 3});
  Tensor promoted = x.toInt().pad({{0, 0}, {0, 1}}, 0.5);
  EXPECT_EQ(promoted.dtype(), DType::Float32);
  expectTensor(promoted, {2, 3}, {1, 2, 0.5, 3, 4, 0.5});
  expectTensor(x.toBool().pad({{0, 0}, {0, 1}}, true), {2, 3},
               {1, 1, 1, 1, 1, 1});
  EXPECT_ERROR(x.pad({{1, 1}}), ShapeError, "1 pairs");
  EXPECT_ERROR(x.pad({{-2, -1}, {0, 0}}), ShapeError, "-2 and -1");
  EXPECT_ERROR(x.pad({{INT64_MAX, 1}, {0, 0}}), ShapeError, "too large");
}

TEST(Movement, Shrink) {
  Tensor x = counting({3, 4});
  expectTensor(x.shrink({{1, 3}, {2, 3}}), {2, 1}, {6, 10});
  expectTensor(x.shrink({{1, 1}, {0, 4}}), {0, 4}, {});
  EXPECT_ERROR(x.shrink({{0, 4}, {0, 4}}), IndexError, "axis 0");
  EXPECT_ERROR(x.shrink({{2, 1}, {0, 4}}), IndexError, "from 2 to 1");
  EXPECT_ERROR(x.shrink({{0, 3}}), ShapeError, "1 pairs");
}

TEST(Movement, AxesOfSizeOne) {
  Tensor x = Tensor::zeros({1, 3, 1});
  EXPECT_EQ(x.squeeze().shape(), (Shape{3}));
  EXPECT_EQ(x.squeeze(0).shape(), (Shape{3, 1}));
  EXPECT_EQ(x.squeeze(1).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(x.unsqueeze(-1).shape(), (Shape{1, 3, 1, 1}));
  EXPECT_EQ(x.unsqueeze(0).shape(), (Shape{1, 1, 3, 1}));
  EXPECT_EQ(Tensor(1).unsqueeze(0).shape(), (Shape{1}));
  EXPECT_ERROR(x.squeeze(3), IndexError, "axis 3");
  EXPECT_ERROR(x.unsqueeze(5), IndexError, "axis 5");
}

TEST(Movement, FlattenAndUnflatten) {
  Tensor x = Tensor::zeros({2, 3, 4});
  EXPECT_EQ(x.flatten().shape(), (Shape{24}));
  EXPECT_EQ(x.flatten(1).shape(), (Shape{2, 12}));
  EXPECT_EQ(x.flatten(0, 1).shape(), (Shape{6, 4}));
  EXPECT_EQ(Tensor(1).flatten().shape(), (Shape{1}));
  EXPECT_EQ(x.unflatten(2, {2, 2}).shape(), (Shape{2, 3, 2, 2}));
  EXPECT_EQ(x.unflatten(-1, {-1, 4}).shape(), (Shape{2, 3, 1, 4}));
  EXPECT_ERROR(x.flatten(2, 1), IndexError, "axis 2");
  EXPECT_ERROR(x.unflatten(1, {2, 2}), ShapeError, "size 3");
  EXPECT_ERROR(x.unflatten(1, {-1, -1}), ShapeError, "[-1, -1]");
}

TEST(Movement, SplitAndChunk) {
  Tensor x = counting({5, 2});
  std::vector<Tensor> parts = x.split(2);
  ASSERT_EQ(parts.size(), 3u);
  expectTensor(parts[1], {2, 2}, {4, 5, 6, 7});
  expectTensor(parts[2], {1, 2}, {8, 9});
  parts = x.split(Shape{1, 4});
  expectTensor(parts[0], {1, 2}, {0, 1});
  EXPECT_EQ(parts[1].shape(), (Shape{4, 2}));
  parts = x.chunk(2);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].shape(), (Shape{3, 2}));
  EXPECT_EQ(parts[1].shape(), (Shape{2, 2}));
  EXPECT_EQ(x.chunk(2, -1)[1].shape(), (Shape{5, 1}));
  EXPECT_EQ(Tensor::zeros({0}).chunk(3).size(), 3u);
  EXPECT_ERROR(x.split(0), ShapeError, "0");
  EXPECT_ERROR(x.split(Shape{1, 1}), ShapeError, "size 5");
  EXPECT_ERROR(x.chunk(0), ShapeError, "0");
  EXPECT_ERROR(x.chunk(2, 2), IndexError, "axis 2");
  EXPECT_EQ(x.chunk(int64_t(1) << 32).size(), 5u);
  EXPECT_ERROR(Tensor::zeros({0}).chunk(int64_t(1) << 32), ShapeError,
               "chunk: 4294967296 parts of an axis of size 0");
  EXPECT_ERROR(Tensor::zeros({int64_t(1) << 40}).split(1), ShapeError,
               "split: 1099511627776 parts of an axis of size 1099511627776");
}

TEST(Movement, CatAndStack) {
  Tensor a = counting({2, 2}), b = counting({1, 2}) + 10;
  expectTensor(Tensor::cat({a, b}), {3, 2}, {0, 1, 2, 3, 10, 11});
  expectTensor(Tensor::cat({a, a + 4, a + 8}, -1), {2, 6},
               {0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11});
  expectTensor(Tensor::cat({a}), {2, 2}, {0, 1, 2, 3});
  expectTensor(Tensor::cat({Tensor::zeros({0, 2}), b, Tensor::zeros({0, 2})}),
               {1, 2}, {10, 11});
  expectTensor(Tensor::cat({Tensor::zeros({0, 2}), Tensor::zeros({0, 2})}),
               {0, 2}, {});
  Tensor mixed = Tensor::cat({a.toInt(), b.toHalf()});
  EXPECT_EQ(mixed.dtype(), DType::Float16);
  expectTensor(mixed, {3, 2}, {0, 1, 2, 3, 10, 11});
  // A sum of padded parts would turn -0 into +0.
  EXPECT_TRUE(std::signbit(
      Tensor::cat({a, Tensor::full({1, 2}, -0.0)}).tolist<float>()[5]));
  expectTensor(Tensor::stack({a, a + 4}), {2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  expectTensor(Tensor::stack({a, a + 4}, -1), {2, 2, 2},
               {0, 4, 1, 5, 2, 6, 3, 7});
  expectTensor(Tensor::stack({Tensor(1), Tensor(2)}), {2}, {1, 2});
  EXPECT_ERROR(Tensor::cat({}), ShapeError, "no tensors");
  EXPECT_ERROR(Tensor::cat({a, Tensor::zeros({2, 3})}), ShapeError, "[2, 3]");
  EXPECT_ERROR(Tensor::cat({a, Tensor::zeros({2})}), ShapeError, "[2]");
  EXPECT_ERROR(Tensor::cat({a}, 2), IndexError, "axis 2");
  EXPECT_ERROR(Tensor::stack({a, b}), ShapeError, "[1, 2]");
  EXPECT_ERROR(Tensor::stack({}), ShapeError, "no tensors");
}

TEST(Movement, CatOfEveryElementType) {
  for (unsigned i = 0; i < kNumDTypes; ++i) {
    Tensor one = Tensor::ones({2}, DType(i)), zero = one.zerosLike();
    Tensor joined = Tensor::cat({one, zero, one});
    EXPECT_EQ(joined.dtype(), DType(i));
    expectTensor(joined, {6}, {1, 1, 0, 0, 1, 1});
  }
}

/// So many that a single kernel would be far too large.
TEST(Movement, CatOfMany) {
  for (int64_t size : {1, 3, 16, 100}) {
    const Tensor expected = counting({600 * size}).contiguous().realize();
    const std::vector<Tensor> parts = expected.split(size);
    expectTensor(Tensor::cat(parts), {600 * size}, values(expected));
    expectTensor(Tensor::cat(parts) * 2 + 1, {600 * size},
                 values(expected * 2 + 1));
    expectTensor(Tensor::stack(parts), {600, size}, values(expected));
    expectTensor(Tensor::stack(parts, -1), {size, 600},
                 values(expected.reshape({600, size}).T()));
    expectTensor(Tensor::cat(parts).reshape({600, size}).sum(0), {size},
                 values(expected.reshape({600, size}).sum(0)), 1e-5);
  }
}

/// Parts that differ in size, that are computed, and that have no memory of
/// their own.
TEST(Movement, CatOfManyDifferent) {
  Tensor x = counting({40, 500});
  std::vector<Tensor> parts;
  std::vector<double> expected(40 * 500);
  for (int64_t from = 0, size = 1; from < 500; from += size, size += 1) {
    size = std::min<int64_t>(size, 500 - from);
    Tensor part = x.shrink({{0, 40}, {from, from + size}});
    parts.push_back(part * float(size));
    for (int64_t i = 0; i < 40; ++i)
      for (int64_t j = from; j < from + size; ++j)
        expected[i * 500 + j] = double(i * 500 + j) * double(size);
  }
  expectTensor(Tensor::cat(parts, 1), {40, 500}, expected);
  // Read in other orders, partly, and assigned to one of its parts.
  Tensor joined = Tensor::cat(parts, 1);
  std::vector<double> part(expected.begin() + 3 * 500,
                           expected.begin() + 4 * 500);
  expectTensor(joined[3], {500}, part);
  expectTensor(joined.T().T().contiguous(), {40, 500}, expected);
  x = x.contiguous().realize();
  x.assign(Tensor::cat(x.split(2, 0), 0).flip({0}));
  expectTensor(x.flip({0}), {40, 500}, values(counting({40, 500})));
}

TEST(Movement, Repeat) {
  Tensor x = counting({2, 2});
  expectTensor(x.repeat({1, 2}), {2, 4}, {0, 1, 0, 1, 2, 3, 2, 3});
  expectTensor(x.repeat({2, 1}), {4, 2}, {0, 1, 2, 3, 0, 1, 2, 3});
  EXPECT_EQ(x.repeat({2, 1, 1}).shape(), (Shape{2, 2, 2}));
  expectTensor(x.repeat({0, 1}), {0, 2}, {});
  EXPECT_ERROR(x.repeat({2}), ShapeError, "1 numbers");
  EXPECT_ERROR(x.repeat({-1, 1}), ShapeError, "-1");
}

TEST(Movement, Roll) {
  Tensor x = counting({2, 3});
  expectTensor(x.roll(1, 1), {2, 3}, {2, 0, 1, 5, 3, 4});
  expectTensor(x.roll(-1, -1), {2, 3}, {1, 2, 0, 4, 5, 3});
  expectTensor(x.roll(7, 1), {2, 3}, {2, 0, 1, 5, 3, 4});
  expectTensor(x.roll({1, 1}, {0, 1}), {2, 3}, {5, 3, 4, 2, 0, 1});
  EXPECT_ERROR(x.roll({1}, {0, 1}), ShapeError, "1 shifts for 2 axes");
  EXPECT_ERROR(x.roll(1, 2), IndexError, "axis 2");
}

TEST(Movement, ChainsOfViews) {
  // Element [i, j] of the result, computed by hand from the chain.
  Tensor x = counting({4, 6});
  Tensor y = x.T()
                 .flip(0)
                 .reshape({3, 8})
                 .pad({{1, 0}, {0, 0}})
                 .shrink({{0, 3}, {2, 7}});
  std::vector<double> expected;
  for (int i = 0; i < 3; ++i)
    for (int j = 2; j < 7; ++j) {
      if (i == 0) {
        expected.push_back(0);
        continue;
      }
      const int flat = (i - 1) * 8 + j, row = flat / 4, column = flat % 4;
      expected.push_back(column * 6 + (5 - row));
    }
  expectTensor(y, {3, 5}, expected);
}
