//===- UserNetworkTest.cpp - a network of a user --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a user writes: plain structs of layers, their names, and both modes.
///
//===----------------------------------------------------------------------===//

#include "NNTest.h"
#include "TinyGrad/NN/NN.h"

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;
using ::testing::Not;

namespace {

/// A convolution with what follows it.
struct Block {
  nn::Conv2d conv;
  nn::BatchNorm norm;

  Block(int64_t in, int64_t out)
      : conv(in, out, 3, {.padding = 1, .bias = false}), norm(out) {}

  Tensor operator()(const Tensor &x) const {
    return norm(conv(x)).relu().maxPool2d();
  }

  TINYGRAD_MEMBERS(conv, norm)
};

/// A classifier of images of 8 x 8 elements.
struct Classifier {
  std::vector<Block> blocks;
  nn::Sequential headLayers{nn::Dropout(0.5), nn::Linear(4 * 2 * 2, 3)};
  /// Not part of the state.
  int64_t classes = 3;

  Classifier() {
    blocks.emplace_back(1, 2);
    blocks.emplace_back(2, 4);
  }

  Tensor operator()(Tensor x) const {
    for (const Block &block : blocks)
      x = block(x);
    return headLayers(x.flatten(1));
  }

  TINYGRAD_MEMBERS(blocks, headLayers)
};

} // namespace

TEST(UserNetwork, Names) {
  Classifier net;
  EXPECT_THAT(names(net),
              ElementsAre("blocks.0.conv.weight", "blocks.0.norm.weight",
                          "blocks.0.norm.bias", "blocks.0.norm.running_mean",
                          "blocks.0.norm.running_var",
                          "blocks.0.norm.num_batches_tracked",
                          "blocks.1.conv.weight", "blocks.1.norm.weight",
                          "blocks.1.norm.bias", "blocks.1.norm.running_mean",
                          "blocks.1.norm.running_var",
                          "blocks.1.norm.num_batches_tracked",
                          "head_layers.1.weight", "head_layers.1.bias"));
}

TEST(UserNetwork, TrainingAndEvaluation) {
  Tensor::manualSeed(1);
  Classifier net;
  Tensor images = noiseTensor({8, 1, 8, 8}) + 2;
  auto means = [&] { return values(net.blocks[0].norm.runningMean); };
  auto batches = [&] {
    return net.blocks[1].norm.numBatchesTracked.item<int64_t>();
  };

  // Evaluation is repeatable and changes nothing.
  const std::vector<double> before = values(net(images));
  EXPECT_EQ(before.size(), 24u);
  EXPECT_EQ(values(net(images)), before);
  EXPECT_EQ(means(), std::vector<double>(2));
  EXPECT_EQ(batches(), 0);

  std::vector<double> inTraining;
  {
    TrainingScope training;
    inTraining = values(net(images));
    // Dropout draws other numbers each time.
    EXPECT_THAT(values(net(images)), Not(inTraining));
  }
  EXPECT_THAT(inTraining, Not(before));
  EXPECT_EQ(batches(), 2);
  // The means moved towards those of the batch, twice by a tenth.
  Tensor mean = net.blocks[0].conv(images).mean({0, 2, 3});
  expectTensor(net.blocks[0].norm.runningMean, {2}, values(mean * 0.19), 1e-5);

  // Evaluation now uses these statistics.
  const std::vector<double> after = values(net(images));
  EXPECT_THAT(after, Not(before));
  EXPECT_EQ(values(net(images)), after);
  EXPECT_EQ(batches(), 2);
}

TEST(UserNetwork, ErrorsNameTheLayer) {
  Classifier net;
  EXPECT_ERROR(net(Tensor::zeros({1, 3, 8, 8})), ShapeError,
               "nn::Conv2d: an input of shape [1, 3, 8, 8] does not fit 1");
  EXPECT_ERROR(net(Tensor::zeros({1, 1, 16, 16})), ShapeError,
               "nn::Linear: an input of shape [1, 64] does not fit a weight of "
               "shape [3, 16]");
}
