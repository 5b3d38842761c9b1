/*===- buffers.c - memory of the caller as a buffer ---------------*- C -*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "TinyGrad-c/Dialect.h"
#include "TinyGrad-c/Program.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const kTwice =
    "func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {\n"
    "  %0 = tg.add %x, %x : tensor<1024xf32>\n"
    "  return %0 : tensor<1024xf32>\n"
    "}\n";

static void check(TinyGradError *error) {
  if (!error)
    return;
  fprintf(stderr, "%s\n", tinygradErrorGetMessage(error));
  tinygradErrorDestroy(error);
  exit(1);
}

/* [page] */
/* Runs a program of one input and one output, without a copy: `x` comes from
   malloc, and is freed with the last handle on it. */
static TinyGradBuffer *runOnce(TinyGradProgram *program, TinyGradDevice *device,
                               void *x, size_t bytes) {
  TinyGradBuffer *input, *output;
  check(tinygradBufferCreateExternal(device, x, bytes, TinyGradDTypeFloat32,
                                     free, x, &input));
  check(tinygradProgramRun(program, 1, &input, 0, NULL, 1, &output));
  tinygradBufferDestroy(input);
  check(tinygradDeviceSynchronize(device));
  return output; /* tinygradBufferGetAddress: where the result is */
}
/* [/page] */

int main(void) {
  MlirContext context = mlirContextCreate();
  mlirTgRegisterAllInContext(context);
  MlirModule module =
      mlirModuleCreateParse(context, mlirStringRefCreateFromCString(kTwice));
  TinyGradDevice *device;
  TinyGradProgram *program;
  check(tinygradDeviceGet("CPU", &device));
  check(tinygradProgramCompile(module, device, NULL, &program));
  mlirModuleDestroy(module);
  mlirContextDestroy(context);

  TinyGradTensorInfo info;
  if (!tinygradProgramGetInput(program, 0, &info) || info.rank != 1 ||
      info.shape[0] != 1024 || info.dtype != TinyGradDTypeFloat32)
    return 2;
  float *x = malloc(info.bytes);
  if (!x)
    return 3;
  for (int i = 0; i < 1024; ++i)
    x[i] = (float)i;
  TinyGradBuffer *output = runOnce(program, device, x, info.bytes);
  const float *y = tinygradBufferGetAddress(output);
  int wrong = 0;
  for (int i = 0; i < 1024; ++i)
    wrong += y[i] != 2.0f * (float)i;
  tinygradBufferDestroy(output);
  tinygradProgramDestroy(program);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
