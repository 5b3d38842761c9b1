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

#include <memory>

namespace mlir::tg {

#define GEN_PASS_DECL_CONVERTTGTOGPU
#include "TinyGrad/Conversion/Passes.h.inc"

/// Creates, at the builder's insertion point in a `gpu.module`, a kernel
/// function with the name of `kernel`. It takes the kernel's buffers and the
/// values of its variables in the order of their names. The kernel stays.
/// Reports the operation that cannot be compiled, if there is one.
FailureOr<gpu::GPUFuncOp> convertKernelToGPU(OpBuilder &builder,
                                             KernelOp kernel,
                                             const TargetFacts &target);

} // namespace mlir::tg

#endif // TINYGRAD_CONVERSION_TGTOGPU_TGTOGPU_H
