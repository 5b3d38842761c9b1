//===- GradientPaths.h - what gradients flow through ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds what lies between a tensor and those to differentiate it by, and says
/// why no gradient flows there.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_GRADIENTPATHS_H
#define TINYGRAD_LIB_TENSOR_GRADIENTPATHS_H

#include "GraphImpl.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace tinygrad::detail {

/// The shape and dtype of what \p op computes, for messages.
std::string describe(GraphImpl &graph, mlir::Operation *op);

/// What lies between an output and the operations to differentiate by.
class GradientPaths {
public:
  GradientPaths(GraphImpl &graph, const char *method)
      : graph(graph), method(method) {}

  /// Follows gradients from \p output to tensors that require one and to \p
  /// wrt. Throws Error for a value that gradients should flow through but
  /// cannot.
  void follow(mlir::Operation *output, llvm::ArrayRef<mlir::Operation *> wrt);

  /// The tensors found that require a gradient.
  llvm::ArrayRef<mlir::Operation *> leaves() const {
    return leafOps.getArrayRef();
  }
  /// The operations with custom gradients between output and `wrt` (or any
  /// leaf if there are none), each after those that it depends on.
  llvm::ArrayRef<mlir::Operation *> customs() const { return customOps; }
  bool isReached(mlir::Operation *op) const { return seen.contains(op); }
  /// Throws Error if something required a gradient before it was assigned to.
  void checkReassigned() const;

private:
  /// Throws Error for memory that replaced a computation, and for what was a
  /// leaf before it was assigned to.
  void check(mlir::Operation *op) const;
  /// Calls check() for memory that one of \p wrt may have had an influence on:
  /// not if all of them are computed from it.
  void checkMemory(llvm::ArrayRef<mlir::Operation *> memory,
                   llvm::ArrayRef<mlir::Operation *> wrt) const;
  /// Throws Error if \p op is memory that one of \p wrt had an influence on.
  void checkCut(mlir::Operation *op,
                llvm::ArrayRef<mlir::Operation *> wrt) const;

  GraphImpl &graph;
  const char *method;
  llvm::SmallSetVector<mlir::Operation *, 16> leafOps;
  llvm::SmallVector<mlir::Operation *> customOps;
  llvm::DenseSet<mlir::Operation *> seen;
};

/// Why no gradient flows from \p output to any operation that is a target, for
/// messages: the operation that stops it, or \p otherwise if there is no path.
std::string explainMissing(GraphImpl &graph, mlir::Operation *output,
                           llvm::function_ref<bool(mlir::Operation *)> isTarget,
                           const char *otherwise);

/// Throws Error if \p output depends on a value that a tensor of \p wrt had
/// before it was assigned to: the gradient by what it is now leaves that out.
void checkAssigned(GraphImpl &graph, mlir::Operation *output,
                   llvm::ArrayRef<Tensor> wrt,
                   llvm::ArrayRef<mlir::Operation *> wrtOps);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_GRADIENTPATHS_H
