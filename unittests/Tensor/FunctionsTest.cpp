//===- FunctionsTest.cpp - methods as free functions ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Free functions build the same operations as methods. Also tests what only
/// functions offer: extrema with positions, assignment operators.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/Functions.h"
#include "TensorTest.h"

#include <cmath>

using namespace tinygrad;
using namespace tinygrad::testing;

/// Equal expressions have the same operation and thus the same graph text.
static void expectSame(const Tensor &a, const Tensor &b) {
  EXPECT_EQ(a.graph(), b.graph());
}

TEST(Functions, AreTheMethods) {
  Tensor x = noiseTensor({3, 4}), y = noiseTensor({3, 4}, 2);
  expectSame(exp(x), x.exp());
  expectSame(abs(x), x.abs());
  expectSame(sigmoid(x), x.sigmoid());
  expectSame(clamp(x, 0, 1), x.clamp(0, 1));
  expectSame(pow(x, 2), x.pow(2));
  expectSame(maximum(x, y), x.maximum(y));
  expectSame(maximum(x, 0), x.maximum(0));
  expectTensor(maximum(2, x), {3, 4}, std::vector<double>(12, 2));
  expectSame(where(x > 0, x, 0), (x > 0).where(x, 0));
  expectSame(sum(x), x.sum());
  expectSame(sum(x, {0, 1}, true), x.sum({0, 1}, true));
  expectSame(softmax(x, 0), x.softmax(0));
  expectSame(argmax(x, 1), x.argmax(1));
  expectSame(cat({x, y}, 1), Tensor::cat({x, y}, 1));
  expectSame(stack({x, y}), Tensor::stack({x, y}));
  expectSame(matmul(x, y.T()), x.matmul(y.T()));
  expectSame(reshape(x, {4, 3}), x.reshape({4, 3}));
  expectSame(pad(x, {1, 1}), x.pad({1, 1}));
  expectSame(shrink(x, {{0, 2}, {}}), x.shrink({{0, 2}, {}}));
  expectSame(rearrange(x, "a (b c) -> b a c", {{"b", 2}}),
             x.rearrange("a (b c) -> b a c", {{"b", 2}}));
  expectSame(diagonal(x, 1), x.diagonal(1));
  expectSame(unfold(x, 1, 2, 1), x.unfold(1, 2, 1));
  EXPECT_TRUE(allclose(x, x + 1e-9));
  Tensor image = noiseTensor({1, 2, 5, 5}), weight = noiseTensor({3, 2, 3, 3});
  expectSame(conv2d(image, weight, {.padding = 1}),
             image.conv2d(weight, {.padding = 1}));
  expectSame(conv2d(image, weight, {}, {.stride = 2}),
             image.conv2d(weight, {}, {.stride = 2}));
  Tensor turned = weight.transpose(0, 1);
  expectSame(convTranspose2d(image, turned, {.stride = 2}),
             image.convTranspose2d(turned, {}, {.stride = 2}));
  expectSame(interpolate(image, {7, 7}), image.interpolate({7, 7}));
  expectSame(pad(image, {1, 1}, PadMode::Reflect),
             image.pad({1, 1}, PadMode::Reflect));
  expectSame(einsum("ij,kj->ik", {x, y}), Tensor::einsum("ij,kj->ik", {x, y}));
  expectSame(softmin(x), x.softmin());
  expectSame(normalize(x), x.normalize());
  Tensor indices = Tensor::from({{{{3}}, {{1}}}});
  expectSame(maxUnpool2d(image.shrink({{}, {}, {0, 1}, {0, 1}}), indices),
             image.shrink({{}, {}, {0, 1}, {0, 1}}).maxUnpool2d(indices));
  Tensor labels = Tensor::from({0, 1, 3});
  expectSame(crossEntropy(x, labels), x.crossEntropy(labels));
  expectSame(sparseCategoricalCrossentropy(x, labels, 1),
             x.sparseCategoricalCrossentropy(labels, 1));
  expectSame(nllLoss(x, labels, x[0]), x.nllLoss(labels, x[0]));
  expectSame(binaryCrossentropy(x, y, Reduction::Sum),
             x.binaryCrossentropy(y, Reduction::Sum));
  expectSame(binaryCrossentropyLogits(x, y), x.binaryCrossentropyLogits(y));
}

TEST(Functions, LeaveThoseOfNumbersAlone) {
  // Numbers are not implicitly converted to tensors.
  EXPECT_EQ(exp(0.0), 1.0);
  EXPECT_EQ(pow(2.0, 3.0), 8.0);
  EXPECT_EQ(std::abs(-1.5), 1.5);
}

TEST(Functions, MaxWithIndices) {
  Tensor x = Tensor::from({{1, 7, 7}, {9, 2, 3}});
  auto [values, indices] = x.maxWithIndices(1);
  expectTensor(values, {2}, {7, 9});
  expectTensor(indices, {2}, {1, 0});
  const ValuesAndIndices least = x.minWithIndices(0, true);
  expectTensor(least.values, {1, 3}, {1, 2, 3});
  expectTensor(least.indices, {1, 3}, {0, 1, 1});
  EXPECT_ERROR(Tensor::zeros({2, 0}).maxWithIndices(1), ShapeError,
               "no elements");
  EXPECT_ERROR(x.maxWithIndices(2), IndexError, "axis 2");
}

TEST(Functions, AssignmentsWithAnOperator) {
  Tensor x = counting({3}).realize();
  Tensor copy = x;
  x.assignAdd(1);
  expectTensor(copy, {3}, {1, 2, 3});
  x.assignMul(x).assignSub(Tensor::from({0.0f, 1.0f, 2.0f}));
  expectTensor(copy, {3}, {1, 3, 7});
  x.assignDiv(2);
  expectTensor(copy, {3}, {0.5, 1.5, 3.5});
  x.fill(4);
  expectTensor(copy, {3}, {4, 4, 4});
  x.zero();
  expectTensor(copy, {3}, {0, 0, 0});
  Tensor n = Tensor::from({1, 2});
  EXPECT_ERROR(n.assignAdd(0.5), DTypeError, "float32");
  EXPECT_ERROR(n.fill(0x1p40), DTypeError, "is not a value of int32");
  expectTensor(n, {2}, {1, 2});
}
