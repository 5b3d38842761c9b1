//===- BoundSizes.h - sizes of bound variables as numbers -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Programs are compiled for all values of a variable, so that operations throw
/// an error unless they are right for all of them. As in tinygrad, the value
/// that the variable is bound to is used instead, outside of captured
/// functions, where a replay may have another value.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_PYTHON_BOUNDSIZES_H
#define TINYGRAD_PYTHON_BOUNDSIZES_H

#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <nanobind/nanobind.h>

#include <optional>

namespace tinygrad::python {

namespace nb = nanobind;

/// The tensor with numbers as sizes, those that its variables are bound to.
/// None if no size has variables, if one has no value, or in a captured
/// function.
std::optional<Tensor> withNumbers(const Tensor &x);
/// The value that a number's variables are bound to. None as above.
std::optional<Scalar> withNumbers(const Scalar &x);
/// An index, with the values that its variables are bound to. Null as above.
nb::object withNumbers(nb::handle index);

/// \p x, and its \p parts. Where a part lies in its axis for the bound values
/// of variables, but not for all values, a view of \p x with zeros for the
/// others: what is assigned to these is lost.
Tensor padBeyond(const Tensor &x, Parts &parts);
/// The same for the slices of an index whose length is a number. Others are cut
/// off where the axis ends, as in Python.
Tensor padBeyond(const Tensor &x, const std::vector<Index> &entries);

/// What \p function returns for \p x, or if that throws, for withNumbers(x).
template <typename Function>
auto orWithNumbers(const Tensor &x, Function function) {
  try {
    return function(x);
  } catch (const Error &) {
    const std::optional<Tensor> known = withNumbers(x);
    if (!known)
      throw;
    return function(*known);
  }
}

} // namespace tinygrad::python

#endif // TINYGRAD_PYTHON_BOUNDSIZES_H
