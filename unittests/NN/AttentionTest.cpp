//===- AttentionTest.cpp - multi-head attention ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Attention compared with PyTorch's, masks, a cache, errors.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/NN/Attention.h"
#include "NNTest.h"
#include "TinyGrad/Runtime/Counters.h"

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;

// PyTorch's nn.MultiheadAttention(4, 2, batch_first=True) of x = noise((1, 3,
// 4)), k = noise((1, 2, 4), 2), v = noise((1, 2, 4), 3)
TEST(MultiHeadAttention, Values) {
  nn::MultiHeadAttention layer(4, 2);
  EXPECT_THAT(names(layer), ElementsAre("in_proj_weight", "in_proj_bias",
                                        "out_proj.weight", "out_proj.bias"));
  fill(layer);
  Tensor x = noiseTensor({1, 3, 4});
  // (x, x, x)
  const std::vector<double> all = {-0.0528963, 1.53554, -0.448922, -0.0862147,
                                   -0.0849802, 1.67805, -0.423036, 0.135268,
                                   -0.126363,  1.61778, -0.39732,  0.0218688};
  expectTensor(layer(x), {1, 3, 4}, all, kSixDigits);
  expectTensor(layer(x[0]), {3, 4}, all, kSixDigits);
  // (x, x, x, attn_mask=torch.triu(torch.ones(3, 3, dtype=torch.bool), 1))
  const std::vector<double> causal = {
      -0.349382, 0.977495,   -0.252477, -0.628401, -0.533518, 1.56105,
      -0.215887, -0.0826744, -0.126363, 1.61778,   -0.39732,  0.0218688};
  expectTensor(layer(x, {.isCausal = true}), {1, 3, 4}, causal, kSixDigits);
  Tensor mask = Tensor::ones({3, 3}).tril() != 0;
  expectTensor(layer(x, {.mask = mask}), {1, 3, 4}, causal, kSixDigits);
  expectTensor(layer(x, {.mask = mask.reshape({1, 1, 3, 3})}), {1, 3, 4},
               causal, kSixDigits);
  // (x, k, v)
  Tensor key = noiseTensor({1, 2, 4}, 2), value = noiseTensor({1, 2, 4}, 3);
  expectTensor(layer(x, {.key = key, .value = value}), {1, 3, 4},
               {-0.39764, 1.52957, -0.428123, -0.0842692, -0.378997, 1.53295,
                -0.423491, -0.0188073, -0.400529, 1.54011, -0.443672,
                -0.148392},
               kSixDigits);
  // (x, k, k)
  expectTensor(layer(x, {.key = key}), {1, 3, 4},
               {-0.793334, 1.13023, -0.183575, -0.842391, -0.751846, 1.10053,
                -0.18293, -0.773959, -0.806502, 1.17839, -0.198893, -0.919456},
               kSixDigits);
}

TEST(MultiHeadAttention, BeginsAsInPyTorch) {
  Tensor::manualSeed(1);
  nn::MultiHeadAttention layer(16, 4);
  expectUniform(layer.inProjWeight, std::sqrt(6.0 / 64));
  expectUniform(layer.outProj.weight, 0.25);
  expectTensor(layer.inProjBias, {48}, std::vector<double>(48));
  expectTensor(layer.outProj.bias, {16}, std::vector<double>(16));
  nn::MultiHeadAttention plain(16, 4, {.bias = false});
  EXPECT_THAT(names(plain), ElementsAre("in_proj_weight", "out_proj.weight"));
  EXPECT_EQ(plain(noiseTensor({2, 3, 16})).shape(), Shape({2, 3, 16}));
}

TEST(MultiHeadAttention, DropoutOnlyInTraining) {
  Tensor::manualSeed(1);
  nn::MultiHeadAttention layer(4, 2, {.dropout = 0.5});
  Tensor x = noiseTensor({1, 8, 4}).realize();
  const std::vector<double> expected = values(layer(x));
  EXPECT_EQ(values(layer(x)), expected);
  TrainingScope training;
  EXPECT_NE(values(layer(x)), expected);
}

/// One token at a time, and a few at once, give the rows of causal attention;
/// no kernels are compiled for other positions.
TEST(MultiHeadAttention, Cache) {
  constexpr int64_t kSteps = 9;
  nn::MultiHeadAttention layer(8, 2);
  Tensor x = noiseTensor({2, kSteps, 8}).realize();
  const std::vector<double> expected =
      values(layer(x, {.isCausal = true}).transpose(0, 1));
  auto rowsFrom = [&](int64_t from, int64_t to) {
    return std::vector<double>(expected.begin() + from * 16,
                               expected.begin() + to * 16);
  };
  nn::KeyValueCache cache = layer.makeCache(2, kSteps);
  EXPECT_EQ(cache.keys.shape(), Shape({2, 2, kSteps, 4}));
  Variable position("position", 0, kSteps - 1);
  int64_t compiled = 0;
  for (int64_t i = 0; i < kSteps; ++i) {
    Tensor token = x.shrink({{}, {i, i + 1}, {}}).contiguous().realize();
    Tensor y = layer(token, cache, position.bind(i)).realize();
    expectTensor(y.transpose(0, 1), {1, 2, 8}, rowsFrom(i, i + 1), 1e-5);
    if (i == 2)
      compiled = GlobalCounters::kernelsCompiled;
  }
  EXPECT_EQ(GlobalCounters::kernelsCompiled, compiled);

  // A prompt of four tokens, then two more, with numbers as positions.
  nn::KeyValueCache other = layer.makeCache(2, kSteps);
  Tensor prompt = layer(x.shrink({{}, {0, 4}, {}}), other, 0).realize();
  expectTensor(prompt.transpose(0, 1), {4, 2, 8}, rowsFrom(0, 4), 1e-5);
  Tensor more = layer(x.shrink({{}, {4, 6}, {}}), other, 4);
  expectTensor(more.transpose(0, 1), {2, 2, 8}, rowsFrom(4, 6), 1e-5);
}

/// A prompt of any length is one program.
TEST(MultiHeadAttention, CacheWithSymbolicLength) {
  nn::MultiHeadAttention layer(4, 2);
  Variable length("length", 1, 6);
  Tensor x = noiseTensor({1, 6, 4}).realize();
  const std::vector<double> expected = values(layer(x, {.isCausal = true}));
  for (int64_t tokens : {6, 1, 3}) {
    nn::KeyValueCache cache = layer.makeCache(1, 8);
    Tensor part = x.shrink({{}, {0, length.bind(tokens)}, {}});
    const std::vector<double> found = values(layer(part, cache, 0));
    ASSERT_EQ(int64_t(found.size()), tokens * 4);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 1e-5);
  }
}

TEST(MultiHeadAttention, Errors) {
  nn::MultiHeadAttention layer(4, 2);
  EXPECT_ERROR(layer(Tensor::zeros({1, 3, 5})), ShapeError,
               "nn::MultiHeadAttention: an input of shape [1, 3, 5] does not "
               "fit 4 features: the shape should be [..., tokens, 4]");
  EXPECT_ERROR(layer(Tensor::zeros({1, 3, 4}), {.key = Tensor::zeros({4})}),
               ShapeError, "an input of shape [4] does not fit 4 features");
  EXPECT_ERROR(
      layer(Tensor::zeros({1, 3, 4}), {.key = Tensor::zeros({1, 2, 4}),
                                       .value = Tensor::zeros({1, 3, 4})}),
      ShapeError, "query, key and value of shapes");
  EXPECT_ERROR(layer(Tensor::zeros({1, 3, 4}),
                     {.mask = Tensor::ones({3, 3}), .isCausal = true}),
               Error, "a mask and isCausal exclude each other");
  EXPECT_ERROR(nn::MultiHeadAttention(4, 3), ShapeError,
               "nn::MultiHeadAttention: 3 heads do not divide 4 features");
  EXPECT_ERROR(nn::MultiHeadAttention(4, 0), ShapeError, "0 heads");
  EXPECT_ERROR(nn::MultiHeadAttention(4, 2, {.parameters = DType::UInt8}),
               DTypeError, "parameters cannot be uint8");

  nn::KeyValueCache cache = layer.makeCache(2, 4);
  EXPECT_ERROR(layer(Tensor::zeros({1, 1, 4}), cache, 0), ShapeError,
               "nn::MultiHeadAttention: an input of shape [1, 1, 4] does not "
               "fit a cache of shape [2, 2, 4, 2]: the shape should be [1, 2, "
               "positions, 2]");
  EXPECT_ERROR(layer(Tensor::zeros({1, 4}), cache, 0), ShapeError,
               "does not fit a cache: the shape should be [batch, tokens, 4]");
  EXPECT_ERROR(layer(Tensor::zeros({2, 3, 4}), cache, 2), ShapeError,
               "3 tokens at position 2 do not fit a cache of 4 positions");
  EXPECT_ERROR(layer(Tensor::zeros({2, 1, 4}), cache, -1), ShapeError,
               "1 tokens at position -1");
  EXPECT_ERROR(layer.makeCache(1, -1), ShapeError, "positions of a cache");
}
