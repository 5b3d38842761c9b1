//===- ExamineSchedule.cpp - a kernel and its schedule --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the first step after which a kernel computes something else, and
/// reports it.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Validate/ExamineSchedule.h"
#include "TinyGrad/Dialect/Tg/Transforms/ScheduleSteps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::tg;

static SmallVector<StepAttr> getSteps(KernelOp scheduled) {
  ArrayAttr steps = scheduled.getScheduledAttr();
  return steps ? llvm::to_vector(steps.getAsRange<StepAttr>())
               : SmallVector<StepAttr>();
}

static ArrayAttr makeArray(MLIRContext *context, ArrayRef<StepAttr> steps) {
  return ArrayAttr::get(context,
                        SmallVector<Attribute>(steps.begin(), steps.end()));
}

ScheduleFinding tg::examineSchedule(KernelOp kernel, KernelOp scheduled) {
  ScheduleFinding finding;
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
  visitSteps(*copy, getTargetFacts(scheduled), steps,
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

/// Writes a module with the kernel alone, and the list of its steps.
static void write(raw_ostream &os, KernelOp kernel, KernelOp scheduled) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  (*module)->setAttrs(
      scheduled->getParentOfType<ModuleOp>()->getDiscardableAttrDictionary());
  KernelOp copy = kernel.clone();
  copy.setScheduleAttr(makeArray(kernel.getContext(), getSteps(scheduled)));
  module->push_back(copy);
  os << "// tg-opt --tg-verify-schedules\n";
  module->print(os);
  os << "\n";
}

void tg::emitDifference(KernelOp kernel, KernelOp scheduled,
                        const ScheduleFinding &finding, StringRef reproducer) {
  const SmallVector<StepAttr> steps = getSteps(scheduled);
  InFlightDiagnostic error = kernel.emitError("kernel '")
                             << kernel.getName() << "' computes something "
                             << "else after step " << finding.step;
  if (finding.step > 0)
    error << ", " << steps[finding.step - 1];
  error << ": " << finding.verdict.text;
  error.attachNote() << "the steps are "
                     << makeArray(kernel.getContext(), steps);
  if (reproducer.empty())
    return;
  std::error_code code;
  llvm::raw_fd_ostream os(reproducer, code);
  if (code) {
    error.attachNote() << "could not write " << reproducer << ": "
                       << code.message();
    return;
  }
  write(os, kernel, scheduled);
  error.attachNote() << "`tg-opt --tg-verify-schedules " << reproducer
                     << "` repeats it";
}
