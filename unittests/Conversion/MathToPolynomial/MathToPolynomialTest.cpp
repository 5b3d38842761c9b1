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
/// results with the C library in f64, those of f64 with its long double.
/// benchmarks/math-functions --exhaustive does the same for every f32.
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
#include <type_traits>
#include <vector>

using namespace tinygrad::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kMax = std::numeric_limits<float>::max();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();
/// -1 / tan r, where tan r has a large error and large units.
constexpr float kWorstOfTan = 474700.15625f;

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
        16367173.0f * 0x1p72f, 0x1.47d0fep34f, 0x1.f3d8p10f, kMax, kInf, kNaN,
        kWorstOfTan})
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

/// The same in f64.
std::vector<double> wideSpecialValues() {
  using Limits = std::numeric_limits<double>;
  std::vector<double> values;
  for (double value :
       {0.0, 0x1p-1074, 0x1p-1073, 0x1p-1022, 0x1p-55, 0x1p-54, 0x1p-53, 1e-10,
        0.25, 0.34657359027997264, 0.5, 0.7071067811865476, 1.0,
        1.4142135623730951, 2.0, 2.718281828459045, 10.0, 37.5, 50.0, 100.0,
        708.3964185322641, 709.782712893384, 710.0, 740.0, 745.1332191019411,
        746.0, 1023.0, 1024.0, 1025.0, 1074.0, 1075.0, 1076.0, 1e10, 0x1p53,
        0x1p1022, 0x1.6ap1023, 0x1.8p1023, Limits::max(), Limits::infinity(),
        Limits::quiet_NaN(), 3.0, 0x1p40, 0x1p64,
        // Close to multiples of pi / 2, the first one closest of all.
        6381956970095103 * 0x1p797, 1.5707963267948966, 3.141592653589793,
        884279719003555.0, 0x1.921fb54442d18p19, 0x1.921fb54442d18p39,
        0x1.6ac5b262ca1ffp849}) {
    for (double near : {value, std::nextafter(value, 0.0),
                        std::nextafter(value, Limits::infinity())}) {
      values.push_back(near);
      values.push_back(-near);
    }
  }
  return values;
}

/// Rounds the length up to a multiple of all numbers of lanes.
template <typename Float> void padToLanes(std::vector<Float> &values) {
  while (values.size() % (16 * 5) != 0)
    values.push_back(1);
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
  /// Results for both lists, padded to whole vectors.
  template <typename Float>
  std::vector<Float> compute(std::vector<Float> &x, std::vector<Float> &y) {
    padToLanes(x);
    padToLanes(y);
    MathLoopSpec spec;
    spec.body = "%r = math.powf %a, %b : $T";
    spec.element = sizeof(Float) == 8 ? "f64" : "f32";
    spec.lanes = GetParam().lanes;
    spec.avx2Only = GetParam().avx2Only;
    std::unique_ptr<MathLoop> loop = MathLoop::compile(spec);
    std::vector<Float> got(x.size());
    EXPECT_TRUE(loop);
    if (loop)
      loop->run(x.data(), y.data(), got.data(), int64_t(x.size()));
    return got;
  }

  /// Computes and compares all results.
  template <typename Float>
  void compare(std::vector<Float> x, std::vector<Float> y) {
    using Exact = std::conditional_t<sizeof(Float) == 8, long double, double>;
    std::vector<Float> got = compute(x, y);
    for (size_t i = 0; i < x.size(); ++i) {
      Exact exact = std::pow(Exact(x[i]), Exact(y[i]));
      ASSERT_LE(ulpDistance(got[i], exact), 2.0)
          << "pow(" << x[i] << ", " << y[i] << ") gave " << got[i] << ", not "
          << exact;
    }
  }

  template <typename Float> void checkSpecialCases() {
    using Limits = std::numeric_limits<Float>;
    using Bits = std::conditional_t<sizeof(Float) == 8, uint64_t, uint32_t>;
    constexpr Float inf = Limits::infinity(), nan = Limits::quiet_NaN();
    constexpr Float max = Limits::max(), tiny = Limits::denorm_min();
    // The first integer whose successor is none, and the exponent of `tiny`.
    constexpr Float even = 2 / Limits::epsilon();
    constexpr Float least = Limits::min_exponent - Limits::digits;
    // The cases of C's Annex F, F.10.4.4.
    struct Case {
      Float x, y, expected;
    };
    const Case cases[] = {{0.0, -3.0, inf},
                          {-0.0, -3.0, -inf},
                          {0.0, -2.0, inf},
                          {-0.0, -2.0, inf},
                          {0.0, -0.5, inf},
                          {-0.0, -0.5, inf},
                          {0.0, -inf, inf},
                          {-0.0, -inf, inf},
                          {0.0, 3.0, 0.0},
                          {-0.0, 3.0, -0.0},
                          {0.0, 2.0, 0.0},
                          {-0.0, 2.0, 0.0},
                          {-0.0, 0.5, 0.0},
                          {-1.0, inf, 1.0},
                          {-1.0, -inf, 1.0},
                          {1.0, nan, 1.0},
                          {1.0, inf, 1.0},
                          {nan, 0.0, 1.0},
                          {nan, -0.0, 1.0},
                          {inf, 0.0, 1.0},
                          {0.0, 0.0, 1.0},
                          {-2.0, 0.5, nan},
                          {-2.0, -1.5, nan},
                          {-max, 0.5, nan},
                          {-tiny, 0.5, nan},
                          {0.5, -inf, inf},
                          {-0.5, -inf, inf},
                          {2.0, -inf, 0.0},
                          {-2.0, -inf, 0.0},
                          {0.5, inf, 0.0},
                          {-0.5, inf, 0.0},
                          {2.0, inf, inf},
                          {-2.0, inf, inf},
                          {-inf, -3.0, -0.0},
                          {-inf, -2.0, 0.0},
                          {-inf, -0.5, 0.0},
                          {-inf, 3.0, -inf},
                          {-inf, 2.0, inf},
                          {-inf, 0.5, inf},
                          {inf, -1.0, 0.0},
                          {inf, 1.0, inf},
                          {inf, tiny, inf},
                          {nan, 1.0, nan},
                          {2.0, nan, nan},
                          {-1.0, nan, nan},
                          {0.0, nan, nan},
                          {-1.0, even, 1.0},
                          {-1.0, even - 1, -1.0},
                          {2.0, least, tiny},
                          {-2.0, 3.0, -8.0},
                          {10.0, 2.0, 100.0},
                          {-max, 3.0, -inf},
                          {0.0, -tiny, inf},
                          {0.0, tiny, 0.0},
                          {1.0, max, 1.0},
                          {-1.0, -max, 1.0},
                          {max, 1.0, max},
                          {tiny, 1.0, tiny},
                          {2.0, least - 1, 0.0},
                          {max, -max, 0.0},
                          {tiny, -max, inf},
                          {0.5, -least, tiny},
                          {tiny, -1.0, inf},
                          {2.0, tiny, 1.0},
                          {1 - Limits::epsilon(), max, 0.0}};
    std::vector<Float> x, y;
    for (const Case &one : cases) {
      x.push_back(one.x);
      y.push_back(one.y);
    }
    std::vector<Float> got = compute(x, y);
    for (size_t i = 0; i < std::size(cases); ++i) {
      Float expected = cases[i].expected;
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(got[i]))
            << "pow(" << x[i] << ", " << y[i] << ") gave " << got[i];
      else
        EXPECT_EQ(llvm::bit_cast<Bits>(expected), llvm::bit_cast<Bits>(got[i]))
            << "pow(" << x[i] << ", " << y[i] << ") gave " << got[i] << ", not "
            << expected;
    }
  }

  template <typename Float>
  void checkAllPairs(const std::vector<Float> &values) {
    std::vector<Float> x, y;
    for (Float a : values)
      for (Float b : values) {
        x.push_back(a);
        y.push_back(b);
      }
    compare(x, y);
  }

  /// \p leastExponent and \p mostExponent are somewhat beyond the range of
  /// binary exponents.
  template <typename Float>
  void checkRandom(double leastExponent, double mostExponent) {
    using Bits = std::conditional_t<sizeof(Float) == 8, uint64_t, uint32_t>;
    using Limits = std::numeric_limits<Float>;
    std::mt19937_64 random(54321);
    std::vector<Float> x, y;
    // Random bits; most results overflow or are zero or NaN.
    for (int i = 0; i < 100000; ++i) {
      x.push_back(llvm::bit_cast<Float>(Bits(random())));
      y.push_back(llvm::bit_cast<Float>(Bits(random())));
    }
    // y such that the result is anywhere in the range.
    std::uniform_real_distribution<double> exponent(leastExponent,
                                                    mostExponent);
    auto add = [&](Float base) {
      x.push_back(base);
      y.push_back(Float(exponent(random) / std::log2(double(base))));
    };
    const auto infinite = llvm::bit_cast<Bits>(Limits::infinity());
    const auto one = llvm::bit_cast<Bits>(Float(1));
    for (int i = 0; i < 200000; ++i)
      add(llvm::bit_cast<Float>(Bits(Bits(random()) % infinite)));
    // The same for x close to 1.
    for (int i = 0; i < 100000; ++i)
      add(llvm::bit_cast<Float>(Bits(one - 5000 + random() % 10000)));
    for (int i = 0; i < 100000; ++i)
      add(Float(std::exp2(exponent(random) / mostExponent)));
    // Negative x and integral y.
    std::uniform_real_distribution<Float> moderate(-20, 0);
    for (int i = 0; i < 50000; ++i) {
      x.push_back(moderate(random));
      y.push_back(std::nearbyint(2 * moderate(random) + 20));
    }
    compare(x, y);
  }
};

TEST_P(Pow, SpecialCases) {
  if (!hostHasFma())
    GTEST_SKIP() << "needs AVX2 and FMA";
  checkSpecialCases<float>();
  checkSpecialCases<double>();
}

TEST_P(Pow, AllPairsOfSpecialValues) {
  if (!hostHasFma())
    GTEST_SKIP() << "needs AVX2 and FMA";
  checkAllPairs(specialValues());
  checkAllPairs(wideSpecialValues());
}

TEST_P(Pow, RandomWithinTwoUlp) {
  if (!hostHasFma())
    GTEST_SKIP() << "needs AVX2 and FMA";
  checkRandom<float>(-152, 130);
  checkRandom<double>(-1077, 1026);
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

/// The functions in f64, with a more exact reference.
struct WideFunction {
  const char *name;
  long double (*reference)(long double);
};

const WideFunction kWideFunctions[] = {
    {"exp", std::exp},     {"expm1", std::expm1}, {"log", std::log},
    {"log1p", std::log1p}, {"erf", std::erf},     {"exp2", std::exp2},
    {"log2", std::log2},   {"tanh", std::tanh},   {"asin", std::asin},
    {"acos", std::acos},   {"atan", std::atan},   {"sin", std::sin},
    {"cos", std::cos},     {"tan", std::tan}};

void PrintTo(const WideFunction &function, std::ostream *os) {
  *os << function.name;
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

  std::vector<double> x = wideSpecialValues();
  std::mt19937_64 random(12345);
  for (int i = 0; i < 100000; ++i)
    x.push_back(llvm::bit_cast<double>(random()));
  std::uniform_real_distribution<double> moderate(-750.0, 750.0);
  std::uniform_real_distribution<double> nearOne(-2.0, 2.0);
  for (int i = 0; i < 100000; ++i) {
    x.push_back(moderate(random));
    x.push_back(nearOne(random));
  }
  std::uniform_real_distribution<double> exponent(0, 1024);
  for (int i = 0; i < 50000; ++i) {
    // Near multiples of pi / 2, and large numbers.
    const double multiple = std::nearbyint(std::exp2(exponent(random) / 20));
    x.push_back(double(multiple * 1.57079632679489661923L));
    x.push_back(std::exp2(exponent(random)));
  }
  padToLanes(x);
  std::vector<double> got(x.size());
  loop->run(x.data(), x.data(), got.data(), static_cast<int64_t>(x.size()));
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const long double exact = function.reference(x[i]);
    const double distance = ulpDistance(got[i], exact);
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

} // namespace
