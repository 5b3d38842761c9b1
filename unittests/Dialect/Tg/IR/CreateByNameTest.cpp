//===- CreateByNameTest.cpp - operations created by name ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// createChecked() with a name creates what is right, and emits an error for
/// everything else: no combination of operands and attributes ends the process.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgCreate.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <string>
#include <vector>

using namespace mlir;
using namespace mlir::tg;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {
class CreateByName : public ::testing::Test {
protected:
  CreateByName()
      : context(MLIRContext::Threading::DISABLED), builder(&context),
        handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            errors.push_back(diagnostic.str());
        }) {
    context.loadDialect<TgDialect, func::FuncDialect>();
    Type f32 = builder.getF32Type();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    func = func::FuncOp::create(
        builder, builder.getUnknownLoc(), "f",
        builder.getFunctionType(
            {tensor({2, 4}), f32, MemRefType::get({8}, f32),
             builder.getIndexType(), tensor({4, 2}), builder.getI1Type(),
             RankedTensorType::get({2, 4}, builder.getI32Type()), tensor({}),
             RankedTensorType::get({ShapedType::kDynamic}, f32),
             UnrankedTensorType::get(f32), VectorType::get({4}, f32),
             builder.getNoneType()},
            {}));
    block = func.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    x = func.getArgument(0);
  }

  Type tensor(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF32Type());
  }
  NamedAttribute attr(StringRef name, Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  FailureOr<Operation *> create(StringRef name, ValueRange operands,
                                ArrayRef<NamedAttribute> attributes = {},
                                TypeRange results = {}) {
    return createChecked(builder, builder.getUnknownLoc(), name, operands,
                         attributes, results);
  }
  /// The type of the result of an operation that can be created.
  Type typeOf(StringRef name, ValueRange operands,
              ArrayRef<NamedAttribute> attributes = {},
              TypeRange results = {}) {
    FailureOr<Operation *> op = create(name, operands, attributes, results);
    EXPECT_EQ(takeErrors(), "");
    return succeeded(op) ? (*op)->getResult(0).getType() : Type();
  }
  /// The errors of one that cannot.
  std::string errorOf(StringRef name, ValueRange operands,
                      ArrayRef<NamedAttribute> attributes = {},
                      TypeRange results = {}) {
    const size_t before = block->getOperations().size();
    EXPECT_TRUE(failed(create(name, operands, attributes, results)));
    EXPECT_EQ(block->getOperations().size(), before);
    return takeErrors();
  }
  std::string takeErrors() {
    std::string text = llvm::join(errors, "; ");
    errors.clear();
    return text;
  }

  MLIRContext context;
  OpBuilder builder;
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  func::FuncOp func;
  Block *block = nullptr;
  Value x;
};
} // namespace

TEST_F(CreateByName, Creates) {
  Attribute add = ReduceKindAttr::get(&context, ReduceKind::add);
  Attribute axes = builder.getDenseI64ArrayAttr({1});
  EXPECT_EQ(typeOf("tg.add", {x, x}), x.getType());
  EXPECT_EQ(typeOf("tg.neg", x), x.getType());
  EXPECT_EQ(typeOf("tg.cmplt", {x, x}),
            RankedTensorType::get({2, 4}, builder.getI1Type()));
  EXPECT_EQ(typeOf("tg.reduce", x, {attr("kind", add), attr("axes", axes)}),
            tensor({2, 1}));
  EXPECT_EQ(typeOf("tg.permute", x,
                   attr("order", builder.getDenseI64ArrayAttr({1, 0}))),
            tensor({4, 2}));
  EXPECT_EQ(typeOf("tg.pad", x,
                   {attr("low", builder.getI64ArrayAttr({1, 0})),
                    attr("high", builder.getI64ArrayAttr({0, 2}))}),
            tensor({3, 6}));
  EXPECT_EQ(typeOf("tg.reshape", x, {}, tensor({8})), tensor({8}));
  EXPECT_EQ(typeOf("tg.const", {}, attr("value", builder.getF32FloatAttr(2)),
                   tensor({3})),
            tensor({3}));
  // The attribute of another dialect stays.
  FailureOr<Operation *> noted =
      create("tg.neg", x, attr("host.note", builder.getI64IntegerAttr(3)));
  ASSERT_TRUE(succeeded(noted));
  EXPECT_EQ((*noted)->getDiscardableAttr("host.note"),
            builder.getI64IntegerAttr(3));
  // Without a place, it is the caller's.
  builder.clearInsertionPoint();
  FailureOr<Operation *> loose = create("tg.neg", x);
  ASSERT_TRUE(succeeded(loose));
  EXPECT_EQ((*loose)->getBlock(), nullptr);
  (*loose)->destroy();
}

TEST_F(CreateByName, Errors) {
  Attribute add = ReduceKindAttr::get(&context, ReduceKind::add);
  Attribute axes = builder.getDenseI64ArrayAttr({2});
  EXPECT_EQ(errorOf("tg.divide", {x, x}),
            "'tg.divide' is unknown; use 'tg.fdiv' of floats, and of integers "
            "'tg.idiv', which rounds toward zero, or 'tg.floordiv'");
  EXPECT_EQ(errorOf("tg.redduce", x),
            "'tg.redduce' is unknown; did you mean 'tg.reduce'?");
  for (StringRef name : {"func.return", "add", "tg", "tg.", ""})
    EXPECT_THAT(errorOf(name, {}),
                HasSubstr("is no operation of the dialect, whose names begin "
                          "with 'tg.'"));
  EXPECT_THAT(errorOf("tg.kernel", {}), HasSubstr("has regions"));
  EXPECT_EQ(errorOf("tg.reshape", x),
            "'tg.reshape' needs the types of its results, which do not follow "
            "from its operands");
  EXPECT_THAT(errorOf("tg.reshape", x, {}, tensor({7})),
              HasSubstr("'tg.reshape' op"));
  EXPECT_THAT(errorOf("tg.add", x), HasSubstr("expected 2 operands"));
  EXPECT_THAT(errorOf("tg.add", {x, func.getArgument(4)}),
              StartsWith("'tg.add' op"));
  EXPECT_THAT(errorOf("tg.reduce", func.getArgument(1),
                      {attr("kind", add), attr("axes", axes)}),
              HasSubstr("'tg.reduce' op operand #0 must be"));
  EXPECT_THAT(errorOf("tg.reduce", x, attr("kind", add)),
              HasSubstr("requires attribute 'axes'"));
  EXPECT_THAT(errorOf("tg.reduce", x, {attr("kind", add), attr("axes", axes)}),
              HasSubstr("'tg.reduce' op axis 2 is out of range for rank 2"));
  EXPECT_THAT(errorOf("tg.reduce", x, attr("kind", axes)),
              StartsWith("'tg.reduce': Invalid attribute `kind`"));
  EXPECT_EQ(errorOf("tg.reduce", x, attr("axis", axes)),
            "'tg.reduce' has no attribute 'axis'; it has 'axes', 'kind'");
  EXPECT_EQ(errorOf("tg.neg", x, attr("axis", axes)),
            "'tg.neg' has no attribute 'axis', nor others");
  EXPECT_EQ(errorOf("tg.reduce", x, {attr("axes", axes), attr("axes", axes)}),
            "'tg.reduce' is given the attribute 'axes' twice");
  EXPECT_THAT(errorOf("tg.neg", x, {}, {x.getType(), x.getType()}),
              HasSubstr("requires one result"));
}

// Whatever is combined, either an operation that verifies comes out, or an
// error, and nothing was inserted.
TEST_F(CreateByName, AnyOperandsAndAttributes) {
  Type f32 = builder.getF32Type();
  SmallVector<Attribute> values = {
      builder.getUnitAttr(),
      builder.getI64IntegerAttr(-1),
      builder.getI32IntegerAttr(1),
      builder.getF32FloatAttr(1),
      builder.getStringAttr("add"),
      builder.getDenseI64ArrayAttr({}),
      builder.getDenseI64ArrayAttr({0, 1}),
      builder.getDenseI64ArrayAttr({7}),
      builder.getI64ArrayAttr({0, 0}),
      builder.getI64ArrayAttr({-1}),
      builder.getArrayAttr({builder.getUnitAttr()}),
      builder.getI64ArrayAttr({INT64_MAX, INT64_MAX}),
      TypeAttr::get(f32),
      ReduceKindAttr::get(&context, ReduceKind::add),
      ScanKindAttr::get(&context, ScanKind::add),
      DenseElementsAttr::get(cast<ShapedType>(tensor({2})), 1.0f),
      FlatSymbolRefAttr::get(&context, "f")};
  SmallVector<SmallVector<Value>> operands = {{}};
  for (Value a : func.getArguments()) {
    operands.push_back({a});
    operands.push_back({a, a, a});
    for (Value b : func.getArguments())
      operands.push_back({a, b});
  }
  operands.push_back({func.getArgument(5), x, x});
  unsigned created = 0, refused = 0;
  auto attempt = [&](StringRef name, ValueRange list,
                     ArrayRef<NamedAttribute> attributes, TypeRange results) {
    const size_t before = block->getOperations().size();
    FailureOr<Operation *> op = create(name, list, attributes, results);
    const std::string text = takeErrors();
    if (succeeded(op)) {
      ++created;
      EXPECT_EQ(text, "") << name.str();
      EXPECT_TRUE(succeeded(verify(*op))) << name.str();
      (*op)->erase();
    } else {
      ++refused;
      EXPECT_NE(text, "") << name.str();
    }
    EXPECT_EQ(block->getOperations().size(), before) << name.str();
  };
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    if (op.getDialectNamespace() != "tg")
      continue;
    const StringRef name = op.getStringRef();
    for (const SmallVector<Value> &list : operands) {
      attempt(name, list, {}, {});
      attempt(name, list, {}, x.getType());
      // Few operands with every value of one attribute, and of all.
      if (list.size() > 1 && (list.size() > 2 || list[0] != list[1]))
        continue;
      for (Attribute value : values) {
        SmallVector<NamedAttribute> all;
        for (StringAttr key : op.getAttributeNames()) {
          all.push_back({key, value});
          attempt(name, list, all.back(), {});
          // Beside a kind that is right.
          if (key != "kind")
            for (Attribute kind : {values[13], values[14]})
              attempt(name, list, {attr("kind", kind), {key, value}}, {});
        }
        attempt(name, list, all, {});
        attempt(name, list, all, x.getType());
      }
    }
  }
  EXPECT_GT(created, 500u);
  EXPECT_GT(refused, 10000u);
}
