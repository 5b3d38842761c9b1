//===- ResolveAssigns.h - reads of memory that changes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rewrite of the pass tg-resolve-assigns, which scheduling uses too.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_RESOLVEASSIGNS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_RESOLVEASSIGNS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// Replaces every read of a block argument that is assigned to by a read of a
/// tg.after, and makes every target of an assignment a view of the argument
/// itself. Assignments of no elements are removed. Idempotent.
void resolveAssigns(Block &block);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_RESOLVEASSIGNS_H
