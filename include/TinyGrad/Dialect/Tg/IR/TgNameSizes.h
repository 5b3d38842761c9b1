//===- TgNameSizes.h - unknown sizes as variables ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What to write instead of a tensor of unknown sizes, for messages.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGNAMESIZES_H
#define TINYGRAD_DIALECT_TG_IR_TGNAMESIZES_H

#include "mlir/IR/BuiltinTypes.h"
#include <string>

namespace mlir::tg {

/// A type with a `#tg.shape` that has a variable, "n" or "n0", "n1", ..., from
/// 1 to 1024 for each `?` of \p type, which has no encoding.
RankedTensorType nameSizes(RankedTensorType type);

/// For a tensor of unknown sizes without an encoding, ", such as " and the
/// encoding that `nameSizes` gives it; nothing for other types.
std::string suggestShape(Type type);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGNAMESIZES_H
