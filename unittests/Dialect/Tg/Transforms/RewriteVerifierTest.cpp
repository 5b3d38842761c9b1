//===- RewriteVerifierTest.cpp - tests of verification by rewrite ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tests the verifier of rewrites with a pattern that breaks the IR and one
/// that repairs it again, so that the final IR is valid.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/RewriteVerifier.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tg;

namespace {

constexpr StringLiteral kSource = R"mlir(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.neg %x : tensor<4xf32>
  %1 = tg.sqrt %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
)mlir";

/// Gives a negation a result of another type than its operand.
struct BreakType : OpRewritePattern<NegOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NegOp op,
                                PatternRewriter &rewriter) const override {
    if (op->hasAttr("broken"))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op->setAttr("broken", rewriter.getUnitAttr());
      op->getResult(0).setType(
          RankedTensorType::get({4}, rewriter.getF64Type()));
    });
    return success();
  }
};

/// Repairs the type.
struct MendType : OpRewritePattern<NegOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NegOp op,
                                PatternRewriter &rewriter) const override {
    if (op->getResult(0).getType() == op->getOperand(0).getType())
      return failure();
    rewriter.modifyOpInPlace(
        op, [&] { op->getResult(0).setType(op->getOperand(0).getType()); });
    return success();
  }
};

/// Replaces, and thereby erases, the root operation.
struct SqrtToExp2 : OpRewritePattern<SqrtOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SqrtOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<Exp2Op>(op, op.getType(), op->getOperand(0));
    return success();
  }
};

class RewriteVerifierTest : public ::testing::Test {
protected:
  RewriteVerifierTest()
      : handler(&context, [this](Diagnostic &diagnostic) {
          messages.push_back(diagnostic.str());
          return success();
        }) {
    context.loadDialect<TgDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(kSource, &context);
  }

  template <typename... Patterns> void apply(bool isVerified = true) {
    RewritePatternSet patterns(&context);
    patterns.add<Patterns...>(&context);
    RewriteVerifier verifier;
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (isVerified)
      config.setListener(&verifier);
    EXPECT_TRUE(
        succeeded(applyPatternsGreedily(*module, std::move(patterns), config)));
  }

  MLIRContext context;
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
};

TEST_F(RewriteVerifierTest, NamesThePatternAtFault) {
  apply<BreakType>();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_NE(messages[0].find("tg.neg"), std::string::npos) << messages[0];
  EXPECT_NE(messages[1].find("BreakType' left invalid IR"), std::string::npos)
      << messages[1];
}

TEST_F(RewriteVerifierTest, SeesWhatALaterRewriteMends) {
  apply<BreakType, MendType>();
  EXPECT_TRUE(succeeded(verify(*module)));
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_NE(messages[1].find("BreakType"), std::string::npos) << messages[1];
}

TEST_F(RewriteVerifierTest, NobodyElseSeesIt) {
  apply<BreakType, MendType>(/*isVerified=*/false);
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_TRUE(messages.empty());
}

TEST_F(RewriteVerifierTest, IsSilentOnValidRewrites) {
  apply<SqrtToExp2>();
  EXPECT_TRUE(messages.empty());
  EXPECT_TRUE(module->lookupSymbol("main"));
}

} // namespace
