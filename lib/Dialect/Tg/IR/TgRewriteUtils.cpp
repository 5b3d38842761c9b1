//===- TgRewriteUtils.cpp - helpers of rewrite rules ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Helpers of rewrite rules, mainly for movement operations.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgRewriteUtils.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tg;

static RankedTensorType getTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static DenseI64ArrayAttr getAxesAttr(MLIRContext *context,
                                     SmallVector<int64_t> axes) {
  llvm::sort(axes);
  return DenseI64ArrayAttr::get(context, axes);
}

static ArrayAttr getPositionsAttr(MLIRContext *context, ArrayRef<Dim> dims) {
  return ArrayAttr::get(context, llvm::map_to_vector(dims, [](Dim dim) {
                          return dim.getAttr();
                        }));
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value mlir::tg::createNot(OpBuilder &builder, Location loc, Value x) {
  Value yes = ConstOp::create(builder, loc, x.getType(),
                              TypedAttr(builder.getBoolAttr(true)));
  return XorOp::create(builder, loc, x, yes);
}

Value mlir::tg::createShiftAmount(OpBuilder &builder, Location loc,
                                  Value amount, Attribute first,
                                  Attribute second) {
  APInt a = cast<IntegerAttr>(first).getValue();
  APInt b = cast<IntegerAttr>(second).getValue();
  unsigned width = a.getBitWidth();
  uint64_t sum = a.getLimitedValue(width) + b.getLimitedValue(width);
  APInt clamped(width, std::min<uint64_t>(sum, width));
  return ConstOp::create(builder, loc, amount.getType(),
                         TypedAttr(IntegerAttr::get(
                             getElementTypeOrSelf(amount.getType()), clamped)));
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

DenseI64ArrayAttr mlir::tg::composeOrders(DenseI64ArrayAttr inner,
                                          DenseI64ArrayAttr outer) {
  SmallVector<int64_t> order;
  for (int64_t axis : outer.asArrayRef())
    order.push_back(inner[axis]);
  return DenseI64ArrayAttr::get(inner.getContext(), order);
}

bool mlir::tg::movesOnlyUnitAxes(Value x, DenseI64ArrayAttr order) {
  RankedTensorType type = getTypeOf(x);
  int64_t last = -1;
  for (int64_t axis : order.asArrayRef()) {
    if (getDim(type, axis).is(1))
      continue;
    if (axis < last)
      return false;
    last = axis;
  }
  return true;
}

ArrayAttr mlir::tg::unpermute(ArrayAttr positions, DenseI64ArrayAttr order) {
  SmallVector<Attribute> result(positions.size());
  for (auto [axis, from] : llvm::enumerate(order.asArrayRef()))
    result[from] = positions[axis];
  return ArrayAttr::get(positions.getContext(), result);
}

DenseI64ArrayAttr mlir::tg::unpermuteAxes(DenseI64ArrayAttr axes,
                                          DenseI64ArrayAttr order) {
  return getAxesAttr(axes.getContext(),
                     llvm::map_to_vector(axes.asArrayRef(), [&](int64_t axis) {
                       return order[axis];
                     }));
}

DenseI64ArrayAttr mlir::tg::subtractAxes(DenseI64ArrayAttr a,
                                         DenseI64ArrayAttr b) {
  SmallVector<int64_t> axes;
  for (int64_t axis : a.asArrayRef())
    if (!llvm::is_contained(b.asArrayRef(), axis))
      axes.push_back(axis);
  return getAxesAttr(a.getContext(), axes);
}

DenseI64ArrayAttr mlir::tg::intersectAxes(DenseI64ArrayAttr a,
                                          DenseI64ArrayAttr b) {
  return subtractAxes(a, subtractAxes(a, b));
}

DenseI64ArrayAttr mlir::tg::uniteAxes(DenseI64ArrayAttr a,
                                      DenseI64ArrayAttr b) {
  SmallVector<int64_t> axes(a.asArrayRef());
  llvm::append_range(axes, subtractAxes(b, a).asArrayRef());
  return getAxesAttr(a.getContext(), axes);
}

DenseI64ArrayAttr mlir::tg::exclusiveAxes(DenseI64ArrayAttr a,
                                          DenseI64ArrayAttr b) {
  return uniteAxes(subtractAxes(a, b), subtractAxes(b, a));
}

DenseI64ArrayAttr mlir::tg::getExpandedAxes(Value source, Value expanded) {
  SmallVector<int64_t> axes;
  SmallVector<Dim> from = tg::getDims(getTypeOf(source)),
                   to = tg::getDims(getTypeOf(expanded));
  for (auto [axis, a, b] : llvm::enumerate(from, to))
    if (a != b)
      axes.push_back(axis);
  return DenseI64ArrayAttr::get(source.getContext(), axes);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

ArrayAttr mlir::tg::addPositions(ArrayAttr a, ArrayAttr b) {
  SmallVector<Dim> sum;
  for (auto [x, y] : llvm::zip_equal(tg::getDims(a), tg::getDims(b)))
    sum.push_back(x + y);
  return getPositionsAttr(a.getContext(), sum);
}

/// Whether all are non-negative sums that fit 64 bits.
static bool areSizes(ArrayRef<Dim> dims) {
  return llvm::all_of(dims, [](Dim dim) {
    auto ignore = [&] {
      InFlightDiagnostic diag = emitError(UnknownLoc::get(dim.getContext()));
      diag.abandon();
      return diag;
    };
    return dim.getMax() != std::numeric_limits<int64_t>::max() &&
           succeeded(checkFits(dim.getAttr(), ignore)) && isNeverNegative(dim);
  });
}

bool mlir::tg::canAddPads(Value pad, ArrayAttr low, ArrayAttr high) {
  auto inner = pad.getDefiningOp<PadOp>();
  for (auto [size, l, l2, h, h2] : llvm::zip_equal(
           tg::getDims(getTypeOf(inner.getX())), tg::getDims(inner.getLow()),
           tg::getDims(low), tg::getDims(inner.getHigh()), tg::getDims(high)))
    if (!areSizes({l + l2, h + h2, size + (l + l2) + (h + h2)}))
      return false;
  return true;
}

bool mlir::tg::canAddParts(Value x, ArrayAttr from, ArrayAttr from2,
                           ArrayAttr to2) {
  for (auto [size, f, f2, t2] :
       llvm::zip_equal(tg::getDims(getTypeOf(x)), tg::getDims(from),
                       tg::getDims(from2), tg::getDims(to2)))
    if (!areSizes({f + f2, (f + t2) - (f + f2), size - (f + t2)}))
      return false;
  return true;
}

ArrayAttr mlir::tg::replacePositions(ArrayAttr positions,
                                     DenseI64ArrayAttr axes, int64_t value) {
  SmallVector<Dim> dims = tg::getDims(positions);
  for (int64_t axis : axes.asArrayRef())
    dims[axis] = Dim(positions.getContext(), value);
  return getPositionsAttr(positions.getContext(), dims);
}

ArrayAttr mlir::tg::mergePositions(ArrayAttr positions, ArrayAttr other,
                                   DenseI64ArrayAttr axes) {
  SmallVector<Attribute> result(positions.begin(), positions.end());
  for (int64_t axis : axes.asArrayRef())
    result[axis] = other[axis];
  return ArrayAttr::get(positions.getContext(), result);
}

ArrayAttr mlir::tg::mirrorPositions(ArrayAttr positions, ArrayAttr other,
                                    Value tensor, DenseI64ArrayAttr axes) {
  SmallVector<Dim> dims = tg::getDims(positions);
  for (int64_t axis : axes.asArrayRef())
    dims[axis] = getDim(getTypeOf(tensor), axis) - Dim(other[axis]);
  return getPositionsAttr(positions.getContext(), dims);
}

bool mlir::tg::areZeroOn(ArrayAttr positions, DenseI64ArrayAttr axes) {
  return llvm::all_of(axes.asArrayRef(),
                      [&](int64_t axis) { return Dim(positions[axis]).is(0); });
}

std::optional<ShrinkThenPad>
mlir::tg::commuteShrinkOfPad(Value x, ArrayAttr low, ArrayAttr high,
                             ArrayAttr from, ArrayAttr to) {
  RankedTensorType type = getTypeOf(x);
  MLIRContext *context = type.getContext();
  Dim zero(context, 0);
  SmallVector<Dim> newFrom, newTo, newLow, newHigh;
  for (auto [axis, l, h, f, t] :
       llvm::enumerate(tg::getDims(low), tg::getDims(high), tg::getDims(from),
                       tg::getDims(to))) {
    Dim size = getDim(type, axis);
    auto add = [&](Dim from, Dim to, Dim low, Dim high) {
      newFrom.push_back(from);
      newTo.push_back(to);
      newLow.push_back(low);
      newHigh.push_back(high);
    };
    std::optional<int64_t> n = size.getStatic(), pad = l.getStatic(),
                           first = f.getStatic(), last = t.getStatic();
    if (n && pad && first && last) {
      int64_t end = *pad + *n;
      add(Dim(context, std::clamp<int64_t>(*first - *pad, 0, *n)),
          Dim(context, std::clamp<int64_t>(*last - *pad, 0, *n)),
          Dim(context, std::max<int64_t>(std::min(*pad, *last) - *first, 0)),
          Dim(context, std::max<int64_t>(*last - std::max(end, *first), 0)));
      continue;
    }
    // Symbolic sizes can be decided if the part is inside the tensor itself, or
    // contains all of it.
    if ((f - l).getMin() >= 0 && (l + size - t).getMin() >= 0)
      add(f - l, t - l, zero, zero);
    else if (f == zero && t == l + size + h)
      add(zero, size, l, h);
    else
      return std::nullopt;
  }
  return ShrinkThenPad{
      getPositionsAttr(context, newFrom), getPositionsAttr(context, newTo),
      getPositionsAttr(context, newLow), getPositionsAttr(context, newHigh)};
}
