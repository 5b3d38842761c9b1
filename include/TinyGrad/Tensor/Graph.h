//===- Graph.h - the owner of tensors ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tensors are values of a graph. Most programs never see this class: tensors
/// are made in a graph of the process unless a GraphScope says otherwise.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_GRAPH_H
#define TINYGRAD_TENSOR_GRAPH_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tinygrad {

namespace detail {
class GraphImpl;
} // namespace detail

/// A graph of lazy tensor operations, with the programs compiled for it. It
/// lives as long as a Graph or a Tensor refers to it. Operands of an operation
/// must be of one graph. Every graph has one lock, which each operation on its
/// tensors takes: threads may share a graph, but to realize in parallel they
/// need one each.
class Graph {
public:
  /// A new, empty graph.
  Graph();
  /// The graph of this thread's innermost GraphScope, else that of the process.
  static Graph current();

  /// Seeds the random numbers made in this graph from now on.
  void manualSeed(uint64_t seed);

  /// Operations in the graph: those that some tensor needs.
  std::size_t numOperations() const;
  /// Programs that realize() has compiled and keeps.
  std::size_t numPrograms() const;
  /// Drops them, and unloads the kernels that no other program needs.
  void clearPrograms();
  /// The whole graph as MLIR.
  std::string str() const;

  explicit Graph(std::shared_ptr<detail::GraphImpl> impl)
      : impl_(std::move(impl)) {}
  const std::shared_ptr<detail::GraphImpl> &impl() const { return impl_; }

private:
  std::shared_ptr<detail::GraphImpl> impl_;
};

/// Makes \p graph the current one of this thread until the end of the scope.
class GraphScope {
public:
  explicit GraphScope(const Graph &graph);
  ~GraphScope();
  GraphScope(const GraphScope &) = delete;
  GraphScope &operator=(const GraphScope &) = delete;

private:
  std::shared_ptr<detail::GraphImpl> graph;
  const std::shared_ptr<detail::GraphImpl> *outer;
};

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_GRAPH_H
