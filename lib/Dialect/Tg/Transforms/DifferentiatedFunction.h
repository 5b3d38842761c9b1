//===- DifferentiatedFunction.h - functions to differentiate ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What tg-autodiff and tg-linearize share: the choice of a function, of its
/// arguments and results.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_DIFFERENTIATEDFUNCTION_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_DIFFERENTIATEDFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::tg {

/// A function of one block with some of its arguments and results.
struct DifferentiatedFunction {
  func::FuncOp function;
  SmallVector<unsigned> wrt, of;

  /// Finds the function `entry`, or a copy of it with the name `result` unless
  /// that is empty. Without a choice, `wrt` are all arguments that are tensors
  /// of floats, and `of` all such results, or the first one of them with
  /// `onlyFirst`. Reports a function or a number that does not exist, or that
  /// is no tensor.
  static FailureOr<DifferentiatedFunction>
  find(ModuleOp module, StringRef entry, StringRef result,
       ArrayRef<unsigned> wrt, ArrayRef<unsigned> of, bool onlyFirst);

  Operation *getReturn() const {
    return func::FuncOp(function).getBody().front().getTerminator();
  }
  SmallVector<Value> getWrt() const;
  SmallVector<Value> getOf() const;
  /// Appends an argument of the type of `value`, on its device.
  Value addArgument(Value value);
  /// Makes the function return `results`, and removes unused operations.
  void setResults(ValueRange results);
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_DIFFERENTIATEDFUNCTION_H
