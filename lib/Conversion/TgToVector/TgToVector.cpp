//===- TgToVector.cpp - The convert-tg-to-vector pass ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass and its function form, on top of VectorEmitter.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/TgToVector/TgToVector.h"
#include "TinyGrad/Dialect/Tg/IR/TgLaunchedElements.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"
#include "VectorEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::tg {
#define GEN_PASS_DEF_CONVERTTGTOVECTOR
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

FailureOr<func::FuncOp> tg::convertKernelToVector(OpBuilder &builder,
                                                  KernelOp kernel,
                                                  const TargetFacts &target) {
  return tovector::VectorEmitter(kernel, builder, target).emit();
}

namespace {
struct ConvertTgToVectorPass
    : tg::impl::ConvertTgToVectorBase<ConvertTgToVectorPass> {
  void runOnOperation() override {
    if (failed(requireLevel(getOperation(), {ModuleLevel::Kernels,
                                             ModuleLevel::ScheduledKernels})))
      return signalPassFailure();
    // Host programs refer to kernels, which are about to be replaced; what
    // they pass is noted for proofs.
    ModuleLaunches(getOperation()).note(getOperation());
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (func.walk([](LaunchOp) { return WalkResult::interrupt(); })
              .wasInterrupted())
        func.erase();
    SmallVector<KernelOp> kernels;
    for (Operation &op : getOperation()->getRegion(0).getOps())
      if (auto kernel = dyn_cast<KernelOp>(op))
        kernels.push_back(kernel);
    for (KernelOp kernel : kernels) {
      OpBuilder builder(kernel);
      if (failed(
              convertKernelToVector(builder, kernel, getTargetFacts(kernel))))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace
