//===- TensorImpl.h - what a tensor handle points to ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of a tensor that sources without MLIR headers can use.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_TENSORIMPL_H
#define TINYGRAD_LIB_TENSOR_TENSORIMPL_H

#include "SymExpr.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <memory>
#include <mutex>

namespace mlir {
class Operation;
} // namespace mlir

namespace tinygrad::detail {

struct Movement;
class Selection;
class Storage;
struct Shards;

/// Keeps an operation alive. The graph keeps a list of the handles of each
/// operation, so that it can move them when the operation is replaced. Guarded
/// by the graph's lock.
struct Handle {
  mlir::Operation *op = nullptr;
  Handle *previous = nullptr;
  Handle *next = nullptr;
  /// Set if this handle belongs to a storage, not to a tensor.
  const Storage *pinnedBy = nullptr;
  /// Set if this handle belongs to the graph itself.
  bool isInternal = false;
  /// Set if this handle belongs to memory, and keeps what it was computed from
  /// only for gradients: see GraphImpl::Origin. It is internal, too.
  bool isOrigin = false;
  /// Set if this handle only shows the operation: see GraphNode. Programs are
  /// what they would be without it. It is internal, too.
  bool isObserver = false;
  /// Whether no program depends on this handle, so that it stays at its
  /// operation when that is replaced.
  bool keepsOnly() const { return isOrigin || isObserver; }
  /// Set if this is a tensor whose gradient backward() computes. Some handles
  /// are no tensors.
  bool requiresGrad = false;
};

/// One tensor, shared by all copies of a handle. Its value is the result of its
/// operation. Use GraphImpl::operation() to get it, since the operation of a
/// view may have to be rebuilt first.
struct TensorImpl : Handle, std::enable_shared_from_this<TensorImpl> {
  TensorImpl(std::shared_ptr<GraphImpl> graph, mlir::Operation *op, DType dtype,
             Shape shape, Device *device);
  /// Without an operation, for a tensor on several devices.
  TensorImpl(std::shared_ptr<GraphImpl> graph, DType dtype, Shape shape,
             Device *device);
  ~TensorImpl();
  TensorImpl(const TensorImpl &) = delete;
  TensorImpl &operator=(const TensorImpl &) = delete;

  std::shared_ptr<GraphImpl> graph;
  DType dtype;
  Shape shape;
  Device *device;
  /// The number of the recorder that was active when the tensor was made, or 0.
  uint64_t epoch = 0;

  // Guarded by the graph's lock.

  /// Set if the tensor is a view or has views.
  std::shared_ptr<Storage> storage;
  /// How a view is derived from the root of its storage; null if it is all of
  /// it.
  std::shared_ptr<const Movement> movement;
  /// Links of the list of those views of the storage that have an operation.
  TensorImpl *previousView = nullptr;
  TensorImpl *nextView = nullptr;

  /// The sum of the gradients that backward() computed.
  Tensor grad;

  /// Set if the tensor is on several devices: what it consists of. The device
  /// is the first one then.
  std::shared_ptr<Shards> shards;

  /// Set if this represents the elements that a mask selects: how to compute
  /// them. All other members are those of the mask then.
  std::shared_ptr<Selection> selection;
};

/// The elements of a tensor that a mask selects. Their number is known only
/// when the mask has been computed, which happens on first use.
class Selection {
public:
  /// \p axis is the first axis of \p source that the mask covers.
  Selection(Tensor source, Tensor mask, int64_t axis)
      : source(std::move(source)), mask(std::move(mask)), axis(axis) {}

  TensorImpl &get();

private:
  const Tensor source, mask;
  const int64_t axis;
  std::mutex mutex; // guards the result
  Tensor result;
};

/// Until the end of the scope, operations that this thread adds to graphs are
/// named after a method: the outermost one if scopes are nested. DEBUG=2 shows
/// these names for kernels.
class MethodScope {
public:
  /// \p name must be a string literal.
  explicit MethodScope(const char *name) : isOutermost(!current) {
    if (isOutermost)
      current = name;
  }
  ~MethodScope() {
    if (isOutermost)
      current = nullptr;
  }
  MethodScope(const MethodScope &) = delete;
  MethodScope &operator=(const MethodScope &) = delete;

  /// Null if no scope is open.
  static const char *name() { return current; }

private:
  static inline thread_local const char *current = nullptr;
  const bool isOutermost;
};

/// The number of elements. Throws ShapeError, naming \p what, if a size is or
/// may be negative, or if the bytes of a tensor of \p dtype with the maximal
/// sizes exceed int64_t.
SymInt checkedNumElements(const Shape &shape, DType dtype, const char *what);
/// The sum of two non-negative sizes. Throws ShapeError naming \p what.
SymInt checkedSum(SymInt a, SymInt b, const char *what);
/// Throws DTypeError, naming \p what, unless \p dtype can represent \p value.
void checkFits(Scalar value, DType dtype, const char *what);

/// "[2, 3] float32", for messages.
std::string describe(const Tensor &tensor);

/// The axis counted from 0. Throws IndexError naming \p what.
int64_t normalizeAxis(int64_t axis, int64_t rank, const char *what);
/// The sorted axes; none for a tensor of rank 0, which accepts 0 and -1 as
/// axes. Throws IndexError if one is out of range or given twice.
std::vector<int64_t> normalizeAxes(const Axes &axes, int64_t rank,
                                   const char *what);

/// The device given in \p options, else the default device.
Device &deviceOf(const TensorOptions &options);

/// The key of random words \p chunk after the present counter of \p device, and
/// the counter there; then adds \p count to the counter. See RandomCounters.
std::pair<uint64_t, uint64_t> takeRandomKey(const Graph &graph, Device &device,
                                            uint64_t chunk, uint64_t count);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_TENSORIMPL_H
