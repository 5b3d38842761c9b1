//===- ElementwiseTest.cpp - elementwise arithmetic -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Corner cases of the elementwise operations, with results computed by hand.
///
//===----------------------------------------------------------------------===//

#include "InterpreterTest.h"

namespace {

using ElementwiseTest = InterpreterTest;

TEST_F(ElementwiseTest, IntegersWrap) {
  expectBinary("tg.add", "i8", "[127, -128, 100]", "[1, -1, 100]",
               "[-128, 127, -56]");
  expectBinary("tg.add", "ui16", "[65535]", "[1]", "[0]");
  expectBinary("tg.sub", "ui8", "[0, 5]", "[1, 7]", "[255, 254]");
  expectBinary("tg.sub", "i64", "[-9223372036854775808]", "[1]",
               "[9223372036854775807]");
  expectBinary("tg.mul", "i32", "[65536, -2147483648]", "[65536, -1]",
               "[0, -2147483648]");
  expectBinary("tg.mul", "ui16", "[65535]", "[65535]", "[1]");
  expectUnary("tg.neg", "i8", "[-128, 5]", "[-128, -5]");
  expectUnary("tg.neg", "ui8", "[1, 0]", "[255, 0]");
}

TEST_F(ElementwiseTest, Bool) {
  std::string a = "[false, false, true, true]",
              b = "[false, true, false, true]";
  expectBinary("tg.add", "i1", a, b, "[false, true, true, true]");
  expectBinary("tg.max", "i1", a, b, "[false, true, true, true]");
  expectBinary("tg.mul", "i1", a, b, "[false, false, false, true]");
  expectBinary("tg.and", "i1", a, b, "[false, false, false, true]");
  expectBinary("tg.or", "i1", a, b, "[false, true, true, true]");
  expectBinary("tg.xor", "i1", a, b, "[false, true, true, false]");
  expectCompare("tg.cmplt", "i1", a, b, "[false, true, false, false]");
  expectCompare("tg.cmpeq", "i1", a, b, "[true, false, false, true]");
  expectCompare("tg.cmpne", "i1", a, b, "[false, true, true, false]");
}

TEST_F(ElementwiseTest, Division) {
  std::string a = "[7, -7, 7, -7, 5, -128, 0]", b = "[2, 2, -2, -2, 0, -1, 3]";
  expectBinary("tg.idiv", "i8", a, b, "[3, -3, -3, 3, 0, -128, 0]");
  expectBinary("tg.mod", "i8", a, b, "[1, -1, 1, -1, 0, 0, 0]");
  expectBinary("tg.floordiv", "i8", a, b, "[3, -4, -4, 3, 0, -128, 0]");
  expectBinary("tg.floormod", "i8", a, b, "[1, 1, -1, -1, 0, 0, 0]");
  expectBinary("tg.idiv", "ui8", "[255, 7]", "[16, 0]", "[15, 0]");
  expectBinary("tg.floormod", "ui8", "[255, 7]", "[16, 0]", "[15, 0]");
  expectBinary("tg.floordiv", "i64", "[-9223372036854775808]", "[-1]",
               "[-9223372036854775808]");
}

TEST_F(ElementwiseTest, Shifts) {
  // The amount -1 is read as unsigned, far greater than the width.
  std::string a = "[1, 1, 1, -2, -2, 64]", b = "[7, 8, -1, 1, 100, -128]";
  expectBinary("tg.shl", "i8", a, b, "[-128, 0, 0, -4, 0, 0]");
  expectBinary("tg.shr", "i8", a, b, "[0, 0, 0, -1, -1, 0]");
  expectBinary("tg.shr", "ui8", "[255, 255, 255]", "[7, 8, 255]", "[1, 0, 0]");
  expectBinary("tg.shl", "ui64", "[1, 1]", "[63, 64]",
               "[9223372036854775808, 0]");
}

TEST_F(ElementwiseTest, Bitwise) {
  expectBinary("tg.and", "i8", "[12, -1]", "[10, 5]", "[8, 5]");
  expectBinary("tg.or", "ui8", "[12, 128]", "[10, 1]", "[14, 129]");
  expectBinary("tg.xor", "i16", "[-1, 12]", "[1, 10]", "[-2, 6]");
}

TEST_F(ElementwiseTest, FloatMaxAndComparisons) {
  std::string a = "[1.0, 0x7FC00000, 2.0, 0xFF800000]";
  std::string b = "[2.0, 1.0, 0x7FC00000, 1.0]";
  expectBinary("tg.max", "f32", a, b, "[2.0, 0x7FC00000, 0x7FC00000, 1.0]");
  expectCompare("tg.cmplt", "f32", a, b, "[true, false, false, true]");
  expectCompare("tg.cmpeq", "f32", "[-0.0, 0x7FC00000]", "[0.0, 0x7FC00000]",
                "[true, false]");
  expectCompare("tg.cmpne", "f32", "[-0.0, 0x7FC00000]", "[0.0, 0x7FC00000]",
                "[false, true]");
  expectCompare("tg.cmplt", "ui8", "[200]", "[100]", "[false]");
  expectCompare("tg.cmplt", "i8", "[-56]", "[100]", "[true]");
}

TEST_F(ElementwiseTest, FloatDivision) {
  expectUnary("tg.recip", "f32", "[0.0, -0.0, 0x7F800000, 0xFF800000, 3.0]",
              "[0x7F800000, 0xFF800000, 0.0, -0.0, 0x3EAAAAAB]");
  expectBinary("tg.fdiv", "f32", "[1.0, -1.0, 0x7F800000]", "[0.0, 0.0, 2.0]",
               "[0x7F800000, 0xFF800000, 0x7F800000]");
  expectCompare("tg.cmpne", "f32", "[0x7FC00000]", "[0x7FC00000]", "[true]");
  // Half of the smallest subnormal ties to zero.
  expectBinary("tg.fdiv", "f32", "[0x00000001, 0x00000003]", "[2.0, 2.0]",
               "[0.0, 0x00000002]");
}

TEST_F(ElementwiseTest, FloatUnary) {
  expectUnary("tg.neg", "f32", "[0.0, 1.5, 0x7F800000]",
              "[-0.0, -1.5, 0xFF800000]");
  expectUnary("tg.sqrt", "f32", "[4.0, 2.0, -0.0, 0x00000001]",
              "[2.0, 0x3FB504F3, -0.0, 0x1A3504F3]");
  expectUnary("tg.trunc", "f32", "[1.9, -1.9, -0.5, 0xFF800000, 8388609.0]",
              "[1.0, -1.0, -0.0, 0xFF800000, 8388609.0]");
  expectUnary("tg.exp2", "f32",
              "[3.0, -1.0, -149.0, 128.0, 0xFF800000, 0x7F800000]",
              "[8.0, 0.5, 0x00000001, 0x7F800000, 0.0, 0x7F800000]");
  expectUnary("tg.log2", "f32", "[8.0, 0.5, 0.0, -0.0, 0x7F800000, 0x00000001]",
              "[3.0, -1.0, 0xFF800000, 0xFF800000, 0x7F800000, -149.0]");
  expectUnary("tg.exp", "f32", "[0.0, -200.0, 89.0, 0xFF800000, 0x7F800000]",
              "[1.0, 0.0, 0x7F800000, 0.0, 0x7F800000]");
  expectUnary("tg.expm1", "f32",
              "[-0.0, 0x00000001, 0xFF800000, 89.0, 0x2F800000]",
              "[-0.0, 0x00000001, -1.0, 0x7F800000, 0x2F800000]");
  expectUnary("tg.log", "f32", "[1.0, 0.0, -0.0, 0x7F800000]",
              "[0.0, 0xFF800000, 0xFF800000, 0x7F800000]");
  expectUnary("tg.log1p", "f32", "[-0.0, -1.0, 0x7F800000, 0x2F800000]",
              "[-0.0, 0xFF800000, 0x7F800000, 0x2F800000]");
  for (const char *op :
       {"tg.sin", "tg.tan", "tg.asin", "tg.atan", "tg.tanh", "tg.erf"})
    expectUnary(op, "f32", "[0.0, -0.0]", "[0.0, -0.0]");
  expectUnary("tg.cos", "f32", "[0.0, -0.0]", "[1.0, 1.0]");
  // pi and pi / 2 rounded to f32.
  expectUnary("tg.acos", "f32", "[1.0, -1.0, 0.0]",
              "[0.0, 0x40490FDB, 0x3FC90FDB]");
  expectUnary("tg.asin", "f32", "[1.0, -1.0]", "[0x3FC90FDB, 0xBFC90FDB]");
  expectUnary("tg.atan", "f32", "[0x7F800000, 0xFF800000]",
              "[0x3FC90FDB, 0xBFC90FDB]");
  for (const char *op : {"tg.tanh", "tg.erf"})
    expectUnary(op, "f32", "[0x7F800000, 0xFF800000]", "[1.0, -1.0]");
  // sin(1), 0.8414709848..., correct to the last bit.
  expectUnary("tg.sin", "f64", "[1.0]", "[0x3FEAED548F090CEE]");
}

TEST_F(ElementwiseTest, NaNResults) {
  for (const char *op :
       {"tg.sqrt", "tg.log2", "tg.log", "tg.log1p", "tg.asin", "tg.acos"})
    expect("%x = tg.const(dense<-2.0> : tensor<2xf32>) : tensor<2xf32>\n"
           "%y = " +
               std::string(op) +
               " %x : tensor<2xf32>\n"
               "%r = tg.cmpne %y, %y : tensor<2xf32>",
           "tensor<2xi1>", "true");
  for (const char *op : {"tg.sin", "tg.cos", "tg.tan"})
    expect("%x = tg.const(0xFF800000 : f32) : tensor<2xf32>\n"
           "%y = " +
               std::string(op) +
               " %x : tensor<2xf32>\n"
               "%r = tg.cmpne %y, %y : tensor<2xf32>",
           "tensor<2xi1>", "true");
}

TEST_F(ElementwiseTest, PowSpecialCases) {
  // The exponent 0 and the base 1 give 1 even with NaN.
  expectBinary("tg.pow", "f32", "[0x7FC00000, 1.0, 0.0, -0.0]",
               "[0.0, 0x7FC00000, -0.0, 0.0]", "[1.0, 1.0, 1.0, 1.0]");
  // Powers of zero: odd exponents keep the sign.
  expectBinary("tg.pow", "f32", "[-0.0, -0.0, -0.0, -0.0, 0.0]",
               "[3.0, 2.0, -3.0, -2.0, -0.5]",
               "[-0.0, 0.0, 0xFF800000, 0x7F800000, 0x7F800000]");
  // Infinities, as base and as exponent.
  expectBinary("tg.pow", "f32",
               "[0xFF800000, 0xFF800000, 0.5, 0.5, 2.0, 2.0, -1.0]",
               "[3.0, -3.0, 0x7F800000, 0xFF800000, 0x7F800000, 0xFF800000, "
               "0x7F800000]",
               "[0xFF800000, -0.0, 0.0, 0x7F800000, 0x7F800000, 0.0, 1.0]");
  expectBinary("tg.pow", "f32", "[-2.0, 2.0, 10.0, -8.0]",
               "[3.0, 0.5, 39.0, 2.0]", "[-8.0, 0x3FB504F3, 0x7F800000, 64.0]");
  expect("%x = tg.const(-8.0 : f32) : tensor<2xf32>\n"
         "%y = tg.const(0.5 : f32) : tensor<2xf32>\n"
         "%z = tg.pow %x, %y : tensor<2xf32>\n"
         "%r = tg.cmpne %z, %z : tensor<2xf32>",
         "tensor<2xi1>", "true");
}

TEST_F(ElementwiseTest, HalfIsRoundedAfterEveryOperation) {
  // 2048 + 1 ties to 2048, twice.
  expect("%a = tg.const(2048.0 : f16) : tensor<1xf16>\n"
         "%b = tg.const(1.0 : f16) : tensor<1xf16>\n"
         "%c = tg.add %a, %b : tensor<1xf16>\n"
         "%r = tg.add %c, %b : tensor<1xf16>",
         "tensor<1xf16>", "2048.0");
  expectBinary("tg.mul", "f16", "[256.0, 0x0001]", "[256.0, 0.5]",
               "[0x7C00, 0.0]");
  expectBinary("tg.add", "bf16", "[256.0, 258.0]", "[1.0, 1.0]",
               "[256.0, 260.0]");
}

TEST_F(ElementwiseTest, MulAccIsRoundedOnce) {
  // (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46, which a rounded product would lose.
  expect("%a = tg.const(0x3F800001 : f32) : tensor<1xf32>\n"
         "%c = tg.const(0xBF800002 : f32) : tensor<1xf32>\n"
         "%r = tg.mulacc %a, %a, %c : tensor<1xf32>",
         "tensor<1xf32>", "0x28800000");
  expect("%a = tg.const(100 : i8) : tensor<1xi8>\n"
         "%r = tg.mulacc %a, %a, %a : tensor<1xi8>",
         "tensor<1xi8>", "116");
}

TEST_F(ElementwiseTest, Where) {
  expect("%c = tg.const(dense<[true, false]> : tensor<2xi1>) : tensor<2xi1>\n"
         "%x = tg.const(dense<[1.0, 0x7FC00000]> : tensor<2xf32>) : "
         "tensor<2xf32>\n"
         "%y = tg.const(dense<[0x7FC00000, -0.0]> : tensor<2xf32>) : "
         "tensor<2xf32>\n"
         "%r = tg.where %c, %x, %y : tensor<2xf32>",
         "tensor<2xf32>", "[1.0, -0.0]");
}

TEST_F(ElementwiseTest, ThreefryKnownAnswers) {
  // The published test vectors for Threefry-2x32 with 20 rounds. The first word
  // is the low half.
  expectBinary("tg.threefry", "ui64",
               "[0x0000000000000000, 0xffffffffffffffff, 0x85a308d3243f6a88]",
               "[0x0000000000000000, 0xffffffffffffffff, 0x0370734413198a2e]",
               "[0x99ba4efe6b200159, 0xbb002be71cb996fc, 0x483df7a0c4923a9c]");
}

} // namespace
