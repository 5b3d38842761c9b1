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
#include "mlir/Interfaces/InferIntRangeInterface.h"

using namespace mlir;
using namespace mlir::tg;

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

void LinearForm::addConstant(int64_t number) {
  constant = wrappingAdd(constant, number);
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

/// Whether a sum or product is part of one other sum alone.
static bool isInnerSum(Value value) {
  if (!value.hasOneUse())
    return false;
  Operation *user = *value.user_begin();
  return isa<AddOp, SubOp, NegOp, MulOp>(user) &&
         user->getResult(0).getType().isIndex();
}

/// Sums of more terms are not written out in every sum that they occur in.
static constexpr size_t kMostSharedTerms = 64;

const LinearForm &IndexAnalysis::getLinear(Value index) {
  // Iterative: hand-written sums may be long chains. What is part of one sum
  // alone is added up with that, since a form for each part of a chain would
  // take time and memory of its length squared.
  SmallVector<Value> stack{index};
  while (!stack.empty()) {
    Value current = stack.back();
    if (forms.contains(current)) {
      stack.pop_back();
      continue;
    }
    size_t size = stack.size();
    std::optional<LinearForm> form = addUp(current, stack);
    if (stack.size() > size)
      continue;
    forms.try_emplace(current, std::move(*form));
    stack.pop_back();
  }
  return forms.find(index)->second;
}

/// Adds up the terms of a sum; the forms that it needs for that and that are
/// not there go to `missing`.
std::optional<LinearForm>
IndexAnalysis::addUp(Value sum, SmallVectorImpl<Value> &missing) {
  LinearForm form;
  DenseMap<Value, size_t> positions;
  size_t numMissing = missing.size();
  auto addTerm = [&](Value atom, int64_t factor) {
    auto [it, isNew] = positions.try_emplace(atom, form.terms.size());
    if (isNew)
      form.terms.emplace_back(atom, factor);
    else
      form.terms[it->second].second =
          wrappingAdd(form.terms[it->second].second, factor);
  };
  // A constant factor, through sums that are numbers after all.
  auto getFactor = [&](Value value) -> std::optional<int64_t> {
    if (std::optional<int64_t> number = getConstant(value))
      return number;
    auto it = forms.find(value);
    if (it != forms.end() && it->second.isConstant())
      return it->second.constant;
    return std::nullopt;
  };

  SmallVector<std::pair<Value, int64_t>> parts{{sum, 1}};
  while (!parts.empty()) {
    auto [value, factor] = parts.pop_back_val();
    if (std::optional<int64_t> number = getConstant(value)) {
      form.constant = wrappingAdd(form.constant, wrappingMul(*number, factor));
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<AddOp, SubOp, NegOp, MulOp>(op)) {
      addTerm(value, factor);
      continue;
    }
    if (value != sum && !isInnerSum(value)) {
      auto it = forms.find(value);
      if (it == forms.end()) {
        missing.push_back(value);
      } else if (it->second.terms.size() > kMostSharedTerms) {
        addTerm(value, factor);
      } else {
        form.constant = wrappingAdd(form.constant,
                                    wrappingMul(it->second.constant, factor));
        for (auto [atom, coefficient] : it->second.terms)
          addTerm(atom, wrappingMul(coefficient, factor));
      }
      continue;
    }
    if (isa<NegOp>(op)) {
      parts.push_back({op->getOperand(0), wrappingMul(factor, -1)});
      continue;
    }
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    if (isa<AddOp, SubOp>(op)) {
      parts.push_back({rhs, isa<AddOp>(op) ? factor : wrappingMul(factor, -1)});
      parts.push_back({lhs, factor});
      continue;
    }
    for (Value operand : {lhs, rhs})
      if (isa_and_nonnull<AddOp, SubOp, NegOp, MulOp>(
              operand.getDefiningOp()) &&
          !forms.contains(operand) && !getFactor(lhs) && !getFactor(rhs))
        missing.push_back(operand);
    if (missing.size() > numMissing)
      continue;
    if (std::optional<int64_t> number = getFactor(rhs))
      parts.push_back({lhs, wrappingMul(factor, *number)});
    else if (std::optional<int64_t> other = getFactor(lhs))
      parts.push_back({rhs, wrappingMul(factor, *other)});
    else
      addTerm(value, factor);
  }
  if (missing.size() > numMissing)
    return std::nullopt;
  llvm::erase_if(form.terms, [](auto &term) { return term.second == 0; });
  return form;
}

/// Whether bounds are asked for: of index values, other integers and bools.
static bool hasBounds(Value value) { return value.getType().isIntOrIndex(); }

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
    if (current.getDefiningOp<InferIntRangeInterface>() &&
        !narrowed.contains(current))
      for (Value operand : current.getDefiningOp()->getOperands()) {
        if (!hasBounds(operand))
          continue;
        if (!operand.getType().isIndex()) {
          if (!intervals.contains(operand))
            stack.push_back(operand);
          continue;
        }
        for (auto [needed, coefficient] : getLinear(operand).terms)
          if (!intervals.contains(needed))
            stack.push_back(needed);
      }
    if (stack.size() > size)
      continue;
    intervals[current] = computeAtomInterval(current);
    stack.pop_back();
  }
  return intervals.lookup(atom);
}

/// What a condition says of a value that is chosen where it holds: the ends of
/// comparisons of the value itself.
Interval IndexAnalysis::getIntervalWhere(Value value, Value condition) {
  constexpr size_t kMostClauses = 8;
  Interval result = getInterval(value);
  SmallVector<Value> clauses{condition};
  for (size_t i = 0; i < clauses.size() && i < kMostClauses; ++i) {
    if (auto conjunction = clauses[i].getDefiningOp<AndOp>()) {
      llvm::append_range(clauses, conjunction->getOperands());
      continue;
    }
    auto less = clauses[i].getDefiningOp<CmpLtOp>();
    if (!less || !less.getLhs().getType().isIndex())
      continue;
    if (less.getLhs() == value)
      result.hi = std::min(result.hi, getInterval(less.getRhs()).hi - 1);
    if (less.getRhs() == value)
      result.lo = std::max(result.lo, getInterval(less.getLhs()).lo + 1);
  }
  // Never chosen: any bounds will do.
  return result.isEmpty() ? getInterval(value) : result;
}

/// The interval of an atom whose operands' atoms have theirs.
Interval IndexAnalysis::computeAtomInterval(Value atom) {
  if (auto it = narrowed.find(atom); it != narrowed.end())
    return it->second;
  Type type = atom.getType();
  Interval result = Interval::getAll(type);
  auto op = atom.getDefiningOp<InferIntRangeInterface>();
  if (!op)
    return result;
  SmallVector<ConstantIntRanges, 3> operands;
  for (Value operand : op->getOperands()) {
    if (!hasBounds(operand)) {
      operands.push_back(ConstantIntRanges::maxRange(0));
      continue;
    }
    Interval interval = operand.getType().isIndex() ? getInterval(operand)
                                                    : intervals.lookup(operand);
    if (auto where = dyn_cast<WhereOp>(op.getOperation());
        where && type.isIndex() && operand == where.getX() &&
        operand != where.getY())
      interval = getIntervalWhere(operand, where.getCondition());
    operands.push_back(interval.getRange(operand.getType()));
  }
  op.inferResultRanges(operands, [&](Value, const ConstantIntRanges &range) {
    result = *Interval::get(range, type);
  });
  return result;
}

/// Whether the atom's bounds are expressions, which other terms may cancel.
static bool hasSymbolicBounds(Value atom) {
  if (auto range = atom.getDefiningOp<RangeOp>())
    return !Dim(range.getExtent()).isStatic();
  return isa_and_nonnull<DimOp>(atom.getDefiningOp());
}

Interval IndexAnalysis::getInterval(const LinearForm &form) {
  Interval sum(form.constant);
  for (auto [atom, coefficient] : form.terms)
    sum = sum.addWrapped(getAtomInterval(atom).mulWrapped(coefficient));
  if (llvm::any_of(form.terms,
                   [](auto &term) { return hasSymbolicBounds(term.first); }))
    return sum.intersect(getSymbolicInterval(form));
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
