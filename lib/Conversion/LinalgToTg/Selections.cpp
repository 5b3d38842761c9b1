//===- Selections.cpp - reductions that select elements -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reduction keeps the best element, and what belongs to it, if each output
/// is `select(condition, term, output)`. The condition is a formula of
/// comparisons of a term with the output that has the best one so far, so that
/// it has one truth value for each way in which the two may relate: less,
/// equal, greater, or with NaNs. From this table follows which element is kept
/// in the end: a maximum, and of equal elements the first or the last.
///
//===----------------------------------------------------------------------===//

#include "Selections.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include <array>
#include <limits>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::linalgtotg;

namespace {

/// How a term relates to the best element so far.
enum Relation { Less, Equal, Greater, TermNan, BestNan, BothNan };
constexpr unsigned kRelations = 6;

/// How two values relate, or that one is a NaN.
enum class Order { Less, Equal, Greater, Unordered };
constexpr unsigned kOrders = 3;

/// Whether the term is taken, for each relation of it to the best one, and each
/// order of what belongs to it and the output of that.
class Table {
public:
  static Table all(bool value) {
    Table table;
    table.bits.fill(value);
    return table;
  }
  bool &at(unsigned relation, unsigned order) {
    return bits[relation * kOrders + order];
  }
  bool at(unsigned relation, unsigned order) const {
    return bits[relation * kOrders + order];
  }
  bool operator[](Relation relation) const { return at(relation, 0); }
  void set(Relation relation, bool value) {
    for (unsigned order = 0; order < kOrders; ++order)
      at(relation, order) = value;
  }
  /// Whether what belongs to the term does not matter.
  bool isPlain(Relation relation) const {
    return at(relation, 0) == at(relation, 1) &&
           at(relation, 1) == at(relation, 2);
  }
  template <typename Fn> Table combine(const Table &other, Fn fn) const {
    Table result;
    for (size_t i = 0; i < bits.size(); ++i)
      result.bits[i] = fn(bits[i], other.bits[i]);
    return result;
  }
  Table negate() const {
    return combine(*this, [](bool x, bool) { return !x; });
  }

private:
  std::array<bool, kRelations * kOrders> bits{};
};

/// Whether an integer comparison reads its operands as unsigned.
enum class Signedness { Any, Signed, Unsigned };

/// An output as it is selected.
struct Selection {
  /// The output that has the best element so far, and what is compared with it.
  unsigned best = 0;
  Value term;
  /// What this output is if the term is taken. Null: it is a maximum.
  Value taken;
  Table table;
  Signedness signedness = Signedness::Any, takenSignedness = Signedness::Any;
  bool isMin = false;
  /// The comparisons state that there are no NaNs.
  bool hasNoNans = false;
};

/// Finds out how an output is selected.
class Matcher {
public:
  Matcher(const SelectionContext &c, unsigned output)
      : c(c), output(output), self(getArgument(output)) {}

  std::optional<Selection> match(std::string &reason);

private:
  BlockArgument getArgument(unsigned number) const {
    return c.op.getRegionOutputArgs()[number];
  }
  bool isTerm(Value value) const { return c.values.contains(value); }
  std::optional<Selection> matchExtremum(Operation *op) const;
  /// Finds the comparison with the best element.
  bool findBest(Value condition, unsigned depth = 0);
  std::optional<Table> evaluate(Value condition, unsigned depth = 0);
  std::optional<Table> compare(Operation *op);

  /// Formulas deeper than this are none that compilers write.
  static constexpr unsigned kMaxDepth = 16;

  const SelectionContext &c;
  unsigned output;
  BlockArgument self;
  Selection found;
  bool hasBest = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

std::optional<Selection> Matcher::matchExtremum(Operation *op) const {
  Selection result;
  result.best = output;
  Table &table = result.table;
  for (unsigned order = 0; order < kOrders; ++order) {
    if (isa<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp,
            arith::MinUIOp>(op))
      table.at(Less, order) = true;
    else
      table.at(Greater, order) = true;
    table.at(TermNan, order) = isa<arith::MaximumFOp, arith::MinimumFOp>(op);
    table.at(BestNan, order) = isa<arith::MaxNumFOp, arith::MinNumFOp>(op);
  }
  if (isa<arith::MaxUIOp, arith::MinUIOp>(op))
    result.signedness = Signedness::Unsigned;
  else if (isa<arith::MaxSIOp, arith::MinSIOp>(op))
    result.signedness = Signedness::Signed;
  else if (!isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                arith::MinNumFOp>(op))
    return std::nullopt;
  result.isMin = table[Less];
  const Value other = op->getOperand(op->getOperand(0) == self ? 1 : 0);
  if (!llvm::is_contained(op->getOperands(), self) || !isTerm(other))
    return std::nullopt;
  result.term = other;
  return result;
}

bool Matcher::findBest(Value condition, unsigned depth) {
  Operation *op = condition.getDefiningOp();
  if (!op || depth > kMaxDepth || isTerm(condition))
    return false;
  if (!isa<arith::CmpFOp, arith::CmpIOp>(op))
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return findBest(operand, depth + 1);
    });
  for (unsigned side : {0u, 1u}) {
    auto argument = dyn_cast<BlockArgument>(op->getOperand(side));
    const Value other = op->getOperand(1 - side);
    if (!argument || argument.getOwner() != c.op.getBlock() || !isTerm(other) ||
        isTerm(argument))
      continue;
    // Of comparisons with this output and another, that is the best one.
    const unsigned number =
        argument.getArgNumber() - c.op.getRegionInputArgs().size();
    if (number == output && (hasBest || other != found.taken))
      continue;
    if (number == output) {
      found.best = number;
      found.term = other;
      continue;
    }
    found.best = number;
    found.term = other;
    hasBest = true;
    return true;
  }
  return false;
}

static bool holds(arith::CmpFPredicate predicate, Order order) {
  using P = arith::CmpFPredicate;
  auto isOneOf = [&](std::initializer_list<P> list) {
    return llvm::is_contained(list, predicate);
  };
  switch (order) {
  case Order::Equal:
    return isOneOf({P::OEQ, P::OGE, P::OLE, P::ORD, P::UEQ, P::UGE, P::ULE,
                    P::AlwaysTrue});
  case Order::Greater:
    return isOneOf({P::OGT, P::OGE, P::ONE, P::ORD, P::UGT, P::UGE, P::UNE,
                    P::AlwaysTrue});
  case Order::Less:
    return isOneOf({P::OLT, P::OLE, P::ONE, P::ORD, P::ULT, P::ULE, P::UNE,
                    P::AlwaysTrue});
  case Order::Unordered:
    return isOneOf({P::UEQ, P::UGT, P::UGE, P::ULT, P::ULE, P::UNE, P::UNO,
                    P::AlwaysTrue});
  }
  llvm_unreachable("unknown order");
}

static bool holds(arith::CmpIPredicate predicate, Order order) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return order == Order::Equal;
  case P::ne:
    return order != Order::Equal;
  case P::slt:
  case P::ult:
    return order == Order::Less;
  case P::sle:
  case P::ule:
    return order != Order::Greater;
  case P::sgt:
  case P::ugt:
    return order == Order::Greater;
  case P::sge:
  case P::uge:
    return order != Order::Less;
  }
  llvm_unreachable("unknown predicate");
}

/// The order of two of the term and the best one, of which `lhs` and `rhs` say
/// whether it is the term.
static Order getOrder(unsigned relation, bool lhs, bool rhs) {
  const bool isTermNan = relation == TermNan || relation == BothNan;
  const bool isBestNan = relation == BestNan || relation == BothNan;
  if ((lhs ? isTermNan : isBestNan) || (rhs ? isTermNan : isBestNan))
    return Order::Unordered;
  if (lhs == rhs || relation == Equal)
    return Order::Equal;
  return (relation == Less) == lhs ? Order::Less : Order::Greater;
}

static Signedness getSignedness(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  if (predicate == P::eq || predicate == P::ne)
    return Signedness::Any;
  return predicate >= P::ult ? Signedness::Unsigned : Signedness::Signed;
}

std::optional<Table> Matcher::compare(Operation *op) {
  const Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  const Value best = getArgument(found.best);
  auto isOneOf = [&](Value value, Value x, Value y) {
    return value == x || value == y;
  };
  const bool isOfBest =
      isOneOf(lhs, found.term, best) && isOneOf(rhs, found.term, best);
  const bool isOfTaken =
      isOneOf(lhs, found.taken, self) && isOneOf(rhs, found.taken, self);
  Table table;
  if (auto floats = dyn_cast<arith::CmpFOp>(op)) {
    if (!isOfBest)
      return std::nullopt;
    if (bitEnumContainsAny(floats.getFastmath(), arith::FastMathFlags::nnan))
      found.hasNoNans = true;
    for (unsigned relation = 0; relation < kRelations; ++relation)
      for (unsigned order = 0; order < kOrders; ++order)
        table.at(relation, order) =
            holds(floats.getPredicate(),
                  getOrder(relation, lhs == found.term, rhs == found.term));
    return table;
  }
  auto integers = cast<arith::CmpIOp>(op);
  if (!isOfBest && !isOfTaken)
    return std::nullopt;
  const Signedness mine = getSignedness(integers.getPredicate());
  Signedness &known = isOfBest ? found.signedness : found.takenSignedness;
  if (mine != Signedness::Any && known != Signedness::Any && mine != known)
    return std::nullopt;
  if (mine != Signedness::Any)
    known = mine;
  for (unsigned relation = 0; relation < kRelations; ++relation)
    for (unsigned order = 0; order < kOrders; ++order)
      table.at(relation, order) = holds(
          integers.getPredicate(),
          isOfBest ? getOrder(relation, lhs == found.term, rhs == found.term)
                   : getOrder(order, lhs == found.taken, rhs == found.taken));
  return table;
}

std::optional<Table> Matcher::evaluate(Value condition, unsigned depth) {
  APInt number;
  if (matchPattern(condition, m_ConstantInt(&number)))
    return Table::all(!number.isZero());
  Operation *op = condition.getDefiningOp();
  if (!op || depth > kMaxDepth)
    return std::nullopt;
  if (isa<arith::CmpFOp, arith::CmpIOp>(op))
    return compare(op);
  if (!isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp>(op))
    return std::nullopt;
  SmallVector<Table> tables;
  for (Value operand : op->getOperands()) {
    std::optional<Table> table = evaluate(operand, depth + 1);
    if (!table)
      return std::nullopt;
    tables.push_back(*table);
  }
  auto all = [](bool x, bool y) { return x && y; };
  auto any = [](bool x, bool y) { return x || y; };
  if (isa<arith::AndIOp>(op))
    return tables[0].combine(tables[1], all);
  if (isa<arith::OrIOp>(op))
    return tables[0].combine(tables[1], any);
  if (isa<arith::XOrIOp>(op))
    return tables[0].combine(tables[1], [](bool x, bool y) { return x != y; });
  return tables[0]
      .combine(tables[1], all)
      .combine(tables[0].negate().combine(tables[2], all), any);
}

std::optional<Selection> Matcher::match(std::string &reason) {
  Operation *yielded =
      c.op.getMatchingYieldValue(c.op.getDpsInitOperand(output))
          ->get()
          .getDefiningOp();
  if (!yielded || yielded->getBlock() != c.op.getBlock())
    return std::nullopt;
  if (yielded->getNumOperands() == 2)
    return matchExtremum(yielded);
  auto select = dyn_cast<arith::SelectOp>(yielded);
  if (!select)
    return std::nullopt;
  const bool isKeeping = select.getTrueValue() == self;
  found.taken = isKeeping ? select.getFalseValue() : select.getTrueValue();
  if ((!isKeeping && select.getFalseValue() != self) || !isTerm(found.taken))
    return std::nullopt;
  findBest(select.getCondition());
  if (!found.term)
    return std::nullopt;
  std::optional<Table> table = evaluate(select.getCondition());
  if (!table) {
    reason = "by a condition that consists of more than comparisons of a term "
             "with an output";
    return std::nullopt;
  }
  found.table = isKeeping ? table->negate() : *table;
  found.isMin = found.table[Less];
  if (found.hasNoNans)
    for (Relation relation : {TermNan, BestNan, BothNan})
      found.table.set(relation, false);
  for (Relation relation : {Less, Greater, TermNan, BestNan, BothNan})
    if (!found.table.isPlain(relation)) {
      reason = "by a condition that compares positions of elements which are "
               "not equal";
      return std::nullopt;
    }
  if (found.table[Less] == found.table[Greater]) {
    reason = "by a condition that holds for larger and for smaller elements, "
             "or for neither; maxima and minima are supported";
    return std::nullopt;
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

namespace {

/// Builds one output. Tensors are flat: an axis for each parallel loop, then
/// one for all positions of the reduced loops.
class SelectionBuilder {
public:
  SelectionBuilder(const SelectionContext &context, unsigned output,
                   const Selection &selection, const Selection &best);

  Value build(std::string &reason);

private:
  /// Whether the order of elements decides what becomes of a NaN in ways that
  /// are not supported; says which.
  StringRef findOrderOfNans() const;

  SmallVector<Dim> getFlatDims(Dim last) const;
  /// `last`: the number of positions, or 1 for what does not depend on reduced
  /// loops.
  Value flatten(Value value, Dim last) const;
  Value unflatten(Value value) const;
  Value repeat(Value value) const {
    return buildExpand(b, value, getFlatDims(count));
  }
  /// Numbers whose maximum is the best one, and back.
  Value toOrdered(Value value) const;
  Value fromOrdered(Value value) const;

  Value isLess(Value x, Value y) const { return CmpLtOp::create(b, x, y); }
  Value isEqual(Value x, Value y) const { return CmpEqOp::create(b, x, y); }
  Value both(Value x, Value y) const { return AndOp::create(b, x, y); }
  Value either(Value x, Value y) const { return OrOp::create(b, x, y); }
  Value negate(Value x) const { return buildReversed(b, x); }
  Value reduce(ReduceKind kind, Value x) const {
    return ReduceOp::create(b, kind, x, {int64_t(parallel)});
  }
  Value getPositions() const;
  /// The first or last position where a mask is true. None: the largest number,
  /// or -1.
  Value findPosition(Value mask, bool isLast) const;
  Value isFound(Value position, bool isLast) const;
  /// Whether what is taken is the position along the one reduced loop.
  bool isPosition(Value taken) const;
  Value buildTaken(Value position) const;
  /// The initial value of the best element.
  Value getStart() const {
    return toOrdered(flatten(c.inits[selection.best], one));
  }
  /// Whether the best element is taken instead of the initial one.
  Value buildCondition(Value best, Value taken, Value init) const;
  /// The result if any element is taken behind a NaN: only elements behind the
  /// last one count.
  Value buildForgetting(Value x, Value nans, Value lowest) const;
  /// The last position that is taken because of NaNs that are not the best
  /// element (`-1`: none). These no longer count in the table.
  Value findNanPosition(Value nans);

  const SelectionContext &c;
  B &b;
  unsigned output;
  const Selection &selection, &best;
  Table table;
  SmallVector<int64_t> order, back;
  size_t parallel = 0;
  Dim one, count;
  IntegerType positionType;
  bool isFloat, isReversed;
  /// Whether a NaN stays the best element, and whether the initial one may be a
  /// NaN.
  bool keepsNan = false, mayStartWithNan = false;
};

} // namespace

SelectionBuilder::SelectionBuilder(const SelectionContext &context,
                                   unsigned output, const Selection &selection,
                                   const Selection &best)
    : c(context), b(c.b), output(output), selection(selection), best(best),
      table(selection.table), one(b.getContext(), 1), count(one) {
  for (bool isReduced : {false, true})
    for (size_t loop = 0; loop < c.loops.size(); ++loop)
      if (c.reduced.test(loop) == isReduced)
        order.push_back(int64_t(loop));
  parallel = c.loops.size() - c.reduced.count();
  for (unsigned loop : c.reduced.set_bits())
    count = count * c.loops[loop];
  back.resize(order.size());
  for (auto [axis, loop] : llvm::enumerate(order))
    back[loop] = int64_t(axis);
  positionType = b.getIntegerType(
      count.getMax() < std::numeric_limits<int32_t>::max() ? 32 : 64);
  const Type element = getElement(c.values.lookup(selection.term));
  isFloat = isa<FloatType>(element);
  // true is -1 where bools are signed.
  isReversed = selection.isMin != (element.isInteger(1) &&
                                   selection.signedness == Signedness::Signed);
  keepsNan = isFloat && best.table[TermNan];
  auto init = dyn_cast_or_null<FloatAttr>(getNumber(c.inits[selection.best]));
  mayStartWithNan = isFloat && !(init && !init.getValue().isNaN());
}

StringRef SelectionBuilder::findOrderOfNans() const {
  if (!isFloat)
    return {};
  if (keepsNan && best.table[BestNan] && !(table[TermNan] && table[BestNan]))
    return "differs from that of the largest or smallest element at or behind "
           "a NaN";
  if (!keepsNan && mayStartWithNan && output != selection.best &&
      (table[TermNan] || table[BestNan] != best.table[BestNan] ||
       table[BothNan]))
    return "differs from that of the largest or smallest element for a NaN as "
           "initial value, which is not a constant";
  // Which of equal elements counts is not known behind NaNs.
  if (!table.isPlain(Equal) &&
      (keepsNan ? table[BestNan] || (!table[TermNan] && table[BothNan])
                : table[TermNan]))
    return "compares positions, and takes an element because of a NaN";
  return {};
}

SmallVector<Dim> SelectionBuilder::getFlatDims(Dim last) const {
  SmallVector<Dim> dims;
  for (int64_t loop : ArrayRef(order).take_front(parallel))
    dims.push_back(c.loops[loop]);
  dims.push_back(last);
  return dims;
}

Value SelectionBuilder::flatten(Value value, Dim last) const {
  SmallVector<Dim> dims(c.loops);
  if (last == one)
    for (unsigned loop : c.reduced.set_bits())
      dims[loop] = one;
  return buildReshape(b, buildPermute(b, buildExpand(b, value, dims), order),
                      getFlatDims(last));
}

Value SelectionBuilder::unflatten(Value value) const {
  SmallVector<Dim> dims;
  for (int64_t loop : order)
    dims.push_back(c.reduced.test(loop) ? one : c.loops[loop]);
  return buildPermute(b, buildReshape(b, value, dims), back);
}

Value SelectionBuilder::toOrdered(Value value) const {
  if (selection.signedness == Signedness::Unsigned)
    value = buildAsUnsigned(b, value);
  return isReversed ? buildReversed(b, value) : value;
}

Value SelectionBuilder::fromOrdered(Value value) const {
  if (isReversed)
    value = buildReversed(b, value);
  return buildAsSigned(b, value);
}

Value SelectionBuilder::getPositions() const {
  return IotaOp::create(b, getTensorType(getFlatDims(count), positionType),
                        int64_t(parallel));
}

Value SelectionBuilder::findPosition(Value mask, bool isLast) const {
  const Value positions = getPositions();
  // The maximum of what decreases from -1 is the first one.
  const Value ordered = isLast ? positions : negate(positions);
  auto type = cast<RankedTensorType>(positions.getType());
  const TypedAttr none = isLast
                             ? TypedAttr(IntegerAttr::get(positionType, -1))
                             : getReduceIdentity(ReduceKind::max, positionType);
  const Value found =
      reduce(ReduceKind::max,
             WhereOp::create(b, mask, ordered, buildConst(b, type, none)));
  return isLast ? found : negate(found);
}

Value SelectionBuilder::isFound(Value position, bool isLast) const {
  if (isLast)
    return isLess(buildConst(b, position, -1.0), position);
  auto type = cast<RankedTensorType>(position.getType());
  return isLess(
      position,
      buildConst(b, type,
                 IntegerAttr::get(positionType, APInt::getSignedMaxValue(
                                                    positionType.getWidth()))));
}

bool SelectionBuilder::isPosition(Value taken) const {
  while (auto cast = taken.getDefiningOp<arith::IndexCastOp>())
    taken = cast.getIn();
  auto index = taken.getDefiningOp<linalg::IndexOp>();
  return index && c.reduced.count() == 1 && c.reduced.test(index.getDim());
}

Value SelectionBuilder::buildTaken(Value position) const {
  const Value taken = c.values.lookup(selection.taken);
  if (isPosition(selection.taken)) {
    auto type = cast<RankedTensorType>(position.getType());
    const Type element = getElement(taken);
    return element == positionType
               ? position
               : Value(CastOp::create(b, type.clone(element), position));
  }
  const Value all = flatten(taken, count);
  const Value isSelected = isEqual(getPositions(), repeat(position));
  return reduce(ReduceKind::add,
                WhereOp::create(b, isSelected, all, buildConst(b, all, 0.0)));
}

Value SelectionBuilder::buildCondition(Value chosen, Value taken,
                                       Value init) const {
  const Value start = getStart();
  Value condition = isLess(start, chosen);
  const Value isTie = isEqual(start, chosen);
  if (!table.isPlain(Equal)) {
    // Of equal elements that with the smaller or larger position.
    Value lhs = taken, rhs = init;
    if (selection.takenSignedness == Signedness::Unsigned) {
      lhs = buildAsUnsigned(b, lhs);
      rhs = buildAsUnsigned(b, rhs);
    }
    condition = either(condition,
                       both(isTie, table.at(Equal, Less) ? isLess(lhs, rhs)
                                                         : isLess(rhs, lhs)));
  } else if (table[Equal]) {
    condition = either(condition, isTie);
  }
  if (!isFloat)
    return condition;
  const Value isChosenNan = buildIsNan(b, chosen),
              isStartNan = buildIsNan(b, start);
  auto add = [&](Value isChosen, Value isStart) {
    condition = either(condition, both(isChosen, isStart));
  };
  if (keepsNan && table[TermNan])
    add(isChosenNan, negate(isStartNan));
  if (mayStartWithNan && !keepsNan && table[BestNan])
    add(negate(isChosenNan), isStartNan);
  if (mayStartWithNan && keepsNan && table[BothNan])
    add(isChosenNan, isStartNan);
  return condition;
}

Value SelectionBuilder::buildForgetting(Value x, Value nans,
                                        Value lowest) const {
  auto isAny = [&](Value mask) { return reduce(ReduceKind::max, mask); };
  const Value lastNan = findPosition(nans, true),
              hasNan = isFound(lastNan, true),
              isBehind = isLess(repeat(lastNan), getPositions()),
              hasBehind = isAny(isBehind), hasNumber = isAny(negate(nans));
  const Value chosen =
      reduce(ReduceKind::max, WhereOp::create(b, isBehind, x, lowest));
  const Value position =
      findPosition(both(isBehind, isEqual(x, repeat(chosen))), table[Equal]);
  const Value start = getStart(), isStartNan = buildIsNan(b, start);
  Value condition = isLess(start, chosen);
  if (table[Equal])
    condition = either(condition, isEqual(start, chosen));
  condition = either(
      both(either(condition, isStartNan), isFound(position, table[Equal])),
      hasNan);
  // Of NaNs at the end, the first one is taken, or the last one.
  Value nanPosition = lastNan;
  if (!table[BothNan]) {
    const Value lastNumber = findPosition(negate(nans), true);
    nanPosition = AddOp::create(b, lastNumber, buildConst(b, lastNumber, 1.0));
    condition = both(condition, either(hasNumber, negate(isStartNan)));
  }
  const Value init = flatten(c.inits[output], one);
  Value taken;
  if (output == selection.best) {
    auto element = cast<FloatType>(getElement(chosen));
    const Value nan = buildConst(
        b, cast<RankedTensorType>(chosen.getType()),
        FloatAttr::get(element, APFloat::getNaN(element.getFloatSemantics())));
    taken = WhereOp::create(b, hasBehind, fromOrdered(chosen), nan);
  } else {
    taken = buildTaken(WhereOp::create(b, hasBehind, position, nanPosition));
  }
  return unflatten(WhereOp::create(b, condition, taken, init));
}

Value SelectionBuilder::findNanPosition(Value nans) {
  if (!keepsNan) {
    // The best element is never a NaN.
    if (!table[TermNan])
      return {};
    table.set(TermNan, false);
    return findPosition(nans, true);
  }
  if (!table[BestNan] && (table[TermNan] || !table[BothNan]))
    return {};
  // Behind the first NaN, the best element is one.
  Value isTaken = isLess(repeat(findPosition(nans, false)), getPositions());
  if (mayStartWithNan)
    isTaken = either(isTaken, repeat(buildIsNan(b, getStart())));
  if (!table[BothNan])
    isTaken = both(isTaken, negate(nans));
  else if (!table[BestNan])
    isTaken = both(isTaken, nans);
  table.set(BestNan, false);
  table.set(BothNan, false);
  return findPosition(isTaken, true);
}

Value SelectionBuilder::build(std::string &reason) {
  if (StringRef nans = findOrderOfNans(); !nans.empty()) {
    reason = ("by a condition that " + nans +
              "; compare with 'ogt' or 'olt', or as math.maximumf does, or "
              "state that there are no NaNs (fastmath<nnan>)")
                 .str();
    return {};
  }
  const Value first = c.values.lookup(selection.term);
  if (isFp8(getElement(first)) ||
      (selection.taken &&
       isFp8(getElement(c.values.lookup(selection.taken))))) {
    reason = "from elements of an 8-bit float type, with which tg does not "
             "compute";
    return {};
  }
  const bool isTieByPosition = !table.isPlain(Equal);
  if (isTieByPosition && (!isPosition(selection.taken) ||
                          table.at(Equal, Less) == table.at(Equal, Greater))) {
    reason = "by a condition that compares what belongs to equal elements; "
             "that is supported for the index of the reduced loop";
    return {};
  }
  const bool isLast = isTieByPosition ? table.at(Equal, Greater) : table[Equal];
  const Value x = toOrdered(flatten(first, count));
  auto type = cast<RankedTensorType>(x.getType());
  Value mask, candidates = x, nans;
  if (isFloat)
    nans = buildIsNan(b, x);
  const Value lowest =
      buildConst(b, type, getReduceIdentity(ReduceKind::max, getElement(x)));
  if (keepsNan && best.table[BestNan])
    return buildForgetting(x, nans, lowest);
  const Value nanPosition = isFloat ? findNanPosition(nans) : Value();
  if (keepsNan && !table[TermNan]) {
    // Behind the first NaN nothing is better.
    mask = isLess(getPositions(), repeat(findPosition(nans, false)));
    candidates = WhereOp::create(b, mask, x, lowest);
  } else if (isFloat && !keepsNan) {
    candidates = WhereOp::create(b, nans, lowest, x);
  }
  const Value chosen = reduce(ReduceKind::max, candidates);
  Value isBest = isEqual(x, repeat(chosen));
  if (mask)
    isBest = both(mask, isBest);

  const Value init = flatten(c.inits[output], one);
  const bool isValue = output == selection.best;
  const bool needsFound = table[Equal] || isTieByPosition || table[BestNan];
  Value position;
  if (!isValue || needsFound) {
    const bool findsNans = keepsNan && table[TermNan];
    if (findsNans && table[BothNan] == isLast)
      position = findPosition(either(isBest, nans), isLast);
    else
      position = findPosition(isBest, isLast);
    if (findsNans && table[BothNan] != isLast)
      position = WhereOp::create(b, buildIsNan(b, chosen),
                                 findPosition(nans, table[BothNan]), position);
  }
  Value taken = isValue           ? fromOrdered(chosen)
                : isTieByPosition ? buildTaken(position)
                                  : Value();
  Value condition = buildCondition(chosen, taken, init);
  // The maximum of no element is the lowest number.
  if (needsFound)
    condition = both(condition, isFound(position, isLast));
  if (nanPosition) {
    // The last of both, if both are taken.
    const Value hasNan = isFound(nanPosition, true);
    Value later = nanPosition;
    if (!keepsNan)
      later = WhereOp::create(b, condition,
                              MaxOp::create(b, nanPosition, position), later);
    position = WhereOp::create(b, hasNan, later, position);
    condition = either(condition, hasNan);
  }
  if (!taken)
    taken = buildTaken(position);
  return unflatten(WhereOp::create(b, condition, taken, init));
}

Value linalgtotg::buildSelection(const SelectionContext &context,
                                 unsigned output, std::string &reason) {
  std::optional<Selection> selection = Matcher(context, output).match(reason);
  if (!selection || !selection->taken)
    return {};
  std::optional<Selection> best = selection;
  if (selection->best != output)
    best = Matcher(context, selection->best).match(reason);
  auto isOfOther = [&] {
    return best->best != selection->best || best->term != selection->term ||
           best->isMin != selection->isMin ||
           (best->signedness != selection->signedness &&
            best->signedness != Signedness::Any &&
            selection->signedness != Signedness::Any);
  };
  if (!best || isOfOther()) {
    reason = "by a comparison with output " + std::to_string(selection->best) +
             ", which is not the largest or smallest of the compared terms";
    return {};
  }
  return SelectionBuilder(context, output, *selection, *best).build(reason);
}
