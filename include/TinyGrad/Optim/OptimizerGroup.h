//===- OptimizerGroup.h - several optimizers as one -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Steps of several optimizers in one program, such as Muon for matrices and
/// AdamW for everything else.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPTIM_OPTIMIZERGROUP_H
#define TINYGRAD_OPTIM_OPTIMIZERGROUP_H

#include "TinyGrad/Optim/Optimizer.h"
#include "TinyGrad/Tensor/Members.h"

#include <concepts>
#include <source_location>
#include <vector>

namespace tinygrad::optim {

/// Refers to optimizers, which must outlive it: `OptimizerGroup all(muon,
/// adamw)`. As a parameter, it takes a single optimizer as well. The names of
/// states are those of the optimizers after `optimizers.N.`. As
/// `OptimizerGroup` of tinygrad.
class OptimizerGroup {
public:
  template <std::derived_from<Optimizer>... Optimizers>
    requires(sizeof...(Optimizers) > 0)
  OptimizerGroup(Optimizers &...optimizers) : optimizers{&optimizers...} {}

  std::size_t size() const { return optimizers.size(); }
  Optimizer &operator[](std::size_t i) const { return *optimizers.at(i); }

  // As those of Optimizer.
  void zeroGrad() const;
  void step(const StepOptions &options = {},
            std::source_location where = std::source_location::current()) const;
  /// If one of the optimizers throws, none has assigned anything.
  std::vector<Tensor> scheduleStep(const StepOptions &options = {}) const;

  TINYGRAD_MEMBERS(optimizers)

private:
  std::vector<Optimizer *> optimizers;
};

} // namespace tinygrad::optim

#endif // TINYGRAD_OPTIM_OPTIMIZERGROUP_H
