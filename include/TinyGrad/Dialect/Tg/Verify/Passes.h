//===- Passes.h - proofs of kernels -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the passes that prove something of kernels with an SMT solver.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_VERIFY_PASSES_H
#define TINYGRAD_DIALECT_TG_VERIFY_PASSES_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SMT/IR/SMTDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir::tg {

#define GEN_PASS_DECL
#include "TinyGrad/Dialect/Tg/Verify/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "TinyGrad/Dialect/Tg/Verify/Passes.h.inc"

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_VERIFY_PASSES_H
