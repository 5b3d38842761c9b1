/*===- Dialect.h - C API of the tg dialect ------------------------*- C -*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/**
 * \file
 * The handle of the `tg` dialect and the registration of the project's passes,
 * for use beside MLIR's own C API (mlir-c/). As with upstream dialects:
 *
 * \code
 *   mlirDialectHandleRegisterDialect(mlirGetDialectHandle__tg__(), context);
 *   mlirRegisterTgPasses();
 *   mlirRegisterTgConversionPasses();
 *   mlirRegisterTgValidatePasses();
 *   mlirRegisterTgVerifyPasses();
 *   mlirRegisterTgTargetPasses();
 * \endcode
 *
 * For each pass there are also `mlirCreateTg<Pass>()` and
 * `mlirRegisterTg<Pass>()`, with `TgConversion`, `TgValidate` and `TgVerify` in
 * place of `Tg` for the passes of these; the generated headers at the end
 * declare them.
 */

#ifndef TINYGRAD_C_DIALECT_H
#define TINYGRAD_C_DIALECT_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Tg, tg);

#ifdef __cplusplus
}
#endif

#include "TinyGrad/Conversion/Passes.capi.h.inc"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.capi.h.inc"
#include "TinyGrad/Dialect/Tg/Validate/Passes.capi.h.inc"
#include "TinyGrad/Dialect/Tg/Verify/Passes.capi.h.inc"
#include "TinyGrad/Target/All/Passes.capi.h.inc"

#endif /* TINYGRAD_C_DIALECT_H */
