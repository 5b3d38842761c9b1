//===- Tracker.h - values with error bounds ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates a graph in the reference interpreter, with a bound for each
/// element by how much a correct implementation may differ from it.
///
/// The results of most operations are fully specified: their error bound is
/// zero, and they are compared bit for bit. Transcendental functions (2 ulp),
/// float sums and products whose order matters, and everything computed from
/// them have a bound derived from those of the operands. If an operation has no
/// bound (such as a comparison of two values that are closer than their
/// errors), the graph is not comparable and is not used.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_TRACKER_H
#define TINYGRAD_TOOLS_TGFUZZ_TRACKER_H

#include "TinyGrad/Interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace mlir::tg {

/// One number per element, usually 0 for all of them.
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
  /// The bounds of the result of a movement operation on x.
  static Bounds move(Operation *op, const HostTensor &x, const Bounds &bounds);

private:
  std::vector<double> values;
};

/// A tensor as the interpreter computes it.
struct TrackedTensor {
  HostTensor tensor;
  /// Absolute bound of the difference to any correct result.
  Bounds error;
  /// Not 0 for elements with unspecified bits: zeros of either sign, NaNs with
  /// any payload.
  Bounds loose;
  /// The rounding error of a product, since a sum may use the unrounded
  /// product.
  Bounds rounding;

  TrackedTensor() = default;
  /// A tensor without errors.
  explicit TrackedTensor(HostTensor tensor) : tensor(std::move(tensor)) {}
};

/// Evaluates `op`; none if its result would not be comparable. Does not support
/// `tg.assign` and `tg.after`, which need memory.
std::optional<TrackedTensor> track(Operation *op,
                                   ArrayRef<const TrackedTensor *> operands);

/// Evaluates a function operation by operation.
class Tracker {
public:
  /// Defines the contents of the next argument's memory.
  void addArgument(Value argument, TrackedTensor contents);
  /// Evaluates one operation; false if its result would not be comparable.
  bool execute(Operation *op);
  const TrackedTensor &get(Value value) const { return values.at(value); }
  /// The present contents of an argument's memory.
  const TrackedTensor &getMemory(Value argument) const {
    auto found = memories.find(argument);
    return found == memories.end() ? get(argument) : found->second;
  }
  bool contains(Value value) const { return values.contains(value); }
  void forget(Value value) { values.erase(value); }

private:
  DenseMap<Value, TrackedTensor> values;
  /// Contents of arguments that were assigned to: present, and after each
  /// assignment.
  DenseMap<Value, TrackedTensor> memories, contents;
};

/// The expected results of a run of a function.
struct ExpectedRun {
  std::vector<TrackedTensor> results;
  /// The arguments' memory afterwards.
  std::vector<TrackedTensor> arguments;
};

/// Evaluates the whole function on these inputs; none if anything is not
/// comparable.
std::optional<ExpectedRun> trackFunction(func::FuncOp function,
                                         ArrayRef<HostTensor> inputs);

/// Describes the first difference that exceeds its bound; none if there is
/// none.
std::optional<std::string> findDifference(const TrackedTensor &expected,
                                          const HostTensor &actual);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_TRACKER_H
