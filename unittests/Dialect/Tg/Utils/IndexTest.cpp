//===- IndexTest.cpp - tests of index analysis and builder ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares linear forms, bounds, simplified quotients and remainders, and
/// masks with the values of expressions at every position of their ranges.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Matchers.h"
#include <chrono>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace mlir::tg;

namespace {

int64_t floorDivide(int64_t x, int64_t c) {
  return x / c - (x % c != 0 && (x < 0) != (c < 0));
}
int64_t floorRemainder(int64_t x, int64_t c) {
  return x - floorDivide(x, c) * c;
}

/// A block with ranges, and sample values for the ranges.
class IndexTest : public testing::Test {
protected:
  IndexTest() : builder(&context), index(builder, UnknownLoc::get(&context)) {
    context.loadDialect<TgDialect>();
    builder.setInsertionPointToEnd(&block);
  }

  Location loc() { return builder.getUnknownLoc(); }

  Value range(int64_t extent) {
    Value value =
        RangeOp::create(builder, loc(), atoms.size(), RangeKind::loop, extent);
    std::vector<int64_t> values(extent);
    for (int64_t i = 0; i < extent; ++i)
      values[i] = i;
    atoms.push_back({value, std::move(values)});
    return value;
  }
  /// The variable n in [1, 4], times a factor and plus an offset.
  Dim variable(int64_t factor = 1, int64_t offset = 0) {
    Attribute attr = VarAttr::get(&context, builder.getStringAttr("n"), 1, 4);
    if (!n) {
      n = DimOp::create(builder, loc(), builder.getIndexType(), attr);
      atoms.push_back({n, {1, 2, 3, 4}});
    }
    return Dim(attr) * Dim(&context, factor) + Dim(&context, offset);
  }
  /// A value of which only the type is known, and sample values for it.
  Value unknown(Type type, std::vector<int64_t> values) {
    Value value = block.addArgument(type, loc());
    atoms.push_back({value, std::move(values)});
    return value;
  }
  Value number(int64_t value) {
    return ConstOp::create(builder, loc(), builder.getIndexType(), value);
  }

  int64_t countPositions() const {
    int64_t count = 1;
    for (auto &atom : atoms)
      count *= atom.second.size();
    return count;
  }

  /// The value at a sample position. Null masks are true.
  int64_t evaluate(Value value, int64_t position) {
    if (!value)
      return 1;
    DenseMap<Value, int64_t> known;
    for (auto &[atom, values] : atoms) {
      known[atom] = values[position % values.size()];
      position /= values.size();
    }
    SmallVector<Value> stack{value};
    while (!stack.empty()) {
      Value current = stack.back();
      Operation *op = current.getDefiningOp();
      bool ready = true;
      if (!known.contains(current))
        for (Value operand : op->getOperands())
          if (!known.contains(operand)) {
            stack.push_back(operand);
            ready = false;
          }
      if (!ready)
        continue;
      stack.pop_back();
      if (!known.contains(current))
        known[current] = evaluateOp(op, known);
    }
    return known[value];
  }

  int64_t evaluateDim(Dim dim, int64_t value) {
    return *dim.substitute([&](VarAttr) { return Dim(&context, value); })
                .getStatic();
  }
  int64_t evaluateDimAt(Dim dim, int64_t position) {
    return evaluateDim(dim, n ? evaluate(n, position) : 0);
  }

  int64_t evaluateOp(Operation *op, DenseMap<Value, int64_t> &known) {
    auto get = [&](unsigned i) { return known[op->getOperand(i)]; };
    APInt constant;
    if (matchPattern(op, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    if (auto dim = dyn_cast<DimOp>(op))
      return evaluateDim(Dim(dim.getDim()), known.lookup(n));
    if (isa<AddOp>(op))
      return get(0) + get(1);
    if (isa<SubOp>(op))
      return get(0) - get(1);
    if (isa<MulOp>(op))
      return get(0) * get(1);
    if (isa<NegOp>(op))
      return -get(0);
    if (isa<FloorDivOp>(op))
      return floorDivide(get(0), get(1));
    if (isa<FloorModOp>(op))
      return floorRemainder(get(0), get(1));
    if (isa<IDivOp>(op))
      return get(0) / get(1);
    if (isa<ModOp>(op))
      return get(0) % get(1);
    if (isa<MaxOp>(op))
      return std::max(get(0), get(1));
    if (isa<WhereOp>(op))
      return get(0) ? get(1) : get(2);
    if (isa<CmpLtOp>(op))
      return get(0) < get(1);
    if (isa<AndOp>(op))
      return get(0) & get(1);
    if (isa<CastOp>(op))
      return get(0);
    ADD_FAILURE() << "unexpected " << op->getName().getStringRef().str();
    return 0;
  }

  /// Checks that bounds and linear form hold at every position.
  void checkAnalysis(Value value) {
    IndexAnalysis analysis;
    Interval interval = analysis.getInterval(value);
    const LinearForm form = analysis.getLinear(value);
    for (auto &[atom, coefficient] : form.terms)
      EXPECT_FALSE(coefficient.is(0));
    for (int64_t p = 0, e = countPositions(); p < e; ++p) {
      int64_t actual = evaluate(value, p),
              sum = evaluateDimAt(form.constant, p);
      ASSERT_TRUE(interval.contains(actual))
          << actual << " is not in " << interval.str();
      for (auto &[atom, coefficient] : form.terms)
        sum += evaluateDimAt(coefficient, p) * evaluate(atom, p);
      ASSERT_EQ(sum, actual);
    }
  }

  int64_t countOps(StringRef name) {
    int64_t count = 0;
    for (Operation &op : block)
      count += op.getName().getStringRef() == name;
    return count;
  }

  MLIRContext context;
  Block block;
  OpBuilder builder;
  IndexBuilder index;
  Value n;
  std::vector<std::pair<Value, std::vector<int64_t>>> atoms;
};

/// An expression made by the builder, and its values by plain arithmetic.
struct Expression {
  Value value;
  std::vector<int64_t> values;
};

class RandomIndexTest : public IndexTest,
                        public testing::WithParamInterface<int> {};

TEST_P(RandomIndexTest, BuilderKeepsTheValue) {
  std::mt19937 random(GetParam());
  auto below = [&](int64_t n) { return int64_t(random() % n); };
  int64_t numRanges = 1 + below(3);
  for (int64_t i = 0; i < numRanges; ++i)
    range(1 + below(6));
  if (below(3) == 0)
    unknown(builder.getIndexType(), {-13, -6, -1, 0, 1, 7, 100});
  bool isSymbolic = GetParam() % 2 == 1;
  if (isSymbolic)
    variable();
  const int64_t count = countPositions();
  std::vector<Expression> pool;
  for (auto &[atom, values] : atoms) {
    Expression e{atom, {}};
    for (int64_t p = 0; p < count; ++p)
      e.values.push_back(evaluate(atom, p));
    pool.push_back(e);
  }
  for (int step = 0; step < 12; ++step) {
    // Copied, because the pool grows.
    const Expression x = pool[below(pool.size())], y = pool[below(pool.size())];
    Dim c(&context, below(21) - 10), d(&context, 1 + below(12));
    if (isSymbolic && below(2))
      c = variable(below(7) - 3, below(7) - 3);
    if (isSymbolic && below(2))
      d = variable(1 + below(3), below(2) * below(4));
    Expression e;
    // What the operands are at a position, and the numbers c and d.
    auto apply = [&](Value value, auto compute) {
      e.value = value;
      for (int64_t p = 0; p < count; ++p)
        e.values.push_back(compute(x.values[p], y.values[p],
                                   evaluateDimAt(c, p), evaluateDimAt(d, p)));
    };
    using Number = int64_t;
    switch (below(6)) {
    case 0:
      apply(index.add(x.value, y.value),
            [](Number a, Number b, Number, Number) { return a + b; });
      break;
    case 1:
      apply(index.add(x.value, c),
            [](Number a, Number, Number c, Number) { return a + c; });
      break;
    case 2:
      apply(index.mul(x.value, c),
            [](Number a, Number, Number c, Number) { return a * c; });
      break;
    case 3:
      // A linearized index, as from a reshape: strides of a row-major tensor.
      apply(index.add(index.mul(x.value, d), y.value),
            [](Number a, Number b, Number, Number d) { return a * d + b; });
      break;
    case 4:
      apply(index.floorDiv(x.value, d), [](Number a, Number, Number, Number d) {
        return floorDivide(a, d);
      });
      break;
    default:
      apply(index.floorMod(x.value, d), [](Number a, Number, Number, Number d) {
        return floorRemainder(a, d);
      });
      break;
    }
    for (int64_t p = 0; p < count; ++p)
      ASSERT_EQ(evaluate(e.value, p), e.values[p]) << "position " << p;
    checkAnalysis(e.value);
    if (HasFatalFailure())
      return;

    Dim bound(&context, below(41) - 20);
    if (isSymbolic)
      bound = variable(below(7) - 3) + bound;
    Value atLeast = index.atLeast(e.value, bound);
    Value lessThan = index.lessThan(e.value, bound);
    Value both = index.conjunction(atLeast, lessThan);
    for (int64_t p = 0; p < count; ++p) {
      const int64_t end = evaluateDimAt(bound, p);
      ASSERT_EQ(evaluate(atLeast, p), e.values[p] >= end);
      ASSERT_EQ(evaluate(lessThan, p), e.values[p] < end);
      ASSERT_EQ(evaluate(both, p), 0);
    }
    pool.push_back(std::move(e));
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomIndexTest, testing::Range(0, 400));

class RandomOpsTest : public IndexTest,
                      public testing::WithParamInterface<int> {};

/// Index arithmetic that the builder did not make.
TEST_P(RandomOpsTest, AnalysisHolds) {
  std::mt19937 random(1000 + GetParam());
  auto below = [&](int64_t n) { return int64_t(random() % n); };
  range(1 + below(5));
  range(1 + below(5));
  SmallVector<Value> pool{atoms[0].first, atoms[1].first};
  Type indexType = builder.getIndexType();
  auto castOf = [&](Type type, std::vector<int64_t> values) {
    Value value = unknown(type, std::move(values));
    pool.push_back(CastOp::create(builder, loc(), indexType, value));
  };
  switch (below(4)) {
  case 0:
    castOf(builder.getI8Type(), {-128, -1, 0, 127});
    break;
  case 1:
    castOf(IntegerType::get(&context, 8, IntegerType::Unsigned), {0, 1, 255});
    break;
  case 2:
    castOf(builder.getI1Type(), {0, 1});
    break;
  default:
    castOf(builder.getI64Type(), {-1000000, 3});
    break;
  }
  for (int step = 0; step < 10; ++step) {
    Value x = pool[below(pool.size())], y = pool[below(pool.size())];
    Value c = number(below(9) - 4), d = number(1 + below(7));
    Value result;
    switch (below(10)) {
    case 0:
      result = AddOp::create(builder, loc(), x, y);
      break;
    case 1:
      result = SubOp::create(builder, loc(), x, y);
      break;
    case 2:
      result =
          MulOp::create(builder, loc(), below(2) ? x : c, below(2) ? y : c);
      break;
    case 3:
      result = NegOp::create(builder, loc(), x);
      break;
    case 4:
      result = FloorDivOp::create(builder, loc(), x, d);
      break;
    case 5:
      result = FloorModOp::create(builder, loc(), x, d);
      break;
    case 6:
      result = IDivOp::create(builder, loc(), x, d);
      break;
    case 7:
      result = ModOp::create(builder, loc(), x, d);
      break;
    case 8:
      result = MaxOp::create(builder, loc(), x, y);
      break;
    default:
      result = WhereOp::create(builder, loc(), indexType,
                               CmpLtOp::create(builder, loc(), x, c), x, y);
      break;
    }
    // Repeated products would soon overflow 64 bits.
    bool isSmall = true;
    for (int64_t p = 0, e = countPositions(); p < e; ++p)
      isSmall &= std::abs(evaluate(result, p)) < (int64_t(1) << 30);
    if (!isSmall)
      continue;
    checkAnalysis(result);
    if (HasFatalFailure())
      return;
    pool.push_back(result);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomOpsTest, testing::Range(0, 300));

TEST_F(IndexTest, ReshapesThatKeepAxesNeedNoDivision) {
  Value i = range(5), j = range(6), k = range(7);
  Value flat =
      index.add(index.add(index.mul(i, 42), index.mul(j, 7)), Value(k));
  EXPECT_EQ(index.floorDiv(flat, 42), i);
  EXPECT_EQ(index.floorMod(index.floorDiv(flat, 7), 6), j);
  EXPECT_EQ(index.floorMod(flat, 7), k);
  EXPECT_EQ(countOps("tg.floordiv"), 0);
  EXPECT_EQ(countOps("tg.floormod"), 0);
}

TEST_F(IndexTest, QuotientAndRemainderJoinAgain) {
  Value i = range(100);
  Value quotient = index.floorDiv(i, 7), remainder = index.floorMod(i, 7);
  EXPECT_EQ(index.add(index.mul(quotient, 7), remainder), i);
  EXPECT_EQ(index.add(index.mul(quotient, 21), index.mul(remainder, 3)),
            index.mul(i, 3));
  // A remainder of another number must not be combined to i.
  EXPECT_NE(index.add(index.mul(quotient, 8), remainder), i);
}

TEST_F(IndexTest, NegativeOffsetsRoundDown) {
  Value i = range(4);
  Value shifted = index.add(i, -3);
  EXPECT_EQ(countOps("tg.floordiv"), 0);
  Value quotient = index.floorDiv(shifted, 2),
        rest = index.floorMod(shifted, 2);
  int64_t quotients[] = {-2, -1, -1, 0}, rests[] = {1, 0, 1, 0};
  for (int64_t p = 0; p < 4; ++p) {
    EXPECT_EQ(evaluate(quotient, p), quotients[p]);
    EXPECT_EQ(evaluate(rest, p), rests[p]);
  }
}

TEST_F(IndexTest, MasksThatAlwaysHoldAreNull) {
  Value i = range(10);
  EXPECT_FALSE(index.atLeast(i, 0));
  EXPECT_FALSE(index.lessThan(i, 10));
  EXPECT_TRUE(index.atLeast(i, 1));
  EXPECT_TRUE(index.lessThan(i, 9));
  EXPECT_FALSE(index.conjunction(Value(), Value()));
  Value mask = index.lessThan(i, 9);
  EXPECT_EQ(index.conjunction(mask, Value()), mask);
  EXPECT_EQ(index.conjunction(Value(), mask), mask);
  EXPECT_EQ(index.conjunction(mask, mask), mask);
}

TEST_F(IndexTest, EqualExpressionsAreOneValue) {
  Value i = range(10), j = range(10);
  EXPECT_EQ(index.add(i, j), index.add(j, i));
  EXPECT_EQ(index.floorMod(index.add(i, j), 3),
            index.floorMod(index.add(j, i), 3));
  EXPECT_EQ(index.lessThan(index.add(i, 3), 5),
            index.lessThan(index.add(i, 3), 5));
}

TEST_F(IndexTest, NarrowedRangesNarrowWhatDependsOnThem) {
  Value i = range(10);
  Value quotient = FloorDivOp::create(builder, loc(), i, number(4));
  IndexAnalysis analysis;
  EXPECT_EQ(analysis.getInterval(quotient).hi, 2);
  analysis.setInterval(i, {0, 7});
  EXPECT_EQ(analysis.getInterval(quotient).hi, 1);
}

TEST_F(IndexTest, ConditionsBoundSums) {
  Value i = range(10), j = range(10);
  Value difference = SubOp::create(builder, loc(), j, i);
  Value quotient = FloorDivOp::create(builder, loc(), difference, number(4));
  IndexAnalysis analysis;
  EXPECT_EQ(analysis.getInterval(quotient).lo, -3);
  EXPECT_TRUE(analysis.assume(CmpLtOp::create(builder, loc(), i, j)));
  EXPECT_TRUE(analysis.getInterval(difference) == Interval(1, 9));
  EXPECT_TRUE(analysis.getInterval(quotient) == Interval(0, 2));
  EXPECT_EQ(analysis.getInterval(i).hi, 8);

  // Of unknown numbers the condition holds, but their difference may wrap.
  Type type = builder.getIndexType();
  Value x = unknown(type, {0}), y = unknown(type, {0});
  Value less = CmpLtOp::create(builder, loc(), x, y);
  Value gap = SubOp::create(builder, loc(), y, x);
  EXPECT_EQ(analysis.decide(less), std::nullopt);
  EXPECT_TRUE(analysis.assume(less));
  EXPECT_EQ(analysis.decide(less), true);
  EXPECT_TRUE(analysis.getInterval(gap) == Interval::getInt64());
  Value shifted = AddOp::create(builder, loc(), gap, number(5));
  EXPECT_TRUE(analysis.getInterval(shifted) == Interval::getInt64());
}

TEST_F(IndexTest, BoundsThatAreDimensionsCancel) {
  Dim size = variable(8);
  Value i = RangeOp::create(builder, loc(), 7, RangeKind::loop, size);
  Value rest = FloorModOp::create(builder, loc(), i, index.dim(size));
  IndexAnalysis analysis;
  // i - n*8 is negative, whatever n is.
  LinearForm form = analysis.getLinear(i);
  form.addConstant(size * Dim(&context, -1));
  EXPECT_EQ(analysis.getInterval(form).hi, -1);
  EXPECT_TRUE(analysis.isAtMost(analysis.getForm(rest), size));
  EXPECT_FALSE(
      analysis.isAtMost(analysis.getForm(rest), size - Dim(&context, 2)));
  EXPECT_EQ(analysis.getOnlyQuotient(analysis.getLinear(i), size), 0);
}

TEST_F(IndexTest, NumbersThatDoNotFit) {
  Value i = range(10);
  int64_t huge = std::numeric_limits<int64_t>::max();
  Value product = MulOp::create(builder, loc(),
                                MulOp::create(builder, loc(), i, number(huge)),
                                number(huge));
  Value sum = AddOp::create(builder, loc(), product, number(huge));
  IndexAnalysis analysis;
  // Arithmetic modulo 2^64: huge * huge is 1.
  EXPECT_EQ(analysis.getLinear(product).getCoefficient(i), 1);
  EXPECT_TRUE(analysis.getInterval(sum) == Interval::getInt64());
  // The quotient of an unknown product must not be simplified.
  Value quotient = index.floorDiv(
      index.floorDiv(unknown(builder.getIndexType(), {0}), huge / 2), 16);
  EXPECT_EQ(countOps("tg.floordiv"), 2);
  EXPECT_TRUE(quotient);
}

TEST_F(IndexTest, RangesOfValues) {
  Value i = range(4), k = range(8);
  Value both = index.add(i, k);
  auto load = LoadOp::create(
      builder, loc(),
      block.addArgument(MemRefType::get({64}, builder.getF32Type()), loc()),
      both);
  Value sum = RangedReduceOp::create(builder, loc(), ReduceKind::add, load,
                                     ValueRange{k});
  IndexAnalysis analysis;
  EXPECT_EQ(analysis.getRanges(load.getResult()).size(), 2u);
  ASSERT_EQ(analysis.getRanges(sum).size(), 1u);
  EXPECT_EQ(analysis.getRanges(sum)[0], i);
}

/// Chains of views with quotients and remainders of nested sums. Each value is
/// visited once, without recursion.
TEST_F(IndexTest, DeepExpressions) {
  Value i = range(64), j = range(48);
  Value a = i, b = j;
  for (int layer = 0; layer < 10000; ++layer) {
    // Reshape [48, 64] to [64, 48] after a transposition.
    Value flat = index.add(index.mul(b, 64), a);
    Value row = index.floorDiv(flat, 48), column = index.floorMod(flat, 48);
    a = row;
    b = column;
  }
  // A new analysis that starts at the last value.
  IndexAnalysis analysis;
  EXPECT_EQ(analysis.getInterval(a).lo, 0);
  EXPECT_LE(analysis.getInterval(a).hi, 63);
  EXPECT_EQ(analysis.getRanges(a).size(), 2u);

  Value sum = i;
  for (int k = 0; k < 100000; ++k)
    sum = AddOp::create(builder, loc(), sum, j);
  EXPECT_EQ(analysis.getLinear(sum).getCoefficient(j), 100000);
  EXPECT_EQ(analysis.getInterval(sum).hi, 63 + 47 * 100000);
}

} // namespace
