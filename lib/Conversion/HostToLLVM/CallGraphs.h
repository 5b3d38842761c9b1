//===- CallGraphs.h - calls of tensor graphs --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions through which others call lowered host programs.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_HOSTTOLLVM_CALLGRAPHS_H
#define TINYGRAD_LIB_CONVERSION_HOSTTOLLVM_CALLGRAPHS_H

#include "TinyGrad/Conversion/HostToLLVM/HostToLLVM.h"

namespace mlir::tg {

/// Gives the declaration of a call, which tg-outline made, a body that calls
/// the lowered host program. Emits an error if it has other parameters.
LogicalResult buildCallBody(func::FuncOp call, const HostFunction &host,
                            bool hasThreads);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_CONVERSION_HOSTTOLLVM_CALLGRAPHS_H
