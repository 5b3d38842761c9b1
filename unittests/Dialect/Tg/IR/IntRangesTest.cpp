//===- IntRangesTest.cpp - inferred bounds of integers --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares inferred bounds with the results for all operands within bounds,
/// including negative operands and the limits of the type.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgConstantFold.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::tg;

namespace {

struct Case {
  std::string op, type;
};

class IntRangesTest : public testing::TestWithParam<Case> {
protected:
  IntRangesTest() : builder(&context) {
    context.loadDialect<TgDialect>();
    builder.setInsertionPointToEnd(&block);
  }

  Type getType(StringRef name) {
    if (name == "index")
      return builder.getIndexType();
    if (name == "ui8")
      return IntegerType::get(&context, 8, IntegerType::Unsigned);
    return builder.getIntegerType(name == "i1" ? 1 : 8);
  }

  ConstantIntRanges getRange(Type type, int64_t lo, int64_t hi) {
    unsigned width = ConstantIntRanges::getStorageBitwidth(type);
    bool hasSign = type.isIndex() || isSignedInteger(type);
    return ConstantIntRanges::range(
        APInt(width, lo, hasSign, /*implicitTrunc=*/true),
        APInt(width, hi, hasSign, /*implicitTrunc=*/true), hasSign);
  }

  ConstantIntRanges infer(Operation *op, ArrayRef<ConstantIntRanges> operands) {
    std::optional<ConstantIntRanges> result;
    cast<InferIntRangeInterface>(op).inferResultRanges(
        operands,
        [&](Value, const ConstantIntRanges &range) { result = range; });
    EXPECT_TRUE(result.has_value());
    return *result;
  }

  APInt evaluate(Operation *op, Type type, int64_t x, int64_t y) {
    unsigned width = ConstantIntRanges::getStorageBitwidth(type);
    auto attr = [&](int64_t value) -> Attribute {
      return IntegerAttr::get(
          type, APInt(width, value, true, /*implicitTrunc=*/true));
    };
    SmallVector<Attribute> operands{attr(x)};
    if (op->getNumOperands() == 2)
      operands.push_back(attr(y));
    return cast<IntegerAttr>(evaluateScalar(op, operands)).getValue();
  }

  MLIRContext context;
  Block block;
  OpBuilder builder;
};

class TightIntRangesTest : public IntRangesTest {};

TEST_P(IntRangesTest, HoldsForAllOperands) {
  auto [name, typeName] = GetParam();
  Type type = getType(typeName);
  bool isUnary = name == "neg" || name == "cast";
  bool isCompare = StringRef(name).starts_with("cmp");
  Location loc = builder.getUnknownLoc();
  SmallVector<Value> operands{block.addArgument(type, loc)};
  if (!isUnary)
    operands.push_back(block.addArgument(type, loc));
  Type resultType = isCompare ? builder.getI1Type() : type;
  if (name == "cast") // to a narrower type
    resultType = builder.getIntegerType(8);
  OperationState state(loc, "tg." + name, operands, resultType);
  Operation *op = builder.create(state);

  std::vector<int64_t> ends{-6, -3, -2, -1, 0, 1, 2, 5, 7};
  if (typeName == "ui8")
    ends = {0, 1, 2, 3, 5, 8, 254, 255};
  else if (typeName == "i1")
    ends = {0, 1};
  else if (typeName == "i8")
    ends.insert(ends.end(), {-128, -127, 126, 127});
  llvm::sort(ends);

  // Wide ranges are tested only near their ends.
  auto isLooked = [&](int64_t value, int64_t lo, int64_t hi) {
    return value - lo < 8 || hi - value < 8;
  };
  for (int64_t a : ends)
    for (int64_t b : ends)
      for (int64_t c : isUnary ? std::vector<int64_t>{0} : ends)
        for (int64_t d : isUnary ? std::vector<int64_t>{0} : ends) {
          if (a > b || c > d)
            continue;
          SmallVector<ConstantIntRanges> ranges{getRange(type, a, b)};
          if (!isUnary)
            ranges.push_back(getRange(type, c, d));
          ConstantIntRanges range = infer(op, ranges);
          bool isSigned = resultType.isIndex() || isSignedInteger(resultType);
          for (int64_t x = a; x <= b; ++x)
            for (int64_t y = c; y <= d; ++y) {
              if (!isLooked(x, a, b) || !isLooked(y, c, d))
                continue;
              APInt value = evaluate(op, type, x, y);
              bool isWithin =
                  isSigned ? value.sge(range.smin()) && value.sle(range.smax())
                           : value.uge(range.umin()) && value.ule(range.umax());
              ASSERT_TRUE(isWithin)
                  << x << " " << name << " " << y << " for [" << a << ", " << b
                  << "] and [" << c << ", " << d << "]";
            }
        }
}

/// For small numbers, bounds are exact. (Those of remainders only for some
/// operands.)
TEST_P(TightIntRangesTest, IsTightForSmallOperands) {
  auto [name, typeName] = GetParam();
  Type type = getType(typeName);
  bool isUnary = name == "neg";
  bool isCompare = StringRef(name).starts_with("cmp");
  Location loc = builder.getUnknownLoc();
  SmallVector<Value> operands{block.addArgument(type, loc)};
  if (!isUnary)
    operands.push_back(block.addArgument(type, loc));
  OperationState state(loc, "tg." + name, operands,
                       isCompare ? Type(builder.getI1Type()) : type);
  Operation *op = builder.create(state);
  for (int64_t a = -5; a <= 5; ++a)
    for (int64_t b = a; b <= 5; ++b)
      for (int64_t c = -4; c <= 4; ++c)
        for (int64_t d = c; d <= 4; ++d) {
          SmallVector<ConstantIntRanges> ranges{getRange(type, a, b)};
          if (!isUnary)
            ranges.push_back(getRange(type, c, d));
          ConstantIntRanges range = infer(op, ranges);
          int64_t least = INT64_MAX, most = INT64_MIN;
          for (int64_t x = a; x <= b; ++x)
            for (int64_t y = c; y <= d; ++y) {
              APInt value = evaluate(op, type, x, y);
              int64_t number = isCompare ? int64_t(value.getZExtValue())
                                         : value.getSExtValue();
              least = std::min(least, number);
              most = std::max(most, number);
            }
          int64_t lo = isCompare ? int64_t(range.umin().getZExtValue())
                                 : range.smin().getSExtValue();
          int64_t hi = isCompare ? int64_t(range.umax().getZExtValue())
                                 : range.smax().getSExtValue();
          ASSERT_EQ(lo, least) << name << " [" << a << ", " << b << "] and ["
                               << c << ", " << d << "]";
          ASSERT_EQ(hi, most) << name << " [" << a << ", " << b << "] and ["
                              << c << ", " << d << "]";
        }
}

std::vector<Case> getCases() {
  std::vector<Case> cases;
  for (const char *type : {"index", "i8", "ui8"})
    for (const char *op : {"add", "sub", "mul", "neg", "floordiv", "floormod",
                           "idiv", "mod", "max", "cmplt", "cmpeq", "cmpne"})
      cases.push_back({op, type});
  for (const char *op : {"add", "mul", "max", "and", "or", "xor", "cmplt",
                         "cmpeq", "cmpne", "cast"})
    cases.push_back({op, "i1"});
  cases.push_back({"cast", "index"});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Operations, IntRangesTest,
                         testing::ValuesIn(getCases()), [](const auto &info) {
                           return info.param.op + "_" + info.param.type;
                         });

std::vector<Case> getTightCases() {
  std::vector<Case> cases;
  for (const char *op : {"add", "sub", "mul", "neg", "floordiv", "idiv", "max",
                         "cmplt", "cmpeq", "cmpne"})
    cases.push_back({op, "index"});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Operations, TightIntRangesTest,
                         testing::ValuesIn(getTightCases()),
                         [](const auto &info) { return info.param.op; });

TEST(IntRangesOfSizesTest, RangesAndDimensions) {
  MLIRContext context;
  context.loadDialect<TgDialect>();
  OpBuilder builder(&context);
  Block block;
  builder.setInsertionPointToEnd(&block);
  Location loc = builder.getUnknownLoc();
  auto var = VarAttr::get(&context, builder.getStringAttr("n"), 2, 9);
  Dim n(var);
  auto check = [&](Operation *op, int64_t lo, int64_t hi) {
    cast<InferIntRangeInterface>(op).inferResultRanges(
        {}, [&](Value, const ConstantIntRanges &range) {
          EXPECT_EQ(range.smin().getSExtValue(), lo);
          EXPECT_EQ(range.smax().getSExtValue(), hi);
        });
  };
  Type index = builder.getIndexType();
  check(DimOp::create(builder, loc, index, (n * n + n).getAttr()), 6, 90);
  check(RangeOp::create(builder, loc, index, 0, RangeKind::loop,
                        (n * Dim(&context, 4)).getAttr(), 0),
        0, 35);
  check(RangeOp::create(builder, loc, 1, RangeKind::loop, 0), 0, 0);
  check(ConstOp::create(builder, loc, index, -7), -7, -7);
}

} // namespace
