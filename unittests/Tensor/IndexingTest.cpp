//===- IndexingTest.cpp - parts of tensors --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Slices, integers, new axes, index tensors, and combinations.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

using namespace tinygrad;
using namespace tinygrad::testing;

TEST(Indexing, Integers) {
  Tensor x = counting({2, 3});
  expectTensor(x[1], {3}, {3, 4, 5});
  expectTensor(x[-1][0], {}, {3});
  expectTensor(x.index({1, 2}), {}, {5});
  EXPECT_EQ(x.index({0, -1}).item<float>(), 2);
  EXPECT_ERROR(x[2], IndexError, "position 2 is out of bounds");
  EXPECT_ERROR(x[-3], IndexError, "position -3");
  EXPECT_ERROR(x.index({0, 0, 0}), IndexError, "3 entries");
  EXPECT_ERROR(Tensor(1)[0], IndexError, "1 entries");
}

TEST(Indexing, Slices) {
  Tensor x = counting({8});
  expectTensor(x[Slice()], {8}, {0, 1, 2, 3, 4, 5, 6, 7});
  expectTensor(x[Slice(2, 5)], {3}, {2, 3, 4});
  expectTensor(x[Slice(-3, None)], {3}, {5, 6, 7});
  expectTensor(x[Slice(None, -6)], {2}, {0, 1});
  expectTensor(x[Slice(-100, 100)], {8}, {0, 1, 2, 3, 4, 5, 6, 7});
  expectTensor(x[Slice(5, 2)], {0}, {});
  EXPECT_ERROR(x[Slice(0, 8, 0)], IndexError, "step of a slice is 0");
}

TEST(Indexing, SlicesLikeAReference) {
  // All bounds and steps, compared with the definition.
  const int64_t size = 5;
  Tensor x = counting({size});
  for (int64_t start = -7; start <= 7; ++start)
    for (int64_t stop = -7; stop <= 7; stop += 2)
      for (int64_t step : {-7, -3, -2, -1, 1, 2, 3, 7}) {
        auto clampTo = [&](int64_t value, int64_t low, int64_t high) {
          value = value < 0 ? value + size : value;
          return std::min(std::max(value, low), high);
        };
        std::vector<double> expected;
        if (step > 0)
          for (int64_t i = clampTo(start, 0, size); i < clampTo(stop, 0, size);
               i += step)
            expected.push_back(double(i));
        else
          for (int64_t i = clampTo(start, -1, size - 1);
               i > clampTo(stop, -1, size - 1); i += step)
            expected.push_back(double(i));
        Tensor part = x[Slice(start, stop, step)];
        ASSERT_EQ(part.shape(), Shape{int64_t(expected.size())})
            << start << ":" << stop << ":" << step;
        // The values of only some of them are computed; most errors change the
        // shape.
        if ((start + stop) % 4 == 0)
          expectTensor(part, {int64_t(expected.size())}, expected);
      }
}

TEST(Indexing, HugeBoundsAndSteps) {
  Tensor x = counting({4});
  expectTensor(x[Slice(INT64_MIN, INT64_MAX, INT64_MAX)], {1}, {0});
  expectTensor(x[Slice(None, None, INT64_MIN)], {1}, {3});
  expectTensor(x[Slice(INT64_MAX, INT64_MIN, -1)], {4}, {3, 2, 1, 0});
}

TEST(Indexing, NewAxesAndEllipsis) {
  Tensor x = counting({2, 3, 4});
  EXPECT_EQ(x[None].shape(), (Shape{1, 2, 3, 4}));
  EXPECT_EQ(x.index({Ellipsis, None}).shape(), (Shape{2, 3, 4, 1}));
  EXPECT_EQ(x.index({0, None, Ellipsis}).shape(), (Shape{1, 3, 4}));
  expectTensor(x.index({Ellipsis, 1}), {2, 3}, {1, 5, 9, 13, 17, 21});
  expectTensor(x.index({1, Ellipsis, Slice(None, None, -2)}), {3, 2},
               {15, 13, 19, 17, 23, 21});
  EXPECT_EQ(x.index({Ellipsis}).shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(x.index({}).shape(), (Shape{2, 3, 4}));
  EXPECT_ERROR(x.index({Ellipsis, Ellipsis}), IndexError, "Ellipsis");
}

TEST(Indexing, ByTensor) {
  Tensor x = counting({4, 2});
  expectTensor(x[Tensor::from({2, 0, -1})], {3, 2}, {4, 5, 0, 1, 6, 7});
  expectTensor(x[Tensor(1)], {2}, {2, 3});
  expectTensor(x.index({Slice(), Tensor::from({{1, 0}})}), {4, 1, 2},
               {1, 0, 3, 2, 5, 4, 7, 6});
  Tensor narrow = Tensor::from(std::vector<uint8_t>{3, 1});
  expectTensor(x[narrow], {2, 2}, {6, 7, 2, 3});
  // Out-of-range positions give zeros.
  expectTensor(x[Tensor::from({9, -9})], {2, 2}, {0, 0, 0, 0});
  expectTensor(x[Tensor::from(std::vector<int>{}, Shape{0})], {0, 2}, {});
  EXPECT_ERROR(x[Tensor::from({0.5f})], DTypeError, "float32");
  EXPECT_ERROR(x[Tensor::from({true})], IndexError, "a mask of shape [1]");
}

TEST(Indexing, NarrowIndexIntoALargeAxis) {
  Tensor x = counting({1000});
  Tensor index = Tensor::from(std::vector<int8_t>{5, -1, -128});
  expectTensor(x[index], {3}, {5, 999, 872});
}

// 84 + 256 must not wrap to 84 in uint8.
TEST(Indexing, UnsignedIndexIntoALargeAxis) {
  Tensor x = Tensor::arange(600);
  for (DType dtype :
       {DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64}) {
    Tensor index = Tensor::from({84, 255, 0}).cast(dtype);
    expectTensor(x.gather(0, index), {3}, {84, 255, 0});
    expectTensor(x.indexSelect(0, index), {3}, {84, 255, 0});
    expectTensor(x.index({index}), {3}, {84, 255, 0});
  }
}

TEST(Indexing, BySeveralTensors) {
  Tensor x = counting({3, 4, 5});
  Tensor i = Tensor::from({0, 2}), j = Tensor::from({3, -1}),
         column = Tensor::from({{1}, {2}});
  expectTensor(x.index({i, j, 0}), {2}, {15, 55});
  // Adjacent index tensors: the new axis takes their place.
  Tensor adjacent = x.index({Slice(), j, Tensor::from({0, 1})});
  expectTensor(adjacent, {3, 2}, {15, 16, 35, 36, 55, 56});
  // Separate index tensors: the new axis comes first.
  Tensor apart = x.index({i, Slice(1, 3), Tensor::from({4, 0})});
  expectTensor(apart, {2, 2}, {9, 14, 45, 50});
  // An integer is applied before index tensors and removes its axis.
  EXPECT_EQ(x.index({0, Slice(), i}).shape(), (Shape{4, 2}));
  // Broadcast against each other.
  expectTensor(x.index({column, i, 0}), {2, 2}, {20, 30, 40, 50});
  // If one position is out of range, the result is zero, not another row.
  expectTensor(x.index({Tensor::from({0, 1}), Tensor::from({4, 0}), 1}), {2},
               {0, 21});
}

TEST(Indexing, Gather) {
  Tensor x = counting({2, 3});
  expectTensor(x.gather(1, Tensor::from({{2, 0}, {1, 1}})), {2, 2},
               {2, 0, 4, 4});
  expectTensor(x.gather(0, Tensor::from({{1, 0, 1}})), {1, 3}, {3, 1, 5});
  expectTensor(x.gather(-1, Tensor::from({{-1}, {-3}})), {2, 1}, {2, 3});
  EXPECT_ERROR(x.gather(1, Tensor::from({0})), ShapeError, "[1]");
  EXPECT_ERROR(x.gather(1, Tensor::zeros({3, 1}, DType::Int32)), ShapeError,
               "[3, 1]");
  EXPECT_ERROR(x.gather(2, Tensor::from({{0}})), IndexError, "axis 2");
  EXPECT_ERROR(x.gather(1, x), DTypeError, "gather");
}

TEST(Indexing, IndexSelect) {
  Tensor x = counting({2, 3, 2});
  expectTensor(x.indexSelect(1, Tensor::from({2, 0})), {2, 2, 2},
               {4, 5, 0, 1, 10, 11, 6, 7});
  EXPECT_EQ(x.indexSelect(2, Tensor::zeros({4, 5}, DType::Int64)).shape(),
            (Shape{2, 3, 4, 5}));
  EXPECT_ERROR(x.indexSelect(3, Tensor::from({0})), IndexError, "axis 3");
}

TEST(Indexing, SelectsFromEveryElementType) {
  for (unsigned i = 0; i < kNumDTypes; ++i) {
    Tensor x = Tensor::from({0, 1, 1, 0}).cast(DType(i));
    Tensor picked = x[Tensor::from({1, 3, 2})];
    EXPECT_EQ(picked.dtype(), DType(i));
    expectTensor(picked, {3}, {1, 0, 1});
  }
}

TEST(Indexing, SpecialValuesAreSelectedAlone) {
  Tensor x = Tensor::from({NAN, INFINITY, 3.0f});
  expectTensor(x[Tensor::from({2, 1, 0})], {3}, {3, INFINITY, NAN});
}

TEST(Indexing, OneHotAndMasks) {
  expectTensor(Tensor::from({1, 0, 5}).oneHot(3), {3, 3},
               {0, 1, 0, 1, 0, 0, 0, 0, 0});
  Tensor x = counting({2, 2});
  expectTensor(x.maskedFill(x > 1, -1), {2, 2}, {0, 1, -1, -1});
  EXPECT_ERROR(x.oneHot(3), DTypeError, "oneHot");
  EXPECT_ERROR(Tensor::from({1}).oneHot(-1), ShapeError, "-1");
}

TEST(Indexing, Triangles) {
  Tensor x = counting({3, 3}) + 1;
  expectTensor(x.tril(), {3, 3}, {1, 0, 0, 4, 5, 0, 7, 8, 9});
  expectTensor(x.triu(1), {3, 3}, {0, 2, 3, 0, 0, 6, 0, 0, 0});
  expectTensor(x.tril(-100), {3, 3}, std::vector<double>(9, 0));
  expectTensor(x.triu(-100), {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(x.toBool().tril().dtype(), DType::Bool);
  EXPECT_ERROR(counting({3}).tril(), ShapeError, "tril");
}

TEST(Indexing, FarFromTheBeginning) {
  // The lane in bounds is 2^31 elements from the start of the vector.
  const int64_t far = int64_t(1) << 31;
  Tensor x = counting({64}).realize();
  expectTensor(x.pad({{far - 1, far}}).index({Slice(None, None, far)}), {3},
               {0, 1, 0});
}

TEST(Indexing, SelectionFromALargeTable) {
  // A load for each element, not a sum over the table.
  Tensor table = Tensor::arange(int64_t(1) << 20, {}).contiguous().realize();
  Tensor rows = Tensor::from({5, 1000000, 77}).realize();
  GlobalCounters::reset();
  Tensor selected = table.indexSelect(0, rows).realize();
  EXPECT_EQ(GlobalCounters::kernelCount, 1);
  EXPECT_EQ(values(selected), (std::vector<double>{5, 1000000, 77}));
}

// Elements of views of memory are read without building the view.
TEST(Indexing, SingleElementsOfViews) {
  for (const char *device : {"CPU", "SIM"}) {
    Tensor x = Tensor::arange(2 * 3 * 4, {DType::Float32, device});
    x = x.reshape({2, 3, 4}).contiguous().realize();
    auto at = [](int64_t i, int64_t j, int64_t k) {
      return float(12 * i + 4 * j + k);
    };
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 3; ++j)
        for (int64_t k = 0; k < 4; ++k) {
          EXPECT_EQ(x[i][j][k].item<float>(), at(i, j, k));
          EXPECT_EQ(x.index({i, j, k}).item<float>(), at(i, j, k));
          EXPECT_EQ(x.flip({0, 2})[i][j][k].item<float>(), at(1 - i, j, 3 - k));
          EXPECT_EQ(x.permute({2, 0, 1})[k][i][j].item<float>(), at(i, j, k));
          EXPECT_EQ(
              x.transpose(0, 2).flatten()[6 * k + 2 * j + i].item<float>(),
              at(i, j, k));
          EXPECT_EQ(x.index({Slice(None, None, -1), j, Slice(k, None, 3)})[i][0]
                        .item<float>(),
                    at(1 - i, j, k));
        }
    // Assignments, also through views, are seen.
    Tensor row = x[1][2];
    row[3] = 100;
    EXPECT_EQ(x[1][2][3].item<float>(), 100);
    x[1] *= 2;
    EXPECT_EQ(row[3].item<float>(), 200);
    EXPECT_EQ(row.reshape({2, 2})[1][0].item<float>(), 2 * at(1, 2, 2));
    // What is not memory, or not yet.
    EXPECT_EQ((x + 1)[0][0][1].item<float>(), 2);
    EXPECT_EQ((x + 1).sum(0)[0][1].item<float>(), 1 + 1 + 2 * at(1, 0, 1) + 1);
    Tensor parameter = x[0].parameter();
    EXPECT_EQ(parameter[1][2].item<float>(), at(0, 1, 2));
    EXPECT_EQ(Tensor::full({2, 2}, 3.0f, {DType::Float32, device})[1][1]
                  .item<float>(),
              3);
  }
  // Slices with steps are padded to whole rows.
  Tensor bytes = Tensor::from(std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(bytes[Slice(1, None, 3)][1].item<uint8_t>(), 5);
  const Variable position("position", 0, 6);
  EXPECT_EQ(bytes[position.bind(5)].item<uint8_t>(), 6);
}
