//===- FunctionAccuracy.cpp - accuracy of tensor functions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Measures the functions of one tensor.
///
//===----------------------------------------------------------------------===//

#include "FunctionAccuracy.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numbers>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

static double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}

/// x * factor, but zero instead of NaN for an infinite x and a factor of 0.
static double gate(double x, double factor) {
  return x == 0 || factor == 0 ? std::copysign(0.0, x) : x * factor;
}

#define METHOD(NAME) [](const Tensor &x) { return x.NAME(); }

const std::vector<ExactFunction> &tinygrad::testing::exactFunctions() {
  static const std::vector<ExactFunction> functions = {
      {"reciprocal", METHOD(reciprocal), [](double x) { return 1 / x; }, 10000,
       0.5, 0.5},
      {"sqrt", METHOD(sqrt), [](double x) { return std::sqrt(x); }, 10000, 0.5,
       0.5},
      {"rsqrt", METHOD(rsqrt), [](double x) { return 1 / std::sqrt(x); }, 10000,
       2, 2},
      {"exp2", METHOD(exp2), [](double x) { return std::exp2(x); }, 10, 2, 2},
      {"exp", METHOD(exp), [](double x) { return std::exp(x); }, 10, 1, 1},
      {"log2", METHOD(log2), [](double x) { return std::log2(x); }, 10000, 2,
       2},
      {"log", METHOD(log), [](double x) { return std::log(x); }, 10000, 1, 1},
      {"log10", METHOD(log10), [](double x) { return std::log10(x); }, 10000, 2,
       2},
      {"sin", METHOD(sin), [](double x) { return std::sin(x); }, 0x1p20, 2, 2},
      {"cos", METHOD(cos), [](double x) { return std::cos(x); }, 0x1p20, 2, 2},
      {"tan", METHOD(tan), [](double x) { return std::tan(x); }, 0x1p20, 2, 2},
      {"asin", METHOD(asin), [](double x) { return std::asin(x); }, 1, 2, 2},
      {"acos", METHOD(acos), [](double x) { return std::acos(x); }, 1, 2, 2},
      {"atan", METHOD(atan), [](double x) { return std::atan(x); }, 10, 2, 2},
      {"sinh", METHOD(sinh), [](double x) { return std::sinh(x); }, 10, 2, 2},
      {"cosh", METHOD(cosh), [](double x) { return std::cosh(x); }, 10, 2, 2},
      {"tanh", METHOD(tanh), [](double x) { return std::tanh(x); }, 10, 2, 2},
      {"asinh", METHOD(asinh), [](double x) { return std::asinh(x); }, 10000, 2,
       2},
      {"acosh", METHOD(acosh), [](double x) { return std::acosh(x); }, 10000, 2,
       2},
      {"atanh", METHOD(atanh), [](double x) { return std::atanh(x); }, 1, 2, 2},
      {"erf", METHOD(erf), [](double x) { return std::erf(x); }, 10, 1.1, 1.1},
      {"sigmoid", METHOD(sigmoid), sigmoid, 10, 2, 2},
      {"logsigmoid", METHOD(logsigmoid), [](double x) { return -softplus(-x); },
       10, 2, 2},
      {"softplus", METHOD(softplus), softplus, 10, 2, 2},
      {"silu", METHOD(silu), [](double x) { return gate(x, sigmoid(x)); }, 87,
       2, 2, true},
      {"quickGelu", METHOD(quickGelu),
       [](double x) { return gate(x, sigmoid(1.702 * x)); }, 10, 2, 2, true},
      {"gelu", METHOD(gelu),
       [](double x) {
         const double inner = x + 0.044715 * x * x * x;
         return gate(x, sigmoid(2 * std::sqrt(2 / std::numbers::pi) * inner));
       },
       10, 2, 2, true},
      {"elu", METHOD(elu), [](double x) { return x > 0 ? x : std::expm1(x); },
       10, 2, 2},
      {"celu", METHOD(celu), [](double x) { return x > 0 ? x : std::expm1(x); },
       10, 2, 2},
      {"selu", METHOD(selu),
       [](double x) { return 1.0507 * (x > 0 ? x : 1.67326 * std::expm1(x)); },
       10, 2, 2},
      {"softsign", METHOD(softsign),
       [](double x) { return std::isinf(x) ? NAN : x / (1 + std::fabs(x)); },
       10, 2, 2},
      {"mish", METHOD(mish),
       [](double x) { return gate(x, std::tanh(softplus(x))); }, 87, 2, 2,
       true},
      {"hardswish", METHOD(hardswish),
       [](double x) { return x * (std::min(std::max(x + 3, 0.0), 6.0) / 6); },
       10, 2, 2},
  };
  return functions;
}

double tinygrad::testing::ulpDistance(float found, double exact) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double size = std::fabs(exact);
  // Nearly always both are normal numbers. 2^23 times the reciprocal of the
  // power of two in the exact one has the remaining exponent.
  if (size >= 0x1p-126 && size < 0x1p127 && std::isfinite(found)) {
    const uint64_t exponent = std::bit_cast<uint64_t>(size) >> 52;
    return std::fabs(found - exact) *
           std::bit_cast<double>((2 * 1023 + 23 - exponent) << 52);
  }
  if (std::isnan(found) || std::isnan(exact))
    return std::isnan(found) && std::isnan(exact) ? 0 : infinity;
  const float rounded = float(exact);
  if (found == rounded && (std::isinf(found) || found == 0))
    return std::signbit(found) == std::signbit(rounded) ? 0 : infinity;
  if (std::isinf(exact))
    return infinity;
  // An infinite result counts as the power of two after the largest number.
  const double value =
      std::isinf(found) ? std::copysign(0x1p128, found) : found;
  const int exponent = exact == 0 ? -126 : std::max(std::ilogb(exact), -126);
  return std::fabs(value - exact) / std::ldexp(1.0, exponent - 23);
}

/// The error of a result, or 0 for the zero that a function may give in place
/// of a subnormal number.
static double getError(const ExactFunction &function, float found,
                       double exact) {
  if (function.hasZeroTail && found == 0 && std::fabs(exact) < 0x1p-126)
    exact = std::copysign(0.0, exact);
  return ulpDistance(found, exact);
}

namespace {
/// The largest errors among some points.
struct Errors {
  Accuracy usual, all;

  void add(double error, float at, double usualSize) {
    if (error > all.error)
      all = {error, at};
    if (error > usual.error && std::fabs(at) <= usualSize)
      usual = {error, at};
  }
};
} // namespace

void tinygrad::testing::measure(const ExactFunction &function, uint32_t stride,
                                Accuracy &usual, Accuracy &all) {
  constexpr uint64_t count = uint64_t(1) << 32;
  constexpr std::size_t block = std::size_t(1) << 18;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  // The exact functions take most of the time: each thread has a part of the
  // block.
  std::vector<Errors> errors(std::max(1u, std::thread::hardware_concurrency()));
  // Blocks of equal size share one program.
  std::vector<float> points = {0.0f, -0.0f, infinity, -infinity,
                               NAN,  1.0f,  -1.0f};
  uint64_t bits = 0;
  while (bits < count) {
    for (; points.size() < block; bits += stride)
      points.push_back(std::bit_cast<float>(uint32_t(bits % count)));
    const std::vector<float> found =
        function.compute(Tensor::from(points)).tolist<float>();
    std::vector<std::thread> threads;
    for (std::size_t part = 0; part < errors.size(); ++part)
      threads.emplace_back([&, part] {
        // A copy: those of other threads are in the same cache line.
        Errors own = errors[part];
        const std::size_t end = block * (part + 1) / errors.size();
        for (std::size_t i = block * part / errors.size(); i < end; ++i)
          own.add(getError(function, found[i], function.exact(points[i])),
                  points[i], function.usual);
        errors[part] = own;
      });
    for (std::thread &thread : threads)
      thread.join();
    points.clear();
  }
  for (const Errors &part : errors) {
    if (part.all.error > all.error)
      all = part.all;
    if (part.usual.error > usual.error)
      usual = part.usual;
  }
}
