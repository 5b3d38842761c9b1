//===- StageSteps.cpp - steps that keep values in tiles -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The steps that compute a value along ranges of its own: copies of a
/// reduction's ranges, tiles, and tiles of overlapping windows.
///
//===----------------------------------------------------------------------===//

#include "KernelSchedule.h"
#include "TinyGrad/Dialect/Tg/IR/TgContraction.h"
#include "TinyGrad/Dialect/Tg/IR/TgCopyingItems.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace mlir::tg;

std::pair<Value, SmallVector<RangeOp>>
KernelSchedule::copyAlong(Value value, ArrayRef<RangeOp> over,
                          ArrayRef<RangeOp> onto) {
  IRMapping mapping;
  SmallVector<RangeOp> copies(onto);
  if (onto.empty())
    for (RangeOp range : over) {
      RangeOp copy = createRange(range.getExtentDim(), range);
      // Each work item fills its own tile, and each group its own.
      copy.setKind(range.getKind() == RangeKind::thread ||
                           range.getKind() == RangeKind::global
                       ? RangeKind::loop
                       : range.getKind());
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
  Recording step(*this, StepKind::unshare, reduce.getOperation(), onto);
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
KernelSchedule::createTile(Value value, ArrayRef<RangeOp> over, int64_t pad) {
  int64_t size = 1;
  for (RangeOp range : over)
    size *= range == over.back() ? llvm::alignTo(range.getLargestExtent(), pad)
                                 : range.getLargestExtent();
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfterValue(value);
  const bool isGroups = llvm::any_of(
      over, [](RangeOp range) { return range.getKind() == RangeKind::local; });
  auto stage = StageOp::create(
      builder, value.getLoc(), getBufferType(value.getType(), size), value,
      llvm::map_to_vector(over, [](RangeOp range) -> Value { return range; }),
      isGroups ? TileMemory::group : TileMemory::item);
  if (RangeOp last = over.back(); last.getLargestExtent() % pad != 0)
    stage->setAttr(paddedAttrName,
                   builder.getDenseI64ArrayAttr({int64_t(last.getId()), pad}));
  return {BarrierOp::create(builder, value.getLoc(), stage),
          SmallVector<RangeOp>(over)};
}

std::pair<Value, SmallVector<RangeOp>>
KernelSchedule::stage(Value value, ArrayRef<RangeOp> over, int64_t pad) {
  Recording step(*this, StepKind::stage, value.getDefiningOp(), over,
                 pad > 1 ? pad : 0);
  SmallVector<int64_t> extents;
  SmallVector<Value> positions;
  for (RangeOp range : over) {
    extents.push_back(range.getLargestExtent());
    positions.push_back(range);
  }
  extents.back() = llvm::alignTo(extents.back(), pad);
  auto [copied, copies] = copyAlong(value, over);
  for (RangeOp copy : copies)
    if (copy.getKind() == RangeKind::group_reduce)
      copy.setKind(RangeKind::local);
  auto tile = createTile(copied, copies, pad);
  changed();
  replaceByLoad(value, tile.first, positions, extents);
  return tile;
}

void KernelSchedule::reuse(Value value, Value tile, ArrayRef<RangeOp> at) {
  StageOp stage = getStage(tile);
  Recording step(*this, StepKind::reuse,
                 {value.getDefiningOp(), stage.getOperation()}, at);
  SmallVector<int64_t> extents;
  SmallVector<Value> positions;
  for (auto [range, staged] : llvm::zip_equal(at, stage.getRanges())) {
    extents.push_back(staged.getDefiningOp<RangeOp>().getLargestExtent());
    positions.push_back(RangeOp(range));
  }
  replaceByLoad(value, tile, positions, extents);
}

/// The index operands of all other operations that \p value is computed from.
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
      if (!atom.getDefiningOp<RangeOp>() || !coefficient.isStatic())
        if (dependsOn(atom, columns) ||
            llvm::any_of(over, [&, value = atom](RangeOp range) {
              return dependsOn(value, range);
            }))
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
  // Leave out ranges that multiply the extent by more than their positions.
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
  if (extent > kMaxRangeExtent)
    return std::nullopt;
  result.extent = static_cast<int64_t>(extent);
  result.stride /= unit;
  for (auto &[range, dilation] : result.parts)
    dilation /= unit;
  return result;
}

SmallVector<std::pair<RangeOp, KernelSchedule::Window>>
KernelSchedule::findWindows(Value value, RangedReduceOp reduce,
                            ArrayRef<RangeOp> along) {
  SmallVector<std::pair<RangeOp, Window>> windows;
  for (RangeOp range : along)
    if (auto window = findWindow(value, range, getClosedRanges(reduce)))
      windows.push_back({range, *window});
  return windows;
}

std::pair<Value, SmallVector<RangeOp>>
KernelSchedule::stageWindows(Value value, RangedReduceOp reduce,
                             ArrayRef<RangeOp> along, int64_t pad) {
  Recording step(*this, StepKind::stage_window,
                 {value.getDefiningOp(), reduce.getOperation()}, along,
                 pad > 1 ? pad : 0);
  const SmallVector<RangeOp> over = getClosedRanges(reduce);
  const auto windows = findWindows(value, reduce, along);
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
  SmallVector<Value> positions;
  SmallVector<int64_t> extents;
  for (RangeOp range : over) {
    if (isPart(range) || !dependsOn(value, range))
      continue;
    copies.push_back(createRange(range.getExtentDim(), last));
    mapping.map(range.getResult(), copies.back().getResult());
    positions.push_back(range);
    extents.push_back(range.getLargestExtent());
  }
  const size_t firstSums = copies.size();
  for (auto &[range, window] : windows) {
    copies.push_back(createRange(Dim(last.getContext(), window.extent), last));
    extents.push_back(window.extent);
  }
  extents.back() = llvm::alignTo(extents.back(), pad);

  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfterValue(value);
  IndexBuilder index(builder, value.getLoc());
  DenseMap<OpOperand *, Value> indices;
  for (auto &[use, form] : uses) {
    Value position = index.dim(form.constant);
    for (auto [i, window] : llvm::enumerate(windows)) {
      RangeOp range = window.first;
      if (int64_t coefficient = form.getCoefficient(range))
        position =
            index.add(position, index.mul(copies[firstSums + i],
                                          coefficient / window.second.stride));
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
  auto tile = createTile(mapping.lookup(value), copies, pad);
  changed();
  for (auto &[range, window] : windows)
    positions.push_back(getWindowPosition(range, window));
  replaceByLoad(value, tile.first, positions, extents);
  return tile;
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

/// Moves \p op, and all it needs that comes after \p place, before \p place.
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
  // Users of the value may come before the tile in the block.
  moveBeforeInOrder(tile.getDefiningOp(), value.getDefiningOp());
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPoint(value.getDefiningOp());
  IndexBuilder index(builder, value.getLoc());
  Value position = index.constant(0), mask;
  for (auto [at, extent] : llvm::zip(positions, extents))
    position = index.add(index.mul(position, extent), at);
  // A range of at most one position becomes 0 in every index, so that the load
  // would be executed even if the range has none, and so the tile no element.
  for (Value range : analysis.getRanges(position)) {
    Dim extent = range.getDefiningOp<RangeOp>().getExtentDim();
    if (extent.getMin() <= 0 && extent.getMax() <= 1)
      mask = index.conjunction(mask, index.lessThan(index.constant(0), extent));
  }
  Value staged = LoadOp::create(builder, value.getLoc(), tile, position, mask);
  value.replaceAllUsesWith(staged);
  eraseUnused();
  changed();
}

//===----------------------------------------------------------------------===//
// Matrix operations
//===----------------------------------------------------------------------===//

/// Whether the mask of the load that is staged contains the condition, so that
/// the tile is zero where it does not hold.
static bool isMaskedBy(StageOp tile, Value condition) {
  auto load = tile.getValue().getDefiningOp<LoadOp>();
  return load && load.getMask() &&
         llvm::is_contained(getConjuncts(load.getMask()), condition);
}

/// Whether a tile's elements are read only for a sum of their products.
static bool isReadOnlyFor(Value value, RangedReduceOp reduce) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == reduce ||
           (isa<BarrierOp, LoadOp, CastOp, MulOp, WhereOp>(user) &&
            isReadOnlyFor(user->getResult(0), reduce));
  });
}

void KernelSchedule::contract(RangedReduceOp reduce, int64_t unit) {
  Recording step(*this, StepKind::contract, reduce.getOperation(), {}, unit);
  if (auto where = reduce.getValue().getDefiningOp<WhereOp>()) {
    const ProductFactors factors = *getFactors(where.getX());
    for (Value factor : {factors.lhs, factors.rhs}) {
      StageOp tile = getGroupTile(factor);
      for (Value conjunct : getConjuncts(where.getCondition())) {
        Value mask = findMask(factor.getDefiningOp<LoadOp>(), conjunct);
        if (isMaskedBy(tile, mask))
          continue;
        OpBuilder builder(tile);
        Type type = tile.getValue().getType();
        Value zero = ConstOp::create(builder, tile.getLoc(), type,
                                     builder.getZeroAttr(type));
        tile.getValueMutable().assign(WhereOp::create(
            builder, tile.getLoc(), type, mask, tile.getValue(), zero));
      }
    }
    reduce.getValueMutable().assign(where.getX());
  }
  // The depth is the last range: the innermost one as long as it that both
  // tiles are read along.
  if (std::optional<ProductFactors> factors = getFactors(reduce.getValue())) {
    SmallVector<Value> closed(reduce.getRanges());
    llvm::sort(closed, [](Value a, Value b) {
      return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp());
    });
    auto isReadAlong = [&](Value factor, RangeOp range) {
      auto load = factor.getDefiningOp<LoadOp>();
      return load && dependsOn(load.getIndex(), range);
    };
    for (size_t i = closed.size(); i-- > 0;) {
      auto range = closed[i].getDefiningOp<RangeOp>();
      if (range.getKind() != RangeKind::loop ||
          range.getLargestExtent() != tinygrad::kMatrixUnits[unit].k ||
          !isReadAlong(factors->lhs, range) ||
          !isReadAlong(factors->rhs, range))
        continue;
      std::rotate(closed.begin() + i, closed.begin() + i + 1, closed.end());
      reduce.getRangesMutable().assign(closed);
      break;
    }
  }
  reduce.setUnit(StringRef(tinygrad::kMatrixUnits[unit].name));
  eraseUnused();
  changed();
}

void KernelSchedule::setBuffers(StageOp stage, int64_t count) {
  Recording step(*this, StepKind::buffer, stage.getOperation(), {}, count);
  stage.setBuffers(count % StepAttr::kAsTma);
  stage.setAsTma(count >= StepAttr::kAsTma);
  if (count >= kByWarpgroup)
    stage->setAttr(byWarpgroupAttrName, UnitAttr::get(stage.getContext()));
  if (count >= kAcrossBlocks)
    stage->setAttr(acrossBlocksAttrName, UnitAttr::get(stage.getContext()));
}

void KernelSchedule::storeBoxes(StoreOp store) {
  Recording step(*this, StepKind::buffer, store.getOperation(), {},
                 StepAttr::kAsTma + 1);
  store.setAsTma(true);
}

Value KernelSchedule::findMask(LoadOp load, Value condition) {
  StageOp tile = getGroupTile(load.getResult());
  Operation *comparison = condition.getDefiningOp();
  if (!tile || !comparison)
    return Value();
  // The positions of the tile's ranges at which the element was staged: a digit
  // of the index for each.
  LinearForm index = analysis.getLinear(load.getIndex());
  DenseMap<Value, LinearForm> positions;
  int64_t stride = 1;
  if (index.constant.getStatic() != 0)
    return Value();
  for (Value range : llvm::reverse(tile.getRanges())) {
    const int64_t extent = range.getDefiningOp<RangeOp>().getLargestExtent();
    LinearForm position(index.getContext());
    int64_t largest = 0;
    for (auto [atom, coefficient] : LinearForm(index).terms) {
      const int64_t number = coefficient.getStatic().value_or(0);
      auto own = atom.getDefiningOp<RangeOp>();
      if (!own || number < stride || number >= stride * extent ||
          number % stride != 0)
        continue;
      largest += number / stride * (own.getLargestExtent() - 1);
      position.addTerm(atom, number / stride);
      index.addTerm(atom, -number);
    }
    if (largest >= extent)
      return Value();
    positions.try_emplace(range, position);
    stride *= extent;
  }
  std::optional<LinearForm> wanted = analysis.getDifference(comparison);
  if (!wanted || !index.terms.empty())
    return Value();
  auto saysTheSame = [&](Value conjunct) {
    Operation *op = conjunct.getDefiningOp();
    std::optional<LinearForm> known;
    if (op && op->getName() == comparison->getName())
      known = analysis.getDifference(op);
    if (!known)
      return false;
    LinearForm form(known->constant);
    for (auto [atom, coefficient] : known->terms) {
      auto it = positions.find(atom);
      if (it == positions.end())
        form.addTerm(atom, coefficient);
      else
        form.add(it->second, coefficient);
    }
    form.subtract(*wanted);
    return form.getNumber() == 0;
  };
  for (Operation *op : getSlice(tile.getValue()))
    if (auto staged = dyn_cast<LoadOp>(op); staged && staged.getMask())
      for (Value conjunct : getConjuncts(staged.getMask()))
        if (saysTheSame(conjunct))
          return conjunct;
  return Value();
}

std::optional<std::string>
KernelSchedule::findObstacleToContract(RangedReduceOp reduce, int64_t unit) {
  if (!(target.matrixUnits >> unit & 1))
    return "the target does not have " +
           std::string(tinygrad::kMatrixUnits[unit].name);
  if (tinygrad::kMatrixUnits[unit].element == tinygrad::MatrixElement::tf32 &&
      !target.roundToTf32)
    return "the target does not allow factors in tf32";
  if (reduce.getUnit())
    return "a matrix operation computes it already";
  auto where = reduce.getValue().getDefiningOp<WhereOp>();
  if (!where)
    return std::nullopt;
  // A product is zero only if both factors are.
  auto other = where.getY().getDefiningOp<ConstOp>();
  std::optional<ProductFactors> factors = getFactors(where.getX());
  if (!other ||
      other.getValue() !=
          getReduceIdentity(reduce.getKind(), reduce.getType()) ||
      !factors)
    return "it does not add up products";
  for (Value factor : {factors->lhs, factors->rhs}) {
    auto load = factor.getDefiningOp<LoadOp>();
    for (Value conjunct : getConjuncts(where.getCondition())) {
      Value mask = load ? findMask(load, conjunct) : Value();
      if (!mask)
        return "products are omitted whose factors are not zeros of a tile";
      // Other readers would see the zeros.
      StageOp tile = getGroupTile(factor);
      if (!isMaskedBy(tile, mask) && !isReadOnlyFor(tile.getTile(), reduce))
        return "a factor of products that are omitted is used elsewhere";
    }
  }
  return std::nullopt;
}
