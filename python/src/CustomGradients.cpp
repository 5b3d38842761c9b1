//===- CustomGradients.cpp - gradients that Python functions compute ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "Interrupts.h"

#include <memory>

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

/// Drops a reference from any thread. Graphs end with their lock held, perhaps
/// on a thread without the interpreter's, which must not be waited for then.
static void dropReference(PyObject *object) {
  if (!nb::is_alive())
    return;
  if (PyGILState_Check()) {
    Py_DECREF(object);
    return;
  }
  Py_AddPendingCall(
      [](void *pending) {
        Py_DECREF(static_cast<PyObject *>(pending));
        return 0;
      },
      object);
}

static std::vector<Tensor> toGradients(nb::object result, std::size_t count) {
  nb::tuple list = nb::isinstance<Tensor>(result) || result.is_none()
                       ? nb::make_tuple(result)
                       : nb::tuple(result);
  if (list.size() != count)
    throw nb::value_error(
        ("with_gradient: the function returned " + std::to_string(list.size()) +
         " gradients, but there are " + std::to_string(count) + " inputs")
            .c_str());
  std::vector<Tensor> gradients;
  for (nb::handle gradient : list) {
    if (!gradient.is_none() && !nb::isinstance<Tensor>(gradient))
      throw nb::type_error(("with_gradient: the gradient of input " +
                            std::to_string(gradients.size()) + " is of type " +
                            typeName(gradient) + ", not a Tensor or None")
                               .c_str());
    gradients.push_back(gradient.is_none() ? Tensor()
                                           : *nb::inst_ptr<Tensor>(gradient));
  }
  return gradients;
}

void tinygrad::python::bindCustomGradients(TensorClass &tensor) {
  tensor.def(
      "with_gradient",
      [](const Tensor &self, const std::vector<Tensor> &inputs,
         nb::callable function) {
        const std::shared_ptr<PyObject> kept(function.release().ptr(),
                                             dropReference);
        return self.withGradient(
            inputs, [kept, count = inputs.size()](const Tensor &gradient) {
              const Locked locked;
              return toGradients(nb::handle(kept.get())(gradient), count);
            });
      },
      arg("inputs"), arg("gradient"),
      "The same values with another gradient: gradient(g) returns that by each "
      "of the inputs, as tensors of their shapes and dtypes or None for zero, "
      "for the gradient g of this tensor. Nothing flows on to other tensors "
      "that this was computed from.");
}
