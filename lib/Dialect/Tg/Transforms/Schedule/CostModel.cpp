//===- CostModel.cpp - cost of recomputing and of storing -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The estimates are deliberately coarse. They compare recomputing a value with
/// writing it once and reading it at each use, in units of a simple operation.
/// They depend on the target only through `TargetFacts`.
///
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "Tiles.h"
#include "TinyGrad/Dialect/Tg/IR/TgConstantFold.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>

using namespace mlir;
using namespace mlir::tg;

/// Kernels with more operations take longer to compile than fusion saves.
constexpr int64_t kMaxOps = 1000;
/// Kernels with as many ranges take no more reductions: a schedule splits most
/// ranges into two or three, and has an upper limit for them.
constexpr size_t kMaxRanges = 20;
/// Large kernels are not split at values with fewer operations: a buffer for
/// each such mask would cost more than it saves.
constexpr int64_t kMinOpsToCut = 32;

/// The fixed cost of each selection between tensors in a kernel, besides the
/// masked loads.
constexpr double kChoice = 1000;
/// For a value in fewer parts than this, each launch beyond one per kernel
/// costs kFewLaunch, since fusion is to reduce launches.
constexpr int64_t kManyParts = 16;
constexpr double kFewLaunch = 200000;
/// The limit for operations repeated in several parts, as a multiple of the
/// operations without parts.
constexpr double kMaxShared = 64;
/// The depth up to which computations are compared.
constexpr int64_t kKindDepth = 4;

/// The cost of the operation itself for one element.
static double getWork(Operation *op) {
  if (auto elementwise = dyn_cast<ElementwiseOpInterface>(op))
    return static_cast<double>(elementwise.getWork());
  // The only movement operation with a cost is tg.strided; the others only
  // occur in targets of assignments.
  return isa<MovementOpInterface>(op) ? 0 : 1;
}

static int64_t countElements(Value value) {
  return getBufferSize(cast<RankedTensorType>(value.getType()));
}

CostModel::CostModel(Block &block, const DenseSet<Value> &stored)
    : target(getTargetFacts(block.getParentOp())), stored(stored) {
  for (Operation &op : block.without_terminator())
    estimates[op.getResult(0)] = estimate(op);
  findReads(block);
}

/// The approximate number of reads of each position that a view reads at all.
/// Axes are visited in order of their strides: either the next axis steps over
/// the distance spanned so far, or its steps overlap, as windows do.
static double countRepetitions(const View &view) {
  SmallVector<std::pair<double, double>> axes;
  double count = 1;
  for (auto [size, stride] : llvm::zip(view.shape, view.strides)) {
    const auto extent =
        static_cast<double>(std::max<int64_t>(size.getMax(), 1));
    if (stride.is(0))
      count *= extent;
    else if (stride.isStatic())
      axes.emplace_back(std::abs(static_cast<double>(stride.getMax())), extent);
  }
  llvm::sort(axes);
  double reach = 1;
  for (auto [stride, extent] : axes) {
    const double joined = stride * (extent - 1) + reach;
    count *= std::max(1.0, extent * reach / joined);
    reach = joined;
  }
  return count;
}

/// The number of reads of each element that is read at all.
static double countRepetitions(StridedOp strided) {
  double count = 1;
  for (auto attr : strided.getViews().getAsRange<ViewAttr>())
    count *= countRepetitions(View(attr));
  return count;
}

/// Bounds of the positions read along each axis of the operand.
static SmallVector<Interval> getReadPositions(StridedOp strided) {
  SmallVector<Interval> positions(strided.getX().getType().getRank());
  const View view(cast<ViewAttr>(strided.getViews()[0]));
  SmallVector<Dim> shape = getDims(strided.getX().getType());
  for (const AxisGroup &group : splitPositions(shape, view))
    if (group.end - group.begin == 1)
      positions[group.begin] = {group.min.getMin(), group.max.getMax()};
  return positions;
}

/// All positions of a tensor.
static SmallVector<Interval> getAllPositions(RankedTensorType type) {
  return llvm::map_to_vector(getLargestShape(type), [](int64_t size) {
    return Interval{0, size - 1};
  });
}

/// Walks backwards: the positions read of an operand follow from those read of
/// the result.
void CostModel::findReads(Block &block) {
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    Value result = op.getResult(0);
    const auto type = cast<RankedTensorType>(result.getType());
    SmallVector<Interval> all = getAllPositions(type), read;
    for (Operation *user : result.getUsers()) {
      SmallVector<Interval> byUser = all;
      if (auto strided = dyn_cast<StridedOp>(user))
        byUser = getReadPositions(strided);
      else if (auto it = reads.find(
                   user->getNumResults() == 1 ? user->getResult(0) : Value());
               it != reads.end() && !stored.contains(user->getResult(0)) &&
               user->hasTrait<OpTrait::Elementwise>())
        byUser = it->second;
      if (read.empty())
        read.assign(all.size(), Interval::getEmpty());
      for (auto [of, by, whole] : llvm::zip_equal(read, byUser, all))
        of = of.unite(by.intersect(whole));
    }
    if (llvm::any_of(llvm::zip(read, all), [](auto pair) {
          return !std::get<0>(pair).contains(std::get<1>(pair));
        }))
      reads[result] = read;
  }
}

std::pair<SmallVector<Dim>, SmallVector<Dim>>
CostModel::getReadPart(Value value) const {
  SmallVector<Dim> to = getDims(cast<RankedTensorType>(value.getType()));
  SmallVector<Dim> from(to.size(), Dim(value.getContext(), 0));
  if (auto it = reads.find(value);
      it != reads.end() && !stored.contains(value) &&
      llvm::none_of(it->second, [](Interval of) { return of.isEmpty(); }))
    for (auto [begin, end, positions] : llvm::zip_equal(from, to, it->second))
      if (end.isStatic()) {
        begin = Dim(value.getContext(), positions.getMin());
        end = Dim(value.getContext(), positions.getMax() + 1);
      }
  return {from, to};
}

double CostModel::countReadElements(Value value) const {
  const auto [from, to] = getReadPart(value);
  double count = 1;
  for (auto [begin, end] : llvm::zip_equal(from, to))
    count *= static_cast<double>((end - begin).getMax());
  return count;
}

/// Whether computing a position in the operand requires a division.
static bool dividesPositions(StridedOp strided) {
  const SmallVector<Dim> shape = getDims(strided.getX().getType());
  return strided.getViews().size() > 1 ||
         llvm::any_of(
             splitPositions(shape, View(cast<ViewAttr>(strided.getViews()[0]))),
             [&](const AxisGroup &group) {
               return llvm::count_if(ArrayRef(shape).slice(
                                         group.begin, group.end - group.begin),
                                     [](Dim size) { return !size.is(1); }) > 1;
             });
}

CostModel::Estimate CostModel::estimate(Operation &op) const {
  Estimate estimate;
  if (isa<ConstOp, IotaOp, DimOp, CopyOp, AssignOp, AfterOp, ScanOp, ScatterOp,
          ArgsortOp>(op))
    return estimate;
  Value result = op.getResult(0);
  auto strided = dyn_cast<StridedOp>(op);
  const double own = getWork(&op);
  estimate.work = estimate.workInPart = own;
  for (Value operand : op.getOperands()) {
    if (strided) {
      const SmallVector<Interval> positions = getReadPositions(strided);
      operand = getSelected(
          operand, [&](Value value) { return stored.contains(value); },
          [&](int64_t axis) { return positions[axis]; });
    }
    Estimate of = getOperand(operand);
    // A reduction with several uses will usually be stored, not repeated for
    // each use.
    if (of.reducesPerElement && !operand.hasOneUse() &&
        of.work > double(target.storeCost) + double(target.loadCost))
      of = Estimate();
    estimate.work += of.work;
    estimate.tiledWork += of.tiledWork;
    estimate.isDivided |= of.isDivided;
    estimate.workInPart += of.workInPart;
    estimate.ops += of.ops;
    estimate.opsInPart += of.opsInPart;
    estimate.selections = std::max(estimate.selections, of.selections);
    estimate.reducesPerElement |= of.reducesPerElement;
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    double count = double(countElements(op.getOperand(0))) /
                   std::max<int64_t>(countElements(result), 1);
    estimate.work *= std::max(count, 1.0);
    estimate.tiledWork *= std::max(count, 1.0);
    estimate.reducesPerElement = count > 1;
    if (count > 1 && needsTile(reduce))
      estimate.tiledWork = estimate.work;
    estimate.isDivided = false;
  } else if (strided && estimate.tiledWork > 0 && !estimate.isDivided) {
    estimate.isDivided = dividesPositions(strided);
  }
  // If loops allow it, repeated elements are computed only once. Whether they
  // do is determined later by the accesses of the operand.
  const double repeated = strided ? countRepetitions(strided) : 1;
  if (repeated > 1) {
    estimate.reducesPerElement = false;
    estimate.work /= repeated;
    estimate.tiledWork /= repeated;
  }
  estimate.work = std::min(estimate.work, 1e15);
  estimate.tiledWork = std::min(estimate.tiledWork, estimate.work);
  estimate.ops = std::min<int64_t>(estimate.ops, kMaxOps);
  if (auto selection = getSelection(result)) {
    ++estimate.selections;
    estimate.workInPart = std::max(getOperand(selection->below).workInPart,
                                   getOperand(selection->above).workInPart);
    estimate.opsInPart = std::max(getOperand(selection->below).opsInPart,
                                  getOperand(selection->above).opsInPart);
  } else if (!op.hasTrait<OpTrait::Elementwise>()) {
    estimate.selections = 0;
  }
  estimate.opsInPart = std::min(estimate.opsInPart, 1e15);
  if (estimate.selections == 0) {
    estimate.workInPart = estimate.work;
    estimate.opsInPart = 1;
  }
  return estimate;
}

int64_t CostModel::getExpectedOps(Value value) const {
  const int64_t ops = getOperand(value).ops;
  return ops < kMinOpsToCut ? ops : 1;
}

/// Equal for values that are computed in the same way from tensors of the same
/// types, up to the given depth.
size_t CostModel::getKind(Value value, int64_t depth) const {
  Operation *op = value.getDefiningOp();
  size_t kind = llvm::hash_value(value.getType().getAsOpaquePointer());
  if (!op || depth == 0 || stored.contains(value))
    return kind;
  // A nested selection is a different computation in each part.
  if (estimates.lookup(value).selections != 0)
    return llvm::hash_value(value.getAsOpaquePointer());
  // Views of different parts of memory can share a kernel.
  if (auto strided = dyn_cast<StridedOp>(op)) {
    for (auto view : strided.getViews().getAsRange<ViewAttr>())
      kind = llvm::hash_combine(kind, llvm::hash_combine_range(view.getShape()),
                                llvm::hash_combine_range(view.getStrides()));
  } else {
    kind = OperationEquivalence::computeHash(
        op, OperationEquivalence::ignoreHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  for (Value operand : op->getOperands())
    kind = llvm::hash_combine(kind, getKind(operand, depth - 1));
  return kind;
}

/// The cost of filling a buffer with the value.
double CostModel::getCost(Value value, const Partition &partition) {
  Estimate estimate = estimates.lookup(value);
  const auto type = cast<RankedTensorType>(value.getType());
  const double size = countReadElements(value);
  if (partition.isWhole()) {
    const double choices = estimate.selections;
    return size * (estimate.work + double(target.loadCost) * choices +
                   double(target.storeCost)) +
           double(target.compileCost) + kChoice * choices;
  }
  // The parts of a short row share cache lines.
  SmallVector<int64_t> shape = getLargestShape(type);
  const double parts = partition.getNumParts();
  double lines = 1;
  ArrayRef<int64_t> extents(shape);
  if (llvm::any_of(extents.take_front(partition.axis),
                   [](int64_t outer) { return outer != 1; })) {
    double row = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t inner : extents.drop_front(partition.axis))
      row *= static_cast<double>(inner);
    lines = std::max(1.0, double(target.lineBytes) * parts / row);
  }
  const double kernels = static_cast<double>(partition.numKernels);
  double cost =
      size * (estimate.workInPart + double(target.storeCost) * lines) +
      kernels * double(target.compileCost) + parts * double(target.launchCost);
  // Rejects partitions whose total size is out of proportion to the graph, and
  // those most of whose boundaries come from other values.
  const double ops = static_cast<double>(getChoices(value).numOps) + parts;
  if (parts * estimate.opsInPart > kMaxShared * ops ||
      parts > 2.0 * static_cast<double>(estimate.selections + 1))
    return std::numeric_limits<double>::infinity();
  if (parts < kManyParts)
    cost += (parts - kernels) * kFewLaunch;
  return cost;
}

/// The selections that a value depends on through elementwise operations only.
/// All values of such a chain share one result, so that the chain is walked
/// only once; boundaries that a value does not need are harmless.
const CostModel::Choices &CostModel::getChoices(Value value) {
  auto known = choicesOf.find(value);
  if (known != choicesOf.end())
    return *known->second;
  auto choices = std::make_shared<Choices>();
  SmallVector<int64_t> shape =
      getLargestShape(cast<RankedTensorType>(value.getType()));
  choices->bounds.resize(shape.size());
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    auto [it, isNew] = choicesOf.try_emplace(next, choices);
    if (!isNew) {
      if (it->second == choices)
        continue;
      for (auto [axis, positions] : llvm::enumerate(it->second->bounds))
        llvm::append_range(choices->bounds[axis], positions);
      choices->kinds.insert_range(it->second->kinds);
      choices->numOps += it->second->numOps;
      continue;
    }
    ++choices->numOps;
    if (auto selection = getSelection(next)) {
      if (selection->bound > 0 && selection->bound < shape[selection->axis])
        choices->bounds[selection->axis].push_back(selection->bound);
      for (Value chosen : {selection->below, selection->above})
        if (!getSelection(chosen))
          choices->kinds.insert(getKind(chosen, kKindDepth));
    }
    for (Value operand : next.getDefiningOp()->getOperands())
      if (getOperand(operand).selections != 0)
        worklist.push_back(operand);
  }
  for (auto [axis, positions] : llvm::enumerate(choices->bounds)) {
    llvm::sort(positions);
    positions.erase(llvm::unique(positions), positions.end());
    if (positions.size() > choices->partition.bounds.size())
      choices->partition = {static_cast<int64_t>(axis), positions};
  }
  // Parts of equal size that are computed in the same way share a kernel.
  Partition &partition = choices->partition;
  DenseSet<int64_t> sizes;
  int64_t from = 0;
  for (int64_t bound : partition.bounds) {
    sizes.insert(bound - from);
    from = bound;
  }
  if (!partition.isWhole())
    sizes.insert(shape[partition.axis] - from);
  partition.numKernels = std::min<int64_t>(
      partition.getNumParts(), std::max(sizes.size(), choices->kinds.size()));
  return *choices;
}

Partition CostModel::getPartition(Value value) {
  if (estimates.lookup(value).selections == 0 || countElements(value) == 0)
    return {};
  const Partition &partition = getChoices(value).partition;
  if (getCost(value, partition) < getCost(value, {}))
    return partition;
  return {};
}

/// The fraction of the boundaries that are inside the positions of an access.
static double getShare(Access &access,
                       ArrayRef<SmallVector<int64_t>> boundsOfAxes) {
  size_t met = 0, all = 0;
  for (auto [index, bounds] : llvm::zip(access.indices, boundsOfAxes)) {
    if (bounds.empty())
      continue;
    const Interval positions =
        access.kernel->getIndex().getAnalysis().getInterval(index);
    met += llvm::upper_bound(bounds, positions.getMax()) -
           llvm::upper_bound(bounds, positions.getMin());
    all += bounds.size();
  }
  return all == 0 ? 1.0 : static_cast<double>(met) / static_cast<double>(all);
}

bool CostModel::storesOperand(Operation *op) const {
  auto cast = dyn_cast<CastOp>(op);
  if (!cast || target.groupItems == 0)
    return false;
  Type from = getElementTypeOrSelf(cast.getX().getType());
  Type to = getElementTypeOrSelf(cast.getType());
  return from.isIntOrFloat() && to.isIntOrFloat() &&
         from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth() &&
         !from.isInteger(1) && isLosslessCast(from, to);
}

std::string CostModel::getReasonToStore(Value value,
                                        ArrayRef<Access *> accesses) {
  const Estimate estimate = estimates.lookup(value);
  const Choices *choices =
      estimate.selections != 0 ? &getChoices(value) : nullptr;
  double size = countReadElements(value), evaluations = 0, again = 0,
         slower = 0;
  for (Access *access : accesses) {
    const auto count = static_cast<double>(access->getEvaluations());
    evaluations += count;
    const double share = choices ? getShare(*access, choices->bounds) : 1;
    const double work =
        estimate.workInPart + share * (estimate.work - estimate.workInPart);
    again += count * work;
    if (estimate.tiledWork > 0)
      slower += count * work * (estimate.tiledWork / estimate.work) *
                (getSlowdown(*access) - 1);
    if (estimate.ops >= kMinOpsToCut && access->kernel->getNumOps() > kMaxOps)
      return "the kernel is large";
    if (!estimate.reducesPerElement)
      continue;
    if (access->kernel->getNumRanges() >= kMaxRanges)
      return "the kernel has many ranges";
    for (Value range : access->scope)
      if (!llvm::is_contained(access->kernel->getResultRanges(), range))
        return "a reduction would run inside another one";
  }
  double once = size * (estimate.work + double(target.storeCost)) +
                double(target.launchCost);
  if (choices && !choices->partition.isWhole())
    once = std::min(once, getCost(value, choices->partition));
  if (again > once + evaluations * double(target.loadCost))
    return llvm::formatv("{0} evaluations of {1} elements at {2} operations "
                         "each cost more than storing them",
                         static_cast<int64_t>(evaluations),
                         static_cast<int64_t>(size), again / evaluations);
  // A minimum, since a kernel for a few operations is not worth compiling,
  // however slow they are.
  if (slower > kFewLaunch &&
      again + slower > once + evaluations * double(target.loadCost))
    return llvm::formatv("at the positions of {0} evaluations a reduction "
                         "takes {1:f1} times as long as at its own",
                         static_cast<int64_t>(evaluations),
                         (again + slower) / again);
  return "";
}
