//===- NeedsProgram.h - values that are computed by programs ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tells memory, parts of it and constants from what a program computes.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_NEEDSPROGRAM_H
#define TINYGRAD_LIB_TENSOR_NEEDSPROGRAM_H

#include "GraphImpl.h"

namespace tinygrad::detail {

/// Whether realize() runs a program for the value of an operation.
bool needsProgram(GraphImpl &graph, mlir::Operation *op, Device &device);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_NEEDSPROGRAM_H
