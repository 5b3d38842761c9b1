//===- ComposeViews.h - movement operations as views ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What tg-compose-views does to a block, which scheduling needs in any case.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_COMPOSEVIEWS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_COMPOSEVIEWS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

void composeViews(Block &block);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_COMPOSEVIEWS_H
