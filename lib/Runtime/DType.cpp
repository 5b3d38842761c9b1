//===- DType.cpp - element types ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Names, sizes, promotion, and conversions of small float formats.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/DType.h"
#include "TinyGrad/Runtime/DefaultFloat.h"
#include "TinyGrad/Runtime/Error.h"

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <ostream>

using namespace tinygrad;

//===----------------------------------------------------------------------===//
// Names and sizes
//===----------------------------------------------------------------------===//

namespace {
struct TypeFacts {
  const char *name;
  uint8_t bytes;
  /// The number of significant bits: of an integer without its sign bit, of a
  /// float with the implicit bit.
  uint8_t digits;
};
} // namespace

static constexpr std::array<TypeFacts, kNumDTypes> kTypeFacts = {{
    {"bool", 1, 1},
    {"int8", 1, 7},
    {"uint8", 1, 8},
    {"int16", 2, 15},
    {"uint16", 2, 16},
    {"int32", 4, 31},
    {"uint32", 4, 32},
    {"int64", 8, 63},
    {"uint64", 8, 64},
    {"fp8e4m3", 1, 4},
    {"fp8e5m2", 1, 3},
    {"fp8e4m3fnuz", 1, 4},
    {"fp8e5m2fnuz", 1, 3},
    {"float16", 2, 11},
    {"bfloat16", 2, 8},
    {"float32", 4, 24},
    {"float64", 8, 53},
}};

static const TypeFacts &factsOf(DType dtype) {
  return kTypeFacts[unsigned(dtype)];
}

std::size_t tinygrad::itemSize(DType dtype) { return factsOf(dtype).bytes; }

const char *tinygrad::name(DType dtype) { return factsOf(dtype).name; }

std::ostream &tinygrad::operator<<(std::ostream &stream, DType dtype) {
  return stream << name(dtype);
}

std::optional<DType> tinygrad::dtypeFromName(std::string_view text) {
  for (unsigned i = 0; i < kNumDTypes; ++i)
    if (text == kTypeFacts[i].name)
      return DType(i);

  struct Alias {
    std::string_view name;
    DType dtype;
  };
  static constexpr Alias aliases[] = {
      {"half", DType::Float16},   {"float", DType::Float32},
      {"double", DType::Float64}, {"char", DType::Int8},
      {"short", DType::Int16},    {"int", DType::Int32},
      {"long", DType::Int64},     {"uchar", DType::UInt8},
      {"ushort", DType::UInt16},  {"uint", DType::UInt32},
      {"ulong", DType::UInt64},   {"bf16", DType::BFloat16},
  };
  for (const Alias &alias : aliases)
    if (text == alias.name)
      return alias.dtype;
  return std::nullopt;
}

int64_t tinygrad::integerMin(DType dtype) {
  if (isFloat(dtype))
    throw DTypeError(std::string("integer range asked for ") + name(dtype));
  if (!isSigned(dtype))
    return 0;
  return -int64_t(integerMax(dtype)) - 1;
}

uint64_t tinygrad::integerMax(DType dtype) {
  if (isFloat(dtype))
    throw DTypeError(std::string("integer range asked for ") + name(dtype));
  return ~uint64_t(0) >> (64 - factsOf(dtype).digits);
}

//===----------------------------------------------------------------------===//
// Promotion
//===----------------------------------------------------------------------===//

/// A set of types, one bit each.
using DTypeSet = uint32_t;
static constexpr DTypeSet bit(DType dtype) { return 1u << unsigned(dtype); }

/// For each type the set of types it promotes to, itself included: the
/// reflexive and transitive closure of the lattice's edges.
static constexpr std::array<DTypeSet, kNumDTypes> makePromotionTargets() {
  std::array<DTypeSet, kNumDTypes> up{};
  auto edges = [&up](DType from, DTypeSet to) { up[unsigned(from)] = to; };
  edges(DType::Bool, bit(DType::Int8) | bit(DType::UInt8));
  edges(DType::Int8, bit(DType::Int16));
  edges(DType::UInt8, bit(DType::Int16) | bit(DType::UInt16));
  edges(DType::Int16, bit(DType::Int32));
  edges(DType::UInt16, bit(DType::Int32) | bit(DType::UInt32));
  edges(DType::Int32, bit(DType::Int64));
  edges(DType::UInt32, bit(DType::Int64) | bit(DType::UInt64));
  // int64 and uint64 promote to uint64 rather than to an 8-bit float, the next
  // type above both.
  edges(DType::Int64, bit(DType::UInt64));
  edges(DType::UInt64, bit(DType::Float8E4M3) | bit(DType::Float8E5M2) |
                           bit(DType::Float8E4M3FNUZ) |
                           bit(DType::Float8E5M2FNUZ));
  for (DType fp8 : {DType::Float8E4M3, DType::Float8E5M2, DType::Float8E4M3FNUZ,
                    DType::Float8E5M2FNUZ})
    edges(fp8, bit(DType::Float16) | bit(DType::BFloat16));
  edges(DType::Float16, bit(DType::Float32));
  edges(DType::BFloat16, bit(DType::Float32));
  edges(DType::Float32, bit(DType::Float64));

  // Every edge leads to a later type, so one backward pass computes the
  // closure.
  for (unsigned i = kNumDTypes; i-- > 0;) {
    DTypeSet closed = bit(DType(i));
    for (unsigned j = i + 1; j < kNumDTypes; ++j)
      if (up[i] & bit(DType(j)))
        closed |= up[j];
    up[i] = closed;
  }
  return up;
}

static constexpr std::array<DTypeSet, kNumDTypes> kPromotionTargets =
    makePromotionTargets();

DType tinygrad::promote(DType a, DType b) {
  DTypeSet common =
      kPromotionTargets[unsigned(a)] & kPromotionTargets[unsigned(b)];
  return DType(std::countr_zero(common)); // float64 is above all types
}

DType tinygrad::promote(std::initializer_list<DType> dtypes) {
  if (dtypes.size() == 0)
    throw DTypeError("promotion requires at least one type");
  DType result = *dtypes.begin();
  for (DType dtype : dtypes)
    result = promote(result, dtype);
  return result;
}

static std::atomic<DType> chosenFloat = DType::Float32;

DType tinygrad::defaultFloat() { return chosenFloat; }

void tinygrad::setDefaultFloat(DType dtype) {
  if (!isFloat(dtype))
    throw DTypeError("the default float type is a type of floats, not " +
                     std::string(name(dtype)));
  chosenFloat = dtype;
}

static std::atomic<DType> chosenInt = DType::Int32;

DType tinygrad::defaultInt() { return chosenInt; }

void tinygrad::setDefaultInt(DType dtype) {
  if (isFloat(dtype) || dtype == DType::Bool)
    throw DTypeError("the default type of integers is one of integers, not " +
                     std::string(name(dtype)));
  chosenInt = dtype;
}

DType tinygrad::promoteToFloat(DType dtype) {
  return isFloat(dtype) ? dtype : promote(dtype, defaultFloat());
}

DType tinygrad::sumAccumulationDType(DType dtype) {
  if (isUnsigned(dtype))
    return promote(dtype, DType::UInt32);
  if (!isFloat(dtype))
    return promote(dtype, DType::Int32);
  return promote(dtype, DType::Float32);
}

bool tinygrad::isLosslessCast(DType from, DType to) {
  if (from == to || from == DType::Bool)
    return true;
  if (to == DType::Bool)
    return false;
  if (!isFloat(from) && !isFloat(to)) {
    if (isSigned(from) && !isSigned(to))
      return false;
    return factsOf(from).digits <= factsOf(to).digits;
  }
  if (isFloat(from) && !isFloat(to))
    return false;
  if (!isFloat(from)) {
    // All integers of the type must be exact and in range. For 7 digits, fp8
    // satisfies neither.
    return factsOf(from).digits <= factsOf(to).digits;
  }
  switch (to) {
  case DType::Float64:
    return true;
  case DType::Float32:
    return from != DType::Float64;
  case DType::Float16:
    return isFloat8(from);
  case DType::BFloat16:
    return isFloat8(from);
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Small float formats
//===----------------------------------------------------------------------===//

namespace {
/// How the largest exponent and negative zero are used.
enum class Specials {
  Ieee,   ///< all ones: infinity and NaN
  NoInf,  ///< only the all-ones pattern is NaN
  NoZero, ///< the pattern of negative zero is the one NaN, no infinity
};

struct FloatFormat {
  int exponentBits;
  int mantissaBits;
  int bias;
  Specials specials;
};
} // namespace

static constexpr FloatFormat kHalfFormat = {5, 10, 15, Specials::Ieee};
static constexpr FloatFormat kBfloatFormat = {8, 7, 127, Specials::Ieee};

static constexpr FloatFormat float8Format(DType dtype) {
  switch (dtype) {
  case DType::Float8E4M3:
    return {4, 3, 7, Specials::NoInf};
  case DType::Float8E5M2:
    return {5, 2, 15, Specials::Ieee};
  case DType::Float8E4M3FNUZ:
    return {4, 3, 8, Specials::NoZero};
  default:
    return {5, 2, 16, Specials::NoZero};
  }
}

static uint32_t encode(double value, FloatFormat format) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint32_t sign = uint32_t(bits >> 63)
                        << (format.exponentBits + format.mantissaBits);
  const uint32_t exponentMask = (1u << format.exponentBits) - 1;
  const uint32_t mantissaMask = (1u << format.mantissaBits) - 1;
  const uint32_t allOnes = exponentMask << format.mantissaBits | mantissaMask;

  uint32_t infinity = 0, nan = 0, largest = 0;
  switch (format.specials) {
  case Specials::Ieee:
    infinity = sign | exponentMask << format.mantissaBits;
    nan = infinity | 1u << (format.mantissaBits - 1);
    largest = (exponentMask << format.mantissaBits) - 1;
    break;
  case Specials::NoInf:
    infinity = nan = sign | allOnes;
    largest = allOnes - 1;
    break;
  case Specials::NoZero:
    infinity = nan = 1u << (format.exponentBits + format.mantissaBits);
    largest = allOnes;
    break;
  }
  if (std::isnan(value))
    return nan;
  if (std::isinf(value))
    return infinity;

  // `magnitude` holds the exponent next to the mantissa, so that a carry from
  // rounding the mantissa increments the exponent. Subnormal doubles are far
  // below half of the smallest value of every format here.
  const int doubleExponent = int(bits >> 52 & 0x7ff);
  int exponent = doubleExponent - 1023 + format.bias;
  const uint64_t significand = (bits & ((uint64_t(1) << 52) - 1)) | uint64_t(1)
                                                                        << 52;
  int shift = 52 - format.mantissaBits;
  if (exponent <= 0) {
    shift += 1 - exponent;
    exponent = 1;
  }
  uint64_t magnitude = 0;
  if (doubleExponent != 0 && shift <= 53) {
    magnitude = significand >> shift;
    const uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
    const uint64_t half = uint64_t(1) << (shift - 1);
    if (rest > half || (rest == half && (magnitude & 1)))
      ++magnitude;
    // The implicit bit of a normal number counts as one step of the exponent.
    magnitude += uint64_t(exponent - 1) << format.mantissaBits;
  }
  if (magnitude > largest)
    return infinity;
  if (magnitude == 0 && format.specials == Specials::NoZero)
    return 0;
  return sign | uint32_t(magnitude);
}

static double decode(uint32_t bits, FloatFormat format) {
  const uint32_t signBit = 1u << (format.exponentBits + format.mantissaBits);
  const uint32_t exponentMask = (1u << format.exponentBits) - 1;
  const uint32_t mantissa = bits & ((1u << format.mantissaBits) - 1);
  const uint32_t exponent = bits >> format.mantissaBits & exponentMask;
  const double sign = bits & signBit ? -1.0 : 1.0;
  const double nan = std::numeric_limits<double>::quiet_NaN();

  if (format.specials == Specials::NoZero) {
    if (bits == signBit)
      return nan;
  } else if (format.specials == Specials::NoInf) {
    if ((bits & (signBit - 1)) == signBit - 1)
      return std::copysign(nan, sign);
  } else if (exponent == exponentMask) {
    if (mantissa)
      return std::copysign(nan, sign);
    return sign * std::numeric_limits<double>::infinity();
  }
  // All values of these formats are normal in double precision.
  if (exponent == 0) {
    const double step = std::bit_cast<double>(
        uint64_t(1024 - format.bias - format.mantissaBits) << 52);
    return sign * double(mantissa) * step;
  }
  const uint64_t magnitude = uint64_t(int(exponent) + 1023 - format.bias)
                                 << 52 |
                             uint64_t(mantissa) << (52 - format.mantissaBits);
  return sign * std::bit_cast<double>(magnitude);
}

uint16_t tinygrad::encodeHalf(double value) {
  return uint16_t(encode(value, kHalfFormat));
}

uint16_t tinygrad::encodeBFloat16(double value) {
  return uint16_t(encode(value, kBfloatFormat));
}

uint8_t tinygrad::encodeFloat8(double value, DType format) {
  if (!isFloat8(format))
    throw DTypeError(std::string(name(format)) + " is not an fp8 type");
  return uint8_t(encode(value, float8Format(format)));
}

double tinygrad::decodeHalf(uint16_t bits) { return decode(bits, kHalfFormat); }

double tinygrad::decodeBFloat16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

double tinygrad::decodeFloat8(uint8_t bits, DType format) {
  if (!isFloat8(format))
    throw DTypeError(std::string(name(format)) + " is not an fp8 type");
  return decode(bits, float8Format(format));
}
