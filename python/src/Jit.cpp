//===- Jit.cpp - captured steps of Python functions -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Takes the arguments and results of a Python function apart for JitCore. The
/// function itself, and all Python objects that outlive a call, are kept by the
/// Python class TinyJit, where the garbage collector sees them.
///
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "Interrupts.h"

#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Tensor/Inspect.h"
#include "TinyGrad/Tensor/Jit.h"

#include <memory>

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

namespace {
/// The parts of a call's arguments: tensors and sizes as JitCore takes them,
/// and all other objects, which have to be the same in each call.
class FlatArguments {
public:
  /// Names are for captures and errors.
  FlatArguments(nb::tuple args, nb::dict keywords, bool hasNames)
      : hasNames(hasNames) {
    for (std::size_t i = 0; i < nb::len(args); ++i)
      add(args[i], hasNames ? std::to_string(i) : std::string());
    addSorted(keywords, "");
  }

  detail::JitArguments list;
  std::vector<nb::object> constants;
  std::vector<std::string> constantNames;
  /// A letter for each part and each end of a container.
  std::string layout;

private:
  void add(nb::handle object, const std::string &name);
  void addSorted(nb::handle dict, const std::string &prefix);
  std::string join(const std::string &prefix, const std::string &name) const {
    return prefix.empty() ? name : prefix + "." + name;
  }

  const bool hasNames;
  /// The tensors of the list: the function, or another thread, may change the
  /// containers that they were in.
  std::vector<nb::object> kept;
};

/// A captured function without its Python objects. Never reset: other threads
/// may replay it.
class PythonJit {
public:
  bool isCaptured() const { return core.isCaptured(); }
  void begin(nb::tuple args, nb::dict keywords);
  nb::object end(nb::object result);
  void abandon() {
    core.abandon();
    call.reset();
  }
  nb::object replay(nb::tuple args, nb::dict keywords, nb::list constants,
                    nb::object result) const;
  nb::tuple save() const;
  nb::list inspect(bool withCode) const;
  void load(nb::bytes bytes, const std::vector<Tensor> &tensors,
            bool isTraining, bool isGradientOff, std::string newLayout);

private:
  [[noreturn]] void throwOtherConstant(const FlatArguments &named,
                                       nb::list constants) const;

  // JitCore's replays change nothing but memory that they reuse.
  mutable detail::JitCore core;
  std::unique_ptr<FlatArguments> call; ///< between begin() and end()
  bool hasRun = false;                 ///< the first call is over
  int64_t kernelsBefore = 0;
  std::string layout;
};
} // namespace

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

void FlatArguments::addSorted(nb::handle dict, const std::string &prefix) {
  if (PyDict_Size(dict.ptr()) == 0)
    return;
  nb::object keys = nb::steal(PyDict_Keys(dict.ptr()));
  if (PyDict_Size(dict.ptr()) > 1 && PyList_Sort(keys.ptr()) != 0) {
    // Keys of several types have no order: theirs is that of the dict.
    PyErr_Clear();
    keys = nb::steal(PyDict_Keys(dict.ptr()));
  }
  for (nb::handle key : keys) {
    const std::string name =
        hasNames ? join(prefix, nb::cast<std::string>(nb::str(key)))
                 : std::string();
    layout += 'K';
    constants.push_back(nb::borrow(key));
    if (hasNames)
      constantNames.push_back(name);
    add(PyDict_GetItem(dict.ptr(), key.ptr()), name);
  }
}

void FlatArguments::add(nb::handle object, const std::string &name) {
  if (nb::isinstance<Tensor>(object)) {
    layout += 'T';
    list.tensors.push_back(nb::inst_ptr<Tensor>(object));
    kept.push_back(nb::borrow(object));
    if (hasNames)
      list.tensorNames.push_back(name);
  } else if (nb::isinstance<SymInt>(object)) {
    layout += 'S';
    list.sizes.push_back(nb::cast<SymInt>(object));
    if (hasNames)
      list.sizeNames.push_back(name);
  } else if (PyTuple_Check(object.ptr()) || PyList_Check(object.ptr())) {
    const Recursion recursion(" in the arguments of a step");
    layout += '(';
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object.ptr()); ++i)
      add(PySequence_Fast_GET_ITEM(object.ptr(), i),
          hasNames ? join(name, std::to_string(i)) : std::string());
    layout += ')';
  } else if (PyDict_Check(object.ptr())) {
    const Recursion recursion(" in the arguments of a step");
    layout += '{';
    addSorted(object, name);
    layout += '}';
  } else {
    layout += 'C';
    constants.push_back(nb::borrow(object));
    if (hasNames)
      constantNames.push_back(name);
  }
}

/// Whether a replay may stand for a call with \p given: the object itself, or
/// one of the same type that equals it, as numbers and strings do.
static bool isSameConstant(nb::handle given, nb::handle captured) {
  if (given.is(captured))
    return true;
  if (!given.type().is(captured.type()))
    return false;
  const int isEqual =
      PyObject_RichCompareBool(given.ptr(), captured.ptr(), Py_EQ);
  if (isEqual < 0)
    PyErr_Clear(); // arrays, which have no truth value
  return isEqual == 1;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Replaces the tensors of a result by their positions in \p tensors. Of a
/// result that is captured, everything else has to be None.
static nb::object takeTensors(nb::handle result, std::vector<Tensor> &tensors,
                              bool isCaptured) {
  if (nb::isinstance<Tensor>(result)) {
    tensors.push_back(*nb::inst_ptr<Tensor>(result));
    return nb::int_(tensors.size() - 1);
  }
  if (result.is_none())
    return nb::none();
  const Recursion recursion(" in the result of a step");
  if (PyTuple_Check(result.ptr()) || PyList_Check(result.ptr())) {
    nb::list parts;
    for (nb::handle part : result)
      parts.append(takeTensors(part, tensors, isCaptured));
    if (PyList_Check(result.ptr()))
      return std::move(parts);
    if (PyTuple_CheckExact(result.ptr()))
      return nb::object(nb::tuple(parts));
    return nb::object(result.type().attr("_make")(parts)); // a named tuple
  }
  if (PyDict_Check(result.ptr())) {
    nb::dict parts;
    for (auto [key, value] : nb::borrow<nb::dict>(result))
      parts[key] = takeTensors(value, tensors, isCaptured);
    return std::move(parts);
  }
  if (isCaptured)
    throw Error("jit: the result has an object of type " + typeName(result) +
                ", which a replay could not compute; return tensors, and "
                "tuples, lists and dicts of them");
  return nb::none();
}

/// Of pickles that were changed.
[[noreturn]] static void throwTorn() {
  throw Error("jit: what was saved of a captured step is torn");
}

/// The reverse of takeTensors().
static nb::object putTensors(nb::handle form,
                             const std::vector<Tensor> &tensors) {
  if (PyLong_Check(form.ptr())) {
    const std::size_t position = PyLong_AsSize_t(form.ptr());
    if (PyErr_Occurred())
      PyErr_Clear();
    if (position >= tensors.size())
      throwTorn();
    return nb::cast(tensors[position]);
  }
  if (form.is_none())
    return nb::none();
  if (PyDict_Check(form.ptr())) {
    nb::dict result;
    for (auto [key, value] : nb::borrow<nb::dict>(form))
      result[key] = putTensors(value, tensors);
    return std::move(result);
  }
  if (!PyTuple_Check(form.ptr()) && !PyList_Check(form.ptr()))
    throwTorn();
  nb::list parts;
  for (nb::handle part : form)
    parts.append(putTensors(part, tensors));
  if (PyList_Check(form.ptr()))
    return std::move(parts);
  if (PyTuple_CheckExact(form.ptr()))
    return nb::object(nb::tuple(parts));
  return nb::object(form.type().attr("_make")(parts));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void PythonJit::begin(nb::tuple args, nb::dict keywords) {
  auto flat = std::make_unique<FlatArguments>(args, keywords, true);
  {
    const Unlocked unlocked;
    core.begin(flat->list);
  }
  kernelsBefore = GlobalCounters::kernelCount;
  call = std::move(flat);
}

/// Returns the result, and after a capture also what replays need: the
/// constants and the form of the result.
nb::object PythonJit::end(nb::object result) {
  if (!call)
    throw Error("jit: reset() was called by the step itself");
  std::vector<Tensor> tensors;
  const std::unique_ptr<FlatArguments> flat = std::move(call);
  nb::object form = takeTensors(result, tensors, hasRun);
  {
    const Unlocked unlocked;
    tensors = core.end(flat->list, tensors);
  }
  hasRun = true;
  if (!core.isCaptured())
    return nb::make_tuple(result, nb::none(), nb::none());
  // A copy of an argument needs no kernel.
  if (GlobalCounters::kernelCount == kernelsBefore && tensors.empty()) {
    core.reset(); // which no replay can use yet
    hasRun = false;
    throw Error("jit: the function computes nothing that could be replayed: "
                "return tensors, or realize() those that it changes");
  }
  layout = flat->layout;
  nb::list constants;
  for (const nb::object &constant : flat->constants)
    constants.append(constant);
  return nb::make_tuple(putTensors(form, tensors), constants, form);
}

void PythonJit::throwOtherConstant(const FlatArguments &named,
                                   nb::list constants) const {
  for (std::size_t i = 0; i < named.constants.size(); ++i)
    if (!isSameConstant(named.constants[i], constants[i]))
      throw Error("jit: argument " + named.constantNames[i] + " is " +
                  nb::cast<std::string>(nb::repr(named.constants[i])) +
                  ", but was " + nb::cast<std::string>(nb::repr(constants[i])) +
                  " when the step was captured; pass a tensor if it changes");
  throw Error("jit: the arguments changed while they were compared");
}

nb::object PythonJit::replay(nb::tuple args, nb::dict keywords,
                             nb::list constants, nb::object result) const {
  const FlatArguments flat(args, keywords, false);
  if (flat.layout != layout)
    core.throwMismatch(FlatArguments(args, keywords, true).list);
  if (flat.constants.size() != nb::len(constants))
    throwTorn();
  for (std::size_t i = 0; i < flat.constants.size(); ++i)
    if (!isSameConstant(flat.constants[i],
                        PyList_GET_ITEM(constants.ptr(), Py_ssize_t(i))))
      throwOtherConstant(FlatArguments(args, keywords, true), constants);
  std::vector<Tensor> tensors;
  {
    const Unlocked unlocked;
    tensors = core.replay(flat.list);
  }
  return putTensors(result, tensors);
}

/// What load() takes.
nb::tuple PythonJit::save() const {
  detail::SavedStep saved;
  {
    const Unlocked unlocked;
    saved = core.save();
  }
  return nb::make_tuple(nb::bytes(saved.bytes.data(), saved.bytes.size()),
                        saved.tensors, saved.isTraining, saved.isGradientOff,
                        layout);
}

nb::list PythonJit::inspect(bool withCode) const {
  std::vector<ProgramStep> steps;
  {
    const Unlocked unlocked;
    steps = inspectStep(core, withCode);
  }
  return toObjects(steps);
}

void PythonJit::load(nb::bytes bytes, const std::vector<Tensor> &tensors,
                     bool isTraining, bool isGradientOff,
                     std::string newLayout) {
  const detail::SavedStep saved{
      {bytes.c_str(), bytes.size()}, tensors, isTraining, isGradientOff};
  {
    const Unlocked unlocked;
    core.load(saved);
  }
  layout = std::move(newLayout);
  hasRun = true;
}

void tinygrad::python::bindJit(nb::module_ &module) {
  nb::class_<PythonJit>(module, "JitCore", "The compiled part of TinyJit.")
      .def(nb::init<>())
      .def_static("is_inside", &detail::JitCore::isInside)
      .def_static("note_optimizer_step", &detail::JitCore::noteOptimizerStep,
                  arg("parameters"))
      .def_prop_ro("is_captured", &PythonJit::isCaptured)
      .def("begin", &PythonJit::begin, arg("args"), arg("kwargs"))
      .def("end", &PythonJit::end, arg("result").none())
      .def("abandon", &PythonJit::abandon)
      .def("save", &PythonJit::save,
           "What was captured, as bytes and the tensors that it uses.")
      .def("inspect", &PythonJit::inspect, arg("with_code"),
           "The fields of each step that a replay runs.")
      .def("load", &PythonJit::load, arg("bytes"), arg("tensors"),
           arg("is_training"), arg("is_gradient_off"), arg("layout"))
      .def("replay", &PythonJit::replay, arg("args"), arg("kwargs"),
           arg("constants"), arg("result").none());
}
