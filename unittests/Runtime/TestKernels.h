//===- TestKernels.h - kernels for the runtime's tests ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A few small kernels as object code, compiled from LLVM IR text.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_RUNTIME_TESTKERNELS_H
#define TINYGRAD_UNITTESTS_RUNTIME_TESTKERNELS_H

#include "CompileIr.h"
#include "TestFiles.h"

#include <optional>
#include <string>
#include <vector>

namespace tinygrad {
class Device;
namespace testing {

/// Kernels over buffers of int64, executed for each work item i:
///   add_value:  buffers[0][i] = buffers[1][i] + vars[0]
///   add:        buffers[0][i] = buffers[1][i] + buffers[2][i]
///   count:      buffers[0][i] += 1
/// over floats:
///   exponential: buffers[0][i] = expf(buffers[1][i])
/// and over bfloat16 and float:
///   narrow:     buffers[0][i] = bfloat(buffers[1][i])
/// and one that cannot be linked: unlinkable calls no_such_function.
const std::vector<char> &cpuTestKernels();
const std::vector<char> &unlinkableKernel();

/// add_value, add and count for the simulator, for each group i.
const std::vector<char> &simulatedTestKernels();

/// The same for a real GPU, "sm_90" or "gfx942".
std::vector<char> gpuTestKernels(const std::string &chip);

/// Whether a mock of a GPU's driver runs the device (DriverMock/MockControl.h),
/// and a module for it of lines such as "kernel add 3".
bool isMock(const Device &device);
std::vector<char> mockModule(const Device &device,
                             const std::vector<std::string> &lines);

/// The kernels add_value, add and count in the form that \p device loads; none
/// if they are not available for this kind of device.
std::optional<std::vector<char>> testKernelsFor(const Device &device);

} // namespace testing
} // namespace tinygrad

#endif // TINYGRAD_UNITTESTS_RUNTIME_TESTKERNELS_H
