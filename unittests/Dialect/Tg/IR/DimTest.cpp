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

#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"
#include <functional>
#include <limits>
#include <random>

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

TEST_F(DimTest, QuotientsAndRemaindersTakeOutWhatDivides) {
  auto div = [](Dim a, Dim b) { return Dim::get(DimOpKind::floordiv, a, b); };
  auto mod = [](Dim a, Dim b) { return Dim::get(DimOpKind::mod, a, b); };
  Dim n = var("n", 1, 8), m = var("m", 1, 5);
  EXPECT_EQ(div(n * number(4), number(4)), n);
  EXPECT_EQ(div(n * number(4) + number(3), number(4)), n);
  EXPECT_EQ(div(n * number(4) + number(7), number(4)), n + number(1));
  EXPECT_EQ(mod(n * number(4) + number(7), number(4)), number(3));
  EXPECT_EQ(div(n * number(4), number(8)), div(n, number(2)));
  EXPECT_EQ(div(div(n, number(2)), number(3)), div(n, number(6)));
  EXPECT_EQ(div(n, number(9)), number(0));
  EXPECT_EQ(mod(n, number(9)), n);
  EXPECT_EQ(div(n * m * number(6), m * number(2)), n * number(3));
  EXPECT_EQ(mod(n * m, m), number(0));
  EXPECT_EQ(div((n + m) * number(4), n + m), number(4));
  EXPECT_EQ(div(n * number(2), n + number(1)).str(),
            "((n * 2) floordiv (n + 1))");
  EXPECT_EQ(div(n, number(3)) * number(3) + mod(n, number(3)), n);
  EXPECT_EQ(n - div(n, number(3)) * number(3), mod(n, number(3)));
  EXPECT_EQ(n * m - div(n, number(3)) * m * number(3), m * mod(n, number(3)));
  // A divisor that can be 0 stays.
  Dim zero = var("z", 0, 4);
  EXPECT_NE(div(zero * number(4), zero), number(4));
  EXPECT_NE(mod(zero, zero), number(0));
}

TEST_F(DimTest, MinimaAndMaximaAreDecidedByBounds) {
  Dim n = var("n", 1, 8), m = var("m", 8, 9);
  EXPECT_EQ(Dim::get(DimOpKind::min, n, m), n);
  EXPECT_EQ(Dim::get(DimOpKind::max, n, m), m);
  EXPECT_EQ(Dim::get(DimOpKind::max, n + number(1), n), n + number(1));
  EXPECT_EQ(Dim::get(DimOpKind::min, n, number(7)).str(), "(n min 7)");
}

TEST_F(DimTest, BoundsSeeWhatCancels) {
  auto div = [](Dim a, Dim b) { return Dim::get(DimOpKind::floordiv, a, b); };
  Dim n = var("n", 1, 100), m = var("m", 1, 5);
  // The last position of all full pieces of 16 is below n.
  Dim last = div(n, number(16)) * number(16) - number(1);
  EXPECT_EQ((last - n).getMax(), -1);
  Dim covered = div(n + number(15), number(16)) * number(16);
  EXPECT_EQ((covered - n).getMin(), 0);
  EXPECT_EQ((covered - n).getMax(), 15);
  EXPECT_EQ((n * m - n).getMin(), 0);
  EXPECT_EQ((n * m - n).getMax(), 400);
}

// Any expression equals, for all values, what it was made from.
/// A quotient of what has quotients in it goes first, before those change.
TEST_F(DimTest, BoundsSeeWhatCancelsInQuotientsOfQuotients) {
  auto div = [](Dim a, Dim b) { return Dim::get(DimOpKind::floordiv, a, b); };
  Dim blocks = div(var("m", 3, 64) + number(2), number(3)) * number(27);
  Dim rest = div(blocks + number(15), number(16)) - div(blocks, number(16));
  EXPECT_EQ(rest.getMin(), 0);
  EXPECT_EQ(rest.getMax(), 1);
}

TEST_F(DimTest, BoundsOfMultiples) {
  auto div = [](Dim a, Dim b) { return Dim::get(DimOpKind::floordiv, a, b); };
  Dim n = var("n", 0, 31);
  Dim rest = n - div(n + number(3), number(4));
  EXPECT_EQ(rest.getMin(), 0);
  EXPECT_EQ((rest * number(8)).getMin(), 0);
  EXPECT_EQ((rest * number(8) + number(5)).getMin(), 5);
  EXPECT_EQ((number(5) - rest * number(8)).getMax(), 5);
  EXPECT_EQ((rest * number(8)).getMax(), 8 * rest.getMax());
}

TEST_F(DimTest, NormalFormKeepsValues) {
  std::mt19937 random(17);
  auto pick = [&](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  };
  for (int64_t trial = 0; trial < 3000; ++trial) {
    const std::pair<int64_t, int64_t> bounds[] = {{pick(-2, 1), pick(2, 5)},
                                                  {pick(0, 2), pick(2, 4)}};
    Dim vars[] = {var("a", bounds[0].first, bounds[0].second),
                  var("b", bounds[1].first, bounds[1].second)};
    struct Node {
      Dim dim;
      std::function<int64_t(int64_t, int64_t)> value;
    };
    std::vector<Node> nodes{{vars[0], [](int64_t a, int64_t) { return a; }},
                            {vars[1], [](int64_t, int64_t b) { return b; }}};
    for (int64_t step = pick(1, 7); step > 0; --step) {
      if (pick(0, 2) == 0) {
        int64_t constant = pick(-4, 9);
        nodes.push_back(
            {number(constant), [=](int64_t, int64_t) { return constant; }});
      }
      auto kind = static_cast<DimOpKind>(pick(0, 5));
      Node x = nodes[pick(0, nodes.size() - 1)];
      Node y = nodes[pick(0, nodes.size() - 1)];
      nodes.push_back(
          {Dim::get(kind, x.dim, y.dim), [=, this](int64_t a, int64_t b) {
             return *Dim::get(kind, number(x.value(a, b)),
                              number(y.value(a, b)))
                         .getStatic();
           }});
    }
    Node &last = nodes.back();
    for (int64_t a = bounds[0].first; a <= bounds[0].second; ++a)
      for (int64_t b = bounds[1].first; b <= bounds[1].second; ++b) {
        int64_t expected = last.value(a, b);
        Dim value = last.dim.substitute([&](VarAttr var) {
          return number(var.getName().getValue() == "a" ? a : b);
        });
        ASSERT_EQ(value.getStatic(), expected)
            << last.dim.str() << " a=" << a << " b=" << b;
        ASSERT_LE(last.dim.getMin(), expected) << last.dim.str();
        ASSERT_GE(last.dim.getMax(), expected) << last.dim.str();
      }
  }
}

TEST_F(DimTest, VariablesAreCollectedAndReplaced) {
  const char *text = R"mlir(
    #n = #tg.var<"n", 1, 8>
    #m = #tg.var<"m", 0, 4>
    func.func @f(%x: tensor<?x4xf32, #tg.shape<#n, 4>>)
        -> tensor<?x?xf32, #tg.shape<#n, #m>> {
      %0 = tg.shrink %x from [0, 0] to [#n, #m]
          : tensor<?x4xf32, #tg.shape<#n, 4>>
          -> tensor<?x?xf32, #tg.shape<#n, #m>>
      return %0 : tensor<?x?xf32, #tg.shape<#n, #m>>
    }
  )mlir";
  context.loadDialect<func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  auto variables = collectVariables(*module);
  ASSERT_TRUE(succeeded(variables));
  ASSERT_EQ(variables->size(), 2u);
  EXPECT_EQ((*variables)[0].getName().getValue(), "m");
  EXPECT_EQ((*variables)[1].getName().getValue(), "n");
  llvm::StringMap<int64_t> values;
  values["n"] = 3;
  values["m"] = 2;
  bindVariables(*module, values);
  ASSERT_TRUE(succeeded(verify(*module)));
  EXPECT_TRUE(collectVariables(*module)->empty());
  auto func = module->lookupSymbol<func::FuncOp>("f");
  EXPECT_EQ(func.getResultTypes()[0],
            RankedTensorType::get({3, 2}, Float32Type::get(&context)));
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
