//===- OptimizerTest.cpp - steps, kernels and memory ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a step does apart from its formula: which tensors it changes, the
/// number of kernels, memory, learning rates, accumulation, convergence.
///
//===----------------------------------------------------------------------===//

#include "OptimTest.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Optim/Muon.h"
#include "TinyGrad/Optim/OptimizerGroup.h"
#include "TinyGrad/Optim/SGD.h"

using namespace tinygrad;
using namespace tinygrad::optim;
using namespace tinygrad::testing;

namespace {
/// Parameters with gradients in memory.
std::vector<Tensor> makeParameters(const std::vector<Shape> &shapes) {
  std::vector<Tensor> parameters;
  unsigned seed = 1;
  for (const Shape &shape : shapes) {
    parameters.push_back(noiseTensor(shape, ++seed).parameter());
    parameters.back().setGrad(noiseTensor(shape, ++seed).realize());
  }
  realize(parameters);
  return parameters;
}

/// A small network.
struct Net {
  Tensor w1 = noiseTensor({2, 8}, 3).parameter(),
         b1 = Tensor::zeros({8}).parameter(),
         w2 = noiseTensor({8, 1}, 5).parameter(),
         b2 = Tensor::zeros({1}).parameter();

  std::vector<Tensor> parameters() const { return {w1, b1, w2, b2}; }
  /// Exclusive or.
  Tensor loss() const {
    const Tensor x = Tensor::from(
                     {{0.0f, 0.0f}, {0.0f, 1.0f}, {1.0f, 0.0f}, {1.0f, 1.0f}}),
                 y = Tensor::from({{0.0f}, {1.0f}, {1.0f}, {0.0f}});
    return (x.linear(w1, b1).tanh().linear(w2, b2) - y).square().mean();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Kernels and memory
//===----------------------------------------------------------------------===//

TEST_F(OptimTest, KernelsOfAStep) {
  struct Counted {
    const char *name;
    std::function<std::unique_ptr<Optimizer>(const std::vector<Tensor> &)> make;
    int64_t additional;
  };
  const std::vector<Counted> cases = {
      {"SGD", [](auto &p) { return std::make_unique<SGD>(p); }, 0},
      {"SGD with everything",
       [](auto &p) {
         return std::make_unique<SGD>(
             p,
             SGDOptions{.momentum = 0.9, .weightDecay = 0.1, .nesterov = true});
       },
       0},
      {"Adam", [](auto &p) { return std::make_unique<Adam>(p); }, 1},
      {"AdamW", [](auto &p) { return std::make_unique<AdamW>(p); }, 1},
      {"AdamW in two groups",
       [](auto &p) {
         return std::make_unique<AdamW>(
             std::vector<ParameterGroup<AdamWOptions>>{
                 {{p.begin(), p.end() - 1}, {.beta1 = 0.8}},
                 {{p.back()}, {.learningRate = 0.1}}});
       },
       1},
  };
  const std::vector<std::vector<Shape>> lists = {
      {{8, 4}, {8}, {16, 8}, {16}, {70, 40}},
      {{8, 4}, {8, 4}, {3, 2, 5}, {}, {1}, {8}},
      {{}},
      {{20}}};
  for (const Counted &counted : cases)
    for (const std::vector<Shape> &shapes : lists) {
      if (shapes.size() == 1 &&
          counted.name == std::string("AdamW in two groups"))
        continue;
      SCOPED_TRACE(std::string(counted.name) + " " +
                   std::to_string(shapes.size()));
      const std::vector<Tensor> parameters = makeParameters(shapes);
      const std::unique_ptr<Optimizer> optimizer = counted.make(parameters);
      for (int i = 0; i < 3; ++i) {
        const int64_t kernels = countKernels([&] { optimizer->step(); });
        // The first step initializes the state.
        if (i > 0) {
          EXPECT_LE(kernels, int64_t(shapes.size()) + counted.additional);
        }
      }
    }
}

TEST_F(OptimTest, EverythingIsUpdatedInPlace) {
  Weights weights;
  AdamW optimizer(weights.all());
  takeSteps(optimizer, weights, 2);
  std::vector<const void *> addresses;
  auto visit = [&](auto &&use) {
    for (const Tensor &parameter : weights.all())
      use(parameter);
    forEachTensor(optimizer,
                  [&](const std::string &, Tensor &tensor) { use(tensor); });
  };
  visit([&](const Tensor &tensor) {
    addresses.push_back(tensor.buffer().address());
  });
  takeSteps(optimizer, weights, 3);
  std::size_t i = 0;
  visit([&](const Tensor &tensor) {
    EXPECT_EQ(tensor.buffer().address(), addresses[i]) << i;
    ++i;
  });
  EXPECT_EQ(i, 2u + 1 + 2 + 2 + 1);
}

TEST_F(OptimTest, MemoryStaysFlat) {
  for (bool releases : {false, true}) {
    Net net;
    AdamW optimizer(net.parameters(), {.learningRate = 0.01});
    int64_t used = 0, peak = 0;
    std::size_t operations = 0, programs = 0;
    for (int i = 0; i < 200; ++i) {
      optimizer.zeroGrad();
      Tensor loss = net.loss();
      loss.backward();
      optimizer.step({.also = {loss}, .releaseGradients = releases});
      if (i == 3) {
        used = GlobalCounters::memUsed;
        GlobalCounters::reset();
        peak = GlobalCounters::memPeak;
        operations = graph.numOperations();
        programs = graph.numPrograms();
      }
      if (i == 4)
        peak = GlobalCounters::memPeak;
      if (i > 4) {
        ASSERT_EQ(GlobalCounters::memUsed, used) << "step " << i;
        ASSERT_EQ(GlobalCounters::memPeak, peak) << "step " << i;
        ASSERT_EQ(graph.numOperations(), operations) << "step " << i;
        ASSERT_EQ(graph.numPrograms(), programs) << "step " << i;
      }
    }
  }
}

TEST_F(OptimTest, AStepIsOneProgram) {
  Net net;
  AdamW optimizer(net.parameters());
  std::size_t programs = 0;
  for (int i = 0; i < 4; ++i) {
    optimizer.zeroGrad();
    Tensor loss = net.loss();
    loss.backward();
    optimizer.step({.also = {loss}});
    EXPECT_TRUE(loss.isRealized());
    EXPECT_TRUE(net.w1.grad().isRealized());
    if (i == 1)
      programs = graph.numPrograms();
  }
  EXPECT_EQ(graph.numPrograms(), programs);
}

// The usual order of PyTorch: what backward() was called on, and is still in
// use, need not be named.
TEST_F(OptimTest, LossesAreComputedWithTheStep) {
  auto run = [&](auto &&step) {
    Net net;
    SGD optimizer(net.parameters(), {.learningRate = 0.5});
    step(net, optimizer); // the first one computes initial values
    optimizer.zeroGrad();
    return countKernels([&] { step(net, optimizer); });
  };
  std::vector<float> expected, found;
  const int64_t kernels = run([&](Net &net, SGD &optimizer) {
    Tensor loss = net.loss();
    loss.backward();
    optimizer.step({.also = {loss}});
    expected.push_back(loss.item<float>());
  });
  EXPECT_EQ(run([&](Net &net, SGD &optimizer) {
              Tensor loss = net.loss();
              loss.backward();
              optimizer.step();
              EXPECT_TRUE(loss.isRealized());
              found.push_back(loss.item<float>());
            }),
            kernels);
  EXPECT_EQ(found, expected);
  EXPECT_NE(found[1], found[0]);
}

TEST_F(OptimTest, OtherTensorsAreNotComputedWithTheStep) {
  Net net;
  SGD optimizer(net.parameters());
  Tensor loss = net.loss();
  loss.backward();
  (net.loss() * 2).backward(); // a temporary
  Tensor several = net.w1 * 3;
  several.backward(several.onesLike());
  Tensor read = net.loss() * 4;
  read.backward();
  read.realize();
  optimizer.step();
  EXPECT_TRUE(loss.isRealized());
  EXPECT_FALSE(several.isRealized());
  // Each is computed once.
  Tensor next = net.loss();
  Tensor copy = next;
  EXPECT_FALSE(next.isRealized());
  optimizer.zeroGrad();
  copy.backward();
  optimizer.accumulate();
  EXPECT_TRUE(next.isRealized());
}

TEST_F(OptimTest, ScheduledStepsRunLater) {
  Weights weights;
  SGD optimizer(weights.all(), {.learningRate = 1});
  realize(weights.all());
  weights.setGradients(1);
  std::vector<Tensor> pending;
  EXPECT_EQ(countKernels([&] { pending = optimizer.scheduleStep(); }), 0);
  EXPECT_LE(countKernels([&] { realize(pending); }), 2);
  EXPECT_EQ(countKernels([&] { realize(weights.all()); }), 0);
  expectTensor(weights.q, {3}, {-0.1, 1.8, 3.7}, 1e-6);
}

TEST_F(OptimTest, GradientsStayUnlessReleased) {
  Net net;
  SGD optimizer(net.parameters(), {.learningRate = 0.5});
  net.loss().backward();
  const std::vector<double> before = values(net.w2), gradient = [&] {
    Net same;
    same.loss().backward();
    return values(same.w2.grad());
  }();
  optimizer.step();
  // Those at the weights from before the step.
  expectTensor(net.w2.grad(), {8, 1}, gradient, 1e-6);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(values(net.w2)[i], before[i] - 0.5 * gradient[i], 1e-6);
  optimizer.step({.releaseGradients = true});
  EXPECT_FALSE(net.w2.grad().defined());
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(values(net.w2)[i], before[i] - gradient[i], 1e-6);
}

//===----------------------------------------------------------------------===//
// Which tensors are updated
//===----------------------------------------------------------------------===//

TEST_F(OptimTest, BuffersAndRepeatedTensors) {
  Tensor w = Tensor::ones({2}).parameter(),
         statistics = Tensor::zeros({2}).parameter(false),
         number = Tensor::zeros({}, DType::Int32).parameter();
  SGD optimizer({w, statistics, w, number}, {.learningRate = 1});
  ASSERT_EQ(optimizer.parameters().size(), 1u);
  w.setGrad(Tensor::from({1.0f, 2.0f}));
  statistics.assign(statistics + 3);
  number.assign(number + 1);
  optimizer.step();
  expectTensor(w, {2}, {0, -1}); // once
  EXPECT_EQ(countKernels([&] { realize({statistics, number}); }), 0);
  expectTensor(statistics, {2}, {3, 3});
  expectTensor(number, {}, {1});
}

TEST_F(OptimTest, FrozenParametersAreLeftAlone) {
  Tensor w = Tensor::ones({2}).parameter(), v = Tensor::ones({2}).parameter();
  SGD optimizer({w, v}, {.learningRate = 1});
  v.setRequiresGrad(false);
  w.setGrad(Tensor::ones({2}));
  optimizer.step();
  expectTensor(w, {2}, {0, 0});
  expectTensor(v, {2}, {1, 1});
}

TEST_F(OptimTest, ParametersWithoutGradientAreSkippedOnRequest) {
  Tensor w = Tensor::ones({2}).parameter(), v = Tensor::ones({2}).parameter();
  AdamW optimizer({w, v}, {.learningRate = 1, .skipWithoutGradient = true});
  w.setGrad(Tensor::ones({2}));
  optimizer.step();
  expectTensor(w, {2}, {-0.01, -0.01}, 1e-5);
  expectTensor(v, {2}, {1, 1});
}

TEST_F(OptimTest, EmptyAndSingleElements) {
  Tensor empty = Tensor::zeros({0, 3}).parameter(),
         number = Tensor(2.0).parameter(), row = Tensor::ones({1}).parameter();
  AdamW optimizer({empty, number, row},
                  {.learningRate = 0.5, .weightDecay = 0});
  empty.setGrad(Tensor::zeros({0, 3}));
  number.setGrad(Tensor(4.0));
  row.setGrad(Tensor::from({-1.0f}));
  optimizer.step();
  expectTensor(empty, {0, 3}, {});
  expectTensor(number, {}, {1.5}, 1e-6);
  expectTensor(row, {1}, {1.5}, 1e-6);
}

TEST_F(OptimTest, ZeroGradRemovesGradients) {
  Weights weights;
  SGD optimizer(weights.all());
  weights.setGradients(1);
  optimizer.zeroGrad();
  EXPECT_FALSE(weights.p.grad().defined());
  EXPECT_FALSE(weights.q.grad().defined());
}

TEST_F(OptimTest, SeveralOptimizersAreOneStep) {
  Weights weights, same;
  Muon muon({weights.p}, {.learningRate = 0.1}),
      other({same.p}, {.learningRate = 0.1});
  AdamW adam({weights.q}, {.learningRate = 0.2}),
      another({same.q}, {.learningRate = 0.2});
  OptimizerGroup all(muon, adam);
  EXPECT_EQ(all.size(), 2u);
  EXPECT_EQ(&all[1], &adam);
  for (int t = 1; t <= 3; ++t) {
    weights.setGradients(t);
    all.step();
    same.setGradients(t);
    other.step();
    another.step();
  }
  expectWeights(weights, values(same.p), values(same.q), 1e-6);
  all.zeroGrad();
  EXPECT_FALSE(weights.p.grad().defined());
  // If one of them cannot step, the other does not either.
  const std::vector<double> before = values(weights.p);
  weights.p.setGrad(Tensor::ones({2, 3}));
  EXPECT_ERROR(all.step(), Error, "AdamW::step: parameter 0, [3] float32");
  expectTensor(weights.p, {2, 3}, before);
}

//===----------------------------------------------------------------------===//
// Learning rates
//===----------------------------------------------------------------------===//

TEST_F(OptimTest, LearningRatesAreTensors) {
  Tensor w = Tensor::zeros({2}).parameter(), v = Tensor::zeros({}).parameter();
  SGD optimizer({{{w}, {.learningRate = 0.5}}, {{v}, {.learningRate = 2}}});
  w.setGrad(Tensor::from({1.0f, 2.0f}));
  v.setGrad(Tensor(1.0));
  optimizer.step();
  expectTensor(w, {2}, {-0.5, -1});
  expectTensor(v, {}, {-2});
  const std::size_t programs = graph.numPrograms();
  const int64_t compiled = GlobalCounters::kernelsCompiled;
  for (int i = 1; i <= 5; ++i) {
    optimizer.setLearningRate(0.125 * i);
    optimizer.step();
  }
  // No kernel contains the numbers.
  EXPECT_LE(graph.numPrograms(), programs + 1);
  EXPECT_LE(GlobalCounters::kernelsCompiled, compiled + 1);
  expectTensor(w, {2}, {-0.5 - 0.125 * 15, -1 - 0.25 * 15});
  expectTensor(v, {}, {-12});
  // Assigned to as a tensor.
  Tensor rate = optimizer.learningRate(1);
  rate.assign(rate * 0.5);
  optimizer.step();
  expectTensor(v, {}, {-13});
  EXPECT_EQ(optimizer.initialLearningRate(1), 2);
}

//===----------------------------------------------------------------------===//
// Options of a step
//===----------------------------------------------------------------------===//

TEST_F(OptimTest, GradientScaleAndSkip) {
  Weights weights, scaled;
  AdamW optimizer(weights.all(), {.learningRate = 0.1}),
      other(scaled.all(), {.learningRate = 0.1});
  for (int t = 1; t <= 4; ++t) {
    weights.setGradients(t);
    optimizer.step();
    scaled.setGradients(t);
    for (Tensor &parameter : scaled.all())
      parameter.setGrad((parameter.grad() * 8).realize());
    other.step({.gradientScale = Tensor(0.125)});
    // A step that is skipped, with gradients of NaN, changes nothing.
    for (Tensor &parameter : scaled.all())
      parameter.setGrad(parameter.fullLike(NAN));
    other.step({.skip = Tensor(true)});
    if (t == 2)
      other.step({.gradientScale = Tensor(1.0), .skip = Tensor(true)});
  }
  expectWeights(scaled, values(weights.p), values(weights.q), 1e-6);
  std::vector<std::vector<double>> states;
  forEachTensor(optimizer, [&](const std::string &, Tensor &tensor) {
    states.push_back(values(tensor));
  });
  std::size_t i = 0;
  forEachTensor(other, [&](const std::string &, Tensor &tensor) {
    expectTensor(tensor, tensor.shape(), states[i++], 1e-6);
  });
}

//===----------------------------------------------------------------------===//
// Accumulation
//===----------------------------------------------------------------------===//

TEST_F(OptimTest, BackwardAddsToGradients) {
  Net whole, parts;
  SGD a(whole.parameters(), {.learningRate = 0.5}),
      b(parts.parameters(), {.learningRate = 0.5});
  for (int i = 0; i < 3; ++i) {
    a.zeroGrad();
    (whole.loss() * 2).backward();
    a.step();
    b.zeroGrad();
    parts.loss().backward();
    parts.loss().backward();
    b.step();
  }
  expectTensor(parts.w1, {2, 8}, values(whole.w1), 1e-5);
  expectTensor(parts.b2, {1}, values(whole.b2), 1e-5);
}

TEST_F(OptimTest, AccumulatedGradientsStayInPlace) {
  Net whole, parts;
  SGD a(whole.parameters(), {.learningRate = 0.5}),
      b(parts.parameters(), {.learningRate = 0.5});
  const void *address = nullptr;
  int64_t used = 0;
  for (int i = 0; i < 20; ++i) {
    a.zeroGrad();
    (whole.loss() * 3).backward();
    a.step();
    b.zeroGrad();
    for (int batch = 0; batch < 3; ++batch) {
      Tensor loss = parts.loss();
      loss.backward();
      b.accumulate({loss});
      EXPECT_TRUE(loss.isRealized());
      const Tensor gradient = parts.w1.grad();
      EXPECT_TRUE(gradient.isRealized());
      if (!address)
        address = gradient.buffer().address();
      EXPECT_EQ(gradient.buffer().address(), address);
    }
    b.step();
    EXPECT_EQ(parts.w1.grad().buffer().address(), address);
    if (i == 2)
      used = GlobalCounters::memUsed;
  }
  EXPECT_EQ(GlobalCounters::memUsed, used);
  expectTensor(parts.w1, {2, 8}, values(whole.w1), 1e-4);
  expectTensor(parts.b2, {1}, values(whole.b2), 1e-4);
}

//===----------------------------------------------------------------------===//
// Convergence
//===----------------------------------------------------------------------===//

TEST_F(OptimTest, LearnsExclusiveOr) {
  Net net;
  AdamW optimizer(net.parameters(), {.learningRate = 0.05, .weightDecay = 0});
  const double before = net.loss().item<float>();
  EXPECT_GT(before, 0.1);
  Tensor loss;
  for (int i = 0; i < 150; ++i) {
    optimizer.zeroGrad();
    loss = net.loss();
    loss.backward();
    optimizer.step({.also = {loss}});
  }
  EXPECT_LT(loss.item<float>(), 1e-3);
}

TEST_F(OptimTest, SolvesLeastSquares) {
  // The solution of w * a = b, found by gradient descent.
  const Tensor a = noiseTensor({8, 3}),
               solution = Tensor::from({1.0f, -2.0f, 3.0f}),
               b = a.matmul(solution);
  Tensor w = Tensor::zeros({3}).parameter();
  SGD optimizer({w}, {.learningRate = 0.2, .momentum = 0.9});
  for (int i = 0; i < 200; ++i) {
    optimizer.zeroGrad();
    (a.matmul(w) - b).square().mean().backward();
    optimizer.step();
  }
  expectTensor(w, {3}, {1, -2, 3}, 1e-4);
}
