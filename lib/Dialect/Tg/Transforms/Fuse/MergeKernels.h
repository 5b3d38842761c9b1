//===- MergeKernels.h - merging two kernels ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Merges two kernels into one with several results if that is correct in every
/// host program, and estimates the savings.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_FUSE_MERGEKERNELS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_FUSE_MERGEKERNELS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"

namespace mlir::tg {

/// Cached properties of a kernel.
struct KernelInfo {
  explicit KernelInfo(KernelOp kernel);

  KernelOp kernel;
  /// Why the kernel cannot be merged with any other; empty if it can.
  std::string obstacle;
  /// The ranges of the result, and those that a reduce closes, in loop order.
  SmallVector<RangeOp> resultRanges, reduceRanges;
  /// The store to each output.
  SmallVector<StoreOp> stores;
  /// Whether a reduction reuses an operand along a result range, so that the
  /// optimizer chooses a register tile.
  bool isTiled = false;
  /// Whether such a reduction is deep, so that the optimizer divides it into
  /// passes if the kernel does nothing else (DivideDepth.cpp).
  bool isDeep = false;
  /// Whether all stores are updates along the last range.
  bool isUpdate = false;
  int64_t numOps = 0;
  /// The largest number of positions of all result ranges together.
  double positions = 1;
  /// The number of bytes that loads and stores access.
  double bytes = 0;
  /// The largest number of evaluations of the innermost operations.
  double steps = 1;
  IndexAnalysis analysis;
};

/// Two kernels, of which `second` runs after `first`, and slots for the buffers
/// of their launches: equal slots are the same buffer. Different slots do not
/// overlap if one of them is written.
struct MergeRequest {
  KernelInfo *first, *second;
  SmallVector<unsigned> firstSlots, secondSlots;
  /// Arguments whose launch passes a copy of the slot's contents from before
  /// both kernels.
  SmallVector<bool> isFirstOld, isSecondOld;
  /// Slots that nothing reads after both kernels.
  SmallVector<bool> isTemporary;
  /// Whether both read outputs of the same launch.
  bool haveProducer = false;
};

struct MergedKernel {
  /// Not in a module yet; null if the kernels are not merged.
  KernelOp kernel;
  /// The slot of each argument.
  SmallVector<unsigned> slots;
  /// The number of bytes of loads and stores that merging saves.
  double savedBytes = 0;
  /// Why the kernels are not merged.
  std::string reason;
};

MergedKernel mergeKernels(const MergeRequest &request);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_FUSE_MERGEKERNELS_H
