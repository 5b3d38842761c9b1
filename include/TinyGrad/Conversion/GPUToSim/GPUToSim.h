//===- GPUToSim.h - work items as functions of the host ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns functions of GPU work items into functions that the simulator runs on
/// the host.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_GPUTOSIM_GPUTOSIM_H
#define TINYGRAD_CONVERSION_GPUTOSIM_GPUTOSIM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir::tg {

#define GEN_PASS_DECL_CONVERTGPUTOSIM
#include "TinyGrad/Conversion/Passes.h.inc"

/// Replaces every `gpu.module` of the module by functions for the simulator.
/// Reports operations of the `gpu` dialect that it does not support.
LogicalResult convertGPUToSim(ModuleOp module);

} // namespace mlir::tg

#endif // TINYGRAD_CONVERSION_GPUTOSIM_GPUTOSIM_H
