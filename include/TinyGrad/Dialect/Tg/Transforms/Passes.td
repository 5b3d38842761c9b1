//===- Passes.td - passes inside the tg dialect -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The passes inside the dialect, in pipeline order.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_TRANSFORMS_PASSES_TD
#define TINYGRAD_DIALECT_TG_TRANSFORMS_PASSES_TD

include "TinyGrad/Dialect/Tg/Transforms/GraphPasses.td"
include "TinyGrad/Dialect/Tg/Transforms/KernelPasses.td"

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_PASSES_TD
