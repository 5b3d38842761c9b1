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
/// Values of fewer operations are no place to cut a large kernel: a buffer for
/// each of its masks would cost more than the rest of it.
constexpr int64_t kMinOpsToCut = 32;

/// One more kernel to compile, shared out over its launches; and one more
/// tensor to choose from in a kernel.
constexpr double kKernel = 200000, kChoice = 1000;
/// Fewer launches of one kernel than this count like kernels of their own: few
/// kernels are what fusion is for.
constexpr int64_t kManyParts = 16;
/// Bytes that are written together.
constexpr double kLineBytes = 64;

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

CostModel::CostModel(Block &block, const DenseSet<Value> &stored)
    : stored(stored) {
  for (Operation &op : block.without_terminator())
    estimates[op.getResult(0)] = estimate(op);
}

CostModel::Estimate CostModel::estimate(Operation &op) const {
  Estimate estimate;
  if (isa<ConstOp, IotaOp, CopyOp, AssignOp, AfterOp>(op))
    return estimate;
  Value result = op.getResult(0);
  const double own = isMovementOp(&op) ? 0 : getWork(&op);
  estimate.work = estimate.workInPart = own;
  for (Value operand : op.getOperands()) {
    if (auto shrink = dyn_cast<ShrinkOp>(op)) {
      SmallVector<int64_t> from = *getStaticDims(shrink.getFrom());
      SmallVector<int64_t> to = *getStaticDims(shrink.getTo());
      operand = getSelected(
          operand, [&](Value value) { return stored.contains(value); },
          [&](int64_t axis) { return Interval{from[axis], to[axis] - 1}; });
    }
    Estimate of = getOperand(operand);
    // A reduction that is used more than once will hardly be run for each
    // use, but stored.
    if (of.reducesPerElement && !operand.hasOneUse() &&
        of.work > kStore + kLoad)
      of = Estimate();
    estimate.work += of.work;
    estimate.workInPart += of.workInPart;
    estimate.ops += of.ops;
    estimate.selections = std::max(estimate.selections, of.selections);
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
    estimate.work *=
        double(countElements(op.getOperand(0))) / double(countElements(result));
  }
  estimate.work = std::min(estimate.work, 1e15);
  estimate.ops = std::min<int64_t>(estimate.ops, kMaxOps);
  if (auto selection = getSelection(result)) {
    ++estimate.selections;
    estimate.workInPart = std::max(getOperand(selection->below).workInPart,
                                   getOperand(selection->above).workInPart);
  } else if (!op.hasTrait<OpTrait::Elementwise>()) {
    estimate.selections = 0;
  }
  if (estimate.selections == 0)
    estimate.workInPart = estimate.work;
  return estimate;
}

int64_t CostModel::getExpectedOps(Value value) const {
  const int64_t ops = getOperand(value).ops;
  return ops < kMinOpsToCut ? ops : 1;
}

/// What filling a buffer with the value costs.
double CostModel::getCost(Value value, const Partition &partition) const {
  Estimate estimate = estimates.lookup(value);
  const auto type = cast<RankedTensorType>(value.getType());
  const double size = countElements(value);
  const double parts = partition.getNumParts();
  if (partition.isWhole())
    return size * (estimate.work + kStore) + kKernel +
           kChoice * static_cast<double>(estimate.selections);
  // Parts of short rows share their lines with others.
  ArrayRef<int64_t> shape = type.getShape();
  double lines = 1;
  if (llvm::any_of(shape.take_front(partition.axis),
                   [](int64_t outer) { return outer != 1; })) {
    double row = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t inner : shape.drop_front(partition.axis))
      row *= static_cast<double>(inner);
    lines = std::max(1.0, kLineBytes * parts / row);
  }
  // Parts of one size are hoped to be one kernel.
  DenseSet<int64_t> sizes;
  int64_t from = 0;
  for (int64_t bound : partition.bounds) {
    sizes.insert(bound - from);
    from = bound;
  }
  sizes.insert(shape[partition.axis] - from);
  const double kernels =
      parts < kManyParts ? parts : static_cast<double>(sizes.size());
  return size * (estimate.workInPart + kStore * lines) + kernels * kKernel +
         parts * kLaunch;
}

/// The boundaries, by axis and in order, that the choices behind the value with
/// nothing but elementwise operations in between have.
SmallVector<SmallVector<int64_t>> CostModel::getBounds(Value value) const {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  SmallVector<SmallVector<int64_t>> bounds(shape.size());
  if (estimates.lookup(value).selections == 0)
    return bounds;
  SmallVector<Value> worklist{value};
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto selection = getSelection(next))
      if (selection->bound > 0 && selection->bound < shape[selection->axis])
        bounds[selection->axis].push_back(selection->bound);
    for (Value operand : next.getDefiningOp()->getOperands())
      if (getOperand(operand).selections != 0)
        worklist.push_back(operand);
  }
  for (SmallVector<int64_t> &positions : bounds) {
    llvm::sort(positions);
    positions.erase(llvm::unique(positions), positions.end());
  }
  return bounds;
}

/// Along the axis that has the most.
static Partition getFinestPartition(ArrayRef<SmallVector<int64_t>> bounds) {
  Partition partition;
  for (auto [axis, positions] : llvm::enumerate(bounds))
    if (positions.size() > partition.bounds.size())
      partition = {static_cast<int64_t>(axis), positions};
  return partition;
}

Partition CostModel::getPartition(Value value) const {
  Partition partition = getFinestPartition(getBounds(value));
  if (countElements(value) != 0 &&
      getCost(value, partition) < getCost(value, {}))
    return partition;
  return {};
}

/// Work for one element of an access, which may meet a few of the choices only.
static double getWorkAt(Access &access, double work, double workInPart,
                        ArrayRef<SmallVector<int64_t>> bounds) {
  int64_t met = 0, all = 0;
  for (auto [index, positions] : llvm::zip(access.indices, bounds)) {
    if (positions.empty())
      continue;
    Interval interval =
        access.kernel->getIndex().getAnalysis().getInterval(index);
    met += llvm::upper_bound(positions, interval.hi) -
           llvm::upper_bound(positions, interval.lo);
    all += positions.size();
  }
  return all == 0
             ? work
             : workInPart + (work - workInPart) * static_cast<double>(met) /
                                static_cast<double>(all);
}

std::string CostModel::getReasonToStore(Value value,
                                        ArrayRef<Access *> accesses) const {
  Estimate estimate = estimates.lookup(value);
  const SmallVector<SmallVector<int64_t>> bounds = getBounds(value);
  double size = countElements(value), evaluations = 0, again = 0;
  for (Access *access : accesses) {
    const double count = access->getEvaluations();
    evaluations += count;
    again +=
        count * getWorkAt(*access, estimate.work, estimate.workInPart, bounds);
    if (estimate.ops >= kMinOpsToCut && access->kernel->getNumOps() > kMaxOps)
      return "the kernel is large";
    if (!estimate.reducesPerElement)
      continue;
    for (Value range : access->scope)
      if (!llvm::is_contained(access->kernel->getResultRanges(), range))
        return "a reduction would run inside another one";
  }
  double once = size * (estimate.work + kStore) + kLaunch;
  if (Partition partition = getFinestPartition(bounds); !partition.isWhole())
    once = std::min(once, getCost(value, partition));
  if (again > once + evaluations * kLoad)
    return llvm::formatv("{0} evaluations of {1} elements at {2} operations "
                         "each cost more than storing them",
                         static_cast<int64_t>(evaluations),
                         static_cast<int64_t>(size), again / evaluations);
  return "";
}
