//===- Training.h - training mode -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The modes of a thread: training or evaluation, which methods such as
/// Tensor::dropout() depend on, and whether gradients flow through what is
/// computed.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_TRAINING_H
#define TINYGRAD_TENSOR_TRAINING_H

#include <vector>

namespace tinygrad {

class OptionalTensor;
class Tensor;

namespace detail {

/// Lets the next step of an optimizer compute the tensor, if it has one element
/// and is not in memory then: a loss, which would else be computed again from
/// copies of the parameters. Tensor::backward() and GradScaler::scale() call
/// this.
void addLoss(const Tensor &tensor);
/// Those tensors of the graph of \p tensor that are still in use and not in
/// memory; a second call returns none.
std::vector<Tensor> takeLosses(const Tensor &tensor);

/// Tensor::backward() as tinygrad has it in Python: adds to the gradient of
/// each tensor of floats that \p tensor depends on, whether it requires one or
/// not. Does nothing for a tensor that depends on none.
void backwardToAll(const Tensor &tensor, const OptionalTensor &cotangent);

} // namespace detail

/// Enables training on this thread until the end of the scope. The default is
/// evaluation, as in an inner `TrainingScope evaluation(false)`.
class TrainingScope {
public:
  explicit TrainingScope(bool isTraining = true);
  ~TrainingScope();
  TrainingScope(const TrainingScope &) = delete;
  TrainingScope &operator=(const TrainingScope &) = delete;

  /// Whether this thread is in training mode.
  static bool isActive();
  /// For languages without scopes: sets the mode of this thread, until the
  /// scope around the call ends if there is one.
  static void set(bool isTraining);

private:
  const bool outer;
};

/// Until the end of the scope, no gradient flows through what this thread
/// computes, as if each result were detached: for updates of weights and for
/// statistics. An inner `NoGradScope gradients(false)` enables gradients again.
class NoGradScope {
public:
  explicit NoGradScope(bool isActive = true);
  ~NoGradScope();
  NoGradScope(const NoGradScope &) = delete;
  NoGradScope &operator=(const NoGradScope &) = delete;

  /// Whether this thread is in such a scope.
  static bool isActive();
  /// As TrainingScope::set().
  static void set(bool isActive);

private:
  const bool outer;
};

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_TRAINING_H
