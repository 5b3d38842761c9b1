//===- SplitAxes.cpp - several ranges for an axis of a result -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Emits the indices of each reduction into a trial kernel, splits axes whose
/// ranges are divided there, and repeats this until nothing changes.
///
//===----------------------------------------------------------------------===//

#include "SplitAxes.h"
#include "LowerViews.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// Limits for the operations inspected between a result and its reductions, and
/// for the number of splits; only artificial graphs exceed them.
constexpr int64_t kMaxOps = 64;
constexpr int kMaxSplits = 8;

namespace {
class AxisSplitter {
public:
  AxisSplitter(Location loc, ArrayRef<Dim> extents, ArrayRef<InnerSizes> splits,
               function_ref<bool(Value)> isTiled)
      : kernel(loc, extents, 0, splits), isTiled(isTiled) {
    for (auto [axis, extent] : llvm::enumerate(extents)) {
      // The ranges in the order in which the kernel created them.
      auto sizes = splits.empty() ? InnerSizes() : splits[axis];
      for (int64_t stride : llvm::reverse(sizes))
        places.push_back({axis, stride});
      if (!sizes.empty() || !extent.is(1))
        places.push_back({axis, 1});
    }
  }

  /// Adds one split that simplifies indices; false if there is none.
  bool run(Value value, ArrayRef<Dim> from, SmallVector<InnerSizes> &splits);

private:
  void visit(Value value, ArrayRef<Value> indices);
  void inspect(Value index);
  void propose(Value range, int64_t size);

  /// The axis of a range, and the stride of the range in it.
  struct Place {
    size_t axis;
    int64_t stride;
  };
  KernelBuilder kernel;
  function_ref<bool(Value)> isTiled;
  SmallVector<Place> places;
  std::optional<Place> split;
  int64_t numOps = 0;
};
} // namespace

/// Proposes to split the range into two, the inner one of this size.
void AxisSplitter::propose(Value range, int64_t size) {
  auto position = llvm::find(kernel.getResultRanges(), range);
  if (position == kernel.getResultRanges().end() || size <= 1)
    return;
  const Place place = places[position - kernel.getResultRanges().begin()];
  const Dim extent = range.getDefiningOp<RangeOp>().getExtentDim();
  if (extent.getMax() <= size ||
      !Dim::get(DimOpKind::mod, extent, Dim(range.getContext(), size)).is(0))
    return;
  if (!split)
    split = {place.axis, place.stride * size};
}

/// Looks for divisions of sums of ranges that a split would remove.
void AxisSplitter::inspect(Value index) {
  IndexAnalysis &analysis = kernel.getIndex().getAnalysis();
  const LinearForm form = analysis.getLinear(index);
  for (auto [atom, coefficient] : form.terms) {
    Operation *op = atom.getDefiningOp();
    if (!isa_and_nonnull<FloorDivOp, FloorModOp>(op))
      continue;
    const std::optional<Dim> divisor = analysis.getDim(op->getOperand(1));
    const LinearForm dividend = analysis.getLinear(op->getOperand(0));
    for (auto [term, step] : dividend.terms) {
      if (!term.getDefiningOp<RangeOp>()) {
        inspect(term);
        continue;
      }
      if (!divisor || !divisor->isStatic() || !step.isStatic() ||
          !dividend.constant.isStatic())
        continue;
      const int64_t by = *divisor->getStatic(), factor = *step.getStatic();
      if (by <= 0 || llvm::AbsoluteValue(factor) >= uint64_t(by))
        continue;
      const int64_t magnitude = std::abs(factor);
      if (by % magnitude != 0)
        continue;
      // The offset must not cause a carry from the inner range to the outer
      // one.
      const int64_t offset = llvm::mod(*dividend.constant.getStatic(), by);
      if (factor > 0 ? offset < magnitude : offset >= by - magnitude)
        propose(term, by / magnitude);
    }
  }
}

void AxisSplitter::visit(Value value, ArrayRef<Value> indices) {
  Operation *op = value.getDefiningOp();
  if (split || !op || !isTiled(value) || ++numOps > kMaxOps)
    return;
  if (auto strided = dyn_cast<StridedOp>(op)) {
    ViewChain chain(strided.getX().getType(), strided.getViews());
    if (llvm::any_of(chain.getViews(),
                     [](const View &view) { return view.isEmpty(); }))
      return;
    Value mask;
    visit(strided.getX(), mapIndices(chain, kernel.getIndex(), indices, mask));
  } else if (op->hasTrait<OpTrait::Elementwise>()) {
    for (Value operand : op->getOperands())
      visit(operand, indices);
  } else if (isa<ReduceOp>(op)) {
    for (Value index : indices)
      inspect(index);
  }
}

bool AxisSplitter::run(Value value, ArrayRef<Dim> from,
                       SmallVector<InnerSizes> &splits) {
  SmallVector<Value> indices;
  for (auto [index, start] : llvm::zip(kernel.getResultIndices(), from))
    indices.push_back(kernel.getIndex().add(index, start));
  visit(value, indices);
  if (!split)
    return false;
  splits.resize(from.size());
  InnerSizes &sizes = splits[split->axis];
  sizes.insert(llvm::lower_bound(sizes, split->stride), split->stride);
  return true;
}

SmallVector<InnerSizes>
mlir::tg::findSplits(Location loc, Value value, ArrayRef<Dim> from,
                     ArrayRef<Dim> extents, function_ref<bool(Value)> isTiled) {
  SmallVector<InnerSizes> splits;
  if (isTiled(value))
    for (int i = 0; i < kMaxSplits; ++i)
      if (!AxisSplitter(loc, extents, splits, isTiled).run(value, from, splits))
        break;
  return splits;
}
