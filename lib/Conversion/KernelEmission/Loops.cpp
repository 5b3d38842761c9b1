//===- Loops.cpp - the loops of a kernel ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Emits ranges as loops with peeled parts, and decodes parallel ranges from a
/// flat position.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelEmission/KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;

/// Loops with up to this many positions that contain other loops skip positions
/// by a branch instead of narrowed bounds: with unknown bounds, LLVM could not
/// address all loads of the inner loops with one register.
static constexpr int64_t kMaxGuarded = 16;

void KernelEmitter::emitLoops(ArrayRef<unsigned> indices,
                              SmallVectorImpl<Value> &carried, Location loc,
                              Body body) {
  emitLoopNest(indices, carried, loc, body, /*cascade=*/nullptr);
}

void KernelEmitter::emitLoopNest(ArrayRef<unsigned> indices,
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

void KernelEmitter::setPart(Range &range, Dim begin, Dim end) {
  range.lo = begin.getMin();
  range.hi = end.getMax() - 1;
  range.part = Part();
  if (!begin.isStatic() || !end.isStatic())
    range.part = {begin, end - getNumber(1)};
}

void KernelEmitter::emitLoopPart(ArrayRef<unsigned> indices, Dim begin, Dim end,
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
    emitLoopNest(indices.drop_front(), carried, loc, body, cascade);
    closeScope();
    ranges[index] = saved;
    return;
  }

  // Dimensions are computed at the top of the function.
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
    isGuarded = indices.size() > 1 && (end - begin).getMax() <= kMaxGuarded;
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
    // Code that depends on the position goes inside the branch.
    ranges[index].depth = scopes.size();
    scopes.push_back(std::move(guarded));
  }
  if (narrowedLower)
    narrowLoop(index, narrowedLower, narrowedUpper, parent->before, outer, loc);
  emitLoopNest(indices.drop_front(), inner, loc, body, cascade);
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

void KernelEmitter::narrowLoop(unsigned index, arith::MaxSIOp lower,
                               arith::MinSIOp upper, Operation *place,
                               unsigned outer, Location loc) {
  // A condition bounds the range, or is a disjunction of such a bound with
  // `unless`, which does not depend on the range and is the same for all.
  Value unless;
  SmallVector<IndexForm> least, greatest;
  bool isWhole = true, isFirst = true;
  auto narrow = [&](Value condition) {
    auto less = condition.getDefiningOp<CmpLtOp>();
    if (!less || !less.getLhs().getType().isIndex())
      return false;
    // Solve for the range: everything else goes to the other side.
    IndexForm difference = getForm(less.getLhs());
    difference.subtract(getForm(less.getRhs()));
    IndexForm rest(difference.constant);
    int64_t factor = 0;
    bool isOuter = true;
    for (auto [atom, coefficient] : difference.terms)
      if (atom.getPointer() == ranges[index].op.getResult()) {
        factor += coefficient;
      } else {
        isOuter &= !(getDeps(atom.getPointer()) & (upcastSet | setOf(index)));
        rest.terms.emplace_back(atom, coefficient);
      }
    if (!isOuter || (factor != 1 && factor != -1) ||
        !getBounds(rest).isModest())
      return false;
    if (factor == 1) {
      greatest.push_back(rest.negated());
    } else {
      ++rest.constant;
      least.push_back(rest);
    }
    return true;
  };
  for (Value conjunct : getConjuncts(ranges[index].condition)) {
    Value bounds = conjunct, other;
    if (auto either = conjunct.getDefiningOp<OrOp>()) {
      bounds = either.getLhs();
      other = either.getRhs();
      if (getDeps(other) & setOf(index))
        std::swap(bounds, other);
    }
    if ((getDeps(conjunct) & (upcastSet | unrollSet)) ||
        !(getDeps(bounds) & setOf(index)) ||
        (other && (getDeps(other) & setOf(index))) ||
        (!isFirst && other != unless)) {
      isWhole = false;
      continue;
    }
    unless = other;
    isFirst = false;
    bool holds = true;
    for (Value part : getConjuncts(bounds))
      holds &= narrow(part);
    if (holds)
      scopes.back().bools[{conjunct, getKey(conjunct)}] = 1;
    isWhole &= holds;
  }
  if (isWhole)
    scopes.back()
        .bools[{ranges[index].condition, getKey(ranges[index].condition)}] = 1;
  Value isAll = unless ? get(unless) : Value();
  auto combine = [&](ArrayRef<IndexForm> forms, Operation *bound) {
    Value limit;
    for (const IndexForm &form : forms) {
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

void KernelEmitter::bindParallelRanges(ArrayRef<unsigned> indices,
                                       Value position) {
  if (indices.empty())
    return;
  const Location loc = kernel.getLoc();
  const unsigned *outermost = llvm::find_if(
      indices, [&](unsigned index) { return !getExtent(ranges[index]).is(1); });
  for (unsigned index : llvm::reverse(indices)) {
    Range &range = ranges[index];
    Dim extent = getExtent(range);
    setPart(range, getNumber(0), extent);
    range.depth = top();
    if (extent.is(1))
      continue;
    range.value = position;
    if (outermost != indices.end() && index == *outermost)
      continue;
    Value divisor = getDimValue(extent, loc);
    B &b = at(top(), loc);
    range.value = arith::RemUIOp::create(b, position, divisor);
    position = arith::DivUIOp::create(b, position, divisor);
  }
}

void KernelEmitter::emitParallelParts(ArrayRef<unsigned> peeled,
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
  partBranches.try_emplace(branch, peeled.front());
  for (bool isTail : {false, true}) {
    Range &range = ranges[peeled.front()];
    if (isTail)
      setPart(range, middle, extent);
    else
      setPart(range, getNumber(0), middle);
    range.value = range.lo == range.hi ? Value() : saved.value;
    range.depth = scopes.size();
    emitInRegion(branch, isTail ? branch.elseBlock() : branch.thenBlock(),
                 [&] { emitParallelParts(peeled.drop_front(), body); });
  }
  ranges[peeled.front()] = saved;
}

void KernelEmitter::emitBranches(Value condition, bool &flag,
                                 llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(at(top(), kernel.getLoc()), condition,
                                  /*withElseRegion=*/true);
  emitInRegion(branch, branch.thenBlock(), body);
  flag = false;
  emitInRegion(branch, branch.elseBlock(), body);
  flag = true;
}
