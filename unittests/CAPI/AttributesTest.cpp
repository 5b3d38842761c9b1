//===- AttributesTest.cpp - the dialect's C API ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds and queries attributes and types, registers, and differentiates.
///
//===----------------------------------------------------------------------===//

#include "CContext.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Pass.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <iterator>

using namespace tinygrad::test;
using ::testing::HasSubstr;

namespace {

class CAttributes : public CContext {};

TEST_F(CAttributes, RegisterInRegistry) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirTgRegisterAll(registry);
  mlirTgRegisterAll(registry);
  MlirContext other = mlirContextCreateWithRegistry(registry, true);
  mlirDialectRegistryDestroy(registry);
  MlirModule module = mlirModuleCreateParse(
      other, text("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                  "  %0 = tg.neg %x : tensor<4xf32>\n"
                  "  return %0 : tensor<4xf32>\n"
                  "}"));
  ASSERT_FALSE(mlirModuleIsNull(module));
  MlirPassManager manager = mlirPassManagerCreate(other);
  std::string error;
  ASSERT_TRUE(mlirLogicalResultIsSuccess(mlirParsePassPipeline(
      mlirPassManagerGetAsOpPassManager(manager),
      text("builtin.module(tg-schedule-pipeline,tg-optimize-pipeline)"),
      appendTo, &error)))
      << error;
  EXPECT_TRUE(mlirLogicalResultIsSuccess(
      mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module))));
  EXPECT_THAT(str(module), HasSubstr("tg.kernel"));
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
  mlirContextDestroy(other);
}

TEST_F(CAttributes, AttributesLoadTheDialect) {
  MlirContext other = mlirContextCreate();
  EXPECT_TRUE(mlirAttributeIsATgVar(
      mlirTgVarAttrGetChecked(mlirLocationUnknownGet(other), text("n"), 0, 1)));
  mlirContextDestroy(other);
}

TEST_F(CAttributes, Null) {
  const MlirAttribute null = mlirAttributeGetNull();
  EXPECT_FALSE(mlirAttributeIsATgVar(null));
  EXPECT_FALSE(mlirAttributeIsATgDim(null));
  EXPECT_FALSE(mlirAttributeIsATgDimExpr(null));
  EXPECT_FALSE(mlirAttributeIsATgShape(null));
  EXPECT_FALSE(mlirAttributeIsATgView(null));
  EXPECT_FALSE(mlirAttributeIsATgTarget(null));
  EXPECT_FALSE(mlirTypeIsATgTensor({nullptr}));
  EXPECT_EQ(mlirTgVarAttrGetName(null).length, 0u);
  EXPECT_EQ(mlirTgViewAttrGetRank(null), 0);
  EXPECT_TRUE(mlirAttributeIsNull(mlirTgShapeAttrGetDim(null, 0)));
  EXPECT_FALSE(mlirTgTargetAttrGetFact(null, text("l1_bytes"), nullptr));
  const MlirLocation nowhere = {nullptr};
  EXPECT_TRUE(
      mlirAttributeIsNull(mlirTgVarAttrGetChecked(nowhere, text("n"), 0, 1)));
  EXPECT_TRUE(mlirAttributeIsNull(
      mlirTgDimApplyChecked(nowhere, MlirTgDimOpAdd, 0, nullptr)));
  EXPECT_TRUE(
      mlirAttributeIsNull(mlirTgTargetAttrLookUpChecked(nowhere, text("cpu"))));
  EXPECT_TRUE(mlirAttributeIsNull(mlirTgDimGetNumber({nullptr}, 1)));
  mlirTgRegisterAll({nullptr});
  mlirTgRegisterAllInContext({nullptr});
}

TEST_F(CAttributes, Variable) {
  const MlirAttribute n = variable("n", 1, 4096);
  EXPECT_EQ(str(n), "#tg.var<\"n\", 1, 4096>");
  EXPECT_TRUE(mlirAttributeIsATgVar(n));
  EXPECT_TRUE(mlirAttributeIsATgDim(n));
  EXPECT_FALSE(mlirAttributeIsATgDimExpr(n));
  EXPECT_EQ(str(mlirTgVarAttrGetName(n)), "n");
  EXPECT_EQ(mlirTgVarAttrGetMin(n), 1);
  EXPECT_EQ(mlirTgVarAttrGetMax(n), 4096);
  EXPECT_FALSE(mlirTgVarAttrGetValue(n, nullptr));
  int64_t value = 0;
  EXPECT_TRUE(mlirTgVarAttrGetValue(
      mlirAttributeParseGet(context, text("#tg.var<\"n\", 1, 8, 5>")), &value));
  EXPECT_EQ(value, 5);

  EXPECT_TRUE(mlirAttributeIsNull(variable("n", 5, 4)));
  EXPECT_EQ(takeErrors(), "variable 'n' has an empty range: min 5 > max 4");
  EXPECT_TRUE(mlirAttributeIsNull(variable("", 0, 4)));
  EXPECT_EQ(takeErrors(), "a variable needs a name");
}

TEST_F(CAttributes, Dimensions) {
  const MlirAttribute n = variable("n", 1, 8), four = number(4);
  const MlirAttribute factors[] = {n, four};
  const MlirAttribute product =
      mlirTgDimApplyChecked(location, MlirTgDimOpMul, 2, factors);
  EXPECT_EQ(str(product), "#tg.dim<#tg.var<\"n\", 1, 8> * 4>");
  EXPECT_TRUE(mlirAttributeIsATgDimExpr(product));
  EXPECT_EQ(mlirTgDimExprAttrGetOp(product), MlirTgDimOpMul);
  EXPECT_EQ(mlirTgDimExprAttrGetNumOperands(product), 2);
  EXPECT_TRUE(mlirAttributeEqual(mlirTgDimExprAttrGetOperand(product, 0), n));
  EXPECT_TRUE(mlirAttributeIsNull(mlirTgDimExprAttrGetOperand(product, 2)));
  EXPECT_EQ(mlirTgDimGetMin(product), 4);
  EXPECT_EQ(mlirTgDimGetMax(product), 32);
  EXPECT_FALSE(mlirTgDimIsNumber(product, nullptr));

  // The normal form: n * 4 / 4 is n, and without variables it is a number.
  const MlirAttribute quotient[] = {product, four};
  EXPECT_TRUE(mlirAttributeEqual(
      mlirTgDimApplyChecked(location, MlirTgDimOpFloorDiv, 2, quotient), n));
  const MlirAttribute numbers[] = {four, number(3)};
  int64_t sum = 0;
  EXPECT_TRUE(mlirTgDimIsNumber(
      mlirTgDimApplyChecked(location, MlirTgDimOpAdd, 2, numbers), &sum));
  EXPECT_EQ(sum, 7);
}

TEST_F(CAttributes, InvalidDimensions) {
  const MlirAttribute n = variable("n", 0, INT64_MAX);
  const MlirAttribute two[] = {n, n};
  auto fails = [&](MlirTgDimOp op, intptr_t count, const MlirAttribute *list) {
    EXPECT_TRUE(
        mlirAttributeIsNull(mlirTgDimApplyChecked(location, op, count, list)));
    return takeErrors();
  };
  EXPECT_THAT(fails(MlirTgDimOpFloorDiv, 2, two),
              HasSubstr("divided by n, which may be 0"));
  EXPECT_THAT(fails(MlirTgDimOpMul, 2, two), HasSubstr("64 bits"));
  EXPECT_THAT(fails(MlirTgDimOpMod, 1, two), HasSubstr("takes two operands"));
  EXPECT_THAT(fails(MlirTgDimOp(7), 2, two), HasSubstr("7 is not an operator"));
  EXPECT_THAT(fails(MlirTgDimOpAdd, 2, nullptr), HasSubstr("is null"));
  const MlirAttribute withNull[] = {n, mlirAttributeGetNull()};
  EXPECT_THAT(fails(MlirTgDimOpAdd, 2, withNull),
              HasSubstr("entry 1 of the list of operands is null"));
  const MlirAttribute withUnit[] = {n, mlirUnitAttrGet(context)};
  EXPECT_THAT(fails(MlirTgDimOpAdd, 2, withUnit),
              HasSubstr("is not an integer (of 64 bits), #tg.var or #tg.dim"));
}

TEST_F(CAttributes, Shape) {
  const MlirAttribute dims[] = {variable("n", 1, 8), number(4)};
  const MlirAttribute shape = mlirTgShapeAttrGetChecked(location, 2, dims);
  EXPECT_EQ(str(shape), "#tg.shape<#tg.var<\"n\", 1, 8>, 4>");
  EXPECT_TRUE(mlirAttributeIsATgShape(shape));
  EXPECT_EQ(mlirTgShapeAttrGetRank(shape), 2);
  EXPECT_TRUE(mlirAttributeEqual(mlirTgShapeAttrGetDim(shape, 1), dims[1]));
  EXPECT_TRUE(mlirAttributeIsNull(mlirTgShapeAttrGetDim(shape, -1)));

  EXPECT_TRUE(
      mlirAttributeIsNull(mlirTgShapeAttrGetChecked(location, 1, dims + 1)));
  EXPECT_THAT(takeErrors(), HasSubstr("has no symbolic dimension"));
  EXPECT_TRUE(
      mlirAttributeIsNull(mlirTgShapeAttrGetChecked(location, -1, dims)));
  EXPECT_THAT(takeErrors(), HasSubstr("its length is negative"));
}

TEST_F(CAttributes, TensorType) {
  const MlirType f32 = mlirF32TypeGet(context);
  const MlirAttribute dims[] = {variable("n", 1, 8), number(4)};
  const MlirType symbolic = mlirTgTensorTypeGetChecked(location, 2, dims, f32);
  EXPECT_EQ(str(symbolic),
            "tensor<?x4xf32, #tg.shape<#tg.var<\"n\", 1, 8>, 4>>");
  EXPECT_TRUE(mlirTypeIsATgTensor(symbolic));
  EXPECT_TRUE(mlirAttributeEqual(mlirTgTensorTypeGetDim(symbolic, 0), dims[0]));
  EXPECT_TRUE(mlirAttributeIsNull(mlirTgTensorTypeGetDim(symbolic, 2)));
  const MlirType fixed = mlirTgTensorTypeGetChecked(location, 1, dims + 1, f32);
  EXPECT_EQ(str(fixed), "tensor<4xf32>");
  EXPECT_TRUE(mlirAttributeEqual(mlirTgTensorTypeGetDim(fixed, 0), dims[1]));
  EXPECT_EQ(str(mlirTgTensorTypeGetChecked(location, 0, nullptr, f32)),
            "tensor<f32>");

  // Its dimension is unknown.
  EXPECT_FALSE(
      mlirTypeIsATgTensor(mlirTypeParseGet(context, text("tensor<?xf32>"))));
  EXPECT_FALSE(mlirTypeIsATgTensor(f32));

  auto fails = [&](MlirAttribute dim, MlirType element) {
    EXPECT_TRUE(
        mlirTypeIsNull(mlirTgTensorTypeGetChecked(location, 1, &dim, element)));
    return takeErrors();
  };
  EXPECT_THAT(fails(number(-1), f32), HasSubstr("dimension 0 is -1"));
  EXPECT_THAT(fails(variable("m", -2, 8), f32), HasSubstr("can be negative"));
  EXPECT_THAT(fails(mlirUnitAttrGet(context), f32), HasSubstr("is not an"));
  EXPECT_THAT(fails(number(4), {nullptr}), HasSubstr("element type"));
  EXPECT_THAT(fails(number(4), mlirNoneTypeGet(context)), HasSubstr("none"));
}

TEST_F(CAttributes, View) {
  const MlirAttribute shape[] = {number(6), number(3)},
                      strides[] = {number(1), number(6)},
                      begin[] = {number(0), number(1)},
                      end[] = {number(6), number(3)};
  const MlirAttribute null = mlirAttributeGetNull();
  const MlirAttribute view =
      mlirTgViewAttrGetChecked(location, 2, shape, strides, null, begin, end);
  EXPECT_EQ(str(view), "#tg.view<[6, 3] strides [1, 6] mask [0 to 6, 1 to 3]>");
  EXPECT_TRUE(mlirAttributeIsATgView(view));
  EXPECT_EQ(mlirTgViewAttrGetRank(view), 2);
  EXPECT_TRUE(mlirAttributeEqual(mlirTgViewAttrGetDim(view, 0), shape[0]));
  EXPECT_TRUE(mlirAttributeEqual(mlirTgViewAttrGetStride(view, 1), shape[0]));
  EXPECT_TRUE(mlirTgDimIsNumber(mlirTgViewAttrGetOffset(view), nullptr));
  EXPECT_TRUE(mlirTgViewAttrHasMask(view));
  EXPECT_TRUE(
      mlirAttributeEqual(mlirTgViewAttrGetMaskBegin(view, 1), begin[1]));
  EXPECT_TRUE(mlirAttributeEqual(mlirTgViewAttrGetMaskEnd(view, 1), end[1]));
  EXPECT_TRUE(mlirAttributeIsNull(mlirTgViewAttrGetMaskEnd(view, 2)));

  const MlirAttribute unmasked = mlirTgViewAttrGetChecked(
      location, 2, shape, strides, variable("p", 0, 4), nullptr, nullptr);
  EXPECT_EQ(str(unmasked),
            "#tg.view<[6, 3] strides [1, 6] offset #tg.var<\"p\", 0, 4>>");
  EXPECT_FALSE(mlirTgViewAttrHasMask(unmasked));
  EXPECT_TRUE(mlirAttributeIsNull(mlirTgViewAttrGetMaskBegin(unmasked, 0)));

  EXPECT_TRUE(mlirAttributeIsNull(mlirTgViewAttrGetChecked(
      location, 2, shape, strides, null, begin, nullptr)));
  EXPECT_THAT(takeErrors(), HasSubstr("ends of the mask is null"));
  const MlirAttribute negative[] = {number(-1), number(3)};
  EXPECT_TRUE(mlirAttributeIsNull(mlirTgViewAttrGetChecked(
      location, 2, negative, strides, null, nullptr, nullptr)));
  EXPECT_THAT(takeErrors(), HasSubstr("can be negative"));
}

TEST_F(CAttributes, Target) {
  const MlirAttribute v3 =
      mlirTgTargetAttrLookUpChecked(location, text("cpu:x86-64-v3"));
  ASSERT_TRUE(mlirAttributeIsATgTarget(v3)) << takeErrors();
  EXPECT_EQ(str(mlirTgTargetAttrGetName(v3)), "cpu:x86-64-v3");
  int64_t value = 0;
  EXPECT_TRUE(mlirTgTargetAttrGetFact(v3, text("vector_bytes"), &value));
  EXPECT_EQ(value, 32);
  EXPECT_FALSE(mlirTgTargetAttrGetFact(v3, text("speed"), &value));
  EXPECT_EQ(str(mlirTgTargetGetFactName(0)), "vector_bytes");
  EXPECT_EQ(mlirTgTargetGetFactName(mlirTgTargetGetNumFacts()).length, 0u);

  const MlirStringRef facts[] = {text("vector_bytes"), text("l1_bytes")};
  const int64_t values[] = {16, 65536};
  const MlirAttribute own =
      mlirTgTargetAttrGetChecked(location, text("own"), 2, facts, values);
  EXPECT_EQ(str(own),
            "#tg.target<\"own\", vector_bytes = 16, l1_bytes = 65536>");

  EXPECT_TRUE(mlirAttributeIsNull(
      mlirTgTargetAttrLookUpChecked(location, text("abacus"))));
  EXPECT_THAT(takeErrors(), HasSubstr("abacus"));
  const MlirStringRef unknown[] = {text("speed")};
  EXPECT_TRUE(mlirAttributeIsNull(
      mlirTgTargetAttrGetChecked(location, text("own"), 1, unknown, values)));
  EXPECT_EQ(takeErrors(), "'speed' is not a fact about targets");
  const int64_t odd[] = {24};
  EXPECT_TRUE(mlirAttributeIsNull(
      mlirTgTargetAttrGetChecked(location, text("own"), 1, facts, odd)));
  EXPECT_THAT(takeErrors(), HasSubstr("not a power of two"));
  EXPECT_TRUE(mlirAttributeIsNull(
      mlirTgTargetAttrGetChecked(location, text("own"), 1, nullptr, odd)));
  EXPECT_THAT(takeErrors(), HasSubstr("list of facts is null"));
}

class CDifferentiate : public CContext {
protected:
  MlirModule module = parse(R"mlir(
    func.func @loss(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<1xf32> {
      %0 = tg.mul %x, %w : tensor<4xf32>
      %1 = tg.reduce add %0 axes [0] : tensor<4xf32> -> tensor<1xf32>
      return %1 : tensor<1xf32>
    })mlir");
  ~CDifferentiate() override { mlirModuleDestroy(module); }
};

TEST_F(CDifferentiate, Function) {
  const unsigned wrt[] = {1};
  MlirTgDifferentiateOptions options = {};
  options.entry = text("loss");
  options.wrt = wrt;
  options.numWrt = std::size(wrt);
  options.result = text("gradient");
  options.onlyGradients = true;
  EXPECT_TRUE(mlirLogicalResultIsSuccess(mlirTgDifferentiate(module, options)));
  EXPECT_THAT(str(module), HasSubstr("func.func @loss("));
  EXPECT_THAT(str(module), HasSubstr("@gradient(%arg0: tensor<4xf32>, %arg1: "
                                     "tensor<4xf32>) -> tensor<4xf32>"));
}

TEST_F(CDifferentiate, Errors) {
  MlirTgDifferentiateOptions options = {};
  EXPECT_TRUE(
      mlirLogicalResultIsFailure(mlirTgDifferentiate({nullptr}, options)));
  // There is no function of the default name.
  EXPECT_TRUE(mlirLogicalResultIsFailure(mlirTgDifferentiate(module, options)));
  EXPECT_THAT(takeErrors(), HasSubstr("'main'"));
  options.entry = text("loss");
  options.numWrt = 1;
  EXPECT_TRUE(mlirLogicalResultIsFailure(mlirTgDifferentiate(module, options)));
  const unsigned wrt[] = {2};
  options.wrt = wrt;
  EXPECT_TRUE(mlirLogicalResultIsFailure(mlirTgDifferentiate(module, options)));
  EXPECT_THAT(takeErrors(), HasSubstr("2"));
}

} // namespace
