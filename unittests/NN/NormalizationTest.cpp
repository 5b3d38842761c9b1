//===- NormalizationTest.cpp - normalization layers -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Normalization compared with PyTorch's, running statistics, errors.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/NN/Normalization.h"
#include "NNTest.h"

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;

/// Weight and bias as PyTorch's; not the running statistics.
static void fillAffine(nn::BatchNorm &layer) {
  layer.weight.assign(noiseTensor(layer.weight.shape(), 10));
  layer.bias.assign(noiseTensor(layer.bias.shape(), 11));
}

// PyTorch's nn.BatchNorm2d(2)
TEST(BatchNorm, TrainingAndEvaluation) {
  nn::BatchNorm layer(2);
  EXPECT_THAT(names(layer), ElementsAre("weight", "bias", "running_mean",
                                        "running_var", "num_batches_tracked"));
  fillAffine(layer);
  Tensor x = noiseTensor({2, 2, 2, 3});
  const std::vector<double> training = {
      1.47101,   1.54051,   2.25313,    0.916611, 1.11729,   -0.140315,
      -0.701842, 0.268138,  1.75621,    1.80987,  0.390433,  1.99031,
      -0.776601, 1.73751,   1.76167,    1.54317,  0.0205054, -0.00623588,
      -0.072325, 0.0622723, -0.0717042, 0.313514, 0.712417,  1.73151};
  {
    TrainingScope scope;
    expectTensor(layer(x), x.shape(), training, kSixDigits);
  }
  expectTensor(layer.runningMean, {2}, {0.025547, -0.0019599}, kSixDigits);
  expectTensor(layer.runningVar, {2}, {0.922944, 0.930463}, kSixDigits);
  EXPECT_EQ(layer.numBatchesTracked.item<int64_t>(), 1);
  expectTensor(layer(x), x.shape(),
               {1.41806,    1.45124,  1.79142,  1.1534,   1.2492,   0.648854,
                -0.0918284, 0.439558, 1.25477,  1.28417,  0.506555, 1.38302,
                0.345109,   1.54528,  1.55681,  1.45251,  0.725625, 0.71286,
                0.253041,   0.326778, 0.253381, 0.464416, 0.682948, 1.24124},
               kSixDigits);
  // Evaluation changed nothing.
  EXPECT_EQ(layer.numBatchesTracked.item<int64_t>(), 1);
  expectTensor(layer.runningMean, {2}, {0.025547, -0.0019599}, kSixDigits);

  // The same values with one and three spatial axes.
  TrainingScope scope;
  expectTensor(layer(x.reshape({2, 2, 6})), {2, 2, 6}, training, kSixDigits);
  expectTensor(layer(x.reshape({2, 2, 1, 2, 3})), {2, 2, 1, 2, 3}, training,
               kSixDigits);
  EXPECT_EQ(layer.numBatchesTracked.item<int64_t>(), 3);
}

TEST(BatchNorm, FeaturesWithoutSpatialAxes) {
  nn::BatchNorm layer(2, {.momentum = 0.5});
  TrainingScope scope;
  Tensor y = layer(Tensor::from({{1.0f, 10.0f}, {3.0f, 30.0f}}));
  expectTensor(y, {2, 2}, {-1, -1, 1, 1}, 1e-5);
  expectTensor(layer.runningMean, {2}, {1, 10}, 1e-6);
  expectTensor(layer.runningVar, {2}, {1.5, 100.5}, 1e-6);
}

TEST(BatchNorm, Options) {
  Tensor x = noiseTensor({4, 3, 5}) * 3 + 1;
  nn::BatchNorm plain(3, {.affine = false});
  EXPECT_THAT(names(plain), ElementsAre("running_mean", "running_var",
                                        "num_batches_tracked"));
  // Statistics of 0 and 1: nothing but eps.
  expectTensor(plain(x), x.shape(), values(x / std::sqrt(1 + 1e-5)), 1e-6);
  nn::BatchNorm untracked(3, {.trackRunningStats = false});
  EXPECT_THAT(names(untracked), ElementsAre("weight", "bias"));
  // Those of the batch in both modes.
  const std::vector<double> evaluation = values(untracked(x));
  EXPECT_NEAR(untracked(x).mean().item<float>(), 0, 1e-6);
  EXPECT_NEAR(untracked(x).square().mean().item<float>(), 1, 1e-4);
  TrainingScope scope;
  EXPECT_EQ(values(untracked(x)), evaluation);
  // All options off: nothing to keep.
  nn::BatchNorm none(3, {.affine = false, .trackRunningStats = false});
  EXPECT_TRUE(names(none).empty());
  EXPECT_EQ(values(none(x)), evaluation);
}

TEST(BatchNorm, ElementTypes) {
  nn::BatchNorm layer(2, {.parameters = DType::BFloat16});
  EXPECT_EQ(layer.weight.dtype(), DType::BFloat16);
  EXPECT_EQ(layer.runningMean.dtype(), DType::Float32);
  TrainingScope scope;
  Tensor x = (noiseTensor({8, 2}) + 3).cast(DType::BFloat16);
  EXPECT_EQ(layer(x).dtype(), DType::BFloat16);
  expectTensor(layer.runningMean, {2}, values(x.toFloat().mean(0) * 0.1), 1e-6);
  nn::BatchNorm wide(2, {.parameters = DType::Float64});
  EXPECT_EQ(wide.runningVar.dtype(), DType::Float64);
  EXPECT_EQ(wide(noiseTensor({8, 2})).dtype(), DType::Float64);
}

TEST(BatchNorm, SymbolicBatch) {
  nn::BatchNorm layer(2), same(2);
  Variable n("n", 1, 8);
  Tensor x = noiseTensor({8, 2, 3});
  TrainingScope scope;
  expectTensor(layer(x.shrink({{0, n.bind(5)}, {}, {}})).sum(), {},
               values(same(x.shrink({{0, 5}, {}, {}})).sum()), 1e-5);
  expectTensor(layer.runningMean, {2}, values(same.runningMean), 1e-6);
  expectTensor(layer.runningVar, {2}, values(same.runningVar), 1e-6);
}

TEST(BatchNorm, Errors) {
  nn::BatchNorm layer(3);
  EXPECT_ERROR(layer(Tensor::zeros({2, 4, 5})), ShapeError,
               "nn::BatchNorm: an input of shape [2, 4, 5] does not fit 3 "
               "channels: the shape should be [batch, 3, ...]");
  EXPECT_ERROR(layer(Tensor::zeros({3})), ShapeError, "[3] does not fit 3");
  EXPECT_NO_THROW(layer(Tensor::zeros({1, 3, 1})));
  {
    TrainingScope scope;
    EXPECT_ERROR(layer(Tensor::zeros({1, 3, 1})), ShapeError,
                 "nn::BatchNorm: an input of shape [1, 3, 1] does not fit "
                 "training: two or more values in each channel are required, "
                 "not 1");
  }
  EXPECT_EQ(layer.numBatchesTracked.item<int64_t>(), 0);
  EXPECT_ERROR(nn::BatchNorm(-3), ShapeError, "nn::BatchNorm: -3 channels");
  EXPECT_ERROR(nn::BatchNorm(3, {.eps = -1}), Error, "is negative");
  EXPECT_ERROR(nn::BatchNorm(3, {.momentum = 2}), Error,
               "nn::BatchNorm: a momentum of 2.000000 is not between 0 and 1");
  EXPECT_ERROR(nn::BatchNorm(3, {.parameters = DType::Int8}), DTypeError,
               "nn::BatchNorm: parameters cannot be int8");
}

// PyTorch's nn.LayerNorm((2, 3))
TEST(LayerNorm, Values) {
  nn::LayerNorm layer({2, 3}), plain({2, 3}, {.affine = false});
  EXPECT_THAT(names(layer), ElementsAre("weight", "bias"));
  Tensor x = noiseTensor({2, 2, 3});
  expectTensor(layer(x), x.shape(), values(plain(x)), 1e-6);
  fill(layer);
  expectTensor(layer(x), x.shape(),
               {1.30036, 1.09719, -0.0163484, 0.630192, 0.660371, -1.35863,
                -0.524258, 0.115422, -0.0367288, 0.225953, 0.459319, -0.227061},
               kSixDigits);
  EXPECT_ERROR(layer(Tensor::zeros({2, 3, 2})), ShapeError,
               "nn::LayerNorm: an input of shape [2, 3, 2] does not fit "
               "features of shape [2, 3]: these should be its last axes");
  EXPECT_ERROR(layer(Tensor::zeros({3})), ShapeError, "nn::LayerNorm");
  EXPECT_ERROR(nn::LayerNorm(Shape()), ShapeError, "no axes to normalize");
  EXPECT_ERROR(nn::LayerNorm(-1), ShapeError, "nn::LayerNorm: -1 features");
}

// PyTorch's nn.LayerNorm(3) of x.permute(0, 2, 3, 1), and back
TEST(LayerNorm2d, Values) {
  nn::LayerNorm2d layer(3);
  EXPECT_THAT(names(layer), ElementsAre("weight", "bias"));
  fill(layer);
  expectTensor(layer(noiseTensor({1, 3, 2, 2})), {1, 3, 2, 2},
               {1.10756, 1.47149, 2.14773, 0.931924, -0.448013, -0.539699,
                -0.283298, -0.371961, -0.0270965, -0.0368391, -0.0711738,
                -0.0236041},
               kSixDigits);
  EXPECT_ERROR(layer(Tensor::zeros({1, 2, 2, 3})), ShapeError,
               "nn::LayerNorm2d: an input of shape [1, 2, 2, 3] does not fit 3 "
               "channels: the shape should be [batch, 3, height, width]");
}

// PyTorch's nn.GroupNorm(2, 4)
TEST(GroupNorm, Values) {
  nn::GroupNorm layer(2, 4);
  EXPECT_THAT(names(layer), ElementsAre("weight", "bias"));
  fill(layer);
  expectTensor(layer(noiseTensor({2, 4, 3})), {2, 4, 3},
               {1.30036,    1.38716,   2.27717,    0.35242,    0.591979,
                -0.909264,  -0.118187, -0.0860428, -0.0367288, 0.225953,
                0.677853,   0.168505,  -0.395835,  1.8805,     1.90237,
                1.40054,    0.0828239, 0.059682,   -0.0914319, -0.084432,
                -0.0913996, 0.575788,  0.376489,   -0.132669},
               kSixDigits);
  expectTensor(layer(Tensor::zeros({0, 4, 3})), {0, 4, 3}, {});
  EXPECT_ERROR(layer(Tensor::zeros({1, 2})), ShapeError,
               "nn::GroupNorm: an input of shape [1, 2] does not fit 4");
  EXPECT_ERROR(nn::GroupNorm(3, 4), ShapeError,
               "nn::GroupNorm: 3 groups do not divide 4 channels");
  EXPECT_ERROR(nn::GroupNorm(0, 4), ShapeError, "0 groups");
}

// PyTorch's nn.InstanceNorm1d(2, affine=True)
TEST(InstanceNorm, Values) {
  nn::InstanceNorm layer(2);
  EXPECT_THAT(names(layer), ElementsAre("weight", "bias"));
  fill(layer);
  expectTensor(layer(noiseTensor({2, 2, 4})), {2, 2, 4},
               {0.810867, 0.943994, 2.3089, -0.251006, 1.93389, 0.634515,
                -0.5235, 0.684698, 1.33687, 1.41326, -0.607526, 1.67015,
                -0.818537, 1.22891, 1.24858, 1.07064},
               kSixDigits);
  EXPECT_TRUE(values(nn::InstanceNorm(0)(Tensor::zeros({2, 0, 4}))).empty());
  EXPECT_ERROR(layer(Tensor::zeros({2, 1, 4})), ShapeError,
               "nn::InstanceNorm: an input of shape [2, 1, 4] does not fit 2");
}

// x * rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * weight in PyTorch
TEST(RMSNorm, Values) {
  nn::RMSNorm layer(4);
  EXPECT_THAT(names(layer), ElementsAre("weight"));
  fill(layer);
  expectTensor(layer(noiseTensor({2, 4})), {2, 4},
               {0.778444, 0.794513, 0.0499024, -0.124741, 0.610058, -0.510158,
                -0.05646, 0.170977},
               kSixDigits);
  EXPECT_ERROR(layer(Tensor::zeros({4, 2})), ShapeError,
               "nn::RMSNorm: an input of shape [4, 2] does not fit 4 "
               "features: the last axis should have this size");
}
