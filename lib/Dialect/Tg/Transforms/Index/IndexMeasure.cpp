//===- IndexMeasure.cpp - the size of index expressions -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The measure that shows that simplification of index arithmetic terminates.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/SimplifyIndex.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

bool mlir::tg::isIndexArithmetic(Operation *op) {
  if (!isa_and_nonnull<ConstOp, DimOp, AddOp, SubOp, NegOp, MulOp, FloorDivOp,
                       FloorModOp, IDivOp, ModOp, MaxOp, WhereOp, AndOp, OrOp,
                       XorOp, CmpLtOp, CmpEqOp, CmpNeOp, CastOp>(op))
    return false;
  auto isInteger = [](Type type) { return type.isIntOrIndex(); };
  return isInteger(op->getResult(0).getType()) &&
         llvm::all_of(op->getOperandTypes(), isInteger);
}

uint64_t IndexMeasure::ofConstant(int64_t number) {
  uint64_t magnitude = number < 0 ? -static_cast<uint64_t>(number) : number;
  return 1 + 4 * llvm::bit_width(magnitude);
}

static uint64_t measureDim(Attribute attr) {
  if (auto expr = dyn_cast<DimExprAttr>(attr)) {
    uint64_t total = expr.getOperands().size() - 1;
    for (Attribute operand : expr.getOperands())
      total += measureDim(operand);
    return total;
  }
  // A number weighs less inside of a dimension than beside it.
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return (IndexMeasure::ofConstant(number.getInt()) + 3) / 4;
  return 4;
}

uint64_t IndexMeasure::ofDim(Dim dim) {
  std::optional<int64_t> number = dim.getStatic();
  return number ? ofConstant(*number) : 2 + measureDim(dim.getAttr());
}

template <typename... Ops> static bool isOneOf(TypeID id) {
  return ((id == TypeID::get<Ops>()) || ...);
}

/// What an operation adds to its operands.
static uint64_t getWeight(TypeID id) {
  if (isOneOf<AddOp, SubOp, AndOp, OrOp, XorOp>(id))
    return 2;
  if (isOneOf<NegOp, MulOp>(id))
    return 3;
  if (isOneOf<FloorDivOp>(id))
    return 96;
  if (isOneOf<FloorModOp>(id))
    return 100;
  // Rounding towards zero may become a negation of rounding down.
  if (isOneOf<IDivOp, ModOp>(id))
    return 200;
  if (isOneOf<CastOp>(id))
    return 20;
  return 8;
}

static bool isDivision(TypeID id) {
  return isOneOf<FloorDivOp, FloorModOp, IDivOp, ModOp>(id);
}

uint64_t IndexMeasure::ofOperation(TypeID id, ArrayRef<uint64_t> operands) {
  uint64_t sum = getWeight(id);
  for (auto [i, operand] : llvm::enumerate(operands))
    sum +=
        isDivision(id) && i == 0 ? 3 * std::min(operand, kMost / 3) : operand;
  return std::min(sum, kMost);
}

static uint64_t ofOperation(Operation *op, ArrayRef<uint64_t> operands) {
  APInt number;
  const TypeID id = op->getName().getTypeID();
  if (auto dim = dyn_cast<DimOp>(op))
    return IndexMeasure::ofDim(Dim(dim.getDim()));
  if (isa<ConstOp>(op) && matchPattern(op, m_ConstantInt(&number)))
    return IndexMeasure::ofConstant(number.trySExtValue().value_or(0));
  uint64_t measure = IndexMeasure::ofOperation(id, operands);
  // A negative divisor may become a positive one and negations.
  constexpr uint64_t kNegative = 64;
  if (isDivision(id) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&number)) &&
      number.isNegative())
    measure = std::min(measure + kNegative, IndexMeasure::kMost);
  return measure;
}

uint64_t IndexMeasure::get(Value value) {
  SmallVector<Value> stack{value};
  while (!stack.empty()) {
    Value current = stack.back();
    if (known.contains(current)) {
      stack.pop_back();
      continue;
    }
    Operation *op = current.getDefiningOp();
    if (!isIndexArithmetic(op)) {
      known[current] = 1;
      continue;
    }
    SmallVector<uint64_t, 3> operands;
    size_t size = stack.size();
    for (Value operand : op->getOperands()) {
      auto it = known.find(operand);
      if (it == known.end())
        stack.push_back(operand);
      else
        operands.push_back(it->second);
    }
    if (stack.size() > size)
      continue;
    known[current] = ::ofOperation(op, operands);
    stack.pop_back();
  }
  return known[value];
}

/// The measure of a value as a sum; what atoms of it are not known yet goes to
/// `missing`.
uint64_t IndexMeasure::measureForm(Value value, IndexAnalysis &facts,
                                   SmallVectorImpl<Value> &missing) {
  constexpr uint64_t kTerm = 5;
  uint64_t measure = 0;
  auto addTerm = [&](Value atom, uint64_t coefficient) {
    auto it = expanded.find(atom);
    if (it == expanded.end())
      missing.push_back(atom);
    else
      measure = std::min(measure + kTerm + coefficient + it->second, kMost);
  };
  if (!value.getType().isIndex()) {
    addTerm(value, 0);
    return measure;
  }
  const LinearForm &form = facts.getForm(value);
  measure = ofDim(form.constant);
  for (auto [atom, coefficient] : form.terms)
    addTerm(atom, ofDim(coefficient));
  return measure;
}

uint64_t IndexMeasure::getExpanded(Value value, IndexAnalysis &facts) {
  SmallVector<Value> stack;
  measureForm(value, facts, stack);
  while (!stack.empty()) {
    Value atom = stack.back();
    if (expanded.contains(atom)) {
      stack.pop_back();
      continue;
    }
    size_t size = stack.size();
    uint64_t measure = 1;
    if (Operation *op = atom.getDefiningOp(); isIndexArithmetic(op)) {
      SmallVector<uint64_t, 3> operands;
      for (Value operand : op->getOperands())
        operands.push_back(measureForm(operand, facts, stack));
      if (stack.size() > size)
        continue;
      measure = ::ofOperation(op, operands);
    }
    expanded[atom] = measure;
    stack.pop_back();
  }
  return measureForm(value, facts, stack);
}
