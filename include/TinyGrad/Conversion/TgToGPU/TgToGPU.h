//===- TgToGPU.h - scheduled kernels to the gpu dialect ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lowers scheduled kernels (level 3 of the `tg` dialect) to functions of the
/// `gpu` dialect, which run one work item each.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_TGTOGPU_TGTOGPU_H
#define TINYGRAD_CONVERSION_TGTOGPU_TGTOGPU_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

#include <array>
#include <memory>

namespace mlir::tg {

#define GEN_PASS_DECL_CONVERTTGTOGPU
#include "TinyGrad/Conversion/Passes.h.inc"

/// How the ranges of a scheduled kernel are distributed over groups and work
/// items. Ranges of kind `global` (and `thread`) are digits of the numbers of
/// the groups; those of kind `local` and `group_reduce` are digits of the
/// numbers of the items of a group. Index 0 is x, the fastest direction.
struct GroupLayout {
  /// The ranges in each direction of the grid, from the outermost on.
  std::array<SmallVector<RangeOp>, 3> gridRanges;
  /// Groups in each direction.
  std::array<Dim, 3> groups;
  /// If set, there are more groups than one direction admits: the groups of x
  /// and y together number the positions of gridRanges[0], and this is how many
  /// positions there are.
  Dim foldedGroups;

  /// Ranges that are bound to the same items. No value depends on two of them,
  /// and they have the same extent.
  struct Axis {
    SmallVector<RangeOp> ranges;
    uint32_t extent = 1;
  };
  /// The axes of the items of a group, from the outermost on. The last one is
  /// x, the one before it y, and all others together are z.
  SmallVector<Axis> axes;
  /// Items of a group in each direction.
  std::array<uint32_t, 3> groupSize{1, 1, 1};

  /// The memory that the items of a group share: tiles of groups, and what
  /// reductions over items exchange, in the order of the kernel.
  struct Memory {
    Operation *op;
    MemRefType type;
    int64_t offset; ///< in bytes
  };
  SmallVector<Memory> memories;
  /// Bytes of all of it.
  int64_t groupBytes = 0;

  /// How a reduction over items is done: `shuffled` items exchange values in
  /// their subgroup, and `partials` such values, which go through memory, are
  /// left of each of `rows` results.
  struct Exchange {
    RangedReduceOp op;
    SmallVector<unsigned> axes; ///< those that it closes
    uint32_t shuffled = 1, partials = 1, rows = 1;
    int64_t results = 1; ///< of unrolled positions and lanes
  };
  SmallVector<Exchange> exchanges;

  uint32_t getGroupItems() const {
    return groupSize[0] * groupSize[1] * groupSize[2];
  }
};

/// The layout of a scheduled kernel. Emits an error if it cannot have one: a
/// symbolic number of items, or more items or memory than a group can have.
FailureOr<GroupLayout> getGroupLayout(KernelOp kernel,
                                      const TargetFacts &target);

/// Creates, at the builder's insertion point in a `gpu.module`, a kernel
/// function with the name of `kernel`. It takes the kernel's buffers and the
/// values of its variables in the order of their names. The kernel stays.
/// Reports the operation that cannot be compiled, if there is one.
FailureOr<gpu::GPUFuncOp> convertKernelToGPU(OpBuilder &builder,
                                             KernelOp kernel,
                                             const TargetFacts &target);

} // namespace mlir::tg

#endif // TINYGRAD_CONVERSION_TGTOGPU_TGTOGPU_H
