//===- CostModel.cpp - what fusing and storing cost -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The estimates are coarse on purpose: they compare computing a value again
/// with writing it once and reading it at each use, in units of one simple
/// operation. Nothing here depends on the device.
///
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tg;

/// Writing and reading one element of an intermediate.
constexpr double kStore = 12, kLoad = 6;
/// Starting one more kernel.
constexpr double kLaunch = 2000;
/// Bodies larger than this take longer to compile than fusion saves.
constexpr int64_t kMaxOps = 1000;

static double getWork(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<Exp2Op>([](auto) { return 10; })
      .Case<Log2Op>([](auto) { return 14; })
      .Case<SinOp>([](auto) { return 20; })
      .Case<PowOp>([](auto) { return 40; })
      .Case<ThreefryOp>([](auto) { return 80; })
      .Case<RecipOp, SqrtOp, FDivOp>([](auto) { return 4; })
      .Case<IDivOp, FloorDivOp, ModOp, FloorModOp>([](auto) { return 8; })
      .Default([](auto) { return 1; });
}

static int64_t countElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

CostModel::CostModel(Block &block, function_ref<bool(Value)> stored) {
  for (Operation &op : block.without_terminator()) {
    Value result = op.getResult(0);
    Estimate estimate;
    if (!stored(result) &&
        !isa<ConstOp, IotaOp, CopyOp, AssignOp, AfterOp>(op)) {
      estimate.work = isMovementOp(&op) ? 0 : getWork(&op);
      for (Value operand : op.getOperands()) {
        Estimate of = estimates.lookup(operand);
        // A reduction that is used more than once will hardly be run for each
        // use, but stored.
        if (of.reducesPerElement && !operand.hasOneUse() &&
            of.work > kStore + kLoad)
          of = Estimate();
        estimate.work += of.work;
        estimate.reducesPerElement |= of.reducesPerElement;
      }
      if (isa<ReduceOp>(op)) {
        double count = double(countElements(op.getOperand(0))) /
                       std::max<int64_t>(countElements(result), 1);
        estimate.work *= std::max(count, 1.0);
        estimate.reducesPerElement = count > 1;
      }
      // What is repeated is computed once for many elements, if loops allow;
      // whether they do shows in the accesses of the operand.
      if (isa<ExpandOp>(op) &&
          countElements(op.getOperand(0)) < countElements(result)) {
        estimate.reducesPerElement = false;
        estimate.work *= double(countElements(op.getOperand(0))) /
                         double(countElements(result));
      }
      estimate.work = std::min(estimate.work, 1e15);
    }
    estimates[result] = estimate;
  }
}

std::string CostModel::getReasonToStore(Value value,
                                        ArrayRef<Access *> accesses) const {
  Estimate estimate = estimates.lookup(value);
  double size = countElements(value), evaluations = 0;
  for (Access *access : accesses) {
    evaluations += access->getEvaluations();
    if (access->kernel->getNumOps() > kMaxOps)
      return "the kernel is large";
    if (!estimate.reducesPerElement)
      continue;
    for (Value range : access->scope)
      if (!llvm::is_contained(access->kernel->getResultRanges(), range))
        return "a reduction would run inside another one";
  }
  double again = evaluations * estimate.work;
  double once = size * (estimate.work + kStore) + evaluations * kLoad + kLaunch;
  if (again > once)
    return llvm::formatv("{0} evaluations of {1} elements at {2} operations "
                         "each cost more than storing them",
                         static_cast<int64_t>(evaluations),
                         static_cast<int64_t>(size), estimate.work);
  return "";
}
