//===- ResampleTest.cpp - padding modes and interpolation -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Padding with elements of the tensor, and interpolation, compared with loops.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::testing;

static int64_t kernelsOf(const Tensor &x) {
  GlobalCounters::reset();
  x.realize();
  return GlobalCounters::kernelCount;
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// The element of an axis of `size` for position i, which may be out of range.
static int64_t source(int64_t i, int64_t size, PadMode mode) {
  switch (mode) {
  case PadMode::Reflect:
    return i < 0 ? -i : i >= size ? 2 * size - 2 - i : i;
  case PadMode::Replicate:
    return std::clamp<int64_t>(i, 0, size - 1);
  default:
    return (i + size) % size;
  }
}

/// A tensor of three axes, padded or cut.
static void expectPadded(const Tensor &x, const std::vector<PadAmount> &amounts,
                         PadMode mode) {
  const std::vector<int64_t> sizes = x.concreteShape();
  const std::vector<double> elements = values(x);
  Shape shape;
  for (int i = 0; i < 3; ++i)
    shape.push_back(sizes[i] + amounts[i].first.value() +
                    amounts[i].second.value());
  std::vector<double> expected;
  for (int64_t i = 0; i < shape[0].value(); ++i)
    for (int64_t j = 0; j < shape[1].value(); ++j)
      for (int64_t k = 0; k < shape[2].value(); ++k) {
        int64_t at = 0;
        const int64_t position[] = {i, j, k};
        for (int axis = 0; axis < 3; ++axis)
          at = at * sizes[axis] +
               source(position[axis] - amounts[axis].first.value(), sizes[axis],
                      mode);
        expected.push_back(elements[at]);
      }
  expectTensor(x.pad(amounts, mode), shape, expected);
}

static constexpr PadMode kModes[] = {PadMode::Reflect, PadMode::Replicate,
                                     PadMode::Circular};

TEST(PadModes, OneRow) {
  Tensor x = Tensor::from({1, 2, 3});
  expectTensor(x.pad({2, 2}, PadMode::Reflect), {7}, {3, 2, 1, 2, 3, 2, 1});
  expectTensor(x.pad({2, 1}, PadMode::Replicate), {6}, {1, 1, 1, 2, 3, 3});
  expectTensor(x.pad({3, 2}, PadMode::Circular), {8}, {1, 2, 3, 1, 2, 3, 1, 2});
  expectTensor(x.pad({1, 1}, PadMode::Constant, 7), {5}, {7, 1, 2, 3, 7});
  expectTensor(x.pad({1, 1}, PadMode::Constant), {5}, {0, 1, 2, 3, 0});
}

TEST(PadModes, SeveralAxes) {
  Tensor x = noiseTensor({3, 4, 5});
  for (PadMode mode : kModes) {
    SCOPED_TRACE(int(mode));
    expectPadded(x, {{2, 1}, {3, 0}, {1, 4}}, mode);
    expectPadded(x, {{0, 0}, {0, 2}, {2, 0}}, mode);
    expectPadded(x, {{0, 0}, {0, 0}, {0, 0}}, mode);
    // Padded and then cut.
    expectPadded(x, {{-1, 2}, {3, -2}, {-2, -1}}, mode);
    expectPadded(x.toInt(), {{1, 1}, {1, 1}, {1, 1}}, mode);
    expectPadded(x > 0, {{1, 1}, {1, 1}, {1, 1}}, mode);
    // Only the last axes.
    expectTensor(x.pad({1, 2}, mode), {3, 4, 8},
                 values(x.pad({{0, 0}, {0, 0}, {1, 2}}, mode)));
  }
  expectPadded(noiseTensor({1, 1, 1}), {{4, 5}, {0, 1}, {2, 0}},
               PadMode::Replicate);
}

TEST(PadModes, SymbolicSizes) {
  Variable n("padded", 3, 8);
  Tensor x = noiseTensor({8, 3}).realize();
  for (PadMode mode : kModes)
    for (int64_t size : {3, 8}) {
      Tensor symbolic = x.shrink({{0, n.bind(size)}, {}});
      Tensor expected = x.shrink({{0, size}, {}}).pad({{2, 1}, {0, 0}}, mode);
      Tensor result = symbolic.pad({{2, 1}, {0, 0}}, mode);
      EXPECT_EQ(result.concreteShape(), expected.concreteShape());
      EXPECT_EQ(values(result), values(expected));
    }
}

TEST(PadModes, OneKernel) {
  for (PadMode mode : kModes)
    EXPECT_EQ(kernelsOf(noiseTensor({4, 16, 16}).pad({2, 1, 1, 2}, mode)), 1);
}

TEST(PadModes, Errors) {
  Tensor x = counting({2, 3});
  EXPECT_ERROR(x.pad({3, 0}, PadMode::Reflect), ShapeError,
               "pad: 3 elements at axis 1 of [2, 3]: Reflect requires less "
               "than the size of the axis");
  EXPECT_ERROR(x.pad({0, 4}, PadMode::Circular), ShapeError,
               "pad: 4 elements at axis 1 of [2, 3]: Circular requires at most "
               "the size of the axis");
  EXPECT_ERROR(Tensor::zeros({2, 0}).pad({0, 1}, PadMode::Replicate),
               ShapeError, "an axis with elements");
  // A size that is too small for one value of the variable.
  Tensor some = x.shrink({{}, {0, Variable("some", 0, 3).bind(2)}});
  EXPECT_ERROR(some.pad({0, 2}, PadMode::Replicate), ShapeError,
               "1 is more than some=2 for some = 0");
  EXPECT_ERROR(some.pad({0, 2}, PadMode::Circular), ShapeError,
               "2 is more than some=2 for some = ");
  EXPECT_ERROR(some.interpolate(5), ShapeError,
               "size 5; 1 is more than some=2 for some = 0");
  EXPECT_ERROR(x.pad({{1, 1}}, PadMode::Reflect), ShapeError, "1 pairs");
  EXPECT_ERROR(x.pad({-4, 0}, PadMode::Reflect), ShapeError,
               "remove more from");
  EXPECT_ERROR(x.pad({int64_t(1) << 62, int64_t(1) << 62}, PadMode::Replicate),
               ShapeError, "pad: ");
}

//===----------------------------------------------------------------------===//
// Interpolation
//===----------------------------------------------------------------------===//

/// The second of three axes interpolated to `size`.
static std::vector<double> interpolated(const std::vector<double> &x, int outer,
                                        int from, int inner, int size,
                                        InterpolateMode mode,
                                        bool alignCorners) {
  std::vector<double> result;
  for (int i = 0; i < outer; ++i)
    for (int j = 0; j < size; ++j) {
      int low, high;
      double weight = 0;
      if (mode == InterpolateMode::Linear) {
        double position =
            alignCorners ? (size > 1 ? double(j) * (from - 1) / (size - 1) : 0)
                         : (j + 0.5) * from / size - 0.5;
        position = std::clamp(position, 0.0, double(from - 1));
        low = int(position);
        high = std::min(low + 1, from - 1);
        weight = position - low;
      } else {
        low = high = mode == InterpolateMode::Nearest
                         ? j * from / size
                         : (2 * j + 1) * from / (2 * size);
      }
      for (int k = 0; k < inner; ++k)
        result.push_back(x[(i * from + low) * inner + k] * (1 - weight) +
                         x[(i * from + high) * inner + k] * weight);
    }
  return result;
}

TEST(Interpolate, SeveralAxes) {
  Tensor x = noiseTensor({2, 6, 5});
  for (InterpolateMode mode :
       {InterpolateMode::Linear, InterpolateMode::Nearest,
        InterpolateMode::NearestExact})
    for (bool alignCorners : {false, true})
      for (auto [height, width] :
           {std::array{6, 5}, std::array{12, 5}, std::array{3, 10},
            std::array{7, 4}, std::array{1, 1}, std::array{2, 23},
            std::array{13, 2}}) {
        if (alignCorners && mode != InterpolateMode::Linear)
          continue;
        SCOPED_TRACE(::testing::Message() << int(mode) << alignCorners << " "
                                          << height << "x" << width);
        std::vector<double> expected =
            interpolated(values(x), 2, 6, 5, height, mode, alignCorners);
        expected =
            interpolated(expected, 2 * height, 5, 1, width, mode, alignCorners);
        expectTensor(x.interpolate({height, width}, mode, alignCorners),
                     {2, height, width}, expected, 1e-6);
      }
}

/// Values from PyTorch 1.13.
TEST(Interpolate, AsInPyTorch) {
  Tensor x = Tensor::from({1.0f, 2.0f, 4.0f, 8.0f});
  expectTensor(x.interpolate(6), {6}, {1, 1.5, 2.3333333, 3.6666667, 6, 8},
               1e-6);
  expectTensor(x.interpolate(6, InterpolateMode::Linear, true), {6},
               {1, 1.6, 2.4, 3.6, 5.6, 8}, 1e-6);
  expectTensor(x.interpolate(6, InterpolateMode::Nearest), {6},
               {1, 1, 2, 4, 4, 8});
  expectTensor(x.interpolate(6, InterpolateMode::NearestExact), {6},
               {1, 2, 2, 4, 8, 8});
  expectTensor(x.interpolate(2), {2}, {1.5, 6});
  expectTensor(x.interpolate(2, InterpolateMode::Nearest), {2}, {1, 4});
  expectTensor(x.interpolate(2, InterpolateMode::NearestExact), {2}, {2, 8});
}

TEST(Interpolate, PositionsAreExact) {
  // 41 * (1 / 41) is less than 1 in float32.
  for (int from : {41, 49, 97, 1000}) {
    Tensor x = Tensor::arange(from);
    const int size = 3 * from + 1;
    std::vector<double> expected;
    for (int i = 0; i < size; ++i) {
      const int at = i * from / size;
      expected.push_back(at);
    }
    expectTensor(x.interpolate(size, InterpolateMode::Nearest), {size},
                 expected);
  }
}

TEST(Interpolate, Types) {
  Tensor x = Tensor::from({1, 2});
  EXPECT_EQ(x.interpolate(4).dtype(), DType::Float32);
  expectTensor(x.interpolate(4), {4}, {1, 1.25, 1.75, 2});
  EXPECT_EQ(x.interpolate(3, InterpolateMode::Nearest).dtype(), DType::Int32);
  EXPECT_EQ(x.toHalf().interpolate(4).dtype(), DType::Float16);
  expectTensor(x.toHalf().interpolate(4), {4}, {1, 1.25, 1.75, 2});
}

TEST(Interpolate, SymbolicSizes) {
  Variable n("interpolated", 2, 6), m("interpolatedTo", 1, 9);
  Tensor x = noiseTensor({6}).realize();
  for (InterpolateMode mode :
       {InterpolateMode::Linear, InterpolateMode::Nearest,
        InterpolateMode::NearestExact})
    for (int64_t from : {2, 5})
      for (int64_t size : {1, 7, 9}) {
        Tensor result =
            x.shrink({{0, n.bind(from)}}).interpolate(m.bind(size), mode);
        Tensor expected = x.shrink({{0, from}}).interpolate(size, mode);
        ASSERT_EQ(result.concreteShape(), expected.concreteShape());
        const std::vector<double> found = values(result),
                                  all = values(expected);
        for (int64_t i = 0; i < size; ++i)
          EXPECT_NEAR(found[i], all[i], 1e-6);
      }
}

/// Integer factors are views.
TEST(Interpolate, Kernels) {
  Tensor x = noiseTensor({2, 8, 8}).realize();
  for (InterpolateMode mode :
       {InterpolateMode::Nearest, InterpolateMode::NearestExact}) {
    EXPECT_EQ(kernelsOf(x.interpolate({16, 24}, mode)), 1);
    EXPECT_EQ(kernelsOf(x.interpolate({4, 2}, mode)), 1);
  }
}

TEST(Interpolate, Errors) {
  Tensor x = counting({2, 3});
  EXPECT_ERROR(x.interpolate({1, 2, 3}), ShapeError,
               "sizes [1, 2, 3] are not of the last axes of a tensor of shape "
               "[2, 3]");
  EXPECT_ERROR(x.interpolate(Shape{}), ShapeError, "sizes []");
  EXPECT_ERROR(x.interpolate(-1), ShapeError, "size -1");
  EXPECT_ERROR(x.interpolate(INT64_MAX), ShapeError, "too large");
  EXPECT_ERROR(Tensor::zeros({2, 0}).interpolate(3), ShapeError,
               "axis 1 of [2, 0] cannot be brought to size 3");
  EXPECT_ERROR(x.interpolate(3, InterpolateMode::Nearest, true), Error,
               "alignCorners is for InterpolateMode::Linear");
  EXPECT_EQ(Tensor::zeros({2, 3}).interpolate(0).shape(), (Shape{2, 0}));
}
