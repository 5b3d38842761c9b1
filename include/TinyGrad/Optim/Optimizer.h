//===- Optimizer.h - base class of optimizers -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What all optimizers have in common: groups of parameters, learning rates,
/// float32 copies of narrow weights, and the step itself.
///
/// \code
///   optim::AdamW optimizer(parameters, {.learningRate = 1e-3});
///   for (...) {
///     optimizer.zeroGrad();
///     loss(batch).backward();
///     optimizer.step();
///   }
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPTIM_OPTIMIZER_H
#define TINYGRAD_OPTIM_OPTIMIZER_H

#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <cstddef>
#include <map>
#include <source_location>
#include <string>
#include <vector>

namespace tinygrad::optim {

/// Parameters with options of their own.
template <typename Options> struct ParameterGroup {
  std::vector<Tensor> parameters;
  Options options = {};
};

/// Options of a single step.
struct StepOptions {
  /// Tensors that are computed in the same program, such as the norm of the
  /// gradients. Losses are among them: see step().
  std::vector<Tensor> also = {};
  /// A number that each gradient is multiplied by, after it was converted to
  /// the type that the update is computed in; none if undefined.
  Tensor gradientScale = {};
  /// A bool. If it is true, the step leaves all parameters and all state as
  /// they are. Undefined: false.
  Tensor skip = {};
  /// Removes the gradients of the parameters, so that they need no memory after
  /// (and, where kernels are merged, during) the step. Otherwise grad() keeps
  /// their values until zeroGrad().
  bool releaseGradients = false;
};

/// The base class of optimizers.
///
/// Tensors that do not require a gradient may be among the parameters, such as
/// the running statistics of a batch normalization: a step computes their
/// pending assignments. A tensor that is passed twice to a group is updated
/// once. A parameter with requiresGrad() off is left alone until it is on
/// again.
///
/// Updates are computed in float32, or in float64 for float64 parameters. For a
/// parameter of a narrower type, the optimizer keeps the weights in float32
/// (master weights, unless disabled in the options) and rounds them after each
/// step. If the parameter no longer has the rounded value of an element, since
/// it was assigned to, the new value counts.
///
/// The state consists of tensors without gradients: `learning_rates.G` for each
/// group, `master_weights.N` and `state.NAME.N` for each parameter, by its
/// number. forEachTensor() visits it under these names.
class Optimizer {
public:
  Optimizer(const Optimizer &) = delete;
  Optimizer &operator=(const Optimizer &) = delete;
  virtual ~Optimizer();

  /// The tensors that are updated, of all groups in order. Errors and names of
  /// the state refer to positions in this list.
  const std::vector<Tensor> &parameters() const { return params; }
  std::size_t numGroups() const { return learningRates.size(); }
  /// The learning rate of a group: a tensor of rank 0 (float32, float64 if the
  /// group has such a parameter) that may be assigned to. Throws IndexError if
  /// there is no such group.
  const Tensor &learningRate(std::size_t group = 0) const;
  /// The one that the options of the group say.
  double initialLearningRate(std::size_t group = 0) const;
  /// Copies a number to the device: no kernel is compiled for it. Throws Error
  /// unless it is finite and not negative, and IndexError.
  void setLearningRate(double rate, std::size_t group = 0);

  /// Removes the gradients of all parameters.
  void zeroGrad();
  /// Updates all parameters and the state in place, in one program, which also
  /// computes the gradients if they are not in memory yet, and the tensors of
  /// one element on which backward() or GradScaler::scale() was called, if they
  /// are still in use: with the parameters from before the step. Throws Error
  /// for a parameter without a gradient, unless the options of its group say
  /// `skipWithoutGradient`, and what realize() throws.
  void step(const StepOptions &options = {},
            std::source_location where = std::source_location::current());
  /// The assignments of a step, without computing them: returns what has to be
  /// realized, in one call of realize(). Throws as step() does, before anything
  /// is assigned.
  std::vector<Tensor> scheduleStep(const StepOptions &options = {});

  /// Computes the gradients and holds them in memory of the optimizer, which is
  /// reused after zeroGrad(): with a call after each backward(), the gradients
  /// of several batches are added in place. The sums have the element types of
  /// the parameters. \p also is computed in the same program, and losses as in
  /// step().
  void accumulate(const std::vector<Tensor> &also = {},
                  std::source_location where = std::source_location::current());
  std::vector<Tensor> scheduleAccumulation();

  TINYGRAD_MEMBERS(learningRates, masterWeights, state)

protected:
  /// What all kinds of optimizers need to know about a group.
  struct Group {
    std::vector<Tensor> parameters;
    double learningRate;
    bool masterWeights, skipWithoutGradient;
  };

  /// \p name, a string literal, is the optimizer's in errors. Throws Error for
  /// groups without parameters that require a gradient, parameters in two
  /// groups, and learning rates that are negative or not finite; DeviceError
  /// for a group on several devices.
  Optimizer(const char *name, std::vector<Group> groups);
  template <typename Options>
  Optimizer(const char *name,
            const std::vector<ParameterGroup<Options>> &groups)
      : Optimizer(name, getGroups(groups)) {}

  /// A step before its assignments.
  class Step {
  public:
    void assign(const Tensor &target, const Tensor &value);

    /// Values that beginStep() computes for all parameters of each group. They
    /// are dropped after the step: as long as they exist, the old contents of
    /// the state are needed.
    std::vector<std::vector<Tensor>> groupValues;

  private:
    friend class Optimizer;
    friend class OptimizerGroup;
    struct Assignment {
      Tensor target, value;
    };
    std::vector<Assignment> assignments;
  };

  /// One parameter in a step. \p value, \p gradient and \p learningRate have
  /// the type that the update is computed in.
  struct ParameterUpdate {
    std::size_t index, group;
    Tensor value, gradient, learningRate;
  };

  /// Called once at the beginning of a step.
  virtual void beginStep(Step &step);
  /// The new value of a parameter; state that changes is assigned in \p step.
  virtual Tensor update(const ParameterUpdate &parameter, Step &step) = 0;

  /// Creates a state of zeros for each parameter, in its shape and the type
  /// that its update is computed in, for which \p isNeeded holds of its group.
  template <typename IsNeeded>
  void addState(const std::string &key, IsNeeded &&isNeeded) {
    std::vector<Tensor> &tensors = state[key];
    for (std::size_t i = 0; i < params.size(); ++i)
      tensors.push_back(isNeeded(groupOf(i)) ? makeState(i) : Tensor());
  }
  /// Creates a state that is an integer, 0.
  void addCount(const std::string &key);
  Tensor &getState(const std::string &key, std::size_t index) {
    return state.at(key)[index];
  }
  std::size_t groupOf(std::size_t index) const { return groupNumbers[index]; }
  /// Throws Error: "NAME: group G: MESSAGE".
  [[noreturn]] void fail(std::size_t group, const std::string &message) const;
  void checkNotNegative(std::size_t group, double value,
                        const char *option) const;

private:
  friend class OptimizerGroup;

  template <typename Options>
  static std::vector<Group>
  getGroups(const std::vector<ParameterGroup<Options>> &groups) {
    std::vector<Group> result;
    for (const ParameterGroup<Options> &group : groups)
      result.push_back({group.parameters, group.options.learningRate,
                        group.options.masterWeights,
                        group.options.skipWithoutGradient});
    return result;
  }

  Tensor makeState(std::size_t index) const;
  void addGroup(const Group &group);
  void checkGroup(std::size_t group) const;
  bool isUpdated(std::size_t index) const;
  /// The parts of scheduleStep(): everything that can throw, the assignments,
  /// and what to realize.
  Step prepareStep(const StepOptions &options);
  static void apply(const Step &step, const Tensor &skip);
  void finishStep(const StepOptions &options, std::vector<Tensor> &pending);

  const char *const name;
  std::vector<Tensor> params;
  std::vector<std::size_t> groupNumbers; ///< of each parameter
  std::vector<Tensor> buffers;           ///< passed, but without a gradient
  std::vector<double> initialRates;
  std::vector<bool> skipsWithoutGradient; ///< of each group
  std::vector<Tensor> gradients;          ///< see accumulate()

  std::vector<Tensor> learningRates;
  std::vector<Tensor> masterWeights; ///< undefined where there are none
  std::map<std::string, std::vector<Tensor>> state;
};

} // namespace tinygrad::optim

#endif // TINYGRAD_OPTIM_OPTIMIZER_H
