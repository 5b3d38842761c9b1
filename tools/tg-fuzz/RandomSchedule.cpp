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
#include "TinyGrad/Dialect/Tg/IR/TgGroupOrder.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/Transforms/ScheduleSteps.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
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
/// A hint is one of so many steps: it changes no other one.
static constexpr unsigned kHintShare = 16;
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
  const auto kind = static_cast<RangeKind>(step.getAmount() % kBandUnit);
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
    // A copy: the calls below add to the cache.
    for (Value range : llvm::to_vector(analysis.getRanges(value))) {
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

namespace {
/// Adds steps to a copy of a kernel, in a module of its own for the same
/// target.
class RandomScheduler {
public:
  RandomScheduler(KernelOp kernel, uint64_t seed)
      // The schedule depends on the kernel's name.
      : random(seed ^ llvm::xxh3_64bits(kernel.getName())),
        module(ModuleOp::create(kernel.getLoc())), copy(kernel.clone()) {
    auto parent = kernel->getParentOfType<ModuleOp>();
    (*module)->setAttrs(parent->getDiscardableAttrDictionary());
    module->push_back(copy);
    limit = std::max(kMaxPositions, PositionCounter(copy).count());
  }

  /// Every other list begins with some steps of a heuristic, so that kernels
  /// are tried which random steps do not reach, such as those on matrix units.
  /// Half of these also end with the other steps, as far as they are admitted.
  LogicalResult run() {
    SmallVector<StepAttr> rest;
    if (choose(2) == 0)
      rest = applyHeuristic();
    const size_t count = choose(kMaxSteps + 1);
    for (size_t i = 0; i < count; ++i)
      if (failed(addStep()))
        return failure();
    if (choose(2) == 0) {
      ScopedDiagnosticHandler silence(module->getContext(),
                                      [](Diagnostic &) { return success(); });
      for (StepAttr step : rest)
        apply(step);
    }
    return success();
  }
  ArrayAttr getSteps() { return copy.getScheduledAttr(); }

private:
  size_t choose(size_t count) { return random() % count; }

  /// Applies steps, unless they are refused, or the kernel would be too large.
  /// Returns whether they were not refused.
  bool apply(ArrayRef<StepAttr> steps) {
    if (llvm::any_of(steps,
                     [&](StepAttr step) { return isTooLarge(step, copy); }))
      return true;
    KernelOp before = copy.clone();
    if (failed(applySteps(copy, steps))) {
      before.erase();
      return false;
    }
    if (PositionCounter(copy).count() <= limit) {
      before.erase();
      return true;
    }
    copy.erase();
    copy = before;
    module->push_back(copy);
    return true;
  }

  /// Applies a beginning of the list of a heuristic, and returns the rest.
  SmallVector<StepAttr> applyHeuristic() {
    OwningOpRef<ModuleOp> other = module->clone();
    PassManager manager(module->getContext());
    TgOptimizeKernelsOptions options;
    // Simpler schedules less often.
    while (options.firstSchedule + 1 < countSchedules(getTargetFacts(copy)) &&
           choose(2) == 0)
      ++options.firstSchedule;
    manager.nest<KernelOp>().addPass(createTgOptimizeKernels(options));
    SmallVector<StepAttr> steps;
    if (failed(manager.run(*other)))
      return steps;
    if (ArrayAttr list =
            (*other->getOps<KernelOp>().begin()).getScheduledAttr())
      llvm::append_range(steps, list.getAsRange<StepAttr>());
    // The first beginning from some length on that leaves nothing unfinished.
    ScopedDiagnosticHandler silence(module->getContext(),
                                    [](Diagnostic &) { return success(); });
    for (size_t count = choose(2) == 0 ? steps.size()
                                       : choose(steps.size() + 1);
         count <= steps.size(); ++count)
      if (succeeded(applySteps(copy, ArrayRef(steps).take_front(count)))) {
        steps.erase(steps.begin(), steps.begin() + count);
        break;
      }
    return steps;
  }

  LogicalResult addStep() {
    // Other kinds of steps are equally likely, however many of each there are.
    const bool isHint = choose(kHintShare) == 0;
    SmallVector<StepKind> kinds;
    for (uint32_t i = 0; i <= getMaxEnumValForStepKind(); ++i)
      if (const auto kind = static_cast<StepKind>(i);
          (kind == StepKind::prefetch || kind == StepKind::nontemporal) ==
          isHint)
        kinds.push_back(kind);
    while (!kinds.empty()) {
      auto *kind = kinds.begin() + choose(kinds.size());
      SmallVector<StepList> proposals = enumerateSteps(copy, *kind);
      llvm::erase_if(proposals, [&](const StepList &steps) {
        return llvm::any_of(
            steps, [&](StepAttr step) { return isTooLarge(step, copy); });
      });
      if (!proposals.empty())
        return success(apply(proposals[choose(proposals.size())]));
      kinds.erase(kind);
    }
    return success();
  }

  std::mt19937_64 random;
  OwningOpRef<ModuleOp> module;
  KernelOp copy;
  double limit = 0;
};
} // namespace

LogicalResult tg::setRandomSchedule(KernelOp kernel, uint64_t seed) {
  RandomScheduler scheduler(kernel, seed);
  if (failed(scheduler.run()))
    return failure();
  if (ArrayAttr steps = scheduler.getSteps())
    kernel.setScheduleAttr(steps);
  return success();
}
