//===- LowerViews.h - views as index arithmetic -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns movement operations into index expressions and masks.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_LOWERVIEWS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_LOWERVIEWS_H

#include "KernelBuilder.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"

namespace mlir::tg {

/// The indices in the underlying tensor for the element at `indices` of a chain
/// of views. Conjoins `mask` with the condition that the element exists; if it
/// is false, the indices are meaningless.
SmallVector<Value> mapIndices(const ViewChain &chain, IndexBuilder &index,
                              ArrayRef<Value> indices, Value &mask);

/// The views from an argument to the target of an assignment.
ViewChain getTargetChain(AssignOp assign);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_LOWERVIEWS_H
