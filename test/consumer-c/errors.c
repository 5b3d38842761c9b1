/*===- errors.c - mistakes of a program in C ----------------------*- C -*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "TinyGrad-c/Dialect.h"
#include "TinyGrad-c/Program.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Pass.h"

#include <stdio.h>
#include <string.h>

static const char *const kSquare =
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = tg.mul %x, %x : tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n"
    "}\n";

static int failures = 0;

/* Whether a call has failed as it should; destroys the error. */
static void expect(TinyGradErrorCode code, const char *part,
                   TinyGradError *error) {
  const char *message = tinygradErrorGetMessage(error);
  if (tinygradErrorGetCode(error) != code || !strstr(message, part)) {
    printf("expected \"%s\", got code %d: %s\n", part,
           (int)tinygradErrorGetCode(error), message);
    ++failures;
  }
  tinygradErrorDestroy(error);
}

/* Counts the diagnostics of a context. */
static MlirLogicalResult count(MlirDiagnostic diagnostic, void *number) {
  (void)diagnostic;
  ++*(int *)number;
  return mlirLogicalResultSuccess();
}

static MlirModule parse(MlirContext context, const char *text) {
  return mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
}

int main(void) {
  int diagnostics = 0;
  MlirContext context = mlirContextCreate();
  mlirTgRegisterAllInContext(context);
  mlirContextAttachDiagnosticHandler(context, count, &diagnostics, NULL);

  TinyGradDevice *device;
  expect(TinyGradErrorDevice, "abacus", tinygradDeviceGet("abacus", &device));
  expect(TinyGradErrorNone, "", tinygradDeviceGet("CPU", &device));

  if (!mlirModuleIsNull(parse(context, "func.func @main() { tg.nothing }")) ||
      diagnostics == 0)
    ++failures;
  MlirModule module = parse(context, kSquare), null = {NULL};
  TinyGradProgram *program;
  expect(TinyGradErrorArgument, "module",
         tinygradProgramCompile(null, device, NULL, &program));
  expect(TinyGradErrorNone, "",
         tinygradProgramCompile(module, device, NULL, &program));

  float x[4] = {1, 2, 3, 4}, y[4];
  TinyGradHostArray in = {x, sizeof x, TinyGradDTypeFloat32};
  TinyGradHostArray out = {y, sizeof y, TinyGradDTypeFloat32};
  TinyGradHostArray small = {x, 8, TinyGradDTypeFloat32};
  TinyGradHostArray integers = {x, sizeof x, TinyGradDTypeInt32};
  expect(TinyGradErrorShape, "input 0 has 8 bytes, not 16",
         tinygradProgramRunOnHost(program, 1, &small, 0, NULL, 1, &out));
  expect(TinyGradErrorDType, "input 0 is int32, not float32",
         tinygradProgramRunOnHost(program, 1, &integers, 0, NULL, 1, &out));
  expect(TinyGradErrorArgument, "null",
         tinygradProgramRunOnHost(program, 1, NULL, 0, NULL, 1, &out));
  expect(TinyGradErrorNone, "",
         tinygradProgramRunOnHost(program, 1, &in, 0, NULL, 1, &out));
  if (y[3] != 16)
    ++failures;
  tinygradProgramDestroy(program);

  /* A module that was scheduled already is compiled from there. */
  MlirPassManager manager = mlirPassManagerCreate(context);
  if (mlirLogicalResultIsFailure(mlirOpPassManagerAddPipeline(
          mlirPassManagerGetAsOpPassManager(manager),
          mlirStringRefCreateFromCString("tg-schedule-pipeline"), NULL,
          NULL)) ||
      mlirLogicalResultIsFailure(
          mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module))))
    ++failures;
  mlirPassManagerDestroy(manager);
  y[3] = 0;
  expect(TinyGradErrorNone, "",
         tinygradProgramCompile(module, device, NULL, &program));
  expect(TinyGradErrorNone, "",
         tinygradProgramRunOnHost(program, 1, &in, 0, NULL, 1, &out));
  if (y[3] != 16)
    ++failures;
  tinygradProgramDestroy(program);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  printf("%d failures\n", failures);
  return failures != 0;
}
