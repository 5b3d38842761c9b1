//===- LinalgToTg.h - tensor programs of upstream's dialects ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converts functions of upstream's dialects on tensors (`linalg`, `tensor`,
/// `arith`, `math`) to tensor graphs of `tg`.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_LINALGTOTG_LINALGTOTG_H
#define TINYGRAD_CONVERSION_LINALGTOTG_LINALGTOTG_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir::tg {

#define GEN_PASS_DECL_CONVERTLINALGTOTG
#include "TinyGrad/Conversion/Passes.h.inc"

} // namespace mlir::tg

#endif // TINYGRAD_CONVERSION_LINALGTOTG_LINALGTOTG_H
