//===- DTypeTest.cpp - element types --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Names, promotion, and small floats compared with LLVM's conversions.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/DType.h"
#include "TinyGrad/Runtime/DefaultFloat.h"
#include "TinyGrad/Runtime/Error.h"

#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <set>

using namespace tinygrad;

static std::vector<DType> allDTypes() {
  std::vector<DType> all;
  for (unsigned i = 0; i < kNumDTypes; ++i)
    all.push_back(DType(i));
  return all;
}

TEST(DType, namesAreUniqueAndFoundAgain) {
  std::set<std::string> names;
  for (DType dtype : allDTypes()) {
    EXPECT_TRUE(names.insert(name(dtype)).second);
    EXPECT_EQ(dtypeFromName(name(dtype)), dtype);
  }
  EXPECT_EQ(dtypeFromName("float"), DType::Float32);
  EXPECT_EQ(dtypeFromName("half"), DType::Float16);
  EXPECT_EQ(dtypeFromName("float31"), std::nullopt);
  EXPECT_EQ(dtypeFromName(""), std::nullopt);
}

TEST(DType, sizesMatchTheStorageTypes) {
  for (DType dtype : allDTypes())
    dispatch(dtype, [&](auto zero) {
      EXPECT_EQ(itemSize(dtype), sizeof(zero)) << name(dtype);
      EXPECT_EQ(dtypeOf<decltype(zero)>(), dtype);
    });
  EXPECT_EQ(dtypeOf<long>(), DType::Int64);
  EXPECT_EQ(dtypeOf<long long>(), DType::Int64);
}

TEST(DType, predicates) {
  EXPECT_FALSE(isInteger(DType::Bool));
  EXPECT_FALSE(isFloat(DType::Bool));
  EXPECT_TRUE(isUnsigned(DType::UInt8));
  EXPECT_FALSE(isUnsigned(DType::Int8));
  EXPECT_TRUE(isSigned(DType::Int64));
  EXPECT_FALSE(isSigned(DType::Float32));
  EXPECT_TRUE(isFloat8(DType::Float8E5M2FNUZ));
  EXPECT_FALSE(isFloat8(DType::Float16));
  EXPECT_TRUE(isFloat(DType::BFloat16));
}

TEST(DType, integerRanges) {
  EXPECT_EQ(integerMin(DType::Int8), -128);
  EXPECT_EQ(integerMax(DType::Int8), 127u);
  EXPECT_EQ(integerMin(DType::Int64), INT64_MIN);
  EXPECT_EQ(integerMax(DType::UInt64), UINT64_MAX);
  EXPECT_EQ(integerMin(DType::UInt32), 0);
  EXPECT_EQ(integerMax(DType::Bool), 1u);
  EXPECT_THROW(integerMin(DType::Float32), DTypeError);
  EXPECT_THROW(integerMax(DType::Float8E4M3), DTypeError);
}

TEST(DType, promotionIsALattice) {
  for (DType a : allDTypes()) {
    EXPECT_EQ(promote(a, a), a);
    EXPECT_EQ(promote(a, DType::Float64), DType::Float64);
    EXPECT_EQ(promote(a, DType::Bool), a);
    for (DType b : allDTypes()) {
      EXPECT_EQ(promote(a, b), promote(b, a));
      // The result is an upper bound of both operands.
      EXPECT_EQ(promote(promote(a, b), a), promote(a, b));
      for (DType c : allDTypes())
        if (!isFloat8(a) && !isFloat8(b) && !isFloat8(c))
          EXPECT_EQ(promote(promote(a, b), c), promote(a, promote(b, c)))
              << name(a) << " " << name(b) << " " << name(c);
    }
  }
}

TEST(DType, promotionCases) {
  EXPECT_EQ(promote(DType::Int8, DType::UInt8), DType::Int16);
  EXPECT_EQ(promote(DType::Int16, DType::UInt16), DType::Int32);
  EXPECT_EQ(promote(DType::Int32, DType::UInt32), DType::Int64);
  EXPECT_EQ(promote(DType::UInt8, DType::Int64), DType::Int64);
  EXPECT_EQ(promote(DType::Int64, DType::UInt64), DType::UInt64);
  EXPECT_EQ(promote(DType::Int64, DType::Float16), DType::Float16);
  EXPECT_EQ(promote(DType::UInt64, DType::Float8E4M3), DType::Float8E4M3);
  EXPECT_EQ(promote(DType::Float8E4M3, DType::Float8E5M2), DType::Float16);
  EXPECT_EQ(promote(DType::Float8E4M3, DType::BFloat16), DType::BFloat16);
  EXPECT_EQ(promote(DType::Float16, DType::BFloat16), DType::Float32);
  EXPECT_EQ(promote({DType::Bool, DType::UInt8, DType::Int8}), DType::Int16);
  EXPECT_THROW(promote({}), DTypeError);
  EXPECT_EQ(promoteToFloat(DType::Int64), DType::Float32);
  EXPECT_EQ(promoteToFloat(DType::Float16), DType::Float16);
}

TEST(DType, defaultFloat) {
  EXPECT_EQ(defaultFloat(), DType::Float32);
  setDefaultFloat(DType::BFloat16);
  EXPECT_EQ(defaultFloat(), DType::BFloat16);
  EXPECT_EQ(promoteToFloat(DType::Int64), DType::BFloat16);
  EXPECT_EQ(promoteToFloat(DType::Float64), DType::Float64);
  EXPECT_THROW(setDefaultFloat(DType::Int32), DTypeError);
  EXPECT_EQ(defaultFloat(), DType::BFloat16);
  setDefaultFloat(DType::Float32);
}

TEST(DType, defaultInt) {
  EXPECT_EQ(defaultInt(), DType::Int32);
  setDefaultInt(DType::UInt8);
  EXPECT_EQ(defaultInt(), DType::UInt8);
  EXPECT_THROW(setDefaultInt(DType::Float32), DTypeError);
  EXPECT_THROW(setDefaultInt(DType::Bool), DTypeError);
  EXPECT_EQ(defaultInt(), DType::UInt8);
  setDefaultInt(DType::Int32);
}

TEST(DType, sumsAccumulateInAtLeast32Bits) {
  EXPECT_EQ(sumAccumulationDType(DType::Bool), DType::Int32);
  EXPECT_EQ(sumAccumulationDType(DType::Int8), DType::Int32);
  EXPECT_EQ(sumAccumulationDType(DType::Int64), DType::Int64);
  EXPECT_EQ(sumAccumulationDType(DType::UInt8), DType::UInt32);
  EXPECT_EQ(sumAccumulationDType(DType::UInt64), DType::UInt64);
  EXPECT_EQ(sumAccumulationDType(DType::Float8E4M3), DType::Float32);
  EXPECT_EQ(sumAccumulationDType(DType::BFloat16), DType::Float32);
  EXPECT_EQ(sumAccumulationDType(DType::Float64), DType::Float64);
}

//===----------------------------------------------------------------------===//
// Small floats
//===----------------------------------------------------------------------===//

namespace {
struct SmallFormat {
  DType dtype;
  const llvm::fltSemantics &semantics;
  unsigned bits;
};
} // namespace

static std::vector<SmallFormat> smallFormats() {
  return {{DType::Float16, llvm::APFloat::IEEEhalf(), 16},
          {DType::BFloat16, llvm::APFloat::BFloat(), 16},
          {DType::Float8E4M3, llvm::APFloat::Float8E4M3FN(), 8},
          {DType::Float8E5M2, llvm::APFloat::Float8E5M2(), 8},
          {DType::Float8E4M3FNUZ, llvm::APFloat::Float8E4M3FNUZ(), 8},
          {DType::Float8E5M2FNUZ, llvm::APFloat::Float8E5M2FNUZ(), 8}};
}

static double decodeAny(DType dtype, unsigned bits) {
  if (dtype == DType::Float16)
    return decodeHalf(uint16_t(bits));
  if (dtype == DType::BFloat16)
    return decodeBFloat16(uint16_t(bits));
  return decodeFloat8(uint8_t(bits), dtype);
}

static unsigned encodeAny(DType dtype, double value) {
  if (dtype == DType::Float16)
    return encodeHalf(value);
  if (dtype == DType::BFloat16)
    return encodeBFloat16(value);
  return encodeFloat8(value, dtype);
}

static llvm::APFloat reference(const SmallFormat &format, unsigned bits) {
  return llvm::APFloat(format.semantics, llvm::APInt(format.bits, bits));
}

static unsigned referenceEncode(const SmallFormat &format, double value) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(format.semantics, llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return unsigned(number.bitcastToAPInt().getZExtValue());
}

TEST(SmallFloats, everyPatternDecodesAsInLlvm) {
  for (const SmallFormat &format : smallFormats())
    for (unsigned bits = 0; bits < 1u << format.bits; ++bits) {
      llvm::APFloat expected = reference(format, bits);
      bool losesInfo = false;
      expected.convert(llvm::APFloat::IEEEdouble(),
                       llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      const double value = decodeAny(format.dtype, bits);
      if (expected.isNaN())
        EXPECT_TRUE(std::isnan(value)) << name(format.dtype) << " " << bits;
      else
        EXPECT_EQ(std::bit_cast<uint64_t>(value),
                  std::bit_cast<uint64_t>(expected.convertToDouble()))
            << name(format.dtype) << " " << bits;
    }
}

static void checkEncode(const SmallFormat &format, double value) {
  const unsigned expected = referenceEncode(format, value);
  const unsigned bits = encodeAny(format.dtype, value);
  if (reference(format, expected).isNaN())
    EXPECT_TRUE(reference(format, bits).isNaN())
        << name(format.dtype) << " " << value;
  else
    EXPECT_EQ(bits, expected) << name(format.dtype) << " " << value;
}

TEST(SmallFloats, encodesAsLlvmAroundEveryValue) {
  for (const SmallFormat &format : smallFormats())
    for (unsigned bits = 0; bits < 1u << format.bits; ++bits) {
      const double value = decodeAny(format.dtype, bits);
      const double next = decodeAny(format.dtype, bits + 1);
      if (!std::isfinite(value))
        continue;
      checkEncode(format, value);
      // The middle between two values is a tie, its neighbors are not.
      const double middle = std::isfinite(next) && std::isfinite(value)
                                ? value + (next - value) / 2
                                : value * 1.0625;
      for (double x : {middle, std::nextafter(middle, HUGE_VAL),
                       std::nextafter(middle, -HUGE_VAL)})
        checkEncode(format, x);
    }
}

TEST(SmallFloats, encodesAsLlvmAtRandomAndAtTheEdges) {
  std::mt19937_64 random(7);
  for (const SmallFormat &format : smallFormats()) {
    for (double x :
         {0.0,     -0.0,    HUGE_VAL, -HUGE_VAL, std::nan(""), 448.0,
          464.0,   465.0,   480.0,    240.0,     247.9,        248.0,
          57344.0, 61440.0, 61439.9,  65504.0,   65519.9,      65520.0,
          1e300,   -1e300,  1e-300,   5e-324,    3.4e38,       3.3961e38})
      for (double sign : {1.0, -1.0})
        checkEncode(format, sign * x);
    for (int i = 0; i < 200000; ++i) {
      // All exponents near the formats' ranges, with random significands.
      const uint64_t word = random();
      const double x =
          std::ldexp(1.0 + double(word >> 12) * 0x1p-52, int(word % 320) - 160);
      checkEncode(format, word & 1 << 11 ? -x : x);
    }
  }
}

TEST(SmallFloats, valuesBehaveAsNumbers) {
  const Half half(1.5);
  EXPECT_EQ(half.bits, 0x3e00);
  EXPECT_EQ(half + half, 3.0f);
  EXPECT_EQ(float(BFloat16(3.0)), 3.0f);
  EXPECT_EQ(float(Float8E4M3(448.0)), 448.0f);
  EXPECT_TRUE(std::isnan(float(Float8E4M3(1e9))));
  EXPECT_TRUE(std::isinf(float(Float8E5M2(1e9))));
  EXPECT_THROW(encodeFloat8(1, DType::Float32), DTypeError);
  EXPECT_THROW(decodeFloat8(1, DType::Int8), DTypeError);
}

TEST(DType, losslessCasts) {
  EXPECT_TRUE(isLosslessCast(DType::Bool, DType::Float8E4M3));
  EXPECT_TRUE(isLosslessCast(DType::UInt8, DType::Int16));
  EXPECT_FALSE(isLosslessCast(DType::Int8, DType::UInt64));
  EXPECT_FALSE(isLosslessCast(DType::UInt64, DType::Int64));
  EXPECT_TRUE(isLosslessCast(DType::Int32, DType::Float64));
  EXPECT_FALSE(isLosslessCast(DType::Int32, DType::Float32));
  EXPECT_FALSE(isLosslessCast(DType::Float16, DType::BFloat16));
  EXPECT_FALSE(isLosslessCast(DType::Float32, DType::Int64));
  EXPECT_FALSE(isLosslessCast(DType::Int8, DType::Bool));
  // Every fp8 value is also a float16 and a bfloat16 value.
  for (const SmallFormat &format : smallFormats())
    if (isFloat8(format.dtype))
      for (unsigned bits = 0; bits < 256; ++bits) {
        const double value = decodeAny(format.dtype, bits);
        if (std::isnan(value))
          continue;
        EXPECT_EQ(decodeHalf(encodeHalf(value)), value);
        EXPECT_EQ(decodeBFloat16(encodeBFloat16(value)), value);
      }
}
