/*===- SoftFloat.c - operations that a processor does not have ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * A product with a sum, rounded once, on processors that have none: LLVM would
 * leave it to libm. Compiled to bitcode at build time, which becomes a part of
 * the objects whose code calls it (ExpandArithmetic.cpp). There are no loops
 * and no calls.
 *
 *===----------------------------------------------------------------------===*/

#include <stdint.h>

#pragma STDC FP_CONTRACT OFF

double tgFma64(double x, double y, double z);

static uint64_t bitsOfDouble(double x) {
  uint64_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double doubleOf(uint64_t bits) {
  double x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

/* Without its sign: significand * 2^exponent, where the highest bit of the
 * significand is bit 125. */
typedef struct Unpacked {
  unsigned __int128 significand;
  int32_t exponent;
} Unpacked;

/* Of a number that is neither 0 nor infinite: 53 bits, the highest one set. */
static uint64_t unpack(double x, int32_t *exponent) {
  const uint64_t bits = bitsOfDouble(x) & ~(UINT64_C(1) << 63);
  const int32_t biased = (int32_t)(bits >> 52);
  if (biased != 0) {
    *exponent = biased - 1075;
    return (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1) << 52;
  }
  const int32_t shift = __builtin_clzll(bits) - 11;
  *exponent = -1074 - shift;
  return bits << shift;
}

static int32_t countLeadingZeros(unsigned __int128 x) {
  const uint64_t high = (uint64_t)(x >> 64);
  return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)x);
}

/* The nearest double, an even one of two. */
static double pack(uint64_t sign, Unpacked x) {
  const int32_t biased = x.exponent + 125 + 1023;
  /* Subnormal numbers have fewer bits. */
  int32_t shift = biased > 0 ? 73 : 74 - biased;
  if (shift > 127)
    shift = 127;
  uint64_t bits = (uint64_t)(x.significand >> shift);
  const unsigned __int128 rest = x.significand << (128 - shift);
  const unsigned __int128 half = (unsigned __int128)1 << 127;
  const uint64_t isUp = rest > half || (rest == half && bits & 1);
  if (biased > 0)
    bits += (uint64_t)(biased - 1) << 52;
  bits += isUp;
  if (biased >= 0x7ff || bits >= UINT64_C(0x7ff) << 52)
    bits = UINT64_C(0x7ff) << 52;
  return doubleOf(sign | bits);
}

double tgFma64(double x, double y, double z) {
  /* Makes zeros of subnormal numbers in that mode; exact in the other. */
  volatile double one = 1;
  x *= one;
  y *= one;
  z *= one;
  const double product = x * y;
  const uint64_t infinity = UINT64_C(0x7ff) << 52;
  const uint64_t clear = ~(UINT64_C(1) << 63);
  if ((bitsOfDouble(x) & clear) >= infinity ||
      (bitsOfDouble(y) & clear) >= infinity || x == 0 || y == 0)
    return product + z;
  /* Whether or not the product is too large for a double. */
  if ((bitsOfDouble(z) & clear) >= infinity)
    return z;
  /* Not a sum: the product may be rounded to a zero of another sign than z. */
  if (z == 0)
    return product;

  int32_t exponentX, exponentY, exponentZ;
  const uint64_t significandX = unpack(x, &exponentX),
                 significandY = unpack(y, &exponentY),
                 significandZ = unpack(z, &exponentZ);
  Unpacked large = {(unsigned __int128)significandX * significandY,
                    exponentX + exponentY};
  const int32_t shift = countLeadingZeros(large.significand) - 2;
  large.significand <<= shift;
  large.exponent -= shift;
  Unpacked small = {(unsigned __int128)significandZ << 73, exponentZ - 73};
  const uint64_t signOfProduct = (bitsOfDouble(x) ^ bitsOfDouble(y)) & ~clear,
                 signOfTerm = bitsOfDouble(z) & ~clear;
  uint64_t sign = signOfProduct;
  if (small.exponent > large.exponent ||
      (small.exponent == large.exponent &&
       small.significand > large.significand)) {
    const Unpacked other = large;
    large = small;
    small = other;
    sign = signOfTerm;
  }
  /* The lowest bit stands for all that are shifted out. */
  const int32_t distance = large.exponent - small.exponent;
  if (distance > 126) {
    small.significand = 1;
  } else if (distance > 0) {
    const unsigned __int128 lost = small.significand << (128 - distance);
    small.significand = small.significand >> distance | (lost != 0);
  }
  if (signOfProduct == signOfTerm)
    large.significand += small.significand;
  else
    large.significand -= small.significand;
  if (large.significand == 0)
    return 0;
  /* A sum may have one bit more, which is 0 or stands for more. */
  const int32_t zeros = countLeadingZeros(large.significand);
  if (zeros < 2) {
    large.significand = large.significand >> 1 | (large.significand & 1);
    large.exponent += 1;
  } else {
    large.significand <<= zeros - 2;
    large.exponent -= zeros - 2;
  }
  return pack(sign, large) * one;
}
