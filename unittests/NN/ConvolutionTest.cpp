//===- ConvolutionTest.cpp - convolutional layers -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Convolutions compared with PyTorch's, initial values, errors.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/NN/Convolution.h"
#include "NNTest.h"

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;

// PyTorch's nn.Conv1d(2, 4, 3, stride=2, padding=1, groups=2)
TEST(Conv1d, Values) {
  nn::Conv1d layer(2, 4, 3, {.stride = 2, .padding = 1, .groups = 2});
  EXPECT_THAT(names(layer), ElementsAre("weight", "bias"));
  EXPECT_EQ(layer.weight.shape(), Shape({4, 1, 3}));
  fill(layer);
  expectTensor(layer(noiseTensor({1, 2, 7})), {1, 4, 4},
               {1.4205, 2.25464, 1.45301, -0.0644849, 1.1413, 1.02983, 0.651606,
                0.369653, 0.154397, -0.906591, -0.538888, -0.19374, 0.735696,
                -0.376541, 0.211918, 0.721343},
               kSixDigits);
}

// PyTorch's nn.Conv2d(2, 2, (2, 3), stride=(1, 2), padding=(0, 1),
// dilation=(2, 1))
TEST(Conv2d, Values) {
  nn::Conv2d layer(2, 2, {2, 3},
                   {.stride = {1, 2}, .padding = {0, 1}, .dilation = {2, 1}});
  fill(layer);
  Tensor x = noiseTensor({1, 2, 4, 5});
  expectTensor(layer(x), {1, 2, 2, 3},
               {1.69646, 2.95191, 0.818156, 0.429102, 1.20368, 1.75663,
                0.205872, -1.54599, 2.06288, 0.699753, 0.734322, 0.475623},
               kSixDigits);
  expectTensor(layer(Tensor::zeros({0, 2, 4, 5})), {0, 2, 2, 3}, {});
}

// PyTorch's nn.Conv2d(1, 1, (2, 3), padding='same', dilation=(1, 2))
TEST(Conv2d, KeepsSizes) {
  nn::Conv2d layer(1, 1, {2, 3}, {.dilation = {1, 2}, .isSame = true});
  fill(layer);
  expectTensor(layer(noiseTensor({1, 1, 3, 4})), {1, 1, 3, 4},
               {1.25672, 1.19505, 1.70076, 1.62673, 1.44105, 1.30354, 0.218063,
                0.60293, 1.49709, 1.55759, 1.35773, 2.23284},
               kSixDigits);
}

// PyTorch's nn.ConvTranspose1d(2, 2, 3, stride=2, padding=1, output_padding=1,
// groups=2)
TEST(ConvTranspose1d, Values) {
  nn::ConvTranspose1d layer(
      2, 2, 3, {.stride = 2, .padding = 1, .outputPadding = 1, .groups = 2});
  EXPECT_EQ(layer.weight.shape(), Shape({2, 1, 3}));
  fill(layer);
  expectTensor(layer(noiseTensor({1, 2, 4})), {1, 2, 8},
               {1.40226, 1.47198, 1.43272, 1.79995, 1.74509, 1.19889, 1.15924,
                0.961026, 0.842166, 0.908145, 0.542619, 0.840632, 0.27566,
                0.433194, 0.554188, 0.576669},
               kSixDigits);
}

// PyTorch's nn.ConvTranspose2d(2, 1, 2, stride=(2, 1), bias=False)
TEST(ConvTranspose2d, Values) {
  nn::ConvTranspose2d layer(2, 1, 2, {.stride = {2, 1}, .bias = false});
  EXPECT_THAT(names(layer), ElementsAre("weight"));
  fill(layer);
  expectTensor(layer(noiseTensor({1, 2, 2, 3})), {1, 1, 4, 4},
               {0.0630957, 0.487147, 1.50142, 1.03855, 0.496055, 0.629926,
                -0.300351, -0.74877, 0.530073, 0.67992, 0.314413, 0.0448332,
                -0.362506, -0.437562, -0.40557, -0.468685},
               kSixDigits);
}

TEST(Convolution, BeginsUniform) {
  Tensor::manualSeed(1);
  // The groups do not count, as in tinygrad.
  nn::Conv2d layer(16, 32, {3, 5}, {.groups = 2});
  expectUniform(layer.weight, 1 / std::sqrt(16.0 * 15));
  EXPECT_LE(layer.bias.abs().max().item<float>(), 1 / std::sqrt(16.0 * 15));
  nn::ConvTranspose1d transpose(16, 32, 3);
  EXPECT_EQ(transpose.weight.shape(), Shape({16, 32, 3}));
  expectUniform(transpose.weight, 1 / std::sqrt(16.0 * 3));
}

TEST(Convolution, Errors) {
  nn::Conv2d layer(4, 2, 3, {.groups = 2});
  EXPECT_ERROR(layer(Tensor::zeros({1, 2, 8, 8})), ShapeError,
               "nn::Conv2d: an input of shape [1, 2, 8, 8] does not fit 4 "
               "channels: the shape should be [batch, 4, height, width]");
  EXPECT_ERROR(layer(Tensor::zeros({4, 8, 8})), ShapeError,
               "nn::Conv2d: an input of shape [4, 8, 8] does not fit 4");
  EXPECT_ERROR(nn::Conv1d(2, 1, 3)(Tensor::zeros({1, 2, 4, 4})), ShapeError,
               "the shape should be [batch, 2, length]");
  EXPECT_ERROR(nn::ConvTranspose2d(2, 1, 3)(Tensor::zeros({1, 1, 4, 4})),
               ShapeError, "nn::ConvTranspose2d: an input of shape");
  EXPECT_ERROR(nn::ConvTranspose1d(2, 1, 3)(Tensor::zeros({1, 1, 4})),
               ShapeError, "nn::ConvTranspose1d: an input of shape");
  EXPECT_ERROR(nn::Conv2d(4, 3, 3, {.groups = 2}), ShapeError,
               "nn::Conv2d: 2 groups do not divide 3 channels");
  EXPECT_ERROR(nn::Conv2d(4, 3, 3, {.groups = 0}), ShapeError, "0 groups");
  EXPECT_ERROR(nn::Conv2d(4, -3, 3), ShapeError, "nn::Conv2d: -3 channels");
  EXPECT_ERROR(nn::Conv2d(4, 3, {3, 3, 3}), ShapeError,
               "nn::Conv2d: 3 numbers of the kernel; one, or one for each of 2 "
               "spatial axes, is required");
  EXPECT_ERROR(nn::Conv2d(4, 3, 0), ShapeError,
               "a kernel of 0 is not positive");
  EXPECT_ERROR(nn::Conv2d(4, 3, 3, {.stride = 2, .isSame = true}), ShapeError,
               "nn::Conv2d: isSame requires a stride of 1, not 2");
  EXPECT_ERROR(nn::Conv2d(4, 3, 3, {.padding = 1, .isSame = true}), ShapeError,
               "nn::Conv2d: isSame excludes a padding, here of 1");
  EXPECT_ERROR(nn::ConvTranspose1d(4, 3, 3, {.parameters = DType::Bool}),
               DTypeError, "nn::ConvTranspose1d: parameters cannot be bool");
}
