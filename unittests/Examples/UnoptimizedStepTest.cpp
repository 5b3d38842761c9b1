//===- UnoptimizedStepTest.cpp - the examples with and without schedules --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One training step of each network of the examples, compiled as always and
/// with NOOPT=1: loss, gradients, parameters and the optimizer's state are the
/// same. What is not summed up is the same bit for bit, everything else within
/// the errors of sums in another order: element by element in float64. In
/// float32, the sign of a value next to zero may be another one, and with it
/// the gradient through a relu(): tensors as a whole are compared there.
///
//===----------------------------------------------------------------------===//

#include "fashion-centroids/Centroids.h"
#include "fashion-mnist/Network.h"
#include "kv-cache/Attention.h"
#include "resnet/ResNet.h"
#include "transformer/Model.h"

#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Optim/Clip.h"
#include "TinyGrad/Optim/SGD.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/State/StateDict.h"
#include "TinyGrad/Tensor/Training.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace tinygrad;

namespace {

/// Values of one run, by name. Integers are exact in double.
using Values = std::map<std::string, std::vector<double>>;

std::vector<double> read(const Tensor &tensor) {
  return tensor.detach().cast(DType::Float64).tolist<double>();
}

double largest(const std::vector<double> &values) {
  double most = 0;
  for (double value : values)
    most = std::max(most, std::abs(value));
  return most;
}

/// Compares one tensor; \p bound is that of an element.
void compare(const std::string &name, const std::vector<double> &optimized,
             const std::vector<double> &plain,
             const std::function<double(std::size_t)> &bound) {
  ASSERT_EQ(optimized.size(), plain.size()) << name;
  for (std::size_t i = 0; i < plain.size(); ++i)
    ASSERT_LE(std::abs(optimized[i] - plain[i]), bound(i))
        << name << ", element " << i << ": " << optimized[i]
        << " where NOOPT=1 gives " << plain[i];
}

/// What a step may do with the error of a gradient.
struct UpdateRule {
  /// A bound of the error of a parameter, for a gradient and its error.
  std::function<double(double gradient, double error)> parameter;
};

/// An update of rate * gradient.
UpdateRule proportional(double rate) {
  return {[=](double, double error) { return rate * error; }};
}

/// The first step of Adam: an update of rate * gradient / (|gradient| + 1e-8),
/// in which the sign of a gradient that is nearly 0 is unknown.
UpdateRule ofAdam(double rate) {
  return {[=](double gradient, double error) {
    return rate * std::min(2.0, 2 * error / (std::abs(gradient) + 1e-8));
  }};
}

/// How far gradients of float32 may be apart, relative to their norm.
constexpr double kSingleError = 0.02;

/// Makes float64 of all weights.
void makeDouble(const state::StateDict &weights) {
  for (const auto &[name, tensor] : weights)
    if (tensor.isFloatingPoint()) {
      Tensor weight = tensor;
      weight.replace(
          tensor.detach().toDouble().parameter(tensor.requiresGrad()));
    }
}

/// Runs one step with a network and an optimizer. \p step returns the loss,
/// after the gradients and before the update.
template <typename Network, typename Optimizer>
Values runStep(bool isPlain, bool isDouble,
               const std::function<Network()> &makeNetwork,
               const std::function<Optimizer(const Network &)> &makeOptimizer,
               const std::function<Tensor(const Network &)> &lossOf) {
  Graph graph;
  GraphScope scope(graph);
  Tensor::manualSeed(11);
  // The same bits in both runs: computed before the setting is changed.
  Network network = makeNetwork();
  state::StateDict weights = state::getStateDict(network);
  if (isDouble)
    makeDouble(weights);
  Optimizer optimizer = makeOptimizer(network);
  for (const auto &[name, tensor] : weights)
    tensor.realize();
  Context settings({{"NOOPT", isPlain ? 1 : 0}});
  TrainingScope training;
  Values values;
  optimizer.zeroGrad();
  const Tensor loss = lossOf(network);
  loss.backward();
  std::vector<Tensor> results = {loss};
  for (const auto &[name, tensor] : weights)
    if (tensor.grad().defined())
      results.push_back(tensor.grad());
  realize(results);
  values["loss"] = read(loss);
  for (const auto &[name, tensor] : weights)
    if (tensor.grad().defined())
      values["gradient of " + name] = read(tensor.grad());
  optimizer.step();
  for (const auto &[name, tensor] : state::getStateDict(network))
    values["parameter " + name] = read(tensor);
  for (const auto &[name, tensor] : state::getStateDict(optimizer))
    values["state " + name] = read(tensor);
  return values;
}

/// Integers are counters and never rounded.
bool areIntegers(const std::vector<double> &values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return value == std::floor(value); });
}

double norm(const std::vector<double> &values) {
  double sum = 0;
  for (double value : values)
    sum += value * value;
  return std::sqrt(sum);
}

/// Compares two runs element by element. Gradients are \p gradientError apart
/// at most, relative to the largest element of each.
void compareSteps(const Values &optimized, const Values &plain,
                  const UpdateRule &rule, double gradientError) {
  ASSERT_EQ(optimized.size(), plain.size());
  int gradients = 0;
  for (const auto &[name, expected] : plain) {
    ASSERT_TRUE(optimized.count(name)) << name;
    const std::vector<double> &actual = optimized.at(name);
    const double scale = largest(expected);
    ASSERT_TRUE(std::isfinite(scale)) << name;
    if (name.starts_with("gradient of ")) {
      ++gradients;
      EXPECT_GT(scale, 0) << name;
    }
    if (name.starts_with("parameter ") &&
        plain.count("gradient of " + name.substr(10))) {
      const std::vector<double> &gradient =
          plain.at("gradient of " + name.substr(10));
      const double error = gradientError * largest(gradient);
      compare(name, actual, expected, [&](std::size_t i) {
        return rule.parameter(gradient[i], error) +
               1e-3 * gradientError * scale;
      });
    } else {
      // Moments and statistics are linear or quadratic in gradients and values.
      const bool isExact = areIntegers(expected);
      compare(name, actual, expected, [&](std::size_t) {
        return isExact ? 0 : 3 * gradientError * scale;
      });
    }
  }
  EXPECT_GT(gradients, 0);
}

/// Compares two runs in float32.
void compareSingleSteps(const Values &optimized, const Values &plain) {
  ASSERT_EQ(optimized.size(), plain.size());
  for (const auto &[name, expected] : plain) {
    ASSERT_TRUE(optimized.count(name)) << name;
    const std::vector<double> &actual = optimized.at(name);
    ASSERT_EQ(actual.size(), expected.size()) << name;
    std::vector<double> differences;
    for (std::size_t i = 0; i < expected.size(); ++i)
      differences.push_back(actual[i] - expected[i]);
    const double error = areIntegers(expected) ? 0
                         : name == "loss"      ? 1e-4
                                               : kSingleError;
    EXPECT_LE(norm(differences), error * norm(expected)) << name;
  }
}

/// How far apart gradients may be, relative to the largest element of each: in
/// float64, and in float32 if that is known.
struct GradientErrors {
  double gradient = 1e-10;
  std::optional<double> single;
};

template <typename Network, typename Optimizer>
void testStep(const std::function<Network()> &makeNetwork,
              const std::function<Optimizer(const Network &)> &makeOptimizer,
              const std::function<Tensor(const Network &)> &lossOf,
              const UpdateRule &rule, const GradientErrors &errors = {},
              const std::vector<bool> &precisions = {false, true}) {
  for (bool isDouble : precisions) {
    auto run = [&](bool isPlain) {
      return runStep<Network, Optimizer>(isPlain, isDouble, makeNetwork,
                                         makeOptimizer, lossOf);
    };
    const Values optimized = run(false), plain = run(true);
    if (isDouble || errors.single)
      compareSteps(optimized, plain, rule,
                   isDouble ? errors.gradient : *errors.single);
    else
      compareSingleSteps(optimized, plain);
  }
}

/// Numbers that do not depend on how programs are compiled.
std::vector<float> numbers(int64_t count, double scale, unsigned seed) {
  std::vector<float> list;
  uint32_t state = seed * 2654435761u + 1;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    list.push_back(float((state >> 8) * (2.0 / (1 << 24)) - 1) * float(scale));
  }
  return list;
}

Tensor classes(int64_t count, int64_t numClasses) {
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < count; ++i)
    labels.push_back(int32_t((i * 7 + 3) % numClasses));
  return Tensor::from(labels);
}

//===----------------------------------------------------------------------===//
// Training steps
//===----------------------------------------------------------------------===//

TEST(UnoptimizedStepTest, FashionMnist) {
  std::vector<uint8_t> pixels;
  for (float number : numbers(4 * 28 * 28, 127, 1))
    pixels.push_back(uint8_t(number + 128));
  testStep<fashion::Network, optim::Adam>(
      [] { return fashion::Network(); },
      [](const fashion::Network &network) {
        return optim::Adam(state::getParameters(network),
                           {.learningRate = 2e-3});
      },
      [&](const fashion::Network &network) {
        return fashion::lossOf(network, Tensor::from(pixels, {4, 1, 28, 28}),
                               classes(4, 10));
      },
      ofAdam(2e-3));
}

TEST(UnoptimizedStepTest, Transformer) {
  const transformer::Alphabet alphabet("a small text of characters");
  transformer::ModelOptions options;
  options.context = 12;
  options.layers = 2;
  options.width = 16;
  options.heads = 4;
  testStep<transformer::Model, optim::AdamW>(
      [&] { return transformer::Model(options, alphabet); },
      [](const transformer::Model &model) {
        return optim::AdamW(transformer::groupParameters(model, 3e-3));
      },
      [&](const transformer::Model &model) {
        return transformer::lossOf(
            model, classes(3 * 13, alphabet.size()).reshape({3, 13}));
      },
      // The scores of the characters are float32. All functions are smooth.
      ofAdam(3e-3), {1e-5, 1e-4});
}

void testResNet(bool isBottleneck, const std::vector<bool> &precisions) {
  const resnet::Architecture architecture = {{1, 1, 1, 1}, isBottleneck};
  testStep<resnet::ResNet, optim::SGD>(
      [&] { return resnet::ResNet(architecture, 5); },
      [](const resnet::ResNet &network) {
        return optim::SGD(
            state::getParameters(network),
            {.learningRate = 0.1, .momentum = 0.9, .weightDecay = 1e-4});
      },
      [](const resnet::ResNet &network) {
        const Tensor images =
            Tensor::from(numbers(2 * 3 * 32 * 32, 1, 2), {2, 3, 32, 32});
        return network(images).sparseCategoricalCrossentropy(classes(2, 5));
      },
      proportional(0.1), {}, precisions);
}

TEST(UnoptimizedStepTest, ResNet) {
  testResNet(/*isBottleneck=*/false, {false, true});
}
TEST(UnoptimizedStepTest, ResNetOfBottlenecks) {
  testResNet(/*isBottleneck=*/true, {true});
}

//===----------------------------------------------------------------------===//
// Programs that do not train
//===----------------------------------------------------------------------===//

TEST(UnoptimizedStepTest, AttentionWithCache) {
  auto run = [](bool isPlain) {
    Graph graph;
    GraphScope scope(graph);
    Tensor::manualSeed(5);
    constexpr int64_t kSteps = 9;
    kvcache::Attention layer(kSteps);
    Context settings({{"NOOPT", isPlain ? 1 : 0}});
    Tensor token =
        Tensor::from(numbers(kvcache::kWidth, 1, 3), {1, kvcache::kWidth});
    Variable position("position", 0, kSteps - 1);
    Values values;
    for (int64_t i = 0; i < kSteps; ++i) {
      const Tensor output = layer.step(token, position.bind(i)).realize();
      values["output " + std::to_string(i)] = read(output);
      token = output.layernorm().realize();
    }
    return values;
  };
  const Values optimized = run(false), plain = run(true);
  for (const auto &[name, expected] : plain)
    compare(name, optimized.at(name), expected,
            [&](std::size_t) { return 2e-5 * largest(expected); });
}

/// Whole numbers: sums are exact in any order, so that every bit is the same.
TEST(UnoptimizedStepTest, CentroidsBitForBit) {
  auto run = [](bool isPlain) {
    Graph graph;
    GraphScope scope(graph);
    Context settings({{"NOOPT", isPlain ? 1 : 0}});
    std::vector<float> pixels = numbers(64 * 49, 8, 4);
    for (float &pixel : pixels)
      pixel = std::floor(pixel);
    const Tensor rows = Tensor::from(pixels, {64, 49});
    // Means of 16 rows each are exact, too.
    std::vector<int32_t> labels;
    for (int32_t i = 0; i < 64; ++i)
      labels.push_back(i % 4);
    const Tensor means = centroids::computeMeans(rows, Tensor::from(labels), 4);
    Values values;
    values["means"] = read(means);
    values["distances"] = read(centroids::distances(rows, means));
    values["classes"] = read(centroids::classify(rows, means));
    return values;
  };
  EXPECT_EQ(run(false), run(true));
}

} // namespace
