//===- Passes.h - passes for targets ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the pass that attaches a target to a module.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_ALL_PASSES_H
#define TINYGRAD_TARGET_ALL_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::tg {

#define GEN_PASS_DECL
#include "TinyGrad/Target/All/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "TinyGrad/Target/All/Passes.h.inc"

} // namespace mlir::tg

#endif // TINYGRAD_TARGET_ALL_PASSES_H
