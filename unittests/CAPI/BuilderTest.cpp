//===- BuilderTest.cpp - graphs that are built from C ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds a graph with each function of `Builder.h`, and makes the mistakes
/// that C allows.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad-c/Builder.h"
#include "CContext.h"
#include "mlir-c/BuiltinAttributes.h"

#include <gmock/gmock.h>

#include <limits>

using namespace tinygrad::test;
using ::testing::HasSubstr;

namespace {

class CBuilder : public CContext {
protected:
  CBuilder()
      : f32(mlirF32TypeGet(context)), module(mlirModuleCreateEmpty(location)),
        builder(mlirTgBuilderCreate(location)) {}
  ~CBuilder() override {
    mlirTgBuilderDestroy(builder);
    mlirModuleDestroy(module);
  }

  MlirType tensor(std::initializer_list<int64_t> shape) {
    return mlirRankedTensorTypeGet(intptr_t(shape.size()), shape.begin(), f32,
                                   mlirAttributeGetNull());
  }
  MlirValue begin(std::initializer_list<MlirType> types) {
    MlirOperation function = mlirTgBuilderBeginFunction(
        builder, module, text("main"), intptr_t(types.size()), types.begin());
    EXPECT_FALSE(mlirOperationIsNull(function)) << takeErrors();
    return mlirTgBuilderGetArgument(builder, 0);
  }
  std::string typeOf(MlirValue value) {
    EXPECT_EQ(takeErrors(), "");
    return mlirValueIsNull(value) ? "null" : str(mlirValueGetType(value));
  }
  /// The error of a call that has to return null.
  std::string errorOf(MlirValue value) {
    EXPECT_TRUE(mlirValueIsNull(value));
    return takeErrors();
  }

  MlirType f32;
  MlirModule module;
  MlirTgBuilder builder;
};

TEST_F(CBuilder, EveryFunction) {
  MlirValue x = begin({tensor({2, 4}), tensor({4, 3}), tensor({1, 2, 6, 6}),
                       tensor({3, 2, 3, 3}), tensor({3})});
  auto argument = [&](intptr_t index) {
    return mlirTgBuilderGetArgument(builder, index);
  };
  EXPECT_EQ(typeOf(mlirTgBuilderMatmul(builder, x, argument(1))),
            "tensor<2x3xf32>");
  EXPECT_EQ(typeOf(mlirTgBuilderSoftmax(builder, x, -1)), "tensor<2x4xf32>");
  EXPECT_EQ(typeOf(mlirTgBuilderLogSoftmax(builder, x, 0)), "tensor<2x4xf32>");
  EXPECT_EQ(typeOf(mlirTgBuilderTranspose(builder, x, 0, 1)),
            "tensor<4x2xf32>");
  EXPECT_EQ(typeOf(mlirTgBuilderMatmulIn(builder, x, argument(1),
                                         mlirF64TypeGet(context))),
            "tensor<2x3xf32>");
  EXPECT_THAT(str(module), HasSubstr("tensor<2x3xf64>"));
  MlirValue column = mlirTgBuilderUnsqueeze(builder, x, -1);
  EXPECT_EQ(typeOf(column), "tensor<2x4x1xf32>");
  EXPECT_EQ(typeOf(mlirTgBuilderUnsqueeze(builder, x, 0)), "tensor<1x2x4xf32>");
  EXPECT_EQ(typeOf(mlirTgBuilderSqueeze(builder, column, 2)),
            "tensor<2x4xf32>");
  const int64_t axes[] = {1};
  EXPECT_EQ(typeOf(mlirTgBuilderLogSumExp(builder, x, 1, axes, true)),
            "tensor<2x1xf32>");
  EXPECT_EQ(typeOf(mlirTgBuilderLogSumExp(builder, x, 0, nullptr, false)),
            "tensor<f32>");
  EXPECT_EQ(typeOf(mlirTgBuilderReduce(builder, MlirTgReduceKindMax, x, 1, axes,
                                       true)),
            "tensor<2x1xf32>");
  EXPECT_EQ(typeOf(mlirTgBuilderReduce(builder, MlirTgReduceKindAdd, x, 0,
                                       nullptr, false)),
            "tensor<f32>");
  EXPECT_EQ(typeOf(mlirTgBuilderMean(builder, x, 1, axes, false)),
            "tensor<2xf32>");
  EXPECT_EQ(typeOf(mlirTgBuilderApply(builder, text("tg.exp"), x)),
            "tensor<2x4xf32>");
  MlirValue one = mlirTgBuilderConstant(builder, tensor({}), 1);
  EXPECT_EQ(typeOf(mlirTgBuilderCombine(builder, text("tg.add"), x, one)),
            "tensor<2x4xf32>");
  MlirValue less = mlirTgBuilderCombine(builder, text("tg.cmplt"), x, one);
  EXPECT_EQ(typeOf(less), "tensor<2x4xi1>");
  EXPECT_EQ(typeOf(mlirTgBuilderWhere(builder, less, x, one)),
            "tensor<2x4xf32>");
  EXPECT_EQ(typeOf(mlirTgBuilderCast(builder, x, mlirF16TypeGet(context))),
            "tensor<2x4xf16>");
  const MlirAttribute eight[] = {number(8)};
  EXPECT_EQ(typeOf(mlirTgBuilderReshape(builder, x, 1, eight)),
            "tensor<8xf32>");
  const MlirAttribute more[] = {number(5), number(2), number(4)};
  EXPECT_EQ(typeOf(mlirTgBuilderBroadcastTo(builder, x, 3, more)),
            "tensor<5x2x4xf32>");
  EXPECT_EQ(
      typeOf(mlirTgBuilderConstantElements(
          builder, mlirAttributeParseGet(
                       context, text("dense<[1.0, 2.0]> : tensor<2xf32>")))),
      "tensor<2xf32>");
  MlirType i64 = mlirRankedTensorTypeGet(
      0, nullptr, mlirIntegerTypeGet(context, 64), mlirAttributeGetNull());
  EXPECT_EQ(typeOf(mlirTgBuilderConstantInteger(builder, i64,
                                                (int64_t(1) << 53) + 1)),
            "tensor<i64>");
  EXPECT_THAT(str(module), HasSubstr("9007199254740993"));
  EXPECT_EQ(
      typeOf(mlirTgBuilderSize(
          builder, i64, mlirTgVarAttrGetChecked(location, text("n"), 1, 8))),
      "tensor<i64>");
  const int64_t two[] = {2, 2}, pad[] = {1, 1};
  MlirTgWindowOptions none = {};
  MlirTgWindowOptions padded = {};
  padded.numAxes = 2;
  padded.before = pad;
  EXPECT_EQ(typeOf(mlirTgBuilderConv(builder, argument(2), argument(3),
                                     argument(4), padded)),
            "tensor<1x3x6x6xf32>");
  EXPECT_EQ(typeOf(mlirTgBuilderConv(builder, argument(2), argument(3),
                                     {nullptr}, none)),
            "tensor<1x3x4x4xf32>");
  EXPECT_EQ(typeOf(mlirTgBuilderMaxPool(builder, argument(2), 2, two, none)),
            "tensor<1x2x3x3xf32>");
  MlirValue mean = mlirTgBuilderAvgPool(builder, argument(2), 2, two, padded);
  EXPECT_EQ(typeOf(mean), "tensor<1x2x4x4xf32>");
  EXPECT_TRUE(
      mlirLogicalResultIsSuccess(mlirTgBuilderEndFunction(builder, 1, &mean)));
  EXPECT_THAT(str(module), HasSubstr("-> tensor<1x2x4x4xf32>"));
}

// Either, both or none of weight and bias.
TEST_F(CBuilder, LayerNorm) {
  MlirValue x = begin({tensor({2, 4}), tensor({4}), tensor({2, 1})});
  MlirValue weight = mlirTgBuilderGetArgument(builder, 1);
  MlirValue bias = mlirTgBuilderGetArgument(builder, 2);
  const int64_t axes[] = {-1};
  auto count = [&](const std::string &name) {
    const std::string all = str(module);
    std::size_t number = 0;
    for (std::size_t at = 0; (at = all.find(name, at)) != std::string::npos;
         ++at)
      ++number;
    return number;
  };
  // How often it uses the weight and the bias.
  auto build = [&](MlirValue factor, MlirValue summand) {
    const std::size_t weights = count("%arg1"), biases = count("%arg2");
    EXPECT_EQ(typeOf(mlirTgBuilderLayerNorm(builder, x, 1, axes, 0.25, factor,
                                            summand)),
              "tensor<2x4xf32>");
    return std::pair(count("%arg1") - weights, count("%arg2") - biases);
  };
  const MlirValue none = {nullptr};
  EXPECT_EQ(build(none, none), std::pair(std::size_t(0), std::size_t(0)));
  EXPECT_THAT(str(module), HasSubstr("2.5"));
  EXPECT_EQ(build(weight, none), std::pair(std::size_t(1), std::size_t(0)));
  EXPECT_EQ(build(none, bias), std::pair(std::size_t(0), std::size_t(1)));
  EXPECT_EQ(build(weight, bias), std::pair(std::size_t(1), std::size_t(1)));
}

// In a function that was parsed, before its terminator.
TEST_F(CBuilder, AtTheEndOfABlock) {
  MlirModule parsed =
      parse("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  return %x : tensor<4xf32>\n"
            "}");
  MlirOperation function =
      mlirBlockGetFirstOperation(mlirModuleGetBody(parsed));
  MlirBlock block =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  ASSERT_TRUE(
      mlirLogicalResultIsSuccess(mlirTgBuilderSetBlock(builder, block)));
  mlirTgBuilderApply(builder, text("tg.neg"), mlirBlockGetArgument(block, 0));
  EXPECT_EQ(takeErrors(), "");
  EXPECT_TRUE(mlirOperationVerify(mlirModuleGetOperation(parsed)));
  EXPECT_THAT(str(parsed), HasSubstr("tg.neg"));
  // The builder must not point into what is destroyed.
  mlirTgBuilderSetBlock(builder, mlirModuleGetBody(module));
  mlirModuleDestroy(parsed);
}

TEST_F(CBuilder, Null) {
  const MlirTgBuilder none = {nullptr};
  EXPECT_EQ(mlirTgBuilderCreate({nullptr}).ptr, nullptr);
  mlirTgBuilderDestroy(none);
  mlirTgBuilderSetLocation(none, location);
  mlirTgBuilderSetLocation(builder, {nullptr});
  EXPECT_TRUE(
      mlirLogicalResultIsFailure(mlirTgBuilderSetBlock(builder, {nullptr})));
  EXPECT_TRUE(mlirOperationIsNull(
      mlirTgBuilderBeginFunction(none, module, text("main"), 0, nullptr)));
  EXPECT_TRUE(mlirValueIsNull(mlirTgBuilderGetArgument(none, 0)));
  EXPECT_TRUE(
      mlirValueIsNull(mlirTgBuilderApply(none, text("tg.neg"), {nullptr})));
  EXPECT_TRUE(
      mlirLogicalResultIsFailure(mlirTgBuilderEndFunction(none, 0, nullptr)));
  EXPECT_TRUE(mlirOperationIsNull(mlirTgBuilderCreateOperation(
      none, text("tg.neg"), 0, nullptr, 0, nullptr, 0, nullptr)));
  EXPECT_EQ(takeErrors(), "");

  MlirValue x = begin({tensor({2, 4})});
  EXPECT_THAT(errorOf(mlirTgBuilderApply(builder, text("tg.neg"), {nullptr})),
              HasSubstr("entry 0 of the list of operands is null"));
  EXPECT_THAT(errorOf(mlirTgBuilderApply(builder, {nullptr, 0}, x)),
              HasSubstr("'' is no operation of the dialect"));
  EXPECT_THAT(errorOf(mlirTgBuilderConstant(builder, {nullptr}, 1)),
              HasSubstr("not that of a tensor"));
  EXPECT_THAT(errorOf(mlirTgBuilderConstantElements(builder, {nullptr})),
              HasSubstr("no elements"));
  EXPECT_THAT(errorOf(mlirTgBuilderCast(builder, x, {nullptr})),
              HasSubstr("entry 0 of the list of types is null"));
  EXPECT_THAT(errorOf(mlirTgBuilderReshape(builder, x, 1, nullptr)),
              HasSubstr("the list of dimensions is null"));
  EXPECT_THAT(errorOf(mlirTgBuilderReduce(builder, MlirTgReduceKindAdd, x, -1,
                                          nullptr, false)),
              HasSubstr("the list of axes is null, or its length is negative"));
  EXPECT_THAT(errorOf(mlirTgBuilderConstantInteger(builder, {nullptr}, 1)),
              HasSubstr("not that of a tensor"));
  EXPECT_THAT(errorOf(mlirTgBuilderSize(builder, tensor({}), {nullptr})),
              HasSubstr("entry 0 of the list of dimensions is null"));
  EXPECT_THAT(errorOf(mlirTgBuilderMatmulIn(builder, x, x, {nullptr})),
              HasSubstr("entry 0 of the list of types is null"));
  EXPECT_THAT(errorOf(mlirTgBuilderLogSumExp(builder, x, 1, nullptr, false)),
              HasSubstr("the list of axes is null"));
  EXPECT_THAT(errorOf(mlirTgBuilderLayerNorm(builder, {nullptr}, 0, nullptr,
                                             1e-5, x, x)),
              HasSubstr("entry 0 of the list of operands is null"));
  EXPECT_THAT(errorOf(mlirTgBuilderUnsqueeze(builder, {nullptr}, 0)),
              HasSubstr("entry 0 of the list of operands is null"));
  MlirTgWindowOptions negative = {};
  negative.numAxes = -1;
  EXPECT_THAT(errorOf(mlirTgBuilderConv(builder, x, x, {nullptr}, negative)),
              HasSubstr("negative number of axes"));
  const MlirNamedAttribute attribute = {{nullptr}, {nullptr}};
  EXPECT_TRUE(mlirOperationIsNull(mlirTgBuilderCreateOperation(
      builder, text("tg.neg"), 1, &x, 1, &attribute, 0, nullptr)));
  EXPECT_THAT(takeErrors(), HasSubstr("list of attributes is null"));
  EXPECT_TRUE(mlirOperationIsNull(mlirTgBuilderCreateOperation(
      builder, text("tg.neg"), -1, &x, 0, nullptr, 0, nullptr)));
  EXPECT_THAT(takeErrors(), HasSubstr("list of operands is null"));
}

TEST_F(CBuilder, Mistakes) {
  EXPECT_THAT(errorOf(mlirTgBuilderConstant(builder, tensor({2}), 1)),
              HasSubstr("the builder has no place"));
  EXPECT_THAT(errorOf(mlirTgBuilderGetArgument(builder, 0)),
              HasSubstr("no function was begun"));
  EXPECT_TRUE(mlirLogicalResultIsFailure(
      mlirTgBuilderEndFunction(builder, 0, nullptr)));
  EXPECT_THAT(takeErrors(), HasSubstr("no function was begun"));
  EXPECT_TRUE(mlirOperationIsNull(
      mlirTgBuilderBeginFunction(builder, module, text(""), 0, nullptr)));
  EXPECT_THAT(takeErrors(), HasSubstr("needs a module and a name"));

  MlirValue x = begin({tensor({2, 4}), tensor({7, 4}), f32});
  MlirValue other = mlirTgBuilderGetArgument(builder, 1);
  MlirValue scalar = mlirTgBuilderGetArgument(builder, 2);
  EXPECT_THAT(errorOf(mlirTgBuilderGetArgument(builder, 3)),
              HasSubstr("'@main' has 3 arguments, and no argument 3"));
  EXPECT_THAT(errorOf(mlirTgBuilderGetArgument(builder, -1)),
              HasSubstr("no argument -1"));
  EXPECT_THAT(errorOf(mlirTgBuilderMatmul(builder, x, other)),
              HasSubstr("matmul: shapes [2, 4] and [7, 4] do not fit"));
  EXPECT_THAT(errorOf(mlirTgBuilderCombine(builder, text("tg.add"), x, other)),
              HasSubstr("shapes [2, 4], [7, 4] cannot be broadcast together"));
  EXPECT_THAT(errorOf(mlirTgBuilderCombine(builder, text("tg.div"), x, x)),
              HasSubstr("'tg.div' is unknown; use 'tg.fdiv'"));
  EXPECT_THAT(errorOf(mlirTgBuilderSoftmax(builder, scalar, 0)),
              HasSubstr("softmax: the operand has the type 'f32'"));
  EXPECT_THAT(errorOf(mlirTgBuilderSqueeze(builder, x, 1)),
              HasSubstr("squeeze: "));
  EXPECT_THAT(errorOf(mlirTgBuilderUnsqueeze(builder, x, 4)),
              HasSubstr("unsqueeze: "));
  const int64_t outside[] = {2};
  EXPECT_THAT(errorOf(mlirTgBuilderLogSumExp(builder, x, 1, outside, false)),
              HasSubstr("logSumExp: "));
  EXPECT_THAT(errorOf(mlirTgBuilderLayerNorm(builder, x, 0, nullptr, 1e-5,
                                             other, {nullptr})),
              HasSubstr("shape"));
  EXPECT_THAT(errorOf(mlirTgBuilderConv(builder, x, x, scalar, {})),
              HasSubstr("conv: "));
  // The only other number that C++ lets the type have.
  EXPECT_THAT(
      errorOf(mlirTgBuilderReduce(builder, static_cast<MlirTgReduceKind>(3), x,
                                  0, nullptr, false)),
      HasSubstr("reduce: there is no kind 3"));
  const MlirAttribute text0[] = {mlirStringAttrGet(context, text("n"))};
  EXPECT_THAT(errorOf(mlirTgBuilderReshape(builder, x, 1, text0)),
              HasSubstr("\"n\" is no dimension"));
  const MlirAttribute huge[] = {number(std::numeric_limits<int64_t>::max()),
                                number(std::numeric_limits<int64_t>::max())};
  EXPECT_NE(errorOf(mlirTgBuilderBroadcastTo(builder, x, 2, huge)), "");
  MlirType i8 = mlirRankedTensorTypeGet(
      0, nullptr, mlirIntegerTypeGet(context, 8), mlirAttributeGetNull());
  EXPECT_THAT(errorOf(mlirTgBuilderConstant(builder, i8, 300)),
              HasSubstr("300 is not a value of 'i8'"));
  EXPECT_THAT(errorOf(mlirTgBuilderConstantInteger(builder, i8, 300)),
              HasSubstr("300 is not a value of 'i8'"));
  EXPECT_THAT(errorOf(mlirTgBuilderConstant(
                  builder, i8, std::numeric_limits<double>::quiet_NaN())),
              HasSubstr("is not a value of 'i8'"));
  // A bias that is no tensor.
  MlirTgBuilder second = mlirTgBuilderCreate(location);
  const MlirType image[] = {tensor({1, 2, 6, 6}), tensor({3, 2, 3, 3}), f32};
  mlirTgBuilderBeginFunction(second, module, text("second"), 3, image);
  EXPECT_THAT(
      errorOf(mlirTgBuilderConv(second, mlirTgBuilderGetArgument(second, 0),
                                mlirTgBuilderGetArgument(second, 1),
                                mlirTgBuilderGetArgument(second, 2), {})),
      HasSubstr("conv: the operand has the type 'f32'"));
  mlirTgBuilderDestroy(second);
  // Of another context.
  MlirContext foreign = mlirContextCreate();
  EXPECT_THAT(errorOf(mlirTgBuilderCast(builder, x, mlirF16TypeGet(foreign))),
              HasSubstr("is of another context than the builder"));
  mlirContextDestroy(foreign);
  EXPECT_TRUE(mlirOperationIsNull(
      mlirTgBuilderBeginFunction(builder, module, text("g"), 0, nullptr)));
  EXPECT_THAT(takeErrors(), HasSubstr("begins in '@main'"));
}

} // namespace
