//===- Npz.h - tensors in archives of NumPy arrays --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// States in .npz files.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_STATE_NPZ_H
#define TINYGRAD_STATE_NPZ_H

#include "TinyGrad/Runtime/Npz.h"
#include "TinyGrad/State/StateDict.h"

#include <source_location>
#include <string>

namespace tinygrad::state {

/// The arrays of a file as tensors on a device (the default one unless given),
/// in alphabetical order, see readNpz(). Throws IoError.
StateDict npzLoad(const std::string &path, const std::string &device = "");

/// Realizes the tensors and writes them to a file, see writeNpz(). Throws what
/// realize() throws, and IoError, also for fp8, which the format lacks.
void npzSave(const std::string &path, const StateDict &state,
             NpzCompression compression = NpzCompression::None,
             std::source_location where = std::source_location::current());

} // namespace tinygrad::state

#endif // TINYGRAD_STATE_NPZ_H
