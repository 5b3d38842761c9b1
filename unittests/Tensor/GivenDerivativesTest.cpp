//===- GivenDerivativesTest.cpp -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Derivatives of activations of parameters, which are given instead of
/// computed from the operations of the function.
///
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"
#include "TinyGrad/Tensor/Training.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
struct Function {
  const char *name;
  std::function<Tensor(const Tensor &)> apply;
  std::function<double(double)> derivative;
};
} // namespace

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// The derivative of x sigmoid(y), where y has the derivative slope.
static double gate(double x, double y, double slope) {
  const double s = sigmoid(y);
  return s == 0 || s == 1 ? s : s + x * slope * s * (1 - s);
}

static std::vector<Function> functions() {
  constexpr double a = 1.5957691216057308, b = 0.0713548162726;
  return {
      {"sigmoid", [](const Tensor &x) { return x.sigmoid(); },
       [](double x) { return sigmoid(x) * (1 - sigmoid(x)); }},
      {"silu", [](const Tensor &x) { return x.silu(); },
       [](double x) { return gate(x, x, 1); }},
      {"gelu", [](const Tensor &x) { return x.gelu(); },
       [](double x) {
         return gate(x, x * (a + b * x * x), a + 3 * b * x * x);
       }},
      {"quickGelu", [](const Tensor &x) { return x.quickGelu(); },
       [](double x) { return gate(x, 1.702 * x, 1.702); }},
      {"softplus", [](const Tensor &x) { return x.softplus(2); },
       [](double x) { return sigmoid(2 * x); }},
      {"logsigmoid", [](const Tensor &x) { return x.logsigmoid(); },
       [](double x) { return sigmoid(-x); }},
  };
}

static const std::vector<double> kPoints = {
    -3e38, -1000, -120, -50, -12, -11, -10,  -5, -1,  -0.25, -1e-30,
    0,     1e-30, 0.25, 1,   5,   10,  12.5, 40, 120, 1e5,   3e38};

TEST(GivenDerivativesTest, values) {
  const std::vector<float> points(kPoints.begin(), kPoints.end());
  for (const Function &function : functions()) {
    SCOPED_TRACE(function.name);
    const Tensor x = Tensor::from(points).parameter();
    const Tensor y = function.apply(x);
    const std::vector<float> got =
        y.sum().gradient({x}).front().tolist<float>();
    for (std::size_t i = 0; i < points.size(); ++i)
      EXPECT_NEAR(got[i], function.derivative(points[i]), 5e-7)
          << "at " << points[i];
    // The value is that of a tensor that nothing asks for gradients of.
    const std::vector<float> value = y.tolist<float>(),
                             other = function.apply(Tensor::from(points))
                                         .tolist<float>();
    EXPECT_EQ(value, other);
  }
}

TEST(GivenDerivativesTest, infinitiesAndNaN) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const Function &function : functions()) {
    SCOPED_TRACE(function.name);
    const Tensor x =
        Tensor::from({-infinity, infinity, std::nanf("")}).parameter();
    const std::vector<float> got =
        function.apply(x).sum().gradient({x}).front().tolist<float>();
    EXPECT_NEAR(got[0], function.derivative(-1e4), 1e-6);
    EXPECT_NEAR(got[1], function.derivative(1e4), 1e-6);
    EXPECT_TRUE(std::isnan(got[2]));
  }
}

TEST(GivenDerivativesTest, narrowTypes) {
  const std::vector<float> points = {-60000, -100, -8, -1, 0, 0.5, 3, 100, 6e4};
  for (const Function &function : functions())
    for (DType dtype : {DType::Float16, DType::BFloat16}) {
      SCOPED_TRACE(std::string(function.name) + " of " + name(dtype));
      const Tensor x = Tensor::from(points).cast(dtype).realize().parameter();
      const Tensor gradient = function.apply(x).sum().gradient({x}).front();
      EXPECT_EQ(gradient.dtype(), dtype);
      const std::vector<float> got = gradient.toFloat().tolist<float>(),
                               at = x.detach().toFloat().tolist<float>();
      for (std::size_t i = 0; i < points.size(); ++i)
        EXPECT_NEAR(got[i], function.derivative(at[i]), 1e-2)
            << "at " << points[i];
    }
}

TEST(GivenDerivativesTest, derivativesOfDerivatives) {
  for (const Function &function : functions()) {
    SCOPED_TRACE(function.name);
    auto derivative = [&](const std::vector<Tensor> &at) {
      const Tensor x = at[0].requiresGrad() ? at[0] : at[0].parameter();
      return function.apply(x).gradient({x}, x.onesLike()).front();
    };
    constexpr double step = 1e-5;
    for (double point : {-3.0, -0.7, 0.0, 0.3, 2.0}) {
      const Tensor x = Tensor::from({point}).parameter();
      const double got =
          derivative({x}).sum().gradient({x}).front().item<double>();
      const double expected = (function.derivative(point + step) -
                               function.derivative(point - step)) /
                              (2 * step);
      EXPECT_NEAR(got, expected, 1e-6) << "at " << point;
    }
  }
}

// sinh and cosh are each other's derivatives, also where they overflow.
TEST(GivenDerivativesTest, hyperbolicFunctions) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> points = {-100, -88, -2, -0.5, 0, 0.25, 5, 89, 100};
  for (const bool isOdd : {true, false}) {
    SCOPED_TRACE(isOdd);
    const Tensor x = Tensor::from(points).parameter();
    std::vector<Tensor> derivatives = {isOdd ? x.sinh() : x.cosh()};
    for (int order = 1; order < 4; ++order)
      derivatives.push_back(
          derivatives.back().gradient({x}, x.onesLike()).front());
    realize(derivatives);
    for (int order = 0; order < 4; ++order) {
      SCOPED_TRACE(order);
      const std::vector<float> got = derivatives[order].tolist<float>();
      for (std::size_t i = 0; i < points.size(); ++i) {
        const double at = points[i];
        const double expected =
            (order % 2 == 0) == isOdd ? std::sinh(at) : std::cosh(at);
        if (std::fabs(expected) > std::numeric_limits<float>::max()) {
          EXPECT_EQ(got[i], expected < 0 ? -infinity : infinity) << at;
        } else {
          EXPECT_NEAR(got[i], expected, 1e-6 * std::fabs(expected)) << at;
        }
      }
    }
  }
}

TEST(GivenDerivativesTest, functionsOfFunctions) {
  const Tensor x = Tensor::from({-1.0, 0.5, 2.0}).parameter();
  const Tensor y = x.gelu();
  const std::vector<double> got =
      (y.sigmoid() * x).sum().gradient({x}).front().tolist<double>();
  const std::vector<double> at = {-1.0, 0.5, 2.0};
  const Function gelu = functions()[2];
  const std::vector<double> gelus = Tensor::from(at).gelu().tolist<double>();
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double s = sigmoid(gelus[i]);
    EXPECT_NEAR(got[i], s + at[i] * s * (1 - s) * gelu.derivative(at[i]), 1e-9);
  }
}

TEST(GivenDerivativesTest, withoutGradients) {
  const Tensor x = Tensor::from({0.5f, -0.5f}).parameter();
  Tensor y;
  {
    const NoGradScope scope;
    y = x.sigmoid();
  }
  EXPECT_EQ((y * x).sum().gradient({x}).front().tolist<float>(),
            y.tolist<float>());
  EXPECT_EQ((x.silu().detach() * x).sum().gradient({x}).front().tolist<float>(),
            x.silu().tolist<float>());
}
