//===- ReduceMovementTest.cpp - reduce, movement, creation ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Operations on whole tensors, with results computed by hand.
///
//===----------------------------------------------------------------------===//

#include "InterpreterTest.h"

namespace {

using ReduceTest = InterpreterTest;
using MovementTest = InterpreterTest;
using CreationTest = InterpreterTest;

/// `%x`, a constant.
static std::string input(const std::string &value, const std::string &type) {
  return "%x = tg.const(dense<" + value + "> : " + type + ") : " + type + "\n";
}

static const std::string kMatrix =
    input("[[1, 2, 3], [4, 5, 6]]", "tensor<2x3xi32>");

TEST_F(ReduceTest, Axes) {
  expect(kMatrix + "%r = tg.reduce add %x axes [1] : tensor<2x3xi32> -> "
                   "tensor<2x1xi32>",
         "tensor<2x1xi32>", "[[6], [15]]");
  expect(kMatrix + "%r = tg.reduce mul %x axes [0] : tensor<2x3xi32> -> "
                   "tensor<1x3xi32>",
         "tensor<1x3xi32>", "[[4, 10, 18]]");
  expect(kMatrix + "%r = tg.reduce max %x axes [0, 1] : tensor<2x3xi32> -> "
                   "tensor<1x1xi32>",
         "tensor<1x1xi32>", "[[6]]");
  expect(kMatrix + "%r = tg.reduce add %x axes [] : tensor<2x3xi32> -> "
                   "tensor<2x3xi32>",
         "tensor<2x3xi32>", "[[1, 2, 3], [4, 5, 6]]");
}

TEST_F(ReduceTest, IdentityOverNothing) {
  auto empty = [&](const std::string &kind, const std::string &element,
                   const std::string &expected) {
    std::string type = "tensor<2x0x" + element + ">";
    std::string result = "tensor<2x1x" + element + ">";
    std::string zero = element[0] == 'i' && element != "i1" ? "0"
                       : element[0] == 'u'                  ? "0"
                       : element == "i1"                    ? "false"
                                                            : "0.0";
    expect("%x = tg.const(" + zero + (element == "i1" ? "" : " : " + element) +
               ") : " + type + "\n%r = tg.reduce " + kind +
               " %x axes [1] : " + type + " -> " + result,
           result, expected);
  };
  empty("add", "f32", "0.0");
  empty("mul", "f32", "1.0");
  empty("max", "f32", "0xFF800000");
  empty("max", "f16", "0xFC00");
  empty("max", "i8", "-128");
  empty("max", "ui8", "0");
  empty("mul", "i64", "1");
  empty("add", "i1", "false");
  empty("mul", "i1", "true");
  empty("max", "i1", "false");
}

// Rounding errors of additions are compensated.
TEST_F(ReduceTest, SumsAreExact) {
  expect(input("[1.0e16, 1.0, 1.0, -1.0e16]", "tensor<4xf64>") +
             "%r = tg.reduce add %x axes [0] : tensor<4xf64> -> tensor<1xf64>",
         "tensor<1xf64>", "[2.0]");
  expect(input("[1.0e30, 1.0, -1.0e30, 0.5]", "tensor<4xf32>") +
             "%r = tg.reduce add %x axes [0] : tensor<4xf32> -> tensor<1xf32>",
         "tensor<1xf32>", "[1.5]");
  expect(input("[0x7FF0000000000000, 1.0]", "tensor<2xf64>") +
             "%r = tg.reduce add %x axes [0] : tensor<2xf64> -> tensor<1xf64>",
         "tensor<1xf64>", "[0x7FF0000000000000]");
  expect("%x = tg.const(0.1 : f64) : tensor<100000xf64>\n"
         "%r = tg.reduce add %x axes [0] : tensor<100000xf64> -> "
         "tensor<1xf64>",
         "tensor<1xf64>", "[10000.0]");
}

TEST_F(ReduceTest, WrapsAndPropagatesNaN) {
  expect(input("[100, 100, 100]", "tensor<3xi8>") +
             "%r = tg.reduce add %x axes [0] : tensor<3xi8> -> tensor<1xi8>",
         "tensor<1xi8>", "[44]");
  expect(input("[1.0, 0x7FC00000, 2.0]", "tensor<3xf32>") +
             "%r = tg.reduce max %x axes [0] : tensor<3xf32> -> tensor<1xf32>",
         "tensor<1xf32>", "[0x7FC00000]");
  expect(input("[false, true, false]", "tensor<3xi1>") +
             "%r = tg.reduce add %x axes [0] : tensor<3xi1> -> tensor<1xi1>",
         "tensor<1xi1>", "[true]");
}

TEST_F(ReduceTest, SumsAreRoundedOnce) {
  // In f16 arithmetic the sum would stay at 2048.
  expect(input("[2048.0, 1.0, 1.0, 1.0]", "tensor<4xf16>") +
             "%r = tg.reduce add %x axes [0] : tensor<4xf16> -> tensor<1xf16>",
         "tensor<1xf16>", "[2052.0]");
  expect(input("[16777216.0, 1.0, 1.0]", "tensor<3xf32>") +
             "%r = tg.reduce add %x axes [0] : tensor<3xf32> -> tensor<1xf32>",
         "tensor<1xf32>", "[16777218.0]");
}

TEST_F(MovementTest, Reshape) {
  expect(kMatrix + "%r = tg.reshape %x : tensor<2x3xi32> -> tensor<3x1x2xi32>",
         "tensor<3x1x2xi32>", "[[[1, 2]], [[3, 4]], [[5, 6]]]");
}

TEST_F(MovementTest, Permute) {
  expect(kMatrix + "%r = tg.permute %x [1, 0] : tensor<2x3xi32> -> "
                   "tensor<3x2xi32>",
         "tensor<3x2xi32>", "[[1, 4], [2, 5], [3, 6]]");
  expect(input("[[[1, 2], [3, 4], [5, 6]]]", "tensor<1x3x2xi8>") +
             "%r = tg.permute %x [2, 0, 1] : tensor<1x3x2xi8> -> "
             "tensor<2x1x3xi8>",
         "tensor<2x1x3xi8>", "[[[1, 3, 5]], [[2, 4, 6]]]");
}

TEST_F(MovementTest, Expand) {
  expect(input("[[1], [2]]", "tensor<2x1xi32>") +
             "%r = tg.expand %x : tensor<2x1xi32> -> tensor<2x3xi32>",
         "tensor<2x3xi32>", "[[1, 1, 1], [2, 2, 2]]");
}

TEST_F(MovementTest, PadAndShrink) {
  expect(kMatrix + "%r = tg.pad %x low [1, 0] high [0, 2] : tensor<2x3xi32> -> "
                   "tensor<3x5xi32>",
         "tensor<3x5xi32>",
         "[[0, 0, 0, 0, 0], [1, 2, 3, 0, 0], [4, 5, 6, 0, 0]]");
  expect(kMatrix + "%r = tg.shrink %x from [1, 0] to [2, 2] : tensor<2x3xi32> "
                   "-> tensor<1x2xi32>",
         "tensor<1x2xi32>", "[[4, 5]]");
  expect("%x = tg.const(true) : tensor<1xi1>\n"
         "%r = tg.pad %x low [1] high [1] : tensor<1xi1> -> tensor<3xi1>",
         "tensor<3xi1>", "[false, true, false]");
}

TEST_F(MovementTest, Flip) {
  expect(kMatrix + "%r = tg.flip %x axes [1] : tensor<2x3xi32>",
         "tensor<2x3xi32>", "[[3, 2, 1], [6, 5, 4]]");
  expect(kMatrix + "%r = tg.flip %x axes [0, 1] : tensor<2x3xi32>",
         "tensor<2x3xi32>", "[[6, 5, 4], [3, 2, 1]]");
}

TEST_F(MovementTest, EmptyAndScalar) {
  expect("%x = tg.const(1.0 : f32) : tensor<0x3xf32>\n"
         "%r = tg.permute %x [1, 0] : tensor<0x3xf32> -> tensor<3x0xf32>",
         "tensor<3x0xf32>", "");
  expect("%x = tg.const(7 : i32) : tensor<i32>\n"
         "%r = tg.reshape %x : tensor<i32> -> tensor<1x1xi32>",
         "tensor<1x1xi32>", "7");
  expect("%x = tg.const(5 : i8) : tensor<0xi8>\n"
         "%r = tg.pad %x low [1] high [1] : tensor<0xi8> -> tensor<2xi8>",
         "tensor<2xi8>", "0");
}

TEST_F(CreationTest, Iota) {
  expect("%r = tg.iota 1 : tensor<2x3xi8>", "tensor<2x3xi8>",
         "[[0, 1, 2], [0, 1, 2]]");
  expect("%r = tg.iota 0 : tensor<3xf16>", "tensor<3xf16>", "[0.0, 1.0, 2.0]");
  // Integers wrap.
  expect("%i = tg.iota 0 : tensor<258xui8>\n"
         "%r = tg.shrink %i from [254] to [258] : tensor<258xui8> -> "
         "tensor<4xui8>",
         "tensor<4xui8>", "[254, 255, 0, 1]");
}

TEST_F(CreationTest, Constants) {
  expect("%r = tg.const(true) : tensor<2xi1>", "tensor<2xi1>", "true");
  expect("%r = tg.const(0x81 : f8E4M3FNUZ) : tensor<2xf8E4M3FNUZ>",
         "tensor<2xf8E4M3FNUZ>", "[0x81, 0x81]");
  expect("%x = tg.const(dense<[true, false, true]> : tensor<3xi1>) : "
         "tensor<3xi1>\n"
         "%y = tg.detach %x : tensor<3xi1>\n"
         "%z = tg.contiguous %y : tensor<3xi1>\n"
         "%r = tg.copy %z to \"CPU\" : tensor<3xi1>",
         "tensor<3xi1>", "[true, false, true]");
}

TEST_F(CreationTest, ResourceConstant) {
  // The blob begins with its alignment in four bytes.
  std::vector<mlir::tg::HostTensor> inputs;
  mlir::SmallVector<mlir::tg::HostTensor> results;
  ASSERT_TRUE(succeeded(
      run("func.func @main() -> tensor<2xi16> {\n"
          "%r = tg.const(dense_resource<two> : tensor<2xi16>) : tensor<2xi16>\n"
          "return %r : tensor<2xi16>\n}\n"
          "{-# dialect_resources: { builtin: { two: "
          "\"0x0200000001000200\" } } #-}",
          inputs, results)))
      << diagnostics;
  expectEqual(results[0], tensor("dense<[1, 2]> : tensor<2xi16>"));
}

} // namespace
