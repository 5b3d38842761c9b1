//===- SimCalls.h - calls of the simulator ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Calls of the functions tg_sim_* (Devices/Simulator.h).
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_GPUTOSIM_SIMCALLS_H
#define TINYGRAD_LIB_CONVERSION_GPUTOSIM_SIMCALLS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::tg {

/// Calls a function, which is declared in the module if it is not yet. Returns
/// its result; null if there is none.
Value callSimulator(OpBuilder &builder, Location loc, ModuleOp module,
                    StringRef name, ValueRange operands, Type result = {});

/// A number as an i64: the bits of floats, zeros in front of narrow integers.
Value toI64(OpBuilder &builder, Location loc, Value value);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_CONVERSION_GPUTOSIM_SIMCALLS_H
