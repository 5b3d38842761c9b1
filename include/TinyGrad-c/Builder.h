/*===- Builder.h - C API that builds tensor graphs ----------------*- C -*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/**
 * \file
 * Builds functions of the `tg` dialect (level 1) without text: operations by
 * name, and what networks are made of.
 *
 * \code
 *   MlirTgBuilder builder = mlirTgBuilderCreate(location);
 *   mlirTgBuilderBeginFunction(builder, module, name, 2, types);
 *   MlirValue sum = mlirTgBuilderCombine(
 *       builder, mlirStringRefCreateFromCString("tg.add"),
 *       mlirTgBuilderGetArgument(builder, 0),
 *       mlirTgBuilderGetArgument(builder, 1));
 *   mlirTgBuilderEndFunction(builder, 1, &sum);
 *   mlirTgBuilderDestroy(builder);
 * \endcode
 *
 * Types of tensors are those of mlirTgTensorTypeGetChecked (Dialect.h) and of
 * mlir-c/BuiltinTypes.h.
 *
 * **Errors.** Every function checks what it is given. A mistake is a diagnostic
 * at the location of the builder, which names the shapes or types at fault; the
 * function returns null or a failure, and what it inserted before has no users.
 * A null operand is a mistake, so that the results of a chain of calls need one
 * check, at its end: the first diagnostic says what was wrong. Of a null
 * builder, functions return null or a failure and do nothing.
 *
 * **Operands** are ranked tensors of the dialect, in the context of the
 * builder. Axes may be negative, and are then counted from the end.
 *
 * A builder is used by one thread at a time. It does not own what it builds.
 */

#ifndef TINYGRAD_C_BUILDER_H
#define TINYGRAD_C_BUILDER_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Builds at a place in a module. */
typedef struct MlirTgBuilder {
  void *ptr;
} MlirTgBuilder;

/*===----------------------------------------------------------------------===*/
/* Builders                                                                   */
/*===----------------------------------------------------------------------===*/

/**
 * A builder that has no place yet; null for a null location. Loads the dialect
 * and `func` into the context of the location.
 */
MLIR_CAPI_EXPORTED MlirTgBuilder mlirTgBuilderCreate(MlirLocation location);

/** Destroys a builder, before its context; null does nothing. */
MLIR_CAPI_EXPORTED void mlirTgBuilderDestroy(MlirTgBuilder builder);

/** Sets the location of what is built from now on, and of errors. */
MLIR_CAPI_EXPORTED void mlirTgBuilderSetLocation(MlirTgBuilder builder,
                                                 MlirLocation location);

/**
 * Inserts at the end of a block from now on, before its terminator if it has
 * one. A null block is a failure.
 */
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirTgBuilderSetBlock(MlirTgBuilder builder, MlirBlock block);

/*===----------------------------------------------------------------------===*/
/* Functions                                                                  */
/*===----------------------------------------------------------------------===*/

/**
 * Begins a function at the end of a module, and inserts into it. A mistake if
 * the module has the name already, and if another function was begun and has no
 * end. Returns the `func.func`.
 */
MLIR_CAPI_EXPORTED MlirOperation mlirTgBuilderBeginFunction(
    MlirTgBuilder builder, MlirModule module, MlirStringRef name,
    intptr_t numArguments, MlirType const *arguments);

/** An argument of the function that was begun last. */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderGetArgument(MlirTgBuilder builder,
                                                      intptr_t index);

/**
 * Returns these values from the function that was begun last, verifies it, and
 * inserts where the builder did before it.
 */
MLIR_CAPI_EXPORTED MlirLogicalResult mlirTgBuilderEndFunction(
    MlirTgBuilder builder, intptr_t numResults, MlirValue const *results);

/*===----------------------------------------------------------------------===*/
/* Operations by name                                                         */
/*===----------------------------------------------------------------------===*/

/**
 * Creates the operation `name` ("tg.reduce") of the dialect, and verifies it.
 * `attributes` are its own (docs/reference/TgDialect.md lists them) and
 * discardable ones, whose names have a dialect ("host.note"). With no result
 * types, the type is inferred; a mistake if it does not follow from operands
 * and attributes, as that of `tg.reshape`. Operations with regions are not
 * created. A mistake of a builder without a place.
 */
MLIR_CAPI_EXPORTED MlirOperation mlirTgBuilderCreateOperation(
    MlirTgBuilder builder, MlirStringRef name, intptr_t numOperands,
    MlirValue const *operands, intptr_t numAttributes,
    MlirNamedAttribute const *attributes, intptr_t numResults,
    MlirType const *results);

/** An operation of one operand, without attributes: "tg.exp". */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderApply(MlirTgBuilder builder,
                                                MlirStringRef name,
                                                MlirValue x);

/**
 * An operation of two operands, without attributes, which are broadcast to
 * their common shape: "tg.add".
 */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderCombine(MlirTgBuilder builder,
                                                  MlirStringRef name,
                                                  MlirValue lhs, MlirValue rhs);

/*===----------------------------------------------------------------------===*/
/* Values                                                                     */
/*===----------------------------------------------------------------------===*/

/**
 * A tensor of one number, in a tensor type whose elements can have it. Floats
 * are rounded.
 */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderConstant(MlirTgBuilder builder,
                                                   MlirType type, double value);
/** The same for an integer, such as one of i64 that no double has. */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderConstantInteger(MlirTgBuilder builder,
                                                          MlirType type,
                                                          int64_t value);
/** A tensor of the elements of a dense attribute. */
MLIR_CAPI_EXPORTED MlirValue
mlirTgBuilderConstantElements(MlirTgBuilder builder, MlirAttribute elements);
/**
 * The value of a dimension, which the program knows when it runs, in all
 * elements of a tensor type whose elements are numbers: the number of rows of a
 * batch, to divide a sum by.
 */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderSize(MlirTgBuilder builder,
                                               MlirType type,
                                               MlirAttribute dim);

/** \p x where the condition holds, else \p y; all are broadcast. */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderWhere(MlirTgBuilder builder,
                                                MlirValue condition,
                                                MlirValue x, MlirValue y);
/** The same values in another element type. */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderCast(MlirTgBuilder builder,
                                               MlirValue x, MlirType element);

/**
 * The elements of `x` in row-major order in another shape. Sizes are dimensions
 * (mlirTgDimGetNumber, `#tg.var`, `#tg.dim`).
 */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderReshape(MlirTgBuilder builder,
                                                  MlirValue x, intptr_t rank,
                                                  MlirAttribute const *dims);
/** `x` repeated along axes that it has not or that have size 1. */
MLIR_CAPI_EXPORTED MlirValue
mlirTgBuilderBroadcastTo(MlirTgBuilder builder, MlirValue x, intptr_t rank,
                         MlirAttribute const *dims);
/** With an axis of size 1 before axis `axis`, which may be the rank. */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderUnsqueeze(MlirTgBuilder builder,
                                                    MlirValue x, int64_t axis);
/** Without the axis `axis`, whose size is 1. */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderSqueeze(MlirTgBuilder builder,
                                                  MlirValue x, int64_t axis);
/** Exchanges two axes. */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderTranspose(MlirTgBuilder builder,
                                                    MlirValue x, int64_t first,
                                                    int64_t second);

/** Kinds of reductions. */
typedef enum MlirTgReduceKind {
  MlirTgReduceKindAdd = 0,
  MlirTgReduceKindMul = 1,
  MlirTgReduceKindMax = 2
} MlirTgReduceKind;

/** Reduces along axes, all if there are none; these remain with size 1 if
 * `keepAxes` is set. */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderReduce(MlirTgBuilder builder,
                                                 MlirTgReduceKind kind,
                                                 MlirValue x, intptr_t numAxes,
                                                 int64_t const *axes,
                                                 bool keepAxes);
/** The mean of floats along axes, as mlirTgBuilderReduce. */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderMean(MlirTgBuilder builder,
                                               MlirValue x, intptr_t numAxes,
                                               int64_t const *axes,
                                               bool keepAxes);

/*===----------------------------------------------------------------------===*/
/* What networks are made of                                                  */
/*===----------------------------------------------------------------------===*/

/**
 * The product of matrices, or of stacks of them, which are broadcast. An
 * operand of one axis is a row on the left and a column on the right. Both have
 * one element type, which the result has, too; products of f16 and bf16 are
 * added up in f32, those of integers of less than 32 bits in i32 or ui32.
 */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderMatmul(MlirTgBuilder builder,
                                                 MlirValue lhs, MlirValue rhs);
/** The same, added up in the element type `accumulate`. */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderMatmulIn(MlirTgBuilder builder,
                                                   MlirValue lhs, MlirValue rhs,
                                                   MlirType accumulate);
/** Of floats, along an axis; no maximum is too large. */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderSoftmax(MlirTgBuilder builder,
                                                  MlirValue x, int64_t axis);
/** The logarithm of the softmax. */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderLogSoftmax(MlirTgBuilder builder,
                                                     MlirValue x, int64_t axis);
/**
 * The logarithm of the sum of exponentials of floats along axes, as
 * mlirTgBuilderReduce; no exponential overflows.
 */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderLogSumExp(MlirTgBuilder builder,
                                                    MlirValue x,
                                                    intptr_t numAxes,
                                                    int64_t const *axes,
                                                    bool keepAxes);
/**
 * Floats less their mean along axes (all if there are none), divided by the
 * root of their variance plus `epsilon` (1e-5 in most networks), times `weight`
 * plus `bias`, which are broadcast to the shape of `x`; either may be null.
 */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderLayerNorm(
    MlirTgBuilder builder, MlirValue x, intptr_t numAxes, int64_t const *axes,
    double epsilon, MlirValue weight, MlirValue bias);

/**
 * Options of convolutions and pooling, zeros of which are defaults. A list is
 * null, or has an entry for each spatial axis.
 */
typedef struct MlirTgWindowOptions {
  /** How many spatial axes the lists have entries for. */
  intptr_t numAxes;
  /** Default: 1; of pooling, the kernel. */
  int64_t const *stride;
  /** Default: 1. */
  int64_t const *dilation;
  /** Padding before an axis; default: 0. */
  int64_t const *before;
  /** Padding after an axis; default: `before`. */
  int64_t const *after;
  /** Groups of channels, of convolutions; default: 1. */
  int64_t groups;
} MlirTgWindowOptions;

/**
 * Convolution (without flipping the weight) of an input of shape (batch,
 * groups * in, spatial...) with a weight of shape (groups * out, in,
 * kernel...), plus a bias of shape (groups * out) unless it is null.
 */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderConv(MlirTgBuilder builder,
                                               MlirValue input,
                                               MlirValue weight, MlirValue bias,
                                               MlirTgWindowOptions options);
/** The maximum of windows of the last axes; padding is never the maximum. */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderMaxPool(MlirTgBuilder builder,
                                                  MlirValue x, intptr_t numAxes,
                                                  int64_t const *kernel,
                                                  MlirTgWindowOptions options);
/** The mean of windows of the last axes; padding counts as zeros. */
MLIR_CAPI_EXPORTED MlirValue mlirTgBuilderAvgPool(MlirTgBuilder builder,
                                                  MlirValue x, intptr_t numAxes,
                                                  int64_t const *kernel,
                                                  MlirTgWindowOptions options);

#ifdef __cplusplus
}
#endif

#endif /* TINYGRAD_C_BUILDER_H */
