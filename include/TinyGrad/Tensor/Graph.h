//===- Graph.h - graphs of tensors ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tensors are values of a graph. Most programs do not use this class: without
/// a GraphScope, tensors belong to the graph of the process.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_GRAPH_H
#define TINYGRAD_TENSOR_GRAPH_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad {

namespace detail {
class GraphImpl;
} // namespace detail

/// Where a graph is in its sequences of random numbers, one for each device.
/// Numbers are a function of the seed modulo 2^32, of the device's place in
/// `counters`, and of its counter.
struct RandomState {
  uint64_t seed = 0;
  /// Names of devices with the number of random words of 32 bits made on them,
  /// in the order in which they were first used since the seed was set.
  std::vector<std::pair<std::string, uint64_t>> counters;

  bool operator==(const RandomState &) const = default;
};

/// A graph of lazy tensor operations, with the programs compiled for it. It
/// exists as long as a Graph or a Tensor refers to it. Operands of an operation
/// must belong to one graph. Every graph has one lock, which each operation on
/// its tensors takes: threads may share a graph, but need separate graphs to
/// realize in parallel.
class Graph {
public:
  /// A new, empty graph.
  Graph();
  /// The graph of this thread's innermost GraphScope, else that of the process.
  static Graph current();

  /// Seeds the random numbers made in this graph from now on.
  void manualSeed(uint64_t seed);
  /// The state of the random numbers. A graph, of this process or another one,
  /// that it is given to makes the same numbers from there on.
  RandomState randomState(
      std::source_location where = std::source_location::current()) const;
  /// Throws DeviceError for a name that is no device here.
  void setRandomState(const RandomState &state);

  /// The number of operations in the graph: those that some tensor needs.
  std::size_t numOperations() const;
  /// The number of compiled programs in the cache.
  std::size_t numPrograms() const;
  /// Drops the cached programs, and unloads kernels that no other program
  /// needs.
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
