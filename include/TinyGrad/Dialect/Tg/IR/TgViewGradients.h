//===- TgViewGradients.h - derivatives of views -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The derivative of a view of padding.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGVIEWGRADIENTS_H
#define TINYGRAD_DIALECT_TG_IR_TGVIEWGRADIENTS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// Builds the gradient of the operand of a view, which is the result of a
/// tg.pad, like StridedOp::buildGradient. Only what is inside of the padding
/// has its value; the rest is zero or the gradient there. This takes less where
/// windows begin several positions apart.
FailureOr<Value> buildGradientInside(StridedOp op, OpBuilder &builder,
                                     Value gradient);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGVIEWGRADIENTS_H
