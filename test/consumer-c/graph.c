/*===- graph.c - a graph that is built in C -----------------------*- C -*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "TinyGrad-c/Builder.h"
#include "TinyGrad-c/Dialect.h"
#include "TinyGrad-c/Program.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdio.h>
#include <stdlib.h>

static void check(TinyGradError *error) {
  if (!error)
    return;
  fprintf(stderr, "%s\n", tinygradErrorGetMessage(error));
  tinygradErrorDestroy(error);
  exit(1);
}

/* [page] */
static MlirStringRef text(const char *string) {
  return mlirStringRefCreateFromCString(string);
}

/* @main(x, weight): the largest of softmax(tanh(x weight)) of up to 64 rows. */
static MlirLogicalResult buildNetwork(MlirLocation location,
                                      MlirModule module) {
  MlirContext context = mlirLocationGetContext(location);
  MlirType f32 = mlirF32TypeGet(context);
  const MlirAttribute rows[] = {
      mlirTgVarAttrGetChecked(location, text("n"), 1, 64),
      mlirTgDimGetNumber(context, 2)};
  const MlirAttribute square[] = {rows[1], rows[1]};
  const MlirType types[] = {
      mlirTgTensorTypeGetChecked(location, 2, rows, f32),
      mlirTgTensorTypeGetChecked(location, 2, square, f32)};
  MlirTgBuilder builder = mlirTgBuilderCreate(location);
  mlirTgBuilderBeginFunction(builder, module, text("main"), 2, types);
  MlirValue product =
      mlirTgBuilderMatmul(builder, mlirTgBuilderGetArgument(builder, 0),
                          mlirTgBuilderGetArgument(builder, 1));
  MlirValue hidden = mlirTgBuilderApply(builder, text("tg.tanh"), product);
  MlirValue scores = mlirTgBuilderSoftmax(builder, hidden, -1);

  /* Any operation, by its name and its attributes. */
  const MlirNamedAttribute attributes[] = {
      {mlirIdentifierGet(context, text("kind")),
       mlirAttributeParseGet(context, text("#tg<reduce_kind max>"))},
      {mlirIdentifierGet(context, text("axes")),
       mlirAttributeParseGet(context, text("array<i64: 1>"))}};
  MlirOperation largest = mlirTgBuilderCreateOperation(
      builder, text("tg.reduce"), 1, &scores, 2, attributes, 0, NULL);

  /* If one of them failed, so did all that use its result. */
  MlirLogicalResult result = mlirLogicalResultFailure();
  if (!mlirOperationIsNull(largest)) {
    MlirValue value = mlirOperationGetResult(largest, 0);
    result = mlirTgBuilderEndFunction(builder, 1, &value);
  }
  mlirTgBuilderDestroy(builder);
  return result;
}
/* [/page] */

int main(void) {
  MlirContext context = mlirContextCreate();
  mlirTgRegisterAllInContext(context);
  MlirLocation location =
      mlirLocationFileLineColGet(context, text("graph.c"), 1, 1);
  MlirModule module = mlirModuleCreateEmpty(location);
  if (mlirLogicalResultIsFailure(buildNetwork(location, module)))
    return 2;
  TinyGradDevice *device;
  TinyGradProgram *program;
  check(tinygradDeviceGet("CPU", &device));
  check(tinygradProgramCompile(module, device, NULL, &program));
  mlirModuleDestroy(module);
  mlirContextDestroy(context);

  /* Rows whose two scores are equal, and two numbers of which one is far
     larger: the larger probability is e^2 / (1 + e^2). */
  float x[3][2] = {{0, 0}, {7, 7}, {100, -100}},
        weight[2][2] = {{1, 0}, {0, 1}};
  float largest[3];
  const TinyGradHostArray inputs[] = {
      {x, sizeof x, TinyGradDTypeFloat32},
      {weight, sizeof weight, TinyGradDTypeFloat32}};
  const TinyGradHostArray output = {largest, sizeof largest,
                                    TinyGradDTypeFloat32};
  const int64_t n = 3;
  check(tinygradProgramRunOnHost(program, 2, inputs, 1, &n, 1, &output));
  tinygradProgramDestroy(program);
  printf("%g %g %.6f\n", largest[0], largest[1], largest[2]);
  return largest[0] == 0.5f && largest[1] == 0.5f && largest[2] > 0.88079f &&
                 largest[2] < 0.88080f
             ? 0
             : 3;
}
