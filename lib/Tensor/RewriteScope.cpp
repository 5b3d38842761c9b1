//===- RewriteScope.cpp - other operations for what is computed -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gives tensors other operations before they are computed, and their results
/// to whatever uses the old ones.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/RewriteScope.h"
#include "Aliasing.h"
#include "GraphImpl.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

static thread_local RewriteScope *innermost = nullptr;

RewriteScope::RewriteScope(Function function)
    : function(std::move(function)), outer(innermost) {
  innermost = this;
}

RewriteScope::~RewriteScope() { innermost = outer; }

bool tinygrad::hasRewriteScope() { return innermost; }

static std::string describe(const GraphNode &node) {
  return node.operation() + " of " + toString(node.shape()) + " " +
         name(node.dtype());
}

static GraphNode callChecked(const RewriteScope::Function &function,
                             const GraphNode &node) {
  GraphNode result = function(node);
  const std::string what = "realize: a rewrite gives " + describe(result) +
                           " in place of " + describe(node);
  if (!(result.shape() == node.shape()))
    throw ShapeError(what + ", which has another shape");
  if (result.dtype() != node.dtype())
    throw DTypeError(what + ", which has another element type");
  if (result.device() != node.device())
    throw DeviceError(what + ", on " + result.device() + " instead of " +
                      node.device());
  return result;
}

/// Makes the node the value that an assignment writes.
static void setAssigned(const GraphNode &assignment, const GraphNode &value) {
  const Tensor target = assignment.tensor(), source = value.tensor();
  GraphImpl &graph = *target.impl().graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  auto assign = dyn_cast<tg::AssignOp>(graph.operation(target.impl()));
  if (!assign) // another thread has computed it
    return;
  // Keeps the old value until it has no users.
  const Tensor old =
      graph.wrap(assign.getValue().getDefiningOp(), target.impl().device);
  assign.getValueMutable().assign(graph.operation(source.impl())->getResult(0));
}

/// Makes the node the operation of the tensor.
static void setNode(const Tensor &tensor, const GraphNode &node) {
  const Tensor value = node.tensor();
  TensorImpl &impl = tensor.impl();
  GraphImpl &graph = *impl.graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  Operation *op = graph.operation(value.impl());
  if (impl.storage && !impl.movement)
    impl.storage->assign(op);
  else
    graph.rebind(impl, op);
}

/// Gives the computed memory to what uses the operation that the tensor had
/// before; not if it is the value of another tensor, too, since that may be one
/// of another thread, without rules.
static void replaceOld(const GraphNode &old, const Tensor &tensor) {
  const Tensor held = old.tensor();
  GraphImpl &graph = *held.impl().graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  Operation *op = graph.operation(held.impl());
  Operation *memory = graph.operation(tensor.impl());
  unsigned count = 0; // one of them is `held`
  for (Handle *handle = graph.node(op).firstHandle; handle;
       handle = handle->next)
    count += !handle->isObserver;
  if (count > 1)
    return;
  if (op != memory && isa<tg::BufferOp>(memory) && !isa<tg::BufferOp>(op))
    graph.replace(op, memory);
}

void tinygrad::rewriteAndRealize(const std::vector<Tensor> &tensors,
                                 const std::function<void()> &realize) {
  RewriteScope *scope = innermost;
  if (!scope || scope->isRunning)
    return realize();
  std::vector<std::pair<GraphNode, Tensor>> replaced;
  {
    const llvm::SaveAndRestore running(scope->isRunning, true);
    for (const Tensor &tensor : tensors) {
      const GraphNode root(tensor);
      const std::vector<GraphNode> order = root.order();
      if (order.size() == 1) // memory or a constant
        continue;
      for (const GraphNode &node : order)
        if (node.operation() == tg::AssignOp::getOperationName()) {
          const GraphNode value = node.sources()[1];
          const GraphNode next = callChecked(scope->function, value);
          if (!(next == value))
            setAssigned(node, next);
        }
      // A parameter stays the one that gradients are by.
      if (root.operation() == tg::AssignOp::getOperationName() ||
          tensor.requiresGrad())
        continue;
      const GraphNode next = callChecked(scope->function, root);
      if (next == root)
        continue;
      setNode(tensor, next);
      replaced.emplace_back(root, tensor);
    }
  }
  realize();
  for (const auto &[old, tensor] : replaced)
    if (!old.isOverwritten())
      replaceOld(old, tensor);
}
