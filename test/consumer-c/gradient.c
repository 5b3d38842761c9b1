/*===- gradient.c - gradients in a pipeline of the caller ---------*- C -*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "TinyGrad-c/Dialect.h"
#include "TinyGrad-c/Program.h"
#include "mlir-c/Pass.h"

#include <stdio.h>
#include <stdlib.h>

/* The sum of x (y - z). */
static const char *const kLoss =
    "func.func @loss(%x: tensor<2xf32>, %y: tensor<2xf32>,\n"
    "    %z: tensor<2xf32>) -> tensor<1xf32> {\n"
    "  %0 = tg.sub %y, %z : tensor<2xf32>\n"
    "  %1 = tg.mul %x, %0 : tensor<2xf32>\n"
    "  %2 = tg.reduce add %1 axes [0] : tensor<2xf32> -> tensor<1xf32>\n"
    "  return %2 : tensor<1xf32>\n"
    "}\n";

static void check(TinyGradError *error) {
  if (!error)
    return;
  fprintf(stderr, "%s\n", tinygradErrorGetMessage(error));
  tinygradErrorDestroy(error);
  exit(1);
}

static void print(MlirStringRef text, void *unused) {
  (void)unused;
  fwrite(text.data, 1, text.length, stderr);
}

/* [page] */
/* The same in a pass manager of the C API. */
static MlirLogicalResult addGradients(MlirPassManager passes,
                                      MlirStringCallback report) {
  return mlirOpPassManagerAddPipeline(
      mlirPassManagerGetAsOpPassManager(passes),
      mlirStringRefCreateFromCString(
          "tg-autodiff{entry=loss wrt=0,2 result=loss_and_gradients}"),
      report, NULL);
}
/* [/page] */

int main(void) {
  MlirContext context = mlirContextCreate();
  mlirTgRegisterAllInContext(context);
  MlirModule module =
      mlirModuleCreateParse(context, mlirStringRefCreateFromCString(kLoss));
  MlirPassManager passes = mlirPassManagerCreate(context);
  if (mlirModuleIsNull(module) ||
      mlirLogicalResultIsFailure(addGradients(passes, print)) ||
      mlirLogicalResultIsFailure(
          mlirPassManagerRunOnOp(passes, mlirModuleGetOperation(module))))
    return 2;
  mlirPassManagerDestroy(passes);
  TinyGradDevice *device;
  TinyGradProgram *program;
  TinyGradCompileOptions *options;
  check(tinygradDeviceGet("CPU", &device));
  check(tinygradCompileOptionsCreate(&options));
  check(tinygradCompileOptionsSetEntry(options, "loss_and_gradients"));
  check(tinygradProgramCompile(module, device, options, &program));
  tinygradCompileOptionsDestroy(options);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);

  float x[2] = {1, 2}, y[2] = {3, 5}, z[2] = {1, 1};
  float loss = 0, byX[2], byZ[2];
  const TinyGradHostArray inputs[] = {{x, sizeof x, TinyGradDTypeFloat32},
                                      {y, sizeof y, TinyGradDTypeFloat32},
                                      {z, sizeof z, TinyGradDTypeFloat32}};
  const TinyGradHostArray outputs[] = {
      {&loss, sizeof loss, TinyGradDTypeFloat32},
      {byX, sizeof byX, TinyGradDTypeFloat32},
      {byZ, sizeof byZ, TinyGradDTypeFloat32}};
  check(tinygradProgramRunOnHost(program, 3, inputs, 0, NULL, 3, outputs));
  tinygradProgramDestroy(program);
  printf("%g [%g %g] [%g %g]\n", loss, byX[0], byX[1], byZ[0], byZ[1]);
  return loss == 10 && byX[0] == 2 && byX[1] == 4 && byZ[0] == -1 &&
                 byZ[1] == -2
             ? 0
             : 3;
}
