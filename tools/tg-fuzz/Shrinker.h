//===- Shrinker.h - makes failing graphs small ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Takes parts out of a graph as long as it keeps failing.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_SHRINKER_H
#define TINYGRAD_TOOLS_TGFUZZ_SHRINKER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::tg {

/// Whether a smaller graph still fails as the large one did.
using StillFails = llvm::function_ref<bool(ModuleOp)>;

/// Shrinks a module with one function @main whose arguments have `tg.input`
/// values, asking `stillFails` at most `maxTries` times. A graph for timing has
/// no values, and keeps its sizes.
OwningOpRef<ModuleOp> shrink(ModuleOp module, StillFails stillFails,
                             unsigned maxTries, bool forTiming = false);

/// Gives `axis` of `value` the size `size`, and all axes that have to agree
/// with it, through the whole function. False, leaving the function in an
/// undefined state, if that cannot be done.
bool resizeAxis(func::FuncOp function, Value value, int64_t axis, int64_t size);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_SHRINKER_H
