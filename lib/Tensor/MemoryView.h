//===- MemoryView.h - tensors that are views of memory ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the memory that a tensor is a view of.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_MEMORYVIEW_H
#define TINYGRAD_LIB_TENSOR_MEMORYVIEW_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"

namespace tinygrad::detail {

struct MemoryView {
  mlir::tg::BufferOp buffer;
  mlir::tg::ViewChain chain;
};

/// The buffer and the views that an operation reads it through; none if
/// something must be computed, or copied because it was requested contiguous.
std::optional<MemoryView> findMemoryView(mlir::Operation *op);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_MEMORYVIEW_H
