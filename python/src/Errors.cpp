//===- Errors.cpp - exceptions --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each C++ exception becomes a Python one of its name, which also is of the
/// built-in types that Python programmers expect: a ShapeError is a ValueError.
/// All are RuntimeErrors. Some are of further types, which programs written for
/// tinygrad catch: it checks many shapes and arguments by `assert`, and names
/// an IndexError what cannot be broadcast.
///
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/Interrupt.h"

#include <new>
#include <string_view>
#include <typeinfo>

using namespace tinygrad;
using namespace tinygrad::python;

/// Live as long as the process, as the module does.
static PyObject *baseError, *usageError, *shapeError, *dtypeError, *indexError,
    *deviceError, *outOfMemoryError, *compileError, *ioError, *jitError;

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

/// Sets the exception. Messages begin with the name of the C++ method, which
/// becomes Python's: maxPool2d is max_pool2d.
static void setError(PyObject *type, const std::exception &error) {
  const std::string_view message = error.what();
  std::string text;
  std::size_t end = 0;
  for (; end < message.size(); ++end) {
    const char letter = message[end];
    if (letter >= 'A' && letter <= 'Z' && end > 0) {
      text += '_';
      text += char(letter - 'A' + 'a');
    } else if ((letter >= 'a' && letter <= 'z') ||
               (letter >= '0' && letter <= '9')) {
      text += letter;
    } else {
      break;
    }
  }
  if (end < message.size() && message[end] == ':')
    text += message.substr(end);
  else
    text = message;
  PyErr_SetString(type, inPython(text).c_str());
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
  } catch (const Interrupted &) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const ShapeError &error) {
    setError(shapeError, error);
  } catch (const DTypeError &error) {
    setError(dtypeError, error);
  } catch (const IndexError &error) {
    setError(indexError, error);
  } catch (const OutOfMemoryError &error) {
    setError(outOfMemoryError, error);
  } catch (const DeviceError &error) {
    setError(deviceError, error);
  } catch (const CompileError &error) {
    setError(compileError, error);
  } catch (const IoError &error) {
    setError(ioError, error);
  } catch (const std::bad_cast &) {
    // By nb::cast(), which does not say of what.
    PyErr_SetString(PyExc_TypeError,
                    "an argument, a part of one, or what a function has "
                    "returned, is of a type that is not possible here");
  } catch (const Error &error) {
    setError(typeid(error) == typeid(Error) ? usageError : baseError, error);
  }
}

void tinygrad::python::bindErrors(nb::module_ &module) {
  auto with = [](auto *...builtins) {
    return nb::make_tuple(nb::borrow(baseError), nb::borrow(builtins)...);
  };
  baseError = makeError(module, "Error", "Any error of this package.",
                        nb::borrow(PyExc_RuntimeError));
  shapeError =
      makeError(module, "ShapeError", "Shapes that do not fit.",
                with(PyExc_ValueError, PyExc_IndexError, PyExc_AssertionError));
  usageError = makeError(module, "UsageError",
                         "A wrong argument, or a call at the wrong time.",
                         with(PyExc_ValueError, PyExc_AssertionError));
  dtypeError = makeError(module, "DTypeError", "Element types that do not fit.",
                         with(PyExc_TypeError, PyExc_ValueError));
  indexError =
      makeError(module, "IndexError", "An index out of range.",
                with(PyExc_IndexError, PyExc_ValueError, PyExc_AssertionError));
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
