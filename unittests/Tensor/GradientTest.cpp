//===- GradientTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gradients of tensors: which tensors get one, through what they flow, and
/// errors. The rules of the operations are tested by DifferentiateTest.cpp.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Tensor/Training.h"
#include <functional>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <typename E>
static void expectError(const std::function<void()> &statement,
                        const char *text) {
  EXPECT_THAT(statement, ThrowsMessage<E>(HasSubstr(text)));
}

/// The gradients of sum(f(x) * noise) are compared with central differences in
/// float64.
static void checkDifferences(const std::function<Tensor(const Tensor &)> &f,
                             const Shape &shape, unsigned seed = 1,
                             double tolerance = 1e-6) {
  Tensor x = noiseTensor(shape, seed).toDouble().realize();
  Tensor weights = noiseTensor(f(x).shape(), 77).toDouble().realize();
  auto loss = [&](const Tensor &at) { return (f(at) * weights).sum(); };
  std::vector<double> got = loss(x).gradient({x})[0].tolist<double>();
  std::vector<double> values = x.tolist<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double step = 1e-5, at = values[i];
    auto lossAt = [&](double value) {
      values[i] = value;
      return loss(Tensor::from(values, shape)).item<double>();
    };
    const double expected = (lossAt(at + step) - lossAt(at - step)) / 2 / step;
    values[i] = at;
    EXPECT_NEAR(got[i], expected, tolerance * (1 + std::abs(expected)))
        << "element " << i << " of " << toString(shape);
  }
}

//===----------------------------------------------------------------------===//
// gradient()
//===----------------------------------------------------------------------===//

TEST(GradientTest, sumOfProducts) {
  Tensor x = Tensor::from({1.0f, 2.0f, 3.0f}),
         y = Tensor::from({4.0f, 5.0f, 6.0f});
  std::vector<Tensor> gradients = (x * y).sum().gradient({x, y});
  EXPECT_THAT(gradients[0].tolist<float>(), ElementsAre(4, 5, 6));
  EXPECT_THAT(gradients[1].tolist<float>(), ElementsAre(1, 2, 3));
}

TEST(GradientTest, cotangent) {
  Tensor x = Tensor::from({1.0f, 2.0f, 3.0f});
  Tensor y = x * x;
  Tensor cotangent = Tensor::from({1.0f, 10.0f, 0.0f});
  EXPECT_THAT(y.gradient({x}, cotangent)[0].tolist<float>(),
              ElementsAre(2, 40, 0));
  // By itself.
  EXPECT_THAT(y.gradient({y}, cotangent)[0].tolist<float>(),
              ElementsAre(1, 10, 0));
}

TEST(GradientTest, intermediateValuesAndRepeatedOnes) {
  Tensor x = Tensor::from({2.0f});
  Tensor h = x * x, y = h * h;
  std::vector<Tensor> gradients = y.gradient({h, x, h});
  EXPECT_EQ(gradients[0].item<float>(), 8);
  EXPECT_EQ(gradients[1].item<float>(), 32);
  EXPECT_EQ(gradients[2].item<float>(), 8);
}

TEST(GradientTest, secondAndThirdDerivative) {
  Tensor x = Tensor::from({2.0f});
  Tensor y = x * x * x * x;
  Tensor first = y.gradient({x})[0], second = first.gradient({x})[0],
         third = second.gradient({x})[0];
  EXPECT_EQ(first.item<float>(), 32);
  EXPECT_EQ(second.item<float>(), 48);
  EXPECT_EQ(third.item<float>(), 48);
}

TEST(GradientTest, methodsAgainstDifferences) {
  using F = std::function<Tensor(const Tensor &)>;
  const std::pair<F, Shape> cases[] = {
      {[](const Tensor &x) { return x.softmax(); }, {3, 5}},
      {[](const Tensor &x) { return x.logSoftmax(0); }, {3, 5}},
      {[](const Tensor &x) { return x.layernorm(); }, {3, 5}},
      {[](const Tensor &x) { return x.std(1); }, {3, 5}},
      {[](const Tensor &x) { return x.max(1); }, {3, 5}},
      {[](const Tensor &x) { return x.prod(1); }, {3, 4}},
      {[](const Tensor &x) { return x.gelu(); }, {7}},
      {[](const Tensor &x) { return x.silu(); }, {7}},
      {[](const Tensor &x) { return x.softplus(); }, {7}},
      {[](const Tensor &x) { return x.logsumexp(1); }, {3, 5}},
      {[](const Tensor &x) { return x.cumsum(1); }, {3, 5}},
      {[](const Tensor &x) { return x.cumprod(1); }, {3, 5}},
      {[](const Tensor &x) { return x.cummax(1).first; }, {3, 5}},
      {[](const Tensor &x) { return x.cummin(0).first; }, {3, 5}},
      {[](const Tensor &x) { return x.logcumsumexp(1); }, {3, 5}},
      {[](const Tensor &x) { return x.sort(1).first; }, {3, 5}},
      {[](const Tensor &x) { return x.topk(2, 1).first; }, {3, 5}},
      {[](const Tensor &x) { return x.matmul(x.T()); }, {3, 5}},
      {[](const Tensor &x) { return x.maxPool2d(2); }, {1, 2, 4, 6}},
      {[](const Tensor &x) { return x.avgPool2d(2, {.stride = 1}); },
       {1, 2, 4, 4}},
      {[](const Tensor &x) {
         return x.conv2d(noiseTensor({3, 2, 3, 3}, 5).toDouble(), {},
                         {.stride = 2, .padding = 1});
       },
       {1, 2, 5, 5}},
      {[](const Tensor &x) {
         return noiseTensor({1, 2, 5, 5}, 5).toDouble().conv2d(x);
       },
       {3, 2, 3, 3}},
      {[](const Tensor &x) {
         return x.convTranspose2d(noiseTensor({2, 3, 3, 3}, 5).toDouble(), {},
                                  {.stride = 2});
       },
       {1, 2, 3, 3}},
      {[](const Tensor &x) { return x.pad({{1, 1}}, PadMode::Reflect); }, {5}},
      {[](const Tensor &x) { return x.interpolate({7}); }, {1, 1, 4}},
      {[](const Tensor &x) { return x.tril() + x.flip(0) * x.roll(1, 1); },
       {3, 3}},
      {[](const Tensor &x) {
         return x.scaledDotProductAttention(x * 2, x + 1, {}, true);
       },
       {2, 4, 3}},
      {[](const Tensor &x) { return x.atan() + x.asinh() + x.tanh(); }, {6}},
  };
  unsigned number = 0;
  for (const auto &[f, shape] : cases) {
    SCOPED_TRACE("case " + std::to_string(number++));
    checkDifferences(f, shape);
  }
}

TEST(GradientTest, selections) {
  Tensor rows = Tensor::from({2, 0, 2, -1});
  checkDifferences([&](const Tensor &x) { return x.indexSelect(0, rows); },
                   {4, 3});
  checkDifferences([&](const Tensor &x) { return Tensor(x[rows]); }, {4, 3});
  checkDifferences(
      [&](const Tensor &x) { return Tensor(x.index({1, Slice()})); }, {4, 3});
  checkDifferences(
      [&](const Tensor &x) {
        return x.gather(1, Tensor::from({{0, 2}, {1, 1}}));
      },
      {3, 3});
  Tensor index = Tensor::from({{0, 2, 0}, {1, 1, 7}});
  for (ScatterReduction how :
       {ScatterReduction::Sum, ScatterReduction::Prod, ScatterReduction::Mean,
        ScatterReduction::AMax, ScatterReduction::AMin})
    for (bool includeSelf : {true, false}) {
      SCOPED_TRACE("kind " + std::to_string(int(how)));
      checkDifferences(
          [&](const Tensor &x) {
            return noiseTensor({3, 3}, 9).toDouble().scatterReduce(
                0, index, x, how, includeSelf);
          },
          {2, 3});
      checkDifferences(
          [&](const Tensor &x) {
            return x.scatterReduce(0, index, noiseTensor({2, 3}, 9).toDouble(),
                                   how, includeSelf);
          },
          {3, 3});
    }
  checkDifferences(
      [&](const Tensor &x) {
        return noiseTensor({3, 3}, 9).toDouble().scatter(0, index, x);
      },
      {2, 3});
  checkDifferences(
      [&](const Tensor &x) {
        return x.scatter(0, index, noiseTensor({2, 3}, 9).toDouble());
      },
      {3, 3});
}

TEST(GradientTest, symbolicSizes) {
  const Variable n("n", 1, 8);
  Tensor x = noiseTensor({8, 3}).toDouble().realize();
  for (int64_t size : {1, 5, 8}) {
    SymInt bound = n.bind(size);
    Tensor part = x.shrink({{0, bound}, {}});
    Tensor gradient = (part * part).mean().gradient({x})[0];
    std::vector<double> values = x.tolist<double>(),
                        got = gradient.tolist<double>();
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(got[i],
                  i < std::size_t(size) * 3 ? 2 * values[i] / double(size * 3)
                                            : 0,
                  1e-12);
  }
}

TEST(GradientTest, narrowFloats) {
  for (DType dtype : {DType::Float16, DType::BFloat16}) {
    Tensor x = Tensor::from({1.0f, 2.0f, -3.0f}).cast(dtype);
    Tensor gradient = (x * x).sum().gradient({x})[0];
    EXPECT_EQ(gradient.dtype(), dtype);
    EXPECT_THAT(gradient.toFloat().tolist<float>(), ElementsAre(2, 4, -6));
  }
}

TEST(GradientTest, errorsOfGradient) {
  Tensor x = Tensor::from({1.0f, 2.0f}), i = Tensor::from({1, 2});
  expectError<ShapeError>([&] { (x * 2).gradient({x}); },
                          "gradient: a tensor of shape [2] needs a cotangent");
  expectError<ShapeError>([&] { (x * 2).gradient({x}, Tensor::ones({3})); },
                          "a cotangent of shape [3] for a tensor of shape [2]");
  expectError<DTypeError>(
      [&] { (x * 2).gradient({x}, Tensor::ones({2}, DType::Float64)); },
      "a cotangent of float64 for a tensor of float32");
  expectError<DTypeError>([&] { i.sum().gradient({x}); },
                          "gradient: a tensor of int32 has no gradient");
  expectError<DTypeError>([&] { x.sum().gradient({i}); },
                          "by a tensor of int32");
  expectError<Error>([&] { x.sum().gradient({Tensor::ones({3}) * 2}); },
                     "does not depend on tensor 0 of those to differentiate "
                     "by, [3] float32");
  EXPECT_THAT(x.sum()
                  .gradient({Tensor::from({1.0f, 2.0f, 3.0f})}, {}, true)[0]
                  .tolist<float>(),
              ElementsAre(0, 0, 0));
  expectError<Error>(
      [&] {
        (x.bitcast(DType::Int32) + 1)
            .bitcast(DType::Float32)
            .sum()
            .gradient({x});
      },
      "does not depend on tensor 0");
  // Usable afterwards.
  EXPECT_THAT((x * x).sum().gradient({x})[0].tolist<float>(),
              ElementsAre(2, 4));
}

//===----------------------------------------------------------------------===//
// backward()
//===----------------------------------------------------------------------===//

TEST(BackwardTest, accumulates) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  EXPECT_TRUE(w.requiresGrad());
  EXPECT_FALSE(w.grad().defined());
  (w * 3).sum().backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(3, 3));
  (w * w).sum().backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(5, 7));
  w.zeroGrad();
  EXPECT_FALSE(w.grad().defined());
}

TEST(BackwardTest, equalParametersAreDistinct) {
  Tensor a = Tensor::zeros({2}).parameter(), b = Tensor::zeros({2}).parameter();
  Tensor still = Tensor::zeros({2}).parameter(false);
  (a * 2 + b * 3 + still * 4).sum().backward();
  EXPECT_THAT(a.grad().tolist<float>(), ElementsAre(2, 2));
  EXPECT_THAT(b.grad().tolist<float>(), ElementsAre(3, 3));
  EXPECT_FALSE(still.grad().defined());
  EXPECT_FALSE(Tensor::zeros({2}, DType::Int32).parameter().requiresGrad());
}

TEST(BackwardTest, tensorsBecomeParameters) {
  Tensor x = Tensor::ones({2}), before = x * 2;
  x.setRequiresGrad();
  Tensor other = Tensor::ones({2});
  (x * other).sum().backward();
  EXPECT_THAT(x.grad().tolist<float>(), ElementsAre(1, 1));
  expectError<Error>([&] { before.sum().backward(); },
                     "depends on no tensor that requires a gradient");
  x.setRequiresGrad(false);
  expectError<Error>([&] { (x * 3).sum().backward(); },
                     "depends on no tensor that requires a gradient");
}

TEST(BackwardTest, trainingLoop) {
  // Least squares by gradient descent: y = 2 x + 1.
  Tensor x = Tensor::from({-1.0f, 0.0f, 1.0f, 2.0f}), y = x * 2 + 1;
  Tensor w = Tensor::zeros({1}).parameter(), b = Tensor::zeros({1}).parameter();
  float loss = 0;
  for (int step = 0; step < 200; ++step) {
    Tensor error = (x * w + b - y).square().mean();
    error.backward();
    {
      NoGradScope noGrad;
      w.assign(w - w.grad() * 0.2);
      b.assign(b - b.grad() * 0.2);
    }
    realize({w, b, error});
    w.zeroGrad();
    b.zeroGrad();
    loss = error.item<float>();
  }
  EXPECT_LT(loss, 1e-6);
  EXPECT_NEAR(w.item<float>(), 2, 1e-3);
  EXPECT_NEAR(b.item<float>(), 1, 1e-3);
}

TEST(BackwardTest, stepsShareAProgram) {
  Tensor x = noiseTensor({4, 3}), w = noiseTensor({3, 2}, 2).parameter();
  auto step = [&] {
    x.matmul(w).square().sum().backward();
    {
      NoGradScope noGrad;
      w.assign(w - w.grad() * 0.01);
    }
    w.zeroGrad(); // it would keep the old contents
    w.realize();
  };
  step();
  const uint64_t compiled = GlobalCounters::kernelsCompiled;
  const std::size_t programs = Graph::current().numPrograms();
  const void *memory = w.buffer().address();
  const std::size_t operations = Graph::current().numOperations();
  for (int i = 0; i < 5; ++i)
    step();
  EXPECT_EQ(GlobalCounters::kernelsCompiled, compiled);
  EXPECT_EQ(Graph::current().numPrograms(), programs);
  EXPECT_EQ(w.buffer().address(), memory);
  EXPECT_EQ(Graph::current().numOperations(), operations);
}

TEST(BackwardTest, noGradAndDetach) {
  Tensor w = Tensor::from({2.0f}).parameter();
  Tensor inside;
  {
    NoGradScope noGrad;
    EXPECT_TRUE(NoGradScope::isActive());
    inside = w * w;
    {
      NoGradScope gradients(false);
      EXPECT_FALSE(NoGradScope::isActive());
      (w * 5).sum().backward();
    }
  }
  EXPECT_EQ(w.grad().item<float>(), 5);
  w.zeroGrad();
  Tensor outside = w * w; // equal, but with a gradient
  (inside * w + outside).sum().backward();
  EXPECT_EQ(w.grad().item<float>(), 8);
  w.zeroGrad();
  ((w * w).detach() * w).sum().backward();
  EXPECT_EQ(w.grad().item<float>(), 4);
  w.zeroGrad();
  // Results that fold to an existing value.
  Tensor folded;
  {
    NoGradScope noGrad;
    folded = w + 0;
  }
  (folded * w).sum().backward();
  EXPECT_EQ(w.grad().item<float>(), 2);
}

TEST(BackwardTest, assignments) {
  Tensor w = Tensor::from({1.0f, 2.0f, 3.0f}).parameter();
  // To a tensor that is computed: gradients flow through the assigned part.
  Tensor x = w * 2;
  x.shrink({{0, 1}}).assign(Tensor::from({7.0f}));
  x.shrink({{1, 2}}).assign((w * w).shrink({{2, 3}}));
  x.sum().backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(0, 0, 8));
  w.zeroGrad();
  // To memory.
  Tensor memory = Tensor::zeros({3}).realize();
  memory.assign(w * 5);
  (memory * memory).sum().backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(50, 100, 150));
  w.zeroGrad();
  // Between use and gradient.
  Tensor loss = (w * w).sum();
  {
    NoGradScope noGrad;
    w.assign(w * 2);
  }
  expectError<Error>([&] { loss.backward(); },
                     "backward: a tensor [3] float32 that requires a gradient "
                     "was assigned to after a value was computed from it");
  w.realize();
  expectError<Error>([&] { loss.backward(); }, "was assigned to after");
  EXPECT_FALSE(w.grad().defined());
  (w * w).sum().backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(4, 8, 12));
}

TEST(BackwardTest, valuesRealizedBefore) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  Tensor h = w * 2, loss = (h * w).sum();
  h.realize();
  expectError<Error>([&] { loss.backward(); },
                     "backward: a value [2] float32 that depends on tensors "
                     "which require a gradient was realized before");
  Tensor again = (h.detach() * w).sum();
  again.backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(2, 4));
  w.zeroGrad();
  Tensor scalar = (w * 3).sum();
  scalar.item<float>();
  expectError<Error>([&] { scalar.backward(); }, "was realized before");
  // A product that another program computes too is not cut off.
  Tensor m = noiseTensor({4, 2}).matmul(w.reshape({2, 1}));
  m.sum().item<float>();
  m.sum().backward();
  EXPECT_TRUE(w.grad().defined());
}

TEST(BackwardTest, elementsSelectedByMasks) {
  // Their number is known only after they were computed.
  Tensor w = Tensor::from({1.0f, 2.0f, 3.0f}).parameter();
  expectError<Error>(
      [&] { (w.maskedSelect(w > 1).square().sum() + w.sum()).backward(); },
      "was realized before");
  (w > 1).where(w.square(), 0).sum().backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(0, 4, 6));
}

TEST(BackwardTest, destroyedParametersDoNotMatter) {
  Tensor w = Tensor::from({1.0f}).parameter(), loss;
  {
    Tensor gone = Tensor::from({3.0f}).parameter();
    loss = (w * gone).sum();
  }
  loss.backward();
  EXPECT_EQ(w.grad().item<float>(), 3);
}

TEST(BackwardTest, errors) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  expectError<ShapeError>([&] { (w * 2).backward(); }, "needs a cotangent");
  expectError<Error>([&] { Tensor::ones({1}).backward(); },
                     "depends on no tensor that requires a gradient");
  expectError<DTypeError>([&] { Tensor::from({1}).setRequiresGrad(); },
                          "a tensor of int32 has no gradient");
  Tensor x = Tensor::from({1.0f, 2.0f});
  expectError<Error>([&] { x.shrink({{0, 1}}).setRequiresGrad(); },
                     "is a view");
  expectError<ShapeError>([&] { w.setGrad(Tensor::ones({3})); },
                          "a gradient of shape [3] for a tensor of shape [2]");
  expectError<DTypeError>([&] { w.setGrad(Tensor::ones({2}, DType::Float64)); },
                          "a gradient of float64 for a tensor of float32");
}

//===----------------------------------------------------------------------===//
// Custom gradients
//===----------------------------------------------------------------------===//

TEST(CustomGradientTest, replacesTheGradient) {
  Tensor w = Tensor::from({1.0f, -2.0f}).parameter();
  Tensor h = w * 3;
  // A straight-through estimator of the sign.
  Tensor sign = h.sign().withGradient(
      {h}, [](const Tensor &g) { return std::vector<Tensor>{g * 10}; });
  EXPECT_THAT(sign.tolist<float>(), ElementsAre(1, -1));
}

TEST(CustomGradientTest, flowsOn) {
  Tensor w = Tensor::from({1.0f, -2.0f}).parameter();
  auto straight = [](const Tensor &x) {
    return x.sign().withGradient(
        {x}, [x](const Tensor &g) { return std::vector<Tensor>{g * x}; });
  };
  Tensor h = w * 3;
  // Two of them, one after the other, and a path around both.
  (straight(straight(h) * 2 + h) + h).sum().backward();
  // Inner sign s = +-1 with gradient by h; a = 2 s + h = 5, -8. The gradient by
  // a is a, that by h is 2 a h + a + 1, that by w three times as much.
  EXPECT_THAT(w.grad().tolist<float>(),
              ElementsAre(3 * (2 * 5 * 3 + 5 + 1), 3 * (2 * 8 * 6 - 8 + 1)));
}

TEST(CustomGradientTest, noInputAndUndefinedGradients) {
  Tensor a = Tensor::from({1.0f}).parameter(),
         b = Tensor::from({2.0f}).parameter();
  Tensor y = (a * b).withGradient(
      {a, b}, [](const Tensor &g) { return std::vector<Tensor>{g, Tensor()}; });
  (y * 4 + b).sum().backward();
  EXPECT_EQ(a.grad().item<float>(), 4);
  EXPECT_EQ(b.grad().item<float>(), 1);
}

TEST(CustomGradientTest, errorsAndProgramCache) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  auto loss = [&](std::vector<Tensor> result) {
    return (w * 2)
        .withGradient({w}, [=](const Tensor &) { return result; })
        .sum();
  };
  expectError<Error>([&] { loss({}).backward(); },
                     "returned 0 gradients for 1 inputs");
  expectError<ShapeError>([&] { loss({Tensor::ones({3})}).backward(); },
                          "returned a gradient [3] float32 for an input [2] "
                          "float32");
  EXPECT_FALSE(w.grad().defined());
  EXPECT_EQ(loss({w}).item<float>(), 6);
  const std::size_t programs = Graph::current().numPrograms();
  EXPECT_EQ(loss({w}).item<float>(), 6);
  EXPECT_EQ(Graph::current().numPrograms(), programs);
}

TEST(CustomGradientTest, functionsAreReleased) {
  auto token = std::make_shared<int>(0);
  std::weak_ptr<int> alive = token;
  {
    Tensor w = Tensor::from({1.0f}).parameter();
    Tensor y = (w * 2).withGradient({w}, [w, token](const Tensor &g) {
      return std::vector<Tensor>{g * w};
    });
    token = nullptr;
    EXPECT_FALSE(alive.expired());
  }
  EXPECT_TRUE(alive.expired());
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

TEST(RealizeAlongTest, WithWhatSharesWork) {
  Tensor running = Tensor::zeros({3}).parameter(false);
  std::size_t operations = 0;
  for (int step = 0; step < 4; ++step) {
    Tensor x = noiseTensor({5, 3}, unsigned(step)).realize();
    Tensor h = x.exp(), other = noiseTensor({2}).realize() + 1;
    running.assign(running * 0.5 + h.mean(0) * 0.5);
    running.realizeAlong();
    running.realizeAlong();
    // Nothing in common.
    other.realize();
    EXPECT_FALSE(running.isRealized());
    GlobalCounters::reset();
    Tensor result = h.sum();
    result.realize();
    EXPECT_TRUE(running.isRealized());
    if (step == 0)
      operations = Graph::current().numOperations();
    EXPECT_LE(Graph::current().numOperations(), operations);
  }
  Tensor expected = Tensor::zeros({3});
  for (int step = 0; step < 4; ++step)
    expected = expected * 0.5 +
               noiseTensor({5, 3}, unsigned(step)).exp().mean(0) * 0.5;
  expectTensor(running, {3}, values(expected), 1e-5);
}

TEST(RealizeAlongTest, OfTensorsThatAreGone) {
  Tensor x = noiseTensor({5, 3}).realize();
  Tensor h = x.exp();
  {
    Tensor gone = h.mean();
    gone.realizeAlong();
  }
  Tensor kept = h.mean();
  kept.realizeAlong();
  h.sum().realize();
  EXPECT_TRUE(kept.isRealized());
}
