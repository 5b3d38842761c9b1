//===- Tiles.cpp - reductions that need lanes along the result ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Examines the views of reduced tensors and the indices of accesses.
///
//===----------------------------------------------------------------------===//

#include "Tiles.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// Measured slowdown of a 512x512x512 matrix product with masks, with strided
/// lanes, and without lanes along the result.
constexpr double kMasked = 3, kStrided = 4, kWithoutLanes = 32;
/// The least number of positions for which lanes are worthwhile.
constexpr int64_t kMinPositions = 8;
/// The limit for operations inspected between a reduction and its inputs.
constexpr size_t kMaxOps = 64;

bool mlir::tg::needsTile(ReduceOp reduce) {
  const SmallVector<Dim> shape = getDims(reduce.getX().getType());
  // Axes with enough positions for lanes, along which all reads are contiguous
  // or invariant.
  llvm::SmallSetVector<int64_t, 4> lanes;
  SmallVector<int64_t> resultAxes;
  for (auto [axis, size] : llvm::enumerate(shape)) {
    if (llvm::is_contained(reduce.getAxes(), int64_t(axis))) {
      if (size.getMax() >= kMinPositions)
        lanes.insert(axis);
    } else if (!size.is(1)) {
      resultAxes.push_back(axis);
    }
  }
  if (resultAxes.empty())
    return false;
  bool hasReads = false, readsAllOnce = false;
  auto addRead = [&](const View &view) {
    hasReads = true;
    lanes.remove_if([&](int64_t axis) {
      const Dim stride = view.strides[axis];
      return !stride.is(0) && !stride.is(1) && !stride.is(-1);
    });
    readsAllOnce |= llvm::none_of(
        resultAxes, [&](int64_t axis) { return view.strides[axis].is(0); });
  };
  llvm::SmallSetVector<Value, 16> values;
  values.insert(reduce.getX());
  for (size_t i = 0; i < values.size() && values.size() < kMaxOps; ++i) {
    Operation *op = values[i].getDefiningOp();
    if (isa_and_nonnull<ConstOp, IotaOp, DimOp>(op))
      continue;
    if (auto strided = dyn_cast_or_null<StridedOp>(op))
      addRead(View(cast<ViewAttr>(strided.getViews().getValue().back())));
    else if (op && op->hasTrait<OpTrait::Elementwise>())
      values.insert_range(op->getOperands());
    else
      addRead(View::getRowMajor(reduce.getContext(), shape));
  }
  return hasReads && (lanes.empty() || !readsAllOnce);
}

double mlir::tg::getSlowdown(const Access &access) {
  IndexAnalysis &analysis = access.kernel->getIndex().getAnalysis();
  if (access.kernel->getResultRanges().empty())
    return 1;
  const Value lane = access.kernel->getContiguousRange();
  double slowdown =
      access.mask && !analysis.getRanges(access.mask).empty() ? kMasked : 1;
  bool hasLanes = false;
  for (Value index : access.indices) {
    const LinearForm &form = analysis.getLinear(index);
    if (!form.constant.isStatic())
      return kWithoutLanes;
    for (auto [atom, coefficient] : form.terms) {
      std::optional<int64_t> step = coefficient.getStatic();
      if (!step || !atom.getDefiningOp<RangeOp>())
        return kWithoutLanes;
      if (atom != lane)
        continue;
      hasLanes = true;
      if (llvm::AbsoluteValue(*step) != 1)
        slowdown = std::max(slowdown, kStrided);
    }
  }
  return hasLanes ? slowdown : kWithoutLanes;
}
