//===- TgGradients.cpp - derivatives of operations ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// DifferentiableOpInterface of the operations whose rule is not an expression
/// in TgElementwiseOps.td: from the gradient of a result the gradient of an
/// operand. No rule computes an infinity or NaN in elements that it does not
/// choose, so that gradients of gradients are right as well.
///
//===----------------------------------------------------------------------===//

#include "GradientAlgebra.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDevice.h"
#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Functions of several operands
//===----------------------------------------------------------------------===//

FailureOr<Value> PowOp::buildGradient(OpBuilder &builder, unsigned number,
                                      Value gradient) {
  Algebra a(builder, gradient);
  Value base = getLhs(), exponent = getRhs();
  Value zero = a.constant(0), one = a.constant(1);
  if (number == 0) {
    // x^0 is 1 for every x, and its derivative 0. At other bases than 0, whose
    // power -1 is finite, the product with the exponent is 0 by itself, and
    // has a derivative by it.
    Value isFinite = a.less(zero, a.square(base));
    Value isConstant = a.equal(a.select(isFinite, one, exponent), zero);
    Value reduced = a.select(isConstant, one, a.sub(exponent, one));
    Value power =
        PowOp::create(builder, a.loc, a.select(isConstant, one, base), reduced);
    return a.mul(gradient, a.mul(exponent, power));
  }
  // At a base of 0 the result stays the same along the exponent, but an
  // infinite one falls infinitely fast.
  Value isZero = a.equal(base, zero);
  Value log = LogOp::create(builder, a.loc, a.select(isZero, one, base));
  Value atZero = a.select(a.less(exponent, zero), getResult(), zero);
  return a.mul(gradient, a.mul(a.select(isZero, atZero, getResult()),
                               a.select(isZero, a.constant(-1), log)));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

FailureOr<Value> ReduceOp::buildGradient(OpBuilder &builder, unsigned,
                                         Value gradient) {
  Algebra a(builder, gradient);
  Type type = getX().getType();
  Value all = a.expand(gradient, type);
  if (getKind() == ReduceKind::add)
    return all;
  Algebra x(builder, all);
  if (getKind() == ReduceKind::max) {
    // The greatest elements share it evenly.
    Value isGreatest = x.equal(getX(), x.expand(getResult(), type));
    Type element = getElementTypeOrSelf(type);
    const Counter counter(a, element, getMostElements(getX(), getAxes()));
    Value count =
        a.reduce(ReduceKind::add, counter.indicate(isGreatest), getAxes());
    Value share = counter.divide(gradient, count);
    share = x.expand(
        share, cast<RankedTensorType>(type).clone(getElementTypeOrSelf(share)));
    return counter.narrow(isGreatest, share, element);
  }
  // The product of the other elements: that of all, divided by the element,
  // unless there are zeros. With one zero, it is its product of the others.
  Value zero = x.constant(0), one = x.constant(1);
  Value isZero = x.equal(getX(), zero);
  Value factors = x.select(isZero, one, getX());
  Value product = a.reduce(ReduceKind::mul, factors, getAxes());
  // Only the numbers up to 2 matter, which all types have.
  Value zeros =
      a.reduce(ReduceKind::add, x.select(isZero, one, zero), getAxes());
  // What is 0 because of one other zero has a derivative by that: it is
  // multiplied by the zero, or by the sum of two without the own one.
  Value sum =
      a.reduce(ReduceKind::add, x.select(isZero, getX(), zero), getAxes());
  Value none = a.constant(0), scaled = a.mul(gradient, product);
  Value isOne = a.equal(zeros, a.constant(1)),
        isTwo = a.equal(zeros, a.constant(2));
  Value ofTwo = x.mul(x.expand(a.select(isTwo, scaled, none), type),
                      x.sub(x.expand(sum, type), getX()));
  Value atZeros = x.add(x.expand(a.select(isOne, scaled, none), type), ofTwo);
  Value atOthers = a.select(a.equal(zeros, none), scaled,
                            a.select(isOne, a.mul(scaled, sum), none));
  return x.select(isZero, atZeros, x.div(x.expand(atOthers, type), factors));
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

FailureOr<Value> ReshapeOp::buildGradient(OpBuilder &builder, unsigned,
                                          Value gradient) {
  return Value(ReshapeOp::create(builder, gradient.getLoc(), getX().getType(),
                                 gradient));
}

FailureOr<Value> PermuteOp::buildGradient(OpBuilder &builder, unsigned,
                                          Value gradient) {
  SmallVector<int64_t> inverse(getOrder().size());
  for (auto [i, axis] : llvm::enumerate(getOrder()))
    inverse[axis] = i;
  return Value(PermuteOp::create(builder, gradient.getLoc(), gradient,
                                 builder.getDenseI64ArrayAttr(inverse)));
}

FailureOr<Value> ExpandOp::buildGradient(OpBuilder &builder, unsigned,
                                         Value gradient) {
  SmallVector<int64_t> axes;
  for (auto [i, from, to] :
       llvm::enumerate(getDims(cast<RankedTensorType>(getX().getType())),
                       getDims(cast<RankedTensorType>(getType()))))
    if (from != to)
      axes.push_back(i);
  return Algebra(builder, gradient).reduce(ReduceKind::add, gradient, axes);
}

/// Positions [from[i], from[i] + size[i]) along each axis.
static Value buildPart(OpBuilder &builder, Value x, ArrayAttr from,
                       RankedTensorType like) {
  SmallVector<Attribute> to;
  for (auto [first, size] : llvm::zip_equal(getDims(from), getDims(like)))
    to.push_back((first + size).getAttr());
  return ShrinkOp::create(builder, x.getLoc(), x, from,
                          builder.getArrayAttr(to));
}

// Sizes that are computed from variables with a single value are numbers, where
// those of x are variables: then the gradient is a reshape.

FailureOr<Value> PadOp::buildGradient(OpBuilder &builder, unsigned,
                                      Value gradient) {
  auto type = cast<RankedTensorType>(getX().getType());
  return Algebra(builder, gradient)
      .reshape(buildPart(builder, gradient, getLow(), type), type);
}

FailureOr<Value> ShrinkOp::buildGradient(OpBuilder &builder, unsigned,
                                         Value gradient) {
  SmallVector<Attribute> high;
  for (auto [to, size] : llvm::zip_equal(
           getDims(getTo()), getDims(cast<RankedTensorType>(getX().getType()))))
    high.push_back((size - to).getAttr());
  Value padded = PadOp::create(builder, gradient.getLoc(), gradient, getFrom(),
                               builder.getArrayAttr(high));
  return Algebra(builder, gradient).reshape(padded, getX().getType());
}

FailureOr<Value> FlipOp::buildGradient(OpBuilder &builder, unsigned,
                                       Value gradient) {
  return Value(
      FlipOp::create(builder, gradient.getLoc(), gradient, getAxesAttr()));
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

FailureOr<Value> ContiguousOp::buildGradient(OpBuilder &, unsigned,
                                             Value gradient) {
  return gradient;
}

FailureOr<Value> DetachOp::buildGradient(OpBuilder &, unsigned, Value) {
  return Value();
}

FailureOr<Value> WithDerivativeOp::buildGradient(OpBuilder &builder,
                                                 unsigned number,
                                                 Value gradient) {
  if (number != 1)
    return Value();
  return Algebra(builder, gradient).mul(gradient, getDerivative());
}

StringAttr tg::findDevice(Value value) {
  SmallVector<Value> work{value};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      auto function =
          dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
      if (function && argument.getOwner()->isEntryBlock())
        if (auto device = function.getArgAttrOfType<StringAttr>(
                argument.getArgNumber(), deviceAttrName))
          return device;
      continue;
    }
    if (auto buffer = dyn_cast<BufferOp>(op))
      return buffer.getDeviceAttr();
    if (auto copy = dyn_cast<CopyOp>(op))
      return copy.getDeviceAttr();
    llvm::append_range(work, llvm::reverse(op->getOperands()));
  }
  return {};
}

FailureOr<Value> CopyOp::buildGradient(OpBuilder &builder, unsigned,
                                       Value gradient) {
  StringAttr device = findDevice(getX());
  if (!device)
    return emitOpError("has no derivative here: the device of its operand is "
                       "not known; give the function argument an attribute '")
           << deviceAttrName << "'";
  return Value(CopyOp::create(builder, gradient.getLoc(), gradient, device));
}

FailureOr<Value> AssignOp::buildGradient(OpBuilder &, unsigned number,
                                         Value gradient) {
  // The result is the value; the old contents are not part of it.
  return number == 1 ? gradient : Value();
}

FailureOr<Value> AfterOp::buildGradient(OpBuilder &, unsigned number,
                                        Value gradient) {
  if (!getAssign())
    return gradient;
  auto assign = getAssign().getDefiningOp<AssignOp>();
  if (assign.getTarget() != getTarget())
    return emitOpError("has no derivative after an assignment to a part of the "
                       "memory");
  return number == 1 ? gradient : Value();
}
