//===- Reduce.cpp - reductions of kernels ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reduction becomes a loop nest that carries accumulators: one for each
/// combination of unrolled positions of the result (a register tile), times a
/// few for unrolled positions that are reduced, which shortens the dependence
/// chains. Independent reductions over the same ranges share a loop nest.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelEmission/KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

#include <utility>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;

/// Additions to an accumulator before it is flushed to the next level. In a
/// register tile, accumulators of products take most registers; a flush goes
/// through memory and is therefore done less often.
static constexpr int64_t kBlock = 32, kTileBlock = 256;
/// Blocks that each higher level adds up.
static constexpr int64_t kLevelBlock = 16;

/// Narrow floats are accumulated in f32.
Type KernelEmitter::getAccumulatorType(Type element) const {
  if (isNarrowFloat(element))
    return Float32Type::get(element.getContext());
  return arithmetic.getRegisterType(element);
}

Value KernelEmitter::getIdentity(RangedReduceOp op, int64_t lanes,
                                 Location loc) {
  Type element = op.getType();
  B &b = at(0, loc);
  TypedAttr identity = getReduceIdentity(
      op.getKind(), isNarrowFloat(element) ? b.getF32Type() : element);
  return arithmetic.buildNumber(b, identity, lanes);
}

SmallVector<KernelEmitter::Member>
KernelEmitter::collectReduces(RangedReduceOp op, unsigned depth) {
  RangeSet closed = getSet(op.getRanges());
  auto describe = [&](RangedReduceOp reduce) {
    Member member;
    member.op = reduce;
    RangeSet set = getDeps(reduce.getResult());
    member.unrolled = set & unrollSet;
    std::optional<unsigned> lanes = getLaneRange(set | (closed & upcastSet));
    member.lanes = lanes ? ranges[*lanes].extent : 0;
    member.results = 1;
    for (RangeSet rest = member.unrolled; rest; rest &= rest - 1)
      member.results *= ranges[llvm::countr_zero(rest)].extent;
    return member;
  };
  auto isOneLane = [&](RangeSet set) {
    return (set & upcastSet) != 0 && !getLaneRange(set);
  };

  SmallVector<Member> members{describe(op)};
  RangeSet set = getDeps(op.getResult());
  if (isOneLane(set))
    return members;
  for (RangedReduceOp other : reduces) {
    RangeSet otherSet = getDeps(other.getResult());
    if (other == op || open.contains(other) || other.getUnit() ||
        getSet(other.getRanges()) != closed ||
        (otherSet & loopSet) != (set & loopSet) || isOneLane(otherSet))
      continue;
    unsigned index = reduceIndex.lookup(other);
    bool isApart = llvm::all_of(members, [&](Member &member) {
      unsigned memberIndex = reduceIndex.lookup(member.op);
      return !neededReduces[index].test(memberIndex) &&
             !neededReduces[memberIndex].test(index);
    });
    if (!isApart)
      continue;
    bool isDone = false;
    forEachPosition(otherSet & unrollSet, [&] {
      Key key(other.getResult(), getKey(other.getResult()));
      isDone |= scopes[depth].values.contains(key);
    });
    if (!isDone)
      members.push_back(describe(other));
  }
  return members;
}

/// Whether the condition compares indices, or is a disjunction of such a
/// comparison with a condition that does not depend on the closed ranges.
bool KernelEmitter::isBound(Value condition, RangeSet closed) {
  auto compares = [](Value value) {
    auto less = value.getDefiningOp<CmpLtOp>();
    return less && less.getLhs().getType().isIndex();
  };
  auto either = condition.getDefiningOp<OrOp>();
  if (!either)
    return compares(condition);
  Value lhs = either.getLhs(), rhs = either.getRhs();
  return (compares(lhs) && !(getDeps(rhs) & closed)) ||
         (compares(rhs) && !(getDeps(lhs) & closed));
}

MulOp KernelEmitter::findGuarded(RangedReduceOp op, Value value) {
  auto where = value.getDefiningOp<WhereOp>();
  if (!where || op.getKind() != ReduceKind::add ||
      !isa<FloatType>(op.getType()))
    return MulOp();
  const RangeSet set = getDeps(where.getCondition()),
                 closed = getSet(op.getRanges());
  auto other = where.getY().getDefiningOp<ConstOp>();
  if (!(set & unrollSet) || !(set & closed) || (set & upcastSet) || !other ||
      other.getValue() != getReduceIdentity(op.getKind(), op.getType()) ||
      !llvm::all_of(getConjuncts(where.getCondition()), [&](Value conjunct) {
        return getKnown(conjunct) || isBound(conjunct, closed);
      }))
    return MulOp();
  return where.getX().getDefiningOp<MulOp>();
}

Value KernelEmitter::findUnless(RangedReduceOp op) {
  auto where = op.getValue().getDefiningOp<WhereOp>();
  if (!where || op.getKind() != ReduceKind::add ||
      !isa<FloatType>(op.getType()))
    return Value();
  const RangeSet inner = getSet(op.getRanges()) | unrollSet | upcastSet;
  Value unless;
  for (Value conjunct : getConjuncts(where.getCondition())) {
    auto either = conjunct.getDefiningOp<OrOp>();
    if (!either)
      continue;
    Value bound = either.getLhs(), other = either.getRhs();
    if (!isBound(bound, 0))
      std::swap(bound, other);
    if (!isBound(bound, 0) || (getDeps(bound) & ~unrollSet) ||
        (getDeps(other) & inner))
      continue;
    if (unless && unless != other)
      return Value();
    unless = other;
  }
  return unless && !getKnown(unless) ? unless : Value();
}

/// Removes what is cached about these values.
template <typename Map>
static Map takeOut(Map &cached, const DenseSet<Value> &values) {
  Map taken;
  for (auto &[key, known] : cached)
    if (values.contains(key.first))
      taken.insert({key, known});
  for (auto &[key, known] : taken)
    cached.erase(key);
  return taken;
}

void KernelEmitter::emitVersions(Value condition,
                                 SmallVectorImpl<Value> &carried, Location loc,
                                 Body body) {
  Value isTrue = get(condition);
  B &b = at(top(), loc);
  auto branch = scf::IfOp::create(b, ValueRange(carried).getTypes(), isTrue,
                                  /*withElseRegion=*/true);
  // What is found out about these holds in one branch alone. (getForwardSlice
  // recurses, too deep for long chains.)
  DenseSet<Value> dependent;
  SmallVector<Value> work{condition};
  while (!work.empty())
    if (Value value = work.pop_back_val(); dependent.insert(value).second)
      for (Operation *user : value.getUsers())
        llvm::append_range(work, user->getResults());
  auto takeAll = [&] {
    return llvm::map_to_vector<4>(scopes, [&](Scope &scope) {
      return std::tuple(
          takeOut(scope.values, dependent), takeOut(scope.forms, dependent),
          takeOut(scope.bounds, dependent), takeOut(scope.bools, dependent));
    });
  };
  auto saved = takeAll();
  for (const bool isKnown : {true, false}) {
    Block *block = isKnown ? branch.thenBlock() : branch.elseBlock();
    b.setInsertionPointToEnd(block);
    auto yield = scf::YieldOp::create(b, loc, carried);
    SmallVector<Value> results(carried.begin(), carried.end());
    scopes[getDepth(condition)].bools[{condition, getKey(condition)}] = isKnown;
    emitInRegion(branch, block, [&] { body(results); });
    yield->setOperands(results);
    takeAll();
  }
  for (auto [scope, before] : llvm::zip_equal(scopes, saved)) {
    auto &[values, forms, bounds, bools] = before;
    scope.values.insert(values.begin(), values.end());
    scope.forms.insert(forms.begin(), forms.end());
    scope.bounds.insert(bounds.begin(), bounds.end());
    scope.bools.insert(bools.begin(), bools.end());
  }
  carried.assign(branch.getResults().begin(), branch.getResults().end());
}

Value KernelEmitter::buildMulAcc(B &b, Value x, Value y, Value accumulator) {
  if (target.fusedMultiplyAdd)
    return math::FmaOp::create(b, x, y, accumulator);
  return arith::AddFOp::create(b, arith::MulFOp::create(b, x, y), accumulator);
}

Value KernelEmitter::accumulate(RangedReduceOp op, Value accumulator) {
  Location loc = op.getLoc();
  Type element = op.getType();
  int64_t lanes = 0;
  if (auto vector = dyn_cast<VectorType>(accumulator.getType()))
    lanes = vector.getNumElements();
  auto prepare = [&](B &b, Value value) {
    if (isNarrowFloat(element))
      value = arithmetic.buildWiden(b, value, element);
    return toLanes(b, value, lanes);
  };
  Value value = resolve(op.getValue());
  // A summand that a known condition leaves out adds nothing.
  if (auto constant = value.getDefiningOp<ConstOp>();
      constant && value != op.getValue() &&
      constant.getValue() == getReduceIdentity(op.getKind(), element))
    return accumulator;
  if (MulOp product = findGuarded(op, value); product && lanes > 0) {
    Value condition = get(value.getDefiningOp<WhereOp>().getCondition());
    Value x = get(product.getLhs()), y = get(product.getRhs());
    B &b = at(top(), loc);
    x = prepare(b, x);
    y = prepare(b, y);
    auto guard = scf::IfOp::create(b, accumulator.getType(), condition,
                                   /*withElseRegion=*/true);
    b.setInsertionPointToEnd(guard.elseBlock());
    scf::YieldOp::create(b, accumulator);
    b.setInsertionPointToEnd(guard.thenBlock());
    Value sum = buildMulAcc(b, x, y, accumulator);
    scf::YieldOp::create(b, sum);
    return guard.getResult(0);
  }
  auto product = value.getDefiningOp<MulOp>();
  if (product && op.getKind() == ReduceKind::add && isa<FloatType>(element)) {
    Value x = get(product.getLhs()), y = get(product.getRhs());
    B &b = at(top(), loc);
    return buildMulAcc(b, prepare(b, x), prepare(b, y), accumulator);
  }
  Value x = get(value);
  B &b = at(top(), loc);
  return buildCombine(b, op.getKind(), prepare(b, x), accumulator,
                      element.isUnsignedInteger());
}

Value KernelEmitter::finishReduce(const Member &member, bool isHorizontal,
                                  SmallVector<Value> parts, unsigned depth) {
  RangedReduceOp op = member.op;
  B &b = at(depth, op.getLoc());
  bool isUnsigned = op.getType().isUnsignedInteger();
  auto combine = [&](Value x, Value y) {
    return buildCombine(b, op.getKind(), x, y, isUnsigned);
  };
  while (parts.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < parts.size(); i += 2)
      next.push_back(combine(parts[i], parts[i + 1]));
    if (parts.size() % 2)
      next.push_back(parts.back());
    parts = std::move(next);
  }
  Value value = parts.front();
  if (isHorizontal) {
    int64_t lanes = cast<VectorType>(value.getType()).getNumElements();
    while (lanes > 1 && lanes % 2 == 0) {
      lanes /= 2;
      auto low = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
      auto high = llvm::to_vector(llvm::seq<int64_t>(lanes, 2 * lanes));
      value = combine(vector::ShuffleOp::create(b, value, value, low),
                      vector::ShuffleOp::create(b, value, value, high));
    }
    Value total = vector::ExtractOp::create(b, value, 0);
    for (int64_t i = 1; i < lanes; ++i)
      total = combine(total, vector::ExtractOp::create(b, value, i));
    value = total;
  }
  if (RangeSet items = getSet(op.getRanges()) & parallelSet)
    value = combineItems(op, items, value, depth);
  if (isNarrowFloat(op.getType()))
    value = arithmetic.buildNarrow(b, value, op.getType());
  return value;
}

/// The block sizes for loops with these extents, outermost first, whose
/// innermost body adds \p additions times to each accumulator.
SmallVector<SmallVector<int64_t, 4>>
KernelEmitter::chooseBlocks(ArrayRef<int64_t> extents, int64_t additions,
                            int64_t longest) {
  SmallVector<SmallVector<int64_t, 4>> blocks(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    int64_t positions = 1, count = extents[i];
    while (additions * count > longest) {
      positions *= std::max<int64_t>(longest / additions, 1);
      blocks[i].push_back(positions);
      count = llvm::divideCeil(extents[i], positions);
      additions = 1;
      longest = kLevelBlock;
    }
    additions *= count;
  }
  return blocks;
}

SmallVector<Value> KernelEmitter::beginBlock(const Cascade &cascade,
                                             ValueRange carried) {
  SmallVector<Value> values;
  for (auto [zero, value] : llvm::zip_equal(cascade.zeros, carried))
    values.push_back(zero ? zero : value);
  return values;
}

SmallVector<Value> KernelEmitter::endBlock(B &b, const Cascade &cascade,
                                           ValueRange carried,
                                           ValueRange block) {
  SmallVector<Value> values;
  for (auto [zero, sum, value] : llvm::zip_equal(cascade.zeros, carried, block))
    values.push_back(zero ? arith::AddFOp::create(b, sum, value) : value);
  return values;
}

std::optional<unsigned> KernelEmitter::findNarrowed(RangedReduceOp op,
                                                    ArrayRef<unsigned> loops) {
  auto where = op.getValue().getDefiningOp<WhereOp>();
  if (!where || !mayNarrow())
    return std::nullopt;
  auto other = where.getY().getDefiningOp<ConstOp>();
  if (!other ||
      other.getValue() != getReduceIdentity(op.getKind(), op.getType()))
    return std::nullopt;
  // A condition that differs between copies or lanes cannot bound a loop.
  RangeSet set = 0;
  for (Value conjunct : getConjuncts(where.getCondition()))
    if (RangeSet deps = getDeps(conjunct); !(deps & (upcastSet | unrollSet)))
      set |= deps;
  for (unsigned index : llvm::reverse(loops))
    if (set & setOf(index))
      return index;
  return std::nullopt;
}

void KernelEmitter::emitReduce(RangedReduceOp op, unsigned depth) {
  Location loc = op.getLoc();
  RangeSet closed = getSet(op.getRanges());
  // A reduced range means all of its lanes, even if the environment selects
  // one.
  SmallVector<std::pair<unsigned, int64_t>> saved;
  SmallVector<unsigned> loops;
  int64_t copies = 1;
  bool isEmpty = false, isHorizontal = false;
  for (RangeSet rest = closed; rest; rest &= rest - 1) {
    unsigned index = llvm::countr_zero(rest);
    Range &range = ranges[index];
    isEmpty |= range.extent == 0;
    if (parallelSet & setOf(index))
      continue;
    if (loopSet & setOf(index)) {
      loops.push_back(index);
    } else if (unrollSet & setOf(index)) {
      copies *= range.extent;
    } else {
      saved.push_back({index, range.position});
      range.position = -1;
      isHorizontal = true;
    }
  }
  SmallVector<Member> members = collectReduces(op, depth);
  for (Member &member : members)
    open.insert(member.op);

  // The number of accumulators for the reduced copies: half of the registers
  // keep the arithmetic units busy.
  const int64_t accumulatorRegisters = target.vectorRegisters / 2;
  int64_t registers = 0;
  for (Member &member : members) {
    int64_t bits =
        getAccumulatorType(member.op.getType()).getIntOrFloatBitWidth();
    registers +=
        member.results *
        std::max<int64_t>(1, member.lanes * bits / (8 * target.vectorBytes));
  }
  int64_t spread = isEmpty ? 1 : copies;
  // A GPU has room for more work items if each takes fewer registers.
  const int64_t few = accumulatorRegisters / (target.groupItems > 0 ? 8 : 2);
  if (target.groupItems > 0 && registers > few)
    spread = 1;
  while (spread > 1 &&
         (copies % spread != 0 || spread * registers > accumulatorRegisters))
    --spread;

  SmallVector<Value> carried;
  Cascade cascade;
  bool hasSums = false;
  for (Member &member : members) {
    Value identity = getIdentity(member.op, member.lanes, loc);
    carried.append(member.results * spread, identity);
    bool isSum = member.op.getKind() == ReduceKind::add &&
                 isa<FloatType>(member.op.getType());
    hasSums |= isSum;
    cascade.zeros.append(member.results * spread, isSum ? identity : Value());
  }
  if (hasSums) {
    SmallVector<int64_t> extents;
    for (unsigned index : loops)
      extents.push_back(ranges[index].extent);
    const bool isTile =
        registers * spread > few && llvm::any_of(members, [](Member &member) {
          auto where = member.op.getValue().getDefiningOp<WhereOp>();
          return isa_and_nonnull<MulOp>(
              (where ? where.getX() : member.op.getValue()).getDefiningOp());
        });
    // Sums of blocks would take as many registers again.
    const bool isRunning =
        isTile && target.groupItems > 0 && registers > accumulatorRegisters / 2;
    cascade.blocks = chooseBlocks(extents, llvm::divideCeil(copies, spread),
                                  isRunning ? INT64_MAX
                                  : isTile  ? kTileBlock
                                            : kBlock);
  }
  std::optional<unsigned> narrowed;
  if (members.size() == 1)
    narrowed = findNarrowed(op, loops);
  // A reduction that another one reads may be over the same range, of which it
  // needs all positions.
  SmallVector<Value> outerConditions;
  for (unsigned index : loops)
    outerConditions.push_back(std::exchange(ranges[index].condition, Value()));
  if (narrowed)
    ranges[*narrowed].condition =
        op.getValue().getDefiningOp<WhereOp>().getCondition();
  auto addPositions = [&](SmallVectorImpl<Value> &values) {
    int64_t copy = 0;
    forEachPosition(closed & unrollSet, [&] {
      Value *next = values.begin();
      for (Member &member : members)
        forEachPosition(member.unrolled, [&] {
          Value &value = next[copy % spread];
          value = accumulate(member.op, value);
          next += spread;
        });
      ++copy;
    });
  };
  auto emitNest = [&](SmallVectorImpl<Value> &values) {
    if (members.size() > 1 || !emitSum(op, loops, values, addPositions))
      emitLoopNest(loops, values, loc, addPositions,
                   hasSums ? &cascade : nullptr);
  };
  Value unless = members.size() == 1 ? findUnless(op) : Value();
  if (!isEmpty && unless)
    emitVersions(unless, carried, loc, emitNest);
  else if (!isEmpty)
    emitNest(carried);
  for (auto [index, condition] : llvm::zip_equal(loops, outerConditions))
    ranges[index].condition = condition;

  Value *next = carried.begin();
  for (Member &member : members) {
    forEachPosition(member.unrolled, [&] {
      SmallVector<Value> parts(next, next + spread);
      next += spread;
      Value result = finishReduce(member, isHorizontal, parts, depth);
      Key key(member.op.getResult(), getKey(member.op.getResult()));
      scopes[depth].values[key] = result;
    });
    open.erase(member.op);
  }
  for (auto [index, position] : saved)
    ranges[index].position = position;
}
