//===- SymIntTest.cpp - numbers and expressions over variables ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Arithmetic compared with arithmetic on the values, and comparisons with
/// plain sizes.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <limits>
#include <numeric>
#include <sstream>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;

static constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();
static constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();

static int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

TEST(SymInt, IsSmall) {
  EXPECT_EQ(sizeof(SymInt), 16u);
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<SymInt>);
}

TEST(SymInt, NumbersAreIntegers) {
  Tensor x = Tensor::ones({2, 3});
  int64_t n = x.shape()[0];
  EXPECT_EQ(n, 2);
  const int narrow = x.size(1);
  EXPECT_EQ(narrow, 3);
  int64_t product = 1;
  for (int64_t size : x.shape())
    product *= size;
  EXPECT_EQ(product, 6);
  EXPECT_EQ(std::accumulate(x.shape().begin(), x.shape().end(), int64_t(1),
                            std::multiplies<>()),
            6);
  EXPECT_TRUE((x.shape() == Shape{2, 3}));
  EXPECT_EQ(x.shape()[0] * 2, 4);
  EXPECT_EQ(3 - x.shape()[0], 1);
  EXPECT_EQ(x.shape()[0] + x.shape()[1], 5);
  EXPECT_EQ(std::size_t(7) / x.shape()[1], 2);
  EXPECT_DOUBLE_EQ(x.shape()[0] * 2.5, 5.0);
  EXPECT_DOUBLE_EQ(1.0 / x.shape()[0], 0.5);
  EXPECT_TRUE(x.shape()[0] < x.shape()[1]);
  EXPECT_TRUE(x.shape()[0] < 3 && 1 < x.shape()[0]);
  EXPECT_TRUE(x.shape()[0] == 2 && 2 == x.shape()[0] && x.shape()[0] != 3);
  EXPECT_EQ(std::to_string(x.shape()[1]), "3");
  std::vector<float> data(x.numel(), 1.0f);
  EXPECT_EQ(data.size(), 6u);
  EXPECT_EQ(data[x.shape()[0]], 1.0f);
  SymInt sum = x.shape()[0];
  sum += 3;
  sum *= 2;
  sum -= 1;
  EXPECT_EQ(sum, 9);
  sum /= 2;
  EXPECT_EQ(sum, 4);
  sum %= 3;
  EXPECT_EQ(sum, 1);
  EXPECT_EQ(-x.shape()[0], -2);
  std::ostringstream text;
  text << x.shape()[0];
  EXPECT_EQ(text.str(), "2");
}

TEST(SymInt, OperationsOnNumbers) {
  for (int64_t a = -7; a <= 7; ++a)
    for (int64_t b = -3; b <= 3; ++b) {
      EXPECT_EQ(symMin(a, b), std::min(a, b));
      EXPECT_EQ(symMax(a, b), std::max(a, b));
      if (b == 0)
        continue;
      EXPECT_EQ(SymInt(a) / b, floorDiv(a, b));
      EXPECT_EQ(SymInt(a) % b, a - floorDiv(a, b) * b);
    }
  EXPECT_ERROR(SymInt(kInt64Max) + 1, ShapeError, "too large for 64 bits");
  EXPECT_ERROR(SymInt(kInt64Min) - 1, ShapeError,
               "-9223372036854775808 - 1 is too large");
  EXPECT_ERROR(SymInt(kInt64Max) * 2, ShapeError, "too large for 64 bits");
  EXPECT_ERROR(SymInt(kInt64Min) / -1, ShapeError, "too large for 64 bits");
  EXPECT_EQ(SymInt(kInt64Min) % -1, 0);
  EXPECT_ERROR(SymInt(1) / 0, ShapeError, "1 / 0 divides by 0");
  EXPECT_ERROR(SymInt(1) % 0, ShapeError, "1 % 0 divides by 0");
}

TEST(SymInt, NormalForm) {
  Variable n("n", 1, 10), m("m", 0, 7);
  EXPECT_EQ(n, Variable("n", 1, 10));
  EXPECT_EQ(n + m, m + n);
  EXPECT_EQ(n * 4 + n, n * 5);
  EXPECT_EQ((n + 1) * (n - 1), n * n - 1);
  EXPECT_EQ((n * 4) / 4, n);
  EXPECT_EQ((n * 4 + 3) % 4, 3);
  EXPECT_EQ(n - n, 0);
  EXPECT_FALSE((n - n).isSymbolic());
  EXPECT_EQ(n % 11, n);
  EXPECT_EQ(symMin(n, 10), n);
  EXPECT_EQ(symMax(n, 10), 10);
  EXPECT_NE(n, m);
  EXPECT_NE(n, 3);
  EXPECT_NE(n.bind(3), 3);
  EXPECT_NE(n.bind(3), n.bind(4));
  EXPECT_NE(n.bind(3), n);
  EXPECT_NE(n, Variable("n", 1, 9));
}

TEST(SymInt, BoundsAndValues) {
  Variable n("n", 2, 5), m("m", -3, 4);
  EXPECT_EQ(n.min(), 2);
  EXPECT_EQ(n.max(), 5);
  for (int64_t a = 2; a <= 5; ++a)
    for (int64_t b = -3; b <= 4; ++b) {
      const SymInt x = n.bind(a), y = m.bind(b);
      const std::pair<SymInt, int64_t> cases[] = {
          {x + y, a + b},
          {x - y, a - b},
          {x * y, a * b},
          {y / x, floorDiv(b, a)},
          {y % x, b - floorDiv(b, a) * a},
          {symMin(x, y), std::min(a, b)},
          {symMax(x, y), std::max(a, b)},
          {x - symMin(x, 3), a - std::min<int64_t>(a, 3)},
          {x - symMax(x - 4, y), a - std::max(a - 4, b)},
          {symMin(x, y) * 2 - symMax(x, y),
           std::min(a, b) * 2 - std::max(a, b)},
          {(x * 6 + y) / 3 - y % 2,
           floorDiv(a * 6 + b, 3) - (b - floorDiv(b, 2) * 2)},
      };
      for (const auto &[found, expected] : cases) {
        EXPECT_TRUE(found.hasValue());
        EXPECT_EQ(found.value(), expected) << found;
        EXPECT_EQ(int64_t(found), expected);
        EXPECT_LE(found.min(), expected) << found;
        EXPECT_GE(found.max(), expected) << found;
      }
    }
}

TEST(SymInt, BoundsOfMinimaAndMaxima) {
  Variable n("n", 1, 10), m("m", 0, 7);
  EXPECT_EQ((n - symMin(n, 3)).min(), 0);
  EXPECT_EQ((n - symMin(n, 3)).max(), 7);
  EXPECT_EQ((symMax(n, m) - n).min(), 0);
  EXPECT_EQ((n - symMax(n - 2, 0)).min(), 1);
  EXPECT_EQ((n - symMax(n - 2, 0)).max(), 2);
  EXPECT_EQ(symMin(symMin(n, 3), n), symMin(n, 3));
  EXPECT_EQ(symMax(symMax(n - 2, 0), 0), symMax(n - 2, 0));
}

TEST(SymInt, TextAndVariables) {
  Variable n("n", 1, 10), m("m", 0, 7);
  EXPECT_EQ(n.name(), "n");
  EXPECT_EQ(n.str(), "n");
  EXPECT_EQ((n * 4 + 1).str(), "(n * 4) + 1");
  EXPECT_EQ(n.bind(3).str(), "n=3");
  EXPECT_EQ((n.bind(3) * 4).str(), "n=3 * 4");
  EXPECT_EQ(toString(Shape{2, n, m * 2}), "[2, n, m * 2]");
  std::ostringstream text;
  text << n * 2;
  EXPECT_EQ(text.str(), "n * 2");
  const std::vector<SymVariable> expected = {{"m", 0, 7, {}}, {"n", 1, 10, 3}};
  EXPECT_EQ((n.bind(3) * m + n.bind(3)).variables(), expected);
  EXPECT_TRUE(SymInt(3).variables().empty());
}

TEST(SymInt, Errors) {
  Variable n("n", 1, 10);
  EXPECT_ERROR(Variable("", 1, 2), ShapeError, "has no name");
  EXPECT_ERROR(Variable("k", 3, 2), ShapeError, "variable k");
  EXPECT_ERROR(n.bind(11), ShapeError,
               "variable n cannot be 11: its bounds are [1, 10]");
  EXPECT_ERROR(n.bind(0), ShapeError, "variable n cannot be 0");
  EXPECT_ERROR(
      int64_t(n * 2), ShapeError,
      "n * 2 has no value where a constant is required; bind variable n to a "
      "value in [1, 10]");
  EXPECT_FALSE(n.hasValue());
  EXPECT_ERROR(n + Variable("n", 1, 9), ShapeError,
               "variable n has the bounds [1, 10] in one place and [1, 9] in "
               "another");
  EXPECT_ERROR(n.bind(3) * n.bind(4), ShapeError,
               "variable n is bound to 3 in one place and to 4 in another");
  EXPECT_ERROR(n.bind(3) - n, ShapeError,
               "variable n is bound to 3 in one place and to no value");
  EXPECT_ERROR(n / (n - 1), ShapeError,
               "divides by an expression that may be 0");
  EXPECT_ERROR(n % 0, ShapeError, "n % 0 divides by 0");
  Variable large("large", 0, int64_t(1) << 40);
  EXPECT_ERROR(large * large, ShapeError, "large * large is too large");
}

// Shared subexpressions are printed repeatedly: the work is limited.
TEST(SymInt, GrowingExpressions) {
  SymInt e = Variable("n", 1, 1000);
  auto grow = [&] {
    for (int level = 0; level < 16; ++level) {
      SymInt half = (e * 3 + 1) / 2;
      e = half - half / 3;
    }
  };
  EXPECT_ERROR(grow(), ShapeError, "too long");
}

TEST(SymInt, LongSums) {
  constexpr int64_t count = 1500;
  SymInt up = 0, down = 0;
  for (int64_t i = 0; i < count; ++i) {
    up += Variable("s" + std::to_string(i), 1, 4);
    down += Variable("s" + std::to_string(count - 1 - i), 1, 4);
  }
  EXPECT_EQ(up, down);
  EXPECT_EQ(up.min(), count);
  EXPECT_EQ(up.max(), 4 * count);
  EXPECT_EQ(up.variables().size(), std::size_t(count));
  EXPECT_EQ(up - down, 0);
  // A variable within a long sum is compared with that of the other operand.
  EXPECT_ERROR(up + Variable("s700", 1, 5), ShapeError, "s700");
  EXPECT_ERROR(Variable("s700", 1, 4).bind(2) + up, ShapeError,
               "bound to 2 in one place and to no value in another");
}

TEST(SymInt, Threads) {
  std::vector<std::thread> threads;
  std::vector<SymInt> results(4);
  for (std::size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([&results, t] {
      SymInt sum = 0;
      for (int64_t i = 0; i < 50; ++i)
        sum += Variable("k" + std::to_string(i), 0, 3) * (i + 1);
      results[t] = sum;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const SymInt &result : results)
    EXPECT_EQ(result, results[0]);
  EXPECT_EQ(results[0].max(), 3 * 50 * 51 / 2);
}
