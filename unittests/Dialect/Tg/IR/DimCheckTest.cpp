//===- DimCheckTest.cpp - validity of dimensions --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks of dimensions that are built in memory instead of parsed.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::tg;

namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

class DimCheckTest : public ::testing::Test {
protected:
  DimCheckTest() : builder(&context) { context.loadDialect<TgDialect>(); }

  Dim number(int64_t value) { return Dim(&context, value); }
  Dim var(StringRef name, int64_t min, int64_t max) {
    return Dim(VarAttr::get(&context, builder.getStringAttr(name), min, max));
  }
  /// The error of a check; empty if there is none.
  std::string getError(function_ref<LogicalResult(DimErrorFn)> check) {
    std::string message;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
    LogicalResult result =
        check([&] { return emitError(builder.getUnknownLoc()); });
    EXPECT_EQ(failed(result), !message.empty());
    return message;
  }
  std::string getError(Dim dim) {
    return getError([&](DimErrorFn emitError) {
      return checkFits(dim.getAttr(), emitError);
    });
  }

  MLIRContext context;
  OpBuilder builder;
};

TEST_F(DimCheckTest, Lengths) {
  auto check = [&](Attribute attr) {
    return getError(
        [&](DimErrorFn emitError) { return checkLength(attr, emitError); });
  };
  // A long chain, and an expression that doubles with each level.
  Attribute chain = var("n", 0, 1).getAttr(), tree = chain,
            one = number(1).getAttr();
  for (int64_t i = 0; i < kMaxNesting; ++i)
    chain = DimExprAttr::get(&context, DimOpKind::floordiv, {chain, one});
  EXPECT_EQ(check(chain), "");
  chain = DimExprAttr::get(&context, DimOpKind::floordiv, {chain, one});
  EXPECT_EQ(check(chain), "dimension is nested more than 512 deep");
  for (int i = 0; i < 15; ++i)
    tree = DimExprAttr::get(&context, DimOpKind::mul, {tree, tree});
  EXPECT_EQ(check(tree), "");
  tree = DimExprAttr::get(&context, DimOpKind::mul, {tree, tree});
  EXPECT_EQ(check(tree), "dimension is too long: written out, it has more than "
                         "65536 operators and operands");
  for (int i = 0; i < 100000; ++i)
    chain = DimExprAttr::get(&context, DimOpKind::floordiv, {chain, one});
  EXPECT_NE(check(chain), "");
}

TEST_F(DimCheckTest, PartsFit) {
  Dim n = var("n", 0, int64_t(1) << 32), p = var("p", -2, 2);
  EXPECT_EQ(getError(n * n),
            "dimension (n * n) does not fit into 64 bits: it can be 0 to "
            "18446744073709551616");
  EXPECT_NE(getError(p * number(int64_t(1) << 62)), "");
  EXPECT_EQ(getError(p * number((int64_t(1) << 62) - 1)), "");
  EXPECT_EQ(getError(var("all", -kLargest - 1, kLargest)), "");
  // Saturated at the int64 limits when it was built.
  EXPECT_NE(getError(p * number(int64_t(1) << 40) * number(int64_t(1) << 40)),
            "");
  EXPECT_EQ(getError(n + number(kLargest - (int64_t(1) << 32) - 1)), "");
  EXPECT_NE(getError(n + number(kLargest - 5)), "");
}

TEST_F(DimCheckTest, Operations) {
  Dim n = var("n", 0, int64_t(1) << 32);
  auto getErrorOf = [&](Operation *op) {
    std::string message;
    {
      ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
        if (message.empty())
          message = diagnostic.str();
      });
      (void)verify(op);
    }
    op->destroy();
    return message;
  };
  Location loc = builder.getUnknownLoc();
  Type index = builder.getIndexType();
  EXPECT_EQ(getErrorOf(DimOp::create(builder, loc, index, n.getAttr())), "");
  EXPECT_EQ(getErrorOf(DimOp::create(builder, loc, index, (n * n).getAttr())),
            "'tg.dim' op dimension (n * n) does not fit into 64 bits: it can "
            "be 0 to 18446744073709551616");
  EXPECT_EQ(
      getErrorOf(RangeOp::create(builder, loc, 0, RangeKind::loop, n * n)),
      "'tg.range' op dimension (n * n) does not fit into 64 bits: it can "
      "be 0 to 18446744073709551616");
}

/// Inference emits an error instead of failing an assertion, for any positions.
TEST_F(DimCheckTest, InferenceTakesAnything) {
  std::mt19937 random{5};
  Dim n = var("n", 0, 5), m = var("m", -3, 4), big = var("b", 0, kLargest);
  Dim choices[] = {n,
                   m,
                   big,
                   n - m,
                   n * n - n,
                   n * big,
                   m * m,
                   number(0),
                   number(-1),
                   number(3),
                   number(kLargest),
                   number(-kLargest - 1),
                   Dim::get(DimOpKind::floordiv, n, m),
                   Dim::get(DimOpKind::mod, big, n)};
  auto pick = [&] { return choices[random() % std::size(choices)]; };
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  Location loc = builder.getUnknownLoc();
  int numInferred = 0;
  for (int round = 0; round < 3000; ++round) {
    // Positive for all values of n.
    Dim sizes[] = {number(7), n, n + number(2), n * n};
    Dim size = sizes[random() % 4];
    Value x = BufferOp::create(
        builder, loc, getTensorType(size, builder.getF32Type()), 0, "CPU");
    const bool isPad = random() % 2;
    ArrayAttr first = builder.getArrayAttr(pick().getAttr()),
              second = builder.getArrayAttr(pick().getAttr());
    SmallVector<Type> types;
    auto inferPad = [&] {
      PadOp::Properties properties;
      properties.low = first;
      properties.high = second;
      return PadOp::inferReturnTypes(&context, loc, ValueRange(x),
                                     DictionaryAttr(), &properties,
                                     RegionRange(), types);
    };
    auto inferShrink = [&] {
      ShrinkOp::Properties properties;
      properties.from = first;
      properties.to = second;
      return ShrinkOp::inferReturnTypes(&context, loc, ValueRange(x),
                                        DictionaryAttr(), &properties,
                                        RegionRange(), types);
    };
    if (succeeded(isPad ? inferPad() : inferShrink())) {
      ++numInferred;
      Dim result = getDim(cast<RankedTensorType>(types[0]), 0);
      EXPECT_TRUE(isNeverNegative(result)) << result.str();
    }
    x.getDefiningOp()->destroy();
  }
  EXPECT_GT(numInferred, 100);
}

/// Cases that bounds cannot decide.
TEST_F(DimCheckTest, Negative) {
  Dim n = var("n", 1, 100), m = var("m", 0, 30);
  EXPECT_TRUE(isNeverNegative(n * n - n));
  EXPECT_FALSE(isNeverNegative(n * n - n - number(1)));
  EXPECT_TRUE(isNeverNegative(n * n * m - n * m));
  EXPECT_FALSE(isNeverNegative(n * m - m * m));
  // (n - 5) * (n - 5) is 0 for a value in the range.
  EXPECT_TRUE(isNeverNegative(n * n - n * number(10) + number(25)));
  EXPECT_FALSE(isNeverNegative(n * n - n * number(10) + number(24)));
}

} // namespace
