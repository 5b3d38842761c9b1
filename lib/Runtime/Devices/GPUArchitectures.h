//===- GPUArchitectures.h - GPUs that there is code for ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The GPUs that the code generators know. A test compares the lists with those
/// of the compiler, which the runtime does not depend on.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_GPUARCHITECTURES_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_GPUARCHITECTURES_H

#include <string_view>

namespace tinygrad::detail {

/// Compute capabilities, 10 * major + minor, ascending: `sm_` and the number. A
/// GPU runs code for any that is not above its own.
inline constexpr int kCudaCapabilities[] = {70, 72,  75,  80,  86,  87, 89,
                                            90, 100, 103, 110, 120, 121};

/// AMD's architectures. A GPU runs code for its own only.
inline constexpr std::string_view kAMDArchitectures[] = {
    "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_GPUARCHITECTURES_H
