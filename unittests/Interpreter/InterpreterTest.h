//===- InterpreterTest.h - fixture of the interpreter's tests ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tests are written as IR text: a computation and the expected constant, which
/// is compared bit for bit.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_INTERPRETER_INTERPRETERTEST_H
#define TINYGRAD_UNITTESTS_INTERPRETER_INTERPRETERTEST_H

#include "TinyGrad/Interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "gtest/gtest.h"
#include <string>

class InterpreterTest : public ::testing::Test {
protected:
  InterpreterTest();

  /// Parses a module; fails the test if the text is invalid.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);

  /// The tensor for the text `dense<...> : tensor<...>`.
  mlir::tg::HostTensor tensor(const std::string &attribute);

  /// Runs a function's body (up to and including its `return`), which returns
  /// tensors of `types`, and compares the results with the constants
  /// `expected`.
  void expect(const std::string &body, const std::string &type,
              const std::string &expected);

  /// Tests one unary operation: `expectUnary("tg.neg", "f32", "[1.0]",
  /// "[-1.0]")`. The lists have `count` elements.
  void expectUnary(const std::string &op, const std::string &type,
                   const std::string &x, const std::string &expected);
  void expectBinary(const std::string &op, const std::string &type,
                    const std::string &a, const std::string &b,
                    const std::string &expected);
  /// Like expectBinary, for an operation whose result is bool.
  void expectCompare(const std::string &op, const std::string &type,
                     const std::string &a, const std::string &b,
                     const std::string &expected);
  void expectCast(const std::string &from, const std::string &x,
                  const std::string &to, const std::string &expected);

  /// Runs @main of a module with these inputs.
  mlir::LogicalResult run(const std::string &module,
                          std::vector<mlir::tg::HostTensor> &inputs,
                          mlir::SmallVectorImpl<mlir::tg::HostTensor> &results,
                          const mlir::tg::InterpreterOptions &options = {});

  mlir::MLIRContext context;
  /// All diagnostics so far, one per line.
  std::string diagnostics;
};

/// Compares type and bits; failure messages show the values.
void expectEqual(const mlir::tg::HostTensor &actual,
                 const mlir::tg::HostTensor &expected);

#endif // TINYGRAD_UNITTESTS_INTERPRETER_INTERPRETERTEST_H
