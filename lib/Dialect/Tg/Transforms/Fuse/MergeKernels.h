//===- MergeKernels.h - two kernels as one ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes one kernel with several results of two, if the result is right
/// whatever else the host program does, and says what that saves.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_FUSE_MERGEKERNELS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_FUSE_MERGEKERNELS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"

namespace mlir::tg {

/// What merging asks of a kernel again and again.
struct KernelInfo {
  explicit KernelInfo(KernelOp kernel);

  KernelOp kernel;
  /// Why the kernel cannot be merged with any other; empty if it can.
  std::string obstacle;
  /// The ranges that span what is written, and those that a reduce closes, in
  /// loop order.
  SmallVector<RangeOp> resultRanges, reduceRanges;
  /// The store to each output.
  SmallVector<StoreOp> stores;
  /// Whether a reduction uses some operand again along a result range, so that
  /// the optimizer keeps a tile of results in registers.
  bool isTiled = false;
  /// Whether all stores are updates along the last range.
  bool isUpdate = false;
  int64_t numOps = 0;
  /// Positions of the result ranges together, at most.
  double positions = 1;
  /// Bytes that loads and stores touch.
  double bytes = 0;
  /// How often the innermost operations are computed, at most.
  double steps = 1;
  IndexAnalysis analysis;
};

/// Two kernels, of which `second` runs after `first`, and the buffers that they
/// are launched on, as numbers: equal ones are the same buffer, and different
/// ones do not overlap where one of them is written.
struct MergeRequest {
  KernelInfo *first, *second;
  SmallVector<unsigned> firstSlots, secondSlots;
  /// Arguments that are launched on a copy of what the slot held before both
  /// kernels.
  SmallVector<bool> isFirstOld, isSecondOld;
  /// Slots that nothing reads after both kernels.
  SmallVector<bool> isTemporary;
  /// Whether both read what one other launch stores.
  bool haveProducer = false;
};

struct MergedKernel {
  /// In no module; null if the kernels are not merged.
  KernelOp kernel;
  /// The slot of each argument.
  SmallVector<unsigned> slots;
  /// Bytes of loads and stores that one kernel saves.
  double savedBytes = 0;
  /// Why they are not merged.
  std::string reason;
};

MergedKernel mergeKernels(const MergeRequest &request);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_FUSE_MERGEKERNELS_H
