//===- IndexRulesTest.cpp - detection of wrong index rules ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The verifier finds and names rules that are wrong, or that do not make an
/// expression smaller.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/SimplifyIndex.h"
#include "TinyGrad/Dialect/Tg/Verify/VerifyIndex.h"
#include "mlir/Dialect/SMT/IR/SMTDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Program.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::tg;

namespace {

constexpr StringLiteral kSource = R"mlir(
tg.kernel @k(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 9
  %j = tg.range 1 loop #tg.var<"n", 1, 6>
  %c4 = tg.const(4 : index) : index
  %c8 = tg.const(8 : index) : index
  %0 = tg.sub %i, %c4 : index
  %1 = tg.idiv %0, %c4 : index
  %2 = tg.floormod %i, %c8 : index
  %3 = tg.add %2, %1 : index
  %4 = tg.floormod %j, %c8 : index
  %5 = tg.add %3, %4 : index
  %6 = tg.max %5, %c4 : index
  %x = tg.load %a[%6] : memref<64xf32>
  %7 = tg.mul %i, %c8 : index
  %8 = tg.add %7, %j : index
  %true = tg.const(true) : i1
  tg.store %x, %out[%8] mask %true : memref<64xf32>
}
)mlir";

/// x idiv y -> x floordiv y, also for negative numbers.
struct WrongRounding : OpRewritePattern<IDivOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IDivOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<FloorDivOp>(op, op.getLhs(), op.getRhs());
    return success();
  }
};

/// x floormod c -> x if x <= Extra + c; correct only for -1.
template <int64_t Extra>
struct ModByLooseBounds : OpRewritePattern<FloorModOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(FloorModOp op,
                                PatternRewriter &rewriter) const override {
    APInt divisor;
    Interval interval =
        static_cast<IndexRewriter &>(rewriter).facts->getInterval(op.getLhs());
    if (!matchPattern(op.getRhs(), m_ConstantInt(&divisor)) ||
        interval.hi > Extra + divisor.getSExtValue())
      return failure();
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
};

/// x + y -> y + x, without end.
struct Swap : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<AddOp>(op, op.getRhs(), op.getLhs());
    return success();
  }
};

class IndexRulesTest : public testing::Test {
protected:
  IndexRulesTest() {
    context.loadDialect<TgDialect, smt::SMTDialect>();
    module = parseSourceString<ModuleOp>(kSource, &context);
  }

  template <typename... Rules> FrozenRewritePatternSet getRules() {
    RewritePatternSet patterns(&context);
    patterns.add<Rules...>(&context);
    return FrozenRewritePatternSet(std::move(patterns));
  }

  /// Collects the errors that `run` emits.
  template <typename Fn> LogicalResult collect(Fn run) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
      for (Diagnostic &note : diagnostic.getNotes())
        errors += "note: " + note.str() + "\n";
      return success();
    });
    return run();
  }

  LogicalResult verify(const FrozenRewritePatternSet &rules,
                       const ProofOptions &options = {}) {
    return collect(
        [&] { return verifyIndexRewrites(*module, rules, options, proved); });
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string errors;
  llvm::StringMap<unsigned> proved;
};

#define SKIP_WITHOUT_SOLVER()                                                  \
  if (!llvm::sys::findProgramByName("z3"))                                     \
  GTEST_SKIP() << "no z3"

TEST_F(IndexRulesTest, WrongRoundingIsFound) {
  SKIP_WITHOUT_SOLVER();
  ASSERT_TRUE(module);
  EXPECT_TRUE(failed(verify(getRules<WrongRounding>())));
  EXPECT_NE(errors.find("the rule 'WrongRounding' changes the value"),
            std::string::npos)
      << errors;
  // The counterexample names the position.
  EXPECT_NE(errors.find("counterexample: r0 = "), std::string::npos) << errors;
}

TEST_F(IndexRulesTest, BoundThatIsOneTooLargeIsFound) {
  SKIP_WITHOUT_SOLVER();
  ASSERT_TRUE(module);
  EXPECT_TRUE(failed(verify(getRules<ModByLooseBounds<0>>())));
  EXPECT_NE(errors.find("counterexample: r0 = 8"), std::string::npos) << errors;
}

TEST_F(IndexRulesTest, RightBoundIsProved) {
  SKIP_WITHOUT_SOLVER();
  ASSERT_TRUE(module);
  EXPECT_TRUE(succeeded(verify(getRules<ModByLooseBounds<-1>>()))) << errors;
  unsigned count = 0;
  for (auto &entry : proved)
    if (entry.first().starts_with("ModByLooseBounds"))
      count += entry.second;
  EXPECT_EQ(count, 1u);
}

TEST_F(IndexRulesTest, RuleThatDoesNotEndIsNamed) {
  ASSERT_TRUE(module);
  SimplifyIndexOptions options;
  options.checkMeasure = true;
  KernelOp kernel = *module->getOps<KernelOp>().begin();
  FrozenRewritePatternSet rules = getRules<Swap>();
  EXPECT_TRUE(
      failed(collect([&] { return simplifyIndices(kernel, rules, options); })));
  EXPECT_NE(errors.find("the rule 'Swap' does not make the expression smaller"),
            std::string::npos)
      << errors;
}

TEST_F(IndexRulesTest, MissingSolverIsAnError) {
  ASSERT_TRUE(module);
  ProofOptions options;
  options.solver = "no-such-solver";
  EXPECT_TRUE(failed(verify(getRules<ModByLooseBounds<-1>>(), options)));
  EXPECT_NE(errors.find("'no-such-solver' was not found"), std::string::npos)
      << errors;
}

TEST_F(IndexRulesTest, SolverThatDoesNotAnswerIsAnError) {
  ASSERT_TRUE(module);
  ProofOptions options;
  options.solver = "true";
  EXPECT_TRUE(failed(verify(getRules<ModByLooseBounds<-1>>(), options)));
  EXPECT_NE(errors.find("answers"), std::string::npos) << errors;
}

} // namespace
