//===- Tracker.cpp - values with error bounds -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates graphs with error bounds, and compares results with them.
///
//===----------------------------------------------------------------------===//

#include "Tracker.h"
#include "ErrorBounds.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "support/ToolSupport.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::tg;

Bounds Bounds::move(Operation *op, const HostTensor &x, const Bounds &bounds) {
  Bounds result;
  if (bounds.isZero())
    return result;
  HostTensor carrier;
  carrier.shape = x.shape;
  carrier.elementType = Float64Type::get(op->getContext());
  carrier.bytes.resize(bounds.values.size() * sizeof(double));
  std::memcpy(carrier.bytes.data(), bounds.values.data(), carrier.bytes.size());
  FailureOr<HostTensor> moved = interpretMovement(op, carrier);
  if (failed(moved) || moved->bytes.empty())
    return result;
  result.values.resize(moved->numElements());
  std::memcpy(result.values.data(), moved->bytes.data(), moved->bytes.size());
  return result;
}

std::optional<TrackedTensor>
mlir::tg::track(Operation *op, ArrayRef<const TrackedTensor *> operands) {
  SmallVector<const HostTensor *> tensors;
  for (const TrackedTensor *operand : operands)
    tensors.push_back(&operand->tensor);
  FailureOr<HostTensor> value = interpretOp(op, tensors);
  if (failed(value))
    return std::nullopt;
  TrackedTensor result(std::move(*value));
  if (isa<MovementOpInterface>(op)) {
    const TrackedTensor &x = *operands[0];
    result.error = Bounds::move(op, x.tensor, x.error);
    result.loose = Bounds::move(op, x.tensor, x.loose);
    result.rounding = Bounds::move(op, x.tensor, x.rounding);
    return result;
  }
  const bool isNoCast =
      isa<CastOp, BitcastOp>(op) &&
      op->getOperand(0).getType() == op->getResult(0).getType();
  if (isa<CopyOp, ContiguousOp, DetachOp, WithDerivativeOp>(op) || isNoCast) {
    result.error = operands[0]->error;
    result.loose = operands[0]->loose;
    result.rounding = operands[0]->rounding;
    return result;
  }
  if (isa<ConstOp, IotaOp>(op))
    return result;
  bool isComparable;
  if (auto reduce = dyn_cast<ReduceOp>(op))
    isComparable = boundReduce(reduce, *operands[0], result);
  else if (auto scan = dyn_cast<ScanOp>(op))
    isComparable = boundScan(scan, *operands[0], result);
  else if (auto scatter = dyn_cast<ScatterOp>(op))
    isComparable = boundScatter(scatter, operands, result);
  else if (isa<ArgsortOp>(op))
    isComparable = operands[0]->error.isZero();
  else
    isComparable = boundElementwise(op, operands, result);
  if (!isComparable)
    return std::nullopt;
  return result;
}

void Tracker::addArgument(Value argument, TrackedTensor contents) {
  values[argument] = std::move(contents);
}

bool Tracker::execute(Operation *op) {
  if (auto assign = dyn_cast<AssignOp>(op)) {
    Value root;
    FailureOr<std::vector<int64_t>> positions =
        getViewedPositions(assign.getTarget(), root);
    if (failed(positions))
      return false;
    TrackedTensor value = values.at(assign.getValue());
    TrackedTensor &memory =
        memories.try_emplace(root, values.at(root)).first->second;
    unsigned size = getElementSize(value.tensor.elementType);
    int64_t count = memory.tensor.numElements();
    for (auto [i, position] : llvm::enumerate(*positions)) {
      std::memcpy(memory.tensor.bytes.data() + position * size,
                  value.tensor.bytes.data() + i * size, size);
      memory.error.set(position, value.error[i], count);
      memory.loose.set(position, value.loose[i], count);
    }
    contents[assign.getResult()] = memory;
    values[assign.getResult()] = std::move(value);
    return true;
  }
  if (auto after = dyn_cast<AfterOp>(op)) {
    TrackedTensor found = after.getAssign() ? contents.at(after.getAssign())
                                            : values.at(after.getTarget());
    values[after.getResult()] = std::move(found);
    return true;
  }
  SmallVector<const TrackedTensor *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(&values.at(operand));
  std::optional<TrackedTensor> result = track(op, operands);
  if (!result)
    return false;
  values[op->getResult(0)] = std::move(*result);
  return true;
}

std::optional<ExpectedRun>
mlir::tg::trackFunction(func::FuncOp function, ArrayRef<HostTensor> inputs) {
  Tracker tracker;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), inputs))
    tracker.addArgument(argument, TrackedTensor(input));
  ExpectedRun run;
  for (Operation &op : function.getBody().front()) {
    if (isa<func::ReturnOp>(op)) {
      for (Value operand : op.getOperands())
        run.results.push_back(tracker.get(operand));
      break;
    }
    if (!tracker.execute(&op))
      return std::nullopt;
  }
  for (Value argument : function.getArguments())
    run.arguments.push_back(tracker.getMemory(argument));
  return run;
}

/// One element in its printed form.
static std::string showElement(const HostTensor &tensor, int64_t i) {
  HostTensor element;
  element.elementType = tensor.elementType;
  unsigned size = getElementSize(tensor.elementType);
  element.bytes.assign(tensor.bytes.begin() + i * size,
                       tensor.bytes.begin() + (i + 1) * size);
  std::string text;
  llvm::raw_string_ostream os(text);
  printTensor(os, element);
  return text.substr(text.find('=') + 2);
}

std::optional<std::string>
mlir::tg::findDifference(const TrackedTensor &expected,
                         const HostTensor &actual) {
  const HostTensor &reference = expected.tensor;
  if (reference.elementType != actual.elementType ||
      reference.shape != actual.shape ||
      reference.bytes.size() != actual.bytes.size())
    return "wrong type";
  unsigned size = getElementSize(reference.elementType);
  for (int64_t i = 0, e = reference.numElements(); i < e; ++i) {
    if (std::memcmp(reference.bytes.data() + i * size,
                    actual.bytes.data() + i * size, size) == 0)
      continue;
    if (isa<FloatType>(reference.elementType)) {
      double a = getElementAsDouble(reference, i);
      double b = getElementAsDouble(actual, i);
      if ((std::isnan(a) && std::isnan(b)) || a == b ||
          std::abs(a - b) <= expected.error[i])
        continue;
    }
    std::string text;
    llvm::raw_string_ostream(text)
        << "element " << i << " is " << showElement(actual, i) << ", expected "
        << showElement(reference, i) << " within " << expected.error[i];
    return text;
  }
  return std::nullopt;
}
