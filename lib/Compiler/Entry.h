//===- Entry.h - the function that is compiled ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a compilation has to know of its function before it is scheduled.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_COMPILER_ENTRY_H
#define TINYGRAD_LIB_COMPILER_ENTRY_H

#include "TinyGrad/Compiler/Compiler.h"

namespace tinygrad::detail {

/// A tensor graph (level 1) or a host program (level 2 or 3).
struct Entry {
  std::vector<TensorInfo> arguments, results;
  llvm::SmallVector<mlir::tg::VarAttr> variables;
  bool isHost = false;
};

/// Whether a function has the form of a host program: its arguments and results
/// are flat buffers.
bool isHostProgram(mlir::func::FuncOp entry);

/// Checks the function `options.entry`, and says what it takes and returns.
mlir::FailureOr<Entry> describeEntry(mlir::ModuleOp module,
                                     const CompileOptions &options);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_COMPILER_ENTRY_H
