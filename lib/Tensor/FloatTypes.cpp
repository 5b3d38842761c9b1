//===- FloatTypes.cpp - values that float types represent -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rounding to a float type and neighboring values, in double precision.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"

#include <cmath>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::detail;

double detail::largestFinite(DType dtype) {
  switch (dtype) {
  case DType::Float8E4M3:
    return 448;
  case DType::Float8E5M2:
  case DType::Float8E5M2FNUZ:
    return 57344;
  case DType::Float8E4M3FNUZ:
    return 240;
  case DType::Float16:
    return 65504;
  case DType::BFloat16:
    return 0x1.fep127;
  case DType::Float32:
    return std::numeric_limits<float>::max();
  default:
    return std::numeric_limits<double>::max();
  }
}

double detail::roundTo(double value, DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return decodeHalf(encodeHalf(value));
  case DType::BFloat16:
    return decodeBFloat16(encodeBFloat16(value));
  case DType::Float32:
    return float(value);
  case DType::Float64:
    return value;
  default:
    return decodeFloat8(encodeFloat8(value, dtype), dtype);
  }
}

double detail::previousValue(double value, DType dtype) {
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  if (dtype == DType::Float64)
    return std::nextafter(value, lowest);
  if (dtype == DType::Float32)
    return std::nextafterf(float(value),
                           -std::numeric_limits<float>::infinity());
  // The bit patterns of positive 16-bit floats are in the order of their
  // values.
  auto step = [&](auto encode, auto decode) -> double {
    if (value == 0)
      return -decode(1);
    const uint16_t bits = encode(std::abs(value));
    return value > 0 ? decode(bits - 1) : -decode(bits + 1);
  };
  return dtype == DType::Float16 ? step(encodeHalf, decodeHalf)
                                 : step(encodeBFloat16, decodeBFloat16);
}
