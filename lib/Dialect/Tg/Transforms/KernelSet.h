//===- KernelSet.h - equal kernels found ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds equal kernels, for tg-dedup-kernels and for scheduling.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_KERNELSET_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_KERNELSET_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// A set of kernels that differ in more than names and locations.
class KernelSet {
public:
  /// The kernel of the set that equals `kernel`. If there is none, `kernel`
  /// itself, which then belongs to the set.
  KernelOp insert(KernelOp kernel);

private:
  DenseMap<size_t, SmallVector<KernelOp, 1>> kernels;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_KERNELSET_H
