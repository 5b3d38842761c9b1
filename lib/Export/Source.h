//===- Source.h - libraries as C source -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes one file of C of the code that a library would have as machine code.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_EXPORT_SOURCE_H
#define TINYGRAD_LIB_EXPORT_SOURCE_H

#include "Interface.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace tinygrad::detail {

/// The processor for which C source is scheduled unless one is named: vectors
/// of 128 bits, as most processors have, and products that are not fused.
inline constexpr llvm::StringLiteral kSourceTarget = "cpu:x86_64:x86-64";

/// The text of the library's source file: kernels, host programs, and the
/// functions of the header. \p finish adds the host programs to the lowered
/// kernels.
mlir::FailureOr<std::vector<char>>
makeSource(const Library &library, const LibraryVariant &variant,
           mlir::ModuleOp module, llvm::ArrayRef<mlir::tg::KernelOp> kernels,
           const mlir::tg::CompileFlags &flags,
           llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp)> finish);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_EXPORT_SOURCE_H
