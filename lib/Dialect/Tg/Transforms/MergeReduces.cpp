//===- MergeReduces.cpp - sums over windows of sums of products -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-merge-reduces pass.
///
//===----------------------------------------------------------------------===//

#include "SplitProducts.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGMERGEREDUCES
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// The merged sum may have this many times as many summands as the inner one
/// has: most of what is more is zeros around the windows. It may have more if a
/// shrink discards the others.
constexpr int64_t kMaxGrowth = 2;

/// A sum of products is divided into parts if this many results use each
/// element of a factor: each part reads all of the other factor, or pieces of
/// all its cache lines.
constexpr int64_t kFewestUses = 192;

static double getLargestSize(ArrayRef<Dim> shape) {
  Dim size(shape.front().getContext(), 1);
  for (Dim dim : shape)
    size = size * dim;
  return static_cast<double>(size.getMax());
}

static double getSize(Value value) {
  return getLargestSize(getDims(cast<RankedTensorType>(value.getType())));
}

static bool isSumOfProducts(ReduceOp op) {
  if (op.getKind() != ReduceKind::add || op.getAxes().empty())
    return false;
  Operation *summand = op.getX().getDefiningOp();
  while (summand && (isMovementOp(summand) || isa<StridedOp>(summand)))
    summand = summand->getOperand(0).getDefiningOp();
  return isa_and_nonnull<MulOp>(summand);
}

/// The movements from a sum of products, of which nothing else is used, to the
/// operand of `outer`.
static ReduceOp findInner(ReduceOp outer, SmallVector<Operation *> &movements) {
  Operation *op = outer.getX().getDefiningOp();
  while (op && op->hasOneUse() && (isMovementOp(op) || isa<StridedOp>(op))) {
    movements.push_back(op);
    op = op->getOperand(0).getDefiningOp();
  }
  std::reverse(movements.begin(), movements.end());
  auto inner = dyn_cast_or_null<ReduceOp>(op);
  if (!inner || llvm::none_of(movements, llvm::IsaPred<StridedOp>) ||
      !inner->hasOneUse() || !isSumOfProducts(inner))
    return {};
  return inner;
}

/// The part of the elements of a value that is computed in a kernel of its only
/// user, which discards the others: what `tg.shrink` leaves.
static double getNeededPart(Value value) {
  const double whole = getSize(value);
  double least = whole;
  while (value.hasOneUse() && isa<ReshapeOp, PermuteOp, FlipOp, ShrinkOp>(
                                  *value.getUsers().begin())) {
    value = value.getUsers().begin()->getResult(0);
    least = std::min(least, getSize(value));
  }
  return whole > 0 ? least / whole : 1;
}

/// Adds axes in front of those of a view.
static void addAxes(View &view, ArrayRef<Dim> sizes, ArrayRef<Dim> strides) {
  if (!view.mask.empty()) {
    SmallVector<Span> spans;
    for (Dim size : sizes)
      spans.push_back({Dim(size.getContext(), 0), size});
    view.mask.insert(view.mask.begin(), spans.begin(), spans.end());
  }
  view.shape.insert(view.shape.begin(), sizes.begin(), sizes.end());
  view.strides.insert(view.strides.begin(), strides.begin(), strides.end());
}

/// The views over the operand of `inner` that correspond to views over its
/// result, with the reduced axes in front. None if an index of the first view
/// is not along one axis.
static std::optional<SmallVector<View, 2>> extend(ArrayRef<View> views,
                                                  ReduceOp inner) {
  const SmallVector<Dim> space = getDims(inner.getType()),
                         whole = getDims(
                             cast<RankedTensorType>(inner.getX().getType()));
  MLIRContext *context = inner.getContext();
  const Dim zero(context, 0);
  SmallVector<Dim> wholeStrides(whole.size(), Dim(context, 1));
  for (size_t i = whole.size() - 1; i > 0; --i)
    wholeStrides[i - 1] = wholeStrides[i] * whole[i];
  SmallVector<View, 2> results(views);
  View &first = results.front();
  first.offset = zero;
  for (Dim &stride : first.strides)
    stride = zero;
  for (const AxisGroup &group : splitPositions(space, views.front())) {
    if (group.begin == group.end)
      continue;
    if (group.end - group.begin != 1)
      return std::nullopt;
    const Dim stride = wholeStrides[group.begin];
    first.offset = first.offset + group.constant * stride;
    for (auto [i, coefficient] : llvm::enumerate(group.coefficients))
      first.strides[i] = first.strides[i] + coefficient * stride;
  }
  SmallVector<Dim> sizes, strides;
  for (int64_t axis : inner.getAxes()) {
    sizes.push_back(whole[axis]);
    strides.push_back(wholeStrides[axis]);
  }
  for (View &view : results) {
    // The next view is over the positions of this one.
    SmallVector<Dim> next(sizes.size(), Dim(context, 1));
    for (Dim size : view.shape)
      next.back() = next.back() * size;
    for (size_t i = sizes.size() - 1; i > 0; --i)
      next[i - 1] = next[i] * sizes[i];
    addAxes(view, sizes, strides);
    view.normalize();
    strides = next;
  }
  return results;
}

/// The sum of `inner` at the positions of views over its result, and over the
/// last axes of these.
static Value sumAt(ReduceOp inner, ArrayRef<View> views,
                   ArrayRef<int64_t> lastAxes, RankedTensorType type,
                   OpBuilder &builder, Location loc) {
  const auto numInner = int64_t(inner.getAxes().size());
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < numInner; ++i)
    axes.push_back(i);
  for (int64_t axis : lastAxes)
    axes.push_back(axis + numInner);
  SmallVector<Attribute> attrs;
  for (const View &view : views)
    attrs.push_back(view.getAttr());
  Value moved = StridedOp::create(
      builder, loc,
      getTensorType(views.back().shape, getElementTypeOrSelf(inner.getX())),
      inner.getX(), builder.getArrayAttr(attrs));
  Value sum = ReduceOp::create(builder, loc, ReduceKind::add, moved,
                               builder.getDenseI64ArrayAttr(axes));
  return ReshapeOp::create(builder, loc, type, sum);
}

/// The axes along which a view moves, without what its mask leaves out.
static View getRead(const View &view) {
  View read;
  read.offset = view.offset;
  for (size_t i = 0; i < view.shape.size(); ++i) {
    if (view.strides[i].is(0))
      continue;
    const Span span = view.getSpan(i);
    read.offset = read.offset + span.begin * view.strides[i];
    read.shape.push_back(span.end - span.begin);
    read.strides.push_back(view.strides[i]);
  }
  return read;
}

/// The same view over the elements of getRead.
static View getViewOfRead(const View &view) {
  View result(view);
  result.offset = Dim(view.offset.getContext(), 0);
  Dim stride(view.offset.getContext(), 1);
  for (size_t i = view.shape.size(); i-- > 0;) {
    if (view.strides[i].is(0))
      continue;
    const Span span = view.getSpan(i);
    result.strides[i] = stride;
    result.offset = result.offset - span.begin * stride;
    stride = stride * (span.end - span.begin);
  }
  result.normalize();
  return result;
}

/// If the users of a sum of products read parts of it that together are no
/// larger, computes the parts apart: each can then be merged with what adds it
/// up.
static void divide(ReduceOp inner) {
  if (!isSumOfProducts(inner) || inner->use_empty() ||
      getFewestUses(inner).value_or(kFewestUses) < kFewestUses)
    return;
  SmallVector<Operation *> movements;
  Operation *op = inner;
  while (op->hasOneUse() && isMovementOp(*op->getUsers().begin())) {
    op = *op->getUsers().begin();
    movements.push_back(op);
  }
  if (op->hasOneUse() ||
      !llvm::all_of(op->getUsers(), llvm::IsaPred<StridedOp>))
    return;
  double size = 0;
  std::vector<std::pair<StridedOp, SmallVector<View, 2>>> parts;
  for (Operation *user : op->getUsers()) {
    auto part = cast<StridedOp>(user);
    View read = getRead(View(cast<ViewAttr>(part.getViews()[0])));
    if (read.shape.empty())
      return;
    size += getLargestSize(read.shape);
    read.normalize();
    ViewChain chain(inner.getType());
    for (Operation *movement : movements)
      chain.apply(movement);
    OpBuilder builder(part);
    auto slice = StridedOp::create(
        builder, part.getLoc(),
        getTensorType(read.shape, getElementTypeOrSelf(part.getType())),
        part.getX(), builder.getArrayAttr(Attribute(read.getAttr())));
    chain.apply(slice);
    slice.erase();
    auto views = extend(chain.getViews(), inner);
    if (!views)
      return;
    parts.emplace_back(part, *views);
  }
  if (size > getSize(inner.getResult()))
    return;
  for (auto &[part, views] : parts) {
    OpBuilder builder(part);
    SmallVector<Attribute> attrs(part.getViews().getValue());
    const View first(cast<ViewAttr>(attrs.front()));
    attrs.front() = getViewOfRead(first).getAttr();
    Value sum = sumAt(inner, views, {},
                      getTensorType(getRead(first).shape,
                                    getElementTypeOrSelf(part.getType())),
                      builder, part.getLoc());
    Value moved = StridedOp::create(builder, part.getLoc(), part.getType(), sum,
                                    builder.getArrayAttr(attrs));
    part.replaceAllUsesWith(moved);
    part.erase();
  }
  for (Operation *movement : llvm::reverse(movements))
    movement->erase();
  inner.erase();
}

static void merge(ReduceOp outer) {
  if (outer.getKind() != ReduceKind::add ||
      !isa<FloatType>(getElementTypeOrSelf(outer.getType())))
    return;
  SmallVector<Operation *> movements;
  ReduceOp inner = findInner(outer, movements);
  if (!inner)
    return;
  ViewChain chain(inner.getType());
  for (Operation *movement : movements)
    chain.apply(movement);
  auto views = extend(chain.getViews(), inner);
  if (!views)
    return;
  const double summands = getLargestSize(views->back().shape),
               before = getSize(inner.getX());
  if (summands > kMaxGrowth * before &&
      summands * getNeededPart(outer.getResult()) > before)
    return;
  OpBuilder builder(outer);
  outer.getResult().replaceAllUsesWith(sumAt(inner, *views, outer.getAxes(),
                                             outer.getType(), builder,
                                             outer.getLoc()));
  outer.erase();
  for (Operation *movement : llvm::reverse(movements))
    movement->erase();
  inner.erase();
}

namespace {
struct MergeReduces : tg::impl::TgMergeReducesBase<MergeReduces> {
  void runOnOperation() override {
    SmallVector<ReduceOp> sums;
    getOperation().walk([&](ReduceOp op) { sums.push_back(op); });
    for (ReduceOp op : sums)
      divide(op);
    sums.clear();
    getOperation().walk([&](ReduceOp op) { sums.push_back(op); });
    // An inner sum, which is erased, comes before the outer one.
    for (ReduceOp op : sums)
      merge(op);
  }
};
} // namespace
