//===- TgViewGradients.cpp - derivatives of views -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The derivative of tg.strided: each element of the operand gets the sum of
/// the gradients of all positions that read it. Windows along axes, as those of
/// convolution and pooling, become sums over shifted copies; other views a
/// scatter.
///
//===----------------------------------------------------------------------===//

#include "GradientAlgebra.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include <limits>

using namespace mlir;
using namespace mlir::tg;

namespace {
/// An axis of a view that moves along an axis of the space by `step`.
struct Walk {
  size_t axis;
  int64_t step;
};

/// How the positions of an axis of the space depend on the axes of the view: a
/// constant plus the walks. `outer` is the longest of them, if there is one.
struct AxisWalks {
  Dim first;
  std::optional<Walk> outer;
  SmallVector<Walk> inner;
  /// The distance between the first and the last position of the inner walks.
  int64_t reach = 0;
};
} // namespace

static Dim getNumber(const Algebra &a, int64_t value) {
  return Dim(a.b.getContext(), value);
}

static ArrayAttr getAttrs(const Algebra &a, ArrayRef<Dim> dims) {
  return a.b.getArrayAttr(llvm::map_to_vector(
      dims, [](Dim dim) -> Attribute { return dim.getAttr(); }));
}

static SmallVector<Dim> getShape(Value x) {
  return getDims(cast<RankedTensorType>(x.getType()));
}

static Value reshapeTo(const Algebra &a, Value x, ArrayRef<Dim> shape) {
  return a.reshape(x, getTensorType(shape, getElementTypeOrSelf(x)));
}

static Value pad(const Algebra &a, Value x, ArrayRef<Dim> low,
                 ArrayRef<Dim> high) {
  auto isZero = [](Dim dim) { return dim.is(0); };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return x;
  return PadOp::create(a.b, a.loc, x, getAttrs(a, low), getAttrs(a, high));
}

/// The sum along axes, which are removed.
static Value sumAway(const Algebra &a, Value x, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return x;
  SmallVector<Dim> rest;
  for (auto [i, dim] : llvm::enumerate(getShape(x)))
    if (!llvm::is_contained(axes, int64_t(i)))
      rest.push_back(dim);
  return reshapeTo(a, a.reduce(ReduceKind::add, x, axes), rest);
}

/// Along each axis of the space, the walks of the view; none if an index of the
/// view is not along one axis in positive steps, as that of a diagonal.
static std::optional<SmallVector<AxisWalks>> findWalks(ArrayRef<Dim> space,
                                                       const View &view) {
  SmallVector<AxisWalks> walks(space.size());
  SmallVector<bool> moves(view.shape.size(), false);
  for (const AxisGroup &group : splitPositions(space, view)) {
    if (group.begin == group.end)
      continue;
    if (group.end - group.begin != 1)
      return std::nullopt;
    AxisWalks &axis = walks[group.begin];
    axis.first = group.constant;
    if (axis.first.getMin() < 0)
      return std::nullopt;
    for (auto [i, coefficient] : llvm::enumerate(group.coefficients)) {
      if (coefficient.is(0) || view.shape[i].is(1))
        continue;
      std::optional<int64_t> step = coefficient.getStatic();
      if (!step || *step <= 0 || moves[i])
        return std::nullopt;
      moves[i] = true;
      Walk walk{i, *step};
      if (axis.outer &&
          view.shape[axis.outer->axis].getMax() < view.shape[i].getMax())
        std::swap(walk, *axis.outer);
      else if (!axis.outer) {
        axis.outer = walk;
        continue;
      }
      // The number of shifted copies.
      std::optional<int64_t> size = view.shape[walk.axis].getStatic();
      if (!size)
        return std::nullopt;
      axis.inner.push_back(walk);
      axis.reach += (std::max<int64_t>(*size, 1) - 1) * walk.step;
    }
  }
  return walks;
}

/// The gradient by the space of a view along axes. First the axes of the view
/// are brought into the order: all inner walks, then an outer one for each axis
/// of the space, its elements `step` apart. Then, for each position of the
/// inner walks, the elements are shifted by these positions, which is one view,
/// and added up. In reverse order, the shifts are windows like those of a
/// convolution.
static Value addWindows(const Algebra &a, Value gradient, ArrayRef<Dim> space,
                        const SmallVector<AxisWalks> &walks) {
  const int64_t rank = int64_t(getShape(gradient).size());
  const Dim zero = getNumber(a, 0), one = getNumber(a, 1);
  // Axes of the view that do not move are summed.
  SmallVector<bool> moves(rank, false);
  SmallVector<int64_t> order;
  for (const AxisWalks &axis : walks)
    for (const Walk &walk : axis.inner)
      order.push_back(int64_t(walk.axis));
  const size_t numInner = order.size();
  for (const AxisWalks &axis : walks)
    if (axis.outer)
      order.push_back(int64_t(axis.outer->axis));
  for (int64_t axis : order)
    moves[axis] = true;
  SmallVector<int64_t> still;
  for (int64_t i = 0; i < rank; ++i)
    if (!moves[i])
      still.push_back(i);
  for (int64_t &axis : order)
    axis -= llvm::count_if(still, [&](int64_t other) { return other < axis; });
  Value x = sumAway(a, gradient, still);
  x = PermuteOp::create(a.b, a.loc, x, a.b.getDenseI64ArrayAttr(order));
  for (size_t i = 0; i < numInner; ++i)
    x = a.flip(x, int64_t(i));

  // Spread the outer walks: n elements at a distance of `step` each.
  const SmallVector<Dim> sizes = getShape(x);
  SmallVector<Dim> spread(ArrayRef(sizes).take_front(numInner)), single, high,
      joined, ends;
  single = joined = ends = spread;
  high.assign(numInner, zero);
  size_t next = numInner;
  for (const AxisWalks &axis : walks) {
    const Dim size = axis.outer ? sizes[next++] : one;
    const Dim step = getNumber(a, axis.outer ? axis.outer->step : 1);
    single.append({size, one});
    high.append({zero, step - one});
    joined.push_back(size * step);
    ends.push_back(size * step - step + one);
  }
  if (joined != ends) {
    SmallVector<Dim> none(single.size(), zero), from(joined.size(), zero);
    x = reshapeTo(a, pad(a, reshapeTo(a, x, single), none, high), joined);
    x = ShrinkOp::create(a.b, a.loc, x, getAttrs(a, from), getAttrs(a, ends));
  } else {
    x = reshapeTo(a, x, ends);
  }

  // Room for the shifts on both sides, then one view of all shifted copies.
  SmallVector<Dim> room(numInner, zero), shape, view;
  for (const AxisWalks &axis : walks)
    room.push_back(getNumber(a, axis.reach));
  x = pad(a, x, room, room);
  if (numInner != 0) {
    shape = getShape(x);
    SmallVector<Dim> strides(shape.size(), one);
    for (size_t i = shape.size() - 1; i-- > 0;)
      strides[i] = strides[i + 1] * shape[i + 1];
    View shifted;
    shifted.offset = zero;
    size_t inner = 0;
    SmallVector<Dim> innerStrides;
    for (auto [i, axis] : llvm::enumerate(walks)) {
      const Dim stride = strides[numInner + i];
      shifted.shape.push_back(shape[numInner + i] - getNumber(a, axis.reach));
      shifted.strides.push_back(stride);
      for (const Walk &walk : axis.inner)
        innerStrides.push_back(strides[inner++] +
                               getNumber(a, walk.step) * stride);
    }
    SmallVector<int64_t> summed;
    for (size_t i = 0; i < numInner; ++i) {
      summed.push_back(int64_t(shifted.shape.size()));
      shifted.shape.push_back(shape[i]);
      shifted.strides.push_back(innerStrides[i]);
    }
    shifted.normalize();
    x = StridedOp::create(a.b, a.loc,
                          getTensorType(shifted.shape, getElementTypeOrSelf(x)),
                          x, a.b.getArrayAttr(Attribute(shifted.getAttr())));
    x = sumAway(a, x, summed);
  }

  // To its place in the space.
  SmallVector<Dim> low, rest;
  for (auto [axis, size, covered] :
       llvm::zip_equal(walks, space, getShape(x))) {
    low.push_back(axis.first);
    rest.push_back(size - axis.first - covered);
  }
  return pad(a, x, low, rest);
}

/// The gradient by the space of any view: a scatter in row-major order.
static Value scatterAll(const Algebra &a, Value gradient, ArrayRef<Dim> space,
                        const View &view) {
  Dim total = getNumber(a, 1), count = total;
  for (Dim size : space)
    total = total * size;
  for (Dim size : view.shape)
    count = count * size;
  Type element = getElementTypeOrSelf(gradient);
  Type integer = total.getMax() > std::numeric_limits<int32_t>::max()
                     ? a.b.getI64Type()
                     : a.b.getI32Type();
  auto positions = cast<RankedTensorType>(
      cast<RankedTensorType>(gradient.getType()).clone(integer));
  auto number = [&](Dim dim) -> Value {
    if (std::optional<int64_t> value = dim.getStatic())
      return ConstOp::create(a.b, a.loc, positions, *value);
    return DimOp::create(a.b, a.loc, positions, dim.getAttr());
  };
  Value index = number(view.offset);
  for (auto [axis, stride] : llvm::enumerate(view.strides))
    if (!stride.is(0))
      index = a.add(index, a.mul(IotaOp::create(a.b, a.loc, positions, axis),
                                 number(stride)));
  Value zeros = ConstOp::create(a.b, a.loc, getTensorType({total}, element),
                                getNumberAttr(element, 0.0));
  Value sums = a.scatter(UpdateKind::add, zeros, reshapeTo(a, index, {count}),
                         reshapeTo(a, gradient, {count}), 0);
  return reshapeTo(a, sums, space);
}

FailureOr<Value> StridedOp::buildGradient(OpBuilder &builder, unsigned,
                                          Value gradient) {
  Algebra a(builder, gradient);
  SmallVector<View, 1> views;
  for (Attribute attr : getViews())
    views.emplace_back(cast<ViewAttr>(attr));
  for (size_t i = views.size(); i-- > 0;) {
    View &view = views[i];
    const SmallVector<Dim> space =
        i != 0 ? llvm::to_vector_of<Dim>(views[i - 1].shape) : getShape(getX());
    // Masked positions read nothing.
    if (!view.mask.empty()) {
      SmallVector<Dim> from, to;
      for (size_t axis = 0; axis < view.shape.size(); ++axis) {
        const Span span = view.getSpan(axis);
        from.push_back(span.begin);
        to.push_back(span.end);
        view.offset = view.offset + span.begin * view.strides[axis];
        view.shape[axis] = span.end - span.begin;
      }
      gradient = ShrinkOp::create(builder, a.loc, gradient, getAttrs(a, from),
                                  getAttrs(a, to));
      view.mask.clear();
    }
    if (auto walks = findWalks(space, view))
      gradient = addWindows(a, gradient, space, *walks);
    else
      gradient = scatterAll(a, gradient, space, view);
  }
  // Sizes with a single value may have become numbers.
  return a.reshape(gradient, getX().getType());
}
