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
  return getOrCompute(linear, index, [&](Value sum, auto need) {
    LinearForm form = addUp(sum, need);
    if (form.saturated)
      form = LinearForm(sum);
    return form;
  });
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

std::optional<Dim> IndexAnalysis::getDim(Value index) {
  const LinearForm &form = getLinear(index);
  return form.isDim() ? std::optional(form.constant) : std::nullopt;
}

std::optional<Dim> IndexAnalysis::getPositive(Value index) {
  std::optional<Dim> dim =
      index.getType().isIndex() ? getDim(index) : std::nullopt;
  return dim && dim->getMin() > 0 && isModest(*dim) ? dim : std::nullopt;
}

LinearForm IndexAnalysis::addUp(Value sum,
                                function_ref<const LinearForm *(Value)> need) {
  LinearForm form(sum.getContext());
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
    // What is part of this sum alone is added up with it, since a form for each
    // part of a chain would take time and memory of its length squared.
    if (value != sum && !isInnerSum(value)) {
      const LinearForm *part = need(value);
      if (!part || part->terms.size() > kMaxSharedTerms) {
        form.terms.emplace_back(value, factor);
        continue;
      }
      form.addConstant(form.product(part->constant, factor));
      for (auto [atom, coefficient] : part->terms)
        form.terms.emplace_back(atom, form.product(coefficient, factor));
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
    std::optional<Dim> lhsDim = getLeaf(lhs), rhsDim = getLeaf(rhs);
    // A factor may also be a sum of numbers and dimensions.
    if (!lhsDim && !rhsDim)
      for (auto [operand, dim] : {std::pair(lhs, &lhsDim), {rhs, &rhsDim}})
        if (isSum(operand.getDefiningOp()))
          if (const LinearForm *part = need(operand); part && part->isDim())
            *dim = part->constant;
    if (rhsDim)
      parts.push_back({lhs, form.product(factor, *rhsDim)});
    else if (lhsDim)
      parts.push_back({rhs, form.product(factor, *lhsDim)});
    else
      form.terms.emplace_back(value, factor);
  }
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
  return getOrCompute(ranges, value, [&](Value current, auto need) {
    SmallVector<Value, 4> found;
    Operation *op = current.getDefiningOp();
    if (isa_and_nonnull<RangeOp>(op))
      found.push_back(current);
    else if (op) {
      ValueRange closed;
      if (auto reduce = dyn_cast<RangedReduceOp>(op))
        closed = reduce.getRanges();
      else if (auto stage = dyn_cast<StageOp>(op))
        closed = stage.getRanges();
      for (Value operand : op->getOperands())
        if (const auto *inner = need(operand))
          for (Value range : *inner)
            if (!llvm::is_contained(found, range) &&
                !llvm::is_contained(closed, range))
              found.push_back(range);
    }
    return found;
  });
}

std::optional<int64_t> IndexAnalysis::getStep(Value index, Value range) {
  int64_t step = 0;
  for (auto [atom, coefficient] : getLinear(index).terms) {
    if (atom == range && coefficient.isStatic())
      step = *coefficient.getStatic();
    else if (llvm::is_contained(getRanges(atom), range))
      return std::nullopt;
  }
  return step;
}

void IndexAnalysis::forget(Value value) {
  linear.erase(value);
  forms.erase(value);
  narrowed.erase(value);
  bounds.erase(value);
  ranges.erase(value);
}
