//===- CreationTest.cpp - new tensors -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Data, filled tensors, ranges, random numbers, and invalid arguments.
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
  for (unsigned i = 0; i < kNumDTypes; ++i)
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
  // Integers that float32 does not have are rounded once.
  expectTensor(
      Tensor::arange(16777215, 16777222, 1, DType::Float32), {7},
      {16777215, 16777216, 16777216, 16777218, 16777220, 16777220, 16777220});
  Tensor thirds = Tensor::arange(3, 50331700, 3, DType::Float32);
  expectTensor(thirds.shrink({{5592409, 5592413}}), {4},
               {16777230, 16777233.0f, 16777236, 16777239.0f});
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
  // The step is not a value of the type.
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
  // Kernels require aligned elements.
  EXPECT_ERROR(Tensor::fromBuffer(Tensor::zeros({4}).buffer().view(1, 12), {3},
                                  DType::Float32),
               ShapeError, "not a multiple of the size of float32");
}

TEST(Creation, UndefinedTensor) {
  Tensor undefined;
  EXPECT_FALSE(undefined.defined());
  EXPECT_ERROR(undefined.shape(), Error, "undefined");
  EXPECT_ERROR(undefined + 1, Error, "undefined");
  EXPECT_ERROR(Tensor::ones({1}) + undefined, Error, "undefined");
  EXPECT_ERROR(undefined.realize(), Error, "undefined");
}
