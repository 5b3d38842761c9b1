//===- KernelSummary.h - facts about a kernel -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What DEBUG prints of a kernel, and how it is launched, without compiling it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_COMPILER_KERNELSUMMARY_H
#define TINYGRAD_COMPILER_KERNELSUMMARY_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Target/Target.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tinygrad {

/// Of a kernel at level 2 or 3.
struct KernelSummary {
  /// What it computes: "[matmul, relu]".
  std::string description;
  /// The kind and extent of each range: "unroll 2 upcast 2 loop 2".
  std::string ranges;
  /// Arithmetic operations on elements, and bytes of buffers that are read or
  /// written, each counted once. As in GlobalCounters.
  int64_t operations = 0, bytes = 0;
  /// Of a scheduled kernel: work items that may run in parallel on a CPU; on
  /// GPUs groups, items of a group, and the bytes of memory that they share
  /// beyond what the code declares.
  int64_t parallelExtent = 1;
  std::array<int64_t, 3> groups{1, 1, 1}, groupSize{1, 1, 1};
  int64_t sharedBytes = 0;
};

/// \p valueOf gives the values of variables; the largest counts for one without
/// a value.
KernelSummary summarizeKernel(
    mlir::tg::KernelOp kernel, const mlir::tg::Target &target,
    llvm::function_ref<std::optional<int64_t>(mlir::tg::VarAttr)> valueOf);

} // namespace tinygrad

#endif // TINYGRAD_COMPILER_KERNELSUMMARY_H
