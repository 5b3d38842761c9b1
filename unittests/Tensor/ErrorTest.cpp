//===- ErrorTest.cpp - error messages of the tensor API -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Messages name the method that was called, not those it is composed of, and
/// the problem with the operands. Sizes near the limits of their type do not
/// overflow.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <limits>

using namespace tinygrad;
using namespace tinygrad::testing;

static constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();
static constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();

TEST(Errors, OfShapes) {
  Tensor x = counting({3, 4}), v = counting({4});
  EXPECT_ERROR(counting({2, 3, 4}).matmul(counting({3, 4, 2})), ShapeError,
               "matmul: the axes before the last two of [2, 3, 4] and [3, 4, "
               "2] cannot be broadcast together");
  EXPECT_ERROR(x.expand({kInt64Max, 3, 4}), ShapeError, "expand: [");
  EXPECT_ERROR(x.pad({{kInt64Min, 0}, {0, 0}}), ShapeError, "pad: amounts -9");
  EXPECT_ERROR(x.pad({{-2, -2}, {0, 0}}), ShapeError,
               "remove more from axis 0");
  // As in PyTorch, padding at the other end does not compensate.
  EXPECT_ERROR(
      Tensor::ones({1}).pad({-2, 5}), ShapeError,
      "pad: amounts -2 and 5 remove more from axis 0 of [1] than it has");
  EXPECT_ERROR(x.pad({{-3, kInt64Min}, {0, 0}}), ShapeError, "pad: amounts");
  EXPECT_ERROR(x.pad({{kInt64Max, 0}, {0, 0}}), ShapeError,
               "pad: an axis of size");
  EXPECT_ERROR(x.pad({{1, 1}}), ShapeError, "pad: 1 pairs");
  EXPECT_ERROR(x.unflatten(1, {0, -1}), ShapeError,
               "unflatten: an axis of size 4 does not fall into axes of sizes "
               "[0, -1]");
  EXPECT_ERROR(v.repeat({kInt64Max}), ShapeError, "repeat: an axis of size 4");
  EXPECT_ERROR(Tensor::eye(-1), ShapeError, "eye: [-1, -1]");
  EXPECT_ERROR(Tensor::full({kInt64Max, 2}, 1), ShapeError, "full: [");
  EXPECT_ERROR(Tensor::rand({-2}), ShapeError, "rand: [-2]");
  EXPECT_ERROR(Tensor::empty({-2}), ShapeError, "empty: [-2]");
  EXPECT_ERROR(x.assign(counting({5})), ShapeError,
               "assign: a tensor of shape [5] cannot be broadcast to [3, 4]");
}

TEST(Errors, SizesNextToZero) {
  // As in NumPy, the other sizes must fit even if one is zero.
  constexpr int64_t large = int64_t(1) << 30;
  Tensor x = Tensor::zeros({0, large, large});
  EXPECT_EQ(x.numel(), 0);
  EXPECT_EQ(Tensor::zeros({large, large, 0}).numel(), 0);
  EXPECT_EQ(x.flatten().shape(), (Shape{0}));
  EXPECT_EQ(x.flatten(0, 1).shape(), (Shape{0, large}));
  EXPECT_EQ(x.flatten(1).shape(), (Shape{0, large * large}));
  EXPECT_EQ(x.permute({2, 0, 1}).sum(0).shape(), (Shape{0, large}));
  EXPECT_ERROR(Tensor::zeros({0, kInt64Max}), ShapeError, "zeros: [0, 9");
  EXPECT_ERROR(Tensor::full({kInt64Max, kInt64Max, 0}, 1), ShapeError,
               "full: [");
  EXPECT_ERROR(Tensor::zeros({0, kInt64Max}, DType::Bool), ShapeError,
               "nor the product of those that are not 0 too large");
  EXPECT_ERROR(x.reshape({large, large, large, 0}), ShapeError, "reshape: [");
  expectTensor(x.mean(), {}, {NAN});
  EXPECT_EQ(counting({4}).chunk(kInt64Max).size(), 4u);
  EXPECT_ERROR(Tensor::from({1}).oneHot(kInt64Max), ShapeError,
               "oneHot: [1, 9");
}

TEST(Errors, OfNetworks) {
  Tensor x = counting({2, 4, 5, 5}), w = counting({6, 4, 3, 3});
  EXPECT_ERROR(x.conv2d(w, {}, {.groups = kInt64Max}), ShapeError,
               "conv2d: an input of shape [2, 4, 5, 5]");
  EXPECT_ERROR(x.conv2d(w, {}, {.padding = kInt64Max}), ShapeError,
               "conv2d: an axis");
  EXPECT_ERROR(x.conv2d(w, {}, {.dilation = kInt64Max}), ShapeError,
               "conv2d: a kernel of extent 9223372036854775807");
  // With a single window, the stride does not matter.
  expectTensor(x.conv2d(w, {}, {.stride = kInt64Max}), {2, 6, 1, 1},
               values(x.conv2d(w, {}, {.stride = 5})));
  expectTensor(x.maxPool2d(2, {.stride = kInt64Max, .ceilMode = true}),
               {2, 4, 1, 1}, {6, 31, 56, 81, 106, 131, 156, 181});
  expectTensor(x.maxPool2d(1, {.stride = 4, .dilation = kInt64Max})[1][3],
               {2, 2}, {175, 179, 195, 199});
  EXPECT_ERROR(x.linear(counting({4, 3})), ShapeError,
               "linear: a weight of shape [4, 3]");
  EXPECT_ERROR(x.linear(counting({5, 3}), counting({4})), ShapeError,
               "linear: a bias of shape [4]");
  Tensor q = counting({2, 3, 4}), other = counting({3, 3, 4});
  EXPECT_ERROR(q.scaledDotProductAttention(other, q), ShapeError,
               "scaledDotProductAttention: query, key");
  EXPECT_ERROR(q.scaledDotProductAttention(q, other), ShapeError,
               "scaledDotProductAttention: query, key");
  EXPECT_ERROR(q.scaledDotProductAttention(q, q, counting({2, 3})), ShapeError,
               "scaledDotProductAttention: a mask of shape [2, 3]");
  EXPECT_ERROR(q.maskedFill(counting({5}), 0), ShapeError,
               "maskedFill: a mask");
}

TEST(Errors, OfAxesAndPositions) {
  Tensor x = counting({3, 4}), v = counting({4});
  EXPECT_ERROR(x.unsqueeze(3), IndexError,
               "unsqueeze: no position for a new axis 3 in a tensor of "
               "rank 2");
  EXPECT_ERROR(Tensor::stack({v, v}, 2), IndexError,
               "stack: no position for a new axis");
  EXPECT_ERROR(x.sum(kInt64Min), IndexError, "sum: axis -9223372036854775808");
  EXPECT_ERROR(x.index({kInt64Min}), IndexError,
               "index: position -9223372036854");
  EXPECT_ERROR(x.index({kInt64Max}), IndexError,
               "index: position 9223372036854");
  EXPECT_ERROR(x.index({Tensor::from({0, 1, 2}), Tensor::from({0, 1})}),
               ShapeError,
               "index: positions of shapes [3] and [2] cannot be broadcast");
  expectTensor(x.index({Slice(kInt64Min, kInt64Max, kInt64Max),
                        Slice(kInt64Max, kInt64Min, -3)}),
               {1, 2}, {3, 0});
  expectTensor(v.roll(kInt64Min, 0), {4}, {0, 1, 2, 3});
}

TEST(Errors, OfTypes) {
  Tensor bytes = Tensor::from(std::vector<int8_t>{1, 2});
  EXPECT_ERROR(bytes + 1000, DTypeError, "add: 1000 is not a value of int8");
  EXPECT_ERROR(bytes.maximum(-129), DTypeError, "maximum: -129");
  EXPECT_ERROR((bytes > 0).where(bytes, 128), DTypeError, "where: 128");
  EXPECT_ERROR(bytes.fullLike(300), DTypeError, "fullLike: 300");
  EXPECT_ERROR(bytes.assign(300), DTypeError, "assign: 300");
  EXPECT_ERROR(bytes.pad({{1, 1}}, 300), DTypeError, "pad: 300");
  EXPECT_ERROR(Tensor::zeros({-2}), ShapeError, "zeros: ");
  EXPECT_ERROR(Tensor::ones({-2}), ShapeError, "ones: ");
  EXPECT_ERROR(bytes.assign(Tensor::from({1, 2})), DTypeError,
               "assign: a value of int32 to a tensor of int8");
}

TEST(Errors, OfRank) {
  const Shape kInt64Max(64, 1);
  Tensor x = Tensor::ones(kInt64Max);
  EXPECT_EQ(x.sum().item<float>(), 1);
  EXPECT_EQ(x.str().size(), 64u + 2 + 64);
  const char *text = "a tensor of 65 axes; there can be at most 64";
  EXPECT_ERROR(x.unsqueeze(0), ShapeError, text);
  EXPECT_ERROR(Tensor::ones(Shape(65, 1)), ShapeError, text);
  EXPECT_ERROR(x.expand(Shape(65, 1)), ShapeError, text);
  EXPECT_ERROR(x.reshape(Shape(65, 1)), ShapeError, text);
  EXPECT_ERROR(Tensor::stack({x, x}), ShapeError, text);
}
