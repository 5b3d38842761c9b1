//===- Module.cpp - the extension module
//-----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"

using namespace tinygrad::python;

NB_MODULE(_core, module) {
  // The types of elements live as long as the process, and Python does not
  // say whom it frees at its end.
  nb::set_leak_warnings(false);
  module.doc() = "The compiled part of tinygrad_mlir.";
  bindErrors(module);
  bindDTypes(module);
  bindSizes(module);
  TensorClass tensor(module, "Tensor", nb::is_weak_referenceable(),
                     "A lazy array: operations on it extend a graph, which is "
                     "compiled and run when values are asked for.");
  bindCreation(tensor);
  bindElementwise(tensor);
  bindMovement(tensor);
  bindIndexing(tensor);
  bindReductions(tensor);
  bindNetworks(tensor);
  bindValues(tensor);
}
