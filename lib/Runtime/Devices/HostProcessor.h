//===- HostProcessor.h - what the host can run ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Whether code that was made for some processor runs on this one.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_HOSTPROCESSOR_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_HOSTPROCESSOR_H

#include <string>

namespace tinygrad::detail {

/// Throws DeviceError, which names MCPU, if LLVM does not know \p processor or
/// the host lacks instructions that it has.
void checkHostRuns(const std::string &processor);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_HOSTPROCESSOR_H
