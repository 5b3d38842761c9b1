//===- IndexAnalysis.cpp - what is known of an index value ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Linear forms and bounds of index values.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Interval
//===----------------------------------------------------------------------===//

/// Keeps an end inside the sentinels.
static int64_t clampEnd(__int128 value) {
  if (value <= Interval::kMin)
    return Interval::kMin;
  if (value >= Interval::kMax)
    return Interval::kMax;
  return static_cast<int64_t>(value);
}

Interval Interval::operator+(Interval other) const {
  Interval sum;
  sum.lo =
      lo == kMin || other.lo == kMin ? kMin : clampEnd(__int128(lo) + other.lo);
  sum.hi =
      hi == kMax || other.hi == kMax ? kMax : clampEnd(__int128(hi) + other.hi);
  return sum;
}

Interval Interval::operator*(int64_t factor) const {
  if (factor == 0)
    return {0, 0};
  auto scale = [&](int64_t end) -> int64_t {
    if (end == kMin || end == kMax)
      return (end == kMin) == (factor > 0) ? kMin : kMax;
    return clampEnd(__int128(end) * factor);
  };
  return factor > 0 ? Interval{scale(lo), scale(hi)}
                    : Interval{scale(hi), scale(lo)};
}

static int64_t floorDivide(int64_t value, int64_t divisor) {
  int64_t quotient = value / divisor;
  return quotient - (value % divisor < 0);
}

//===----------------------------------------------------------------------===//
// LinearForm
//===----------------------------------------------------------------------===//

/// Index arithmetic wraps around.
static int64_t wrappingAdd(int64_t lhs, int64_t rhs) {
  return static_cast<int64_t>(static_cast<uint64_t>(lhs) +
                              static_cast<uint64_t>(rhs));
}
static int64_t wrappingMul(int64_t lhs, int64_t rhs) {
  return static_cast<int64_t>(static_cast<uint64_t>(lhs) *
                              static_cast<uint64_t>(rhs));
}

int64_t LinearForm::getCoefficient(Value atom) const {
  for (auto [value, coefficient] : terms)
    if (value == atom)
      return coefficient;
  return 0;
}

void LinearForm::addTerm(Value atom, int64_t coefficient) {
  for (auto &term : terms) {
    if (term.first != atom)
      continue;
    term.second = wrappingAdd(term.second, coefficient);
    if (term.second == 0)
      llvm::erase(terms, term);
    return;
  }
  if (coefficient != 0)
    terms.emplace_back(atom, coefficient);
}

void LinearForm::add(const LinearForm &other, int64_t factor) {
  constant = wrappingAdd(constant, wrappingMul(other.constant, factor));
  for (auto [atom, coefficient] : other.terms)
    addTerm(atom, wrappingMul(coefficient, factor));
}

//===----------------------------------------------------------------------===//
// IndexAnalysis
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getConstant(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

const LinearForm &IndexAnalysis::getLinear(Value index) {
  // Iterative: hand-written sums may be long chains.
  SmallVector<Value> stack{index};
  while (!stack.empty()) {
    Value current = stack.back();
    if (forms.contains(current)) {
      stack.pop_back();
      continue;
    }
    LinearForm form;
    Operation *op = current.getDefiningOp();
    if (std::optional<int64_t> number = getConstant(current)) {
      form.constant = *number;
    } else if (isa_and_nonnull<AddOp, SubOp, NegOp, MulOp>(op)) {
      size_t size = stack.size();
      for (Value operand : op->getOperands())
        if (!forms.contains(operand))
          stack.push_back(operand);
      if (stack.size() > size)
        continue;
      const LinearForm &lhs = forms.find(op->getOperand(0))->second;
      const LinearForm &rhs = forms.find(op->getOperands().back())->second;
      if (isa<AddOp, SubOp>(op)) {
        form = lhs;
        form.add(rhs, isa<AddOp>(op) ? 1 : -1);
      } else if (isa<NegOp>(op)) {
        form.add(lhs, -1);
      } else if (rhs.isConstant()) {
        form.add(lhs, rhs.constant);
      } else if (lhs.isConstant()) {
        form.add(rhs, lhs.constant);
      } else {
        form.addTerm(current, 1);
      }
    } else {
      form.addTerm(current, 1);
    }
    forms.try_emplace(current, std::move(form));
    stack.pop_back();
  }
  return forms.find(index)->second;
}

/// Operations whose bounds come from those of their operands.
static bool isBoundedByOperands(Operation *op) {
  return isa_and_nonnull<FloorDivOp, IDivOp, FloorModOp, ModOp, MaxOp, WhereOp,
                         MulOp>(op);
}

Interval IndexAnalysis::getAtomInterval(Value atom) {
  // Iterative, and each atom once: quotients of sums of quotients go deep.
  SmallVector<Value> stack{atom};
  while (!stack.empty()) {
    Value current = stack.back();
    if (intervals.contains(current)) {
      stack.pop_back();
      continue;
    }
    size_t size = stack.size();
    if (Operation *op = current.getDefiningOp();
        isBoundedByOperands(op) && !narrowed.contains(current))
      for (Value operand : op->getOperands())
        if (isa<IndexType>(operand.getType()))
          for (auto [needed, coefficient] : getLinear(operand).terms)
            if (!intervals.contains(needed))
              stack.push_back(needed);
    if (stack.size() > size)
      continue;
    intervals[current] = computeAtomInterval(current);
    stack.pop_back();
  }
  return intervals.lookup(atom);
}

/// The interval of an atom whose operands' atoms have theirs.
Interval IndexAnalysis::computeAtomInterval(Value atom) {
  if (auto it = narrowed.find(atom); it != narrowed.end())
    return it->second;
  Operation *op = atom.getDefiningOp();
  if (!op)
    return {};
  if (auto range = dyn_cast<RangeOp>(op))
    return {0, std::max<int64_t>(Dim(range.getExtent()).getMax() - 1, 0)};
  if (auto dim = dyn_cast<DimOp>(op))
    return {std::max(Dim(dim.getDim()).getMin(), Interval::kMin),
            std::min(Dim(dim.getDim()).getMax(), Interval::kMax)};
  if (isa<MulOp>(op)) {
    Interval lhs = getInterval(op->getOperand(0));
    Interval rhs = getInterval(op->getOperand(1));
    // Only of what is not negative, as the products of sizes are.
    if (lhs.lo < 0 || rhs.lo < 0 || lhs.hi == Interval::kMax ||
        rhs.hi == Interval::kMax)
      return {};
    return {clampEnd(__int128(lhs.lo) * rhs.lo),
            clampEnd(__int128(lhs.hi) * rhs.hi)};
  }
  if (auto cast = dyn_cast<CastOp>(op)) {
    auto type = dyn_cast<IntegerType>(cast.getX().getType());
    if (!type || type.getWidth() > 32)
      return {};
    int64_t count = int64_t(1) << type.getWidth();
    if (isSignedInteger(type))
      return {-count / 2, count / 2 - 1};
    return {0, count - 1};
  }
  if (isa<FloorDivOp, IDivOp, FloorModOp, ModOp>(op)) {
    std::optional<int64_t> divisor = getConstant(op->getOperand(1));
    Interval operand = getInterval(op->getOperand(0));
    if (!divisor) {
      Interval size = getInterval(op->getOperand(1));
      if (operand.lo < 0 || size.lo <= 0)
        return {};
      if (isa<FloorDivOp, IDivOp>(op))
        return {0, operand.hi == Interval::kMax ? Interval::kMax
                                                : operand.hi / size.lo};
      return {0, std::min(operand.hi, size.hi - 1)};
    }
    if (*divisor <= 0)
      return {};
    bool floor = isa<FloorDivOp, FloorModOp>(op) || operand.lo >= 0;
    if (!floor)
      return {};
    if (isa<FloorDivOp, IDivOp>(op))
      return {operand.lo == Interval::kMin ? Interval::kMin
                                           : floorDivide(operand.lo, *divisor),
              operand.hi == Interval::kMax ? Interval::kMax
                                           : floorDivide(operand.hi, *divisor)};
    if (operand.lo >= 0 && operand.hi < *divisor)
      return operand;
    return {0, *divisor - 1};
  }
  if (auto max = dyn_cast<MaxOp>(op)) {
    Interval lhs = getInterval(max.getLhs()), rhs = getInterval(max.getRhs());
    return {std::max(lhs.lo, rhs.lo), std::max(lhs.hi, rhs.hi)};
  }
  if (auto where = dyn_cast<WhereOp>(op)) {
    Interval x = getInterval(where.getX()), y = getInterval(where.getY());
    return {std::min(x.lo, y.lo), std::max(x.hi, y.hi)};
  }
  return {};
}

/// Whether the atom's bounds are expressions, which other terms may cancel.
static bool hasSymbolicBounds(Value atom) {
  if (auto range = atom.getDefiningOp<RangeOp>())
    return !Dim(range.getExtent()).isStatic();
  return isa_and_nonnull<DimOp>(atom.getDefiningOp());
}

Interval IndexAnalysis::getInterval(const LinearForm &form) {
  Interval sum{form.constant, form.constant};
  for (auto [atom, coefficient] : form.terms)
    sum = sum + getAtomInterval(atom) * coefficient;
  if (llvm::any_of(form.terms,
                   [](auto &term) { return hasSymbolicBounds(term.first); })) {
    Interval symbolic = getSymbolicInterval(form);
    sum = {std::max(sum.lo, symbolic.lo), std::min(sum.hi, symbolic.hi)};
  }
  return sum;
}

Interval IndexAnalysis::getInterval(Value index) {
  // A copy: computing an atom's interval may grow the cache.
  LinearForm form = getLinear(index);
  return getInterval(form);
}

ArrayRef<Value> IndexAnalysis::getRanges(Value value) {
  if (auto it = ranges.find(value); it != ranges.end())
    return it->second;
  // Iterative: bodies may be long chains.
  SmallVector<Value> stack{value};
  while (!stack.empty()) {
    Value current = stack.back();
    if (ranges.contains(current)) {
      stack.pop_back();
      continue;
    }
    Operation *op = current.getDefiningOp();
    SmallVector<Value, 4> found;
    if (isa_and_nonnull<RangeOp>(op)) {
      found.push_back(current);
    } else if (op) {
      bool ready = true;
      for (Value operand : op->getOperands())
        if (!ranges.contains(operand)) {
          stack.push_back(operand);
          ready = false;
        }
      if (!ready)
        continue;
      ValueRange closed;
      if (auto reduce = dyn_cast<RangedReduceOp>(op))
        closed = reduce.getRanges();
      else if (auto stage = dyn_cast<StageOp>(op))
        closed = stage.getRanges();
      for (Value operand : op->getOperands())
        for (Value range : ranges[operand])
          if (!llvm::is_contained(found, range) &&
              !llvm::is_contained(closed, range))
            found.push_back(range);
    }
    ranges[current] = std::move(found);
    stack.pop_back();
  }
  return ranges[value];
}
