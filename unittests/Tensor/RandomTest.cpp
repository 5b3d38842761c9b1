//===- RandomTest.cpp - random numbers ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The generator, its distributions, initial weights, and dropout.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Tensor/Functions.h"

#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::Each;
using ::testing::ElementsAre;

//===----------------------------------------------------------------------===//
// Distributions
//===----------------------------------------------------------------------===//

/// Threefry-2x32 with 20 rounds, written from the paper.
static uint64_t threefry(uint64_t counter, uint64_t key) {
  const uint32_t k[3] = {uint32_t(key), uint32_t(key >> 32),
                         0x1BD11BDAu ^ uint32_t(key) ^ uint32_t(key >> 32)};
  uint32_t a = uint32_t(counter) + k[0], b = uint32_t(counter >> 32) + k[1];
  const int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  for (int round = 0; round < 20; ++round) {
    a += b;
    const int by = rotations[round % 8];
    b = (b << by | b >> (32 - by)) ^ a;
    if (round % 4 == 3) {
      const int group = round / 4 + 1;
      a += k[group % 3];
      b += k[(group + 1) % 3] + uint32_t(group);
    }
  }
  return uint64_t(b) << 32 | a;
}

/// The words that are made when \p counter words were before, on the device
/// number \p device of those used.
static std::vector<uint32_t> words(uint32_t seed, int device, uint64_t counter,
                                   uint64_t count) {
  // The last four bytes of SHA-256 of the number, computed by sha256sum.
  const uint32_t ofDevice[] = {0x14b81119, 0x764f528d};
  const uint64_t key =
      threefry(counter, uint64_t(seed) << 32 | ofDevice[device]);
  const uint64_t half = (count + 1) / 2;
  std::vector<uint32_t> result(count);
  for (uint64_t i = 0; i < count; ++i)
    result[i] = i < half ? uint32_t(threefry(i | (i + half) << 32, key))
                         : threefry(i - half | i << 32, key) >> 32;
  return result;
}

TEST(Random, AreThoseOfTinygrad) {
  Tensor::manualSeed(1234);
  std::vector<float> first = Tensor::rand({7}).tolist<float>();
  std::vector<double> second =
      Tensor::rand({3}, DType::Float64).tolist<double>();
  std::vector<double> halves = values(Tensor::rand({5}, DType::Float16));
  std::vector<double> bytes = values(Tensor::rand({2}, DType::Float8E4M3));
  const std::vector<uint32_t> a = words(1234, 0, 0, 7),
                              b = words(1234, 0, 7, 6),
                              c = words(1234, 0, 13, 3),
                              d = words(1234, 0, 16, 1);
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(first[i], float(a[i] >> 9) * 0x1p-23f);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(second[i],
              double((uint64_t(b[2 * i + 1]) << 32 | b[2 * i]) >> 12) *
                  0x1p-52);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(halves[i],
              double((c[i / 2] >> 16 * (i % 2) & 0xffff) >> 6) * 0x1p-10);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(bytes[i], double((d[0] >> 8 * i & 0xff) >> 5) * 0.125);
  // A seed counts modulo 2^32.
  Tensor::manualSeed(1234 + (uint64_t(5) << 32));
  EXPECT_EQ(Tensor::rand({7}).tolist<float>(), first);
}

TEST(Random, DevicesHaveSequencesOfTheirOwn) {
  Tensor::manualSeed(9);
  const std::vector<uint32_t> a = words(9, 0, 0, 2), b = words(9, 1, 0, 2),
                              c = words(9, 0, 2, 2);
  for (auto [device, expected] :
       {std::pair("CPU:1", a), {"CPU:2", b}, {"CPU:1", c}}) {
    const Tensor x = Tensor::rand({2}, {.device = device});
    EXPECT_THAT(x.tolist<float>(), ElementsAre((expected[0] >> 9) * 0x1p-23f,
                                               (expected[1] >> 9) * 0x1p-23f));
  }
  EXPECT_EQ(Graph::current().randomState(),
            (RandomState{9, {{"CPU:1", 4}, {"CPU:2", 2}}}));
  EXPECT_ERROR(Graph::current().setRandomState({9, {{"NONE", 4}}}), DeviceError,
               "NONE");
}

// Numbers beyond the first 2^32 - 1 have another key. Only those that are read
// are computed.
TEST(Random, ChunksHaveKeysOfTheirOwn) {
  const int64_t chunk = UINT32_MAX, count = chunk + 7;
  Tensor::manualSeed(2);
  const Tensor x = Tensor::rand({count}).shrink({{chunk - 1, chunk + 2}});
  const uint64_t seedKey = uint64_t(2) << 32 | 0x14b81119;
  const uint64_t first = threefry(0, seedKey),
                 second = threefry(chunk, seedKey);
  const uint64_t last = chunk - 1, half = (chunk + 1) / 2;
  EXPECT_THAT(
      x.tolist<float>(),
      ElementsAre(
          (threefry(last - half | last << 32, first) >> 41) * 0x1p-23f,
          (uint32_t(threefry(uint64_t(4) << 32, second)) >> 9) * 0x1p-23f,
          (uint32_t(threefry(1 | uint64_t(5) << 32, second)) >> 9) * 0x1p-23f));
  EXPECT_EQ(Graph::current().randomState().counters[0].second, count);
}

TEST(Random, SeedRepeats) {
  Tensor::manualSeed(7);
  Tensor a = Tensor::randn({100}), b = Tensor::randn({100});
  std::vector<float> first = a.tolist<float>(), second = b.tolist<float>();
  EXPECT_NE(first, second);
  Tensor::manualSeed(7);
  EXPECT_EQ(Tensor::randn({100}).tolist<float>(), first);
  Tensor::manualSeed(8);
  EXPECT_NE(Tensor::randn({100}).tolist<float>(), first);
}

TEST(Random, StateIsRestored) {
  Graph first, second;
  std::vector<double> expected;
  RandomState state;
  {
    GraphScope scope(first);
    Tensor::manualSeed(3);
    EXPECT_EQ(first.randomState(), (RandomState{3, {}}));
    values(Tensor::rand({5}));
    state = first.randomState();
    EXPECT_EQ(state, (RandomState{3, {{Device::getDefault().name(), 5}}}));
    expected = values(Tensor::randn({4}));
  }
  GraphScope scope(second);
  second.setRandomState(state);
  EXPECT_EQ(values(Tensor::randn({4})), expected);
  EXPECT_EQ(second.randomState(),
            (RandomState{3, {{Device::getDefault().name(), 13}}}));
  second.setRandomState(state);
  EXPECT_EQ(values(Tensor::randn({4})), expected);
}

TEST(Random, Distributions) {
  Tensor::manualSeed(3);
  const int64_t count = 100000;
  Tensor uniform = Tensor::rand({count}).realize();
  EXPECT_GE(uniform.min().item<float>(), 0);
  EXPECT_LT(uniform.max().item<float>(), 1);
  EXPECT_NEAR(uniform.mean().item<float>(), 0.5, 0.01);
  EXPECT_NEAR(uniform.var().item<float>(), 1.0 / 12, 0.005);
  Tensor normal = Tensor::randn({count}).realize();
  EXPECT_NEAR(normal.mean().item<float>(), 0, 0.02);
  EXPECT_NEAR(normal.std().item<float>(), 1, 0.02);
  EXPECT_NEAR(normal.pow(4).mean().item<float>(), 3, 0.2);
  EXPECT_TRUE(normal.isfinite().all().item<bool>());
  Tensor shifted = Tensor::normal({count}, 10, 2).realize();
  EXPECT_NEAR(shifted.mean().item<float>(), 10, 0.05);
  EXPECT_NEAR(shifted.std().item<float>(), 2, 0.05);
  Tensor between = Tensor::uniform({count}, -3, 5).realize();
  EXPECT_GE(between.min().item<float>(), -3);
  EXPECT_LE(between.max().item<float>(), 5);
  EXPECT_NEAR(between.mean().item<float>(), 1, 0.05);
  for (DType dtype : {DType::Float16, DType::BFloat16, DType::Float64}) {
    Tensor other = Tensor::rand({1000}, dtype).toDouble().realize();
    EXPECT_GE(other.min().item<double>(), 0) << name(dtype);
    EXPECT_LT(other.max().item<double>(), 1) << name(dtype);
    EXPECT_NEAR(other.mean().item<double>(), 0.5, 0.05) << name(dtype);
  }
}

TEST(Random, Integers) {
  Tensor::manualSeed(11);
  std::vector<int32_t> dice = Tensor::randint({6000}, 1, 7).tolist<int32_t>();
  std::vector<int> counts(7);
  for (int32_t value : dice) {
    ASSERT_GE(value, 1);
    ASSERT_LE(value, 6);
    ++counts[value];
  }
  for (int value = 1; value <= 6; ++value)
    EXPECT_NEAR(counts[value], 1000, 150);
  std::vector<int64_t> wide = Tensor::randint({100}, -(int64_t(1) << 50),
                                              int64_t(1) << 50, DType::Int64)
                                  .tolist<int64_t>();
  for (int64_t value : wide)
    EXPECT_LT(std::abs(value), int64_t(1) << 50);
  EXPECT_THAT(Tensor::randint({5}, -3, -2, DType::Int8).tolist<int8_t>(),
              Each(-3));
}

// All numbers are equally likely, for every range.
TEST(Random, IntegersOfWideRanges) {
  Tensor::manualSeed(5);
  const int64_t count = 30000;
  auto shareOf = [&](int64_t low, int64_t high, DType dtype) {
    Tensor x = Tensor::randint({count}, low, high, dtype);
    std::vector<double> shares(3);
    for (int64_t value : x.cast(DType::Int64).tolist<int64_t>()) {
      EXPECT_GE(value, low);
      EXPECT_LT(value, high);
      const uint64_t offset = uint64_t(value) - uint64_t(low);
      shares[offset % 3] += 1. / count;
    }
    return shares;
  };
  const auto even = ::testing::Each(::testing::DoubleNear(1. / 3, 0.015));
  const int64_t least = INT64_MIN, most = INT64_MAX;
  EXPECT_THAT(shareOf(0, int64_t(3) << 30, DType::UInt32), even);
  EXPECT_THAT(shareOf(0, 1000002, DType::Int32), even);
  EXPECT_THAT(shareOf(0, int64_t(3) << 40, DType::Int64), even);
  EXPECT_THAT(shareOf(0, int64_t(3) << 61, DType::Int64), even);
  EXPECT_THAT(shareOf(-(int64_t(3) << 61), int64_t(3) << 60, DType::Int64),
              even);
  EXPECT_THAT(shareOf(least, most, DType::Int64), even);
  // The full range of the type.
  Tensor x = Tensor::randint({count}, least, most, DType::Int64).realize();
  EXPECT_LT(x.min().item<int64_t>(), least / 1000 * 999);
  EXPECT_GT(x.max().item<int64_t>(), most / 1000 * 999);
  Tensor power = Tensor::randint({count}, 0, int64_t(1) << 32, DType::Int64);
  EXPECT_NEAR(power.toDouble().mean().item<double>() * 0x1p-32, 0.5, 0.01);
  // The same seed gives the same numbers.
  Tensor::manualSeed(5);
  Tensor first = Tensor::randint({50}, least, most, DType::Int64).realize();
  Tensor::manualSeed(5);
  Tensor again = Tensor::randint({50}, least, most, DType::Int64);
  EXPECT_EQ(first.tolist<int64_t>(), again.tolist<int64_t>());
}

TEST(Random, UniformEndsBeforeItsEnd) {
  Tensor::manualSeed(3);
  for (auto [low, high] : {std::pair(0.999, 1.0), std::pair(1 - 0x1p-23, 1.0),
                           std::pair(-1.0, 0x1p-149), std::pair(-3e38, 3e38),
                           std::pair(-1e-3, 0.0)}) {
    Tensor x = Tensor::uniform({100000}, low, high).realize();
    EXPECT_GE(x.min().item<float>(), float(low)) << low;
    EXPECT_LT(x.max().item<float>(), float(high)) << low;
    EXPECT_TRUE(x.isfinite().all().item<bool>());
    EXPECT_NEAR(x.toDouble().mean().item<double>(), (low + high) / 2,
                (high - low) * 0.26);
  }
  for (DType dtype : {DType::Float16, DType::BFloat16, DType::Float64}) {
    Tensor x = Tensor::uniform({10000}, 0.98, 1, dtype).realize();
    EXPECT_LT(x.max().toDouble().item<double>(), 1) << name(dtype);
    EXPECT_GE(x.min().toDouble().item<double>(), 0.98 - 0.004) << name(dtype);
  }
  Tensor wide = Tensor::uniform({1000}, -65504, 65504, DType::Float16);
  EXPECT_TRUE(wide.isfinite().all().item<bool>());
  expectTensor(Tensor::uniform({3}, 2, 2), {3}, {2, 2, 2});
  EXPECT_ERROR(Tensor::uniform({3}, 1, 0), Error,
               "uniform: there is no float32 from 1");
  EXPECT_ERROR(Tensor::uniform({3}, 0, INFINITY), Error, "uniform");
  EXPECT_ERROR(Tensor::uniform({3}, NAN, 1), Error, "uniform");
  EXPECT_ERROR(Tensor::uniform({3}, 0, 1e39), Error, "finite");
  EXPECT_ERROR(Tensor::uniform({3}, 0, 70000, DType::Float16), Error,
               "float16");
  // No number of the type is in this interval.
  EXPECT_ERROR(Tensor::uniform({3}, 1, 1 + 1e-12), Error, "uniform");
  EXPECT_ERROR(Tensor::normal({3}, 0, -1), Error,
               "normal: there is no float32 distribution of mean 0");
  EXPECT_ERROR(Tensor::normal({3}, NAN, 1), Error, "normal");
  EXPECT_ERROR(Tensor::normal({3}, 0, 1e39), Error, "normal");
  expectTensor(Tensor::normal({3}, 2, 0), {3}, {2, 2, 2});
}

TEST(Random, DifferentCallsShareAProgram) {
  Tensor::rand({31}).realize();
  GlobalCounters::reset();
  Tensor::rand({31}).realize();
  EXPECT_EQ(GlobalCounters::scheduleCacheHits, 1);
  EXPECT_EQ(GlobalCounters::kernelsCompiled, 0);
}

//===----------------------------------------------------------------------===//
// Initial weights
//===----------------------------------------------------------------------===//

/// Compares \p make with the same draws of a basic distribution.
static void expectDraws(const std::function<Tensor()> &make,
                        const std::function<Tensor()> &expected,
                        const Shape &shape) {
  Tensor::manualSeed(42);
  const Tensor found = make().realize();
  Tensor::manualSeed(42);
  expectTensor(found, shape, values(expected()), 1e-6);
}

TEST(Initializers, AreScaledDraws) {
  // sqrt(2 / 3), sqrt(6 / (4 + 6)), and sqrt(3) * sqrt(2 / (1 + a^2)) /
  // sqrt(6), computed with a calculator.
  const Shape shape = {4, 2, 3};
  expectDraws([&] { return Tensor::scaledUniform(shape); },
              [&] { return Tensor::uniform(shape, -1, 1) * 0.2041241452; },
              shape);
  expectDraws([&] { return Tensor::glorotUniform(shape); },
              [&] { return Tensor::uniform(shape, -1, 1) * 0.7745966692; },
              shape);
  expectDraws(
      [&] { return Tensor::kaimingUniform(shape); },
      [&] { return Tensor::uniform(shape, -0.9999500037, 0.9999500037); },
      shape);
  expectDraws(
      [&] { return Tensor::kaimingUniform(shape, std::sqrt(5)); },
      [&] { return Tensor::uniform(shape, -0.4082482905, 0.4082482905); },
      shape);
  expectDraws([&] { return Tensor::kaimingNormal(shape, 1); },
              [&] { return Tensor::randn(shape) * 0.4082482905; }, shape);
}

TEST(Initializers, Distributions) {
  Tensor::manualSeed(1);
  const Shape shape = {200, 50, 3};
  Tensor glorot = Tensor::glorotUniform(shape).realize();
  EXPECT_NEAR(glorot.max().item<float>(), 0.130931, 1e-4);
  EXPECT_NEAR(glorot.min().item<float>(), -0.130931, 1e-4);
  EXPECT_NEAR(glorot.mean().item<float>(), 0, 2e-3);
  Tensor kaiming = Tensor::kaimingNormal(shape).realize();
  EXPECT_NEAR(kaiming.std().item<float>(), 0.115464, 2e-3);
  EXPECT_NEAR(kaiming.mean().item<float>(), 0, 2e-3);
  Tensor half = Tensor::kaimingUniform({64, 64}, 0, {.dtype = DType::Float16});
  EXPECT_EQ(half.dtype(), DType::Float16);
  EXPECT_NEAR(half.toFloat().std().item<float>(), std::sqrt(2 / 64.), 5e-3);
}

TEST(Initializers, ShapesAndErrors) {
  EXPECT_EQ(Tensor::scaledUniform({}).ndim(), 0);
  EXPECT_EQ(Tensor::kaimingUniform({5}).shape(), Shape({5}));
  for (const Shape &shape : {Shape{0, 3}, Shape{3, 0}, Shape{0, 0}}) {
    expectTensor(Tensor::scaledUniform(shape), shape, {});
    expectTensor(Tensor::glorotUniform(shape), shape, {});
    expectTensor(Tensor::kaimingUniform(shape), shape, {});
    expectTensor(Tensor::kaimingNormal(shape), shape, {});
  }
  EXPECT_ERROR(Tensor::glorotUniform({}), ShapeError,
               "glorotUniform: a weight without axes has no inputs");
  EXPECT_ERROR(Tensor::kaimingUniform({2, 2}, NAN), Error, "uniform");
  EXPECT_ERROR(Tensor::kaimingNormal({2, 2}, 0, DType::Int32), DTypeError,
               "randn");
  // The number of outputs may be symbolic, that of inputs may not.
  const SymInt n = Variable("n", 1, 9).bind(4);
  EXPECT_EQ(Tensor::kaimingUniform({n, 3}).shape(), Shape({n, 3}));
  EXPECT_ERROR(Tensor::kaimingUniform({3, n}), ShapeError, "kaimingUniform");
  EXPECT_ERROR(Tensor::glorotUniform({n, 3}), ShapeError, "glorotUniform");
  EXPECT_ERROR(Tensor::scaledUniform({n}), ShapeError, "scaledUniform");
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

TEST(Dropout, OnlyWhileTraining) {
  const Tensor x = noiseTensor({1000}) + 2;
  EXPECT_FALSE(TrainingScope::isActive());
  expectTensor(x.dropout(), {1000}, values(x));
  {
    const TrainingScope training;
    EXPECT_TRUE(TrainingScope::isActive());
    EXPECT_NE(values(x.dropout()), values(x));
    expectTensor(x.dropout(0), {1000}, values(x));
    {
      const TrainingScope evaluation(false);
      expectTensor(x.dropout(1), {1000}, values(x));
    }
    EXPECT_TRUE(TrainingScope::isActive());
    // The setting belongs to this thread alone.
    bool isOther = true;
    std::thread([&] { isOther = TrainingScope::isActive(); }).join();
    EXPECT_FALSE(isOther);
  }
  EXPECT_FALSE(TrainingScope::isActive());
}

TEST(Dropout, KeepsPartOfTheElements) {
  const TrainingScope training;
  const int64_t count = 20000;
  const Tensor x = noiseTensor({count}) + 2;
  const std::vector<double> before = values(x);
  for (double p : {0.1, 0.5, 0.9}) {
    Tensor::manualSeed(9);
    const std::vector<double> after = values(dropout(x, p));
    // The generator's numbers tell which elements are dropped.
    Tensor::manualSeed(9);
    const std::vector<double> draws = values(Tensor::rand({count}));
    int64_t kept = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (draws[i] >= float(p)) {
        EXPECT_NEAR(after[i], before[i] / (1 - p), 1e-5 / (1 - p));
        ++kept;
      } else {
        EXPECT_EQ(after[i], 0);
      }
    }
    EXPECT_NEAR(double(kept) / count, 1 - p, 0.01);
  }
  expectTensor(x.shrinkTo(3).dropout(1), {3}, {0, 0, 0});
  // Dropped elements may be infinite.
  expectTensor(Tensor::full({4}, INFINITY).dropout(1), {4}, {0, 0, 0, 0});
  EXPECT_EQ(x.toHalf().dropout().dtype(), DType::Float16);
  const SymInt n = Variable("n", 1, 9).bind(4);
  EXPECT_EQ(values(x.shrink({{0, n}}).dropout()).size(), 4u);
  // One kernel, with a new mask each time.
  Tensor y = x.clone().realize();
  const int64_t steps = GlobalCounters::kernelCount.load();
  (y * 2).dropout().realize();
  EXPECT_EQ(GlobalCounters::kernelCount.load() - steps, 1);
  EXPECT_NE(values(y.dropout()), values(y.dropout()));
}

TEST(Dropout, Errors) {
  const Tensor x = counting({3});
  EXPECT_ERROR(x.dropout(-0.1), Error, "dropout: -0.1 is not a probability");
  EXPECT_ERROR(x.dropout(1.5), Error, "dropout");
  EXPECT_ERROR(x.dropout(NAN), Error, "dropout");
  EXPECT_ERROR(x.toInt().dropout(), DTypeError,
               "dropout: the tensor is [3] int32, not of floats");
}
