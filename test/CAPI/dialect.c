/*===- dialect.c - uses the dialect and the passes from C -----------*- C
-*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/**
 * \file
 * Registers the dialect through its handle, parses a module, runs a pass that
 * is looked up by name and one that is created directly, and prints. The lit
 * test of the same name checks what this prints.
 */

#include "TinyGrad-c/Dialect.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#include <stdio.h>

static const char *const kSource =
    "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %zero = tg.const(0.0 : f32) : tensor<4xf32>\n"
    "  %sum = tg.add %x, %x : tensor<4xf32>\n"
    "  return %sum : tensor<4xf32>\n"
    "}\n";

static void print(MlirStringRef text, void *file) {
  fwrite(text.data, 1, text.length, file);
}

static MlirLogicalResult report(MlirDiagnostic diagnostic, void *unused) {
  (void)unused;
  printf("diagnostic: ");
  mlirDiagnosticPrint(diagnostic, print, stdout);
  printf("\n");
  return mlirLogicalResultSuccess();
}

/* Runs the passes of `manager` on `module`; prints how that went. */
static int run(const char *what, MlirPassManager manager, MlirModule module) {
  MlirLogicalResult result =
      mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module));
  printf("%s: %s\n", what,
         mlirLogicalResultIsSuccess(result) ? "success" : "failure");
  mlirPassManagerDestroy(manager);
  return mlirLogicalResultIsSuccess(result) ? 0 : 1;
}

int main(void) {
  MlirContext context = mlirContextCreate();
  mlirContextAttachDiagnosticHandler(context, report, NULL, NULL);
  int status = 0;

  /* Before it is registered, the dialect is unknown. */
  MlirStringRef text = mlirStringRefCreateFromCString(kSource);
  mlirDialectHandleRegisterDialect(mlirGetDialectHandle__func__(), context);
  if (!mlirModuleIsNull(mlirModuleCreateParse(context, text)))
    return 2;

  MlirDialectHandle handle = mlirGetDialectHandle__tg__();
  MlirStringRef name = mlirDialectHandleGetNamespace(handle);
  printf("dialect: %.*s\n", (int)name.length, name.data);
  mlirDialectHandleRegisterDialect(handle, context);
  if (mlirDialectIsNull(mlirDialectHandleLoadDialect(handle, context)))
    return 3;

  MlirModule module = mlirModuleCreateParse(context, text);
  if (mlirModuleIsNull(module))
    return 4;

  /* Passes by name ... */
  mlirRegisterTgPasses();
  mlirRegisterTgConversionPasses();
  mlirRegisterTgVerifyPasses();
  MlirPassManager manager = mlirPassManagerCreate(context);
  if (mlirLogicalResultIsFailure(mlirParsePassPipeline(
          mlirPassManagerGetAsOpPassManager(manager),
          mlirStringRefCreateFromCString("builtin.module(tg-schedule)"), print,
          stdout)))
    return 5;
  status |= run("by name", manager, module);

  /* ... and created. */
  manager = mlirPassManagerCreate(context);
  mlirPassManagerAddOwnedPass(manager, mlirCreateTgTgDedupKernels());
  status |= run("created", manager, module);

  mlirOperationPrint(mlirModuleGetOperation(module), print, stdout);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return status;
}
