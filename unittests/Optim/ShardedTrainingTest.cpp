//===- ShardedTrainingTest.cpp - training on several devices --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Steps of optimizers with a part of the data on each device and copies of
/// the parameters are those on one device.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Optim/SGD.h"
#include "TinyGrad/Tensor/Jit.h"

using namespace tinygrad;
using namespace tinygrad::optim;
using namespace tinygrad::testing;

static const std::vector<std::string> kTwo = {"CPU:1", "CPU:2"};

static void expectSame(const Tensor &actual, const Tensor &expected) {
  expectTensor(actual, expected.concreteShape(), values(expected), 1e-4);
}

TEST(ShardedTrainingTest, StepOfAnOptimizer) {
  const TrainingScope training;
  const Tensor data = noiseTensor({4, 6}, 1).realize(),
               start = noiseTensor({6, 3}, 2).realize();
  Tensor one = start.parameter(), several = start.shard(kTwo).parameter();
  auto train = [&](Tensor &w, const Tensor &x) {
    Adam adam({w}, {.learningRate = 0.1});
    for (int step = 0; step < 3; ++step) {
      adam.zeroGrad();
      x.matmul(w).square().mean().backward();
      adam.step();
    }
  };
  train(one, data);
  train(several, data.shard(kTwo, 0));
  expectSame(several, one);
  for (const Tensor &copy : several.shards())
    expectSame(copy, one);
}

TEST(ShardedTrainingTest, CapturedTraining) {
  const TrainingScope training;
  const Tensor start = noiseTensor({6}, 2).realize();
  Tensor w = start.shard(kTwo).parameter(), one = start.parameter();
  SGD several({w}, {.learningRate = 0.1}), single({one}, {.learningRate = 0.1});
  Jit step([&](const Tensor &x) {
    several.zeroGrad();
    const Tensor loss = (x * w).square().mean();
    loss.backward();
    several.step();
    return loss;
  });
  for (unsigned call = 0; call < 5; ++call) {
    const Tensor x = noiseTensor({4, 6}, call).realize();
    const Tensor loss = step(x.shard(kTwo, 0).realize());
    single.zeroGrad();
    const Tensor expected = (x * one).square().mean();
    expected.backward();
    single.step();
    expectSame(loss, expected);
    expectSame(w, one);
  }
}
