//===- OptimizerStateTest.cpp - state and master weights ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The names of the state of optimizers, training that goes on from a saved
/// state, and float32 copies of narrow parameters.
///
//===----------------------------------------------------------------------===//

#include "OptimTest.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Optim/LAMB.h"
#include "TinyGrad/Optim/LRScheduler.h"
#include "TinyGrad/Optim/Muon.h"
#include "TinyGrad/Optim/OptimizerGroup.h"
#include "TinyGrad/Optim/SGD.h"

#include <cstring>
#include <map>

using namespace tinygrad;
using namespace tinygrad::optim;
using namespace tinygrad::testing;
using ::testing::ElementsAre;

namespace {
template <typename Module> std::vector<std::string> getNames(Module &module) {
  std::vector<std::string> names;
  forEachTensor(module, [&](const std::string &name, Tensor &) {
    names.push_back(name);
  });
  return names;
}

using Saved = std::map<std::string, HostArray>;

template <typename Module> Saved save(Module &module) {
  Saved saved;
  forEachTensor(module, [&](const std::string &name, Tensor &tensor) {
    saved[name] = tensor.toHost();
  });
  return saved;
}

template <typename Module> void load(Module &module, const Saved &saved) {
  forEachTensor(module, [&](const std::string &name, Tensor &tensor) {
    tensor.assign(Tensor::fromHost(saved.at(name)));
  });
}

/// Everything that a checkpoint holds.
struct Training {
  Weights weights;
  AdamW optimizer;
  CosineAnnealingLR schedule;

  explicit Training(DType dtype)
      : weights(dtype), optimizer(weights.all(), {.learningRate = 0.1}),
        schedule(optimizer, {.steps = 9, .warmUpSteps = 2}) {}

  void step(int t) {
    weights.setGradients(t);
    optimizer.step();
    schedule.step();
  }
  Tensor &p() { return weights.p; }
  Tensor &q() { return weights.q; }

  template <typename Visitor> void visitMembers(Visitor &&visitor) {
    visitor("p", weights.p);
    visitor("q", weights.q);
    visitor("optimizer", optimizer);
    visitor("schedule", schedule);
  }
};
} // namespace

TEST_F(OptimTest, NamesOfTheState) {
  Weights weights, narrow(DType::BFloat16);
  SGD plain(weights.all());
  EXPECT_THAT(getNames(plain), ElementsAre("learning_rates.0"));
  SGD momentum({{{weights.p}, {}}, {{weights.q}, {.momentum = 0.9}}});
  EXPECT_THAT(
      getNames(momentum),
      ElementsAre("learning_rates.0", "learning_rates.1", "state.momentum.1"));
  AdamW adam({weights.p, narrow.p});
  EXPECT_THAT(getNames(adam),
              ElementsAre("learning_rates.0", "master_weights.1",
                          "state.first_moments.0", "state.first_moments.1",
                          "state.second_moments.0", "state.second_moments.1",
                          "state.step_count.0"));
  Muon muon({weights.p});
  OptimizerGroup all(muon, plain);
  EXPECT_THAT(getNames(all), ElementsAre("optimizers.0.learning_rates.0",
                                         "optimizers.0.state.momentum.0",
                                         "optimizers.1.learning_rates.0"));
  // Through the base class, too.
  Optimizer &base = muon;
  EXPECT_THAT(getNames(base), ElementsAre("learning_rates.0", //
                                          "state.momentum.0"));
  forEachTensor(all, [](const std::string &name, Tensor &tensor) {
    EXPECT_FALSE(tensor.requiresGrad()) << name;
  });
}

TEST_F(OptimTest, ResumedTrainingHasTheSameBits) {
  for (DType dtype :
       {DType::Float32, DType::Float64, DType::BFloat16, DType::Float16}) {
    SCOPED_TRACE(name(dtype));
    Training training(dtype);
    Saved middle;
    for (int t = 1; t <= 8; ++t) {
      training.step(t);
      if (t == 4)
        middle = save(training);
    }
    Training resumed(dtype);
    resumed.step(1); // whatever state there was
    load(resumed, middle);
    for (int t = 5; t <= 8; ++t)
      resumed.step(t);
    const Saved expected = save(training), found = save(resumed);
    ASSERT_EQ(found.size(), expected.size());
    for (const auto &[key, array] : expected) {
      const HostArray &other = found.at(key);
      ASSERT_EQ(other.dtype, array.dtype) << key;
      ASSERT_EQ(other.shape, array.shape) << key;
      EXPECT_EQ(std::memcmp(other.data.address(), array.data.address(),
                            *denseByteSize(array.dtype, array.shape)),
                0)
          << key;
    }
  }
}

//===----------------------------------------------------------------------===//
// Master weights
//===----------------------------------------------------------------------===//

TEST_F(OptimTest, MasterWeightsAddSmallUpdates) {
  // Updates of 1/1024 are lost next to 1 in bf16, whose next number below is
  // 1 - 1/256.
  for (bool masters : {false, true}) {
    Tensor w = Tensor::ones({3}, DType::BFloat16).parameter();
    SGD optimizer({w}, {.learningRate = 1.0 / 1024, .masterWeights = masters});
    for (int i = 0; i < 64; ++i) {
      w.setGrad(Tensor::ones({3}, DType::BFloat16));
      optimizer.step();
    }
    const double expected = masters ? 1 - 1.0 / 16 : 1;
    expectTensor(w, {3}, {expected, expected, expected});
    EXPECT_EQ(getNames(optimizer).size(), masters ? 2u : 1u);
  }
}

TEST_F(OptimTest, AssignedParametersCount) {
  // The first element is changed between steps: there, the master weight no
  // longer counts.
  Tensor w = Tensor::ones({2}, DType::BFloat16).parameter();
  SGD optimizer({w}, {.learningRate = 1.0 / 1024});
  const Tensor ones = Tensor::ones({2}, DType::BFloat16).realize();
  for (int i = 0; i < 2; ++i) {
    w.setGrad(ones);
    optimizer.step();
  }
  w[0] = 4;
  w.setGrad(ones);
  optimizer.step();
  forEachTensor(optimizer, [](const std::string &name, Tensor &tensor) {
    if (name == "master_weights.0")
      expectTensor(tensor, {2}, {4 - 1.0 / 1024, 1 - 3.0 / 1024});
  });
}
