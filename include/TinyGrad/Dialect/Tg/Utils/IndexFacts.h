//===- IndexFacts.h - index values with symbolic sizes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the rules of index arithmetic know of a value: a sum of terms whose
/// coefficients may be dimensions, and bounds, some of which follow from
/// conditions that hold where the value is used.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_INDEXFACTS_H
#define TINYGRAD_DIALECT_TG_UTILS_INDEXFACTS_H

#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include <memory>

namespace mlir::tg {

/// constant + sum of coefficient * atom. Atoms are distinct index values that
/// are neither sums nor products by a dimension; no coefficient is 0.
struct IndexForm {
  Dim constant;
  SmallVector<std::pair<Value, Dim>, 4> terms;

  explicit IndexForm(Dim constant) : constant(constant) {}
  IndexForm(MLIRContext *context, int64_t number) : constant(context, number) {}

  /// A number or dimension.
  bool isDim() const { return terms.empty(); }
  /// The atom, if it is one and nothing else.
  Value getAtom() const;
  void addTerm(Value atom, Dim coefficient);
  void add(const IndexForm &other, Dim factor);
  /// Adds up terms of one atom, after terms were put in without a look at
  /// others.
  void mergeTerms();
  void add(const IndexForm &other) { add(other, Dim(getContext(), 1)); }
  void subtract(const IndexForm &other) { add(other, Dim(getContext(), -1)); }
  IndexForm negated() const;
  MLIRContext *getContext() const { return constant.getContext(); }
  /// Whether both are the same sum, in any order.
  bool operator==(const IndexForm &other) const;
};

/// Whether a dimension was worked out without reaching the limits of 64 bits.
bool isModest(Dim dim);

/// a / b, if b divides a for all values of the variables; b is positive.
std::optional<Dim> divideExactly(Dim a, Dim b);

/// The greatest number that divides both; 1 if one of them is symbolic.
int64_t getCommonDivisor(Dim a, Dim b);

/// Index values as sums, and bounds of them. Numbers come from IndexAnalysis,
/// and with it from the operations' InferIntRangeInterface; here are bounds
/// that depend on variables, and those that conditions imply.
///
/// Values are cached: what defines them must not change, and a value that goes
/// away is to be forgotten.
class IndexFacts {
public:
  /// Variables are looked at only if the values are said to be `symbolic`.
  IndexFacts(MLIRContext *context, bool symbolic)
      : context(context), symbolic(symbolic) {}

  /// The index as a sum.
  const IndexForm &getForm(Value index);
  /// An integer of any type as a sum of index values, where no wrapping at the
  /// width of its type can happen.
  std::optional<IndexForm> getNumber(Value integer);

  Interval getInterval(const IndexForm &form);
  Interval getInterval(Value index) { return getInterval(getForm(index)); }
  /// Bounds that may depend on variables; null where there is none.
  std::pair<Dim, Dim> getDimBounds(const IndexForm &form);

  /// Whether the sum, added up without a bound on numbers, is what 64 bits
  /// give: the value of a non-trivial sum must be known to fit.
  bool isExact(const IndexForm &form);

  /// Whether the form is always at least (at most) the dimension.
  bool isAtLeast(const IndexForm &form, Dim bound);
  bool isAtMost(const IndexForm &form, Dim bound);
  /// lhs < rhs, lhs == rhs where that is known. Both are exact.
  std::optional<bool> isLess(const IndexForm &lhs, const IndexForm &rhs);
  std::optional<bool> isEqual(const IndexForm &lhs, const IndexForm &rhs);
  /// The value of a comparison of integers, or of a conjunction.
  std::optional<bool> decide(Value condition);

  /// From now on the condition holds (or does not). What was asked before is
  /// forgotten. Returns whether that says anything of an index.
  bool assume(Value condition, bool holds = true);

  /// For a value that is about to be erased.
  void forget(Value value);

  MLIRContext *getContext() const { return context; }
  Dim getDim(int64_t number) const { return Dim(context, number); }
  IndexAnalysis &getAnalysis() { return analysis; }

private:
  /// Bounds of a sum without its constant, from conditions.
  struct Fact {
    IndexForm form;
    Dim lo, hi;
  };

  IndexForm computeForm(Value index);
  std::pair<Dim, Dim> getAtomDimBounds(Value atom);
  std::pair<Dim, Dim> computeAtomDimBounds(Value atom);
  std::optional<IndexForm> getNumber(Value integer, unsigned depth);
  Fact *findFact(const IndexForm &form);
  /// What conditions say of the part of a form with these coefficients.
  std::pair<Dim, Dim> getFactBounds(const IndexForm &part);
  void narrowAtoms(const IndexForm &form);
  /// form >= 0.
  bool assumeNotNegative(IndexForm form);

  MLIRContext *context;
  bool symbolic;
  IndexAnalysis analysis;
  DenseMap<Value, std::unique_ptr<IndexForm>> forms;
  DenseMap<Value, std::pair<Dim, Dim>> dimBounds;
  SmallVector<Fact, 0> facts;
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_INDEXFACTS_H
