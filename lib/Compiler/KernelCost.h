//===- KernelCost.h - how much work a kernel is ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Estimates for the counters and for the choice of threads.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_COMPILER_KERNELCOST_H
#define TINYGRAD_LIB_COMPILER_KERNELCOST_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace tinygrad {

struct KernelCost {
  /// Arithmetic operations on elements (index arithmetic does not count).
  mlir::tg::Dim operations;
  /// Bytes of the buffers' elements that are read or written, each once.
  mlir::tg::Dim bytes;

  /// A rough time on one core or compute unit, for the greatest values of
  /// variables.
  double getNanoseconds(const mlir::tg::TargetFacts &target) const;
};

KernelCost estimateCost(mlir::tg::KernelOp kernel);

/// What the kernel computes, in the order of its operations: the methods of the
/// tensor API that they came from, or the operations themselves. "[matmul,
/// relu]"
std::string describeOperations(mlir::tg::KernelOp kernel);

/// One line: the kernel's name and the kind and extent of each range.
std::string describeSchedule(mlir::tg::KernelOp kernel);

} // namespace tinygrad

#endif // TINYGRAD_LIB_COMPILER_KERNELCOST_H
