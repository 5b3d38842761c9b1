//===- JitStateTest.cpp - captured steps that change tensors --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JitTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Tensor/Training.h"

#include <functional>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {

//===----------------------------------------------------------------------===//
// Assignments
//===----------------------------------------------------------------------===//

TEST(JitStateTest, WeightsAreUpdatedInPlace) {
  const auto update = [](Tensor &w, Tensor &m, const Tensor &x) {
    m.assign(m * 0.5 + x);
    w.assign(w - m * 0.1);
    return w.sum();
  };
  Tensor w = noiseTensor({4}).parameter(false),
         m = Tensor::zeros({4}).parameter(false);
  Tensor w2 = noiseTensor({4}).parameter(false),
         m2 = Tensor::zeros({4}).parameter(false);
  Jit step([&](const Tensor &x) { return update(w, m, x); });
  const void *memory = nullptr;
  for (unsigned i = 0; i < 8; ++i) {
    const Tensor x = noiseTensor({4}, i + 5);
    const Tensor sum = step(x);
    const Tensor expected = update(w2, m2, x);
    realize({expected, w2, m2});
    expectTensor(sum, {}, values(expected), 1e-6);
    expectTensor(w, {4}, values(w2));
    expectTensor(m, {4}, values(m2));
    if (i == 2)
      memory = w.buffer().address();
    if (i > 2) {
      EXPECT_EQ(w.buffer().address(), memory);
    }
  }
}

TEST(JitStateTest, AssignedArguments) {
  Jit step([](Layer &layer, const Tensor &x) {
    const NoGradScope noGradients;
    layer.weight.assign(layer.weight + x.sum());
    layer.bias.assign(layer.bias * 2);
  });
  for (unsigned i = 0; i < 5; ++i) { // another layer in each call
    Layer layer = makeLayer(i);
    const std::vector<double> weight = values(layer.weight);
    const std::vector<double> bias = values(layer.bias);
    step(layer, Tensor::from({1.0f, 2.0f}));
    step(layer, Tensor::from({1.0f, 2.0f}));
    std::vector<double> expected;
    for (double value : weight)
      expected.push_back(float(float(value) + 3) + 3);
    expectTensor(layer.weight, {3, 4}, expected, 1e-6);
    expected.clear();
    for (double value : bias)
      expected.push_back(4 * value);
    expectTensor(layer.bias, {3}, expected);
  }
}

TEST(JitStateTest, OldContentsThatAreNeededStay) {
  Tensor w = counting({3}).parameter(false);
  Jit step([&](const Tensor &x) {
    w.assign(w + x);
    return w * 1;
  });
  std::vector<Tensor> lazy, equal;
  std::vector<Buffer> buffers;
  for (int i = 0; i < 6; ++i) {
    lazy.push_back(w * 10); // not computed before the next call
    buffers.push_back(w.buffer());
    equal.push_back(w.contiguous());
    step(Tensor::ones({3}));
  }
  for (int i = 0; i < 6; ++i) {
    expectTensor(lazy[std::size_t(i)], {3},
                 {10.0 * i, 10.0 * i + 10, 10.0 * i + 20});
    expectTensor(equal[std::size_t(i)], {3}, {i + 0.0, i + 1.0, i + 2.0});
    float value = -1;
    buffers[std::size_t(i)].copyOut(&value, sizeof value);
    EXPECT_EQ(value, float(i));
  }
  expectTensor(w, {3}, {6, 7, 8});
}

TEST(JitStateTest, CapturedWhileOldContentsAreNeeded) {
  // The captured programs write new memory; replays have to continue from it.
  Tensor w = counting({3}).parameter(false).realize();
  std::vector<Tensor> old;
  Jit step([&] {
    old.push_back(w * 1);
    w.assign(w + 1);
    return w.sum();
  });
  for (int i = 1; i <= 6; ++i) {
    expectTensor(step(), {}, {3.0 * i + 3});
    expectTensor(w, {3}, {i + 0.0, i + 1.0, i + 2.0});
  }
  ASSERT_EQ(old.size(), 2u);
  expectTensor(old[0], {3}, {0, 1, 2});
}

TEST(JitStateTest, ViewsFollow) {
  Tensor w = counting({2, 3}).parameter(false).realize();
  const Tensor row = w[1], transposed = w.permute({1, 0});
  Jit step([&] {
    w.assign(w + 1);
    return row.sum() + transposed[0].sum();
  });
  for (int i = 1; i <= 6; ++i) {
    expectTensor(step(), {}, {3.0 * i + 12 + 2.0 * i + 3});
    expectTensor(row, {3}, {i + 3.0, i + 4.0, i + 5.0});
    expectTensor(transposed, {3, 2},
                 {i + 0.0, i + 3.0, i + 1.0, i + 4.0, i + 2.0, i + 5.0});
  }
}

TEST(JitStateTest, AssignmentsToParts) {
  Tensor w = Tensor::zeros({2, 3}).parameter(false);
  Tensor view;
  {
    Tensor root = Tensor::zeros({4}).parameter(false).realize();
    view = root.shrink({{1, 3}});
  }
  Jit step([&](const Tensor &x) {
    w[1] += x;
    view.assign(view + 1);
  });
  for (int i = 1; i <= 5; ++i) {
    step(Tensor::from({1.0f, 2.0f, 3.0f}));
    expectTensor(w, {2, 3}, {0, 0, 0, 1.0 * i, 2.0 * i, 3.0 * i});
    expectTensor(view, {2}, {double(i), double(i)});
  }
}

TEST(JitStateTest, ReassignedBetweenReplays) {
  Tensor w = counting({3}).parameter(false);
  Tensor rate = Tensor(0.5); // a constant
  Jit step([&](const Tensor &x) {
    w.assign(w - x * rate);
    return w * 1;
  });
  const Tensor one = Tensor::ones({3});
  std::vector<double> expected = {0, 1, 2};
  for (int i = 0; i < 8; ++i) {
    const double now = 0.5 / (1 + i);
    rate.assign(now);
    if (i == 4) {
      w.assign(w * 2);
      for (double &value : expected)
        value *= 2;
    }
    for (double &value : expected)
      value -= float(now);
    expectTensor(step(one), {3}, expected, 1e-6);
    EXPECT_EQ(step.isCaptured(), i >= 1);
  }
  w.replace(Tensor::from({100.0f, 200.0f, 300.0f}));
  rate.assign(1);
  expectTensor(step(one), {3}, {99, 199, 299});
}

TEST(JitStateTest, TensorsThatAreKeptAreUpdated) {
  Tensor last, noiseOfStep;
  Jit step([&](const Tensor &x) {
    last = x * 3;
    noiseOfStep = last + 1;
    return last;
  });
  for (int i = 0; i < 5; ++i) {
    const Tensor result = step(Tensor::from({float(i)}));
    expectTensor(last, {1}, {3.0 * i});
    expectTensor(noiseOfStep, {1}, {3.0 * i + 1});
    last.assign(0); // not the result
    expectTensor(result, {1}, {3.0 * i});
  }
}

TEST(JitStateTest, MemoryIsFlat) {
  Layer layer = makeLayer(1);
  Tensor moment = Tensor::zeros({3, 4}).parameter(false);
  Jit step([&](const Tensor &x) {
    const NoGradScope noGradients; // they are computed by hand here
    const Tensor y = layer(x).relu();
    const Tensor gradient = y.permute({1, 0}).matmul(x);
    moment.assign(moment * 0.9 + gradient);
    layer.weight.assign(layer.weight - moment * 0.01);
    layer.bias.assign(layer.bias - y.sum(0) * 0.01);
    return y.sum();
  });
  const Tensor x = noiseTensor({8, 4}, 9).realize();
  Tensor loss;
  for (int i = 0; i < 5; ++i)
    loss = step(x);
  const int64_t bytes = GlobalCounters::memUsed;
  const std::size_t operations = Graph::current().numOperations();
  for (int i = 0; i < 1000; ++i) {
    loss = step(x);
    ASSERT_EQ(GlobalCounters::memUsed, bytes) << "at " << i;
  }
  EXPECT_EQ(Graph::current().numOperations(), operations);
  EXPECT_TRUE(std::isfinite(loss.item<float>()));
}

TEST(JitStateTest, ResetReleasesMemory) {
  const Tensor x = Tensor::ones({256, 256}).parameter().realize();
  const int64_t before = GlobalCounters::memUsed;
  {
    Jit step([](const Tensor &x) {
      const std::vector<float> data(256 * 256, 2.0f);
      return x + Tensor::from(data, {256, 256});
    });
    for (int i = 0; i < 4; ++i)
      expectTensor(step(x).max(), {}, {3});
    EXPECT_GE(GlobalCounters::memUsed, before + (256 << 10));
    step.reset();
    EXPECT_FALSE(step.isCaptured());
    EXPECT_EQ(GlobalCounters::memUsed, before);
    for (int i = 0; i < 4; ++i)
      expectTensor(step(x).max(), {}, {3});
    EXPECT_TRUE(step.isCaptured());
  }
  EXPECT_EQ(GlobalCounters::memUsed, before);
}

TEST(JitStateTest, ParametersMadeInside) {
  Jit step([](const Tensor &x) {
    Tensor state = Tensor::zeros({2}).parameter(false);
    Tensor other = Tensor::from({5.0f, 6.0f}).parameter(false);
    Tensor data = Tensor::from({1.0f, 2.0f});
    for (int i = 0; i < 3; ++i) {
      state.assign(state + x);
      state.realize();
      other.assign(other * 2).realize();
      data.assign(data + 1).realize();
    }
    return state + other + data;
  });
  for (int i = 0; i < 5; ++i)
    expectTensor(step(Tensor::from({float(i), 1.0f})), {2},
                 {3.0 * i + 40 + 4, 3.0 + 48 + 5});
}

//===----------------------------------------------------------------------===//
// Steps in steps, several steps
//===----------------------------------------------------------------------===//

TEST(JitStateTest, NestedStepsAreInlined) {
  Tensor w = Tensor::zeros({2}).parameter(false);
  int calls = 0;
  Jit inner([&](const Tensor &x) {
    ++calls;
    w.assign(w + x);
    return w * 2;
  });
  Jit outer([&](const Tensor &x) { return inner(x) + inner(x); });
  for (int i = 0; i < 5; ++i) {
    const double before = 2 * i;
    expectTensor(outer(Tensor::ones({2})), {2},
                 std::vector<double>(2, 2 * (before + 1) + 2 * (before + 2)));
  }
  EXPECT_EQ(calls, 4);
  EXPECT_FALSE(inner.isCaptured());
  for (int i = 1; i <= 4; ++i)
    expectTensor(inner(Tensor::ones({2})), {2}, {20.0 + 2 * i, 20.0 + 2 * i});
  EXPECT_EQ(calls, 6);
  // An outer step that is captured after the inner one.
  Jit other([&](const Tensor &x) { return inner(x) + 1; });
  for (int i = 5; i <= 8; ++i)
    expectTensor(other(Tensor::ones({2})), {2}, {21.0 + 2 * i, 21.0 + 2 * i});
}

TEST(JitStateTest, StepsShareWeights) {
  Tensor w = Tensor::zeros({4}).parameter(false);
  Jit train([&](const Tensor &x) { w.assign(w + x); });
  Jit evaluate([&](const Tensor &x) { return (w * x).sum(); });
  double expected = 0;
  for (int i = 0; i < 6; ++i) {
    train(Tensor::ones({4}));
    expected += 4;
    expectTensor(evaluate(Tensor::ones({4})), {}, {expected});
    const void *memory = w.buffer().address();
    train(Tensor::ones({4}));
    expected += 4;
    if (i >= 2) {
      EXPECT_EQ(w.buffer().address(), memory);
    }
    expectTensor(evaluate(Tensor::ones({4})), {}, {expected});
  }
}

TEST(JitStateTest, SeveralProgramsAndSorts) {
  Tensor w = counting({6}).parameter(false);
  Jit step([&](const Tensor &x) {
    Tensor y = (x + w).realize();
    w.assign(y.sort().first).realize();
    const Tensor z = (w * y).sum().realize();
    return std::vector<Tensor>{z + 1, y, w.max()};
  });
  Tensor expected = counting({6});
  for (unsigned i = 0; i < 5; ++i) {
    const Tensor x = noiseTensor({6}, i);
    const std::vector<Tensor> results = step(x);
    const Tensor y = (x + expected).realize();
    expected = y.sort().first.realize();
    expectTensor(results[0], {}, values((expected * y).sum() + 1), 1e-6);
    expectTensor(results[1], {6}, values(y));
    expectTensor(results[2], {}, values(expected.max()));
    expectTensor(w, {6}, values(expected));
  }
}

TEST(JitStateTest, CaptureWaitsForMemory) {
  Tensor late = Tensor::full({2}, 3.0f); // a constant
  Tensor lazy = counting({2}) * 2;
  int calls = 0;
  Jit step(
      [&](const Tensor &x) { return ++calls < 2 ? x + 1 : x * late + lazy; });
  const Tensor one = Tensor::ones({2});
  expectTensor(step(one), {2}, {2, 2});
  // Tensors are used for the first time that have no memory.
  expectTensor(step(one), {2}, {3, 5});
  EXPECT_FALSE(step.isCaptured());
  expectTensor(step(one), {2}, {3, 5});
  EXPECT_TRUE(step.isCaptured());
  late.assign(4);
  lazy.assign(lazy + 1);
  expectTensor(step(one), {2}, {5, 7});
  EXPECT_EQ(calls, 3);
}

TEST(JitStateTest, TensorsThatShareMemory) {
  Tensor a = counting({2}).parameter(false).realize();
  Tensor b = a.contiguous(); // the same memory
  Jit step([&] {
    a.assign(a + 1);
    return a * 100 + b;
  });
  for (int i = 1; i <= 3; ++i)
    expectTensor(step(), {2}, {100.0 * i, 100.0 * i + 101});
  EXPECT_TRUE(step.isCaptured());
  b.assign(7);
  expectTensor(step(), {2}, {407, 507});
  b.replace(a); // again
  expectTensor(step(), {2}, {504, 605});
  expectTensor(b, {2}, {4, 5});
}

TEST(JitStateTest, StepsThatUseTensorsOutsideOfReplays) {
  // Training as a loop of the documentation.
  const Tensor x = noiseTensor({32, 4}, 3);
  const Tensor target =
      x.matmul(Tensor::from({{1.0f}, {-2.0f}, {3.0f}, {0.5f}}));
  Tensor weight = Tensor::zeros({4, 1}).parameter(false);
  Tensor rate = Tensor(0.5);
  Jit step([&](const Tensor &x, const Tensor &y) {
    const Tensor error = x.matmul(weight) - y;
    const Tensor gradient = x.permute({1, 0}).matmul(error) * (2.0 / 32);
    weight.assign(weight - gradient * rate);
    return error.square().mean();
  });
  float loss = 0;
  for (int i = 0; i < 200; ++i) {
    if (i == 100)
      rate.assign(0.1);
    loss = step(x, target).item<float>();
  }
  EXPECT_LT(loss, 1e-6f);
  expectTensor(weight, {4, 1}, {1, -2, 3, 0.5}, 1e-3);
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// Each of several calls gives the same values captured as not.
void expectSameSteps(
    const std::function<void(Tensor &w, const Tensor &x)> &function,
    const std::function<void(Tensor &w)> &between) {
  Tensor w = noiseTensor({4}, 1).parameter();
  Tensor plain = noiseTensor({4}, 1).parameter();
  Jit step([&](const Tensor &x) { function(w, x); });
  std::vector<Tensor> gradients;
  std::vector<std::vector<double>> expected;
  for (unsigned i = 0; i < 7; ++i) {
    const Tensor x = noiseTensor({4}, i + 2);
    step(x);
    function(plain, x);
    EXPECT_EQ(step.isCaptured(), i > 0);
    EXPECT_EQ(values(w), values(plain));
    ASSERT_EQ(w.grad().defined(), plain.grad().defined());
    if (w.grad().defined()) {
      gradients.push_back(w.grad());
      expected.push_back(values(plain.grad()));
    }
    between(w);
    between(plain);
  }
  for (std::size_t i = 0; i < gradients.size(); ++i)
    EXPECT_EQ(values(gradients[i]), expected[i]) << "at " << i;
}

void update(Tensor &w) {
  const NoGradScope scope;
  w.assign(w - w.grad() * 0.25);
}

TEST(JitStateTest, Gradients) {
  const auto nothing = [](Tensor &) {};
  // Removed at the end, at the beginning.
  expectSameSteps(
      [](Tensor &w, const Tensor &x) {
        (w * w * x).sum().backward();
        update(w);
        w.setGrad({});
      },
      nothing);
  expectSameSteps(
      [](Tensor &w, const Tensor &x) {
        w.setGrad({});
        (w * w * x).sum().backward();
        update(w);
      },
      nothing);
  // By name, not by backward().
  expectSameSteps(
      [](Tensor &w, const Tensor &x) {
        const Tensor gradient = (w * x).sum().gradient({w})[0];
        const NoGradScope scope;
        w.assign(w - gradient);
      },
      nothing);
}

TEST(JitStateTest, GradientsAccumulate) {
  unsigned count = 0;
  const auto add = [](Tensor &w, const Tensor &x) {
    (w * w * x).sum().backward();
  };
  expectSameSteps(add, [](Tensor &) {});
  // Removed outside after some calls; called for both tensors.
  expectSameSteps(add, [&](Tensor &w) {
    if (const unsigned call = count++ / 2; call >= 3 && call % 2 == 1) {
      update(w);
      w.realize();
      w.setGrad({});
    }
  });
  // Always removed outside.
  expectSameSteps(add, [](Tensor &w) { w.setGrad({}); });
}

TEST(JitStateTest, TrainingCostsWhatItCostsWithoutCapture) {
  Layer layers[] = {makeLayer(1), makeLayer(5)};
  const auto train = [&](const Tensor &x) {
    const Tensor loss = (layers[0](x).relu() * layers[1](x)).square().mean();
    loss.backward();
    const NoGradScope scope;
    for (Layer &layer : layers)
      for (Tensor *weight : {&layer.weight, &layer.bias}) {
        weight->assign(*weight - weight->grad() * 0.01);
        weight->setGrad({});
      }
    return loss;
  };
  const auto countKernels = [](const auto &function) {
    const int64_t before = GlobalCounters::kernelCount;
    function();
    return GlobalCounters::kernelCount - before;
  };
  const Tensor x = noiseTensor({8, 4}, 9).realize();
  const auto plain = [&] {
    const Tensor loss = train(x);
    realize({loss, layers[0].weight, layers[0].bias, layers[1].weight,
             layers[1].bias});
  };
  plain();
  const int64_t kernels = countKernels(plain);
  Jit step(train);
  Tensor loss;
  for (int i = 0; i < 4; ++i)
    loss = step(x);
  EXPECT_TRUE(step.isCaptured());
  EXPECT_EQ(countKernels([&] { loss = step(x); }), kernels);
  const int64_t bytes = GlobalCounters::memUsed;
  const float first = loss.item<float>();
  for (int i = 0; i < 1000; ++i) {
    loss = step(x);
    ASSERT_EQ(GlobalCounters::memUsed, bytes) << "at " << i;
  }
  EXPECT_LT(loss.item<float>(), first);
}

TEST(JitStateTest, UnexpectedGradients) {
  Tensor w = noiseTensor({4}, 1).parameter();
  Jit step([&] { (w * w).sum().backward(); });
  for (int i = 0; i < 3; ++i) {
    w.setGrad({});
    step();
  }
  EXPECT_ERROR(step(), Error,
               "jit: a tensor of [4] float32 has a gradient, to which the step "
               "would add, but had none when the step was captured; remove it "
               "before, or inside");
  w.setGrad({});
  const NoGradScope scope;
  EXPECT_ERROR(step(), Error,
               "jit: the step was captured outside of a NoGradScope, and is "
               "called inside of one; use a Jit for each");
}

TEST(JitStateTest, CopiesBetweenDevices) {
  Tensor w = Tensor::ones({3}, {.device = "SIM:1"}).parameter(false);
  Jit step([&](const Tensor &x) {
    const Tensor y = x.to("SIM:1") + w;
    w.assign(y);
    return (y * 2).to(x.device()) + x;
  });
  for (int i = 0; i < 5; ++i) {
    const Tensor x = Tensor::ones({3}), z = step(x);
    EXPECT_EQ(z.device(), x.device());
    expectTensor(z, {3}, std::vector<double>(3, 2.0 * (i + 2) + 1));
    expectTensor(w, {3}, std::vector<double>(3, i + 2.0));
  }
}

TEST(JitStateTest, OtherGraphs) {
  const Graph graph;
  const GraphScope scope(graph);
  Tensor w = counting({2}).parameter(false);
  Jit step([&](const Tensor &x) { return w.assign(w + x) * 1; });
  for (int i = 1; i <= 4; ++i)
    expectTensor(step(Tensor::ones({2})), {2}, {i + 0.0, i + 1.0});
}

} // namespace
