//===- IndexAnalysis.cpp - sums of index values ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Linear forms and range dependences of index values.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tg;

/// Sums of more terms are not written out in every sum that they occur in.
static constexpr size_t kMaxSharedTerms = 64;
/// How far integers of other types are followed to index values.
static constexpr unsigned kMaxCasts = 16;

/// The number or dimension of an operation without operands.
static std::optional<Dim> getLeaf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<ConstOp>(op))
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      return Dim(value.getContext(), number.getValue().getSExtValue());
  if (auto dim = dyn_cast_or_null<DimOp>(op))
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
  return isSum(user) && user->getResult(0).getType().isIndex();
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

const LinearForm &IndexAnalysis::getLinear(Value index) {
  if (auto it = linear.find(index); it != linear.end())
    return it->second;
  // Iterative: hand-written sums may be long chains. What is part of one sum
  // alone is added up with that, since a form for each part of a chain would
  // take time and memory of its length squared.
  SmallVector<Value> stack{index};
  while (!stack.empty()) {
    Value current = stack.back();
    if (linear.contains(current)) {
      stack.pop_back();
      continue;
    }
    size_t size = stack.size();
    std::optional<LinearForm> form = addUp(current, stack);
    if (stack.size() > size)
      continue;
    if (form->saturated)
      form = LinearForm(current);
    linear.try_emplace(current, std::move(*form));
    stack.pop_back();
  }
  return linear.find(index)->second;
}

const LinearForm &IndexAnalysis::getForm(Value index) {
  if (auto it = forms.find(index); it != forms.end())
    return *it->second;
  // A copy: bounds of atoms may add to the cache.
  const LinearForm sum = getLinear(index);
  auto form = std::make_unique<LinearForm>(sum.constant);
  for (auto [atom, coefficient] : sum.terms) {
    if (std::optional<int64_t> number = getAtomInterval(atom).getSingle())
      form->add(LinearForm(form->getContext(), *number), coefficient);
    else
      form->terms.emplace_back(atom, coefficient);
  }
  if (!isModest(*form))
    *form = LinearForm(index);
  return *(forms[index] = std::move(form));
}

std::optional<Dim> IndexAnalysis::findDim(Value index) const {
  if (std::optional<Dim> leaf = getLeaf(index))
    return leaf;
  auto it = linear.find(index);
  if (it != linear.end() && it->second.isDim())
    return it->second.constant;
  return std::nullopt;
}

std::optional<Dim> IndexAnalysis::getDim(Value index) {
  if (isSum(index.getDefiningOp()))
    getLinear(index);
  return findDim(index);
}

std::optional<Dim> IndexAnalysis::getPositive(Value index) {
  std::optional<Dim> dim =
      index.getType().isIndex() ? getDim(index) : std::nullopt;
  return dim && dim->getMin() > 0 && isModest(*dim) ? dim : std::nullopt;
}

/// Adds up the terms of a sum; operands whose forms it needs and that have none
/// yet go to `missing`.
std::optional<LinearForm>
IndexAnalysis::addUp(Value sum, SmallVectorImpl<Value> &missing) {
  LinearForm form(sum.getContext());
  size_t numMissing = missing.size();
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
      form.terms.emplace_back(value, factor);
      continue;
    }
    if (value != sum && !isInnerSum(value)) {
      auto it = linear.find(value);
      if (it == linear.end()) {
        missing.push_back(value);
      } else if (it->second.terms.size() > kMaxSharedTerms) {
        form.terms.emplace_back(value, factor);
      } else {
        form.addConstant(form.product(it->second.constant, factor));
        for (auto [atom, coefficient] : it->second.terms)
          form.terms.emplace_back(atom, form.product(coefficient, factor));
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
        if (isSum(operand.getDefiningOp()) && !linear.contains(operand))
          missing.push_back(operand);
    if (missing.size() > numMissing)
      continue;
    if (rhsDim)
      parts.push_back({lhs, form.product(factor, *rhsDim)});
    else if (lhsDim)
      parts.push_back({rhs, form.product(factor, *lhsDim)});
    else
      form.terms.emplace_back(value, factor);
  }
  if (missing.size() > numMissing)
    return std::nullopt;
  form.mergeTerms();
  return form;
}

std::optional<LinearForm> IndexAnalysis::getNumber(Value integer,
                                                   unsigned depth) {
  Type type = integer.getType();
  if (type.isIndex())
    return getForm(integer);
  if (!type.isInteger() || type.isInteger(1) || depth > kMaxCasts)
    return std::nullopt;
  LinearForm result(integer.getContext());
  Operation *op = integer.getDefiningOp();
  APInt constant;
  if (matchPattern(integer, m_ConstantInt(&constant))) {
    const bool isSigned = isSignedInteger(type);
    if (!(isSigned ? constant.isSignedIntN(61) : constant.isIntN(60)))
      return std::nullopt;
    result.addConstant(isSigned ? constant.getSExtValue()
                                : int64_t(constant.getZExtValue()));
    return result;
  }
  if (!isSum(op) && !isa_and_nonnull<CastOp>(op))
    return std::nullopt;
  SmallVector<LinearForm, 2> operands;
  for (Value operand : op->getOperands()) {
    std::optional<LinearForm> form = getNumber(operand, depth + 1);
    if (!form)
      return std::nullopt;
    operands.push_back(std::move(*form));
  }
  if (isa<MulOp>(op)) {
    if (!operands[1].isDim())
      std::swap(operands[0], operands[1]);
    if (!operands[1].isDim())
      return std::nullopt;
    result.add(operands[0], operands[1].constant);
  } else {
    result.add(operands[0], isa<NegOp>(op) ? -1 : 1);
    if (operands.size() == 2)
      result.add(operands[1], isa<SubOp>(op) ? -1 : 1);
  }
  Interval interval = getInterval(result);
  if (!isModest(result) || !interval.isModest() ||
      !Interval::getAll(type).contains(interval))
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

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

void IndexAnalysis::forget(Value value) {
  linear.erase(value);
  forms.erase(value);
  narrowed.erase(value);
  bounds.erase(value);
  ranges.erase(value);
}
