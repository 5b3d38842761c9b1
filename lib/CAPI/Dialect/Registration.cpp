//===- Registration.cpp - dialect and passes for C ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the dialect handle, the registration of passes and
/// differentiation for C.
///
//===----------------------------------------------------------------------===//

#include "mlir/CAPI/Registration.h"
#include "TinyGrad-c/Dialect.h"
#include "TinyGrad/Conversion/Passes.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/Validate/Passes.h"
#include "TinyGrad/Dialect/Tg/Verify/Passes.h"
#include "TinyGrad/InitAll.h"
#include "TinyGrad/Target/All/AllTargets.h"
#include "TinyGrad/Target/All/Passes.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <mutex>

using namespace mlir;
using namespace mlir::tg;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Tg, tg, mlir::tg::TgDialect)

extern "C" {
#include "TinyGrad/Conversion/Passes.capi.cpp.inc"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.capi.cpp.inc"
#include "TinyGrad/Dialect/Tg/Validate/Passes.capi.cpp.inc"
#include "TinyGrad/Dialect/Tg/Verify/Passes.capi.cpp.inc"
#include "TinyGrad/Target/All/Passes.capi.cpp.inc"
}

void mlirTgRegisterAllPasses(void) {
  static std::once_flag once;
  std::call_once(once, registerAllPasses);
}

static void registerEverything(DialectRegistry &registry) {
  mlirTgRegisterAllPasses();
  registerAllDialects(registry);
  registry.insert<func::FuncDialect>();
  registerAllTargetDialects(registry);
}

void mlirTgRegisterAll(MlirDialectRegistry registry) {
  if (mlirDialectRegistryIsNull(registry))
    return;
  registerEverything(*unwrap(registry));
}

void mlirTgRegisterAllInContext(MlirContext context) {
  if (mlirContextIsNull(context))
    return;
  DialectRegistry registry;
  registerEverything(registry);
  unwrap(context)->appendDialectRegistry(registry);
  unwrap(context)->loadDialect<TgDialect, func::FuncDialect>();
}

MlirLogicalResult mlirTgDifferentiate(MlirModule module,
                                      MlirTgDifferentiateOptions options) {
  if (mlirModuleIsNull(module) || options.numWrt < 0 || options.numOf < 0 ||
      (options.numWrt > 0 && !options.wrt) ||
      (options.numOf > 0 && !options.of))
    return mlirLogicalResultFailure();
  TgAutodiffOptions passOptions;
  if (options.entry.length != 0)
    passOptions.entry = unwrap(options.entry).str();
  passOptions.wrt.append(options.wrt, options.wrt + options.numWrt);
  passOptions.of.append(options.of, options.of + options.numOf);
  if (options.result.length != 0)
    passOptions.result = unwrap(options.result).str();
  passOptions.onlyGradients = options.onlyGradients;
  ModuleOp op = unwrap(module);
  PassManager manager(op.getContext());
  manager.addPass(createTgAutodiff(std::move(passOptions)));
  return wrap(manager.run(op));
}
