//===- VerifySchedules.cpp - schedules keep what kernels compute ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-verify-schedules pass. What a kernel computes is found
/// without the analyses by which schedules are made: only the dialect says what
/// operations mean.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/Validate/ExamineSchedule.h"
#include "TinyGrad/Dialect/Tg/Validate/Passes.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGVERIFYSCHEDULES
#include "TinyGrad/Dialect/Tg/Validate/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

namespace {
struct TgVerifySchedulesPass
    : public tg::impl::TgVerifySchedulesBase<TgVerifySchedulesPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<KernelOp> kernels;
    for (auto kernel : module.getOps<KernelOp>())
      if (!kernel.getScheduled())
        kernels.push_back(kernel);
    if (kernels.empty())
      return;
    // The steps are those of copies, in a module of their own for the same
    // target.
    auto builder = OpBuilder::atBlockEnd(module.getBody());
    auto scratch = ModuleOp::create(builder, module.getLoc());
    scratch->setAttrs(module->getDiscardableAttrDictionary());
    SmallVector<KernelOp> scheduled;
    for (KernelOp kernel : kernels) {
      scheduled.push_back(kernel.clone());
      scratch.push_back(scheduled.back());
    }
    OpPassManager manager(ModuleOp::getOperationName());
    TgOptimizeKernelsOptions options;
    options.noOpt = noOpt;
    manager.nest<KernelOp>().addPass(createTgOptimizeKernels(options));
    if (failed(runPipeline(manager, scratch))) {
      scratch.erase();
      return signalPassFailure();
    }
    if (seedFault)
      for (KernelOp kernel : scheduled)
        makeFault(kernel);
    SmallVector<ScheduleFinding> findings(kernels.size());
    parallelFor(&getContext(), 0, kernels.size(), [&](size_t i) {
      findings[i] = examineSchedule(kernels[i], scheduled[i]);
    });
    // The file is for the first kernel that differs.
    StringRef file = reproducer;
    for (auto [i, finding] : llvm::enumerate(findings))
      if (finding.verdict.kind == Verdict::Kind::different) {
        emitDifference(kernels[i], scheduled[i], finding, file);
        file = {};
        signalPassFailure();
      }
    scratch.erase();
    if (printCounts)
      print(findings);
  }

private:
  static void makeFault(KernelOp kernel) {
    auto loads = kernel.getBody().getOps<LoadOp>();
    if (loads.empty())
      return;
    LoadOp load = *loads.begin();
    OpBuilder builder(load);
    Value one = ConstOp::create(builder, load.getLoc(), builder.getIndexType(),
                                builder.getIndexAttr(1));
    load.getIndexMutable().assign(
        AddOp::create(builder, load.getLoc(), load.getIndex(), one));
  }

  void print(ArrayRef<ScheduleFinding> findings) {
    uint64_t complete = 0, sampled = 0, elements = 0, parts = 0;
    llvm::MapVector<StringRef, uint64_t> reasons;
    for (const ScheduleFinding &finding : findings) {
      const Verdict &verdict = finding.verdict;
      elements += verdict.elements;
      parts += finding.parts;
      if (verdict.kind == Verdict::Kind::notCovered)
        ++reasons[verdict.text];
      else
        ++(verdict.isComplete ? complete : sampled);
    }
    // One line, so that those of several modules can be added up.
    llvm::outs() << "schedules: " << findings.size() << " kernels, " << complete
                 << " with all elements, " << sampled << " with some, " << parts
                 << " parts of lists, " << elements << " elements";
    for (auto &[reason, count] : reasons)
      llvm::outs() << "; " << count << " not covered: " << reason;
    llvm::outs() << "\n";
  }
};
} // namespace
