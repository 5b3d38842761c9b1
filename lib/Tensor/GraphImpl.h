//===- GraphImpl.h - the graph behind tensors -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An MLIR module whose operations are made one by one through the dialect's
/// builders, unique, and gone when nothing needs them.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_GRAPHIMPL_H
#define TINYGRAD_LIB_TENSOR_GRAPHIMPL_H

#include "TensorImpl.h"
#include "TinyGrad/Runtime/DiskCache.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <mutex>

namespace tinygrad {
class CompiledProgram;
} // namespace tinygrad

namespace tinygrad::detail {

/// Operations are equal when name, attributes, operands and types are.
struct OperationInfo : llvm::DenseMapInfo<mlir::Operation *> {
  static unsigned getHashValue(const mlir::Operation *op);
  static bool isEqual(const mlir::Operation *lhs, const mlir::Operation *rhs);
};

class GraphImpl : public std::enable_shared_from_this<GraphImpl> {
public:
  GraphImpl();
  ~GraphImpl();

  /// Guards everything below, and the operations. Recursive: methods of tensors
  /// that consist of others may hold it.
  std::recursive_mutex mutex;

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Stands at the end of the module.
  mlir::OpBuilder builder;
  mlir::Location location;

  /// Memory of the tg.buffer operations, by id.
  llvm::DenseMap<int64_t, Buffer> buffers;
  int64_t nextBufferId = 0;
  /// State of the random numbers.
  uint64_t seed;
  uint64_t counter = 0;
  std::map<Digest, std::shared_ptr<CompiledProgram>> programs;

  /// Makes an operation, or finds the one that it folds to or is equal to.
  template <typename OpTy, typename... Args>
  Tensor build(Device *device, Args &&...args) {
    return wrap(intern(builder.createOrFold<OpTy>(location,
                                                  std::forward<Args>(args)...)),
                device);
  }
  /// A new handle on the result of \p op.
  Tensor wrap(mlir::Operation *op, Device *device);
  /// A new tg.buffer, at the end or before \p before.
  mlir::Operation *createBuffer(const Buffer &memory,
                                mlir::RankedTensorType type,
                                mlir::Operation *before = nullptr);
  /// A new tg.assign of a value to a tg.buffer.
  mlir::Operation *createAssign(mlir::Operation *target,
                                mlir::Operation *value);
  /// The operation that stands for all operations equal to the one that defines
  /// \p value; erases the latter if it is another one.
  mlir::Operation *intern(mlir::Value value);

  /// Makes all users and handles of \p op those of \p replacement.
  void replace(mlir::Operation *op, mlir::Operation *replacement);
  /// Makes one handle refer to another operation.
  void rebind(TensorImpl &tensor, mlir::Operation *op);
  /// Called by TensorImpl.
  void link(TensorImpl &tensor);
  void release(TensorImpl &tensor);
  bool hasHandles(mlir::Operation *op) const { return handles.contains(op); }

  std::size_t numOperations() const;

  mlir::Type elementType(DType dtype);
  mlir::RankedTensorType tensorType(DType dtype, const Shape &shape);

private:
  void unlink(TensorImpl &tensor);
  /// Erases \p op if nothing needs it, then its operands likewise.
  void eraseIfDead(mlir::Operation *op);
  void forget(mlir::Operation *op);

  llvm::DenseSet<mlir::Operation *, OperationInfo> unique;
  /// The first handle on each operation that has any.
  llvm::DenseMap<mlir::Operation *, TensorImpl *> handles;
  std::array<mlir::Type, numDTypes> elementTypes;
  std::size_t count = 0;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_GRAPHIMPL_H
