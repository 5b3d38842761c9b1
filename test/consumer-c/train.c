/*===- train.c - a program in C outside the project ---------------*- C -*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* [page] */
#include "TinyGrad-c/Dialect.h"
#include "TinyGrad-c/Program.h"

#include <stdio.h>
#include <stdlib.h>

/* The squared error of x w for n rows. */
static const char *const kLoss =
    "#n = #tg.var<\"n\", 1, 64>\n"
    "!rows = tensor<?x2xf32, #tg.shape<#n, 2>>\n"
    "!column = tensor<?x1xf32, #tg.shape<#n, 1>>\n"
    "func.func @main(%x: !rows, %w: tensor<1x2xf32>, %y: !column)\n"
    "    -> tensor<1x1xf32> {\n"
    "  %all = tg.expand %w : tensor<1x2xf32> -> !rows\n"
    "  %products = tg.mul %x, %all : !rows\n"
    "  %sums = tg.reduce add %products axes [1] : !rows -> !column\n"
    "  %errors = tg.sub %sums, %y : !column\n"
    "  %squares = tg.mul %errors, %errors : !column\n"
    "  %loss = tg.reduce add %squares axes [0] : !column -> tensor<1x1xf32>\n"
    "  return %loss : tensor<1x1xf32>\n"
    "}\n";

/* Ends the program after an error. */
static void check(TinyGradError *error) {
  if (!error)
    return;
  fprintf(stderr, "%s\n", tinygradErrorGetMessage(error));
  tinygradErrorDestroy(error);
  exit(1);
}

/* The loss and its gradient by w, compiled for the default device. */
static TinyGradProgram *compileStep(void) {
  MlirContext context = mlirContextCreate();
  mlirTgRegisterAllInContext(context);
  /* Mistakes in the text, and operations without a derivative, are diagnostics
     of the context, which are printed unless it has a handler. */
  MlirModule module =
      mlirModuleCreateParse(context, mlirStringRefCreateFromCString(kLoss));
  const unsigned w = 1;
  MlirTgDifferentiateOptions options = {0};
  options.numWrt = 1;
  options.wrt = &w;
  if (mlirModuleIsNull(module) ||
      mlirLogicalResultIsFailure(mlirTgDifferentiate(module, options)))
    exit(1);

  TinyGradDevice *device;
  TinyGradProgram *program;
  check(tinygradDeviceGet(NULL, &device));
  check(tinygradProgramCompile(module, device, NULL, &program));
  /* The program needs neither the module nor its context. */
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return program;
}

int main(void) {
  TinyGradProgram *program = compileStep();
  /* Memory for up to 64 rows, of which three are used: y = 2 a - b. */
  float x[64][2] = {{1, 0}, {0, 1}, {1, 1}}, y[64] = {2, -1, 1};
  float w[2] = {0, 0}, loss = 0, gradient[2];
  const TinyGradHostArray inputs[] = {
      {x, sizeof x, TinyGradDTypeFloat32},
      {w, sizeof w, TinyGradDTypeFloat32},
      {y, sizeof y, TinyGradDTypeFloat32},
  };
  const TinyGradHostArray outputs[] = {
      {&loss, sizeof loss, TinyGradDTypeFloat32},
      {gradient, sizeof gradient, TinyGradDTypeFloat32},
  };
  const int64_t n = 3;
  for (int step = 0; step < 100; ++step) {
    check(tinygradProgramRunOnHost(program, 3, inputs, 1, &n, 2, outputs));
    for (int i = 0; i < 2; ++i)
      w[i] -= 0.1f * gradient[i];
  }
  tinygradProgramDestroy(program);
  printf("w = [%.3f, %.3f], loss %.1e\n", w[0], w[1], loss);
  return loss < 1e-6f ? 0 : 1;
}
/* [/page] */
