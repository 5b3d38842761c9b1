//===- Training.h - whether networks are being trained ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What methods such as Tensor::dropout() do depends on whether a network is
/// trained or used.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_TRAINING_H
#define TINYGRAD_TENSOR_TRAINING_H

namespace tinygrad {

/// This thread trains until the end of the scope. It does not otherwise, and
/// not in an inner `TrainingScope evaluation(false)`.
class TrainingScope {
public:
  explicit TrainingScope(bool isTraining = true);
  ~TrainingScope();
  TrainingScope(const TrainingScope &) = delete;
  TrainingScope &operator=(const TrainingScope &) = delete;

  /// Whether this thread trains.
  static bool isActive();

private:
  const bool outer;
};

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_TRAINING_H
