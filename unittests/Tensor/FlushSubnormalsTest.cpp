//===- FlushSubnormalsTest.cpp - FTZ --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels with and without subnormal numbers, on one thread and several: their
/// values, that code is not mixed, and that nothing else of the process
/// computes differently.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Tensor/Jit.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace tinygrad;

namespace {
constexpr float kSmallest = std::numeric_limits<float>::min();

/// The products of numbers of type T by a factor.
template <typename T>
std::vector<T> scaled(const std::vector<T> &values, double factor) {
  return (Tensor::from(values) * factor).template tolist<T>();
}

/// Numbers in memory, which the compiler does not know.
Tensor filled(std::size_t count, float value) {
  return Tensor::from(std::vector<float>(count, value)).realize();
}

std::vector<uint32_t> bitsOf(const std::vector<float> &values) {
  std::vector<uint32_t> bits;
  for (float value : values)
    bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}
} // namespace

TEST(FlushSubnormals, SubnormalOperandsAndResultsAreZeros) {
  const std::vector<float> tiny = {0x1p-140f, -0x1p-149f, kSmallest,
                                   -kSmallest};
  const std::vector<double> tinyDoubles = {0x1p-1060, -0x1p-1030, 0x1p-1022};
  for (const char *device : {"CPU", "CPU:1"}) {
    Context on({{"DEV", device}, {"FTZ", 1}});
    EXPECT_EQ(bitsOf(scaled(tiny, 0x1p20)),
              bitsOf({0.0f, -0.0f, 0x1p-106f, -0x1p-106f}));
    EXPECT_EQ(bitsOf(scaled(tiny, 0.5)), bitsOf({0.0f, -0.0f, 0.0f, -0.0f}));
    EXPECT_EQ(scaled(tinyDoubles, 0x1p40),
              (std::vector<double>{0.0, -0.0, 0x1p-982}));
    EXPECT_EQ(scaled(tinyDoubles, 0.5), (std::vector<double>{0.0, -0.0, 0.0}));
    // f16 has its subnormal numbers: they are normal ones of f32.
    const Tensor half = Tensor::from({0x1p-20f, 0x1p-24f}).cast(DType::Float16);
    EXPECT_EQ((half * 2).cast(DType::Float32).tolist<float>(),
              (std::vector<float>{0x1p-19f, 0x1p-23f}));

    Context off({{"FTZ", 0}});
    EXPECT_EQ(
        scaled(tiny, 0x1p20),
        (std::vector<float>{0x1p-120f, -0x1p-129f, 0x1p-106f, -0x1p-106f}));
    EXPECT_EQ(scaled(tiny, 0.5),
              (std::vector<float>{0x1p-141f, -0.0f, 0x1p-127f, -0x1p-127f}));
    EXPECT_EQ(scaled(tinyDoubles, 0.5),
              (std::vector<double>{0x1p-1061, -0x1p-1031, 0x1p-1023}));
  }
}

TEST(FlushSubnormals, SumsAndProductsOfMatrices) {
  const Tensor a = filled(1600, 0x1p-70f).reshape({40, 40});
  const Tensor b = filled(1600, 0x1p-70f).reshape({40, 40});
  const Tensor subnormal = filled(1000, 0x1p-130f);
  auto largest = [&] {
    return std::pair((a.matmul(b) * 0x1p100f).max().item<float>(),
                     (subnormal.sum() * 0x1p100f).item<float>());
  };
  for (bool isPlain : {false, true}) {
    Context plain({{"NOOPT", isPlain}});
    {
      Context on({{"FTZ", 1}});
      EXPECT_EQ(largest(), std::pair(0.0f, 0.0f));
    }
    EXPECT_EQ(largest(), std::pair(40 * 0x1p-40f, 1000 * 0x1p-30f));
  }
}

TEST(FlushSubnormals, NormalNumbersKeepTheirBits) {
  const Tensor x = Tensor::randn({100, 130}).realize();
  const Tensor w = Tensor::randn({130, 70}).realize();
  auto compute = [&] {
    const Tensor y = x.matmul(w);
    return bitsOf(
        Tensor::cat({y.flatten(), y.softmax().flatten(), y.sum(0),
                     y.gelu().flatten(), y.exp().flatten(), y.tanh().flatten(),
                     (y.abs() + 1).log().flatten(), y.std(1)})
            .tolist<float>());
  };
  const std::vector<uint32_t> kept = compute();
  Context on({{"FTZ", 1}});
  const std::vector<uint32_t> flushed = compute();
  ASSERT_EQ(kept.size(), flushed.size());
  auto isSubnormal = [](uint32_t bits) {
    return (bits & 0x7f800000) == 0 && (bits & 0x7fffff) != 0;
  };
  int64_t different = 0;
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i] != flushed[i]) {
      ++different;
      // Only those that are subnormal themselves.
      EXPECT_TRUE(isSubnormal(kept[i]) && (flushed[i] & 0x7fffffff) == 0)
          << std::bit_cast<float>(kept[i]) << " became "
          << std::bit_cast<float>(flushed[i]);
    }
  EXPECT_LT(different, int64_t(kept.size()) / 4);
}

TEST(FlushSubnormals, CodeIsNotMixed) {
  const Tensor x = filled(1476, 0x1p-130f);
  auto run = [&](int setting) {
    Context settings({{"FTZ", setting}, {"CACHELEVEL", 1}});
    return (x * 0x1.234p30f).max().item<float>();
  };
  const int64_t before = GlobalCounters::kernelsCompiled;
  const float kept = run(0);
  const int64_t first = GlobalCounters::kernelsCompiled;
  EXPECT_GT(first, before);
  EXPECT_EQ(kept, 0x1.234p-100f);
  EXPECT_EQ(run(1), 0);
  const int64_t second = GlobalCounters::kernelsCompiled;
  EXPECT_EQ(second - first, first - before);
  // Both are found again.
  EXPECT_EQ(run(0), kept);
  EXPECT_EQ(run(1), 0);
  EXPECT_EQ(GlobalCounters::kernelsCompiled, second);
}

TEST(FlushSubnormals, CapturedStepsKeepTheirSetting) {
  Jit step([](const Tensor &x) { return x * 0x1p20f; });
  std::vector<float> results;
  for (int i = 0; i < 5; ++i) {
    // The program of the capture is replayed.
    Context settings({{"FTZ", i < 3}});
    results.push_back(step(filled(8, 0x1p-140f)).max().item<float>());
  }
  EXPECT_EQ(results, (std::vector<float>{0, 0, 0, 0, 0}));
}

#if defined(__x86_64__)
TEST(FlushSubnormals, TheCallersEnvironmentIsUntouched) {
  // Without exceptions of other tests: where a caller's modes are not those of
  // oneTBB's threads, oneTBB gives it back its modes alone.
  const unsigned usual = _mm_getcsr() & ~unsigned(_MM_EXCEPT_MASK);
  // Large enough for several threads, and small enough for this one.
  for (std::size_t count : {std::size_t(16), std::size_t(1) << 22}) {
    const Tensor x = filled(count, 0x1p-140f);
    {
      // LLVM, which folds constants, forgets exceptions: nothing is compiled
      // below.
      Context on({{"FTZ", 1}});
      EXPECT_EQ((x * 0x1p20f).max().item<float>(), 0);
    }
    // Modes, and exceptions that have occurred.
    for (unsigned modes : {usual, usual | _MM_EXCEPT_DIV_ZERO,
                           usual | unsigned(_MM_FLUSH_ZERO_ON)}) {
      _mm_setcsr(modes);
      {
        Context on({{"FTZ", 1}});
        const Tensor y = (x * 0x1p20f).max().realize();
        const unsigned after = _mm_getcsr();
        _mm_setcsr(usual);
        EXPECT_EQ(after & ~unsigned(_MM_EXCEPT_MASK),
                  modes & ~unsigned(_MM_EXCEPT_MASK));
        EXPECT_EQ(after & _MM_EXCEPT_DIV_ZERO, modes & _MM_EXCEPT_DIV_ZERO);
        EXPECT_EQ(y.item<float>(), 0);
      }
    }
    // Nor is that of the threads that ran parts of it.
    EXPECT_EQ((x * 0x1p20f).min().item<float>(), 0x1p-120f);
    EXPECT_EQ((x * 0x1p20f).max().item<float>(), 0x1p-120f);
  }
  volatile float tiny = 0x1p-140f;
  EXPECT_EQ(tiny * 0x1p20f, 0x1p-120f);
}
#endif

TEST(FlushSubnormals, OfSimulatedGPUs) {
  const std::vector<float> tiny = {0x1p-140f, -0x1p-149f, kSmallest, 1.0f};
  Context simulated({{"DEV", "SIM"}});
  {
    Context on({{"FTZ", 1}});
    EXPECT_EQ(scaled(tiny, 0x1p20),
              (std::vector<float>{0, 0, 0x1p-106f, 0x1p20f}));
    // With barriers, at which items take turns on a thread.
    const Tensor many = filled(3000, 0x1p-130f);
    EXPECT_EQ((many.sum() * 0x1p100f).item<float>(), 0);
    EXPECT_EQ(Tensor::ones({3000}).sum().item<float>(), 3000);
  }
  EXPECT_EQ(scaled(tiny, 0x1p20)[0], 0x1p-120f);
}

// bf16 has the exponents of f32, and rounding to it is no arithmetic.
TEST(FlushSubnormals, BFloat16KeepsThem) {
  const std::vector<float> values = {0x1p-127f,
                                     -0x1p-133f,
                                     0x1.018p-130f,
                                     0x1p-149f,
                                     kSmallest,
                                     0x1.01p0f,
                                     -std::numeric_limits<float>::infinity()};
  const std::vector<float> rounded = {0x1p-127f,
                                      -0x1p-133f,
                                      0x1p-130f,
                                      0,
                                      kSmallest,
                                      1,
                                      -std::numeric_limits<float>::infinity()};
  for (const char *device : {"CPU", "SIM"})
    for (bool isPlain : {false, true})
      for (bool flushes : {false, true}) {
        SCOPED_TRACE(device + std::string(flushes ? " FTZ=1" : ""));
        Context settings({{"DEV", device}, {"NOOPT", isPlain}});
        Context flush({{"FTZ", flushes}});
        const Tensor x = Tensor::from(values).realize();
        auto narrow = [](const Tensor &x) {
          const Tensor y = x.cast(DType::BFloat16).realize();
          return y.cast(DType::Float32).tolist<float>();
        };
        EXPECT_EQ(bitsOf(narrow(x)), bitsOf(rounded));
        EXPECT_TRUE(std::isnan(narrow(x.shrink({{6, 7}}) * 0)[0]));
      }
}

TEST(FlushSubnormals, OtherValuesAreErrors) {
  try {
    Context settings({{"FTZ", 2}});
    FAIL() << "no exception";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what())
                  .find("FTZ=2 is out of range: expected 0 to 1"),
              std::string::npos)
        << error.what();
  }
}

/// Without the setting: tails that would be subnormal are zeros.
TEST(Subnormals, TailsOfActivationsAreZeros) {
  using Method = Tensor (Tensor::*)() const;
  struct Case {
    const char *name;
    Method method;
    /// Where the results are just above the least normal number.
    float last;
    double lastDouble;
  };
  const Case cases[] = {
      {"silu", &Tensor::silu, -0x1.6f6d56p+6f, -0x1.657bfcf5db0ccp+9},
      {"mish", &Tensor::mish, -0x1.6f6d56p+6f, -0x1.657bfcf5db0ccp+9},
      {"quickGelu", &Tensor::quickGelu, -0x1.ad3b62p+5f, -0x1.a3c340066ca6fp+8},
      {"gelu", &Tensor::gelu, -0x1.43386ap+3f, -0x1.52d480630b9ccp+4}};
  for (const Case &c : cases) {
    SCOPED_TRACE(c.name);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> at = {c.last, std::nextafter(c.last, -infinity),
                                   c.last - 1, -1e4f, -infinity};
    const std::vector<float> results =
        (Tensor::from(at).*c.method)().tolist<float>();
    EXPECT_NEAR(results[0] / -kSmallest, 1, 1e-4);
    for (size_t i = 1; i < at.size(); ++i)
      EXPECT_EQ(std::bit_cast<uint32_t>(results[i]),
                std::bit_cast<uint32_t>(-0.0f))
          << at[i] << " gives " << results[i];
    const std::vector<double> doubles = {
        c.lastDouble, std::nextafter(c.lastDouble, -1e9), c.lastDouble - 1};
    const std::vector<double> wide =
        (Tensor::from(doubles).*c.method)().tolist<double>();
    EXPECT_NEAR(wide[0] / -std::numeric_limits<double>::min(), 1, 1e-12);
    EXPECT_TRUE(wide[1] == 0 && wide[2] == 0 && std::signbit(wide[2]));
  }
}

#if defined(__x86_64__)
/// What is exactly zero is computed without an underflow, which would make the
/// processor slow.
TEST(Subnormals, ZerosTakeNoUnderflow) {
  const std::vector<float> at = {-1e30f,  -200.0f, -1000.0f,
                                 -300.0f, 0.5f,    0.0f};
  const Tensor x = Tensor::from(at).realize();
  const Tensor wide = Tensor::from(std::vector<double>{-1e300, -2100, 0.5});
  const Tensor masked =
      Tensor::from(std::vector<float>{-std::numeric_limits<float>::infinity(),
                                      -1e9f, 1, 2})
          .realize();
  const std::pair<const char *, Tensor> results[] = {
      {"exp", x.exp()},
      {"exp2", (x * 2).exp2()},
      {"gelu", x.gelu()},
      {"silu", x.silu()},
      {"quickGelu", x.quickGelu()},
      {"mish", x.mish()},
      {"softplus", x.softplus()},
      {"softmax", masked.softmax()},
      {"logSoftmax", masked.logSoftmax()},
      {"exp of f64", wide.exp()},
      {"exp2 of f64", wide.exp2()}};
  for (const auto &[name, result] : results) {
    // Compiled before.
    (result + 0).realize();
    const Tensor again = (result + 0).contiguous();
    _mm_setcsr(_mm_getcsr() & ~unsigned(_MM_EXCEPT_MASK));
    again.realize();
    EXPECT_EQ(_mm_getcsr() & _MM_EXCEPT_UNDERFLOW, 0u) << name;
  }
}
#endif
