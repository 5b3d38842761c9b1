//===- GraphEdit.h - nodes from other builders ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns operations that were not made by GraphImpl::make into nodes of a
/// graph: operations made by an OpBuilder, an interface, or a rewrite pattern.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_GRAPHEDIT_H
#define TINYGRAD_LIB_TENSOR_GRAPHEDIT_H

#include "GraphImpl.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tinygrad::detail {

/// Operations on values of a graph that are not part of it yet. They are in a
/// separate block, where rewriters may replace and erase them. adopt() makes
/// nodes of those that are needed; the others are erased with the edit.
///
/// The graph must be locked while an edit exists, and none of its tensors may
/// be realized meanwhile. Nodes of the graph must not be replaced, erased or
/// changed here: use rewriteValues() for that.
class GraphEdit {
public:
  explicit GraphEdit(GraphImpl &graph);
  ~GraphEdit();
  GraphEdit(const GraphEdit &) = delete;
  GraphEdit &operator=(const GraphEdit &) = delete;

  /// Creates operations of the edit, wherever its insertion point is. Throws
  /// std::bad_alloc when memory runs out.
  mlir::RewriterBase &rewriter() { return irRewriter; }
  /// The listener for other rewriters, such as those of pattern drivers.
  mlir::RewriterBase::Listener &listener() { return inserted; }

  /// Folds the operations of the edit that can be, as operations of methods are
  /// when they are made. Operations replaced by others stay, unused; \p values
  /// are replaced by the new ones.
  void fold(llvm::MutableArrayRef<mlir::Value> values);

  /// Makes nodes of the operations that \p values depend on, reusing equal
  /// nodes of the graph, and returns a tensor on \p device for each value. All
  /// other operations of the edit are erased, so that only the tensors refer to
  /// the results. The time is linear in the number of operations of the edit.
  ///
  /// Throws Error if an operation is invalid or not allowed in a tensor graph,
  /// ShapeError for a tensor that is too large, and std::bad_alloc. The graph
  /// is unchanged then. In a NoGradScope, no gradient flows through the
  /// operations.
  std::vector<Tensor> adopt(mlir::ValueRange values, Device &device);
  /// Lets the operations read the memory of values that were computed, instead
  /// of computing them again: see GraphImpl::Origin.
  void readMemory(llvm::MutableArrayRef<mlir::Value> values);
  /// The operations of the edit are those of the library's own builders, which
  /// make valid ones: their verifiers run in builds with assertions alone.
  /// They take a fifth of the time of a small graph's gradient.
  void trustOperations() { areTrusted = true; }
  Tensor adopt(mlir::Value value, Device &device) {
    return adopt(mlir::ValueRange(value), device).front();
  }

private:
  friend void
  rewriteValues(GraphImpl &graph, llvm::ArrayRef<mlir::Operation *> values,
                llvm::function_ref<void(mlir::func::FuncOp, GraphEdit &)>);

  /// Moves operations that are inserted among the nodes into the edit's block.
  struct Inserted final : mlir::RewriterBase::Listener {
    explicit Inserted(GraphEdit &edit) : edit(edit) {}
    void notifyOperationInserted(mlir::Operation *op,
                                 mlir::OpBuilder::InsertPoint previous) final;
    void notifyOperationErased(mlir::Operation *op) final;

    GraphEdit &edit;
  };

  /// Keeps nodes alive while they have no tensors.
  class Pins {
  public:
    Pins(GraphImpl &graph, std::size_t count) : graph(graph), handles(count) {}
    ~Pins() {
      for (Handle &handle : handles)
        graph.release(handle);
    }
    void pin(std::size_t i, mlir::Operation *op);
    mlir::Operation *operator[](std::size_t i) const { return handles[i].op; }

  private:
    GraphImpl &graph;
    std::vector<Handle> handles;
  };

  mlir::Block &block() { return *staging->getBody(); }
  /// Makes nodes of what \p values depend on. \p nodes, as many as values, keep
  /// the nodes of the values alive.
  void makeNodes(mlir::ValueRange values, Pins &nodes);
  /// The operations of the edit that \p values depend on, each after its
  /// operands.
  llvm::SmallVector<mlir::Operation *> collect(mlir::ValueRange values);
  void check(mlir::Operation *op);
  /// Erases all operations of the edit.
  void clear();

  GraphImpl &graph;
  mlir::OwningOpRef<mlir::ModuleOp> staging;
  Inserted inserted;
  mlir::IRRewriter irRewriter;
  bool readsMemory = false, areTrusted = false;
};

/// Calls \p rewrite, which may use any patterns or passes, for a function that
/// computes \p values. Then the tensors for \p values, and all tensors that \p
/// values depend on, get the results of the rewritten function. Memory, the
/// assigned values of memory, and values with a custom gradient are arguments
/// of the function and stay as they are. Other tensors keep their operations.
///
/// Throws what GraphEdit::adopt does, and Error if the function returns values
/// of other types. The graph is unchanged then.
void rewriteValues(
    GraphImpl &graph, llvm::ArrayRef<mlir::Operation *> values,
    llvm::function_ref<void(mlir::func::FuncOp, GraphEdit &)> rewrite);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_GRAPHEDIT_H
