//===- RandomSchedule.cpp - random schedules of kernels -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Chooses random steps among those that a kernel admits.
///
//===----------------------------------------------------------------------===//

#include "RandomSchedule.h"
#include "TinyGrad/Dialect/Tg/Transforms/ScheduleSteps.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/xxhash.h"
#include <random>

using namespace mlir;
using namespace mlir::tg;

/// The maximal number of steps for a kernel.
static constexpr unsigned kMaxSteps = 10;
/// The maximal numbers of lanes, and of copies made by all unrolled ranges:
/// larger admitted schedules take LLVM minutes to compile.
static constexpr int64_t kMaxLanes = 32, kMaxCopies = 32;
/// The maximal number of positions at which something is computed, unless the
/// kernel without steps has more: other admitted schedules run for minutes on
/// the simulated GPU.
static constexpr double kMaxPositions = 1 << 22;

/// Whether the step generates code that takes long to compile.
static bool isTooLarge(StepAttr step, KernelOp kernel) {
  if (step.getKind() != StepKind::set_kind)
    return false;
  const auto kind = static_cast<RangeKind>(step.getAmount());
  int64_t copies = 1;
  for (auto range : kernel.getBody().getOps<RangeOp>()) {
    const bool isThis =
        static_cast<int64_t>(range.getId()) == step.getRanges().front();
    const int64_t extent = range.getLargestExtent();
    if (isThis && kind == RangeKind::upcast)
      return extent > kMaxLanes;
    if (range.getKind() == RangeKind::unroll ||
        (isThis && kind == RangeKind::unroll))
      copies =
          std::min(copies, kMaxCopies + 1) * std::min(extent, kMaxCopies + 1);
  }
  return kind == RangeKind::unroll && copies > kMaxCopies;
}

namespace {
/// Estimates how often a kernel computes something. A value that depends on an
/// inner range is computed again at each position of those around it: of result
/// ranges before it, and of the loops in which the reduction or tile is
/// computed that closes it.
class PositionCounter {
public:
  explicit PositionCounter(KernelOp kernel) : kernel(kernel) {
    for (Operation &op : kernel.getBody().front())
      for (Value range : getClosed(op))
        closers[range].push_back(&op);
  }

  double count() {
    // Every work item computes what does not depend on its position again.
    llvm::SetVector<Value> parallel;
    for (auto range : kernel.getBody().getOps<RangeOp>())
      if (const RangeKind kind = range.getKind();
          kind == RangeKind::global || kind == RangeKind::local ||
          kind == RangeKind::thread || kind == RangeKind::group_reduce)
        parallel.insert(range);
    double most = 0;
    for (Operation &op : kernel.getBody().front()) {
      llvm::SetVector<Value> loops = parallel;
      visited.clear();
      for (Value value : op.getNumResults() > 0 ? ValueRange(op.getResults())
                                                : op.getOperands())
        addLoops(value, loops);
      loops.insert_range(getClosed(op));
      double positions = 1;
      for (Value range : loops)
        positions *= static_cast<double>(
            range.getDefiningOp<RangeOp>().getLargestExtent());
      most = std::max(most, positions);
    }
    return most;
  }

private:
  static OperandRange getClosed(Operation &op) {
    return llvm::TypeSwitch<Operation *, OperandRange>(&op)
        .Case<RangedReduceOp, RangedScanOp, StageOp>(
            [](auto op) { return op.getRanges(); })
        .Default(OperandRange(op.operand_end(), op.operand_end()));
  }

  /// The loops around the computation of a value.
  void addLoops(Value value, llvm::SetVector<Value> &loops) {
    for (Value range : analysis.getRanges(value)) {
      if (!visited.insert(range).second)
        continue;
      loops.insert(range);
      Operation *inner = range.getDefiningOp();
      auto it = closers.find(range);
      if (it == closers.end()) {
        for (auto outer : kernel.getBody().getOps<RangeOp>())
          if (outer->isBeforeInBlock(inner) && !closers.contains(outer))
            loops.insert(outer);
        continue;
      }
      for (Operation *closer : it->second) {
        for (Value other : getClosed(*closer))
          if (other.getDefiningOp()->isBeforeInBlock(inner))
            loops.insert(other);
        addLoops(closer->getResult(0), loops);
      }
    }
  }

  KernelOp kernel;
  IndexAnalysis analysis;
  llvm::DenseMap<Value, SmallVector<Operation *, 2>> closers;
  llvm::DenseSet<Value> visited; ///< ranges that addLoops has been at
};
} // namespace

LogicalResult tg::setRandomSchedule(KernelOp kernel, uint64_t seed) {
  // The schedule depends on the kernel's name.
  std::mt19937_64 random(seed ^ llvm::xxh3_64bits(kernel.getName()));
  auto choose = [&](size_t count) { return random() % count; };
  // A copy in a module of its own, with the same target.
  auto parent = kernel->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  (*module)->setAttrs(parent->getAttrDictionary());
  KernelOp copy = kernel.clone();
  module->push_back(copy);
  const size_t count = choose(kMaxSteps + 1);
  const double limit = std::max(kMaxPositions, PositionCounter(copy).count());
  for (size_t i = 0; i < count; ++i) {
    // Kinds of steps are equally likely, however many steps of each there are.
    SmallVector<SmallVector<StepAttr>> steps(getMaxEnumValForStepKind() + 1);
    for (StepAttr step : enumerateSteps(copy))
      if (!isTooLarge(step, copy))
        steps[static_cast<size_t>(step.getKind())].push_back(step);
    llvm::erase_if(steps, [](auto &ofKind) { return ofKind.empty(); });
    if (steps.empty())
      break;
    ArrayRef<StepAttr> ofKind = steps[choose(steps.size())];
    StepAttr step = ofKind[choose(ofKind.size())];
    KernelOp before = copy.clone();
    if (failed(applySteps(copy, step)))
      return failure();
    if (PositionCounter(copy).count() > limit) {
      copy.erase();
      copy = before;
      module->push_back(copy);
      continue;
    }
    before.erase();
  }
  if (ArrayAttr steps = copy.getScheduledAttr())
    kernel.setScheduleAttr(steps);
  return success();
}
