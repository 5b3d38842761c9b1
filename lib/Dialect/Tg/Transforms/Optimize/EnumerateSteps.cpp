//===- EnumerateSteps.cpp - schedules as lists of steps -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the interface for schedule searches: checks, applies and
/// enumerates steps.
///
//===----------------------------------------------------------------------===//

#include "KernelSchedule.h"
#include "TinyGrad/Dialect/Tg/Transforms/ScheduleSteps.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace mlir::tg;

/// Largest split factor that is not a power of two.
static constexpr int64_t kMaxParts = 64;

LogicalResult tg::canApply(KernelOp kernel, StepAttr step,
                           std::string &reason) {
  std::optional<std::string> obstacle =
      KernelSchedule(kernel).findObstacle(step);
  if (!obstacle)
    return success();
  reason = std::move(*obstacle);
  return failure();
}

LogicalResult tg::applySteps(KernelOp kernel, ArrayRef<StepAttr> steps) {
  OwningOpRef<KernelOp> before = kernel.clone();
  auto restore = [&] {
    kernel.getBody().takeBody(before->getBody());
    kernel->setAttrs((*before)->getAttrDictionary());
  };
  KernelSchedule schedule(kernel);
  if (auto refused = schedule.applyAll(steps)) {
    restore();
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "' does not admit the step "
           << refused->step << ": " << refused->reason;
  }
  if (auto rest = schedule.findUnfinished()) {
    restore();
    return kernel.emitError() << "the steps of kernel '" << kernel.getName()
                              << "' are not complete: " << *rest;
  }
  SmallVector<Attribute> list;
  if (ArrayAttr earlier = kernel.getScheduledAttr())
    llvm::append_range(list, earlier);
  llvm::append_range(list, schedule.getSteps());
  kernel.setScheduledAttr(ArrayAttr::get(kernel.getContext(), list));
  return success();
}

void tg::visitSteps(KernelOp kernel, const TargetFacts &target,
                    ArrayRef<StepAttr> steps,
                    function_ref<bool(size_t, bool)> visit) {
  KernelSchedule schedule(kernel, target);
  for (auto [i, step] : llvm::enumerate(steps)) {
    schedule.apply(step);
    if (!visit(i + 1, !schedule.findUnfinished()))
      return;
  }
}

SmallVector<StepAttr> tg::enumerateSteps(KernelOp kernel) {
  KernelSchedule schedule(kernel);
  MLIRContext *context = kernel.getContext();
  SmallVector<StepAttr> steps;
  auto add = [&](StepKind kind, ArrayRef<StepOperand> ops,
                 ArrayRef<RangeOp> ranges, int64_t amount = 0) {
    auto ids = llvm::map_to_vector(ranges, [](RangeOp range) {
      return static_cast<int64_t>(range.getId());
    });
    auto step = StepAttr::get(context, kind, ops, ids, amount, {});
    if (!schedule.findObstacle(step))
      steps.push_back(step);
  };
  ArrayRef<RangeOp> ranges = schedule.getRanges();
  for (size_t i = 0; i < ranges.size(); ++i) {
    RangeOp range = ranges[i];
    if (range.getKind() == RangeKind::loop) {
      const int64_t extent = range.getLargestExtent();
      for (int64_t factor = 2; factor < extent; ++factor)
        if (llvm::isPowerOf2_64(factor) ||
            (factor <= kMaxParts && extent % factor == 0))
          add(StepKind::split, {}, range, factor);
        else if (factor > kMaxParts)
          factor = llvm::PowerOf2Ceil(factor) - 1;
      add(StepKind::reverse, {}, range);
    }
    for (uint32_t kind = 0; kind <= getMaxEnumValForRangeKind(); ++kind)
      if (static_cast<RangeKind>(kind) != range.getKind())
        add(StepKind::set_kind, {}, range, kind);
    if (i + 1 < ranges.size()) {
      add(StepKind::merge, {}, {range, ranges[i + 1]});
      add(StepKind::move, {}, {ranges[i + 1], range});
    }
  }
  for (int64_t owners = 2; owners <= kMaxParts; owners *= 2)
    add(StepKind::partition, {}, {}, owners);
  llvm::StringMap<int64_t> numbers;
  SmallVector<RangeOp> resultRanges = schedule.getResultRanges();
  for (Operation &op : kernel.getBody().front()) {
    StepOperand operand{op.getName().getIdentifier(),
                        numbers[op.getName().getStringRef()]++};
    if (auto reduce = dyn_cast<RangedReduceOp>(op)) {
      add(StepKind::unshare, operand, {});
      for (Value range : reduce.getRanges())
        add(StepKind::accumulate, operand, range.getDefiningOp<RangeOp>());
    }
    if (isa<StoreOp>(op))
      add(StepKind::nontemporal, operand, {});
    auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
    if (!isa<LoadOp, RangedReduceOp>(op) &&
        (!elementwise || !elementwise.isTranscendental()))
      continue;
    // Along one range, or along one of a reduction and one of the result.
    for (RangeOp range : ranges) {
      add(StepKind::stage, operand, range);
      if (schedule.isResultRange(range))
        continue;
      for (RangeOp other : resultRanges)
        add(StepKind::stage, operand, {range, other});
    }
  }
  return steps;
}
