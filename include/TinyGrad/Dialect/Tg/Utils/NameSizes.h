//===- NameSizes.h - unknown sizes as variables -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What to write instead of a tensor of unknown sizes, for messages.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_NAMESIZES_H
#define TINYGRAD_DIALECT_TG_UTILS_NAMESIZES_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::tg {

/// A type with a `#tg.shape` that has a variable, "n" or "n0", "n1", ..., from
/// 1 to 1024 for each `?` of \p type, which has no encoding and an element type
/// of the dialect.
RankedTensorType nameSizes(RankedTensorType type);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_NAMESIZES_H
