//===- CreateTest.cpp - operations created with checks --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// createChecked() creates what the builders create, and emits an error where
/// they end the process or create what does not verify.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgCreate.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringExtras.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <string>
#include <vector>

using namespace mlir;
using namespace mlir::tg;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {
struct Listener : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    inserted.push_back(op->getName().getStringRef().str());
  }
  std::vector<std::string> inserted;
};

class Create : public ::testing::Test {
protected:
  Create()
      : context(MLIRContext::Threading::DISABLED), builder(&context, &listener),
        handler(&context, [this](Diagnostic &diagnostic) {
          auto file = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
          EXPECT_TRUE(file && file.getLine() == 3);
          errors.push_back(diagnostic.str());
        }) {
    context.loadDialect<TgDialect, func::FuncDialect>();
    location = FileLineColLoc::get(&context, "host.src", 3, 1);
    f32 = builder.getF32Type();
    module = ModuleOp::create(location);
    builder.setInsertionPointToEnd(module->getBody());
    Type matrix = RankedTensorType::get({2, 4}, f32);
    auto func = func::FuncOp::create(
        builder, location, "f",
        builder.getFunctionType({matrix, f32, MemRefType::get({8}, f32),
                                 builder.getIndexType(),
                                 RankedTensorType::get({4, 2}, f32)},
                                {}));
    block = func.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    x = func.getArgument(0);
    scalar = func.getArgument(1);
    buffer = func.getArgument(2);
    index = func.getArgument(3);
    turned = func.getArgument(4);
    listener.inserted.clear();
  }

  template <typename OpTy, typename... Args> Type typeOf(Args &&...args) {
    FailureOr<OpTy> op =
        createChecked<OpTy>(builder, location, std::forward<Args>(args)...);
    EXPECT_TRUE(succeeded(op));
    EXPECT_THAT(errors, ElementsAre());
    return succeeded(op) ? op->getResult().getType() : Type();
  }

  /// The errors of an operation that cannot be created.
  template <typename OpTy, typename... Args>
  std::string errorOf(Args &&...args) {
    const size_t before = block->getOperations().size();
    FailureOr<OpTy> op =
        createChecked<OpTy>(builder, location, std::forward<Args>(args)...);
    EXPECT_TRUE(failed(op));
    EXPECT_EQ(block->getOperations().size(), before);
    std::string error = llvm::join(errors, "; ");
    EXPECT_NE(error, "");
    errors.clear();
    return error;
  }

  Type tensor(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, f32);
  }

  MLIRContext context;
  Listener listener;
  OpBuilder builder;
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  LocationAttr location = UnknownLoc::get(&context);
  Type f32;
  Block *block = nullptr;
  Value x, scalar, buffer, index, turned;
};
} // namespace

TEST_F(Create, WhatBuildersCreate) {
  const int64_t low[] = {1, 0}, high[] = {0, 2}, axes[] = {1};
  const int64_t order[] = {1, 0};
  EXPECT_EQ(typeOf<AddOp>(x, x), x.getType());
  EXPECT_EQ(typeOf<NegOp>(scalar), f32);
  EXPECT_EQ(typeOf<CmpLtOp>(x, x),
            RankedTensorType::get({2, 4}, builder.getI1Type()));
  EXPECT_EQ(typeOf<ReduceOp>(ReduceKind::add, x, axes), tensor({2, 1}));
  EXPECT_EQ(typeOf<PermuteOp>(x, order), turned.getType());
  EXPECT_EQ(typeOf<PadOp>(x, low, high), tensor({3, 6}));
  EXPECT_EQ(typeOf<PadOp>(x, builder.getI64ArrayAttr(low),
                          builder.getI64ArrayAttr(high)),
            tensor({3, 6}));
  EXPECT_EQ(typeOf<ShrinkOp>(x, low, ArrayRef<int64_t>({2, 4})),
            tensor({1, 4}));
  EXPECT_EQ(typeOf<LoadOp>(buffer, index), f32);
  // With types.
  EXPECT_EQ(typeOf<ReduceOp>(tensor({2, 1}), ReduceKind::add, x, axes),
            tensor({2, 1}));
  EXPECT_EQ(typeOf<CastOp>(builder.getF64Type(), scalar), builder.getF64Type());
  EXPECT_EQ(typeOf<ReshapeOp>(tensor({8}), x), tensor({8}));
  EXPECT_EQ(typeOf<ConstOp>(f32, int64_t(1)), f32);
  EXPECT_EQ(listener.inserted.size(), 13u);
  EXPECT_EQ(listener.inserted.front(), "tg.add");
}

TEST_F(Create, TypesThatCannotBeInferred) {
  const int64_t two[] = {2}, one[] = {1};
  EXPECT_THAT(errorOf<ReduceOp>(ReduceKind::add, x, two),
              HasSubstr("'tg.reduce' op axis 2"));
  EXPECT_THAT(errorOf<ReduceOp>(ReduceKind::add, x, ArrayRef<int64_t>({-1})),
              HasSubstr("'tg.reduce' op axis -1"));
  EXPECT_THAT(errorOf<PermuteOp>(x, ArrayRef<int64_t>({0, 0})),
              HasSubstr("is not a permutation of the axes"));
  EXPECT_THAT(errorOf<PadOp>(x, one, one), HasSubstr("'tg.pad' op"));
  EXPECT_THAT(
      errorOf<PadOp>(x, ArrayRef<int64_t>({0, -1}), ArrayRef<int64_t>({0, 0})),
      HasSubstr("axis 1 has a negative amount: -1 and 0 (C1)"));
  EXPECT_THAT(errorOf<ShrinkOp>(x, ArrayRef<int64_t>({0, 0}),
                                ArrayRef<int64_t>({2, 5})),
              HasSubstr("axis 1 of size 4 has no part from 0 to 5 (C1)"));
  EXPECT_THAT(listener.inserted, ElementsAre());
}

/// Operands of a kind from which no type follows.
TEST_F(Create, WrongOperands) {
  const int64_t axes[] = {0}, zeros[] = {0};
  EXPECT_EQ(errorOf<ReduceOp>(ReduceKind::add, scalar, axes),
            "'tg.reduce' op takes a ranked tensor, not 'f32'");
  EXPECT_EQ(errorOf<PermuteOp>(scalar, axes),
            "'tg.permute' op takes a ranked tensor, not 'f32'");
  EXPECT_EQ(errorOf<PadOp>(scalar, zeros, zeros),
            "'tg.pad' op takes a ranked tensor, not 'f32'");
  EXPECT_EQ(errorOf<ShrinkOp>(scalar, zeros, zeros),
            "'tg.shrink' op takes a ranked tensor, not 'f32'");
  EXPECT_THAT(errorOf<LoadOp>(scalar, index),
              HasSubstr("'tg.load' op operand #0 must be"));
}

/// Types can be inferred, but the operation does not verify.
TEST_F(Create, OperationsThatDoNotVerify) {
  EXPECT_THAT(errorOf<AddOp>(x, turned), HasSubstr("must have the same shape"));
  EXPECT_THAT(errorOf<AndOp>(x, x), HasSubstr("'tg.and' op operand #0"));
  EXPECT_THAT(errorOf<ReshapeOp>(tensor({7}), x), HasSubstr("'tg.reshape' op"));
  EXPECT_THAT(errorOf<ReduceOp>(tensor({2, 4}), ReduceKind::add, x,
                                ArrayRef<int64_t>({1})),
              HasSubstr("'tg.reduce' op"));
  EXPECT_THAT(listener.inserted, ElementsAre());
}

TEST_F(Create, DialectIsNotLoaded) {
  MLIRContext empty(MLIRContext::Threading::DISABLED);
  OpBuilder other(&empty);
  std::string text;
  ScopedDiagnosticHandler own(
      &empty, [&](Diagnostic &diagnostic) { text = diagnostic.str(); });
  EXPECT_TRUE(failed(createChecked<ConstOp>(other, UnknownLoc::get(&empty),
                                            other.getF32Type(), int64_t(1))));
  EXPECT_EQ(text, "'tg.const' cannot be created: its dialect is not loaded");
}
