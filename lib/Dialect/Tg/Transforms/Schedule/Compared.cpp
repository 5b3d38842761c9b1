//===- Compared.cpp - sums that are compared with themselves --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The gradient of a maximum finds it again with `x == max(x)`. If x depends on
/// a sum that is computed inside of two kernels, or at two places of one, each
/// may add in another order, and no element is equal to the maximum. The same
/// makes `max(x) - x` negative. Such a sum gets a buffer if it would be
/// computed more than once.
///
/// All other operations have the same bits wherever they are computed: the
/// order of operands of a maximum does not matter, and products and sums are
/// not contracted outside of reductions.
///
//===----------------------------------------------------------------------===//

#include "FunctionScheduler.h"
#include "TinyGrad/Dialect/Tg/Transforms/ComparedSums.h"
#include "llvm/ADT/SparseBitVector.h"

using namespace mlir;
using namespace mlir::tg;

static bool isVariableFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType())) &&
         !value.getDefiningOp<ConstOp>();
}

/// Whether the operation compares two different floats, neither of which is a
/// constant. Both operands are the same value where it looks for NaNs.
static bool isComparison(Operation *op) {
  return isa<CmpLtOp, CmpEqOp, CmpNeOp>(op) &&
         op->getOperand(0) != op->getOperand(1) &&
         llvm::all_of(op->getOperands(), isVariableFloat);
}

/// The sums that maxima and comparisons depend on through operations which have
/// the same bits everywhere, each with a number. The search ends at a sum.
static DenseMap<Value, unsigned> findSums(Block &block) {
  DenseMap<Value, unsigned> sums;
  DenseSet<Value> reached;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    auto reduce = dyn_cast<ReduceOp>(op);
    if (reduce && dependsOnOrder(reduce)) {
      if (reached.contains(reduce.getResult()))
        sums.try_emplace(reduce.getResult(), sums.size());
      continue;
    }
    if (reached.contains(op.getResult(0)) || isExtreme(&op) ||
        isComparison(&op))
      reached.insert_range(getCarriedOperands(&op));
  }
  return sums;
}

namespace {
/// The sums that the bits of a value depend on, by number.
struct Dependence {
  llvm::SparseBitVector<> all;
  /// Those on a path with a maximum.
  llvm::SparseBitVector<> ofMaximum;
};
} // namespace

void FunctionScheduler::findCompared() {
  const DenseMap<Value, unsigned> sums = findSums(block);
  if (sums.empty())
    return;
  llvm::SparseBitVector<> meeting;
  DenseMap<Value, Dependence> dependences;
  for (Operation &op : block.without_terminator()) {
    Value result = op.getResult(0);
    if (auto it = sums.find(result); it != sums.end()) {
      dependences[result].all.set(it->second);
      continue;
    }
    Dependence of;
    // Where a sum arrives by two operands, it meets itself.
    for (Value operand : getCarriedOperands(&op)) {
      const Dependence by = dependences.lookup(operand);
      if (isComparison(&op))
        meeting |= of.all & by.all;
      else if (isa<AddOp, SubOp, MulOp, FDivOp>(op))
        meeting |= (of.all & by.ofMaximum) | (of.ofMaximum & by.all);
      of.all |= by.all;
      of.ofMaximum |= by.ofMaximum;
    }
    if (isExtreme(&op))
      of.ofMaximum = of.all;
    // A mask that is multiplied by a sum does not have to agree with it.
    if (!of.all.empty() && !isa<CmpLtOp, CmpEqOp, CmpNeOp>(op))
      dependences[result] = std::move(of);
  }
  for (auto [sum, number] : sums)
    if (meeting.test(number))
      compared.insert(sum);
}
