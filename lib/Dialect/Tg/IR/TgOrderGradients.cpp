//===- TgOrderGradients.cpp - derivatives of scans and scatters -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// DifferentiableOpInterface of the operations whose results depend on the
/// order of elements.
///
//===----------------------------------------------------------------------===//

#include "GradientAlgebra.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "mlir/IR/TypeUtilities.h"
#include <limits>

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// The sum of the elements from each position of an axis on.
static Value sumFrom(const Algebra &a, Value x, int64_t axis) {
  return a.flip(a.scan(ScanKind::add, a.flip(x, axis), axis), axis);
}

static Type getPositionType(OpBuilder &builder, Dim size) {
  return size.getMax() > std::numeric_limits<int32_t>::max()
             ? builder.getI64Type()
             : builder.getI32Type();
}

/// The gradient of a running product: of each product that an element is part
/// of, the product of its other factors. Up to the first zero, that is the
/// product divided by the element; for the first zero itself, the product with
/// a one in its place; later elements never have an influence.
static Value buildProductGradient(const Algebra &a, Value x, Value result,
                                  Value gradient, int64_t axis) {
  Value zero = a.constant(0), one = a.constant(1);
  Value isZero = a.equal(x, zero);
  Value zeros = a.scan(ScanKind::add, a.select(isZero, one, zero), axis);
  Value isFirst = a.both(isZero, a.equal(zeros, one));
  Value others = a.scan(ScanKind::mul, a.select(isFirst, one, x), axis);
  Value ofFirst = sumFrom(a, a.mul(gradient, others), axis);
  Value ofOthers = a.div(sumFrom(a, a.mul(gradient, result), axis),
                         a.select(isZero, one, x));
  return a.select(a.equal(zeros, zero), ofOthers,
                  a.select(isFirst, ofFirst, zero));
}

/// Adds the gradient of each running maximum to the first element that has it.
static Value buildMaxGradient(const Algebra &a, Value x, Value result,
                              Value gradient, int64_t axis) {
  auto type = cast<RankedTensorType>(x.getType());
  const SmallVector<Dim> sizes = getDims(type);
  // The maximum before each element, at the first position zero.
  const Dim none(a.b.getContext(), 0), one(a.b.getContext(), 1);
  SmallVector<Attribute> zeros(sizes.size(), none.getAttr()), low = zeros, ends;
  low[axis] = one.getAttr();
  for (Dim size : sizes)
    ends.push_back(size.getAttr());
  Value padded = PadOp::create(a.b, a.loc, result, a.b.getArrayAttr(low),
                               a.b.getArrayAttr(zeros));
  Value before =
      a.reshape(ShrinkOp::create(a.b, a.loc, padded, a.b.getArrayAttr(zeros),
                                 a.b.getArrayAttr(ends)),
                type);
  Type positions = type.clone(getPositionType(a.b, sizes[axis]));
  Value place = IotaOp::create(a.b, a.loc, positions, axis);
  Value first = ConstOp::create(a.b, a.loc, positions, int64_t(0));
  Value isNew =
      OrOp::create(a.b, a.loc, a.equal(place, first), a.less(before, x));
  Value winner = a.scan(ScanKind::max, a.select(isNew, place, first), axis);
  return a.scatter(UpdateKind::add, a.constant(0), winner, gradient, axis);
}

/// exp(x) times the sum of gradient / exp(result) from each position on. The
/// positive and the negative summands are added as logarithms, which neither
/// overflow nor lose small values.
static Value buildLogAddExpGradient(const Algebra &a, Value x, Value result,
                                    Value gradient, int64_t axis) {
  Value zero = a.constant(0), one = a.constant(1);
  Value lowest = a.constant(-std::numeric_limits<double>::infinity());
  Value isEmpty = a.equal(result, lowest);
  Value finite = a.select(isEmpty, zero, result);
  auto buildPart = [&](Value summand) {
    Value isPart = a.select(isEmpty, a.less(one, zero), a.less(zero, summand));
    Value log = a.sub(a.log(a.select(isPart, summand, one)), finite);
    Value terms = a.select(isPart, log, lowest);
    Value sums =
        a.flip(a.scan(ScanKind::logaddexp, a.flip(terms, axis), axis), axis);
    return a.exp(a.add(x, sums));
  };
  return a.sub(buildPart(gradient), buildPart(a.neg(gradient)));
}

FailureOr<Value> ScanOp::buildGradient(OpBuilder &builder, unsigned,
                                       Value gradient) {
  Algebra a(builder, gradient);
  const auto axis = int64_t(getAxis());
  switch (getKind()) {
  case ScanKind::add:
    // An element is part of all sums from its position on.
    return sumFrom(a, gradient, axis);
  case ScanKind::mul:
    return buildProductGradient(a, getX(), getResult(), gradient, axis);
  case ScanKind::max:
    return buildMaxGradient(a, getX(), getResult(), gradient, axis);
  case ScanKind::logaddexp:
    break;
  }
  return buildLogAddExpGradient(a, getX(), getResult(), gradient, axis);
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// The elements of `x` at the positions `index` along an axis; zero for a
/// position out of range. It is a sum of one-hot rows, which tg-collapse-reduce
/// turns into a load.
static Value buildGather(const Algebra &a, Value x, Value index, int64_t axis) {
  auto from = cast<RankedTensorType>(x.getType());
  auto to = cast<RankedTensorType>(index.getType());
  const int64_t rank = from.getRank();
  const Dim size = getDims(from)[axis];
  // The axis of `x` becomes the last one, and the positions take its place.
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      order.push_back(i);
  order.push_back(axis);
  Value last =
      PermuteOp::create(a.b, a.loc, x, a.b.getDenseI64ArrayAttr(order));
  SmallVector<Dim> single = getDims(cast<RankedTensorType>(last.getType()));
  single.insert(single.begin() + axis, Dim(a.b.getContext(), 1));
  SmallVector<Dim> all = getDims(to), position = all;
  all.push_back(size);
  position.push_back(Dim(a.b.getContext(), 1));
  Type element = from.getElementType(), integer = to.getElementType();
  // Positions that the index type does not hold are selected by no index.
  const bool isNarrow =
      integer.getIntOrFloatBitWidth() < 63 &&
      size.getMax() > int64_t(1) << (integer.getIntOrFloatBitWidth() - 1);
  if (isNarrow) {
    integer = a.b.getI64Type();
    index = CastOp::create(a.b, a.loc, to.clone(integer), index);
  }
  Value values = a.expand(a.reshape(last, getTensorType(single, element)),
                          getTensorType(all, element));
  Value positions = a.expand(a.reshape(index, getTensorType(position, integer)),
                             getTensorType(all, integer));
  Value isSelected =
      a.equal(IotaOp::create(a.b, a.loc, positions.getType(), rank), positions);
  Value zeros = ConstOp::create(a.b, a.loc, values.getType(),
                                getNumberAttr(element, 0.0));
  Value sum =
      a.reduce(ReduceKind::add, a.select(isSelected, values, zeros), {rank});
  return a.reshape(sum, getTensorType(getDims(to), element));
}

FailureOr<Value> ScatterOp::buildGradient(OpBuilder &builder, unsigned number,
                                          Value gradient) {
  Algebra a(builder, gradient);     // constants like the base
  Algebra u(builder, getUpdates()); // like the updates
  const auto axis = int64_t(getAxis());
  const bool isBase = number == 0;
  auto gather = [&](Value x) { return buildGather(a, x, getIndex(), axis); };
  auto zeros = [&](const Algebra &like) { return like.constant(0); };
  auto ones = [&](const Algebra &like) { return like.constant(1); };
  switch (getKind()) {
  case UpdateKind::add:
    return isBase ? gradient : gather(gradient);
  case UpdateKind::set: {
    if (isBase)
      return a.scatter(UpdateKind::set, gradient, getIndex(), zeros(u), axis);
    // The last update of an element wins.
    auto type = cast<RankedTensorType>(getUpdates().getType());
    Type element = getPositionType(builder, getDims(type)[axis]);
    Value place = IotaOp::create(builder, a.loc, type.clone(element), axis);
    Value none = ConstOp::create(
        builder, a.loc,
        cast<RankedTensorType>(gradient.getType()).clone(element), int64_t(-1));
    Value last = a.scatter(UpdateKind::set, none, getIndex(), place, axis);
    return a.select(a.equal(buildGather(a, last, getIndex(), axis), place),
                    gather(gradient), zeros(u));
  }
  case UpdateKind::max:
  case UpdateKind::min: {
    Value ofBase = a.equal(getBase(), getResult());
    Value ofUpdates = a.equal(getUpdates(), gather(getResult()));
    // The base, and all updates along the axis.
    Type element = getElementTypeOrSelf(gradient);
    const Counter counter(a, element, getMostElements(getUpdates(), axis) + 1);
    Value count = a.scatter(UpdateKind::add, counter.indicate(ofBase),
                            getIndex(), counter.indicate(ofUpdates), axis);
    // NaNs equal nothing.
    Value isCounted = a.less(counter.constant(count, 0), count);
    Value share = counter.divide(
        gradient, a.select(isCounted, count, counter.constant(count, 1)));
    return isBase ? counter.narrow(ofBase, share, element)
                  : counter.narrow(ofUpdates, gather(share), element);
  }
  case UpdateKind::mul:
    break;
  }
  // The product of the other factors, as for tg.reduce.
  Value isZeroBase = a.equal(getBase(), zeros(a));
  Value isZeroUpdate = a.equal(getUpdates(), zeros(u));
  Value base = a.select(isZeroBase, ones(a), getBase());
  Value updates = a.select(isZeroUpdate, ones(u), getUpdates());
  Value product = a.scatter(UpdateKind::mul, base, getIndex(), updates, axis);
  // Only the numbers 0 and 1 matter, which all types have.
  Value count =
      a.scatter(UpdateKind::add, a.select(isZeroBase, ones(a), zeros(a)),
                getIndex(), a.select(isZeroUpdate, ones(u), zeros(u)), axis);
  Value all = a.mul(gradient, product);
  Value ofZero = a.select(a.equal(count, ones(a)), all, zeros(a));
  Value ofOthers = a.select(a.equal(count, zeros(a)), all, zeros(a));
  return isBase ? a.select(isZeroBase, ofZero, a.div(ofOthers, base))
                : a.select(isZeroUpdate, gather(ofZero),
                           a.div(gather(ofOthers), updates));
}
