//===- TgView.cpp - views of memory ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Movement operations on views, and chains of views.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"

using namespace mlir;
using namespace mlir::tg;

static Dim getMinimum(Dim lhs, Dim rhs) {
  return Dim::get(DimOpKind::min, lhs, rhs);
}
static Dim getMaximum(Dim lhs, Dim rhs) {
  return Dim::get(DimOpKind::max, lhs, rhs);
}

/// Strides of a row-major space; 0 for axes of size 1.
static SmallVector<Dim, 4> getStrides(MLIRContext *context,
                                      ArrayRef<Dim> shape) {
  SmallVector<Dim, 4> strides(shape.size(), Dim(context, 0));
  Dim stride(context, 1);
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis].is(1))
      continue;
    strides[axis] = stride;
    stride = stride * shape[axis];
  }
  return strides;
}

//===----------------------------------------------------------------------===//
// View
//===----------------------------------------------------------------------===//

View::View(ViewAttr attr) : offset(attr.getOffset()) {
  for (Attribute dim : attr.getShape())
    shape.push_back(Dim(dim));
  for (Attribute stride : attr.getStrides())
    strides.push_back(Dim(stride));
  for (auto [begin, end] : llvm::zip(attr.getBegin(), attr.getEnd()))
    mask.push_back({Dim(begin), Dim(end)});
}

ViewAttr View::getAttr() const {
  auto getAttrs = [](ArrayRef<Dim> dims) {
    return llvm::map_to_vector(dims, [](Dim dim) { return dim.getAttr(); });
  };
  SmallVector<Attribute> begin, end;
  for (const Span &span : mask) {
    begin.push_back(span.begin.getAttr());
    end.push_back(span.end.getAttr());
  }
  return ViewAttr::get(getContext(), getAttrs(shape), getAttrs(strides),
                       offset.getAttr(), begin, end);
}

View View::getRowMajor(MLIRContext *context, ArrayRef<Dim> shape) {
  View view;
  view.shape.assign(shape.begin(), shape.end());
  view.strides = getStrides(context, shape);
  view.offset = Dim(context, 0);
  return view;
}

View View::getMemory(MLIRContext *context, ArrayRef<Dim> shape) {
  View view = getRowMajor(context, shape);
  SmallVector<Dim> largest;
  for (int64_t size : getLargestShape(shape))
    largest.push_back(Dim(context, size));
  view.strides = getStrides(context, largest);
  return view;
}

Span View::getSpan(size_t axis) const {
  return mask.empty() ? Span{Dim(getContext(), 0), shape[axis]} : mask[axis];
}

bool View::isMasked(size_t axis) const {
  return !mask.empty() &&
         (!mask[axis].begin.is(0) || mask[axis].end != shape[axis]);
}

bool View::isEmpty() const {
  for (Dim size : shape)
    if (size.is(0))
      return true;
  return llvm::any_of(mask, [](const Span &span) {
    return (span.end - span.begin).getMax() <= 0;
  });
}

void View::normalize() {
  Dim zero(getContext(), 0);
  for (auto [axis, span] : llvm::enumerate(mask)) {
    span.begin = getMaximum(span.begin, zero);
    span.end = getMinimum(span.end, shape[axis]);
  }
  for (auto [size, stride] : llvm::zip(shape, strides))
    if (size.is(1) && !stride.is(0))
      stride = zero;
  // All views without elements have one normal form.
  if (!mask.empty() && isEmpty()) {
    offset = zero;
    llvm::fill(strides, zero);
    llvm::fill(mask, Span{zero, zero});
  }
  for (size_t axis = 0, e = mask.size(); axis < e; ++axis)
    if (isMasked(axis))
      return;
  mask.clear();
}

void View::substitute(function_ref<Dim(VarAttr)> getValue) {
  for (MutableArrayRef<Dim> dims :
       {MutableArrayRef<Dim>(shape), MutableArrayRef<Dim>(strides),
        MutableArrayRef<Dim>(offset)})
    for (Dim &dim : dims)
      dim = dim.substitute(getValue);
  for (Span &span : mask)
    span = {span.begin.substitute(getValue), span.end.substitute(getValue)};
  normalize();
}

View View::permute(ArrayRef<int64_t> order) const {
  View result;
  result.offset = offset;
  for (int64_t axis : order) {
    result.shape.push_back(shape[axis]);
    result.strides.push_back(strides[axis]);
    if (!mask.empty())
      result.mask.push_back(mask[axis]);
  }
  return result;
}

View View::expand(ArrayRef<Dim> newShape) const {
  View result = *this;
  for (auto [axis, size] : llvm::enumerate(newShape)) {
    if (shape[axis] == size)
      continue;
    result.shape[axis] = size;
    result.strides[axis] = Dim(getContext(), 0);
    // The only element of the axis is either masked or not.
    if (!mask.empty())
      result.mask[axis] = {mask[axis].begin * size, mask[axis].end * size};
  }
  result.normalize();
  return result;
}

View View::pad(ArrayRef<Dim> low, ArrayRef<Dim> high) const {
  View result = *this;
  for (auto [axis, before, after] : llvm::enumerate(low, high)) {
    Span span = getSpan(axis);
    if (result.mask.empty())
      for (Dim size : shape)
        result.mask.push_back({Dim(getContext(), 0), size});
    result.shape[axis] = shape[axis] + before + after;
    result.offset = result.offset - before * strides[axis];
    result.mask[axis] = {span.begin + before, span.end + before};
  }
  result.normalize();
  return result;
}

View View::shrink(ArrayRef<Dim> from, ArrayRef<Dim> to) const {
  View result = *this;
  for (auto [axis, begin, end] : llvm::enumerate(from, to)) {
    result.shape[axis] = end - begin;
    result.offset = result.offset + begin * strides[axis];
    if (!mask.empty())
      result.mask[axis] = {mask[axis].begin - begin, mask[axis].end - begin};
  }
  result.normalize();
  return result;
}

View View::flip(ArrayRef<int64_t> axes) const {
  View result = *this;
  Dim one(getContext(), 1), minusOne(getContext(), -1);
  for (int64_t axis : axes) {
    result.offset = result.offset + (shape[axis] - one) * strides[axis];
    result.strides[axis] = strides[axis] * minusOne;
    if (!mask.empty())
      result.mask[axis] = {shape[axis] - mask[axis].end,
                           shape[axis] - mask[axis].begin};
  }
  return result;
}

std::optional<View> View::reshape(ArrayRef<Dim> newShape) const {
  return merge(*this, getRowMajor(getContext(), newShape));
}

bool View::leaves(Dim size) const {
  // A view that may be empty need not access anything.
  for (size_t axis = 0, e = shape.size(); axis < e; ++axis)
    if (Span span = getSpan(axis); (span.end - span.begin).getMin() <= 0)
      return false;
  auto touched = getTouched();
  return touched &&
         (touched->first.getMin() < 0 ||
          (size - touched->second).getMin() <= 0) &&
         !isWithin(size);
}

//===----------------------------------------------------------------------===//
// ViewChain
//===----------------------------------------------------------------------===//

ViewChain::ViewChain(RankedTensorType type) : baseShape(getDims(type)) {
  views.push_back(View::getRowMajor(type.getContext(), baseShape));
}

ViewChain::ViewChain(RankedTensorType type, ArrayAttr attr)
    : baseShape(getDims(type)) {
  for (auto view : attr.getAsRange<ViewAttr>())
    views.push_back(View(view));
}

ArrayAttr ViewChain::getAttr() const {
  SmallVector<Attribute> attrs;
  for (const View &view : views)
    attrs.push_back(view.getAttr());
  return ArrayAttr::get(views.front().getContext(), attrs);
}

/// The number of positions in the space that a view refers to.
Dim ViewChain::getSpaceSize(size_t number) const {
  return getNumElements(views.front().getContext(),
                        number == 0 ? ArrayRef<Dim>(baseShape)
                                    : ArrayRef<Dim>(views[number - 1].shape));
}

/// Merges the last view with those before as long as the result is proved to
/// stay within its space.
void ViewChain::mergeLast() {
  while (views.size() > 1) {
    const size_t last = views.size() - 1;
    std::optional<View> merged = View::merge(views[last - 1], views[last]);
    if (!merged || !merged->isWithin(getSpaceSize(last - 1)))
      return;
    views.pop_back();
    views.back() = std::move(*merged);
  }
}

void ViewChain::append(View view) {
  views.push_back(std::move(view));
  mergeLast();
}

void ViewChain::apply(Operation *movement) {
  cast<MovementOpInterface>(movement).applyTo(*this);
}

void ViewChain::transform(function_ref<View(const View &)> apply) {
  View applied = apply(views.back());
  if (!applied.isWithin(getSpaceSize(views.size() - 1)))
    return append(
        apply(View::getRowMajor(views.back().getContext(), getShape())));
  views.back() = std::move(applied);
  mergeLast();
}

void ReshapeOp::applyTo(ViewChain &chain) {
  chain.append(View::getRowMajor(getContext(), tg::getDims(getType())));
}

void PermuteOp::applyTo(ViewChain &chain) {
  chain.transform([&](const View &view) { return view.permute(getOrder()); });
}

void ExpandOp::applyTo(ViewChain &chain) {
  SmallVector<Dim> shape = tg::getDims(getType());
  chain.transform([&](const View &view) { return view.expand(shape); });
}

void PadOp::applyTo(ViewChain &chain) {
  chain.transform([&](const View &view) {
    return view.pad(tg::getDims(getLow()), tg::getDims(getHigh()));
  });
}

void ShrinkOp::applyTo(ViewChain &chain) {
  chain.transform([&](const View &view) {
    return view.shrink(tg::getDims(getFrom()), tg::getDims(getTo()));
  });
}

void FlipOp::applyTo(ViewChain &chain) {
  chain.transform([&](const View &view) { return view.flip(getAxes()); });
}

void StridedOp::applyTo(ViewChain &chain) {
  for (auto view : getViews().getAsRange<ViewAttr>())
    chain.append(View(view));
}

bool StridedOp::mayAddZeros() {
  return llvm::any_of(getViews().getAsRange<ViewAttr>(),
                      [](ViewAttr view) { return !view.getBegin().empty(); });
}

bool StridedOp::keepsOrder() {
  ViewChain reshape(getX().getType());
  reshape.append(View::getRowMajor(getContext(), tg::getDims(getType())));
  return getViews() == reshape.getAttr();
}

std::optional<View> ViewChain::getMemoryView() const {
  if (views.size() != 1)
    return std::nullopt;
  View memory = View::getMemory(views.front().getContext(), baseShape);
  // If all sizes are static, which is the common case, memory is row-major.
  if (llvm::all_of(baseShape, [](Dim dim) { return dim.isStatic(); }))
    return views.front();
  if (views.front() == View::getRowMajor(views.front().getContext(), baseShape))
    return memory;
  return View::merge(memory, views.front());
}

std::optional<Dim> ViewChain::getContiguousOffset() const {
  std::optional<View> view = getMemoryView();
  if (!view || !view->mask.empty())
    return std::nullopt;
  // An empty view is contiguous at any offset.
  if (view->isEmpty())
    return Dim(view->getContext(), 0);
  if (view->strides != View::getMemory(view->getContext(), view->shape).strides)
    return std::nullopt;
  return view->offset;
}

LogicalResult
ViewChain::verify(function_ref<InFlightDiagnostic()> emitError) const {
  for (auto [number, view] : llvm::enumerate(views)) {
    Dim size = getSpaceSize(number);
    if (!view.leaves(size))
      continue;
    auto [least, greatest] = *view.getTouched();
    return emitError() << "view " << number << " reads positions "
                       << least.str() << " to " << greatest.str() << " of "
                       << (number == 0 ? "a tensor" : "a view") << " of "
                       << size.str() << " elements (C3)";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ViewEvaluator
//===----------------------------------------------------------------------===//

std::optional<ViewEvaluator> ViewEvaluator::get(const ViewChain &chain) {
  ViewEvaluator evaluator;
  for (const View &view : chain.getViews()) {
    if (!view.offset.isStatic())
      return std::nullopt;
    Level &level = evaluator.levels.emplace_back();
    level.offset = *view.offset.getStatic();
    for (auto [axis, size] : llvm::enumerate(view.shape)) {
      Span span = view.getSpan(axis);
      for (Dim dim : {size, view.strides[axis], span.begin, span.end})
        if (!dim.isStatic())
          return std::nullopt;
      level.axes.push_back({*size.getStatic(), *view.strides[axis].getStatic(),
                            *span.begin.getStatic(), *span.end.getStatic()});
    }
  }
  return evaluator;
}

std::optional<int64_t>
ViewEvaluator::getPosition(ArrayRef<int64_t> index) const {
  SmallVector<int64_t, 4> current(index);
  int64_t position = 0;
  for (size_t number = levels.size(); number-- > 0;) {
    const Level &level = levels[number];
    position = level.offset;
    for (auto [i, axis] : llvm::zip_equal(current, level.axes)) {
      if (i < axis.begin || i >= axis.end)
        return std::nullopt;
      position += i * axis.stride;
    }
    if (number == 0)
      break;
    ArrayRef<Axis> axes = levels[number - 1].axes;
    current.resize(axes.size());
    int64_t rest = position;
    for (size_t axis = axes.size(); axis-- > 0;) {
      current[axis] = rest % axes[axis].size;
      rest /= axes[axis].size;
    }
  }
  return position;
}
