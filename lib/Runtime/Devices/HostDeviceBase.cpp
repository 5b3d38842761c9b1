//===- HostDeviceBase.cpp - devices in the host's memory ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Programs in object code for the host, and time by the host's clock.
///
//===----------------------------------------------------------------------===//

#include "HostDeviceBase.h"
#include "HostCode.h"
#include "TinyGrad/Runtime/Error.h"

#include <chrono>

using namespace tinygrad;
using namespace tinygrad::detail;
using Clock = std::chrono::steady_clock;

namespace {
class HostProgram : public Program {
public:
  HostProgram(Device &device, std::unique_ptr<LoadedCode> object)
      : Program(device), object(std::move(object)) {}

private:
  void *lookup(const std::string &symbol) override {
    return object->lookup(symbol);
  }

  std::unique_ptr<LoadedCode> object;
};

class HostEvent : public Event {
public:
  const Clock::time_point time = Clock::now();
};
} // namespace

HostDeviceBase::HostDeviceBase(DeviceInfo info)
    : Device(std::move(info)), threads(information().computeUnits) {}

std::shared_ptr<Program> HostDeviceBase::loadProgram(const void *code,
                                                     std::size_t bytes,
                                                     std::string_view target) {
  try {
    return std::make_shared<HostProgram>(*this, loadHostCode(code, bytes));
  } catch (const CompileError &error) {
    throw CompileError("cannot load code for " + std::string(target) + " on " +
                       name() + ": " + error.what());
  }
}

std::unique_ptr<Event> HostDeviceBase::record() {
  return std::make_unique<HostEvent>();
}

double HostDeviceBase::secondsBetween(Event &begin, Event &end) {
  const std::chrono::duration<double> time =
      static_cast<HostEvent &>(end).time - static_cast<HostEvent &>(begin).time;
  return time.count();
}
