//===- LoadStateTest.cpp - giving a module other values -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Values, memory, conversions, prefixes, tied tensors, and reports.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/State/LoadState.h"
#include "TensorTest.h"

#include "TinyGrad/Runtime/Counters.h"

using namespace tinygrad;
using namespace tinygrad::state;
using namespace tinygrad::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {
struct Layer {
  Tensor weight = Tensor::zeros({2, 2}).parameter();
  Tensor bias = Tensor::zeros({2}).parameter();
  TINYGRAD_MEMBERS(weight, bias)
};

struct Net {
  Layer first, second;
  TINYGRAD_MEMBERS(first, second)
};

struct Module {
  Tensor parameter = Tensor::rand({2}).parameter(),
         constant = Tensor::zeros({2}), lazy = Tensor::rand({2}) + 1,
         scalar = Tensor::zeros({}).parameter(),
         empty = Tensor::zeros({0, 3}).parameter();
  TINYGRAD_MEMBERS(parameter, constant, lazy, scalar, empty)
};

struct Counter {
  Tensor step = Tensor::zeros({}, DType::Int32).parameter();
  TINYGRAD_MEMBERS(step)
};

struct Tied {
  Tensor embedding = Tensor::zeros({2}).parameter(), head = embedding;
  TINYGRAD_MEMBERS(embedding, head)
};

struct Simulated {
  Tensor x = Tensor::zeros({2}, TensorOptions({.device = "SIM"})).parameter();
  TINYGRAD_MEMBERS(x)
};
} // namespace

static StateDict stateOfLayer() {
  return {{"weight", Tensor::from({{1.0f, 2.0f}, {3.0f, 4.0f}})},
          {"bias", Tensor::from({5.0f, 6.0f})}};
}

static LoadReport reportOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const StateError &error) {
    return error.report();
  }
  ADD_FAILURE() << "no StateError";
  return {};
}

TEST(LoadState, AssignsInPlace) {
  Layer layer;
  realize({layer.weight, layer.bias});
  const void *weight = layer.weight.buffer().address(),
             *bias = layer.bias.buffer().address();
  Tensor copy = layer.weight; // as an optimizer has it
  const LoadReport report = loadStateDict(layer, stateOfLayer());
  EXPECT_TRUE(report.isComplete());
  EXPECT_EQ(report.str(), "");
  EXPECT_TRUE(layer.weight.isRealized());
  expectTensor(copy, {2, 2}, {1, 2, 3, 4});
  expectTensor(layer.bias, {2}, {5, 6});
  EXPECT_EQ(layer.weight.buffer().address(), weight);
  EXPECT_EQ(layer.bias.buffer().address(), bias);
}

TEST(LoadState, TensorsWithoutMemory) {
  // Parameters that have not been computed, and a constant.
  Module module;
  const StateDict state = {{"parameter", Tensor::from({1.0f, 2.0f})},
                           {"constant", Tensor::from({3.0f, 4.0f})},
                           {"lazy", Tensor::from({5.0f, 6.0f})},
                           {"scalar", Tensor(7.0f)},
                           {"empty", Tensor::zeros({0, 3})}};
  loadStateDict(module, state);
  expectTensor(module.parameter, {2}, {1, 2});
  expectTensor(module.constant, {2}, {3, 4});
  expectTensor(module.lazy, {2}, {5, 6});
  expectTensor(module.scalar, {}, {7});
  expectTensor(module.empty, {0, 3}, {});
  // The state keeps its values when the module's change.
  for (Tensor x : {module.parameter, module.constant, module.lazy})
    x.assign(0).realize();
  expectTensor(state["parameter"], {2}, {1, 2});
  expectTensor(state["constant"], {2}, {3, 4});
  expectTensor(state["lazy"], {2}, {5, 6});
}

TEST(LoadState, TensorsComputedBeforeKeepTheOldValues) {
  Layer layer;
  Tensor sum = layer.bias + 1;
  loadStateDict(layer, stateOfLayer());
  expectTensor(sum, {2}, {1, 1});
}

TEST(LoadState, GradientsAreThoseOfTheNewValues) {
  Layer layer;
  loadStateDict(layer, stateOfLayer());
  EXPECT_TRUE(layer.bias.requiresGrad());
  layer.bias.square().sum().backward();
  expectTensor(layer.bias.grad(), {2}, {10, 12});
  // Values that are computed from other parameters are assigned as numbers.
  const Tensor other = Tensor::from({3.0f, 4.0f}).parameter();
  loadStateDict(layer, StateDict{{"bias", other * 2}}, {.strict = false});
  layer.bias.setGrad({});
  layer.bias.square().sum().backward();
  expectTensor(layer.bias.grad(), {2}, {12, 16});
  EXPECT_FALSE(other.grad().defined());
}

TEST(LoadState, OwnStateChangesNothing) {
  Layer layer;
  loadStateDict(layer, stateOfLayer());
  const int64_t kernels = GlobalCounters::kernelCount.load();
  EXPECT_TRUE(loadStateDict(layer, getStateDict(layer)).isComplete());
  EXPECT_EQ(GlobalCounters::kernelCount.load(), kernels);
  expectTensor(layer.bias, {2}, {5, 6});
}

TEST(LoadState, ReportsAllDifferencesAtOnce) {
  Net net;
  const StateDict state = {
      {"first.weight", Tensor::ones({2, 2})},
      {"first.bias", Tensor::ones({3})},
      {"second.weight", Tensor::ones({2, 2}, DType::Int32)},
      {"third.weight", Tensor::ones({1})},
      {"step", Tensor::ones({})}};
  EXPECT_ERROR(
      loadStateDict(net, state), StateError,
      "the state does not fit the module:\n"
      "  missing: second.bias\n"
      "  unexpected: third.weight, step\n"
      "  mismatched: first.bias ([2] float32 expected, [3] float32 found), "
      "second.weight ([2, 2] float32 expected, [2, 2] int32 found)");
  // Nothing has been changed.
  expectTensor(net.first.weight, {2, 2}, {0, 0, 0, 0});

  const LoadReport report = loadStateDict(net, state, {.strict = false});
  EXPECT_FALSE(report.isComplete());
  EXPECT_THAT(report.missing, ElementsAre("second.bias"));
  EXPECT_THAT(report.unexpected, ElementsAre("third.weight", "step"));
  EXPECT_THAT(
      report.mismatched,
      ElementsAre(
          LoadMismatch{"first.bias", "[2] float32", "[3] float32"},
          LoadMismatch{"second.weight", "[2, 2] float32", "[2, 2] int32"}));
  EXPECT_EQ(report, reportOf([&] { loadStateDict(net, state); }));
  expectTensor(net.first.weight, {2, 2}, {1, 1, 1, 1});
  expectTensor(net.first.bias, {2}, {0, 0});
  expectTensor(net.second.weight, {2, 2}, {0, 0, 0, 0});
}

TEST(LoadState, FloatsAreConvertedIfAskedFor) {
  Layer layer;
  const StateDict state = {
      {"weight", Tensor::from({{1.5f, 2.0f}, {3.0f, 4.0f}}).toBFloat16()},
      {"bias", Tensor::from({0.1, 0.2})}};
  EXPECT_EQ(reportOf([&] { loadStateDict(layer, state); }).mismatched.size(),
            2u);
  loadStateDict(layer, state, {.castFloats = true});
  EXPECT_EQ(layer.weight.dtype(), DType::Float32);
  expectTensor(layer.weight, {2, 2}, {1.5, 2, 3, 4});
  expectTensor(layer.bias, {2}, {0.1f, 0.2f});
  // Never from or to integers.
  const StateDict integers = {{"weight", Tensor::ones({2, 2}, DType::Int32)},
                              {"bias", Tensor::ones({2})}};
  const LoadReport report =
      reportOf([&] { loadStateDict(layer, integers, {.castFloats = true}); });
  EXPECT_THAT(
      report.mismatched,
      ElementsAre(LoadMismatch{"weight", "[2, 2] float32", "[2, 2] int32"}));
  Counter counter;
  EXPECT_ERROR(loadStateDict(counter, StateDict{{"step", Tensor(1.0f)}},
                             {.castFloats = true}),
               StateError, "step ([] int32 expected, [] float32 found)");
}

TEST(LoadState, PrefixesSelectAPart) {
  Layer layer;
  StateDict state = getStateDict(stateOfLayer(), "net.0");
  state.insert("net.1.weight", Tensor::ones({1}));
  state.insert("net.01", Tensor::ones({1}));
  EXPECT_TRUE(loadStateDict(layer, state, {.prefix = "net.0"}).isComplete());
  expectTensor(layer.bias, {2}, {5, 6});
  state.insert("net.0.scale", Tensor::ones({1}));
  EXPECT_ERROR(loadStateDict(layer, state, {.prefix = "net.0"}), StateError,
               "  unexpected: net.0.scale");
  EXPECT_ERROR(loadStateDict(layer, state, {.prefix = "net.1"}), StateError,
               "  missing: net.1.bias\n  mismatched: net.1.weight");
  // A single tensor.
  loadStateDict(layer.bias, StateDict{{"x", Tensor::from({8.0f, 9.0f})}},
                {.prefix = "x"});
  expectTensor(layer.bias, {2}, {8, 9});
}

TEST(LoadState, TiedTensors) {
  Tied net;
  // One of the names is enough, whichever.
  for (const char *name : {"embedding", "head"}) {
    const StateDict state = {{name, Tensor::from({1.0f, 2.0f})}};
    EXPECT_TRUE(loadStateDict(net, state).isComplete());
    expectTensor(net.head, {2}, {1, 2});
    net.head.assign(0);
  }
  EXPECT_THAT(reportOf([&] { loadStateDict(net, StateDict()); }).missing,
              ElementsAre("embedding", "head"));
  const Tensor values = Tensor::from({NAN, 4.0f});
  loadStateDict(net, StateDict{{"embedding", values}, {"head", values}});
  loadStateDict(net, StateDict{{"embedding", values},
                               {"head", Tensor::from({NAN, 4.0f})}});
  expectTensor(net.embedding, {2}, {NAN, 4});
  EXPECT_ERROR(
      loadStateDict(net, StateDict{{"embedding", values},
                                   {"head", Tensor::from({3.0f, 5.0f})}}),
      StateError,
      "mismatched: head (the values of embedding, which is the same tensor, "
      "expected, other ones found)");
  // If one of them does not fit, the other one is loaded.
  const LoadReport report = loadStateDict(
      net,
      StateDict{{"embedding", Tensor::ones({3})}, {"head", Tensor::ones({2})}},
      {.strict = false});
  EXPECT_EQ(report.mismatched.size(), 1u);
  EXPECT_THAT(report.missing, IsEmpty());
  expectTensor(net.embedding, {2}, {1, 1});
}

TEST(LoadState, OtherDevices) {
  Simulated module;
  loadStateDict(
      module, StateDict{{"x", Tensor::from({1.0f, 2.0f},
                                           TensorOptions({.device = "CPU"}))}});
  EXPECT_EQ(module.x.device(), "SIM");
  expectTensor(module.x, {2}, {1, 2});
}

TEST(LoadState, TensorsOfAnotherGraph) {
  Layer layer;
  StateDict state;
  {
    Graph graph;
    GraphScope scope(graph);
    state = stateOfLayer();
  }
  EXPECT_ERROR(loadStateDict(layer, state), Error, "graph");
  expectTensor(layer.bias, {2}, {0, 0});
}
