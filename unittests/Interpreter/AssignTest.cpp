//===- AssignTest.cpp - assignments and memory ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What `tg.assign` writes, and which values change.
///
//===----------------------------------------------------------------------===//

#include "InterpreterTest.h"

using mlir::SmallVector;
using mlir::tg::HostTensor;
using mlir::tg::InterpreterOptions;

namespace {

class AssignTest : public InterpreterTest {
protected:
  /// Runs @main on constants and compares the results, then the inputs'
  /// contents.
  void expectRun(const std::string &module, std::vector<std::string> given,
                 std::vector<std::string> returned,
                 std::vector<std::string> after) {
    std::vector<HostTensor> inputs;
    for (const std::string &text : given)
      inputs.push_back(tensor(text));
    SmallVector<HostTensor> results;
    ASSERT_TRUE(succeeded(run(module, inputs, results))) << diagnostics;
    ASSERT_EQ(results.size(), returned.size());
    for (size_t i = 0; i < returned.size(); ++i)
      expectEqual(results[i], tensor(returned[i]));
    for (size_t i = 0; i < after.size(); ++i)
      expectEqual(inputs[i], tensor(after[i]));
  }
};

TEST_F(AssignTest, WholeArgument) {
  expectRun("func.func @main(%x: tensor<2xi32>, %y: tensor<2xi32>) -> "
            "tensor<2xi32> {\n"
            "%r = tg.assign %x, %y : tensor<2xi32>\n"
            "return %r : tensor<2xi32> }",
            {"dense<[1, 2]> : tensor<2xi32>", "dense<[3, 4]> : tensor<2xi32>"},
            {"dense<[3, 4]> : tensor<2xi32>"},
            {"dense<[3, 4]> : tensor<2xi32>", "dense<[3, 4]> : tensor<2xi32>"});
}

TEST_F(AssignTest, ReadsSeeTheOldContents) {
  expectRun("func.func @main(%x: tensor<2xi32>, %y: tensor<2xi32>) -> "
            "(tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {\n"
            "%first = tg.neg %x : tensor<2xi32>\n"
            "%a = tg.assign %x, %y : tensor<2xi32>\n"
            "%late = tg.neg %x : tensor<2xi32>\n"
            "%b = tg.assign %x, %first : tensor<2xi32>\n"
            "%new = tg.after %x[%a : tensor<2xi32>] : tensor<2xi32>\n"
            "%old = tg.after %x : tensor<2xi32>\n"
            "return %late, %x, %new, %old : tensor<2xi32>, tensor<2xi32>, "
            "tensor<2xi32>, tensor<2xi32> }",
            {"dense<[1, 2]> : tensor<2xi32>", "dense<[3, 4]> : tensor<2xi32>"},
            {"dense<[-1, -2]> : tensor<2xi32>", "dense<[1, 2]> : tensor<2xi32>",
             "dense<[3, 4]> : tensor<2xi32>", "dense<[1, 2]> : tensor<2xi32>"},
            {"dense<[-1, -2]> : tensor<2xi32>"});
}

TEST_F(AssignTest, View) {
  // Row 1, reversed.
  expectRun("func.func @main(%x: tensor<2x3xi8>, %y: tensor<3xi8>) -> "
            "tensor<3xi8> {\n"
            "%row = tg.shrink %x from [1, 0] to [2, 3] : tensor<2x3xi8> -> "
            "tensor<1x3xi8>\n"
            "%back = tg.flip %row axes [1] : tensor<1x3xi8>\n"
            "%flat = tg.reshape %back : tensor<1x3xi8> -> tensor<3xi8>\n"
            "%r = tg.assign %flat, %y : tensor<3xi8>\n"
            "return %r : tensor<3xi8> }",
            {"dense<0> : tensor<2x3xi8>", "dense<[1, 2, 3]> : tensor<3xi8>"},
            {"dense<[1, 2, 3]> : tensor<3xi8>"},
            {"dense<[[0, 0, 0], [3, 2, 1]]> : tensor<2x3xi8>"});
}

TEST_F(AssignTest, ValueReadsTheTarget) {
  // Reversal in place: every element is read before it is overwritten.
  expectRun("func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
            "%back = tg.flip %x axes [0] : tensor<3xf32>\n"
            "%r = tg.assign %x, %back : tensor<3xf32>\n"
            "return %r : tensor<3xf32> }",
            {"dense<[1.0, 2.0, 3.0]> : tensor<3xf32>"},
            {"dense<[3.0, 2.0, 1.0]> : tensor<3xf32>"},
            {"dense<[3.0, 2.0, 1.0]> : tensor<3xf32>"});
}

TEST_F(AssignTest, ThroughTheResultOfAnother) {
  expectRun(
      "func.func @main(%x: tensor<4xi32>, %y: tensor<2xi32>) -> "
      "tensor<4xi32> {\n"
      "%neg = tg.neg %x : tensor<4xi32>\n"
      "%a = tg.assign %x, %neg : tensor<4xi32>\n"
      "%part = tg.shrink %a from [1] to [3] : tensor<4xi32> -> "
      "tensor<2xi32>\n"
      "%b = tg.assign %part, %y : tensor<2xi32>\n"
      "%r = tg.after %x[%b : tensor<2xi32>] : tensor<4xi32>\n"
      "return %r : tensor<4xi32> }",
      {"dense<[1, 2, 3, 4]> : tensor<4xi32>", "dense<[8, 9]> : tensor<2xi32>"},
      {"dense<[-1, 8, 9, -4]> : tensor<4xi32>"},
      {"dense<[-1, 8, 9, -4]> : tensor<4xi32>"});
}

TEST_F(AssignTest, BuffersOfTheCaller) {
  HostTensor memory = tensor("dense<[1, 2]> : tensor<2xi32>");
  InterpreterOptions options;
  options.buffer = [&](int64_t id) { return id == 7 ? &memory : nullptr; };
  // Two arguments share a buffer: both read the old contents.
  std::vector<HostTensor> inputs;
  SmallVector<HostTensor> results;
  ASSERT_TRUE(succeeded(run("func.func @main() -> tensor<2xi32> {\n"
                            "%x = tg.buffer 7 on \"CPU\" : tensor<2xi32>\n"
                            "%n = tg.neg %x : tensor<2xi32>\n"
                            "%a = tg.assign %x, %n : tensor<2xi32>\n"
                            "%y = tg.buffer 7 on \"CPU\" : tensor<2xi32>\n"
                            "%r = tg.add %y, %y : tensor<2xi32>\n"
                            "return %r : tensor<2xi32> }",
                            inputs, results, options)))
      << diagnostics;
  expectEqual(results[0], tensor("dense<[2, 4]> : tensor<2xi32>"));
  expectEqual(memory, tensor("dense<[-1, -2]> : tensor<2xi32>"));
}

} // namespace
