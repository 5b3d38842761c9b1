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

#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"
#include <algorithm>
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

TEST_F(DimTest, TextIsNestedWithinLimits) {
  auto parse = [&](int depth) {
    std::string text, end, message;
    for (int i = 0; i < depth / 2; ++i) {
      text += "#tg.dim<floordiv, #tg.dim<add, ";
      end += ", 7>, 3>";
    }
    text += "#tg.var<\"n\", 1, 1000000>" + end;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
    Attribute attr = parseAttribute(text, &context);
    EXPECT_EQ(!attr, !message.empty());
    return message;
  };
  EXPECT_EQ(parse(500), "");
  for (int depth : {520, 20000, 200000})
    EXPECT_EQ(parse(depth), "dimension is nested more than 512 deep");
  // The nesting depth is reset after each parse.
  EXPECT_EQ(parse(200), "");
}

TEST_F(DimTest, WhatIsUsedTwiceIsLookedAtOnce) {
  Dim e = var("n", 1, 1000);
  for (int level = 0; level < 24; ++level)
    e = Dim(
        DimExprAttr::get(&context, DimOpKind::mul, {e.getAttr(), e.getAttr()}));
  unsigned visited = 0;
  e.walk([&](VarAttr) { ++visited; });
  EXPECT_EQ(visited, 1u);
  unsigned asked = 0;
  Dim one = e.substitute([&](VarAttr) {
    ++asked;
    return number(1);
  });
  EXPECT_EQ(one.getStatic(), 1);
  EXPECT_EQ(asked, 1u);
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
  // -2^63 = 3 * quotient + 1.
  EXPECT_EQ(Dim::get(DimOpKind::mod, number(min), number(3)).getStatic(), 1);
  EXPECT_EQ(Dim::get(DimOpKind::mod, number(min), number(-3)).getStatic(), -2);
}

TEST_F(DimTest, TheLeastNumberIsDivided) {
  Dim m = var("m", 1, 5);
  auto divide = [&](DimOpKind kind, int64_t divisor) {
    return Dim::get(kind, m * number(divisor) + number(min), number(divisor));
  };
  EXPECT_EQ(divide(DimOpKind::floordiv, 16), m + number(min / 16));
  EXPECT_EQ(divide(DimOpKind::floordiv, 3), m + number(min / 3 - 1));
  // Not folded, because the multiple below does not fit int64_t.
  EXPECT_FALSE(divide(DimOpKind::mod, 3).isStatic());
  EXPECT_EQ(
      Dim::get(DimOpKind::mod, m * number(16) + number(min + 32), number(16)),
      number(0));
  Dim product = m * number(min);
  EXPECT_EQ(Dim::get(DimOpKind::min, product, number(0)), product);
  Dim other = var("o", -5, 5) * number(min);
  EXPECT_EQ(Dim::get(DimOpKind::min, product, other),
            Dim::get(DimOpKind::min, other, product));
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

// Long sums are built by merging lists, short ones term by term.
TEST_F(DimTest, LongSumsAreOneAttributeInAnyOrder) {
  constexpr int64_t count = 120;
  std::mt19937 random(7);
  SmallVector<std::pair<Dim, int64_t>> terms;
  int64_t most = 0, constant = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t times = int64_t(random() % 7) - 3;
    terms.push_back({var("n" + std::to_string(i), 0, 5), times});
    most += std::max<int64_t>(times, 0) * 5;
    constant += i % 3;
  }
  Dim whole;
  for (int round = 0; round < 4; ++round) {
    Dim sum = number(0), negative = number(0);
    for (auto [i, term] : llvm::enumerate(terms)) {
      auto [x, times] = term;
      sum = sum + x * number(times);
      negative = negative - x * number(times);
    }
    for (int64_t i = 0; i < count; ++i)
      sum = i % 2 ? sum + number(i % 3) : number(i % 3) + sum;
    EXPECT_TRUE((sum + negative).is(constant));
    EXPECT_TRUE((sum - sum).is(0));
    EXPECT_EQ(sum.getMax(), most + constant);
    if (round > 0)
      EXPECT_EQ(sum, whole);
    whole = sum;
    std::shuffle(terms.begin(), terms.end(), random);
  }
  // Built from halves.
  Dim halves[] = {number(constant), number(0)};
  for (auto [i, term] : llvm::enumerate(terms))
    halves[i % 2] = halves[i % 2] + term.first * number(term.second);
  EXPECT_EQ(halves[0] + halves[1], whole);
  EXPECT_EQ(halves[1] + halves[0], whole);
}

TEST_F(DimTest, LongMinimaKeepWhatIsNeeded) {
  // For each pair of neighbors, one variable is never the minimum.
  Dim least = var("x", 0, 50), greatest = var("x", 0, 50);
  for (int64_t i = 0; i < 100; ++i) {
    const std::string name = std::to_string(i);
    least = Dim::get(DimOpKind::min, least, var("a" + name, 10, 60));
    least = Dim::get(DimOpKind::min, least, var("b" + name, 50, 60));
    greatest = Dim::get(DimOpKind::max, greatest, var("a" + name, 10, 60));
    greatest = Dim::get(DimOpKind::max, greatest, var("c" + name, 0, 10));
  }
  for (Dim chain : {least, greatest}) {
    unsigned variables = 0;
    chain.walk([&](VarAttr) { ++variables; });
    EXPECT_EQ(variables, 101u);
  }
  EXPECT_EQ(least.getMax(), 50);
  EXPECT_EQ(greatest.getMin(), 10);
  // An operand less than all others replaces a long minimum.
  EXPECT_EQ(Dim::get(DimOpKind::min, least, var("y", -5, -1)),
            var("y", -5, -1));
}

TEST_F(DimTest, SizesAreKnown) {
  Dim n = var("n", 1, 8), longer = var("longer", -3, 8);
  for (Dim dim : {n, n + number(-12), n * number(3) + longer,
                  Dim::get(DimOpKind::floordiv, n, number(3)),
                  Dim::get(DimOpKind::mod, n + longer, number(3)),
                  Dim::get(DimOpKind::min, n, longer),
                  Dim::get(DimOpKind::max, n, longer), n * longer}) {
    const DimSize size = getDimSize(dim.getAttr());
    EXPECT_EQ(size.characters, dim.str().size()) << dim.str();
    const auto operators = static_cast<uint32_t>(llvm::count(dim.str(), '('));
    EXPECT_EQ(size.parts, 2 * operators + 1) << dim.str();
  }
  EXPECT_EQ(getDimSize((n * number(3) + longer + number(1)).getAttr()).nesting,
            2u);
  EXPECT_TRUE(getDimSize((n * number(3) + longer).getAttr()).isLinear);
  EXPECT_FALSE(getDimSize((n * longer).getAttr()).isLinear);
  EXPECT_FALSE(
      getDimSize(Dim::get(DimOpKind::mod, n, number(3)).getAttr()).isLinear);
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

// Every value of an expression is within its bounds, and both bounds are
// reached if each variable occurs once.
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

TEST_F(DimTest, BoundsOfPowers) {
  Dim n = var("n", -3, 2), m = var("m", -4, -2);
  EXPECT_EQ((n * n).getMin(), 0);
  EXPECT_EQ((n * n).getMax(), 9);
  EXPECT_EQ((n * n * n).getMin(), -27);
  EXPECT_EQ((n * n * n).getMax(), 8);
  EXPECT_EQ((m * m).getMin(), 4);
  EXPECT_EQ((m * m).getMax(), 16);
  EXPECT_EQ((n * n * m).getMin(), -36);
  EXPECT_EQ((n * n * m).getMax(), 0);
  EXPECT_EQ((n * n * m * m * number(-2) + number(1)).getMin(), -287);
  EXPECT_EQ((n * n * m * m * number(-2) + number(1)).getMax(), 1);
  // So such a sum can divide.
  EXPECT_EQ(Dim::get(DimOpKind::floordiv, n, n * n + number(1)).str(),
            "(n floordiv ((n * n) + 1))");
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
  // A divisor that may be 0 is kept.
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
  // The last position of all complete blocks of 16 is below n.
  Dim last = div(n, number(16)) * number(16) - number(1);
  EXPECT_EQ((last - n).getMax(), -1);
  Dim covered = div(n + number(15), number(16)) * number(16);
  EXPECT_EQ((covered - n).getMin(), 0);
  EXPECT_EQ((covered - n).getMax(), 15);
  EXPECT_EQ((n * m - n).getMin(), 0);
  EXPECT_EQ((n * m - n).getMax(), 400);
}

// Quotients with nested quotients are eliminated first, since rewriting the
// nested ones would hide the cancellation.
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

// An expression has the same values as the one it was built from.
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

// n - n mod k is (n floordiv k) * k for any n and k, within any sum.
TEST_F(DimTest, RemaindersAreWhatQuotientsLeave) {
  auto div = [](Dim a, Dim b) { return Dim::get(DimOpKind::floordiv, a, b); };
  auto mod = [](Dim a, Dim b) { return Dim::get(DimOpKind::mod, a, b); };
  Dim n = var("n", 0, 40), m = var("m", 1, 5), k = var("k", 1, 6);
  for (Dim x : {n, n * number(3) + m, n * m, number(7) - n})
    for (Dim c :
         {number(2), number(7), number(-4), k, m + k, m * k, number(-2) * k}) {
      Dim whole = div(x, c) * c;
      EXPECT_EQ(x - mod(x, c), whole) << x.str() << " by " << c.str();
      EXPECT_EQ((x - mod(x, c)) * number(6) + m, whole * number(6) + m);
      EXPECT_EQ((x - mod(x, c)) * m, whole * m);
      EXPECT_EQ(whole + mod(x, c), x);
      EXPECT_EQ(x - whole, mod(x, c));
    }
  Dim whole = div(n, number(4)) * number(4);
  EXPECT_EQ((n - whole).getMin(), 0);
  EXPECT_EQ((n - whole).getMax(), 3);
  EXPECT_EQ(whole.getMin(), 0);
  EXPECT_EQ(whole.getMax(), 40);
  EXPECT_EQ((n - div(n, k) * k).getMin(), 0);
  EXPECT_EQ((n - div(n, k) * k).getMax(), 5);
  EXPECT_EQ(whole.str(), "((n floordiv 4) * 4)");
  EXPECT_EQ((n - whole).str(), "(n mod 4)");
  // Digits of a position.
  Dim digit = mod(div(n, number(3)), number(4));
  EXPECT_EQ(digit.str(), "((n floordiv 3) mod 4)");
  EXPECT_EQ(digit.getMax(), 3);
  EXPECT_EQ(digit * number(3) + mod(n, number(3)) +
                div(n, number(12)) * number(12),
            n);
  // Different divisors or dividends must not be combined.
  EXPECT_NE(n - mod(n, number(4)), div(n, number(3)) * number(4));
  EXPECT_NE(n - mod(n, number(4)), div(n + m, number(4)) * number(4));
  EXPECT_NE(n - mod(n, number(2)), div(n, number(4)) * number(4));
  // A remainder by a divisor that may be 0 is not eliminated.
  Dim zero = var("z", 0, 4);
  EXPECT_NE(n - mod(n, zero), div(n, zero) * zero);
}

TEST_F(DimTest, MaximumAndMinimumOfTwoAreTheTwo) {
  auto max = [](Dim a, Dim b) { return Dim::get(DimOpKind::max, a, b); };
  auto min = [](Dim a, Dim b) { return Dim::get(DimOpKind::min, a, b); };
  Dim n = var("n", 0, 40), m = var("m", 1, 5), k = var("k", 1, 6);
  for (auto [a, b] : {std::pair{n, m},
                      {n, number(7)},
                      {n * m, k},
                      {n + m, k * number(8)},
                      {n - m, m - k}}) {
    EXPECT_EQ(max(a, b) + min(a, b), a + b) << a.str() << ", " << b.str();
    EXPECT_EQ(max(a, b) * number(3) + min(a, b) * number(3),
              (a + b) * number(3));
    EXPECT_EQ(max(a, b) * k + min(a, b) * k, (a + b) * k);
    EXPECT_EQ(max(a, b), max(b, a));
    EXPECT_EQ(max(a + k, b + k), max(a, b) + k);
    EXPECT_EQ(min(a * number(4), b * number(4)), min(a, b) * number(4));
    EXPECT_EQ(min(a * number(-1), b * number(-1)), max(a, b) * number(-1));
  }
  EXPECT_EQ(min(min(n, m), k), min(n, min(k, m)));
  EXPECT_EQ(max(max(n, m), k), max(n, max(k, m)));
  EXPECT_EQ(max(max(n, m), n), max(m, n));
  EXPECT_EQ(max(n, number(7)).str(), "(n max 7)");
  EXPECT_EQ(max(max(n, m), k).str(), "(k max m max n)");
  EXPECT_EQ(max(max(n, m), k).getMin(), 1);
  EXPECT_EQ(max(max(n, m), k).getMax(), 40);
  EXPECT_NE(max(n, m) + min(n, k), n + m);
}

TEST_F(DimTest, VariablesWithOneValueAreNumbersInExpressions) {
  Dim three = var("p", 3, 3), n = var("n", 0, 8);
  EXPECT_EQ(three - number(3), number(0));
  EXPECT_EQ(three * number(4), number(12));
  EXPECT_EQ(n * three, n * number(3));
  EXPECT_EQ(Dim::get(DimOpKind::floordiv, n, three),
            Dim::get(DimOpKind::floordiv, n, number(3)));
  EXPECT_EQ(Dim::get(DimOpKind::min, n, three),
            Dim::get(DimOpKind::min, n, number(3)));
  // By itself, a variable with a single value keeps its name, in types and in
  // printed text.
  EXPECT_EQ(three.str(), "p");
}

TEST_F(DimTest, LongProductsOfSumsStayProducts) {
  for (unsigned count : {4u, 8u, 12u, 20u}) {
    SmallVector<Dim> factors;
    for (unsigned i = 0; i < count; ++i)
      factors.push_back(var("v" + std::to_string(i), 1, 2) +
                        var("w" + std::to_string(i), 1, 2));
    Dim product = getNumElements(&context, factors);
    EXPECT_EQ(product.getMin(), int64_t(1) << count);
    EXPECT_EQ(product.getMax(), int64_t(1) << (2 * count));
    // In random order, and in two halves.
    SmallVector<Dim> shuffled = factors;
    std::mt19937 random(count);
    for (int trial = 0; trial < 3; ++trial) {
      std::shuffle(shuffled.begin(), shuffled.end(), random);
      Dim first = number(1), second = number(1);
      for (unsigned i = 0; i < count; ++i)
        (i % 2 ? first : second) = (i % 2 ? first : second) * shuffled[i];
      EXPECT_EQ(first * second, product);
      EXPECT_EQ(getNumElements(&context, shuffled), product);
    }
    // After divisions, a product of few factors is expanded again.
    Dim left = product;
    for (unsigned i = count; i-- > 1;)
      left = Dim::get(DimOpKind::floordiv, left, factors[i]);
    EXPECT_EQ(left, factors[0]);
    EXPECT_EQ(Dim::get(DimOpKind::mod, product, factors[1]), number(0));
    EXPECT_EQ(product - product, number(0));
    EXPECT_EQ(
        (product * number(2)).substitute([&](VarAttr) { return number(1); }),
        number(int64_t(2) << count));
    EXPECT_NE(product, product + number(1));
    EXPECT_NE(product * factors[0], product * factors[1]);
  }
}

/// Products that share variables, and sums of such products, stay short.
TEST_F(DimTest, ProductsOfProductsStayShort) {
  Dim x = number(1);
  for (unsigned i = 0; i < 60; ++i) {
    Dim a = var("v" + std::to_string(i % 10), 0, 1),
        b = var("v" + std::to_string((i + 1) % 10), 0, 1);
    x = x * (a + b) + a;
    if (i % 7 == 0)
      x = Dim::get(DimOpKind::floordiv, x, number(5));
  }
  EXPECT_LT(x.str().size(), 100000u);
}

// Equal attributes have equal values, and rebuilding an expression in another
// order, or from its own operands, gives the same attribute.
TEST_F(DimTest, NormalFormIsTheSameInAnyOrder) {
  std::mt19937 random(23);
  auto pick = [&](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  };
  auto mod = [](Dim a, Dim b) { return Dim::get(DimOpKind::mod, a, b); };
  auto div = [](Dim a, Dim b) { return Dim::get(DimOpKind::floordiv, a, b); };
  auto least = [](Dim a, Dim b) { return Dim::get(DimOpKind::min, a, b); };
  auto most = [](Dim a, Dim b) { return Dim::get(DimOpKind::max, a, b); };
  for (int64_t trial = 0; trial < 1500; ++trial) {
    SmallVector<Dim> atoms{var("a", 0, pick(1, 9)), var("b", pick(1, 2), 5),
                           var("c", 1, pick(2, 4))};
    auto pickAtom = [&] { return atoms[pick(0, atoms.size() - 1)]; };
    for (int64_t step = pick(0, 5); step > 0; --step) {
      Dim x = pickAtom() * number(pick(1, 6)) + number(pick(0, 9));
      Dim y = pick(0, 2) ? number(pick(2, 7)) : pickAtom() + number(1);
      if (y.getMin() <= 0)
        continue;
      switch (pick(0, 3)) {
      case 0:
        atoms.push_back(div(x, y));
        break;
      case 1:
        atoms.push_back(mod(x, y));
        break;
      case 2:
        atoms.push_back(least(x, y));
        break;
      default:
        atoms.push_back(most(x, y));
        break;
      }
    }
    SmallVector<Dim> terms;
    for (int64_t step = pick(1, 5); step > 0; --step)
      terms.push_back(pickAtom() * pickAtom() * number(pick(-4, 6)));
    auto getSum = [&] {
      Dim sum = number(0);
      for (Dim term : terms)
        sum = sum + term;
      return sum;
    };
    Dim sum = getSum();
    for (int i = 0; i < 3; ++i) {
      std::shuffle(terms.begin(), terms.end(), random);
      ASSERT_EQ(getSum(), sum) << getSum().str() << '\n' << sum.str();
    }
    // Rebuilt from its own operands.
    ASSERT_EQ(sum.substitute([](VarAttr var) { return Dim(var); }) - sum,
              number(0));
    ASSERT_EQ(sum + number(0) - number(1) + number(1), sum);
    Dim other = pickAtom();
    ASSERT_EQ((sum + other) - other, sum) << sum.str();
    ASSERT_EQ((sum - other) * number(3) + other * number(3), sum * number(3));
    // The identities between quotients and remainders, minima and maxima.
    Dim c = pick(0, 1) ? number(pick(2, 6)) : pickAtom() + number(1);
    // Remainders of long expressions are not expanded.
    if (c.getMin() > 0 && (sum.str() + c.str()).size() < 200)
      ASSERT_EQ(div(sum, c) * c + mod(sum, c), sum) << sum.str() << c.str();
    Dim d = var("d", 0, 9);
    for (Dim c : {number(pick(2, 6)), atoms[1], atoms[1] * number(3)})
      ASSERT_EQ(div(sum + c * d, c), div(sum, c) + d) << sum.str() << '\n'
                                                      << c.str();
    // Maxima of long expressions, and of minima, are not expanded either.
    const std::string both = sum.str() + other.str();
    if (both.size() < 200 && both.find("min") == std::string::npos &&
        both.find("max") == std::string::npos)
      ASSERT_EQ(least(sum, other) + most(sum, other), sum + other)
          << sum.str() << '\n'
          << other.str();
    // Printed text is parsed to the same form.
    for (Dim dim : {sum, most(sum, other), least(most(sum, c), other)}) {
      std::string text;
      llvm::raw_string_ostream(text) << dim.getAttr();
      ASSERT_EQ(Dim(parseAttribute(text, dim.getContext())), dim) << text;
    }
    ASSERT_EQ(least(other, sum), least(sum, other));
  }
}

// However an expression was built, its text is parsed to the same attribute,
// and no other attribute has this text.
TEST_F(DimTest, TextIsReadAsTheSameAttribute) {
  std::mt19937 random(44);
  auto pick = [&](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  };
  ScopedDiagnosticHandler silent(&context,
                                 [](Diagnostic &) { return success(); });
  auto ignoreError = [&] { return emitError(UnknownLoc::get(&context)); };
  for (int64_t trial = 0; trial < 3000; ++trial) {
    SmallVector<Dim> made{var("a", pick(-3, 0), pick(1, 9)),
                          var("b", pick(1, 2), 5), var("c", 1, pick(2, 40)),
                          number(pick(-5, 9))};
    for (int64_t step = pick(2, 14); step > 0; --step) {
      auto pickMade = [&] { return made[pick(0, made.size() - 1)]; };
      Dim x = pickMade(), y = pickMade();
      const auto kind = static_cast<DimOpKind>(pick(0, 5));
      const bool divides =
          kind == DimOpKind::floordiv || kind == DimOpKind::mod;
      if (divides && pick(0, 1))
        y = number(pick(2, 8));
      if (divides && y.getMin() <= 0 && y.getMax() >= 0)
        continue;
      Dim result = Dim::get(kind, x, y);
      if (failed(checkFits(result.getAttr(), ignoreError)))
        continue;
      made.push_back(result);
      std::string text;
      llvm::raw_string_ostream(text) << result.getAttr();
      ASSERT_EQ(Dim(parseAttribute(text, &context)), result) << text;
    }
  }
}

// Of expressions of many variables, which are no smaller when read.
TEST_F(DimTest, LongTextIsReadAsTheSameAttribute) {
  std::mt19937 random(45);
  auto pick = [&](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  };
  ScopedDiagnosticHandler silent(&context,
                                 [](Diagnostic &) { return success(); });
  auto ignoreError = [&] { return emitError(UnknownLoc::get(&context)); };
  size_t total = 0, verbatim = 0;
  for (int64_t trial = 0; trial < 800; ++trial) {
    SmallVector<Dim> made;
    for (int i = 0; i < 12; ++i)
      made.push_back(var("v" + std::to_string(i), pick(-1, 1), pick(2, 30)));
    for (int64_t step = 0; step < 60; ++step) {
      auto pickMade = [&] { return made[pick(0, made.size() - 1)]; };
      Dim x = pickMade(), y = pick(0, 3) ? pickMade() : number(pick(-5, 9));
      const auto kind = static_cast<DimOpKind>(pick(0, 5));
      const bool divides =
          kind == DimOpKind::floordiv || kind == DimOpKind::mod;
      if (divides && pick(0, 1))
        y = number(pick(2, 8));
      if (divides && y.getMin() <= 0 && y.getMax() >= 0)
        continue;
      Dim result = Dim::get(kind, x, y);
      if (failed(checkFits(result.getAttr(), ignoreError)))
        continue;
      made.push_back(result);
      std::string text;
      llvm::raw_string_ostream(text) << result.getAttr();
      ++total;
      verbatim += text.find("verbatim") != std::string::npos;
      ASSERT_EQ(Dim(parseAttribute(text, &context)), result) << text;
    }
  }
  // The normal form of nearly all is what arithmetic makes of their operands.
  EXPECT_LT(verbatim * 100, total);
}

// Terms are ordered by content: variables by name and then by bounds, numbers
// by value.
TEST_F(DimTest, TermsAreOrderedByWhatTheyAre) {
  Dim n = var("n", 0, 99), m = var("m", 0, 99);
  auto div = [](Dim a, int64_t b) {
    return Dim::get(DimOpKind::floordiv, a, Dim(a.getContext(), b));
  };
  EXPECT_EQ((n + m).str(), "(m + n)");
  EXPECT_EQ((div(n, 10) + div(n, 2) + m).str(),
            "((n floordiv 2) + (n floordiv 10) + m)");
  EXPECT_EQ((n + div(m, 2) + number(1)).str(), "((m floordiv 2) + n + 1)");
  EXPECT_EQ(Dim::get(DimOpKind::min, n, m).str(), "(m min n)");
}

TEST_F(DimTest, DivisorsOfWhichOneSignIsBounded) {
  auto mod = [](Dim a, Dim b) { return Dim::get(DimOpKind::mod, a, b); };
  // Bounds prove that 1 mod (m * -2) is negative, but not that its negation is
  // positive.
  Dim m = var("m", 1, 8);
  Dim divisor = mod(number(1), m * number(-2));
  Dim remainder = mod(var("n", 0, 9), divisor);
  for (int64_t n = 0; n < 10; ++n)
    for (int64_t k = 1; k < 9; ++k) {
      Dim value = remainder.substitute([&](VarAttr var) {
        return number(var.getName().getValue() == "n" ? n : k);
      });
      const int64_t by = 1 - 2 * k;
      EXPECT_EQ(value, number(n % -by == 0 ? 0 : n % -by + by)) << n << k;
    }
}

TEST_F(DimTest, LongMinimaAndRemaindersGrowAsWritten) {
  auto mod = [](Dim a, Dim b) { return Dim::get(DimOpKind::mod, a, b); };
  auto div = [](Dim a, Dim b) { return Dim::get(DimOpKind::floordiv, a, b); };
  Dim most = number(0), nested = var("x", 0, 1000);
  for (int i = 0; i < 60; ++i) {
    Dim x = var("v" + std::to_string(i), 0, 9);
    most = Dim::get(DimOpKind::max, most,
                    Dim::get(DimOpKind::min, x, x * number(2) + number(i)));
    nested =
        mod(div(nested * number(3) + number(i), number(5)) + x, number(7 + i));
  }
  EXPECT_LT(most.str().size(), 3000u);
  EXPECT_LT(nested.str().size(), 10000u);
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
