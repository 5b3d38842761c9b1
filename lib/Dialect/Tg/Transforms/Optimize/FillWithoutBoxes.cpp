//===- FillWithoutBoxes.cpp - tiles that work items fill again ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The kernel to run where a GPU refuses to copy boxes: the same one, in which
/// the items of a group copy the elements of tiles `as tma`, and store results.
///
//===----------------------------------------------------------------------===//

#include "KernelSchedule.h"
#include "TinyGrad/Dialect/Tg/Transforms/ScheduleSteps.h"
#include "TinyGrad/Dialect/Tg/Utils/GroupLayout.h"
#include "TinyGrad/Dialect/Tg/Utils/ThreadDiagnostics.h"
#include "TinyGrad/Support/TensorMap.h"

using namespace mlir;
using namespace mlir::tg;

/// The most copies of an item that are one after the other in the code; more of
/// them are a loop.
static constexpr int64_t kMostUnrolled = 16;

bool tg::hasBoxTiles(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<StageOp>(), [](StageOp tile) {
    return tile.getAsTma() && !tile.use_empty();
  });
}

/// Shares the elements of a tile among the items of all axes of the group, of
/// which \p extents are how many positions they have. Neighboring items copy 16
/// bytes each, as the alignment of boxes admits.
static void share(KernelSchedule &schedule, StageOp tile,
                  SmallVector<int64_t> extents) {
  SmallVector<RangeOp> rest =
      llvm::map_to_vector(tile.getRanges(), [](Value range) {
        return range.getDefiningOp<RangeOp>();
      });
  const int64_t bytes =
      llvm::divideCeil(tile.getValue().getType().getIntOrFloatBitWidth(), 8);
  RangeOp last = rest.pop_back_val();
  const int64_t lanes = tinygrad::kTensorMapAlignment / bytes;
  if (last.getLargestExtent() % lanes != 0)
    return;
  if (last.getLargestExtent() > lanes) {
    auto [pieces, inner] = schedule.split(last, lanes);
    rest.push_back(pieces);
    last = inner;
  }
  if (lanes > 1)
    schedule.setKind(last, RangeKind::upcast);
  // From the inner ranges on, so that neighboring items copy neighbors.
  llvm::sort(extents, std::greater<>());
  while (!rest.empty()) {
    RangeOp range = rest.pop_back_val();
    const int64_t size = range.getLargestExtent();
    auto *fits = llvm::find_if(
        extents, [&](int64_t extent) { return size % extent == 0; });
    if (size == 1 || fits == extents.end()) {
      schedule.setKind(range, size <= kMostUnrolled ? RangeKind::unroll
                                                    : RangeKind::loop);
      continue;
    }
    if (*fits < size) {
      auto [outer, inner] = schedule.split(range, *fits);
      rest.push_back(outer);
      range = inner;
    }
    extents.erase(fits);
    schedule.setKind(range, RangeKind::local);
  }
}

std::optional<std::string> tg::fillWithoutBoxes(KernelOp kernel,
                                                const TargetFacts &target) {
  std::string reason;
  // Other kernels are compiled by other threads.
  ThreadDiagnosticHandler handler(
      kernel.getContext(), [&](Diagnostic &error) { reason = error.str(); });
  FailureOr<GroupLayout> given = getGroupLayout(kernel, target);
  if (failed(given))
    return reason;
  SmallVector<StageOp> tiles;
  for (auto tile : kernel.getBody().getOps<StageOp>())
    if (tile.getAsTma() && !tile.use_empty())
      tiles.push_back(tile);
  for (auto store : kernel.getBody().getOps<StoreOp>())
    store.setAsTma(false);
  KernelSchedule schedule(kernel, target);
  for (StageOp tile : tiles) {
    tile.setAsTma(false);
    SmallVector<int64_t> extents;
    for (const GroupLayout::Axis &axis : given->axes)
      if (axis.extent > 1)
        extents.push_back(axis.extent);
    share(schedule, tile, std::move(extents));
  }
  FailureOr<GroupLayout> layout = getGroupLayout(kernel, target);
  if (failed(layout))
    return reason;
  // One launch fits both kernels.
  if (layout->groupSize != given->groupSize || layout->groups != given->groups)
    return "its groups would have other items";
  if (layout->groupBytes > given->groupBytes)
    return "its groups would need more memory";
  return std::nullopt;
}
