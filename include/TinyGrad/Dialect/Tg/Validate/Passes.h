//===- Passes.h - validation of schedules -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the pass that compares scheduled kernels with what they were
/// before.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_VALIDATE_PASSES_H
#define TINYGRAD_DIALECT_TG_VALIDATE_PASSES_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Pass/Pass.h"

namespace mlir::tg {

#define GEN_PASS_DECL
#include "TinyGrad/Dialect/Tg/Validate/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "TinyGrad/Dialect/Tg/Validate/Passes.h.inc"

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_VALIDATE_PASSES_H
