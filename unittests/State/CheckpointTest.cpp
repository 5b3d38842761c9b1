//===- CheckpointTest.cpp - the state of a training -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Training that goes on from a checkpoint, in another graph and in another
/// process.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/State/Checkpoint.h"
#include "TensorTest.h"
#include "TestFiles.h"

#include "TinyGrad/State/LoadState.h"
#include "TinyGrad/State/Npz.h"
#include "TinyGrad/State/Safetensors.h"
#include "TinyGrad/Tensor/Jit.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <tuple>

using namespace tinygrad;
using namespace tinygrad::state;
using namespace tinygrad::testing;
using ::testing::ElementsAre;
using ::testing::Pair;

namespace {
struct Model {
  Tensor weight = Tensor::kaimingUniform({4, 3}).parameter();
  Tensor bias = Tensor::zeros({4}).parameter();
  TINYGRAD_MEMBERS(weight, bias)
};

/// A momentum for each tensor of the model, and the number of steps.
struct Optimizer {
  Tensor weight = Tensor::zeros({4, 3}).parameter();
  Tensor bias = Tensor::zeros({4}).parameter();
  Tensor step = Tensor::zeros({1}, DType::Int32).parameter();
  TINYGRAD_MEMBERS(weight, bias, step)
};

/// A training with random data, dropout and updates in place.
struct Training {
  Model model;
  Optimizer optimizer;
  double loss = 0;

  void run(int steps) {
    const TrainingScope training;
    const NoGradScope noGradients; // they are computed by hand here
    for (int i = 0; i < steps; ++i) {
      const Tensor x = Tensor::randn({8, 3}), target = Tensor::rand({8, 4});
      const Tensor error =
          (x.matmul(model.weight.T()) + model.bias).dropout(0.25) - target;
      optimizer.weight.assign(optimizer.weight * 0.9 + error.T().matmul(x));
      optimizer.bias.assign(optimizer.bias * 0.9 + error.sum(0));
      optimizer.step.assign(optimizer.step + 1);
      model.weight.assign(model.weight - optimizer.weight * 0.01);
      model.bias.assign(model.bias - optimizer.bias * 0.01);
      const Tensor mean = error.square().mean();
      realize({mean, model.weight, model.bias, optimizer.weight, optimizer.bias,
               optimizer.step});
      loss = double(mean.item<float>());
    }
  }

  /// The bits of everything.
  std::string bits() const {
    std::string text = std::to_string(loss);
    auto add = [&](const std::string &name, const Tensor &tensor) {
      const HostArray array = tensor.toHost();
      text += name;
      text.append(array.as<char>(), array.data.size());
    };
    forEachTensor(model, add);
    forEachTensor(optimizer, add);
    return text;
  }
};

class CheckpointTest : public ::testing::Test {
protected:
  TemporaryDirectory directory;
  const std::string path = directory.file("run.safetensors");
};
} // namespace

TEST_F(CheckpointTest, GoesOnWithTheSameBits) {
  std::string expected, atHalf;
  {
    Graph graph;
    GraphScope scope(graph);
    Tensor::manualSeed(42);
    Training whole;
    whole.run(10);
    expected = whole.bits();
  }
  {
    Graph graph;
    GraphScope scope(graph);
    Tensor::manualSeed(42);
    Training first;
    first.run(4);
    atHalf = first.bits();
    saveCheckpoint(path, first.model, first.optimizer,
                   {{"epoch", 4}, {"loss", first.loss}});
    // Saving does not change the training itself.
    first.run(6);
    EXPECT_EQ(first.bits(), expected);
  }
  EXPECT_NE(atHalf, expected);
  Graph graph;
  GraphScope scope(graph);
  Training second; // unseeded
  second.run(3);
  const CheckpointNumbers numbers =
      loadCheckpoint(path, second.model, second.optimizer);
  EXPECT_EQ(numbers.at("epoch"), 4);
  second.loss = numbers.at("loss");
  EXPECT_EQ(second.bits(), atHalf);
  second.run(6);
  EXPECT_EQ(second.bits(), expected);
  expectTensor(second.optimizer.step, {1}, {10});
}

TEST_F(CheckpointTest, GoesOnInAnotherProcess) {
  // Each process, a child, runs the test from its beginning.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ::setenv("CHECKPOINT_TEST", directory.path().c_str(), 0);
  const std::string shared = ::getenv("CHECKPOINT_TEST");
  auto inProcess = [&](bool isFirst) {
    Tensor::manualSeed(isFirst ? 7 : 8);
    Training training;
    if (!isFirst)
      loadCheckpoint(shared + "/run", training.model, training.optimizer);
    training.run(3);
    if (isFirst)
      saveCheckpoint(shared + "/run", training.model, training.optimizer);
    else
      writeFile(shared + "/bits", training.bits());
    // Nothing else removes the child's own directory.
    std::filesystem::remove_all(directory.path());
    std::_Exit(0);
  };
  EXPECT_EXIT(inProcess(true), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(inProcess(false), ::testing::ExitedWithCode(0), "");
  Graph graph;
  GraphScope scope(graph);
  Tensor::manualSeed(7);
  Training whole;
  whole.run(6);
  EXPECT_EQ(whole.bits(), readFile(shared + "/bits"));
  ::unsetenv("CHECKPOINT_TEST");
}

TEST_F(CheckpointTest, NumbersAreExact) {
  const CheckpointNumbers numbers = {
      {"zero", 0},       {"negative", -0.0}, {"tenth", 0.1},
      {"large", 0x1p53}, {"tiny", 5e-324},   {"infinite", INFINITY},
      {"\u00e4", 1e300}, {"third", 1.0 / 3}, {"", 1}};
  const std::tuple<> nothing;
  saveCheckpoint(path, nothing, nothing, numbers);
  const CheckpointNumbers back = loadCheckpoint(path, nothing, nothing);
  EXPECT_EQ(back, numbers);
  EXPECT_TRUE(std::signbit(back.at("negative")));
  saveCheckpoint(path, nothing, nothing, {{"nan", std::nan("")}});
  EXPECT_TRUE(std::isnan(loadCheckpoint(path, nothing, nothing).at("nan")));
}

TEST_F(CheckpointTest, IsASafetensorsFile) {
  Model model;
  Graph::current().setRandomState({5, {{"CPU:1", 77}, {"CPU", 3}}});
  // An optimizer may have the model's tensors as well: they are stored once.
  saveCheckpoint(path, model, std::tie(model.weight, model.bias),
                 {{"epoch", 2.5}});
  EXPECT_THAT(safeLoad(path).names(),
              ElementsAre("model.bias", "model.weight"));
  EXPECT_THAT(safeLoadMetadata(path),
              ElementsAre(Pair("number.epoch", "2.5"),
                          Pair("random.counters", "CPU:1=77 CPU=3"),
                          Pair("random.seed", "5")));
  Model other;
  loadCheckpoint(path, other, std::tie(other.weight, other.bias));
  EXPECT_EQ(values(other.weight), values(model.weight));
  EXPECT_EQ(Graph::current().randomState(),
            (RandomState{5, {{"CPU:1", 77}, {"CPU", 3}}}));
  Model third;
  loadStateDict(third, safeLoad(path), {.prefix = "model"});
  EXPECT_EQ(values(third.weight), values(model.weight));
}

TEST_F(CheckpointTest, ErrorsChangeNothing) {
  Model model;
  Optimizer optimizer;
  const std::vector<double> before = values(model.weight);
  Graph::current().setRandomState({1, {{"CPU", 2}}});
  auto fails = [&](const StateDict &state, const Metadata &metadata) {
    safeSave(path, state, metadata);
    loadCheckpoint(path, model, optimizer);
  };
  const StateDict tensors = state::detail::checkpointTensors(model, optimizer);
  const Metadata good = {{"random.seed", "1"}, {"random.counters", "CPU=2"}};
  EXPECT_ERROR(loadCheckpoint(path, model, optimizer), IoError, "cannot open");
  EXPECT_ERROR(fails(tensors, {}), IoError,
               path + ": not a checkpoint: its metadata have no 'random.seed'");
  EXPECT_ERROR(fails(tensors, {{"random.seed", "1"}}), IoError,
               "no 'random.counters'");
  EXPECT_ERROR(fails(tensors, {{"random.seed", "1"}, {"random.counter", "7"}}),
               IoError,
               path + ": a checkpoint of an older version (its metadata have "
                      "'random.counter')");
  for (const char *text : {"", "-1", "1 ", "x", "18446744073709551616"})
    EXPECT_ERROR(
        fails(tensors, {{"random.seed", text}, {"random.counters", "CPU=2"}}),
        IoError, "'random.seed' is '" + std::string(text) + "', not a number");
  Metadata bad = good;
  bad["number.epoch"] = "1,5";
  EXPECT_ERROR(fails(tensors, bad), IoError,
               "malformed checkpoint: 'number.epoch' is '1,5'");
  EXPECT_ERROR(
      fails({{"model.weight", Tensor::ones({4, 3})},
             {"model.bias", Tensor::ones({5})},
             {"optimizer.weight", Tensor::ones({4, 3})},
             {"optimizer.bias", Tensor::ones({4})}},
            {{"random.seed", "9"}, {"random.counters", "CPU=9"}}),
      StateError,
      "missing: optimizer.step\n"
      "  mismatched: model.bias ([4] float32 expected, [5] float32 found)");
  EXPECT_EQ(values(model.weight), before);
  EXPECT_EQ(Graph::current().randomState(), (RandomState{1, {{"CPU", 2}}}));
}

// The first call of a step saves; capturing it is an error with the place.
TEST_F(CheckpointTest, SavingInACapturedStep) {
  TemporaryDirectory directory;
  Model model;
  Optimizer optimizer;
  auto check = [&](const char *file, const char *method, int line,
                   const std::function<void(const std::string &)> &save) {
    const std::string path = directory.path() + "/" + file;
    Jit step([&](const Tensor &x) {
      save(path);
      return x + 1;
    });
    const Tensor x = Tensor::ones({2});
    step(x);
    EXPECT_TRUE(std::filesystem::exists(path));
    const auto size = std::filesystem::file_size(path);
    EXPECT_ERROR(step(x), Error,
                 "jit: " + std::string(method) + " at CheckpointTest.cpp:" +
                     std::to_string(line) + " reads values on the host");
    EXPECT_EQ(std::filesystem::file_size(path), size);
  };
  const StateDict state{{"weight", Tensor::ones({3})}};
  check("a.safetensors", "buffer", __LINE__ + 1,
        [&](const std::string &path) { safeSave(path, state); });
  check("a.npy", "toHost", __LINE__ + 1, [&](const std::string &path) {
    writeNpy(path, state.begin()->second);
  });
  check("a.npz", "toHost", __LINE__ + 1,
        [&](const std::string &path) { npzSave(path, state); });
  check(
      "b.safetensors", "randomState", __LINE__ + 1,
      [&](const std::string &path) { saveCheckpoint(path, model, optimizer); });
}
