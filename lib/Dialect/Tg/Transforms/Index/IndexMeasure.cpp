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
  return getOrCompute(known, value, [](Value current, auto need) -> uint64_t {
    Operation *op = current.getDefiningOp();
    if (!isIndexArithmetic(op))
      return 1;
    SmallVector<uint64_t, 3> operands;
    for (Value operand : op->getOperands())
      if (const uint64_t *measure = need(operand))
        operands.push_back(*measure);
    return ::ofOperation(op, operands);
  });
}

uint64_t IndexMeasure::getExpanded(Value value, IndexAnalysis &facts) {
  // Of a value as a sum, from the measures of its atoms.
  auto ofSum = [&](Value value, auto getAtom) {
    constexpr uint64_t kTerm = 5;
    const LinearForm form =
        value.getType().isIndex() ? facts.getForm(value) : LinearForm(value);
    uint64_t measure = ofDim(form.constant);
    for (auto [atom, coefficient] : form.terms)
      measure =
          std::min(measure + kTerm + ofDim(coefficient) + getAtom(atom), kMost);
    return measure;
  };
  return ofSum(value, [&](Value atom) {
    return getOrCompute(expanded, atom, [&](Value current, auto need) {
      Operation *op = current.getDefiningOp();
      SmallVector<uint64_t, 3> operands;
      if (!isIndexArithmetic(op))
        return uint64_t(1);
      for (Value operand : op->getOperands())
        operands.push_back(ofSum(operand, [&](Value part) {
          const uint64_t *measure = need(part);
          return measure ? *measure : 0;
        }));
      return ::ofOperation(op, operands);
    });
  });
}
