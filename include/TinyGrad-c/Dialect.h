/*===- Dialect.h - C API of the tg dialect ------------------------*- C -*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/**
 * \file
 * The `tg` dialect, its attributes and its passes, for use beside MLIR's own C
 * API (mlir-c/). One call registers everything:
 *
 * \code
 *   MlirContext context = mlirContextCreate();
 *   mlirTgRegisterAllInContext(context);
 * \endcode
 *
 * To register less, use the handle of the dialect (mlirGetDialectHandle__tg__)
 * and the functions of the generated headers at the end: mlirRegisterTgPasses,
 * mlirRegisterTgConversionPasses, mlirRegisterTgValidatePasses,
 * mlirRegisterTgVerifyPasses and mlirRegisterTgTargetPasses. For each pass
 * there are also `mlirCreateTg<Pass>()` and `mlirRegisterTg<Pass>()`, with
 * `TgConversion`, `TgValidate` and `TgVerify` in place of `Tg` for the passes
 * of these.
 *
 * Functions whose names end in `Checked` report a mistake as a diagnostic at
 * the given location, and return null. Attributes and types belong to their
 * context. Queries of null, of an attribute or type of another kind, and of an
 * index out of range, return null, 0 or false. Of a null context, registry,
 * location or module, functions do nothing and return null or a failure.
 *
 * A context may be used by one thread at a time while it is changed; attributes
 * and types may be created and queried by several threads, as in all of MLIR's
 * C API.
 */

#ifndef TINYGRAD_C_DIALECT_H
#define TINYGRAD_C_DIALECT_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Tg, tg);

/*===----------------------------------------------------------------------===*/
/* Registration                                                               */
/*===----------------------------------------------------------------------===*/

/**
 * Registers all passes and pipelines of the project, so that
 * mlirParsePassPipeline knows their names. May be called more than once, from
 * any thread.
 */
MLIR_CAPI_EXPORTED void mlirTgRegisterAllPasses(void);

/**
 * Adds to `registry` the dialect, `func`, and the dialects that code generation
 * uses, with their translations to LLVM IR; calls mlirTgRegisterAllPasses.
 */
MLIR_CAPI_EXPORTED void mlirTgRegisterAll(MlirDialectRegistry registry);

/**
 * The same for a context, in which `tg` and `func` are then loaded: it can
 * parse and build graphs, and its modules can be compiled. May be called more
 * than once.
 */
MLIR_CAPI_EXPORTED void mlirTgRegisterAllInContext(MlirContext context);

/*===----------------------------------------------------------------------===*/
/* Differentiation                                                            */
/*===----------------------------------------------------------------------===*/

/** What to differentiate. Zeros are defaults. */
typedef struct MlirTgDifferentiateOptions {
  /** The function to differentiate; "main" if empty. */
  MlirStringRef entry;
  /**
   * The numbers of the arguments to differentiate by, which must be tensors;
   * all tensors of floats if there are none.
   */
  intptr_t numWrt;
  const unsigned *wrt;
  /**
   * The numbers of the results to differentiate; the first tensor of floats if
   * there are none.
   */
  intptr_t numOf;
  const unsigned *of;
  /** The name of the new function; it replaces `entry` if empty. */
  MlirStringRef result;
  /** Return the gradients without the results. */
  bool onlyGradients;
} MlirTgDifferentiateOptions;

/**
 * Runs the pass tg-autodiff on a tensor graph (level 1): the function then
 * returns its results and the gradients, in the order of `wrt`. For each result
 * with more than one element it takes one more argument, the cotangent. Errors
 * are diagnostics of the context, located at the operation at fault.
 */
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirTgDifferentiate(MlirModule module, MlirTgDifferentiateOptions options);

/*===----------------------------------------------------------------------===*/
/* Variables: #tg.var                                                         */
/*===----------------------------------------------------------------------===*/

/** Whether the attribute is a `#tg.var`; false for null. */
MLIR_CAPI_EXPORTED bool mlirAttributeIsATgVar(MlirAttribute attr);

/**
 * `#tg.var<name, min, max>`: an integer that is known when a program runs, with
 * inclusive bounds.
 */
MLIR_CAPI_EXPORTED MlirAttribute mlirTgVarAttrGetChecked(MlirLocation location,
                                                         MlirStringRef name,
                                                         int64_t min,
                                                         int64_t max);

/** The name, owned by the context. */
MLIR_CAPI_EXPORTED MlirStringRef mlirTgVarAttrGetName(MlirAttribute attr);
/** The least value. */
MLIR_CAPI_EXPORTED int64_t mlirTgVarAttrGetMin(MlirAttribute attr);
/** The greatest value. */
MLIR_CAPI_EXPORTED int64_t mlirTgVarAttrGetMax(MlirAttribute attr);
/**
 * Whether the variable is bound to a value for the next run, which is then
 * written to `value` unless that is null.
 */
MLIR_CAPI_EXPORTED bool mlirTgVarAttrGetValue(MlirAttribute attr,
                                              int64_t *value);

/*===----------------------------------------------------------------------===*/
/* Dimensions: integers, #tg.var, #tg.dim                                     */
/*===----------------------------------------------------------------------===*/

/** Operators of dimensions. */
typedef enum MlirTgDimOp {
  MlirTgDimOpAdd = 0,
  MlirTgDimOpMul = 1,
  MlirTgDimOpFloorDiv = 2,
  MlirTgDimOpMod = 3,
  MlirTgDimOpMin = 4,
  MlirTgDimOpMax = 5
} MlirTgDimOp;

/**
 * Whether the attribute can be a dimension: an integer of 64 bits, a `#tg.var`
 * or a `#tg.dim`. False for null.
 */
MLIR_CAPI_EXPORTED bool mlirAttributeIsATgDim(MlirAttribute attr);
/** Whether the attribute is a `#tg.dim`; false for null. */
MLIR_CAPI_EXPORTED bool mlirAttributeIsATgDimExpr(MlirAttribute attr);

/** The dimension that is the number `value`. */
MLIR_CAPI_EXPORTED MlirAttribute mlirTgDimGetNumber(MlirContext context,
                                                    int64_t value);

/**
 * An operator applied to dimensions, in normal form: equal attributes mean
 * equal dimensions, and the result is a `#tg.dim`, a `#tg.var` or an integer.
 * `add`, `mul`, `min` and `max` take two or more operands, `floordiv` and `mod`
 * two, of which the second one is never 0. It is a mistake if the value can
 * leave 64 bits.
 */
MLIR_CAPI_EXPORTED MlirAttribute
mlirTgDimApplyChecked(MlirLocation location, MlirTgDimOp op,
                      intptr_t numOperands, MlirAttribute const *operands);

/**
 * Whether the dimension is a number, which is then written to `value` unless
 * that is null.
 */
MLIR_CAPI_EXPORTED bool mlirTgDimIsNumber(MlirAttribute dim, int64_t *value);
/** A lower bound of the dimension; exact where the expression is linear. */
MLIR_CAPI_EXPORTED int64_t mlirTgDimGetMin(MlirAttribute dim);
/** An upper bound of the dimension; exact where the expression is linear. */
MLIR_CAPI_EXPORTED int64_t mlirTgDimGetMax(MlirAttribute dim);

/** The operator of a `#tg.dim`. */
MLIR_CAPI_EXPORTED MlirTgDimOp mlirTgDimExprAttrGetOp(MlirAttribute attr);
/** The number of operands of a `#tg.dim`. */
MLIR_CAPI_EXPORTED intptr_t mlirTgDimExprAttrGetNumOperands(MlirAttribute attr);
/** An operand of a `#tg.dim`. */
MLIR_CAPI_EXPORTED MlirAttribute mlirTgDimExprAttrGetOperand(MlirAttribute attr,
                                                             intptr_t index);

/*===----------------------------------------------------------------------===*/
/* Shapes: #tg.shape, and tensor types                                        */
/*===----------------------------------------------------------------------===*/

/** Whether the attribute is a `#tg.shape`; false for null. */
MLIR_CAPI_EXPORTED bool mlirAttributeIsATgShape(MlirAttribute attr);

/**
 * `#tg.shape<dims>`, the encoding of a tensor type of which some dimension is
 * symbolic. A static shape has none, so that is a mistake.
 */
MLIR_CAPI_EXPORTED MlirAttribute mlirTgShapeAttrGetChecked(
    MlirLocation location, intptr_t rank, MlirAttribute const *dims);

/** The number of dimensions. */
MLIR_CAPI_EXPORTED intptr_t mlirTgShapeAttrGetRank(MlirAttribute attr);
/** A dimension. */
MLIR_CAPI_EXPORTED MlirAttribute mlirTgShapeAttrGetDim(MlirAttribute attr,
                                                       intptr_t axis);

/**
 * Whether the type is a ranked tensor all of whose dimensions are known: of
 * static shape without an encoding, or with a `#tg.shape`. False for null.
 */
MLIR_CAPI_EXPORTED bool mlirTypeIsATgTensor(MlirType type);

/**
 * The ranked tensor with these dimensions: of static shape, or with a
 * `#tg.shape`. A dimension that can be negative is a mistake.
 */
MLIR_CAPI_EXPORTED MlirType
mlirTgTensorTypeGetChecked(MlirLocation location, intptr_t rank,
                           MlirAttribute const *dims, MlirType elementType);

/** A dimension of a tensor for which mlirTypeIsATgTensor is true. */
MLIR_CAPI_EXPORTED MlirAttribute mlirTgTensorTypeGetDim(MlirType type,
                                                        intptr_t axis);

/*===----------------------------------------------------------------------===*/
/* Views: #tg.view                                                            */
/*===----------------------------------------------------------------------===*/

/** Whether the attribute is a `#tg.view`; false for null. */
MLIR_CAPI_EXPORTED bool mlirAttributeIsATgView(MlirAttribute attr);

/**
 * `#tg.view<[shape] strides [strides] offset offset mask [begin to end]>`, in
 * normal form. `offset` may be null, which means 0. `begin` and `end` have an
 * entry for each axis; both are null for a view without a mask.
 */
MLIR_CAPI_EXPORTED MlirAttribute mlirTgViewAttrGetChecked(
    MlirLocation location, intptr_t rank, MlirAttribute const *shape,
    MlirAttribute const *strides, MlirAttribute offset,
    MlirAttribute const *begin, MlirAttribute const *end);

/** The number of axes. */
MLIR_CAPI_EXPORTED intptr_t mlirTgViewAttrGetRank(MlirAttribute attr);
/** The size of an axis. */
MLIR_CAPI_EXPORTED MlirAttribute mlirTgViewAttrGetDim(MlirAttribute attr,
                                                      intptr_t axis);
/** The stride of an axis. */
MLIR_CAPI_EXPORTED MlirAttribute mlirTgViewAttrGetStride(MlirAttribute attr,
                                                         intptr_t axis);
/** The offset. */
MLIR_CAPI_EXPORTED MlirAttribute mlirTgViewAttrGetOffset(MlirAttribute attr);
/** Whether some positions hold no elements. */
MLIR_CAPI_EXPORTED bool mlirTgViewAttrHasMask(MlirAttribute attr);
/** The first position of an axis that holds elements; null without a mask. */
MLIR_CAPI_EXPORTED MlirAttribute mlirTgViewAttrGetMaskBegin(MlirAttribute attr,
                                                            intptr_t axis);
/** The end of these positions; null without a mask. */
MLIR_CAPI_EXPORTED MlirAttribute mlirTgViewAttrGetMaskEnd(MlirAttribute attr,
                                                          intptr_t axis);

/*===----------------------------------------------------------------------===*/
/* Targets: #tg.target                                                        */
/*===----------------------------------------------------------------------===*/

/** Whether the attribute is a `#tg.target`; false for null. */
MLIR_CAPI_EXPORTED bool mlirAttributeIsATgTarget(MlirAttribute attr);

/**
 * The target that the project has code generators for, by its name: "cpu",
 * "cpu:x86-64-v3", "cuda:sm_90". The diagnostic for another name lists the
 * known ones. Set it as the attribute `tg.target` of a module
 * (mlirOperationSetDiscardableAttributeByName) before passes that schedule.
 */
MLIR_CAPI_EXPORTED MlirAttribute
mlirTgTargetAttrLookUpChecked(MlirLocation location, MlirStringRef name);

/**
 * `#tg.target<name, fact = value, ...>`: a target of any name. Facts that are
 * not named have their defaults.
 */
MLIR_CAPI_EXPORTED MlirAttribute mlirTgTargetAttrGetChecked(
    MlirLocation location, MlirStringRef name, intptr_t numFacts,
    MlirStringRef const *facts, int64_t const *values);

/** The name of the target, owned by the context. */
MLIR_CAPI_EXPORTED MlirStringRef mlirTgTargetAttrGetName(MlirAttribute attr);
/** Writes the value of a fact; returns false if there is none of that name. */
MLIR_CAPI_EXPORTED bool
mlirTgTargetAttrGetFact(MlirAttribute attr, MlirStringRef fact, int64_t *value);
/** The number of facts that each target has. */
MLIR_CAPI_EXPORTED intptr_t mlirTgTargetGetNumFacts(void);
/** The name of a fact, such as "vector_bytes". */
MLIR_CAPI_EXPORTED MlirStringRef mlirTgTargetGetFactName(intptr_t index);

#ifdef __cplusplus
}
#endif

#include "TinyGrad/Conversion/Passes.capi.h.inc"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.capi.h.inc"
#include "TinyGrad/Dialect/Tg/Validate/Passes.capi.h.inc"
#include "TinyGrad/Dialect/Tg/Verify/Passes.capi.h.inc"
#include "TinyGrad/Target/All/Passes.capi.h.inc"

#endif /* TINYGRAD_C_DIALECT_H */
