//===- Expression.cpp - symbols that kernels compute ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds expressions in a normal form. It shares no arithmetic with the passes
/// whose results are compared by it.
///
//===----------------------------------------------------------------------===//

#include "Expression.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// A scan has a combination with all terms before it for each of its positions.
static constexpr size_t kMaxKeptTerms = 1 << 24;

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

/// The finalizer of MurmurHash3: every bit of the result depends on every bit.
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}

static void extend(ExpressionHash &hash, uint64_t word) {
  hash.low = mix(hash.low ^ word) + 0x9e3779b97f4a7c15ull;
  hash.high = mix(hash.high + word * 0xd6e8feb86659fd93ull) ^ hash.low;
}

ExpressionId ExpressionPool::intern(Node node, ArrayRef<ExpressionId> ofNode,
                                    ArrayRef<int64_t> ofTerms) {
  ExpressionHash hash{0x243f6a8885a308d3ull, 0x13198a2e03707344ull};
  extend(hash, static_cast<uint64_t>(node.kind));
  if (node.kind != Kind::sum)
    extend(hash, node.argument);
  extend(hash, reinterpret_cast<uintptr_t>(node.tag));
  extend(hash, reinterpret_cast<uintptr_t>(node.attributes));
  extend(hash, reinterpret_cast<uintptr_t>(node.type.getAsOpaquePointer()));
  extend(hash, static_cast<uint64_t>(node.number));
  extend(hash, node.terms.low);
  extend(hash, node.terms.high);
  for (ExpressionId operand : ofNode) {
    extend(hash, nodes[operand].hash.low);
    extend(hash, nodes[operand].hash.high);
  }
  for (int64_t factor : ofTerms)
    extend(hash, static_cast<uint64_t>(factor));
  auto [it, isNew] = ids.try_emplace({hash.low, hash.high}, nodes.size());
  if (!isNew)
    return it->second;
  node.hash = hash;
  node.first = operands.size();
  node.count = ofNode.size();
  if (node.kind == Kind::sum) {
    // Factors lie beside the operands.
    node.argument = factors.size();
    llvm::append_range(factors, ofTerms);
  }
  operands.insert(operands.end(), ofNode.begin(), ofNode.end());
  nodes.push_back(node);
  return it->second;
}

ExpressionId ExpressionPool::getId(SymbolicValue value, Type type) {
  if (!value.isNumber())
    return value.id;
  Node node(Kind::number, type);
  node.number = value.number;
  return intern(node, {});
}

ExpressionId ExpressionPool::getConstant(TypedAttr value) {
  Node node(Kind::constant, value.getType());
  node.tag = value.getAsOpaquePointer();
  return intern(node, {});
}

SymbolicValue ExpressionPool::getConstantValue(TypedAttr value) {
  if (auto number = dyn_cast<IntegerAttr>(value))
    return SymbolicValue::ofNumber(
        wrap(number.getValue().getSExtValue(), number.getType()));
  return SymbolicValue::ofExpression(getConstant(value));
}

ExpressionId ExpressionPool::getElement(unsigned argument, int64_t index,
                                        Type type) {
  Node node(Kind::element, type, argument);
  node.number = index;
  return intern(node, {});
}

ExpressionId ExpressionPool::getElementAt(unsigned argument, ExpressionId index,
                                          Type type) {
  Node node(Kind::elementAt, type, argument);
  return intern(node, index);
}

ExpressionId ExpressionPool::getOperation(Operation *op,
                                          ArrayRef<ExpressionId> ofOp) {
  Node node(Kind::operation, op->getResult(0).getType());
  node.tag = op->getName().getAsOpaquePointer();
  // Marks on a selection are no part of what it means.
  if (!isa<WhereOp>(op))
    node.attributes = op->getAttrDictionary().getAsOpaquePointer();
  SmallVector<ExpressionId, 4> sorted(ofOp);
  if (op->hasTrait<OpTrait::IsCommutative>())
    llvm::sort(sorted);
  return intern(node, sorted);
}

bool ExpressionPool::isOperation(ExpressionId id, StringRef name) const {
  return nodes[id].kind == Kind::operation &&
         OperationName::getFromOpaquePointer(nodes[id].tag).getStringRef() ==
             name;
}

bool ExpressionPool::isZero(ExpressionId id) const {
  if (nodes[id].kind != Kind::constant)
    return false;
  auto number =
      dyn_cast<FloatAttr>(Attribute::getFromOpaquePointer(nodes[id].tag));
  return number && number.getValue().isZero();
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static bool isUnsigned(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && (integer.isUnsigned() || integer.getWidth() == 1);
}

int64_t ExpressionPool::wrap(int64_t number, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() >= 64)
    return number;
  const unsigned width = integer.getWidth();
  return isUnsigned(type)
             ? static_cast<int64_t>(static_cast<uint64_t>(number) &
                                    llvm::maskTrailingOnes<uint64_t>(width))
             : llvm::SignExtend64(static_cast<uint64_t>(number), width);
}

static int64_t mulWrapping(int64_t lhs, int64_t rhs) {
  return static_cast<int64_t>(static_cast<uint64_t>(lhs) *
                              static_cast<uint64_t>(rhs));
}

static int64_t addWrapping(int64_t lhs, int64_t rhs) {
  return static_cast<int64_t>(static_cast<uint64_t>(lhs) +
                              static_cast<uint64_t>(rhs));
}

/// The integer that an operation on integers has, if all of them are known.
std::optional<int64_t> ExpressionPool::fold(Operation *op,
                                            ArrayRef<SymbolicValue> ofOp) {
  Type type = op->getResult(0).getType();
  if (!isa<IntegerType, IndexType>(type))
    return std::nullopt;
  Type from = op->getOperand(0).getType();
  if (!isa<IntegerType, IndexType>(from))
    return std::nullopt;
  const int64_t x = ofOp[0].number;
  if (isa<CastOp>(op))
    return type.isInteger(1) ? x != 0 : wrap(x, type);
  if (isa<NegOp>(op))
    return wrap(mulWrapping(x, -1), type);
  if (ofOp.size() != 2)
    return std::nullopt;
  const int64_t y = ofOp[1].number;
  const bool isLess = isUnsigned(from)
                          ? static_cast<uint64_t>(x) < static_cast<uint64_t>(y)
                          : x < y;
  if (isa<CmpLtOp>(op))
    return isLess;
  if (isa<CmpEqOp>(op))
    return x == y;
  if (isa<CmpNeOp>(op))
    return x != y;
  if (isa<MaxOp>(op))
    return isLess ? y : x;
  if (isa<AndOp>(op))
    return x & y;
  if (isa<OrOp>(op))
    return x | y;
  if (isa<XorOp>(op))
    return x ^ y;
  // Arithmetic of bools is logic, and stays an expression.
  if (type.isInteger(1))
    return std::nullopt;
  if (isa<AddOp>(op))
    return wrap(addWrapping(x, y), type);
  if (isa<SubOp>(op))
    return wrap(addWrapping(x, mulWrapping(y, -1)), type);
  if (isa<MulOp>(op))
    return wrap(mulWrapping(x, y), type);
  if (y == 0 || (isUnsigned(type) && (x < 0 || y < 0)) ||
      (y == -1 && x == INT64_MIN))
    return std::nullopt;
  if (isa<IDivOp>(op))
    return wrap(x / y, type);
  if (isa<ModOp>(op))
    return wrap(x % y, type);
  if (isa<FloorDivOp>(op))
    return wrap(llvm::divideFloorSigned(x, y), type);
  if (isa<FloorModOp>(op))
    return wrap(x - llvm::divideFloorSigned(x, y) * y, type);
  return std::nullopt;
}

void ExpressionPool::appendTerms(
    SymbolicValue value, int64_t factor, int64_t &number,
    SmallVectorImpl<std::pair<ExpressionId, int64_t>> &terms) {
  if (value.isNumber()) {
    number = addWrapping(number, mulWrapping(value.number, factor));
    return;
  }
  const Node &node = nodes[value.id];
  if (node.kind != Kind::sum) {
    terms.emplace_back(value.id, factor);
    return;
  }
  number = addWrapping(number, mulWrapping(node.number, factor));
  for (auto [operand, own] :
       llvm::zip_equal(getOperands(node), getFactors(node)))
    terms.emplace_back(operand, mulWrapping(own, factor));
}

SymbolicValue
ExpressionPool::getSum(int64_t number,
                       SmallVectorImpl<std::pair<ExpressionId, int64_t>> &terms,
                       Type type) {
  llvm::sort(terms);
  SmallVector<ExpressionId, 4> ofSum;
  SmallVector<int64_t, 4> ofTerms;
  for (size_t i = 0; i < terms.size();) {
    const ExpressionId id = terms[i].first;
    int64_t factor = 0;
    for (; i < terms.size() && terms[i].first == id; ++i)
      factor = addWrapping(factor, terms[i].second);
    factor = wrap(factor, type);
    if (factor == 0)
      continue;
    ofSum.push_back(id);
    ofTerms.push_back(factor);
  }
  number = wrap(number, type);
  if (ofSum.empty())
    return SymbolicValue::ofNumber(number);
  if (ofSum.size() == 1 && ofTerms.front() == 1 && number == 0)
    return SymbolicValue::ofExpression(ofSum.front());
  Node node(Kind::sum, type);
  node.number = number;
  return SymbolicValue::ofExpression(intern(node, ofSum, ofTerms));
}

SymbolicValue ExpressionPool::addScaled(SymbolicValue lhs, SymbolicValue rhs,
                                        int64_t factor, Type type) {
  int64_t number = 0;
  SmallVector<std::pair<ExpressionId, int64_t>, 8> terms;
  appendTerms(lhs, 1, number, terms);
  appendTerms(rhs, factor, number, terms);
  return getSum(number, terms, type);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

SymbolicValue ExpressionPool::conjunction(SymbolicValue lhs,
                                          SymbolicValue rhs) {
  if (lhs.isNumber())
    return lhs.isTrue() ? rhs : lhs;
  if (rhs.isNumber())
    return rhs.isTrue() ? lhs : rhs;
  SmallVector<ExpressionId, 4> all = getConjuncts(lhs);
  llvm::append_range(all, getConjuncts(rhs));
  llvm::sort(all);
  all.erase(llvm::unique(all), all.end());
  if (all.size() == 1)
    return SymbolicValue::ofExpression(all.front());
  Node node(Kind::conjunction, IntegerType::get(context, 1));
  return SymbolicValue::ofExpression(intern(node, all));
}

SmallVector<ExpressionId>
ExpressionPool::getConjuncts(SymbolicValue condition) {
  if (condition.isNumber())
    return {};
  const Node &node = nodes[condition.id];
  if (node.kind == Kind::conjunction)
    return SmallVector<ExpressionId>(getOperands(node));
  return {condition.id};
}

bool ExpressionPool::coversInfinite(SymbolicValue condition,
                                    ExpressionId factor) {
  if (condition.isNumber() || !isOperation(condition.id, "tg.cmplt"))
    return false;
  const Node less = nodes[condition.id];
  const Node limit = nodes[getOperands(less)[0]];
  const ExpressionId greatestId = getOperands(less)[1];
  const Node greatest = nodes[greatestId];
  auto floating = dyn_cast<FloatType>(nodes[factor].type);
  if (!floating || limit.kind != Kind::number)
    return false;
  const APInt infinity =
      APFloat::getInf(floating.getFloatSemantics()).bitcastToAPInt();
  if (limit.number != infinity.getSExtValue() - 1)
    return false;
  // The magnitude of the factor is one of the numbers of the maximum.
  auto isMagnitude = [&](ExpressionId id) {
    if (!isOperation(id, "tg.and"))
      return false;
    bool hasMask = false, hasBits = false;
    for (ExpressionId operand : getOperands(nodes[id])) {
      const Node &node = nodes[operand];
      hasMask |=
          node.kind == Kind::number &&
          node.number ==
              APInt::getSignedMaxValue(floating.getWidth()).getSExtValue();
      hasBits |=
          isOperation(operand, "tg.bitcast") && getOperands(node)[0] == factor;
    }
    return hasMask && hasBits;
  };
  if (isMagnitude(greatestId))
    return true;
  auto kept = keptTerms.find(greatestId);
  return greatest.kind == Kind::combination && kept != keptTerms.end() &&
         greatest.argument == static_cast<uint32_t>(CombinationKind::max) &&
         llvm::any_of(kept->second, isMagnitude);
}

SymbolicValue ExpressionPool::select(SymbolicValue condition,
                                     SymbolicValue value, SymbolicValue other,
                                     Type type) {
  if (condition.isNumber())
    return condition.isTrue() ? value : other;
  if (value == other)
    return value;
  // Zero times what is finite is zero (but for its sign, which sums of zeros
  // leave open), so it is the product of zero in either case.
  if (!value.isNumber() && !other.isNumber() && isZero(other.id) &&
      isOperation(value.id, "tg.mul")) {
    ArrayRef<ExpressionId> product = getOperands(nodes[value.id]);
    for (size_t i : {0, 1})
      if (isZero(product[i]) && coversInfinite(condition, product[1 - i]))
        return value;
  }
  Node node(Kind::operation, type);
  node.tag =
      OperationName(WhereOp::getOperationName(), context).getAsOpaquePointer();
  const ExpressionId ids[] = {condition.id, getId(value, type),
                              getId(other, type)};
  return SymbolicValue::ofExpression(intern(node, ids));
}

SymbolicValue ExpressionPool::apply(Operation *op,
                                    ArrayRef<SymbolicValue> ofOp) {
  Type type = op->getResult(0).getType();
  if (isa<WhereOp>(op))
    return select(ofOp[0], ofOp[1], ofOp[2], type);
  const bool isBool = type.isInteger(1);
  if (isBool && isa<AndOp>(op))
    return conjunction(ofOp[0], ofOp[1]);
  if (isBool && isa<OrOp>(op)) {
    for (size_t i : {0, 1})
      if (ofOp[i].isNumber())
        return ofOp[i].isTrue() ? ofOp[i] : ofOp[1 - i];
    if (ofOp[0] == ofOp[1])
      return ofOp[0];
  }
  if (llvm::all_of(ofOp, [](auto &value) { return value.isNumber(); }))
    if (std::optional<int64_t> number = fold(op, ofOp))
      return SymbolicValue::ofNumber(*number);
  if (isa<IntegerType, IndexType>(type) && !isBool) {
    if (isa<AddOp>(op))
      return addScaled(ofOp[0], ofOp[1], 1, type);
    if (isa<SubOp>(op))
      return addScaled(ofOp[0], ofOp[1], -1, type);
    if (isa<NegOp>(op))
      return addScaled(SymbolicValue(), ofOp[0], -1, type);
    if (isa<MulOp>(op))
      for (size_t i : {0, 1})
        if (ofOp[i].isNumber())
          return addScaled(SymbolicValue(), ofOp[1 - i], ofOp[i].number, type);
  }
  SmallVector<ExpressionId, 4> all;
  for (auto [value, operand] : llvm::zip_equal(ofOp, op->getOperands()))
    all.push_back(getId(value, operand.getType()));
  // Tiles for matrix units hold zeros for what is masked in both factors, which
  // may be converted.
  if (isa<CastOp>(op) && isa<FloatType>(type) &&
      (ofOp[0].isNumber() ? ofOp[0].number == 0 : isZero(all[0])))
    return SymbolicValue::ofExpression(getConstant(FloatAttr::get(type, 0.0)));
  if (isa<MulOp>(op) && isZero(all[0]) && isZero(all[1]))
    return SymbolicValue::ofExpression(all[0]);
  return SymbolicValue::ofExpression(getOperation(op, all));
}

//===----------------------------------------------------------------------===//
// Combinations
//===----------------------------------------------------------------------===//

ExpressionPool::Combiner::Combiner(ExpressionPool &pool, CombinationKind kind,
                                   Type type, bool isScan)
    : pool(pool), kind(kind), isScan(isScan), type(type),
      areNumbersExact(isa<IntegerType, IndexType>(type) && !type.isInteger(1)) {
  switch (kind) {
  case CombinationKind::add:
    identity = pool.getConstantValue(getReduceIdentity(ReduceKind::add, type));
    break;
  case CombinationKind::mul:
    identity = pool.getConstantValue(getReduceIdentity(ReduceKind::mul, type));
    break;
  case CombinationKind::max:
    identity = pool.getConstantValue(getReduceIdentity(ReduceKind::max, type));
    break;
  case CombinationKind::min:
    // The identity of the type is not needed: nothing is masked by it.
    identity =
        areNumbersExact || type.isInteger(1)
            ? SymbolicValue::ofNumber(
                  isUnsigned(type) ? wrap(-1, type)
                  : isa<IndexType>(type)
                      ? INT64_MAX
                      : llvm::maxIntN(type.getIntOrFloatBitWidth()))
            : SymbolicValue::ofExpression(pool.getConstant(FloatAttr::get(
                  type,
                  APFloat::getInf(cast<FloatType>(type).getFloatSemantics()))));
    break;
  case CombinationKind::logaddexp:
    identity =
        pool.getConstantValue(getScanIdentity(ScanKind::logaddexp, type));
    break;
  }
  total = identity.number;
}

void ExpressionPool::Combiner::add(SymbolicValue term) {
  if (term == identity)
    return;
  if (term.isNumber() && areNumbersExact) {
    switch (kind) {
    case CombinationKind::add:
      total = wrap(addWrapping(total, term.number), type);
      return;
    case CombinationKind::mul:
      total = wrap(mulWrapping(total, term.number), type);
      return;
    case CombinationKind::max:
    case CombinationKind::min: {
      const bool isLess = isUnsigned(type)
                              ? static_cast<uint64_t>(term.number) <
                                    static_cast<uint64_t>(total)
                              : term.number < total;
      if (isLess == (kind == CombinationKind::min))
        total = term.number;
      return;
    }
    case CombinationKind::logaddexp:
      break;
    }
  }
  const ExpressionId id = pool.getId(term, type);
  if (kind == CombinationKind::add && pool.isZero(id))
    return;
  addId(id);
}

void ExpressionPool::Combiner::addId(ExpressionId id) {
  const Node &node = pool.nodes[id];
  const bool keeps = pool.keepsTerms ||
                     (kind == CombinationKind::max && isa<IntegerType>(type));
  if (!isScan && node.kind == Kind::combination && node.type == type &&
      node.argument == static_cast<uint32_t>(kind)) {
    hash.add(node.terms);
    count += node.number;
    if (keeps)
      llvm::append_range(terms, pool.keptTerms[id]);
    return;
  }
  // Terms are mixed once more, so that hashes that are related add up to
  // nothing special.
  ExpressionHash term = node.hash;
  extend(term, 0x452821e638d01377ull);
  hash.add(term);
  ++count;
  only = id;
  if (keeps)
    terms.push_back(id);
}

SymbolicValue ExpressionPool::Combiner::get() {
  if (areNumbersExact && total != identity.number) {
    const int64_t number = total;
    total = identity.number;
    if (count == 0)
      return SymbolicValue::ofNumber(number);
    addId(pool.getId(SymbolicValue::ofNumber(number), type));
  }
  if (count == 0)
    return identity;
  if (count == 1)
    return SymbolicValue::ofExpression(only);
  Node node(Kind::combination, type);
  node.argument = static_cast<uint32_t>(kind) | (isScan ? kScan : 0);
  node.number = static_cast<int64_t>(count);
  node.terms = hash;
  const ExpressionId id = pool.intern(node, {});
  if (!terms.empty() && pool.numKeptTerms <= kMaxKeptTerms &&
      pool.keptTerms.try_emplace(id, terms.begin(), terms.end()).second)
    pool.numKeptTerms += terms.size();
  return SymbolicValue::ofExpression(id);
}

//===----------------------------------------------------------------------===//
// Assumptions
//===----------------------------------------------------------------------===//

std::optional<ExpressionPool::Remainder>
ExpressionPool::getRemainder(ExpressionId condition) {
  if (!isOperation(condition, "tg.cmpeq"))
    return std::nullopt;
  ArrayRef<ExpressionId> sides = getOperands(nodes[condition]);
  for (size_t i : {0, 1}) {
    if (nodes[sides[1 - i]].kind != Kind::number ||
        !isOperation(sides[i], "tg.floormod"))
      continue;
    ArrayRef<ExpressionId> division = getOperands(nodes[sides[i]]);
    if (nodes[division[1]].kind == Kind::number)
      return Remainder{division[0], nodes[division[1]].number,
                       nodes[sides[1 - i]].number};
  }
  return std::nullopt;
}

SymbolicValue ExpressionPool::assume(SymbolicValue value,
                                     ArrayRef<ExpressionId> conditions) {
  if (value.isNumber() || conditions.empty())
    return value;
  llvm::DenseMap<ExpressionId, SymbolicValue> done;
  return substitute(value.id, conditions, done);
}

SymbolicValue
ExpressionPool::substitute(ExpressionId id, ArrayRef<ExpressionId> conditions,
                           llvm::DenseMap<ExpressionId, SymbolicValue> &done) {
  if (llvm::is_contained(conditions, id))
    return SymbolicValue::ofNumber(1);
  if (auto it = done.find(id); it != done.end())
    return it->second;
  const Node node = nodes[id];
  SymbolicValue result = SymbolicValue::ofExpression(id);
  SmallVector<SymbolicValue, 4> updated;
  SmallVector<Type, 4> types;
  for (ExpressionId operand : SmallVector<ExpressionId>(getOperands(node))) {
    types.push_back(nodes[operand].type);
    // Numbers stay operands of their type.
    updated.push_back(nodes[operand].kind == Kind::number
                          ? SymbolicValue::ofNumber(nodes[operand].number)
                          : substitute(operand, conditions, done));
  }
  switch (node.kind) {
  case Kind::number:
  case Kind::constant:
  case Kind::element:
    break;
  case Kind::combination: {
    // Terms may have been added up before they were kept. Masks of owners are
    // those of loads, so that terms may have them; other conditions do not.
    auto kept = keptTerms.find(id);
    if (node.argument >= kScan || kept == keptTerms.end() ||
        static_cast<int64_t>(kept->second.size()) != node.number ||
        llvm::none_of(conditions, [&](ExpressionId condition) {
          return getRemainder(condition).has_value();
        }))
      break;
    Combiner combiner(*this, static_cast<CombinationKind>(node.argument),
                      node.type);
    for (ExpressionId term : SmallVector<ExpressionId, 0>(kept->second))
      combiner.add(nodes[term].kind == Kind::number
                       ? SymbolicValue::ofNumber(nodes[term].number)
                       : substitute(term, conditions, done));
    result = combiner.get();
    break;
  }
  case Kind::elementAt:
    if (updated[0].isNumber())
      result = SymbolicValue::ofExpression(
          getElement(node.argument, updated[0].number, node.type));
    else
      result = SymbolicValue::ofExpression(
          getElementAt(node.argument, updated[0].id, node.type));
    break;
  case Kind::conjunction:
    result = SymbolicValue::ofNumber(1);
    for (SymbolicValue operand : updated)
      result = conjunction(result, operand);
    break;
  case Kind::sum: {
    int64_t number = node.number;
    SmallVector<std::pair<ExpressionId, int64_t>, 8> terms;
    const SmallVector<int64_t> ofTerms(getFactors(node));
    SmallVector<std::pair<SymbolicValue, int64_t>> left;
    for (auto [operand, factor] : llvm::zip_equal(updated, ofTerms))
      left.emplace_back(operand, factor);
    while (!left.empty()) {
      auto [operand, factor] = left.pop_back_val();
      // n * (x floordiv n) = x - r, if x has the remainder r.
      std::optional<Remainder> known;
      if (!operand.isNumber() && isOperation(operand.id, "tg.floordiv")) {
        ArrayRef<ExpressionId> division = getOperands(nodes[operand.id]);
        for (ExpressionId condition : conditions) {
          known = getRemainder(condition);
          if (known && known->dividend == division[0] &&
              nodes[division[1]].kind == Kind::number &&
              nodes[division[1]].number == known->divisor &&
              factor % known->divisor == 0)
            break;
          known.reset();
        }
      }
      if (!known) {
        appendTerms(operand, factor, number, terms);
        continue;
      }
      const int64_t times = factor / known->divisor;
      left.emplace_back(SymbolicValue::ofExpression(known->dividend), times);
      number = addWrapping(number, mulWrapping(times, -known->remainder));
    }
    result = getSum(number, terms, node.type);
    break;
  }
  case Kind::operation:
    if (isOperation(id, WhereOp::getOperationName())) {
      result = select(updated[0], updated[1], updated[2], node.type);
      break;
    }
    Node copy = node;
    SmallVector<ExpressionId, 4> all;
    for (auto [operand, type] : llvm::zip_equal(updated, types))
      all.push_back(getId(operand, type));
    if (OperationName::getFromOpaquePointer(node.tag)
            .hasTrait<OpTrait::IsCommutative>())
      llvm::sort(all);
    result = SymbolicValue::ofExpression(intern(copy, all));
    break;
  }
  done.try_emplace(id, result);
  return result;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static StringRef getName(uint32_t argument) {
  static constexpr StringLiteral names[] = {"sum", "product", "maximum",
                                            "minimum", "logaddexp"};
  return names[argument & 255];
}

void ExpressionPool::print(raw_ostream &os, ExpressionId id, unsigned depth) {
  const Node &node = nodes[id];
  auto printAll = [&](ArrayRef<ExpressionId> ids) {
    if (depth == 0) {
      os << "...";
      return;
    }
    constexpr size_t most = 6;
    llvm::interleaveComma(ids.take_front(most), os, [&](ExpressionId operand) {
      print(os, operand, depth - 1);
    });
    if (ids.size() > most)
      os << ", ...";
  };
  switch (node.kind) {
  case Kind::number:
    os << node.number;
    break;
  case Kind::constant: {
    auto constant = cast<TypedAttr>(Attribute::getFromOpaquePointer(node.tag));
    if (auto number = dyn_cast<FloatAttr>(constant))
      os << number.getValueAsDouble();
    else
      os << constant;
    break;
  }
  case Kind::element:
    if (node.argument < (1 << 20))
      os << "arg" << node.argument << "[" << node.number << "]";
    else
      os << "what a tile held before";
    break;
  case Kind::elementAt:
    os << "arg" << node.argument << "[";
    printAll(getOperands(node));
    os << "]";
    break;
  case Kind::operation:
    os << OperationName::getFromOpaquePointer(node.tag).stripDialect() << "(";
    printAll(getOperands(node));
    os << ")";
    break;
  case Kind::conjunction:
    os << "all(";
    printAll(getOperands(node));
    os << ")";
    break;
  case Kind::sum:
    for (auto [operand, factor] :
         llvm::zip_equal(getOperands(node), getFactors(node))) {
      if (factor != 1)
        os << factor << " * ";
      if (depth == 0)
        os << "...";
      else
        print(os, operand, depth - 1);
      os << " + ";
    }
    os << node.number;
    break;
  case Kind::combination:
    os << getName(node.argument) << " of " << node.number << " terms";
    if (auto kept = keptTerms.find(id); kept != keptTerms.end()) {
      os << " (";
      printAll(kept->second);
      os << ")";
    }
    break;
  }
}

static std::string shorten(std::string text) {
  constexpr size_t longest = 400;
  if (text.size() > longest)
    text.replace(longest, text.size(), "...");
  return text;
}

std::string ExpressionPool::describe(SymbolicValue value, Type type,
                                     unsigned depth) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, getId(value, type), depth);
  return shorten(text);
}

bool ExpressionPool::findDifference(ExpressionId expected, ExpressionId actual,
                                    std::string &text, unsigned depth) {
  if (expected == actual)
    return false;
  const Node &x = nodes[expected], &y = nodes[actual];
  if (depth > 0 && x.kind == y.kind && x.kind == Kind::operation &&
      x.tag == y.tag && x.attributes == y.attributes && x.count == y.count) {
    for (auto [one, other] : llvm::zip_equal(getOperands(x), getOperands(y)))
      if (findDifference(one, other, text, depth - 1))
        return true;
  }
  auto xTerms = keptTerms.find(expected), yTerms = keptTerms.find(actual);
  if (depth > 0 && x.kind == Kind::combination && y.kind == Kind::combination &&
      xTerms != keptTerms.end() && yTerms != keptTerms.end()) {
    SmallVector<ExpressionId, 0> one = xTerms->second, other = yTerms->second,
                                 onlyOne, onlyOther;
    llvm::sort(one);
    llvm::sort(other);
    std::set_difference(one.begin(), one.end(), other.begin(), other.end(),
                        std::back_inserter(onlyOne));
    std::set_difference(other.begin(), other.end(), one.begin(), one.end(),
                        std::back_inserter(onlyOther));
    if (onlyOne.size() == 1 && onlyOther.size() == 1)
      return findDifference(onlyOne[0], onlyOther[0], text, depth - 1);
    llvm::raw_string_ostream os(text);
    auto list = [&](StringRef what, ArrayRef<ExpressionId> ids) {
      os << "; " << what << " " << ids.size() << " terms";
      if (ids.empty())
        return;
      os << ", such as ";
      print(os, ids.front(), 3);
    };
    os << getName(x.argument) << " of " << x.number << " terms against "
       << getName(y.argument) << " of " << y.number;
    list("missing are", onlyOne);
    list("wrong are", onlyOther);
    return true;
  }
  llvm::raw_string_ostream os(text);
  print(os, expected, 3);
  os << " against ";
  print(os, actual, 3);
  return true;
}

std::string ExpressionPool::describeDifference(SymbolicValue expected,
                                               SymbolicValue actual,
                                               Type type) {
  std::string text;
  findDifference(getId(expected, type), getId(actual, type), text);
  return shorten(text);
}
