//===- ScheduleSteps.cpp - steps that schedule a kernel -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the steps. Index arithmetic is rewritten through its linear
/// forms, so that substituted ranges leave no nested sums behind.
///
//===----------------------------------------------------------------------===//

#include "ScheduleSteps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tg;

KernelSchedule::KernelSchedule(KernelOp kernel)
    : kernel(kernel), target(getTargetFacts(kernel)) {
  changed();
  // Room for the ids of new ranges.
  if (nextId > maxRangeId / 2) {
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

bool KernelSchedule::isOrdered(RangeOp range) {
  for (auto scan : kernel.getBody().getOps<RangedScanOp>())
    if (llvm::is_contained(scan.getRanges(), range.getResult()))
      return true;
  for (auto store : kernel.getBody().getOps<StoreOp>())
    if (store.getUpdate() &&
        analysis.getLinear(store.getIndex()).getCoefficient(range) == 0)
      return true;
  return false;
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
  return RangeOp::create(builder, before.getLoc(), nextId++, RangeKind::loop,
                         extent);
}

/// The ranges that an operation names, other than in its indices.
static MutableOperandRange getNamedRanges(Operation *op) {
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

static bool namesRange(Operation *op, RangeOp range) {
  return llvm::is_contained(OperandRange(getNamedRanges(op)),
                            range.getResult());
}

/// In every operation over `range`, puts `replacements` in its place.
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

/// Gives a tile the size of its ranges, which a split may have rounded up.
static void resizeTile(StageOp stage) {
  int64_t size = 1;
  for (Value range : stage.getRanges())
    size *= range.getDefiningOp<RangeOp>().getLargestExtent();
  MemRefType type = getBufferType(stage.getValue().getType(), size);
  stage.getTile().setType(type);
  for (Operation *user : stage->getUsers())
    if (auto barrier = dyn_cast<BarrierOp>(user))
      barrier.getResult().setType(type);
}

std::pair<RangeOp, RangeOp> KernelSchedule::split(RangeOp range,
                                                  int64_t factor) {
  auto number = [&](int64_t value) { return Dim(range.getContext(), value); };
  Dim extent = range.getExtentDim();
  Dim full = Dim::get(DimOpKind::floordiv, extent, number(factor));
  Dim outerExtent = Dim::get(DimOpKind::floordiv, extent + number(factor - 1),
                             number(factor));
  // Known to divide, whatever the value of a symbolic extent.
  bool exact = full == outerExtent;
  RangeOp outer = createRange(outerExtent, range);
  RangeOp inner = createRange(number(factor), range);
  outer.setPeelDim(outerExtent - full);
  outer.setKind(range.getKind());
  replaceInReduces(range, {outer, inner});

  OpBuilder builder(kernel.getContext());
  // After all ranges: indices come later in the block.
  builder.setInsertionPointAfter(ranges.back());
  IndexBuilder index(builder, range.getLoc());
  Value position = index.add(index.mul(outer, factor), inner);
  // With one outer position there is nothing to loop over or to peel.
  if (outerExtent.is(1))
    outer.setPeelDim(number(0));
  range.getResult().replaceAllUsesWith(position);
  range.erase();
  changed();
  if (!exact)
    for (Operation *user : inner->getUsers())
      if (auto stage = dyn_cast<StageOp>(user))
        resizeTile(stage);
  // An outer range of one position or none is 0 in every index, so that what
  // depends on it would be loaded in either case.
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
  // The dependences are those before any guard is added.
  SmallVector<Operation *> loadsAndStores;
  SmallVector<RangedReduceOp> reduces = getReduces(inner);
  for (Operation &op : kernel.getBody().front()) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (dependsOn(load.getResult(), inner))
        loadsAndStores.push_back(&op);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      if (dependsOn(store.getIndex(), inner) || namesRange(store, inner))
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
  for (RangedReduceOp reduce : reduces) {
    OpBuilder builder(reduce);
    TypedAttr identity = getReduceIdentity(reduce.getKind(), reduce.getType());
    Value neutral =
        ConstOp::create(builder, reduce.getLoc(), reduce.getType(), identity);
    reduce.getValueMutable().assign(
        WhereOp::create(builder, reduce.getLoc(), reduce.getType(), valid,
                        reduce.getValue(), neutral));
  }
}

/// Whether `user` only continues a linear form.
static bool isLinearStep(Operation *user) {
  if (isa<AddOp, SubOp, NegOp>(user))
    return true;
  APInt factor;
  return isa<MulOp>(user) &&
         (matchPattern(user->getOperand(0), m_ConstantInt(&factor)) ||
          matchPattern(user->getOperand(1), m_ConstantInt(&factor)));
}

bool KernelSchedule::canMerge(RangeOp outer, RangeOp inner) {
  if (outer.getPeel() || inner.getPeel() || inner.isSymbolic())
    return false;
  auto position = llvm::find(ranges, outer);
  if (position == ranges.end() || std::next(position) == ranges.end() ||
      *std::next(position) != inner)
    return false;
  int64_t extent = inner.getLargestExtent();
  if (int64_t merged;
      llvm::MulOverflow(outer.getLargestExtent(), extent, merged) ||
      merged > maxRangeExtent)
    return false;
  // Closed by the same reduces.
  for (Operation *user : outer->getUsers())
    if (namesRange(user, outer) != namesRange(user, inner))
      return false;
  for (Operation *user : inner->getUsers())
    if (namesRange(user, outer) != namesRange(user, inner))
      return false;
  // Every index that ends a chain of sums uses both in proportion.
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
      const LinearForm &form = analysis.getLinear(operand.get());
      if (form.getCoefficient(outer) != form.getCoefficient(inner) * extent)
        return false;
      // Atoms are looked at where their own operands are used.
    }
  }
  return true;
}

RangeOp KernelSchedule::merge(RangeOp outer, RangeOp inner) {
  RangeOp merged =
      createRange(outer.getExtentDim() * inner.getExtentDim(), outer);
  replaceInReduces(outer, {});
  replaceInReduces(inner, {merged});
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(ranges.back());
  // outer * (c * n) + inner * c = merged * c, with outer = 0, inner = merged.
  Value zero = ConstOp::create(builder, outer.getLoc(), builder.getIndexType(),
                               int64_t(0));
  outer.getResult().replaceAllUsesWith(zero);
  inner.getResult().replaceAllUsesWith(merged);
  outer.erase();
  inner.erase();
  changed();
  return merged;
}

void KernelSchedule::moveBefore(RangeOp range, RangeOp other) {
  range->moveBefore(other);
  changed();
}

void KernelSchedule::setKind(RangeOp range, RangeKind kind) {
  range.setKind(kind);
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
  SmallVector<StoreOp> stores;
  for (RangedReduceOp reduce : reduces) {
    for (Operation *user : reduce->getUsers())
      stores.push_back(cast<StoreOp>(user));
    auto rest = llvm::to_vector(llvm::make_filter_range(
        reduce.getRanges(), [&](Value other) { return other != range; }));
    reduce.getRangesMutable().assign(rest);
  }
  // First all the identities, then all the updates.
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

std::pair<Value, SmallVector<RangeOp>>
KernelSchedule::copyAlong(Value value, ArrayRef<RangeOp> over,
                          ArrayRef<RangeOp> onto) {
  IRMapping mapping;
  SmallVector<RangeOp> copies(onto);
  if (onto.empty())
    for (RangeOp range : over) {
      RangeOp copy = createRange(range.getExtentDim(), range);
      copy.setKind(range.getKind());
      copy.setPeelDim(range.getPeelDim());
      copies.push_back(copy);
    }
  for (auto [range, copy] : llvm::zip_equal(over, copies))
    mapping.map(RangeOp(range).getResult(), RangeOp(copy).getResult());
  llvm::SetVector<Operation *> slice;
  SmallVector<Operation *> work{value.getDefiningOp()};
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (!op || isa<RangeOp>(op) || slice.contains(op) ||
        llvm::none_of(over, [&](RangeOp range) {
          return dependsOn(op->getResult(0), range);
        }))
      continue;
    slice.insert(op);
    for (Value operand : op->getOperands())
      work.push_back(operand.getDefiningOp());
  }
  SmallVector<Operation *> ops(slice.begin(), slice.end());
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfterValue(value);
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  return {mapping.lookupOrDefault(value), copies};
}

SmallVector<RangeOp> KernelSchedule::unshare(RangedReduceOp reduce,
                                             ArrayRef<RangeOp> onto) {
  SmallVector<RangeOp> over;
  for (Value range : reduce.getRanges())
    over.push_back(range.getDefiningOp<RangeOp>());
  auto [value, copies] = copyAlong(reduce.getValue(), over, onto);
  reduce.getValueMutable().assign(value);
  reduce.getRangesMutable().assign(llvm::map_to_vector(
      copies, [](RangeOp range) -> Value { return range; }));
  eraseUnused();
  changed();
  return copies;
}

std::pair<Value, SmallVector<RangeOp>>
KernelSchedule::stage(Value value, ArrayRef<RangeOp> over) {
  auto [copied, copies] = copyAlong(value, over);
  SmallVector<Value> ranges;
  int64_t size = 1;
  for (RangeOp copy : copies) {
    ranges.push_back(copy);
    size *= copy.getLargestExtent();
  }
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfterValue(copied);
  Value tile =
      StageOp::create(builder, value.getLoc(),
                      getBufferType(value.getType(), size), copied, ranges);
  tile = BarrierOp::create(builder, value.getLoc(), tile);
  changed();
  return {tile, copies};
}

/// The index operands of everything else that \p value is computed from.
static SmallVector<OpOperand *> getIndexUses(Value value) {
  SmallVector<OpOperand *> uses;
  for (Operation *op : KernelSchedule::getSlice(value))
    if (!isa<IndexType>(op->getResult(0).getType()))
      for (OpOperand &operand : op->getOpOperands())
        if (isa<IndexType>(operand.get().getType()))
          uses.push_back(&operand);
  return uses;
}

std::optional<KernelSchedule::Window>
KernelSchedule::findWindow(Value value, RangeOp columns,
                           ArrayRef<RangeOp> over) {
  SmallVector<LinearForm> forms;
  for (OpOperand *use : getIndexUses(value)) {
    const LinearForm &form = analysis.getLinear(use->get());
    for (auto [atom, coefficient] : form.terms)
      if (!atom.getDefiningOp<RangeOp>())
        for (RangeOp range : over)
          if (dependsOn(atom, range) || dependsOn(atom, columns))
            return std::nullopt;
    forms.push_back(form);
  }
  auto *strided = llvm::find_if(forms, [&](const LinearForm &form) {
    return form.getCoefficient(columns) != 0;
  });
  if (strided == forms.end() || columns.isSymbolic())
    return std::nullopt;
  Window window;
  window.stride = strided->getCoefficient(columns);
  for (RangeOp range : over) {
    int64_t dilation = strided->getCoefficient(range);
    bool isPart = !range.isSymbolic() && dilation != 0 &&
                  (dilation > 0) == (window.stride > 0);
    for (const LinearForm &form : forms)
      isPart &= __int128(form.getCoefficient(range)) * window.stride ==
                __int128(form.getCoefficient(columns)) * dilation;
    if (isPart)
      window.parts.push_back({range, dilation});
  }
  if (window.stride < 0) {
    window.stride = -window.stride;
    for (auto &[range, dilation] : window.parts)
      dilation = -dilation;
  }
  // Parts that reach further than their positions are many stay apart.
  auto measure = [&](const Window &measured) {
    int64_t unit = measured.stride;
    for (auto [range, dilation] : measured.parts)
      unit = std::gcd(unit, dilation);
    __int128 extent =
        __int128(measured.stride / unit) * (columns.getLargestExtent() - 1) + 1;
    for (auto [range, dilation] : measured.parts)
      extent += __int128(dilation / unit) * (range.getLargestExtent() - 1);
    return std::pair(unit, extent);
  };
  Window result;
  result.stride = window.stride;
  llvm::sort(window.parts,
             [](auto &x, auto &y) { return x.second < y.second; });
  for (auto part : window.parts) {
    Window longer = result;
    longer.parts.push_back(part);
    if (measure(longer).second <=
        measure(result).second * part.first.getLargestExtent())
      result = longer;
  }
  auto [unit, extent] = measure(result);
  if (extent > maxRangeExtent)
    return std::nullopt;
  result.extent = static_cast<int64_t>(extent);
  result.stride /= unit;
  for (auto &[range, dilation] : result.parts)
    dilation /= unit;
  return result;
}

std::pair<Value, SmallVector<RangeOp>>
KernelSchedule::stageWindows(Value value,
                             ArrayRef<std::pair<RangeOp, Window>> windows,
                             ArrayRef<RangeOp> over) {
  auto isPart = [&](Value atom) {
    return llvm::any_of(windows, [&](auto &along) {
      return atom == RangeOp(along.first).getResult() ||
             llvm::any_of(along.second.parts, [&](auto &part) {
               return atom == RangeOp(part.first).getResult();
             });
    });
  };
  RangeOp last = windows.back().first;
  IRMapping mapping;
  SmallVector<RangeOp> copies;
  SmallVector<std::pair<OpOperand *, LinearForm>> uses;
  for (OpOperand *use : getIndexUses(value))
    uses.push_back({use, analysis.getLinear(use->get())});
  llvm::SetVector<Operation *> slice = getSlice(value);
  for (RangeOp range : over) {
    if (isPart(range) || !dependsOn(value, range))
      continue;
    copies.push_back(createRange(range.getExtentDim(), last));
    mapping.map(range.getResult(), copies.back().getResult());
  }
  const size_t firstSums = copies.size();
  for (auto &along : windows)
    copies.push_back(
        createRange(Dim(last.getContext(), along.second.extent), last));

  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfterValue(value);
  IndexBuilder index(builder, value.getLoc());
  DenseMap<OpOperand *, Value> indices;
  for (auto &[use, form] : uses) {
    Value position = index.constant(form.constant);
    for (auto [i, along] : llvm::enumerate(windows)) {
      RangeOp range = along.first;
      if (int64_t coefficient = form.getCoefficient(range))
        position =
            index.add(position, index.mul(copies[firstSums + i],
                                          coefficient / along.second.stride));
    }
    for (auto [atom, coefficient] : form.terms)
      if (!isPart(atom))
        position = index.add(
            position, index.mul(mapping.lookupOrDefault(atom), coefficient));
    indices[use] = position;
  }
  SmallVector<Operation *> ops(slice.begin(), slice.end());
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ops) {
    if (isa<RangeOp, DimOp, ConstOp>(op) ||
        isa<IndexType>(op->getResult(0).getType()))
      continue;
    Operation *copy = builder.clone(*op, mapping);
    for (OpOperand &operand : op->getOpOperands())
      if (Value position = indices.lookup(&operand))
        copy->setOperand(operand.getOperandNumber(), position);
  }
  SmallVector<Value> ranges;
  int64_t size = 1;
  for (RangeOp copy : copies) {
    ranges.push_back(copy);
    size *= copy.getLargestExtent();
  }
  Value copied = mapping.lookup(value);
  Value tile =
      StageOp::create(builder, value.getLoc(),
                      getBufferType(value.getType(), size), copied, ranges);
  tile = BarrierOp::create(builder, value.getLoc(), tile);
  changed();
  return {tile, copies};
}

Value KernelSchedule::getWindowPosition(RangeOp columns, const Window &window) {
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(ranges.back());
  IndexBuilder index(builder, columns.getLoc());
  Value position = index.mul(columns, window.stride);
  for (auto [range, dilation] : window.parts)
    position = index.add(position, index.mul(range, dilation));
  return position;
}

/// Moves \p op, and all it needs that comes after \p place, before that place.
static void moveBeforeInOrder(Operation *op, Operation *place) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Operation *> work{op};
  while (!work.empty()) {
    Operation *current = work.pop_back_val();
    if (!place->isBeforeInBlock(current) || !needed.insert(current))
      continue;
    for (Value operand : current->getOperands())
      if (Operation *def = operand.getDefiningOp())
        work.push_back(def);
  }
  SmallVector<Operation *> ops(needed.begin(), needed.end());
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *current : ops)
    current->moveBefore(place);
}

void KernelSchedule::replaceByLoad(Value value, Value tile,
                                   ArrayRef<Value> positions,
                                   ArrayRef<int64_t> extents) {
  // What uses the value may come before the tile in the block.
  moveBeforeInOrder(tile.getDefiningOp(), value.getDefiningOp());
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPoint(value.getDefiningOp());
  IndexBuilder index(builder, value.getLoc());
  Value position = index.constant(0);
  for (auto [at, extent] : llvm::zip(positions, extents))
    position = index.add(index.mul(position, extent), at);
  Value staged =
      LoadOp::create(builder, value.getLoc(), tile, position, /*mask=*/Value());
  value.replaceAllUsesWith(staged);
  eraseUnused();
  changed();
}

void KernelSchedule::eraseUnused() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
    if (op.use_empty() && !isa<StoreOp>(op))
      op.erase();
}
