//===- HostDeviceBase.h - devices in the host's memory ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Everything but launches, for devices whose memory is the host's and whose
/// kernels are object code for it. A launch is complete when launch() returns,
/// so there is no queue.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_HOSTDEVICEBASE_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_HOSTDEVICEBASE_H

#include "HostMemory.h"
#include "HostThreads.h"
#include "TinyGrad/Runtime/Device.h"

namespace tinygrad::detail {

class HostDeviceBase : public Device {
public:
  ~HostDeviceBase() override { releaseMemory(); }

  void copyIn(void *destination, const void *source,
              std::size_t bytes) override {
    copy(destination, source, bytes);
  }
  void copyOut(void *destination, const void *source,
               std::size_t bytes) override {
    copy(destination, source, bytes);
  }
  void copy(void *destination, const void *source, std::size_t bytes) override {
    threads.copy(destination, source, bytes);
  }

  std::shared_ptr<Program> loadProgram(const void *code, std::size_t bytes,
                                       std::string_view target) override;

  void synchronize() override {}
  std::unique_ptr<Event> record() override;
  double secondsBetween(Event &begin, Event &end) override;

protected:
  /// Computes on `info.computeUnits` threads.
  explicit HostDeviceBase(DeviceInfo info);

  void *allocateRaw(std::size_t bytes, std::string &reason) override {
    return host.allocate(bytes, reason);
  }
  void freeRaw(void *address, std::size_t bytes) override {
    host.free(address, bytes);
  }

  HostThreads threads;

private:
  HostMemory host;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_HOSTDEVICEBASE_H
