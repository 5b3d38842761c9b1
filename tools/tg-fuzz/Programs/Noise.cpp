//===- Noise.cpp - error bounds by random rounding ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The errors of single operations are those of the Tracker for exact operands.
///
//===----------------------------------------------------------------------===//

#include "Noise.h"
#include "../Generator.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "support/ToolSupport.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::tg;

/// The number of runs with errors.
static constexpr int kRuns = 4;
/// Larger values stand for infinity: they mask elements.
static constexpr double kMask = 1e6;
/// Larger ones are not the result of arithmetic. Quotients by the 1e-12 of
/// normalize() are below it.
static constexpr double kLargest = 1e30;

namespace {
/// How distances between runs become bounds, for one element type.
struct Scale {
  /// The bound of an element in units of the largest distance between runs.
  double distances;
  /// The least bound, relative to the largest element of the tensor, and to the
  /// largest one of all values of the function: where these cancel exactly in
  /// the interpreter, compiled code may leave a rounding error.
  double least, leastOfAll;
  /// A result with a larger bound, relative to the largest element, has none.
  double most;
};
} // namespace

static Scale getScale(Type elementType) {
  return elementType.isF64() ? Scale{300, 1e-12, 1e-14, 1e-4}
                             : Scale{30, 1e-6, 3e-7, 2e-2};
}

static void addNoise(TrackedTensor &x, Random &random) {
  const bool isDouble = x.tensor.elementType.isF64();
  if (x.error.isZero() || (!isDouble && !x.tensor.elementType.isF32()))
    return;
  for (int64_t i = 0, e = x.tensor.numElements(); i < e; ++i) {
    const double error = x.error[i] * (2 * random.unit() - 1);
    if (error == 0 || !std::isfinite(error))
      continue;
    const double value = getElementAsDouble(x.tensor, i) + error;
    if (isDouble) {
      std::memcpy(x.tensor.bytes.data() + i * sizeof(double), &value,
                  sizeof(double));
    } else {
      const auto single = static_cast<float>(value);
      std::memcpy(x.tensor.bytes.data() + i * sizeof(float), &single,
                  sizeof(float));
    }
  }
}

/// The largest magnitude below \p limit.
static double
findLargest(const HostTensor &tensor,
            double limit = std::numeric_limits<double>::infinity()) {
  double largest = 0;
  if (isa<FloatType>(tensor.elementType))
    for (int64_t i = 0, e = tensor.numElements(); i < e; ++i)
      if (double value = std::abs(getElementAsDouble(tensor, i)); value < limit)
        largest = std::max(largest, value);
  return largest;
}

/// Whether an operation is the sine or cosine of angles so large that a few
/// rounding errors turn them by a part of a circle. Its value is then any: few
/// runs do not show what could follow from it.
static bool isOfLargeAngles(Operation *op,
                            ArrayRef<const HostTensor *> tensors) {
  if (!isa<SinOp, CosOp>(op))
    return false;
  const double limit = tensors[0]->elementType.isF64() ? 1e12 : 1e4;
  return findLargest(*tensors[0]) > limit;
}

/// One run, with errors if numbers for them are given; none if the function has
/// operations on memory or sines of large angles, or fails. Raises `largest` to
/// the magnitude of all values, without and with those above kMask.
static std::optional<std::vector<HostTensor>>
runOnce(func::FuncOp function, ArrayRef<HostTensor> inputs, Random *random,
        std::pair<double, double> &largest) {
  llvm::DenseMap<Value, TrackedTensor> values;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), inputs))
    values[argument] = TrackedTensor(input);
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (isa<AssignOp, AfterOp, BufferOp>(op))
      return std::nullopt;
    SmallVector<const TrackedTensor *> operands;
    SmallVector<const HostTensor *> tensors;
    for (Value operand : op.getOperands()) {
      operands.push_back(&values.at(operand));
      tensors.push_back(&operands.back()->tensor);
    }
    if (isOfLargeAngles(&op, tensors))
      return std::nullopt;
    std::optional<TrackedTensor> result = track(&op, operands);
    if (!result) {
      // Not comparable bit for bit, such as the reciprocal of a zero of either
      // sign.
      FailureOr<HostTensor> value = interpretOp(&op, tensors);
      if (failed(value))
        return std::nullopt;
      result.emplace(std::move(*value));
    }
    if (random)
      addNoise(*result, *random);
    largest.first = std::max(largest.first, findLargest(result->tensor, kMask));
    largest.second =
        std::max(largest.second, findLargest(result->tensor, kLargest));
    result->error = Bounds();
    result->loose = Bounds();
    values[op.getResult(0)] = std::move(*result);
  }
  std::vector<HostTensor> results;
  for (Value operand :
       function.getBody().front().getTerminator()->getOperands())
    results.push_back(values.at(operand).tensor);
  return results;
}

std::optional<ExpectedRun> mlir::tg::runWithNoise(func::FuncOp function,
                                                  ArrayRef<HostTensor> inputs) {
  auto seed = function->getAttrOfType<IntegerAttr>(noiseAttrName);
  Random random(seed ? uint64_t(seed.getInt()) : 0);
  std::vector<HostTensor> contents(inputs.begin(), inputs.end());
  SmallVector<HostTensor> exact;
  if (failed(interpret(function, contents, exact)))
    return std::nullopt;
  ExpectedRun run;
  for (HostTensor &result : exact) {
    if (isa<FloatType>(result.elementType))
      for (int64_t i = 0, e = result.numElements(); i < e; ++i)
        if (!std::isfinite(getElementAsDouble(result, i)))
          return std::nullopt;
    run.results.emplace_back(std::move(result));
  }
  for (const HostTensor &input : contents)
    run.arguments.emplace_back(input);
  std::vector<std::vector<double>> distances;
  for (const TrackedTensor &result : run.results)
    distances.emplace_back(result.tensor.numElements());
  std::pair<double, double> largestOfAll{0, 0};
  // Also the values of the run without errors: an error can choose another
  // branch in all others.
  for (int i = 0; i <= kRuns; ++i) {
    std::optional<std::vector<HostTensor>> other =
        runOnce(function, inputs, i == 0 ? nullptr : &random, largestOfAll);
    if (!other)
      return std::nullopt;
    for (size_t k = 0; k < distances.size(); ++k)
      for (size_t at = 0; at < distances[k].size(); ++at) {
        const double distance =
            std::abs(getElementAsDouble((*other)[k], at) -
                     getElementAsDouble(run.results[k].tensor, at));
        // Also if it is no number.
        if (!(distance <= distances[k][at]))
          distances[k][at] = std::isnan(distance)
                                 ? std::numeric_limits<double>::infinity()
                                 : distance;
      }
  }
  bool hasBound = false;
  for (size_t k = 0; k < distances.size(); ++k) {
    TrackedTensor &result = run.results[k];
    const int64_t count = result.tensor.numElements();
    const bool isFloat = isa<FloatType>(result.tensor.elementType);
    const double largest = findLargest(result.tensor);
    const Scale scale = getScale(result.tensor.elementType);
    for (int64_t i = 0; i < count; ++i) {
      double bound = isFloat ? scale.distances * distances[k][i] +
                                   scale.least * largest +
                                   scale.leastOfAll * largestOfAll.first
                             : distances[k][i];
      // Where equal terms cancel, compiled code may leave a rounding error of
      // them, however large they are.
      if (isFloat && getElementAsDouble(result.tensor, i) == 0)
        bound = std::max(bound, scale.leastOfAll * largestOfAll.second);
      // Gradients of magnitude 0.01 count, whatever the others are.
      if (bound > scale.most * std::max(largest, 1e-2))
        bound = std::numeric_limits<double>::infinity();
      else
        hasBound = true;
      result.error.set(i, bound, count);
    }
  }
  if (!hasBound)
    return std::nullopt;
  return run;
}
