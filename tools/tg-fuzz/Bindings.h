//===- Bindings.h - values of a graph's variables ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A graph with variables represents many graphs without, one for each
/// combination of values. Chooses a few of them, builds them, and evaluates
/// them side by side.
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

/// The values with which a graph is tried: all if there are few, otherwise the
/// bounds and some in between. Without variables, a single empty binding.
/// Deterministic.
std::vector<Binding> chooseBindings(ArrayRef<VarAttr> variables);

/// `n=3,m=4`, the syntax of `tg-run --var`; empty for an empty binding.
std::string toString(const Binding &binding);

/// A copy of the module for these values. Its shapes are static if all
/// variables are bound.
OwningOpRef<ModuleOp> bind(ModuleOp module, const Binding &binding);

/// Evaluates a function under construction, for several bindings.
class BoundTrackers {
public:
  BoundTrackers(func::FuncOp function, ArrayRef<Binding> bindings);
  ~BoundTrackers();

  /// Adds the next argument with contents of its maximal shape.
  void addArgument(BlockArgument argument, const HostTensor &largest);

  /// Evaluates the next operation. Returns false and undoes it if its result
  /// would not be comparable for all bindings.
  bool execute(Operation *op);

  /// Whether a verified operation failed to verify with values for the
  /// variables: a bug of the dialect, after which nothing more can be
  /// evaluated.
  bool isBroken() const { return broken; }

private:
  struct Bound;
  std::vector<std::unique_ptr<Bound>> bounds;
  bool broken = false;
};

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_BINDINGS_H
