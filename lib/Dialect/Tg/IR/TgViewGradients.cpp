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

#include "TinyGrad/Dialect/Tg/IR/TgViewGradients.h"
#include "GradientAlgebra.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::tg;

/// More phases of strided windows than this are not summed apart.
constexpr int64_t kMaxPhases = 16;
/// Nor are they if there are fewer windows: the sums would be short.
constexpr int64_t kFewestWindows = 16;

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

/// The positions from the first to the last of `size` elements, `step` apart. A
/// masked view may have no elements.
static Dim getCovered(Dim size, Dim step) {
  MLIRContext *context = size.getContext();
  const Dim covered = size * step - step + Dim(context, 1);
  return covered.getMin() < 0
             ? Dim::get(DimOpKind::max, covered, Dim(context, 0))
             : covered;
}

/// The sum over inner walks. The axes of \p x are all inner walks, then the
/// outer one of each axis of the space. For each position of the inner walks,
/// the elements, `step` apart, are shifted by it, which is one view, and added
/// up. In reverse order, the shifts are windows like those of a convolution.
/// The result has the axes of the space, as far as the walks reach.
static Value sumWindows(const Algebra &a, Value x, ArrayRef<AxisWalks> walks) {
  const Dim zero = getNumber(a, 0), one = getNumber(a, 1);
  size_t numInner = 0;
  for (const AxisWalks &axis : walks)
    numInner += axis.inner.size();
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
    ends.push_back(getCovered(size, step));
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
  return x;
}

/// Whether a value is a sum of products, moved: twice as many summands would
/// take twice as long.
static bool isSumOfProducts(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isMovementOp(op))
    op = op->getOperand(0).getDefiningOp();
  auto sum = dyn_cast_or_null<ReduceOp>(op);
  return sum && sum.getKind() == ReduceKind::add &&
         sum.getX().getDefiningOp<MulOp>();
}

namespace {
/// The positions [begin, end) of an axis of the space.
struct Crop {
  int64_t begin, end;
};

/// The windows of a sum of products begin `step` positions apart (a convolution
/// with a stride). One sum over all shifts would consist mostly of zeros
/// between the elements. Instead, the positions of each phase, modulo `step`,
/// add up the shifts that reach them: a sum over shorter windows without a
/// stride, for each combination of phases. The sums take turns in the result:
///
///   result[step * q + phase] = sum over t of
///     x[q + e - t, k = p + step * t]        p = (phase + c) mod step,
///                                           e = floor((phase + c) / step)
///
/// where c is the distance of the first wanted position from that of the walks.
class Phases {
public:
  Phases(const Algebra &a, Value x, ArrayRef<AxisWalks> walks,
         ArrayRef<std::optional<Crop>> crops)
      : a(a), x(x), walks(walks), crops(crops), phases(walks.size(), 0) {}

  /// The sums, of the cropped positions where there are phases.
  Value run();

private:
  Value sumPhase();
  Value cut(Value sum, ArrayRef<std::optional<Crop>> wanted);
  Value selectFrom(size_t axis);

  const Algebra &a;
  Value x;
  ArrayRef<AxisWalks> walks;
  /// Of the axes that have phases.
  ArrayRef<std::optional<Crop>> crops;
  /// Of the current part; 0 along axes without.
  SmallVector<int64_t> phases;
  /// The axes of the space; of those with phases, the positions of each phase
  /// and then the phases.
  SmallVector<Dim> spread;
};
} // namespace

/// These positions of the axes, zero where there are none.
Value Phases::cut(Value sum, ArrayRef<std::optional<Crop>> wanted) {
  SmallVector<Dim> from, to, low, high;
  const SmallVector<Dim> sizes = getShape(sum);
  for (auto [size, crop] : llvm::zip_equal(sizes, wanted)) {
    if (!crop) {
      from.push_back(getNumber(a, 0));
      to.push_back(size);
      low.push_back(getNumber(a, 0));
      high.push_back(getNumber(a, 0));
      continue;
    }
    const int64_t count = crop->end - crop->begin,
                  begin = std::clamp<int64_t>(crop->begin, 0, size.getMax()),
                  end = std::clamp<int64_t>(crop->end, 0, size.getMax()),
                  before = std::clamp<int64_t>(-crop->begin, 0, count);
    from.push_back(getNumber(a, begin));
    to.push_back(getNumber(a, end));
    low.push_back(getNumber(a, before));
    high.push_back(getNumber(a, count - before - (end - begin)));
  }
  if (from != SmallVector<Dim>(from.size(), getNumber(a, 0)) || to != sizes)
    sum = ShrinkOp::create(a.b, a.loc, sum, getAttrs(a, from), getAttrs(a, to));
  return pad(a, sum, low, high);
}

/// The sums of the positions of the current phases, repeated for all phases.
Value Phases::sumPhase() {
  const SmallVector<Dim> sizes = getShape(x);
  SmallVector<AxisWalks> part(walks.begin(), walks.end());
  View slice;
  slice.offset = getNumber(a, 0);
  slice.shape.assign(sizes.begin(), sizes.end());
  slice.strides.assign(sizes.size(), getNumber(a, 1));
  for (size_t i = sizes.size() - 1; i-- > 0;)
    slice.strides[i] = slice.strides[i + 1] * sizes[i + 1];
  size_t inner = 0;
  SmallVector<std::optional<Crop>> wanted;
  for (auto [axis, crop, phase] : llvm::zip_equal(part, crops, phases)) {
    wanted.emplace_back();
    if (crop) {
      const int64_t step = axis.outer->step,
                    c = crop->begin - axis.first.getMin(),
                    e = llvm::divideFloorSigned(phase + c, step),
                    p = phase + c - e * step;
      slice.offset = slice.offset + slice.strides[inner] * getNumber(a, p);
      slice.strides[inner] = slice.strides[inner] * getNumber(a, step);
      axis.reach = (axis.reach - p) / step;
      axis.outer->step = 1;
      slice.shape[inner] = getNumber(a, axis.reach + 1);
      const int64_t count = crop->end - crop->begin;
      wanted.back() = Crop{e, e + (count + step - 1) / step};
    }
    inner += axis.inner.size();
  }
  slice.normalize();
  Value taken = StridedOp::create(
      a.b, a.loc, getTensorType(slice.shape, getElementTypeOrSelf(x)), x,
      a.b.getArrayAttr(Attribute(slice.getAttr())));
  Value sum = cut(sumWindows(a, taken, part), wanted);
  SmallVector<Dim> single;
  for (auto [crop, size] : llvm::zip_equal(crops, getShape(sum))) {
    single.push_back(size);
    if (crop)
      single.push_back(getNumber(a, 1));
  }
  return a.expand(reshapeTo(a, sum, single),
                  getTensorType(spread, getElementTypeOrSelf(x)));
}

/// Selects by the phases along this axis and those after it.
Value Phases::selectFrom(size_t axis) {
  while (axis < walks.size() && !crops[axis])
    ++axis;
  if (axis == walks.size())
    return sumPhase();
  int64_t place = 1;
  for (size_t i = 0; i < axis; ++i)
    place += crops[i] ? 2 : 1;
  auto number = getTensorType(spread, a.b.getI32Type());
  Value selected;
  for (int64_t phase = walks[axis].outer->step; phase-- > 0;) {
    phases[axis] = phase;
    Value part = selectFrom(axis + 1);
    if (!selected) {
      selected = part;
      continue;
    }
    Value isPhase = a.equal(IotaOp::create(a.b, a.loc, number, place),
                            ConstOp::create(a.b, a.loc, number, phase));
    selected = a.select(isPhase, part, selected);
  }
  return selected;
}

Value Phases::run() {
  SmallVector<Dim> joined;
  SmallVector<std::optional<Crop>> wanted;
  const SmallVector<Dim> sizes = getShape(x);
  size_t outer = 0;
  for (const AxisWalks &axis : walks)
    outer += axis.inner.size();
  for (auto [axis, crop] : llvm::zip_equal(walks, crops)) {
    const Dim size = axis.outer ? sizes[outer++] : getNumber(a, 1);
    const int64_t step = axis.outer ? axis.outer->step : 1;
    wanted.emplace_back();
    if (!crop) {
      spread.push_back(getCovered(size, getNumber(a, step)) +
                       getNumber(a, axis.reach));
      joined.push_back(spread.back());
      continue;
    }
    const int64_t count = crop->end - crop->begin,
                  ofPhase = (count + step - 1) / step;
    spread.append({getNumber(a, ofPhase), getNumber(a, step)});
    joined.push_back(getNumber(a, ofPhase * step));
    wanted.back() = Crop{0, count};
  }
  return cut(reshapeTo(a, selectFrom(0), joined), wanted);
}

/// The positions of each axis for which phases are summed apart: along axes
/// whose windows overlap, but begin several positions apart. \p inside are
/// those that are wanted.
static SmallVector<std::optional<Crop>>
findPhases(ArrayRef<AxisWalks> walks, ArrayRef<Dim> space, ArrayRef<Dim> shape,
           ArrayRef<std::optional<Crop>> inside) {
  SmallVector<std::optional<Crop>> crops(walks.size());
  int64_t count = 1, windows = 1;
  for (auto [i, axis] : llvm::enumerate(walks)) {
    if (!axis.outer || axis.outer->step <= 1 || axis.inner.size() != 1 ||
        axis.inner.front().step != 1 || axis.reach < axis.outer->step ||
        !axis.first.isStatic() || !space[i].isStatic() ||
        !shape[axis.outer->axis].isStatic())
      continue;
    crops[i] = inside[i] ? *inside[i] : Crop{0, space[i].getMax()};
    count *= axis.outer->step;
    windows *= shape[axis.outer->axis].getMax();
  }
  if (count > kMaxPhases || windows < kFewestWindows)
    crops.assign(walks.size(), std::nullopt);
  return crops;
}

/// Of two walks, of which one is in steps, makes that the outer one if the
/// other is not much longer (a convolution of a few positions).
static void preferSteps(AxisWalks &axis, ArrayRef<Dim> shape) {
  if (!axis.outer || axis.outer->step != 1 || axis.inner.size() != 1 ||
      axis.inner.front().step == 1)
    return;
  Walk &inner = axis.inner.front();
  const Dim size = shape[axis.outer->axis];
  if (!size.isStatic() || size.getMax() > 2 * shape[inner.axis].getMax())
    return;
  std::swap(inner, *axis.outer);
  axis.reach = std::max<int64_t>(size.getMax() - 1, 0);
}

/// The gradient by the space of a view along axes. First the axes of the view
/// are brought into the order: all inner walks, then an outer one for each axis
/// of the space. What is outside of the positions \p inside, if there are any,
/// is not used.
static Value addWindows(const Algebra &a, Value gradient, ArrayRef<Dim> space,
                        SmallVector<AxisWalks> walks,
                        ArrayRef<std::optional<Crop>> inside) {
  SmallVector<std::optional<Crop>> crops(walks.size());
  bool hasPhases = false;
  if (isSumOfProducts(gradient)) {
    SmallVector<AxisWalks> inSteps = walks;
    for (AxisWalks &axis : inSteps)
      preferSteps(axis, getShape(gradient));
    crops = findPhases(inSteps, space, getShape(gradient), inside);
    hasPhases =
        llvm::any_of(crops, [](auto &crop) { return crop.has_value(); });
    if (hasPhases)
      walks = inSteps;
  }
  const int64_t rank = int64_t(getShape(gradient).size());
  // Axes of the view that do not move are summed.
  SmallVector<bool> moves(rank, false);
  SmallVector<int64_t> order;
  for (const AxisWalks &axis : walks)
    for (const Walk &walk : axis.inner)
      order.push_back(int64_t(walk.axis));
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
  x = hasPhases ? Phases(a, x, walks, crops).run() : sumWindows(a, x, walks);

  // To its place in the space.
  SmallVector<Dim> low, rest;
  for (auto [axis, crop, size, covered] :
       llvm::zip_equal(walks, crops, space, getShape(x))) {
    low.push_back(crop ? getNumber(a, crop->begin) : axis.first);
    rest.push_back(size - low.back() - covered);
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

/// The gradient of the operand of a view. \p padding is that operand if nothing
/// outside of what it pads is used, or null.
static Value buildViewGradient(StridedOp op, OpBuilder &builder, Value gradient,
                               PadOp padding) {
  Algebra a(builder, gradient);
  SmallVector<View, 1> views;
  for (Attribute attr : op.getViews())
    views.emplace_back(cast<ViewAttr>(attr));
  for (size_t i = views.size(); i-- > 0;) {
    View &view = views[i];
    const SmallVector<Dim> space =
        i != 0 ? llvm::to_vector_of<Dim>(views[i - 1].shape)
               : getShape(op.getX());
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
    SmallVector<std::optional<Crop>> inside(space.size());
    if (padding && i == 0)
      for (auto [axis, crop] : llvm::enumerate(inside)) {
        const Dim low = getDims(padding.getLow())[axis],
                  high = space[axis] - getDims(padding.getHigh())[axis];
        if (low.isStatic() && high.isStatic())
          crop = Crop{low.getMin(), high.getMin()};
      }
    if (auto walks = findWalks(space, view))
      gradient = addWindows(a, gradient, space, *walks, inside);
    else
      gradient = scatterAll(a, gradient, space, view);
  }
  // Sizes with a single value may have become numbers.
  return a.reshape(gradient, op.getX().getType());
}

FailureOr<Value> StridedOp::buildGradient(OpBuilder &builder, unsigned,
                                          Value gradient) {
  return buildViewGradient(*this, builder, gradient, /*padding=*/{});
}

FailureOr<Value> tg::buildGradientInside(StridedOp op, OpBuilder &builder,
                                         Value gradient) {
  return buildViewGradient(op, builder, gradient,
                           op.getX().getDefiningOp<PadOp>());
}
