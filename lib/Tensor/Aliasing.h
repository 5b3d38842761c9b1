//===- Aliasing.h - tensors that share memory with their views --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Connects a tensor with its views, so that an assignment to one of them is
/// visible in all. Each has an operation of its own in the graph. An assignment
/// replaces the operation of the root; the operations of the views are rebuilt
/// on demand.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_ALIASING_H
#define TINYGRAD_LIB_TENSOR_ALIASING_H

#include "TensorImpl.h"

namespace tinygrad::detail {

/// How a view is derived from its root: its last movement operation, linked to
/// the previous ones. Operands that are only broadcast are not views.
struct Movement {
  enum class Kind {
    Reshape,
    Permute,
    Shrink,
    Flip,
    Pad,
    Expand,
    Bitcast,
    Detach
  };

  Kind kind;
  /// The last of this and the previous ones that is loose, if any: an expand(),
  /// pad(), bitcast(), or detach().
  /// Only tensors in memory have such views. They read the old values after an
  /// assignment to the tensor, as results of operations do, but an assignment
  /// to one is an assignment to the tensor.
  const Movement *loose = nullptr;
  DType dtype = DType::Float32;   // Bitcast
  Shape before = {};              // shape of the operand
  Shape after = {};               // Reshape, Expand
  Shape from = {}, to = {};       // Shrink
  Shape low = {}, high = {};      // Pad
  std::vector<int64_t> axes = {}; // order of Permute, axes of Flip
  std::shared_ptr<const Movement> previous = nullptr;

  Movement(Kind kind, Shape before) : kind(kind), before(std::move(before)) {}
  /// Destroys the chain of `previous` without recursion.
  ~Movement();

  /// The result for \p operand.
  mlir::Operation *apply(GraphImpl &graph, mlir::Operation *operand) const;
  /// Places \p x, which has the shape of the result, at its position in a
  /// tensor of the operand's shape that is zero elsewhere. Of the elements that
  /// an Expand makes of one, the last is taken. The element type stays.
  Tensor moveBack(const Tensor &x) const;
};

/// The state that a root tensor shares with its views. Guarded by the graph's
/// lock. It ends with the last view, or when the root is destroyed and at most
/// one view remains. If the root was not in memory when its views were
/// computed, each view has memory of its own; once the root is destroyed, such
/// views that have no elements in common become tensors by themselves, so that
/// this state keeps no graph alive that nothing else needs.
class Storage {
public:
  Storage(GraphImpl &graph, TensorImpl &root);
  ~Storage();
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;

  /// Registers \p view as a view.
  static void add(const std::shared_ptr<Storage> &storage, TensorImpl &view,
                  std::shared_ptr<const Movement> movement);
  /// Removes a tensor, root or view.
  static void leave(TensorImpl &tensor);
  /// Makes a view with a loose movement a tensor of its own, with its present
  /// values. Others stay what they are.
  static void leaveIfLoose(GraphImpl &graph, TensorImpl &tensor);
  /// The root; a new one if it was destroyed. Null if another thread is about
  /// to destroy it.
  static std::shared_ptr<TensorImpl>
  getOrMakeRoot(const std::shared_ptr<Storage> &storage, Device &device);
  /// Rebuilds the operation of a view that an assignment changed.
  static void refresh(TensorImpl &view);
  /// Must be called when memory has replaced a view's operation.
  static void endIfDone(std::shared_ptr<Storage> storage);

  bool isRoot(const TensorImpl &tensor) const { return &tensor == root; }
  bool hasRoot() const { return root; }
  /// Whether the root requires a gradient.
  bool requiresGrad() const { return root && root->requiresGrad; }
  /// Whether the operations of some views must be rebuilt.
  bool hasStaleViews() const { return numStale != 0; }
  /// The operation of the root, which is kept even if the root is destroyed.
  mlir::Operation *operation() const { return pin.op; }
  /// Forgets the operation of a view, which may be memory of its own.
  void detach(TensorImpl &view);
  /// Makes \p op the value of the root. \p through leads to the view that was
  /// assigned to. Views with other loose movements become tensors of their own,
  /// with the old values.
  void assign(mlir::Operation *op, const Movement *through = nullptr);

private:
  void link(TensorImpl &view);
  void unlink(TensorImpl &view);

  GraphImpl &graph;
  Handle pin;
  TensorImpl *root;
  /// Linked list of the views that have an operation.
  TensorImpl *firstView = nullptr;
  std::size_t numStale = 0;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_ALIASING_H
