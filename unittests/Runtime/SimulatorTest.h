//===- SimulatorTest.h - kernels for the simulated GPU ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels as C++ functions that run one work item, and their launches.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_RUNTIME_SIMULATORTEST_H
#define TINYGRAD_UNITTESTS_RUNTIME_SIMULATORTEST_H

#include "Simulator.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/ForkJoin.h"
#include "TinyGrad/Runtime/LaunchList.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace tinygrad::testing::simulator {

using detail::SimItem;

using Triple = std::array<int64_t, 3>;

/// What a kernel is written with.
class Item {
public:
  Item(void **buffers, int64_t item)
      : self(*reinterpret_cast<SimItem *>(item)), buffers(buffers), id(item) {}

  uint32_t local() const { return self.local[0]; }
  uint32_t group() const { return self.group[0]; }
  /// Number in the grid, along x.
  int64_t position() const {
    return int64_t(self.group[0]) * self.size[0] + self.local[0];
  }

  template <typename T> T load(int64_t buffer, int64_t index, int64_t size) {
    access(buffer, index, 1, size, sizeof(T), 0, buffer);
    return at<T>(buffer, index);
  }
  template <typename T>
  void store(int64_t buffer, int64_t index, int64_t size, T value) {
    access(buffer, index, 1, size, sizeof(T), detail::SimWrite, buffer);
    put(buffer, index, value);
  }
  template <typename T>
  void add(int64_t buffer, int64_t index, int64_t size, T value) {
    access(buffer, index, 1, size, sizeof(T), detail::SimUpdate, buffer);
    put(buffer, index, T(at<T>(buffer, index) + value));
  }
  /// Shared memory follows `numBuffers` buffers.
  template <typename T>
  T loadShared(int64_t numBuffers, int64_t index, int64_t size) {
    access(numBuffers, index, 1, size, sizeof(T), detail::SimShared, -1);
    return at<T>(numBuffers, index);
  }
  template <typename T>
  void storeShared(int64_t numBuffers, int64_t index, int64_t size, T value) {
    access(numBuffers, index, 1, size, sizeof(T),
           detail::SimShared | detail::SimWrite, -1);
    put(numBuffers, index, value);
  }
  void access(int64_t buffer, int64_t index, int64_t count, int64_t size,
              std::size_t bytes, int64_t flags, int64_t number) {
    EXPECT_EQ(tg_sim_access(id, reinterpret_cast<int64_t>(buffers[buffer]),
                            index, count, size, int64_t(bytes), flags, number),
              index);
  }
  void barrier(int64_t site) { tg_sim_barrier(id, site); }
  int64_t shuffle(int64_t value, int64_t operand, int64_t mode, int64_t width,
                  int64_t site = 0) {
    return tg_sim_shuffle(id, value, operand, mode, width, site);
  }

  const SimItem &self;

private:
  // Some kernels race on purpose.
  template <typename T>
  TINYGRAD_NO_THREAD_SANITIZER T at(int64_t buffer, int64_t index) {
    return static_cast<T *>(buffers[buffer])[index];
  }
  template <typename T>
  TINYGRAD_NO_THREAD_SANITIZER void put(int64_t buffer, int64_t index,
                                        T value) {
    static_cast<T *>(buffers[buffer])[index] = value;
  }

  void **buffers;
  int64_t id;
};

/// A program whose only kernel is a function.
class FunctionProgram : public Program {
public:
  FunctionProgram(Device &device, CpuKernelFunction function)
      : Program(device), function(function) {}

private:
  void *lookup(const std::string &) override {
    return reinterpret_cast<void *>(function);
  }
  CpuKernelFunction function;
};

/// How a kernel is launched.
struct Shape {
  Triple groups{1, 1, 1};
  std::array<uint32_t, 3> size{1, 1, 1};
  int64_t sharedBytes = 0;
};

inline Shape line(int64_t groups, uint32_t size, int64_t sharedBytes = 0) {
  return {{groups, 1, 1}, {size, 1, 1}, sharedBytes};
}

inline Kernel kernelOf(Device &device, CpuKernelFunction function,
                       const std::string &name = "k") {
  return Kernel(std::make_shared<FunctionProgram>(device, function), name);
}

inline void launch(Device &device, CpuKernelFunction function,
                   const Shape &shape, std::vector<void *> buffers,
                   std::vector<int64_t> values = {}) {
  LaunchDims dims;
  for (std::size_t axis = 0; axis < 3; ++axis)
    dims.groups[axis] = shape.groups[axis];
  dims.groupSize = shape.size;
  dims.sharedBytes = shape.sharedBytes;
  dims.numBuffers = uint32_t(buffers.size());
  device.launch(kernelOf(device, function), buffers.data(), values.data(),
                dims);
}

inline Device &sim() { return Device::get("SIM"); }
/// With four threads, however many CPUs there are.
inline Device &simWithThreads() {
  Context four({{"THREADS", 4}});
  return Device::get("SIM:9");
}
/// With subgroups of 64 lanes.
inline Device &simOfAmd() {
  Context chip({{"SIMCHIP", "gfx942"}});
  return Device::get("SIM:10");
}

/// The error of a launch; the device has to be usable afterwards.
template <typename ErrorType>
std::string errorOf(Device &device, CpuKernelFunction function,
                    const Shape &shape, std::vector<void *> buffers,
                    std::vector<int64_t> values = {}) {
  const std::string message = messageOf<ErrorType>(
      [&] { launch(device, function, shape, buffers, values); });
  std::vector<int64_t> data(256, 0);
  launch(device,
         [](void **buffers, const int64_t *, int64_t item, int64_t) {
           Item self(buffers, item);
           self.storeShared<int64_t>(1, self.local(), 64, self.position());
           self.barrier(1);
           const int64_t other = self.local() ^ 63;
           self.store<int64_t>(0, self.position(), 256,
                               self.loadShared<int64_t>(1, other, 64));
         },
         line(4, 64, 512), {data.data()});
  for (int64_t i = 0; i < 256; ++i)
    EXPECT_EQ(data[std::size_t(i)], i ^ 63);
  return message;
}

template <typename T> std::vector<T> iota(std::size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T(0));
  return values;
}

inline constexpr int64_t kSeeds[] = {0, 1, 2, 3, 1234567};

/// Adds up the group's elements in shared memory. values: number of elements,
/// and whether to leave out the barriers.
inline void reduceGroup(void **buffers, const int64_t *values, int64_t item,
                        int64_t) {
  Item self(buffers, item);
  const int64_t size = self.self.size[0], local = self.local();
  const bool hasBarriers = values[1] == 0;
  const int64_t i = self.position();
  self.storeShared<float>(
      2, local, size, i < values[0] ? self.load<float>(1, i, values[0]) : 0);
  for (int64_t distance = size / 2; distance > 0; distance /= 2) {
    if (hasBarriers)
      self.barrier(7);
    if (local < distance)
      self.storeShared<float>(
          2, local, size,
          self.loadShared<float>(2, local, size) +
              self.loadShared<float>(2, local + distance, size));
  }
  if (local == 0)
    self.store<float>(0, self.group(), self.self.groups[0],
                      self.loadShared<float>(2, 0, size));
}

} // namespace tinygrad::testing::simulator

#endif // TINYGRAD_UNITTESTS_RUNTIME_SIMULATORTEST_H
