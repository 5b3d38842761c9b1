//===- Scalar.cpp - a number as an operand --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Conversions and properties of scalar operands.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/Scalar.h"

#include "TinyGrad/Runtime/DefaultFloat.h"
#include "TinyGrad/Runtime/Error.h"

#include <charconv>
#include <cmath>
#include <limits>

using namespace tinygrad;

void Scalar::throwSymbolic() const {
  throw ShapeError("a constant is required here, not the symbolic " +
                   symbolic_.str());
}

uint64_t Scalar::toBits() const {
  if (isSymbolic())
    throwSymbolic();
  if (kind_ != Kind::Float)
    return bits;
  if (std::isnan(number))
    return 0;
  if (number >= 0x1p64)
    return std::numeric_limits<uint64_t>::max();
  if (number >= 0x1p63)
    return uint64_t(number);
  if (number < -0x1p63)
    return uint64_t(1) << 63;
  return uint64_t(int64_t(number));
}

DType Scalar::defaultDType() const {
  switch (kind_) {
  case Kind::Bool:
    return DType::Bool;
  case Kind::Float:
    return defaultFloat();
  case Kind::Int:
    break;
  }
  for (DType dtype : {defaultInt(), DType::Int32})
    if (fits(dtype))
      return dtype;
  return fits(DType::Int64) ? DType::Int64 : DType::UInt64;
}

bool Scalar::isWeakerThan(DType dtype) const {
  switch (kind_) {
  case Kind::Bool:
    return true;
  case Kind::Int:
    return dtype != DType::Bool;
  case Kind::Float:
    break;
  }
  return isFloat(dtype);
}

bool Scalar::fits(DType dtype) const {
  if (isFloat(dtype) || dtype == DType::Bool || kind_ == Kind::Bool)
    return true;
  if (isSymbolic())
    return Scalar(symbolic_.min()).fits(dtype) &&
           Scalar(symbolic_.max()).fits(dtype);
  if (kind_ == Kind::Float) {
    // Compares halves: half of the power of two that ends the range is exact in
    // both types, while the power itself may not fit 64 bits.
    const double whole = std::trunc(number);
    const uint64_t half = (integerMax(dtype) / 2) + 1;
    return whole >= double(integerMin(dtype)) && whole < 2 * double(half);
  }
  if (isNegative_)
    return int64_t(bits) >= integerMin(dtype);
  return bits <= integerMax(dtype);
}

std::string Scalar::str() const {
  if (isSymbolic())
    return symbolic_.str();
  if (kind_ == Kind::Bool)
    return bits ? "true" : "false";
  if (kind_ == Kind::Int)
    return isNegative_ ? std::to_string(int64_t(bits)) : std::to_string(bits);
  // The shortest text that reads back as the same number.
  char text[32];
  return std::string(text,
                     std::to_chars(text, text + sizeof(text), number).ptr);
}
