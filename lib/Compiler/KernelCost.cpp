//===- KernelCost.cpp - the cost of a kernel ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Counts each operation once per position of the ranges it depends on.
///
//===----------------------------------------------------------------------===//

#include "KernelCost.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tinygrad;

double KernelCost::getNanoseconds(const tg::TargetFacts &target) const {
  return std::max(double(operations.getMax()) /
                      double(target.operationsPerNanosecond),
                  double(bytes.getMax()) / double(target.bytesPerNanosecond));
}

namespace {
/// A sum that stays a plain number as long as possible, so that kernels without
/// variables need no symbolic arithmetic.
class Count {
public:
  explicit Count(MLIRContext *context) : symbolic(context, 0) {}

  /// Adds `times` times the number of positions of the ranges.
  void add(ArrayRef<Value> ranges, int64_t times) {
    double count = double(times);
    tg::Dim positions;
    for (Value range : ranges) {
      tg::Dim extent = range.getDefiningOp<tg::RangeOp>().getExtentDim();
      if (std::optional<int64_t> size = extent.getStatic())
        count *= double(*size);
      else
        positions = positions.getAttr() ? positions * extent : extent;
    }
    if (positions.getAttr())
      symbolic = symbolic + positions * toDim(count);
    else
      number += count;
  }

  tg::Dim get() const { return symbolic + toDim(number); }

private:
  tg::Dim toDim(double value) const {
    return tg::Dim(symbolic.getContext(), int64_t(std::min(value, 1e18)));
  }

  double number = 0;
  tg::Dim symbolic;
};
} // namespace

KernelCost tinygrad::estimateCost(tg::KernelOp kernel) {
  tg::IndexAnalysis analysis;
  MLIRContext *context = kernel.getContext();
  Count operations(context);
  // An upper bound of the bytes accessed in each buffer.
  llvm::DenseMap<Value, std::unique_ptr<Count>> touched;
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
      std::unique_ptr<Count> &count = touched[buffer];
      if (!count)
        count = std::make_unique<Count>(context);
      count->add(ranges, llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
      continue;
    }
    if (auto reduce = dyn_cast<tg::RangedReduceOp>(op)) {
      SmallVector<Value> all(analysis.getRanges(reduce.getResult()));
      llvm::append_range(all, reduce.getRanges());
      operations.add(all, 1);
      continue;
    }
    if (op.getNumResults() != 1 || tg::isNumber(&op) ||
        isa<tg::RangeOp, tg::StageOp, tg::BarrierOp, tg::WhereOp>(op) ||
        isa<IndexType>(op.getResult(0).getType()) ||
        op.getResult(0).getType().isInteger(1) ||
        llvm::any_of(op.getOperandTypes(),
                     [](Type type) { return isa<IndexType>(type); }))
      continue;
    operations.add(analysis.getRanges(op.getResult(0)), 1);
  }
  tg::Dim bytes(context, 0);
  for (BlockArgument argument : kernel.getArguments()) {
    auto it = touched.find(argument);
    if (it == touched.end())
      continue;
    auto type = cast<MemRefType>(argument.getType());
    const tg::Dim all(context, tg::getBufferBytes(type));
    bytes = bytes + tg::Dim::get(tg::DimOpKind::min, all, it->second->get());
  }
  return {operations.get(), bytes};
}

/// The name in a location, if there is one.
static StringRef getName(Location location) {
  if (auto name = location->findInstanceOf<NameLoc>())
    return name.getName().getValue();
  return "";
}

std::string tinygrad::describeOperations(tg::KernelOp kernel) {
  constexpr size_t maxNames = 8;
  llvm::SmallSetVector<StringRef, 8> names;
  kernel.walk([&](Operation *op) {
    if (auto store = dyn_cast<tg::StoreOp>(op); store && store.getUpdate()) {
      StringRef name = getName(op->getLoc());
      names.insert(name.empty() ? "scatter" : name);
      return;
    }
    // Skips index arithmetic, loads and stores.
    if (op->getNumResults() != 1 || tg::isNumber(op) ||
        isa<tg::RangeOp, tg::LoadOp, tg::StageOp, tg::BarrierOp>(op) ||
        getElementTypeOrSelf(op->getResult(0).getType()).isIndex())
      return;
    StringRef name = getName(op->getLoc());
    if (auto reduce = dyn_cast<tg::RangedReduceOp>(op); reduce && name.empty())
      name = tg::stringifyReduceKind(reduce.getKind());
    names.insert(name.empty() ? op->getName().stripDialect() : name);
  });
  std::string text = "[";
  for (auto [i, name] : llvm::enumerate(names)) {
    if (i == maxNames) {
      text += ", ...";
      break;
    }
    text += (i ? ", " : "") + name.str();
  }
  return text + "]";
}

std::string tinygrad::describeSchedule(tg::KernelOp kernel) {
  std::string text = kernel.getName().str() + ":";
  for (auto range : kernel.getBody().getOps<tg::RangeOp>())
    text += (" " + tg::stringifyRangeKind(range.getKind()) + " " +
             tg::Dim(range.getExtent()).str())
                .str();
  return text;
}
