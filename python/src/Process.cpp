//===- Process.cpp - what the process runs with ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Version, devices and settings, for `python -m tinygrad_mlir`.
///
//===----------------------------------------------------------------------===//

#include "Convert.h"

#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"

using namespace tinygrad;
using namespace tinygrad::python;

/// Each present device with what is known of it, or why it cannot be opened.
static nb::dict describeDevices() {
  nb::dict devices;
  for (const std::string &name : Device::available()) {
    std::string text;
    try {
      const DeviceInfo &info = Device::get(name).information();
      text = info.architecture + ", " + std::to_string(info.computeUnits) +
             (info.computeUnits == 1 ? " compute unit" : " compute units");
      if (info.totalMemory != 0)
        text += ", " + std::to_string(info.totalMemory >> 20) + " MiB";
      if (!info.target.empty())
        text += ", target " + info.target;
    } catch (const Error &error) {
      text = error.what();
    }
    devices[name.c_str()] = text;
  }
  return devices;
}

static nb::dict describeSettings() {
  nb::dict settings;
  settings["DEV"] = Device::getDefault().name();
  settings["DEBUG"] = debugLevel();
  settings["NOOPT"] = noOptimization();
  settings["SPEC"] =
      int(verifyEveryRewrite()) + int(checkBounds()) + int(verifySchedules());
  settings["FTZ"] = flushSubnormals();
  settings["ALLOW_TF32"] = allowTf32();
  settings["PROFILE"] = profileKernels();
  settings["THREADS"] = threadCount();
  settings["MEMLIMIT"] = deviceMemoryLimit() >> 20;
  settings["CACHELEVEL"] = cacheLevel();
  settings["CACHEDIR"] = cacheDirectory();
  return settings;
}

void tinygrad::python::bindProcess(nb::module_ &module) {
  module.attr("__version__") = TINYGRAD_VERSION;
  module.def("describe_devices", &describeDevices,
             "The devices that are present, each with a line about it.");
  module.def("describe_settings", &describeSettings,
             "The values of the settings that are in force.");
}
