//===- Shrinker.h - reduction of failing graphs -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Removes parts of a graph as long as it keeps failing.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_SHRINKER_H
#define TINYGRAD_TOOLS_TGFUZZ_SHRINKER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::tg {

/// Whether a smaller graph fails in the same way.
using StillFails = llvm::function_ref<bool(ModuleOp)>;

/// Shrinks a module with one function @main whose arguments have `tg.input`
/// values. Calls `stillFails` at most `maxTries` times. A graph for timing has
/// no values and keeps its sizes.
OwningOpRef<ModuleOp> shrink(ModuleOp module, StillFails stillFails,
                             unsigned maxTries, bool forTiming = false);

/// Changes the size of `axis` of `value`, and of all axes in the function that
/// must agree with it. On failure, returns false and leaves the function in an
/// undefined state.
bool resizeAxis(func::FuncOp function, Value value, int64_t axis, int64_t size);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_SHRINKER_H
