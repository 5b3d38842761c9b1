//===- StateDictTest.cpp - the tensors of a module by name ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Names, order, tied tensors, and errors.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/State/StateDict.h"
#include "TensorTest.h"

#include <map>
#include <tuple>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::state;
using namespace tinygrad::testing;
using ::testing::ElementsAre;

namespace {
struct Layer {
  Tensor weight, bias;
  TINYGRAD_MEMBERS(weight, bias)
};

struct Net {
  Layer first;
  std::vector<Layer> rest;
  TINYGRAD_MEMBERS(first, rest)
};

struct Block {
  Tensor step = Tensor::zeros({}, DType::Int32).parameter();
  Tensor running = Tensor::zeros({2}).parameter(false);
  Tensor weight = Tensor::zeros({2}).parameter(), tied = weight;
  Tensor bias = Tensor::zeros({2}).parameter(), plain = Tensor::ones({2});
  TINYGRAD_MEMBERS(step, running, weight, tied, bias, plain)
};
} // namespace

static Tensor number(int value) { return Tensor::full({1}, value); }

TEST(StateDict, HasTheOrderOfInsertion) {
  StateDict state = {{"b", number(1)}, {"a", number(2)}};
  state.insert("", number(3));
  EXPECT_THAT(state.names(), ElementsAre("b", "a", ""));
  EXPECT_EQ(state.size(), 3u);
  EXPECT_FALSE(state.empty());
  EXPECT_TRUE(state.contains("a"));
  EXPECT_FALSE(state.contains("c"));
  EXPECT_EQ(state.find("c"), nullptr);
  expectTensor(state["a"], {1}, {2});
  expectTensor(state.at(""), {1}, {3});
  EXPECT_TRUE(StateDict().empty());
}

TEST(StateDict, Errors) {
  StateDict state = {{"first.weight", number(1)}, {"first.bias", number(2)}};
  EXPECT_ERROR(state.insert("first.bias", number(3)), Error,
               "two tensors of a state are named 'first.bias'");
  EXPECT_ERROR(state.insert("x", Tensor()), Error,
               "the tensor 'x' of a state is undefined");
  EXPECT_THAT(state.names(), ElementsAre("first.weight", "first.bias"));
  EXPECT_ERROR(state.at("first.wieght"), Error,
               "the state has no tensor 'first.wieght'; the most similar name "
               "is 'first.weight'");
  EXPECT_ERROR(state["z"], Error, "the state has no tensor 'z', only 2 others");
}

TEST(StateDict, OfAModule) {
  Net net{{number(1), number(2)}, {{number(3), {}}, {{}, number(4)}}};
  EXPECT_THAT(getStateDict(net).names(),
              ElementsAre("first.weight", "first.bias", "rest.0.weight",
                          "rest.1.bias"));
  EXPECT_THAT(getStateDict(net.rest, "net").names(),
              ElementsAre("net.0.weight", "net.1.bias"));
  const Net &constant = net;
  EXPECT_EQ(getStateDict(constant).size(), 4u);
  // The tensors are the module's own.
  Tensor bias = getStateDict(net)["first.bias"];
  bias.assign(7);
  expectTensor(net.first.bias, {1}, {7});
  EXPECT_THAT(getStateDict(std::tie(net.first, net.rest[0])).names(),
              ElementsAre("0.weight", "0.bias", "1.weight"));
  EXPECT_THAT(getStateDict(net.first.bias, "bias").names(),
              ElementsAre("bias"));
}

TEST(StateDict, IsAModule) {
  const StateDict inner = {{"b", number(1)}, {"a", number(2)}};
  EXPECT_THAT(getStateDict(inner, "x").names(), ElementsAre("x.b", "x.a"));
  std::vector<StateDict> list = {inner, inner};
  EXPECT_THAT(getStateDict(list).names(),
              ElementsAre("0.b", "0.a", "1.b", "1.a"));
}

TEST(StateDict, TiedTensorsHaveAllNames) {
  Layer layer{number(1), {}};
  layer.bias = layer.weight;
  const StateDict state = getStateDict(layer);
  EXPECT_THAT(state.names(), ElementsAre("weight", "bias"));
  EXPECT_EQ(&state["weight"].impl(), &state["bias"].impl());
}

TEST(StateDict, NamesMustDiffer) {
  // A key with dots can be the name of a nested member.
  std::map<std::string, std::map<std::string, Tensor>> tables = {
      {"a", {{"b.c", number(1)}}}, {"a.b", {{"c", number(2)}}}};
  EXPECT_ERROR(getStateDict(tables), Error,
               "two tensors of a state are named 'a.b.c'");
}

TEST(StateDict, ParametersRequireAGradient) {
  Block block;
  const std::vector<Tensor> parameters = getParameters(block);
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(&parameters[0].impl(), &block.weight.impl());
  EXPECT_EQ(&parameters[1].impl(), &block.bias.impl());
  block.weight.setRequiresGrad(false);
  EXPECT_EQ(getParameters(block).size(), 1u);
  EXPECT_EQ(getParameters(std::vector<Block>(3)).size(), 6u);
  EXPECT_TRUE(getParameters(Net()).empty());
}
