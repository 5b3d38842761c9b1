//===- KernelSchedule.cpp - steps that schedule a kernel ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the steps. Index arithmetic is rewritten through linear forms, so
/// that substituted ranges leave no nested sums.
///
//===----------------------------------------------------------------------===//

#include "KernelSchedule.h"
#include "TinyGrad/Dialect/Tg/IR/TgGroupOrder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

KernelSchedule::KernelSchedule(KernelOp kernel, const TargetFacts &target)
    : kernel(kernel), target(target) {
  if (kernel.getInPlace())
    llvm::append_range(givenTiles, kernel.getBody().getOps<StageOp>());
  changed();
  // Room for the ids of new ranges.
  if (nextId > kMaxRangeId / 2) {
    nextId = 0;
    for (RangeOp range : ranges)
      range.setId(nextId++);
  }
}

void KernelSchedule::changed() {
  analysis = IndexAnalysis();
  ranges.clear();
  for (auto range : kernel.getBody().getOps<RangeOp>()) {
    ranges.push_back(range);
    nextId = std::max(nextId, static_cast<int64_t>(range.getId()) + 1);
  }
}

//===----------------------------------------------------------------------===//
// Steps as data
//===----------------------------------------------------------------------===//

RangeOp KernelSchedule::findRange(int64_t id) const {
  for (RangeOp range : ranges)
    if (static_cast<int64_t>(range.getId()) == id)
      return range;
  return RangeOp();
}

Operation *KernelSchedule::findOp(const StepOperand &operand) const {
  int64_t number = operand.number;
  for (Operation &op : kernel->getRegion(0).front())
    if (op.getName().getIdentifier() == operand.name && number-- == 0)
      return &op;
  return nullptr;
}

StepOperand KernelSchedule::getOperand(Operation *op) const {
  StepOperand operand{op->getName().getIdentifier()};
  for (Operation &other : *op->getBlock()) {
    if (&other == op)
      break;
    operand.number += other.getName() == op->getName();
  }
  return operand;
}

void KernelSchedule::apply(StepAttr step) {
  auto ranges = llvm::map_to_vector(step.getRanges(),
                                    [&](int64_t id) { return findRange(id); });
  auto ops = llvm::map_to_vector(
      step.getOps(), [&](const StepOperand &op) { return findOp(op); });
  const int64_t amount = step.getAmount(), pad = std::max<int64_t>(amount, 1);
  givenIds = step.getResults();
  switch (step.getKind()) {
  case StepKind::split:
    split(ranges[0], amount);
    break;
  case StepKind::merge:
    merge(ranges[0], ranges[1]);
    break;
  case StepKind::reverse:
    reverse(ranges[0]);
    break;
  case StepKind::move:
    moveBefore(ranges[0], ranges[1]);
    break;
  case StepKind::set_kind:
    setKind(ranges[0], static_cast<RangeKind>(amount % kBandUnit),
            amount / kBandUnit);
    break;
  case StepKind::unshare:
    unshare(cast<RangedReduceOp>(ops[0]), ranges);
    break;
  case StepKind::accumulate:
    accumulate(llvm::map_to_vector(
                   ops, [](Operation *op) { return cast<RangedReduceOp>(op); }),
               ranges[0]);
    break;
  case StepKind::stage:
    stage(ops[0]->getResult(0), ranges, pad);
    break;
  case StepKind::stage_window:
    stageWindows(ops[0]->getResult(0), cast<RangedReduceOp>(ops[1]), ranges,
                 pad);
    break;
  case StepKind::reuse:
    for (Operation *user : ops[1]->getUsers())
      if (auto barrier = dyn_cast<BarrierOp>(user)) {
        reuse(ops[0]->getResult(0), barrier, ranges);
        break;
      }
    break;
  case StepKind::skip_masked:
    skipMasked(cast<RangedReduceOp>(ops[0]), cast<LoadOp>(ops[1]),
               ArrayRef(ranges).drop_back(), ranges.back());
    break;
  case StepKind::check_finite:
    checkFinite(cast<RangedReduceOp>(ops[0]), ranges[0], amount);
    break;
  case StepKind::prefetch:
    if (auto load = dyn_cast<LoadOp>(ops[0]))
      setPrefetch(load, amount);
    else
      setPrefetch(cast<StoreOp>(ops[0]), amount);
    break;
  case StepKind::nontemporal:
    setNontemporal(cast<StoreOp>(ops[0]));
    break;
  case StepKind::contract:
    contract(cast<RangedReduceOp>(ops[0]), amount);
    break;
  case StepKind::buffer:
    if (auto store = dyn_cast<StoreOp>(ops[0]))
      storeBoxes(store);
    else
      setBuffers(cast<StageOp>(ops[0]), amount);
    break;
  case StepKind::partition:
    partition(amount);
    break;
  }
  givenIds = {};
}

//===----------------------------------------------------------------------===//
// What values depend on
//===----------------------------------------------------------------------===//

bool tg::isComputedFrom(Value value, Operation *op) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> values{value};
  while (!values.empty()) {
    Operation *def = values.pop_back_val().getDefiningOp();
    if (def == op)
      return true;
    if (def && seen.insert(def).second)
      llvm::append_range(values, def->getOperands());
  }
  return false;
}

SmallVector<RangedReduceOp> KernelSchedule::getReduces(RangeOp range) const {
  SmallVector<RangedReduceOp> reduces;
  for (Operation *user : range->getUsers())
    if (auto reduce = dyn_cast<RangedReduceOp>(user))
      if (llvm::is_contained(reduce.getRanges(), range.getResult()) &&
          !llvm::is_contained(reduces, reduce))
        reduces.push_back(reduce);
  return reduces;
}

bool KernelSchedule::isResultRange(RangeOp range) const {
  return llvm::none_of(range->getUsers(), [&](Operation *user) {
    if (auto reduce = dyn_cast<RangedReduceOp>(user))
      return llvm::is_contained(reduce.getRanges(), range.getResult());
    return isa<StageOp>(user);
  });
}

bool KernelSchedule::isScanned(RangeOp range) {
  return llvm::any_of(
      kernel.getBody().getOps<RangedScanOp>(),
      [&](RangedScanOp scan) { return namesRange(scan, range); });
}

bool KernelSchedule::isOrdered(RangeOp range) {
  if (isScanned(range))
    return true;
  for (auto store : kernel.getBody().getOps<StoreOp>())
    if (store.getUpdate() &&
        analysis.getLinear(store.getIndex()).getCoefficient(range) == 0)
      return true;
  return false;
}

bool KernelSchedule::isSameBut(Value value, Value other, RangeOp from,
                               RangeOp to) {
  DenseSet<std::pair<Value, Value>> same;
  return isSameBut(value, other, from, to, same);
}

/// \p same caches the pairs known to be equal: comparing shared operands again
/// at each of many levels would take exponential time.
bool KernelSchedule::isSameBut(Value value, Value other, RangeOp from,
                               RangeOp to,
                               DenseSet<std::pair<Value, Value>> &same) {
  if (same.contains({value, other}))
    return true;
  if (value.getType() != other.getType())
    return false;
  // What does not depend on the position is the same at both.
  if (value == other && !dependsOn(value, from))
    return true;
  // Compare indices as linear forms, in which the order of sums is irrelevant.
  if (isa<IndexType>(value.getType())) {
    LinearForm form = analysis.getLinear(value);
    int64_t coefficient = form.getCoefficient(from);
    form.addTerm(from, -coefficient);
    form.addTerm(to, coefficient);
    // An atom that depends on the position otherwise, such as a quotient, is
    // not the same as itself.
    if (form.saturated || llvm::any_of(form.terms, [&](const auto &term) {
          return dependsOn(term.first, from);
        }))
      return false;
    form.subtract(analysis.getLinear(other));
    return form.getNumber() == 0;
  }
  Operation *a = value.getDefiningOp(), *b = other.getDefiningOp();
  // The first pair that differs ends the whole comparison.
  bool isSame =
      a && b && a->getName() == b->getName() &&
      a->getNumOperands() == b->getNumOperands() &&
      a->getAttrDictionary() == b->getAttrDictionary() &&
      llvm::all_of(llvm::zip(a->getOperands(), b->getOperands()),
                   [&](auto pair) {
                     return isSameBut(std::get<0>(pair), std::get<1>(pair),
                                      from, to, same);
                   });
  if (isSame)
    same.insert({value, other});
  return isSame;
}

bool KernelSchedule::mayMeetAlong(RangeOp range) {
  return llvm::any_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
    return store.getUpdate() && !analysis.getStep(store.getIndex(), range);
  });
}

llvm::SetVector<Operation *> KernelSchedule::getSlice(Value value) {
  llvm::SetVector<Operation *> slice;
  SmallVector<Value> values{value};
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    if (op && !isa<RangedReduceOp, StageOp>(op) && slice.insert(op))
      llvm::append_range(values, op->getOperands());
  }
  return slice;
}

SmallVector<RangeOp> KernelSchedule::getResultRanges() const {
  SmallVector<RangeOp> result;
  for (RangeOp range : ranges)
    if (isResultRange(range))
      result.push_back(range);
  return result;
}

bool KernelSchedule::dependsOn(Value value, RangeOp range) {
  return llvm::is_contained(analysis.getRanges(value), range.getResult());
}

RangeOp KernelSchedule::createRange(Dim extent, RangeOp before) {
  OpBuilder builder(before);
  int64_t id = nextId;
  if (!givenIds.empty()) {
    id = givenIds.front();
    givenIds = givenIds.drop_front();
  }
  nextId = std::max(nextId, id + 1);
  if (recording)
    recording->add(id);
  return RangeOp::create(builder, before.getLoc(), id, RangeKind::loop, extent);
}

MutableOperandRange tg::getNamedRanges(Operation *op) {
  if (auto reduce = dyn_cast<RangedReduceOp>(op))
    return reduce.getRangesMutable();
  if (auto scan = dyn_cast<RangedScanOp>(op))
    return scan.getRangesMutable();
  if (auto stage = dyn_cast<StageOp>(op))
    return stage.getRangesMutable();
  if (auto store = dyn_cast<StoreOp>(op))
    return store.getRangesMutable();
  return MutableOperandRange(op, 0, 0);
}

SmallVector<RangeOp> tg::getClosedRanges(RangedReduceOp reduce) {
  return llvm::map_to_vector(reduce.getRanges(), [](Value range) {
    return range.getDefiningOp<RangeOp>();
  });
}

bool tg::namesRange(Operation *op, RangeOp range) {
  return llvm::is_contained(OperandRange(getNamedRanges(op)),
                            range.getResult());
}

/// Replaces `range` by `replacements` in every operation over it.
static void replaceInReduces(RangeOp range, ArrayRef<RangeOp> replacements) {
  for (Operation *user : llvm::make_early_inc_range(range->getUsers())) {
    MutableOperandRange operands = getNamedRanges(user);
    SmallVector<Value> updated;
    bool found = false;
    for (OpOperand &operand : operands) {
      if (operand.get() != range.getResult()) {
        updated.push_back(operand.get());
        continue;
      }
      found = true;
      for (RangeOp replacement : replacements)
        updated.push_back(replacement);
    }
    if (found)
      operands.assign(updated);
  }
}

/// Resizes a tile to the extents of its ranges, which a split may have rounded
/// up.
static void resizeTile(StageOp stage) {
  int64_t size = 1;
  for (Value range : stage.getRanges())
    size *= range.getDefiningOp<RangeOp>().getLargestExtent();
  MemRefType type = getBufferType(stage.getValue().getType(), size,
                                  stage.getTile().getType().getMemorySpace());
  stage.getTile().setType(type);
  for (Operation *user : stage->getUsers())
    if (auto barrier = dyn_cast<BarrierOp>(user))
      barrier.getResult().setType(type);
}

/// Simplifies quotients and remainders of \p position, a sum of two ranges:
/// some depend on one of them alone. If they seemed to depend on both, steps
/// would be admitted that are errors once indices are simplified.
static void simplifyQuotients(Value position, IndexBuilder &index) {
  // New operations may be inserted before one of these.
  SmallVector<Operation *> replaced;
  for (Operation *user : llvm::to_vector(position.getUsers())) {
    if (!isa<FloorDivOp, FloorModOp>(user) || user->getOperand(0) != position)
      continue;
    APInt number;
    if (!matchPattern(user->getOperand(1), m_ConstantInt(&number)))
      continue;
    const int64_t divisor = number.getSExtValue();
    if (divisor <= 0)
      continue;
    user->getResult(0).replaceAllUsesWith(
        isa<FloorDivOp>(user) ? index.floorDiv(position, divisor)
                              : index.floorMod(position, divisor));
    replaced.push_back(user);
  }
  for (Operation *op : replaced)
    op->erase();
}

std::pair<RangeOp, RangeOp> KernelSchedule::split(RangeOp range,
                                                  int64_t factor) {
  Recording step(*this, StepKind::split, {}, range, factor);
  auto number = [&](int64_t value) { return Dim(range.getContext(), value); };
  const auto id = static_cast<int64_t>(range.getId());
  Dim extent = range.getExtentDim();
  Dim full = Dim::get(DimOpKind::floordiv, extent, number(factor));
  Dim outerExtent = Dim::get(DimOpKind::floordiv, extent + number(factor - 1),
                             number(factor));
  // Bounds do not show of every symbolic part that it is non-negative.
  auto notNegative = [&](Dim dim) {
    return dim.getMin() < 0 ? Dim::get(DimOpKind::max, dim, number(0)) : dim;
  };
  full = notNegative(full);
  outerExtent = notNegative(outerExtent);
  // Whether the factor divides the extent, for all values of its variables.
  bool exact = full == outerExtent;
  RangeOp outer = createRange(outerExtent, range);
  RangeOp inner = createRange(number(factor), range);
  if (range.getKind() == RangeKind::loop ||
      range.getKind() == RangeKind::thread)
    outer.setPeelDim(notNegative(outerExtent - full));
  outer.setKind(range.getKind());
  replaceInReduces(range, {outer, inner});

  OpBuilder builder(kernel.getContext());
  // After all ranges: indices come later in the block.
  builder.setInsertionPointAfter(ranges.back());
  IndexBuilder index(builder, range.getLoc());
  Value position = index.add(index.mul(outer, factor), inner);
  // One outer position needs neither a loop nor peeling.
  if (outerExtent.is(1))
    outer.setPeelDim(number(0));
  range.getResult().replaceAllUsesWith(position);
  range.erase();
  simplifyQuotients(position, index);
  changed();
  if (!exact)
    for (Operation *user : inner->getUsers())
      if (auto stage = dyn_cast<StageOp>(user))
        resizeTile(stage);
  for (Operation *user : inner->getUsers())
    if (auto stage = dyn_cast<StageOp>(user))
      if (auto padded = stage->getAttrOfType<DenseI64ArrayAttr>(paddedAttrName);
          padded && padded[0] == id)
        stage->removeAttr(paddedAttrName);
  // An outer range of at most one position becomes 0 in every index, so that
  // loads that depend on it would be executed even if it has none.
  const bool mayVanish = outerExtent.getMin() <= 0 && outerExtent.getMax() <= 1;
  if (!exact || mayVanish) {
    builder.setInsertionPointAfterValue(position);
    Value bound = builder.createOrFold<DimOp>(
        outer.getLoc(), builder.getIndexType(), extent.getAttr());
    guard(inner, CmpLtOp::create(builder, outer.getLoc(), position, bound));
  }
  changed();
  return {outer, inner};
}

void KernelSchedule::reverse(RangeOp range) {
  Recording step(*this, StepKind::reverse, {}, range);
  RangeOp reversed = createRange(range.getExtentDim(), range);
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(ranges.back());
  IndexBuilder index(builder, range.getLoc());
  Value position = index.add(index.mul(reversed, -1),
                             index.constant(range.getLargestExtent() - 1));
  range.getResult().replaceAllUsesWith(position);
  range.erase();
  changed();
}

void KernelSchedule::guard(RangeOp inner, Value valid) {
  // Collect the dependences before any guard is added.
  SmallVector<Operation *> loadsAndStores;
  SmallVector<RangedReduceOp> reduces = getReduces(inner);
  for (Operation &op : kernel.getBody().front()) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (dependsOn(load.getResult(), inner))
        loadsAndStores.push_back(&op);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      // The mask may select the position that writes an element.
      if (dependsOn(store.getIndex(), inner) || namesRange(store, inner) ||
          (store.getMask() && dependsOn(store.getMask(), inner)))
        loadsAndStores.push_back(&op);
    }
  }
  auto conjunction = [&](Operation *op, Value mask) -> Value {
    if (!mask)
      return valid;
    OpBuilder builder(op);
    return AndOp::create(builder, op->getLoc(), mask, valid);
  };
  for (Operation *op : loadsAndStores) {
    if (auto load = dyn_cast<LoadOp>(op))
      load.getMaskMutable().assign(conjunction(op, load.getMask()));
    else if (auto store = dyn_cast<StoreOp>(op))
      store.getMaskMutable().assign(conjunction(op, store.getMask()));
  }
  auto guardValue = [&](Operation *op, OpOperand &value, TypedAttr identity) {
    OpBuilder builder(op);
    Type type = value.get().getType();
    Value neutral = ConstOp::create(builder, op->getLoc(), type, identity);
    value.set(WhereOp::create(builder, op->getLoc(), type, valid, value.get(),
                              neutral));
  };
  for (RangedReduceOp reduce : reduces)
    guardValue(reduce, reduce.getValueMutable(),
               getReduceIdentity(reduce.getKind(), reduce.getType()));
  // If the outer range is the first one of a scan, positions past the end come
  // last, and no other position depends on their values.
  for (auto scan : kernel.getBody().getOps<RangedScanOp>())
    if (namesRange(scan, inner) && scan.getRanges()[1] != inner.getResult())
      guardValue(scan, scan.getValueMutable(),
                 getScanIdentity(scan.getKind(), scan.getType()));
}

/// Whether `user` is itself part of a linear form.
static bool isLinearStep(Operation *user) {
  if (isa<AddOp, SubOp, NegOp>(user))
    return true;
  APInt factor;
  return isa<MulOp>(user) &&
         (matchPattern(user->getOperand(0), m_ConstantInt(&factor)) ||
          matchPattern(user->getOperand(1), m_ConstantInt(&factor)));
}

/// Whether the kernel loads elements of the buffer.
static bool isRead(Value buffer) {
  return llvm::any_of(buffer.getUsers(), llvm::IsaPred<LoadOp>);
}

bool KernelSchedule::readsSelectedWrites(RangeOp range) {
  return llvm::any_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
    return store.getMask() && isRead(store.getBuffer()) &&
           dependsOn(store.getMask(), range) &&
           !dependsOn(store.getIndex(), range);
  });
}

bool KernelSchedule::areMergeable(RangeOp outer, RangeOp inner) {
  if (outer.getPeel() || inner.getPeel() || inner.isSymbolic())
    return false;
  auto position = llvm::find(ranges, outer);
  if (position == ranges.end() || std::next(position) == ranges.end() ||
      *std::next(position) != inner)
    return false;
  int64_t extent = inner.getLargestExtent();
  if (int64_t merged;
      llvm::MulOverflow(outer.getLargestExtent(), extent, merged) ||
      merged > kMaxRangeExtent)
    return false;
  // What one of them alone numbers would be stored by several work items.
  if (target.groupItems > 0 &&
      llvm::any_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
        auto varies = [&](RangeOp range) {
          return llvm::any_of(store->getOperands(), [&](Value operand) {
            return dependsOn(operand, range);
          });
        };
        return varies(outer) != varies(inner);
      }))
    return false;
  // What is read once for all positions of one of them, before its element is
  // overwritten, would be read again at each position of both.
  for (auto store : kernel.getBody().getOps<StoreOp>())
    if (isRead(store.getBuffer()) && dependsOn(store.getIndex(), outer) !=
                                         dependsOn(store.getIndex(), inner))
      return false;
  // The same operations must close both, consecutively in tiles and scans.
  for (RangeOp range : {outer, inner})
    for (Operation *user : range->getUsers()) {
      if (namesRange(user, outer) != namesRange(user, inner))
        return false;
      if (!namesRange(user, outer) || isa<RangedReduceOp>(user))
        continue;
      const auto list = OperandRange(getNamedRanges(user));
      const auto place = llvm::find(list, outer.getResult());
      if (std::next(place) == list.end() ||
          *std::next(place) != inner.getResult())
        return false;
    }
  return true;
}

/// The operands of a kernel that end a chain of sums of indices; the atoms of a
/// sum are looked at where their own operands are.
static SmallVector<OpOperand *> getSums(KernelOp kernel) {
  SmallVector<OpOperand *> sums;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<RangeOp>(op))
      continue;
    OperandRange named = getNamedRanges(&op);
    for (OpOperand &operand : op.getOpOperands()) {
      if (!isa<IndexType>(operand.get().getType()) ||
          (isLinearStep(&op) && isa<IndexType>(op.getResult(0).getType())))
        continue;
      if (!named.empty() &&
          operand.getOperandNumber() >= named.getBeginOperandIndex() &&
          operand.getOperandNumber() <
              named.getBeginOperandIndex() + named.size())
        continue;
      sums.push_back(&operand);
    }
  }
  return sums;
}

bool KernelSchedule::isEvenIn(Value sum, RangeOp outer, RangeOp inner) {
  const LinearForm &form = analysis.getLinear(sum);
  return form.getCoefficient(outer) ==
         mulWrapped(form.getCoefficient(inner), inner.getLargestExtent());
}

bool KernelSchedule::canMerge(RangeOp outer, RangeOp inner) {
  return areMergeable(outer, inner) &&
         llvm::all_of(getSums(kernel), [&](OpOperand *sum) {
           return isEvenIn(sum->get(), outer, inner);
         });
}

RangeOp KernelSchedule::merge(RangeOp outer, RangeOp inner) {
  Recording step(*this, StepKind::merge, {}, {outer, inner});
  const bool isEven = canMerge(outer, inner);
  // outer * (c * n) + inner * c = merged * c
  SmallVector<std::pair<OpOperand *, LinearForm>> evenSums;
  if (!isEven)
    for (OpOperand *sum : getSums(kernel)) {
      const LinearForm &form = analysis.getLinear(sum->get());
      if (!form.saturated && form.getCoefficient(inner) != 0 &&
          isEvenIn(sum->get(), outer, inner))
        evenSums.emplace_back(sum, form);
    }
  RangeOp merged =
      createRange(outer.getExtentDim() * inner.getExtentDim(), outer);
  replaceInReduces(outer, {});
  replaceInReduces(inner, {merged});
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(ranges.back());
  IndexBuilder index(builder, outer.getLoc());
  const int64_t extent = inner.getLargestExtent();
  // In even sums, outer = 0 and inner = merged.
  Value quotient = isEven ? index.constant(0) : index.floorDiv(merged, extent);
  Value remainder = isEven ? merged : index.floorMod(merged, extent);
  for (auto &[sum, form] : evenSums) {
    const int64_t coefficient = form.getCoefficient(inner);
    form.addTerm(outer, -coefficient * extent);
    form.addTerm(inner, -coefficient);
    form.addTerm(merged, coefficient);
    builder.setInsertionPoint(sum->getOwner());
    sum->set(index.get(form));
  }
  outer.getResult().replaceAllUsesWith(quotient);
  inner.getResult().replaceAllUsesWith(remainder);
  outer.erase();
  inner.erase();
  if (!isEven)
    eraseUnused();
  changed();
  return merged;
}

void KernelSchedule::moveBefore(RangeOp range, RangeOp other) {
  Recording step(*this, StepKind::move, {}, {range, other});
  range->moveBefore(other);
  changed();
}

void KernelSchedule::setKind(RangeOp range, RangeKind kind, int64_t band) {
  Recording step(*this, StepKind::set_kind, {}, range,
                 static_cast<int64_t>(kind) + band * kBandUnit);
  range.setKind(kind);
  if (band > 0)
    range->setAttr(
        bandAttrName,
        IntegerAttr::get(IntegerType::get(range.getContext(), 64), band));
  else
    range->removeAttr(bandAttrName);
  // Only loops and threads have a copy of the code for the last positions.
  if (kind != RangeKind::loop && kind != RangeKind::thread)
    range.setPeelDim(Dim(range.getContext(), 0));
}

static UpdateKind getUpdate(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::add:
    return UpdateKind::add;
  case ReduceKind::mul:
    return UpdateKind::mul;
  case ReduceKind::max:
    return UpdateKind::max;
  }
  llvm_unreachable("unknown reduction");
}

void KernelSchedule::accumulate(ArrayRef<RangedReduceOp> reduces,
                                RangeOp range) {
  Recording step(
      *this, StepKind::accumulate,
      llvm::map_to_vector(
          reduces, [](RangedReduceOp reduce) { return reduce.getOperation(); }),
      range);
  SmallVector<StoreOp> stores;
  for (RangedReduceOp reduce : reduces) {
    for (Operation *user : reduce->getUsers())
      stores.push_back(cast<StoreOp>(user));
    auto rest = llvm::to_vector(llvm::make_filter_range(
        reduce.getRanges(), [&](Value other) { return other != range; }));
    reduce.getRangesMutable().assign(rest);
  }
  // Store all identities before the first update.
  for (StoreOp store : stores) {
    auto reduce = store.getValue().getDefiningOp<RangedReduceOp>();
    OpBuilder builder(stores.front());
    store->moveBefore(stores.back()->getBlock(),
                      stores.back()->getBlock()->end());
    auto identity =
        ConstOp::create(builder, store.getLoc(), reduce.getType(),
                        getReduceIdentity(reduce.getKind(), reduce.getType()));
    StoreOp::create(builder, store.getLoc(), identity, store.getBuffer(),
                    store.getIndex(), store.getMask());
    store.setUpdate(getUpdate(reduce.getKind()));
    store.getRangesMutable().assign(range.getResult());
  }
  kernel.setInPlace(true);
  changed();
}

void KernelSchedule::setPrefetch(LoadOp load, int64_t distance) {
  Recording step(*this, StepKind::prefetch, load.getOperation(), {}, distance);
  load.setPrefetch(distance);
}

void KernelSchedule::setPrefetch(StoreOp store, int64_t distance) {
  Recording step(*this, StepKind::prefetch, store.getOperation(), {}, distance);
  store.setPrefetch(distance);
}

void KernelSchedule::setNontemporal(StoreOp store) {
  Recording step(*this, StepKind::nontemporal, store.getOperation(), {});
  store.setNontemporal(true);
}

void KernelSchedule::eraseUnused() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
    if (op.use_empty() && !isa<StoreOp>(op))
      op.erase();
}
