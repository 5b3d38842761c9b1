//===- ResolveAssigns.h - reads of memory that changes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the pass tg-resolve-assigns does, for scheduling.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_RESOLVEASSIGNS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_RESOLVEASSIGNS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// Makes every read of a block argument that is assigned to one of a tg.after,
/// and every target of an assignment a view of the argument itself. Assignments
/// of no elements vanish. Nothing changes when it is done again.
void resolveAssigns(Block &block);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_RESOLVEASSIGNS_H
