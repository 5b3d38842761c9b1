//===- SequentialTest.cpp - layers one after the other --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lists of layers and functions: order, names, copies, errors.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/NN/Sequential.h"
#include "NNTest.h"
#include "TinyGrad/NN/Dropout.h"
#include "TinyGrad/NN/Linear.h"
#include "TinyGrad/NN/Normalization.h"

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;

static Tensor twice(const Tensor &x) { return x * 2; }

TEST(Sequential, AppliesInOrder) {
  nn::Linear first(2, 3), last(3, 1);
  fill(first);
  fill(last, 20);
  nn::Sequential net{first, &Tensor::relu,
                     [](const Tensor &x) { return x + 1; }, twice, last};
  EXPECT_EQ(net.size(), 5u);
  Tensor x = noiseTensor({4, 2});
  EXPECT_EQ(values(net(x)), values(last((first(x).relu() + 1) * 2)));
  EXPECT_EQ(values(nn::Sequential()(x)), values(x));
}

TEST(Sequential, Names) {
  nn::Sequential inner{nn::Linear(2, 2, {.bias = false}), &Tensor::tanh,
                       nn::BatchNorm(2)};
  nn::Sequential net{nn::Linear(3, 2), &Tensor::relu, nn::Dropout(), inner};
  EXPECT_THAT(names(net),
              ElementsAre("0.weight", "0.bias", "3.0.weight", "3.2.weight",
                          "3.2.bias", "3.2.running_mean", "3.2.running_var",
                          "3.2.num_batches_tracked"));
  const nn::Sequential &constant = net;
  EXPECT_EQ(names(constant), names(net));
}

TEST(Sequential, TensorsCanBeReplaced) {
  nn::Sequential net{nn::Linear(1, 1)};
  forEachTensor(net, [](const std::string &, Tensor &tensor) {
    tensor = tensor.fullLike(3);
  });
  expectTensor(net(Tensor::ones({1, 1})), {1, 1}, {6});
  net.get<nn::Linear>(0).bias = Tensor::ones(1);
  expectTensor(net(Tensor::ones({1, 1})), {1, 1}, {4});
}

/// As for any struct of tensors, copies share the tensors, not the handles.
TEST(Sequential, Copies) {
  nn::Sequential net{nn::Linear(1, 1)};
  nn::Sequential copy = net, moved;
  fill(net);
  EXPECT_EQ(copy.get<nn::Linear>(0).weight.item<float>(),
            net.get<nn::Linear>(0).weight.item<float>());
  copy.get<nn::Linear>(0).weight = Tensor::zeros({1, 1});
  EXPECT_NE(net.get<nn::Linear>(0).weight.item<float>(), 0);
  moved = std::move(copy);
  EXPECT_EQ(moved.get<nn::Linear>(0).weight.item<float>(), 0);
  const nn::Sequential &itself = moved;
  moved = itself;
  EXPECT_EQ(moved.size(), 1u);
}

TEST(Sequential, GrowsInALoop) {
  nn::Sequential net;
  for (int i = 0; i < 3; ++i)
    net.add(nn::Linear(2, 2)).add(&Tensor::relu);
  EXPECT_EQ(net.size(), 6u);
  EXPECT_THAT(names(net), ElementsAre("0.weight", "0.bias", "2.weight",
                                      "2.bias", "4.weight", "4.bias"));
}

TEST(Sequential, Errors) {
  nn::Sequential net{nn::Linear(1, 1)};
  EXPECT_ERROR(net.add(std::function<Tensor(const Tensor &)>()), Error,
               "nn::Sequential: function 1 is empty");
  EXPECT_EQ(net.size(), 1u);
  EXPECT_ERROR(net.get<nn::Linear>(1), IndexError,
               "nn::Sequential: there is no layer 1 of 1");
  EXPECT_ERROR(net.get<nn::Dropout>(0), Error,
               "nn::Sequential: layer 0 is not of the requested type");
}
