//===- LayerGradientTest.cpp ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gradients of each layer, by its inputs and all of its parameters, against
/// central differences.
///
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"
#include "NNTest.h"
#include "TinyGrad/NN/NN.h"

using namespace tinygrad;
using namespace tinygrad::testing;

static const TensorOptions kDouble = DType::Float64;

/// Compares the gradients of call(module, inputs) by inputs of these shapes and
/// by the parameters, which get noise.
template <typename Module, typename Call>
static void expectCallGradients(Module module, const std::vector<Shape> &shapes,
                                Call call, double tolerance = 1e-6) {
  std::vector<Tensor> all;
  for (const Shape &shape : shapes)
    all.push_back(doubleNoise(shape, unsigned(all.size() + 1)));
  const std::size_t numInputs = all.size();
  forEachTensor(module, [&](const std::string &, Tensor &tensor) {
    if (tensor.requiresGrad())
      all.push_back(doubleNoise(tensor.shape(), unsigned(all.size() + 1)));
  });
  expectGradients(
      [&](const std::vector<Tensor> &x) {
        Module moved = module;
        std::size_t next = numInputs;
        forEachTensor(moved, [&](const std::string &, Tensor &tensor) {
          if (tensor.requiresGrad())
            tensor = x[next++];
        });
        EXPECT_EQ(next, x.size());
        return call(moved, x);
      },
      all, tolerance);
}

/// The same for a layer of one input.
template <typename Module>
static void expectLayerGradients(Module module, const Shape &shape,
                                 double tolerance = 1e-6) {
  expectCallGradients(
      std::move(module), std::vector<Shape>{shape},
      [](const Module &layer, const std::vector<Tensor> &x) {
        return layer(x[0]);
      },
      tolerance);
}

TEST(LayerGradientTest, linear) {
  expectLayerGradients(nn::Linear(3, 2, {.parameters = kDouble}), {2, 2, 3});
  expectLayerGradients(nn::Linear(3, 2, {.bias = false, .parameters = kDouble}),
                       {3});
  expectLayerGradients(nn::Linear(1, 1, {.parameters = kDouble}), {1, 1});
  expectLayerGradients(nn::Linear(3, 2, {.parameters = kDouble}), {0, 3});
}

TEST(LayerGradientTest, convolutions) {
  expectLayerGradients(nn::Conv1d(2, 3, 3, {.parameters = kDouble}), {1, 2, 5});
  expectLayerGradients(
      nn::Conv2d(2, 2, {2, 3}, {.isSame = true, .parameters = kDouble}),
      {1, 2, 3, 4});
  expectLayerGradients(nn::Conv2d(2, 4, {2, 3},
                                  {.stride = {2, 1},
                                   .padding = 1,
                                   .dilation = {1, 2},
                                   .groups = 2,
                                   .parameters = kDouble}),
                       {1, 2, 4, 4});
  expectLayerGradients(
      nn::Conv2d(1, 1, 1, {.bias = false, .parameters = kDouble}),
      {1, 1, 1, 1});
}

TEST(LayerGradientTest, transposedConvolutions) {
  expectLayerGradients(
      nn::ConvTranspose1d(2, 2, 3, {.stride = 2, .parameters = kDouble}),
      {1, 2, 3});
  expectLayerGradients(nn::ConvTranspose2d(2, 4, {2, 3},
                                           {.stride = 2,
                                            .padding = 1,
                                            .outputPadding = 1,
                                            .dilation = {1, 2},
                                            .groups = 2,
                                            .parameters = kDouble}),
                       {1, 2, 2, 3});
}

TEST(LayerGradientTest, batchNorm) {
  nn::BatchNorm layer(3, {.parameters = kDouble});
  layer.runningVar.assign(Tensor::from({0.5, 1.0, 2.0}));
  expectLayerGradients(layer, {2, 3, 2});
  const TrainingScope training;
  expectLayerGradients(layer, {2, 3, 2}, 1e-5);
  expectLayerGradients(
      nn::BatchNorm(2, {.affine = false, .trackRunningStats = false}),
      {3, 2, 2, 1}, 1e-5);
}

TEST(LayerGradientTest, norms) {
  constexpr double tolerance = 1e-5;
  const nn::NormOptions options = {.eps = 1e-3, .parameters = kDouble};
  expectLayerGradients(nn::LayerNorm({2, 3}, options), {2, 2, 3}, tolerance);
  expectLayerGradients(nn::LayerNorm({1}, options), {2, 1}, tolerance);
  expectLayerGradients(nn::LayerNorm2d(3, options), {1, 3, 2, 2}, tolerance);
  expectLayerGradients(nn::GroupNorm(2, 4, options), {2, 4, 3}, tolerance);
  expectLayerGradients(nn::InstanceNorm(2, options), {2, 2, 3}, tolerance);
  expectLayerGradients(nn::RMSNorm(4, options), {2, 4}, tolerance);
  expectLayerGradients(nn::RMSNorm(3, {.affine = false, .parameters = kDouble}),
                       {2, 3}, tolerance);
}

TEST(LayerGradientTest, embedding) {
  // Rows that are read twice, never, from the end, and out of range.
  const Tensor positions = Tensor::from({{1, 3, 1}, {-1, 0, 7}});
  expectCallGradients(
      nn::Embedding(4, 2, {.parameters = kDouble}), {},
      [&](const nn::Embedding &layer, const std::vector<Tensor> &) {
        return layer(positions);
      });
}

TEST(LayerGradientTest, recurrent) {
  auto bothStates = [](const nn::LSTMState &state) {
    return Tensor::cat({state.hidden, state.cell});
  };
  expectCallGradients(
      nn::LSTMCell(2, 2, {.parameters = kDouble}), {{2, 2}, {2, 2}, {2, 2}},
      [&](const nn::LSTMCell &cell, const std::vector<Tensor> &x) {
        return bothStates(cell(x[0], {x[1], x[2]}));
      });
  // Several steps, from an empty state.
  expectCallGradients(
      nn::LSTMCell(2, 1, {.bias = false, .parameters = kDouble}),
      {{1, 2}, {1, 2}},
      [&](const nn::LSTMCell &cell, const std::vector<Tensor> &x) {
        return bothStates(cell(x[0], cell(x[1], cell(x[0]))));
      });
  expectCallGradients(
      nn::GRUCell(2, 2, {.parameters = kDouble}), {{2, 2}, {2, 2}},
      [&](const nn::GRUCell &cell, const std::vector<Tensor> &x) {
        return cell(x[0], x[1]);
      });
  expectCallGradients(
      nn::GRUCell(2, 1, {.bias = false, .parameters = kDouble}),
      {{1, 2}, {1, 2}},
      [&](const nn::GRUCell &cell, const std::vector<Tensor> &x) {
        return cell(x[0], cell(x[1]));
      });
}

TEST(LayerGradientTest, attention) {
  using Inputs = std::vector<Tensor>;
  const nn::MultiHeadAttention layer(4, 2, {.parameters = kDouble});
  expectLayerGradients(layer, {1, 3, 4});
  expectCallGradients(
      layer, {{1, 3, 4}},
      [](const nn::MultiHeadAttention &attention, const Inputs &x) {
        return attention(x[0], {.isCausal = true});
      });
  // Separate keys and values, and a mask of numbers.
  expectCallGradients(
      nn::MultiHeadAttention(2, 1, {.bias = false, .parameters = kDouble}),
      {{1, 2, 2}, {1, 3, 2}, {1, 3, 2}, {2, 3}},
      [](const nn::MultiHeadAttention &attention, const Inputs &x) {
        return attention(x[0], {.key = x[1], .value = x[2], .mask = x[3]});
      });
}

TEST(LayerGradientTest, attentionWithACache) {
  // All positions are read in one graph, so gradients flow to all of them.
  expectCallGradients(nn::MultiHeadAttention(2, 1, {.parameters = kDouble}),
                      {{1, 2, 2}, {1, 1, 2}},
                      [](const nn::MultiHeadAttention &attention,
                         const std::vector<Tensor> &x) {
                        nn::KeyValueCache cache = attention.makeCache(1, 4);
                        Tensor first = attention(x[0], cache, 0),
                               second = attention(x[1], cache, 2);
                        return Tensor::cat({first, second}, 1);
                      });
}

TEST(LayerGradientTest, dropout) {
  // The same numbers are dropped in each evaluation.
  const TrainingScope training;
  expectCallGradients(
      nn::Dropout(0.4), {{3, 4}},
      [](const nn::Dropout &layer, const std::vector<Tensor> &x) {
        Tensor::manualSeed(5);
        return layer(x[0]);
      });
}

TEST(LayerGradientTest, sequential) {
  nn::Sequential net(nn::Linear(3, 4, {.parameters = kDouble}), &Tensor::gelu,
                     nn::LayerNorm(4, {.parameters = kDouble}),
                     nn::Linear(4, 2, {.parameters = kDouble}));
  expectLayerGradients(net, {2, 3}, 1e-5);
}
