//===- SafetensorsFile.h - all of a safetensors file ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to this library: tensors and metadata from one look at a file.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_STATE_SAFETENSORSFILE_H
#define TINYGRAD_LIB_STATE_SAFETENSORSFILE_H

#include "TinyGrad/State/Safetensors.h"

#include <string>

namespace tinygrad::state::detail {

struct SafetensorsContents {
  StateDict tensors;
  Metadata metadata;
};

/// What safeLoad() and safeLoadMetadata() return.
SafetensorsContents readSafetensors(const std::string &path,
                                    const std::string &deviceName);

} // namespace tinygrad::state::detail

#endif // TINYGRAD_LIB_STATE_SAFETENSORSFILE_H
