//===- CompilerStamp.cpp - identity of this compiler ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The version text in every cache key. In a separate file because it is
/// recompiled whenever a source of the compiler changes.
///
//===----------------------------------------------------------------------===//

#include "CompilerStamp.inc"
#include "TinyGrad/HostJit/KernelCache.h"
#include "TinyGrad/Runtime/Device.h"

#include "llvm-c/Core.h"

const std::string &tinygrad::compilerStamp() {
  static const std::string stamp = [] {
    // The version of the loaded library, which may be newer than the headers.
    unsigned major = 0, minor = 0, patch = 0;
    LLVMGetVersion(&major, &minor, &patch);
    return std::string("tinygrad ") + COMPILER_STAMP + " abi " +
           std::to_string(kKernelAbiVersion) + " llvm " +
           std::to_string(major) + "." + std::to_string(minor) + "." +
           std::to_string(patch);
  }();
  return stamp;
}
