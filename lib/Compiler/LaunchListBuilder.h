//===- LaunchListBuilder.h - host programs as launch lists -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns a level-2 host function into a launch list of the runtime.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_COMPILER_LAUNCHLISTBUILDER_H
#define TINYGRAD_LIB_COMPILER_LAUNCHLISTBUILDER_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Runtime/LaunchList.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace tinygrad {

/// The expression over variables that are given by their place in the list.
/// Throws CompileError for a variable that is not in it.
Expression getExpression(mlir::tg::Dim dim,
                         llvm::ArrayRef<mlir::tg::VarAttr> variables);

/// A loaded kernel and what a launch of it is.
struct CompiledKernel {
  Kernel kernel;
  /// Whose values it takes.
  llvm::SmallVector<mlir::tg::VarAttr> variables;
  /// For each of these, which of a launch's numbers it is, or -1 for a variable
  /// of the program.
  llvm::SmallVector<int> numberOf;
  LaunchDims dims;
  Expression opCount;
  Expression memBytes;
  /// The operations that it came from.
  std::string description;
};

/// A list that takes the values of `variables`. Throws CompileError for
/// operations that a launch list has no step for.
LaunchList buildLaunchList(mlir::func::FuncOp host, Device &device,
                           llvm::ArrayRef<mlir::tg::VarAttr> variables,
                           const llvm::StringMap<CompiledKernel> &kernels);

} // namespace tinygrad

#endif // TINYGRAD_LIB_COMPILER_LAUNCHLISTBUILDER_H
