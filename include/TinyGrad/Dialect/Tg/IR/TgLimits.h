//===- TgLimits.h - limits of the dialect -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Limits that builders of graphs check as well. No MLIR headers.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGLIMITS_H
#define TINYGRAD_DIALECT_TG_IR_TGLIMITS_H

#include <cstdint>

namespace mlir::tg {

/// The most axes that a tensor can have, as in NumPy: what is done for each
/// axis may call itself for the next one.
inline constexpr int64_t kMaxAxes = 64;

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGLIMITS_H
