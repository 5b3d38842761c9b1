//===- Tracker.h - values and how exactly they are defined ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates a graph in the reference interpreter and knows, for every single
/// element, by how much a correct implementation may differ from it.
///
/// Most operations leave no freedom: their results have an error bound of zero
/// and are compared bit for bit. Transcendental functions (2 ulp), float sums
/// and products whose order matters, and whatever is computed from them have a
/// bound that follows from those of the operands. Where a bound cannot be
/// carried through an operation (a comparison of two values that are closer
/// than their errors, say), the graph says nothing and is not used.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_TRACKER_H
#define TINYGRAD_TOOLS_TGFUZZ_TRACKER_H

#include "TinyGrad/Interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace mlir::tg {

/// One number per element, most of the time 0 for all of them.
class Bounds {
public:
  double operator[](int64_t i) const { return values.empty() ? 0 : values[i]; }
  /// `count` is the number of elements.
  void set(int64_t i, double value, int64_t count) {
    if (value != 0 && values.empty())
      values.resize(count);
    if (!values.empty())
      values[i] = value;
  }
  bool isZero() const { return values.empty(); }
  /// The bounds of what a movement operation makes of x.
  static Bounds move(Operation *op, const HostTensor &x, const Bounds &bounds);

private:
  std::vector<double> values;
};

/// A tensor as the interpreter computes it.
struct TrackedTensor {
  HostTensor tensor;
  /// Absolute bound of the difference to any correct result.
  Bounds error;
  /// Not 0 for elements with unspecified bits: a zero of either sign, a NaN of
  /// any payload.
  Bounds loose;
  /// How much the rounding of a product changed it: a sum may use the product
  /// as it is before that.
  Bounds rounding;

  TrackedTensor() = default;
  /// An exact tensor.
  explicit TrackedTensor(HostTensor tensor) : tensor(std::move(tensor)) {}
};

/// Evaluates `op`; none if its result would not be comparable. Not for
/// `tg.assign` and `tg.after`, which need memory.
std::optional<TrackedTensor> track(Operation *op,
                                   ArrayRef<const TrackedTensor *> operands);

/// Runs a function operation by operation.
class Tracker {
public:
  /// Names the next argument's memory.
  void addArgument(Value argument, TrackedTensor contents);
  /// Evaluates one operation; false if its result would not be comparable.
  bool execute(Operation *op);
  const TrackedTensor &get(Value value) const { return values.at(value); }
  /// What an argument's memory holds now.
  const TrackedTensor &getMemory(Value argument) const {
    auto found = memories.find(argument);
    return found == memories.end() ? get(argument) : found->second;
  }
  bool contains(Value value) const { return values.contains(value); }
  void forget(Value value) { values.erase(value); }

private:
  DenseMap<Value, TrackedTensor> values;
  /// Of arguments that have been assigned to; and after each assignment.
  DenseMap<Value, TrackedTensor> memories, contents;
};

/// What a run of a function has to give.
struct ExpectedRun {
  std::vector<TrackedTensor> results;
  /// The arguments' memory afterwards.
  std::vector<TrackedTensor> arguments;
};

/// The whole function on these inputs; none if anything is not comparable.
std::optional<ExpectedRun> trackFunction(func::FuncOp function,
                                         ArrayRef<HostTensor> inputs);

/// Describes the first difference that is too large; none if all is well.
std::optional<std::string> findDifference(const TrackedTensor &expected,
                                          const HostTensor &actual);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_TRACKER_H
