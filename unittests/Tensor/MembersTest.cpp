//===- MembersTest.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/Members.h"
#include <array>
#include <gmock/gmock.h>
#include <map>
#include <memory>
#include <optional>

using namespace tinygrad;
using testing::ElementsAre;

namespace {
struct Layer {
  Tensor weight, bias;
  TINYGRAD_MEMBERS(weight, bias)
};

struct Nothing {
  TINYGRAD_MEMBERS()
};

struct Network {
  Layer first;
  std::vector<Layer> blocks;
  std::map<std::string, Tensor> table;
  std::optional<Layer> none, some;
  std::unique_ptr<Layer> pointer;
  std::pair<Tensor, Layer> pair;
  std::array<Tensor, 2> array;
  Nothing nothing;
  TINYGRAD_MEMBERS(first, blocks, //
                   table, none, some, pointer, pair, array, nothing)
};
} // namespace

static Tensor number(int value) {
  return Tensor::full({1}, value, DType::Int32);
}

static Network makeNetwork() {
  Network net;
  net.first = {number(0), number(1)};
  net.blocks = {{number(2), Tensor()}, {Tensor(), number(3)}};
  net.table = {{"b", number(5)}, {"a", number(4)}};
  net.some = Layer{number(6), {}};
  net.pointer = std::make_unique<Layer>(Layer{{}, number(7)});
  net.pair = {number(8), {number(9), {}}};
  net.array = {number(10), number(11)};
  return net;
}

TEST(MembersTest, namesAndOrder) {
  Network net = makeNetwork();
  std::vector<std::string> names;
  std::vector<int> values;
  forEachTensor(net, [&](const std::string &name, Tensor &tensor) {
    names.push_back(name);
    values.push_back(tensor.item<int>());
  });
  EXPECT_THAT(names,
              ElementsAre("first.weight", "first.bias", "blocks.0.weight",
                          "blocks.1.bias", "table.a", "table.b", "some.weight",
                          "pointer.bias", "pair.0", "pair.1.weight", "array.0",
                          "array.1"));
  EXPECT_THAT(values, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST(MembersTest, prefixAndConstants) {
  const Network net = makeNetwork();
  std::vector<std::string> names;
  forEachTensor(
      net.blocks,
      [&](const std::string &name, const Tensor &) { names.push_back(name); },
      "net");
  EXPECT_THAT(names, ElementsAre("net.0.weight", "net.1.bias"));
  std::string only = "unset";
  forEachTensor(net.first.bias,
                [&](const std::string &name, const Tensor &) { only = name; });
  EXPECT_EQ(only, "");
}

TEST(MembersTest, tensorsCanBeReplaced) {
  Network net = makeNetwork();
  forEachTensor(net, [](const std::string &, Tensor &tensor) {
    tensor = number(tensor.item<int>() * 2);
  });
  EXPECT_EQ(net.blocks[1].bias.item<int>(), 6);
  EXPECT_EQ(net.pair.second.weight.item<int>(), 18);
}

namespace {
struct Named {
  Tensor weight, runningMean, weightIh, toRGB, rmsNormEps, fc1, conv2dFirst,
      x2Y, A_log, D, q_proj, isA;
  TINYGRAD_MEMBERS(weight, runningMean, weightIh, toRGB, rmsNormEps, fc1,
                   conv2dFirst, x2Y, A_log, D, q_proj, isA)
};
} // namespace

/// Members in camelCase have the keys of PyTorch and tinygrad.
TEST(MembersTest, keysAreInSnakeCase) {
  Named named;
  std::vector<std::string> names;
  named.visitMembers([&](std::string_view name, Tensor &tensor) {
    names.emplace_back(name);
    tensor = number(0);
  });
  EXPECT_THAT(names,
              ElementsAre("weight", "running_mean", "weight_ih", "to_rgb",
                          "rms_norm_eps", "fc1", "conv2d_first", "x2_y",
                          "A_log", "D", "q_proj", "is_a"));
  // Keys of maps are what the program made them.
  std::map<std::string, Named> table;
  table["aKey"].runningMean = number(1);
  std::string only;
  forEachTensor(table,
                [&](const std::string &name, Tensor &) { only += name; });
  EXPECT_EQ(only, "aKey.running_mean");
}
