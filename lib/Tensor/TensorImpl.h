//===- TensorImpl.h - what a tensor handle points to ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of a tensor that the sources without MLIR headers see.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_TENSORIMPL_H
#define TINYGRAD_LIB_TENSOR_TENSORIMPL_H

#include "SymExpr.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <mutex>

namespace mlir {
class Operation;
} // namespace mlir

namespace tinygrad::detail {

struct Movement;
class Selection;
class Storage;

/// Keeps an operation alive. The graph lists the handles of each operation, to
/// move them when it is replaced. Guarded by the graph's lock.
struct Handle {
  mlir::Operation *op = nullptr;
  Handle *previous = nullptr;
  Handle *next = nullptr;
  /// If this is no tensor, but a storage's.
  const Storage *pinnedBy = nullptr;
  /// If this is the graph's own.
  bool isInternal = false;
};

/// One tensor: all copies of a handle share it. Its operation is the one whose
/// result it is; GraphImpl::operation() gives it, as that of a view may have to
/// be made.
struct TensorImpl : Handle {
  TensorImpl(std::shared_ptr<GraphImpl> graph, mlir::Operation *op, DType dtype,
             Shape shape, Device *device);
  ~TensorImpl();
  TensorImpl(const TensorImpl &) = delete;
  TensorImpl &operator=(const TensorImpl &) = delete;

  std::shared_ptr<GraphImpl> graph;
  DType dtype;
  Shape shape;
  Device *device;

  // Guarded by the graph's lock.

  /// If there are views of the tensor, or it is one itself.
  std::shared_ptr<Storage> storage;
  /// How a view comes from the root of its storage; null if it shows all of it.
  std::shared_ptr<const Movement> movement;
  /// Of the views of that storage, those that have an operation.
  TensorImpl *previousView = nullptr;
  TensorImpl *nextView = nullptr;

  /// If this stands for what a mask selects: where to find that. All else is
  /// that of the mask then.
  std::shared_ptr<Selection> selection;
};

/// The elements of a tensor that a mask selects. How many these are is known
/// only when the mask has been computed, which the first use does.
class Selection {
public:
  /// \p axis is the first of the axes of \p source that the mask has.
  Selection(Tensor source, Tensor mask, int64_t axis)
      : source(std::move(source)), mask(std::move(mask)), axis(axis) {}

  TensorImpl &get();

private:
  const Tensor source, mask;
  const int64_t axis;
  std::mutex mutex; // of the result
  Tensor result;
};

/// Names the operations that this thread adds to graphs until the end of a
/// scope after a method, the outermost one if several are open. Kernels are
/// described by these names (DEBUG=2).
class MethodScope {
public:
  /// \p name is a literal.
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

  /// Null if none is open.
  static const char *name() { return current; }

private:
  static inline thread_local const char *current = nullptr;
  const bool isOutermost;
};

/// The number of elements. Throws ShapeError, naming \p what, for a size that
/// is or may be negative or when the bytes of a tensor of \p dtype, of its
/// greatest sizes, do not fit int64_t.
SymInt checkedNumElements(const Shape &shape, DType dtype, const char *what);
/// The sum of two sizes, neither negative. Throws ShapeError naming \p what.
SymInt checkedSum(SymInt a, SymInt b, const char *what);
/// Throws DTypeError, naming \p what, unless \p dtype holds \p value.
void checkFits(Scalar value, DType dtype, const char *what);

/// "[2, 3] float32", for messages.
std::string describe(const Tensor &tensor);

/// The axis as a number from 0 on. Throws IndexError naming \p what.
int64_t normalizeAxis(int64_t axis, int64_t rank, const char *what);
/// The axes sorted; none for a tensor of rank 0, of which 0 and -1 are axes
/// here. Throws IndexError if one is out of range or given twice.
std::vector<int64_t> normalizeAxes(const Axes &axes, int64_t rank,
                                   const char *what);

/// The device that options name, else the default one.
Device &deviceOf(const TensorOptions &options);

/// The key and the first of \p count counters for random numbers.
void takeRandomState(const Graph &graph, uint64_t count, uint64_t state[2]);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_TENSORIMPL_H
