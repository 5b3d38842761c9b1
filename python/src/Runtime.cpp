//===- Runtime.cpp - settings, counters and devices -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallSite.h"
#include "Convert.h"
#include "Interrupts.h"

#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"

#include <array>
#include <map>
#include <memory>

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

/// What Python programs have set on this thread, by name. Each is a scope of
/// its own, so that they may end in any order.
static std::map<std::string, std::unique_ptr<Context>> &settings() {
  static thread_local std::map<std::string, std::unique_ptr<Context>> values;
  return values;
}

static void setSetting(const std::string &name, nb::object value) {
  // Checks the name and the value before the old one is dropped.
  std::unique_ptr<Context> next;
  auto make = [&]() -> std::unique_ptr<Context> {
    if (value.is_none())
      return nullptr;
    if (nb::isinstance<nb::str>(value)) {
      const auto text = nb::cast<std::string>(value);
      return std::make_unique<Context>(
          std::initializer_list<Setting>{Setting(name, text)});
    }
    return std::make_unique<Context>(std::initializer_list<Setting>{
        Setting(name, toInt(value, name.c_str()))});
  };
  make().reset();
  settings().erase(name);
  next = make();
  if (next)
    settings()[name] = std::move(next);
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

static constexpr std::pair<const char *, std::atomic<int64_t> *> kCounters[] = {
    {"kernel_count", &GlobalCounters::kernelCount},
    {"global_ops", &GlobalCounters::globalOps},
    {"global_mem", &GlobalCounters::globalMem},
    {"mem_used", &GlobalCounters::memUsed},
    {"mem_peak", &GlobalCounters::memPeak},
    {"kernels_compiled", &GlobalCounters::kernelsCompiled},
};

static nb::object readCounter(std::string_view name) {
  if (name == "time_sum_s")
    return nb::float_(GlobalCounters::timeSumSeconds.load());
  for (const auto &[known, counter] : kCounters)
    if (name == known)
      return nb::int_(counter->load());
  throw nb::attribute_error(
      ("there is no counter called " + std::string(name)).c_str());
}

static void setCounter(std::string_view name, nb::object value) {
  if (name == "time_sum_s") {
    GlobalCounters::timeSumSeconds = nb::cast<double>(value);
    return;
  }
  for (const auto &[known, counter] : kCounters)
    if (name == known) {
      counter->store(toInt(value, known));
      return;
    }
  throw nb::attribute_error(
      ("there is no counter called " + std::string(name)).c_str());
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

void tinygrad::python::bindRuntime(nb::module_ &module) {
  module.def("set_setting", &setSetting, arg("name"), arg("value").none(),
             "Overrides a setting of the environment on this thread; None ends "
             "that.");
  module.def("read_counter", &readCounter, arg("name"));
  module.def("set_counter", &setCounter, arg("name"), arg("value"));
  module.def("reset_counters", &GlobalCounters::reset);

  nb::class_<Device>(module, "OpenDevice", "A device that runs kernels.")
      .def_prop_ro("device", &Device::name, "Its name, such as \"CPU\".")
      .def_prop_ro(
          "arch",
          [](const Device &self) { return self.information().architecture; },
          "What code is made for: a target triple, or a name such as "
          "\"sm_90\".")
      .def_prop_ro(
          "compute_units",
          [](const Device &self) { return self.information().computeUnits; },
          "Threads of a CPU device, multiprocessors of a GPU.")
      .def("synchronize", &Device::synchronize, nb::call_guard<Unlocked>(),
           "Waits for everything that was started.")
      .def("__repr__", [](const Device &self) {
        return "<device " + self.name() + ", " +
               self.information().architecture + ">";
      });
  module.def("open_device", &Device::get, arg("name"),
             nb::rv_policy::reference);
  module.def("default_device", []() { return Device::getDefault().name(); });
  module.def("canonical_device", &Device::canonicalName, arg("name"));
  module.def("available_devices", &Device::available);
  module.def("registered_devices", &Device::registered);
  module.def(
      "take_losses",
      [](const Tensor &tensor) { return detail::takeLosses(tensor); },
      arg("tensor"),
      "The tensors of one element on which backward() was called since the "
      "last call and that are not in memory.");
  module.def(
      "parameter", [](const Tensor &tensor) { return tensor.parameter(false); },
      arg("tensor"),
      "A tensor of these values with memory of its own, computed once, which "
      "is "
      "identical to no other tensor.");
  module.def(
      "is_realized", [](const Tensor &tensor) { return tensor.isRealized(); },
      arg("tensor"), "Whether the values are in memory.");
  module.def(
      "realize",
      [](const std::vector<Tensor> &tensors) {
        const PythonCallSite site;
        const Unlocked unlocked;
        realize(tensors);
      },
      arg("tensors"), "Computes the tensors in one program.");
}
