//===- Values.cpp - random contents of tensors ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Values that are likely to expose bugs: small numbers, for which arithmetic
/// is exact, and special values.
///
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "TinyGrad/Compiler/Compiler.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

using namespace mlir;
using namespace mlir::tg;
using tinygrad::DType;

/// Infinities, NaN, zeros, the limits of normal and subnormal numbers.
template <typename T> static T specialFloat(DType dtype, Random &random) {
  static const double values[] = {0.0,       -0.0, 1.0, -1.0, INFINITY,
                                  -INFINITY, NAN,  0.5, 2.0,  -3.0};
  if (random.percent(60))
    return T(random.pick(values));
  // Random bits are distributed over all exponents; then the extreme patterns.
  T value{};
  uint64_t bits = random.bits();
  if (random.percent(30))
    bits = 1; // the smallest subnormal
  else if (random.percent(30))
    bits = ~uint64_t(0) >> 1 & bits;
  std::memcpy(&value, &bits, sizeof(T));
  if constexpr (std::is_same_v<T, double>) {
    // Leaves room for a few operations without overflow.
    if (std::isfinite(value) && std::abs(std::log2(std::abs(value))) > 900)
      return 1.5;
  }
  return value;
}

template <typename T>
static T randomFloat(DType dtype, int64_t style, Random &random) {
  switch (style) {
  case 0: // integers
    return T(static_cast<double>(random.between(-4, 4)));
  case 1: // quarters
    return T(static_cast<double>(random.between(-8, 8)) / 4);
  case 2: // random mantissa
    return T(4 * random.unit() - 2);
  case 3: // positive, for logarithms and roots
    return T(0.1 + 10 * random.unit());
  case 4: // over many exponents
    return T(std::ldexp(2 * random.unit() - 1,
                        static_cast<int>(random.between(-12, 12))));
  case 5: // powers of two
    return T(std::ldexp(random.percent(50) ? 1.0 : -1.0,
                        static_cast<int>(random.between(-3, 3))));
  default:
    return random.percent(40) ? specialFloat<T>(dtype, random)
                              : T(static_cast<double>(random.between(-4, 4)));
  }
}

template <typename T> static T randomInteger(int64_t style, Random &random) {
  switch (style) {
  case 0:
  case 1: // small values
    return static_cast<T>(random.between(std::is_signed_v<T> ? -5 : 0, 5));
  case 2: // near the width, for shifts
    return static_cast<T>(random.between(0, 8 * int64_t(sizeof(T)) + 1));
  case 3: { // limits of the type
    static const T values[] = {std::numeric_limits<T>::min(),
                               std::numeric_limits<T>::max(),
                               T(std::numeric_limits<T>::min() + 1),
                               T(std::numeric_limits<T>::max() - 1),
                               T(0),
                               T(1),
                               T(-1),
                               T(2)};
    return random.pick(values);
  }
  default:
    return static_cast<T>(random.bits());
  }
}

void mlir::tg::fillRandom(HostTensor &tensor, Random &random, bool isModerate) {
  DType dtype = tinygrad::getDType(tensor.elementType);
  int64_t style = random.below(8);
  // Without many exponents and special values.
  if (isModerate && (style == 4 || style == 6))
    style = 2;
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0, e = tensor.numElements(); i < e; ++i) {
      T value;
      if constexpr (std::is_same_v<T, bool>) {
        value = random.percent(50);
      } else if constexpr (std::is_integral_v<T>) {
        value = randomInteger<T>(style % 5, random);
      } else if constexpr (sizeof(T) == 1) {
        // fp8: one of the 256 patterns, or small numbers.
        value = style < 4 ? T::fromBits(static_cast<uint8_t>(random.bits()))
                          : randomFloat<T>(dtype, style % 2, random);
      } else {
        // Integers and quarters are twice as likely.
        value =
            randomFloat<T>(dtype, style == 7 ? random.below(2) : style, random);
      }
      std::memcpy(tensor.bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
}
