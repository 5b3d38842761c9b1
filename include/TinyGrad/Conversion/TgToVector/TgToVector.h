//===- TgToVector.h - scheduled kernels to loops and vectors ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lowers scheduled kernels (level 3 of the `tg` dialect) to functions in the
/// dialects scf, vector, arith, math and memref.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_TGTOVECTOR_TGTOVECTOR_H
#define TINYGRAD_CONVERSION_TGTOVECTOR_TGTOVECTOR_H

#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir::tg {

class KernelOp;
struct TargetFacts;

#define GEN_PASS_DECL_CONVERTTGTOVECTOR
#define GEN_PASS_DECL_TGCHECKBOUNDS
#include "TinyGrad/Conversion/Passes.h.inc"

/// Creates, at the builder's insertion point, a function that runs the
/// positions [begin, end) of `kernel`. It has the kernel's name and takes its
/// buffers, begin and end, and the values of its variables in the order of
/// their names. The kernel stays. Reports the operation that cannot be
/// compiled, if there is one.
FailureOr<func::FuncOp> convertKernelToVector(OpBuilder &builder,
                                              KernelOp kernel,
                                              const TargetFacts &target);

/// The function that checked code calls for an access outside of a buffer, with
/// the element, the buffer's size and its number among the arguments (-1 for a
/// tile).
inline constexpr llvm::StringLiteral kReportBoundsFunctionName =
    "tg_report_bounds";

/// Adds bounds checks to every access in lowered kernels. An access outside of
/// its buffer is reported and skipped; masked-out lanes are not checked.
void insertBoundsChecks(ModuleOp module);

} // namespace mlir::tg

#endif // TINYGRAD_CONVERSION_TGTOVECTOR_TGTOVECTOR_H
