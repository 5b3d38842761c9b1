//===- GPULaunch.h - sizes of launches on GPUs ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The groups of a launch and the limits that GPUs set to them; what kernels of
/// a GPU are compiled for.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_GPULAUNCH_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_GPULAUNCH_H

#include "TinyGrad/Runtime/Device.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tinygrad::detail {

/// The largest launch that a GPU accepts.
struct GPULimits {
  std::array<int64_t, 3> groups{1, 1, 1};    ///< in each direction
  std::array<int64_t, 3> groupSize{1, 1, 1}; ///< items in each direction
  int64_t items = 1;                         ///< of a group
  int64_t sharedBytes = 0;                   ///< of a group
  /// Items of all groups together in each direction.
  int64_t gridItems = std::numeric_limits<int64_t>::max();
};

/// A launch for given values of its variables.
struct GPULaunch {
  std::array<uint32_t, 3> groups{};
  std::array<uint32_t, 3> groupSize{};
  uint32_t sharedBytes = 0;

  /// Whether there is nothing to do.
  bool isEmpty() const {
    return groups[0] == 0 || groups[1] == 0 || groups[2] == 0;
  }
  bool operator==(const GPULaunch &) const = default;
};

/// Evaluates the sizes of a launch. Throws DeviceError, naming the kernel, the
/// device and the GPU \p chip, if it exceeds \p limits.
GPULaunch evaluateLaunch(const GPULimits &limits, std::string_view device,
                         std::string_view chip, const std::string &kernel,
                         const LaunchDims &dims, const int64_t *values);

/// The target of a GPU, "cuda:sm_90", with the options that the settings ask
/// for and the chip has.
std::string getGPUTarget(std::string_view kind, const std::string &chip);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_GPULAUNCH_H
