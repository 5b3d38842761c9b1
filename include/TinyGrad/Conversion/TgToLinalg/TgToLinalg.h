//===- TgToLinalg.h - tensor graphs in upstream's dialects ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converts tensor graphs of `tg` to upstream's dialects on tensors (`linalg`,
/// `tensor`, `arith`, `math`), for other compilers.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_TGTOLINALG_TGTOLINALG_H
#define TINYGRAD_CONVERSION_TGTOLINALG_TGTOLINALG_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir::tg {

#define GEN_PASS_DECL_CONVERTTGTOLINALG
#include "TinyGrad/Conversion/Passes.h.inc"

} // namespace mlir::tg

#endif // TINYGRAD_CONVERSION_TGTOLINALG_TGTOLINALG_H
