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
/// the lowered host program. Emits an error if it has other parameters. Memory
/// for intermediates is \p scratch, which is large enough, or allocated if that
/// is null.
LogicalResult buildCallBody(func::FuncOp call, const HostFunction &host,
                            bool hasThreads, LLVM::GlobalOp scratch);

/// Static memory of \p bytes, aligned for intermediates, at the end of the
/// module.
LLVM::GlobalOp addStaticScratch(ModuleOp module, int64_t bytes);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_CONVERSION_HOSTTOLLVM_CALLGRAPHS_H
