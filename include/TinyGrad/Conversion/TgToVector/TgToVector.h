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

/// Creates, at the builder's insertion point, the function that runs positions
/// [begin, end) of `kernel`; it has the kernel's name and takes its buffers,
/// begin and end, and the values of its variables by name. The kernel stays.
/// Where it cannot be compiled, the operation at fault is reported.
FailureOr<func::FuncOp> convertKernelToVector(OpBuilder &builder,
                                              KernelOp kernel,
                                              const TargetFacts &target);

/// What checked code calls for an access outside of a buffer: with the element,
/// the buffer's size and its number among the arguments (-1 for a tile).
inline constexpr llvm::StringLiteral kReportBoundsFunctionName =
    "tg_report_bounds";

/// Checks every access in the functions that kernels became. One outside of its
/// buffer is reported and not done; lanes that a mask excludes do not count.
void insertBoundsChecks(ModuleOp module);

} // namespace mlir::tg

#endif // TINYGRAD_CONVERSION_TGTOVECTOR_TGTOVECTOR_H
