//===- SymExpr.h - expressions over variables -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The expressions behind symbolic SymInts, and the library's queries about
/// sizes. No MLIR headers, so that all sources can include it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_SYMEXPR_H
#define TINYGRAD_LIB_TENSOR_SYMEXPR_H

#include "TinyGrad/Tensor/Options.h"
#include "TinyGrad/Tensor/SymInt.h"

#include <atomic>
#include <initializer_list>
#include <span>

namespace tinygrad::detail {

/// A variable as expressions have it: one object for a variable without a
/// value, and one for each value that something alive has it bound to.
///
/// What is made of expressions, attributes first of all, is kept for good. So
/// that there is no more of it with each value that comes by, attributes say
/// the place of this object in a list, not the value, and the objects whose
/// value nobody has any more are used for other values. A loop with a value of
/// its own in each step finds everything made by its first steps.
struct KnownVariable : SymVariable {
  /// The variable itself, as an expression.
  const SymExpr *expr = nullptr;
  /// Of one with a value: the variable without, and the place in its list.
  KnownVariable *unbound = nullptr;
  int64_t place = 0;
  /// The number of sizes, and operations of graphs, that refer to it.
  std::atomic<std::size_t> holders = 0;
};

/// An expression that is no number. There is one object for each, which is
/// never destroyed, so that pointers are equal where expressions are.
/// Immutable, but for the values of its variables if nobody holds on to it: no
/// lock is needed to read one.
struct SymExpr {
  /// The dimension attribute, in a context of the process.
  const void *attr = nullptr;
  int64_t min = 0, max = 0;
  /// Whether any variable has a value.
  bool isBound = false;
  /// Sorted by name. There is one object for each variable, so that a sum of n
  /// variables is built in n steps.
  std::vector<KnownVariable *> variables;
  /// Sizes that are this expression.
  mutable std::atomic<std::size_t> holders = 0;
  /// Whether it is among the holders of its variables.
  mutable bool holdsVariables = false;
};

/// Keep the value of a variable that has one, which somebody has to hold on to
/// already, and let it go.
void holdVariable(KnownVariable &variable);
void dropVariable(KnownVariable &variable);

/// Adds the variables of an expression to a list sorted by name. Throws
/// ShapeError, naming both, for a name with two bounds, two values, or a value
/// and none.
void addVariables(std::vector<SymVariable> &variables,
                  std::span<const SymVariable> added);
void addVariables(std::vector<SymVariable> &variables,
                  std::span<KnownVariable *const> added);
/// "bind variable n to a value in [1, 8]", for the first that has none; empty
/// if all have one.
std::string describeUnbound(std::span<const SymVariable> variables);
/// Throws as addVariables does unless the variables of all sizes go together.
void checkVariables(std::initializer_list<const Shape *> lists);

inline bool isSymbolic(const Shape &shape) {
  for (const SymInt &size : shape)
    if (size.isSymbolic())
      return true;
  return false;
}

/// Whether one is at most the other for all values of the variables, as far as
/// bounds tell.
bool isAtMost(const SymInt &lhs, const SymInt &rhs);

/// Why two sizes are not considered equal if one of them is symbolic: "; n and
/// 3 differ for n = 1, as 1 and 3" or that they could not be shown equal. Empty
/// for numbers.
std::string explainDifference(const SymInt &lhs, const SymInt &rhs);
/// The same for the number of elements.
std::string explainDifference(const Shape &lhs, const Shape &rhs);

/// The same for a size that should be at most another one; empty if it is.
std::string explainExcess(const SymInt &lhs, const SymInt &rhs);

/// The number; throws ShapeError, naming \p what, for an expression.
int64_t constantOf(const SymInt &size, const char *what);
std::vector<int64_t> constantsOf(const Shape &shape, const char *what);

/// The values of a shape; throws ShapeError if a variable has none.
std::vector<int64_t> valuesOf(const Shape &shape);
/// The sizes of a tensor's memory: the largest values.
std::vector<int64_t> largestOf(const Shape &shape);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_SYMEXPR_H
