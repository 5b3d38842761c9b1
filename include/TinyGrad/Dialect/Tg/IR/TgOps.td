//===- TgOps.td - all tg operations -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gathers the operations of all levels for the generators.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGOPS_TD
#define TINYGRAD_DIALECT_TG_IR_TGOPS_TD

include "TinyGrad/Dialect/Tg/IR/TgElementwiseOps.td"
include "TinyGrad/Dialect/Tg/IR/TgKernelOps.td"
include "TinyGrad/Dialect/Tg/IR/TgTensorOps.td"

#endif // TINYGRAD_DIALECT_TG_IR_TGOPS_TD
