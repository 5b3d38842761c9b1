//===- passes.cpp - the dialect and its passes outside the project --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

int main() {
  mlir::MLIRContext context;
  context.loadDialect<mlir::tg::TgDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      R"mlir(func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = tg.add %x, %x : tensor<4xf32>
        return %0 : tensor<4xf32>
      })mlir",
      &context);
  if (!module)
    return 1;
  mlir::PassManager passes(&context);
  mlir::tg::buildSchedulePipeline(passes, {});
  mlir::tg::buildOptimizePipeline(passes, {});
  if (mlir::failed(passes.run(*module)))
    return 2;
  return module->getOps<mlir::tg::KernelOp>().empty() ? 3 : 0;
}
