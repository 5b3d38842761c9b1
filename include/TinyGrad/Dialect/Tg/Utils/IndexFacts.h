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

#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include <memory>

namespace mlir::tg {

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
  const LinearForm &getForm(Value index);
  /// An integer of any type as a sum of index values, where no wrapping at the
  /// width of its type can happen.
  std::optional<LinearForm> getNumber(Value integer);

  Interval getInterval(const LinearForm &form);
  Interval getInterval(Value index) { return getInterval(getForm(index)); }
  /// Bounds that may depend on variables; null where there is none.
  std::pair<Dim, Dim> getDimBounds(const LinearForm &form);

  /// Whether the sum, added up without a bound on numbers, is what 64 bits
  /// give: the value of a non-trivial sum must be known to fit.
  bool isExact(const LinearForm &form);

  /// Whether the form is always at least (at most) the dimension.
  bool isAtLeast(const LinearForm &form, Dim bound);
  bool isAtMost(const LinearForm &form, Dim bound);
  /// rhs - lhs of a comparison of integers; none where it does not say what the
  /// comparison of 64 bits says.
  std::optional<LinearForm> getDifference(Operation *comparison);
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
    LinearForm form;
    Dim lo, hi;
  };

  std::pair<Dim, Dim> getAtomDimBounds(Value atom);
  std::pair<Dim, Dim> computeAtomDimBounds(Value atom);
  std::optional<LinearForm> getNumber(Value integer, unsigned depth);
  Fact *findFact(const LinearForm &form);
  /// What conditions say of the part of a form with these coefficients.
  std::pair<Dim, Dim> getFactBounds(const LinearForm &part);
  void narrowAtoms(const LinearForm &form);
  /// form >= 0.
  bool assumeNotNegative(LinearForm form);

  MLIRContext *context;
  bool symbolic;
  IndexAnalysis analysis;
  DenseMap<Value, std::unique_ptr<LinearForm>> forms;
  DenseMap<Value, std::pair<Dim, Dim>> dimBounds;
  SmallVector<Fact, 0> facts;
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_INDEXFACTS_H
