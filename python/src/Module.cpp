//===- Module.cpp - the extension module ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"

using namespace tinygrad::python;

/// nanobind's entry point, behind that of the module.
NB_MODULE(_tensors, module) {
  // The types of elements live as long as the process, and Python does not
  // say whom it frees at its end.
  nb::set_leak_warnings(false);
  module.doc() = "The compiled part of tinygrad_mlir.";
  bindErrors(module);
  bindInterrupts();
  bindProcess(module);
  bindDTypes(module);
  bindSizes(module);
  TensorClass tensor(module, "Tensor", nb::is_weak_referenceable(),
                     nb::type_slots(getNeighbourSlots()),
                     "A lazy array: operations on it extend a graph, which is "
                     "compiled and run when values are asked for.");
  bindCreation(tensor);
  bindElementwise(tensor);
  bindMovement(tensor);
  bindIndexing(tensor);
  bindReductions(tensor);
  bindNetworks(tensor);
  bindValues(tensor);
  bindNeighbours(tensor);
  bindCustomGradients(tensor);
  bindNodes(module, tensor);
  bindJit(module);
  bindRuntime(module);
  bindMemory(module);
  bindState(module);
  explainArguments(module);
}

extern "C" NB_EXPORT PyObject *PyInit__core();

extern "C" PyObject *PyInit__core() {
  // The types, one object for each, are those of one interpreter.
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(PyExc_ImportError,
                    "tinygrad_mlir can only be imported in the main "
                    "interpreter of a process, not in a subinterpreter: use "
                    "threads, or processes");
    return nullptr;
  }
  return PyInit__tensors();
}
