//===- GradScaler.h - dynamic loss scale ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Training with float16: the loss is multiplied by a large number, so that
/// small gradients are not rounded to 0.
///
/// \code
///   optim::GradScaler scaler;
///   scaler.scale(loss).backward();
///   scaler.step(optimizer);
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPTIM_GRADSCALER_H
#define TINYGRAD_OPTIM_GRADSCALER_H

#include "TinyGrad/Optim/OptimizerGroup.h"
#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Operand.h"

#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

namespace tinygrad::optim {

/// The defaults are those of PyTorch.
struct GradScalerOptions {
  double initialScale = 65536;
  double growthFactor = 2;
  double backoffFactor = 0.5;
  /// Steps with finite gradients until the scale grows.
  int64_t growthInterval = 2000;
  /// PyTorch has no limit: with a loss that is NaN its scale becomes 0.
  double minimumScale = 1;
  /// The default device if empty.
  std::string device = {};
};

/// A loss scale that grows while gradients are finite. In a step with an
/// infinity or a NaN in any gradient, nothing is updated, and the scale is
/// reduced. All decisions are made on the device. As `GradScaler` of PyTorch.
/// State: `loss_scale`, `growth_tracker` and `skipped_steps`.
class GradScaler {
public:
  /// Throws Error for a growth factor that is not above 1, a back-off factor
  /// outside of (0, 1), an interval below 1, or scales that are not positive.
  explicit GradScaler(const GradScalerOptions &options = {});

  /// \p value times the scale, in float32 at least. Gradients are clipped by
  /// scaled limits: `clipGradNorm(parameters, scaler.scale(1))` returns the
  /// norm times the scale.
  Tensor scale(const Operand &value) const;
  /// Steps with the gradients divided by the scale, in the type that updates
  /// are computed in, and adjusts the scale. \p options has neither a scale
  /// nor a condition, else throws Error; otherwise as Optimizer::step().
  void step(const OptimizerGroup &optimizers, const StepOptions &options = {},
            std::source_location where = std::source_location::current());
  /// As Optimizer::scheduleStep().
  std::vector<Tensor> scheduleStep(const OptimizerGroup &optimizers,
                                   const StepOptions &options = {});

  /// The scale (float32), and the number of steps since one was not skipped
  /// (int32).
  const Tensor &currentScale() const { return lossScale; }
  const Tensor &numSkipped() const { return skippedSteps; }
  /// Reads the number of skipped steps on the host and throws Error if it is at
  /// least \p limit. The parameters still have their last finite values.
  void checkProgress(
      int64_t limit = 25,
      std::source_location where = std::source_location::current()) const;

  TINYGRAD_MEMBERS(lossScale, growthTracker, skippedSteps)

private:
  GradScalerOptions options;
  Tensor lossScale, growthTracker, skippedSteps;
};

} // namespace tinygrad::optim

#endif // TINYGRAD_OPTIM_GRADSCALER_H
