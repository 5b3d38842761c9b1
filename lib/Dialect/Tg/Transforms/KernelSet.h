//===- KernelSet.h - equal kernels found ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the pass tg-dedup-kernels does, for scheduling.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_KERNELSET_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_KERNELSET_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// Kernels of which no two are equal but for their names and locations.
class KernelSet {
public:
  /// The kernel of the set that is equal to `kernel`; if there was none, that
  /// is `kernel`, which now belongs to the set.
  KernelOp insert(KernelOp kernel);

private:
  DenseMap<size_t, SmallVector<KernelOp, 1>> kernels;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_KERNELSET_H
