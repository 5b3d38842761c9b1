//===- Bindings.h - values of a graph's variables ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A graph with variables stands for many graphs without, one for each value of
/// each variable. Here a few are chosen, made, and evaluated side by side.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_BINDINGS_H
#define TINYGRAD_TOOLS_TGFUZZ_BINDINGS_H

#include "Tracker.h"

#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace mlir::tg {

/// A value of each variable, by name.
using Binding = llvm::StringMap<int64_t>;

/// Which values a graph is tried with: all if there are few, otherwise the ends
/// and some between. Without variables that is one binding of nothing. The same
/// for the same variables.
std::vector<Binding> chooseBindings(ArrayRef<VarAttr> variables);

/// `n=3,m=4`, as `tg-run --var` takes it; empty for a binding of nothing.
std::string toString(const Binding &binding);

/// A copy of the module for these values; of static shapes if they are all.
OwningOpRef<ModuleOp> bind(ModuleOp module, const Binding &binding);

/// Evaluates a function that is still growing, for several bindings.
class BoundTrackers {
public:
  BoundTrackers(func::FuncOp function, ArrayRef<Binding> bindings);
  ~BoundTrackers();

  /// The next argument, and what it holds in its largest shape.
  void addArgument(BlockArgument argument, const HostTensor &largest);

  /// Evaluates the next operation; false, as if nothing had been asked, if its
  /// result would not be comparable for each of the bindings.
  bool execute(Operation *op);

  /// Whether an operation that verified does not with the variables' values: a
  /// mistake of the dialect. Nothing can be evaluated any more.
  bool isBroken() const { return broken; }

private:
  struct Bound;
  std::vector<std::unique_ptr<Bound>> bounds;
  bool broken = false;
};

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_BINDINGS_H
