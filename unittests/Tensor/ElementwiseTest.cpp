//===- ElementwiseTest.cpp - operations on two tensors --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Promotion, broadcasting, arithmetic on every kind of element, comparisons.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <limits>

using namespace tinygrad;
using namespace tinygrad::testing;

TEST(Promotion, OfTensors) {
  auto of = [](DType a, DType b) {
    return (Tensor::ones({1}, a) + Tensor::ones({1}, b)).dtype();
  };
  EXPECT_EQ(of(DType::Int32, DType::Float16), DType::Float16);
  EXPECT_EQ(of(DType::UInt8, DType::Int8), DType::Int16);
  EXPECT_EQ(of(DType::Int64, DType::UInt64), DType::UInt64);
  EXPECT_EQ(of(DType::Float16, DType::BFloat16), DType::Float32);
  EXPECT_EQ(of(DType::Bool, DType::UInt8), DType::UInt8);
  EXPECT_EQ(of(DType::Bool, DType::Bool), DType::Bool);
  for (unsigned i = 0; i < kNumDTypes; ++i)
    for (unsigned j = 0; j < kNumDTypes; ++j)
      EXPECT_EQ(of(DType(i), DType(j)), promote(DType(i), DType(j)));
}

TEST(Promotion, ScalarsAreWeak) {
  auto with = [](DType dtype, auto scalar) {
    return (Tensor::ones({1}, dtype) * scalar).dtype();
  };
  EXPECT_EQ(with(DType::Float16, 2.5), DType::Float16);
  EXPECT_EQ(with(DType::Float16, 2), DType::Float16);
  EXPECT_EQ(with(DType::Int8, 2), DType::Int8);
  EXPECT_EQ(with(DType::Int8, true), DType::Int8);
  EXPECT_EQ(with(DType::Int64, 2.5), DType::Float32);
  EXPECT_EQ(with(DType::Bool, 2), DType::Int32);
  EXPECT_EQ(with(DType::Bool, 2.5), DType::Float32);
  EXPECT_EQ((2.5 * Tensor::ones({1}, DType::Int8)).dtype(), DType::Float32);
  EXPECT_ERROR(Tensor::ones({1}, DType::Int8) + 200, DTypeError,
               "200 is not a value of int8");
}

TEST(Broadcasting, Shapes) {
  Tensor column = counting({3, 1}), row = counting({2}) * 10;
  expectTensor(column + row, {3, 2}, {0, 10, 1, 11, 2, 12});
  expectTensor(column + 1, {3, 1}, {1, 2, 3});
  expectTensor(Tensor(5) + row, {2}, {5, 15});
  EXPECT_EQ((Tensor::zeros({0, 1}) + Tensor::zeros({1, 4})).shape(),
            (Shape{0, 4}));
  EXPECT_ERROR(counting({3}) + counting({2}), ShapeError,
               "add: shapes [3], [2] cannot be broadcast together");
  EXPECT_ERROR(counting({0}) + counting({2}), ShapeError, "[0], [2]");
  EXPECT_ERROR(counting({4, 3}).maximum(counting({4})), ShapeError, "maximum");
}

TEST(Operands, OfDifferentDevicesAndGraphs) {
  Tensor here = Tensor::ones({2}, "CPU"), there = Tensor::ones({2}, "NULL");
  EXPECT_ERROR(here + there, DeviceError, "CPU and NULL");
  EXPECT_ERROR(here.where(here, there), DeviceError, "CPU and NULL");
  Tensor other;
  {
    Graph graph;
    GraphScope scope(graph);
    other = Tensor::ones({2}, "CPU");
  }
  EXPECT_ERROR(here + other, Error, "different graphs");
  expectTensor(other + other, {2}, {2, 2});
}

TEST(Arithmetic, Floats) {
  Tensor a = Tensor::from({1.0f, -2.0f, 7.5f}),
         b = Tensor::from({4.0f, 0.5f, -2.0f});
  expectTensor(a + b, {3}, {5, -1.5, 5.5});
  expectTensor(a - b, {3}, {-3, -2.5, 9.5});
  expectTensor(a * b, {3}, {4, -1, -15});
  expectTensor(a / b, {3}, {0.25, -4, -3.75});
  expectTensor(1 - a, {3}, {0, 3, -6.5});
  expectTensor(2.0 / a, {3}, {2, -1, 2 / 7.5}, 1e-7);
  expectTensor(-a, {3}, {-1, 2, -7.5});
  expectTensor(a.floordiv(b), {3}, {0, -4, -4});
  expectTensor(a.mod(b), {3}, {1, 0, -0.5});
  expectTensor(a.fmod(b), {3}, {1, 0, 1.5});
  expectTensor(a.maximum(b), {3}, {4, 0.5, 7.5});
  expectTensor(a.minimum(0), {3}, {0, -2, 0});
  expectTensor(a.lerp(b, 0.5), {3}, {2.5, -0.75, 2.75});
  expectTensor(a / 0, {3}, {INFINITY, -INFINITY, INFINITY});
  expectTensor(Tensor::from({0.0f}) / 0.0, {1}, {NAN});
  expectTensor(Tensor::from({NAN, 1.0f}).maximum(0), {2}, {NAN, 1});
  expectTensor(Tensor::from({NAN, 1.0f}).minimum(0), {2}, {NAN, 0});
}

TEST(Arithmetic, RemaindersOfFloatsAreExact) {
  const std::vector<float> numbers = {
      5.3f,  -5.3f,    0.1f, 1e6f,      -1e6f,     3e-45f,   7.0f,
      -0.0f, INFINITY, NAN,  -1.0f / 3, 123456.7f, 16777215, 1e-30f};
  for (float divisor : {0.1f, -0.1f, 3.0f, 0.7f, -1e6f, INFINITY, 1e-40f}) {
    std::vector<double> remainders, modulos;
    std::vector<float> taken;
    for (float x : numbers) {
      if (std::isfinite(x) && std::fabs(x / divisor) >= 0x1p24)
        continue;
      taken.push_back(x);
      const float rest = std::fmod(x, divisor);
      remainders.push_back(rest);
      modulos.push_back(
          rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest);
    }
    Tensor x = Tensor::from(taken), y = Tensor::full({}, divisor);
    expectTensor(x.fmod(y), x.shape(), remainders);
    expectTensor(x.mod(y), x.shape(), modulos);
  }
  Tensor x = Tensor::from({1e38, -1e300, 5.5});
  // The quotient has more digits than the type, but the result is in range.
  expectTensor(x.fmod(1e-10), {3}, {0, 0, std::fmod(5.5, 1e-10)}, 1e-11);
  expectTensor(x.toFloat().fmod(0), {3}, {NAN, NAN, NAN});
  // Rounded once from float32.
  expectTensor(Tensor::from({5.3f}).toHalf().mod(0.1), {1},
               {float(Half(std::fmod(float(Half(5.3)), float(Half(0.1)))))});
}

TEST(Arithmetic, Integers) {
  Tensor a = Tensor::from({7, -7, 7, -7}), b = Tensor::from({2, 2, -2, -2});
  expectTensor(a + b, {4}, {9, -5, 5, -9});
  expectTensor(a * b, {4}, {14, -14, -14, 14});
  Tensor quotient = a / b;
  EXPECT_EQ(quotient.dtype(), DType::Float32);
  expectTensor(quotient, {4}, {3.5, -3.5, -3.5, 3.5});
  expectTensor(a.floordiv(b), {4}, {3, -4, -4, 3});
  expectTensor(a.mod(b), {4}, {1, 1, -1, -1});
  expectTensor(a.fmod(b), {4}, {1, -1, 1, -1});
  expectTensor(a.floordiv(0), {4}, {0, 0, 0, 0});
  expectTensor(a.maximum(b), {4}, {7, 2, 7, -2});
  expectTensor(a.minimum(b), {4}, {2, -7, -2, -7});
  Tensor least = Tensor::from({std::numeric_limits<int>::min(), 1});
  expectTensor(least.minimum(5), {2}, {-2147483648.0, 1});
  expectTensor(least - 1, {2}, {2147483647, 0});
  Tensor bytes = Tensor::from(std::vector<uint8_t>{250, 3});
  expectTensor(bytes + bytes, {2}, {244, 6});
  expectTensor(bytes.minimum(Tensor::from(std::vector<uint8_t>{1, 200})), {2},
               {1, 3});
}

TEST(Arithmetic, Bools) {
  Tensor a = Tensor::from({true, true, false, false}),
         b = Tensor::from({true, false, true, false});
  expectTensor(a + b, {4}, {1, 1, 1, 0});
  expectTensor(a * b, {4}, {1, 0, 0, 0});
  expectTensor(a & b, {4}, {1, 0, 0, 0});
  expectTensor(a | b, {4}, {1, 1, 1, 0});
  expectTensor(a ^ b, {4}, {0, 1, 1, 0});
  expectTensor(!a, {4}, {0, 0, 1, 1});
  expectTensor(~a, {4}, {0, 0, 1, 1});
  expectTensor(a.maximum(b), {4}, {1, 1, 1, 0});
  expectTensor(a.minimum(b), {4}, {1, 0, 0, 0});
  expectTensor(a < b, {4}, {0, 0, 1, 0});
  expectTensor(a.floordiv(b), {4}, {1, 0, 0, 0});
  EXPECT_ERROR(a - b, DTypeError, "bool has no difference");
}

TEST(Arithmetic, NarrowFloats) {
  for (DType dtype : {DType::Float8E4M3, DType::Float8E5M2, DType::Float16,
                      DType::BFloat16}) {
    Tensor a = Tensor::from({1.5f, -2.0f}).cast(dtype), b = a + 1;
    EXPECT_EQ(b.dtype(), dtype);
    expectTensor(b, {2}, {2.5, -1});
    expectTensor(a * b, {2}, {dtype == DType::Float8E5M2 ? 4.0 : 3.75, 2});
    expectTensor(a < b, {2}, {1, 1});
    expectTensor(a.maximum(0), {2}, {1.5, 0});
    expectTensor(a.sum(), {}, {-0.5});
  }
}

TEST(Arithmetic, Pow) {
  Tensor x = Tensor::from({2.0f, -3.0f, 0.5f});
  expectTensor(x.pow(2), {3}, {4, 9, 0.25});
  expectTensor(x.pow(0), {3}, {1, 1, 1});
  expectTensor(x.pow(-1), {3}, {0.5, -1.0 / 3, 2}, 1e-7);
  expectTensor(x.pow(3), {3}, {8, -27, 0.125}, 1e-6);
  expectTensor(x.pow(0.5), {3}, {std::sqrt(2), NAN, std::sqrt(0.5)}, 1e-6);
  expectTensor(x.pow(Tensor::from({3.0f, 2.0f, -2.0f})), {3}, {8, 9, 4}, 1e-6);
  Tensor n = Tensor::from({3, -2, 0});
  expectTensor(n.pow(5), {3}, {243, -32, 0});
  expectTensor(n.pow(0), {3}, {1, 1, 1});
  expectTensor(n.pow(Tensor::from({4, 3, 0})), {3}, {81, -8, 1});
  Tensor units = Tensor::from({1, -1, -1, 2});
  expectTensor(units.pow(Tensor::from({-5, -5, -4, -1})), {4}, {1, -1, 1, 0});
  Tensor bytes = Tensor::from(std::vector<uint8_t>{3, 2});
  expectTensor(bytes.pow(Tensor::from(std::vector<uint8_t>{5, 8})), {2},
               {243, 0});
  EXPECT_ERROR(n.pow(-1), DTypeError, "negative power");
}

TEST(Elementwise, GatesOfInfinities) {
  for (DType dtype :
       {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
    SCOPED_TRACE(name(dtype));
    const Tensor x =
        Tensor::from({-INFINITY, INFINITY, NAN, -2.0f}).cast(dtype);
    for (const Tensor &y : {x.silu(), x.gelu(), x.quickGelu(), x.mish()}) {
      const auto values = y.cast(DType::Float64).tolist<double>();
      EXPECT_EQ(values[0], 0);
      EXPECT_TRUE(std::signbit(values[0]));
      EXPECT_EQ(values[1], INFINITY);
      EXPECT_TRUE(std::isnan(values[2]));
      EXPECT_LT(values[3], 0);
    }
  }
}

TEST(Arithmetic, CopysignAndLogaddexp) {
  expectTensor(Tensor::from({3.0f, -3.0f}).copysign(-1), {2}, {-3, -3});
  std::vector<float> zeros =
      Tensor::from({1.0f, 1.0f, 1.0f, 1.0f})
          .copysign(Tensor::from({-0.0f, 0.0f, -INFINITY, INFINITY}))
          .tolist<float>();
  EXPECT_THAT(zeros, ::testing::ElementsAre(-1, 1, -1, 1));
  for (DType dtype : {DType::Float8E4M3, DType::Float8E5M2, DType::Float16,
                      DType::BFloat16, DType::Float64})
    expectTensor(Tensor::from({1.0f, -2.0f})
                     .cast(dtype)
                     .copysign(Tensor::from({-0.0f, 0.0f}).cast(dtype)),
                 {2}, {-1, 2});
  Tensor a = Tensor::from({0.0f, 100.0f, -INFINITY, INFINITY}),
         b = Tensor::from({0.0f, 1.0f, -INFINITY, 1.0f});
  expectTensor(a.logaddexp(b), {4}, {std::log(2), 100, -INFINITY, INFINITY},
               1e-6);
  // Results in narrow float types are rounded once.
  std::vector<Half> points;
  std::vector<double> sums;
  for (int i = -40; i <= 40; ++i) {
    points.push_back(Half(i * 0.37));
    const double x = points.back();
    sums.push_back(float(Half(std::log(std::exp(x) + std::exp(1.5)))));
  }
  Tensor half = Tensor::from(points).logaddexp(1.5);
  EXPECT_EQ(half.dtype(), DType::Float16);
  expectTensor(half, {81}, sums);
}

TEST(Bits, Operations) {
  Tensor a = Tensor::from({12, -1}), b = Tensor::from({10, 6});
  expectTensor(a & b, {2}, {8, 6});
  expectTensor(a | b, {2}, {14, -1});
  expectTensor(a ^ b, {2}, {6, -7});
  expectTensor(~a, {2}, {-13, 0});
  expectTensor(a << 2, {2}, {48, -4});
  expectTensor(a >> 1, {2}, {6, -1});
  expectTensor(1 << b, {2}, {1024, 64});
  expectTensor(~Tensor::from(std::vector<uint16_t>{1}), {1}, {65534});
  Tensor f = counting({2});
  EXPECT_ERROR(f & f, DTypeError, "float32");
  EXPECT_ERROR(f << 1, DTypeError, "lshift");
  EXPECT_ERROR(~f, DTypeError, "bitwiseNot");
  EXPECT_ERROR(f.toBool() >> f.toBool(), DTypeError, "bool");
}

TEST(Comparisons, Floats) {
  Tensor a = Tensor::from({1.0f, 2.0f, 3.0f, NAN, 0.0f}),
         b = Tensor::from({2.0f, 2.0f, 2.0f, 2.0f, -0.0f});
  EXPECT_EQ((a < b).dtype(), DType::Bool);
  expectTensor(a < b, {5}, {1, 0, 0, 0, 0});
  expectTensor(a <= b, {5}, {1, 1, 0, 0, 1});
  expectTensor(a > b, {5}, {0, 0, 1, 0, 0});
  expectTensor(a >= b, {5}, {0, 1, 1, 0, 1});
  expectTensor(a == b, {5}, {0, 1, 0, 0, 1});
  expectTensor(a != b, {5}, {1, 0, 1, 1, 0});
  expectTensor(2 > a, {5}, {1, 0, 0, 0, 1});
}

TEST(Comparisons, Integers) {
  Tensor a = Tensor::from({1, 2, 3});
  expectTensor(a < 2, {3}, {1, 0, 0});
  expectTensor(a <= 2, {3}, {1, 1, 0});
  expectTensor(a > 2, {3}, {0, 0, 1});
  expectTensor(a >= 2, {3}, {0, 1, 1});
  expectTensor(a == 2.5, {3}, {0, 0, 0});
  Tensor big = Tensor::from(std::vector<uint64_t>{~uint64_t(0), 1});
  expectTensor(big > 1, {2}, {1, 0});
}

TEST(Comparisons, IsClose) {
  Tensor a = Tensor::from({1.0f, 1.0f, INFINITY, INFINITY, NAN}),
         b = Tensor::from({1.000001f, 1.1f, INFINITY, -INFINITY, NAN});
  expectTensor(a.isclose(b), {5}, {1, 0, 1, 0, 0});
  expectTensor(a.isclose(b, 1e-5, 1e-8, true), {5}, {1, 0, 1, 0, 1});
  EXPECT_FALSE(a.allclose(b, 1e-5, 1e-8, true));
  EXPECT_FALSE(a.allclose(a));
  EXPECT_TRUE(a.allclose(a, 0, 0, true));
  EXPECT_TRUE(a.shrinkTo(1).allclose(b.shrinkTo(1)));
  EXPECT_TRUE(Tensor::zeros({0}).allclose(1));
  EXPECT_FALSE(Tensor::ones({2, 3}).allclose(Tensor::from({1, 1, 2})));
  EXPECT_ERROR(a.allclose(Tensor::ones({2})), ShapeError, "isclose");
}

TEST(Comparisons, IsCloseOfIntegers) {
  const int32_t big = 1 << 24;
  Tensor a = Tensor::from({big, big, big, -5}),
         b = Tensor::from({big, big + 1, big - 2, 5});
  expectTensor(a.isclose(b, 0, 0), {4}, {1, 0, 0, 0});
  expectTensor(a.isclose(b, 0, 1), {4}, {1, 1, 0, 0});
  expectTensor(a.isclose(b, 0, 1.999), {4}, {1, 1, 0, 0});
  expectTensor(a.isclose(b, 0, -1), {4}, {1, 0, 0, 0});
  expectTensor(a.isclose(b, 1e-7, 0), {4}, {1, 1, 0, 0});
  expectTensor(a.isclose(b, 2, 0), {4}, {1, 1, 1, 1});
  expectTensor(a.isclose(big + 1, 0, 0), {4}, {0, 0, 0, 0});
  expectTensor(a.isclose(int64_t(1) << 40, 0, 0), {4}, {0, 0, 0, 0});
  // Integers that float64 cannot represent.
  const int64_t huge = int64_t(1) << 53, least = INT64_MIN, most = INT64_MAX;
  Tensor c = Tensor::from({huge, huge, least, most}),
         d = Tensor::from({huge + 1, huge, most, least});
  expectTensor(c.isclose(d, 0, 0), {4}, {0, 1, 0, 0});
  expectTensor(c.isclose(d, 0, 1), {4}, {1, 1, 0, 0});
  expectTensor(c.isclose(d, 0, 0x1p64), {4}, {1, 1, 1, 1});
  // Of different types: -1 is not 2^64 - 1.
  Tensor e = Tensor::from(std::vector<uint64_t>{~uint64_t(0), 1, 3, 1}),
         f = Tensor::from(std::vector<int64_t>{-1, -1, 2, 1});
  expectTensor(e.isclose(f, 0, 2), {4}, {0, 1, 1, 1});
  expectTensor(f.isclose(e, 0, 0), {4}, {0, 0, 0, 1});
  // The tolerance, 2^64 - 1, becomes 2^64 in float64.
  expectTensor(f.isclose(e, 1, 0), {4}, {1, 0, 1, 1});
  Tensor bytes = Tensor::from(std::vector<uint8_t>{255, 3}),
         small = Tensor::from(std::vector<int8_t>{-1, 3});
  expectTensor(bytes.isclose(small, 0, 255), {2}, {0, 1});
  expectTensor(Tensor::from({true, false}).isclose(true, 0, 0), {2}, {1, 0});
  Tensor rows = a.reshape({4, 1}).isclose(b.reshape({1, 4}), 0, 0);
  EXPECT_EQ(rows.shape(), (Shape{4, 4}));
}

TEST(Selection, Where) {
  Tensor condition = Tensor::from({true, false});
  expectTensor(condition.where(1, 2), {2}, {1, 2});
  EXPECT_EQ(condition.where(1, 2).dtype(), DType::Int32);
  EXPECT_EQ(condition.where(1.0, 2).dtype(), DType::Float32);
  Tensor x = counting({2, 1});
  expectTensor(condition.where(x, 9), {2, 2}, {0, 9, 1, 9});
  EXPECT_EQ(condition.where(x.toHalf(), 9).dtype(), DType::Float16);
  // Conditions may have any element type: zero is false.
  expectTensor(Tensor::from({0, 3}).where(1, 2), {2}, {2, 1});
  EXPECT_ERROR(condition.where(counting({3}), 1), ShapeError, "where");
}

TEST(Conversion, Cast) {
  Tensor x = Tensor::from({1.9f, -1.9f, 300.0f, NAN});
  expectTensor(x.toInt(), {4}, {1, -1, 300, 0});
  // Narrow integers have the lowest bits, wide ones the nearest value.
  expectTensor(x.cast(DType::UInt8), {4}, {1, 255, 44, 0});
  expectTensor(x.toHalf().cast(DType::Int8), {4}, {1, -1, 44, 0});
  expectTensor((x * -200).toShort(), {4}, {-380, 380, 5536, 0});
  expectTensor((x * 1e20).cast(DType::UInt16), {4}, {65535, 0, 65535, 0});
  expectTensor(x.cast(DType::UInt32), {4}, {1, 0, 300, 0});
  // Finite numbers beyond fp8 become its largest one.
  expectTensor((x * 1000).cast(DType::Float8E4M3), {4}, {448, -448, 448, NAN});
  expectTensor((x / 0).cast(DType::Float8E5M2), {4},
               {INFINITY, -INFINITY, INFINITY, NAN});
  expectTensor(Tensor::full({}, 1e9, DType::Float8E4M3FNUZ), {}, {240});
  expectTensor(x.toBool(), {4}, {1, 1, 1, 1});
  expectTensor(Tensor::from({300, -1}).cast(DType::UInt8), {2}, {44, 255});
  expectTensor(Tensor::from({true, false}).toHalf(), {2}, {1, 0});
  EXPECT_EQ(x.toDouble().dtype(), DType::Float64);
  EXPECT_EQ(x.toBFloat16().dtype(), DType::BFloat16);
  EXPECT_EQ(x.toLong().dtype(), DType::Int64);
  EXPECT_EQ(x.toShort().dtype(), DType::Int16);
}

TEST(Conversion, Bitcast) {
  Tensor x = Tensor::from({1.0f, -2.0f});
  expectTensor(x.bitcast(DType::UInt32), {2}, {0x3f800000, 0xc0000000});
  expectTensor(x.bitcast(DType::Int32).bitcast(DType::Float32), {2}, {1, -2});
  EXPECT_ERROR(x.bitcast(DType::Float64), DTypeError, "float64");
  EXPECT_ERROR(x.cast(DType::UInt8).bitcast(DType::Bool), DTypeError, "bool");
}

TEST(Operators, Compound) {
  Tensor x = Tensor::from({1, 2}), y = x;
  x += 1;
  x *= Tensor::from({10, 100});
  x -= 1;
  expectTensor(x, {2}, {19, 299});
  expectTensor(y, {2}, {1, 2});
  Tensor z = Tensor::from({5.0f});
  z /= 2;
  expectTensor(z, {1}, {2.5});
}
