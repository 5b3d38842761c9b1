//===- Emitter.cpp - a kernel's values in loops ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What each value depends on, the stack of scopes, and the order of the
/// stores.
///
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::tovector;

Emitter::Emitter(KernelOp kernel, OpBuilder &builder, const TargetFacts &target)
    : kernel(kernel), target(target), builder(kernel.getLoc(), builder) {}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

static bool isKernelOperation(Operation *op) {
  return isa<RangeOp, RangedReduceOp, RangedScanOp, LoadOp, StoreOp, StageOp,
             BarrierOp, ConstOp, DimOp>(op) ||
         (op->hasTrait<OpTrait::Elementwise>() &&
          !isa<ComposedOpInterface>(op));
}

/// More would take LLVM minutes; schedules have a few hundred at most.
static constexpr int64_t kMostLanes = 4096, kMostCopies = 1 << 16;

RangeSet Emitter::getSet(ValueRange values) const {
  RangeSet set = 0;
  for (Value value : values)
    if (auto it = rangeIndex.find(value); it != rangeIndex.end())
      set |= setOf(it->second);
  return set;
}

LogicalResult Emitter::checkLanes(Operation *op, RangeSet set) {
  if (llvm::popcount(set & upcastSet) <= 1)
    return success();
  InFlightDiagnostic error =
      op->emitOpError("depends on two upcast ranges; a vector has the lanes of "
                      "one range");
  for (const auto &[i, range] : llvm::enumerate(ranges))
    if (set & upcastSet & setOf(i))
      error.attachNote(range.op.getLoc()) << "upcast range";
  return error;
}

LogicalResult Emitter::analyze() {
  int64_t numCopies = 1;
  Block &body = kernel.getBody().front();
  for (Operation &op : llvm::reverse(body)) {
    bool isLive = isa<StoreOp>(op);
    for (Operation *user : op.getUsers())
      isLive |= live.contains(user);
    if (isLive)
      live.insert(&op);
  }
  uint64_t keyFactor = 1;
  for (Operation &op : body) {
    if (isa<ComposedOpInterface>(op))
      return op.emitOpError("is composed of others, which tg-expand-composed "
                            "has to put in its place first");
    if (!isKernelOperation(&op))
      return op.emitOpError("cannot be compiled for a CPU");
    for (Value value : op.getResults())
      if (isa<VectorType>(value.getType()))
        return op.emitOpError("has a vector type; inside kernels vectors come "
                              "from upcast ranges");
    if (!live.contains(&op))
      continue;
    RangeSet set = 0;
    for (Value operand : op.getOperands())
      set |= getDeps(operand);
    if (auto range = dyn_cast<RangeOp>(op)) {
      if (ranges.size() == 64)
        return op.emitOpError("is the 65th range that the kernel uses; 64 are "
                              "supported");
      Dim extent(range.getExtent());
      set = setOf(ranges.size());
      Range info;
      info.op = range;
      info.kind = range.getKind();
      info.extent = extent.getMax();
      info.peel = range.getPeelDim();
      switch (info.kind) {
      case RangeKind::upcast:
        upcastSet |= set;
        break;
      case RangeKind::unroll:
        unrollSet |= set;
        break;
      case RangeKind::thread:
      case RangeKind::global:
        threadSet |= set;
        loopSet |= set;
        break;
      case RangeKind::loop:
      case RangeKind::local:
      case RangeKind::group_reduce:
        loopSet |= set;
        break;
      }
      if (!(set & loopSet)) {
        if (!extent.isStatic())
          return op.emitOpError("has a symbolic extent; lanes and unrolled "
                                "copies require a number");
        // All lanes are in one value, and unrolled positions are code.
        if (info.kind == RangeKind::upcast && info.extent > kMostLanes)
          return op.emitOpError("has ")
                 << info.extent << " lanes; a vector has at most "
                 << kMostLanes;
        if (info.kind == RangeKind::unroll &&
            (info.extent > kMostCopies ||
             (numCopies *= std::max<int64_t>(info.extent, 1)) > kMostCopies))
          return op.emitOpError("makes more than ")
                 << kMostCopies << " copies of the code, together with the "
                 << "other unrolled ranges";
        info.keyFactor = keyFactor;
        uint64_t positions = info.extent + 1;
        if (keyFactor > UINT64_MAX / positions)
          return op.emitOpError("makes too many combinations of unrolled "
                                "positions");
        keyFactor *= positions;
      }
      rangeIndex[range.getResult()] = ranges.size();
      ranges.push_back(info);
    }
    if (failed(checkLanes(&op, set)))
      return failure();
    auto close = [&](ValueRange closedRanges) -> LogicalResult {
      RangeSet closed = getSet(closedRanges);
      if (closed & threadSet)
        return op.emitOpError("closes a range that threads share, which is "
                              "not supported");
      set &= ~closed;
      return success();
    };
    if (auto reduce = dyn_cast<RangedReduceOp>(op)) {
      if (failed(close(reduce.getRanges())))
        return failure();
      reduceIndex[&op] = reduces.size();
      reduces.push_back(reduce);
    }
    if (auto scan = dyn_cast<RangedScanOp>(op))
      scans.push_back(scan);
    if (auto stage = dyn_cast<StageOp>(op)) {
      if (failed(close(stage.getRanges())))
        return failure();
      if (set & upcastSet)
        return op.emitOpError("would keep a vector in every element: the "
                              "value depends on an upcast range that is not "
                              "among the ranges");
    }
    for (Value result : op.getResults())
      deps[result] = set;
  }

  if (failed(checkScans()) || failed(checkUpdates()))
    return failure();

  // Which reductions depend on which.
  if (reduces.size() > 1) {
    neededReduces.assign(reduces.size(), llvm::BitVector(reduces.size()));
    DenseMap<Value, llvm::BitVector> needs;
    for (Operation &op : body) {
      if (!live.contains(&op))
        continue;
      llvm::BitVector set(reduces.size());
      for (Value operand : op.getOperands())
        if (auto it = needs.find(operand); it != needs.end())
          set |= it->second;
      if (auto it = reduceIndex.find(&op); it != reduceIndex.end()) {
        neededReduces[it->second] = set;
        set.set(it->second);
      }
      if (set.any())
        for (Value result : op.getResults())
          needs[result] = set;
    }
  }
  return success();
}

Dim Emitter::getParallelExtent() const {
  Dim extent(kernel.getContext(), 1);
  for (const auto &[i, range] : llvm::enumerate(ranges))
    if (threadSet & setOf(i))
      extent = extent * getExtent(range);
  return extent;
}

uint64_t Emitter::getKey(Value value) const {
  uint64_t key = 0;
  RangeSet set = getDeps(value) & (unrollSet | upcastSet);
  for (; set; set &= set - 1) {
    const Range &range = ranges[llvm::countr_zero(set)];
    key += range.keyFactor * uint64_t(range.position + 1);
  }
  return key;
}

unsigned Emitter::getDepth(Value value) const {
  unsigned depth = 0;
  for (RangeSet set = getDeps(value) & loopSet; set; set &= set - 1)
    depth = std::max(depth, ranges[llvm::countr_zero(set)].depth);
  return depth;
}

std::optional<unsigned> Emitter::getLaneRange(RangeSet set) const {
  set &= upcastSet;
  if (!set)
    return std::nullopt;
  unsigned range = llvm::countr_zero(set);
  if (ranges[range].position >= 0)
    return std::nullopt;
  return range;
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

B &Emitter::at(unsigned depth, Location loc) {
  Anchor &anchor = *scopes[depth].anchor;
  if (anchor.before)
    builder.setInsertionPoint(anchor.before);
  else
    builder.setInsertionPointToEnd(anchor.block);
  builder.setLoc(loc);
  return builder;
}

void Emitter::withinDepth(unsigned depth, llvm::function_ref<void()> body) {
  if (depth + 1 == scopes.size())
    return body();
  SmallVector<Scope, 0> inner(
      std::make_move_iterator(scopes.begin() + depth + 1),
      std::make_move_iterator(scopes.end()));
  scopes.truncate(depth + 1);
  body();
  scopes.append(std::make_move_iterator(inner.begin()),
                std::make_move_iterator(inner.end()));
}

void Emitter::closeScope() {
  Scope closed = scopes.pop_back_val();
  SmallVector<Value> &freeTiles = scopes.back().freeTiles;
  llvm::append_range(freeTiles, closed.tiles);
  llvm::append_range(freeTiles, closed.freeTiles);
}

Value Emitter::getIndexConstant(int64_t value, Location loc) {
  Value &constant = scopes[0].sums[{2, nullptr, value}];
  if (!constant) {
    B &b = at(0, loc);
    constant = buildInt(b, b.getIndexType(), value);
  }
  return constant;
}

void Emitter::forEachPosition(RangeSet set, llvm::function_ref<void()> body) {
  if (!set)
    return body();
  unsigned index = llvm::countr_zero(set);
  int64_t saved = ranges[index].position;
  for (int64_t i = 0; i < ranges[index].extent; ++i) {
    ranges[index].position = i;
    forEachPosition(set & (set - 1), body);
  }
  ranges[index].position = saved;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

RangeSet Emitter::getStoreSet(StoreOp store) const {
  RangeSet set = 0;
  for (Value operand : StoreOp(store)->getOperands())
    set |= getDeps(operand);
  return set;
}

/// Emits the value of a store in all combinations of positions.
void Emitter::prefetchValues(StoreOp store) {
  forEachPosition(getStoreSet(store) & unrollSet,
                  [&] { get(store.getValue()); });
}

/// Whether two stores in one loop may do something else than in one loop after
/// the other: an update reads what earlier positions wrote.
static bool dependOnOrder(StoreOp a, StoreOp b) {
  if (!a.getUpdate() && !b.getUpdate())
    return false;
  auto isLoaded = [](StoreOp store) {
    return llvm::any_of(store.getBuffer().getUsers(), llvm::IsaPred<LoadOp>);
  };
  return !a.getUpdate() || !b.getUpdate() || a.getBuffer() == b.getBuffer() ||
         isLoaded(a) || isLoaded(b);
}

void Emitter::emitStores(ArrayRef<StoreOp> stores, RangeSet open) {
  auto getNext = [&](StoreOp store) -> std::optional<unsigned> {
    RangeSet set = getStoreSet(store) & loopSet & ~open;
    if (!set)
      return std::nullopt;
    return llvm::countr_zero(set);
  };
  while (!stores.empty()) {
    // Stores that share the next loop are filled together.
    std::optional<unsigned> next = getNext(stores.front());
    size_t count = 1;
    while (
        count < stores.size() && getNext(stores[count]) == next &&
        llvm::none_of(
            stores.take_front(count),
            [&](StoreOp store) { return dependOnOrder(store, stores[count]); }))
      ++count;
    ArrayRef<StoreOp> group = stores.take_front(count);
    stores = stores.drop_front(count);
    if (next) {
      emitStoreLoops(group, *next, open);
      continue;
    }
    // A kernel that reads its outputs sees their previous contents.
    if (kernel.getInPlace())
      for (StoreOp store : group)
        prefetchValues(store);
    for (StoreOp store : group)
      forEachPosition(getStoreSet(store) & unrollSet,
                      [&] { emitStore(store); });
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Emitter::toLanes(B &b, Value value, int64_t lanes) {
  if (lanes == 0 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(b, VectorType::get(lanes, value.getType()),
                                     value);
}

Value Emitter::resolve(Value value) {
  while (auto where = value.getDefiningOp<WhereOp>()) {
    std::optional<bool> condition = getKnown(where.getCondition());
    if (!condition)
      break;
    value = *condition ? where.getX() : where.getY();
  }
  return value;
}

Emitter::Nesting::Nesting(Emitter &emitter, Value value) : emitter(emitter) {
  if (++emitter.level < 256)
    return;
  unsigned level = std::exchange(emitter.level, 0);
  emitter.visitOperandsFirst(value);
  emitter.level = level;
}

void Emitter::visitOperandsFirst(Value value) {
  // First the operands that decide conditions, then those needed once they are
  // decided.
  for (bool onlyNeeded : {false, true}) {
    DenseSet<Value> seen;
    SmallVector<std::pair<Value, bool>> stack{{value, false}};
    while (!stack.empty()) {
      auto [next, isReady] = stack.pop_back_val();
      Value needed = onlyNeeded ? resolve(next) : next;
      Operation *op = needed.getDefiningOp();
      if (!op ||
          isa<RangeOp, ConstOp, RangedReduceOp, RangedScanOp, StageOp>(op))
        continue;
      if (!isReady) {
        if (!seen.insert(next).second)
          continue;
        stack.push_back({next, true});
        for (Value operand : op->getOperands())
          if (!isa<MemRefType>(operand.getType()))
            stack.push_back({operand, false});
        continue;
      }
      if (next == value)
        break;
      if (next.getType().isIndex())
        getForm(next);
      else if (next.getType().isInteger(1) && !onlyNeeded)
        getKnown(next);
      if (onlyNeeded && !next.getType().isIndex())
        get(next);
    }
  }
}

Value Emitter::get(Value value) {
  value = resolve(value);
  if (value.getType().isIndex())
    return getIndex(getForm(value), value.getLoc());
  if (value.getType().isInteger(1))
    if (std::optional<bool> known = getKnown(value)) {
      B &b = at(0, value.getLoc());
      return buildInt(b, b.getI1Type(), *known);
    }
  unsigned depth = getDepth(value);
  Key key(value, getKey(value));
  if (Value found = scopes[depth].values.lookup(key))
    return found;
  Nesting nesting(*this, value);
  Value result;
  withinDepth(depth, [&] { result = create(value, depth); });
  scopes[depth].values[key] = result;
  return result;
}

Value Emitter::create(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<ConstOp>(op))
    return buildNumber(at(depth, op->getLoc()), constant.getValue(), 0);
  if (auto load = dyn_cast<LoadOp>(op))
    return createLoad(load, depth);
  if (auto reduce = dyn_cast<RangedReduceOp>(op)) {
    Key key(value, getKey(value));
    emitReduce(reduce, depth);
    return scopes[depth].values.lookup(key);
  }
  if (auto scan = dyn_cast<RangedScanOp>(op))
    return createScan(scan, depth);
  if (isa<CmpLtOp, CmpEqOp, CmpNeOp>(op) &&
      op->getOperand(0).getType().isIndex())
    return createIndexCompare(op, depth);
  return createElementwise(op, depth);
}

Value Emitter::createElementwise(Operation *op, unsigned depth) {
  // With one operand of a conjunction or disjunction known (and not deciding),
  // the other one is the result.
  if (op->getResult(0).getType().isInteger(1) &&
      isa<AndOp, MulOp, OrOp, AddOp, MaxOp>(op))
    for (unsigned i : {0, 1})
      if (getKnown(op->getOperand(i)))
        return get(op->getOperand(1 - i));
  SmallVector<Value> operands;
  int64_t lanes = 0;
  for (Value operand : op->getOperands()) {
    operands.push_back(get(operand));
    if (auto vector = dyn_cast<VectorType>(operands.back().getType()))
      lanes = vector.getNumElements();
  }
  B &b = at(depth, op->getLoc());
  for (Value &operand : operands)
    operand = toLanes(b, operand, lanes);
  Value result = buildElementwise(b, op, operands);
  assert(result && "not an elementwise operation");
  return result;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

FailureOr<func::FuncOp> Emitter::emit() {
  if (failed(analyze()))
    return failure();
  SmallVector<Type> arguments;
  for (Type type : kernel.getArgumentTypes()) {
    auto buffer = cast<MemRefType>(type);
    arguments.push_back(MemRefType::get(
        buffer.getShape(), getMemoryType(buffer.getElementType())));
  }
  FailureOr<SmallVector<VarAttr>> variables = collectVariables(kernel);
  if (failed(variables))
    return failure();
  isSymbolic = !variables->empty();
  arguments.append(2 + variables->size(), builder.getIndexType());
  builder.setLoc(kernel.getLoc());
  auto func =
      func::FuncOp::create(builder, kernel.getSymName(),
                           builder.getFunctionType(arguments, TypeRange()));
  Block *entry = func.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  auto end = func::ReturnOp::create(builder);
  Block &body = kernel.getBody().front();
  for (auto [argument, buffer] :
       llvm::zip_first(body.getArguments(), func.getArguments()))
    buffers[argument] = buffer;
  for (auto [variable, value] : llvm::zip_equal(
           *variables, func.getArguments().take_back(variables->size())))
    dimValues[variable] = value;

  Scope scope;
  scope.anchor = std::make_shared<Anchor>();
  scope.anchor->block = entry;
  scope.anchor->before = end;
  scopes.push_back(std::move(scope));

  SmallVector<StoreOp> stores;
  for (auto store : body.getOps<StoreOp>()) {
    RangeSet set = 0;
    for (Value operand : store->getOperands())
      set |= getDeps(operand);
    bool isEmpty = false;
    for (; set; set &= set - 1)
      isEmpty |= ranges[llvm::countr_zero(set)].extent == 0;
    if (!isEmpty)
      stores.push_back(store);
  }
  if (!stores.empty())
    emitThreadLoop(func, [&] {
      emitSizes(stores, [&] { emitStores(stores, threadSet); });
    });
  at(0, kernel.getLoc());
  for (Value tile : heapTiles)
    memref::DeallocOp::create(builder, tile);
  func->setAttr("tg.parallel_extent", getParallelExtent().getAttr());
  if (isSymbolic)
    func->setAttr("tg.variables", builder.getArrayAttr(SmallVector<Attribute>(
                                      variables->begin(), variables->end())));
  func->setAttr("tg.outputs", builder.getI64IntegerAttr(kernel.getOutputs()));
  if (kernel.getInPlace())
    func->setAttr("tg.in_place", builder.getUnitAttr());
  return func;
}
