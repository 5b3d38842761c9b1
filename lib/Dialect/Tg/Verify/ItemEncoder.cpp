//===- ItemEncoder.cpp - work items of a GPU as SMT terms -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Encodes numbers of groups and items, loops at an iteration, and addresses.
///
//===----------------------------------------------------------------------===//

#include "ItemEncoder.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "TinyGrad/Support/AsyncCopies.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tg;
using smt::IntPredicate;

using Term = LaunchEncoder::Term;

static constexpr StringRef kDirections[] = {"x", "y", "z"};

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

std::optional<std::array<int64_t, 3>>
LaunchEncoder::getGroupSize(gpu::GPUFuncOp func) {
  std::optional<ArrayRef<int32_t>> known = func.getKnownBlockSize();
  if (!known || known->size() != 3 ||
      llvm::any_of(*known, [](int32_t count) { return count <= 0; }))
    return std::nullopt;
  return std::array<int64_t, 3>{(*known)[0], (*known)[1], (*known)[2]};
}

bool LaunchEncoder::hasOneGroup(gpu::GPUFuncOp func) {
  auto groups = func->getAttrOfType<ArrayAttr>(groupsAttrName);
  return groups && llvm::all_of(groups, [](Attribute count) {
           return Dim(count).getMax() <= 1;
         });
}

LaunchEncoder::LaunchEncoder(OpBuilder &builder, gpu::GPUFuncOp func)
    : SmtEncoder(builder, func.getLoc()), func(func),
      size(*getGroupSize(func)) {
  SmallVector<VarAttr> variables;
  if (auto names = func->getAttrOfType<ArrayAttr>(variablesAttrName))
    variables = llvm::to_vector(names.getAsRange<VarAttr>());
  for (auto [variable, argument] : llvm::zip_equal(
           variables, ArrayRef<BlockArgument>(func.getArguments())
                          .take_front(func.getFunctionType().getNumInputs())
                          .take_back(variables.size())))
    arguments[argument] = encodeDim(variable);
  auto groups = func->getAttrOfType<ArrayAttr>(groupsAttrName);
  for (auto [count, attr] : llvm::zip_equal(counts, groups))
    count = encodeDim(attr);
  // Where groups loop over blocks, launches may have fewer.
  const bool mayBeFewer =
      func.walk([](gpu::GridDimOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (mayBeFewer)
    counts[0] = unknownWithin("groups", 1, std::max<Number>(counts[0].hi, 1));
}

std::optional<Term> LaunchEncoder::getArgument(BlockArgument argument) const {
  auto it = arguments.find(argument);
  if (it == arguments.end())
    return std::nullopt;
  return it->second;
}

LaunchEncoder::Group LaunchEncoder::makeGroup(StringRef name) {
  Group group;
  for (auto [number, count, direction] :
       llvm::zip_equal(group.numbers, counts, kDirections)) {
    if (count.lo == 1 && count.hi == 1) {
      number = constant(0);
      continue;
    }
    number = unknownWithin((name + "." + direction).str(), 0,
                           std::max<Number>(count.hi - 1, 0));
    assertTrue(compare(IntPredicate::lt, number.term, count.term));
  }
  return group;
}

LaunchEncoder::Item LaunchEncoder::makeItem(Group &group, StringRef name) {
  Item item;
  item.group = &group;
  for (auto [number, count, direction] :
       llvm::zip_equal(item.numbers, size, kDirections))
    number = count == 1
                 ? constant(0)
                 : unknownWithin((name + "." + direction).str(), 0, count - 1);
  return item;
}

void LaunchEncoder::assertDistinct(const std::array<Term, 3> &x,
                                   const std::array<Term, 3> &y) {
  Value isDistinct;
  for (auto [a, b] : llvm::zip_equal(x, y)) {
    if (a.lo == a.hi && b.lo == b.hi)
      continue;
    Value differs = makeDistinct(a.term, b.term);
    isDistinct = isDistinct ? makeOr(isDistinct, differs) : differs;
  }
  if (!isDistinct)
    isDistinct = smt::BoolConstantOp::create(b, false);
  assertTrue(isDistinct);
}

void LaunchEncoder::assertDistinct(const Group &x, const Group &y) {
  assertDistinct(x.numbers, y.numbers);
}

void LaunchEncoder::assertDistinct(Group &x, Group &y,
                                   const GroupNumbers &numbers) {
  if (numbers.numbers.empty())
    return assertDistinct(x, y);
  Value differs = makeDistinct(x.numbers[2].term, y.numbers[2].term);
  for (const GroupNumbers::Number &number : numbers.numbers) {
    for (Group *group : {&x, &y})
      group->computed[number.value] =
          unknownWithin("number", number.least, number.most);
    differs = makeOr(differs, makeDistinct(x.computed[number.value].term,
                                           y.computed[number.value].term));
  }
  assertTrue(differs);
}

void LaunchEncoder::assertDistinct(const Item &x, const Item &y) {
  assertDistinct(x.numbers, y.numbers);
}

Value LaunchEncoder::getLinear(const Item &item) {
  Term linear = item.numbers[2];
  for (int direction : {1, 0})
    linear = sum(product(linear, constant(size[direction])),
                 item.numbers[direction]);
  return linear.term;
}

Term LaunchEncoder::getLane(const Item &item, int64_t width) {
  Term lane = constant(0);
  int64_t stride = 1;
  for (int direction : {0, 1, 2}) {
    if (stride >= width && stride % width == 0)
      break; // the other numbers are those of subgroups
    lane = sum(lane, product(item.numbers[direction], constant(stride)));
    stride *= size[direction];
  }
  return stride <= width ? lane
                         : divide(lane, constant(width), /*floor=*/true,
                                  /*wantRemainder=*/true);
}

void LaunchEncoder::assertSameSubgroup(const Item &x, const Item &y,
                                       int64_t width) {
  auto getSubgroup = [&](const Item &item) {
    return smt::IntDivOp::create(b, getLinear(item), number(width));
  };
  assertTrue(smt::EqOp::create(b, getSubgroup(x), getSubgroup(y)));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Term ItemEncoder::getCurrent(scf::ForOp loop) {
  if (auto it = item.group->positions.find(loop);
      it != item.group->positions.end())
    return it->second;
  // The loops around it are at their current iterations too, and its bounds are
  // the same for all items.
  Term position = encodePosition(loop);
  item.group->positions[loop] = position;
  return position;
}

const Iteration *ItemEncoder::getIteration(scf::ForOp loop) const {
  const auto *entry = llvm::find_if(
      where, [&](const auto &entry) { return entry.first == loop; });
  return entry == where.end() ? nullptr : &entry->second;
}

std::optional<Term> ItemEncoder::getPosition(scf::ForOp loop) {
  const Iteration *found = getIteration(loop);
  if (!found)
    return std::nullopt;
  const Iteration iteration = *found;
  if (iteration.base == Iteration::any) {
    if (auto it = item.positions.find(loop); it != item.positions.end())
      return it->second;
    Term position = encodePosition(loop);
    item.positions[loop] = position;
    return position;
  }
  Term position = iteration.base == Iteration::current
                      ? getCurrent(loop)
                      : getLane(loop.getLowerBound(), 0);
  if (iteration.steps == 0)
    return position;
  return sum(position,
             product(getLane(loop.getStep(), 0), constant(iteration.steps)));
}

std::optional<Term> ItemEncoder::encodeOfBlock(Value value) {
  if (!item.anyBlock)
    return std::nullopt;
  const auto *number = llvm::find_if(item.anyBlock->numbers,
                                     [&](const GroupNumbers::Number &number) {
                                       return number.value == value;
                                     });
  const Iteration *iteration = getIteration(item.anyBlock->blocks);
  if (number == item.anyBlock->numbers.end() || !iteration)
    return std::nullopt;
  for (const LaunchEncoder::Item::Computed &computed : item.computed)
    if (computed.value == value && computed.iteration == *iteration)
      return computed.term;
  Term term = unknownWithin("number", number->least, number->most);
  item.computed.push_back({value, *iteration, term});
  return term;
}

std::optional<Term> ItemEncoder::encodeKnown(Value value) {
  if (std::optional<Term> term = encodeOfBlock(value))
    return term;
  if (auto it = item.group->computed.find(value);
      it != item.group->computed.end())
    return it->second;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
        loop && argument == loop.getInductionVar())
      return getPosition(loop);
    return launch.getArgument(argument);
  }
  Operation *op = value.getDefiningOp();
  // How many blocks of results the group has computed.
  if (auto turn = dyn_cast<arith::DivUIOp>(op);
      turn && turn.getRhs().getDefiningOp<gpu::GridDimOp>())
    if (auto block = dyn_cast<BlockArgument>(turn.getLhs()))
      if (auto loop = dyn_cast<scf::ForOp>(block.getOwner()->getParentOp());
          loop && isOverBlocks(loop))
        return unknownWithin("turn", 0,
                             getLane(loop.getUpperBound(), 0).hi - 1);
  auto getDirection = [](auto op) {
    return static_cast<size_t>(op.getDimension());
  };
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return item.numbers[getDirection(id)];
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return item.group->numbers[getDirection(id)];
  if (auto count = dyn_cast<gpu::GridDimOp>(op))
    return launch.getGroupCounts()[getDirection(count)];
  if (auto count = dyn_cast<gpu::BlockDimOp>(op))
    return constant(launch.getGroupSize()[getDirection(count)]);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void ItemEncoder::assertFact(const PathFact &fact) {
  if (auto branch = dyn_cast<scf::IfOp>(fact.op)) {
    Value condition = encodeLane(branch.getCondition(), 0);
    assertTrue(fact.kind == PathFact::isTrue ? condition : makeNot(condition));
    return;
  }
  auto loop = cast<scf::ForOp>(fact.op);
  Term end = getLane(loop.getUpperBound(), 0);
  if (fact.kind == PathFact::isEmpty) {
    assertTrue(compare(IntPredicate::ge, getLane(loop.getLowerBound(), 0).term,
                       end.term));
    return;
  }
  Term position = getLane(loop.getInductionVar(), 0);
  assertTrue(compare(IntPredicate::lt, position.term, end.term));
  if (fact.kind == PathFact::ends)
    assertTrue(compare(IntPredicate::ge,
                       sum(position, getLane(loop.getStep(), 0)).term,
                       end.term));
}

void ItemEncoder::assertReached(const Reached &reached) {
  LoopEncoder::assertReached(reached.access->op);
  for (const PathFact &fact : reached.path)
    ItemEncoder(launch, item, fact.where).assertFact(fact);
}

ItemEncoder::Element ItemEncoder::splitOffset(Value index) {
  Number offset = 0;
  APInt added;
  const Interval all = Interval::getAll(index.getType());
  while (auto addition = index.getDefiningOp<arith::AddIOp>()) {
    if (!matchPattern(addition.getRhs(), m_ConstantInt(&added)))
      break;
    // The sum must not wrap.
    Term base = getLane(addition.getLhs(), 0);
    const Number number = added.getSExtValue();
    if (!all.contains({base.lo + number, base.hi + number}))
      break;
    index = addition.getLhs();
    offset += number;
  }
  return {getLane(index, 0), offset};
}

ItemEncoder::Element ItemEncoder::getFirstElement(const MemoryAccess &access) {
  auto type = cast<MemRefType>(access.memory.getType());
  std::optional<Element> element;
  for (auto [index, extent] :
       llvm::zip_equal(access.indices, type.getShape())) {
    Element next = splitOffset(index);
    if (element) {
      next.base = sum(product(element->base, constant(extent)), next.base);
      next.offset += element->offset * extent;
    }
    element = next;
  }
  if (access.isOfSubgroup)
    element->base = sum(element->base, getLaneOffset(access));
  return *element;
}

Term ItemEncoder::getLaneOffset(const MemoryAccess &access) {
  return product(launch.getLane(item, tinygrad::kDirectCopyItems),
                 constant(access.width));
}

/// term + by
SmtEncoder::Term ItemEncoder::shift(Term term, int64_t by) {
  return term.lo == term.hi ? constant(term.lo + by) : sum(term, constant(by));
}

Value ItemEncoder::isOutside(const MemoryAccess &access, Dim elements) {
  auto type = cast<MemRefType>(access.memory.getType());
  Value isInside;
  for (auto [i, index] : llvm::enumerate(access.indices)) {
    const bool isLast = i + 1 == access.indices.size();
    const Term extent = access.indices.size() == 1
                            ? encodeDim(elements.getAttr())
                            : constant(type.getDimSize(i));
    Term first = getLane(index, 0);
    if (access.isOfSubgroup)
      first = sum(first, getLaneOffset(access));
    // What comes after the last element, and the last beginning.
    const Term end =
        isLast && access.count ? sum(first, getLane(access.count, 0)) : first;
    const Term last = isLast && access.count
                          ? extent
                          : shift(extent, isLast ? -access.width : -1);
    Value isWithinExtent =
        makeAnd(compare(IntPredicate::ge, first.term, number(0)),
                compare(IntPredicate::le, end.term, last.term));
    isInside = isInside ? makeAnd(isInside, isWithinExtent) : isWithinExtent;
  }
  Value isOutside = makeNot(isInside);
  // Of no elements, none is outside.
  if (access.count)
    isOutside =
        makeAnd(isOutside, compare(IntPredicate::gt,
                                   getLane(access.count, 0).term, number(0)));
  return isOutside;
}

Value ItemEncoder::crossesChunk(const MemoryAccess &access) {
  const int64_t chunk = access.permutation->getChunk();
  Term place = divide(getLane(access.indices.front(), 0), constant(chunk),
                      /*floor=*/true, /*wantRemainder=*/true);
  return compare(IntPredicate::gt, place.term, number(chunk - access.width));
}

Value ItemEncoder::beginsWithin(const MemoryAccess &access, int64_t count) {
  Term place = divide(getLane(access.indices.front(), 0), constant(count),
                      /*floor=*/true, /*wantRemainder=*/true);
  return compare(IntPredicate::gt, place.term, number(0));
}

Value ItemEncoder::overlaps(const MemoryAccess &access, ItemEncoder &other,
                            const MemoryAccess &otherAccess) {
  if (access.box) {
    // Boxes of one matrix overlap along both of its dimensions.
    std::array<Value, 2> isNear;
    for (size_t i : {0, 1}) {
      Term x = getLane(access.box->place[i], 0),
           y = other.getLane(otherAccess.box->place[i], 0);
      isNear[i] =
          makeAnd(compare(IntPredicate::lt, x.term,
                          sum(y, constant(otherAccess.box->size[i])).term),
                  compare(IntPredicate::lt, y.term,
                          sum(x, constant(access.box->size[i])).term));
    }
    return makeAnd(isNear[0], isNear[1]);
  }
  Element first = getFirstElement(access),
          second = other.getFirstElement(otherAccess);
  const Number distance = first.offset - second.offset;
  auto add = [&](const Element &element, Number value) {
    return sum(element.base, constant(value)).term;
  };
  if (access.permutation && access.isOfSubgroup != otherAccess.isOfSubgroup) {
    // One of them is before the permutation, the other one after it: both are
    // in the same row, the part of memory in which chunks change places.
    const Term row = constant(int64_t(1) << access.permutation->rowBits);
    auto getRow = [&](ItemEncoder &encoder, const Element &element) {
      return encoder
          .divide(encoder.sum(element.base, constant(element.offset)), row,
                  /*floor=*/true, /*wantRemainder=*/false)
          .term;
    };
    return smt::EqOp::create(b, getRow(*this, first), getRow(other, second));
  }
  if (access.width == 1 && otherAccess.width == 1)
    return smt::EqOp::create(b, add(first, distance), second.base.term);
  return makeAnd(compare(IntPredicate::lt,
                         add(first, distance - otherAccess.width),
                         second.base.term),
                 compare(IntPredicate::lt, second.base.term,
                         add(first, distance + access.width)));
}

Value ItemEncoder::hasOtherAddress(const MemoryAccess &access,
                                   ItemEncoder &other) {
  Value index = access.indices.front();
  return makeDistinct(getLane(index, 0).term, other.getLane(index, 0).term);
}

Value ItemEncoder::differs(Operation *op, ItemEncoder &other) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return makeDistinct(encodeLane(branch.getCondition(), 0),
                        other.encodeLane(branch.getCondition(), 0));
  auto loop = cast<scf::ForOp>(op);
  Value result;
  for (Value bound :
       {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) {
    Value differs =
        makeDistinct(encodeLane(bound, 0), other.encodeLane(bound, 0));
    result = result ? makeOr(result, differs) : differs;
  }
  return result;
}
