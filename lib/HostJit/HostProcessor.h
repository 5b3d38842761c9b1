//===- HostProcessor.h - instruction sets of the host -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Whether code compiled for a processor runs on this one.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_HOSTJIT_HOSTPROCESSOR_H
#define TINYGRAD_LIB_HOSTJIT_HOSTPROCESSOR_H

#include <string>

namespace tinygrad::detail {

/// Throws DeviceError, which mentions MCPU, if LLVM does not know \p processor
/// or the host lacks some of its instructions.
void checkProcessorRuns(const std::string &processor);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_HOSTJIT_HOSTPROCESSOR_H
