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

#include "TinyGrad/Dialect/Tg/IR/TgInterval.h"
#include "TinyGrad/Dialect/Tg/Utils/LinearForm.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>

namespace mlir::tg {

/// The bounds of a dimension; none where it may have saturated.
Interval getBounds(Dim dim);

/// Whether a sum or product of index values is part of one other alone.
bool isInnerSum(Value value);

/// Linear forms, bounds and range dependences of index values, computed from
/// the operations that define them and cached. The cache holds as long as those
/// operations are not changed.
class IndexAnalysis {
public:
  /// The index as a linear form; a value that nothing is known of is an atom,
  /// and so is a sum of expressions that may not fit into 64 bits.
  const LinearForm &getLinear(Value index);
  /// The number or dimension that an index is.
  std::optional<Dim> getDim(Value index);
  /// Bounds of an index: those of 64 bits if nothing is known of it, or if its
  /// sum may wrap around.
  Interval getInterval(Value index);
  Interval getInterval(const LinearForm &form);
  /// Bounds of each term for itself, added up.
  Interval getSumOfIntervals(const LinearForm &form);
  /// The only value of form floordiv divisor, if bounds leave one.
  std::optional<int64_t> getOnlyQuotient(const LinearForm &form, Dim divisor);
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
  /// The same for an index that is an operation without operands, or whose form
  /// is known.
  std::optional<Dim> findDim(Value index) const;
  Interval getSymbolicInterval(const LinearForm &form);
  std::optional<LinearForm> addUp(Value sum, SmallVectorImpl<Value> &missing);
  Interval computeAtomInterval(Value atom);
  Interval getIntervalWhere(Value value, Value condition);

  // Most kernels have few indices, and there may be very many kernels.
  llvm::SmallDenseMap<Value, LinearForm, 8> forms;
  DenseMap<Value, Interval> narrowed, intervals;
  llvm::SmallDenseMap<Value, SmallVector<Value, 4>, 8> ranges;
};

/// Creates index arithmetic of the tg dialect. Sums are collected into linear
/// forms; quotients and remainders are simplified with the bounds of their
/// operands. Factors and divisors are numbers or dimensions; divisors are
/// positive where there are positions at all. Equal results are one value.
class IndexBuilder {
public:
  explicit IndexBuilder(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc) {}

  MLIRContext *getContext() const { return builder.getContext(); }

  Value constant(int64_t value) { return dim(number(value)); }
  Value dim(Dim value) { return get(LinearForm(value)); }
  /// A constant and values, each times its factor.
  Value sum(Dim constant, ArrayRef<std::pair<Value, Dim>> terms);
  Value add(Value lhs, Value rhs) {
    return sum(number(0), {{lhs, number(1)}, {rhs, number(1)}});
  }
  Value add(Value lhs, Dim rhs) { return sum(rhs, {{lhs, number(1)}}); }
  Value add(Value lhs, int64_t rhs) { return add(lhs, number(rhs)); }
  Value mul(Value lhs, Dim factor) { return sum(number(0), {{lhs, factor}}); }
  Value mul(Value lhs, int64_t factor) { return mul(lhs, number(factor)); }
  /// Rounded towards negative infinity.
  Value floorDiv(Value lhs, Dim divisor);
  Value floorDiv(Value lhs, int64_t divisor) {
    return floorDiv(lhs, number(divisor));
  }
  Value floorMod(Value lhs, Dim divisor);
  Value floorMod(Value lhs, int64_t divisor) {
    return floorMod(lhs, number(divisor));
  }
  /// The value of a linear form.
  Value get(const LinearForm &form);

  /// index >= bound and index < bound as i1; null where it always holds.
  Value atLeast(Value index, Dim bound);
  Value atLeast(Value index, int64_t bound) {
    return atLeast(index, number(bound));
  }
  Value lessThan(Value index, Dim bound);
  Value lessThan(Value index, int64_t bound) {
    return lessThan(index, number(bound));
  }
  /// The conjunction; null stands for true.
  Value conjunction(Value lhs, Value rhs);

  IndexAnalysis &getAnalysis() { return analysis; }

private:
  /// A dimension as part of a key, without an attribute for a number.
  using DimKey = std::pair<const void *, int64_t>;
  static DimKey getKey(Dim dim);

  Dim number(int64_t value) const { return Dim(getContext(), value); }
  /// Replaces (x / c) * (c * k) + (x mod c) * k by x * k.
  LinearForm recombine(LinearForm form);
  unsigned getOrdinal(Value atom);
  enum class Binary { mul, floordiv, floormod, lessThan, atLeast };
  Value create(Binary kind, Value lhs, Dim rhs);
  /// An interval that compares with a number as the index does with the bound.
  std::pair<Interval, int64_t> compare(Value index, Dim bound);

  OpBuilder &builder;
  Location loc;
  IndexAnalysis analysis;
  DenseMap<Value, unsigned> ordinals;
  std::map<std::pair<DimKey, SmallVector<std::pair<unsigned, DimKey>>>, Value>
      sums;
  std::map<std::tuple<Binary, void *, DimKey>, Value> binaries;
  DenseMap<std::pair<Value, Value>, Value> conjunctions;
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_INDEXANALYSIS_H
