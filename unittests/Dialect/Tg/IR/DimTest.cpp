//===- DimTest.cpp - tests of dimensions ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Arithmetic on dimensions, their normal form and their bounds.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"
#include <limits>

using namespace mlir;
using namespace mlir::tg;

namespace {

class DimTest : public ::testing::Test {
protected:
  DimTest() { context.loadDialect<TgDialect>(); }

  Dim number(int64_t value) { return Dim(&context, value); }
  Dim var(StringRef name, int64_t min, int64_t max) {
    return Dim(
        VarAttr::get(&context, StringAttr::get(&context, name), min, max));
  }

  MLIRContext context;
  static constexpr int64_t max = std::numeric_limits<int64_t>::max();
  static constexpr int64_t min = std::numeric_limits<int64_t>::min();
};

TEST_F(DimTest, NumbersFold) {
  EXPECT_EQ((number(3) + number(4)).getStatic(), 7);
  EXPECT_EQ((number(3) - number(4)).getStatic(), -1);
  EXPECT_EQ((number(3) * number(-4)).getStatic(), -12);
  EXPECT_EQ(Dim::get(DimOpKind::floordiv, number(-7), number(2)).getStatic(),
            -4);
  EXPECT_EQ(Dim::get(DimOpKind::mod, number(-7), number(2)).getStatic(), 1);
  EXPECT_EQ(Dim::get(DimOpKind::mod, number(7), number(-2)).getStatic(), -1);
  EXPECT_EQ(Dim::get(DimOpKind::min, number(3), number(4)).getStatic(), 3);
  EXPECT_EQ(Dim::get(DimOpKind::max, number(3), number(4)).getStatic(), 4);
}

TEST_F(DimTest, DivisionByZeroIsZero) {
  EXPECT_EQ(Dim::get(DimOpKind::floordiv, number(7), number(0)).getStatic(), 0);
  EXPECT_EQ(Dim::get(DimOpKind::mod, number(7), number(0)).getStatic(), 0);
}

TEST_F(DimTest, OverflowSaturates) {
  EXPECT_EQ((number(max) + number(1)).getStatic(), max);
  EXPECT_EQ((number(min) + number(-1)).getStatic(), min);
  EXPECT_EQ((number(max) * number(2)).getStatic(), max);
  EXPECT_EQ((number(max) * number(-2)).getStatic(), min);
  EXPECT_EQ(Dim::get(DimOpKind::floordiv, number(min), number(-1)).getStatic(),
            max);
  EXPECT_EQ(Dim::get(DimOpKind::mod, number(min), number(-1)).getStatic(), 0);
  Dim n = var("n", 0, max);
  EXPECT_EQ((n * n).getMax(), max);
  EXPECT_EQ((n + n).getMax(), max);
}

TEST_F(DimTest, EqualSumsAndProductsAreOneAttribute) {
  Dim n = var("n", 0, 8), m = var("m", 0, 8), k = var("k", 0, 8);
  EXPECT_EQ(n + m, m + n);
  EXPECT_EQ((n + m) + k, n + (m + k));
  EXPECT_EQ((n * m) * k, k * (n * m));
  EXPECT_EQ((n + number(1)) * number(4), n * number(4) + number(4));
  EXPECT_EQ((n + m) * (n - m), n * n - m * m);
  EXPECT_EQ(n - n, number(0));
  EXPECT_EQ(n + n, n * number(2));
  EXPECT_EQ(n * number(0), number(0));
  EXPECT_EQ((n + m) - m, n);
  EXPECT_NE(n + m, n + k);
}

TEST_F(DimTest, NameAndBoundsMakeAVariable) {
  EXPECT_NE(var("n", 0, 8), var("n", 0, 9));
  EXPECT_EQ(var("n", 0, 8) + var("n", 0, 9), var("n", 0, 9) + var("n", 0, 8));
  EXPECT_NE(var("n", 0, 8) - var("n", 0, 9), number(0));
}

TEST_F(DimTest, TextIsReadable) {
  Dim n = var("n", 1, 8);
  EXPECT_EQ(number(4).str(), "4");
  EXPECT_EQ(n.str(), "n");
  EXPECT_EQ((n * number(4)).str(), "(n * 4)");
  EXPECT_EQ((number(2) + n).str(), "(n + 2)");
  EXPECT_EQ(tg::toString({number(4), n}), "[4, n]");
}

// Every value that an expression takes lies within its bounds, and both bounds
// are reached where each variable occurs once.
TEST_F(DimTest, BoundsHoldAllValues) {
  struct Case {
    int64_t aMin, aMax, bMin, bMax;
  };
  for (Case c : {Case{0, 5, 1, 4}, Case{-5, 5, -3, 3}, Case{-7, -2, -3, -1},
                 Case{-4, 9, 2, 3}, Case{3, 3, 0, 2}, Case{-2, 6, -1, 0}})
    for (DimOpKind kind : {DimOpKind::add, DimOpKind::mul, DimOpKind::floordiv,
                           DimOpKind::mod, DimOpKind::min, DimOpKind::max}) {
      Dim expr =
          Dim::get(kind, var("a", c.aMin, c.aMax), var("b", c.bMin, c.bMax));
      for (int64_t a = c.aMin; a <= c.aMax; ++a)
        for (int64_t b = c.bMin; b <= c.bMax; ++b) {
          int64_t value = *Dim::get(kind, number(a), number(b)).getStatic();
          EXPECT_LE(expr.getMin(), value) << expr.str() << a << ' ' << b;
          EXPECT_GE(expr.getMax(), value) << expr.str() << a << ' ' << b;
        }
    }
}

TEST_F(DimTest, TypesKnowTheirDimensions) {
  Type f32 = Float32Type::get(&context);
  Dim n = var("n", 1, 8);
  RankedTensorType type = tg::getTensorType({n, number(4)}, f32);
  EXPECT_TRUE(type.isDynamicDim(0));
  EXPECT_EQ(type.getDimSize(1), 4);
  EXPECT_EQ(getDim(type, 0), n);
  EXPECT_EQ(getDim(type, 1), number(4));
  EXPECT_EQ(tg::getNumElements(&context, tg::getDims(type)), n * number(4));
  RankedTensorType fixed = tg::getTensorType({number(2), number(4)}, f32);
  EXPECT_FALSE(fixed.getEncoding());
  EXPECT_TRUE(hasDims(type) && hasDims(fixed));
  EXPECT_FALSE(hasDims(RankedTensorType::get({ShapedType::kDynamic}, f32)));
  EXPECT_FALSE(hasDims(f32));
}

} // namespace
