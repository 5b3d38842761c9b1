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

#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGMERGEREDUCES
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// The merged sum may have this many times as many summands as the inner one
/// has: most of what is more is zeros around the windows.
constexpr int64_t kMaxGrowth = 2;

static int64_t getLargestSize(ArrayRef<Dim> shape) {
  Dim size(shape.front().getContext(), 1);
  for (Dim dim : shape)
    size = size * dim;
  return size.getMax();
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
      !inner->hasOneUse() || inner.getKind() != ReduceKind::add ||
      !inner.getX().getDefiningOp<MulOp>() || inner.getAxes().empty())
    return {};
  return inner;
}

/// The part of the elements of a value that is computed in a kernel of its only
/// user, which discards the others: what `tg.shrink` leaves.
static double getNeededPart(Value value) {
  const auto whole =
      static_cast<double>(getLargestSize(getDims(cast<RankedTensorType>(value.getType()))));
  double least = whole;
  while (value.hasOneUse() && isa<ReshapeOp, PermuteOp, FlipOp, ShrinkOp>(
                                  *value.getUsers().begin())) {
    value = value.getUsers().begin()->getResult(0);
    least = std::min(least, static_cast<double>(
                                getLargestSize(getDims(cast<RankedTensorType>(value.getType())))));
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
  auto before = cast<RankedTensorType>(inner.getX().getType());
  if (!views)
    return;
  const auto summands =
      static_cast<double>(getLargestSize(views->back().shape)) *
      getNeededPart(outer.getResult());
  if (summands >
      kMaxGrowth * static_cast<double>(getLargestSize(getDims(before))))
    return;
  OpBuilder builder(outer);
  Location loc = outer.getLoc();
  const auto numInner = int64_t(inner.getAxes().size());
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < numInner; ++i)
    axes.push_back(i);
  for (int64_t axis : outer.getAxes())
    axes.push_back(axis + numInner);
  SmallVector<Attribute> attrs;
  for (const View &view : *views)
    attrs.push_back(view.getAttr());
  Value moved = StridedOp::create(
      builder, loc, getTensorType(views->back().shape, before.getElementType()),
      inner.getX(), builder.getArrayAttr(attrs));
  Value sum = ReduceOp::create(builder, loc, ReduceKind::add, moved,
                               builder.getDenseI64ArrayAttr(axes));
  Value result = ReshapeOp::create(builder, loc, outer.getType(), sum);
  outer.getResult().replaceAllUsesWith(result);
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
    // An inner sum, which is erased, comes before the outer one.
    for (ReduceOp op : sums)
      merge(op);
  }
};
} // namespace
