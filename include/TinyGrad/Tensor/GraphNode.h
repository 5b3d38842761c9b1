//===- GraphNode.h - the operations of a graph ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A look at the graph behind tensors, operation by operation, and operations
/// that are made without a method of Tensor:
///
/// \code
///   GraphNode sum(x + y);
///   sum.operation();            // "tg.add"
///   sum.sources()[0] == GraphNode(x);
///   GraphNode difference = GraphNode::make("tg.sub", sum.sources());
///   difference.tensor().realize();
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_GRAPHNODE_H
#define TINYGRAD_TENSOR_GRAPHNODE_H

#include "TinyGrad/Runtime/Buffer.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tinygrad {

namespace detail {
struct GraphObserver;
} // namespace detail

/// One argument of an operation besides its sources: an attribute of the `tg`
/// dialect. A list of numbers is a Shape where the numbers are sizes,
/// positions or axes; a std::vector<Scalar> lists elements. Kinds and devices
/// are texts; so are attributes that are none of these, as MLIR prints them.
struct GraphArgument {
  std::string name;
  std::variant<std::string, Scalar, Shape, std::vector<Scalar>> value;
};

/// An operation of a graph and its value. Copies refer to the same operation,
/// and nodes of one operation on one device are equal, unless memory that it
/// reads was written to between them.
///
/// A node changes no programs. It keeps memory that it looks at, so that an
/// assignment may write new memory instead of that. It keeps its operation in
/// the graph, also when the tensors that had its value are realized. A source
/// that was realized is memory from then on ("tg.buffer").
class GraphNode {
public:
  /// The operation that computes the tensor.
  explicit GraphNode(const Tensor &tensor);

  /// An operation that is not simplified. Its type follows from the sources,
  /// unless \p dtype or \p shape are given, which default to those of the first
  /// source. Without sources, it is of \p graph and on the default device.
  ///
  /// Throws Error, with the message of the dialect's verifier, for an operation
  /// that is unknown, not valid, or about memory ("tg.buffer", "tg.assign",
  /// "tg.after"), for missing or unknown arguments, and for sources of several
  /// graphs, or that were overwritten; DeviceError for sources on several
  /// devices; ShapeError for a tensor that is too large.
  static GraphNode make(const std::string &operation,
                        const std::vector<GraphNode> &sources,
                        const std::vector<GraphArgument> &arguments = {},
                        std::optional<DType> dtype = std::nullopt,
                        const std::optional<Shape> &shape = std::nullopt,
                        const Graph &graph = Graph::current());
  /// The same operation of other sources: its type follows from those, or stays
  /// if they have the types of the present ones. Throws what make() throws.
  GraphNode withSources(const std::vector<GraphNode> &sources) const;

  /// Its name in the dialect: "tg.add".
  std::string operation() const;
  DType dtype() const;
  Shape shape() const;
  const std::string &device() const;
  std::vector<GraphNode> sources() const;
  std::vector<GraphArgument> arguments() const;
  /// This node and all that it depends on, each after its sources.
  std::vector<GraphNode> order() const;
  /// As MLIR prints it.
  std::string str() const;
  /// Whether other values were written to memory that it is computed from, so
  /// that its value can no longer be computed.
  bool isOverwritten() const;
  /// Whether it is memory of a tensor, with its values.
  bool isMemory() const;

  /// The memory that has its elements one after another, if there is any: that
  /// of a tensor or a contiguous part of it, or of the target of an assignment
  /// that has not run. None for what has to be computed, or has no memory yet.
  std::optional<Buffer> memory() const;

  /// A tensor with this value. Throws Error if it was overwritten.
  Tensor tensor() const;

  /// Differs between nodes that are not equal; never used again.
  uint64_t number() const;
  bool operator==(const GraphNode &other) const {
    return observer == other.observer;
  }

private:
  explicit GraphNode(std::shared_ptr<detail::GraphObserver> observer)
      : observer(std::move(observer)) {}
  friend struct detail::GraphObserver;

  std::shared_ptr<detail::GraphObserver> observer;
};

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_GRAPHNODE_H
