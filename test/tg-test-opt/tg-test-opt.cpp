//===- tg-test-opt.cpp - tg-opt with what tests add ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tg-opt` with the `tg_test` dialect.
///
//===----------------------------------------------------------------------===//

#include "TgTest.h"
#include "TinyGrad/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  mlir::tg::registerAllPasses();

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::tg::registerAllDialects(registry);
  registry.insert<tgtest::TgTestDialect>();

  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "TinyGrad optimizer with a dialect of the tests\n",
      registry));
}
