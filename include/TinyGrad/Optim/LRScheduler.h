//===- LRScheduler.h - schedules of learning rates --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Learning rates that are functions of the number of steps. They are computed
/// on the device, so that a captured step advances them.
///
/// \code
///   optim::CosineAnnealingLR schedule(optimizer,
///                                     {.steps = 1000, .warmUpSteps = 100});
///   ...
///   optimizer.step();
///   schedule.step();
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPTIM_LRSCHEDULER_H
#define TINYGRAD_OPTIM_LRSCHEDULER_H

#include "TinyGrad/Optim/OptimizerGroup.h"
#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <cstdint>
#include <functional>
#include <source_location>
#include <vector>

namespace tinygrad::optim {

/// Sets the learning rates of all groups of optimizers, at once for step 0 and
/// with each call of step() for the next one. The optimizers need not outlive
/// it. State: `step_count`.
class LRScheduler {
public:
  /// The learning rate for a step, given its number (0, 1, ..; float64, rank 0)
  /// and the initial learning rate of a group; a tensor of rank 0.
  using Curve = std::function<Tensor(const Tensor &step, double initialRate)>;

  /// As `LambdaLR` of PyTorch, except that the function returns the rate
  /// itself. Throws Error for an empty function, and ShapeError if it returns
  /// another shape.
  LRScheduler(const OptimizerGroup &optimizers, Curve curve);

  /// Counts a step and sets the learning rates. Call it after the step of the
  /// optimizer.
  void step(std::source_location where = std::source_location::current());
  /// The same without computing it: returns what has to be realized. If it is
  /// realized together with a step, call this after scheduleStep() of the
  /// optimizer.
  std::vector<Tensor> scheduleStep();

  TINYGRAD_MEMBERS(stepCount)

private:
  struct Rate {
    Tensor tensor;
    double initial;
  };
  /// The rates for a number of steps.
  std::vector<Tensor> evaluate(const Tensor &count) const;

  Curve curve;
  std::vector<Rate> rates;
  Tensor stepCount;
};

struct StepLROptions {
  int64_t stepSize;
  double gamma = 0.1;
};

/// Multiplies the rate by gamma every `stepSize` steps. As `StepLR` of PyTorch.
class StepLR : public LRScheduler {
public:
  /// Throws Error unless both are positive.
  StepLR(const OptimizerGroup &optimizers, const StepLROptions &options);
};

struct MultiStepLROptions {
  std::vector<int64_t> milestones;
  double gamma = 0.1;
};

/// Multiplies the rate by gamma at each of the given steps. As `MultiStepLR` of
/// tinygrad and PyTorch.
class MultiStepLR : public LRScheduler {
public:
  /// Throws Error for a gamma that is not positive and negative milestones.
  MultiStepLR(const OptimizerGroup &optimizers,
              const MultiStepLROptions &options);
};

struct ExponentialLROptions {
  double gamma;
};

/// Multiplies the rate by gamma in each step. As `ExponentialLR` of PyTorch.
class ExponentialLR : public LRScheduler {
public:
  /// Throws Error unless gamma is positive.
  ExponentialLR(const OptimizerGroup &optimizers,
                const ExponentialLROptions &options);
};

struct CosineAnnealingLROptions {
  /// All steps, including those of the warm-up.
  int64_t steps;
  int64_t warmUpSteps = 0;
  double minimumRate = 0;
};

/// Warm-up: initial * (n + 1) / warmUpSteps in step n. Then, with x from 0 to 1
/// in the remaining steps:
///
///   minimum + (initial - minimum) * (1 + cos(pi * x)) / 2
///
/// and the minimum afterwards (PyTorch and tinygrad let the rate rise again).
/// Loshchilov and Hutter, SGDR, arXiv:1608.03983; without warm-up, as
/// `CosineAnnealingLR` of tinygrad and PyTorch.
class CosineAnnealingLR : public LRScheduler {
public:
  /// Throws Error unless 0 <= warmUpSteps < steps and the minimum is not
  /// negative.
  CosineAnnealingLR(const OptimizerGroup &optimizers,
                    const CosineAnnealingLROptions &options);
};

/// How OneCycleLR goes from one rate to another.
enum class Annealing { Cosine, Linear };

/// The defaults are those of PyTorch.
struct OneCycleLROptions {
  double maximumRate;
  int64_t steps;
  /// The part of the steps in which the rate rises.
  double risingPart = 0.3;
  Annealing annealing = Annealing::Cosine;
  /// The first rate is maximumRate / divFactor, the last one that /
  /// finalFactor.
  double divFactor = 25;
  double finalDivFactor = 1e4;
};

/// Raises the rate to a maximum and lowers it below the first one; the initial
/// rates of the optimizer do not count. The last rate stays. Smith and Topin,
/// Super-convergence, arXiv:1708.07120; as `OneCycleLR` of PyTorch, which by
/// default changes the momentum as well (cycle_momentum). tinygrad's rises for
/// a step more, and is linear.
class OneCycleLR : public LRScheduler {
public:
  /// Throws Error for rates and factors that are not positive, less than 2
  /// steps, and a part outside of [0, 1].
  OneCycleLR(const OptimizerGroup &optimizers,
             const OneCycleLROptions &options);
};

/// The defaults are those of PyTorch.
struct LinearLROptions {
  double startFactor = 1.0 / 3;
  double endFactor = 1;
  int64_t steps = 5;
};

/// A linear warm-up: the initial rate times a factor that goes from one to
/// another in the given number of steps, and stays. As `LinearLR` of PyTorch.
class LinearLR : public LRScheduler {
public:
  /// Throws Error for negative factors and less than 1 step.
  LinearLR(const OptimizerGroup &optimizers,
           const LinearLROptions &options = {});
};

} // namespace tinygrad::optim

#endif // TINYGRAD_OPTIM_LRSCHEDULER_H
