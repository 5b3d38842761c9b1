//===- Optimizer.cpp - base class of optimizers ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Optim/Optimizer.h"

#include "Checks.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Tensor/Training.h"

#include <cmath>
#include <unordered_map>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::optim;

/// The type that an update of \p dtype is computed in.
static DType getUpdateDType(DType dtype) {
  return dtype == DType::Float64 ? dtype : DType::Float32;
}

/// A number in memory, without a kernel that contains it.
static Tensor upload(double value, DType dtype, const std::string &device) {
  Tensor row = dtype == DType::Float64
                   ? Tensor::from({value}, {dtype, device})
                   : Tensor::from({float(value)}, {dtype, device});
  return row.reshape(Shape{});
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

Optimizer::Optimizer(const char *name, std::vector<Group> groups) : name(name) {
  if (groups.empty())
    throw Error(std::string(name) + ": there are no groups of parameters");
  const NoGradScope noGradient;
  for (const Group &group : groups)
    addGroup(group);
}

Optimizer::~Optimizer() = default;

void Optimizer::fail(std::size_t group, const std::string &message) const {
  throw Error(std::string(name) + ": group " + std::to_string(group) + ": " +
              message);
}

void Optimizer::checkNotNegative(std::size_t group, double value,
                                 const char *option) const {
  if (!(value >= 0 && std::isfinite(value)))
    fail(group, std::string(option) + " is " + toText(value) +
                    ", but it has to be finite and not negative");
}

void Optimizer::addGroup(const Group &group) {
  const std::size_t number = learningRates.size(), first = params.size();
  checkNotNegative(number, group.learningRate, "learningRate");
  std::unordered_map<detail::TensorImpl *, std::size_t> known;
  for (std::size_t i = 0; i < first; ++i)
    known.emplace(&params[i].impl(), i);
  bool isWide = false;
  for (std::size_t i = 0; i < group.parameters.size(); ++i) {
    const Tensor &tensor = group.parameters[i];
    if (!tensor.defined())
      fail(number, "tensor " + std::to_string(i) + " is undefined");
    if (!tensor.requiresGrad()) {
      buffers.push_back(tensor);
      continue;
    }
    auto [place, isNew] = known.emplace(&tensor.impl(), params.size());
    if (!isNew && place->second < first)
      fail(number, "tensor " + std::to_string(i) + ", " + describe(tensor) +
                       ", is in group " +
                       std::to_string(groupNumbers[place->second]) + " too");
    if (!isNew)
      continue;
    if (params.size() > first && tensor.device() != params[first].device())
      throw DeviceError(std::string(name) + ": group " +
                        std::to_string(number) + ": tensor " +
                        std::to_string(i) + " is on " + tensor.device() +
                        ", others are on " + params[first].device() +
                        "; each device needs a group of its own");
    params.push_back(tensor);
    groupNumbers.push_back(number);
    isWide |= tensor.dtype() == DType::Float64;
    const bool isNarrow = getUpdateDType(tensor.dtype()) != tensor.dtype();
    masterWeights.push_back(group.masterWeights && isNarrow
                                ? tensor.toFloat().parameter(false)
                                : Tensor());
  }
  if (params.size() == first)
    fail(number, group.parameters.empty()
                     ? "there are no parameters"
                     : "none of the " +
                           std::to_string(group.parameters.size()) +
                           " tensors requires a gradient; see "
                           "setRequiresGrad() and parameter()");
  initialRates.push_back(group.learningRate);
  skipsWithoutGradient.push_back(group.skipWithoutGradient);
  learningRates.push_back(upload(group.learningRate,
                                 isWide ? DType::Float64 : DType::Float32,
                                 params[first].device())
                              .parameter(false));
}

void Optimizer::checkGroup(std::size_t group) const {
  if (group >= numGroups())
    throw IndexError(std::string(name) + ": there is no group " +
                     std::to_string(group) + ", only " +
                     std::to_string(numGroups()));
}

const Tensor &Optimizer::learningRate(std::size_t group) const {
  checkGroup(group);
  return learningRates[group];
}

double Optimizer::initialLearningRate(std::size_t group) const {
  checkGroup(group);
  return initialRates[group];
}

void Optimizer::setLearningRate(double rate, std::size_t group) {
  checkGroup(group);
  checkNotNegative(group, rate, "the learning rate");
  Tensor &target = learningRates[group];
  target.assign(upload(rate, target.dtype(), target.device())).realize();
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

Tensor Optimizer::makeState(std::size_t index) const {
  const Tensor &parameter = params[index];
  return parameter.zerosLike(getUpdateDType(parameter.dtype()))
      .parameter(false);
}

void Optimizer::addCount(const std::string &key) {
  state[key].push_back(
      Tensor::zeros({}, {DType::Int32, params.front().device()})
          .parameter(false));
}

void Optimizer::zeroGrad() {
  for (Tensor &parameter : params)
    parameter.setGrad({});
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void Optimizer::Step::assign(const Tensor &target, const Tensor &value) {
  assignments.push_back({target, value.dtype() == target.dtype()
                                     ? value
                                     : value.cast(target.dtype())});
}

void Optimizer::beginStep(Step &step) {}

bool Optimizer::isUpdated(std::size_t index) const {
  const Tensor &parameter = params[index];
  if (!parameter.requiresGrad())
    return false;
  if (parameter.grad().defined())
    return true;
  if (skipsWithoutGradient[groupOf(index)])
    return false;
  throw Error(std::string(name) + "::step: parameter " + std::to_string(index) +
              ", " + describe(parameter) +
              ", has no gradient: the loss does not depend on it, or "
              "backward() was not called; with the option "
              "skipWithoutGradient, such parameters are left as they are");
}

Optimizer::Step Optimizer::prepareStep(const StepOptions &options) {
  for (const Tensor *tensor : {&options.gradientScale, &options.skip})
    if (tensor->defined() && tensor->ndim() != 0)
      throw ShapeError(std::string(name) +
                       "::step: gradientScale and skip are tensors of rank 0, "
                       "not of shape " +
                       toString(tensor->shape()));
  if (options.skip.defined() && options.skip.dtype() != DType::Bool)
    throw DTypeError(std::string(name) + "::step: skip is a bool, not " +
                     tinygrad::name(options.skip.dtype()));
  std::vector<std::size_t> updated;
  for (std::size_t i = 0; i < params.size(); ++i)
    if (isUpdated(i))
      updated.push_back(i);
  Step step;
  beginStep(step);
  for (std::size_t i : updated) {
    const Tensor &parameter = params[i], &master = masterWeights[i];
    const DType dtype = getUpdateDType(parameter.dtype());
    ParameterUpdate change{i, groupOf(i), parameter.cast(dtype),
                           parameter.grad().cast(dtype),
                           learningRates[groupOf(i)].cast(dtype)};
    if (options.gradientScale.defined())
      change.gradient = change.gradient * options.gradientScale.cast(dtype).to(
                                              parameter.device());
    // A parameter that was assigned to no longer has the rounded value.
    if (master.defined())
      change.value = master.cast(parameter.dtype())
                         .eq(parameter)
                         .where(master, change.value);
    const Tensor value = update(change, step);
    if (master.defined())
      step.assign(master, value);
    step.assign(parameter, value);
  }
  return step;
}

void Optimizer::apply(const Step &step, const Tensor &skip) {
  std::vector<Tensor> values;
  for (const Step::Assignment &assignment : step.assignments)
    values.push_back(skip.defined()
                         ? skip.to(assignment.target.device())
                               .where(assignment.target, assignment.value)
                         : assignment.value);
  for (std::size_t i = 0; i < values.size(); ++i)
    Tensor(step.assignments[i].target).assign(values[i]);
}

void Optimizer::finishStep(const StepOptions &options,
                           std::vector<Tensor> &pending) {
  pending.insert(pending.end(), params.begin(), params.end());
  forEachTensor(*this, [&](const std::string & /*name*/, Tensor &tensor) {
    pending.push_back(tensor);
  });
  pending.insert(pending.end(), buffers.begin(), buffers.end());
  for (const Tensor &loss : detail::takeLosses(params.front()))
    pending.push_back(loss);
  if (options.releaseGradients)
    zeroGrad();
  else
    for (const Tensor &parameter : params)
      if (Tensor gradient = parameter.grad(); gradient.defined())
        pending.push_back(gradient);
}

std::vector<Tensor> Optimizer::scheduleStep(const StepOptions &options) {
  const NoGradScope noGradient;
  const Step step = prepareStep(options);
  apply(step, options.skip);
  std::vector<Tensor> pending;
  finishStep(options, pending);
  pending.insert(pending.end(), options.also.begin(), options.also.end());
  return pending;
}

void Optimizer::step(const StepOptions &options, std::source_location where) {
  realize(scheduleStep(options), where);
}

//===----------------------------------------------------------------------===//
// Accumulation
//===----------------------------------------------------------------------===//

std::vector<Tensor> Optimizer::scheduleAccumulation() {
  const NoGradScope noGradient;
  gradients.resize(params.size());
  std::vector<Tensor> pending;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Tensor gradient = params[i].grad();
    if (!gradient.defined())
      continue;
    if (!gradients[i].defined())
      gradients[i] = gradient.detach().parameter(false);
    else
      gradients[i].assign(gradient);
    params[i].setGrad(gradients[i]);
    pending.push_back(gradients[i]);
  }
  for (const Tensor &loss : detail::takeLosses(params.front()))
    pending.push_back(loss);
  return pending;
}

void Optimizer::accumulate(const std::vector<Tensor> &also,
                           std::source_location where) {
  std::vector<Tensor> pending = scheduleAccumulation();
  pending.insert(pending.end(), also.begin(), also.end());
  realize(pending, where);
}
