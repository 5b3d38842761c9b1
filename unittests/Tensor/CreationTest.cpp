//===- CreationTest.cpp - new tensors -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Data, filled tensors, ranges, random numbers, and what cannot be made.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include <limits>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::Each;
using ::testing::ElementsAre;

TEST(Creation, FromLists) {
  Tensor row = Tensor::from({1, 2, 3});
  EXPECT_EQ(row.dtype(), DType::Int32);
  expectTensor(row, {3}, {1, 2, 3});
  Tensor rows = Tensor::from({{1.5f, 2.5f}, {3.5f, 4.5f}, {5.5f, 6.5f}});
  EXPECT_EQ(rows.dtype(), DType::Float32);
  expectTensor(rows, {3, 2}, {1.5, 2.5, 3.5, 4.5, 5.5, 6.5});
  Tensor planes = Tensor::from({{{true, false}}, {{false, true}}});
  EXPECT_EQ(planes.dtype(), DType::Bool);
  expectTensor(planes, {2, 1, 2}, {1, 0, 0, 1});
}

TEST(Creation, FromEveryElementType) {
  for (unsigned i = 0; i < numDTypes; ++i)
    dispatch(DType(i), [&](auto zero) {
      using Element = decltype(zero);
      const std::vector<Element> data = {Element(0), Element(1), Element(1)};
      Tensor tensor = Tensor::from(data, {3, 1});
      EXPECT_EQ(tensor.dtype(), DType(i));
      expectTensor(tensor, {3, 1}, {0, 1, 1});
    });
}

TEST(Creation, FromVectorAndPointer) {
  const std::vector<int64_t> data = {1, 2, 3, 4, 5, 6};
  expectTensor(Tensor::from(data), {6}, {1, 2, 3, 4, 5, 6});
  expectTensor(Tensor::from(data, {2, 3}), {2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor half = Tensor::from(data.data(), {2, 2}, DType::Float16);
  EXPECT_EQ(half.dtype(), DType::Float16);
  expectTensor(half, {2, 2}, {1, 2, 3, 4});
  expectTensor(Tensor::from(std::vector<bool>{true, false}), {2}, {1, 0});
  expectTensor(Tensor::from(std::vector<float>{}, Shape{0, 3}), {0, 3}, {});
}

TEST(Creation, CopiesItsData) {
  std::vector<float> data = {1, 2};
  Tensor tensor = Tensor::from(data);
  data[0] = 7;
  expectTensor(tensor, {2}, {1, 2});
}

TEST(Creation, FromHostArrayOnCpuSharesMemory) {
  HostArray array = makeHostArray(DType::Int16, {2, 2});
  for (int i = 0; i < 4; ++i)
    array.as<int16_t>()[i] = int16_t(i - 2);
  Tensor tensor = Tensor::fromHost(array, "CPU");
  EXPECT_EQ(tensor.buffer().address(), array.data.address());
  expectTensor(tensor, {2, 2}, {-2, -1, 0, 1});
}

TEST(Creation, Scalars) {
  EXPECT_EQ(Tensor(3).dtype(), DType::Int32);
  EXPECT_EQ(Tensor(int64_t(1) << 40).dtype(), DType::Int64);
  EXPECT_EQ(Tensor(~uint64_t(0)).dtype(), DType::UInt64);
  EXPECT_EQ(Tensor(3.0).dtype(), DType::Float32);
  EXPECT_EQ(Tensor(true).dtype(), DType::Bool);
  EXPECT_EQ(Tensor(3.0, DType::Float64).item<double>(), 3.0);
  EXPECT_EQ(Tensor(~uint64_t(0)).item<uint64_t>(), ~uint64_t(0));
  EXPECT_TRUE(Tensor(2).shape().empty());
}

TEST(Creation, Filled) {
  expectTensor(Tensor::zeros({2, 2}), {2, 2}, {0, 0, 0, 0});
  EXPECT_EQ(Tensor::ones({2}).dtype(), DType::Float32);
  expectTensor(Tensor::ones({2}, DType::UInt8), {2}, {1, 1});
  expectTensor(Tensor::full({3}, -7), {3}, {-7, -7, -7});
  expectTensor(Tensor::full({2}, 1.5, DType::BFloat16), {2}, {1.5, 1.5});
  expectTensor(Tensor::full({}, true), {}, {1});
  expectTensor(Tensor::full({0}, 4), {0}, {});
  EXPECT_EQ(Tensor::empty({3, 5}, DType::Int8).nbytes(), 15u);
}

TEST(Creation, Like) {
  Tensor x = Tensor::from({{1, 2, 3}});
  expectTensor(x.zerosLike(), {1, 3}, {0, 0, 0});
  expectTensor(x.onesLike(), {1, 3}, {1, 1, 1});
  EXPECT_EQ(x.onesLike().dtype(), DType::Int32);
  EXPECT_EQ(x.fullLike(2.5, DType::Float64).dtype(), DType::Float64);
  EXPECT_EQ(x.emptyLike().shape(), (Shape{1, 3}));
  EXPECT_EQ(x.toFloat().randLike().shape(), (Shape{1, 3}));
  EXPECT_EQ(x.randnLike(DType::Float16).dtype(), DType::Float16);
}

TEST(Creation, Ranges) {
  Tensor whole = Tensor::arange(5);
  EXPECT_EQ(whole.dtype(), DType::Int32);
  expectTensor(whole, {5}, {0, 1, 2, 3, 4});
  expectTensor(Tensor::arange(2, 11, 3), {3}, {2, 5, 8});
  expectTensor(Tensor::arange(5, 0, -2), {3}, {5, 3, 1});
  expectTensor(Tensor::arange(5, 5), {0}, {});
  expectTensor(Tensor::arange(5, 2), {0}, {});
  expectTensor(Tensor::arange(0, 1, 0.25), {4}, {0, 0.25, 0.5, 0.75});
  expectTensor(Tensor::arange(3, DType::Float16), {3}, {0, 1, 2});
  expectTensor(Tensor::linspace(0, 1, 5), {5}, {0, 0.25, 0.5, 0.75, 1});
  expectTensor(Tensor::linspace(3, 3, 1), {1}, {3});
  expectTensor(Tensor::linspace(1, 2, 0), {0}, {});
  expectTensor(Tensor::eye(2), {2, 2}, {1, 0, 0, 1});
  expectTensor(Tensor::eye(2, 3, DType::Int64), {2, 3}, {1, 0, 0, 0, 1, 0});
}

TEST(Creation, RangesOfLargeIntegers) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max(),
                    least = -most - 1;
  EXPECT_THAT(Tensor::arange(most - 3, most).tolist<int64_t>(),
              ::testing::ElementsAre(most - 3, most - 2, most - 1));
  EXPECT_THAT(Tensor::arange(least, most, most).tolist<int64_t>(),
              ::testing::ElementsAre(least, -1, most - 1));
  const uint64_t end = std::numeric_limits<uint64_t>::max();
  EXPECT_THAT(Tensor::arange(end - 2, end).tolist<uint64_t>(),
              ::testing::ElementsAre(end - 2, end - 1));
  // The step is no value of the type.
  expectTensor(Tensor::arange(200, -1, -50, DType::UInt8), {5},
               {200, 150, 100, 50, 0});
  EXPECT_THAT(
      Tensor::arange(end, end - 3, -2, DType::UInt64).tolist<uint64_t>(),
      ::testing::ElementsAre(end, end - 2));
  expectTensor(Tensor::arange(7, -1, -7), {2}, {7, 0});
  expectTensor(Tensor::arange(0, -7, -7), {1}, {0});
  EXPECT_ERROR(Tensor::arange(0, 256, 100, DType::Int8), DTypeError,
               "arange: the numbers from 0 to 256 in steps of 100 are not all "
               "values of int8");
  EXPECT_ERROR(Tensor::arange(-3, 3, 2, DType::UInt8), DTypeError, "arange");
  expectTensor(Tensor::arange(0, -3, 2, DType::UInt8), {0}, {});
  EXPECT_ERROR(Tensor::arange(least, most), ShapeError, "arange");
}

TEST(Creation, FloatsAsIntegers) {
  expectTensor(Tensor::full({1}, 2.7, DType::Int32), {1}, {2});
  expectTensor(Tensor::full({1}, -0.9, DType::UInt8), {1}, {0});
  expectTensor(Tensor::full({1}, 255.9, DType::UInt8), {1}, {255});
  EXPECT_EQ(Tensor::full({1}, -0x1p63, DType::Int64).item<int64_t>(),
            std::numeric_limits<int64_t>::min());
  EXPECT_ERROR(Tensor::full({1}, 256.0, DType::UInt8), DTypeError,
               "full: 256 is not a value of uint8");
  EXPECT_ERROR(Tensor::full({1}, -1.0, DType::UInt64), DTypeError, "full: -1");
  EXPECT_ERROR(Tensor::full({1}, 1e30, DType::Int32), DTypeError,
               "full: 1e+30 is not a value of int32");
  EXPECT_ERROR(Tensor::full({1}, 0x1p63, DType::Int64), DTypeError, "int64");
  EXPECT_ERROR(Tensor::full({1}, NAN, DType::Int16), DTypeError, "full: nan");
  expectTensor(Tensor::full({1}, NAN, DType::Bool), {1}, {1});
}

TEST(Creation, Errors) {
  EXPECT_ERROR(Tensor::zeros({2, -1}), ShapeError, "[2, -1]");
  EXPECT_ERROR(Tensor::zeros({int64_t(1) << 40, int64_t(1) << 40}), ShapeError,
               "too large");
  EXPECT_ERROR(Tensor::from(std::vector<int>{1, 2, 3}, {2, 2}), ShapeError,
               "3 elements do not fill the shape [2, 2]");
  EXPECT_ERROR(Tensor::from({{1, 2}, {3}}), ShapeError,
               "different lengths: 2 and 1");
  EXPECT_ERROR(Tensor::full({2}, 300, DType::UInt8), DTypeError,
               "300 is not a value of uint8");
  EXPECT_ERROR(Tensor::full({2}, -1, DType::UInt64), DTypeError, "-1");
  EXPECT_ERROR(Tensor::arange(0, 1, 0), ShapeError, "steps of 0");
  EXPECT_ERROR(Tensor::arange(0, NAN), ShapeError, "arange");
  EXPECT_ERROR(Tensor::linspace(0, 1, -1), ShapeError, "negative");
  EXPECT_ERROR(Tensor::zeros({2}, "TPU"), DeviceError, "TPU");
  EXPECT_ERROR(Tensor::rand({2}, DType::Int32), DTypeError, "int32");
  EXPECT_ERROR(Tensor::randn({2}, DType::Bool), DTypeError, "bool");
  EXPECT_ERROR(Tensor::randint({2}, 5, 5), Error, "randint");
  EXPECT_ERROR(Tensor::randint({2}, 0, 1000, DType::UInt8), DTypeError,
               "uint8");
  EXPECT_ERROR(
      Tensor::fromBuffer(Tensor::zeros({4}).buffer(), {5}, DType::Float32),
      ShapeError, "16 bytes");
  // Kernels load whole elements.
  EXPECT_ERROR(Tensor::fromBuffer(Tensor::zeros({4}).buffer().view(1, 12), {3},
                                  DType::Float32),
               ShapeError, "no multiple of the size of float32");
}

TEST(Creation, UndefinedTensor) {
  Tensor undefined;
  EXPECT_FALSE(undefined.defined());
  EXPECT_ERROR(undefined.shape(), Error, "undefined");
  EXPECT_ERROR(undefined + 1, Error, "undefined");
  EXPECT_ERROR(Tensor::ones({1}) + undefined, Error, "undefined");
  EXPECT_ERROR(undefined.realize(), Error, "undefined");
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// Threefry-2x32 with 20 rounds, written after the paper.
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

TEST(Random, IsThreefryOfTheCounter) {
  Tensor::manualSeed(1234);
  std::vector<float> first = Tensor::rand({2, 3}).tolist<float>();
  std::vector<double> second =
      Tensor::rand({4}, DType::Float64).tolist<double>();
  for (uint64_t i = 0; i < 6; ++i)
    EXPECT_EQ(first[i], float(uint32_t(threefry(i, 1234)) >> 8) * 0x1p-24f);
  for (uint64_t i = 0; i < 4; ++i)
    EXPECT_EQ(second[i], double(threefry(i + 6, 1234) >> 11) * 0x1p-53);
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

// Each number is as likely as any other, whatever the range.
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
  // All of the range.
  Tensor x = Tensor::randint({count}, least, most, DType::Int64).realize();
  EXPECT_LT(x.min().item<int64_t>(), least / 1000 * 999);
  EXPECT_GT(x.max().item<int64_t>(), most / 1000 * 999);
  Tensor power = Tensor::randint({count}, 0, int64_t(1) << 32, DType::Int64);
  EXPECT_NEAR(power.toDouble().mean().item<double>() * 0x1p-32, 0.5, 0.01);
  // The same again.
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
  // No number of the type is between them.
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
