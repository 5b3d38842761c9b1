//===- SmtEncoder.cpp - index arithmetic as SMT terms ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the translation of integer arithmetic to the smt dialect.
///
//===----------------------------------------------------------------------===//

#include "SmtEncoder.h"
#include "TinyGrad/Dialect/Tg/Transforms/SimplifyIndex.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tg;
using smt::IntPredicate;

using Number = __int128;

static bool isBool(Type type) { return type.isInteger(1); }

/// SMT-LIB has no negative literals.
Value SmtEncoder::number(Number value) {
  auto literal = [&](unsigned __int128 magnitude) -> Value {
    uint64_t words[] = {static_cast<uint64_t>(magnitude),
                        static_cast<uint64_t>(magnitude >> 64)};
    auto type = IntegerType::get(b.getContext(), 128);
    return smt::IntConstantOp::create(
        b, b.getIntegerAttr(type, APInt(128, words)));
  };
  if (value >= 0)
    return literal(value);
  return smt::IntSubOp::create(b, literal(0),
                               literal(-static_cast<unsigned __int128>(value)));
}

SmtEncoder::Term SmtEncoder::constant(Number value) {
  return {number(value), value, value};
}

Value SmtEncoder::isWithin(Value term, Number first, Number last) {
  return makeAnd(compare(IntPredicate::ge, term, number(first)),
                 compare(IntPredicate::le, term, number(last)));
}

Value SmtEncoder::isBelow(Value term, Value end) {
  return makeAnd(compare(IntPredicate::ge, term, number(0)),
                 compare(IntPredicate::lt, term, end));
}

SmtEncoder::Term SmtEncoder::unknownOf(Type type) {
  if (isBool(type))
    return {declare(smt::BoolType::get(b.getContext()), "b")};
  const Interval all = Interval::getAll(type);
  return unknownWithin("x", all.lo, all.hi);
}

SmtEncoder::Term SmtEncoder::unknownWithin(StringRef name, Number lo,
                                           Number hi) {
  Term term{declare(smt::IntType::get(b.getContext()), name), lo, hi};
  assertTrue(isWithin(term.term, lo, hi));
  return term;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

SmtEncoder::Term SmtEncoder::wrap(Term term, Type type) {
  const Interval all = Interval::getAll(type);
  if (all.contains({term.lo, term.hi}))
    return term;
  Term least = constant(all.lo);
  Value shifted = smt::IntSubOp::create(b, term.term, least.term);
  Value rest = smt::IntModOp::create(b, shifted, number(all.hi - all.lo + 1));
  return {smt::IntAddOp::create(b, b.getType<smt::IntType>(),
                                ValueRange{rest, least.term}),
          all.lo, all.hi};
}

SmtEncoder::Term SmtEncoder::sum(Term x, Term y) {
  return {smt::IntAddOp::create(b, b.getType<smt::IntType>(),
                                ValueRange{x.term, y.term}),
          x.lo + y.lo, x.hi + y.hi};
}

SmtEncoder::Term SmtEncoder::difference(Term x, Term y) {
  return {smt::IntSubOp::create(b, x.term, y.term), x.lo - y.hi, x.hi - y.lo};
}

SmtEncoder::Term SmtEncoder::product(Term x, Term y) {
  // Of numbers of 65 bits the product has to fit as well.
  Number corners[4];
  bool fits = true;
  const Number ends[2][2] = {{x.lo, x.hi}, {y.lo, y.hi}};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      fits &=
          !__builtin_mul_overflow(ends[0][i], ends[1][j], &corners[2 * i + j]);
  Number most = Number(1) << 126;
  Term result{smt::IntMulOp::create(b, b.getType<smt::IntType>(),
                                    ValueRange{x.term, y.term}),
              -most, most};
  if (fits) {
    result.lo = *std::min_element(corners, corners + 4);
    result.hi = *std::max_element(corners, corners + 4);
  }
  return result;
}

SmtEncoder::Term SmtEncoder::choose(Value condition, Term x, Term y) {
  return {smt::IteOp::create(b, condition, x.term, y.term),
          std::min(x.lo, y.lo), std::max(x.hi, y.hi)};
}

/// SMT-LIB's div and mod leave a remainder that is never negative. For positive
/// divisors that is rounding down; other cases are brought to this one.
SmtEncoder::Term SmtEncoder::divide(Term x, Term y, bool floor,
                                    bool wantRemainder) {
  Term zero = constant(0);
  auto negate = [&](Term term) { return difference(zero, term); };
  // Of a positive divisor, rounded down.
  auto down = [&](Term a, Term by) -> Term {
    if (wantRemainder)
      return {smt::IntModOp::create(b, a.term, by.term), 0, by.hi - 1};
    auto floorDivide = [](Number x, Number y) { return x / y - (x % y < 0); };
    return {smt::IntDivOp::create(b, a.term, by.term),
            floorDivide(a.lo, a.lo < 0 ? by.lo : by.hi),
            floorDivide(a.hi, a.hi < 0 ? by.hi : by.lo)};
  };
  // Of a positive divisor, rounded as asked for.
  auto positive = [&](Term a, Term by) {
    if (floor || a.lo >= 0)
      return down(a, by);
    Value isNegative = compare(IntPredicate::lt, a.term, zero.term);
    return choose(isNegative, negate(down(negate(a), by)), down(a, by));
  };
  // x / -y: rounded down it is -x / y with the sign of the remainder turned;
  // towards zero it is -(x / y) with the same remainder.
  auto negative = [&](Term a, Term by) {
    if (floor) {
      Term result = positive(negate(a), negate(by));
      return wantRemainder ? negate(result) : result;
    }
    Term result = positive(a, negate(by));
    return wantRemainder ? result : negate(result);
  };
  std::optional<Term> result;
  auto add = [&](Value condition, Term part) {
    result = result ? choose(condition, part, *result) : part;
  };
  if (y.lo <= 0 && y.hi >= 0)
    result = zero;
  if (y.hi > 0) {
    Term by = y;
    by.lo = std::max<Number>(by.lo, 1);
    add(compare(IntPredicate::gt, y.term, zero.term), positive(x, by));
  }
  if (y.lo < 0) {
    Term by = y;
    by.hi = std::min<Number>(by.hi, -1);
    add(compare(IntPredicate::lt, y.term, zero.term), negative(x, by));
  }
  return *result;
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

std::string mlir::tg::getSymbol(VarAttr var) {
  const StringRef name = var.getName().getValue();
  // Others could end a symbol or a line.
  const bool isPlain = llvm::all_of(
      name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  return isPlain ? ("var." + name).str() : "var.0x" + llvm::toHex(name);
}

SmtEncoder::Term SmtEncoder::encodeDim(Attribute attr) {
  if (auto it = dims.find(attr); it != dims.end())
    return it->second;
  Term term;
  if (auto number = dyn_cast<IntegerAttr>(attr)) {
    term = constant(number.getInt());
  } else if (auto var = dyn_cast<VarAttr>(attr)) {
    declared.insert(var);
    term = unknownWithin(getSymbol(var), var.getMin(), var.getMax());
  } else {
    auto expr = cast<DimExprAttr>(attr);
    auto apply = [&](Term x, Term y) {
      switch (expr.getKind()) {
      case DimOpKind::add:
        return sum(x, y);
      case DimOpKind::mul:
        return product(x, y);
      case DimOpKind::floordiv:
      case DimOpKind::mod:
        return divide(x, y, /*floor=*/true, expr.getKind() == DimOpKind::mod);
      case DimOpKind::min:
      case DimOpKind::max:
        break;
      }
      Value isLess = compare(IntPredicate::lt, x.term, y.term);
      bool wantsLess = expr.getKind() == DimOpKind::min;
      return choose(isLess, wantsLess ? x : y, wantsLess ? y : x);
    };
    term = encodeDim(expr.getOperands().front());
    for (Attribute operand : expr.getOperands().drop_front())
      term = apply(term, encodeDim(operand));
  }
  return dims[attr] = term;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Value SmtEncoder::encode(Value value) {
  auto encodeNext = [&](Value current, auto need) -> Term {
    bool isReady = true;
    if (isIndexArithmetic(current.getDefiningOp()))
      for (Value operand : current.getDefiningOp()->getOperands())
        isReady &= need(operand) != nullptr;
    return isReady ? encodeOp(current) : Term();
  };
  return getOrCompute(terms, value, encodeNext).term;
}

SmtEncoder::Term SmtEncoder::encodeOp(Value value) {
  Operation *op = value.getDefiningOp();
  Type type = value.getType();
  if (auto range = dyn_cast_or_null<RangeOp>(op)) {
    Term extent = encodeDim(range.getExtent());
    std::string name = "r" + std::to_string(range.getId());
    Term term{declare(smt::IntType::get(b.getContext()), name), 0,
              std::max<Number>(extent.hi - 1, 0)};
    assertTrue(makeAnd(compare(IntPredicate::ge, term.term, number(0)),
                       compare(IntPredicate::lt, term.term, extent.term)));
    return term;
  }
  if (!isIndexArithmetic(op))
    return unknownOf(type);
  APInt constantValue;
  if (matchPattern(value, m_ConstantInt(&constantValue))) {
    if (isBool(type))
      return {smt::BoolConstantOp::create(b, constantValue.getBoolValue())};
    return constant(Interval::getAll(type).lo < 0
                        ? Number(constantValue.getSExtValue())
                        : Number(constantValue.getZExtValue()));
  }
  if (auto dim = dyn_cast<DimOp>(op))
    return wrap(encodeDim(dim.getDim()), type);

  auto operand = [&](unsigned i) { return terms.lookup(op->getOperand(i)); };
  Type from = op->getNumOperands() ? op->getOperand(0).getType() : Type();
  if (isa<WhereOp>(op)) {
    Term term = choose(operand(0).term, operand(1), operand(2));
    if (!isBool(type)) {
      Interval interval = analysis.getAtomInterval(value);
      term.lo = std::max(term.lo, interval.lo);
      term.hi = std::min(term.hi, interval.hi);
    }
    return term;
  }
  if (isa<CastOp>(op)) {
    Term x = operand(0);
    if (isBool(from) && !isBool(type))
      return choose(x.term, constant(1), constant(0));
    if (isBool(type) && !isBool(from))
      return {makeDistinct(x.term, number(0))};
    return wrap(x, type);
  }
  Term x = operand(0), y = op->getNumOperands() > 1 ? operand(1) : Term();
  if (isa<CmpEqOp>(op))
    return {smt::EqOp::create(b, x.term, y.term)};
  if (isa<CmpNeOp>(op))
    return {makeDistinct(x.term, y.term)};
  if (isBool(from)) {
    if (isa<CmpLtOp>(op))
      return {makeAnd(makeNot(x.term), y.term)};
    if (isa<XorOp>(op))
      return {makeDistinct(x.term, y.term)};
    if (isa<AndOp, MulOp>(op))
      return {makeAnd(x.term, y.term)};
    if (isa<OrOp, AddOp, MaxOp>(op))
      return {makeOr(x.term, y.term)};
    return unknownOf(type);
  }
  if (isa<CmpLtOp>(op))
    return {compare(IntPredicate::lt, x.term, y.term)};
  if (isa<AddOp>(op))
    return wrap(sum(x, y), type);
  if (isa<SubOp>(op))
    return wrap(difference(x, y), type);
  if (isa<NegOp>(op))
    return wrap(difference(constant(0), x), type);
  if (isa<MulOp>(op))
    return wrap(product(x, y), type);
  if (isa<MaxOp>(op))
    return choose(compare(IntPredicate::lt, x.term, y.term), y, x);
  if (isa<FloorDivOp, FloorModOp, IDivOp, ModOp>(op))
    return wrap(divide(x, y, isa<FloorDivOp, FloorModOp>(op),
                       isa<FloorModOp, ModOp>(op)),
                type);
  return unknownOf(type); // bits of integers
}
