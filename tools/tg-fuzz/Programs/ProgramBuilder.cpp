//===- ProgramBuilder.cpp - tensors of a random program -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Calls the functions of a program one after the other. Values that are too
/// large, or not finite, are not kept: ranges are those of the interpreter.
///
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"
#include "GraphModule.h"

#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::fuzz;
using mlir::tg::Random;

/// The largest number of elements of a value that later steps use.
static constexpr int64_t kMaxElements = 3000;
/// Above this magnitude, a value is brought back.
static constexpr double kMaxMagnitude = 30;
/// The number of inputs by which there are gradients.
static constexpr size_t kMaxInputs = 4;

//===----------------------------------------------------------------------===//
// Call
//===----------------------------------------------------------------------===//

Sizes Call::axes() {
  Sizes chosen;
  if (random.percent(50))
    return {axis()};
  for (int64_t i = 0; i < x.rank(); ++i)
    if (random.percent(60))
      chosen.push_back(i);
  if (chosen.empty())
    chosen.push_back(axis());
  return chosen;
}

Value Call::other(const Sizes &sizes) {
  if (random.percent(60)) {
    std::vector<const Value *> fitting;
    for (const fuzz::Value &value : builder.getValues())
      if (value.sizes() == sizes)
        fitting.push_back(&value);
    if (!fitting.empty())
      return *random.pick(fitting);
  }
  return input(sizes);
}

Value Call::broadcast(const Value &value) {
  Sizes sizes = value.sizes();
  if (random.percent(40))
    for (int64_t &size : sizes)
      if (random.percent(50))
        size = 1;
  if (!sizes.empty() && random.percent(20))
    sizes.erase(sizes.begin());
  return other(sizes);
}

Value Call::input(const Sizes &sizes, double low, double high,
                  bool isConstant) {
  return builder.input(sizes, random, low, high, isConstant);
}

Value Call::integers(const Sizes &sizes, int64_t low, int64_t high) {
  return builder.integers(sizes, random, low, high);
}

Value Call::withRank(const Value &value, int64_t rank) {
  Sizes sizes = value.sizes();
  while (int64_t(sizes.size()) < rank)
    sizes.insert(sizes.begin() + random.below(int64_t(sizes.size()) + 1), 1);
  while (int64_t(sizes.size()) > rank) {
    const int64_t at = random.below(int64_t(sizes.size()) - 1);
    sizes[at] *= sizes[at + 1];
    sizes.erase(sizes.begin() + at + 1);
  }
  if (sizes == value.sizes())
    return value;
  return method(value, "reshape", value.tensor.reshape(sizes), sizes);
}

Value Call::within(const Value &value, double low, double high) {
  const double margin = (high - low) * 0.01;
  const Extremes range = findExtremes(value.tensor);
  if (range.isFinite && range.low > low + margin && range.high < high - margin)
    return value;
  const double middle = (low + high) / 2, radius = (high - low) * 0.48;
  Value wave = random.percent(50) ? method(value, "tanh", value.tensor.tanh())
                                  : method(value, "sin", value.tensor.sin());
  wave = method(wave, "mul", wave.tensor.mul(radius), radius);
  return middle == 0 ? wave
                     : method(wave, "add", wave.tensor.add(middle), middle);
}

Value Call::above(const Value &value, double low) {
  const Extremes range = findExtremes(value.tensor);
  if (range.isFinite && range.low > low)
    return value;
  const double term = low + 0.05;
  Value positive;
  switch (random.below(3)) {
  case 0:
    positive = method(value, "square", value.tensor.square());
    break;
  case 1:
    positive = method(value, "abs", value.tensor.abs());
    break;
  default:
    positive = method(value, "sigmoid", value.tensor.sigmoid());
  }
  return method(positive, "add", positive.tensor.add(term), term);
}

Value Call::named(const Value &value) { return builder.named(value); }

void Call::stopGradient() { builder.stopGradient(); }

//===----------------------------------------------------------------------===//
// ProgramBuilder
//===----------------------------------------------------------------------===//

void ProgramBuilder::statement(const std::string &name,
                               const std::string &code) {
  text += "Tensor " + name + " = " + code + ";\n";
}

Value ProgramBuilder::named(const Value &value) {
  const bool isName = std::all_of(value.text.begin(), value.text.end(),
                                  [](unsigned char c) { return isalnum(c); });
  if (isName)
    return value;
  Value result{value.tensor, "v" + std::to_string(numNames++)};
  statement(result.text, value.text);
  return result;
}

Value ProgramBuilder::input(const Sizes &sizes, Random &random, double low,
                            double high, bool isConstant) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(low + (high - low) * random.unit());
  const std::vector<float> singles(numbers.begin(), numbers.end());
  Value value{dtype == DType::Float64 ? Tensor::from(numbers, Shape(sizes))
                                      : Tensor::from(singles, Shape(sizes)),
              "x" + std::to_string(numInputs++)};
  statement(value.text, "Tensor::uniform(" + toTexts(sizes, low, high) +
                            ", {.dtype = DType::" +
                            (dtype == DType::Float64 ? "Float64" : "Float32") +
                            "}).realize()");
  if (!isConstant && !isCut && inputs.size() < kMaxInputs)
    inputs.push_back(value.tensor);
  values.push_back(value);
  return value;
}

Value ProgramBuilder::integers(const Sizes &sizes, Random &random, int64_t low,
                               int64_t high) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  std::vector<int32_t> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(static_cast<int32_t>(low + random.below(high - low)));
  Value value{Tensor::from(numbers, Shape(sizes)),
              "i" + std::to_string(numIntegers++)};
  statement(value.text,
            "Tensor::randint(" + toTexts(sizes, low, high) + ").realize()");
  return value;
}

Value ProgramBuilder::symbolic(const Value &value, Random &random) {
  const int64_t most = value.size(0), size = random.between(1, most);
  Parts parts(value.rank());
  parts[0] = {0, Variable("n", 1, most).bind(size)};
  std::string all;
  for (int64_t axis = 1; axis < value.rank(); ++axis)
    all += ", {}";
  text += "SymInt n = Variable(\"n\", 1, " + toText(most) + ").bind(" +
          toText(size) + ");\n";
  isSymbolic = true;
  // The interpreter knows numbers only.
  isSmooth = false;
  return named({value.tensor.shrink(parts),
                value.text + ".shrink({{0, n}" + all + "})"});
}

/// Calls a function. Those that need to know a size throw if it is symbolic:
/// nothing comes of the call then.
static Value apply(const Function &function, Call &call, bool isSymbolic) {
  if (!isSymbolic)
    return function.apply(call);
  try {
    return function.apply(call);
  } catch (const Error &) {
    return {};
  }
}

bool ProgramBuilder::cut(Value &value) {
  const std::optional<std::vector<double>> elements = getElements(value.tensor);
  if (!elements)
    return false;
  const std::vector<float> singles(elements->begin(), elements->end());
  const Shape shape(value.sizes());
  value.tensor = dtype == DType::Float64 ? Tensor::from(*elements, shape)
                                         : Tensor::from(singles, shape);
  inputs = {value.tensor};
  // What comes before does not matter.
  isSmooth = true;
  return true;
}

ProgramBuilder::ProgramBuilder(const Program &program, bool isCut)
    : dtype(program.isDouble ? DType::Float64 : DType::Float32), isCut(isCut) {
  Random random(program.seed);
  std::vector<Value> results = {input(program.shape, random, -2, 2, false)};
  if (program.isSymbolic)
    results.front() = symbolic(results.front(), random);
  for (const Step &step : program.steps) {
    const Value operand = results[step.operand];
    results.push_back(operand);
    // Functions of axes need one.
    if (step.isRemoved)
      continue;
    const Value x =
        operand.rank() == 0
            ? method(operand, "reshape", operand.tensor.reshape({1}), "{1}")
            : operand;
    Call call(*this, x, step.seed);
    Value made = apply(getFunctions()[step.function], call, isSymbolic);
    if (isNone(made) || made.count() == 0 || made.count() > kMaxElements)
      continue;
    const Extremes range = findExtremes(made.tensor);
    if (!range.isFinite)
      continue;
    if (std::max(std::abs(range.low), std::abs(range.high)) > kMaxMagnitude)
      made = call.within(made, -3, 3);
    made = named(made);
    const auto number = unsigned(results.size() - 2);
    if (program.between == number && !isConstant(made.tensor)) {
      between = made;
      if (isCut && !cut(made))
        between = {};
    }
    values.push_back(made);
    results.back() = made;
    result = made;
  }
}

ProgramBuilder::Derivatives ProgramBuilder::differentiate(bool withProducts) {
  Derivatives made;
  // Weights and directions do not depend on what came before.
  Random random(99);
  const Tensor y = result.tensor;
  if (y.isSymbolic()) {
    made.sum = y.square().sum();
    text += "Tensor s = " + result.text + ".square().sum();\n";
  } else {
    const Value weight =
        input(result.sizes(), random, 0.5, 1.5, /*isConstant=*/true);
    made.sum = y.mul(weight.tensor).sum();
    text += "Tensor s = (" + result.text + " * " + weight.text + ").sum();\n";
  }
  std::vector<Tensor> targets = inputs;
  const bool hasBetween = !isNone(between) && !isCut;
  if (hasBetween)
    targets.push_back(between.tensor);
  text += "std::vector<Tensor> g = s.gradient({targets}, {}, true);\n";
  made.gradients = made.sum.gradient(targets, {}, /*allowUnused=*/true);
  if (hasBetween) {
    made.betweenGradients = {made.gradients.back()};
    made.gradients.pop_back();
  }
  if (!withProducts)
    return made;
  if (hasBetween) {
    // The direction of a program that is cut.
    Random same = random;
    const Tensor gradient = made.betweenGradients.front();
    const Value along = input(gradient.concreteShape(), same, -1.5, 1.5,
                              /*isConstant=*/true);
    text += "Tensor u = (g.back() * " + along.text +
            ").sum();\n"
            "Tensor k = u.gradient({" +
            between.text + "}, {}, true)[0];\n";
    made.betweenProducts =
        gradient.mul(along.tensor)
            .sum()
            .gradient({between.tensor}, {}, /*allowUnused=*/true);
  }
  for (const Tensor &gradient : made.gradients) {
    const Tensor along =
        input(gradient.concreteShape(), random, -1.5, 1.5, /*isConstant=*/true)
            .tensor;
    const Tensor term = gradient.mul(along).sum();
    made.productSum =
        made.productSum.defined() ? made.productSum.add(term) : term;
  }
  text += "Tensor t = sum of g[i] * directions[i];\n"
          "std::vector<Tensor> h = t.gradient({inputs}, {}, true);\n";
  // Of linear functions, the gradient does not depend on the inputs at all.
  made.products = made.productSum.gradient(inputs, {}, /*allowUnused=*/true);
  return made;
}
