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

namespace mlir {
class Operation;
} // namespace mlir

namespace tinygrad::detail {

struct TensorImpl;

/// What a tensor is a view of: assigning to the view changes it.
struct Origin {
  std::weak_ptr<TensorImpl> tensor;
  /// Its operation when the view was made, from which the view's comes by
  /// movement operations.
  mlir::Operation *op;
  /// What to look at if the tensor is gone: what it was another handle on.
  std::shared_ptr<Origin> next;
  unsigned depth = 0;
};

/// One tensor: all copies of a handle share it. It holds on to the operation
/// whose result it is; the graph keeps a list of those that hold on to the same
/// one, to move them when the operation is replaced.
struct TensorImpl : std::enable_shared_from_this<TensorImpl> {
  TensorImpl(std::shared_ptr<GraphImpl> graph, mlir::Operation *op, DType dtype,
             Shape shape, Device *device);
  ~TensorImpl();
  TensorImpl(const TensorImpl &) = delete;
  TensorImpl &operator=(const TensorImpl &) = delete;

  std::shared_ptr<GraphImpl> graph;
  mlir::Operation *op; // guarded by the graph's lock
  DType dtype;
  Shape shape;
  Device *device;
  std::shared_ptr<Origin> origin; // if it is a view
  TensorImpl *previous = nullptr; // guarded by the graph's lock
  TensorImpl *next = nullptr;
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
