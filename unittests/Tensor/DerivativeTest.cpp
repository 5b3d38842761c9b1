//===- DerivativeTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Derivatives where functions change their formula: at both zeros, at other
/// borders, and where a formula alone would give infinities or NaN.
///
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"

#include <limits>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
using Function = std::function<Tensor(const Tensor &)>;

struct Known {
  const char *name;
  Function f;
  /// The first and second derivative.
  double first, second;
};
} // namespace

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static Tensor differentiated(const Tensor &y, const Tensor &x) {
  return y.gradient({x}, y.onesLike(), /*allowUnused=*/true)[0];
}

/// Expects each element of the gradient of sum(f(x)).
static void expectDerivatives(const Function &f, const std::vector<double> &at,
                              const std::vector<double> &expected,
                              double tolerance = 1e-12) {
  Tensor x = Tensor::from(at);
  expectTensor(f(x).sum().gradient({x}, {}, true)[0], x.shape(), expected,
               tolerance);
}

TEST(DerivativeTest, atBothZeros) {
  constexpr double half = 0.5, third = 1.0 / 3;
  const Known functions[] = {
      // As in PyTorch.
      {"abs", [](const Tensor &x) { return x.abs(); }, 0, 0},
      {"relu", [](const Tensor &x) { return x.relu(); }, 0, 0},
      {"sign", [](const Tensor &x) { return x.sign(); }, 0, 0},
      {"copysign", [](const Tensor &x) { return x.copysign(-1); }, 0, 0},
      // Smooth functions.
      {"sinh", [](const Tensor &x) { return x.sinh(); }, 1, 0},
      {"cosh", [](const Tensor &x) { return x.cosh(); }, 0, 1},
      {"tanh", [](const Tensor &x) { return x.tanh(); }, 1, 0},
      {"asinh", [](const Tensor &x) { return x.asinh(); }, 1, 0},
      {"atanh", [](const Tensor &x) { return x.atanh(); }, 1, 0},
      {"asin", [](const Tensor &x) { return x.asin(); }, 1, 0},
      {"sigmoid", [](const Tensor &x) { return x.sigmoid(); }, 0.25, 0},
      {"logsigmoid", [](const Tensor &x) { return x.logsigmoid(); }, half,
       -0.25},
      {"softplus", [](const Tensor &x) { return x.softplus(); }, half, 0.25},
      {"softplus of 3", [](const Tensor &x) { return x.softplus(3); }, half,
       0.75},
      {"logaddexp", [](const Tensor &x) { return x.logaddexp(0); }, half, 0.25},
      {"logaddexp, second operand",
       [](const Tensor &x) { return x.zerosLike().logaddexp(x); }, half, 0.25},
      {"silu", [](const Tensor &x) { return x.silu(); }, half, half},
      {"quickGelu", [](const Tensor &x) { return x.quickGelu(); }, half,
       1.702 / 2},
      {"gelu", [](const Tensor &x) { return x.gelu(); }, half,
       0.7978845608028654},
      // x tanh(softplus(x)): 3/5 and 2 (1 - 9/25) / 2.
      {"mish", [](const Tensor &x) { return x.mish(); }, 0.6, 0.64},
      {"softsign", [](const Tensor &x) { return x.softsign(); }, 1, 0},
      {"elu", [](const Tensor &x) { return x.elu(); }, 1, 0},
      {"hardswish", [](const Tensor &x) { return x.hardswish(); }, half, third},
      {"square", [](const Tensor &x) { return x.square(); }, 0, 2},
      {"pow 2", [](const Tensor &x) { return x.pow(2); }, 0, 2},
      {"pow 3", [](const Tensor &x) { return x.pow(3); }, 0, 0},
      {"pow 0", [](const Tensor &x) { return x.pow(0); }, 0, 0},
      {"pow 1.5", [](const Tensor &x) { return x.pow(1.5); }, 0, kInfinity},
      {"power", [](const Tensor &x) { return x.onesLike().mul(3).pow(x); },
       std::log(3.0), std::log(3.0) * std::log(3.0)},
      {"fmod", [](const Tensor &x) { return x.fmod(3); }, 1, 0},
      {"mod", [](const Tensor &x) { return x.mod(3); }, 1, 0},
      {"mod of a negative", [](const Tensor &x) { return x.mod(-3); }, 1, 0},
      // Borders: as relu().
      {"relu6", [](const Tensor &x) { return x.relu6(); }, 0, 0},
      // That of a bound flows through the tensor.
      {"hardtanh", [](const Tensor &x) { return x.hardtanh(0, 1); }, 1, 0},
      {"clamp", [](const Tensor &x) { return x.clamp({}, 0); }, 1, 0},
  };
  for (const Known &known : functions) {
    SCOPED_TRACE(known.name);
    for (DType dtype : {DType::Float64, DType::Float32}) {
      Tensor x = Tensor::from({0.0, -0.0}).cast(dtype).realize();
      Tensor first = differentiated(known.f(x), x),
             second = differentiated(first, x);
      realize({first, second});
      const double tolerance = dtype == DType::Float64 ? 1e-12 : 1e-5;
      expectTensor(first, {2}, {known.first, known.first}, tolerance);
      expectTensor(second, {2}, {known.second, known.second}, tolerance);
    }
  }
}

TEST(DerivativeTest, atOtherBorders) {
  const std::vector<double> at = {-1, 1};
  expectDerivatives([](const Tensor &x) { return x.sinh(); }, at,
                    {std::cosh(1), std::cosh(1)});
  expectDerivatives([](const Tensor &x) { return x.leakyRelu(0.1); },
                    {-1, 0, 1}, {0.1, 1, 1});
  expectDerivatives([](const Tensor &x) { return x.asinh(); },
                    {-1e8, -1e9, 1e8, 1e9, 1e200}, {1e-8, 1e-9, 1e-8, 1e-9, 0},
                    1e-15);
  expectDerivatives([](const Tensor &x) { return x.acosh(); },
                    {2, 1e8, 1e9, 1e200}, {1 / std::sqrt(3), 1e-8, 1e-9, 0},
                    1e-15);
  // Beyond the domain, that of the formula, and not 0.
  // Also by tensors that require no gradient.
  for (const bool requiresGrad : {false, true}) {
    const Tensor x = Tensor::from({1.0, 0.5, -2.0}).parameter(requiresGrad);
    expectTensor(x.acosh().sum().gradient({x})[0], {3},
                 {kInfinity, NAN, 1 / std::sqrt(3)}, 1e-15);
    const Tensor y =
        Tensor::from({1.0, -1.0, 2.0, -0.5}).parameter(requiresGrad);
    expectTensor(y.atanh().sum().gradient({y})[0], {4},
                 {kInfinity, kInfinity, -1.0 / 3, 4.0 / 3}, 1e-15);
  }
  expectDerivatives([](const Tensor &z) { return z.acosh(); }, {0.5, -2},
                    {NAN, 1 / std::sqrt(3)}, 1e-15);
  expectDerivatives([](const Tensor &z) { return z.atanh(); }, {2, -0.5},
                    {-1.0 / 3, 4.0 / 3}, 1e-15);
  // 0^x is infinite for x < 0, and falls.
  expectDerivatives([](const Tensor &x) { return x.zerosLike().pow(x); },
                    {-2, -0.5, 0, 2}, {-kInfinity, -kInfinity, 0, 0});
  expectDerivatives([](const Tensor &x) { return x.elu(2); }, {-1e-9, 0, 1},
                    {2, 1, 1}, 1e-8);
  // d^2 / 2 and delta (|d| - delta / 2) have one derivative at delta.
  const Tensor zeros = Tensor::zeros({3}, DType::Float64);
  expectDerivatives(
      [&](const Tensor &x) { return x.huberLoss(zeros, Reduction::Sum, 0.5); },
      {-0.5, 0, 0.5}, {-0.5, 0, 0.5});
}

TEST(DerivativeTest, whereBoundsAreReached) {
  expectDerivatives([](const Tensor &x) { return x.relu6(); }, {-1, 0, 6, 7},
                    {0, 0, 1, 0});
  expectDerivatives([](const Tensor &x) { return x.hardtanh(); }, {-1, 0, 1, 2},
                    {1, 1, 1, 0});
  expectDerivatives([](const Tensor &x) { return x.hardsigmoid(0.5, 0.5); },
                    {-1, 0, 1, 2}, {0, 0.5, 0.5, 0});
  expectDerivatives([](const Tensor &x) { return x.hardswish(); }, {-3, 3},
                    {0, 1.5});
}

TEST(DerivativeTest, ofLargeNumbersAndInfinities) {
  using Unary = Tensor (Tensor::*)() const;
  struct Limits {
    Unary f;
    double below, above;
  };
  const Limits all[] = {
      {&Tensor::sigmoid, 0, 0},   {&Tensor::logsigmoid, 1, 0},
      {&Tensor::silu, 0, 1},      {&Tensor::gelu, 0, 1},
      {&Tensor::quickGelu, 0, 1}, {&Tensor::mish, 0, 1},
      {&Tensor::tanh, 0, 0},      {&Tensor::erf, 0, 0},
      {&Tensor::atan, 0, 0},      {&Tensor::asinh, 0, 0},
      {&Tensor::relu, 0, 1},      {&Tensor::relu6, 0, 0},
      {&Tensor::hardswish, 0, 1}, {&Tensor::abs, -1, 1},
  };
  for (const Limits &limits : all) {
    SCOPED_TRACE("function " + std::to_string(&limits - all));
    expectDerivatives([&](const Tensor &x) { return (x.*limits.f)(); },
                      {-kInfinity, -1e300, 1e300, kInfinity},
                      {limits.below, limits.below, limits.above, limits.above});
  }
  expectDerivatives([](const Tensor &x) { return x.softplus(); },
                    {-kInfinity, -1e300, 1e300, kInfinity}, {0, 0, 1, 1});
  expectDerivatives([](const Tensor &x) { return x.elu(); },
                    {-kInfinity, -1e300, 1e300, kInfinity}, {0, 0, 1, 1});
  expectDerivatives([](const Tensor &x) { return x.logaddexp(1); },
                    {-kInfinity, -1e300, 1e300, kInfinity}, {0, 0, 1, 1});
  // The difference of equal infinities would be NaN.
  Tensor a = Tensor::from({kInfinity, -kInfinity}),
         b = Tensor::from({kInfinity, -kInfinity});
  for (double value : values(a.logaddexp(b).sum().gradient({a})[0]))
    EXPECT_TRUE(std::isfinite(value));
  expectTensor(a.logaddexp(b), {2}, {kInfinity, -kInfinity});
}

TEST(DerivativeTest, ofLosses) {
  const Tensor zeros = Tensor::zeros({3}, DType::Float64);
  const std::vector<double> at = {-2, 0, 3}, signs = {-1, 0, 1};
  expectDerivatives(
      [&](const Tensor &x) { return x.l1Loss(zeros, Reduction::Sum); }, at,
      signs);
  expectDerivatives(
      [&](const Tensor &x) { return x.smoothL1Loss(zeros, Reduction::Sum, 0); },
      at, signs);
  expectDerivatives(
      [&](const Tensor &x) { return x.smoothL1Loss(zeros, Reduction::Sum); },
      at, signs);
  // The derivative by a logit is sigmoid(x) - target.
  expectDerivatives(
      [&](const Tensor &x) {
        return x.binaryCrossentropyLogits(Tensor::from({0.0, 1.0, 0.5}),
                                          Reduction::Sum);
      },
      {0, 0, 0}, {0.5, -0.5, 0});
  // A logarithm that is limited to -100 has no derivative.
  expectDerivatives(
      [&](const Tensor &x) {
        return x.binaryCrossentropy(Tensor::from({0.0, 1.0, 1.0, 0.0}),
                                    Reduction::Sum);
      },
      {0, 0, 1, 1}, {1, 0, -1, 0});
  // exp(x) of a class that does not occur, and a target of 0.
  expectDerivatives(
      [&](const Tensor &x) {
        return x.klDivLoss(Tensor::from({0.0, 0.25, 0.75}), Reduction::Sum);
      },
      {-1, -2, -3}, {0, -0.25, -0.75});
}

TEST(DerivativeTest, ofExponentialsOfInfinities) {
  const double one = std::exp(-1) / (1 + std::exp(-1)); // softmax of 0 and 1
  expectDerivatives([](const Tensor &x) { return x.logsumexp(); },
                    {-kInfinity, 0, 1}, {0, one, 1 - one});
  expectDerivatives([](const Tensor &x) { return x.logsumexp(); },
                    {-kInfinity, -kInfinity}, {0, 0});
  expectDerivatives([](const Tensor &x) { return x.softmax()[1]; },
                    {-kInfinity, 0, 1}, {0, one * (1 - one), one * (one - 1)});
  expectDerivatives([](const Tensor &x) { return x.logSoftmax()[1]; },
                    {-kInfinity, 0, 1}, {0, 1 - one, one - 1});
  // Equal maxima.
  expectDerivatives([](const Tensor &x) { return x.logsumexp(); }, {2, 2},
                    {0.5, 0.5});
}

//===----------------------------------------------------------------------===//
// Norms and deviations of zero
//===----------------------------------------------------------------------===//

TEST(DerivativeTest, normsOfZeros) {
  // x / max(norm, eps) is x / eps there.
  for (double p : {0.0, 0.5, 1.0, 2.0, 3.0, kInfinity}) {
    SCOPED_TRACE(p);
    Tensor x = Tensor::from({{0.0, 0.0}, {3.0, 4.0}}).realize();
    std::vector<double> gradient =
        values(x.normalize(p, 1, 0.5).sum().gradient({x})[0]);
    EXPECT_EQ(gradient[0], 2);
    EXPECT_EQ(gradient[1], 2);
    EXPECT_TRUE(std::isfinite(gradient[2]) && std::isfinite(gradient[3]));
  }
  // Of (3, 4) / 5: (1, 1) / 5 - 7 (3, 4) / 125.
  Tensor x = Tensor::from({{0.0, 0.0}, {3.0, 4.0}}).realize();
  expectTensor(x.normalize(2, 1, 0.5).sum().gradient({x})[0], {2, 2},
               {2, 2, 4.0 / 125, -3.0 / 125}, 1e-15);
  // With a zero among others.
  Tensor y = Tensor::from({{0.0, 2.0}}).realize();
  expectTensor(y.normalize(3).sum().gradient({y})[0], {1, 2}, {0.5, 0}, 1e-15);
  Tensor zeros = Tensor::from({{0.0, 0.0}, {0.0, 0.0}}).realize();
  expectTensor(zeros.newtonSchulz(0, {1.0}, 0.5).sum().gradient({zeros})[0],
               {2, 2}, {2, 2, 2, 2});
}

TEST(DerivativeTest, deviationsOfEqualNumbers) {
  Tensor x = Tensor::from({{2.0, 2.0, 2.0}, {1.0, 2.0, 3.0}}).realize();
  const double third = 0.5; // of the standard deviation 1: d / 2
  expectTensor(x.std(1).sum().gradient({x})[0], {2, 3},
               {0, 0, 0, -third, 0, third}, 1e-15);
  expectTensor(x.stdMean(1).first.sum().gradient({x})[0], {2, 3},
               {0, 0, 0, -third, 0, third}, 1e-15);
  expectTensor(x.var(1).sum().gradient({x})[0], {2, 3}, {0, 0, 0, -1, 0, 1},
               1e-15);
  // The second derivative of the variance is 2 (1 - 1/n) / (n - 1) by one
  // element, and -2 / n / (n - 1) by another one.
  Tensor first = x.var(1).sum().gradient({x})[0];
  Tensor second =
      first.gradient({x}, Tensor::from({{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}))[0];
  expectTensor(second, {2, 3},
               {2.0 / 3, -1.0 / 3, -1.0 / 3, -1.0 / 3, -1.0 / 3, 2.0 / 3},
               1e-15);
  for (const Tensor &normal : {x.layernorm(), x.rmsnorm()})
    for (double value : values(normal.sum().gradient({x})[0]))
      EXPECT_TRUE(std::isfinite(value));
}

// What a choice between a value and the same value without a gradient costs:
// nothing.
TEST(DerivativeTest, choicesOfGradientsAreNotCompiled) {
  Tensor x = noiseTensor({4}).realize();
  EXPECT_EQ(x.relu().graph(), x.maximum(0).graph());
  EXPECT_EQ(x.abs().graph(), (x > 0).where(x, 0 - x).graph());
  for (const Tensor &y : {x.relu(), x.abs(), x.normalize(2, 0), x.std()})
    EXPECT_EQ(y.tolist<float>(), y.contiguous().tolist<float>());
}
