//===- CallSite.cpp - lines of Python programs ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallSite.h"
#include "Convert.h"

#include <set>

using namespace tinygrad;
using namespace tinygrad::python;

/// The name of a file, which must outlive the process for CallSite.
static const char *intern(const char *file) {
  static auto *names = new std::set<std::string, std::less<>>();
  return names->emplace(file).first->c_str();
}

PythonCallSite::PythonCallSite() {
  PyFrameObject *frame = PyEval_GetFrame();
  if (!frame)
    return;
  nb::object code =
      nb::steal(reinterpret_cast<PyObject *>(PyFrame_GetCode(frame)));
  nb::object file = code.attr("co_filename");
  site.emplace(intern(nb::cast<const char *>(file)),
               unsigned(PyFrame_GetLineNumber(frame)));
}
