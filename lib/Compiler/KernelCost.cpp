//===- KernelCost.cpp - how much work a kernel is -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Counts operations by the positions of the ranges they depend on.
///
//===----------------------------------------------------------------------===//

#include "KernelCost.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tinygrad;

double KernelCost::getNanoseconds() const {
  // About 4 operations and 8 bytes a nanosecond.
  return std::max(double(operations) / 4, double(bytes) / 8);
}

static double getPositions(ArrayRef<Value> ranges) {
  double count = 1;
  for (Value range : ranges)
    count *= static_cast<double>(
        tg::Dim(range.getDefiningOp<tg::RangeOp>().getExtent()).getMax());
  return count;
}

KernelCost tinygrad::estimateCost(tg::KernelOp kernel) {
  tg::IndexAnalysis analysis;
  double operations = 0;
  // Bytes that the loads and stores of each buffer touch at most.
  llvm::DenseMap<Value, double> touched;
  for (Operation &op : kernel.getBody().front()) {
    Value buffer;
    ArrayRef<Value> ranges;
    if (auto load = dyn_cast<tg::LoadOp>(op)) {
      buffer = load.getBuffer();
      ranges = analysis.getRanges(load.getIndex());
    } else if (auto store = dyn_cast<tg::StoreOp>(op)) {
      buffer = store.getBuffer();
      ranges = analysis.getRanges(store.getIndex());
    }
    if (buffer) {
      Type type = cast<MemRefType>(buffer.getType()).getElementType();
      touched[buffer] += getPositions(ranges) *
                         llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
      continue;
    }
    if (op.getNumResults() != 1 ||
        isa<tg::ConstOp, tg::RangeOp, tg::StageOp, tg::BarrierOp, tg::WhereOp>(
            op) ||
        isa<IndexType>(op.getResult(0).getType()) ||
        llvm::any_of(op.getOperandTypes(),
                     [](Type type) { return isa<IndexType>(type); }))
      if (!isa<tg::RangedReduceOp>(op))
        continue;
    Value counted = op.getResult(0);
    if (auto reduce = dyn_cast<tg::RangedReduceOp>(op)) {
      double count = getPositions(analysis.getRanges(reduce.getResult()));
      SmallVector<Value> closed(reduce.getRanges());
      operations += count * getPositions(closed);
      continue;
    }
    if (counted.getType().isInteger(1))
      continue;
    operations += getPositions(analysis.getRanges(counted));
  }
  double bytes = 0;
  for (BlockArgument argument : kernel.getArguments()) {
    auto type = cast<MemRefType>(argument.getType());
    double all = double(type.getNumElements()) *
                 llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    bytes += std::min(all, touched.lookup(argument));
  }
  KernelCost cost;
  cost.operations = static_cast<int64_t>(std::min(operations, 1e18));
  cost.bytes = static_cast<int64_t>(std::min(bytes, 1e18));
  return cost;
}

std::string tinygrad::describeSchedule(tg::KernelOp kernel) {
  std::string text = kernel.getName().str() + ":";
  for (auto range : kernel.getBody().getOps<tg::RangeOp>())
    text += (" " + tg::stringifyRangeKind(range.getKind()) + " " +
             tg::Dim(range.getExtent()).str())
                .str();
  return text;
}
