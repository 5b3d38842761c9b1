/*===- dialect.c - the C API outside the project --------------------*- C
-*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "TinyGrad-c/Dialect.h"

int main(void) {
  MlirContext context = mlirContextCreate();
  MlirDialectHandle tg = mlirGetDialectHandle__tg__();
  mlirDialectHandleRegisterDialect(tg, context);
  int missing = mlirDialectIsNull(mlirDialectHandleLoadDialect(tg, context));
  mlirRegisterTgPasses();
  mlirContextDestroy(context);
  return missing;
}
