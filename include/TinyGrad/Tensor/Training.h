//===- Training.h - training mode -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The mode that methods such as Tensor::dropout() depend on: training or
/// evaluation.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_TRAINING_H
#define TINYGRAD_TENSOR_TRAINING_H

namespace tinygrad {

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

private:
  const bool outer;
};

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_TRAINING_H
