//===- RewriteScope.h - other operations for what is computed ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A program's own rules for graphs, which are applied before a graph is
/// scheduled.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_REWRITESCOPE_H
#define TINYGRAD_TENSOR_REWRITESCOPE_H

#include "TinyGrad/Tensor/GraphNode.h"

#include <functional>

namespace tinygrad {

/// Until the end of the scope, everything that this thread computes is
/// rewritten by a function: it is called with the node of each tensor that is
/// to be realized and of each value that is assigned on the way there, and
/// returns the node to compute in its place, which may be the same one. That
/// has to have the same values, since the graph uses either of them.
///
/// What is compiled is the rewritten graph: it is scheduled, cached and
/// differentiated like any other. Tensors that the function realizes are not
/// rewritten. No lock of a graph is held when it is called, unless the caller
/// holds it. Of nested scopes, the innermost one counts.
///
/// realize() throws what the function throws, and ShapeError, DTypeError or
/// DeviceError if a node of another type or device is returned.
class RewriteScope {
public:
  using Function = std::function<GraphNode(const GraphNode &)>;

  explicit RewriteScope(Function function);
  ~RewriteScope();
  RewriteScope(const RewriteScope &) = delete;
  RewriteScope &operator=(const RewriteScope &) = delete;

private:
  friend void rewriteAndRealize(const std::vector<Tensor> &tensors,
                                const std::function<void()> &realize);

  Function function;
  bool isRunning = false;
  RewriteScope *outer;
};

/// Whether this thread has such a scope.
bool hasRewriteScope();
/// Calls \p realize, which computes the tensors, after they were rewritten.
void rewriteAndRealize(const std::vector<Tensor> &tensors,
                       const std::function<void()> &realize);

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_REWRITESCOPE_H
