//===- NullDevice.cpp - a device that does nothing ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Allocates addresses without memory and ignores launches. For measuring
/// everything but the kernels, and for programs that exceed the machine's
/// memory. Reading data back gives zeros.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"

#include <atomic>
#include <cstring>

using namespace tinygrad;

namespace {
class NullProgram : public Program {
public:
  explicit NullProgram(Device &device) : Program(device) {}

private:
  void *lookup(const std::string &symbol) override {
    if (symbol.empty())
      throw CompileError("a kernel needs a name");
    return this;
  }
};

class NullDevice : public Device {
public:
  explicit NullDevice(unsigned ordinal) : Device(describe(ordinal)) {}
  ~NullDevice() override { releaseMemory(); }

  void copyIn(void *, const void *, std::size_t) override {}
  void copyOut(void *destination, const void *, std::size_t bytes) override {
    if (bytes != 0)
      std::memset(destination, 0, bytes);
  }
  void copy(void *, const void *, std::size_t) override {}
  void copyAcross(void *, Device &sourceDevice, const void *,
                  std::size_t) override {
    sourceDevice.synchronize();
  }

  std::shared_ptr<Program> loadProgram(const void *, std::size_t,
                                       std::string_view) override {
    return std::make_shared<NullProgram>(*this);
  }
  void launch(const Kernel &, void *const *, const int64_t *,
              const LaunchDims &) override {}
  void sort(void *, const void *, const SortShape &, const int64_t *) override {
  }
  void synchronize() override {}
  std::unique_ptr<Event> record() override { return std::make_unique<Event>(); }
  double secondsBetween(Event &, Event &) override { return 0; }

private:
  static DeviceInfo describe(unsigned ordinal) {
    DeviceInfo info;
    info.name = ordinal == 0 ? "NULL" : "NULL:" + std::to_string(ordinal);
    info.architecture = info.target = "null";
    info.executes = false;
    return info;
  }

  /// Addresses are never reused: no process allocates 2^63 bytes.
  void *allocateRaw(std::size_t bytes, std::string &reason) override {
    if (bytes > std::size_t(1) << 62) {
      reason = "addresses have 64 bits";
      return nullptr;
    }
    return reinterpret_cast<void *>(next.fetch_add(bytes));
  }
  void freeRaw(void *, std::size_t) override {}

  /// In the half of the address space that user processes cannot access.
  std::atomic<std::uintptr_t> next{std::uintptr_t(1) << 63};
};
} // namespace

namespace tinygrad::detail {
DeviceKind describeNullDevice() {
  DeviceKind kind;
  kind.name = "NULL";
  kind.priority = -1;
  kind.count = [] { return 64u; };
  kind.open = [](unsigned ordinal) -> std::unique_ptr<Device> {
    return std::make_unique<NullDevice>(ordinal);
  };
  return kind;
}
} // namespace tinygrad::detail
