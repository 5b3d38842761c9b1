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
// IndexAnalysis
//===----------------------------------------------------------------------===//

Interval mlir::tg::getBounds(Dim dim) {
  if (std::optional<int64_t> number = dim.getStatic())
    return *number;
  const Interval bounds(dim.getMin(), dim.getMax()), all = Interval::getInt64();
  return {bounds.lo > all.lo ? bounds.lo : -Interval::kUnbounded,
          bounds.hi < all.hi ? bounds.hi : Interval::kUnbounded};
}

/// The number or dimension of an operation without operands.
static std::optional<Dim> getLeaf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return Dim(value.getContext(), number.getSExtValue());
  if (auto dim = value.getDefiningOp<DimOp>())
    return Dim(dim.getDim());
  return std::nullopt;
}

static bool isSum(Operation *op) {
  return isa_and_nonnull<AddOp, SubOp, NegOp, MulOp>(op);
}

bool mlir::tg::isInnerSum(Value value) {
  if (!value.hasOneUse())
    return false;
  Operation *user = *value.user_begin();
  return isa<AddOp, SubOp, NegOp, MulOp>(user) &&
         user->getResult(0).getType().isIndex();
}

/// Sums of more terms are not written out in every sum that they occur in.
static constexpr size_t kMaxSharedTerms = 64;

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
    if (form->saturated) {
      form.emplace(current.getContext());
      form->addTerm(current, 1);
    }
    forms.try_emplace(current, std::move(*form));
    stack.pop_back();
  }
  return forms.find(index)->second;
}

std::optional<Dim> IndexAnalysis::findDim(Value index) const {
  if (std::optional<Dim> leaf = getLeaf(index))
    return leaf;
  auto it = forms.find(index);
  if (it != forms.end() && it->second.isDim())
    return it->second.constant;
  return std::nullopt;
}

std::optional<Dim> IndexAnalysis::getDim(Value index) {
  if (isSum(index.getDefiningOp()))
    getLinear(index);
  return findDim(index);
}

/// Adds up the terms of a sum; the forms that it needs for that and that are
/// not there go to `missing`.
std::optional<LinearForm>
IndexAnalysis::addUp(Value sum, SmallVectorImpl<Value> &missing) {
  LinearForm form(sum.getContext());
  DenseMap<Value, size_t> positions;
  size_t numMissing = missing.size();
  auto addTerm = [&](Value atom, Dim factor) {
    auto [it, isNew] = positions.try_emplace(atom, form.terms.size());
    if (isNew) {
      form.terms.emplace_back(atom, factor);
      return;
    }
    Dim &coefficient = form.terms[it->second].second;
    coefficient = form.sum(coefficient, factor);
  };
  const Dim minusOne(sum.getContext(), -1);

  SmallVector<std::pair<Value, Dim>> parts{{sum, Dim(sum.getContext(), 1)}};
  while (!parts.empty()) {
    auto [value, factor] = parts.pop_back_val();
    if (std::optional<Dim> dim = getLeaf(value)) {
      form.addConstant(form.product(*dim, factor));
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!isSum(op)) {
      addTerm(value, factor);
      continue;
    }
    if (value != sum && !isInnerSum(value)) {
      auto it = forms.find(value);
      if (it == forms.end()) {
        missing.push_back(value);
      } else if (it->second.terms.size() > kMaxSharedTerms) {
        addTerm(value, factor);
      } else {
        form.addConstant(form.product(it->second.constant, factor));
        for (auto [atom, coefficient] : it->second.terms)
          addTerm(atom, form.product(coefficient, factor));
      }
      continue;
    }
    if (isa<NegOp>(op)) {
      parts.push_back({op->getOperand(0), form.product(factor, minusOne)});
      continue;
    }
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    if (isa<AddOp, SubOp>(op)) {
      parts.push_back(
          {rhs, isa<AddOp>(op) ? factor : form.product(factor, minusOne)});
      parts.push_back({lhs, factor});
      continue;
    }
    // A factor, also one that is a sum of numbers and dimensions.
    std::optional<Dim> lhsDim = findDim(lhs), rhsDim = findDim(rhs);
    if (!lhsDim && !rhsDim)
      for (Value operand : {lhs, rhs})
        if (isSum(operand.getDefiningOp()) && !forms.contains(operand))
          missing.push_back(operand);
    if (missing.size() > numMissing)
      continue;
    if (rhsDim)
      parts.push_back({lhs, form.product(factor, *rhsDim)});
    else if (lhsDim)
      parts.push_back({rhs, form.product(factor, *lhsDim)});
    else
      addTerm(value, factor);
  }
  if (missing.size() > numMissing)
    return std::nullopt;
  llvm::erase_if(form.terms, [](auto &term) { return term.second.is(0); });
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
  constexpr size_t kMaxClauses = 8;
  Interval result = getInterval(value);
  SmallVector<Value> clauses{condition};
  for (size_t i = 0; i < clauses.size() && i < kMaxClauses; ++i) {
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

/// Whether bounds are expressions, which may cancel each other.
static bool hasSymbolicBounds(const LinearForm &form) {
  return !form.constant.isStatic() || llvm::any_of(form.terms, [](auto &term) {
    auto range = term.first.template getDefiningOp<RangeOp>();
    return !term.second.isStatic() ||
           (range && !Dim(range.getExtent()).isStatic());
  });
}

/// The interval with ends as expressions, in which terms may cancel; nothing is
/// known if any part of the sum may wrap around.
Interval IndexAnalysis::getSymbolicInterval(const LinearForm &form) {
  auto number = [&](int64_t value) { return Dim(form.getContext(), value); };
  Dim least = form.constant, greatest = least;
  for (auto [atom, coefficient] : form.terms) {
    Interval interval = getAtomInterval(atom);
    Dim first = number(interval.getMin()), last = number(interval.getMax());
    if (auto range = atom.getDefiningOp<RangeOp>();
        range && !narrowed.contains(atom)) {
      first = number(0);
      last = Dim(range.getExtent()) - number(1);
    }
    if (!isModest(first) || !isModest(last))
      return {};
    if (coefficient.getMax() <= 0)
      std::swap(first, last);
    else if (coefficient.getMin() < 0)
      return {};
    first = first * coefficient;
    last = last * coefficient;
    least = least + first;
    greatest = greatest + last;
    for (Dim end : {first, last, least, greatest})
      if (!isModest(end))
        return {};
  }
  return {least.getMin(), greatest.getMax()};
}

Interval IndexAnalysis::getSumOfIntervals(const LinearForm &form) {
  Interval sum = getBounds(form.constant);
  for (const auto &[atom, coefficient] : form.terms) {
    Interval term = getAtomInterval(atom);
    if (!coefficient.is(1))
      term = term.mulWrapped(getBounds(coefficient));
    sum = sum.addWrapped(term);
  }
  return sum;
}

Interval IndexAnalysis::getInterval(const LinearForm &form) {
  Interval sum = getSumOfIntervals(form);
  if (hasSymbolicBounds(form))
    return sum.intersect(getSymbolicInterval(form));
  return sum;
}

std::optional<int64_t> IndexAnalysis::getOnlyQuotient(const LinearForm &form,
                                                      Dim divisor) {
  Interval bounds = getInterval(form);
  if (!bounds.isModest()) // the quotient times the divisor could overflow
    return std::nullopt;
  if (std::optional<int64_t> number = divisor.getStatic())
    return bounds.floorDiv(*number).getSingle();
  LinearForm difference = form;
  difference.subtract(LinearForm(divisor));
  if (bounds.lo < 0 || getInterval(difference).hi >= 0)
    return std::nullopt;
  return 0;
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
