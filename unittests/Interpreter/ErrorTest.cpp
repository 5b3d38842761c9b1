//===- ErrorTest.cpp - errors of the interpreter --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Invalid inputs end in a diagnostic that names the mistake.
///
//===----------------------------------------------------------------------===//

#include "InterpreterTest.h"

#include "gmock/gmock.h"

using mlir::SmallVector;
using mlir::tg::HostTensor;
using mlir::tg::InterpreterOptions;
using testing::HasSubstr;

namespace {

class ErrorTest : public InterpreterTest {
protected:
  void expectError(const std::string &module, std::vector<std::string> given,
                   const std::string &message,
                   const InterpreterOptions &options = {}) {
    std::vector<HostTensor> inputs;
    for (const std::string &text : given)
      inputs.push_back(tensor(text));
    SmallVector<HostTensor> results;
    EXPECT_TRUE(failed(run(module, inputs, results, options)));
    EXPECT_THAT(diagnostics, HasSubstr(message));
  }

  const std::string identity =
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "return %x : tensor<2xf32> }";
};

TEST_F(ErrorTest, InputCount) {
  expectError(identity, {}, "takes 1 inputs, but 0 are given");
}

TEST_F(ErrorTest, InputShape) {
  expectError(identity, {"dense<0.0> : tensor<3xf32>"},
              "input 0 is 'tensor<2xf32>', but 'tensor<3xf32>' is given");
}

TEST_F(ErrorTest, InputElementType) {
  expectError(identity, {"dense<0> : tensor<2xi32>"},
              "input 0 is 'tensor<2xf32>', but 'tensor<2xi32>' is given");
}

TEST_F(ErrorTest, InputBytes) {
  std::vector<HostTensor> inputs = {tensor("dense<0.0> : tensor<2xf32>")};
  inputs[0].bytes.pop_back();
  SmallVector<HostTensor> results;
  EXPECT_TRUE(failed(run(identity, inputs, results)));
  EXPECT_THAT(diagnostics, HasSubstr("needs 8 bytes, but 7 are given"));
}

TEST_F(ErrorTest, Declaration) {
  expectError("func.func private @main()", {}, "has no body to execute");
}

TEST_F(ErrorTest, OtherDialect) {
  expectError("func.func @main() {\n call @main() : () -> ()\n return }", {},
              "is not an operation on tensors that the interpreter can");
}

TEST_F(ErrorTest, Scalars) {
  expectError("func.func @main() {\n %x = tg.const(1.0 : f32) : f32\n return }",
              {}, "is not an operation on tensors");
}

TEST_F(ErrorTest, SymbolicShape) {
  expectError("func.func @main() {\n %x = tg.const(1.0 : f32) : "
              "tensor<?xf32, #tg.shape<#tg.var<\"n\", 1, 8>>>\n return }",
              {}, "expected a static shape");
}

TEST_F(ErrorTest, UnknownBuffer) {
  std::string module = "func.func @main() {\n"
                       "%x = tg.buffer 3 on \"CPU\" : tensor<2xf32>\n return }";
  expectError(module, {}, "there is no buffer 3");
  HostTensor memory = tensor("dense<0> : tensor<2xi8>");
  InterpreterOptions options;
  options.buffer = [&](int64_t) { return &memory; };
  expectError(module, {}, "buffer 3 holds 'tensor<2xi8>', not 'tensor<2xf32>'",
              options);
}

TEST_F(ErrorTest, OutOfMemory) {
  expectError("func.func @main() {\n %x = tg.const(1.0 : f32) : "
              "tensor<4611686018427387904x8xf32>\n return }",
              {},
              "out of memory: no room for "
              "'tensor<4611686018427387904x8xf32>'");
  // The context is still usable.
  expect("%r = tg.iota 0 : tensor<2xi32>", "tensor<2xi32>", "[0, 1]");
}

} // namespace
