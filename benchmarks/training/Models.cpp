//===- Models.cpp - networks whose training is timed ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "TinyGrad/NN/NN.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Optim/SGD.h"
#include "TinyGrad/State/StateDict.h"
#include "TinyGrad/Tensor/Functions.h"
#include "TinyGrad/Tensor/Jit.h"
#include "TinyGrad/Tensor/Training.h"

#include <cmath>
#include <cstdint>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::benchmark;

TrainingRow::~TrainingRow() = default;

//===----------------------------------------------------------------------===//
// Initial values and data
//===----------------------------------------------------------------------===//

namespace {
/// A sequence of 32-bit numbers, a hash of their positions, that rows.py
/// computes as well.
class Numbers {
public:
  uint32_t next() {
    uint32_t x = ++position;
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
  }

  /// Floats in [-bound, bound).
  Tensor uniform(const Shape &shape, float bound) {
    std::vector<float> data(count(shape));
    for (float &value : data)
      value = (float(next() >> 8) / 8388608.0f - 1.0f) * bound;
    return Tensor::from(data, shape);
  }
  /// Integers in [0, limit).
  Tensor integers(const Shape &shape, uint32_t limit) {
    std::vector<int32_t> data(count(shape));
    for (int32_t &value : data)
      value = int32_t(next() % limit);
    return Tensor::from(data, shape);
  }

private:
  static std::size_t count(const Shape &shape) {
    std::size_t result = 1;
    for (const SymInt &size : shape)
      result *= std::size_t(size.value());
    return result;
  }

  uint32_t position = 0;
};
} // namespace

/// Gives matrices and filters uniform values in +-1/sqrt(fan in), and biases
/// zeros. Weights of normalizations keep their ones.
template <typename Network>
static void initialize(Network &network, Numbers &numbers) {
  forEachTensor(network, [&](const std::string &name, Tensor &tensor) {
    if (!tensor.requiresGrad())
      return;
    if (tensor.ndim() >= 2) {
      int64_t fanIn = 1;
      for (int64_t axis = 1; axis < tensor.ndim(); ++axis)
        fanIn *= tensor.size(axis).value();
      tensor.assign(
          numbers.uniform(tensor.shape(), float(1 / std::sqrt(double(fanIn)))));
    } else if (name.ends_with("bias")) {
      tensor.assign(Tensor::zeros(tensor.shape()));
    }
    tensor.realize();
  });
}

//===----------------------------------------------------------------------===//
// Networks
//===----------------------------------------------------------------------===//

namespace {
/// The network of examples/fashion-mnist, without dropout.
struct CNN {
  nn::Conv2d first{1, 32, 3}, second{32, 64, 3};
  nn::Linear hidden{64 * 5 * 5, 128}, output{128, 10};
  TINYGRAD_MEMBERS(first, second, hidden, output)

  Tensor operator()(const Tensor &images) const {
    Tensor x = first(images).relu().maxPool2d();
    x = second(x).relu().maxPool2d();
    return output(hidden(x.flatten(1)).relu());
  }
};

struct MLP {
  nn::Linear first{784, 1024}, second{1024, 1024}, output{1024, 10};
  TINYGRAD_MEMBERS(first, second, output)

  Tensor operator()(const Tensor &x) const {
    return output(second(first(x).relu()).relu());
  }
};

/// Two convolutions around which there is a shortcut.
struct BasicBlock {
  BasicBlock(int64_t in, int64_t out, int64_t stride)
      : conv1(in, out, 3, {.stride = stride, .padding = 1, .bias = false}),
        bn1(out), conv2(out, out, 3, {.padding = 1, .bias = false}), bn2(out) {
    if (stride != 1 || in != out) {
      downsample.add(nn::Conv2d(in, out, 1, {.stride = stride, .bias = false}));
      downsample.add(nn::BatchNorm(out));
    }
  }

  Tensor operator()(const Tensor &x) const {
    Tensor y = bn2(conv2(bn1(conv1(x)).relu()));
    return (y + downsample(x)).relu();
  }

  nn::Conv2d conv1;
  nn::BatchNorm bn1;
  nn::Conv2d conv2;
  nn::BatchNorm bn2;
  nn::Sequential downsample;
  TINYGRAD_MEMBERS(conv1, bn1, conv2, bn2, downsample)
};

/// ResNet-18 for 1000 classes. K. He and others, "Deep residual learning for
/// image recognition", 2015; as in torchvision.
struct ResNet18 {
  nn::Conv2d conv1{3, 64, 7, {.stride = 2, .padding = 3, .bias = false}};
  nn::BatchNorm bn1{64};
  std::vector<BasicBlock> blocks;
  nn::Linear fc{512, 1000};
  TINYGRAD_MEMBERS(conv1, bn1, blocks, fc)

  ResNet18() {
    int64_t in = 64;
    for (int64_t out : {64, 128, 256, 512})
      for (int64_t stride : {out == 64 ? 1 : 2, 1}) {
        blocks.emplace_back(in, out, stride);
        in = out;
      }
  }

  Tensor operator()(const Tensor &images) const {
    Tensor x =
        bn1(conv1(images)).relu().maxPool2d(3, {.stride = 2, .padding = 1});
    for (const BasicBlock &block : blocks)
      x = block(x);
    return fc(x.mean({2, 3}));
  }
};

struct TransformerBlock {
  nn::LayerNorm ln1{768};
  nn::MultiHeadAttention attention{768, 12};
  nn::LayerNorm ln2{768};
  nn::Linear up{768, 3072}, down{3072, 768};
  TINYGRAD_MEMBERS(ln1, attention, ln2, up, down)

  Tensor operator()(const Tensor &x) const {
    Tensor y = x + attention(ln1(x), {.isCausal = true});
    return y + down(up(ln2(y)).gelu());
  }
};

/// GPT-2 small, 124 million parameters, with one matrix for the embedding and
/// the output. A. Radford and others, "Language models are unsupervised
/// multitask learners", 2019. Without dropout.
struct GPT2 {
  nn::Embedding tokens{50257, 768}, positions{1024, 768};
  std::vector<TransformerBlock> blocks = std::vector<TransformerBlock>(12);
  nn::LayerNorm norm{768};
  TINYGRAD_MEMBERS(tokens, positions, blocks, norm)

  Tensor operator()(const Tensor &ids) const {
    Tensor x = tokens(ids) + positions.weight.shrink({{0, ids.size(1)}, {}});
    for (const TransformerBlock &block : blocks)
      x = block(x);
    return norm(x).matmul(tokens.weight.T());
  }
};

/// One layer of 128 units; the last state is classified. The input's part of
/// the gates is one product for all steps, as in every contender.
struct LSTM {
  nn::LSTMCell cell{64, 128};
  nn::Linear output{128, 10};
  TINYGRAD_MEMBERS(cell, output)

  /// (steps, batch, 64)
  Tensor operator()(const Tensor &x) const {
    const Tensor ofInput =
        (x.matmul(cell.weightIh.T()) + cell.biasIh).contiguous();
    Tensor hidden = Tensor::zeros({x.size(1), 128}), state = hidden;
    for (int64_t step = 0; step < x.size(0).value(); ++step) {
      const std::vector<Tensor> gates =
          (ofInput.index({step}) + hidden.matmul(cell.weightHh.T()) +
           cell.biasHh)
              .split(128, 1);
      state = gates[1].sigmoid() * state + gates[0].sigmoid() * gates[2].tanh();
      state = state.contiguous();
      hidden = (gates[3].sigmoid() * state.tanh()).contiguous();
    }
    return output(hidden);
  }
};

template <typename Network> class Row final : public TrainingRow {
public:
  template <typename MakeOptimizer, typename MakeBatch>
  Row(MakeOptimizer &&makeOptimizer, MakeBatch &&makeBatch)
      : optimizer(nullptr), captured([this](const Tensor &x, const Tensor &y) {
          return compute(x, y);
        }) {
    Numbers numbers;
    initialize(network, numbers);
    optimizer = makeOptimizer(state::getParameters(network));
    std::tie(x, y) = makeBatch(numbers);
    realize({x, y});
  }

  Tensor step() override { return captured(x, y); }

private:
  Tensor compute(const Tensor &inputs, const Tensor &labels) {
    const TrainingScope training;
    optimizer->zeroGrad();
    Tensor loss = network(inputs).sparseCategoricalCrossentropy(labels);
    loss.backward();
    optimizer->step({.releaseGradients = true});
    return loss;
  }

  Network network;
  std::unique_ptr<optim::Optimizer> optimizer;
  Tensor x, y;
  Jit<Tensor(const Tensor &, const Tensor &)> captured;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

template <typename Optimizer, typename Options>
static auto makeOptimizer(const Options &options) {
  return
      [options](
          std::vector<Tensor> parameters) -> std::unique_ptr<optim::Optimizer> {
        return std::make_unique<Optimizer>(std::move(parameters), options);
      };
}

/// Values in [-1, 1) and a class for each element of the axis \p batchAxis.
static auto makeBatch(const Shape &shape, uint32_t classes,
                      std::size_t batchAxis = 0) {
  return [=](Numbers &numbers) {
    Tensor x = numbers.uniform(shape, 1);
    return std::pair(x, numbers.integers({shape[batchAxis]}, classes));
  };
}

static const auto kAdam =
    makeOptimizer<optim::Adam, optim::AdamOptions>({.learningRate = 1e-3});
static const auto kMomentum = makeOptimizer<optim::SGD, optim::SGDOptions>(
    {.learningRate = 1e-2, .momentum = 0.9});
static const auto kAdamW = makeOptimizer<optim::AdamW, optim::AdamWOptions>(
    {.learningRate = 1e-4, .weightDecay = 0.01});

std::vector<std::string> benchmark::trainingRows() {
  return {"cnn", "mlp", "resnet18", "gpt2", "lstm"};
}

std::unique_ptr<TrainingRow>
benchmark::makeTrainingRow(const std::string &name) {
  if (name == "cnn")
    return std::make_unique<Row<CNN>>(kAdam, makeBatch({128, 1, 28, 28}, 10));
  if (name == "mlp")
    return std::make_unique<Row<MLP>>(kMomentum, makeBatch({512, 784}, 10));
  if (name == "resnet18")
    return std::make_unique<Row<ResNet18>>(kMomentum,
                                           makeBatch({16, 3, 64, 64}, 1000));
  if (name == "gpt2")
    return std::make_unique<Row<GPT2>>(kAdamW, [](Numbers &numbers) {
      // The label of a token is the next one.
      const auto ids = numbers.integers({129}, 50257).tolist<int32_t>();
      return std::pair(
          Tensor::from(std::vector<int32_t>(ids.begin(), ids.end() - 1),
                       {1, 128}),
          Tensor::from(std::vector<int32_t>(ids.begin() + 1, ids.end()),
                       {1, 128}));
    });
  if (name == "lstm")
    return std::make_unique<Row<LSTM>>(kAdam, makeBatch({100, 32, 64}, 10, 1));
  return nullptr;
}
