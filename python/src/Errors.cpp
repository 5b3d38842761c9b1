//===- Errors.cpp - exceptions
//---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each C++ exception becomes a Python one of its name, which also is of the
/// built-in type that Python programmers expect: a ShapeError is a ValueError.
/// All are RuntimeErrors.
///
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "TinyGrad/Runtime/Error.h"

#include <new>

using namespace tinygrad;
using namespace tinygrad::python;

/// Live as long as the process, as the module does.
static PyObject *baseError, *shapeError, *dtypeError, *indexError, *deviceError,
    *outOfMemoryError, *compileError, *ioError, *jitError;

static PyObject *makeError(nb::module_ &module, const char *name,
                           const char *documentation, nb::object bases) {
  const std::string qualified = std::string("tinygrad_mlir.") + name;
  PyObject *type = PyErr_NewExceptionWithDoc(qualified.c_str(), documentation,
                                             bases.ptr(), nullptr);
  if (!type)
    throw nb::python_error();
  module.attr(name) = nb::borrow(type);
  return type;
}

/// The library's errors about captured steps begin so, whatever their type is.
static bool isAboutJit(const std::exception &error) {
  return std::string_view(error.what()).starts_with("jit: ");
}

/// The advice of a message with Python's names.
static std::string inPython(std::string message) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"parameter(false)", "clone()"},
      {"maskedSelect", "masked_select"},
      {"toHost", "reading a tensor"},
      {"a TrainingScope", "Tensor.training"}};
  for (const auto &[cpp, python] : kNames)
    for (std::size_t at; (at = message.find(cpp)) != std::string::npos;)
      message.replace(at, cpp.size(), python);
  return message;
}

static void translate(const std::exception_ptr &thrown, void *) {
  try {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error &error) {
      if (!isAboutJit(error))
        throw;
      PyErr_SetString(jitError, inPython(error.what()).c_str());
    }
  } catch (const ShapeError &error) {
    PyErr_SetString(shapeError, error.what());
  } catch (const DTypeError &error) {
    PyErr_SetString(dtypeError, error.what());
  } catch (const IndexError &error) {
    PyErr_SetString(indexError, error.what());
  } catch (const OutOfMemoryError &error) {
    PyErr_SetString(outOfMemoryError, error.what());
  } catch (const DeviceError &error) {
    PyErr_SetString(deviceError, error.what());
  } catch (const CompileError &error) {
    PyErr_SetString(compileError, error.what());
  } catch (const IoError &error) {
    PyErr_SetString(ioError, error.what());
  } catch (const Error &error) {
    PyErr_SetString(baseError, error.what());
  }
}

void tinygrad::python::bindErrors(nb::module_ &module) {
  auto with = [](PyObject *builtin) {
    return nb::make_tuple(nb::borrow(baseError), nb::borrow(builtin));
  };
  baseError = makeError(module, "Error", "Any error of this package.",
                        nb::borrow(PyExc_RuntimeError));
  shapeError = makeError(module, "ShapeError", "Shapes that do not fit.",
                         with(PyExc_ValueError));
  dtypeError = makeError(module, "DTypeError", "Element types that do not fit.",
                         with(PyExc_TypeError));
  indexError = makeError(module, "IndexError", "An index out of range.",
                         with(PyExc_IndexError));
  deviceError = makeError(module, "DeviceError",
                          "A device that does not exist, or that failed.",
                          nb::borrow(baseError));
  outOfMemoryError = makeError(
      module, "OutOfMemoryError", "Memory of a device ran out.",
      nb::make_tuple(nb::borrow(deviceError), nb::borrow(PyExc_MemoryError)));
  compileError =
      makeError(module, "CompileError", "A kernel could not be compiled.",
                nb::borrow(baseError));
  ioError = makeError(module, "IoError", "A file could not be read or written.",
                      with(PyExc_OSError));
  jitError = makeError(module, "JitError",
                       "A call that a captured function cannot answer.",
                       nb::borrow(baseError));
  nb::register_exception_translator(translate, nullptr);
}
