//===- IndexAnalysis.h - what is known of an index value --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Index values of kernels as linear forms with bounds, and a builder that
/// creates index arithmetic in simplified form.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_INDEXANALYSIS_H
#define TINYGRAD_DIALECT_TG_UTILS_INDEXANALYSIS_H

#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "TinyGrad/Dialect/Tg/IR/TgInterval.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>

namespace mlir::tg {

/// constant + sum of coefficient * atom. Atoms are distinct values that are not
/// sums themselves (ranges, quotients, remainders, loaded values); coefficients
/// are not 0.
struct LinearForm {
  int64_t constant = 0;
  SmallVector<std::pair<Value, int64_t>, 4> terms;

  bool isConstant() const { return terms.empty(); }
  /// The coefficient of `atom`, 0 if it does not occur.
  int64_t getCoefficient(Value atom) const;
  /// Sums wrap, as those of kernels do.
  void addTerm(Value atom, int64_t coefficient);
  void addConstant(int64_t number);
  /// Adds `factor` times the other form.
  void add(const LinearForm &other, int64_t factor = 1);
};

/// Linear forms, bounds and range dependences of index values, computed from
/// the operations that define them and cached. The cache holds as long as those
/// operations are not changed.
class IndexAnalysis {
public:
  /// The index as a linear form; a value that nothing is known of is an atom.
  const LinearForm &getLinear(Value index);
  /// Bounds of an index: those of 64 bits if nothing is known of it, or if its
  /// sum may wrap around.
  Interval getInterval(Value index);
  Interval getInterval(const LinearForm &form);
  /// The tg.range values that any value of a kernel depends on, in the order in
  /// which they were met. Ranges that a reduce or stage closes do not count.
  ArrayRef<Value> getRanges(Value value);

  /// Bounds of an atom, or of an integer of another type than index.
  Interval getAtomInterval(Value atom);

  /// Narrows what a range can be, e.g. inside the main part of a peeled loop.
  void setInterval(Value atom, Interval interval) {
    narrowed[atom] = interval;
    intervals.clear();
  }

  /// For a value that is about to be erased.
  void forget(Value value) {
    forms.erase(value);
    narrowed.erase(value);
    intervals.erase(value);
    ranges.erase(value);
  }

private:
  Interval getSymbolicInterval(const LinearForm &form);
  std::optional<std::pair<Dim, Dim>> getSymbolicEnds(const LinearForm &form,
                                                     MLIRContext *context);
  std::optional<LinearForm> addUp(Value sum, SmallVectorImpl<Value> &missing);
  Interval computeAtomInterval(Value atom);
  Interval getIntervalWhere(Value value, Value condition);

  // Most kernels have few indices, and there may be very many kernels.
  llvm::SmallDenseMap<Value, LinearForm, 8> forms;
  DenseMap<Value, Interval> narrowed, intervals;
  llvm::SmallDenseMap<Value, SmallVector<Value, 4>, 8> ranges;
};

/// Creates index arithmetic of the tg dialect. Sums are collected into linear
/// forms; quotients and remainders by constants are simplified with the bounds
/// of their operands. Equal results are one value.
class IndexBuilder {
public:
  explicit IndexBuilder(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc) {}

  MLIRContext *getContext() const { return builder.getContext(); }

  Value constant(int64_t value);
  Value add(Value lhs, Value rhs);
  Value add(Value lhs, int64_t rhs);
  Value mul(Value lhs, int64_t factor);
  /// Rounded towards negative infinity; the divisor is positive.
  Value floorDiv(Value lhs, int64_t divisor);
  Value floorMod(Value lhs, int64_t divisor);
  /// The value of a linear form.
  Value get(const LinearForm &form);

  /// index >= bound and index < bound as i1; null where it always holds.
  Value atLeast(Value index, int64_t bound);
  Value lessThan(Value index, int64_t bound);

  /// The same with dimensions (SymbolicIndex.cpp). Divisors are positive where
  /// there are positions at all. A dimension enters sums term by term, so that
  /// equal ones cancel.
  Value dim(Dim value);
  Value add(Value lhs, Dim rhs);
  Value mul(Value lhs, Dim factor);
  Value floorDiv(Value lhs, Dim divisor);
  Value floorMod(Value lhs, Dim divisor);
  Value atLeast(Value index, Dim bound);
  Value lessThan(Value index, Dim bound);
  /// The conjunction; null stands for true.
  Value conjunction(Value lhs, Value rhs);

  IndexAnalysis &getAnalysis() { return analysis; }

private:
  /// Replaces (x / c) * (c * k) + (x mod c) * k by x * k.
  LinearForm recombine(LinearForm form);
  unsigned getOrdinal(Value atom);
  enum class Binary { mul, floordiv, floormod, lessThan, atLeast };
  Value create(Binary kind, Value lhs, int64_t rhs);
  Value create(Binary kind, Value lhs, Value rhs);
  LinearForm getLinear(Dim dim);
  std::pair<LinearForm, LinearForm> divide(Value index, Dim divisor);

  OpBuilder &builder;
  Location loc;
  IndexAnalysis analysis;
  DenseMap<Value, unsigned> ordinals;
  std::map<std::pair<int64_t, SmallVector<std::pair<unsigned, int64_t>>>, Value>
      sums;
  std::map<std::tuple<Binary, void *, int64_t>, Value> binaries;
  DenseMap<std::pair<Value, Value>, Value> conjunctions;
  DenseMap<Attribute, Value> dims;
  std::map<std::tuple<Binary, void *, void *>, Value> symbolicBinaries;
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_INDEXANALYSIS_H
