//===- TensorMaps.h - arguments that are tensor maps ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What passes tell each other of tensor maps (Support/TensorMap.h).
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_GPUTOLLVM_TENSORMAPS_H
#define TINYGRAD_LIB_CONVERSION_GPUTOLLVM_TENSORMAPS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::tg {

/// The numbers of a function's tensor maps, which are its last arguments.
inline constexpr llvm::StringLiteral tensorMapsAttrName = "tensor_maps";

} // namespace mlir::tg

#endif // TINYGRAD_LIB_CONVERSION_GPUTOLLVM_TENSORMAPS_H
