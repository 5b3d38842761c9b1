//===- NetworkStepTest.cpp - training networks with statistics ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Steps of networks whose layers have tensors that are no weights, and that
/// have no memory before the first step.
///
//===----------------------------------------------------------------------===//

#include "OptimTest.h"
#include "TestFiles.h"
#include "TinyGrad/NN/NN.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/State/LoadState.h"
#include "TinyGrad/State/Safetensors.h"
#include "TinyGrad/State/StateDict.h"
#include "TinyGrad/Tensor/Jit.h"
#include "TinyGrad/Tensor/Training.h"

using namespace tinygrad;
using namespace tinygrad::optim;
using namespace tinygrad::testing;

namespace {
struct Network {
  nn::Conv2d conv{1, 4, 3};
  nn::BatchNorm norm{4};
  nn::Linear head{4 * 36, 3};

  Tensor operator()(const Tensor &x) const {
    return head(norm(conv(x)).relu().flatten(1));
  }
  std::vector<Tensor> tensors() {
    std::vector<Tensor> all;
    forEachTensor(*this, [&](const std::string &, const Tensor &tensor) {
      all.push_back(tensor);
    });
    return all;
  }
  TINYGRAD_MEMBERS(conv, norm, head)
};

class NetworkStepTest : public OptimTest {
protected:
  NetworkStepTest() { Tensor::manualSeed(1); }

  Network network;
  Tensor images = noiseTensor({8, 1, 8, 8}).realize(),
         labels = (Tensor::arange(8) % 3).contiguous().realize();
  TrainingScope training;
};
} // namespace

TEST_F(NetworkStepTest, AllTensorsAreRealizedWithTheLoss) {
  std::vector<Tensor> wanted = network.tensors();
  wanted.push_back(network(images).crossEntropy(labels));
  realize(wanted);
  EXPECT_EQ(network.norm.numBatchesTracked.item<int64_t>(), 1);
}

TEST_F(NetworkStepTest, OptimizerOfAllTensors) {
  AdamW optimizer(network.tensors());
  for (int64_t i = 1; i <= 3; ++i) {
    optimizer.zeroGrad();
    network(images).crossEntropy(labels).backward();
    optimizer.step();
    EXPECT_EQ(network.norm.numBatchesTracked.item<int64_t>(), i);
  }
}

TEST_F(NetworkStepTest, OptimizerOfAllTensorsCaptured) {
  Network plain;
  state::loadStateDict(plain, state::getStateDict(network));
  AdamW optimizer(network.tensors()), other(plain.tensors());
  auto step = [this](Network &net, AdamW &all, const Tensor &x) {
    all.zeroGrad();
    Tensor loss = net(x).crossEntropy(labels);
    loss.backward();
    all.step();
    return loss;
  };
  Jit captured([&](const Tensor &x) { return step(network, optimizer, x); });
  for (int64_t i = 1; i <= 4; ++i) {
    const float loss = captured(images).item<float>();
    EXPECT_EQ(loss, step(plain, other, images).item<float>());
    EXPECT_EQ(network.norm.numBatchesTracked.item<int64_t>(), i);
  }
  EXPECT_TRUE(captured.isCaptured());
  expectTensor(network.norm.runningMean, {4}, values(plain.norm.runningMean));
}

TEST_F(NetworkStepTest, CapturedForwardPasses) {
  Jit captured([&](const Tensor &x) { return network(x); });
  for (int64_t i = 1; i <= 4; ++i) {
    captured(images);
    EXPECT_EQ(network.norm.numBatchesTracked.item<int64_t>(), i);
  }
  EXPECT_TRUE(captured.isCaptured());
}

TEST_F(NetworkStepTest, SavedAfterAForwardPass) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("network.safetensors");
  network(images);
  state::safeSave(path, state::getStateDict(network));
  const state::StateDict back = state::safeLoad(path);
  EXPECT_EQ(back["norm.num_batches_tracked"].item<int64_t>(), 1);
  expectTensor(back["norm.running_mean"], {4},
               values(network.norm.runningMean));
}
