//===- MathToPolynomialTest.cpp - Accuracy of expanded functions ----------===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiles loops over the functions that tg-expand-math inlines, as vector
/// code for this machine and for AVX2 and as scalar code, and compares their
/// results with the C library in f64. benchmarks/math-functions --exhaustive
/// does the same for every f32.
///
//===----------------------------------------------------------------------===//

#include "MathLoop.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <random>
#include <string_view>
#include <vector>

using namespace tinygrad::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kMax = std::numeric_limits<float>::max();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();

struct UnaryFunction {
  const char *name;
  double (*reference)(double);
};

const UnaryFunction kFunctions[] = {
    {"exp2", std::exp2}, {"exp", std::exp},   {"expm1", std::expm1},
    {"log2", std::log2}, {"log", std::log},   {"log1p", std::log1p},
    {"sin", std::sin},   {"cos", std::cos},   {"tan", std::tan},
    {"asin", std::asin}, {"acos", std::acos}, {"atan", std::atan},
    {"tanh", std::tanh}, {"erf", std::erf}};

void PrintTo(const UnaryFunction &function, std::ostream *os) {
  *os << function.name;
}

struct Code {
  const char *name;
  unsigned lanes;
  bool avx2Only;
};

const Code kCodes[] = {{"Vector16", 16, false},
                       {"Vector8Avx2", 8, true},
                       {"Vector5", 5, false},
                       {"Scalar", 1, false},
                       {"ScalarAvx2", 1, true}};

void PrintTo(const Code &code, std::ostream *os) { *os << code.name; }

/// Arguments at which functions change their behavior, with both signs and
/// with their neighbors.
std::vector<float> specialValues() {
  std::vector<float> values;
  for (float value :
       {0.0f, kTiny, 2 * kTiny, 0x1p-140f, 0x1p-127f, 0x1p-126f, 0x1p-64f,
        0x1p-25f, 0x1p-24f, 0x1p-12f, 0.125f, 0.29289322f, 0.3465736f, 0.5f,
        0.625f, 0.70710678f, 1.0f, 1.41421356f, 1.5f, 1.57079633f, 2.0f,
        2.71828183f, 3.0f, 3.14159265f, 3.92f, 4.0f, 4.5f, 9.02f, 10.0f, 64.0f,
        87.33655f, 88.722839f, 103.97f, 126.0f, 127.0f, 128.0f, 129.0f, 148.0f,
        149.0f, 149.5f, 150.0f, 151.0f, 1000.0f, 0x1p19f, 0x1p20f, 0x1p23f,
        0x1p24f, 0x1p25f, 0x1p31f, 0x1p63f,
        // One of the f32 closest to a multiple of pi / 2.
        16367173.0f * 0x1p72f, 0x1.47d0fep34f, 0x1.f3d8p10f, kMax, kInf, kNaN})
    for (float near :
         {value, std::nextafter(value, 0.0f), std::nextafter(value, kInf)}) {
      values.push_back(near);
      values.push_back(-near);
    }
  // NaNs with various payloads.
  for (uint32_t bits : {0x7f800001u, 0x7fbfffffu, 0x7fffffffu, 0xff800001u})
    values.push_back(llvm::bit_cast<float>(bits));
  return values;
}

/// Rounds the length up to a multiple of all numbers of lanes.
void padToLanes(std::vector<float> &values) {
  while (values.size() % (16 * 5) != 0)
    values.push_back(1.0f);
}

/// Special values, then random bits (uniform in the exponent), then uniform
/// numbers of moderate size.
std::vector<float> unaryArguments() {
  std::vector<float> values = specialValues();
  std::mt19937 random(12345);
  for (int i = 0; i < 200000; ++i)
    values.push_back(llvm::bit_cast<float>(uint32_t(random())));
  std::uniform_real_distribution<float> moderate(-160.0f, 160.0f);
  for (int i = 0; i < 100000; ++i)
    values.push_back(moderate(random));
  std::uniform_real_distribution<float> nearOne(0.5f, 2.0f);
  for (int i = 0; i < 100000; ++i)
    values.push_back(nearOne(random));
  padToLanes(values);
  return values;
}

class Unary : public testing::TestWithParam<std::tuple<UnaryFunction, Code>> {};

TEST_P(Unary, WithinTwoUlp) {
  if (!hostHasFma())
    GTEST_SKIP() << "needs AVX2 and FMA";
  const auto &[function, code] = GetParam();
  MathLoopSpec spec;
  spec.body = std::string("%r = math.") + function.name + " %a : $T";
  spec.lanes = code.lanes;
  spec.avx2Only = code.avx2Only;
  std::unique_ptr<MathLoop> loop = MathLoop::compile(spec);
  ASSERT_TRUE(loop);

  std::vector<float> x = unaryArguments(), got(x.size());
  loop->run(x.data(), x.data(), got.data(), x.size());
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double exact = function.reference(x[i]);
    double distance = ulpDistance(got[i], exact);
    worst = std::max(worst, distance);
    ASSERT_LE(distance, 2.0) << function.name << "(" << x[i] << ") gave "
                             << got[i] << ", not " << exact;
  }
  // If every result were exact, the measurement would be broken.
  EXPECT_GT(worst, 0.5);
}

INSTANTIATE_TEST_SUITE_P(All, Unary,
                         testing::Combine(testing::ValuesIn(kFunctions),
                                          testing::ValuesIn(kCodes)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) +
                                  std::get<1>(info.param).name;
                         });

//===----------------------------------------------------------------------===//
// pow
//===----------------------------------------------------------------------===//

class Pow : public testing::TestWithParam<Code> {
protected:
  void SetUp() override {
    if (!hostHasFma())
      GTEST_SKIP() << "needs AVX2 and FMA";
    MathLoopSpec spec;
    spec.body = "%r = math.powf %a, %b : $T";
    spec.lanes = GetParam().lanes;
    spec.avx2Only = GetParam().avx2Only;
    loop = MathLoop::compile(spec);
    ASSERT_TRUE(loop);
  }

  /// Pads the arguments and compares all results.
  void compare(std::vector<float> x, std::vector<float> y) {
    padToLanes(x);
    padToLanes(y);
    std::vector<float> got(x.size());
    loop->run(x.data(), y.data(), got.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      double exact = std::pow(double(x[i]), double(y[i]));
      ASSERT_LE(ulpDistance(got[i], exact), 2.0)
          << "pow(" << x[i] << ", " << y[i] << ") gave " << got[i] << ", not "
          << exact;
    }
  }

  std::unique_ptr<MathLoop> loop;
};

TEST_P(Pow, SpecialCases) {
  // The cases of C's Annex F, F.10.4.4.
  struct Case {
    float x, y, expected;
  };
  const Case cases[] = {{0.0f, -3.0f, kInf},      {-0.0f, -3.0f, -kInf},
                        {0.0f, -2.0f, kInf},      {-0.0f, -2.0f, kInf},
                        {0.0f, -0.5f, kInf},      {-0.0f, -0.5f, kInf},
                        {0.0f, -kInf, kInf},      {-0.0f, -kInf, kInf},
                        {0.0f, 3.0f, 0.0f},       {-0.0f, 3.0f, -0.0f},
                        {0.0f, 2.0f, 0.0f},       {-0.0f, 2.0f, 0.0f},
                        {-0.0f, 0.5f, 0.0f},      {-1.0f, kInf, 1.0f},
                        {-1.0f, -kInf, 1.0f},     {1.0f, kNaN, 1.0f},
                        {1.0f, kInf, 1.0f},       {kNaN, 0.0f, 1.0f},
                        {kNaN, -0.0f, 1.0f},      {kInf, 0.0f, 1.0f},
                        {0.0f, 0.0f, 1.0f},       {-2.0f, 0.5f, kNaN},
                        {-2.0f, -1.5f, kNaN},     {-kMax, 0.5f, kNaN},
                        {-kTiny, 0.5f, kNaN},     {0.5f, -kInf, kInf},
                        {-0.5f, -kInf, kInf},     {2.0f, -kInf, 0.0f},
                        {-2.0f, -kInf, 0.0f},     {0.5f, kInf, 0.0f},
                        {-0.5f, kInf, 0.0f},      {2.0f, kInf, kInf},
                        {-2.0f, kInf, kInf},      {-kInf, -3.0f, -0.0f},
                        {-kInf, -2.0f, 0.0f},     {-kInf, -0.5f, 0.0f},
                        {-kInf, 3.0f, -kInf},     {-kInf, 2.0f, kInf},
                        {-kInf, 0.5f, kInf},      {kInf, -1.0f, 0.0f},
                        {kInf, 1.0f, kInf},       {kInf, kTiny, kInf},
                        {kNaN, 1.0f, kNaN},       {2.0f, kNaN, kNaN},
                        {-1.0f, kNaN, kNaN},      {0.0f, kNaN, kNaN},
                        {-1.0f, 0x1p24f, 1.0f},   {-1.0f, 16777215.0f, -1.0f},
                        {-2.0f, -149.0f, -kTiny}, {-2.0f, 3.0f, -8.0f},
                        {10.0f, 2.0f, 100.0f},    {-kMax, 3.0f, -kInf},
                        {0.0f, -kTiny, kInf},     {0.0f, kTiny, 0.0f}};
  std::vector<float> x, y;
  for (const Case &one : cases) {
    x.push_back(one.x);
    y.push_back(one.y);
  }
  padToLanes(x);
  padToLanes(y);
  std::vector<float> got(x.size());
  loop->run(x.data(), y.data(), got.data(), x.size());
  for (size_t i = 0; i < std::size(cases); ++i) {
    float expected = cases[i].expected;
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(got[i]))
          << "pow(" << x[i] << ", " << y[i] << ") gave " << got[i];
    else
      EXPECT_EQ(llvm::bit_cast<uint32_t>(expected),
                llvm::bit_cast<uint32_t>(got[i]))
          << "pow(" << x[i] << ", " << y[i] << ") gave " << got[i] << ", not "
          << expected;
  }
}

TEST_P(Pow, AllPairsOfSpecialValues) {
  std::vector<float> values = specialValues(), x, y;
  for (float a : values)
    for (float b : values) {
      x.push_back(a);
      y.push_back(b);
    }
  compare(x, y);
}

TEST_P(Pow, RandomWithinTwoUlp) {
  std::mt19937 random(54321);
  std::vector<float> x, y;
  // Random bits; most results overflow or are zero or NaN.
  for (int i = 0; i < 100000; ++i) {
    x.push_back(llvm::bit_cast<float>(uint32_t(random())));
    y.push_back(llvm::bit_cast<float>(uint32_t(random())));
  }
  // Random positive x, and y such that the result is anywhere in the range.
  std::uniform_real_distribution<double> exponent(-152.0, 130.0);
  for (int i = 0; i < 200000; ++i) {
    float base = llvm::bit_cast<float>(uint32_t(random()) % 0x7f800000u);
    x.push_back(base);
    y.push_back(float(exponent(random) / std::log2(double(base))));
  }
  // The same for x close to 1.
  for (int i = 0; i < 100000; ++i) {
    float base = llvm::bit_cast<float>(0x3f800000u - 5000u +
                                       uint32_t(random()) % 10000u);
    x.push_back(base);
    y.push_back(float(exponent(random) / std::log2(double(base))));
  }
  // Negative x and integral y.
  std::uniform_real_distribution<float> moderate(-20.0f, 0.0f);
  for (int i = 0; i < 50000; ++i) {
    x.push_back(moderate(random));
    y.push_back(std::nearbyint(2 * moderate(random) + 20.0f));
  }
  compare(x, y);
}

INSTANTIATE_TEST_SUITE_P(All, Pow, testing::ValuesIn(kCodes),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

//===----------------------------------------------------------------------===//
// Other types
//===----------------------------------------------------------------------===//

class Narrow : public testing::TestWithParam<std::tuple<UnaryFunction, Code>> {
};

/// For all numbers of a 16-bit format, the result must be the correctly rounded
/// one, except for ties that the rounding to f32 decided.
void checkNarrow(const UnaryFunction &function, const Code &code,
                 const char *element, const llvm::fltSemantics &semantics) {
  if (!hostHasFma())
    GTEST_SKIP() << "needs AVX2 and FMA";
  MathLoopSpec spec;
  spec.body = std::string("%r = math.") + function.name + " %a : $T";
  spec.element = element;
  spec.lanes = code.lanes;
  spec.avx2Only = code.avx2Only;
  std::unique_ptr<MathLoop> loop = MathLoop::compile(spec);
  ASSERT_TRUE(loop);
  std::vector<uint16_t> x(1 << 16), got(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = i;
  loop->run(x.data(), x.data(), got.data(), x.size());
  auto toDouble = [&](uint16_t bits) {
    llvm::APFloat value(semantics, llvm::APInt(16, bits));
    bool lost;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &lost);
    return value.convertToDouble();
  };
  auto round = [&](double exact) {
    llvm::APFloat value(exact);
    bool lost;
    value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
    return uint16_t(value.bitcastToAPInt().getZExtValue());
  };
  for (size_t i = 0; i < x.size(); ++i) {
    double exact = function.reference(toDouble(x[i]));
    double result = toDouble(got[i]);
    if (std::isnan(exact)) {
      ASSERT_TRUE(std::isnan(result)) << "at " << toDouble(x[i]);
      continue;
    }
    // An error of 2 ulp of f32 may decide a tie.
    double slack = std::fabs(exact) * 0x1p-21;
    ASSERT_TRUE(got[i] == round(exact) || got[i] == round(exact - slack) ||
                got[i] == round(exact + slack))
        << function.name << "(" << toDouble(x[i]) << ") gave " << result
        << ", not " << exact;
  }
}

TEST_P(Narrow, F16) {
  checkNarrow(std::get<0>(GetParam()), std::get<1>(GetParam()), "f16",
              llvm::APFloat::IEEEhalf());
}

TEST_P(Narrow, BF16) {
  checkNarrow(std::get<0>(GetParam()), std::get<1>(GetParam()), "bf16",
              llvm::APFloat::BFloat());
}

INSTANTIATE_TEST_SUITE_P(All, Narrow,
                         testing::Combine(testing::ValuesIn(kFunctions),
                                          testing::Values(kCodes[0], kCodes[1],
                                                          kCodes[3])),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) +
                                  std::get<1>(info.param).name;
                         });

/// Functions that are also inlined in f64, with a more exact reference.
struct WideFunction {
  const char *name;
  long double (*reference)(long double);
};

const WideFunction kWideFunctions[] = {
    {"exp", std::exp},     {"expm1", std::expm1}, {"log", std::log},
    {"log1p", std::log1p}, {"erf", std::erf},     {"exp2", std::exp2},
    {"log2", std::log2},   {"tanh", std::tanh},   {"asin", std::asin},
    {"acos", std::acos},   {"atan", std::atan}};

void PrintTo(const WideFunction &function, std::ostream *os) {
  *os << function.name;
}

/// Like ulpDistance of f32.
double wideUlpDistance(double got, long double exact) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(got) || std::isnan(exact))
    return std::isnan(got) && std::isnan(exact) ? 0 : infinity;
  const auto rounded = static_cast<double>(exact);
  if (got == rounded && (std::isinf(got) || got == 0))
    return std::signbit(got) == std::signbit(rounded) ? 0 : infinity;
  if (std::isinf(rounded) || std::isinf(got))
    return infinity;
  const int exponent = exact == 0 ? -1022 : std::max(std::ilogb(exact), -1022);
  return static_cast<double>(std::fabs(got - exact) /
                             std::ldexp(1.0L, exponent - 52));
}

class WideUnary
    : public testing::TestWithParam<std::tuple<WideFunction, Code>> {};

TEST_P(WideUnary, WithinTwoUlp) {
  if (!hostHasFma())
    GTEST_SKIP() << "needs AVX2 and FMA";
  const auto &[function, code] = GetParam();
  MathLoopSpec spec;
  spec.body = std::string("%r = math.") + function.name + " %a : $T";
  spec.element = "f64";
  spec.lanes = code.lanes;
  spec.avx2Only = code.avx2Only;
  std::unique_ptr<MathLoop> loop = MathLoop::compile(spec);
  ASSERT_TRUE(loop);

  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> x;
  for (double value : {0.0,
                       0x1p-1074,
                       0x1p-1073,
                       0x1p-1022,
                       0x1p-55,
                       0x1p-54,
                       0x1p-53,
                       1e-10,
                       0.25,
                       0.34657359027997264,
                       0.5,
                       0.7071067811865476,
                       1.0,
                       1.4142135623730951,
                       2.0,
                       2.718281828459045,
                       10.0,
                       37.5,
                       50.0,
                       100.0,
                       708.3964185322641,
                       709.782712893384,
                       710.0,
                       740.0,
                       745.1332191019411,
                       746.0,
                       1023.0,
                       1024.0,
                       1025.0,
                       1074.0,
                       1075.0,
                       1076.0,
                       1e10,
                       0x1p53,
                       0x1p1022,
                       0x1.6ap1023,
                       0x1.8p1023,
                       std::numeric_limits<double>::max(),
                       infinity,
                       std::numeric_limits<double>::quiet_NaN()})
    for (double near :
         {value, std::nextafter(value, 0.0), std::nextafter(value, infinity)}) {
      x.push_back(near);
      x.push_back(-near);
    }
  std::mt19937_64 random(12345);
  for (int i = 0; i < 100000; ++i)
    x.push_back(llvm::bit_cast<double>(random()));
  std::uniform_real_distribution<double> moderate(-750.0, 750.0);
  std::uniform_real_distribution<double> nearOne(-2.0, 2.0);
  for (int i = 0; i < 100000; ++i) {
    x.push_back(moderate(random));
    x.push_back(nearOne(random));
  }
  while (x.size() % (16 * 5) != 0)
    x.push_back(1.0);
  std::vector<double> got(x.size());
  loop->run(x.data(), x.data(), got.data(), static_cast<int64_t>(x.size()));
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const long double exact = function.reference(x[i]);
    const double distance = wideUlpDistance(got[i], exact);
    worst = std::max(worst, distance);
    ASSERT_LE(distance, 2.0)
        << function.name << "(" << x[i] << ") gave " << got[i];
  }
  EXPECT_GT(worst, 0.5);
  RecordProperty("worst", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(All, WideUnary,
                         testing::Combine(testing::ValuesIn(kWideFunctions),
                                          testing::ValuesIn(kCodes)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) +
                                  std::get<1>(info.param).name;
                         });

/// All other functions are library calls.
TEST(Wide, F64IsTheLibrary) {
  if (!hostHasFma())
    GTEST_SKIP() << "needs AVX2 and FMA";
  std::vector<double> x, y;
  std::mt19937 random(99);
  std::uniform_real_distribution<double> values(-20.0, 20.0);
  for (int i = 0; i < 1600; ++i) {
    x.push_back(values(random));
    y.push_back(values(random));
  }
  std::vector<double> got(x.size());
  for (const UnaryFunction &function : kFunctions) {
    if (std::any_of(std::begin(kWideFunctions), std::end(kWideFunctions),
                    [&](const WideFunction &wide) {
                      return std::string_view(wide.name) == function.name;
                    }))
      continue;
    MathLoopSpec spec;
    spec.body = std::string("%r = math.") + function.name + " %a : $T";
    spec.element = "f64";
    spec.lanes = 8;
    std::unique_ptr<MathLoop> loop = MathLoop::compile(spec);
    ASSERT_TRUE(loop);
    loop->run(x.data(), x.data(), got.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      double expected = function.reference(x[i]);
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(got[i])) << function.name << "(" << x[i] << ")";
      else
        ASSERT_EQ(got[i], expected) << function.name << "(" << x[i] << ")";
    }
  }
  MathLoopSpec spec;
  spec.body = "%r = math.powf %a, %b : $T";
  spec.element = "f64";
  spec.lanes = 8;
  std::unique_ptr<MathLoop> loop = MathLoop::compile(spec);
  ASSERT_TRUE(loop);
  for (double &value : x)
    value = std::fabs(value);
  loop->run(x.data(), y.data(), got.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(got[i], std::pow(x[i], y[i]));
}

} // namespace
