//===- GPULaunch.cpp - sizes of launches on GPUs --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates and checks the groups of a launch, and names targets.
///
//===----------------------------------------------------------------------===//

#include "GPULaunch.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Support/GPUChips.h"
#include "TinyGrad/Support/MatrixUnits.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::detail;

GPULaunch detail::evaluateLaunch(const GPULimits &limits,
                                 std::string_view device, std::string_view chip,
                                 const std::string &kernel,
                                 const LaunchDims &dims,
                                 const int64_t *values) {
  static constexpr const char *axes[] = {"x", "y", "z"};
  auto check = [&](int64_t number, int64_t limit, const char *what,
                   const char *axis) {
    if (number <= limit)
      return;
    std::string message = "kernel " + kernel + " cannot be launched on ";
    message += device;
    message += ": " + std::to_string(number) + " " + what + axis + ", but ";
    message += chip;
    message += " has at most " + std::to_string(limit);
    throw DeviceError(message);
  };
  GPULaunch launch;
  int64_t items = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int64_t size = dims.groupSize[axis];
    if (size == 0)
      throw DeviceError("kernel " + kernel +
                        " cannot be launched: its groups have no items");
    check(size, limits.groupSize[axis], "items of a group in ", axes[axis]);
    items *= size;
    const int64_t groups =
        std::max<int64_t>(dims.groups[axis].evaluate(values), 0);
    check(groups, limits.groups[axis], "groups in ", axes[axis]);
    check(groups * size, limits.gridItems, "items in ", axes[axis]);
    launch.groups[axis] = uint32_t(groups);
    launch.groupSize[axis] = uint32_t(size);
  }
  check(items, limits.items, "items of a group", "");
  const int64_t sharedBytes =
      std::max<int64_t>(dims.sharedBytes.evaluate(values), 0);
  check(sharedBytes, limits.sharedBytes, "bytes of shared memory", "");
  launch.sharedBytes = uint32_t(sharedBytes);
  return launch;
}

std::string detail::getGPUTarget(std::string_view kind,
                                 const std::string &chip) {
  std::string target = std::string(kind) + ":" + chip;
  std::string error;
  if (const std::optional<GPUChipData> data = parseGPUChip(chip, error);
      data && canRoundToTf32(*data) && allowTf32())
    target += ":tf32";
  return target;
}
