//===- GraphEdit.h - operations that others make ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How operations that GraphImpl::make did not make come to be nodes of a
/// graph: those of an OpBuilder, of interfaces, of rewrite patterns.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_GRAPHEDIT_H
#define TINYGRAD_LIB_TENSOR_GRAPHEDIT_H

#include "GraphImpl.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tinygrad::detail {

/// Operations on values of a graph that are not part of it yet. They stand in a
/// block of their own, where rewriters may replace and erase them; adopt()
/// makes nodes of those that are needed, and the rest goes with the edit.
///
/// The graph has to be locked as long as there is an edit, and none of its
/// tensors may be realized meanwhile. Nodes of the graph are not to be
/// replaced, erased or changed: that is what rewriteValues() is for.
class GraphEdit {
public:
  explicit GraphEdit(GraphImpl &graph);
  ~GraphEdit();
  GraphEdit(const GraphEdit &) = delete;
  GraphEdit &operator=(const GraphEdit &) = delete;

  /// Makes operations of the edit, wherever it is told to insert them. Throws
  /// std::bad_alloc when memory runs out.
  mlir::RewriterBase &rewriter() { return irRewriter; }
  /// What other rewriters, such as those of pattern drivers, tell of the
  /// operations that they make.
  mlir::RewriterBase::Listener &listener() { return inserted; }

  /// Makes nodes of the operations that \p values depend on, but for those that
  /// are equal to one that is there, and gives each value a tensor on
  /// \p device. All other operations of the edit are erased, so that only the
  /// tensors can tell what became of values. The time is linear in the
  /// operations of the edit.
  ///
  /// Throws Error if one is no operation of a tensor graph or not valid,
  /// ShapeError for a tensor that is too large, and std::bad_alloc. The graph
  /// is as it was then.
  std::vector<Tensor> adopt(mlir::ValueRange values, Device &device);
  Tensor adopt(mlir::Value value, Device &device) {
    return adopt(mlir::ValueRange(value), device).front();
  }

private:
  friend void
  rewriteValues(GraphImpl &graph, llvm::ArrayRef<mlir::Operation *> values,
                llvm::function_ref<void(mlir::func::FuncOp, GraphEdit &)>);

  /// Keeps what is inserted next to nodes in the edit's block.
  struct Inserted final : mlir::RewriterBase::Listener {
    explicit Inserted(GraphEdit &edit) : edit(edit) {}
    void notifyOperationInserted(mlir::Operation *op,
                                 mlir::OpBuilder::InsertPoint previous) final;
    void notifyOperationErased(mlir::Operation *op) final;

    GraphEdit &edit;
  };

  /// Holds on to nodes while they have no tensors.
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
  /// Makes nodes of what \p values depend on and lets \p nodes, as many, hold
  /// on to those of the values.
  void makeNodes(mlir::ValueRange values, Pins &nodes);
  /// The operations of the edit behind values, each after its operands.
  llvm::SmallVector<mlir::Operation *> collect(mlir::ValueRange values);
  void check(mlir::Operation *op);
  /// Erases all operations of the edit.
  void clear();

  GraphImpl &graph;
  mlir::OwningOpRef<mlir::ModuleOp> staging;
  Inserted inserted;
  mlir::IRRewriter irRewriter;
};

/// Calls \p rewrite, which may use any patterns or passes, for a function that
/// computes \p values, and gives the tensors of the graph what that function
/// computes instead: those of \p values, and all others whose values they
/// depend on. Arguments stand for memory and for what is assigned to memory,
/// which stay as they are. Other tensors keep their operations.
///
/// Throws what GraphEdit::adopt does, and Error unless the function returns
/// values of the same types. The graph is as it was then.
void rewriteValues(
    GraphImpl &graph, llvm::ArrayRef<mlir::Operation *> values,
    llvm::function_ref<void(mlir::func::FuncOp, GraphEdit &)> rewrite);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_GRAPHEDIT_H
