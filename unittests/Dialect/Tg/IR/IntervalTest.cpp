//===- IntervalTest.cpp - arithmetic of bounds ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each operation is compared with what it means for the members of its
/// operands, for all intervals with small ends, or none: the result has to
/// contain all values, and its ends have to be attained where that is claimed.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgInterval.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <vector>

using namespace mlir;
using namespace mlir::tg;

namespace {

using Number = Interval::Number;
constexpr Number kUnbounded = Interval::kUnbounded;

/// All intervals with ends of -5 to 5, and without one or both ends.
const std::vector<Interval> &getIntervals() {
  static const std::vector<Interval> intervals = [] {
    std::vector<Interval> all;
    for (int lo = -6; lo <= 5; ++lo)
      for (int hi = std::max(lo, -5); hi <= 6; ++hi)
        all.push_back(
            {lo < -5 ? -kUnbounded : lo, hi > 5 ? kUnbounded : Number(hi)});
    return all;
  }();
  return intervals;
}

/// Calls the function for the members of up to `reach`.
template <typename Fn> void forMembers(Interval interval, int reach, Fn fn) {
  const auto lo = static_cast<int>(std::max<Number>(interval.lo, -reach));
  const auto hi = static_cast<int>(std::min<Number>(interval.hi, reach));
  for (int member = lo; member <= hi; ++member)
    fn(member);
}

using Operation = Interval (*)(Interval, Interval);
using Meaning = int (*)(int, int);

/// The values for members of up to `reach`.
Interval getValues(Interval x, Interval y, int reach, Meaning meaning) {
  Interval values = Interval::getEmpty();
  forMembers(x, reach, [&](int a) {
    forMembers(y, reach, [&](int b) { values = values.unite(meaning(a, b)); });
  });
  return values;
}

struct Mistakes {
  int missing = 0; ///< values that the result does not contain
  int loose = 0;   ///< ends that no value attains
};

Mistakes findMistakes(Operation operation, Meaning meaning) {
  Mistakes mistakes;
  for (Interval x : getIntervals())
    for (Interval y : getIntervals()) {
      // An end that moves with the members that are looked at is unbounded.
      const Interval near = getValues(x, y, 20, meaning);
      const Interval far = getValues(x, y, 40, meaning);
      const Interval exact(near.lo == far.lo ? near.lo : -kUnbounded,
                           near.hi == far.hi ? near.hi : kUnbounded);
      const Interval result = operation(x, y);
      mistakes.missing += !result.contains(exact);
      mistakes.loose += !exact.contains(result);
    }
  return mistakes;
}

int floorDiv(int a, int b) {
  return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
}
int truncDiv(int a, int b) { return b == 0 ? 0 : a / b; }
int floorMod(int a, int b) { return b == 0 ? 0 : a - floorDiv(a, b) * b; }
int truncMod(int a, int b) { return b == 0 ? 0 : a % b; }

struct OperationCase {
  const char *name;
  Operation operation;
  Meaning meaning;
};

class IntervalOperations : public testing::TestWithParam<OperationCase> {};

TEST_P(IntervalOperations, ContainAllValuesAndNoMore) {
  const Mistakes mistakes =
      findMistakes(GetParam().operation, GetParam().meaning);
  EXPECT_EQ(mistakes.missing, 0);
  EXPECT_EQ(mistakes.loose, 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, IntervalOperations,
    testing::Values(
        OperationCase{"neg", [](Interval x, Interval) { return -x; },
                      [](int a, int) { return -a; }},
        OperationCase{"add", [](Interval x, Interval y) { return x + y; },
                      [](int a, int b) { return a + b; }},
        OperationCase{"sub", [](Interval x, Interval y) { return x - y; },
                      [](int a, int b) { return a - b; }},
        OperationCase{"mul", [](Interval x, Interval y) { return x * y; },
                      [](int a, int b) { return a * b; }},
        OperationCase{"min", [](Interval x, Interval y) { return x.min(y); },
                      [](int a, int b) { return std::min(a, b); }},
        OperationCase{"max", [](Interval x, Interval y) { return x.max(y); },
                      [](int a, int b) { return std::max(a, b); }},
        OperationCase{"floorDiv",
                      [](Interval x, Interval y) { return x.floorDiv(y); },
                      floorDiv},
        OperationCase{"truncDiv",
                      [](Interval x, Interval y) { return x.truncDiv(y); },
                      truncDiv}),
    [](const auto &info) { return info.param.name; });

/// Remainders are exact for divisors that are a number.
void checkRemainder(Operation operation, Meaning meaning) {
  EXPECT_EQ(findMistakes(operation, meaning).missing, 0);
  for (Interval x : getIntervals())
    for (int divisor = -5; divisor <= 5; ++divisor) {
      const Interval result = operation(x, divisor);
      EXPECT_TRUE(result == getValues(x, divisor, 20, meaning))
          << x.str() << " by " << divisor << ": " << result.str();
    }
}

TEST(IntervalTest, Remainders) {
  checkRemainder([](Interval x, Interval y) { return x.floorMod(y); },
                 floorMod);
  checkRemainder([](Interval x, Interval y) { return x.truncMod(y); },
                 truncMod);
}

/// The comparison above finds what is wrong and what is loose.
TEST(IntervalTest, MistakesAreFound) {
  const Mistakes rounding = findMistakes(
      [](Interval x, Interval y) { return x.truncDiv(y); }, floorDiv);
  EXPECT_GT(rounding.missing, 0);
  EXPECT_GT(rounding.loose, 0);
  const Mistakes wide =
      findMistakes([](Interval x, Interval y) { return (x + y).unite(0); },
                   [](int a, int b) { return a + b; });
  EXPECT_EQ(wide.missing, 0);
  EXPECT_GT(wide.loose, 0);
  const Mistakes bounded = findMistakes(
      [](Interval x, Interval y) { return (x * y).intersect({-1000, 1000}); },
      [](int a, int b) { return a * b; });
  EXPECT_GT(bounded.missing, 0);
  EXPECT_EQ(bounded.loose, 0);
}

TEST(IntervalTest, Sets) {
  for (Interval x : getIntervals())
    for (Interval y : getIntervals()) {
      const Interval both = x.intersect(y), either = x.unite(y);
      int common = 0;
      bool isPart = true;
      forMembers(Interval(), 20, [&](int a) {
        const bool inX = x.contains(a), inY = y.contains(a);
        EXPECT_EQ(inX, x.lo <= a && a <= x.hi);
        EXPECT_EQ(both.contains(a), inX && inY);
        EXPECT_TRUE(either.contains(a) || (!inX && !inY));
        common += inX && inY;
        isPart &= inX || !inY;
      });
      EXPECT_EQ(both.isEmpty(), common == 0);
      EXPECT_EQ(x.contains(y), isPart);
      EXPECT_TRUE(either.lo == x.lo || either.lo == y.lo);
      EXPECT_TRUE(either.hi == x.hi || either.hi == y.hi);
    }
  EXPECT_TRUE(Interval::getEmpty().isEmpty());
  EXPECT_TRUE(Interval::getEmpty().unite({2, 3}) == Interval(2, 3));
}

TEST(IntervalTest, Comparisons) {
  for (Interval x : getIntervals())
    for (Interval y : getIntervals()) {
      int less = 0, equal = 0, all = 0;
      forMembers(x, 20, [&](int a) {
        forMembers(y, 20, [&](int b) {
          less += a < b;
          equal += a == b;
          ++all;
        });
      });
      auto getKnown = [&](int count) {
        return count == 0     ? std::optional(false)
               : count == all ? std::optional(true)
                              : std::nullopt;
      };
      EXPECT_EQ(x.isLess(y), getKnown(less)) << x.str() << ", " << y.str();
      EXPECT_EQ(x.isEqual(y), getKnown(equal)) << x.str() << ", " << y.str();
    }
}

/// Numbers of 64 and 128 bits, against arithmetic of 512 bits.
TEST(IntervalTest, LargeNumbers) {
  constexpr unsigned width = 512;
  std::vector<Number> numbers;
  for (unsigned bits : {0u, 31u, 61u, 62u, 63u, 64u, 65u, 100u, 125u, 126u})
    for (int offset = -1; offset <= 1; ++offset)
      for (int sign : {-1, 1})
        numbers.push_back(sign * ((Number(1) << bits) + offset));
  numbers.push_back(kUnbounded - 1);
  numbers.push_back(1 - kUnbounded);
  auto extend = [&](Number number) {
    const uint64_t words[] = {static_cast<uint64_t>(number),
                              static_cast<uint64_t>(number >> 64)};
    return APInt(128, words).sext(width);
  };
  auto check = [&](Interval result, const APInt &exact) {
    const APInt limit = extend(kUnbounded);
    const APInt expected = exact.sgt(limit)    ? limit
                           : exact.slt(-limit) ? -limit
                                               : exact;
    EXPECT_TRUE(result.lo == result.hi && extend(result.lo) == expected)
        << result.str() << " instead of "
        << llvm::toString(expected, 10, /*Signed=*/true);
  };
  for (Number a : numbers)
    for (Number b : numbers) {
      check(Interval(a) + b, extend(a) + extend(b));
      check(Interval(a) - b, extend(a) - extend(b));
      check(Interval(a) * b, extend(a) * extend(b));
      if (b == 0)
        continue;
      check(Interval(a).truncDiv(b), extend(a).sdiv(extend(b)));
      check(Interval(a).truncMod(b), extend(a).srem(extend(b)));
      const APInt floor = llvm::APIntOps::RoundingSDiv(extend(a), extend(b),
                                                       APInt::Rounding::DOWN);
      check(Interval(a).floorDiv(b), floor);
      check(Interval(a).floorMod(b), extend(a) - floor * extend(b));
    }
}

TEST(IntervalTest, NumbersOfPrograms) {
  constexpr int64_t least = std::numeric_limits<int64_t>::min(),
                    most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Interval().getMin(), least);
  EXPECT_EQ(Interval().getMax(), most);
  EXPECT_TRUE((Interval(most) + 1).saturated() == Interval(most));
  EXPECT_TRUE(Interval(3, Number(most) + 1).saturated() == Interval(3, most));
  EXPECT_EQ(Interval(most).getSingle(), most);
  EXPECT_EQ((Interval(most) + 1).getSingle(), std::nullopt);
  EXPECT_EQ(Interval(2, 3).getSingle(), std::nullopt);

  constexpr int64_t modest = Interval::kModestEnd - 1;
  const Interval half(0, most), all = Interval::getInt64();
  EXPECT_TRUE(Interval(-modest, modest).isModest());
  EXPECT_FALSE(Interval(-modest - 1, 0).isModest());
  EXPECT_TRUE(Interval(0, modest).wrapped() == Interval(0, modest));
  EXPECT_TRUE(Interval(0, modest + 1).wrapped() == all);
  // What is not modest is kept only as it is.
  EXPECT_TRUE(half.addWrapped(0) == half);
  EXPECT_TRUE(Interval(0).addWrapped(half) == half);
  EXPECT_TRUE(half.addWrapped(1) == all);
  EXPECT_TRUE(Interval(modest).addWrapped(1) == all);
  EXPECT_TRUE(Interval(2, 3).addWrapped({4, 6}) == Interval(6, 9));
  EXPECT_TRUE(half.mulWrapped(1) == half);
  EXPECT_TRUE(half.mulWrapped(0) == Interval(0));
  EXPECT_TRUE(half.mulWrapped(-1) == all);
  EXPECT_TRUE(Interval(2, 3).mulWrapped({-4, 6}) == Interval(-12, 18));
}

TEST(IntervalTest, Types) {
  MLIRContext context;
  context.loadDialect<TgDialect>();
  auto unsignedOf = [&](unsigned width) -> Type {
    return IntegerType::get(&context, width, IntegerType::Unsigned);
  };
  auto i = [&](unsigned width) -> Type {
    return IntegerType::get(&context, width);
  };
  EXPECT_TRUE(Interval::getAll(i(1)) == Interval(0, 1));
  EXPECT_TRUE(Interval::getAll(i(8)) == Interval(-128, 127));
  EXPECT_TRUE(Interval::getAll(unsignedOf(8)) == Interval(0, 255));
  EXPECT_TRUE(Interval::getAll(unsignedOf(64)) ==
              Interval(0, std::numeric_limits<uint64_t>::max()));
  EXPECT_TRUE(Interval::getAll(IndexType::get(&context)) ==
              Interval::getInt64());
  for (Type type : {i(1), i(8), unsignedOf(8), i(64), unsignedOf(64),
                    Type(IndexType::get(&context))}) {
    const Interval all = Interval::getAll(type);
    for (Number lo : {all.lo - 1, all.lo, all.lo + 1, all.hi})
      for (Number hi : {all.lo, all.hi - 1, all.hi, all.hi + 1}) {
        const Interval interval(lo, hi);
        if (interval.isEmpty())
          continue;
        const Interval back = *Interval::get(interval.getRange(type), type);
        EXPECT_TRUE(back == (all.contains(interval) ? interval : all))
            << interval.str() << " became " << back.str();
      }
  }
  EXPECT_FALSE(Interval::get(ConstantIntRanges::maxRange(0),
                             Float32Type::get(&context)));
}

TEST(IntervalTest, Text) {
  EXPECT_EQ(Interval(-12, 0).str(), "-12 to 0");
  EXPECT_EQ(Interval().str(), "-inf to inf");
  EXPECT_EQ((Interval(std::numeric_limits<int64_t>::min()) *
             std::numeric_limits<int64_t>::min())
                .str(),
            "85070591730234615865843651857942052864 to "
            "85070591730234615865843651857942052864");
}

} // namespace
