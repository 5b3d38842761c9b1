//===- FoldTest.cpp - constant folding against the interpreter ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Folds every elementwise operation on all pairs of special values, and casts
/// between all types, and compares with the reference interpreter.
///
//===----------------------------------------------------------------------===//

#include "RandomGraph.h"
#include "TinyGrad/Dialect/Tg/IR/TgConstantFold.h"
#include "TinyGrad/Interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tg;

namespace {

class FoldTest : public ::testing::Test {
protected:
  FoldTest() : builder(&context) {
    context.loadDialect<TgDialect, func::FuncDialect>();
    loc = builder.getUnknownLoc();
    module = ModuleOp::create(loc);
    builder.setInsertionPointToStart(module->getBody());
  }

  /// Builds operation `name` on dense constants, folds it and interprets it.
  void compare(StringRef name, ArrayRef<DenseElementsAttr> operands,
               Type resultElement) {
    SmallVector<Value> values;
    SmallVector<Attribute> attrs;
    SmallVector<HostTensor> tensors;
    for (DenseElementsAttr operand : operands) {
      values.push_back(ConstOp::create(builder, loc, operand.getType(),
                                       cast<TypedAttr>(operand)));
      attrs.push_back(operand);
      tensors.push_back(*makeHostTensor(
          loc, cast<RankedTensorType>(operand.getType()), operand));
    }
    Type type = cast<ShapedType>(operands[0].getType()).clone(resultElement);
    Operation *op = builder.create(loc, builder.getStringAttr(name), values,
                                   TypeRange(type));
    Attribute folded = foldElementwise(op, attrs);
    ASSERT_TRUE(folded) << name.str();
    if (isSplat(folded))
      folded = DenseElementsAttr::get(cast<ShapedType>(type), folded);
    FailureOr<HostTensor> expected =
        interpretOp(op, llvm::map_to_vector(tensors, [](HostTensor &tensor) {
                      return const_cast<const HostTensor *>(&tensor);
                    }));
    ASSERT_TRUE(succeeded(expected)) << name.str();
    HostTensor actual = *makeHostTensor(loc, cast<RankedTensorType>(type),
                                        cast<TypedAttr>(folded));
    auto rule = isa<MaxOp>(op) ? ZeroSigns::same : ZeroSigns::different;
    EXPECT_EQ(findDifference(actual, *expected, rule), "")
        << name.str() << " on " << debug(operands);
  }

  static std::string debug(ArrayRef<DenseElementsAttr> operands) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(operands, os);
    return text;
  }

  /// All pairs of `values`, as two lists of equal length.
  std::pair<SmallVector<Attribute>, SmallVector<Attribute>>
  getPairs(ArrayRef<Attribute> values) {
    std::pair<SmallVector<Attribute>, SmallVector<Attribute>> pairs;
    for (Attribute a : values)
      for (Attribute b : values) {
        pairs.first.push_back(a);
        pairs.second.push_back(b);
      }
    return pairs;
  }

  DenseElementsAttr getDense(Type type, ArrayRef<Attribute> values) {
    return DenseElementsAttr::get(
        RankedTensorType::get({static_cast<int64_t>(values.size())}, type),
        values);
  }

  /// Applies the operations to all pairs of special values of the type.
  void compareAll(Type type, ArrayRef<StringRef> unary,
                  ArrayRef<StringRef> binary, ArrayRef<StringRef> compares) {
    SmallVector<Attribute> values = getInterestingValues(type);
    auto [a, b] = getPairs(values);
    ASSERT_LE(static_cast<int64_t>(a.size()), kMaxFoldedElements);
    DenseElementsAttr x = getDense(type, values), lhs = getDense(type, a),
                      rhs = getDense(type, b);
    for (StringRef name : unary)
      compare(name, {x}, type);
    for (StringRef name : binary)
      compare(name, {lhs, rhs}, type);
    for (StringRef name : compares)
      compare(name, {lhs, rhs}, builder.getI1Type());
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module;
};

TEST_F(FoldTest, Floats) {
  for (Type type : getFloatTypes(&context))
    compareAll(type,
               {"tg.neg", "tg.recip", "tg.sqrt", "tg.exp2", "tg.exp",
                "tg.expm1", "tg.log2", "tg.log", "tg.log1p", "tg.sin", "tg.cos",
                "tg.tan", "tg.asin", "tg.acos", "tg.atan", "tg.tanh", "tg.erf",
                "tg.trunc"},
               {"tg.add", "tg.sub", "tg.mul", "tg.fdiv", "tg.max", "tg.pow"},
               {"tg.cmplt", "tg.cmpeq", "tg.cmpne"});
}

TEST_F(FoldTest, Integers) {
  for (Type type : getIntegerTypes(&context))
    compareAll(type, {"tg.neg"},
               {"tg.add", "tg.sub", "tg.mul", "tg.idiv", "tg.floordiv",
                "tg.mod", "tg.floormod", "tg.max", "tg.and", "tg.or", "tg.xor",
                "tg.shl", "tg.shr"},
               {"tg.cmplt", "tg.cmpeq", "tg.cmpne"});
}

TEST_F(FoldTest, Bool) {
  compareAll(builder.getI1Type(), {},
             {"tg.add", "tg.mul", "tg.max", "tg.and", "tg.or", "tg.xor"},
             {"tg.cmplt", "tg.cmpeq", "tg.cmpne"});
}

TEST_F(FoldTest, Threefry) {
  Type type = IntegerType::get(&context, 64, IntegerType::Unsigned);
  compareAll(type, {}, {"tg.threefry"}, {});
}

TEST_F(FoldTest, MulAcc) {
  SmallVector<Type> types = getFloatTypes(&context);
  llvm::append_range(types, getIntegerTypes(&context));
  for (Type type : types) {
    auto [a, b] = getPairs(getInterestingValues(type));
    for (Attribute c : getInterestingValues(type))
      compare("tg.mulacc",
              {getDense(type, a), getDense(type, b),
               getDense(type, SmallVector<Attribute>(a.size(), c))},
              type);
  }
}

TEST_F(FoldTest, Casts) {
  SmallVector<Type> types = getFloatTypes(&context);
  llvm::append_range(types, getIntegerTypes(&context));
  llvm::append_range(types, getFp8Types(&context));
  types.push_back(builder.getI1Type());
  for (Type from : types)
    for (Type to : types)
      compare("tg.cast", {getDense(from, getInterestingValues(from))}, to);
}

TEST_F(FoldTest, Bitcasts) {
  SmallVector<Type> types = getFloatTypes(&context);
  llvm::append_range(types, getIntegerTypes(&context));
  llvm::append_range(types, getFp8Types(&context));
  for (Type from : types)
    for (Type to : types)
      if (from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth())
        compare("tg.bitcast", {getDense(from, getInterestingValues(from))}, to);
}

/// Casting losslessly and back changes no value.
TEST_F(FoldTest, LosslessCasts) {
  SmallVector<Type> types = getFloatTypes(&context);
  llvm::append_range(types, getIntegerTypes(&context));
  llvm::append_range(types, getFp8Types(&context));
  types.push_back(builder.getI1Type());
  for (Type from : types)
    for (Type to : types) {
      if (!isLosslessCast(from, to))
        continue;
      for (Attribute value : getInterestingValues(from)) {
        Value x = ConstOp::create(builder, loc, from, cast<TypedAttr>(value));
        Value there = CastOp::create(builder, loc, to, x);
        auto back = CastOp::create(builder, loc, from, there);
        Attribute result =
            evaluateScalar(back, evaluateScalar(there.getDefiningOp(), value));
        auto number = dyn_cast<FloatAttr>(value);
        if (number && number.getValue().isNaN())
          EXPECT_TRUE(cast<FloatAttr>(result).getValue().isNaN());
        else
          EXPECT_EQ(value, result) << debugType(from) << debugType(to);
      }
    }
}

/// Omitting a cast that is reported as redundant changes no value.
TEST_F(FoldTest, RedundantCasts) {
  SmallVector<Type> types = getFloatTypes(&context);
  llvm::append_range(types, getIntegerTypes(&context));
  llvm::append_range(types, getFp8Types(&context));
  types.push_back(builder.getI1Type());
  int checked = 0;
  for (Type a : types)
    for (Type b : types)
      for (Type c : types) {
        if (!isCastThroughRedundant(a, b, c))
          continue;
        ++checked;
        for (Attribute value : getInterestingValues(a)) {
          Value x = ConstOp::create(builder, loc, a, cast<TypedAttr>(value));
          auto inner = CastOp::create(builder, loc, b, x);
          auto outer = CastOp::create(builder, loc, c, inner);
          auto direct = CastOp::create(builder, loc, c, x);
          EXPECT_EQ(evaluateScalar(outer, evaluateScalar(inner, value)),
                    evaluateScalar(direct, value))
              << debugType(a) << debugType(b) << debugType(c);
        }
        module->getBody()->clear();
        builder.setInsertionPointToStart(module->getBody());
      }
  EXPECT_GT(checked, 500);
}

} // namespace
