//===- DType.h - element types ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The element types of tensors, scalar classes for those that C++ lacks, and
/// the promotion rules.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_DTYPE_H
#define TINYGRAD_RUNTIME_DTYPE_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace tinygrad {

/// Element type of a tensor or buffer. The order is the promotion priority:
/// of several types that can hold all operands the first one wins.
enum class DType : uint8_t {
  Bool,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float8E4M3,     ///< OCP E4M3: no infinity, one NaN pattern per sign.
  Float8E5M2,     ///< OCP E5M2: IEEE-like with infinities.
  Float8E4M3FNUZ, ///< Bias 8, no infinity, no negative zero, NaN is 0x80.
  Float8E5M2FNUZ, ///< Bias 16, no infinity, no negative zero, NaN is 0x80.
  Float16,
  BFloat16,
  Float32,
  Float64,
};

/// The number of values of DType.
inline constexpr unsigned kNumDTypes = unsigned(DType::Float64) + 1;

/// Size of one element in bytes; Bool takes a whole byte holding 0 or 1.
std::size_t itemSize(DType dtype);

/// Name in the tinygrad manner: "bool", "int8", "float32", "bfloat16",
/// "fp8e4m3".
const char *name(DType dtype);
/// Prints that name.
std::ostream &operator<<(std::ostream &stream, DType dtype);

/// The type with that name; common aliases ("half", "float", "double", "int",
/// "long", ...) are understood. Empty if there is none.
std::optional<DType> dtypeFromName(std::string_view text);

constexpr bool isFloat8(DType dtype) {
  return dtype >= DType::Float8E4M3 && dtype <= DType::Float8E5M2FNUZ;
}
constexpr bool isFloat(DType dtype) { return dtype >= DType::Float8E4M3; }
/// True for the signed and unsigned integers; Bool is not one of them.
constexpr bool isInteger(DType dtype) {
  return dtype > DType::Bool && dtype < DType::Float8E4M3;
}
constexpr bool isUnsigned(DType dtype) {
  return dtype == DType::UInt8 || dtype == DType::UInt16 ||
         dtype == DType::UInt32 || dtype == DType::UInt64;
}
constexpr bool isSigned(DType dtype) {
  return isInteger(dtype) && !isUnsigned(dtype);
}

/// The smallest type, in the order of a JAX-style lattice, that both operands
/// convert to: bool below the 8-bit integers, integers by width (a signed type
/// above the unsigned type of half its width, uint64 above int64), every
/// integer below every float, fp8 below float16 and bfloat16, those below
/// float32, that below float64.
DType promote(DType a, DType b);
DType promote(std::initializer_list<DType> dtypes);

/// \p dtype itself if it is a float, else its promotion with defaultFloat().
DType promoteToFloat(DType dtype);

/// Type in which a sum over \p dtype accumulates: at least float32, int32 or
/// uint32; bool counts in int32.
DType sumAccumulationDType(DType dtype);

/// Whether every value of \p from is a value of \p to.
bool isLosslessCast(DType from, DType to);

/// Widest finite range of an integer or bool type. \p dtype must not be float.
int64_t integerMin(DType dtype);
uint64_t integerMax(DType dtype);

//===----------------------------------------------------------------------===//
// Scalars that C++20 does not have
//===----------------------------------------------------------------------===//

/// Rounds to nearest, ties to even, straight from double (no double rounding).
/// A value too large becomes infinity, or NaN in a format without infinity.
uint16_t encodeHalf(double value);
uint16_t encodeBFloat16(double value);
uint8_t encodeFloat8(double value, DType format);

double decodeHalf(uint16_t bits);
double decodeBFloat16(uint16_t bits);
double decodeFloat8(uint8_t bits, DType format);

/// IEEE binary16 as a value. Arithmetic goes through float.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(double value) : bits(encodeHalf(value)) {}
  operator float() const { return float(decodeHalf(bits)); }
  static Half fromBits(uint16_t bits) {
    Half half;
    half.bits = bits;
    return half;
  }
};

/// The upper half of an IEEE binary32 as a value. Arithmetic goes through
/// float.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(double value) : bits(encodeBFloat16(value)) {}
  operator float() const { return float(decodeBFloat16(bits)); }
  static BFloat16 fromBits(uint16_t bits) {
    BFloat16 value;
    value.bits = bits;
    return value;
  }
};

/// An 8-bit float as a value, one class per format.
template <DType format> struct Float8 {
  static_assert(isFloat8(format));
  uint8_t bits = 0;
  Float8() = default;
  explicit Float8(double value) : bits(encodeFloat8(value, format)) {}
  operator float() const { return float(decodeFloat8(bits, format)); }
  static Float8 fromBits(uint8_t bits) {
    Float8 value;
    value.bits = bits;
    return value;
  }
};
using Float8E4M3 = Float8<DType::Float8E4M3>;
using Float8E5M2 = Float8<DType::Float8E5M2>;
using Float8E4M3FNUZ = Float8<DType::Float8E4M3FNUZ>;
using Float8E5M2FNUZ = Float8<DType::Float8E5M2FNUZ>;

//===----------------------------------------------------------------------===//
// C++ types to element types and back
//===----------------------------------------------------------------------===//

namespace detail {
template <typename T> struct DTypeOf {};
template <DType value> struct DTypeConstant {
  static constexpr DType dtype = value;
};
// Integers go by size and sign: long and long long are both int64 here.
template <std::size_t size, bool isSigned> constexpr DType integerDType() {
  if (size == 1)
    return isSigned ? DType::Int8 : DType::UInt8;
  if (size == 2)
    return isSigned ? DType::Int16 : DType::UInt16;
  if (size == 4)
    return isSigned ? DType::Int32 : DType::UInt32;
  return isSigned ? DType::Int64 : DType::UInt64;
}
template <typename T>
struct IntegerDTypeOf
    : DTypeConstant<integerDType<sizeof(T), (T(-1) < T(0))>()> {};
template <> struct DTypeOf<bool> : DTypeConstant<DType::Bool> {};
template <> struct DTypeOf<char> : IntegerDTypeOf<char> {};
template <> struct DTypeOf<signed char> : IntegerDTypeOf<signed char> {};
template <> struct DTypeOf<unsigned char> : IntegerDTypeOf<unsigned char> {};
template <> struct DTypeOf<short> : IntegerDTypeOf<short> {};
template <> struct DTypeOf<unsigned short> : IntegerDTypeOf<unsigned short> {};
template <> struct DTypeOf<int> : IntegerDTypeOf<int> {};
template <> struct DTypeOf<unsigned> : IntegerDTypeOf<unsigned> {};
template <> struct DTypeOf<long> : IntegerDTypeOf<long> {};
template <> struct DTypeOf<unsigned long> : IntegerDTypeOf<unsigned long> {};
template <> struct DTypeOf<long long> : IntegerDTypeOf<long long> {};
template <>
struct DTypeOf<unsigned long long> : IntegerDTypeOf<unsigned long long> {};
template <> struct DTypeOf<Half> : DTypeConstant<DType::Float16> {};
template <> struct DTypeOf<BFloat16> : DTypeConstant<DType::BFloat16> {};
template <> struct DTypeOf<float> : DTypeConstant<DType::Float32> {};
template <> struct DTypeOf<double> : DTypeConstant<DType::Float64> {};
template <DType format>
struct DTypeOf<Float8<format>> : DTypeConstant<format> {};
} // namespace detail

/// The element type that stores a C++ type: dtypeOf<float>() is
/// DType::Float32. Does not compile for a type that is no element type.
template <typename T> constexpr DType dtypeOf() {
  return detail::DTypeOf<T>::dtype;
}

/// Calls \p body with a value-initialized object of the C++ type that stores
/// \p dtype and returns what it returns:
/// `dispatch(dtype, [&](auto zero) { using T = decltype(zero); ... })`.
template <typename Body> decltype(auto) dispatch(DType dtype, Body &&body) {
  switch (dtype) {
  case DType::Bool:
    return body(bool());
  case DType::Int8:
    return body(int8_t());
  case DType::UInt8:
    return body(uint8_t());
  case DType::Int16:
    return body(int16_t());
  case DType::UInt16:
    return body(uint16_t());
  case DType::Int32:
    return body(int32_t());
  case DType::UInt32:
    return body(uint32_t());
  case DType::Int64:
    return body(int64_t());
  case DType::UInt64:
    return body(uint64_t());
  case DType::Float8E4M3:
    return body(Float8E4M3());
  case DType::Float8E5M2:
    return body(Float8E5M2());
  case DType::Float8E4M3FNUZ:
    return body(Float8E4M3FNUZ());
  case DType::Float8E5M2FNUZ:
    return body(Float8E5M2FNUZ());
  case DType::Float16:
    return body(Half());
  case DType::BFloat16:
    return body(BFloat16());
  case DType::Float32:
    return body(float());
  case DType::Float64:
    break;
  }
  return body(double());
}

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_DTYPE_H
