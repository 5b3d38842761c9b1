//===- CallSite.h - lines of Python programs --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_PYTHON_CALLSITE_H
#define TINYGRAD_PYTHON_CALLSITE_H

#include "TinyGrad/Runtime/Profile.h"

#include <optional>

namespace tinygrad::python {

/// Attributes what this thread runs to the line of the Python function that
/// called. Made with the interpreter lock held, and usable without.
class PythonCallSite {
public:
  PythonCallSite();

private:
  std::optional<CallSite> site;
};

} // namespace tinygrad::python

#endif // TINYGRAD_PYTHON_CALLSITE_H
