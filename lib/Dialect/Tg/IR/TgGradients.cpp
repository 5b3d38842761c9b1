//===- TgGradients.cpp - derivatives of operations ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// DifferentiableOpInterface of the operations: from the gradient of a result
/// the gradient of an operand. No rule computes an infinity or NaN in elements
/// that it does not choose, so that gradients of gradients are right as well.
///
//===----------------------------------------------------------------------===//

#include "GradientAlgebra.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDevice.h"
#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include <numbers>

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Unary functions
//===----------------------------------------------------------------------===//

FailureOr<Value> NegOp::buildGradient(OpBuilder &builder, unsigned,
                                      Value gradient) {
  return Algebra(builder, gradient).neg(gradient);
}

FailureOr<Value> RecipOp::buildGradient(OpBuilder &builder, unsigned,
                                        Value gradient) {
  Algebra a(builder, gradient);
  return a.neg(a.mul(gradient, a.square(getResult())));
}

FailureOr<Value> SqrtOp::buildGradient(OpBuilder &builder, unsigned,
                                       Value gradient) {
  Algebra a(builder, gradient);
  return a.div(a.mul(gradient, 0.5), getResult());
}

FailureOr<Value> Exp2Op::buildGradient(OpBuilder &builder, unsigned,
                                       Value gradient) {
  Algebra a(builder, gradient);
  return a.mul(gradient, a.mul(getResult(), std::numbers::ln2));
}

FailureOr<Value> ExpOp::buildGradient(OpBuilder &builder, unsigned,
                                      Value gradient) {
  return Algebra(builder, gradient).mul(gradient, getResult());
}

FailureOr<Value> ExpM1Op::buildGradient(OpBuilder &builder, unsigned,
                                        Value gradient) {
  // The result plus 1 would lose the small values of exp.
  Algebra a(builder, gradient);
  return a.mul(gradient, ExpOp::create(builder, a.loc, getX()));
}

FailureOr<Value> Log2Op::buildGradient(OpBuilder &builder, unsigned,
                                       Value gradient) {
  Algebra a(builder, gradient);
  return a.div(a.mul(gradient, std::numbers::log2e), getX());
}

FailureOr<Value> LogOp::buildGradient(OpBuilder &builder, unsigned,
                                      Value gradient) {
  return Algebra(builder, gradient).div(gradient, getX());
}

FailureOr<Value> Log1pOp::buildGradient(OpBuilder &builder, unsigned,
                                        Value gradient) {
  Algebra a(builder, gradient);
  return a.div(gradient, a.add(getX(), a.constant(1)));
}

FailureOr<Value> SinOp::buildGradient(OpBuilder &builder, unsigned,
                                      Value gradient) {
  Algebra a(builder, gradient);
  return a.mul(gradient, CosOp::create(builder, a.loc, getX()));
}

FailureOr<Value> CosOp::buildGradient(OpBuilder &builder, unsigned,
                                      Value gradient) {
  Algebra a(builder, gradient);
  return a.neg(a.mul(gradient, SinOp::create(builder, a.loc, getX())));
}

FailureOr<Value> TanOp::buildGradient(OpBuilder &builder, unsigned,
                                      Value gradient) {
  Algebra a(builder, gradient);
  return a.mul(gradient, a.add(a.square(getResult()), a.constant(1)));
}

/// gradient / sqrt(1 - x^2), with factors that keep their digits near 1.
static Value buildArcGradient(const Algebra &a, Value x, Value gradient) {
  Value one = a.constant(1);
  Value rest = a.mul(a.sub(one, x), a.add(one, x));
  return a.div(gradient, SqrtOp::create(a.b, a.loc, rest));
}

FailureOr<Value> AsinOp::buildGradient(OpBuilder &builder, unsigned,
                                       Value gradient) {
  return buildArcGradient(Algebra(builder, gradient), getX(), gradient);
}

FailureOr<Value> AcosOp::buildGradient(OpBuilder &builder, unsigned,
                                       Value gradient) {
  Algebra a(builder, gradient);
  return a.neg(buildArcGradient(a, getX(), gradient));
}

FailureOr<Value> AtanOp::buildGradient(OpBuilder &builder, unsigned,
                                       Value gradient) {
  Algebra a(builder, gradient);
  return a.div(gradient, a.add(a.square(getX()), a.constant(1)));
}

FailureOr<Value> TanhOp::buildGradient(OpBuilder &builder, unsigned,
                                       Value gradient) {
  Algebra a(builder, gradient);
  return a.mul(gradient, a.sub(a.constant(1), a.square(getResult())));
}

FailureOr<Value> ErfOp::buildGradient(OpBuilder &builder, unsigned,
                                      Value gradient) {
  Algebra a(builder, gradient);
  Value bell = ExpOp::create(builder, a.loc, a.neg(a.square(getX())));
  return a.mul(gradient, a.mul(bell, 2 * std::numbers::inv_sqrtpi));
}

FailureOr<Value> TruncOp::buildGradient(OpBuilder &, unsigned, Value) {
  return Value();
}

FailureOr<Value> CastOp::buildGradient(OpBuilder &builder, unsigned,
                                       Value gradient) {
  return Value(
      CastOp::create(builder, gradient.getLoc(), getX().getType(), gradient));
}

//===----------------------------------------------------------------------===//
// Functions of several operands
//===----------------------------------------------------------------------===//

FailureOr<Value> AddOp::buildGradient(OpBuilder &, unsigned, Value gradient) {
  return gradient;
}

FailureOr<Value> SubOp::buildGradient(OpBuilder &builder, unsigned number,
                                      Value gradient) {
  return number == 0 ? gradient : Algebra(builder, gradient).neg(gradient);
}

FailureOr<Value> MulOp::buildGradient(OpBuilder &builder, unsigned number,
                                      Value gradient) {
  return Algebra(builder, gradient).mul(gradient, getOperand(1 - number));
}

FailureOr<Value> MulAccOp::buildGradient(OpBuilder &builder, unsigned number,
                                         Value gradient) {
  if (number == 2)
    return gradient;
  return Algebra(builder, gradient).mul(gradient, getOperand(1 - number));
}

FailureOr<Value> FDivOp::buildGradient(OpBuilder &builder, unsigned number,
                                       Value gradient) {
  Algebra a(builder, gradient);
  Value quotient = a.div(gradient, getRhs());
  if (number == 0)
    return quotient;
  return a.neg(a.mul(quotient, getResult()));
}

FailureOr<Value> MaxOp::buildGradient(OpBuilder &builder, unsigned number,
                                      Value gradient) {
  // Equal operands have half of it each.
  Algebra a(builder, gradient);
  Value own = getOperand(number), other = getOperand(1 - number);
  Value half = a.mul(gradient, 0.5);
  return a.select(a.equal(own, other), half,
                  a.select(a.less(other, own), gradient, a.constant(0)));
}

FailureOr<Value> PowOp::buildGradient(OpBuilder &builder, unsigned number,
                                      Value gradient) {
  Algebra a(builder, gradient);
  Value base = getLhs(), exponent = getRhs();
  Value zero = a.constant(0), one = a.constant(1);
  if (number == 0) {
    // x^0 is 1 for every x, and its derivative 0.
    Value isConstant = a.equal(exponent, zero);
    Value reduced = a.select(isConstant, one, a.sub(exponent, one));
    Value power =
        PowOp::create(builder, a.loc, a.select(isConstant, one, base), reduced);
    return a.mul(gradient, a.mul(exponent, power));
  }
  // At a base of 0 the result stays the same along the exponent.
  Value isZero = a.equal(base, zero);
  Value log = LogOp::create(builder, a.loc, a.select(isZero, one, base));
  return a.mul(gradient, a.mul(a.select(isZero, zero, getResult()), log));
}

FailureOr<Value> WhereOp::buildGradient(OpBuilder &builder, unsigned number,
                                        Value gradient) {
  Algebra a(builder, gradient);
  Value zero = a.constant(0);
  return number == 1 ? a.select(getCondition(), gradient, zero)
                     : a.select(getCondition(), zero, gradient);
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
  Value zero = x.constant(0), one = x.constant(1);
  if (getKind() == ReduceKind::max) {
    // The greatest elements share it evenly.
    Value isGreatest = x.equal(getX(), x.expand(getResult(), type));
    Value count =
        a.reduce(ReduceKind::add, x.select(isGreatest, one, zero), getAxes());
    return x.select(isGreatest, x.expand(a.div(gradient, count), type), zero);
  }
  // The product of the other elements: that of all, divided by the element,
  // unless there are zeros. With one zero, it is its product of the others.
  Value isZero = x.equal(getX(), zero);
  Value factors = x.select(isZero, one, getX());
  Value product = a.reduce(ReduceKind::mul, factors, getAxes());
  Value zeros =
      a.reduce(ReduceKind::add, x.select(isZero, one, zero), getAxes());
  Value none = a.constant(0);
  Value atZeros =
      a.select(a.equal(zeros, a.constant(1)), a.mul(gradient, product), none);
  Value atOthers =
      a.select(a.equal(zeros, none), a.mul(gradient, product), none);
  return x.select(isZero, x.expand(atZeros, type),
                  x.div(x.expand(atOthers, type), factors));
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
