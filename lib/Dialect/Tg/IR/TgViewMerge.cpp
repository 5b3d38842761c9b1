//===- TgViewMerge.cpp - merging views ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expresses the positions of a view by the axes of the space that it refers
/// to, and merges two views into one.
///
/// A position in a row-major space has one digit per axis. A view's position is
/// the lowest position it touches plus a multiple of each stride, where the
/// multiplier counts the steps of an index. The digits of this sum are the sums
/// of the digits as long as these are less than the sizes of the axes: then
/// there is no carry, and each digit is linear in the indices.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::tg;

/// Whether a < b for all values of the variables.
static bool isLess(Dim a, Dim b) { return (b - a).getMin() > 0; }
static bool isAtMost(Dim a, Dim b) { return (b - a).getMin() >= 0; }

//===----------------------------------------------------------------------===//
// Assumption that an index exists
//===----------------------------------------------------------------------===//

namespace {
/// Bounds of variables under the assumption that there is an index: no size is
/// 0, so that for instance a variable from 0 on that is a size is treated as
/// one from 1 on.
class IndexAssumption {
public:
  /// Of the indices of a shape.
  explicit IndexAssumption(ArrayRef<Dim> shape) {
    for (Dim size : shape)
      raise(size, 1);
  }
  /// Of the indices of a view that its mask does not exclude.
  explicit IndexAssumption(const View &view) : IndexAssumption(view.shape) {
    for (const Span &span : view.mask)
      raise(span.end - span.begin, 1);
  }

  /// With the variables as they are then, and as they were.
  Dim assume(Dim dim) const { return replace(dim, raised); }
  View assume(View view) const { return replace(std::move(view), raised); }
  Dim restore(Dim dim) const { return guardDivisors(replace(dim, original)); }
  View restore(View view) const;

private:
  using Variables = llvm::SmallDenseMap<VarAttr, VarAttr, 2>;

  void raise(Dim dim, int64_t least);
  static Dim replace(Dim dim, const Variables &variables);
  static View replace(View view, const Variables &variables);
  static Dim guardDivisors(Dim dim);

  /// Variables before by those after, and the other way round.
  Variables raised, original;
};
} // namespace

void IndexAssumption::raise(Dim dim, int64_t least) {
  if (dim.isStatic() || dim.getMin() >= least || dim.getMax() < least)
    return;
  if (auto var = dyn_cast<VarAttr>(dim.getAttr())) {
    if (var.getValue() && *var.getValue() < least)
      return;
    VarAttr &known = raised.try_emplace(var, var).first->second;
    known = VarAttr::get(var.getContext(), var.getName(),
                         std::max(known.getMin(), least), var.getMax(),
                         var.getValue());
    original[known] = var;
    return;
  }
  auto expr = cast<DimExprAttr>(dim.getAttr());
  const SmallVector<Dim> operands = getDims(expr.getOperands());
  // The number of a sum or product, or the divisor, is the last operand.
  const bool isPair = operands.size() == 2;
  std::optional<int64_t> number = operands.back().getStatic();
  switch (expr.getKind()) {
  case DimOpKind::mul:
    if (isPair && number && *number > 0)
      return raise(operands[0], llvm::divideCeil(least, *number));
    // If a product is positive, none of its factors is 0.
    if (llvm::all_of(operands, [](Dim dim) { return dim.getMin() >= 0; }))
      for (Dim operand : operands)
        raise(operand, 1);
    return;
  case DimOpKind::min:
    for (Dim operand : operands)
      raise(operand, least);
    return;
  case DimOpKind::add:
    if (isPair && number)
      raise(operands[0], least - *number);
    return;
  case DimOpKind::floordiv:
    if (number && *number > 0)
      raise(operands[0], least * *number);
    return;
  case DimOpKind::mod:
  case DimOpKind::max:
    return;
  }
}

Dim IndexAssumption::replace(Dim dim, const Variables &variables) {
  if (variables.empty())
    return dim;
  return dim.substitute([&](VarAttr var) {
    VarAttr other = variables.lookup(var);
    return Dim(other ? other : var);
  });
}

View IndexAssumption::replace(View view, const Variables &variables) {
  if (!variables.empty())
    view.substitute([&](VarAttr var) { return replace(Dim(var), variables); });
  return view;
}

/// A restored size may be 0, and then there is no index, but no expression
/// divides by what may be 0.
Dim IndexAssumption::guardDivisors(Dim dim) {
  auto expr = dyn_cast<DimExprAttr>(dim.getAttr());
  if (!expr)
    return dim;
  const SmallVector<Dim> before = getDims(expr.getOperands());
  SmallVector<Dim> operands = llvm::map_to_vector(before, guardDivisors);
  const DimOpKind kind = expr.getKind();
  if ((kind == DimOpKind::floordiv || kind == DimOpKind::mod) &&
      operands[1].getMin() < 1)
    operands[1] =
        Dim::get(DimOpKind::max, operands[1], Dim(dim.getContext(), 1));
  return operands == before ? dim : Dim::get(kind, operands);
}

View IndexAssumption::restore(View view) const {
  if (original.empty())
    return view;
  view = replace(std::move(view), original);
  for (MutableArrayRef<Dim> dims :
       {MutableArrayRef<Dim>(view.strides), MutableArrayRef<Dim>(view.offset)})
    for (Dim &dim : dims)
      dim = guardDivisors(dim);
  for (Span &span : view.mask)
    span = {guardDivisors(span.begin), guardDivisors(span.end)};
  view.normalize();
  return view;
}

//===----------------------------------------------------------------------===//
// Positions by axes
//===----------------------------------------------------------------------===//

/// The digits of a position: its quotients by the strides of a row-major space,
/// one after another. None if one cannot be proved to be a digit.
static std::optional<SmallVector<Dim, 4>> getDigits(Dim position,
                                                    ArrayRef<Dim> strides) {
  SmallVector<Dim, 4> digits;
  for (Dim stride : strides) {
    // An axis of size 1.
    if (stride.is(0)) {
      digits.push_back(stride);
      continue;
    }
    if (stride.is(1)) {
      digits.push_back(position);
      position = position - position;
      continue;
    }
    if (stride.getMin() < 1)
      return std::nullopt;
    Dim quotient = Dim::get(DimOpKind::floordiv, position, stride);
    Dim rest = position - quotient * stride;
    if (rest.getMin() < 0 || !isLess(rest, stride))
      return std::nullopt;
    digits.push_back(quotient);
    position = rest;
  }
  return digits;
}

namespace {
/// What an index of a view adds to its position: `stride` per step, at most
/// `steps` times, counted up from the beginning of its span or down from the
/// end.
struct Direction {
  Dim stride, steps, first;
  bool isDown = false;
};
} // namespace

/// The directions from the lowest position that the view touches, and that
/// position. None if the sign of a stride is unknown.
static std::optional<SmallVector<Direction, 4>> getDirections(const View &view,
                                                              Dim &origin) {
  Dim one(view.getContext(), 1), minusOne(view.getContext(), -1);
  origin = view.offset;
  SmallVector<Direction, 4> directions;
  for (auto [axis, stride] : llvm::enumerate(view.strides)) {
    Span span = view.getSpan(axis);
    Direction direction{stride, span.end - span.begin - one, span.begin, false};
    if (stride.getMin() < 0) {
      if (stride.getMax() > 0)
        return std::nullopt;
      direction = {stride * minusOne, direction.steps, span.end - one, true};
    }
    if (!stride.is(0))
      origin = origin + direction.first * stride;
    directions.push_back(direction);
  }
  return directions;
}

std::optional<std::pair<Dim, Dim>> View::getTouched() const {
  Dim least;
  auto directions = getDirections(*this, least);
  if (!directions)
    return std::nullopt;
  Dim greatest = least;
  for (const Direction &direction : *directions)
    greatest = greatest + direction.stride * direction.steps;
  return std::make_pair(least, greatest);
}

bool View::isWithin(Dim size) const {
  if (isEmpty())
    return true;
  const IndexAssumption assumption(*this);
  auto touched = assumption.assume(*this).getTouched();
  return touched && touched->first.getMin() >= 0 &&
         isLess(touched->second, assumption.assume(size));
}

/// Divides the axes into groups, as small as bounds can prove.
static SmallVector<AxisGroup, 4> findGroups(ArrayRef<Dim> shape,
                                            const View &view) {
  MLIRContext *context = view.getContext();
  Dim zero(context, 0), one(context, 1);
  const size_t rank = view.shape.size();
  if (shape.empty())
    return {};
  // A single group of all axes is always correct.
  AxisGroup whole{0,           shape.size(),
                  view.offset, view.strides,
                  zero,        getNumElements(context, shape) - one};
  Dim origin;
  auto directions = getDirections(view, origin);
  if (!directions || view.isEmpty() || shape.size() == 1)
    return {whole};
  const SmallVector<Dim, 4> strides = View::getRowMajor(context, shape).strides;
  auto originDigits = getDigits(origin, strides);
  if (!originDigits)
    return {whole};
  SmallVector<SmallVector<Dim, 4>, 4> digits;
  for (const Direction &direction : *directions) {
    auto ofStride = getDigits(direction.stride, strides);
    if (!ofStride)
      return {whole};
    digits.push_back(std::move(*ofStride));
  }

  // Carries go from the last axis to the first.
  SmallVector<AxisGroup, 4> groups;
  size_t end = shape.size();
  while (end > 0) {
    size_t begin = end;
    Dim size = one, low = zero, high;
    SmallVector<Dim, 4> steps(rank, zero);
    do {
      --begin;
      low = low + (*originDigits)[begin] * size;
      for (size_t d = 0; d < rank; ++d)
        if (!digits[d][begin].is(0))
          steps[d] = steps[d] + digits[d][begin] * size;
      size = size * shape[begin];
      high = low;
      for (auto [step, direction] : llvm::zip(steps, *directions))
        if (!step.is(0))
          high = high + step * direction.steps;
      // The first axis produces no carry.
    } while (begin > 0 && !isLess(high, size));
    AxisGroup group{begin, end, low, {}, low, high};
    for (auto [step, direction] : llvm::zip(steps, *directions)) {
      Dim coefficient = direction.isDown ? zero - step : step;
      group.coefficients.push_back(coefficient);
      if (!step.is(0))
        group.constant = group.constant - coefficient * direction.first;
    }
    groups.push_back(std::move(group));
    end = begin;
  }
  std::reverse(groups.begin(), groups.end());
  return groups;
}

SmallVector<AxisGroup, 4> mlir::tg::splitPositions(ArrayRef<Dim> shape,
                                                   const View &view) {
  const IndexAssumption assumption(view);
  SmallVector<Dim, 4> sizes;
  for (Dim size : shape)
    sizes.push_back(assumption.assume(size));
  SmallVector<AxisGroup, 4> groups = findGroups(sizes, assumption.assume(view));
  for (AxisGroup &group : groups) {
    for (Dim *dim : {&group.constant, &group.min, &group.max})
      *dim = assumption.restore(*dim);
    for (Dim &coefficient : group.coefficients)
      coefficient = assumption.restore(coefficient);
  }
  return groups;
}

View View::joinAxes() const {
  View result;
  result.offset = offset;
  Dim zero(getContext(), 0);
  for (size_t axis = 0, e = shape.size(); axis < e; ++axis) {
    if (shape[axis].is(1) && !isMasked(axis))
      continue;
    Span span = getSpan(axis);
    if (!result.shape.empty() && !isMasked(axis) &&
        result.strides.back() == strides[axis] * shape[axis]) {
      result.shape.back() = result.shape.back() * shape[axis];
      result.strides.back() = strides[axis];
      result.mask.back() = {result.mask.back().begin * shape[axis],
                            result.mask.back().end * shape[axis]};
      continue;
    }
    result.shape.push_back(shape[axis]);
    result.strides.push_back(strides[axis]);
    result.mask.push_back(span);
  }
  // A space with one position needs an axis.
  if (result.shape.empty()) {
    result.shape.push_back(Dim(getContext(), 1));
    result.strides.push_back(zero);
  }
  result.normalize();
  return result;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

static Dim getCeilDiv(Dim a, Dim b) {
  Dim one(a.getContext(), 1);
  return Dim::get(DimOpKind::floordiv, a + b - one, b);
}

namespace {
/// For each index of the outer view, the steps [begin, end) for which all
/// digits in the inner space are within its mask.
class MaskSolver {
public:
  MaskSolver(ArrayRef<Direction> directions, MLIRContext *context)
      : zero(context, 0), one(context, 1) {
    for (const Direction &direction : directions)
      bounds.push_back({zero, direction.steps + one});
  }

  struct Term {
    size_t axis;
    Dim step, steps;
  };

  /// Adds the constraint `low <= sum of step * count < high`. Returns false if
  /// it cannot be expressed as bounds of the counts.
  bool demand(ArrayRef<Term> terms, Dim low, Dim high);

  SmallVector<Span, 4> bounds;
  /// The constraints are contradictory.
  bool isNever = false;

private:
  void bound(size_t axis, Dim begin, Dim end) {
    Span &span = bounds[axis];
    span.begin = Dim::get(DimOpKind::max, span.begin, begin);
    span.end = Dim::get(DimOpKind::min, span.end, end);
  }
  bool demandWithin(ArrayRef<Term> terms, size_t big, Dim rest, Dim low,
                    Dim high);

  Dim zero, one;
};
} // namespace

bool MaskSolver::demand(ArrayRef<Term> terms, Dim low, Dim high) {
  Dim greatest = zero;
  for (const Term &term : terms)
    greatest = greatest + term.step * term.steps;
  if (low.getMax() <= 0 && isLess(greatest, high))
    return true;
  if (isAtMost(high, low) || high.getMax() <= 0 || isLess(greatest, low)) {
    isNever = true;
    return true;
  }
  if (terms.size() == 1) {
    const Term &term = terms.front();
    if (term.step.getMin() < 1)
      return false;
    bound(term.axis, getCeilDiv(low, term.step), getCeilDiv(high, term.step));
    return true;
  }
  for (auto [big, term] : llvm::enumerate(terms)) {
    Dim rest = greatest - term.step * term.steps;
    if (isLess(rest, term.step) && demandWithin(terms, big, rest, low, high))
      return true;
  }
  return false;
}

/// Handles a term whose step exceeds the combined reach of the other terms.
bool MaskSolver::demandWithin(ArrayRef<Term> terms, size_t big, Dim rest,
                              Dim low, Dim high) {
  const Term &term = terms[big];
  if (term.step.getMin() < 1)
    return false;
  // The other terms do not matter if they can never affect the comparison.
  auto isUpToTerm = [&](Dim value) {
    Dim remainder = Dim::get(DimOpKind::mod, value, term.step);
    return remainder.is(0) || isLess(rest, remainder);
  };
  Dim greatest = term.step * term.steps + rest;
  const bool isAbove = low.getMax() <= 0;
  const bool isBelow = isLess(greatest, high);
  if ((isAbove || isUpToTerm(low)) && (isBelow || isUpToTerm(high))) {
    bound(term.axis, isAbove ? zero : getCeilDiv(low, term.step),
          isBelow ? term.steps + one : getCeilDiv(high, term.step));
    return true;
  }
  // The whole interval is within one step of the large term.
  Dim count = Dim::get(DimOpKind::floordiv, low, term.step);
  Dim next = (count + one) * term.step;
  if (low.getMin() < 0 || !isAtMost(high, next))
    return false;
  SmallVector<Term, 4> others;
  for (auto [i, other] : llvm::enumerate(terms))
    if (i != big)
      others.push_back(other);
  Dim before = count * term.step;
  const SmallVector<Span, 4> known = bounds;
  bound(term.axis, count, count + one);
  if (demand(others, low - before, high - before))
    return true;
  bounds = known;
  return false;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// A view of this shape that is zero everywhere.
static std::optional<View> getZeros(MLIRContext *context, ArrayRef<Dim> shape) {
  // A view without axes has no mask.
  if (shape.empty())
    return std::nullopt;
  View view = View::getRowMajor(context, shape);
  Dim zero(context, 0);
  view.mask.assign(shape.size(), {zero, zero});
  view.normalize();
  return view;
}

/// Merges two views if bounds can prove the result.
static std::optional<View> mergeViews(const View &inner, const View &outer) {
  MLIRContext *context = outer.getContext();
  if (outer.isEmpty())
    return outer;
  if (inner.isEmpty())
    return getZeros(context, outer.shape);
  const View space = inner.joinAxes();
  Dim origin;
  auto directions = getDirections(outer, origin);
  if (!directions)
    return std::nullopt;

  View result;
  result.shape = outer.shape;
  result.offset = space.offset;
  result.strides.assign(outer.shape.size(), Dim(context, 0));
  MaskSolver solver(*directions, context);
  for (const AxisGroup &group : splitPositions(space.shape, outer)) {
    if (group.end - group.begin != 1)
      return std::nullopt;
    const size_t axis = group.begin;
    result.offset = result.offset + group.constant * space.strides[axis];
    SmallVector<MaskSolver::Term, 4> terms;
    for (auto [i, coefficient] : llvm::enumerate(group.coefficients)) {
      if (coefficient.is(0))
        continue;
      result.strides[i] = result.strides[i] + coefficient * space.strides[axis];
      const Direction &direction = (*directions)[i];
      // An index with a single position adds nothing.
      if (!direction.steps.is(0))
        terms.push_back(
            {i, direction.isDown ? Dim(context, 0) - coefficient : coefficient,
             direction.steps});
    }
    if (!space.isMasked(axis))
      continue;
    // Steps are counted from the lowest position.
    Dim low = group.constant;
    for (auto [coefficient, direction] :
         llvm::zip(group.coefficients, *directions))
      if (!coefficient.is(0))
        low = low + coefficient * direction.first;
    const Span span = space.mask[axis];
    if (!solver.demand(terms, span.begin - low, span.end - low))
      return std::nullopt;
  }
  if (solver.isNever)
    return getZeros(context, outer.shape);

  // Converts bounds of steps to bounds of indices.
  Dim one(context, 1);
  for (auto [axis, direction] : llvm::enumerate(*directions)) {
    const Span steps = solver.bounds[axis];
    const Span span = outer.getSpan(axis);
    if (steps.begin.is(0) && steps.end == direction.steps + one)
      result.mask.push_back(span);
    else if (direction.isDown)
      result.mask.push_back({span.end - steps.end, span.end - steps.begin});
    else
      result.mask.push_back({span.begin + steps.begin, span.begin + steps.end});
  }
  result.normalize();
  return result;
}

std::optional<View> View::merge(const View &inner, const View &outer) {
  const IndexAssumption assumption(outer.shape);
  std::optional<View> merged =
      mergeViews(assumption.assume(inner), assumption.assume(outer));
  if (!merged)
    return std::nullopt;
  // A size restored may not be what it was: n min 1 is 1 while n is not 0.
  merged->shape = outer.shape;
  return assumption.restore(std::move(*merged));
}
