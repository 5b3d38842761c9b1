//===- Differences.cpp - gradients of programs by differences -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rule that decides whether a function is smooth knows nothing about the
/// gradients, so that a wrong one cannot hide. One that differs is accepted
/// only if rounding errors alone can change it as much: those of 1e-16 matter
/// in a difference of summands of 1e12, as the gradient of a normalized zero
/// has.
///
//===----------------------------------------------------------------------===//

#include "Differences.h"
#include "../Generator.h"
#include "Noise.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "support/ToolSupport.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::tg;

static constexpr double kStep = 0x1p-14;
static constexpr int kDirections = 2;

namespace {
/// A function, by the numbers in the attribute.
struct Differentiated {
  int64_t sum;
  SmallVector<std::pair<int64_t, int64_t>> gradients;
};

class DifferenceChecker {
public:
  DifferenceChecker(ModuleOp module, std::string &message)
      : module(module.clone()), random(7), message(message) {}

  Outcome run();

private:
  Outcome compare(const Differentiated &function);
  /// All results at a point; none if the interpreter fails.
  std::optional<SmallVector<HostTensor>> evaluateAt(double step);
  bool hasSameDecisions(ArrayRef<HostTensor> evaluated) const;
  /// How much rounding errors may change the gradients times `direction`.
  double getError(const Differentiated &function);

  /// With further results: everything that is computed from floats and decides.
  OwningOpRef<ModuleOp> module;
  Random random;
  std::string &message;
  unsigned numResults = 0;
  std::vector<HostTensor> inputs;
  SmallVector<HostTensor> original;
  /// By argument; empty for those that do not move.
  std::vector<std::vector<double>> direction;
};
} // namespace

static func::FuncOp getMain(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main");
}

std::optional<SmallVector<HostTensor>>
DifferenceChecker::evaluateAt(double step) {
  std::vector<HostTensor> moved = inputs;
  for (auto [input, along] : llvm::zip_equal(moved, direction))
    for (auto [i, by] : llvm::enumerate(along)) {
      const double value =
          getElementAsDouble(input, static_cast<int64_t>(i)) + step * by;
      std::memcpy(input.bytes.data() + i * sizeof(double), &value,
                  sizeof(double));
    }
  SmallVector<HostTensor> results;
  if (failed(interpret(getMain(*module), moved, results)))
    return std::nullopt;
  return results;
}

bool DifferenceChecker::hasSameDecisions(ArrayRef<HostTensor> evaluated) const {
  for (size_t i = numResults; i < evaluated.size(); ++i)
    if (evaluated[i].bytes != original[i].bytes)
      return false;
  return true;
}

double DifferenceChecker::getError(const Differentiated &function) {
  std::optional<ExpectedRun> run = runWithNoise(getMain(*module), inputs);
  if (!run)
    return std::numeric_limits<double>::infinity();
  double error = 0;
  for (auto [argument, gradient] : function.gradients)
    for (auto [i, by] : llvm::enumerate(direction[argument]))
      if (by != 0)
        error += std::abs(by) *
                 run->results[gradient].error[static_cast<int64_t>(i)];
  return error;
}

Outcome DifferenceChecker::compare(const Differentiated &function) {
  for (auto [argument, gradient] : function.gradients) {
    direction[argument].resize(inputs[argument].numElements());
    for (double &by : direction[argument])
      by = 2 * random.unit() - 1;
  }
  std::optional<SmallVector<HostTensor>> up = evaluateAt(kStep),
                                         down = evaluateAt(-kStep),
                                         halfUp = evaluateAt(kStep / 2),
                                         halfDown = evaluateAt(-kStep / 2);
  if (!up || !down || !halfUp || !halfDown)
    return Outcome::Failed;
  for (const auto &evaluated : {*up, *down, *halfUp, *halfDown})
    if (!hasSameDecisions(evaluated))
      return Outcome::Useless;
  auto at = [&](ArrayRef<HostTensor> evaluated) {
    return getElementAsDouble(evaluated[function.sum], 0);
  };
  const double value = at(original),
               whole = (at(*up) - at(*down)) / (2 * kStep),
               half = (at(*halfUp) - at(*halfDown)) / kStep,
               bend = std::abs(at(*up) - 2 * value + at(*down)) / kStep,
               halfBend = std::abs(at(*halfUp) - 2 * value + at(*halfDown)) /
                          (kStep / 2);
  double product = 0, magnitude = 0;
  for (auto [argument, gradient] : function.gradients)
    for (auto [i, by] : llvm::enumerate(direction[argument])) {
      const double term =
          by * getElementAsDouble(original[gradient], static_cast<int64_t>(i));
      product += term;
      magnitude += std::abs(term);
    }
  const double change = std::abs(whole - half),
               noise = 0x1p-44 * (1 + std::abs(value)) / kStep;
  if (!std::isfinite(whole) || !std::isfinite(half) ||
      change > 1e-3 * std::abs(half) + 4 * noise ||
      halfBend > 0.7 * bend + 4 * noise || !std::isfinite(bend))
    return Outcome::Useless;
  const double tolerance =
      3 * change + 8 * noise + 1e-6 * magnitude + 1e-6 * std::abs(half);
  if (std::abs(product - half) <= tolerance)
    return Outcome::Good;
  if (std::abs(product - half) <= tolerance + getError(function))
    return Outcome::Useless;
  llvm::raw_string_ostream(message)
      << "differences: the gradients of result " << function.sum << " give "
      << product << " along a direction, the central difference is " << half
      << " within " << tolerance;
  return Outcome::Mismatch;
}

Outcome DifferenceChecker::run() {
  func::FuncOp main = getMain(*module);
  FailureOr<std::vector<HostTensor>> contents = getInputs(main);
  if (failed(contents))
    return Outcome::Useless;
  inputs = std::move(*contents);
  numResults = main.getNumResults();
  SmallVector<Differentiated> functions;
  for (Attribute list : main->getAttrOfType<ArrayAttr>(differencesAttrName)) {
    ArrayRef<int64_t> numbers = cast<DenseI64ArrayAttr>(list).asArrayRef();
    Differentiated function{numbers.front(), {}};
    for (size_t i = 1; i + 1 < numbers.size(); i += 2)
      function.gradients.push_back({numbers[i], numbers[i + 1]});
    functions.push_back(function);
  }
  Block &body = main.getBody().front();
  SmallVector<Value> returned(body.getTerminator()->getOperands());
  auto isFloat = [](Value value) {
    return isa<FloatType>(getElementTypeOrSelf(value));
  };
  for (Operation &op : body.without_terminator())
    if (isa<TruncOp>(op) ||
        (!isFloat(op.getResult(0)) && llvm::any_of(op.getOperands(), isFloat)))
      returned.push_back(op.getResult(0));
  body.getTerminator()->setOperands(returned);
  main.setType(FunctionType::get(module->getContext(), main.getArgumentTypes(),
                                 ValueRange(returned).getTypes()));
  direction.resize(inputs.size());
  std::optional<SmallVector<HostTensor>> here = evaluateAt(0);
  if (!here)
    return Outcome::Failed;
  original = std::move(*here);
  Outcome outcome = Outcome::Useless;
  for (const Differentiated &function : functions)
    for (int i = 0; i < kDirections; ++i) {
      direction.assign(inputs.size(), {});
      const Outcome one = compare(function);
      if (one == Outcome::Mismatch || one == Outcome::Failed)
        return one;
      if (one == Outcome::Good)
        outcome = one;
    }
  return outcome;
}

Outcome mlir::tg::checkDifferences(ModuleOp module, std::string &message) {
  return DifferenceChecker(module, message).run();
}
