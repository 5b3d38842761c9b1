//===- KernelCost.h - the cost of a kernel ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Estimates for the counters and for the number of threads of a launch.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_COMPILER_KERNELCOST_H
#define TINYGRAD_LIB_COMPILER_KERNELCOST_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace tinygrad {

struct KernelCost {
  /// The number of arithmetic operations on elements, without index arithmetic.
  mlir::tg::Dim operations;
  /// The number of bytes in buffers that are read or written, each counted
  /// once.
  mlir::tg::Dim bytes;

  /// An estimate of the time on one core or compute unit, for the maximal
  /// values of the variables.
  double getNanoseconds(const mlir::tg::TargetFacts &target) const;
};

KernelCost estimateCost(mlir::tg::KernelOp kernel);

/// What the kernel computes, in order, as a list such as "[matmul, relu]": the
/// methods of the tensor API that its operations come from, or the names of the
/// operations.
std::string describeOperations(mlir::tg::KernelOp kernel);

/// One line: the kernel's name and the kind and extent of each range.
std::string describeSchedule(mlir::tg::KernelOp kernel);

} // namespace tinygrad

#endif // TINYGRAD_LIB_COMPILER_KERNELCOST_H
