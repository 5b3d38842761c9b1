//===- GPUDriver.cpp - drivers of GPUs ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Opens the libraries of drivers.
///
//===----------------------------------------------------------------------===//

#include "GPUDriver.h"
#include "GPURuntime.h"
#include "TinyGrad/Runtime/Error.h"

#include <dlfcn.h>

using namespace tinygrad;
using namespace tinygrad::detail;

GPUDriver::~GPUDriver() = default;

std::vector<TensorMap> GPUDriver::findTensorMaps(const std::vector<char> &,
                                                 const std::string &) const {
  return {};
}

bool GPUDriver::takesAnyGroups(const std::vector<char> &,
                               const std::string &) const {
  return false;
}

GPUResult GPUDriver::encodeTensorMap(EncodedMap &, const TensorMap &,
                                     void *) const {
  return {GPUNotSupported, "tensor maps"};
}

bool detail::isFatal(int status) {
  switch (status) {
  case 214: // ECC error that cannot be corrected
  case 220: // the same of NVLink
  case 226: // contained error
  case 700: // illegal address
  case 702: // launch timed out
  case 709: // context is destroyed
  case 710: // assert
  case 714: // hardware stack error
  case 715: // illegal instruction
  case 716: // misaligned address
  case 717: // invalid address space
  case 718: // invalid program counter
  case 719: // launch failed
  case 721: // tensor memory leak
  case 810: // server of several processes has ended this one
  case 999: // unknown
    return true;
  default:
    return false;
  }
}

void GPUDriver::openLibrary(const std::string &setting,
                            const std::vector<const char *> &names) {
  std::string reasons;
  auto open = [&](const char *name) {
    library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library) {
      libraryName = name;
      return;
    }
    const char *reason = ::dlerror();
    reasons += reasons.empty() ? "" : "; ";
    reasons += reason ? reason : name;
  };
  if (!setting.empty())
    open(setting.c_str());
  else
    for (const char *name : names)
      if (!library)
        open(name);
  if (!library)
    throw DeviceError("the driver's library cannot be opened (" + reasons +
                      ")");
}

void *GPUDriver::find(const char *symbol) const {
  return ::dlsym(library, symbol);
}

void GPUDriver::failMissing(const char *symbol) const {
  throw DeviceError("the driver's library " + libraryName +
                    " has no function " + symbol);
}

GPUDriverState detail::openDriver(std::unique_ptr<GPUDriver> (*open)()) {
  GPUDriverState state;
  try {
    state.driver = open();
    const GPUEntries &entries = state.driver->entries;
    int count = 0;
    GPUResult result = entries.init(0);
    if (result)
      result = entries.deviceCount(&count);
    if (!result && result.status != GPUNoDevice)
      state.reason = state.driver->describe(result);
    else if (count <= 0)
      state.reason = "the driver has found no GPU";
    else
      state.count = unsigned(count);
  } catch (const DeviceError &error) {
    state.reason = error.what();
  }
  return state;
}

DeviceKind detail::describeGPUKind(const char *name, int priority,
                                   const GPUDriverState &(*state)()) {
  DeviceKind kind;
  kind.name = name;
  kind.priority = priority;
  kind.count = [state] { return state().count; };
  kind.open = [name, state](unsigned ordinal) -> std::unique_ptr<Device> {
    const GPUDriverState &opened = state();
    if (opened.count == 0)
      throw DeviceError(std::string("there is no ") + name +
                        " device: " + opened.reason);
    return openGPU(*opened.driver, ordinal);
  };
  kind.describe = [state](unsigned ordinal) -> std::string {
    try {
      return state().driver->getProperties(int(ordinal)).product;
    } catch (const DeviceError &error) {
      return error.what();
    }
  };
  return kind;
}
