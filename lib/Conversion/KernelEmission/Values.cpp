//===- Values.cpp - the values of a kernel --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Creates each value once per environment, in the outermost scope that binds
/// everything it depends on.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelEmission/KernelEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;

Value KernelEmitter::getBuffer(Value buffer) {
  if (Value argument = buffers.lookup(buffer))
    return argument;
  Operation *op = buffer.getDefiningOp();
  if (auto barrier = dyn_cast<BarrierOp>(op))
    return getBuffer(barrier.getTile());
  unsigned depth = getDepth(buffer);
  Key key(buffer, getKey(buffer));
  if (Value found = scopes[depth].values.lookup(key))
    return found;
  Value tile;
  withinDepth(depth, [&] { tile = createStage(cast<StageOp>(op), depth); });
  scopes[depth].values[key] = tile;
  return tile;
}

Value KernelEmitter::toLanes(B &b, Value value, int64_t lanes) {
  if (lanes == 0 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(b, VectorType::get(lanes, value.getType()),
                                     value);
}

Value KernelEmitter::resolve(Value value) {
  while (auto where = value.getDefiningOp<WhereOp>()) {
    std::optional<bool> condition = getKnown(where.getCondition());
    if (!condition)
      break;
    value = *condition ? where.getX() : where.getY();
  }
  return value;
}

KernelEmitter::Nesting::Nesting(KernelEmitter &emitter, Value value)
    : emitter(emitter) {
  if (++emitter.level < 256)
    return;
  unsigned level = std::exchange(emitter.level, 0);
  emitter.visitOperandsFirst(value);
  emitter.level = level;
}

void KernelEmitter::visitOperandsFirst(Value value) {
  // First visit the operands that decide conditions, then those that are still
  // needed once the conditions are known.
  for (bool onlyNeeded : {false, true}) {
    DenseSet<Value> seen;
    SmallVector<std::pair<Value, bool>> stack{{value, false}};
    while (!stack.empty()) {
      auto [next, isReady] = stack.pop_back_val();
      Value needed = onlyNeeded ? resolve(next) : next;
      Operation *op = needed.getDefiningOp();
      if (!op ||
          isa<RangeOp, ConstOp, RangedReduceOp, RangedScanOp, StageOp>(op))
        continue;
      if (!isReady) {
        if (!seen.insert(next).second)
          continue;
        stack.push_back({next, true});
        for (Value operand : op->getOperands())
          if (!isa<MemRefType>(operand.getType()))
            stack.push_back({operand, false});
        continue;
      }
      if (next == value)
        break;
      if (next.getType().isIndex())
        getForm(next);
      else if (next.getType().isInteger(1) && !onlyNeeded)
        getKnown(next);
      if (onlyNeeded && !next.getType().isIndex())
        get(next);
    }
  }
}

Value KernelEmitter::get(Value value) {
  value = resolve(value);
  if (value.getType().isIndex())
    return getIndex(getForm(value), value.getLoc());
  if (value.getType().isInteger(1))
    if (std::optional<bool> known = getKnown(value)) {
      B &b = at(0, value.getLoc());
      return buildInt(b, b.getI1Type(), *known);
    }
  unsigned depth = getDepth(value);
  Key key(value, getKey(value));
  if (Value found = scopes[depth].values.lookup(key))
    return found;
  Nesting nesting(*this, value);
  Value result;
  withinDepth(depth, [&] { result = create(value, depth); });
  scopes[depth].values[key] = result;
  return result;
}

Value KernelEmitter::create(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<ConstOp>(op))
    return arithmetic.buildNumber(at(depth, op->getLoc()), constant.getValue(),
                                  0);
  if (auto load = dyn_cast<LoadOp>(op))
    return createLoad(load, depth);
  if (auto reduce = dyn_cast<RangedReduceOp>(op)) {
    Key key(value, getKey(value));
    if (!reduce.getUnit() || !createContraction(reduce, depth))
      emitReduce(reduce, depth);
    return scopes[depth].values.lookup(key);
  }
  if (auto scan = dyn_cast<RangedScanOp>(op))
    return createScan(scan, depth);
  if (isa<CmpLtOp, CmpEqOp, CmpNeOp>(op) &&
      op->getOperand(0).getType().isIndex())
    return createIndexCompare(op, depth);
  return createElementwise(op, depth);
}

Value KernelEmitter::createElementwise(Operation *op, unsigned depth) {
  // If one operand of a conjunction or disjunction is known but does not decide
  // it, the result is the other operand.
  if (op->getResult(0).getType().isInteger(1) &&
      isa<AndOp, MulOp, OrOp, AddOp, MaxOp>(op))
    for (unsigned i : {0, 1})
      if (getKnown(op->getOperand(i)))
        return get(op->getOperand(1 - i));
  SmallVector<Value> operands;
  int64_t lanes = 0;
  for (Value operand : op->getOperands()) {
    operands.push_back(get(operand));
    if (auto vector = dyn_cast<VectorType>(operands.back().getType()))
      lanes = vector.getNumElements();
  }
  B &b = at(depth, op->getLoc());
  for (Value &operand : operands)
    operand = toLanes(b, operand, lanes);
  Value result = arithmetic.buildElementwise(b, op, operands);
  assert(result && "not an elementwise operation");
  return result;
}
