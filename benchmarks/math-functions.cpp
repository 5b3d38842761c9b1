//===- math-functions.cpp - Accuracy and speed of inline math -------------===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions of tg-expand-math, on f32 if nothing else is said.
///
///   math-functions               nanoseconds per element on one core, and
///                                those of libm and, if they are installed,
///                                libmvec and SLEEF
///   math-functions --f64         the same in f64, next to libm
///   math-functions --exhaustive  the largest error over all 2^32 arguments
///                                (minutes), for pow over 2^28 random pairs
///
/// Names of functions restrict either to these.
///
//===----------------------------------------------------------------------===//

#include "MathLoop.h"
#include "Usage.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <random>
#include <string>
#include <vector>

using namespace tinygrad::test;

namespace {

struct Function {
  std::string name;
  double (*unary)(double);
  double (*binary)(double, double);
  /// The interval in which the throughput is measured.
  float low, high;
};

const Function kFunctions[] = {
    {"exp2", std::exp2, nullptr, -20.0f, 20.0f},
    {"exp", std::exp, nullptr, -20.0f, 20.0f},
    {"expm1", std::expm1, nullptr, -5.0f, 5.0f},
    {"log2", std::log2, nullptr, 0.01f, 100.0f},
    {"log", std::log, nullptr, 0.01f, 100.0f},
    {"log1p", std::log1p, nullptr, -0.9f, 10.0f},
    {"sin", std::sin, nullptr, -100.0f, 100.0f},
    {"cos", std::cos, nullptr, -100.0f, 100.0f},
    {"tan", std::tan, nullptr, -100.0f, 100.0f},
    {"asin", std::asin, nullptr, -1.0f, 1.0f},
    {"acos", std::acos, nullptr, -1.0f, 1.0f},
    {"atan", std::atan, nullptr, -5.0f, 5.0f},
    {"tanh", std::tanh, nullptr, -5.0f, 5.0f},
    {"erf", std::erf, nullptr, -5.0f, 5.0f},
    {"powf", nullptr, std::pow, 0.01f, 10.0f},
};

std::string bodyOf(const Function &function) {
  return "%r = math." + function.name +
         (function.binary ? " %a, %b : $T" : " %a : $T");
}

/// A call of a vector library's function, as a loop to compile.
MathLoopSpec librarySpec(const Function &function, const std::string &symbol) {
  MathLoopSpec spec;
  spec.lanes = 16;
  spec.expand = false;
  std::string v = "vector<16xf32>";
  std::string operands = function.binary ? v + ", " + v : v;
  spec.declarations =
      "llvm.func @" + symbol + "(" + operands + ") -> " + v + "\n";
  spec.body = "%r = llvm.call @" + symbol +
              (function.binary ? "(%a, %b)" : "(%a)") + " : (" + operands +
              ") -> " + v;
  return spec;
}

/// The best of many runs on an array that fits the first-level cache.
template <typename Float>
double nanosecondsPerElement(const MathLoop &loop, const Function &function) {
  constexpr int count = 8192 / sizeof(Float), repeat = 64;
  std::vector<Float> a(count), b(count), out(count);
  std::mt19937 random(1);
  std::uniform_real_distribution<Float> values(function.low, function.high);
  for (int i = 0; i < count; ++i) {
    a[i] = values(random);
    b[i] = values(random);
  }
  double best = 1e30;
  for (int run = 0; run < 200; ++run) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeat; ++i)
      loop.run(a.data(), b.data(), out.data(), count);
    std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / repeat / count);
  }
  return best;
}

void printThroughput(const std::vector<Function> &functions, bool hasMvec,
                     bool hasSleef) {
  std::printf("f32, nanoseconds per element, one core\n"
              "%-6s %12s %12s %12s %8s %12s %12s\n",
              "", "16 lanes", "8 lanes AVX2", "scalar", "libm", "libmvec x16",
              "SLEEF x16");
  for (const Function &function : functions) {
    auto time = [&](const MathLoopSpec &spec) {
      std::unique_ptr<MathLoop> loop = MathLoop::compile(spec);
      return loop ? nanosecondsPerElement<float>(*loop, function) : NAN;
    };
    MathLoopSpec spec;
    spec.body = bodyOf(function);
    spec.lanes = 16;
    double wide = time(spec);
    spec.lanes = 8;
    spec.avx2Only = true;
    double avx2 = time(spec);
    spec.lanes = 1;
    spec.avx2Only = false;
    double scalar = time(spec);
    spec.expand = false;
    double libm = time(spec);
    std::printf("%-6s %12.3f %12.3f %12.2f %8.2f", function.name.c_str(), wide,
                avx2, scalar, libm);
    std::string name = function.name == "powf" ? "pow" : function.name;
    std::string mvec = function.binary ? "_ZGVeN16vv_" : "_ZGVeN16v_";
    mvec.append(name).append("f");
    if (hasMvec && dlsym(RTLD_DEFAULT, mvec.c_str()))
      std::printf(" %12.3f", time(librarySpec(function, mvec)));
    else
      std::printf(" %12s", "-");
    std::string sleef = "Sleef_" + name + "f16_u10avx512f";
    if (hasSleef && dlsym(RTLD_DEFAULT, sleef.c_str()))
      std::printf(" %12.3f\n", time(librarySpec(function, sleef)));
    else
      std::printf(" %12s\n", "-");
  }
}

void printWideThroughput(const std::vector<Function> &functions) {
  std::printf("f64, nanoseconds per element, one core\n"
              "%-6s %12s %12s %12s %8s\n",
              "", "8 lanes", "4 lanes AVX2", "scalar", "libm");
  for (const Function &function : functions) {
    auto time = [&](unsigned lanes, bool avx2Only, bool expand) {
      MathLoopSpec spec;
      spec.body = bodyOf(function);
      spec.element = "f64";
      spec.lanes = lanes;
      spec.avx2Only = avx2Only;
      spec.expand = expand;
      std::unique_ptr<MathLoop> loop = MathLoop::compile(spec);
      return loop ? nanosecondsPerElement<double>(*loop, function) : NAN;
    };
    std::printf("%-6s %12.3f %12.3f %12.2f %8.2f\n", function.name.c_str(),
                time(8, false, true), time(4, true, true), time(1, false, true),
                time(1, false, false));
  }
}

float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Prints the largest error; returns whether it is within 2 ulp.
bool checkExhaustively(const Function &function) {
  MathLoopSpec spec;
  spec.body = bodyOf(function);
  spec.lanes = 16;
  std::unique_ptr<MathLoop> loop = MathLoop::compile(spec);
  if (!loop)
    return false;
  constexpr uint64_t block = 1 << 16;
  std::vector<float> a(block), b(block), out(block);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-152.0, 130.0);
  double worst = 0;
  float worstA = 0, worstB = 0;
  uint64_t overOne = 0;
  uint64_t total = uint64_t(1) << (function.unary ? 32 : 28);
  for (uint64_t base = 0; base < total; base += block) {
    for (uint64_t i = 0; i < block; ++i) {
      if (function.unary) {
        a[i] = fromBits(static_cast<uint32_t>(base + i));
        continue;
      }
      // A quarter of the arguments are random bits. In the others, the base is
      // between zero and infinity (half of them close to 1), and the exponent
      // keeps the result in range.
      uint64_t bits = random();
      a[i] = fromBits(static_cast<uint32_t>(bits));
      b[i] = fromBits(static_cast<uint32_t>(bits >> 32));
      if (i % 4 == 0)
        continue;
      a[i] = i % 2 ? fromBits(static_cast<uint32_t>(bits % 0x7f800000u))
                   : fromBits(0x3f800000u - 0x80000u +
                              static_cast<uint32_t>(bits % 0x100000u));
      b[i] = static_cast<float>(exponent(random) /
                                std::log2(static_cast<double>(a[i])));
    }
    loop->run(a.data(), b.data(), out.data(), block);
    for (uint64_t i = 0; i < block; ++i) {
      double exact =
          function.unary ? function.unary(a[i]) : function.binary(a[i], b[i]);
      double distance = ulpDistance(out[i], exact);
      overOne += distance > 1;
      if (distance > worst) {
        worst = distance;
        worstA = a[i];
        worstB = b[i];
      }
    }
  }
  std::printf("%-6s largest error %.4f ulp at %a", function.name.c_str(), worst,
              worstA);
  if (function.binary)
    std::printf(", %a", worstB);
  std::printf("; above 1 ulp: %.2g %%\n", 100.0 * static_cast<double>(overOne) /
                                              static_cast<double>(total));
  std::fflush(stdout);
  return worst <= 2;
}

} // namespace

static constexpr const char *kUsage =
    "usage: math-functions [--exhaustive | --f64] [FUNCTION...]\n"
    "\n"
    "Nanoseconds per element of the functions of tg-expand-math on f32, or "
    "f64\n"
    "(--f64), beside those of libm, libmvec and SLEEF. --exhaustive: the "
    "largest error\n"
    "over all f32 (half an hour).\n";

int main(int argc, char **argv) {
  if (const int code = handleUsage(argc, argv, kUsage, 1000); code >= 0)
    return code;
  bool exhaustive = false, isWide = false;
  std::vector<Function> functions;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--exhaustive") {
      exhaustive = true;
      continue;
    }
    if (argument == "--f64") {
      isWide = true;
      continue;
    }
    auto found = std::find_if(
        std::begin(kFunctions), std::end(kFunctions),
        [&](const Function &function) { return function.name == argument; });
    if (found == std::end(kFunctions)) {
      std::fprintf(stderr,
                   "%s: '%s' is neither --exhaustive nor --f64 nor one of:",
                   argv[0], argument.c_str());
      for (const Function &function : kFunctions)
        std::fprintf(stderr, " %s", function.name.c_str());
      std::fprintf(stderr, "\n");
      return 1;
    }
    functions.push_back(*found);
  }
  if (functions.empty())
    functions.assign(std::begin(kFunctions), std::end(kFunctions));
  if (!hostHasFma()) {
    std::fprintf(stderr, "%s: this needs a processor with AVX2 and FMA\n",
                 argv[0]);
    return 1;
  }
  if (exhaustive) {
    bool good = true;
    for (const Function &function : functions)
      good &= checkExhaustively(function);
    return good ? 0 : 1;
  }
  if (isWide) {
    printWideThroughput(functions);
    return 0;
  }
  bool hasMvec = dlopen("libmvec.so.1", RTLD_NOW | RTLD_GLOBAL);
  bool hasSleef = dlopen("libsleef.so.3", RTLD_NOW | RTLD_GLOBAL);
  printThroughput(functions, hasMvec, hasSleef);
  return 0;
}
