//===- LinearTest.cpp - linear layer, embedding, dropout ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Linear layers, embeddings and dropout: values, initial values, errors.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/NN/Linear.h"
#include "NNTest.h"
#include "TinyGrad/NN/Dropout.h"
#include "TinyGrad/NN/Embedding.h"

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;

TEST(Linear, IsAProductPlusBias) {
  nn::Linear layer(3, 2), plain(3, 2, {.bias = false});
  EXPECT_THAT(names(layer), ElementsAre("weight", "bias"));
  EXPECT_THAT(names(plain), ElementsAre("weight"));
  layer.weight.assign(Tensor::from({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}}));
  layer.bias.assign(Tensor::from({10.0f, 20.0f}));
  plain.weight.assign(layer.weight.detach());
  Tensor x = Tensor::from({{1.0f, 0.0f, -1.0f}, {2.0f, 1.0f, 0.0f}});
  expectTensor(layer(x), {2, 2}, {8, 18, 14, 33});
  expectTensor(plain(x), {2, 2}, {-2, -2, 4, 13});
  expectTensor(layer(x.reshape({2, 1, 1, 3})), {2, 1, 1, 2}, {8, 18, 14, 33});
  expectTensor(layer(x[0]), {2}, {8, 18});
  expectTensor(layer(Tensor::zeros({0, 3})), {0, 2}, {});
}

TEST(Linear, SymbolicBatch) {
  nn::Linear layer(3, 2);
  fill(layer);
  Variable n("n", 1, 4);
  Tensor x = noiseTensor({4, 3});
  const std::vector<double> all = values(layer(x));
  for (int64_t rows : {1, 3})
    EXPECT_EQ(values(layer(x.shrink({{0, n.bind(rows)}, {}}))),
              std::vector<double>(all.begin(), all.begin() + rows * 2));
}

TEST(Linear, BeginsUniform) {
  Tensor::manualSeed(1);
  nn::Linear layer(100, 50);
  expectUniform(layer.weight, 0.1);
  EXPECT_EQ(layer.weight.shape(), Shape({50, 100}));
  // Few numbers: some beyond half the bound.
  EXPECT_LE(layer.bias.abs().max().item<float>(), 0.1f);
  EXPECT_GT(layer.bias.abs().max().item<float>(), 0.05f);
  // Two layers differ.
  EXPECT_FALSE(nn::Linear(100, 50).weight.allclose(layer.weight));
  nn::Linear empty(0, 2);
  expectTensor(empty(Tensor::zeros({1, 0})), {1, 2}, {0, 0});
}

TEST(Linear, ElementTypes) {
  for (DType dtype : {DType::Float64, DType::Float16, DType::BFloat16}) {
    nn::Linear layer(4, 3, {.parameters = dtype});
    EXPECT_EQ(layer.weight.dtype(), dtype);
    EXPECT_EQ(layer(Tensor::ones({1, 4}, dtype)).dtype(), dtype);
  }
}

TEST(Linear, Errors) {
  nn::Linear layer(3, 2);
  EXPECT_ERROR(layer(Tensor::zeros({2, 4})), ShapeError,
               "nn::Linear: an input of shape [2, 4] does not fit a weight of "
               "shape [2, 3]: the last axis should have the size 3");
  EXPECT_ERROR(layer(Tensor(1.0)), ShapeError, "nn::Linear: an input of shape");
  EXPECT_ERROR(nn::Linear(-1, 2), ShapeError,
               "nn::Linear: -1 input features; the number must not be "
               "negative");
  EXPECT_ERROR(nn::Linear(1, 2, {.parameters = DType::Int32}), DTypeError,
               "nn::Linear: parameters cannot be int32; a float type");
}

TEST(Embedding, SelectsRows) {
  nn::Embedding layer(4, 2);
  layer.weight.assign(counting({4, 2}));
  expectTensor(layer(Tensor::from({{3, 0}, {1, 1}})), {2, 2, 2},
               {6, 7, 0, 1, 2, 3, 2, 3});
  expectTensor(layer(Tensor(2)), {2}, {4, 5});
  expectTensor(layer(Tensor::from({4, -1})), {2, 2}, {0, 0, 6, 7});
  expectTensor(layer(Tensor::zeros({0}, DType::Int64)), {0, 2}, {});
  EXPECT_THAT(names(layer), ElementsAre("weight"));
  EXPECT_ERROR(layer(Tensor::ones({2})), DTypeError,
               "nn::Embedding: positions of type float32; integers are "
               "required");
  EXPECT_ERROR(nn::Embedding(2, -3), ShapeError,
               "nn::Embedding: -3 elements of a row");
}

TEST(Embedding, BeginsAsGlorotUniform) {
  Tensor::manualSeed(2);
  expectUniform(nn::Embedding(100, 50).weight, std::sqrt(6.0 / 150));
}

TEST(Dropout, OnlyInTraining) {
  nn::Dropout layer(0.25);
  EXPECT_TRUE(names(layer).empty());
  Tensor x = Tensor::ones({4096});
  EXPECT_EQ(values(layer(x)), values(x));
  TrainingScope training;
  Tensor::manualSeed(3);
  const std::vector<double> found = values(layer(x));
  const auto zeros = std::count(found.begin(), found.end(), 0.0);
  EXPECT_NEAR(double(zeros) / 4096, 0.25, 0.03);
  EXPECT_EQ(std::count(found.begin(), found.end(), double(float(1 / 0.75))),
            4096 - zeros);
  EXPECT_ERROR(nn::Dropout(1.5)(x), Error, "1.5 is not a probability");
}
