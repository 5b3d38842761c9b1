//===- SymExpr.h - expressions over variables -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The expressions that symbolic SymInts refer to, and internal queries about
/// sizes. No MLIR headers, so that all sources can include it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_SYMEXPR_H
#define TINYGRAD_LIB_TENSOR_SYMEXPR_H

#include "TinyGrad/Tensor/Options.h"
#include "TinyGrad/Tensor/SymInt.h"
#include "TinyGrad/Tensor/SymValues.h"

#include <atomic>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

namespace tinygrad::detail {

/// A variable in expressions: one object for the variable without a value, and
/// one for each value in use.
///
/// Expressions, and the attributes that contain them, are never freed. To bound
/// their number, attributes do not contain a variable's value but the index of
/// this object in a list; the object is reused for another value when nothing
/// refers to its value any more. So a loop that binds a new value in each step
/// reuses the expressions of its first steps.
struct KnownVariable : SymVariable {
  /// The variable itself, as an expression.
  const SymExpr *expr = nullptr;
  /// For a variable with a value: the variable without one, and the index in
  /// its list of values.
  KnownVariable *unbound = nullptr;
  int64_t place = 0;
  /// The number of sizes and operations that refer to it.
  std::atomic<std::size_t> holders = 0;
};

/// An expression that is not a constant. Expressions are unique and never
/// destroyed, so that equal expressions have equal pointers. They are
/// immutable, except that the values of unused variables may change; therefore
/// no lock is needed to read one.
struct SymExpr {
  /// The dimension attribute, in a context of the process.
  const void *attr = nullptr;
  int64_t min = 0, max = 0;
  /// Whether a variable of it has a value.
  bool isBound = false;
  /// Sorted by name. Variables are shared objects, so that building a sum of n
  /// variables takes n steps.
  std::vector<KnownVariable *> variables;
  /// The number of sizes that refer to this expression.
  mutable std::atomic<std::size_t> holders = 0;
  /// Whether this expression is counted as a holder of its variables.
  mutable bool holdsVariables = false;
  /// The same expression over variables without values, once it was asked for.
  mutable const SymExpr *unbound = nullptr;
};

/// Adds a reference to the value of a bound variable, which must have one
/// already, and removes it.
void holdVariable(KnownVariable &variable);
void dropVariable(KnownVariable &variable);

/// Adds the variables of an expression to a list sorted by name. Throws
/// ShapeError, naming both, if two variables of one name differ in bounds or
/// value.
void addVariables(std::vector<SymVariable> &variables,
                  std::span<const SymVariable> added);
void addVariables(std::vector<SymVariable> &variables,
                  std::span<KnownVariable *const> added);
/// "bind variable n to a value in [1, 8]", for the first variable without a
/// value; empty if all have one.
std::string describeUnbound(std::span<const SymVariable> variables);
/// Throws as addVariables does unless the variables of all sizes are
/// compatible.
void checkVariables(std::initializer_list<const Shape *> lists);

inline bool isSymbolic(const Shape &shape) {
  for (const SymInt &size : shape)
    if (size.isSymbolic())
      return true;
  return false;
}

/// The same expression over variables without values. Equal for expressions
/// that differ only in values.
const SymExpr *withoutValues(const SymExpr *expr);

/// Whether \p lhs <= \p rhs for all values of the variables, as far as it can
/// be proved.
bool isAtMost(const SymInt &lhs, const SymInt &rhs);

/// Why two sizes are not known to be equal if one of them is symbolic: "; n and
/// 3 differ for n = 1, as 1 and 3", or that equality could not be proved. Empty
/// for numbers.
std::string explainDifference(const SymInt &lhs, const SymInt &rhs);
/// The same for the number of elements.
std::string explainDifference(const Shape &lhs, const Shape &rhs);

/// Why \p lhs is not known to be at most \p rhs; empty if it is.
std::string explainExcess(const SymInt &lhs, const SymInt &rhs);

/// The value of a constant size. Throws ShapeError, naming \p what, for an
/// expression.
int64_t constantOf(const SymInt &size, const char *what);
std::vector<int64_t> constantsOf(const Shape &shape, const char *what);

/// The values of a shape; throws ShapeError if a variable has none.
std::vector<int64_t> valuesOf(const Shape &shape);
/// The sizes of a tensor's memory: the maximum of each size.
std::vector<int64_t> largestOf(const Shape &shape);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_SYMEXPR_H
