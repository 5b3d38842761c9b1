//===- CastTest.cpp - conversions between types ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rounding, saturation and wrapping of `tg.cast`, compared with values
/// computed by hand. Expected floats are bit patterns where decimal numbers
/// could hide an error.
///
//===----------------------------------------------------------------------===//

#include "InterpreterTest.h"

namespace {

using CastTest = InterpreterTest;

TEST_F(CastTest, FloatToFloat8E4M3FN) {
  // Bias 7, largest 448 = 1.75 * 2^8; there is no infinity, NaN is 0x7F.
  expectCast("f32", "[1.0, -1.0, 448.0, 1.5, -0.0, 0.0]", "f8E4M3FN",
             "[0x38, 0xB8, 0x7E, 0x3C, 0x80, 0x00]");
  // Half-way to 480, whose pattern is that of NaN: ties to even, 448.
  expectCast("f32", "[463.0, 464.0]", "f8E4M3FN", "[0x7E, 0x7E]");
  expectCast("f32", "[465.0, 1.0e9, 0x7F800000]", "f8E4M3FN",
             "[0x7F, 0x7F, 0x7F]");
  // Subnormals step by 2^-9; half a step ties to zero, which keeps its sign.
  expectCast("f32", "[0.001953125, 0.0009765625, 0.00146484375, -0.0009765625]",
             "f8E4M3FN", "[0x01, 0x00, 0x01, 0x80]");
  // 1.0625 lies between 1 and 1.125 and ties to even; so does 1.1875.
  expectCast("f32", "[1.0625, 1.1875]", "f8E4M3FN", "[0x38, 0x3A]");
}

TEST_F(CastTest, FloatToFloat8E5M2) {
  // Bias 15, largest 57344 = 1.75 * 2^15; 61440 is half-way to 2^16.
  expectCast("f32", "[1.0, -2.0, 57344.0, 61439.0]", "f8E5M2",
             "[0x3C, 0xC0, 0x7B, 0x7B]");
  expectCast("f32", "[61440.0, -1.0e9]", "f8E5M2", "[0x7C, 0xFC]");
  expectCast("f32", "[0x37800000, 0x37000000]", "f8E5M2", "[0x01, 0x00]");
}

TEST_F(CastTest, FloatToFloat8FNUZ) {
  // The bias is one greater; there is no negative zero, and 0x80 is the only
  // NaN.
  expectCast("f32", "[1.0, -1.0, 240.0, -0.0, 247.0, 248.0, 0xFF800000]",
             "f8E4M3FNUZ", "[0x40, 0xC0, 0x7F, 0x00, 0x7F, 0x80, 0x80]");
  expectCast("f32", "[1.0, -1.0, 57344.0, -0.0, 61439.0, 61440.0, 0x7FC00000]",
             "f8E5M2FNUZ", "[0x40, 0xC0, 0x7F, 0x00, 0x7F, 0x80, 0x80]");
  // Less than the smallest subnormal, 2^-10: becomes zero without a sign.
  expectCast("f32", "[-0.0001]", "f8E4M3FNUZ", "[0x00]");
}

TEST_F(CastTest, Float8ToOthers) {
  expectCast("f8E4M3FN", "[0x38, 0xFE, 0x01, 0x80]", "f32",
             "[1.0, -448.0, 0.001953125, -0.0]");
  expectCast("f8E5M2", "[0x7C, 0xFC, 0x01]", "f32",
             "[0x7F800000, 0xFF800000, 0x37800000]");
  expectCast("f8E4M3FNUZ", "[0x7F, 0x40]", "i32", "[240, 1]");
  // NaN is 0 as an integer and true as bool.
  expectCast("f8E5M2FNUZ", "[0x80, 0x00, 0x40]", "i8", "[0, 0, 1]");
  expectCast("f8E4M3FN", "[0x7F, 0x80, 0x01]", "i1", "[true, false, true]");
  // Between these types: 448 is out of range of E4M3FNUZ and becomes NaN.
  expectCast("f8E4M3FN", "[0x7E, 0x38]", "f8E4M3FNUZ", "[0x80, 0x40]");
}

TEST_F(CastTest, FloatToHalf) {
  expectCast("f32", "[2049.0, 2051.0, 65504.0, 65519.0, 65520.0]", "f16",
             "[2048.0, 2052.0, 65504.0, 65504.0, 0x7C00]");
  // Half of the smallest subnormal ties to zero; anything greater does not.
  expectCast("f32", "[0x33000000, 0x33000001, 0xB3000000]", "f16",
             "[0x0000, 0x0001, 0x8000]");
}

TEST_F(CastTest, DoubleIsRoundedOnce) {
  // 1 + 2^-11 + 2^-40: rounding to f32 first would lose the last bit and tie to
  // 1.
  expectCast("f64", "[0x3FF0020000001000]", "f16", "[0x3C01]");
  // The same for bf16: 1 + 2^-8 + 2^-40.
  expectCast("f64", "[0x3FF0100000001000]", "bf16", "[0x3F81]");
  expectCast("f64", "[1.0e300, -1.0e-300, 0x7FF8000000000000]", "f32",
             "[0x7F800000, -0.0, 0x7FC00000]");
}

TEST_F(CastTest, FloatToBFloat16) {
  expectCast("f32", "[1.0, 0x3F808000, 0x3F818000, 0x3F808001]", "bf16",
             "[0x3F80, 0x3F80, 0x3F82, 0x3F81]");
  expectCast("f32", "[0x7F7FFFFF, 0x00000001]", "bf16", "[0x7F80, 0x0000]");
}

TEST_F(CastTest, FloatToInteger) {
  expectCast("f32", "[1.9, -1.9, -0.5, 127.9, 128.0, -128.9, -129.0]", "i8",
             "[1, -1, 0, 127, 127, -128, -128]");
  expectCast("f32", "[0x7FC00000, 0x7F800000, 0xFF800000]", "i32",
             "[0, 2147483647, -2147483648]");
  expectCast("f32", "[255.9, 256.0, -0.9, -1.0, 0x7F800000]", "ui8",
             "[255, 255, 0, 0, 255]");
  expectCast("f64", "[9.3e18, -9.3e18, 9007199254740993.0]", "i64",
             "[9223372036854775807, -9223372036854775808, 9007199254740992]");
  expectCast("f64", "[1.9e19, -1.0, 18446744073709549568.0]", "ui64",
             "[18446744073709551615, 0, 18446744073709549568]");
  expectCast("f16", "[0x7BFF, 0x7C00, 0x7E00]", "i16", "[32767, 32767, 0]");
}

TEST_F(CastTest, IntegerToFloat) {
  expectCast("i32", "[16777217, 16777219, -16777217]", "f32",
             "[16777216.0, 16777220.0, -16777216.0]");
  expectCast("ui64", "[18446744073709551615]", "f32", "[0x5F800000]");
  expectCast("i64", "[65519, 65520, -65520]", "f16",
             "[65504.0, 0x7C00, 0xFC00]");
  // 2^31 + 2^23 + 1: rounded once it goes up; rounding to f32 first makes a
  // tie.
  expectCast("i64", "[2156396545]", "bf16", "[0x4F01]");
  expectCast("ui32", "[4294967295]", "f64", "[4294967295.0]");
  expectCast("i32", "[448, 1000, -7]", "f8E4M3FN", "[0x7E, 0x7F, 0xCE]");
}

TEST_F(CastTest, IntegerToInteger) {
  expectCast("i32", "[-1, 300, -129]", "i8", "[-1, 44, 127]");
  expectCast("i8", "[-1, 127]", "ui32", "[4294967295, 127]");
  expectCast("ui8", "[255]", "i32", "[255]");
  expectCast("i8", "[-1]", "ui64", "[18446744073709551615]");
}

TEST_F(CastTest, Bool) {
  expectCast("f32", "[0.0, -0.0, 0.1, 0x7FC00000]", "i1",
             "[false, false, true, true]");
  expectCast("i32", "[0, 256, -1]", "i1", "[false, true, true]");
  expectCast("i1", "[true, false]", "f16", "[1.0, 0.0]");
  expectCast("i1", "[true, false]", "i8", "[1, 0]");
}

TEST_F(CastTest, Bitcast) {
  expect("%x = tg.const(dense<[1.0, -0.0]> : tensor<2xf32>) : tensor<2xf32>\n"
         "%r = tg.bitcast %x : tensor<2xf32> -> tensor<2xui32>",
         "tensor<2xui32>", "[1065353216, 2147483648]");
  expect("%x = tg.const(dense<[56, 254]> : tensor<2xui8>) : tensor<2xui8>\n"
         "%y = tg.bitcast %x : tensor<2xui8> -> tensor<2xf8E4M3FN>\n"
         "%r = tg.cast %y : tensor<2xf8E4M3FN> -> tensor<2xf32>",
         "tensor<2xf32>", "[1.0, -448.0]");
}

} // namespace
