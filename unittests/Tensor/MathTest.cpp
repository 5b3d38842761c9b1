//===- MathTest.cpp - functions of one tensor -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Elementary functions and activations compared with the C library.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <numbers>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
struct Function {
  const char *name;
  Tensor (*compute)(const Tensor &);
  double (*reference)(double);
  /// The maximal relative error; below `scale` it is absolute.
  double tolerance;
  double low, high;
  double scale = 1e-30;
};

#define METHOD(NAME) [](const Tensor &x) { return x.NAME(); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}

const Function kFunctions[] = {
    {"exp2", METHOD(exp2), std::exp2, 3e-7, -120, 120},
    {"exp", METHOD(exp), std::exp, 3e-7, -80, 80},
    {"exp near 0", METHOD(exp), std::exp, 3e-7, -1, 1},
    {"log2", METHOD(log2), std::log2, 3e-7, 1e-30, 1e30},
    {"log", METHOD(log), std::log, 3e-7, 1e-3, 1e4},
    {"log10", METHOD(log10), std::log10, 3e-7, 1e-3, 1e4},
    {"sqrt", METHOD(sqrt), std::sqrt, 1e-7, 0, 1e6},
    {"rsqrt", METHOD(rsqrt), [](double x) { return 1 / std::sqrt(x); }, 3e-7,
     1e-6, 1e6},
    {"reciprocal", METHOD(reciprocal), [](double x) { return 1 / x; }, 1e-7,
     1e-6, 1e6},
    {"square", METHOD(square), [](double x) { return x * x; }, 1e-7, -50, 50},
    {"sin", METHOD(sin), std::sin, 3e-7, -10, 10, 1},
    {"cos", METHOD(cos), std::cos, 4e-7, -10, 10, 1},
    {"cos near pi/2", METHOD(cos), std::cos, 2e-6, 1.56, 1.58, 1e-4},
    {"cos of large", METHOD(cos), std::cos, 6e-7, 1e5, 1e6, 1},
    {"tan", METHOD(tan), std::tan, 2e-6, -1.5, 1.5},
    {"asin", METHOD(asin), std::asin, 1e-6, -1, 1},
    {"asin near 0", METHOD(asin), std::asin, 1e-6, -1e-3, 1e-3},
    {"acos", METHOD(acos), std::acos, 1e-6, -1, 1, 1},
    {"atan", METHOD(atan), std::atan, 1e-6, -5, 5},
    {"atan of large", METHOD(atan), std::atan, 1e-6, 1e3, 1e38},
    {"sinh", METHOD(sinh), std::sinh, 1e-5, -88, 88},
    {"sinh near 0", METHOD(sinh), std::sinh, 1e-6, -1.5, 1.5},
    {"cosh", METHOD(cosh), std::cosh, 1e-5, -88, 88},
    {"tanh", METHOD(tanh), std::tanh, 1e-6, -10, 10},
    {"tanh near 0", METHOD(tanh), std::tanh, 1e-6, -1e-3, 1e-3},
    {"asinh", METHOD(asinh), std::asinh, 1e-6, -1e6, 1e6},
    {"asinh near 0", METHOD(asinh), std::asinh, 1e-6, -1e-2, 1e-2},
    {"asinh of large", METHOD(asinh), std::asinh, 1e-6, 1e10, 1e38},
    {"acosh", METHOD(acosh), std::acosh, 1e-6, 1, 10},
    {"acosh of large", METHOD(acosh), std::acosh, 1e-6, 1e10, 1e38},
    {"atanh", METHOD(atanh), std::atanh, 2e-6, -0.99, 0.99},
    {"erf", METHOD(erf), std::erf, 5e-7, -6, 6},
    {"erf near 0", METHOD(erf), std::erf, 5e-7, -1e-3, 1e-3},
    {"relu", METHOD(relu), [](double x) { return std::max(x, 0.0); }, 0, -3, 3},
    {"relu6", METHOD(relu6),
     [](double x) { return std::min(std::max(x, 0.0), 6.0); }, 0, -3, 9},
    {"leakyRelu", METHOD(leakyRelu),
     [](double x) { return x < 0 ? 0.01 * x : x; }, 1e-7, -3, 3},
    {"sigmoid", METHOD(sigmoid), sigmoid, 1e-5, -80, 80},
    {"logsigmoid", METHOD(logsigmoid), [](double x) { return -softplus(-x); },
     3e-6, -20, 20},
    {"hardsigmoid", METHOD(hardsigmoid),
     [](double x) { return std::min(std::max(x / 6 + 0.5, 0.0), 1.0); }, 3e-7,
     -5, 5, 1},
    {"hardswish", METHOD(hardswish),
     [](double x) { return x * std::min(std::max(x + 3, 0.0), 6.0) / 6; }, 5e-7,
     -5, 5, 1},
    {"hardtanh", METHOD(hardtanh),
     [](double x) { return std::min(std::max(x, -1.0), 1.0); }, 0, -3, 3},
    {"gelu", METHOD(gelu),
     [](double x) {
       return 0.5 * x *
              (1 + std::tanh(std::sqrt(2 / std::numbers::pi) *
                             (x + 0.044715 * x * x * x)));
     },
     1e-5, -4, 4, 1e-3},
    {"quickGelu", METHOD(quickGelu),
     [](double x) { return x * sigmoid(1.702 * x); }, 3e-6, -9, 9},
    {"silu", METHOD(silu), [](double x) { return x * sigmoid(x); }, 3e-6, -20,
     20},
    {"elu", METHOD(elu), [](double x) { return x > 0 ? x : std::expm1(x); },
     3e-7, -5, 5, 1},
    {"celu", METHOD(celu), [](double x) { return x > 0 ? x : std::expm1(x); },
     3e-7, -5, 5, 1},
    {"selu", METHOD(selu),
     [](double x) { return 1.0507 * (x > 0 ? x : 1.67326 * std::expm1(x)); },
     1e-6, -5, 5, 1},
    {"softplus", METHOD(softplus), softplus, 1e-5, -80, 80},
    {"softsign", METHOD(softsign),
     [](double x) { return x / (1 + std::fabs(x)); }, 3e-7, -50, 50},
    {"mish", METHOD(mish), [](double x) { return x * std::tanh(softplus(x)); },
     3e-6, -5, 20, 1e-1},
};
} // namespace

class MathFunction : public ::testing::TestWithParam<Function> {};

TEST_P(MathFunction, IsNearTheCLibrary) {
  const Function &function = GetParam();
  std::vector<float> points;
  for (int i = 0; i <= 400; ++i)
    points.push_back(
        float(function.low + (function.high - function.low) * i / 400));
  std::vector<float> found =
      function.compute(Tensor::from(points)).tolist<float>();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double expected = function.reference(points[i]);
    EXPECT_NEAR(found[i], expected,
                function.tolerance *
                        std::max(std::fabs(expected), function.scale) +
                    1e-44)
        << "at " << points[i];
  }
}

INSTANTIATE_TEST_SUITE_P(All, MathFunction, ::testing::ValuesIn(kFunctions),
                         [](const auto &info) {
                           std::string name = info.param.name;
                           for (char &c : name)
                             c = std::isalnum(c) ? c : '_';
                           return name;
                         });

TEST(Math, Float64) {
  std::vector<double> points;
  for (int i = -40; i <= 40; ++i)
    points.push_back(i * 0.11);
  Tensor x = Tensor::from(points);
  auto check = [&](const Tensor &y, double (*reference)(double),
                   double tolerance) {
    EXPECT_EQ(y.dtype(), DType::Float64);
    std::vector<double> expected;
    for (double point : points)
      expected.push_back(reference(point));
    expectTensor(y, {int64_t(points.size())}, expected, tolerance);
  };
  check(x.exp(), std::exp, 1e-15);
  check(x.elu(), [](double x) { return x > 0 ? x : std::expm1(x); }, 1e-15);
  check(x.sigmoid(), sigmoid, 1e-15);
  check(x.cosh(), std::cosh, 1e-15);
  check(x.sin(), std::sin, 1e-15);
  check(x.cos(), std::cos, 1e-15);
  check(x.tanh(), std::tanh, 1e-15);
  check(x.sinh(), std::sinh, 1e-15);
  check(x.asinh(), std::asinh, 1e-14);
  check(x.erf(), std::erf, 1e-14);
  check(x.atan(), std::atan, 1e-14);
  check(x.tan(), std::tan, 1e-14);
  check((x * 1e12).sin(), [](double x) { return std::sin(x * 1e12); }, 1e-15);
  check((x.abs() + 1).acosh(),
        [](double x) { return std::acosh(std::abs(x) + 1); }, 1e-14);
  check((x.abs() + 0.5).pow(x),
        [](double x) { return std::pow(std::abs(x) + 0.5, x); }, 1e-14);
}

TEST(Math, Float64NearZero) {
  std::vector<double> points;
  for (int i = 1; i <= 200; ++i)
    points.push_back(i * 0.0023);
  Tensor x = Tensor::from(points);
  auto check = [&](const Tensor &y, double (*reference)(double)) {
    const std::vector<double> found = y.tolist<double>();
    for (std::size_t i = 0; i < points.size(); ++i)
      EXPECT_NEAR(found[i] / reference(points[i]), 1, 1e-15) << points[i];
  };
  check(x.tanh(), std::tanh);
  check(x.sinh(), std::sinh);
  check(x.asin(), std::asin);
  check(x.asinh(), std::asinh);
  check(x.atanh(), std::atanh);
  check(x.erf(), std::erf);
  check((-x).elu() * -1, [](double y) { return -std::expm1(-y); });
}

TEST(Math, IntegersBecomeFloats) {
  Tensor x = Tensor::from({1, 4});
  EXPECT_EQ(x.sqrt().dtype(), DType::Float32);
  expectTensor(x.sqrt(), {2}, {1, 2});
  expectTensor(x.exp2(), {2}, {2, 16});
  EXPECT_EQ(x.tanh().dtype(), DType::Float32);
}

TEST(Math, NarrowFloatsAreRoundedOnce) {
  std::vector<double> expected;
  std::vector<Half> points;
  for (int i = -40; i <= 40; ++i) {
    points.push_back(Half(i * 0.25));
    expected.push_back(float(Half(std::exp(double(i) * 0.25))));
  }
  Tensor y = Tensor::from(points).exp();
  EXPECT_EQ(y.dtype(), DType::Float16);
  // Within one unit in the last place.
  expectTensor(y, {81}, expected, 0x1p-10);
}

TEST(Math, ZerosKeepTheirSign) {
  Tensor x = Tensor::from({-0.0f, 0.0f});
  using Method = Tensor (*)(const Tensor &);
  const Method odd[] = {
      METHOD(sin),  METHOD(tan),  METHOD(asin),  METHOD(atan),  METHOD(sinh),
      METHOD(tanh), METHOD(erf),  METHOD(asinh), METHOD(atanh), METHOD(sqrt),
      METHOD(elu),  METHOD(celu), METHOD(selu)};
  for (Method function : odd) {
    const std::vector<float> y = function(x).tolist<float>();
    EXPECT_EQ(y, (std::vector<float>{0, 0}));
    EXPECT_TRUE(std::signbit(y[0]));
    EXPECT_FALSE(std::signbit(y[1]));
  }
}

TEST(Math, OutsideOfTheDomain) {
  Tensor x = Tensor::from({-1e30f, -1e9f, -3.0f, -1.5f, 0.5f});
  expectTensor(x.acosh(), {5}, {NAN, NAN, NAN, NAN, NAN});
  expectTensor(x.log(), {5}, {NAN, NAN, NAN, NAN, std::log(0.5)}, 1e-6);
  expectTensor(Tensor::from({-1.5f, 1.5f, 1.0f, -1.0f}).atanh(), {4},
               {NAN, NAN, INFINITY, -INFINITY});
  expectTensor(Tensor::from({-1.5f, 1.5f}).asin(), {2}, {NAN, NAN});
}

TEST(Math, SpecialValues) {
  Tensor x = Tensor::from({NAN, INFINITY, -INFINITY, 0.0f, -0.0f});
  expectTensor(x.exp(), {5}, {NAN, INFINITY, 0, 1, 1});
  expectTensor(x.log(), {5}, {NAN, INFINITY, NAN, -INFINITY, -INFINITY});
  expectTensor(x.sqrt(), {5}, {NAN, INFINITY, NAN, 0, 0});
  expectTensor(x.tanh(), {5}, {NAN, 1, -1, 0, 0});
  expectTensor(x.erf(), {5}, {NAN, 1, -1, 0, 0});
  expectTensor(x.atan(), {5}, {NAN, M_PI_2, -M_PI_2, 0, 0}, 1e-7);
  expectTensor(Tensor::from({2.0f, -1.0f, 1.0f}).acos(), {3}, {NAN, M_PI, 0},
               1e-6);
  expectTensor(x.sigmoid(), {5}, {NAN, 1, 0, 0.5, 0.5});
  expectTensor(x.relu(), {5}, {NAN, INFINITY, 0, 0, 0});
  expectTensor(x.asinh(), {5}, {NAN, INFINITY, -INFINITY, 0, 0});
  expectTensor(x.cos(), {5}, {NAN, NAN, NAN, 1, 1});
  expectTensor(x.softplus(), {5}, {NAN, INFINITY, 0, std::log(2), std::log(2)},
               1e-6);
  expectTensor(x.isnan(), {5}, {1, 0, 0, 0, 0});
  expectTensor(x.isinf(), {5}, {0, 1, 1, 0, 0});
  expectTensor(x.isinf(true, false), {5}, {0, 1, 0, 0, 0});
  expectTensor(x.isfinite(), {5}, {0, 0, 0, 1, 1});
  expectTensor(Tensor::from({1, 2}).isnan(), {2}, {0, 0});
  expectTensor(x.abs(), {5}, {NAN, INFINITY, INFINITY, 0, 0});
  EXPECT_FALSE(std::signbit(x.abs().tolist<float>()[4]));
}

TEST(Math, Rounding) {
  Tensor x = Tensor::from({-2.5f, -1.5f, -0.5f, -0.3f, 0.3f, 0.5f, 1.5f, 2.5f,
                           0.49999997f, 8388609.0f, 1e30f, INFINITY, NAN});
  expectTensor(x.trunc(), {13},
               {-2, -1, 0, 0, 0, 0, 1, 2, 0, 8388609, 1e30f, INFINITY, NAN});
  expectTensor(x.floor(), {13},
               {-3, -2, -1, -1, 0, 0, 1, 2, 0, 8388609, 1e30f, INFINITY, NAN});
  expectTensor(x.ceil(), {13},
               {-2, -1, 0, 0, 1, 1, 2, 3, 1, 8388609, 1e30f, INFINITY, NAN});
  expectTensor(x.round(), {13},
               {-2, -2, 0, 0, 0, 0, 2, 2, 0, 8388609, 1e30f, INFINITY, NAN});
  expectTensor(Tensor::from({3, -3}).floor(), {2}, {3, -3});
}

TEST(Math, SignsAndBounds) {
  Tensor x = Tensor::from({-2, 0, 5});
  expectTensor(x.sign(), {3}, {-1, 0, 1});
  expectTensor(x.abs(), {3}, {2, 0, 5});
  expectTensor(x.clamp(-1, 3), {3}, {-1, 0, 3});
  expectTensor(x.clamp({}, 3), {3}, {-2, 0, 3});
  expectTensor(x.clamp(1), {3}, {1, 1, 5});
  expectTensor(Tensor::from({NAN, -1.5f, 0.0f}).sign(), {3}, {NAN, -1, 0});
  expectTensor(Tensor::from(std::vector<uint8_t>{0, 200}).sign(), {2}, {0, 1});
  expectTensor(Tensor::from(std::vector<uint8_t>{0, 200}).abs(), {2}, {0, 200});
  expectTensor(x.logicalNot(), {3}, {0, 1, 0});
  const Tensor low = Tensor::from({-1.0f, NAN, 1.0f}).parameter();
  const Tensor y = Tensor::from({-1.0f, 3.0f, NAN}).parameter();
  const Tensor z = y.clamp(low, 2.5);
  expectTensor(z, {3}, {-1, NAN, NAN});
  expectTensor(x.clamp(0.5), {3}, {0.5, 0.5, 5});
  expectTensor(x.clamp({}, Tensor::from({0, -3, 7})), {3}, {-2, -3, 5});
  EXPECT_ERROR(x.clamp({}, {}), Error, "clamp");
}

TEST(Math, BoundsThatAreNaN) {
  // As a bound in a tensor, and as maximum() and minimum() have it.
  const Tensor x = Tensor::from({-2.0f, 0.0f, NAN}).parameter();
  for (const Tensor &y :
       {x.clamp(NAN, 1), x.clamp(-1, NAN), x.clamp(NAN, NAN), x.clamp(NAN),
        x.clamp({}, NAN), x.clamp(Tensor(NAN), 1), x.maximum(NAN)})
    expectTensor(y, {3}, {NAN, NAN, NAN});
  expectTensor(Tensor::from({1, 2}).clamp(NAN, 3), {2}, {NAN, NAN});
  expectTensor(x.clamp(NAN, 1).sum().gradient({x})[0], {3}, {0, 0, 0});
}
