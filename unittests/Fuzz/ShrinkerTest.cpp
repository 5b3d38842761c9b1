//===- ShrinkerTest.cpp - tests of the reduction of failing graphs --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The failures are artificial: "the graph has a tg.sub".
///
//===----------------------------------------------------------------------===//

#include "tg-fuzz/Shrinker.h"
#include "tg-fuzz/Checks.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"
#include <csignal>
#include <unistd.h>

using namespace mlir;
using namespace mlir::tg;

namespace {

class ShrinkerTest : public ::testing::Test {
protected:
  ShrinkerTest() : context(MLIRContext::Threading::DISABLED) {
    tinygrad::prepareContext(context);
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module;
  }

  /// The body of the smallest graph that contains the operation `name`.
  std::string shrinkTo(const std::string &text, StringRef name) {
    OwningOpRef<ModuleOp> module = parse(text);
    module = shrink(
        *module,
        [&](ModuleOp candidate) {
          EXPECT_TRUE(succeeded(verify(candidate)));
          bool found = false;
          candidate.walk([&](Operation *op) {
            found |= op->getName().getStringRef() == name;
          });
          return found;
        },
        500);
    std::string result;
    llvm::raw_string_ostream os(result);
    for (Operation &op :
         module->lookupSymbol<func::FuncOp>("main").getBody().front())
      os << op.getName() << ' ' << op.getResultTypes() << '\n';
    return result;
  }

  std::string resize(const std::string &text, int64_t axis, int64_t size) {
    OwningOpRef<ModuleOp> module = parse(text);
    auto function = module->lookupSymbol<func::FuncOp>("main");
    if (!resizeAxis(function, function.getArgument(0), axis, size))
      return "";
    EXPECT_TRUE(succeeded(verify(*module)));
    std::string result;
    llvm::raw_string_ostream os(result);
    for (Operation &op : function.getBody().front())
      for (Type type : op.getResultTypes())
        os << type << ' ';
    return result;
  }

  MLIRContext context;
};

TEST_F(ShrinkerTest, OneOperationIsLeft) {
  EXPECT_EQ(
      shrinkTo("func.func @main(%x: tensor<4x6xf32> {tg.input = dense<1.0> : "
               "tensor<4x6xf32>}) -> (tensor<6x4xf32>, tensor<4x1xf32>) {\n"
               "%n = tg.neg %x : tensor<4x6xf32>\n"
               "%s = tg.sub %n, %x : tensor<4x6xf32>\n"
               "%t = tg.permute %s [1, 0] : tensor<4x6xf32> -> "
               "tensor<6x4xf32>\n"
               "%r = tg.reduce add %n axes [1] : tensor<4x6xf32> -> "
               "tensor<4x1xf32>\n"
               "return %t, %r : tensor<6x4xf32>, tensor<4x1xf32> }",
               "tg.sub"),
      "tg.sub tensor<1x1xf32>\nfunc.return \n");
}

TEST_F(ShrinkerTest, ShapesShrinkThroughViews) {
  EXPECT_EQ(
      shrinkTo("func.func @main(%x: tensor<8x6xi32> {tg.input = dense<3> : "
               "tensor<8x6xi32>}) -> tensor<50xi32> {\n"
               "%p = tg.pad %x low [1, 0] high [1, 0] : tensor<8x6xi32> -> "
               "tensor<10x6xi32>\n"
               "%s = tg.shrink %p from [0, 1] to [10, 6] : tensor<10x6xi32> "
               "-> tensor<10x5xi32>\n"
               "%r = tg.reshape %s : tensor<10x5xi32> -> tensor<50xi32>\n"
               "return %r : tensor<50xi32> }",
               "tg.reshape"),
      "tg.reshape tensor<1xi32>\nfunc.return \n");
}

TEST_F(ShrinkerTest, ResizeFollowsEveryOperation) {
  std::string text =
      "func.func @main(%x: tensor<8x6xi32> {tg.input = dense<3> : "
      "tensor<8x6xi32>}, %y: tensor<1x6xi32> {tg.input = dense<1> : "
      "tensor<1x6xi32>}) -> tensor<6x1xi32> {\n"
      "%e = tg.expand %y : tensor<1x6xi32> -> tensor<8x6xi32>\n"
      "%a = tg.add %x, %e : tensor<8x6xi32>\n"
      "%p = tg.pad %a low [1, 0] high [1, 0] : tensor<8x6xi32> -> "
      "tensor<10x6xi32>\n"
      "%s = tg.shrink %p from [4, 0] to [9, 6] : tensor<10x6xi32> -> "
      "tensor<5x6xi32>\n"
      "%f = tg.reshape %s : tensor<5x6xi32> -> tensor<30xi32>\n"
      "%g = tg.reshape %f : tensor<30xi32> -> tensor<5x6xi32>\n"
      "%t = tg.permute %g [1, 0] : tensor<5x6xi32> -> tensor<6x5xi32>\n"
      "%r = tg.reduce max %t axes [1] : tensor<6x5xi32> -> tensor<6x1xi32>\n"
      "return %r : tensor<6x1xi32> }";
  EXPECT_EQ(resize(text, 0, 2),
            "tensor<2x6xi32> tensor<2x6xi32> tensor<4x6xi32> tensor<4x6xi32> "
            "tensor<24xi32> tensor<4x6xi32> tensor<6x4xi32> tensor<6x1xi32> ");
  EXPECT_EQ(resize(text, 1, 1),
            "tensor<8x1xi32> tensor<8x1xi32> tensor<10x1xi32> tensor<5x1xi32> "
            "tensor<5xi32> tensor<5x1xi32> tensor<1x5xi32> tensor<1x1xi32> ");
}

/// A failure that does not depend on variables keeps none.
TEST_F(ShrinkerTest, VariablesGetValues) {
  EXPECT_EQ(shrinkTo("#n = #tg.var<\"n\", 1, 8>\n"
                     "!v = tensor<?x6xi32, #tg.shape<#n, 6>>\n"
                     "func.func @main(%x: !v {tg.input = dense<3> : "
                     "tensor<8x6xi32>}) -> tensor<1x6xi32> {\n"
                     "%n = tg.neg %x : !v\n"
                     "%r = tg.reduce add %n axes [0] : !v -> tensor<1x6xi32>\n"
                     "return %r : tensor<1x6xi32> }",
                     "tg.reduce"),
            "tg.reduce tensor<1x1xi32>\nfunc.return \n");
}

/// A failure that depends on a variable keeps it with the smallest range, and
/// loses the rest: static axes become shorter.
TEST_F(ShrinkerTest, VariablesStayWhereTheyAreNeeded) {
  OwningOpRef<ModuleOp> module =
      parse("#n = #tg.var<\"n\", 1, 8>\n#m = #tg.var<\"m\", 0, 5>\n"
            "!v = tensor<?x6xi32, #tg.shape<#n, 6>>\n"
            "!w = tensor<?x?xi32, #tg.shape<#n, #tg.dim<add, #m, 6>>>\n"
            "func.func @main(%x: !v {tg.input = dense<3> : tensor<8x6xi32>}) "
            "-> !w {\n"
            "%n = tg.neg %x : !v\n"
            "%p = tg.pad %n low [0, 0] high [0, #m] : !v -> !w\n"
            "return %p : !w }");
  module = shrink(
      *module,
      [&](ModuleOp candidate) {
        bool found = false;
        candidate.walk([&](PadOp pad) {
          found |= !getDim(pad.getX().getType(), 0).isStatic();
        });
        return found;
      },
      500);
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  EXPECT_EQ(text.find("tg.neg"), std::string::npos) << text;
  EXPECT_EQ(text.find("\"m\""), std::string::npos) << text;
  EXPECT_NE(text.find("#tg.shape<#tg.var<\"n\", 1, 2>, "), std::string::npos)
      << text;
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(ShrinkerTest, SymbolicSizesAreNotResized) {
  std::string text =
      "#n = #tg.var<\"n\", 0, 4>\n"
      "!v = tensor<?x6xi32, #tg.shape<#n, 6>>\n"
      "!s = tensor<?x4xi32, #tg.shape<#n, 4>>\n"
      "!f = tensor<?xi32, #tg.shape<#tg.dim<mul, #n, 4>>>\n"
      "func.func @main(%x: !v {tg.input = dense<3> : tensor<4x6xi32>}) -> !f "
      "{\n"
      "%n = tg.neg %x : !v\n"
      "%s = tg.shrink %n from [0, 1] to [#n, 5] : !v -> !s\n"
      "%f = tg.reshape %s : !s -> !f\n"
      "return %f : !f }";
  // Only down to the part that is taken, which has a symbolic size.
  EXPECT_EQ(resize(text, 1, 5),
            "tensor<?x5xi32, #tg.shape<#tg.var<\"n\", 0, 4>, 5>> "
            "tensor<?x4xi32, #tg.shape<#tg.var<\"n\", 0, 4>, 4>> "
            "tensor<?xi32, #tg.shape<#tg.var<\"n\", 0, 4> * 4>> ");
  EXPECT_EQ(resize(text, 1, 3), "");
  EXPECT_EQ(resize(text, 0, 2), "");
}

TEST_F(ShrinkerTest, ChildProcesses) {
  std::string message;
  EXPECT_EQ(runGuarded(10, message,
                       [](std::string &text) {
                         text = "hello";
                         return Outcome::Mismatch;
                       }),
            Outcome::Mismatch);
  EXPECT_EQ(message, "hello");
  EXPECT_EQ(runGuarded(10, message,
                       [](std::string &) {
                         signal(SIGSEGV, SIG_DFL);
                         raise(SIGSEGV);
                         return Outcome::Good;
                       }),
            Outcome::Crash);
  EXPECT_EQ(runGuarded(1, message,
                       [](std::string &) {
                         pause();
                         return Outcome::Good;
                       }),
            Outcome::Timeout);
}

} // namespace
