//===- IndexAnalysis.h - what is known of an index value --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Index values of kernels as linear forms, their bounds as numbers and as
/// dimensions, what conditions imply for them, and a builder that creates index
/// arithmetic in simplified form.
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
#include <memory>
#include <optional>

namespace mlir::tg {

/// The bounds of a dimension; none where it may have saturated.
Interval getBounds(Dim dim);

/// What `known` holds for a value. `compute(value, need)` gives an entry that
/// is not there yet; `need` gives it that of another value, or null if that has
/// to be computed first. Iterative: expressions may be long chains.
template <typename Map, typename Compute>
const auto &getOrCompute(Map &known, Value root, Compute compute) {
  if (auto it = known.find(root); it != known.end())
    return it->second;
  SmallVector<Value> stack{root};
  while (!stack.empty()) {
    Value value = stack.back();
    const size_t size = stack.size();
    auto need = [&](Value other) {
      auto it = known.find(other);
      if (it == known.end())
        stack.push_back(other);
      return it == known.end() ? nullptr : &it->second;
    };
    if (!known.contains(value)) {
      auto entry = compute(value, need);
      if (stack.size() > size)
        continue;
      known.try_emplace(value, std::move(entry));
    }
    stack.pop_back();
  }
  return known.find(root)->second;
}

/// Whether a sum or product of index values is an operand of exactly one other
/// and used nowhere else.
bool isInnerSum(Value value);

/// Linear forms, bounds and range dependences of index values, computed from
/// the operations that define them and cached. The cache holds as long as those
/// operations do not change.
class IndexAnalysis {
public:
  //===--------------------------------------------------------------------===//
  // Sums
  //===--------------------------------------------------------------------===//

  /// The index as a linear form; a value that nothing is known of is an atom,
  /// and so is a sum of expressions that may not fit into 64 bits.
  const LinearForm &getLinear(Value index);
  /// The same, where atoms of which bounds leave one value are that number, and
  /// all coefficients are modest.
  const LinearForm &getForm(Value index);
  /// The number or dimension that an index is.
  std::optional<Dim> getDim(Value index);
  /// The same, if it is positive.
  std::optional<Dim> getPositive(Value index);
  /// An integer of any type as a sum of index values, where no wrapping at the
  /// width of its type can happen.
  std::optional<LinearForm> getNumber(Value integer, unsigned depth = 0);

  //===--------------------------------------------------------------------===//
  // Bounds
  //===--------------------------------------------------------------------===//

  /// Bounds of an index: those of 64 bits if nothing is known of it, or if its
  /// sum may wrap around.
  Interval getInterval(Value index);
  Interval getInterval(const LinearForm &form);
  /// Bounds of each term for itself, added up.
  Interval getSumOfIntervals(const LinearForm &form);
  /// Bounds of an atom, or of an integer of another type than index.
  Interval getAtomInterval(Value atom) { return getBounds(atom).interval; }

  /// Whether the sum, added up without a bound on numbers, is what 64 bits
  /// give: the value of a non-trivial sum must be known to fit.
  bool isExact(const LinearForm &form);
  /// Whether an exact form is always at least (at most) the dimension.
  bool isAtLeast(const LinearForm &form, Dim bound) {
    return isBounded(form, bound, /*isLower=*/true);
  }
  bool isAtLeast(const LinearForm &form, int64_t bound) {
    return isAtLeast(form, Dim(form.getContext(), bound));
  }
  bool isAtMost(const LinearForm &form, Dim bound) {
    return isBounded(form, bound, /*isLower=*/false);
  }
  bool isAtMost(const LinearForm &form, int64_t bound) {
    return isAtMost(form, Dim(form.getContext(), bound));
  }
  /// The only value of form floordiv divisor, if bounds leave one that is not
  /// much longer than the form.
  std::optional<int64_t> getOnlyQuotient(const LinearForm &form, Dim divisor);

  //===--------------------------------------------------------------------===//
  // Conditions
  //===--------------------------------------------------------------------===//

  /// rhs - lhs of a comparison of integers; none where it does not say what the
  /// comparison of 64 bits says.
  std::optional<LinearForm> getDifference(Operation *comparison);
  /// The value of a comparison of integers.
  std::optional<bool> decide(Value condition);
  /// From now on the condition holds (or does not). Cached bounds are dropped.
  /// Returns whether that says anything of an index.
  bool assume(Value condition, bool holds = true);
  /// Narrows what an atom can be.
  void setInterval(Value atom, Interval interval) {
    narrowed[atom] = interval;
    bounds.clear();
  }

  //===--------------------------------------------------------------------===//
  // Others
  //===--------------------------------------------------------------------===//

  /// The tg.range values that any value of a kernel depends on, in the order in
  /// which they were met. Ranges that a reduce or stage closes do not count.
  ArrayRef<Value> getRanges(Value value);

  /// The distance of an index from that at the next position of a tg.range, if
  /// it is the same at all positions; none otherwise, as far as the index
  /// shows.
  std::optional<int64_t> getStep(Value index, Value range);

  /// For a value that is about to be erased.
  void forget(Value value);

private:
  /// The ends of an interval as dimensions; null where none is known.
  struct Ends {
    Dim lo, hi;
    /// Replaces each end unless it is known to be the tighter one.
    void tighten(const Ends &other);
  };
  struct Bounds {
    Interval interval;
    Ends ends;
  };
  /// Bounds of a normalized sum without constant, from conditions.
  struct Fact {
    LinearForm form;
    Ends ends;
  };

  /// Adds up the terms of a sum; asks for the forms of some of its operands.
  LinearForm addUp(Value sum, function_ref<const LinearForm *(Value)> need);
  /// Valid until bounds of another value are asked for.
  const Bounds &getBounds(Value atom);
  Bounds computeBounds(Value atom);
  Interval getIntervalWhere(Value value, Value condition);
  /// The sum of intervals and what conditions say, of the sum as a mathematical
  /// integer.
  Interval getNumericInterval(const LinearForm &form);
  bool isSymbolic(const LinearForm &form);
  bool isBounded(const LinearForm &form, Dim bound, bool isLower);
  /// Ends in which terms may cancel.
  Ends getEnds(const LinearForm &form);

  Fact *findFact(const LinearForm &form);
  /// What conditions say of a form.
  Ends getFactEnds(const LinearForm &form);
  void narrowAtoms(const LinearForm &form);
  /// form >= 0.
  bool assumeNotNegative(const LinearForm &form);

  // Most kernels have few indices, and there may be very many kernels.
  llvm::SmallDenseMap<Value, LinearForm, 8> linear;
  DenseMap<Value, std::unique_ptr<LinearForm>> forms;
  DenseMap<Value, Interval> narrowed;
  DenseMap<Value, Bounds> bounds;
  llvm::SmallDenseMap<Value, SmallVector<Value, 4>, 8> ranges;
  SmallVector<Fact, 0> facts;
};

/// The form with (x floordiv c)*(c*k) + (x floormod c)*k replaced by x*k, also
/// where the quotient is of x plus a multiple of c, or the remainder of a
/// quotient; none if there is no such pair.
std::optional<LinearForm> recombine(IndexAnalysis &analysis, LinearForm form);

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
  Value dim(Dim value);
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
  Dim number(int64_t value) const { return Dim(getContext(), value); }
  /// An operation on two values, the same for the same values.
  template <typename OpT> Value create(Value lhs, Value rhs);

  OpBuilder &builder;
  Location loc;
  IndexAnalysis analysis;
  /// Atoms in the order in which sums add them.
  DenseMap<Value, unsigned> ordinals;
  /// By attribute, or by number without one.
  DenseMap<std::pair<Attribute, int64_t>, Value> dims;
  DenseMap<std::tuple<TypeID, Value, Value>, Value> operations;
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_INDEXANALYSIS_H
