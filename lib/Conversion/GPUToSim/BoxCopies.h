//===- BoxCopies.h - copies of boxes for the simulator ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converts mbarriers and copies of boxes (TMA) to calls of the simulator.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_GPUTOSIM_BOXCOPIES_H
#define TINYGRAD_LIB_CONVERSION_GPUTOSIM_BOXCOPIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tg {

/// Converts the operations of one function.
class BoxConverter {
public:
  /// \p item is the address of the item's state, and \p memoryOffsets are where
  /// parts of the group's memory begin.
  BoxConverter(ModuleOp module, func::FuncOp func, Value item,
               const DenseMap<Value, int64_t> &memoryOffsets)
      : module(module), func(func), item(item), memoryOffsets(memoryOffsets),
        builder(module.getContext()) {}

  /// Whether it is an operation that convert() takes.
  static bool isOne(Operation *op);
  LogicalResult convert(Operation *op, int64_t &numSites);
  /// Erases what has no uses any more.
  void finish();

private:
  LogicalResult convertMap(nvgpu::TmaCreateDescriptorOp op);
  SmallVector<Value> getPlaces(Value tile, Value descriptor,
                               ValueRange coordinates);
  LogicalResult convertLoad(nvgpu::TmaAsyncLoadOp op, int64_t site);
  LogicalResult convertStore(nvgpu::TmaAsyncStoreOp op, int64_t site);
  /// The mbarrier as the simulator's functions take it, after `item`.
  SmallVector<Value> getMbarrier(Value group, Value number);
  Value i64(int64_t value);
  void call(StringRef name, ArrayRef<Value> operands);

  ModuleOp module;
  func::FuncOp func;
  Value item;
  const DenseMap<Value, int64_t> &memoryOffsets;
  OpBuilder builder;
  Location loc = UnknownLoc::get(builder.getContext());
  /// The number of the first mbarrier of each group.
  DenseMap<Value, int64_t> firstOf;
  int64_t numMbarriers = 0;
  /// The addresses of maps.
  DenseMap<Value, Value> maps;
  /// What may have no users at the end; several copies have one box.
  llvm::SmallSetVector<Operation *, 8> unused;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_CONVERSION_GPUTOSIM_BOXCOPIES_H
