//===- ArgumentErrors.cpp - messages for wrong arguments ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// If no overload of a function takes the arguments, nanobind lists all of
/// them. Functions of this module are called through a function that lets
/// tinygrad_mlir._arguments find out what is wrong, and only then: a call that
/// succeeds costs one more jump.
///
//===----------------------------------------------------------------------===//

#include "Convert.h"

#include <array>
#include <exception>
#include <string_view>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::python;

using Vectorcall = PyObject *(*)(PyObject * function, PyObject *const *args,
                                 std::size_t numArgs, PyObject *names);

/// nanobind has a few functions that call, for simple and other signatures.
static constexpr std::size_t kNumKinds = 8;
static std::array<Vectorcall, kNumKinds> originals;

/// The message in other words; the same if that fails.
static void explainError(PyObject *function, PyObject *const *args,
                         std::size_t numArgs, PyObject *names) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError))
    return;
  nb::python_error error; // takes the exception
  try {
    const nb::str text(error.value());
    if (std::string_view(text.c_str())
            .find("(): incompatible function arguments.") ==
        std::string_view::npos)
      return error.restore();
    // Python and nanobind have flags in the first two bits.
    const std::size_t count = numArgs << 2 >> 2;
    nb::list positional;
    for (std::size_t i = 0; i < count; ++i)
      PyList_Append(positional.ptr(), args[i]);
    nb::dict keywords;
    if (names)
      for (std::size_t i = 0; i < nb::len(names); ++i)
        PyDict_SetItem(keywords.ptr(), PyTuple_GET_ITEM(names, Py_ssize_t(i)),
                       args[count + i]);
    const nb::object message =
        nb::module_::import_("tinygrad_mlir._arguments")
            .attr("explain")(nb::handle(function), positional, keywords);
    if (!message.is_none()) {
      PyErr_SetObject(PyExc_TypeError, message.ptr());
      return;
    }
  } catch (const std::exception &) {
    // The message cannot be made, and why is not of interest.
  }
  error.restore();
}

template <std::size_t kind>
static PyObject *callExplained(PyObject *function, PyObject *const *args,
                               std::size_t numArgs, PyObject *names) {
  PyObject *result = originals[kind](function, args, numArgs, names);
  if (!result)
    explainError(function, args, numArgs, names);
  return result;
}

template <std::size_t... kinds>
static constexpr std::array<Vectorcall, sizeof...(kinds)>
makeCallers(std::index_sequence<kinds...>) {
  return {&callExplained<kinds>...};
}

static constexpr std::array<Vectorcall, kNumKinds> callers =
    makeCallers(std::make_index_sequence<kNumKinds>());

static void explainFunction(nb::handle function) {
  const nb::str kind(function.type().attr("__name__"));
  if (std::string_view(kind.c_str()) != "nb_func" &&
      std::string_view(kind.c_str()) != "nb_method")
    return;
  // The pointer that Python calls these objects by is their first field.
  auto &vectorcall = *reinterpret_cast<Vectorcall *>(
      reinterpret_cast<char *>(function.ptr()) + sizeof(PyVarObject));
#ifndef Py_LIMITED_API
  if (vectorcall != PyVectorcall_Function(function.ptr()))
    return;
#endif
  for (std::size_t kind = 0; kind < kNumKinds; ++kind) {
    if (vectorcall == callers[kind])
      return;
    if (!originals[kind])
      originals[kind] = vectorcall;
    if (originals[kind] == vectorcall) {
      vectorcall = callers[kind];
      return;
    }
  }
}

void tinygrad::python::explainArguments(nb::module_ &module) {
  auto explainAll = [](nb::handle scope) {
    for (nb::handle member :
         nb::object(scope.attr("__dict__").attr("values")()))
      explainFunction(member);
  };
  explainAll(module);
  for (nb::handle member : nb::object(module.attr("__dict__").attr("values")()))
    if (nb::isinstance<nb::type_object>(member) && nb::type_check(member))
      explainAll(member);
}
