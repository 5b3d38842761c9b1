//===- LaunchListBuilder.h - host programs as launch lists ------*- C++ -*-===//
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

#include "TinyGrad/Compiler/Expressions.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Runtime/LaunchList.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace tinygrad {

/// The parameters of a kernel's launches.
struct KernelLaunch {
  /// For messages.
  std::string name;
  /// The variables whose values it takes.
  llvm::SmallVector<mlir::tg::VarAttr> variables;
  /// For each variable, the index of the launch's number that provides its
  /// value, or -1 if it is a variable of the program.
  llvm::SmallVector<int> numberOf;
  LaunchDims dims;
  Expression opCount;
  Expression memBytes;
  /// What the kernel computes, for DEBUG output.
  std::string description;
};

/// Builds a list that takes the values of `variables`, and is not linked: names
/// of kernels are those of the module. What is on another device than \p device
/// is named. Throws CompileError for
/// operations that no step of a launch list represents.
LaunchList buildLaunchList(mlir::func::FuncOp host, llvm::StringRef device,
                           llvm::ArrayRef<mlir::tg::VarAttr> variables,
                           const llvm::StringMap<KernelLaunch> &kernels);

} // namespace tinygrad

#endif // TINYGRAD_LIB_COMPILER_LAUNCHLISTBUILDER_H
