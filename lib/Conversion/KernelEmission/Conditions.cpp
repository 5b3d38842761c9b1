//===- Conditions.cpp - conditions of a kernel ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Folds conditions that bounds decide, and compares indices.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelEmission/KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;

std::optional<bool> KernelEmitter::getKnown(Value boolean) {
  unsigned depth = getDepth(boolean);
  Key key(boolean, getKey(boolean));
  auto decode = [](int state) -> std::optional<bool> {
    if (state < 0)
      return std::nullopt;
    return state != 0;
  };
  if (auto it = scopes[depth].bools.find(key); it != scopes[depth].bools.end())
    return decode(it->second);
  Nesting nesting(*this, boolean);
  std::optional<bool> known;
  withinDepth(depth, [&] { known = computeKnown(boolean); });
  scopes[depth].bools[key] = known ? int(*known) : -1;
  return known;
}

std::optional<bool> KernelEmitter::compareKnown(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (lhs.getType().isInteger(1)) {
    std::optional<bool> x = getKnown(lhs), y = getKnown(rhs);
    if (!x || !y)
      return std::nullopt;
    return isa<CmpLtOp>(op) ? (!*x && *y) : (*x == *y) == isa<CmpEqOp>(op);
  }
  if (!lhs.getType().isIndex())
    return std::nullopt;
  IndexForm difference = getForm(lhs);
  difference.subtract(getForm(rhs));
  const Interval bounds = getBounds(difference);
  if (isa<CmpLtOp>(op))
    return bounds.isLess(0);
  std::optional<bool> equal = bounds.isEqual(0);
  return equal ? std::optional(*equal == isa<CmpEqOp>(op)) : std::nullopt;
}

std::optional<bool> KernelEmitter::computeKnown(Value boolean) {
  Operation *op = boolean.getDefiningOp();
  if (auto constant = dyn_cast<ConstOp>(op))
    return !cast<IntegerAttr>(constant.getValue()).getValue().isZero();
  if (isa<CmpLtOp, CmpEqOp, CmpNeOp>(op))
    return compareKnown(op);
  if (auto where = dyn_cast<WhereOp>(op)) {
    std::optional<bool> condition = getKnown(where.getCondition());
    if (condition)
      return getKnown(*condition ? where.getX() : where.getY());
    std::optional<bool> x = getKnown(where.getX()), y = getKnown(where.getY());
    return x && y && *x == *y ? x : std::nullopt;
  }
  if (auto load = dyn_cast<LoadOp>(op)) {
    if (load.getMask() && getKnown(load.getMask()) == false)
      return false;
    return std::nullopt;
  }
  bool isAnd = isa<AndOp, MulOp>(op), isOr = isa<OrOp, AddOp, MaxOp>(op);
  if (isAnd || isOr) {
    std::optional<bool> x = getKnown(op->getOperand(0));
    std::optional<bool> y = getKnown(op->getOperand(1));
    if (x == isOr || y == isOr)
      return isOr;
    if (x && y)
      return isAnd;
  }
  if (isa<XorOp>(op)) {
    std::optional<bool> x = getKnown(op->getOperand(0));
    std::optional<bool> y = getKnown(op->getOperand(1));
    if (x && y)
      return *x != *y;
  }
  return std::nullopt;
}

Value KernelEmitter::createIndexCompare(Operation *op, unsigned depth) {
  // The difference of unbounded values may wrap around.
  auto isKnown = [&](Value value) {
    return getBounds(getForm(value)).isModest();
  };
  if (!isKnown(op->getOperand(0)) || !isKnown(op->getOperand(1)))
    return createElementwise(op, depth);
  // lhs < rhs becomes lhs - rhs < 0, in which common terms cancel; the constant
  // then moves back to the right-hand side.
  IndexForm difference = getForm(op->getOperand(0));
  difference.subtract(getForm(op->getOperand(1)));
  LaneForm lanes = splitLanes(difference);
  arith::CmpIPredicate predicate = isa<CmpLtOp>(op) ? arith::CmpIPredicate::slt
                                   : isa<CmpEqOp>(op)
                                       ? arith::CmpIPredicate::eq
                                       : arith::CmpIPredicate::ne;
  Location loc = op->getLoc();
  if (lanes.stride == 0 || !lanes.irregular.empty()) {
    IndexForm left = difference;
    left.constant = 0;
    Value x = getIndex(left, loc);
    B &b = at(depth, loc);
    return arith::CmpIOp::create(
        b, predicate, x, buildInt(b, x.getType(), -difference.constant));
  }
  // Compare stride * lane < bound in 32 bits. Clamping the bound just outside
  // of all values of stride * lane does not change the result in any lane.
  int64_t width = ranges[*getLaneRange(getDeps(op->getResult(0)))].extent;
  int64_t reach = lanes.stride * (width - 1);
  int64_t low = std::min<int64_t>(reach, 0) - 1;
  int64_t high = std::max<int64_t>(reach, 0) + 1;
  Value limit = getScalar(lanes.scalar.negated(), loc);
  B &b = at(depth, loc);
  Type index = b.getIndexType();
  limit = arith::MaxSIOp::create(b, limit, buildInt(b, index, low));
  limit = arith::MinSIOp::create(b, limit, buildInt(b, index, high));
  Type element = llvm::isInt<32>(low) && llvm::isInt<32>(high) ? b.getI32Type()
                                                               : b.getI64Type();
  limit = arith::IndexCastOp::create(b, element, limit);
  Value spread =
      vector::BroadcastOp::create(b, VectorType::get(width, element), limit);
  return arith::CmpIOp::create(
      b, predicate, getIota(b, width, lanes.stride, element), spread);
}
