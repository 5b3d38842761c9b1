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
#include "TinyGrad/Dialect/Tg/Transforms/ScheduleSteps.h"
#include "TinyGrad/Dialect/Tg/Validate/CompareKernels.h"
#include "TinyGrad/Dialect/Tg/Validate/Passes.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FileSystem.h"
#include <mutex>

namespace mlir::tg {
#define GEN_PASS_DEF_TGVERIFYSCHEDULES
#include "TinyGrad/Dialect/Tg/Validate/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

namespace {

/// What was found about one kernel.
struct Finding {
  Verdict verdict;
  /// The number of steps after which it differs.
  size_t step = 0;
  uint64_t parts = 0; ///< how many beginnings of the list were compared
};

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
    SmallVector<Finding> findings(kernels.size());
    parallelFor(&getContext(), 0, kernels.size(), [&](size_t i) {
      findings[i] = examine(kernels[i], scheduled[i]);
    });
    for (auto [i, finding] : llvm::enumerate(findings))
      if (finding.verdict.kind == Verdict::Kind::different)
        report(kernels[i], scheduled[i], finding);
    scratch.erase();
    if (printCounts)
      print(findings);
  }

private:
  static SmallVector<StepAttr> getSteps(KernelOp scheduled) {
    ArrayAttr steps = scheduled.getScheduledAttr();
    return steps ? llvm::to_vector(steps.getAsRange<StepAttr>())
                 : SmallVector<StepAttr>();
  }

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

  static Finding examine(KernelOp kernel, KernelOp scheduled) {
    Finding finding;
    const SmallVector<StepAttr> steps = getSteps(scheduled);
    SmallVector<int64_t> boundaries;
    for (StepAttr step : steps)
      if (step.getKind() != StepKind::set_kind)
        boundaries.push_back(step.getAmount());
    KernelComparison comparison(kernel, boundaries);
    OwningOpRef<KernelOp> copy = kernel.clone();
    // As before the first step.
    for (auto reduce :
         llvm::make_early_inc_range(copy->getBody().getOps<RangedReduceOp>()))
      if (reduce.getRanges().empty()) {
        reduce.replaceAllUsesWith(reduce.getValue());
        reduce.erase();
      }
    copy->removeScheduleAttr();
    visitSteps(*copy, getTargetFacts(kernel), steps,
               [&](size_t count, bool isComplete) {
                 if (!isComplete || count == steps.size())
                   return true;
                 ++finding.parts;
                 finding.verdict = comparison.compare(*copy, Effort::part());
                 finding.step = count;
                 return finding.verdict.kind != Verdict::Kind::different;
               });
    if (finding.verdict.kind == Verdict::Kind::different)
      return finding;
    finding.verdict = comparison.compare(scheduled, Effort::whole());
    finding.step = steps.size();
    return finding;
  }

  void report(KernelOp kernel, KernelOp scheduled, const Finding &finding) {
    const SmallVector<StepAttr> steps = getSteps(scheduled);
    InFlightDiagnostic error = kernel.emitError("kernel '")
                               << kernel.getName() << "' computes something "
                               << "else after step " << finding.step;
    if (finding.step > 0)
      error << ", " << steps[finding.step - 1];
    error << ": " << finding.verdict.text;
    error.attachNote() << "the steps are "
                       << ArrayAttr::get(&getContext(),
                                         SmallVector<Attribute>(steps.begin(),
                                                                steps.end()));
    if (!reproducer.empty() && !hasWritten) {
      hasWritten = true;
      std::error_code code;
      llvm::raw_fd_ostream os(reproducer, code);
      if (code) {
        error.attachNote() << "could not write " << reproducer << ": "
                           << code.message();
      } else {
        write(os, kernel, steps);
        error.attachNote() << "`tg-opt --tg-verify-schedules " << reproducer
                           << "` repeats it";
      }
    }
    error.report();
    signalPassFailure();
  }

  /// A module with the kernel alone, and the list of its steps.
  void write(raw_ostream &os, KernelOp kernel, ArrayRef<StepAttr> steps) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
    (*module)->setAttrs(getOperation()->getDiscardableAttrDictionary());
    KernelOp copy = kernel.clone();
    copy.setScheduleAttr(ArrayAttr::get(
        &getContext(), SmallVector<Attribute>(steps.begin(), steps.end())));
    module->push_back(copy);
    os << "// tg-opt --tg-verify-schedules\n";
    module->print(os);
    os << "\n";
  }

  void print(ArrayRef<Finding> findings) {
    uint64_t complete = 0, sampled = 0, elements = 0, parts = 0;
    llvm::MapVector<StringRef, uint64_t> reasons;
    for (const Finding &finding : findings) {
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

  bool hasWritten = false;
};
} // namespace
