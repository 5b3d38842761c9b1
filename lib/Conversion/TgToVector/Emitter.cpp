//===- Emitter.cpp - a kernel's values in loops ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What each value depends on, the stack of scopes, loops, and the order of the
/// stores.
///
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::tovector;

Emitter::Emitter(KernelOp kernel, OpBuilder &builder)
    : kernel(kernel), builder(kernel.getLoc(), builder) {}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

static bool isKernelOperation(Operation *op) {
  return isa<RangeOp, RangedReduceOp, RangedScanOp, LoadOp, StoreOp, StageOp,
             BarrierOp, ConstOp, DimOp>(op) ||
         op->hasTrait<OpTrait::Elementwise>();
}

/// More would take LLVM minutes; schedules have a few hundred at most.
static constexpr int64_t kMostLanes = 4096, kMostCopies = 1 << 16;

/// Positions of a loop around others up to which it branches at each position
/// that is left out: bounds that are not known would keep LLVM from addressing
/// all that the inner loops load with one register.
static constexpr int64_t kMostGuarded = 16;

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
          return op.emitOpError(
              "has a symbolic extent; as lanes or unrolled it "
              "has to be a number");
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
        return op.emitOpError("keeps a vector in every element: an upcast "
                              "range of the value is not among its ranges");
    }
    for (Value result : op.getResults())
      deps[result] = set;
  }

  if (failed(checkScans()) || failed(checkUpdates()))
    return failure();

  // Which reductions need which.
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
// Scopes and loops
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

void Emitter::emitLoops(ArrayRef<unsigned> indices,
                        SmallVectorImpl<Value> &carried, Location loc,
                        Body body, const Cascade *cascade) {
  if (indices.empty())
    return body(carried);
  const Range &range = ranges[indices.front()];
  Dim extent = getExtent(range), zero = getNumber(0);
  Dim middle = Dim::get(DimOpKind::max, extent - range.peel, zero);
  emitLoopPart(indices, zero, middle, carried, loc, body, cascade);
  emitLoopPart(indices, middle, extent, carried, loc, body, cascade);
}

void Emitter::setPart(Range &range, Dim begin, Dim end) {
  range.lo = begin.getMin();
  range.hi = end.getMax() - 1;
  range.part = Part();
  if (!begin.isStatic() || !end.isStatic())
    range.part = {begin, end - getNumber(1)};
}

void Emitter::emitLoopPart(ArrayRef<unsigned> indices, Dim begin, Dim end,
                           SmallVectorImpl<Value> &carried, Location loc,
                           Body body, const Cascade *cascade) {
  if (begin == end)
    return;
  unsigned index = indices.front();
  Range saved = ranges[index];
  setPart(ranges[index], begin, end);
  ranges[index].depth = scopes.size();

  Scope scope;
  if ((end - begin).is(1)) {
    scope.anchor = scopes.back().anchor;
    ranges[index].value = begin.isStatic() ? Value() : getDimValue(begin, loc);
    scopes.push_back(std::move(scope));
    emitLoops(indices.drop_front(), carried, loc, body, cascade);
    closeScope();
    ranges[index] = saved;
    return;
  }

  // The bounds stand at the top of the function, out of everybody's way.
  Value lower = getDimValue(begin, loc);
  Value upper = getDimValue(end, loc);
  Value step = getIndexConstant(1, loc);
  std::shared_ptr<Anchor> parent = scopes.back().anchor;
  Operation *savedBefore = parent->before;

  arith::MaxSIOp narrowedLower;
  arith::MinSIOp narrowedUpper;
  bool isGuarded = false;
  if (ranges[index].condition) {
    B &b = at(top(), loc);
    narrowedLower = arith::MaxSIOp::create(b, lower, lower);
    narrowedUpper = arith::MinSIOp::create(b, upper, upper);
    isGuarded = indices.size() > 1 && (end - begin).getMax() <= kMostGuarded;
    if (!isGuarded) {
      lower = narrowedLower;
      upper = narrowedUpper;
    }
  }

  // Loops over blocks, around the one over the positions of a block.
  SmallVector<std::pair<int64_t, Value>> sizes;
  SmallVector<scf::ForOp> blockLoops;
  SmallVector<Value> first(carried.begin(), carried.end());
  int64_t extent = (end - begin).getMax();
  bool isBlock = false,
       isExact = (end - begin).isStatic() && (!narrowedLower || isGuarded);
  if (cascade)
    for (int64_t block : llvm::reverse(
             cascade->blocks[cascade->blocks.size() - indices.size()])) {
      isBlock |= block == 1;
      if (block > 1 && block < extent)
        sizes.emplace_back(block, getIndexConstant(block, loc));
    }
  B &b = at(top(), loc);
  for (auto [block, size] : sizes) {
    isExact &= extent % block == 0;
    extent = block;
    auto loop = scf::ForOp::create(b, lower, upper, size, first);
    blockLoops.push_back(loop);
    b.setInsertionPointToEnd(loop.getBody());
    lower = loop.getInductionVar();
    Value blockEnd = arith::AddIOp::create(b, lower, size);
    upper = isExact ? blockEnd
                    : arith::MinSIOp::create(b, blockEnd, upper).getResult();
    first = beginBlock(*cascade, loop.getRegionIterArgs());
  }

  auto loop = scf::ForOp::create(b, lower, upper, step, first);
  parent->before = blockLoops.empty() ? loop : blockLoops.front();
  scope.anchor = std::make_shared<Anchor>();
  scope.anchor->block = loop.getBody();
  if (carried.empty())
    scope.anchor->before = loop.getBody()->getTerminator();
  ranges[index].value = loop.getInductionVar();
  scopes.push_back(std::move(scope));
  const unsigned outer = top() - 1;
  SmallVector<Value> inner(loop.getRegionIterArgs());
  if (isBlock)
    inner = beginBlock(*cascade, inner);
  scf::IfOp guard;
  if (isGuarded) {
    B &b = at(top(), loc);
    Value position = loop.getInductionVar();
    Value isInside = arith::AndIOp::create(
        b,
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, position,
                              narrowedLower),
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, position,
                              narrowedUpper));
    guard = scf::IfOp::create(b, ValueRange(inner).getTypes(), isInside,
                              /*withElseRegion=*/true);
    b.setInsertionPointToEnd(guard.elseBlock());
    scf::YieldOp::create(b, inner);
    scopes.back().anchor->before = guard;
    Scope guarded;
    guarded.anchor = std::make_shared<Anchor>();
    guarded.anchor->block = guard.thenBlock();
    // What depends on the position is computed where the condition holds.
    ranges[index].depth = scopes.size();
    scopes.push_back(std::move(guarded));
  }
  if (narrowedLower)
    narrowLoop(index, narrowedLower, narrowedUpper, parent->before, outer, loc);
  emitLoops(indices.drop_front(), inner, loc, body, cascade);
  if (guard) {
    scf::YieldOp::create(at(top(), loc), inner);
    closeScope();
    scopes.back().anchor->before = nullptr;
    inner = guard.getResults();
  }
  if (isBlock)
    inner = endBlock(at(top(), loc), *cascade, loop.getRegionIterArgs(), inner);
  if (!carried.empty())
    scf::YieldOp::create(at(top(), loc), inner);
  closeScope();

  for (scf::ForOp blocks : llvm::reverse(blockLoops)) {
    b.setInsertionPointToEnd(blocks.getBody());
    scf::YieldOp::create(b, endBlock(b, *cascade, blocks.getRegionIterArgs(),
                                     loop.getResults()));
    loop = blocks;
  }
  parent->before = savedBefore;
  ranges[index] = saved;
  carried.assign(loop.getResults().begin(), loop.getResults().end());
}

static void collectConjuncts(Value mask, SmallVectorImpl<Value> &conjuncts) {
  if (auto both = mask.getDefiningOp<AndOp>()) {
    collectConjuncts(both.getLhs(), conjuncts);
    collectConjuncts(both.getRhs(), conjuncts);
  } else {
    conjuncts.push_back(mask);
  }
}

void Emitter::narrowLoop(unsigned index, arith::MaxSIOp lower,
                         arith::MinSIOp upper, Operation *place, unsigned outer,
                         Location loc) {
  // Conditions on the range, or something else that does not depend on it.
  Value condition = ranges[index].condition, unless;
  if (auto either = condition.getDefiningOp<OrOp>()) {
    condition = either.getLhs();
    unless = either.getRhs();
    if (getDeps(unless) & setOf(index))
      std::swap(condition, unless);
    if (getDeps(unless) & setOf(index))
      return;
  }
  SmallVector<Value> conjuncts;
  collectConjuncts(condition, conjuncts);
  SmallVector<Form> least, greatest;
  bool isWhole = true;
  for (Value conjunct : conjuncts) {
    auto less = conjunct.getDefiningOp<CmpLtOp>();
    if (!less || !less.getLhs().getType().isIndex()) {
      isWhole = false;
      continue;
    }
    // The range is on one side, with all else on the other.
    Form difference = getForm(less.getLhs());
    difference.add(getForm(less.getRhs()), -1);
    Form rest;
    rest.constant = difference.constant;
    int64_t factor = 0;
    bool isOuter = true;
    for (const Form::Term &term : difference.terms)
      if (rangeIndex.contains(term.value) &&
          rangeIndex.lookup(term.value) == index) {
        factor += term.factor;
      } else {
        isOuter &= !(getDeps(term.value) & (upcastSet | setOf(index)));
        rest.terms.push_back(term);
      }
    const Bounds bounds = getBounds(rest);
    if (!isOuter || (factor != 1 && factor != -1) ||
        bounds.lo <= Bounds::least || bounds.hi >= Bounds::most) {
      isWhole = false;
      continue;
    }
    if (factor == 1) {
      Form end;
      end.add(rest, -1);
      greatest.push_back(end);
    } else {
      ++rest.constant;
      least.push_back(rest);
    }
    if (!unless)
      scopes.back().bools[{conjunct, getKey(conjunct)}] = 1;
  }
  if (isWhole)
    scopes.back()
        .bools[{ranges[index].condition, getKey(ranges[index].condition)}] = 1;
  Value isAll = unless ? get(unless) : Value();
  auto combine = [&](ArrayRef<Form> forms, Operation *bound) {
    Value limit;
    for (const Form &form : forms) {
      Value value = getScalar(form, loc);
      B &b = at(outer, loc);
      if (!limit)
        limit = value;
      else if (isa<arith::MaxSIOp>(bound))
        limit = arith::MaxSIOp::create(b, limit, value);
      else
        limit = arith::MinSIOp::create(b, limit, value);
    }
    if (limit && isAll)
      limit = arith::SelectOp::create(at(outer, loc), isAll,
                                      bound->getOperand(0), limit);
    bound->moveBefore(place);
    if (limit)
      bound->setOperand(1, limit);
  };
  combine(least, lower);
  combine(greatest, upper);
}

void Emitter::emitThreadLoop(func::FuncOp func,
                             llvm::function_ref<void()> body) {
  SmallVector<unsigned> threads;
  for (RangeSet set = threadSet; set; set &= set - 1)
    threads.push_back(llvm::countr_zero(set));
  Dim total = getParallelExtent();
  if (total.is(0))
    return;
  Location loc = kernel.getLoc();
  if (total.is(1)) {
    SmallVector<Value> none;
    for (unsigned index : threads)
      ranges[index].peel = getNumber(0);
    return emitLoops(threads, none, loc,
                     [&](SmallVectorImpl<Value> &) { body(); });
  }

  unsigned numBuffers = kernel.getArgumentTypes().size();
  Value step = getIndexConstant(1, loc);
  B &b = at(0, loc);
  auto loop = scf::ForOp::create(b, func.getArgument(numBuffers),
                                 func.getArgument(numBuffers + 1), step);
  threadLoop = loop;
  std::shared_ptr<Anchor> parent = scopes.back().anchor;
  Operation *savedBefore = parent->before;
  parent->before = loop;
  Scope scope;
  scope.anchor = std::make_shared<Anchor>();
  scope.anchor->block = loop.getBody();
  scope.anchor->before = loop.getBody()->getTerminator();
  scopes.push_back(std::move(scope));

  Value rest = loop.getInductionVar();
  unsigned outermost = *llvm::find_if(
      threads, [&](unsigned index) { return !getExtent(ranges[index]).is(1); });
  for (unsigned index : llvm::reverse(threads)) {
    Range &range = ranges[index];
    Dim extent = getExtent(range);
    setPart(range, getNumber(0), extent);
    range.depth = top();
    if (extent.is(1))
      continue;
    range.value = rest;
    if (index == outermost)
      continue;
    Value divisor = getDimValue(extent, loc);
    at(top(), loc);
    range.value = arith::RemUIOp::create(b, rest, divisor);
    rest = arith::DivUIOp::create(b, rest, divisor);
  }
  SmallVector<unsigned> peeled;
  for (unsigned index : threads)
    if (!ranges[index].peel.is(0) &&
        getExtent(ranges[index]) != ranges[index].peel)
      peeled.push_back(index);
  emitThreadParts(peeled, body);
  closeScope();
  parent->before = savedBefore;
}

void Emitter::emitThreadParts(ArrayRef<unsigned> peeled,
                              llvm::function_ref<void()> body) {
  if (peeled.empty())
    return body();
  Location loc = kernel.getLoc();
  Range saved = ranges[peeled.front()];
  Dim extent = getExtent(saved), middle = extent - saved.peel;
  Value bound = getDimValue(middle, loc);
  B &b = at(top(), loc);
  Value isMain =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, saved.value, bound);
  auto branch = scf::IfOp::create(b, isMain, /*withElseRegion=*/true);
  std::shared_ptr<Anchor> parent = scopes.back().anchor;
  Operation *savedBefore = parent->before;
  parent->before = branch;
  for (bool isTail : {false, true}) {
    Range &range = ranges[peeled.front()];
    if (isTail)
      setPart(range, middle, extent);
    else
      setPart(range, getNumber(0), middle);
    range.value = range.lo == range.hi ? Value() : saved.value;
    range.depth = scopes.size();
    emitInBlock(isTail ? branch.elseBlock() : branch.thenBlock(),
                [&] { emitThreadParts(peeled.drop_front(), body); });
  }
  ranges[peeled.front()] = saved;
  parent->before = savedBefore;
}

void Emitter::emitInBlock(Block *block, llvm::function_ref<void()> body) {
  Scope scope;
  scope.anchor = std::make_shared<Anchor>();
  scope.anchor->block = block;
  scope.anchor->before = block->getTerminator();
  scopes.push_back(std::move(scope));
  body();
  closeScope();
}

/// Results of fewer bytes are not stored past the caches.
static constexpr int64_t largeBytes = 16 << 20;

Dim Emitter::getShortRows(LoadOp op) {
  if (!op.getPrefetch())
    return Dim();
  Dim shortRows;
  for (RangeSet set = getDeps(op.getIndex()) & ~threadSet; set;
       set &= set - 1) {
    const Range &range = ranges[llvm::countr_zero(set)];
    Dim extent = getExtent(range);
    // Tiles are filled between other work, so their rows always come late.
    if (llvm::any_of(range.op->getUsers(), llvm::IsaPred<StageOp>))
      return Dim();
    if (extent.isStatic())
      continue;
    Dim isShort = Dim::get(DimOpKind::max, getNumber(0),
                           Dim::get(DimOpKind::min, getNumber(1),
                                    getNumber(range.extent * 7 / 8) - extent));
    shortRows = shortRows.getAttr() ? shortRows * isShort : isShort;
  }
  return shortRows;
}

void Emitter::emitBranches(Value condition, bool &flag,
                           llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(at(top(), kernel.getLoc()), condition,
                                  /*withElseRegion=*/true);
  std::shared_ptr<Anchor> parent = scopes.back().anchor;
  Operation *savedBefore = parent->before;
  parent->before = branch;
  emitInBlock(branch.thenBlock(), body);
  flag = false;
  emitInBlock(branch.elseBlock(), body);
  flag = true;
  parent->before = savedBefore;
}

void Emitter::emitRowSizes(llvm::function_ref<void()> body) {
  Dim shortRows;
  if (isLarge)
    for (auto load : kernel.getBody().getOps<LoadOp>())
      if (Dim rows = getShortRows(load); rows.getAttr() && live.contains(load))
        shortRows = rows;
  if (!shortRows.getAttr()) {
    arePrefetched = false;
    body();
    arePrefetched = true;
    return;
  }
  Value rows = getDimValue(shortRows, kernel.getLoc());
  B &b = at(top(), kernel.getLoc());
  Value condition = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rows,
                                          buildInt(b, b.getIndexType(), 0));
  emitBranches(condition, arePrefetched, body);
}

void Emitter::emitSizes(ArrayRef<StoreOp> stores,
                        llvm::function_ref<void()> body) {
  Dim bytes;
  for (StoreOp store : stores) {
    if (!store.getNontemporal())
      continue;
    bytes = getNumber(llvm::divideCeil(
        store.getValue().getType().getIntOrFloatBitWidth(), 8));
    for (const auto &[i, range] : llvm::enumerate(ranges))
      if (getDeps(store.getIndex()) & setOf(i))
        bytes = bytes * getExtent(range);
  }
  if (!bytes.getAttr() || bytes.isStatic() || bytes.getMin() >= largeBytes)
    return emitRowSizes(body);
  Location loc = kernel.getLoc();
  Value size = getDimValue(bytes, loc);
  B &b = at(top(), loc);
  Value condition =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, size,
                            buildInt(b, b.getIndexType(), largeBytes));
  emitBranches(condition, isLarge, [&] { emitRowSizes(body); });
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
    // What a kernel reads of its outputs is what they held before.
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
  // First what decides conditions, then what is needed once they are decided.
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
