//===- Elements.h - element types in host memory ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One class per element type: its representation in memory, and the C++ type
/// in which arithmetic on it is done.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_INTERPRETER_ELEMENTS_H
#define TINYGRAD_LIB_INTERPRETER_ELEMENTS_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

#include <cstdint>
#include <cstring>

namespace mlir::tg {

struct BoolElement {
  using Compute = bool;
  static bool load(const char *from) { return *from != 0; }
  static void store(char *to, bool value) { *to = value; }
  static constexpr unsigned size = 1;
};

/// Integers, f32 and f64: computed in the type in which they are stored.
template <typename T> struct PlainElement {
  using Compute = T;
  static T load(const char *from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }
  static void store(char *to, T value) { std::memcpy(to, &value, sizeof(T)); }
  static constexpr unsigned size = sizeof(T);
};

/// 8-bit and 16-bit floats: stored as bits, computed in f32. APFloat, which
/// supports every format, does the conversions.
template <const llvm::fltSemantics &(*semantics)(), typename Bits>
struct SmallFloatElement {
  using Compute = float;
  static float load(const char *from) {
    Bits bits;
    std::memcpy(&bits, from, sizeof(Bits));
    llvm::APFloat value(semantics(), llvm::APInt(8 * sizeof(Bits), bits));
    bool losesInfo;
    value.convert(llvm::APFloat::IEEEsingle(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToFloat();
  }
  static void storeRounded(char *to, llvm::APFloat value) {
    bool losesInfo;
    value.convert(semantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    Bits bits = static_cast<Bits>(value.bitcastToAPInt().getZExtValue());
    std::memcpy(to, &bits, sizeof(Bits));
  }
  static void store(char *to, float value) {
    storeRounded(to, llvm::APFloat(value));
  }
  static constexpr unsigned size = sizeof(Bits);
};

using F16Element = SmallFloatElement<llvm::APFloat::IEEEhalf, uint16_t>;
using BF16Element = SmallFloatElement<llvm::APFloat::BFloat, uint16_t>;
using F8E4M3FNElement = SmallFloatElement<llvm::APFloat::Float8E4M3FN, uint8_t>;
using F8E5M2Element = SmallFloatElement<llvm::APFloat::Float8E5M2, uint8_t>;
using F8E4M3FNUZElement =
    SmallFloatElement<llvm::APFloat::Float8E4M3FNUZ, uint8_t>;
using F8E5M2FNUZElement =
    SmallFloatElement<llvm::APFloat::Float8E5M2FNUZ, uint8_t>;

/// Calls `body` with an object of the integer or bool element class of `type`.
template <typename Body> auto dispatchInteger(Type type, Body &&body) {
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return body(BoolElement());
  case 8:
    return isUnsigned ? body(PlainElement<uint8_t>())
                      : body(PlainElement<int8_t>());
  case 16:
    return isUnsigned ? body(PlainElement<uint16_t>())
                      : body(PlainElement<int16_t>());
  case 32:
    return isUnsigned ? body(PlainElement<uint32_t>())
                      : body(PlainElement<int32_t>());
  default:
    return isUnsigned ? body(PlainElement<uint64_t>())
                      : body(PlainElement<int64_t>());
  }
}

/// Dispatches on a float type that supports arithmetic.
template <typename Body> auto dispatchFloat(Type type, Body &&body) {
  if (type.isF16())
    return body(F16Element());
  if (type.isBF16())
    return body(BF16Element());
  if (type.isF32())
    return body(PlainElement<float>());
  return body(PlainElement<double>());
}

/// Dispatches on any element type of the dialect.
template <typename Body> auto dispatchElement(Type type, Body &&body) {
  if (isa<IntegerType>(type))
    return dispatchInteger(type, body);
  if (isa<Float8E4M3FNType>(type))
    return body(F8E4M3FNElement());
  if (isa<Float8E5M2Type>(type))
    return body(F8E5M2Element());
  if (isa<Float8E4M3FNUZType>(type))
    return body(F8E4M3FNUZElement());
  if (isa<Float8E5M2FNUZType>(type))
    return body(F8E5M2FNUZElement());
  return dispatchFloat(type, body);
}

} // namespace mlir::tg

#endif // TINYGRAD_LIB_INTERPRETER_ELEMENTS_H
